package reasons

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// maxOthers is how many other causes are named for one array.
const maxOthers = 16

// Others returns the causes that demand the order of an array as `named`, the end of its chain, does: without that one,
// the array would keep its order for them. The nearest come first; more says that there are further ones.
func (r *Reasons) Others(in *hlo.Instruction, index hlo.Index, named *plan.Link) (list []plan.Link, more bool) {
	r.reverse()
	start := r.graph.source(r.graph.numbered(in, index))
	seen := map[array]bool{start: true}
	for queue := []array{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		holds := false
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
			if !seen[a] {
				seen[a] = true
				queue = append(queue, a)
			}
		}
	}
	return list, false
}

// reverse finds the links into each array.
func (r *Reasons) reverse() {
	if r.into != nil {
		return
	}
	r.into = map[array][]array{}
	for i := range r.graph.links {
		if l := &r.graph.links[i]; l.phase < hardly {
			r.into[l.to] = append(r.into[l.to], l.at)
		}
	}
}

// numbered returns the array at an index of an instruction's result.
func (g *graph) numbered(in *hlo.Instruction, index hlo.Index) array {
	a, _ := g.arrays(in)
	found := noArray
	in.Shape.Leaves(func(i hlo.Index, _ *hlo.Shape) {
		if slices.Equal(i, index) {
			found = a
		}
		a++
	})
	return found
}
