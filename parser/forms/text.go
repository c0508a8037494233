package forms

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// beginsAsHLO reports whether a text begins as HLO does, so that it is parsed before anything else is looked for.
func beginsAsHLO(head string) bool {
	head = strings.TrimLeft(head, " \t\r\n")
	if strings.HasPrefix(head, "HloModule ") || strings.HasPrefix(head, "ENTRY ") || strings.HasPrefix(head, "//") ||
		strings.HasPrefix(head, "/*") {
		return true
	}
	end := run(head, 0, isName)
	rest := strings.TrimLeft(head[end:], " ")
	return end > 0 && rest != "" && (rest[0] == '=' || rest[0] == '{' || rest[0] == '(' || rest[0] == '[')
}

// resembles reports whether some line of a text could be meant as HLO, so that what is wrong with it is worth saying.
// An empty text is a module without its lines.
func resembles(data string) bool {
	empty := true
	for l := range strings.Lines(data) {
		t := strings.TrimSpace(l)
		empty = empty && t == ""
		if strings.HasPrefix(t, "HloModule") || strings.HasPrefix(t, "ENTRY") || strings.HasPrefix(t, "ROOT ") ||
			strings.HasPrefix(t, "%") || isComputation(t) || instructionIn(l) >= 0 {
			return true
		}
	}
	return empty
}

// peel is a form of text that holds another text.
type peel struct {
	name  string
	marks string // what such a text holds
	open  func(excerpt) (excerpt, bool)
}

// peels are tried in their order until none applies any more.
var peels = []peel{
	{"text with colours", "\x1b", withoutEscapes},
	{"string of a program", `\n`, unquoted},
}

// maxPeels is how many texts may be in each other.
const maxPeels = 4

// parseMarked parses the modules in a text that has other things around them. marked is false where nothing but a
// failed parse says so: then the errors are those of the text as it is.
func parseMarked(c parser.Config, file, data string) (in *Input, marked bool, err error) {
	e, form := peeled(excerpt{text: data, file: data})
	marked = form != ""
	s := newSearch(e)
	found, left := s.modules()
	if len(found) == 0 && !marked {
		return nil, false, nil
	}
	if form == "" {
		form = s.form()
		marked = form != notes || left > 0 && !startsModule(data)
		if !marked && left == 0 && len(found) == 1 &&
			len(strings.TrimSpace(found[0].text)) == len(strings.TrimSpace(data)) {
			return nil, false, nil // it is the text itself
		}
	}
	in = &Input{Form: form, Left: left}
	if len(found) == 0 {
		found, in.Left = []excerpt{e}, 0
	}
	var errs hlo.ErrorList
	for _, f := range found {
		own := c
		own.Origin = f.origin()
		ms, err := own.ParseAll(file, f.text)
		if err != nil {
			errs = append(errs, err.(hlo.ErrorList)...)
		}
		in.Modules = append(in.Modules, ms...)
	}
	return in, marked, errs.Err()
}

// startsModule reports whether a text begins with a module: an error in it is one, not another line in a log.
func startsModule(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "HloModule ")
}

// The forms of a text with other lines.
const (
	logLines = "log"
	markdown = "Markdown"
	notes    = "text with other lines"
)

// form says what the lines are that belong to no module.
func (s *search) form() string {
	if s.log {
		return logLines
	}
	for i := range s.lines {
		if t := strings.TrimLeft(s.line(i), " >"); !s.used[i] &&
			(strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")) {
			return markdown
		}
	}
	return notes
}

// peeled takes off what is around a text. name is that of the outermost form, "" for none.
func peeled(e excerpt) (_ excerpt, name string) {
	for range maxPeels {
		again := false
		for _, p := range peels {
			if !strings.Contains(e.text, p.marks) {
				continue
			}
			if inner, ok := p.open(e); ok {
				e, again = inner, true
				if name == "" {
					name = p.name
				}
			}
		}
		if !again {
			break
		}
	}
	return e, name
}

// escapes are the control sequences of ECMA-48: CSI (colours, erasing), OSC (links, titles), and those of two
// characters.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[ -/]*[0-~])")
})

func withoutEscapes(e excerpt) (excerpt, bool) {
	at := escapes().FindAllStringIndex(e.text, -1)
	if at == nil {
		return e, false
	}
	c := clip{of: e}
	from := 0
	for _, a := range at {
		c.add(from, a[0])
		from = a[1]
	}
	c.add(from, len(e.text))
	return c.done(), true
}

