package build

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
)

// Instruction begins an instruction at a byte offset.
func (b *Builder) Instruction(off uint32) {
	in := b.instruction()
	in.Pos, in.Computation, in.Opcode = int32(off), b.comp, hlo.OpUnknown
	s := b.scope
	s.in, s.isRoot, s.broken, s.numbered = in, false, false, false
	s.ops, s.called = s.ops[:0], s.called[:0]
	s.operand = operand{}
	b.attrs = b.attrs[:0]
}

// Root marks the instruction as its computation's root.
func (b *Builder) Root() { b.isRoot = true }

// Name is the instruction's name.
func (b *Builder) Name(t Text) {
	b.in.Name, b.nameText = b.name(t), t
	b.checkName(t)
	if b.src[t.Off] == '%' {
		b.m.Style.Percent = true
	}
}

// Shape is the result shape.
func (b *Builder) Shape(t Text) { b.in.Shape = b.shape(t) }

// Opcode is the operation.
func (b *Builder) Opcode(t Text) {
	b.opText = t
	if name := b.text(t); name[len(name)-1] == '(' { // the token of a constant has the parenthesis with it
		b.opText.End = t.Off + uint32(len("constant"))
	}
	b.setOpcode(b.in, t)
	if b.opts.Strict && b.joined(t) {
		b.fail(t.Off, CodeOpcode, quote(b.src[t.Off:t.End+1])+" is not an opcode", "")
		panic(Stop{})
	}
	if b.opts.Strict && b.in.Shape == nil && !b.in.Opcode.Inferable() && b.in.Opcode != hlo.OpUnknown {
		b.infer(b.in) // which is an error
		panic(Stop{})
	}
}

// joined reports whether XLA's lexer takes a word for a name, together with the character after it.
func (b *Builder) joined(t Text) bool {
	rest := b.src[t.End:]
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "=")
}

func (b *Builder) setOpcode(in *hlo.Instruction, t Text) {
	name := b.text(t)
	var ok bool
	if in.Opcode, ok = b.opcodeOf.get(name); ok {
		return
	}
	if in.Opcode, ok = hlo.ParseOpcode(name); ok {
		b.opcodeOf.put(name, in.Opcode)
		return
	}
	if name[len(name)-1] == '(' {
		in.Opcode = hlo.OpConstant
		return
	}
	if in.Shape == nil && b.opts.Strict && IsElementType(name) && len(b.nests) == 0 {
		if b.joined(t) {
			return // Opcode refuses it
		}
		b.Sub(ShapeRule, Text{t.Off, uint32(len(b.src))})
		panic(Stop{})
	}
	in.SetOpText(name)
	var wrapped hlo.Opcode
	if in.Opcode, wrapped, ok = hlo.ParseAsync(name); ok && !(b.opts.Strict && hasOwnAsync[wrapped]) {
		return
	}
	in.Opcode = hlo.OpUnknown
	names := make([]string, 0, 140)
	for _, op := range hlo.Opcodes() {
		names = append(names, op.String())
	}
	// the start of a shape that cannot be read: what follows is the error
	if in.Shape == nil && IsElementType(name) && !b.opts.Strict {
		return
	}
	b.refuse(t.Off, CodeOpcode, "unknown opcode "+quote(name), didYouMean(name, names))
}

// literalText returns a literal without the blanks around it, and without comments that end with the line: one line
// is printed, and what follows would be part of them.
func literalText(s string) string {
	s = strings.TrimSpace(s)
	if !strings.Contains(s, "//") {
		return s
	}
	return strings.TrimSpace(comments().ReplaceAllStringFunc(s, func(c string) string {
		if c[1] == '/' {
			return ""
		}
		return c
	}))
}

var comments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)/\*.*?(?:\*/|$)|//[^\n]*`) })

// Literal is the text of a constant, with the closing parenthesis.
func (b *Builder) Literal(t Text) {
	b.in.SetLiteral(literalText(b.src[t.Off : t.End-1]))
	b.operandsEnd = t.End
	if b.opts.Strict {
		b.checkLiteral(b.in, t)
	}
}

// ---- operands -------------------------------------------------------------------------------------------------------

