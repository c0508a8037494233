package main

import (
	"hlolayout/hlo"
	"hlolayout/passes/plan"
	"hlolayout/passes/reasons"
	"hlolayout/printer/diff"

	"github.com/urfave/cli/v3"
)

func confidenceFlag(what string) cli.Flag {
	return &cli.FloatFlag{Name: "min-confidence", Usage: "leave out " + what +
		" whose weakest rule is right in less than `PERCENT` of what " +
		"was measured of it, or was not measured (hlolayout explain names it)"}
}

// doubt says which layouts of a module are predicted by rules that are right too seldom; nil doubts none.
type doubt struct {
	chains *plan.Chains
	least  float64
}

// doubtOf returns the doubt that --min-confidence requires. The layouts of a module that came with them are no
// predictions.
func doubtOf(c *cli.Command, d *judged) *doubt {
	if least := c.Float("min-confidence"); least > 0 && d.plan != nil {
		return &doubt{d.plan.Chains(), least}
	}
	return nil
}

// about reports whether the layout of an array is doubted.
func (d *doubt) about(in *hlo.Instruction, index hlo.Index) bool {
	if d == nil {
		return false
	}
	weakest, ok := reasons.Weakest(d.chains.Of(in, index))
	return ok && 100*weakest.Share() < d.least
}

// explains reports whether two modules differ in nothing but doubted layouts of the new one, and in the copies next to
// these.
func (d *doubt) explains(old, now *hlo.Module) bool {
	m := diff.Match(old, now, diff.DefaultIgnore)
	r := m.Report()
	if len(r.Contract)+len(r.Module)+len(r.Sizes)+len(r.Kernels) > 0 {
		return false
	}
	near := map[*hlo.Instruction]bool{} // what has a doubted layout, in the new module
	for _, groups := range [][]diff.LayoutGroup{r.Values, r.Passed, r.Inside} {
		for _, g := range groups {
			for k, in := range g.Values {
				if !d.about(in, g.Indices[k]) {
					return false
				}
				near[in] = true
			}
		}
	}
	// copies reports whether all of these are copies that read a doubted value or are read by one.
	copies := func(groups []diff.OpGroup, module *hlo.Module, same func(*hlo.Instruction) *hlo.Instruction) bool {
		beside := map[*hlo.Instruction]bool{}
		for _, c := range module.Computations {
			for _, in := range c.Instructions {
				for _, o := range in.Operands {
					beside[o] = beside[o] || near[same(in)]
					beside[in] = beside[in] || near[same(o)]
				}
			}
		}
		for _, g := range groups {
			for _, in := range g.Values {
				if in.Opcode != hlo.OpCopy || !beside[in] {
					return false
				}
			}
		}
		return true
	}
	for _, g := range r.Changed {
		if len(g.What) != 1 || g.What[0] != "operands" || len(r.Added)+len(r.Removed) == 0 {
			return false // of which copies are the only new ones
		}
	}
	itself := func(in *hlo.Instruction) *hlo.Instruction { return in }
	return copies(r.Added, now, itself) && copies(r.Removed, old, m.NewOf)
}
