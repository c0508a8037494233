package fit

import (
	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/tpu"
)

// Foreseen returns what a module that is not scheduled will hold: m has its layouts, and a forecast of what fusion
// keeps out of memory. The order of the instructions is the best of three: that of the text, one that goes depth first
// from the result, large operands first, and one in which each step frees as much as it can.
func Foreseen(m *hlo.Module, t *tpu.Target) *Program {
	var best *Program
	for _, order := range []func(*foresight, *hlo.Computation) []*hlo.Instruction{asWritten, depthFirst, listed} {
		f := foresight{p: newProgram(m, t), order: order, leaf0: map[*hlo.Instruction]int{}, time: map[*hlo.Instruction]int{}}
		if p := f.run(); best == nil || p.Peak < best.Peak {
			best = p
		}
	}
	return best
}

// foresight follows the memory of every array through a module. Leaves are numbered over the instructions as they run.
type foresight struct {
	p     *Program
	order func(*foresight, *hlo.Computation) []*hlo.Instruction
	leaf0 map[*hlo.Instruction]int
	time  map[*hlo.Instruction]int
	// source is the leaf that has a leaf's memory: itself where it is a separate array, none where it has none or is not
	// ours.
	source []int
	// holder is the instruction of a leaf, at its place there, shape its shape; from and need are the first and the last
	// time at which it is there.
	holder []*hlo.Instruction
	at     []hlo.Index
	shape  []*hlo.Shape
	from   []int
	need   []int
	// inside are the arrays that a loop's body or a branch makes in the memory of what it returns.
	inside map[int]bool
	// taken are the arrays that a loop works in, begin the times from which on leaves are there that are not made where
	// they stand.
	taken map[int]bool
	begin map[int]int
	// runs are the computations that ran, recalls the calls of such.
	runs    map[*hlo.Computation]*run
	recalls []recall
	// products remembers what product found, into where products end that are fused into what they are made into.
	into     map[*hlo.Instruction]*hlo.Instruction
	products map[*hlo.Instruction]bool
	// chains remembers what chained found.
	chains map[*hlo.Instruction]bool
	// readings remembers what readByLoops found.
	readings map[place]reading
	// narrows remembers what narrow found.
	narrows map[*hlo.Instruction]bool
	// tuples remembers what parts found.
	tuples map[*hlo.Shape]*parts
}

const none = -1

func (f *foresight) run() *Program {
	f.inside, f.taken, f.begin, f.products = map[int]bool{}, map[int]bool{}, map[int]int{}, map[*hlo.Instruction]bool{}
	f.into, f.chains = map[*hlo.Instruction]*hlo.Instruction{}, map[*hlo.Instruction]bool{}
	f.readings, f.narrows = map[place]reading{}, map[*hlo.Instruction]bool{}
	f.tuples, f.runs = map[*hlo.Shape]*parts{}, map[*hlo.Computation]*run{}
	f.computation(f.p.Module.Entry, nil)
	f.uses()
	p := f.p
	p.Foreseen = true
	p.boundary()
	outputs := map[int]bool{}
	root := p.Module.Entry.Root
	for k := range f.leaves(root) {
		if s := f.source[f.leaf0[root]+k]; s != none {
			outputs[s] = true
		}
	}
	for l, s := range f.source {
		if s != l || outputs[l] || f.inside[l] {
			continue
		}
		if size := padding.SizeOf(f.shape[l]); size.Known && size.Padded > 0 && size.Space == 0 {
			h := f.holding(l, size.Padded)
			h.Kind, h.From, h.To = Temporary, f.start(l), max(f.from[l], f.need[l])
			p.Holdings = append(p.Holdings, h)
		}
	}
	f.repeated()
	for i := range p.Holdings {
		switch h := &p.Holdings[i]; {
		case h.Kind == Output:
			p.Stats.Output += h.Bytes
			h.From = f.made(h.Leaf)
		case h.Kind == Argument:
			p.Stats.Argument += h.Bytes
		}
	}
	p.doubt = f.doubt()
	sum, _ := p.total(p.Holdings)
	p.Stats.Temp = sum - p.Stats.Argument - p.Stats.Output
	p.finish(sum)
	return p
}

// start returns the first time at which a leaf is there.
func (f *foresight) start(l int) int {
	if t, ok := f.begin[l]; ok {
		return t
	}
	return f.from[l]
}

// made returns the time from which on a result of the program is there.
func (f *foresight) made(index hlo.Index) int {
	root := f.p.Module.Entry.Root
	leaf, s := f.leaf0[root], root.Shape
	for _, i := range index {
		leaf, s = leaf+f.parts(s).starts[i], s.Elems[i]
	}
	if l := f.source[leaf]; l != none {
		return f.start(l)
	}
	return 0
}
