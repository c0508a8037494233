package printer

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// computationOrder returns the bodies in the order of the print: callees before their callers, from each computation
// that nothing calls, in the order of the text (XLA's MakeComputationPostOrder).
//
// As in XLA, all callees of an instruction count as visited when they are queued: one that is also called deeper down
// follows that caller, and such a text does not parse back.
func (p *canonical) computationOrder() []*body {
	type frame struct {
		body *body
		next int // the instruction to look at
	}
	out := make([]*body, 0, len(p.bodies))
	visited := make(map[*body]bool, len(p.bodies))
	var stack []frame
	queue := func(in *hlo.Instruction) {
		for _, c := range slices.Backward(p.callees(in)) {
			if callee := p.of[c]; callee != nil && !visited[callee] {
				visited[callee] = true
				stack = append(stack, frame{body: callee})
			}
		}
	}
	for _, b := range p.bodies {
		if b.called {
			continue
		}
		for _, in := range b.Instructions {
			queue(in)
			for len(stack) > 0 {
				top := &stack[len(stack)-1]
				if top.next == len(top.body.Instructions) {
					out = append(out, top.body)
					stack = stack[:len(stack)-1]
					continue
				}
				top.next++
				queue(top.body.Instructions[top.next-1])
			}
		}
		out = append(out, b)
	}
	return out
}

// instructionOrder returns the instructions of b in the order of the print: that of the text where it is the schedule,
// otherwise the post-order, in which an instruction's last control predecessor comes first.
func (p *canonical) instructionOrder(b *body) []*hlo.Instruction {
	if p.scheduled && !b.fused {
		return b.Instructions
	}
	return b.PostOrderAfter(p.controlPredecessors)
}

// controlPredecessors returns the instructions of control-predecessors={%a, %b}, each once.
func (p *canonical) controlPredecessors(in *hlo.Instruction) []*hlo.Instruction {
	if len(in.Attrs) == 0 {
		return nil
	}
	v := in.Attr("control-predecessors")
	if v == nil {
		return nil
	}
	var out []*hlo.Instruction
	for i := range v.Elems {
		before := p.instructionNamed(in.Computation, nameOf(&v.Elems[i]))
		if before != nil && !slices.Contains(out, before) {
			out = append(out, before)
		}
	}
	return out
}

// instructionNamed finds an instruction by the name it has in the text.
func (p *canonical) instructionNamed(c *hlo.Computation, name string) *hlo.Instruction {
	names := p.byName[c]
	if names == nil {
		names = make(map[string]*hlo.Instruction, len(c.Instructions))
		for _, in := range c.Instructions {
			names[in.Name] = in
		}
		p.byName[c] = names
	}
	return names[name]
}

// nameOf returns the name that a value names something by.
func nameOf(v *hlo.Value) string { return strings.TrimSuffix(v.Text, ":") }
