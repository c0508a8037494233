package parser

import (
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser/internal/build"
)

// ParseAll reads a text of one or more modules: parts divided by lines that begin with `// -----`, as hlo-opt divides
// its input, or several modules in sequence. Package forms reads modules out of logs and the like. Positions are those
// in the whole text. A non-nil error is an hlo.ErrorList with the errors of all modules.
func (c Config) ParseAll(file, text string) ([]*hlo.Module, error) {
	if c.Strict { // XLA reads one module
		m, err := c.Parse(file, text)
		if err != nil {
			return nil, err
		}
		return []*hlo.Module{m}, nil
	}
	var modules []*hlo.Module
	var errs hlo.ErrorList
	for _, p := range parts(text) {
		m, err := c.parse(file, text, p.from, p.to)
		if err != nil {
			errs = append(errs, err.(hlo.ErrorList)...)
			continue
		}
		modules = append(modules, m)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return modules, nil
}

type part struct{ from, to int }

// parts cuts a text at dividing lines, and before every line but the first that begins with `HloModule`. A part without
// anything to read belongs to the next one, or to the last one if there is no next; a text without modules has
// itself as its one part.
func parts(text string) []part {
	var out []part
	from := 0
	add := func(to int) {
		if first, _ := word(text[from:to]); first != "" {
			out = append(out, part{from, to})
			from = to
		}
	}
	headerSeen := false
	for at := 0; at < len(text); {
		line := text[at:]
		switch {
		case strings.HasPrefix(line, build.Divider):
			add(at)
			headerSeen = false
		case strings.HasPrefix(line, "HloModule"):
			if headerSeen {
				add(at)
			}
			headerSeen = true
		}
		end := strings.IndexByte(line, '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	add(len(text))
	if len(out) == 0 {
		return []part{{0, len(text)}}
	}
	out[len(out)-1].to = len(text)
	return out
}

// rhsName is what parseRHS puts in front of an instruction without a name; XLA gives it the same name.
const rhsName = "_ = "

// parseRHS reads a text[from:to] that is only the right-hand side of an instruction: `f32[2] negate(f32[2] x)`.
func (c Config) parseRHS(file, text string, from, to int) (*hlo.Module, error) {
	m, err := c.parse(file, text[:from]+rhsName+text[from:to], from, to+len(rhsName))
	line := 1 + strings.Count(text[:from], "\n")
	errs, _ := err.(hlo.ErrorList)
	for _, e := range errs {
		if e.Line == line {
			e.Col = max(1, e.Col-len(rhsName))
			e.Source = strings.Replace(e.Source, rhsName, "", 1)
		}
	}
	return m, err
}
