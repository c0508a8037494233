package build

import (
	"hlolayout/hlo"
)

// ---- header and tables ----------------------------------------------------------------------------------------------

// ModuleName is the name after HloModule.
func (b *Builder) ModuleName(t Text) {
	b.m.Name = b.name(t)
	b.attrEnd = t.End
	b.checkName(t)
}

// HeaderEnd finishes the module's attributes.
func (b *Builder) HeaderEnd() {
	b.m.Attrs = keep(&b.attributes, b.attrs)
	b.attrs = b.attrs[:0]
}

// Key begins an attribute.
func (b *Builder) Key(t Text) {
	name := b.src[t.Off : t.End-1]
	b.keyText = t
	key, ok := b.keyOf.get(name)
	if !ok {
		switch {
		case b.scope == nil:
			key = hlo.ModuleAttr(name)
		case b.closed:
			key = hlo.ComputationAttr(name)
		default:
			key = hlo.InstructionAttr(name)
		}
		if !key.Known {
			b.refuse(t.Off, CodeAttribute, "unknown attribute "+quote(name), didYouMean(name, hlo.KnownAttrs()))
		}
		if b.scope != nil && !b.closed {
			b.keyOf.put(name, key)
		}
	}
	b.key = key
	if b.opts.Strict && key.Known && b.scope != nil && !b.closed && !b.takes(name) {
		b.fail(t.Off, CodeAttribute, b.in.OpName()+" takes no attribute "+name, "")
		panic(Stop{})
	}
	for i := range b.attrs {
		if b.attrs[i].Key == key {
			b.fail(t.Off, CodeRepeated, "duplicate attribute "+name, "")
		}
	}
}

// Value finishes an attribute that Key began.
func (b *Builder) Value(kind Kind, t Text) {
	b.attrEnd = t.End
	if b.opts.Strict {
		defer b.around(b.keyText, b.key, len(b.errs))
	}
	if b.key.Called {
		b.calledValue(kind, t)
		return
	}
	v := b.plainEntryLayout(t)
	if v == nil {
		v = b.value(kind, t)
		if b.key.Name == "entry_computation_layout" && len(v.Elems) != 2 {
			v = b.entryLayout(v, t)
		}
	}
	b.attrs = append(b.attrs, hlo.Attr{Key: b.key, Value: v})
	if b.opts.Strict {
		b.checkValue(v)
	}
}

// AttrLiteral adds the literal after the shape of literal=.
func (b *Builder) AttrLiteral(t Text) {
	a := &b.attrs[len(b.attrs)-1]
	if a.Key.Name != "literal" {
		b.fail(t.Off, CodeSyntax, "unexpected "+quote(b.text(t)), "expected `,` or the next instruction")
		return
	}
	text := b.src[b.keyText.End:t.End]
	for text[0] == ' ' || text[0] == '\n' || text[0] == '\t' || text[0] == '\r' {
		text = text[1:]
	}
	a.Value = &hlo.Value{Kind: hlo.ShapeValue, Text: text, Shape: a.Value.Shape,
		Elems: []hlo.Value{{Kind: hlo.RawValue, Text: b.text(t)}}}
}

// calledValue is the value of an attribute that names computations: a name, a list of names, or a body in line.
func (b *Builder) calledValue(kind Kind, t Text) {
	key, text := b.key, b.text(t)
	if b.opts.Open && !(kind == Braced && b.inline(t)) { // nothing is called that is not there
		b.attrs = append(b.attrs, hlo.Attr{Key: &hlo.AttrKey{Name: key.Name, Known: true}, Value: b.value(kind, t)})
		return
	}
	switch {
	case b.opts.Strict && listsComputations[key.Name] != (kind == Braced) && !(kind == Braced && b.inline(t)):
		b.fail(t.Off, CodeValue, key.Name+" cannot be "+quote(text), "")
		panic(Stop{})
	case kind == Name:
		if c := b.computationNamed(t, b.name(t)); c != nil {
			b.called = append(b.called, c)
		}
		v, ok := b.calleeOf.get(text)
		if !ok {
			v = &hlo.Value{Kind: hlo.NameValue, Text: b.name(t)}
			b.calleeOf.put(text, v)
		}
		b.attrs = append(b.attrs, hlo.Attr{Key: key, Value: v})
	case kind == Braced:
		if b.inline(t) {
			c := b.inlineComputation(t)
			b.called = append(b.called, c)
			b.attrs = append(b.attrs, hlo.Attr{Key: key, Value: &hlo.Value{Kind: hlo.NameValue, Text: c.Name}})
			return
		}
		v := b.value(kind, t)
		for i := range v.Elems {
			e := &v.Elems[i]
			if e.Kind != hlo.NameValue && e.Kind != hlo.WordValue {
				b.fail(t.Off, CodeValue, key.Name+" lists something that is not a computation", "write {%a, %b}")
				return
			}
			if c := b.computationNamed(t, e.Text); c != nil {
				b.called = append(b.called, c)
			}
		}
		b.attrs = append(b.attrs, hlo.Attr{Key: key, Value: v})
	default:
		b.fail(t.Off, CodeValue, key.Name+" needs the name of a computation", "")
	}
}

