package fit

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
)

// run is a computation as it ran: once, however often it is called, for in nested calls every level would multiply.
type run struct {
	args [][]int
	leaf int // the first leaf of its own
	// from and to are when it ran, [from, to), and began, where it is not 0, when it was last called again.
	from, to, began int
}

// recall is a call of a computation that ran before; results are the bytes of what it returns in memory of its own,
// which the calling instruction has, too.
type recall struct {
	in      *hlo.Instruction
	of      *run
	results int64
}

// again calls a computation that has run, and returns the leaves of its root: those of the arguments where it returns
// them, and those of the calling instruction for what it makes.
func (f *foresight) again(in *hlo.Instruction, callee *hlo.Computation, args [][]int) (called []int) {
	r := f.runs[callee]
	results := map[int]int64{}
	given := map[int]int{} // by the leaf of the first call
	for i, list := range r.args {
		for k, l := range list {
			if _, known := given[l]; l != none && !known && i < len(args) && k < len(args[i]) {
				given[l] = args[i][k]
			}
		}
	}
	first := f.leaf0[callee.Root]
	for k := range f.leaves(callee.Root) {
		l := f.source[first+k]
		switch given, ok := given[l]; {
		case ok:
			l = given
		case l >= r.leaf && in.Opcode == hlo.OpCall:
			results[l] = padding.SizeOf(f.shape[l]).Padded
			l = len(f.source) + k
		case l >= r.leaf:
			l = none
		}
		called = append(called, l)
	}
	back := recall{in: in, of: r}
	for _, n := range results {
		back.results += n
	}
	f.recalls = append(f.recalls, back)
	return called
}

// beginOf returns when a loop's body or a branch was called last.
func (f *foresight) beginOf(c *hlo.Computation) int {
	if r := f.runs[c]; r.began > 0 {
		return r.began
	}
	return f.time[parameter(c)]
}

// repeated adds what calls of computations that ran before take while they run: as much as the first one.
func (f *foresight) repeated() {
	if len(f.recalls) == 0 {
		return
	}
	p := f.p
	change := make([]int64, len(p.nodes)+1)
	for i := range p.Holdings {
		if h := &p.Holdings[i]; h.Kind == Temporary {
			change[h.From] += h.Bytes
			change[h.To+1] -= h.Bytes
		}
	}
	starts, at := map[int][]*run{}, map[int][]recall{}
	for _, r := range f.recalls {
		at[f.time[r.in]] = append(at[f.time[r.in]], r)
	}
	for _, r := range f.runs {
		starts[r.from] = append(starts[r.from], r)
	}
	type level struct {
		*run
		before, most int64 // what there was when it began, and the most since
	}
	var open []level // the outermost first
	peaks := map[*run]int64{}
	now := int64(0)
	for t := range p.nodes {
		for len(open) > 0 && open[len(open)-1].to <= t {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			peaks[last.run] = last.most - last.before
			if len(open) > 0 {
				open[len(open)-1].most = max(open[len(open)-1].most, last.most)
			}
		}
		here := starts[t]
		slices.SortFunc(here, func(a, b *run) int { return b.to - a.to })
		for _, r := range here {
			open = append(open, level{r, now, now})
		}
		now += change[t]
		own := int64(0)
		for _, r := range at[t] {
			own = max(own, peaks[r.of]-r.results)
		}
		if own > 0 {
			in := p.nodes[t]
			p.Holdings = append(p.Holdings, Holding{Instruction: in, Shape: hlo.NewArray(hlo.U8, []int64{own}, nil),
				Kind: Temporary, Bytes: own, From: t, To: t})
		}
		open[len(open)-1].most = max(open[len(open)-1].most, now+own)
	}
}
