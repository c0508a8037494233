package verify

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// Buffers b(...) are values that an operation writes in place. They come from a Pin or CreateBuffer, pass through
// custom calls that alias them one operand to one result, tuples and loops, and end in an Unpin; each is written once
// (HloVerifier's VerifyBuffers).

// custom call targets with a meaning of their own.
const (
	pinTarget    = "Pin"
	unpinTarget  = "Unpin"
	createTarget = "CreateBuffer"
)

// hasBuffer reports whether a shape is or holds a buffer.
func hasBuffer(s *hlo.Shape) bool {
	return s != nil && (s.Kind == hlo.BufferShape || slices.ContainsFunc(s.Elems, hasBuffer))
}

// buffers checks the uses of buffers in a computation.
func (c *checker) buffers(comp *hlo.Computation, uses hlo.Uses) {
	any := func(in *hlo.Instruction) bool { return c.shape(in.Shape).buffers }
	if !slices.ContainsFunc(comp.Instructions, any) {
		return
	}
	b := bufferUses{c, uses}
	inside := c.wrapped(comp)
	for _, in := range comp.Instructions {
		held := any(in) || slices.ContainsFunc(in.Operands, any)
		if !held || inside && in != comp.Root {
			continue
		}
		switch {
		case in.Opcode == hlo.OpCustomCall:
			b.customCall(in)
		case inside:
		case in.Opcode == hlo.OpWhile, in.Opcode == hlo.OpParameter && !comp.IsEntry():
			b.writtenOnce(in)
		case slices.Contains(bufferPasses, in.Opcode):
		case in.Opcode == hlo.OpCall && in.Attr("frontend_attributes").Get("_xla_stream_annotation") != nil:
		default:
			c.add(in, VER209, "buffers are not allowed here")
		}
	}
}

// bufferPasses may hold buffers without writing them; a dynamic-update-slice is the newest that may.
var bufferPasses = []hlo.Opcode{hlo.OpGetTupleElement, hlo.OpTuple, hlo.OpAsyncStart, hlo.OpAsyncUpdate,
	hlo.OpAsyncDone, hlo.OpDynamicUpdateSlice}

type bufferUses struct {
	c    *checker
	uses hlo.Uses
}

func (b bufferUses) customCall(in *hlo.Instruction) {
	pairs := in.Aliases()
	target := unquote(in.Attr("custom_call_target"))
	isBuffer := func(s *hlo.Shape) bool { return s.Kind == hlo.BufferShape }
	switch target {
	case pinTarget, unpinTarget:
		if len(in.Operands) != 1 || len(pairs) != 1 || !compatible(unbuffered(in.Operands[0].Shape),
			unbuffered(in.Shape)) ||
			isBuffer(in.Shape) != (target == pinTarget) || isBuffer(in.Operands[0].Shape) != (target == unpinTarget) {
			b.c.add(in, VER209, "a %s makes one array a buffer or back, with one alias of operand and result", target)
			return
		}
	case createTarget:
		if len(in.Operands) != 0 || !isBuffer(in.Shape) {
			b.c.add(in, VER209, "a CreateBuffer has no operand and one buffer as its result")
			return
		}
	default:
		aliased := map[string]int{}
		for _, p := range pairs {
			aliased[fmt.Sprint("operand ", p.Number, " at ", indexText(p.Index))]++
			aliased[fmt.Sprint("the result at ", indexText(p.Output))]++
		}
		once := func(what string, s *hlo.Shape) {
			s.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
				if key := fmt.Sprint(what, " at ", indexText(index)); isBuffer(leaf) && aliased[key] != 1 {
					b.c.add(in, VER209, "%s is a buffer; output_to_operand_aliasing must name it once, not %d times",
						key, aliased[key])
				}
			})
		}
		for i, o := range in.Operands {
			once(fmt.Sprint("operand ", i), o.Shape)
		}
		once("the result", in.Shape)
	}
	if target != unpinTarget {
		b.writtenOnce(in)
	}
}

// writtenOnce fails unless each buffer that in produces has at most one writer.
func (b bufferUses) writtenOnce(in *hlo.Instruction) {
	in.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		if leaf.Kind != hlo.BufferShape {
			return
		}
		budget := 1 << 12 // tuples of tuples can have any number of paths
		if n := b.writers(in, slices.Clone(index), &budget); n > 1 {
			b.c.add(in, VER209, "its buffer at %s has %d writers; it must have one", indexText(index), n)
		}
	})
}

// writers counts the operations that may write the buffer at index of in's value: every call, custom call, fusion,
// loop and conditional that takes it, and the end of a loop body that returns it.
func (b bufferUses) writers(in *hlo.Instruction, index hlo.Index, budget *int) int {
	n := 0
	var last *hlo.Instruction
	for _, u := range b.uses.Of(in) {
		if u.User == last {
			continue
		}
		last = u.User
		if *budget--; *budget < 0 {
			return n
		}
		switch u.User.Opcode {
		case hlo.OpCall, hlo.OpCustomCall, hlo.OpFusion, hlo.OpWhile, hlo.OpConditional:
			n++
		case hlo.OpGetTupleElement:
			if k, ok := u.User.Attr("index").Int(); ok && len(index) > 0 && int(k) == index[0] {
				n += b.writers(u.User, index[1:], budget)
			}
		case hlo.OpTuple:
			if !u.User.IsRoot() {
				n += b.writers(u.User, append(hlo.Index{int(u.Operand)}, index...), budget)
			} else if slices.ContainsFunc(b.c.callers[in.Computation], func(c *hlo.Instruction) bool {
				return c.Opcode == hlo.OpWhile
			}) {
				n++
			}
		}
	}
	return n
}
