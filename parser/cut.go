package parser

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser/internal/build"
	"hlolayout/parser/internal/grammar"
	"hlolayout/parser/internal/lines"
)

// tail says how a text ends, where it does not end after a computation.
type tail struct {
	whole int    // up to here the text is header, tables, whole computations and whole instructions
	open  int    // the start of the computation that the text ends in, -1 for none
	where string // what the text ends in, as in "inside computation %f"; "" for the end of a computation
}

// tailOf looks at the lines of text[from:to] as XLA prints them: a computation begins with a line that ends in a brace
// and ends with one that begins with a brace. An instruction takes one line, and more only inside of brackets.
func tailOf(text string, from, to int) tail {
	t := tail{whole: from, open: -1}
	name, first, depth := "", 0, 0 // of the open computation; where its first instruction begins
	table, tables := "", from      // the last of the stack-frame tables; where they begin
	for at := from; at < to; {
		end := strings.IndexByte(text[at:to], '\n')
		ended := end >= 0
		if !ended {
			end = to - at
		}
		line := strings.TrimSpace(text[at : at+end])
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case table != "" && line[0] >= '0' && line[0] <= '9': // a row, whose end may be missing
		case t.open < 0:
			if n, ok := lines.Computation(line); ok && ended {
				t.open, name, first, depth, table = at, n, at+end, 0, ""
			} else if lines.Table(line) && t.whole == from {
				if table == "" {
					tables = at
				}
				table = line
			} else if ok || t.whole > from && !ended {
				t.where = "in the first line of a computation"
				return t
			}
		case lines.Close(text[at:at+end], depth):
			t.open, t.whole = -1, at+end
		default:
			if depth += lines.Balance(line); depth <= 0 && ended {
				t.whole = at + end
			}
		}
		at += end + 1
	}
	if table != "" {
		t.where, t.whole = "in "+table+", before the first computation", tables
	}
	if t.open >= 0 {
		t.where = "inside computation " + name
		if t.whole <= first {
			t.whole = t.open
		}
	}
	return t
}

// countLines returns the number of lines of a text.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// isCut reports whether errors are those of a text that is cut: the text[from:to] ends inside of a computation or
// in the tables before them, and what is wrong is in its last line.
func isCut(err error, text string, from, to int) (tail, bool) {
	errs, _ := err.(hlo.ErrorList)
	if len(errs) == 0 {
		return tail{}, false
	}
	t := tailOf(text, from, to)
	if t.where == "" || t.whole == from {
		return t, false
	}
	last := countLines(strings.TrimRight(text[:to], " \t\r\n"))
	for _, e := range errs {
		if e.Line < last {
			return t, false
		}
	}
	return t, true
}

// parsePart reads what is whole of a text that is cut: computations, and the instructions of the one that it ends in.
func (c Config) parsePart(file, text string, from, to int, t tail) (*hlo.Module, error) {
	b := build.New(file, text, c.options())
	grammar.New(b).Parse(build.FirstRule, build.Text{Off: uint32(from), End: uint32(t.whole)})
	m, errs := b.FinishPart()
	if len(errs) > 0 {
		return nil, errs
	}
	return c.cut(m, to, "the text ends "+t.where)
}

// cut says of a module that the text up to an offset is only a part of it: an error, unless parts are asked for.
func (c Config) cut(m *hlo.Module, to int, why string) (*hlo.Module, error) {
	text := strings.TrimRight(m.Source[:to], "\n")
	e := hlo.Error{File: m.File, Line: countLines(text), Col: len(text) - strings.LastIndexByte(text, '\n'),
		Code: build.CodeCut, Msg: "the module is cut: " + why,
		Hint: "what follows is not known; --partial reads what is whole, for diff, check, stats and fmt"}
	if c.Origin != nil {
		e.Line, e.Col, _ = c.Origin.Position(int32(len(text)))
	}
	if !c.Partial {
		return nil, hlo.ErrorList{&e}
	}
	m.Cut = "line " + strconv.Itoa(e.Line) + ": " + why
	return m, nil
}
