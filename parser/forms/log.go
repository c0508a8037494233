package forms

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"hlolayout/parser/internal/lines"
)

// logPrefix is what a logging library puts in front of a message: the severity, a date or a time, the thread, and the
// place in the source. The groups are what is the same in all lines of one message.
//
//	absl, glog   I1121 10:00:00.123456   12345 hlo_pass.cc:9] text        (absl/log/internal/log_format.cc)
//	             I20241121 10:00:00.123456   12345 hlo_pass.cc:9] text    glog 0.6 and later
//	             I0000 00:00:1732190400.123456   12345 hlo_pass.cc:9]      before InitializeLog: seconds since 1970
//	TensorFlow   2024-11-21 10:00:00.123456: I xla/service/dump.cc:9] text  (tsl/platform/default/logging.cc)
var logPrefix = sync.OnceValue(func() *regexp.Regexp {
	const place = `([^\s:\]]+:\d+)\]`
	return regexp.MustCompile(`\b[IWEFV]\d{4}(?:\d{4})? \d+:\d+:\d+(?:\.\d+)?\s+(\w+)\s+` + place +
		`|\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?: [IWEFV](?:\s*(\d+))?\s+` + place)
})

// maxPrefix is how far into a line a log prefix is looked for.
const maxPrefix = 300

// prefix is what precedes each line of a message: its digits differ from line to line, but for those of the
// places in fixed.
type prefix struct {
	text  string
	fixed [][2]int
}

// prefixOf returns the log prefix of a line, with whatever precedes it, such as the name of a machine; ok is
// false where there is none.
func prefixOf(line string) (p prefix, ok bool) {
	head := line[:min(len(line), maxPrefix)]
	if !strings.Contains(head, "]") {
		return p, false
	}
	at := logPrefix().FindStringSubmatchIndex(head)
	if at == nil {
		return p, false
	}
	p.text = line[:at[1]]
	if strings.HasPrefix(line[at[1]:], " ") {
		p.text = line[:at[1]+1]
	}
	for g := 2; g+1 < len(at); g += 2 {
		if at[g] >= 0 {
			p.fixed = append(p.fixed, [2]int{at[g], at[g+1]})
		}
	}
	return p, true
}

// strip returns the offset after the prefix in a line, false where the line has another one or none.
func (p prefix) strip(line string) (int, bool) {
	i, k := 0, 0
	for i < len(p.text) {
		switch c := p.text[i]; {
		case isDigit(c):
			a, b := run(p.text, i, isDigit), run(line, k, isDigit)
			if b == k || p.isFixed(i) && p.text[i:a] != line[k:b] {
				return 0, false
			}
			i, k = a, b
		case isBlank(c):
			a, b := run(p.text, i, isBlank), run(line, k, isBlank)
			switch {
			case a == len(p.text): // what follows is indentation
				return min(b, k+a-i), true
			case b == k:
				return 0, false
			}
			i, k = a, b
		case k >= len(line) || line[k] != c:
			return 0, false
		default:
			i, k = i+1, k+1
		}
	}
	return k, true
}

func (p prefix) isFixed(at int) bool {
	for _, f := range p.fixed {
		if f[0] <= at && at < f[1] {
			return true
		}
	}
	return false
}

func run(s string, at int, is func(byte) bool) int {
	for at < len(s) && is(s[at]) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// line is a line of an excerpt, without its end.
type line struct{ from, to int }

// search finds modules among other lines.
type search struct {
	excerpt
	lines []line
	used  []bool // the line belongs to a module
	log   bool   // some lines have a log prefix: others may be noise
}

func newSearch(e excerpt) *search {
	s := &search{excerpt: e}
	for at := 0; at < len(e.text); {
		end := strings.IndexByte(e.text[at:], '\n')
		if end < 0 {
			end = len(e.text) - at
		}
		s.lines = append(s.lines, line{at, at + end})
		at += end + 1
	}
	s.used = make([]bool, len(s.lines))
	for i := 0; i < len(s.lines) && !s.log; i++ {
		_, s.log = prefixOf(s.line(i))
	}
	return s
}

func (s *search) line(i int) string {
	return strings.TrimSuffix(s.text[s.lines[i].from:s.lines[i].to], "\r")
}

// modules returns the modules, and how many lines with words on them belong to none.
func (s *search) modules() (out []excerpt, left int) {
	for i := range s.lines {
		if at, ok := headerIn(s.line(i)); ok && !s.used[i] {
			if e, ok := s.module(i, at); ok {
				out = append(out, e)
			}
		}
	}
	for i := 0; i < len(s.lines) && len(out) == 0; i++ { // a module without its first line
		p, _ := prefixOf(s.line(i))
		if at := run(s.line(i), len(p.text), isBlank); isComputation(s.line(i)[at:]) {
			if e, ok := s.module(i, at); ok {
				out = append(out, e)
			}
		}
	}
	for i := range s.lines {
		if !s.used[i] && strings.ContainsFunc(s.line(i), func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r)
		}) {
			left++
		}
	}
	return out, left
}

