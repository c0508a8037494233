package reasons

import (
	"slices"

	"hlolayout/hlo"
)

// Names of rules of passes/layout that are causes.
const (
	ruleEntryParameter = "entry-parameter"
	ruleEntryResult    = "entry-result"
	ruleInfeed         = "infeed"
	ruleHostTransfer   = "host-transfer"
	ruleCollective     = "collective"
	ruleCustomCall     = "custom-call"
	ruleGather         = "gather"
	ruleScatter        = "scatter"
	ruleScan           = "scan"
	ruleDot            = "dot"
	ruleSmallReshape   = "small-reshape"
	ruleConvolution    = "convolution"
	ruleReshape        = "repair-reshape"
	ruleSort           = "repair-sort"
	ruleAllToAll       = "repair-all-to-all"
	ruleLiteral        = "literal"
	ruleParameter      = "parameter-default"
	ruleFree           = "descending"
)

// Turns in which causes spread, as layout assignment takes them from its work list.
const (
	demanded = iota // by operations
	picked          // by operations, where the dots leave it to them
	asked           // by the entry's result, and by repairs
	given           // to the entry
	turns
	kept // by reshapes that are bitcasts in this order, and not in another one: named besides others, and not spread
)

// cause is an array whose order an instruction demands.
type cause struct {
	array array
	rule  string
	by    *hlo.Instruction
	turn  int
}

// holds reports whether a cause decides whatever reaches its array: the others ask where nothing else decides.
func (c *cause) holds() bool { return c.turn != asked && c.turn != kept }

// demand is one row of what an opcode demands: an order of the arrays that of returns, where when is nil or holds.
type demand struct {
	rule string
	turn int
	of   func(*graph, *hlo.Instruction) []array
	when func(*graph, *hlo.Instruction) bool
}

// demands is the table, by opcode. Collectives, of several opcodes, and the entry's result are in causes.
var demands = map[hlo.Opcode][]demand{
	hlo.OpParameter: {{ruleEntryParameter, given, (*graph).results, ofEntry}},
	hlo.OpInfeed:    {{ruleInfeed, demanded, (*graph).results, nil}},
	hlo.OpOutfeed:   {{ruleInfeed, demanded, (*graph).operands, nil}},
	hlo.OpRecv:      {{ruleHostTransfer, demanded, (*graph).results, nil}},
	hlo.OpRecvDone:  {{ruleHostTransfer, demanded, (*graph).results, nil}},
	hlo.OpSend:      {{ruleHostTransfer, demanded, (*graph).operands, nil}},
	hlo.OpCustomCall: {{ruleCustomCall, demanded, (*graph).both, constrained},
		{ruleCustomCall, asked, (*graph).results, fromNothing}},
	hlo.OpDot:         {{ruleDot, demanded, (*graph).matrix, nil}},
	hlo.OpConvolution: {{ruleConvolution, demanded, (*graph).matrix, nil}},
	hlo.OpGather:      {{ruleGather, demanded, (*graph).window, nil}},
	hlo.OpScatter:     {{ruleScatter, demanded, (*graph).window, nil}},
	hlo.OpReshape: {{ruleSmallReshape, picked, (*graph).both, small},
		{ruleReshape, kept, (*graph).operands, (*graph).merges}},
	hlo.OpSort:     {{ruleSort, asked, (*graph).results, sortsMinor}},
	hlo.OpAllToAll: {{ruleAllToAll, asked, (*graph).results, splitsMajor}},
}

// results returns the arrays of an instruction's result.
func (g *graph) results(in *hlo.Instruction) (out []array) {
	at, n := g.arrays(in)
	for k := range array(n) {
		out = append(out, at+k)
	}
	return out
}

// operands returns the arrays of an instruction's operands.
func (g *graph) operands(in *hlo.Instruction) (out []array) {
	for _, o := range in.Operands {
		out = append(out, g.results(o)...)
	}
	return out
}

// both returns the arrays of an instruction's result and operands.
func (g *graph) both(in *hlo.Instruction) []array { return append(g.results(in), g.operands(in)...) }

func ofEntry(_ *graph, in *hlo.Instruction) bool { return in.Computation.IsEntry() }

// constrained reports whether a custom call says its layouts.
func constrained(_ *graph, in *hlo.Instruction) bool {
	return in.Attr("operand_layout_constraints") != nil
}

// fromNothing reports whether a custom call makes an array of nothing, and says no layout.
func fromNothing(g *graph, in *hlo.Instruction) bool {
	return !constrained(g, in) && len(in.Operands) == 0
}

// small reports whether a reshape is of an array that fits one row of lanes.
func small(_ *graph, in *hlo.Instruction) bool {
	n, ok := in.Shape.Elements()
	return ok && n > 1 && n <= 128
}

// sortsMinor reports whether a sort is along one of the two minor dimensions of another order than the descending one.
func sortsMinor(g *graph, in *hlo.Instruction) bool {
	order, d, ok := g.unusual(in)
	return ok && slices.Index(order, d) < 2
}

// splitsMajor reports whether an all-to-all splits the major dimension of another order than the descending one.
func splitsMajor(g *graph, in *hlo.Instruction) bool {
	order, d, ok := g.unusual(in)
	return ok && order[len(order)-1] == d
}

// unusual returns the order of an instruction's result and the only dimension that it works along; ok is false where it
// works along several, or the order is descending.
func (g *graph) unusual(in *hlo.Instruction) (order []int, dim int, ok bool) {
	at, _ := g.arrays(in)
	d, s := in.Ints("dimensions"), g.shapes[at]
	if len(d) != 1 || !chosen(s) || descending(s) {
		return nil, 0, false
	}
	return s.Layout.MinorToMajor, d[0], true
}
