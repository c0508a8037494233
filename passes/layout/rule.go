package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
)

// Rule is one row of the pass: a decision that can be switched off by itself, with the modules that change without it.
// The rows stand in table.go, in the order in which the pass comes to them.
type Rule struct {
	// Name is what `hlolayout explain NAME` takes.
	Name string
	// Text is the reason that a plan gives for a layout that the rule sets; "" for a rule that sets none by itself.
	Text string
	// TextByDefault takes its place where the caller asks for nothing: entry layouts are the target's defaults, pins are soft.
	TextByDefault string
	// Doc is the mechanism, then in brackets what it is known from.
	Doc   string
	Stage Stage
	// Except are the generations that the rule does not hold for.
	Except []string
	// Evidence are modules in testdata, NAME.hlo, whose result or constraints change when the rule is off.
	Evidence []string
	// Limits are the rule's thresholds, as Rules returns them.
	Limits []Limit

	ops OpSet // what constrain, hint, down and up look at; the zero set is every opcode

	// A rule of Constrain asks something of an instruction, in its sweep. A rule of Repair or Improve that leaves
	// hints has the sweep in which later runs set them.
	sweep     sweep
	constrain func(e *engine, n int32)

	// A rule of Propagate carries the order of the operand in a slot to the result (down), and that of the result to
	// the operand (up); none where nothing is known. first reports whether what it carries is followed depth first.
	down, up  func(e *engine, n, slot int32, o ordering.Order) ordering.Order
	first     func(e *engine, n int32) bool
	mandatory bool

	// A rule of Constrain that decides which of two dimensions is minor in a dot's or convolution's result: positive
	// for n, negative for m, 0 if it leaves that to the next one.
	decide func(e *engine, p place) int

	// A rule of Default gives the order of a value that nothing constrains, none where it does not apply.
	initial func(e *engine, v int32) ordering.Order

	// A rule of Repair or Improve looks for work after a run and reports whether there is any: in the whole module, or
	// for one instruction that has no hint yet. The rules of one step look before the pass runs again.
	step step
	find func(e *engine) bool
	hint func(e *engine, n int32) *hint
}

// Rules returns the rules of the pass, in the order in which it comes to them.
func Rules() []Rule {
	list := slices.Clone(table[:])
	for _, l := range limits {
		list[l.rule].Limits = append(list[l.rule].Limits, l)
	}
	return list[ruleNone+1:]
}

// RuleName returns the name of the rule that gives a reason of a plan, such as "dot"; "" for a text that is none.
func RuleName(text string) string {
	for r := range table {
		if row := &table[r]; text != "" && (row.Text == text || row.TextByDefault == text) {
			return row.Name
		}
	}
	return ""
}

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

// rule is the number of a row, and with it why a layout was set.
type rule uint8

// cause is why a constraint has its layout: the rule, and the node it comes from (-1 for none).
type cause struct {
	rule rule
	node int32
}

// OpSet is a set of opcodes.
type OpSet [4]uint64

func ops(list ...hlo.Opcode) (s OpSet) {
	for _, op := range list {
		s[op/64] |= 1 << (op % 64)
	}
	return s
}

func (s *OpSet) has(op hlo.Opcode) bool { return *s == OpSet{} || s[op/64]&(1<<(op%64)) != 0 }

// sweep is one pass over a computation's instructions at the beginning of a round. The sweeps follow one another in
// the order of the constants, each against the order of the text (the order of the log in all its runs: 47 kinds of
// sequences, no exception; that select-and-scatter and all-to-all belong to the second is a guess).
type sweep uint8

const (
	pinSweep sweep = iota
	reshapeSweep
	sortSweep
	reduceSweep
	windowSweep
	scanSweep
	dotSweep
	clusterSweep
	numSweeps
)

// step is a set of rules that look for work together after a run. The first step that finds any starts the next run.
type step uint8

const (
	noStep      step = iota
	invalidStep      // what an operation cannot work with
	reduceStep       // reduces, concatenates that waste memory, dots; when all else is valid
	freeStep         // what only a default decided
	clusterStep
	heldStep // what a caller's pins need
	numSteps
)

// on reports whether a rule is in force.
func (e *engine) on(r rule) bool { return !e.off[r] }

// setRules puts the rules in force that hold for the target and are not switched off.
func (e *engine) setRules(off []rule) {
	for r := range e.table {
		e.off[r] = slices.Contains(e.table[r].Except, e.Target.Name) || slices.Contains(off, rule(r))
	}
	e.sweeps, e.finders, e.through = [numSweeps][]rule{}, [numSteps][]rule{}, [256]rule{}
	for r := range e.table {
		row := &e.table[r]
		if row.down == nil && row.up == nil || e.off[r] {
			continue
		}
		for op := range e.through {
			if row.ops.has(hlo.Opcode(op)) {
				e.through[op] = rule(r)
			}
		}
	}
	for r := range e.table {
		row := &e.table[r]
		if row.constrain != nil && e.on(rule(r)) {
			e.sweeps[row.sweep] = append(e.sweeps[row.sweep], rule(r))
		}
		if row.step != noStep && e.on(rule(r)) {
			e.finders[row.step] = append(e.finders[row.step], rule(r))
		}
	}
}

// constrain runs the sweeps over a computation.
func (e *engine) constrain(c *flat.Comp) {
	for s := range numSweeps {
		for n := c.End - 1; n >= c.First; n-- {
			e.constrainNode(s, n)
		}
	}
}

// constrainNode sets what a sweep asks of an instruction: what an earlier run left for it, else what the rules say.
func (e *engine) constrainNode(s sweep, n int32) {
	switch p, c := &e.pins[n], &e.clusters[n]; {
	case s == pinSweep && p.Order != ordering.None:
		e.setInstruction(n, p.Tiled, may, cause{p.why, n})
	case s == clusterSweep && c.Order != ordering.None:
		e.setBuffer(e.g.Whole(n), *c, may, cause{ruleCluster, n})
	}
	if h := e.hints[n]; h != nil {
		if e.table[h.why].sweep == s {
			e.setHint(n)
		}
		return
	}
	for _, r := range e.sweeps[s] {
		if row := &e.table[r]; row.ops.has(e.g.Nodes[n].Op) {
			row.constrain(e, n)
		}
	}
}

// look lets the rules of one step look for work and reports whether there is any.
func (e *engine) look(s step) (found bool) {
	for _, r := range e.finders[s] {
		row := &e.table[r]
		if row.find != nil {
			found = row.find(e) || found
			continue
		}
		for n := range int32(len(e.g.Nodes) - 1) {
			if e.hints[n] == nil && row.ops.has(e.g.Nodes[n].Op) {
				if h := row.hint(e, n); h != nil {
					h.why = r
					e.hints[n], found = h, true
				}
			}
		}
	}
	return found
}