// Operand is an operand's name, or the opcode of a nested instruction: what follows tells.
func (b *Builder) Operand(t Text) {
	switch {
	case b.operand.nested && b.operand.groups == 0:
		b.fail(t.Off, CodeSyntax, "unexpected "+quote(b.text(t)), "expected `,` or `)`")
		panic(Stop{})
	case b.opts.Strict && b.in.Opcode == hlo.OpParameter && len(b.nests) == 0:
		b.fail(t.Off, CodeParameter, quote(b.text(t))+" is not a parameter number", "expected parameter(N)")
		panic(Stop{})
	case b.operand.groups == 0:
		b.operand.name, b.operand.hasName = t, true
	case !b.inLiteral() && !IsElementType(b.text(t)): // an element type is the start of a shape that cannot be read
		b.fail(t.Off, CodeOperand, quote(b.text(t))+" is in a tuple shape", "expected a shape")
		panic(Stop{})
	}
}

// OperandShape is the shape in front of an operand's name.
func (b *Builder) OperandShape(t Text) {
	if b.opts.Strict && b.in.Opcode == hlo.OpParameter && len(b.nests) == 0 {
		b.fail(t.Off, CodeParameter, quote(b.text(t))+" is not a parameter number", "expected parameter(N)")
		panic(Stop{})
	}
	if b.operand.groups == 0 {
		b.operand.shape, b.operand.hasShape = t, true
	}
}

// GroupOpen and GroupClose enclose a tuple shape in front of an operand's name.
func (b *Builder) GroupOpen(t Text) {
	b.enter(t)
	if b.in.Opcode == hlo.OpParameter && len(b.nests) == 0 {
		b.fail(t.Off, CodeParameter, "parameter "+b.in.Name+" has no number", "expected parameter(N)")
		panic(Stop{})
	}
	if b.operand.groups == 0 {
		b.operand.groupAt = t
	}
	b.operand.groups++
}

// GroupClose finishes what GroupOpen began.
func (b *Builder) GroupClose(t Text) {
	b.leave()
	if b.operand.groups--; b.operand.groups == 0 {
		b.OperandShape(Text{b.operand.groupAt.Off, t.End})
	}
}

// OperandText is a number in an operand list: the parameter's, or part of a nested literal.
func (b *Builder) OperandText(t Text) {
	if b.operand.groups > 0 || b.inLiteral() {
		return
	}
	number := &b.in.Parameter
	isParameter := b.in.Opcode == hlo.OpParameter
	if n := len(b.nests); n > 0 {
		number = &b.nests[n-1].parameter
		isParameter = b.text(b.nests[n-1].op) == hlo.OpParameter.String()
	}
	if isParameter {
		n := b.number(t)
		if n != int64(int32(n)) || n < 0 {
			b.fail(b.xla(t.Off, t.End), CodeParameter, b.text(t)+" is not a parameter number", "")
			b.broken = true
			n = 0
		}
		*number = int32(n)
		b.numbered = true
		if b.opts.Strict && slices.ContainsFunc(b.params,
			func(p *hlo.Instruction) bool { return p.Parameter == int32(n) }) {
			b.fail(b.tokenAfter(t.End), CodeParameter, "parameter number "+b.text(t)+" is used twice", "")
		}
		return
	}
	b.fail(t.Off, CodeOperand, quote(b.text(t))+" is not an operand", "")
	b.broken = true
}

func (b *Builder) inLiteral() bool { return len(b.nests) > 0 && b.nests[len(b.nests)-1].literal }

// OperandComma ends an operand; an empty one is dropped, as XLA does.
func (b *Builder) OperandComma(t Text) {
	if b.opts.Strict && b.in.Opcode == hlo.OpParameter && len(b.nests) == 0 {
		b.fail(t.Off, CodeParameter, "a parameter has one number", "expected `)`")
		panic(Stop{})
	}
	if b.operand.groups == 0 {
		b.endOperand()
	}
}

// OperandsEnd is the closing parenthesis of the operand list.
func (b *Builder) OperandsEnd(t Text) {
	b.endOperand()
	b.operandsEnd = t.End
	if b.in.Opcode == hlo.OpParameter && !b.numbered {
		b.fail(t.Off, CodeParameter, "parameter "+b.in.Name+" has no number", "expected parameter(N)")
		b.broken = true
	}
	if b.opts.Strict && !b.broken {
		b.checkOperands(t)
	}
}

func (b *Builder) endOperand() {
	o := &b.operand
	if o.hasName && !b.inLiteral() {
		if in := b.named(b.name(o.name)); in != nil {
			b.checkName(o.name)
			b.addOperand(in)
		} else {
			b.undefined(o.name)
		}
	} else if o.hasShape && b.single && !b.inLiteral() {
		b.newParameter("", o.shape)
	}
	o.hasName, o.hasShape, o.element, o.nested = false, false, false, false
}

