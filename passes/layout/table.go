package layout

import (
	"sync"

	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/result"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/layout/internal/rules"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Rules returns the rules of the pass, in the order in which it comes to them.
func Rules() []rule.Row {
	var list [rule.Count]rule.Row
	for r, row := range docs() {
		list[r] = *row
	}
	for _, l := range rule.Limits {
		list[l.Rule].Limits = append(list[l.Rule].Limits, l)
	}
	return list[rule.None+1:]
}

// RuleName returns the name of the rule that gives a reason of a plan, such as "dot"; "" for a text that is none.
func RuleName(text string) string {
	for _, row := range docs() {
		if row.Text == text || row.TextByDefault == text {
			return row.Name
		}
	}
	return ""
}

// ChosenBy returns the name of the rule that chose among the orders that a reason's rule leaves, "" for none.
func ChosenBy(r *plan.Reason) string { return docs()[r.Chosen].Name }

// docs are the rows without functions to call.
var docs = sync.OnceValue(func() *[rule.Count]*rule.Row { return rules.NewTable(&rules.Set{}, result.Rules) })

// Rule, Limit and Stage are a row of the table, a threshold of a rule, and where in the pass a rule has its place.
type (
	Rule  = rule.Row
	Limit = rule.Limit
	Stage = rule.Stage
)

// The stages of the pass that other packages read.
const (
	Given     = rule.Given
	Constrain = rule.Constrain
	Propagate = rule.Propagate
	Boundary  = rule.Boundary
	Copy      = rule.Copy
)

// Codes says what each code of an error about a pin or an entry layout means.
var Codes = rules.Codes

// Leaf returns the array at an index of a shape, which belongs to the instruction, when minorToMajor is an order of
// its dimensions. Errors: PIN102, PIN103.
func Leaf(m *hlo.Module, in *hlo.Instruction, s *hlo.Shape, index hlo.Index, minorToMajor []int) (*hlo.Shape, error) {
	return rules.Leaf(m, in, s, index, minorToMajor)
}

// Era is a span of known releases of libtpu, from First to Last, for which the same rules hold.
type Era struct{ First, Last string }

// Eras returns the spans of releases, the oldest first, and the index of the one that a target belongs to.
func Eras(t *tpu.Target) (list []Era, own int) {
	var held [rule.Count]bool
	for _, r := range tpu.Releases() {
		x, _ := t.WithLibTPU(r.Version) // an error only for what is not a version
		now := inForce(x)
		if len(list) == 0 || now != held {
			list = append(list, Era{First: r.Version})
		}
		list[len(list)-1].Last, held = r.Version, now
		if now == inForce(t) {
			own = len(list) - 1
		}
	}
	return list, own
}

// inForce says which rules hold for the target's version of libtpu.
func inForce(t *tpu.Target) (out [rule.Count]bool) {
	for r, row := range docs() {
		out[r] = t.Within(row.Since, row.Until)
	}
	return out
}
