// Package rule is what a row of the table is: names, documentation and evidence, thresholds, and the functions that
// package constraint calls.
package rule

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
)

// Hint is what a rule of Repair or Improve asks of one instruction in all later runs, in the sweep of its row.
type Hint struct {
	Operands int // how many, from the first one on, are read in In
	In       ordering.Tiled
	First    bool           // what it asks of operands is followed depth first
	Out      ordering.Tiled // of each result
	May      bool           // it is not mandatory, and does not keep other rules from asking
	Dropped  bool           // it was tried and cost more than it gained
	Why      ID
}

// Place is a node with two of its dimensions: those that the matrix unit's M and N became in it.
type Place struct {
	Node flat.NodeID
	M, N int
}

// Row is one row of the pass: a decision that can be switched off by itself, with the modules that change without it.
// The rows are next to their functions, in one file for each family; their numbers are in the order in which the pass
// comes to them.
type Row struct {
	// Name is what `hlolayout explain NAME` takes.
	Name string
	// Text is the reason that a plan gives for a layout that the rule sets; "" for a rule that sets none by itself.
	Text string
	// TextByDefault takes its place where the caller requests nothing: entry layouts are the target's defaults, pins are
	// soft.
	TextByDefault string
	// Doc is the mechanism, then in brackets what it is known from.
	Doc   string
	Stage Stage
	// Except are the generations that the rule does not hold for.
	Except []string
	// Since and Until are the first and the last release of libtpu that the rule holds for, "" for any.
	Since, Until string
	// Evidence are modules in testdata, NAME.hlo, whose result or constraints change when the rule is off.
	Evidence []string
	// Limits are the rule's thresholds, as Rules returns them.
	Limits []Limit

	Ops hlo.OpSet // the instructions that its functions are called for, where these are of one instruction

	// A rule of Constrain asks something of an instruction, in its sweep. A rule of Repair or Improve that leaves hints
	// has the sweep in which later runs set them.
	Sweep     Sweep
	Constrain func(n flat.NodeID)

	// A rule of Propagate carries the order of operand k to the result (down), and that of the result to the operand
	// (up); none where nothing is known.
	Down, Up  func(n flat.NodeID, k int, o ordering.Order) ordering.Order
	First     func(n flat.NodeID) bool // what it carries is followed depth first
	Mandatory bool                     // what it carries is mandatory
	KeepsTile bool                     // up carries the tile along
	KeepsRow  bool                     // so it does a tile of one row where the second-minor dimension has size 1
	// the layout of operand o goes to the other operands and the result
	Carries      func(n, o flat.NodeID) bool
	Late         func(n flat.NodeID, k int, priority int16) bool // what operand k wants is followed last
	IgnoresUsers func(n flat.NodeID) bool                        // the result takes no layout from its users
	// The operand of an instruction, or a value, takes a new layout in the place of the one it has, for a user.
	OperandGives func(slot flat.SlotID, old, new ordering.Tiled) bool
	ValueGives   func(v flat.ValueID, user flat.NodeID, new ordering.Tiled) bool
	// ListUsers puts the users of a value, which come in the order of the text, in that of the compiler's list; it is nil
	// where the text does not show that.
	ListUsers func(n flat.NodeID, users []flat.NodeID) []flat.NodeID

	// A rule of Constrain that decides which of two dimensions is minor in a dot's or convolution's result: positive
	// for n, negative for m, 0 if it leaves that to the next one.
	Decide func(p Place) int

	// A rule of Default gives the order of a value that nothing constrains, none where it does not apply.
	Initial func(v flat.ValueID) ordering.Tiled

	// A rule of Repair or Improve looks for work after a run and reports whether there is any: in the whole module, or
	// for one instruction that has no hint yet. The rules of one step look before the pass runs again. Ran is called
	// after every run, Again before every one but the first.
	Step       Step
	Find       func() bool
	Hint       func(n flat.NodeID) *Hint
	Ran, Again func()
	// Required says that the operation cannot work without the rule, which then repairs what fits in between pins, too.
	Required bool

	// A rule of Copy reads an operand without a copy that has another order than asked for, or names the order in which
	// operand k has to be read in the place of another one.
	Reads func(n flat.NodeID, have, want ordering.Order) bool
	Legal func(n flat.NodeID, k int, have ordering.Order) ordering.Order
}

// Rows are the rules of one file.
type Rows map[ID]*Row

// Stage is where in the pass a rule has its place.
type Stage uint8

// The stages of the pass.
const (
	// Given layouts come from outside of the pass: the caller, the entry layout, instructions that carry their layouts.
	Given Stage = iota
	// Constrain is what the hardware asks of instructions at the beginning of a round.
	Constrain
	// Propagate carries layouts from instruction to instruction.
	Propagate
	// Boundary makes one layout of what loops, branches and calls tie together.
	Boundary
	// Default gives layouts to what nothing constrained.
	Default
	// Repair finds what an operation cannot work with, after a run.
	Repair
	// Improve finds what takes more memory than it needs, after a run.
	Improve
	// Copy says which disagreements take a copy, and where it stands.
	Copy
	numStages
)

func (s Stage) String() string {
	return [numStages]string{"given", "constrain", "propagate", "boundary", "default", "repair", "improve", "copy"}[s]
}

// ID is the number of a row, and with it why a layout was set.
type ID uint8

// Sweep is one pass over a computation's instructions at the beginning of a round. The sweeps follow one another in
// the order of the constants, each against the order of the text (the order of the log in all its runs: 47 kinds of
// sequences, no exception; nothing shows on which side of the pins collectives are).
type Sweep uint8

const (
	GivenSweep Sweep = iota
	CollectiveSweep
	PinSweep
	ReshapeSweep
	SortSweep
	ReduceSweep
	WindowSweep
	ScanSweep
	DotSweep
	ClusterSweep
	CallSweep
	NumSweeps
)

// Step is a set of rules that look for work together after a run. The first step that finds any starts the next run.
type Step uint8

const (
	NoStep      Step = iota
	InvalidStep      // what an operation cannot work with
	ReduceStep       // reduces, concatenates that waste memory, dots; when all else is valid
	FreeStep         // what only a default decided
	ClusterStep
	HeldStep // what a caller's pins need
	NumSteps
)