// newParameter makes a parameter for an operand of a single instruction that nothing defines. Without a name XLA calls
// it by its number: _0.
func (b *Builder) newParameter(name string, at Text) {
	n := 0
	for _, in := range b.list {
		if in.Opcode == hlo.OpParameter {
			n++
		}
	}
	if name == "" {
		name = "_" + strconv.Itoa(n)
	}
	shape := b.m.Intern(&hlo.Shape{Kind: hlo.TokenShape})
	if b.operand.hasShape {
		shape = b.shape(b.operand.shape)
	}
	p := b.instruction()
	*p = hlo.Instruction{Name: name, Shape: shape, Opcode: hlo.OpParameter, Pos: int32(at.Off),
		Computation: b.comp, Parameter: int32(n)}
	b.addInstruction(p)
	b.addOperand(p)
}

// addOperand adds an operand; nil is one that an earlier piece of the text defines.
func (b *Builder) addOperand(in *hlo.Instruction) {
	if b.operand.hasShape {
		b.m.Style.OperandShapes = true
		s := b.shape(b.operand.shape)
		if in == nil {
			b.piece.lastPending().shape = s
		} else if s != in.Shape && in.Shape != nil && !s.Compatible(in.Shape) {
			b.fail(b.operand.shape.Off, CodeOperandShape, "operand "+in.Name+" is written with "+s.String()+
				" and defined with "+in.Shape.String(), "")
		}
	}
	if n := len(b.ops); n > 0 && n%5 == 0 && b.src[b.operandStart()-1] != '/' {
		b.m.Style.IndexComments = false // no /*index=N*/ precedes it
	}
	b.ops = append(b.ops, in)
}

// operandStart is the offset of the operand being read.
func (b *Builder) operandStart() uint32 {
	if b.operand.hasShape {
		return b.operand.shape.Off
	}
	return b.operand.name.Off
}

func (b *Builder) undefined(t Text) {
	name := b.name(t)
	if b.begun() {
		b.piece.pend(pendingOperand{in: b.in, at: len(b.ops), name: name})
		b.addOperand(nil)
		return
	}
	if b.single && (b.operand.hasShape || b.opts.Open) {
		b.newParameter(name, t)
		return
	}
	if _, op, async := hlo.ParseAsync(name); b.opts.Strict && b.src[t.Off] != '%' && (async && !hasOwnAsync[op] ||
		IsElementType(name) || hlo.IsOpcode(name)) {
		return // XLA reads the start of a nested instruction or of a shape, and drops what it cannot finish
	}
	names := make([]string, 0, len(b.list))
	for _, in := range b.list {
		names = append(names, in.Name)
	}
	hint := didYouMean(name, names)
	if hint == "" {
		hint = "an instruction is defined before its use, in the same computation"
	}
	b.fail(t.Off, CodeOperand, "no instruction "+quote(name), hint)
	b.broken = true
}

// ElementOf is one `#i` after an operand: the element i of a tuple, taken without an instruction.
func (b *Builder) ElementOf(t Text) {
	o := &b.operand
	if !o.hasName && !o.element { // it follows an element type in a tuple shape
		b.fail(t.Off, CodeSyntax, "unexpected \"#"+b.text(t)+"\"", "expected `[`")
		panic(Stop{})
	}
	b.alone()
	if o.hasName {
		if in := b.named(b.name(o.name)); in != nil {
			o.hasName, o.element = false, true
			b.ops = append(b.ops, in)
		} else {
			return
		}
	}
	last := &b.ops[len(b.ops)-1]
	n := b.number(t)
	s := (*last).Shape.At(hlo.Index{int(n)})
	if s == nil {
		b.fail(t.Off, CodeOperand, (*last).Name+" has no element "+b.text(t), "")
		b.broken = true
		return
	}
	g := b.anonymous(hlo.OpGetTupleElement, s, []*hlo.Instruction{*last}, t)
	g.Attrs = []hlo.Attr{{Key: hlo.InstructionAttr("index"), Value: &hlo.Value{Kind: hlo.IntValue, Text: b.text(t)}}}
	*last = g
}

// anonymous adds an instruction that the text gives no name: `<opcode>.anon`, made unique.
func (b *Builder) anonymous(op hlo.Opcode, shape *hlo.Shape, operands []*hlo.Instruction, at Text) *hlo.Instruction {
	base := op.String() + ".anon"
	name := base
	for n := 1; b.named(name) != nil; n++ {
		name = base + "." + strconv.Itoa(n)
	}
	in := b.instruction()
	*in = hlo.Instruction{Name: name, Opcode: op, Shape: shape, Operands: keep(&b.pointers, operands),
		Pos: int32(at.Off), Computation: b.comp}
	b.addInstruction(in)
	return in
}

