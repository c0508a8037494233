package build

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// valueReader holds the attribute value being read as a stack of open lists and pairs.
type valueReader struct {
	items []hlo.Value
	open  []openValue
	all   Text // of the value
}

type openValue struct {
	from int  // where in items its elements begin
	sign byte // the bracket, or '=' for a pair that waits for its value
	at   Text
}

// value returns the module's value with the given text; each distinct text is read once.
func (b *Builder) value(kind Kind, t Text) *hlo.Value {
	text := b.text(t)
	if b.opts.Strict { // what a text may be depends on the key
		text = b.key.Name + "=" + text
	}
	known := &b.valueOf
	if b.key != nil && b.key.Name == "frontend_attributes" {
		known = &b.frontend
	}
	if v, ok := known.get(text); ok {
		return v
	}
	v := b.readValue(kind, t)
	known.put(text, v)
	return v
}

func (b *Builder) readValue(kind Kind, t Text) *hlo.Value {
	text := b.text(t)
	f, known := b.formOf()
	if known && b.opts.Strict {
		b.checkForm(f, kind, t)
	}
	switch kind {
	case Braced, Bracketed:
		b.values.all = t
		rule := b.ruleFor(f, kind, text)
		errors := len(b.errs)
		ok := kind == Braced && rule != FrontendRule && !b.opts.Strict && b.plain(t) || b.Sub(rule, t)
		// Not as XLA writes it today, but it may be tomorrow; a value over several lines rather lacks its closing
		// brace.
		if !ok && !b.opts.Strict && rule != ValueRule && rule != FrontendRule && !strings.Contains(text, "\n") {
			b.errs = b.errs[:errors]
			ok = b.Sub(ValueRule, t)
		}
		if !ok {
			panic(Stop{})
		}
		if items := b.values.items; len(items) == 1 {
			return &keep(&b.slabs.values, items)[0]
		}
		return &hlo.Value{Kind: hlo.ListValue, Text: text, Elems: keep(&b.slabs.values, b.values.items)}
	case Tuple:
		if b.key.Name == "literal" { // ( SHAPE LITERAL, ... ): the items alternate
			errors := len(b.errs)
			b.values.all = t
			if b.Sub(ValueRule, t) && len(b.values.items) == 1 {
				v := b.values.items[0]
				return &v
			}
			b.errs = b.errs[:errors]
			return &hlo.Value{Kind: hlo.RawValue, Text: text}
		}
		return &hlo.Value{Kind: hlo.ShapeValue, Text: text, Shape: b.shape(t)}
	}
	return &keep(&b.slabs.values, []hlo.Value{b.atom(kind, t)})[0]
}

// ruleFor chooses the rule for the inside of a value: the one for its key where there is one.
func (b *Builder) ruleFor(f form, kind Kind, text string) Rule {
	switch {
	case kind == Bracketed && text[0] == 'm':
		return MeshRule
	case kind == Bracketed:
		return IotaRule
	case f.rule == ModuleRule || f.rule == ShardingRule &&
		strings.Contains(text, "mesh["): // no rule, or the named form
		return ValueRule
	}
	return f.rule
}

// ValueBegin begins the inside of a composite value.
func (b *Builder) ValueBegin() {
	b.values.items, b.values.open = b.values.items[:0], b.values.open[:0]
}

var atomKinds = [...]hlo.ValueKind{
	Name: hlo.WordValue, String: hlo.StringValue, Int: hlo.IntValue, Float: hlo.FloatValue, Pattern: hlo.PatternValue,
	JSON: hlo.RawValue, Punct: hlo.PunctValue, Scalar: hlo.WordValue,
}

func (b *Builder) atom(kind Kind, t Text) hlo.Value {
	text := b.text(t)
	switch {
	case kind == Shape:
		if i := nameEnd(text); !IsElementType(text[:i]) {
			return hlo.Value{Kind: hlo.WordValue, Text: text} // mesh[] and the like
		}
		return hlo.Value{Kind: hlo.ShapeValue, Text: text, Shape: b.shape(t)}
	case kind == Name && text[0] == '%':
		return hlo.Value{Kind: hlo.NameValue, Text: text[1:]}
	case kind == Int && len(text) > 18:
		b.number(t) // refuses what does not fit
	case kind == Pattern:
		b.checkNumbers(t)
	}
	return hlo.Value{Kind: atomKinds[kind], Text: text}
}

// checkNumbers refuses a pattern such as 3x3 or 1_2 with a number that does not fit.
func (b *Builder) checkNumbers(t Text) {
	for _, number := range strings.FieldsFunc(b.text(t), func(r rune) bool {
		return r != '-' && (r < '0' || r > '9')
	}) {
		if len(number) > 18 && !fits(number) {
			b.fail(t.Off, CodeNumber, "the number "+quote(number)+" does not fit in 64 bits", "")
		}
	}
}

func nameEnd(s string) int {
	i := 0
	for i < len(s) && (s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || s[i] >= '0' && s[i] <= '9') {
		i++
	}
	return i
}

// IsElementType reports whether s names an element type.
func IsElementType(s string) bool {
	_, ok := hlo.ParseDType(s)
	return ok
}

// Atom adds a value of one token.
func (b *Builder) Atom(kind Kind, t Text) { b.addItem(b.atom(kind, t), t.End) }

