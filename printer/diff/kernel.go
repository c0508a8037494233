package diff

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/kernel"
)

// KernelChange is a pair of custom calls whose kernels differ.
type KernelChange struct {
	Old, New *hlo.Instruction
	// OldBytes and NewBytes are the sizes of the kernels.
	OldBytes, NewBytes int
	// Unsure says that a kernel is in a form that is not known: it may differ in source positions only.
	Unsure bool
	// Added and Removed are the operations that one side has more of, by name; both are empty where only attributes,
	// types or the order differ.
	Added, Removed []OpCount
}

// OpCount is a number of operations of one name.
type OpCount struct {
	Op    string
	Count int
}

// kernels compares two backend_configs that differ. It returns "kernel" where their kernels alone do, in more than
// source positions, "backend_config" where anything else does, and "" for no difference.
func (c *comparison) kernels(o, n *hlo.Instruction, a, b *hlo.Value) (what string) {
	form := kernelBody()
	if a == nil || b == nil || form.ReplaceAllString(a.Text, "$1$3") != form.ReplaceAllString(b.Text, "$1$3") {
		return "backend_config"
	}
	x, y := form.FindAllStringSubmatch(a.Text, -1), form.FindAllStringSubmatch(b.Text, -1)
	moved := false
	for i := range x {
		if x[i][2] == y[i][2] {
			continue
		}
		change, same := kernelChange(x[i][2], y[i][2])
		if same {
			moved = true
			continue
		}
		change.Old, change.New = o, n
		c.r.Kernels = append(c.r.Kernels, change)
		return "kernel"
	}
	if moved {
		c.r.Noise.Kernels++
	}
	return ""
}

// kernelChange compares two kernels, in base64, without their source positions.
func kernelChange(old, new string) (change KernelChange, same bool) {
	a, errA := base64.StdEncoding.DecodeString(old)
	b, errB := base64.StdEncoding.DecodeString(new)
	if errA != nil || errB != nil {
		return KernelChange{OldBytes: len(old), NewBytes: len(new), Unsure: true}, false
	}
	change = KernelChange{OldBytes: len(a), NewBytes: len(b)}
	x, errA := kernel.Read(a)
	y, errB := kernel.Read(b)
	if errA != nil || errB != nil {
		change.Unsure = true
		return change, false
	}
	if slices.Equal(x, y) {
		return change, true
	}
	count := map[string]int{}
	for _, l := range y {
		count[operation(l)]++
	}
	for _, l := range x {
		count[operation(l)]--
	}
	for _, op := range slices.SortedFunc(maps.Keys(count), cmp.Compare[string]) {
		switch n := count[op]; {
		case op == "" || n == 0:
		case n > 0:
			change.Added = append(change.Added, OpCount{op, n})
		default:
			change.Removed = append(change.Removed, OpCount{op, -n})
		}
	}
	return change, false
}

// kernelDigest returns a short text that is the same for kernels, in base64, that differ in source positions only, and
// "..." for one in a form that is not known.
func kernelDigest(body string) string {
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return "..."
	}
	lines, err := kernel.Read(data)
	if err != nil {
		return "..."
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return fmt.Sprintf("kernel:%x", sum[:8])
}

// operation returns the name that a line of kernel.Read begins with, without the dialect that wraps Mosaic's.
func operation(line string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(line, " "), "(")
	return strings.TrimPrefix(strings.Trim(name, "{}"), "stable_mosaic.")
}
