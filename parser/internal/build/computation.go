package build

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// scope is the state of one computation being read; a body in line opens a scope inside another.
type scope struct {
	comp   *hlo.Computation
	list   []*hlo.Instruction
	names  nameTable
	params []*hlo.Instruction // the parameters in list
	root   *hlo.Instruction
	result Text // the signature's result shape
	entry  bool
	closed bool // after the closing brace

	// the instruction being read
	in       *hlo.Instruction
	isRoot   bool
	numbered bool // a parameter has its number
	broken   bool // an error was found in it: no further complaints
	opText   Text
	nameText Text
	ops      []*hlo.Instruction
	called   []*hlo.Computation
	operand  operand
	nests    []nest
	// operandsEnd is the offset after the operand list
	operandsEnd uint32
}

// operand is the operand being read: a name, a shape, or both.
type operand struct {
	name, shape       Text
	hasName, hasShape bool
	element           bool // the name was taken for %name#i
	nested            bool // it is an instruction, whole
	groups            int  // depth of parentheses of a tuple shape
	groupAt           Text
}

// nest is an instruction nested in an operand list.
type nest struct {
	op      Text
	shape   Text
	typed   bool
	from    int // where in ops its operands begin
	open    Text
	literal bool
	// parameter is the number of a nested parameter
	parameter int32
}

// Entry marks the computation to come as the entry.
func (b *Builder) Entry() { b.openScope().entry = true }

func (b *Builder) openScope() *scope {
	if b.scope == nil || b.comp != nil {
		b.pushScope()
	}
	return b.scope
}

// pushScope opens a scope, one of an earlier computation where there is one to reuse.
func (b *Builder) pushScope() {
	n := len(b.scopes)
	if n < cap(b.scopes) {
		b.scopes = b.scopes[:n+1]
	} else {
		b.scopes = append(b.scopes, nil)
	}
	if b.scopes[n] == nil {
		b.scopes[n] = &scope{}
	}
	s := b.scopes[n]
	*s = scope{list: s.list[:0], names: s.names, params: s.params[:0], ops: s.ops[:0], called: s.called[:0],
		nests: s.nests[:0]}
	s.names.reset()
	b.scope = s
}

func (b *Builder) popScope() {
	if b.begun() {
		b.scopes[len(b.scopes)-1] = nil // it is not for another computation
	}
	b.scopes = b.scopes[:len(b.scopes)-1]
	b.scope = nil
	if n := len(b.scopes); n > 0 {
		b.scope = b.scopes[n-1]
	}
}

// Computation is the name of a computation.
func (b *Builder) Computation(t Text) {
	b.openScope()
	b.beginComputation(b.name(t), t)
	if b.compOf[b.comp.Name] != nil {
		b.fail(t.Off, CodeDuplicate, "computation "+quote(b.comp.Name)+" is defined twice", "")
	}
	b.checkName(t)
	if b.src[t.Off] == '%' {
		b.m.Style.Percent = true
	}
	if len(b.m.Computations) == 0 && b.m.Tables == nil && (b.piece == nil || b.piece.inside == nil) {
		behind := b.src[b.attrEnd:t.Off]
		for { // a comment behind the first line may have lines of its own
			opened, found := strings.CutPrefix(strings.TrimLeft(behind, " \t"), "/*")
			if !found {
				break
			}
			_, behind, _ = strings.Cut(opened, "*/")
		}
		_, below, _ := strings.Cut(behind, "\n")
		b.m.Style.EmptyTables = b.attrEnd > 0 && strings.HasPrefix(below, "\n\n")
	}
}

func (b *Builder) beginComputation(name string, at Text) {
	b.comp = &hlo.Computation{Name: name, Module: b.m, Pos: int32(at.Off)}
	b.attrs = b.attrs[:0]
}

// Signature says that the computation has one.
func (b *Builder) Signature() { b.m.Style.Signatures = true }

// ShapeToken is a shape in a signature.
func (b *Builder) ShapeToken(t Text) { b.shapeTxt = t }