// unquoted replaces the strings that hold modules, such as Python's repr of a text or a value in JSON, by what they
// stand for. Each is on its own lines.
func unquoted(e excerpt) (excerpt, bool) {
	const word = "HloModule "
	c := clip{of: e}
	from := 0
	for at := 0; at < len(e.text); {
		i := strings.Index(e.text[at:], word)
		if i < 0 {
			break
		}
		at += i
		quote := byte(0)
		if at > 0 && strings.IndexByte("'\"`", e.text[at-1]) >= 0 {
			quote = e.text[at-1]
		}
		if !startsString(e.text[at:], quote) {
			at += len(word)
			continue
		}
		c.add(from, at)
		c.put("\n", at)
		at = c.unescape(at, quote)
		c.put("\n", at)
		from = at
	}
	if from == 0 {
		return e, false
	}
	c.add(from, len(e.text))
	return c.done(), true
}

// startsString reports whether a text that begins with HloModule is the inside of a string: an escaped end of a line
// ends its first line, or the string's quote does, where the string goes on in another one on the next line.
func startsString(text string, quote byte) bool {
	line, _, _ := strings.Cut(text, "\n")
	if t := strings.TrimRight(line, " \t\r+\\"); quote != 0 && t != "" && t[len(t)-1] == quote {
		return true
	}
	at := strings.Index(line, `\n`)
	if at < 0 {
		return false
	}
	header := line[:at]
	return strings.Count(header, "{") == strings.Count(header, "}") &&
		strings.Count(header, "(") == strings.Count(header, ")")
}

// unescape adds the string that e.text has at an offset, up to its quote, and those after it that Python and C join to
// it, or up to the end of the line without a quote. The lines of a notebook's output, a list of strings that end in
// \n, are joined too. It returns the offset after it.
func (c *clip) unescape(at int, quote byte) int {
	text := c.of.text
	from := at
	for at < len(text) {
		switch ch := text[at]; {
		case ch == '\\' && at+1 < len(text):
			c.add(from, at)
			s, n := unescaped(text[at:])
			c.put(s, at)
			at += n
			from = at
		case quote != 0 && ch == quote:
			c.add(from, at)
			next := at + 1
			if strings.HasSuffix(text[:at], `\n`) && strings.HasPrefix(text[next:], ",") {
				next++
			}
			next += len(text[next:]) - len(strings.TrimLeft(text[next:], " \t\r\n+"))
			if next >= len(text) || text[next] != quote || next == at+1 {
				return at
			}
			at = next + 1
			from = at
		case quote == 0 && ch == '\n':
			c.add(from, at)
			return at
		default:
			at++
		}
	}
	c.add(min(from, len(text)), len(text))
	return len(text)
}

// simple are the escapes of one letter in Python, JSON and C.
var simple = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': "\"", '/': "/", 'a': "\a",
	'b': "\b",
	'f': "\f", 'v': "\v", '\n': "", '`': "`"}

// unescaped returns what the escape at the beginning of a text stands for, and its length. What is none stands for
// itself.
func unescaped(text string) (string, int) {
	if s, ok := simple[text[1]]; ok {
		return s, 2
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if end := 2 + digits; digits > 0 && end <= len(text) {
		if n, err := strconv.ParseUint(text[2:end], 16, 32); err == nil && n <= utf8.MaxRune {
			return string(rune(n)), end
		}
	}
	end := 1
	for end < len(text) && end < 4 && text[end] >= '0' && text[end] <= '7' {
		end++
	}
	if n, err := strconv.ParseUint(text[1:end], 8, 8); err == nil {
		return string(rune(n)), end
	}
	return text[:1], 1
}

// Unprefixed returns a text without a prefix of its lines, such as the name of the process that printed them, in which
// the digits may differ from line to line.
func Unprefixed(text, of string) string {
	p := prefix{text: of}
	var b strings.Builder
	for l := range strings.Lines(text) {
		from, _ := p.strip(l)
		b.WriteString(l[from:])
	}
	return b.String()
}

// Bare returns a text without what is around its lines: colours, log prefixes, the marks of quoted mail; and where it
// is a string of a program on one line, with its lines apart.
func Bare(text string) string {
	if e, ok := withoutEscapes(excerpt{text: text, file: text}); ok {
		text = e.text
	}
	if strings.Count(text, `\n`) > strings.Count(strings.TrimSpace(text), "\n") {
		text = strings.ReplaceAll(text, `\n`, "\n")
	}
	var b strings.Builder
	for l := range strings.Lines(text) {
		p, _ := prefixOf(l)
		l = l[len(p.text):]
		for strings.HasPrefix(l, ">") {
			l = strings.TrimPrefix(strings.TrimPrefix(l, ">"), " ")
		}
		b.WriteString(l)
	}
	return b.String()
}
