package fit

import (
	"sort"

	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
)

func (f *foresight) leaves(in *hlo.Instruction) int { return f.leavesOf(in.Shape) }

func (f *foresight) leavesOf(s *hlo.Shape) int {
	if !s.IsTuple() {
		return 1
	}
	return f.parts(s).starts[len(s.Elems)]
}

// parts is where the leaves of a tuple's elements begin, and in the end how many there are; nested says that some
// element is a tuple itself.
type parts struct {
	starts []int
	nested bool
}

// parts is remembered by shape: loops and steps of training carry thousands.
func (f *foresight) parts(s *hlo.Shape) *parts {
	e := f.tuples[s]
	if e == nil {
		e = &parts{starts: make([]int, 1, len(s.Elems)+1)}
		for i, x := range s.Elems {
			e.starts = append(e.starts, e.starts[i]+f.leavesOf(x))
			e.nested = e.nested || x.IsTuple()
		}
		f.tuples[s] = e
	}
	return e
}

// computation runs a computation; args are the leaves that its parameters stand for, one after the other, nil for the
// entry.
func (f *foresight) computation(c *hlo.Computation, args [][]int) {
	r := &run{args: args, leaf: len(f.source), from: len(f.p.nodes)}
	f.runs[c] = r
	f.epilogues(c)
	for _, in := range f.order(f, c) {
		now := len(f.p.nodes)
		var called [][]int // by callee: the leaves of its root
		for k, callee := range in.Sequential() {
			args := f.arguments(in, k)
			if r := f.runs[callee]; r != nil {
				called = append(called, f.again(in, callee, args))
				if r.from < now {
					r.began = len(f.p.nodes)
				}
				continue
			}
			f.computation(callee, args)
			first := f.leaf0[callee.Root]
			called = append(called, f.source[first:first+f.leaves(callee.Root)])
		}
		f.instruction(in, args, called)
	}
	r.to = len(f.p.nodes)
}

// arguments returns the leaves that the parameters of callee k of an instruction stand for.
func (f *foresight) arguments(in *hlo.Instruction, k int) (out [][]int) {
	of := func(o *hlo.Instruction) {
		l := f.leaf0[o]
		out = append(out, f.source[l:l+f.leaves(o)])
	}
	switch in.Opcode {
	case hlo.OpWhile:
		of(in.Operands[0])
	case hlo.OpConditional:
		if k+1 < len(in.Operands) {
			of(in.Operands[k+1])
		}
	default:
		for _, o := range in.Operands {
			of(o)
		}
	}
	return out
}

// instruction notes what the leaves of a result are.
func (f *foresight) instruction(in *hlo.Instruction, args, called [][]int) {
	first, now := len(f.source), len(f.p.nodes)
	f.leaf0[in], f.time[in] = first, now
	f.p.nodes = append(f.p.nodes, in)
	k := 0
	in.Shape.Leaves(func(index hlo.Index, s *hlo.Shape) {
		f.source = append(f.source, f.of(leaf{in, k, first + k, s, args, called}))
		f.holder, f.at, f.shape = append(f.holder, in), append(f.at, slices.Clone(index)), append(f.shape, s)
		f.from, f.need = append(f.from, now), append(f.need, now)
		k++
	})
}

// leaf is one array of a result: leaf k of an instruction, which is leaf self of all. args are the leaves that the
// parameters of its computation stand for, called those that each callee of the instruction returns.
type leaf struct {
	in      *hlo.Instruction
	k, self int
	shape   *hlo.Shape
	args    [][]int
	called  [][]int
}

// sources is the table of the opcodes whose results may have the memory of something else, or none. The others make
// their arrays.
var sources = map[hlo.Opcode]func(f *foresight, l leaf) int{
	hlo.OpConstant:           func(*foresight, leaf) int { return none },
	hlo.OpParameter:          (*foresight).argument,
	hlo.OpBitcast:            (*foresight).same,
	hlo.OpOptBarrier:         (*foresight).same,
	hlo.OpAddDependency:      (*foresight).same,
	hlo.OpCopyDone:           (*foresight).same,
	hlo.OpDomain:             (*foresight).same,
	hlo.OpGetTupleElement:    (*foresight).element,
	hlo.OpTuple:              (*foresight).tuple,
	hlo.OpWhile:              (*foresight).carry,
	hlo.OpConditional:        (*foresight).branch,
	hlo.OpCall:               (*foresight).returned,
	hlo.OpDynamicUpdateSlice: (*foresight).updated,
	hlo.OpScatter:            (*foresight).updated,
	hlo.OpSort:               (*foresight).updated,
}

