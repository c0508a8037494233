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

// nameTable finds the instructions of one computation by name: open addressing, emptied by raising the generation. It
// holds no pointers, so that the garbage collector need not look at it.
type nameTable struct {
	slots      []nameSlot
	generation uint32
	count      int
}

type nameSlot struct {
	hash       uint32
	generation uint32
	index      int32 // into the list of the computation's instructions
}

func hash(s string) uint32 { return uint32(maphash.String(hashSeed, s)) }

func (t *nameTable) reset() {
	t.generation++
	t.count = 0
	if t.slots == nil {
		t.slots = make([]nameSlot, 64)
	}
}

// find returns the instruction of that name in list, nil if there is none, and the slot where it is or would be.
func (t *nameTable) find(list []*hlo.Instruction, name string, h uint32) (*hlo.Instruction, *nameSlot) {
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		e := &t.slots[i]
		if e.generation != t.generation {
			return nil, e
		}
		if e.hash == h && list[e.index].Name == name {
			return list[e.index], e
		}
	}
}

func (t *nameTable) get(list []*hlo.Instruction, name string) *hlo.Instruction {
	in, _ := t.find(list, name, hash(name))
	return in
}

// put enters the name of the instruction that is about to be added to list; it returns the one that has the name
// already, if any.
func (t *nameTable) put(list []*hlo.Instruction, name string) *hlo.Instruction {
	if t.count*2 >= len(t.slots) {
		t.double()
	}
	h := hash(name)
	in, slot := t.find(list, name, h)
	if in == nil {
		*slot = nameSlot{h, t.generation, int32(len(list))}
		t.count++
	}
	return in
}

func (t *nameTable) double() {
	old := t.slots
	t.slots = make([]nameSlot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, e := range old {
		if e.generation == t.generation {
			i := e.hash & mask
			for t.slots[i].generation == t.generation {
				i = (i + 1) & mask
			}
			t.slots[i] = e
		}
	}
}
