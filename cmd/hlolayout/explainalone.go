package main

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/layout"
	"hlolayout/passes/plan"
	"hlolayout/passes/reasons"
	"hlolayout/tpu"
)

// reassigned is what layout assignment would give the arrays of a module that has its layouts, if it ran now.
type reassigned struct {
	target *tpu.Target
	plan   *plan.Plan
	chains *plan.Chains
}

// reassign asks layout assignment about a module that has its layouts; nil for any other.
func (j *job) reassign(x *explained) (*reassigned, error) {
	if !x.hasLayouts() {
		return nil, nil
	}
	p, err := layout.Run(x.m, x.target.Target, plan.Options{Reassign: true, EntryLayouts: x.mode()})
	if err != nil {
		return nil, j.errorf("%v", err)
	}
	return &reassigned{x.target.Target, p, p.Chains()}, nil
}

// aloneIsNoFinding follows what layout assignment alone would choose in a compiled module: of 700 arrays of compiled
// programs, whose dumps show what the compiler chose, 132 had such an answer.
const aloneIsNoFinding = "    the compiler's own run came before fusion, which hides what constrained it: " +
	"of 132 such answers in compiled\n    programs none was what it chose\n"

// of returns what layout assignment alone would choose for the array that a chain begins with, or, where a later pass
// made that, for the one that it was made of; nil where that is the order that it has, and where a fusion decides it.
func (a *reassigned) of(file []plan.Link, leaf *hlo.Shape) *alternative {
	for len(file) > 1 && reasons.MadeLater(reasons.RuleName(file[0].Reason.Rule)) {
		file = file[1:]
	}
	if len(file) == 0 {
		return nil
	}
	chain := a.chains.Of(file[0].Instruction, file[0].Index)
	if len(chain) == 0 || chain[0].Layout == nil || slices.Equal(chain[0].Layout.MinorToMajor, leaf.MinorToMajor()) {
		return nil
	}
	if end := chain[len(chain)-1].Instruction; end.Opcode == hlo.OpFusion || end.Computation.IsFused() {
		return nil // layout assignment runs before the compiler fuses: it saw what the fusion is made of
	}
	// The arrays of a chain keep the file's layouts: the plan is not applied.
	out := &alternative{Shape: leaf.WithLayout(chain[0].Layout).String(), Chain: linksOf(chain)}
	for i, l := range chain {
		if s := l.Instruction.Shape.At(l.Index); s != nil && l.Layout != nil {
			out.Chain[i].Shape = s.WithLayout(l.Layout).String()
		}
	}
	out.Bytes, _ = a.target.Bytes(leaf.DType, leaf.Dims, chain[0].Layout.MinorToMajor)
	return out
}
