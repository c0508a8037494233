package reasons

import (
	"slices"
	"sync"

	"hlolayout/passes/layout"
	"hlolayout/passes/plan"
)

// Rule is a reason that a layout assignment's own rules do not have: what later passes made, and what the file alone
// shows.
type Rule struct {
	// Name is what `hlolayout explain NAME` takes, Text the reason in a chain, Doc the mechanism.
	Name, Text, Doc string
	// Cause says that a chain may end in it.
	Cause bool
}

// The rules of the package, by name.
const (
	ruleFusion   = "fusion"
	ruleFused    = "fused-boundary" // of passes/layout
	rulePrefetch = "prefetch"
	ruleAsync    = "async"
	ruleBitcast  = "bitcast"
	rulePart     = "tuple-part"
	ruleOneOrder = "one-order"
	ruleCompact  = "compact"
	ruleWritten  = "as-written"
)

var rules = []Rule{
	{Name: ruleFusion, Text: "made by fusion: it has the layout of the fusion's root",
		Doc: "A pass after layout assignment puts operations into one fusion, whose result keeps the layout that its " +
			"root had outside."},
	{Name: rulePrefetch, Text: "made by memory-space assignment: a move between memories keeps the layout",
		Doc: "A copy-start with its copy-done, or a slice-start with its slice-done, moves an array between HBM and " +
			"VMEM as it is."},
	{Name: ruleAsync, Text: "made by the scheduler: an operation in two halves keeps its layouts",
		Doc: "The start and the done of an asynchronous operation have the layouts of the operation that they stand " +
			"for."},
	{Name: ruleBitcast, Text: "a bitcast: the same bytes under another shape",
		Doc: "A bitcast moves nothing, so that the layout of one side follows from that of the other."},
	{Name: rulePart, Text: "the same array as a part of a tuple",
		Doc: "Tuples, their elements, barriers and domains pass arrays on."},
	{Name: ruleOneOrder, Text: "an array of at most one dimension has one order", Cause: true,
		Doc: "There is nothing to choose."},
	{Name: ruleCompact, Text: "nothing constrains it: the compact order, which takes the least memory", Cause: true,
		Doc: "Layout assignment gives what nothing constrains the order with the least padding where descending " +
			"wastes much " +
			"(largest-free, cluster, compact-reduce, loop-parameter)."},
	{Name: ruleWritten, Text: "as in the file: no rule explains it",
		Doc: "The order is not one that any instruction around it demands, nor a default."},
}

// Rules returns the rules that chains of this package name besides those of passes/layout.
func Rules() []Rule { return slices.Clone(rules) }

// RuleName returns the name of the rule that gives a reason of a plan, of this package or of passes/layout; "" for a
// text that is none.
func RuleName(text string) string {
	for i := range rules {
		if rules[i].Text == text {
			return rules[i].Name
		}
	}
	return layout.RuleName(text)
}

// ChosenBy returns the name of the rule that chose among the orders that a reason's own rule leaves, as dot-votes does
// between the dimensions of a dot's result; "" for none.
func ChosenBy(r *plan.Reason) string { return layout.ChosenBy(r) }

// IsCause reports whether a chain ends well in a rule of that name: it demands an order, or is a default. The others
// pass orders on, or say that nothing is known.
func IsCause(name string) bool {
	for i := range rules {
		if rules[i].Name == name {
			return rules[i].Cause
		}
	}
	for _, r := range layoutRules() {
		if r.Name == name {
			return r.Text != "" && r.Stage != layout.Propagate && r.Stage != layout.Boundary && r.Stage != layout.Copy
		}
	}
	return false
}

// layoutRules are the rules of layout assignment, which are asked for every value.
var layoutRules = sync.OnceValue(layout.Rules)

// Names reports whether the reason of a chain's end names the array or the instruction that decides: a demand, not a
// default, which is as much one array's as another's.
func Names(text string) bool {
	for _, r := range layoutRules() {
		if r.Text == text || r.TextByDefault != "" && r.TextByDefault == text {
			return r.Stage == layout.Given || r.Stage == layout.Constrain
		}
	}
	return false
}

// MadeLater reports whether a rule of that name says what made an array after layout assignment of another one, or that
// it is another one.
func MadeLater(name string) bool {
	switch name {
	case ruleFusion, ruleFused, rulePrefetch, ruleAsync, rulePart:
		return true
	}
	return false
}

// texts are the words of every rule by its name.
var texts = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, r := range layout.Rules() {
		out[r.Name] = r.Text
	}
	for _, r := range rules {
		out[r.Name] = r.Text
	}
	return out
})
