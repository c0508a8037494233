package printer

import (
	"hash/maphash"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// uniquifier makes names unique in one name space, as XLA's NameUniquer does: the computations of a module are one, its
// instructions another. A name is a base and a number, 0 where there is none; a pair that is taken gets the least
// number that its base has not used, counted from 0 on.
//
// Open addressing takes a third of the time of Go's map of such pairs, which was a tenth of the print.
type uniquifier struct {
	slots []int32 // a power of two; places in used, counted from 1
	used  []numbered
	next  map[string]int64
}

type numbered struct {
	base   string
	number int64
}

// newUniquifier returns one for that many names.
func newUniquifier(size int) *uniquifier {
	slots := 8
	for slots < 2*size {
		slots *= 2
	}
	return &uniquifier{slots: make([]int32, slots), used: make([]numbered, 0, size), next: map[string]int64{}}
}

// unique registers a name and returns what it prints as: x.007 is x.7, a second x is x.1.
func (u *uniquifier) unique(name string) string {
	base, suffix, number := name, false, int64(0)
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && dot < len(name)-1 {
		if n, err := strconv.ParseInt(name[dot+1:], 10, 64); err == nil {
			base, suffix, number = name[:dot], true, n
		}
	}
	n := u.register(base, number)
	if n == 0 && !suffix {
		return base
	}
	if suffix && n == number && plain(name[len(base)+1:]) {
		return name
	}
	return base + "." + strconv.FormatInt(n, 10)
}

// plain reports whether a number is written as it prints: without leading zeros.
func plain(number string) bool {
	digits := strings.TrimPrefix(number, "-")
	return digits[0] != '0' || number == "0"
}

func (u *uniquifier) register(base string, number int64) int64 {
	if u.take(base, number) {
		return number
	}
	n := u.next[base]
	for !u.take(base, n) {
		n++
	}
	u.next[base] = n + 1
	return n
}

func (u *uniquifier) take(base string, number int64) bool {
	const odd = 0x9E3779B97F4A7C15
	mask := uint64(len(u.slots) - 1)
	for i := maphash.String(hashSeed, base) ^ uint64(number)*odd>>32; ; i++ {
		switch at := u.slots[i&mask]; {
		case at == 0:
			u.used = append(u.used, numbered{base, number})
			u.slots[i&mask] = int32(len(u.used))
			return true
		case u.used[at-1] == numbered{base, number}:
			return false
		}
	}
}

var hashSeed = maphash.MakeSeed()

// sanitized returns the name that XLA gives a computation: element types get a `_` appended, and two leading
// underscores are kept for its own names.
func sanitized(name string) string {
	if d, ok := hlo.ParseDType(name); ok && d.String() == name {
		return name + "_"
	}
	if strings.HasPrefix(name, "__") && !strings.HasPrefix(name, "__xla_") {
		return "a" + name[1:]
	}
	return name
}