func (b *Builder) addInstruction(in *hlo.Instruction) {
	at := Text{}
	if in == b.in {
		at = b.nameText
	}
	if old := b.enterName(in.Name, at); old != nil {
		line, _ := b.m.Position(old.Pos)
		b.fail(b.nameOffset(in), CodeDuplicate, "instruction "+quote(in.Name)+" is defined twice", "first on line "+
			strconv.Itoa(line))
	}
	if in.Opcode == hlo.OpParameter {
		b.params = append(b.params, in)
	}
	in.Index = int32(len(b.list))
	if n := len(b.list); n == cap(b.list) {
		b.list = append(make([]*hlo.Instruction, 0, max(64, 2*n, b.expected())), b.list...)
	}
	b.list = append(b.list, in)
}

// nameOffset is where an instruction's name is: after ROOT.
func (b *Builder) nameOffset(in *hlo.Instruction) uint32 {
	if in == b.in {
		return b.nameText.Off
	}
	return uint32(in.Pos)
}

// NestOpen turns the name read last into the opcode of a nested instruction.
func (b *Builder) NestOpen(t Text) {
	b.alone()
	b.enter(t)
	if !b.operand.hasName { // it was an element type in a tuple shape
		b.fail(t.Off, CodeSyntax, "unexpected \"(\"", "expected `[`")
		panic(Stop{})
	}
	o := &b.operand
	if name := b.name(o.name); b.single && o.hasShape && b.named(name) == nil {
		b.newParameter(name, o.name) // XLA takes the opcode for a name first, and keeps the parameter it makes of it
		b.ops = b.ops[:len(b.ops)-1]
	}
	b.nests = append(b.nests, nest{op: o.name, shape: o.shape, typed: o.hasShape, from: len(b.ops), open: t,
		literal: b.text(o.name) == "constant"})
	*o = operand{}
}

// NestClose finishes a nested instruction and makes it the operand.
func (b *Builder) NestClose(t Text) {
	b.leave()
	b.endOperand()
	n := b.nests[len(b.nests)-1]
	b.nests = b.nests[:len(b.nests)-1]
	if b.text(n.op) == "b" { // the shape of a buffer
		b.operand = operand{shape: Text{n.op.Off, t.End}, hasShape: true}
		return
	}
	probe := hlo.Instruction{Pos: int32(n.op.Off), Computation: b.comp}
	b.setOpcode(&probe, n.op)
	in := b.anonymous(probe.Opcode, nil, b.ops[n.from:], n.op)
	in.SetOpText(probe.OpText())
	in.Parameter = n.parameter
	b.ops = b.ops[:n.from]
	if n.literal {
		in.SetLiteral(literalText(b.src[n.open.End:t.Off]))
	}
	if n.typed {
		in.Shape = b.shape(n.shape)
	} else {
		b.infer(in)
	}
	if n.literal && b.opts.Strict {
		at := n.op.Off
		if n.typed {
			at = n.shape.Off
		}
		b.checkNestedLiteral(in, at)
	}
	b.checkArity(in)
	if b.opts.Strict && in.Opcode == hlo.OpBroadcast && checkBroadcast(in) != "" {
		b.fail(n.op.Off, CodeOperand, "a broadcast in an operand list has no dimensions", "")
	}
	b.ops = append(b.ops, in)
	b.operand = operand{nested: true}
}

// InstructionEnd finishes an instruction.
func (b *Builder) InstructionEnd() {
	in := b.in
	in.Operands = keep(&b.pointers, b.ops)
	if b.poisoned {
		for _, o := range in.Operands {
			b.broken = b.broken || o.Shape == nil
		}
	}
	in.Attrs = keep(&b.attributes, b.attrs)
	if b.isRoot {
		if b.root != nil {
			b.fail(uint32(in.Pos), CodeRoot, "a second ROOT in "+b.comp.Name, "the first is "+b.root.Name)
		}
		b.root = in
	}
	in.SetCalled(keep(&b.callees, b.called))
	b.attrs = b.attrs[:0]
	if !b.broken {
		b.checkArity(in)
	}
	if b.opts.Strict {
		b.checkStrictly(in)
		b.dropOperands(in)
	}
	if in.Shape != nil && in.Opcode.BuildsShape() && !b.broken {
		b.buildShape(in)
	}
	if in.Shape == nil && !b.broken {
		b.alone()
		b.infer(in)
	}
	b.poisoned = b.poisoned || in.Shape == nil
	b.addInstruction(in)
}

