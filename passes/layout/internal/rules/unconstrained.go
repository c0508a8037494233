package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func unconstrainedRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Literal: {Name: "literal", Stage: rule.Default, Text: "the literal's own layout", Evidence: []string{"literal"},
			Doc: "A constant that nothing constrains has the layout of its literal.",
			Initial: func(v flat.ValueID) ordering.Tiled {
				val := &e.G.Values[v]
				if e.G.Nodes[val.Node].Op != hlo.OpConstant || val.Shape.Layout == nil {
					return ordering.Tiled{}
				}
				return e.Orders.Of(val.Shape.Layout.MinorToMajor).Untiled()
			}},
		rule.PassedParameter: {Name: "passed-parameter", Stage: rule.Default, Until: "0.0.50.1",
			Text: "the layout of the entry parameter that the loop is given", Evidence: []string{"loop_passed"},
			Doc: "A parameter of a loop that nothing in its computation constrains has the layout, with its tile, " +
				"of the parameter of the entry that is its initial value.",
			Initial: e.passedOrder},
		rule.LoopParameter: {Name: "loop-parameter", Stage: rule.Default,
			Text: "the compact order of a loop's parameter", Evidence: []string{"loop_minimal"},
			Doc: "A parameter of a loop that nothing constrains has the compact order, with its tile, if its last dimension " +
				"takes less than a quarter of the lanes (336 of 336 on v5e, 102 of 102 on v6e and v7x); else it is descending.",
			Initial: func(v flat.ValueID) ordering.Tiled {
				s := e.G.Values[v].Shape
				if s.Rank() < 2 || s.Dims[s.Rank()-1] >= e.Target.Lanes/e.Limit(rule.LoopLanes) {
					return ordering.Tiled{}
				}
				return e.compactParameter(v, true)
			}},
		rule.ParameterDefault: {Name: "parameter-default", Stage: rule.Default,
			Text: "the device default of an entry parameter", Evidence: []string{"layout_auto_matmul"},
			Doc:     "A parameter that nothing constrains has the compact order, in every computation but those of loops.",
			Initial: func(v flat.ValueID) ordering.Tiled { return e.compactParameter(v, false) }},
		rule.Free: {Name: "descending", Stage: rule.Default,
			Text: "nothing constrains it: descending", Evidence: []string{"soft_raster"},
			Doc: "Everything else that nothing constrains is descending.",
			Initial: func(v flat.ValueID) ordering.Tiled {
				return e.Orders.Descending(e.G.Values[v].Shape.Rank()).Untiled()
			}},
		rule.LargestFree: {Name: "largest-free", Stage: rule.Improve,
			Text:     "the compact order for the array that wastes most",
			Evidence: []string{"tsne_step_grad", "free_reduced", "free_listed", "free_anew", "free_moved"},
			Doc: "The array that only a default decided and that wastes most requests the compact order where that " +
				"saves much. Of equals it is the first in the compiler's list of instructions (32 of 35 programs, the first of " +
				"the text 5; 51 of 51 probes). Operands of reduces are left to those (compact-reduce: 1 program and 12 probes).",
			Step: rule.FreeStep, Sweep: rule.PinSweep, Find: (&listing{Set: e}).pinLargest},
		rule.LargestMoved: {Name: "largest-moved", Stage: rule.Improve, Except: []string{"v6e", "v7x"},
			Evidence: []string{"free_moved"},
			Doc: "A broadcast that an operation implies is made anew, after the program's instructions, because the " +
				"dimensions of size 1 are taken out of it. Where an operation stands between it and the reshape that " +
				"put them in, such as a conversion, it stays; that operation is made anew then (20 of 20 probes; on v6e and " +
				"v7x, which take such dimensions out earlier, none of 16)."},
	}
}

// compactParameter is the compact order of a parameter of a loop, or of another computation, with its tile.
func (e *Set) compactParameter(v flat.ValueID, ofLoop bool) ordering.Tiled {
	val := &e.G.Values[v]
	if nd := &e.G.Nodes[val.Node]; nd.Op != hlo.OpParameter || e.G.InLoop(nd.Comp) != ofLoop {
		return ordering.Tiled{}
	}
	l := e.Target.BoundaryLayout(val.Shape.DType, val.Shape.Dims)
	return e.Orders.Of(l.MinorToMajor).Carrying(ordering.RowsOf(l))
}

func (e *Set) passedOrder(v flat.ValueID) ordering.Tiled {
	val := &e.G.Values[v]
	c := e.G.Comps[e.G.Nodes[val.Node].Comp].Computation
	if e.G.Nodes[val.Node].Op != hlo.OpParameter {
		return ordering.Tiled{}
	}
	for _, while := range e.G.CallersOf(c, hlo.OpWhile) {
		given := &e.G.Values[e.G.ValueAt(e.G.Operand(while, 0), int(val.Leaf))]
		if e.G.IsEntryParameter(given.Node) {
			return e.EntryParams[e.G.Nodes[given.Node].In.Parameter][given.Leaf]
		}
	}
	return ordering.Tiled{}
}

