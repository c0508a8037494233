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
		"(?:\\(\\)|\\(*([a-z]\\w*)\\[|([a-z][\\w\\-]*)\\())")
})

// instructionIn returns where an instruction begins in a line, -1 for none. Programs assign to names, too: without a %
// the type or the opcode is a known one.
func instructionIn(line string) int {
	at := lineStart().FindStringSubmatchIndex(line)
	if at == nil {
		return -1
	}
	if strings.Contains(line[at[2]:at[3]], "%") {
		return at[2]
	}
	if at[4] >= 0 {
		if _, ok := hlo.ParseDType(line[at[4]:at[5]]); !ok {
			return -1
		}
	}
	if at[6] >= 0 && !hlo.IsOpcode(line[at[6]:at[7]]) {
		return -1
	}
	return at[2]
}

// omitted is what stands for operands that are left out of a label: "...(+6)".
var omitted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(,?\s*\.\.\.(?:\s*\(\+\d+\))?)\s*\)`) })

// ParseLines reads the instructions in a text without a module. See parser.Config.ParseLines.
func ParseLines(c parser.Config, file, data string) (*Input, error) {
	e, _ := peeled(excerpt{text: data, file: data})
	s := newSearch(e)
	out := clip{of: e}
	left := 0
	for i, l := range s.lines {
		at := instructionIn(s.line(i))
		if at < 0 {
			if strings.TrimSpace(s.line(i)) != "" {
				left++
			}
			continue
		}
		from := l.from + at
		for _, o := range omitted().FindAllStringSubmatchIndex(e.text[from:l.to], -1) {
			out.add(from, l.from+at+o[2])
			from = l.from + at + o[3]
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
		found = found || instructionIn(l) >= 0
	}
	return found
}
