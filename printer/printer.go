// Package printer writes modules as HLO text.
package printer

import (
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// Print returns the module as text, in the preserving mode.
func Print(m *hlo.Module) string {
	return string(Append(make([]byte, 0, len(m.Source)+len(m.Source)/8+256), m))
}

// Append appends the module's text to dst, in the preserving mode: XLA's spacing and attribute order; computations,
// instructions, names, literals and tables in the order and with the words they were read with.
func Append(dst []byte, m *hlo.Module) []byte {
	p := printer{out: dst, style: m.Style}
	p.header(m)
	for _, c := range m.Computations {
		p.computation(c)
		p.out = append(p.out, '\n')
	}
	return p.out
}

// AppendInstruction appends one instruction as a line of a module would hold it, without the indentation and the end of line.
func AppendInstruction(dst []byte, in *hlo.Instruction) []byte {
	p := printer{out: dst, style: in.Computation.Module.Style}
	p.instruction(in)
	return p.out
}

type printer struct {
	out   []byte
	style hlo.Style
	attrs []hlo.Attr // scratch for sorting
}

func (p *printer) text(s string)  { p.out = append(p.out, s...) }
func (p *printer) number(n int64) { p.out = strconv.AppendInt(p.out, n, 10) }
func (p *printer) field(k string, n int32) {
	p.text(k)
	p.number(int64(n))
}

func (p *printer) name(s string) {
	if p.style.Percent {
		p.out = append(p.out, '%')
	}
	p.text(s)
}

func (p *printer) header(m *hlo.Module) {
	p.text("HloModule ")
	p.text(m.Name)
	p.attributes(m.Attrs, nil)
	p.text("\n")
	if m.Tables != nil {
		p.tables(m.Tables)
	} else if p.style.EmptyTables {
		p.text("\n")
	}
	p.text("\n")
}

func (p *printer) tables(t *hlo.StackTables) {
	for _, s := range []struct {
		name string
		rows []hlo.TableString
	}{{"FileNames", t.FileNames}, {"FunctionNames", t.FunctionNames}} {
		p.text("\n" + s.name + "\n")
		for _, r := range s.rows {
			p.number(r.Number)
			p.text(" ")
			p.text(r.Text)
			p.text("\n")
		}
	}
	p.text("\nFileLocations\n")
	for _, r := range t.FileLocations {
		p.number(r.Number)
		p.field(" {file_name_id=", r.FileNameID)
		p.field(" function_name_id=", r.FunctionNameID)
		p.field(" line=", r.Line)
		p.field(" end_line=", r.EndLine)
		p.field(" column=", r.Column)
		p.field(" end_column=", r.EndColumn)
		p.text("}\n")
	}
	p.text("\nStackFrames\n")
	for _, r := range t.StackFrames {
		p.number(r.Number)
		p.field(" {file_location_id=", r.FileLocationID)
		p.field(" parent_frame_id=", r.ParentFrameID)
		p.text("}\n")
	}
	p.text("\n")
}

func (p *printer) computation(c *hlo.Computation) {
	if c.IsEntry() {
		p.text("ENTRY ")
	}
	p.name(c.Name)
	if p.style.Signatures {
		p.text(" (")
		for i, in := range c.Parameters() {
			if i > 0 {
				p.text(", ")
			}
			p.text(in.Name)
			p.text(": ")
			p.out = in.Shape.Append(p.out, false)
		}
		p.text(") -> ")
		p.out = c.Root.Shape.Append(p.out, false)
	}
	p.text(" {\n")
	for _, in := range c.Instructions {
		p.text("  ")
		p.instruction(in)
		p.text("\n")
	}
	p.text("}")
	p.attributes(c.Attrs, nil)
	p.text("\n")
}

func (p *printer) instruction(in *hlo.Instruction) {
	if in.IsRoot() {
		p.text("ROOT ")
	}
	p.name(in.Name)
	p.text(" = ")
	p.out = in.Shape.Append(p.out, true)
	p.text(" ")
	p.text(in.OpName())
	p.text("(")
	switch in.Opcode {
	case hlo.OpConstant:
		p.text(in.Literal)
	case hlo.OpParameter:
		p.number(int64(in.Parameter))
	default:
		for i, o := range in.Operands {
			if i > 0 {
				p.text(", ")
				if p.style.IndexComments {
					p.out = hlo.AppendIndexComment(p.out, i)
				}
			}
			if p.style.OperandShapes {
				p.out = o.Shape.Append(p.out, true)
				p.text(" ")
			}
			p.name(o.Name)
		}
	}
	p.text(")")
	p.instructionAttributes(in)
}

// instructionAttributes prints the attributes in XLA's order. A short async form has those of two instructions, whose
// print mixes (hlo-text.md 3.1); they stay in the order they were read in, as do those of an unknown opcode.
func (p *printer) instructionAttributes(in *hlo.Instruction) {
	attrs := in.Attrs
	for i := 1; i < len(attrs) && in.OpText == ""; i++ {
		if in.Opcode.PrintOrder(attrs[i-1].Key) <= in.Opcode.PrintOrder(attrs[i].Key) {
			continue
		}
		if len(in.Called) <= 1 { // several calling attributes are matched to Called by their order
			p.attrs = append(p.attrs[:0], attrs...)
			slices.SortStableFunc(p.attrs, func(a, b hlo.Attr) int {
				return in.Opcode.PrintOrder(a.Key) - in.Opcode.PrintOrder(b.Key)
			})
			attrs = p.attrs
		}
		break
	}
	p.attributes(attrs, in.Called)
}

// attributes prints `, key=value` for each attribute.
func (p *printer) attributes(attrs []hlo.Attr, called []*hlo.Computation) {
	for i := range attrs {
		a := &attrs[i]
		p.text(", ")
		p.text(a.Key.Name)
		p.text("=")
		switch {
		case a.Key.Called && a.Value.Kind == hlo.NameValue && len(called) > 0:
			p.name(called[0].Name)
			called = called[1:]
		case a.Value.Kind == hlo.NameValue:
			p.name(a.Value.Text)
		default:
			p.text(a.Value.Text)
		}
	}
}
