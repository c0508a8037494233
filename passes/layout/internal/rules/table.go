// Package rules holds the rules, one file for each family of operations: rows next to their functions. Files that
// belong to a family begin with its name:
//
//	given                what comes from outside: the entry's interface, infeeds, the host, custom calls
//	pin…                 what the caller holds
//	dot…, convolution, raggeddot
//	                     the matrix unit; dot.go says which rule decides
//	reshape…             which orders move nothing, and which pair is chosen where some data must move
//	gather, scatter      with window…, what both ask of table and slices
//	reduce, sort, concatenate, collective, fixed
//	                     the other operations that request orders
//	through, negotiate   what carries layouts on, and what yields
//	users                the order in which the users of a value are visited, and what name and metadata say of where
//	                     they come from
//	unconstrained        defaults
//	cluster              groups of elementwise operations
//	legal                copies that keep a result legal
package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/tpu"
)

func always(flat.NodeID) bool { return true }

// families are the files of rules, each with its own set for one module.
var families = []func(*Set) rule.Rows{
	givenRules, collectiveRules, fixedRules,
	reshapeRules, gatherRules, scatterRules, dotRules, dotRepairRules, minorRules,
	convolutionRules, raggedDotRules, usersRules, throughRules, concatenateRules,
	reduceRules, sortRules, negotiateRules, unconstrainedRules, clusterRules, pinRules, legalRules,
}

// files are the rules of a module by file, with those of others that need no state.
func files(e *Set, others ...rule.Rows) []rule.Rows {
	list := append(others, constraint.PropagateRules, constraint.SeparateRules, constraint.BoundaryRules,
		constraint.PinRules)
	for _, f := range families {
		list = append(list, f(e))
	}
	return list
}

// none is in the place of a row that there is not.
var none rule.Row

// NewTable returns the rules of a module, and those of others.
func NewTable(e *Set, others ...rule.Rows) *[rule.Count]*rule.Row {
	var table [rule.Count]*rule.Row
	for r := range table {
		table[r] = &none
	}
	for _, rows := range files(e, others...) {
		for r, row := range rows {
			table[r] = row
		}
	}
	return &table
}

// Set is the rules of one module, with what they share.
type Set struct {
	*constraint.State
	dots          *dots
	windows       []*gatherScatter // gathers and scatters, and the fusions around them
	windowAt      map[flat.NodeID]*gatherScatter
	gathered      map[flat.NodeID]bool // what a gather reads as its table
	indices       map[flat.NodeID]bool // what a gather or scatter reads as its indices
	selections    map[[2]*hlo.Shape]selection
	across        map[ordering.Reshaped]ordering.Order
	staying       map[flat.NodeID]reshaped // layouts of a reshape that stays with them
	largest       map[flat.NodeID]int64    // by concatenate: the size of the largest operand
	reached       []uint8                  // see reachedFrom
	toConstraints []flat.NodeID            // see towardsConstraints
	firstSlices   []*hlo.Shape             // see firstSlice
	sliceLike     []bool                   // see isSliceLike
	ofKernel      []bool                   // see isOfKernel
	complexParts  []bool                   // see isComplexPart
	tied          []flat.ValueID           // scratch of holdPin
	closedCalls   *closedCalls             // see closedCallsOf, nil until asked for
	leadTo        []moved                  // see leadsTo
	// weighed, when set, sees every cluster that could gain memory: what it gains and what surrounds it costs, in bytes.
	Weighed func(first flat.NodeID, compact ordering.Order, around, operations int, gain, cost int64)
}

// closedCalls are the calls of closed functions that instructions were inlined from.
type closedCalls struct {
	of    []string        // by node, the beginning of its op_name, "" for none
	alone map[string]bool // by the same: whether it has something once, and so is not of several calls
}

// moved is what a chain leads to, the zero value for nothing: the shape, the order of a transpose's dimensions, and the
// reshape or transpose that reads the chain, -1 for one of another operand.
type moved struct {
	to    *hlo.Shape
	order []int
	by    flat.NodeID
}

// Release drops what the decisions do not need, more than half of the pass's memory: when they are made, most is live
// (.ci/speed, peak memory).
func (e *Set) Release() {
	e.State.Release()
	*e = Set{State: e.State}
}

// New returns the rules of a module with others that need no state, some of them switched off.
func New(g *flat.Graph, t *tpu.Target, others rule.Rows, off ...rule.ID) *Set {
	e := &Set{State: constraint.NewState(g, t), windowAt: map[flat.NodeID]*gatherScatter{},
		gathered: map[flat.NodeID]bool{}, indices: map[flat.NodeID]bool{},
		selections: map[[2]*hlo.Shape]selection{}, across: map[ordering.Reshaped]ordering.Order{},
		staying: map[flat.NodeID]reshaped{}, largest: map[flat.NodeID]int64{}}
	e.findDots()
	e.SetRules(NewTable(e, others), off)
	e.findWindows()
	e.FindBoundaries()
	return e
}