// TupleOpen and TupleClose enclose a tuple shape in a signature.
func (b *Builder) TupleOpen(off uint32) { b.shapeTxt = Text{off, off}; b.enter(b.shapeTxt) }

// TupleClose finishes what TupleOpen began.
func (b *Builder) TupleClose(t Text) { b.leave(); b.shapeTxt.End = t.End }

// ParameterColon is a colon that does not belong to the name in front of it: XLA knows `p: f32[2]` and `%p f32[2]`.
func (b *Builder) ParameterColon(t Text) {
	if b.opts.Strict {
		b.fail(t.Off, CodeSyntax, "unexpected \":\"", "expected a shape")
		panic(Stop{})
	}
}

// ShapeName is the name in front of a parenthesis in a signature's shape: b, for a buffer.
func (b *Builder) ShapeName(t Text) {
	name := b.text(t)
	if known := IsElementType(name); name != "b" && (!strings.HasPrefix(b.src[t.End:], "[") || b.opts.Strict &&
		!known) {
		at := t.Off
		if known { // XLA misses its dimensions
			at = b.xla(t.Off, t.End)
		}
		b.fail(at, CodeElementType, quote(name)+" is not a shape", "")
		panic(Stop{})
	}
}

// ParameterShape is the end of a parameter in a signature: its shape is read, and not kept, as XLA does.
func (b *Builder) ParameterShape() { b.shape(b.shapeTxt) }

// Result is the end of a signature.
func (b *Builder) Result() { b.result = b.shapeTxt }

// ComputationClose is the closing brace.
func (b *Builder) ComputationClose() {
	b.closed = true
	if b.begun() {
		return
	}
	c := b.comp
	if n := len(b.list); n < 1024 {
		c.Instructions = keep(&b.pointers, b.list)
	} else { // the next computation will hardly need as long a list
		c.Instructions, b.list = b.list[:n:n], nil
	}
	c.Root = b.root
	if len(c.Instructions) == 0 { // all that stood here were errors
		return
	}
	if c.Root == nil {
		c.Root = c.Instructions[len(c.Instructions)-1]
	}
	if b.result.End > 0 {
		if declared := b.shape(b.result); c.Root.Shape != nil && declared != c.Root.Shape &&
			!declared.Compatible(c.Root.Shape) {
			at, says, has := difference(declared, c.Root.Shape)
			b.fail(b.result.Off, CodeResultShape, "the signature of "+c.Name+" says "+inWords(says)+at+
				", its root "+c.Root.Name+" has "+inWords(has), "")
		}
	}
	if !b.poisoned {
		b.checkParameters(c)
	}
}

// difference returns the first elements in which two tuples of one length differ, and in words where they are; other
// shapes as they are.
func difference(a, b *hlo.Shape) (at string, inA, inB *hlo.Shape) {
	var index hlo.Index
	for a.IsTuple() && b.IsTuple() && len(a.Elems) == len(b.Elems) {
		i := 0
		for i < len(a.Elems) && a.Elems[i].Compatible(b.Elems[i]) {
			i++
		}
		if i == len(a.Elems) {
			break
		}
		index, a, b = append(index, i), a.Elems[i], b.Elems[i]
		at = " in element " + index.String()
	}
	return at, a, b
}

// inWords returns a shape as text; of a long tuple only how many elements it has.
func inWords(s *hlo.Shape) string {
	if text := s.String(); !s.IsTuple() || len(text) <= 200 {
		return text
	}
	return "a tuple of " + strconv.Itoa(len(s.Elems))
}