// dropOperands leaves a dot its first two operands, as XLA does.
func (b *Builder) dropOperands(in *hlo.Instruction) {
	if in.Opcode == hlo.OpDot && len(in.Operands) > 2 {
		b.warn(b.tokenAfter(b.opText.End), CodeArity, "dot "+in.Name+" has "+plural(len(in.Operands), "operand"),
			"XLA drops those after the second")
		in.Operands = in.Operands[:2]
	}
}

// buildShape gives an instruction the shape that XLA's parser builds for it, if that is not compatible with the
// declared one. Strict reading always takes XLA's, whose layouts may differ.
func (b *Builder) buildShape(in *hlo.Instruction) {
	built := in.BuiltShape()
	fits := built.Compatible(in.Shape)
	if fits && !b.opts.Strict {
		return
	}
	if !fits {
		b.warn(uint32(in.Pos), CodeResultShape, in.OpName()+" "+in.Name+" is written with "+in.Shape.String(),
			"XLA gives it "+built.String())
	}
	in.Shape = b.m.Intern(built)
}

func (b *Builder) checkArity(in *hlo.Instruction) {
	least, most := in.Opcode.Arity()
	if b.opts.Strict && in.Opcode == hlo.OpDot {
		most = -1
	}
	// XLA counts the operands of some of these only: see instructionChecks
	if b.opts.Strict && most != least && in.Opcode != hlo.OpDot && in.Shape != nil {
		least = min(least, 1)
		if n := in.Opcode; n == hlo.OpSort || n == hlo.OpReduce || n == hlo.OpReduceWindow || n == hlo.OpScatter {
			least = 0
		}
	}
	if n := len(in.Operands); n < least || most >= 0 && n > most {
		want := "at least " + plural(least, "operand")
		if most == least {
			want = plural(least, "operand")
		}
		seen := b.opText.End
		if most != least { // XLA counts these when it makes the instruction, after its attributes
			seen = max(b.operandsEnd, b.attrEnd)
		}
		b.fail(b.xla(uint32(in.Pos), seen), CodeArity, in.OpName()+" "+in.Name+" has "+plural(n, "operand"),
			"it takes "+want)
		b.broken = true
	}
}

// infer finds the shape of an instruction whose text has none.
func (b *Builder) infer(in *hlo.Instruction) {
	var shape *hlo.Shape
	hint := "write the shape in front of the opcode"
	if b.opts.Infer != nil && in.Opcode.Inferable() {
		s, err := b.opts.Infer(asBuilt(in))
		if err != nil {
			hint = err.Error()
		}
		shape = s
	}
	if shape == nil {
		at := uint32(in.Pos)
		if b.opts.Strict && in == b.in {
			at = b.tokenAfter(b.opText.End)
			if in.Opcode.Inferable() {
				at = b.tokenAfter(max(b.operandsEnd, b.attrEnd))
			}
		}
		b.fail(at, CodeInference, "the shape of "+in.OpName()+" "+in.Name+" is left out and cannot be inferred", hint)
		shape = hlo.NewTuple()
	}
	if most := maxInferred + 2*len(in.Operands); !partsWithin(shape, &most) {
		b.fail(uint32(in.Pos), CodeTooLarge, "the shape of "+in.OpName()+" "+in.Name+
			" is left out and has too many parts", "write the shape in front of the opcode")
		shape = hlo.NewTuple()
	}
	in.Shape = b.m.Intern(shape)
}

// maxInferred is how many parts a shape that is left out may have, besides two for each operand. Tuples of tuples
// double with every line: what a text can cost must not.
const maxInferred = 256

// partsWithin takes the parts of a shape, tuples and what is in them, off n and reports whether there were enough of
// them.
func partsWithin(s *hlo.Shape, n *int) bool {
	*n--
	for _, e := range s.Elems {
		if *n < 0 || !partsWithin(e, n) {
			return false
		}
	}
	return *n >= 0
}

// asBuilt returns in with its operands' shapes as XLA builds them: in itself where those are the declared ones.
func asBuilt(in *hlo.Instruction) *hlo.Instruction {
	c := *in
	for i, o := range in.Operands {
		if !o.Opcode.BuildsShape() {
			continue
		}
		if built := o.BuiltShape(); !built.Equal(o.Shape) {
			if &c.Operands[0] == &in.Operands[0] {
				c.Operands = append([]*hlo.Instruction(nil), in.Operands...)
			}
			operand := *o
			operand.Shape = built
			c.Operands[i] = &operand
		}
	}
	return &c
}
