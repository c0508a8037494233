// Package passes holds the passes over a module and runs them. A pass looks at a module and returns a plan; the driver
// checks the module, runs the pass, applies its plan and checks again.
//
// A pass itself (Pass.Run, Layouts) modifies nothing, and so do packages layout and folding but for what says so: any
// number of them may run for one module at a time, for different targets, too. Run writes the plan's layouts into the
// module, and Costed may: a module is theirs alone, parsed once for each goroutine.
package passes

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/memory"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Options are what a caller may ask of the passes; the zero value is the compiler's behaviour.
type Options = plan.Options

// Pass is one pass.
type Pass struct {
	// Name is what --passes calls it, Doc what it does, in one line.
	Name, Doc string
	// Run plans for a module, which it does not modify. Malformed input gives an error.
	Run func(*hlo.Module, *tpu.Target, Options) (*plan.Plan, error)
	// After and Before say which passes it has to follow and to precede when both run, and why.
	After, Before []Constraint
}

// Constraint is one reason for an order of two passes.
type Constraint struct{ Pass, Why string }

// pipeline holds every pass, in the order in which they run.
var pipeline = []Pass{
	{
		Name: "layout",
		Doc:  "gives every array a dimension order and tiles, and inserts the copies that this takes",
		Run:  assignLayouts,
		Before: []Constraint{
			{"memory", "the size of an array, which decides where it fits, depends on its layout"},
		},
	},
	{
		Name: "memory",
		Doc:  "gives every array of a scheduled module its memory space, HBM, VMEM, CMEM or SMEM",
		Run:  memory.Run,
	},
}

// All returns every pass in the order in which they run.
func All() []Pass { return append([]Pass(nil), pipeline...) }

// Auto is the name that stands for the passes that Select picks.
const Auto = "auto"

// Names returns the names of all passes in the order in which they run.
func Names() []string {
	var out []string
	for _, p := range pipeline {
		out = append(out, p.Name)
	}
	return out
}

// resolve returns the passes of the given names, in the given order; auto stands for what Select picks. notes say what
// auto found to do.
func resolve(m *hlo.Module, names []string) (ps []*Pass, notes []string, err error) {
	for _, name := range names {
		if name == Auto {
			picked, why := Select(m)
			more, _, err := resolve(m, picked)
			if err != nil {
				return nil, nil, err
			}
			ps, notes = append(ps, more...), append(notes, why)
			continue
		}
		p := find(name)
		if p == nil {
			return nil, nil, fmt.Errorf("unknown pass %q: known are %s and %s", name, strings.Join(Names(), ", "), Auto)
		}
		ps = append(ps, p)
	}
	return ps, notes, checkOrder(ps)
}

func find(name string) *Pass {
	for i := range pipeline {
		if pipeline[i].Name == name {
			return &pipeline[i]
		}
	}
	return nil
}

// checkOrder refuses lists of passes that break an order constraint.
func checkOrder(ps []*Pass) error {
	for i, p := range ps {
		for _, q := range ps[:i] {
			for _, c := range p.Before {
				if c.Pass == q.Name {
					return fmt.Errorf("pass %s has to run before %s: %s", p.Name, q.Name, c.Why)
				}
			}
			for _, c := range q.After {
				if c.Pass == p.Name {
					return fmt.Errorf("pass %s has to run after %s: %s", q.Name, p.Name, c.Why)
				}
			}
		}
	}
	return nil
}
