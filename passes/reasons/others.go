package reasons

import (
	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// maxOthers is how many other causes are named for one array, maxLooked how many arrays are examined for them: in a
// scheduled module of thousands of instructions all may be tied together, by few causes.
const (
	maxOthers = 16
	maxLooked = 4096
)

// Others returns the causes that demand the order of an array as `named`, the end of its chain, does: without that one,
// the array would keep its order for them. The nearest come first; more says that there are further ones, or may be,
// after the first maxLooked arrays.
func (r *Reasons) Others(in *hlo.Instruction, index hlo.Index, named *plan.Link) (list []plan.Link, more bool) {
	r.reverse()
	first, _ := r.graph.part(in, index...)
	start := r.graph.source(first)
	r.calls++
	r.looked[start] = r.calls
	queue := []array{start}
	for i := 0; i < len(queue); i++ {
		at, holds := queue[i], false
		for _, c := range r.causes[at] {
			holds = holds || c.holds()
			owner := r.graph.ins[r.graph.owner[at]]
			if named.Instruction == owner && RuleName(named.Reason.Rule) == c.rule && named.Reason.Source == c.by {
				continue
			}
			if len(list) == maxOthers {
				return list, true
			}
			list = append(list, plan.Link{Instruction: owner, Index: r.graph.index(at), Layout: r.graph.shapes[at].Layout,
				Reason: plan.Reason{Rule: texts()[c.rule], Source: c.by, Array: plan.NoArray, Mandatory: c.holds()}})
		}
		if holds {
			continue // what comes after it does not decide
		}
		for _, a := range r.into[at] {
			if len(queue) == maxLooked {
				more = true
				break
			}
			if r.looked[a] != r.calls {
				r.looked[a], queue = r.calls, append(queue, a)
			}
		}
	}
	return list, more
}

// reverse finds the links into each array.
func (r *Reasons) reverse() {
	if r.into != nil {
		return
	}
	r.into, r.looked = make([][]array, len(r.graph.shapes)), make([]int32, len(r.graph.shapes))
	for i := range r.graph.links {
		if l := &r.graph.links[i]; l.phase < hardly {
			r.into[l.to] = append(r.into[l.to], l.at)
		}
	}
}
