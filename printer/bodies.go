package printer

import (
	"hlolayout/hlo"
)

// body is what the canonical print knows of one computation besides the IR: nothing here is written back.
type body struct {
	*hlo.Computation
	name   string
	names  []string // of the instructions, by Index
	frames []int64  // the numbers that their stack frames have in the print, 0 for none; nil where all are
	thread string
	fused  bool // a fusion calls it: it has no schedule
	hidden bool // an async-start calls it, and says all that it does
	called bool
}

// findBodies lists the computations as XLA has them after reading the text: the module's own, and before each one those
// that wrap its short async instructions (slice-start). It finds who calls whom, on which thread, and gives every
// computation and every instruction its unique name.
func (p *canonical) findBodies() {
	instructions := 0
	for _, c := range p.m.Computations {
		instructions += len(c.Instructions)
		p.wrapStarts(c)
		p.addBody(c)
	}
	if last := len(p.bodies) - 1; p.m.Style.Single && last > 0 {
		p.bodies = append([]*body{p.bodies[last]}, p.bodies[:last]...) // XLA defines the rest after the instruction
	}
	p.link()
	p.name(instructions)
}

func (p *canonical) addBody(c *hlo.Computation) {
	b := &body{Computation: c, thread: mainThread}
	if s, ok := unquote(c.Attr("execution_thread")); ok {
		b.thread = s
	}
	p.bodies = append(p.bodies, b)
	p.of[c] = b
}

// link follows every call.
func (p *canonical) link() {
	for _, b := range p.bodies {
		for _, in := range b.Instructions {
			for _, c := range p.callees(in) {
				callee := p.of[c]
				if callee == nil {
					continue // not in the module
				}
				callee.called = true
				callee.fused = callee.fused || in.Opcode == hlo.OpFusion
				callee.hidden = callee.hidden || in.Opcode == hlo.OpAsyncStart && foldable(c)
			}
		}
	}
	p.settleAsync()
}

// name gives the names. Computations and instructions have a name space each; both are filled in the order of the
// bodies.
func (p *canonical) name(instructions int) {
	computations := newUniquifier(len(p.bodies))
	values := newUniquifier(instructions)
	all := make([]string, 0, instructions)
	for _, b := range p.bodies {
		b.name = computations.unique(sanitized(b.Computation.Name))
		start := len(all)
		for _, in := range b.Instructions {
			all = append(all, values.unique(in.Name))
		}
		b.names = all[start:len(all):len(all)]
	}
}

// callees returns the computations that in calls, in XLA's order. An async instruction has one only where the chain
// begins.
func (p *canonical) callees(in *hlo.Instruction) []*hlo.Computation {
	if len(in.Called()) == 0 && in.Opcode != hlo.OpAsyncStart {
		return nil
	}
	switch in.Opcode {
	case hlo.OpAsyncStart:
		if c := p.wrapped(in); c != nil {
			return []*hlo.Computation{c}
		}
		return nil
	case hlo.OpAsyncUpdate, hlo.OpAsyncDone:
		return nil
	}
	if pair := &calledPairs[in.Opcode]; len(in.Called()) == 2 && pair[0] != "" {
		if a, b := in.CalledBy(pair[0]), in.CalledBy(pair[1]); a != nil && b != nil {
			return []*hlo.Computation{a, b}
		}
	}
	return in.Called()
}

// calledPairs are the opcodes with two calling attributes, in the order in which XLA has the computations.
var calledPairs = [256][2]string{
	hlo.OpWhile: {"body", "condition"}, hlo.OpSelectAndScatter: {"select", "scatter"},
	hlo.OpConditional: {"true_computation", "false_computation"},
}