// headerIn returns where the first line of a module begins in a line: `HloModule name`, with nothing but attributes
// after it.
func headerIn(line string) (int, bool) {
	const word = "HloModule "
	at := strings.Index(line, word)
	if at < 0 || at > 0 && isName(line[at-1]) {
		return 0, false
	}
	end := run(line, at+len(word), isName)
	rest := strings.TrimSpace(line[end:])
	return at, end > at+len(word) && (rest == "" || rest[0] == ',')
}

func isName(c byte) bool {
	return c == '%' || c == '_' || c == '.' || c == '-' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func isComputation(line string) bool {
	name, ok := lines.Computation(line)
	return ok && run(name, 0, isName) == len(name)
}

// module takes the module out that begins in line i after some prefix. Where each of its lines has the prefix, only
// those belong to it; otherwise it has those that have no log prefix. ok is false where no computation follows.
func (s *search) module(i, at int) (e excerpt, ok bool) {
	p, logged := prefixOf(s.line(i))
	whole := prefix{s.line(i)[:at], p.fixed}
	if !logged || len(p.text) > at {
		p = whole
	}
	each, ok := s.prefixed(p, i)
	if !ok && logged { // each line may have a word after the prefix of the log
		p = whole
		each, ok = s.prefixed(p, i)
	}
	if !ok {
		return e, false
	}
	b := body{clip: clip{of: s.excerpt}, noisy: s.log || strings.TrimSpace(p.text) != ""}
	b.take(s.line(i)[at:], s.lines[i].from+at, s.lines[i].to)
	s.used[i] = true
	for j := i + 1; j < len(s.lines); j++ {
		l, k := s.line(j), 0
		if _, noise := prefixOf(l); each {
			if k, ok = p.strip(l); !ok {
				continue
			}
		} else if noise {
			continue
		}
		taken, ended := b.take(l[k:], s.lines[j].from+k, s.lines[j].to)
		if ended {
			break
		}
		s.used[j] = taken
	}
	return b.done(), true
}

// prefixed reports whether the lines after line i, where a module begins, have the same prefix. ok is false where
// those are not a module's.
func (s *search) prefixed(p prefix, i int) (each, ok bool) {
	const reach = 1000
	if strings.TrimSpace(p.text) == "" && isComputation(s.line(i)) {
		return false, true
	}
	for j := i + 1; j < min(len(s.lines), i+reach); j++ {
		l := s.line(j)
		k, same := p.strip(l)
		if same && strings.TrimSpace(p.text) != "" && (isBody(l[k:]) || strings.TrimSpace(l[k:]) == "") {
			return true, true
		}
		if isBody(l) {
			return false, true
		}
		if _, another := headerIn(l); another && (same || strings.TrimSpace(p.text) == "") {
			return false, false
		}
	}
	return false, false
}

// isBody reports whether a line can follow a module's first line: the head of a table or of a computation. An
// instruction does where the first line is a computation's.
func isBody(line string) bool {
	t := strings.TrimSpace(line)
	return lines.Table(t) || isComputation(t) || lines.Instruction(t)
}

// body is a module that is taken out line by line.
type body struct {
	clip
	noisy    bool // lines that are not HLO are left out; else they are errors
	header   bool // its first line was taken
	begun    bool // a computation was
	inside   bool // of a computation
	entry    bool // the computation is the entry
	complete bool // the entry is whole
	depth    int
}

// take adds a line, text[from:to] of the search, if it belongs to the module. ended says that the module ended: with
// the line, or in front of it where it was not taken.
func (b *body) take(line string, from, to int) (taken, ended bool) {
	t := strings.TrimSpace(line)
	switch {
	case b.inside && (strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")):
		return false, true
	case b.inside && b.noisy && b.depth <= 0 && t != "" && t[0] != '}' && t[0] != '/' && !lines.Instruction(t):
		return false, false
	case b.inside:
		if lines.Close(line, b.depth) {
			b.inside = false
			b.complete = b.complete || b.entry
			if brace := from + strings.IndexByte(line, '}') + 1; closesString(b.of.text[brace:to]) {
				to, ended = brace, true
			}
		} else {
			b.depth += lines.Balance(t)
		}
	case isComputation(t):
		b.inside, b.begun, b.depth = true, true, 0
		b.entry = strings.HasPrefix(t, "ENTRY ")
	case b.header && isHeader(line):
		return false, true
	case t == "" || strings.HasPrefix(t, "//") || !b.header:
	case !b.begun && (lines.Table(t) || isRow(t)):
	case b.complete:
		return false, true
	case b.noisy:
		return false, false
	}
	b.header = true
	b.add(from, to)
	b.put("\n", to)
	return true, ended
}

// closesString reports whether what follows a module's brace closes a string of a program: C++ has )" with the
// string's delimiter in between, Python has three quotes.
func closesString(rest string) bool {
	if strings.HasPrefix(rest, ")") {
		return strings.HasPrefix(rest[run(rest, 1, isName):], `"`)
	}
	return strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, "'''") || strings.HasPrefix(rest, "`")
}

func isHeader(line string) bool {
	_, ok := headerIn(line)
	return ok
}

// isRow reports whether a line is a row of a table: a number, then a string or a list in braces.
func isRow(line string) bool {
	n := run(line, 0, isDigit)
	rest := strings.TrimLeft(line[n:], " ")
	return n > 0 && rest != "" && (rest[0] == '"' || rest[0] == '{')
}
