package reasons

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Reasons are why the arrays of a module that has its layouts have these.
type Reasons struct {
	// Plan has, for every array, the layout that the file gives it, and why: a chain (plan.Plan.Chain) goes from the array
	// over the instructions that tie its order to that of others down to a cause.
	Plan *plan.Plan
	// Chains finds the plan's chains.
	Chains *plan.Chains
	graph  *graph
	causes [][]cause // by array
	into   [][]array // lazily, by array: those that have links to it
	looked []int32   // by array: the number of the last call of Others that examined it
	calls  int32     // of Others
}

// Of finds the reasons for the layouts of a module, which it does not modify. mode says where the layouts of its
// interface come from.
func Of(m *hlo.Module, t *tpu.Target, mode entry.Mode) *Reasons {
	g := newGraph(m, t)
	w := walk{graph: g, steps: make([]step, len(g.shapes))}
	if !g.lowered() {
		if again, err := g.again(mode); err == nil {
			w.repeat(again)
		}
	}
	repeated := slices.Clone(w.order)
	causes := g.causes()
	for _, c := range causes {
		if c.holds() { // it holds, whatever reaches it
			w.set(step{of: c.array, at: noArray, rule: c.rule, by: c.by, mandatory: true})
		}
	}
	for _, a := range repeated {
		w.follow(a)
	}
	for turn := range turns {
		for _, c := range causes {
			if c.turn == turn {
				w.set(step{of: c.array, at: noArray, rule: c.rule, by: c.by})
				w.follow(c.array)
			}
		}
	}
	for w.phase = between; w.phase < phases; w.phase++ {
		for i := 0; i < len(w.order); i++ {
			w.follow(w.order[i])
		}
	}
	w.defaults()
	p := w.plan()
	r := &Reasons{Plan: p, Chains: p.Chains(), graph: g, causes: make([][]cause, len(g.shapes))}
	for _, c := range causes {
		r.causes[c.array] = append(r.causes[c.array], c)
	}
	return r
}

// step is why an array has its order: because of another array, or, where at is noArray, of a cause.
type step struct {
	of, at array
	rule   string
	by     *hlo.Instruction // what demands it
	// mandatory says that a cause holds against others.
	mandatory bool
	// again is the reason that layout assignment has for it, in place of the fields above but of.
	again *plan.Reason
}

// known reports whether a step says anything.
func (s *step) known() bool { return s.rule != "" || s.again != nil }

// walk spreads causes over the links: the first that reaches an array explains it.
type walk struct {
	*graph
	steps []step  // of each array; without a rule as long as nothing reaches it
	order []array // the arrays that are reached, in that order
	phase uint8
}

// set gives an array its reason; it reports whether it had none.
func (w *walk) set(s step) bool {
	if w.steps[s.of].known() {
		return false
	}
	w.steps[s.of], w.order = s, append(w.order, s.of)
	return true
}

// follow spreads an array's reason over the links of the phases so far, to the nearest arrays first.
func (w *walk) follow(a array) {
	for queue := []array{a}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, l := range w.links[w.from[at]:w.from[at+1]] {
			if l.phase <= w.phase && w.set(step{of: l.to, at: at, rule: l.rule}) {
				queue = append(queue, l.to)
			}
		}
	}
}

// defaults gives reasons to what no cause reached: to arrays with a default order, and what follows from each, then to
// all others.
func (w *walk) defaults() {
	for _, last := range []bool{false, true} {
		for a, s := range w.shapes {
			if !s.IsArray() || w.same[a].of != noArray {
				continue
			}
			rule := w.fallback(array(a))
			if rule == "" && last {
				rule = ruleWritten
			}
			if rule != "" && w.set(step{of: array(a), at: noArray, rule: rule}) {
				w.follow(array(a))
			}
		}
	}
}

// plan writes down what was reached.
func (w *walk) plan() *plan.Plan {
	p := &plan.Plan{Decisions: make([]plan.Decision, 0, len(w.shapes))}
	for n, in := range w.ins {
		at := w.start[n]
		in.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
			s := w.steps[at]
			if passed := w.same[at]; passed.of != noArray {
				s = step{at: passed.of, rule: passed.rule}
			}
			at++
			if !s.known() {
				return
			}
			d := plan.Decision{Instruction: in, Layout: leaf.Layout, Reason: &plan.Reason{Rule: texts()[s.rule]}}
			if len(index) > 0 {
				d.Index = append(hlo.Index(nil), index...)
			}
			if s.again != nil {
				d.Reason = s.again
			} else if s.at != noArray {
				owner := w.owner[s.at]
				d.Reason.Source, d.Reason.Array = w.ins[owner], s.at-w.start[owner]+1
			} else {
				d.Reason.Source, d.Reason.Array, d.Reason.Mandatory = s.by, plan.NoArray, s.mandatory
			}
			p.Decisions = append(p.Decisions, d)
		})
	}
	return p
}