// checkParameters refuses parameter numbers that are used twice or leave a gap. The parameters were noted as they were
// read: going through all instructions again costs 3 % of a parse, for none of them is in the cache any more
// (BenchmarkParse).
func (b *Builder) checkParameters(c *hlo.Computation) {
	count := int32(len(b.params))
	b.seen = append(b.seen[:0], make([]bool, count)...)
	seen := b.seen
	for _, in := range b.params {
		n := in.Parameter
		if n < 0 || n >= count {
			b.fail(uint32(in.Pos), CodeParameter, "parameter number "+strconv.Itoa(int(n))+" of "+c.Name+
				" leaves a gap", "there are "+strconv.Itoa(int(count))+" parameters")
		} else if seen[n] {
			at := uint32(in.Pos)
			if close := strings.IndexByte(b.src[at:], ')'); close >= 0 {
				at = b.xla(at, at+uint32(close))
			}
			b.fail(at, CodeParameter, "parameter number "+strconv.Itoa(int(n))+" of "+c.Name+" is used twice", "")
		} else {
			seen[n] = true
		}
	}
}

// ComputationEnd is the end of a computation and its attributes.
func (b *Builder) ComputationEnd() {
	c, entry := b.comp, b.entry
	c.Attrs = keep(&b.attributes, b.attrs)
	b.attrs = b.attrs[:0]
	begun := b.begun()
	b.popScope()
	if begun {
		return
	}
	b.addComputation(c)
	if entry {
		if b.m.Entry != nil {
			at := uint32(c.Pos)
			if b.opts.Strict {
				at = uint32(strings.LastIndex(b.src[:at], "ENTRY"))
			}
			b.fail(at, CodeRoot, "a second ENTRY computation", "the first is "+b.m.Entry.Name)
		}
		b.m.Entry = c
	}
}

func (b *Builder) addComputation(c *hlo.Computation) {
	b.compOf[c.Name] = c
	b.m.Computations = append(b.m.Computations, c)
}

// listsComputations are the attributes whose braces hold names; the braces of others hold a body.
var listsComputations = map[string]bool{"branch_computations": true, "called_computations": true}

// inline reports whether a braced value in the place of a computation's name is a body, and not a list of names: in a
// body an `=` follows the first name.
func (b *Builder) inline(t Text) bool {
	if b.opts.Strict {
		return !listsComputations[b.key.Name]
	}
	text := b.src[t.Off+1 : t.End]
	name := strings.TrimLeft(text, " \t\r\n")
	end := strings.IndexAny(name, ",}=")
	return end >= 0 && name[end] == '='
}

// inlineComputation reads a body in line; XLA calls it `_`, made unique.
func (b *Builder) inlineComputation(t Text) *hlo.Computation {
	b.alone()
	key, keyText, outer := b.key, b.keyText, append([]hlo.Attr(nil), b.attrs...)
	b.enter(t)
	b.pushScope()
	b.beginComputation("_", t)
	if !b.Sub(BodyRule, Text{t.Off + 1, t.End - 1}) {
		panic(Stop{})
	}
	b.ComputationClose()
	c := b.comp
	for n := 1; b.compOf[c.Name] != nil; n++ { // those inside of it have their names by now
		c.Name = "_." + strconv.Itoa(n)
	}
	b.popScope()
	b.leave()
	b.addComputation(c)
	b.key, b.keyText, b.attrs = key, keyText, append(b.attrs[:0], outer...)
	return c
}

// SingleInstruction prepares for a text that is one instruction without a computation around it.
func (b *Builder) SingleInstruction() {
	b.single = true
	b.m.Style.Single = true
	b.m.Name = "_"
	b.pushScope()
	b.beginComputation("_", Text{})
}

// SingleEnd finishes the computation around a single instruction; XLA takes the module for scheduled.
func (b *Builder) SingleEnd() {
	b.m.Attrs = []hlo.Attr{{Key: hlo.ModuleAttr("is_scheduled"), Value: hlo.WordOf("true")}}
	b.ComputationClose()
	c := b.comp
	b.popScope()
	b.addComputation(c)
}

// HeaderlessName gives a text without HloModule the name XLA gives it.
func (b *Builder) HeaderlessName() {
	if n := len(b.m.Computations); n > 0 {
		entry := b.m.Entry
		if entry == nil {
			entry = b.m.Computations[n-1]
		}
		b.m.Name = "module_" + entry.Name
	}
}
