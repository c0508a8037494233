package folding

import (
	"encoding/binary"
	"maps"
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// rounds bounds how often all rules are tried; chains of reshapes need two or three rounds.
const rounds = 8

// Simplify returns a copy of a module that has not been through layout assignment as the compiler's simplifications
// leave it.
func Simplify(m *hlo.Module) *Simplified {
	s := copyOf(m)
	for range rounds {
		changed := false
		for _, c := range s.Module.InMemory() {
			changed = s.computation(c) || changed
		}
		if !changed {
			break
		}
	}
	s.sweep()
	s.Module.Simplified = true
	return s
}

// simplifier works on one computation.
type simplifier struct {
	*Simplified
	c *hlo.Computation
	// out are the instructions so far, operands first.
	out []*hlo.Instruction
	// uses counts the users of each instruction as the round began.
	uses map[*hlo.Instruction]int
	seen map[string]*hlo.Instruction
	ids  map[*hlo.Instruction]uint32
	// bodies numbers computations of equal text.
	bodies map[*hlo.Computation]int
}

// computation tries all rules on each instruction, operands first, and reports whether one was applied.
func (s *Simplified) computation(c *hlo.Computation) bool {
	w := simplifier{Simplified: s, c: c, uses: map[*hlo.Instruction]int{}, seen: map[string]*hlo.Instruction{},
		ids: map[*hlo.Instruction]uint32{}, bodies: map[*hlo.Computation]int{}}
	for _, in := range c.Instructions {
		for _, o := range in.Operands {
			w.uses[o]++
		}
	}
	before := len(s.forward)
	changed := false
	for _, in := range c.Instructions {
		for i, o := range in.Operands {
			in.Operands[i] = resolve(s.forward, o)
		}
		changed = w.instruction(in) || changed
	}
	c.Instructions = w.out
	c.Root = resolve(s.forward, c.Root)
	removeDead(c)
	c.Renumber()
	return changed || len(s.forward) > before
}

// instruction applies rules until none fits, and keeps what is left of the instruction.
func (w *simplifier) instruction(in *hlo.Instruction) bool {
	changed := false
	for again := true; again; {
		again = false
		for i := range rules {
			r := &rules[i]
			if r.only != hlo.OpUnknown && r.only != in.Opcode {
				continue
			}
			n := r.apply(w, in)
			if n == nil {
				continue
			}
			w.Applied[r.name]++
			changed, again = true, true
			if n != in {
				w.forward[in] = n
				return true
			}
		}
	}
	key, ok := w.key(in)
	if was := w.seen[key]; ok && was != nil {
		w.Applied["common"]++
		w.forward[in] = was
		return true
	}
	if ok {
		w.seen[key] = in
	}
	w.add(in)
	return changed
}

func (w *simplifier) add(in *hlo.Instruction) {
	w.ids[in] = uint32(len(w.ids) + 1)
	w.out = append(w.out, in)
}

// make adds an instruction before the present one, of the element type and with the metadata of like.
func (w *simplifier) make(op hlo.Opcode, like *hlo.Instruction, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	n := w.instructionLike(op, like, dims, operands)
	n.Name = like.Name + "." + strconv.Itoa(len(w.out)) + "." + op.String()
	w.add(n)
	return n
}

// instructionLike returns an instruction without a name, of the element type and with the metadata of like.
func (w *simplifier) instructionLike(op hlo.Opcode, like *hlo.Instruction, dims []int64,
	operands []*hlo.Instruction) *hlo.Instruction {
	n := &hlo.Instruction{Opcode: op, Operands: operands, Pos: like.Pos, Computation: w.c,
		Shape: w.shape(like.Shape.DType, dims)}
	for _, a := range like.Attrs {
		if a.Key.Name == "metadata" {
			n.Attrs = append(n.Attrs, a)
		}
	}
	return n
}

func (w *simplifier) shape(t hlo.DType, dims []int64) *hlo.Shape {
	return w.Module.Intern(hlo.NewArray(t, dims, hlo.DescendingLayout(len(dims))))
}

// set replaces the number list of an attribute, adding it where it is absent.
func set(in *hlo.Instruction, name string, ns []int) {
	v := hlo.IntsOf(ns)
	in.Attrs = slices.Clone(in.Attrs)
	for i, a := range in.Attrs {
		if a.Key.Name == name {
			in.Attrs[i].Value = v
			return
		}
	}
	in.Attrs = slices.Insert(in.Attrs, 0, hlo.Attr{Key: hlo.InstructionAttr(name), Value: v})
}

// unequal are the opcodes of which two with the same operands are not the same.
var unequal = map[hlo.Opcode]bool{hlo.OpParameter: true, hlo.OpWhile: true, hlo.OpConditional: true, hlo.OpCall: true,
	hlo.OpCustomCall: true,
	hlo.OpRng:        true, hlo.OpRngBitGenerator: true, hlo.OpInfeed: true, hlo.OpOutfeed: true, hlo.OpSend: true,
	hlo.OpRecv:     true,
	hlo.OpAfterAll: true, hlo.OpOptBarrier: true, hlo.OpUnknown: true, hlo.OpTuple: true}

// unnamed are the attributes that do not tell two instructions apart.
var unnamed = map[string]bool{"metadata": true, "frontend_attributes": true, "backend_config": true, "to_apply": true}

// key returns what two instructions of the same value have in common; ok is false for what is never common.
func (w *simplifier) key(in *hlo.Instruction) (key string, ok bool) {
	if unequal[in.Opcode] || !in.Shape.IsArray() || in.Attr("channel_id") != nil || in.Attr("sharding") != nil ||
		in.Attr("control-predecessors") != nil {
		return "", false
	}
	b := []byte{byte(in.Opcode), byte(in.Shape.DType)}
	for _, d := range in.Shape.Dims {
		b = binary.AppendVarint(b, d)
	}
	b = append(b, '(')
	for _, o := range in.Operands {
		b = binary.AppendUvarint(b, uint64(w.ids[o]))
	}
	for _, k := range in.Called {
		b = binary.AppendUvarint(append(b, '/'), uint64(w.body(k)))
	}
	for _, a := range in.Attrs {
		if !unnamed[a.Key.Name] {
			b = append(append(b, a.Key.Name...), a.Value.Text...)
		}
	}
	return string(append(append(b, '='), in.Literal...)), true
}

// body returns a number that equal computations, such as two that add their parameters, have in common.
func (w *simplifier) body(c *hlo.Computation) int {
	if n, ok := w.bodies[c]; ok {
		return n
	}
	text := []byte{'{'}
	for _, in := range c.Instructions {
		text = append(text, in.Opcode.String()...)
		text = in.Shape.Append(text, false)
		text = strconv.AppendInt(append(text, in.Literal...), int64(in.Parameter), 10)
		for _, o := range in.Operands {
			text = strconv.AppendInt(append(text, ','), int64(o.Index), 10)
		}
		for _, k := range in.Called {
			text = strconv.AppendInt(append(text, '/'), int64(w.body(k)), 10)
		}
		for _, a := range in.Attrs {
			if !unnamed[a.Key.Name] && !a.Key.Called {
				text = append(append(text, a.Key.Name...), a.Value.Text...)
			}
		}
	}
	text = strconv.AppendInt(text, int64(c.Root.Index), 10)
	n := int(w.ids[w.seen[string(text)]])
	if n == 0 {
		mark := &hlo.Instruction{}
		w.ids[mark] = uint32(len(w.ids) + 1)
		w.seen[string(text)], n = mark, int(w.ids[mark])
	}
	w.bodies[c] = n
	return n
}

// effects are the opcodes that stay although nothing reads them.
var effects = map[hlo.Opcode]bool{hlo.OpParameter: true, hlo.OpCustomCall: true, hlo.OpInfeed: true,
	hlo.OpOutfeed: true, hlo.OpSend: true,
	hlo.OpRecv: true, hlo.OpSendDone: true, hlo.OpRecvDone: true, hlo.OpAfterAll: true, hlo.OpWhile: true,
	hlo.OpConditional: true,
	hlo.OpCall:        true, hlo.OpUnknown: true}

// removeDead removes what nothing reads.
func removeDead(c *hlo.Computation) {
	read := map[*hlo.Instruction]bool{c.Root: true}
	for _, in := range slices.Backward(c.Instructions) {
		if read[in] || effects[in.Opcode] || in.Attr("control-predecessors") != nil {
			read[in] = true
			for _, o := range in.Operands {
				read[o] = true
			}
		}
	}
	c.Instructions = slices.DeleteFunc(c.Instructions, func(in *hlo.Instruction) bool { return !read[in] })
}

// sweep removes computations that nothing calls and notes what is left.
func (s *Simplified) sweep() {
	reached := map[*hlo.Computation]bool{s.Module.Entry: true}
	for _, c := range slices.Backward(s.Module.Computations) { // callers follow their callees
		if !reached[c] {
			continue
		}
		for _, in := range c.Instructions {
			s.live[in] = true
			for _, k := range in.Called {
				reached[k] = true
			}
		}
	}
	s.Module.Computations = slices.DeleteFunc(s.Module.Computations, func(c *hlo.Computation) bool {
		return !reached[c]
	})
	s.Module.LinkCallers()
	maps.DeleteFunc(s.copies, func(_, n *hlo.Instruction) bool { return n == nil })
}
