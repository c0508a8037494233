package rules

import (
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

func entryRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.EntryParameter: {Name: "entry-parameter", Stage: rule.Given, Text: "the entry layout of the parameter",
			TextByDefault: "the target's default layout of a parameter", Evidence: []string{"bitcast_moves"},
			Doc: "A parameter of the entry has the layout that entry_computation_layout gives it, else the " +
				"device's default. It is mandatory, and its tile goes along.",
			Begin: e.parameters},
		rule.EntryResult: {Name: "entry-result", Stage: rule.Given, Text: "the entry layout of the result",
			TextByDefault: "the target's default layout of a result", Evidence: []string{"bitcast_moves"},
			Doc: "The entry's result asks its definitions for the layout that entry_computation_layout gives it, " +
				"at priority 3; it is not mandatory."},
	}
}

// parameters gives the parameters of the entry the layouts of the interface.
func (e *Set) parameters(c *flat.Comp) {
	if !c.Entry || e.EntryParams == nil {
		return
	}
	for k, p := range c.Params {
		for i, o := range e.EntryParams[k] {
			e.SetBuffer(e.G.ValueAt(p, i), o, constraint.Must, constraint.Because(rule.EntryParameter, p))
		}
	}
}
