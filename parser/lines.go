package parser

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser/internal/build"
	"hlolayout/parser/internal/grammar"
	"hlolayout/parser/internal/lines"
)

// ParseLines reads instructions without a module, one on each line that looks like one: those that profiles and
// messages about memory show. What the text lacks is left open: an operand that it does not define is a parameter, of
// type token[] where no shape is written, and a computation that it does not define is not called. The module has one
// computation, which no compiler printed: it serves to compute what its values take. Of a line that is cut off after
// its operands the attributes are dropped. A line that cannot be read is a warning, and an error where no other can.
func (c Config) ParseLines(file, text string) (*hlo.Module, error) {
	m := &hlo.Module{Name: "_", File: file, Source: text, Origin: c.Origin, Cut: "instructions without their module",
		Style: hlo.Style{Single: true}}
	body := &hlo.Computation{Name: "_", Module: m, Pos: 0}
	known := map[string]*hlo.Instruction{}
	var failed hlo.ErrorList
	for from := 0; from < len(text); {
		to := from + len(text[from:])
		if end := strings.IndexByte(text[from:], '\n'); end >= 0 {
			to = from + end
		}
		if lines.Instruction(text[from:to]) {
			list, err := c.parseLine(file, text, from, to)
			if err != nil {
				if list, _ = c.parseLine(file, text, from, operandsEnd(text, from, to)); list == nil {
					failed = append(failed, err.(hlo.ErrorList)[0])
				}
			}
			for _, in := range list {
				if old := known[in.Name]; old == nil || old.Opcode == hlo.OpParameter && in.Opcode != hlo.OpParameter {
					in.Shape = m.Intern(in.Shape)
					known[in.Name] = in
					body.Instructions = append(body.Instructions, in)
				}
			}
		}
		from = to + 1
	}
	if len(body.Instructions) == 0 {
		if failed == nil {
			failed = hlo.ErrorList{{File: file, Code: build.CodeSyntax, Msg: "no line is an instruction"}}
		}
		return nil, failed
	}
	for _, e := range failed {
		if e.Warning = true; c.Warn != nil {
			c.Warn(e)
		}
	}
	body.Root = body.Instructions[len(body.Instructions)-1]
	number := int32(0)
	for _, in := range body.Instructions {
		if in.Opcode == hlo.OpParameter {
			in.Parameter = number
			number++
		}
	}
	body.Renumber()
	m.Computations, m.Entry = []*hlo.Computation{body}, body
	m.Attrs = []hlo.Attr{{Key: hlo.ModuleAttr("is_scheduled"), Value: hlo.WordOf("true")}}
	m.LinkCallers()
	return m, nil
}

// parseLine reads the instruction in text[from:to], with its parameters in front of it. The builder sees the line
// alone: what it sets aside is in proportion to its text.
func (c Config) parseLine(file, text string, from, to int) ([]*hlo.Instruction, error) {
	o := c.options()
	o.Open, o.Origin = true, nil
	var warnings hlo.ErrorList
	o.Warn = func(w *hlo.Error) { warnings = append(warnings, w) }
	b := build.New(file, text[from:to], o)
	p := grammar.New(b)
	b.SingleInstruction()
	if p.Parse(build.SingleRule, build.Text{End: uint32(to - from)}) {
		p.Finally(b.SingleEnd)
	}
	m, errs := b.Finish()
	for _, e := range slices.Concat(errs, warnings) {
		if at := from + e.Col - 1; c.Origin != nil {
			e.Line, e.Col, e.Source = c.Origin.Position(int32(at))
		} else {
			e.Line = 1 + strings.Count(text[:from], "\n")
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	for _, w := range warnings {
		if c.Warn != nil {
			c.Warn(w)
		}
	}
	for _, in := range m.Entry.Instructions {
		in.Pos += int32(from)
	}
	return m.Entry.Instructions, nil
}

// operandsEnd returns the offset after the operands of the instruction in text[from:to].
func operandsEnd(text string, from, to int) int {
	depth, shape := 0, true // shape: what is in the brackets is the result's
	for i := from + strings.Index(text[from:to], "=") + 1; i < to; i++ {
		switch ch := text[i]; ch {
		case '(', '{', '[':
			if depth == 0 && ch == '(' && text[i-1] != ' ' {
				shape = false // the opcode is in front of it
			}
			depth++
		case ')', '}', ']':
			if depth--; depth == 0 && ch == ')' && !shape {
				return i + 1
			}
		}
	}
	return to
}
