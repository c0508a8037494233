package printer

import (
	"math"
	"slices"

	"hlolayout/hlo"
)

// mainThread is the execution thread that is not printed.
const mainThread = "main"

// wrapStarts adds the computations that XLA's parser makes for the short async instructions of c:
// `slice-start(%x), slice={..}` is an async-start that calls a computation of parameters and one slice.
// They are not printed, but they take names and stack frames.
//
// XLA makes them while it reads c, so they mix with the bodies that are printed inline in it.
func (p *canonical) wrapStarts(c *hlo.Computation) {
	var inline []*body
	taken := false
	for _, in := range c.Instructions {
		if in.Opcode != hlo.OpAsyncStart || in.OpText() == "" {
			continue
		}
		_, op, ok := hlo.ParseAsync(in.OpText())
		if !ok {
			continue
		}
		if !taken && c.Pos >= 0 {
			from := len(p.bodies)
			for from > 0 && p.bodies[from-1].Pos > c.Pos {
				from--
			}
			inline = slices.Clone(p.bodies[from:])
			p.bodies = p.bodies[:from]
		}
		taken = true
		end := int32(math.MaxInt32)
		if next := int(in.Index) + 1; next < len(c.Instructions) {
			end = c.Instructions[next].Pos
		}
		for len(inline) > 0 && inline[0].Pos < end {
			p.bodies, inline = append(p.bodies, inline[0]), inline[1:]
		}
		w := wrapper(in, op)
		p.wrappers[in] = w
		p.addBody(w)
	}
	p.bodies = append(p.bodies, inline...)
}

// wrapper returns the computation around the operation of a short async-start, with the attributes that are the
// operation's.
func wrapper(start *hlo.Instruction, op hlo.Opcode) *hlo.Computation {
	c := &hlo.Computation{Name: "async_wrapped", Module: start.Computation.Module, Pos: start.Pos}
	var params []*hlo.Instruction
	for i, o := range start.Operands {
		params = append(params, &hlo.Instruction{Name: "async_param", Shape: o.Shape, Opcode: hlo.OpParameter,
			Parameter: int32(i)})
	}
	c.Root = &hlo.Instruction{Name: op.String(), Opcode: op, Operands: params, Shape: hlo.NewTuple()}
	c.Root.SetCalled(start.Called())
	if start.Shape != nil && start.Shape.At(hlo.Index{1}) != nil {
		c.Root.Shape = start.Shape.At(hlo.Index{1})
	}
	for _, a := range start.Attrs {
		if takes(op, a.Key) {
			c.Root.Attrs = append(c.Root.Attrs, a)
		}
	}
	c.Instructions = append(params, c.Root)
	c.Renumber()
	return c
}

// takes reports whether an attribute is one of the opcode's own.
func takes(op hlo.Opcode, key *hlo.AttrKey) bool {
	names, _ := op.Attrs()
	return slices.Contains(names, key.Name)
}

// wrapped returns the computation that an async-start calls, nil where it names none.
func (p *canonical) wrapped(start *hlo.Instruction) *hlo.Computation {
	if w := p.wrappers[start]; w != nil {
		return w
	}
	return start.CalledBy("calls")
}

// foldable reports whether a computation is one operation on its parameters, so that an async instruction can say it
// all.
func foldable(c *hlo.Computation) bool {
	for _, in := range c.Instructions {
		if in != c.Root && in.Opcode != hlo.OpParameter {
			return false
		}
	}
	return true
}

// chainStart returns the async-start at the beginning of the chain that in belongs to; nil where there is none.
func (p *canonical) chainStart(in *hlo.Instruction) *hlo.Instruction {
	if in.Opcode == hlo.OpAsyncStart {
		return in
	}
	start, known := p.starts[in]
	if !known && asyncSuffix[in.Opcode] != "" && len(in.Operands) > 0 {
		start = p.chainStart(in.Operands[0])
		p.starts[in] = start
	}
	return start
}

// folded returns the operation that an async instruction prints in short: `slice-done` for the async-done of a slice.
// It is nil for other instructions, and where the computation is more than one operation.
func (p *canonical) folded(in *hlo.Instruction) *hlo.Instruction {
	if asyncSuffix[in.Opcode] == "" {
		return nil
	}
	start := p.chainStart(in)
	if start == nil {
		return nil
	}
	c := p.wrapped(start)
	if c == nil || !foldable(c) {
		return nil
	}
	return c.Root
}

var asyncSuffix = [256]string{hlo.OpAsyncStart: "-start", hlo.OpAsyncUpdate: "-update", hlo.OpAsyncDone: "-done"}

// shared are the attributes that XLA's parser gives to the wrapped operation too, whichever async instruction of the
// chain has them; the last one counts.
var shared = []string{"frontend_attributes", "statistics", "origin", "metadata", "backend_config"}

// settleAsync finds what async instructions do to the computations they call: the thread these run on, and the
// attributes that the wrapped operation gets.
func (p *canonical) settleAsync() {
	for _, b := range p.bodies {
		for _, in := range b.Instructions {
			if asyncSuffix[in.Opcode] == "" {
				continue
			}
			start := p.chainStart(in)
			if start == nil || p.wrapped(start) == nil {
				continue
			}
			if in == start {
				p.setThread(in, threadOf(in), map[*hlo.Computation]bool{})
			}
			root := p.wrapped(start).Root
			for _, key := range shared {
				if v := in.Attr(key); v != nil {
					if p.given[root] == nil {
						p.given[root] = map[string]*hlo.Value{}
					}
					p.given[root][key] = v
				}
			}
		}
	}
}

// attr returns the value of an attribute as async instructions leave it: an operation gets some from the chain around
// it, a short async-start gives some away to the operation.
func (p *canonical) attr(in *hlo.Instruction, key string) *hlo.Value {
	if len(p.given) > 0 {
		if v := p.given[in][key]; v != nil {
			return v
		}
	}
	if in.Opcode == hlo.OpAsyncStart {
		if w := p.wrappers[in]; w != nil && w.Root.Attr(key) != nil {
			return nil
		}
	}
	return in.Attr(key)
}

func threadOf(start *hlo.Instruction) string {
	if s, ok := unquote(start.Attr("async_execution_thread")); ok {
		return s
	}
	return mainThread
}

// setThread moves what an async-start calls to a thread: the computation and all that it calls, async-starts in it
// included.
func (p *canonical) setThread(start *hlo.Instruction, thread string, seen map[*hlo.Computation]bool) {
	p.threads[start] = thread
	p.moveTo(p.wrapped(start), thread, seen)
}

func (p *canonical) moveTo(c *hlo.Computation, thread string, seen map[*hlo.Computation]bool) {
	if c == nil || seen[c] {
		return
	}
	seen[c] = true
	if b := p.of[c]; b != nil {
		b.thread = thread
	}
	for _, in := range c.Instructions {
		if in.Opcode == hlo.OpAsyncStart {
			p.setThread(in, thread, seen)
			continue
		}
		for _, callee := range p.callees(in) {
			p.moveTo(callee, thread, seen)
		}
	}
}
