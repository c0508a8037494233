package fit

import (
	"cmp"
	"container/heap"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
)

// listed orders a computation by what each step frees: of the instructions whose operands are there, the next is the
// one that frees the most bytes, less those that it makes (XLA's ListMemoryScheduler). What is fused goes with the
// first instruction that reads it.
func listed(f *foresight, c *hlo.Computation) []*hlo.Instruction {
	n := len(c.Instructions)
	l := &lister{bytes: make([]int64, n), from: make([][]int32, n), after: make([][]int32, n), readers: make([][]int32, n),
		behind: make([][]int32, n), left: make([]int32, n), waits: make([]int32, n), in: c.Instructions, uses: c.Uses(),
		order: newVisitor(c, func(in *hlo.Instruction) []*hlo.Instruction { return in.Operands })}
	light := make([]bool, n)
	for i, in := range c.Instructions {
		light[i] = in.Opcode != hlo.OpOptBarrier && (passes(in) || in.Opcode == hlo.OpConstant || f.fused(in))
		l.from[i], l.after[i] = l.sources(in, light)
		if light[i] {
			continue
		}
		if in.Opcode != hlo.OpParameter && in.Opcode != hlo.OpOptBarrier {
			in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) { l.bytes[i] += padding.SizeOf(s).Padded })
		}
		l.waits[i] = int32(len(l.from[i]) + len(l.after[i]))
		for _, b := range l.after[i] {
			l.behind[b] = append(l.behind[b], int32(i))
		}
		for _, s := range l.from[i] {
			l.readers[s] = append(l.readers[s], int32(i))
			l.left[s]++
		}
	}
	for _, s := range l.from[c.Root.Index] {
		l.left[s]++ // it stays
	}
	for i := range l.in {
		if !light[i] && l.waits[i] == 0 {
			l.push(int32(i))
		}
	}
	for len(l.ready) > 0 {
		if i := heap.Pop(&l.ready).(step).at; !l.order.listed[i] {
			l.run(i)
		}
	}
	for _, in := range l.in {
		l.order.visit(in)
	}
	return l.order.out
}

// lister is the state of listed, by place in the computation.
type lister struct {
	in      []*hlo.Instruction
	bytes   []int64
	from    [][]int32 // what an instruction reads that is in memory, itself or by what is fused into it
	after   [][]int32 // the barriers that it comes after
	readers [][]int32 // who has an instruction in from
	behind  [][]int32 // who has a barrier in after
	left    []int32   // readers that have not run
	waits   []int32   // operands that are not there
	ready   steps
	uses    hlo.Uses
	order   *visitor
}

// sources returns what an instruction reads that is in memory, and the barriers before it.
func (l *lister) sources(in *hlo.Instruction, light []bool) (from, after []int32) {
	ops := in.Operands
	if in.Opcode == hlo.OpGetTupleElement {
		of := in.Operands[0]
		for of.Opcode == hlo.OpOptBarrier {
			after = append(after, of.Index)
			of = of.Operands[0]
		}
		if k, ok := in.Attr("index").Int(); ok && of.Opcode == hlo.OpTuple && int(k) < len(of.Operands) {
			ops = of.Operands[k : k+1]
		}
	}
	for _, o := range ops {
		if light[o.Index] {
			lone := l.isLone(o)
			from, after = joined(from, l.from[o.Index], lone), joined(after, l.after[o.Index], lone)
		} else {
			from = append(from, o.Index)
		}
	}
	if light[in.Index] && l.isLone(in) {
		return from, after // as they are: its user sorts them
	}
	slices.Sort(from)
	slices.Sort(after)
	return slices.Compact(from), slices.Compact(after)
}

// isLone reports whether an instruction has one reader, which may then have its lists. What is in a tuple is read by
// the elements of that, too.
func (l *lister) isLone(in *hlo.Instruction) bool {
	uses := l.uses.Of(in)
	return len(uses) == 1 && uses[0].User.Opcode != hlo.OpTuple
}

// joined returns two lists as one, which takes the memory of the longer one if nobody needs the second any longer.
func joined(a, b []int32, lone bool) []int32 {
	if lone && len(a) < len(b) {
		return append(b, a...)
	}
	return append(a, b...)
}

func (l *lister) push(i int32) {
	gain := -l.bytes[i]
	for _, s := range l.from[i] {
		if l.left[s] == 1 {
			gain += l.bytes[s]
		}
	}
	heap.Push(&l.ready, step{gain, i})
}

func (l *lister) run(i int32) {
	l.order.visit(l.in[i])
	for _, s := range l.from[i] {
		if l.left[s]--; l.left[s] != 1 {
			continue
		}
		for _, r := range l.readers[s] { // the last one frees it
			if !l.order.listed[r] && l.waits[r] == 0 {
				l.push(r)
			}
		}
	}
	for _, r := range append(l.readers[i], l.behind[i]...) {
		if l.waits[r]--; l.waits[r] == 0 {
			l.push(r)
		}
	}
}

// step is an instruction that could be next, and how many bytes there are less after it.
type step struct {
	gain int64
	at   int32
}

type steps []step

func (s steps) Len() int { return len(s) }
func (s steps) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(s[j].gain, s[i].gain), cmp.Compare(s[i].at, s[j].at)) < 0
}
func (s steps) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *steps) Push(x any)   { *s = append(*s, x.(step)) }
func (s *steps) Pop() any {
	x := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return x
}