// addItem adds a finished value that ends at an offset; if a pair waits for it, the pair is finished too.
func (b *Builder) addItem(v hlo.Value, end uint32) {
	r := &b.values
	if n := len(r.open); n > 0 && r.open[n-1].sign == '=' {
		pair := r.open[n-1]
		r.open = r.open[:n-1]
		key := b.text(pair.at)
		v = hlo.Value{Kind: hlo.PairValue, Open: '=', Text: key[:len(key)-1],
			Elems: keep(&b.slabs.values, []hlo.Value{v})}
	}
	if n := len(r.items); n == cap(r.items) { // append alone would grow a long list in many small steps
		size := foreseen(n, int(r.all.Off), int(end), int(r.all.End)) // the alias of all parameters has 50,000 items
		r.items = append(make([]hlo.Value, 0, max(16, 2*n, size)), r.items...)
	}
	r.items = append(r.items, v)
}

// PairKey begins key=value.
func (b *Builder) PairKey(t Text) {
	b.values.open = append(b.values.open, openValue{len(b.values.items), '=', t})
}

// Open begins a list.
func (b *Builder) Open(t Text) {
	b.enter(t)
	b.values.open = append(b.values.open, openValue{len(b.values.items), b.src[t.Off], t})
}

// Close finishes a list. A parenthesised list of shapes is a tuple shape.
func (b *Builder) Close(t Text) {
	b.leave()
	r := &b.values
	list := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	elems := r.items[list.from:]
	if list.from == 0 && len(elems) > lastBlock {
		r.items = nil // what is as large as input_output_alias may be is not copied
	} else {
		elems, r.items = keep(&b.slabs.values, elems), r.items[:list.from]
	}
	whole := Text{list.at.Off, t.End}
	v := hlo.Value{Kind: hlo.ListValue, Open: list.sign, Text: b.text(whole), Elems: elems}
	if last := len(r.items) - 1; list.sign == '(' && len(elems) == 1 && elems[0].Kind == hlo.ShapeValue && last >= 0 &&
		r.items[last].Kind == hlo.WordValue && r.items[last].Text == "b" { // b(SHAPE) is a buffer
		whole.Off = uint32(strings.LastIndexByte(b.src[:whole.Off], 'b'))
		r.items = r.items[:last]
		v = hlo.Value{Kind: hlo.ShapeValue, Text: b.text(whole),
			Shape: b.intern(&hlo.Shape{Kind: hlo.BufferShape, Elems: []*hlo.Shape{elems[0].Shape}})}
	} else if list.sign == '(' && len(elems) > 0 && allShapes(elems) {
		v = hlo.Value{Kind: hlo.ShapeValue, Text: v.Text, Shape: b.shapesIn(&v)}
		// The parameters of an entry layout are not a tuple.
		if b.opts.Strict && !(b.key.Name == "entry_computation_layout" && len(r.open) == 1 && len(r.items) == 0) {
			b.checkElements(v.Shape.Elems, list.at.Off)
		}
	}
	b.addItem(v, t.End)
}

// MustClose refuses the token at an offset where no comma goes on with a list, unless it closes the list. XLA takes a
// comma before that token, too, which a grammar that looks one token ahead can say only with a call for each item.
func (b *Builder) MustClose(off uint32) {
	if b.src[off] != ')' {
		b.fail(off, CodeSyntax, "a list goes on without a comma", "expected `,` or `)`")
		panic(Stop{})
	}
}

func allShapes(vs []hlo.Value) bool {
	for i := range vs {
		if vs[i].Kind != hlo.ShapeValue {
			return false
		}
	}
	return true
}

// shapeIn returns the shape a value stands for; a parenthesised list of shapes, even an empty one, is a tuple.
func (b *Builder) shapeIn(v *hlo.Value) *hlo.Shape {
	if v.Kind == hlo.ShapeValue {
		return v.Shape
	}
	if v.Kind != hlo.ListValue || v.Open != '(' {
		return nil
	}
	tuple := b.shapesIn(v)
	if tuple != nil {
		b.checkElements(tuple.Elems, b.keyText.Off)
	}
	return tuple
}

// shapesIn returns the shapes in parentheses as a tuple.
func (b *Builder) shapesIn(v *hlo.Value) *hlo.Shape {
	if v.Kind == hlo.ShapeValue {
		return v.Shape
	}
	if v.Kind != hlo.ListValue || v.Open != '(' {
		return nil
	}
	elems := make([]*hlo.Shape, len(v.Elems))
	for i := range v.Elems {
		if elems[i] = b.shapeIn(&v.Elems[i]); elems[i] == nil {
			return nil
		}
	}
	return b.intern(hlo.NewTuple(elems...))
}

// entryLayout turns the items of {(shapes)->shape} into the two shapes that Module.EntryLayout expects.
func (b *Builder) entryLayout(v *hlo.Value, at Text) *hlo.Value {
	if v.Kind == hlo.ListValue && len(v.Elems) == 3 && v.Elems[1].Text == "->" {
		params, result := b.shapesIn(&v.Elems[0]), b.shapeIn(&v.Elems[2])
		if params != nil && result != nil && params.IsTuple() {
			return entryValue(v.Text, v.Elems[0].Text, params, v.Elems[2].Text, result)
		}
	}
	b.fail(at.Off, CodeValue, "entry_computation_layout is not of the form {(SHAPES)->SHAPE}", "")
	return v
}

// entryValue is the value of entry_computation_layout: two shapes with their texts.
func entryValue(text, paramsText string, params *hlo.Shape, resultText string, result *hlo.Shape) *hlo.Value {
	return &hlo.Value{Kind: hlo.ListValue, Open: '{', Text: text, Elems: []hlo.Value{
		{Kind: hlo.ShapeValue, Text: paramsText, Shape: params},
		{Kind: hlo.ShapeValue, Text: resultText, Shape: result}}}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
