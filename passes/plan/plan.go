// Package plan holds what a pass returns: decisions about layouts with their reasons, and edits. A pass does not touch
// the module; Apply does, all of the plan or nothing of it.
package plan

import (
	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/passes/entry"
	"hlolayout/tpu"
)

// Plan is the result of one pass over one module.
type Plan struct {
	// Decisions say which layout an array gets; arrays that are not named keep theirs. Those of one instruction follow
	// one another.
	Decisions []Decision
	// Edits insert instructions, in the order in which they were named.
	Edits []Edit
	// Drops are instructions that go away where the edits leave nothing that uses them.
	Drops []*hlo.Instruction
	// Carries make loops carry more, once the edits are done.
	Carries []Carry
	// Splits make asynchronous operations start before they have operands, once the edits are done.
	Splits []Split
	// Changes rename instructions or replace their attributes.
	Changes []Change
	// Entry replaces entry_computation_layout; nil leaves it as it is.
	Entry *EntryLayout
	// Notes are remarks for the reader, such as why there was nothing to do.
	Notes []string
	// Facts are what a pass knows of values besides their layouts; nothing in the module shows them.
	Facts []Fact
}

// Fact is one thing that a pass knows of a value: the result of an instruction, or the part of a tuple at Index.
type Fact struct {
	Instruction *hlo.Instruction
	Index       hlo.Index
	// Text says it in words, such as "prefetched before %dot.1".
	Text string
}

// Options are what a caller may ask of a pass.
type Options struct {
	// Checked says that passes.Check has found nothing in the module: it is not asked again before the first pass.
	Checked bool
	// Reassign makes the layout pass run on a module that has been through it already.
	Reassign bool
	// Pins are layouts that the caller requests; the layout pass gives them or says why it cannot.
	Pins []Pin
	// Soft are layouts that were decided of a simplified copy.
	Soft SoftPins
	// Fit has values without pins fit in between those with pins: the layout pass repairs what an operation cannot work
	// with, and makes no copies for less.
	Fit bool
	// EntryLayouts says where the layouts of parameters and results come from; the zero value decides by what the
	// module shows.
	EntryLayouts entry.Mode
	// Interface is what entry.Of returns for that; nil where it was not asked yet.
	Interface *entry.Interface
	// Stage is what stage.Of returns; nil where it was not asked yet.
	Stage *stage.Stage
	// NoReasons leaves out the reasons of decisions, half of what a plan takes.
	NoReasons bool
	// Spent, where it is not nil, is called when what a search took has become garbage: a large module's caller may
	// collect it. most says that a module was copied for the search, and that is garbage, too.
	Spent func(most bool)
	// SpacesOnly keeps the memory pass from writing prefetches and evictions into the module, as copy-start and
	// copy-done: a value that would move between the memories stays in HBM.
	SpacesOnly bool
}

// Entry returns the interface of a module, which is read where the caller has not.
func (o *Options) Entry(m *hlo.Module, t *tpu.Target) (*entry.Interface, error) {
	if o.Interface != nil {
		return o.Interface, nil
	}
	return entry.Of(m, t, o.EntryLayouts)
}

// Pin requests the order of one array: the whole result of an instruction, or the part of a tuple at Index.
type Pin struct {
	// Name of the instruction, without %; not read where Value is the instruction itself.
	Name         string
	Value        *hlo.Instruction
	Index        hlo.Index
	MinorToMajor []int
	// Because makes the pin a soft one: where it is not possible it is left out, and the value that it decides has this
	// reason.
	Because *Reason
}

// SoftPins are pins of arrays. One that is not possible is left out. There are as many as a module has arrays: they are
// kept small.
type SoftPins struct {
	List   []SoftPin
	Orders [][]int // by their numbers in List
}

// SoftPin requests an order of one array, the leaf of that number in the result of an instruction.
type SoftPin struct {
	Value       *hlo.Instruction
	Because     *Reason // of the value that the pin decides
	Leaf, Order int32
}

// EntryLayout is a module's interface: the shapes of entry_computation_layout.
type EntryLayout struct {
	Params []*hlo.Shape
	Result *hlo.Shape
}

// Decision is the layout of one array: the whole result of an instruction, or the part of a tuple at Index.
type Decision struct {
	Instruction *hlo.Instruction
	Index       hlo.Index
	Layout      *hlo.Layout
	Reason      *Reason // nil with Options.NoReasons
}

// Reason says why a layout was decided. There is one for each array of a module: what few of them have is in Lost.
type Reason struct {
	// Rule is the rule in words.
	Rule string
	// Source is the instruction that the layout comes from; nil where it comes from nowhere in particular.
	Source *hlo.Instruction
	// Array says which of Source's arrays it comes from, counted from 1 in the order of the shape; 0 where that is not
	// said, NoArray where Source itself demands it and a chain ends.
	Array int32
	// Priority and Mandatory are the strength that the layout had; a mandatory one holds against others of its
	// priority.
	Priority  int16
	Mandatory bool
	// Chosen is the number of the rule that chose among the orders that Rule leaves, counted from 1 in the order of
	// layout.Rules; 0 for none.
	Chosen uint8
	// Lost is nil where no other layout was wanted.
	Lost *Lost
}

// NoArray as a reason's Array says that the layout is what its Source demands, whatever layouts Source itself has.
const NoArray = -1

// Lost are the layouts that others wanted for a value and that it does not have.
type Lost struct {
	// Beat are the layouts it replaced, the latest first.
	Beat []Overridden
	// Refused are, for a layout that the caller pinned, those that rules wanted in its place, in the order in which
	// they came.
	Refused []Overridden
}

// Beat returns the layouts that the one decided on replaced, the latest first.
func (r *Reason) Beat() []Overridden {
	if r.Lost == nil {
		return nil
	}
	return r.Lost.Beat
}

// Refused returns, for a layout that the caller pinned, those that rules wanted in its place, in the order in which
// they came.
func (r *Reason) Refused() []Overridden {
	if r.Lost == nil {
		return nil
	}
	return r.Lost.Refused
}

// Overridden is a layout that another one replaced.
type Overridden struct {
	MinorToMajor []int
	Rule         string
	Source       *hlo.Instruction
}

// Edit inserts instructions into one computation and makes its targets use the last one of them, or one that is there.
type Edit struct {
	Computation *hlo.Computation
	// New are new instructions, operands before users; an operand is an instruction of the computation or an earlier
	// one of New. They get their Computation and Index when the plan is applied.
	New []*hlo.Instruction
	// Targets are the places that get the last one of New; where New is empty, they get Existing, an instruction of the
	// computation before them.
	Targets  []Target
	Existing *hlo.Instruction
	// After is where New is in a scheduled computation: directly after this instruction and what earlier edits put
	// there; nil for before the first user. An operand that the computation has further down moves up, before its first
	// user.
	After  *hlo.Instruction
	Reason Reason
}

// Change gives an instruction another name, other attributes or both; empty fields leave what is there.
type Change struct {
	Instruction *hlo.Instruction
	Name        string
	Attrs       []hlo.Attr
}

// Target is an operand of an instruction, or the computation's root where User is nil.
type Target struct {
	User    *hlo.Instruction
	Operand int
}
