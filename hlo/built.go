package hlo

// builtShapes are the opcodes whose shape is not always the declared one; see BuiltShape.
var builtShapes = [numOpcodes]bool{OpConstant: true, OpAfterAll: true, OpOutfeed: true, OpSendDone: true,
	OpAddDependency: true, OpSend: true, OpRecv: true, OpRecvDone: true, OpInfeed: true}

// BuildsShape reports whether XLA's parser may give the instruction another shape than the declared one.
func (op Opcode) BuildsShape() bool { return builtShapes[op.known()] }

// BuiltShape returns the shape that XLA's parser gives the instruction. It is the declared one, but some opcodes build
// theirs: from the operands, or with parts whose types are given. A constant's sizes are never
// bounds, and its elements have their type's width. The result is not interned.
func (in *Instruction) BuiltShape() *Shape {
	for in.Opcode == OpAddDependency && len(in.Operands) > 0 {
		in = in.Operands[0]
	}
	var parts []*Shape // besides the part that is taken over
	var first *Shape
	switch in.Opcode {
	case OpConstant:
		return in.Shape.OfLiteral()
	case OpAfterAll, OpOutfeed, OpSendDone:
		return &Shape{Kind: TokenShape}
	case OpSend:
		if len(in.Operands) > 0 {
			first = in.Operands[0].BuiltShape()
		}
		parts = []*Shape{NewArray(U32, nil, nil), {Kind: TokenShape}}
	case OpRecv:
		first, parts = in.Shape.At(Index{0}), []*Shape{NewArray(U32, nil, nil), {Kind: TokenShape}}
	case OpRecvDone:
		if len(in.Operands) > 0 {
			first = in.Operands[0].BuiltShape().At(Index{0})
		}
		parts = []*Shape{{Kind: TokenShape}}
	case OpInfeed:
		first, parts = in.Shape.At(Index{0}), []*Shape{{Kind: TokenShape}}
	}
	if first == nil {
		return in.Shape
	}
	return NewTuple(append([]*Shape{first}, parts...)...)
}

// OfLiteral returns the shape that a literal of the declared shape s has: sizes are never bounds, elements have their
// type's width, and a buffer is its array.
func (s *Shape) OfLiteral() *Shape {
	if s == nil {
		return nil
	}
	return s.WithLeaves(func(_ Index, leaf *Shape) *Shape {
		if leaf.Kind == BufferShape && len(leaf.Elems) == 1 {
			leaf = leaf.Elems[0] // what a buffer holds
		}
		if !leaf.IsArray() || leaf.Dynamic == nil && (leaf.Layout == nil || leaf.Layout.ElementBits == 0) {
			return leaf
		}
		layout := leaf.Layout
		if layout != nil {
			l := *layout
			l.ElementBits = 0
			layout = &l
		}
		return NewArray(leaf.DType, leaf.Dims, layout)
	})
}
