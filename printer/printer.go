// Package printer writes modules as HLO text, in one of two ways.
//
// The Preserving mode has XLA's spacing and order of attributes; names, computations, instructions, tables, comments
// and the words of every value are as they were read, a default that was written included.
//
// The Canonical mode is what XLA prints after it has read the text: names with %, signatures, a layout on every array
// of rank 1 and above, operands without shapes, computations in post-order with the entry last, instructions in
// post-order unless the module is scheduled, tables of stack frames numbered anew, shardings and replica groups in
// their shortest form, attributes that have their default left out, no comments but /*index=5*/ at every fifth element
// of a tuple, and constants of more than ten elements as {...}. Format changes some of this.
//
// Attributes follow the operands in a fixed order: those of the operation, then its computations, sharding,
// frontend_attributes, control-predecessors, statistics, result_accuracy, origin, metadata, backend_config. A float is
// written with the fewest of two numbers of digits, which depend on its type, that reads back as the same value.
//
// Sources: XLA's hlo_instruction.cc and hlo_module.cc, and the texts of jaxlib 0.10.2, which the tests compare.
package printer

import (
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// Print returns the module as text, in the preserving mode.
func Print(m *hlo.Module) string {
	return Config{}.Print(m)
}

// Append appends the module's text to dst, in the preserving mode: XLA's spacing and attribute order; computations,
// instructions, names, literals and tables in the order and with the words they were read with.
func Append(dst []byte, m *hlo.Module) []byte {
	p := printer{out: dst, style: m.Style, comments: m.Comments}
	p.header(m)
	p.computations(m)
	p.commentLines(m.Comments[m], hlo.CommentBeforeEnd, "")
	return p.out
}

type printer struct {
	out   []byte
	style hlo.Style
	attrs []hlo.Attr // scratch for sorting

	parameters []*hlo.Instruction // scratch for a signature

	comments map[any][]hlo.Comment // of the module
	inside   []hlo.Comment         // of the instruction being printed
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
	p.commentLines(p.comments[m], hlo.CommentBefore, "")
	p.text("HloModule ")
	p.text(m.Name)
	p.attributes(m.Attrs, nil)
	p.commentsBehind(p.comments[m], hlo.CommentBehind)
	p.text("\n")
	if m.Tables != nil {
		p.tables(m.Tables)
	} else if p.style.EmptyTables {
		p.text("\n")
	}
	p.text("\n")
}

// headerRoom is how many bytes the header takes, or a little more: an alias of all parameters takes megabytes.
func headerRoom(m *hlo.Module) int {
	n := 256 + len(m.Name)
	for _, a := range m.Attrs {
		n += len(a.Key.Name) + len(a.Value.Text) + 16
	}
	if t := m.Tables; t != nil {
		for _, rows := range [][]hlo.TableString{t.FileNames, t.FunctionNames} {
			for _, r := range rows {
				n += len(r.Text) + 16
			}
		}
		n += 128*len(t.FileLocations) + 64*len(t.StackFrames)
	}
	return n
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

// declared returns the first line of a computation that the text ends in, after its name: parameters and result are not
// all known.
func declared(c *hlo.Computation) string {
	if c.Module == nil || c.Pos < 0 || int(c.Pos) >= len(c.Module.Source) {
		return "{"
	}
	line, _, _ := strings.Cut(c.Module.Source[c.Pos:], "\n")
	return strings.TrimSpace(line[min(len(line), strings.IndexAny(line, " ({")):])
}

// head prints what precedes a computation's instructions.
func (p *printer) head(c *hlo.Computation) {
	p.commentLines(p.comments[c], hlo.CommentBefore, "")
	if c.IsEntry() {
		p.text("ENTRY ")
	}
	p.name(c.Name)
	if c.Root == nil {
		p.text(" " + declared(c) + "\n")
		return
	}
	if p.style.Signatures {
		p.text(" (")
		p.parameters = c.AppendParameters(p.parameters[:0])
		for i, in := range p.parameters {
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
	p.text(" {")
	p.commentsBehind(p.comments[c], hlo.CommentBehind)
	p.text("\n")
}

// instruction keeps the text in a local variable, which takes the appends half the time (BenchmarkPrint).
func (p *printer) instruction(in *hlo.Instruction) {
	out, percent := p.out, p.style.Percent
	if in.IsRoot() {
		out = append(out, "ROOT "...)
	}
	if percent {
		out = append(out, '%')
	}
	out = append(append(out, in.Name...), " = "...)
	out = append(in.Shape.Append(out, true), ' ')
	out = append(append(out, in.OpName()...), '(')
	switch in.Opcode {
	case hlo.OpConstant:
		out = append(out, in.Literal()...)
	case hlo.OpParameter:
		out = strconv.AppendInt(out, int64(in.Parameter), 10)
	default:
		for i, o := range in.Operands {
			if i > 0 {
				out = append(out, ", "...)
				if i%5 == 0 && p.style.IndexComments {
					out = hlo.AppendIndexComment(out, i)
				}
			}
			if p.inside != nil {
				out = p.appendInside(out, i, hlo.CommentBeforeOperand)
			}
			if p.style.OperandShapes {
				out = append(o.Shape.Append(out, true), ' ')
			}
			if percent {
				out = append(out, '%')
			}
			out = append(out, o.Name...)
			if p.inside != nil {
				out = p.appendInside(out, i, hlo.CommentBehindOperand)
			}
		}
	}
	p.out = append(out, ')')
	p.instructionAttributes(in)
}

// instructionAttributes prints the attributes in XLA's order. A short async form has those of two instructions, whose
// print mixes; they stay in the order they were read in, as do those of an unknown opcode.
func (p *printer) instructionAttributes(in *hlo.Instruction) {
	attrs := in.Attrs
	for i := 1; i < len(attrs) && in.OpText() == ""; i++ {
		if in.Opcode.PrintOrder(attrs[i-1].Key) <= in.Opcode.PrintOrder(attrs[i].Key) {
			continue
		}
		if len(in.Called()) <= 1 { // several calling attributes are matched to Called by their order
			p.attrs = append(p.attrs[:0], attrs...)
			slices.SortStableFunc(p.attrs, func(a, b hlo.Attr) int {
				return in.Opcode.PrintOrder(a.Key) - in.Opcode.PrintOrder(b.Key)
			})
			attrs = p.attrs
		}
		break
	}
	p.attributes(attrs, in.Called())
}

// attributes prints `, key=value` for each attribute.
func (p *printer) attributes(attrs []hlo.Attr, called []*hlo.Computation) {
	out := p.out
	for i := range attrs {
		a := &attrs[i]
		out = append(append(append(out, ", "...), a.Key.Name...), '=')
		text := a.Value.Text
		if a.Value.Kind == hlo.NameValue {
			if a.Key.Called && len(called) > 0 {
				text, called = called[0].Name, called[1:]
			}
			if p.style.Percent {
				out = append(out, '%')
			}
		}
		out = append(out, text...)
	}
	p.out = out
}