// pinLargest is the log's "Bytes saveable".
func (l *listing) pinLargest() bool {
	var most []flat.NodeID // what saves the largest size
	largest := l.Limit(rule.RiskBytes)
	for v := range flat.ValueID(len(l.G.Values)) {
		val := &l.G.Values[v]
		if !l.IsFree(v) || val.Shape.Rank() < 2 || l.G.Nodes[val.Node].Op == hlo.OpParameter ||
			l.G.IsReadBy(val.Node, hlo.OpReduce) {
			continue
		}
		saved := l.Padded(val.Shape, l.LayoutOf(v).Order) - l.Padded(val.Shape, l.CompactOrder(val.Shape, 0))
		saved = ordering.Times(saved, int64(max(val.Shape.DType.Bits(), 8)/8))
		if saved > largest {
			most, largest = most[:0], saved
		} else if saved < largest || len(most) == 0 {
			continue
		}
		most = append(most, val.Node)
	}
	if len(most) == 0 {
		*l = listing{Set: l.Set} // the last run comes here: names are not kept for the decisions
		return false
	}
	at := l.firstListed(most)
	l.AddHint(at, rule.Hint{Out: l.CompactOrder(l.G.ShapeOf(at), 0).Untiled(), May: true, Why: rule.LargestFree})
	return true
}

// firstListed returns the node that the compiler's list of instructions has first: scalars that the program broadcasts,
// then the program's other operations, then what was made since, in the place of calls and by the compiler. The
// program's operations of one name are in the order of their numbers.
func (l *listing) firstListed(nodes []flat.NodeID) (first flat.NodeID) {
	if l.read == nil {
		l.sources, l.read, l.numbered = newSources(), map[flat.NodeID]source{}, map[flat.CompID]*numbered{}
	}
	first = nodes[0]
	for _, n := range nodes[1:] {
		if l.before(n, first) {
			first = n
		}
	}
	return first
}

// listing knows where instructions are in the compiler's list, as far as the text shows it: names are read where
// several arrays waste equally.
type listing struct {
	*Set
	sources  sources
	read     map[flat.NodeID]source
	numbered map[flat.CompID]*numbered
}

// numbered is what the names of a computation's nodes show.
type numbered struct {
	has map[numberedStem]bool
	// above is the highest number of the program's operations of a node's stem that come before it.
	above []int // from the computation's first node on
}

type numberedStem struct {
	stem   int32
	number int
}

// numbersIn reads the names of a computation, once.
func (l *listing) numbersIn(ci flat.CompID) *numbered {
	return memo(l.numbered, ci, func() *numbered {
		c := l.G.Comps[ci]
		out := &numbered{map[numberedStem]bool{}, make([]int, c.End-c.First)}
		highest := map[int32]int{}
		for n := c.First; n < c.End; n++ {
			x := l.source(n)
			out.has[numberedStem{x.stem, x.number}] = true
			out.above[n-c.First] = highest[x.stem]
			if x.named && len(x.calls) == 0 {
				highest[x.stem] = max(highest[x.stem], x.number)
			}
		}
		return out
	})
}

func (l *listing) source(n flat.NodeID) source {
	return memo(l.read, n, func() source { return l.sources.read(l.G.Nodes[n].In) })
}

// before reports whether the list has n before another node, which the text has before n.
func (l *listing) before(n, other flat.NodeID) bool {
	if a, b := l.part(n), l.part(other); a != b || a != 1 {
		return a < b
	}
	x, y := l.source(n), l.source(other)
	return x.stem == y.stem && x.number < y.number
}

// part returns in which part of the list a node is.
func (l *listing) part(n flat.NodeID) int {
	from, broadcast := l.source(n), l.G.Nodes[n].Op == hlo.OpBroadcast
	switch {
	case !from.named || len(from.calls) > 0:
		return 2
	case broadcast && l.G.ShapeOf(l.G.Operand(n, 0)).Rank() == 0:
		return 0
	case broadcast && l.isAnew(n, from) && !(l.On(rule.LargestMoved) && l.isMoved(l.G.Operand(n, 0))):
		return 2
	}
	return 1
}

// isAnew reports whether a broadcast was made anew in place of one of dimensions of size 1: a reshape took them away
// before it, so that two operations of its name are gone. That numbers show these is a guess (8 of 8 probes); a program
// that broadcasts to dimensions that come first needs no reshape.
func (l *listing) isAnew(n flat.NodeID, from source) bool {
	if !from.isOf("broadcast_in_dim") {
		return true
	}
	if dims := l.G.DimsOf(n); len(dims) == 0 || int(dims[0]) == l.G.ShapeOf(n).Rank()-len(dims) {
		return false
	}
	has := l.numbersIn(l.G.Nodes[n].Comp).has
	return from.number > 2 && !has[numberedStem{from.stem, from.number - 1}] &&
		!has[numberedStem{from.stem, from.number - 2}]
}

// isMoved reports whether an elementwise operation of the program was made anew because a reshape was moved after it:
// it has a number that none of the program's operations before it could have.
func (l *listing) isMoved(n flat.NodeID) bool {
	from := l.source(n)
	if !l.G.Nodes[n].Elemwise() || !from.named {
		return false
	}
	comp := l.G.Nodes[n].Comp
	return from.number == 0 || l.numbersIn(comp).above[n-l.G.Comps[comp].First] > from.number
}
