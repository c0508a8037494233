package build

import (
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// maxDepth limits the nesting of shapes, values and operands; XLA's own limit is 8192 levels of recursion.
const maxDepth = 1000

// maxErrors is how many errors are collected before reading stops.
const maxErrors = 100

// Options says how to read.
type Options struct {
	Strict bool
	Warn   func(*hlo.Error)
	// Infer gives the result shape of an instruction whose text leaves it out.
	Infer func(*hlo.Instruction) (*hlo.Shape, error)
	// Open reads a single instruction whose operands and computations are not all known.
	Open bool
	// Origin is the module's, nil for none.
	Origin *hlo.Origin
}

// Builder receives the events of the grammar's actions and builds one module from them.
type Builder struct {
	// Sub reads the inside of a composite token by a rule of the grammar; the parser sets it.
	Sub func(rule Rule, text Text) bool

	opts  Options
	src   string
	m     *hlo.Module
	errs  hlo.ErrorList
	depth int
	// resumed is how far reading has come again after an error; poisoned says that some instruction could not be read
	resumed  uint32
	poisoned bool
	failed   uint32 // where the last error is
	single   bool   // a single instruction: unknown operands with a shape become parameters
	piece    *piece
	comments []Text

	// shared by text
	shapeOf  memo[*hlo.Shape]
	valueOf  memo[*hlo.Value]
	frontend memo[*hlo.Value] // valueOf of frontend_attributes, whose values are refused if they are not a map
	calleeOf memo[*hlo.Value] // names of computations: a bare one is a word where none is called
	keyOf    memo[*hlo.AttrKey]
	opcodeOf memo[hlo.Opcode]
	compOf   map[string]*hlo.Computation
	shapes   shapeReader
	values   valueReader
	attrs    []hlo.Attr
	attrEnd  uint32 // after the value read last, or the module's name
	key      *hlo.AttrKey
	seen     []bool       // scratch of checkParameters
	scratch  []int64      // of plainShape
	elements []*hlo.Shape // of the tuples that plainTuple is reading
	between  []byte       // scratch of plainTuple
	keyText  Text
	row      tableRow
	shapeTxt Text // the shape token read last outside instructions

	scopes []*scope
	*scope // of the computation being read
	slabs
}

// New returns a builder for one source text.
func New(file, src string, opts Options) *Builder {
	b := &Builder{
		shapeOf: newMemo[*hlo.Shape](len(src)), valueOf: newMemo[*hlo.Value](len(src)),
		frontend: newMemo[*hlo.Value](0), calleeOf: newMemo[*hlo.Value](0),
		keyOf: newMemo[*hlo.AttrKey](0), opcodeOf: newMemo[hlo.Opcode](0),
		compOf: map[string]*hlo.Computation{},
	}
	b.Begin(file, src, opts)
	return b
}

// Begin gives a text to a builder that has none.
func (b *Builder) Begin(file, src string, opts Options) {
	b.opts, b.src = opts, src
	b.m = &hlo.Module{File: file, Source: src, Origin: opts.Origin, Style: hlo.Style{IndexComments: true}}
}

// Reset takes its text and module from the builder and keeps the memory of its tables and lists, empty, for the next:
// a module of 3 to 8 KB takes half as much for them as for itself.
func (b *Builder) Reset() {
	for _, s := range b.scopes[:cap(b.scopes)] {
		if s != nil {
			*s = scope{list: emptied(s.list), names: s.names, params: emptied(s.params), ops: emptied(s.ops),
				called: emptied(s.called), nests: s.nests[:0]}
		}
	}
	clear(b.compOf)
	*b = Builder{
		Sub:     b.Sub,
		shapeOf: b.shapeOf.emptied(), valueOf: b.valueOf.emptied(), frontend: b.frontend.emptied(),
		calleeOf: b.calleeOf.emptied(), keyOf: b.keyOf.emptied(), opcodeOf: b.opcodeOf.emptied(),
		compOf: b.compOf,
		shapes: shapeReader{done: emptied(b.shapes.done)},
		values: valueReader{items: emptied(b.values.items), open: b.values.open},
		attrs:  emptied(b.attrs), seen: b.seen, scratch: b.scratch, elements: emptied(b.elements), between: b.between,
		row:    tableRow{fields: emptied(b.row.fields)},
		scopes: b.scopes[:0],
	}
}

// emptied returns the list without elements, and without pointers after its end.
func emptied[T any](list []T) []T {
	clear(list[:cap(list)])
	return list[:0]
}

// Source returns the text being read.
func (b *Builder) Source() string { return b.src }

// Strict reports whether the text is read strictly.
func (b *Builder) Strict() bool { return b.opts.Strict }

func (b *Builder) text(t Text) string { return b.src[t.Off:t.End] }

// name returns the name in a name token: without the `%` in front or the `:` after it.
func (b *Builder) name(t Text) string {
	s := b.src[t.Off:t.End]
	if s[0] == '%' {
		return s[1:]
	}
	if s[len(s)-1] == ':' {
		return s[:len(s)-1]
	}
	return s
}

func (b *Builder) enter(at Text) {
	if b.depth++; b.depth > maxDepth {
		b.fail(at.Off, CodeTooDeep, "nested more than "+strconv.Itoa(maxDepth)+" levels deep", "")
		panic(Stop{})
	}
}

func (b *Builder) leave() { b.depth-- }

// ---- errors ---------------------------------------------------------------------------------------------------------

// fail records an error at a byte offset; after maxErrors it ends the reading.
func (b *Builder) fail(off uint32, code, msg, hint string) {
	b.alone()
	b.failed = off
	b.errs = append(b.errs, b.finding(off, code, msg, hint))
	if len(b.errs) >= maxErrors {
		panic(Stop{})
	}
}

// refuse is an error when reading strictly, a warning otherwise.
func (b *Builder) refuse(off uint32, code, msg, hint string) {
	if b.opts.Strict {
		b.fail(off, code, msg, hint)
	} else {
		b.warn(off, code, msg, hint)
	}
}

func (b *Builder) warn(off uint32, code, msg, hint string) {
	if b.opts.Warn != nil {
		b.alone()
		e := b.finding(off, code, msg, hint)
		e.Warning = true
		b.opts.Warn(e)
	}
}

// xla chooses between the place that helps a reader most and the one that XLA's parser names: the token after
// `after`, where its lexer is when it finds the mistake. Strict reading answers like XLA.
func (b *Builder) xla(better, after uint32) uint32 {
	if !b.opts.Strict {
		return better
	}
	return b.tokenAfter(after)
}

// tokenAfter skips blanks and comments from an offset.
func (b *Builder) tokenAfter(off uint32) uint32 {
	for {
		rest := b.src[off:]
		trimmed := strings.TrimLeft(rest, " \t\r\n")
		end := 0
		switch {
		case strings.HasPrefix(trimmed, "/*"):
			end = strings.Index(trimmed, "*/") + 2
		case strings.HasPrefix(trimmed, "//"):
			end = strings.IndexByte(trimmed, '\n') + 1
		}
		off += uint32(len(rest) - len(trimmed))
		if end < 2 {
			return off
		}
		off += uint32(end)
	}
}

func (b *Builder) finding(off uint32, code, msg, hint string) *hlo.Error {
	if b.m.Origin != nil {
		line, col, source := b.m.Origin.Position(int32(off))
		return &hlo.Error{File: b.m.File, Line: line, Col: col, Code: code, Msg: msg, Hint: hint, Source: source}
	}
	line, col := b.m.Position(int32(off))
	start := int(off) - col + 1
	end := len(b.src)
	if i := strings.IndexByte(b.src[start:], '\n'); i >= 0 {
		end = start + i
	}
	return &hlo.Error{File: b.m.File, Line: line, Col: col, Code: code, Msg: msg, Hint: hint, Source: b.src[start:end]}
}

// SyntaxError records what the grammar cannot read: the token found and, computed only now, what was expected there.
func (b *Builder) SyntaxError(found Text, noToken bool, expected func() []string) {
	what, code := "unexpected "+quote(b.text(found)), CodeSyntax
	switch {
	case int(found.Off) >= len(b.src):
		what = "the text ends too early"
	case noToken:
		what, code = "no token of HLO begins with "+quote(b.text(found)), CodeToken
	case found.Off == found.End:
		what = "something is missing here"
	}
	hint := ""
	names := expected()
	if len(names) > 0 && len(names) <= 6 {
		hint = "expected " + orList(names)
	}
	at := min(found.Off, uint32(len(b.src)))
	if b.opts.Strict {
		at = b.xlaSyntax(at, slices.Contains(names, "a shape"))
	}
	b.failed = at
	b.errs = append(b.errs, b.finding(at, code, what, hint))
}

// xlaSyntax is where XLA finds a syntax error that the grammar finds at an offset: it goes back to the name in an
// operand list that nothing fitting follows, does not take a brace for a layout's that no number or colon follows, and
// reads the element type before it misses the rest of a shape.
func (b *Builder) xlaSyntax(off uint32, shapeExpected bool) uint32 {
	if b.scope != nil && !b.closed && len(b.nests) > 0 {
		if n := b.nests[0]; n.typed {
			return n.shape.Off
		}
		return b.nests[0].op.Off
	}
	if b.scope != nil && b.operand.hasName && !b.closed {
		return b.operandStart()
	}
	if brace := b.shapes.array.brace; brace.End > 0 && b.tokenAfter(brace.End) == off && b.shapes.array.end == 0 {
		return brace.Off
	}
	if n := nameEnd(b.src[off:]); shapeExpected && IsElementType(b.src[off:int(off)+n]) {
		return b.tokenAfter(off + uint32(n))
	}
	return off
}

func orList(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// quote shows a piece of the source in a message, shortened.
func quote(s string) string {
	const most = 40
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}

func didYouMean(name string, candidates []string) string {
	if near := hlo.Nearest(name, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// number returns the value of an integer token. Like XLA it takes 0..2^64-1, stored as int64 bits, and -2^63..-1.
func (b *Builder) number(t Text) int64 {
	s := b.text(t)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	u, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		b.fail(t.Off, CodeNumber, "the number "+quote(s)+" does not fit in 64 bits", "")
		return 0
	}
	return int64(u)
}

// fits reports whether number takes the text.
func fits(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		_, err = strconv.ParseUint(s, 10, 64)
	}
	return err == nil
}

// ---- the result -----------------------------------------------------------------------------------------------------

// Finish returns the module, or what is wrong with the text.
func (b *Builder) Finish() (*hlo.Module, hlo.ErrorList) {
	if len(b.errs) > 0 {
		b.errs.Sort()
		return nil, b.errs
	}
	if last := b.m.Computations[len(b.m.Computations)-1]; b.m.Entry == nil && (b.opts.Strict || fitsEntry(b.m, last)) {
		b.m.Entry = last
	}
	if b.opts.Strict {
		if b.checkAliases(); len(b.errs) > 0 {
			return nil, b.errs
		}
	}
	return b.linked(), nil
}

// fitsEntry reports whether a computation may be the entry of a module whose text names none. XLA takes the last one;
// where the header has the entry's layout and that is of other shapes, the text is cut in front of the entry.
func fitsEntry(m *hlo.Module, c *hlo.Computation) bool {
	params, result, ok := m.EntryLayout()
	if !ok {
		return true
	}
	own := c.Parameters()
	if len(own) != len(params) || c.Root == nil || !result.Compatible(c.Root.Shape) {
		return false
	}
	for i, p := range own {
		if p == nil || !params[i].Compatible(p.Shape) {
			return false
		}
	}
	return true
}

// FinishPart returns the module of a text that ends in a computation, or what is wrong with it.
func (b *Builder) FinishPart() (*hlo.Module, hlo.ErrorList) {
	if len(b.errs) > 0 {
		b.errs.Sort()
		return nil, b.errs
	}
	if s := b.scope; s != nil && b.comp != nil && !b.closed {
		b.comp.Instructions, b.comp.Root = slices.Clone(b.list), b.root
		if s.entry {
			b.m.Entry = b.comp
		}
		b.addComputation(b.comp)
	}
	return b.linked(), nil
}

// linked returns the module with what is found when all of it is read.
func (b *Builder) linked() *hlo.Module {
	b.m.LinkCallers()
	if len(b.comments) > 0 {
		b.attachComments()
	}
	return b.m
}

// FinishShape returns the shape that ShapeRule read, or what is wrong with its text.
func (b *Builder) FinishShape() (*hlo.Shape, hlo.ErrorList) {
	if len(b.errs) > 0 {
		b.errs.Sort()
		return nil, b.errs
	}
	return b.shapes.done[0], nil
}
