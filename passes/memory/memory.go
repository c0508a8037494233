package memory

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Run gives every array of a scheduled module the memory space that the TPU compiler would place it in: S(n) in the layout of every result that is not
// in HBM. Bodies of fusions mirror their calls. Spaces that are there stay. Prefetches and evictions are facts of the plan; they are not inserted.
// The module is not modified. Errors: the module is not scheduled, its layouts or calls are malformed, a given space is none that the
// target has, or the arrays that are given a space do not fit it.
func Run(m *hlo.Module, t *tpu.Target, _ plan.Options) (*plan.Plan, error) {
	a, err := Analyze(m, t)
	if err != nil {
		return nil, err
	}
	return a.Plan(), nil
}

// Analysis is what the pass found out about one module.
type Analysis struct {
	m      *hlo.Module
	t      *tpu.Target
	g      *graph
	v      *values
	e      *engine // nil where the target has no fast space
	spaces []int64 // by leaf
}

// Copy is a copy between the spaces that the compiler would insert.
type Copy struct {
	// Evict: the copy goes back to HBM; otherwise it is a prefetch.
	Evict bool
	// CrossProgram: the copy brings a parameter that stays in the fast space across runs of the program.
	CrossProgram bool

	buffer, leaf, after, before, use int32
}

// Analyze places the values of a scheduled module; errors are those of Run.
func Analyze(m *hlo.Module, t *tpu.Target) (*Analysis, error) {
	if !m.IsScheduled() {
		return nil, fmt.Errorf("memory: module %s is not scheduled (is_scheduled=true): when values live, and so where, depends on the order of the instructions", m.Name)
	}
	g, err := newGraph(m)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	a := &Analysis{m: m, t: t, g: g}
	if dev, ok := deviceOf(t); ok {
		a.e = newEngine(g, &dev)
		a.v = a.e.v
		a.e.run()
		a.spaces = a.e.spaces()
	} else {
		a.v = newValues(g)
		a.spaces = make([]int64, len(a.v.at))
		for l := range a.spaces {
			if s, _ := a.v.leafShape(int32(l)); s.Layout != nil {
				a.spaces[l] = s.Layout.MemorySpace
			}
		}
	}
	colours(a.v, a.spaces, a.e != nil)
	return a, nil
}

// Plan returns the decisions: the new layout of every array whose space changes.
func (a *Analysis) Plan() *plan.Plan {
	p := &plan.Plan{}
	layouts := map[layoutKey]*hlo.Layout{}
	for t := range a.g.nodes {
		in := a.g.nodes[t].in
		in.Shape.Leaves(leafDecisions(p, layouts, in, func(j int32) int64 { return a.spaces[a.g.leaf0[t]+j] }))
	}
	return p
}

type layoutKey struct {
	layout *hlo.Layout
	space  int64
}

// leafDecisions returns a function for Shape.Leaves that plans the spaces of an instruction's leaves.
func leafDecisions(p *plan.Plan, layouts map[layoutKey]*hlo.Layout, in *hlo.Instruction, space func(int32) int64) func(hlo.Index, *hlo.Shape) {
	j := int32(-1)
	return func(index hlo.Index, s *hlo.Shape) {
		j++
		if !s.IsArray() {
			return
		}
		want, has := space(j), int64(0)
		if s.Layout != nil {
			has = s.Layout.MemorySpace
		}
		if want == has {
			return
		}
		k := layoutKey{s.Layout, want}
		l := layouts[k]
		if l == nil || len(l.MinorToMajor) != s.Rank() {
			n := *hlo.DescendingLayout(s.Rank())
			if s.Layout != nil {
				n = *s.Layout
			}
			n.MemorySpace = want
			l = &n
			layouts[k] = l
		}
		p.Decisions = append(p.Decisions, plan.Decision{Instruction: in, Index: append(hlo.Index(nil), index...), Layout: l, Reason: plan.Reason{Rule: "placed in memory space"}})
	}
}
