package build

import (
	"hash/maphash"

	"hlolayout/hlo"
)

// slabs hand out instructions and small slices from larger blocks that grow geometrically: few allocations for large
// modules, little waste for small ones.
type slabs struct {
	instructions []hlo.Instruction
	pointers     []*hlo.Instruction
	attributes   []hlo.Attr
}

const (
	firstBlock = 16
	lastBlock  = 2048
)

func (s *slabs) instruction() *hlo.Instruction {
	if len(s.instructions) == cap(s.instructions) {
		s.instructions = make([]hlo.Instruction, 0, grow(cap(s.instructions), 1))
	}
	s.instructions = s.instructions[:len(s.instructions)+1]
	return &s.instructions[len(s.instructions)-1]
}

func grow(now, need int) int { return max(need, min(lastBlock, max(firstBlock, 2*now))) }

// keep copies scratch into the block and returns the copy, capped at its length.
func keep[T any](block *[]T, scratch []T) []T {
	n := len(scratch)
	if n == 0 {
		return nil
	}
	if len(*block)+n > cap(*block) {
		*block = make([]T, 0, grow(cap(*block), n))
	}
	at := len(*block)
	*block = append(*block, scratch...)
	return (*block)[at : at+n : at+n]
}

var hashSeed = maphash.MakeSeed()

// nameTable finds the instructions of one computation by name: open addressing, emptied by raising the generation.
type nameTable struct {
	slots      []nameSlot
	generation uint32
	count      int
}

type nameSlot struct {
	hash       uint32
	generation uint32
	in         *hlo.Instruction
}

func hash(s string) uint32 { return uint32(maphash.String(hashSeed, s)) }

func (t *nameTable) reset() {
	t.generation++
	t.count = 0
	if t.slots == nil {
		t.slots = make([]nameSlot, 64)
	}
}

// put adds in under its name; it returns the instruction that has the name already, if any.
func (t *nameTable) put(in *hlo.Instruction) *hlo.Instruction {
	if t.count*2 >= len(t.slots) {
		old := t.slots
		t.slots = make([]nameSlot, 2*len(old))
		for _, e := range old {
			if e.generation == t.generation {
				i := e.hash & uint32(len(t.slots)-1)
				for t.slots[i].generation == t.generation {
					i = (i + 1) & uint32(len(t.slots)-1)
				}
				t.slots[i] = e
			}
		}
	}
	h := hash(in.Name)
	for i := h & uint32(len(t.slots)-1); ; i = (i + 1) & uint32(len(t.slots)-1) {
		e := &t.slots[i]
		if e.generation != t.generation {
			*e = nameSlot{h, t.generation, in}
			t.count++
			return nil
		}
		if e.hash == h && e.in.Name == in.Name {
			return e.in
		}
	}
}

func (t *nameTable) get(name string) *hlo.Instruction {
	h := hash(name)
	for i := h & uint32(len(t.slots)-1); ; i = (i + 1) & uint32(len(t.slots)-1) {
		e := &t.slots[i]
		if e.generation != t.generation {
			return nil
		}
		if e.hash == h && e.in.Name == name {
			return e.in
		}
	}
}