// of returns the source of a leaf.
func (f *foresight) of(l leaf) int {
	if find, ok := sources[l.in.Opcode]; ok {
		return find(f, l)
	}
	return f.own(l)
}

// own returns a leaf itself, none where the array is fused.
func (f *foresight) own(l leaf) int {
	if f.fused(l.in) || !l.shape.IsArray() {
		return none
	}
	return l.self
}

// operand returns the source of leaf k of operand i.
func (f *foresight) operand(in *hlo.Instruction, i, k int) int {
	if i < len(in.Operands) && k < f.leaves(in.Operands[i]) {
		return f.source[f.leaf0[in.Operands[i]]+k]
	}
	return none
}

func (f *foresight) argument(l leaf) int {
	if n := int(l.in.Parameter); n < len(l.args) && l.k < len(l.args[n]) {
		return l.args[n][l.k]
	}
	return none
}

func (f *foresight) same(l leaf) int { return f.operand(l.in, 0, l.k) }

func (f *foresight) element(l leaf) int {
	n, _ := l.in.Attr("index").Int()
	return f.operand(l.in, 0, l.k+f.parts(l.in.Operands[0].Shape).starts[n])
}

func (f *foresight) tuple(l leaf) int {
	starts := f.parts(l.in.Shape).starts
	i := sort.SearchInts(starts, l.k+1) - 1 // the last that begins there or before: empty ones may, too
	return f.operand(l.in, i, l.k-starts[i])
}

// branch returns the conditional's own memory, in which its branches make what they return.
func (f *foresight) branch(l leaf) int {
	begin := f.beginOf(l.in.Called()[0])
	for _, c := range l.called {
		if x := c[l.k]; x != none && f.from[x] >= begin {
			f.inside[x] = true
		}
	}
	return l.self
}

func (f *foresight) returned(l leaf) int {
	if len(l.called) > 0 && l.k < len(l.called[0]) {
		return l.called[0][l.k]
	}
	return f.own(l)
}

// updated returns the source of the operand that is changed in place, where nobody else reads it.
func (f *foresight) updated(l leaf) int {
	x := f.operand(l.in, l.k, 0)
	if x != none && padding.SizeOf(l.shape).Padded == padding.SizeOf(f.shape[x]).Padded && f.alone(l.in.Operands[l.k]) {
		return x
	}
	return f.own(l)
}

// carry returns the source of what a loop carries: what it begins with, where the loop leaves that as it is, or nobody
// else reads it; else its own memory, from the beginning of the loop. What the body makes goes into the same memory.
func (f *foresight) carry(l leaf) int {
	while, k, init, made := l.in, l.k, f.same(l), l.called[1][l.k]
	at := f.carriedAt(while, k)
	if at >= 0 && carried(while, int64(at)) == nil {
		return init
	}
	begin := f.beginOf(while.CalledBy("body"))
	if made != none && made != init && f.from[made] >= begin && (at < 0 || f.inPlace(while, at, made)) {
		f.inside[made] = true
	}
	o := while.Operands[0]
	if at >= 0 && o.Opcode == hlo.OpTuple && init != none && !f.taken[init] && f.alone(o.Operands[at]) {
		f.taken[init] = true
		return init
	}
	f.begin[l.self] = begin
	return l.self
}

// carriedAt returns the element of a loop's tuple that is leaf k, -1 where elements are tuples themselves.
func (f *foresight) carriedAt(while *hlo.Instruction, k int) int {
	if !while.Shape.IsTuple() || f.parts(while.Shape).nested {
		return -1
	}
	return k
}
