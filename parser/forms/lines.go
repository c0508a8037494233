package forms

import (
	"regexp"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// lineStart is where an instruction begins in a line: at its start, or after a bullet, a label ("XLA label:") or a log
// prefix.
var lineStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?:^|[ \t>|:\\]`'\"])((?:ROOT )?%?[A-Za-z_][\\w.\\-<>]* = " +
		"(?:\\(|[a-z]\\w*\\[|[a-z][\\w\\-]*\\())")
})

// omitted is what stands for operands that are left out of a label: "...(+6)".
var omitted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(,?\s*\.\.\.(?:\s*\(\+\d+\))?)\s*\)`) })

// ParseLines reads the instructions in a text without a module. See parser.Config.ParseLines.
func ParseLines(c parser.Config, file, data string) (*Input, error) {
	e, _ := peeled(excerpt{text: data, file: data})
	s := newSearch(e)
	out := clip{of: e}
	left := 0
	for i, l := range s.lines {
		at := lineStart().FindStringSubmatchIndex(s.line(i))
		if at == nil {
			if strings.TrimSpace(s.line(i)) != "" {
				left++
			}
			continue
		}
		from := l.from + at[2]
		for _, o := range omitted().FindAllStringSubmatchIndex(e.text[from:l.to], -1) {
			out.add(from, l.from+at[2]+o[2])
			from = l.from + at[2] + o[3]
		}
		out.add(from, l.to)
		out.put("\n", l.to)
	}
	x := out.done()
	c.Origin = x.origin()
	m, err := c.ParseLines(file, x.text)
	if err != nil {
		return nil, err
	}
	return &Input{Form: Lines, Modules: []*hlo.Module{m}, Left: left}, nil
}

// Lines is the form of instructions without a module.
const Lines = "instructions alone"

// HasLines reports whether a text has instructions and is not part of a module.
func HasLines(data string) bool {
	if strings.Contains(data, "HloModule ") {
		return false
	}
	found := false
	for l := range strings.Lines(data) {
		if isComputation(strings.TrimSpace(l)) {
			return false
		}
		found = found || lineStart().MatchString(l)
	}
	return found
}
