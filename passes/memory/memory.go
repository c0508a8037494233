package memory

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Run gives every array of a scheduled module the memory space that the TPU compiler would place it in: S(n) in the
// layout of every result that is not in HBM. Bodies of fusions mirror their calls. Spaces that are there stay.
// Prefetches and evictions are inserted; with opt.SpacesOnly they are not, and what they would move stays in HBM. The
// module is not modified. Errors: the module is not scheduled, or its layouts or calls are malformed. Given spaces that
// the target does not have, or that do not fit it, stay; notes say so.
//
// A module that has a value in the fast space already has been through the pass, or somebody knows better: its values
// stay where they are and the others in HBM, with a note.
func Run(m *hlo.Module, t *tpu.Target, opt plan.Options) (*plan.Plan, error) {
	a, err := Analyze(m, t)
	if err != nil {
		return nil, err
	}
	return a.plan(!opt.SpacesOnly), nil
}

// Analysis is what the pass found out about one module.
type Analysis struct {
	m      *hlo.Module
	t      *tpu.Target
	g      *graph
	v      *values
	e      *engine // nil where the target has no fast space
	spaces []int64 // by leaf
	notes  []string
}

// Copy is a copy between the spaces that the compiler would insert.
type Copy struct {
	// Evict: the copy goes back to HBM; otherwise it is a prefetch.
	Evict bool
	// CrossProgram: the copy brings a parameter that stays in the fast space across runs of the program.
	CrossProgram bool

	buffer, leaf, after, before, use int32
}

// Analyze places the values of a scheduled module as Run does; errors are those of Run.
func Analyze(m *hlo.Module, t *tpu.Target) (*Analysis, error) {
	if !m.IsScheduled() {
		return nil, fmt.Errorf("memory: module %s is not scheduled (is_scheduled=true): when values live, and so where, "+
			"depends on the order of the instructions", m.Name)
	}
	g, err := newGraph(m)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	dev, fast := deviceOf(t)
	placed, notes := checkGiven(m, t, dev.space)
	a := &Analysis{m: m, t: t, g: g, notes: notes}
	if fast {
		a.e = newEngine(g, &dev)
		a.v = a.e.v
		a.notes = append(a.notes, a.e.holdGiven()...)
		if placed {
			a.notes = append(a.notes, fmt.Sprintf("values are in S(%d) already: no others are placed there", dev.space))
		} else {
			a.e.run()
		}
	} else {
		a.v = newValues(g)
	}
	a.notes = append(a.notes, a.own()...)
	return a, nil
}

// own gives every leaf the space that it has by itself, with notes.
func (a *Analysis) own() (notes []string) {
	if a.e != nil {
		a.spaces = a.e.spaces()
		return colours(a.v, a.spaces, true)
	}
	a.spaces = make([]int64, len(a.v.at))
	for l := range a.spaces {
		s, _ := a.v.leafShape(int32(l))
		a.spaces[l] = spaceOf(s)
	}
	return colours(a.v, a.spaces, false)
}

// copies returns the copies, written out, once the spaces agree with each other and with the copies. Without write
// there are no copies, and what would be copied stays in HBM.
func (a *Analysis) copies(write bool) *writer {
	if a.e == nil {
		return nil
	}
	if !write {
		var moving []int32
		for _, c := range a.e.copies {
			moving = append(moving, c.buffer)
		}
		a.e.keepOut(moving)
		a.own()
	}
	for {
		var w *writer
		var read map[int32]int64
		if write {
			w = a.newWriter()
			read = w.space
		}
		bad := a.settle(read)
		if len(bad) == 0 {
			return w
		}
		a.e.keepOut(bad)
		a.own()
	}
}

// plan returns the decisions: the new layout of every array whose space changes; as facts when values are prefetched
// and evicted; and the copies as edits where write is set.
func (a *Analysis) plan(write bool) *plan.Plan {
	p := &plan.Plan{Notes: a.notes}
	var read map[int32]int64
	if w := a.copies(write); w != nil {
		w.plan(p)
		read = w.space
	}
	layouts := map[layoutKey]*hlo.Layout{}
	names := a.t.Spaces()
	for t := range a.g.nodes {
		in := a.g.nodes[t].in
		in.Shape.Leaves(leafDecisions(p, layouts, names, in, func(j int32) int64 { return a.spaces[a.g.leaf0[t]+j] }))
	}
	inside := a.mirror(read)
	comparators(a.m, inside)
	for _, c := range a.m.Computations {
		for _, in := range c.Instructions {
			if spaces := inside[in]; spaces != nil {
				in.Shape.Leaves(leafDecisions(p, layouts, names, in, func(j int32) int64 { return spaces[j] }))
			}
		}
	}
	if a.e != nil {
		for _, c := range a.e.copies {
			p.Facts = append(p.Facts, plan.Fact{Instruction: a.instruction(a.v.leafTime[c.leaf]), Index: a.v.indexOf(c.leaf),
				Text: a.copyText(&c)})
		}
	}
	return p
}

// copyText says in words what a copy does.
func (a *Analysis) copyText(c *Copy) string {
	after := ""
	if c.after >= 0 {
		after = ", after %" + a.instruction(c.after).Name
	}
	switch {
	case c.CrossProgram && after == "":
		return "kept in the fast space from the run before"
	case c.CrossProgram:
		return "prefetched for the next run" + after
	case c.Evict:
		return "evicted" + after[1:] + ", before %" + a.instruction(c.before).Name
	}
	return "prefetched before %" + a.instruction(a.g.useTime[c.use]).Name + after
}

type layoutKey struct {
	layout *hlo.Layout
	space  int64
}

// leafDecisions returns a function for Shape.Leaves that plans the spaces of an instruction's leaves.
func leafDecisions(p *plan.Plan, layouts map[layoutKey]*hlo.Layout, names map[int64]string, in *hlo.Instruction,
	space func(int32) int64) func(hlo.Index, *hlo.Shape) {
	j := int32(none)
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
		p.Decisions = append(p.Decisions, plan.Decision{Instruction: in, Index: append(hlo.Index(nil), index...), Layout: l,
			Reason: &plan.Reason{Rule: rule(names, want)}})
	}
}

// rule says in words which space a value got.
func rule(names map[int64]string, space int64) string {
	name := names[space]
	if name == "" {
		name = fmt.Sprintf("S(%d)", space)
	}
	return "memory-space assignment: " + name
}
