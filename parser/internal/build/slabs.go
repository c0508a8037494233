package build

import "hlolayout/hlo"

// slabs hand out instructions and small slices from larger blocks that grow geometrically: few allocations for large
// modules, little waste for small ones.
type slabs struct {
	instructions []hlo.Instruction
	pointers     []*hlo.Instruction
	attributes   []hlo.Attr
	values       []hlo.Value
	callees      []*hlo.Computation
	shapes       []*hlo.Shape
	sizes        []int64
	orders       []int
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

func grow(now, need int) int { return max(need, min(lastBlock, max(firstBlock, now+now/2))) }

// keep copies scratch into the block and returns the copy, capped at its length.
func keep[T any](block *[]T, scratch []T) []T {
	if len(scratch) == 0 {
		return nil
	}
	kept := reserve(block, len(scratch))
	copy(kept, scratch)
	return kept
}

// reserve returns n elements of the block, all zero; not nil where there are none.
func reserve[T any](block *[]T, n int) []T {
	if n == 0 {
		return []T{}
	}
	if len(*block)+n > cap(*block) {
		*block = make([]T, 0, grow(cap(*block), n))
	}
	at := len(*block)
	*block = (*block)[:at+n]
	return (*block)[at : at+n : at+n]
}

// nameTable finds the instructions of one computation by name: open addressing. It holds no pointers, so that the
// garbage collector need not scan it, and it compares names in the source, not through the
// instruction, which would be two more cache misses.
type nameTable struct {
	slots []nameSlot
	count int
}

type nameSlot struct {
	hash      uint32
	off, size uint32 // of the name in the source; size 0 if it is not there
	place     int32  // in the list of the computation's instructions, counted from 1; 0 is an empty slot
}

func (t *nameTable) reset() {
	if len(t.slots) > 16*max(t.count, 16) { // do not clear a table of which little was used
		t.slots = nil
	}
	t.count = 0
	if t.slots == nil {
		t.slots = make([]nameSlot, 64)
	} else {
		clear(t.slots)
	}
}

// find returns the slot where an instruction of that name is or would be; known tells which.
func (b *Builder) find(name string, h uint32) (slot *nameSlot, known bool) {
	t := &b.names
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		e := &t.slots[i]
		if e.place == 0 {
			return e, false
		}
		if e.hash != h {
			continue
		}
		if e.size > 0 && b.src[e.off:e.off+e.size] == name || e.size == 0 && b.list[e.place-1].Name == name {
			return e, true
		}
	}
}

// named returns the instruction of that name in the computation being read, nil if there is none.
func (b *Builder) named(name string) *hlo.Instruction {
	if slot, known := b.find(name, hash(name)); known {
		return b.list[slot.place-1]
	}
	return nil
}

// enterName enters the name of the instruction that is about to be added to the list; it returns the one that has the
// name already, if any. at is where the name stands, with its `%`; an empty range where it does not.
func (b *Builder) enterName(name string, at Text) *hlo.Instruction {
	t := &b.names
	if t.count*4 >= len(t.slots)*3 {
		t.grow(b.expected())
	}
	h := hash(name)
	slot, known := b.find(name, h)
	if known {
		return b.list[slot.place-1]
	}
	*slot = nameSlot{hash: h, place: int32(len(b.list)) + 1}
	if at.End > at.Off {
		slot.off, slot.size = at.Off, uint32(len(name))
		if b.src[at.Off] == '%' {
			slot.off++
		}
	}
	t.count++
	return nil
}

func (t *nameTable) enter(e nameSlot) {
	mask := uint32(len(t.slots) - 1)
	i := e.hash & mask
	for t.slots[i].place != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = e
}

// expected is how many instructions the computation being read will have, if it is the last one of the text: as many
// for each byte of it as so far, but no more than 16 times as many. The tables of a large computation are made for that
// in large steps: growing step by step leaves as much garbage again, and a large table that grows once more takes 10 ms
// (BenchmarkParse, B/op, -cpu 1,2).
func (b *Builder) expected() int {
	end := len(b.src)
	if b.piece != nil {
		end = b.piece.end
	}
	return foreseen(len(b.list), int(b.comp.Pos), int(b.in.Pos), end)
}

// foreseen is what n, counted between begin and here, will be at the end.
func foreseen(n, begin, here, end int) int {
	if n < 1024 || here <= begin {
		return n
	}
	return max(n, min(16*n, int(1.05*float64(n)*float64(end-begin)/float64(here-begin))))
}

func (t *nameTable) grow(expected int) {
	old := t.slots
	size := 2 * len(old)
	for size*3 < expected*4 {
		size *= 2
	}
	t.slots = make([]nameSlot, size)
	for i := 0; i < size; i += 4096 / 16 {
		// a new page that is read before it is written costs the system two faults (BenchmarkParse -cpu 2)
		t.slots[i].place = 0
	}
	for _, e := range old {
		if e.place != 0 {
			t.enter(e)
		}
	}
}