func (b *Builder) computationNamed(at Text, name string) *hlo.Computation {
	c := b.compOf[name]
	if c == nil && b.piece != nil && b.piece.inside != nil {
		b.piece.calls = append(b.piece.calls, pendingCall{b.in, len(b.called), name, b.begun()})
		b.called = append(b.called, nil)
		return nil
	}
	if c == nil {
		names := make([]string, 0, len(b.m.Computations))
		for _, c := range b.m.Computations {
			names = append(names, c.Name)
		}
		hint := didYouMean(name, names)
		if hint == "" {
			hint = "computations are defined before they are used"
		}
		b.fail(at.Off, CodeComputation, "no computation "+quote(name), hint)
		b.broken = true
	}
	return c
}

type tableRow struct {
	number int64
	fields []rowField
	key    string
}

// rowField is a field of a row as written.
type rowField struct {
	key   string
	at    uint32
	value int32
}

// column is where a field of a row goes.
type column struct {
	key string
	to  *int32
}

// Tables begins the stack-frame tables.
func (b *Builder) Tables() { b.m.Tables = &hlo.StackTables{} }

// RowNumber is the number in front of a row.
func (b *Builder) RowNumber(t Text) { b.row = tableRow{number: b.number(t), fields: b.row.fields[:0]} }

// push appends a row; a table begins with room for several.
func push[T any](rows []T, row T) []T {
	if rows == nil {
		rows = make([]T, 0, 8)
	}
	return append(rows, row)
}

// FileName is a row of FileNames.
func (b *Builder) FileName(t Text) {
	b.checkEscapes(t)
	b.m.Tables.FileNames = push(b.m.Tables.FileNames, hlo.TableString{Number: b.row.number, Text: b.text(t)})
}

// FunctionName is a row of FunctionNames.
func (b *Builder) FunctionName(t Text) {
	b.checkEscapes(t)
	b.m.Tables.FunctionNames = push(b.m.Tables.FunctionNames, hlo.TableString{Number: b.row.number, Text: b.text(t)})
}

func (b *Builder) checkEscapes(t Text) {
	if b.opts.Strict && badEscape(b.text(t)) {
		b.fail(t.Off, CodeValue, "the string "+quote(b.text(t))+" has an unknown escape sequence", "")
	}
}

// FieldKey and FieldValue are one field of a row in braces.
func (b *Builder) FieldKey(t Text) {
	b.row.key = b.src[t.Off : t.End-1]
	b.keyText = t
}

// FieldValue is the number after FieldKey.
func (b *Builder) FieldValue(t Text) {
	n := b.number(t)
	if n != int64(int32(n)) {
		b.fail(t.Off, CodeNumber, "the number "+b.text(t)+" does not fit in 32 bits", "")
	}
	for _, f := range b.row.fields {
		if f.key == b.row.key {
			b.fail(b.keyText.Off, CodeRepeated, "duplicate field "+b.row.key, "")
			return
		}
	}
	b.row.fields = append(b.row.fields, rowField{b.row.key, b.keyText.Off, int32(n)})
}

// fields takes the named fields out of the row; every one must be there, and no other.
func (b *Builder) fields(at Text, columns ...column) {
	for _, f := range b.row.fields {
		i := 0
		for i < len(columns) && columns[i].key != f.key {
			i++
		}
		if i == len(columns) {
			b.fail(f.at, CodeTables, "a row of this table has no field "+f.key, "")
		} else {
			*columns[i].to = f.value
		}
	}
	if len(b.row.fields) < len(columns) {
		b.fail(at.Off, CodeTables, "the row lacks a field", "")
	}
}

// FileLocation is a row of FileLocations.
func (b *Builder) FileLocation() {
	r := hlo.FileLocation{Number: b.row.number}
	b.fields(b.keyText, column{"file_name_id", &r.FileNameID}, column{"function_name_id", &r.FunctionNameID},
		column{"line", &r.Line}, column{"end_line", &r.EndLine}, column{"column", &r.Column},
		column{"end_column", &r.EndColumn})
	b.m.Tables.FileLocations = push(b.m.Tables.FileLocations, r)
}

// StackFrame is a row of StackFrames.
func (b *Builder) StackFrame() {
	r := hlo.StackFrame{Number: b.row.number}
	b.fields(b.keyText, column{"file_location_id", &r.FileLocationID}, column{"parent_frame_id", &r.ParentFrameID})
	b.m.Tables.StackFrames = push(b.m.Tables.StackFrames, r)
}
