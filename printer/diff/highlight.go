package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// span is a part of a line; Changed says that the other line of the pair does not have it.
type span struct {
	Text    string
	Changed bool
}

// maxTokens is the longest line, in tokens, whose inside is compared. The comparison is quadratic in what differs: two
// lines of 4096 tokens without a common one take some 50 ms.
const maxTokens = 4096

// highlight cuts a pair of lines into the parts that they share and those that they do not. It compares words, layouts,
// numbers with their commas, and signs: parts of these are not told apart.
func highlight(old, new string) (o, n []span) {
	a, b := tokens(old), tokens(new)
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	o, n = add(nil, false, a[:start]...), add(nil, false, b[:start]...)
	o, n = middle(o, n, a[start:len(a)-end], b[start:len(b)-end])
	return add(o, false, a[len(a)-end:]...), add(n, false, b[len(b)-end:]...)
}

// middle compares a and b as texts in which each distinct token is one character, which is how go-diff compares lines.
func middle(o, n []span, a, b []string) ([]span, []span) {
	if len(a) == 0 || len(b) == 0 || len(a) > maxTokens || len(b) > maxTokens {
		return add(o, true, a...), add(n, true, b...)
	}
	i, k := 0, 0
	for _, m := range append(align(a, b), [2]int{len(a), len(b)}) {
		o, n = add(o, true, a[i:m[0]]...), add(n, true, b[k:m[1]]...)
		if i, k = m[0], m[1]; i < len(a) {
			o, n = add(o, false, a[i]), add(n, false, b[k])
		}
		i, k = i+1, k+1
	}
	return o, n
}

// maxDistinct is how many distinct items align can tell apart: each becomes a character from firstRune on, below
// U+D800.
const (
	firstRune   = 'a'
	maxDistinct = 0xd800 - firstRune
)

// align returns a longest sequence of equal items that both lists have in the same order, as pairs of indices. Lists
// that hold more than maxDistinct distinct items have none.
func align[T comparable](a, b []T) (out [][2]int) {
	runes := map[T]rune{}
	encode := func(items []T) []rune {
		out := make([]rune, len(items))
		for i, t := range items {
			if _, ok := runes[t]; !ok {
				runes[t] = firstRune + rune(len(runes))
			}
			out[i] = runes[t]
		}
		return out
	}
	x, y := encode(a), encode(b)
	if len(runes) > maxDistinct {
		return nil
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the default gives up after a second of wall time: another diff on a slower machine
	i, k := 0, 0
	for _, d := range dmp.DiffMainRunes(x, y, false) {
		for range d.Text {
			switch d.Type {
			case diffmatchpatch.DiffDelete:
				i++
			case diffmatchpatch.DiffInsert:
				k++
			default:
				out = append(out, [2]int{i, k})
				i, k = i+1, k+1
			}
		}
	}
	return out
}

// add appends tokens to a line, joining them with a last span of the same kind.
func add(spans []span, changed bool, tokens ...string) []span {
	if len(tokens) == 0 {
		return spans
	}
	text := strings.Join(tokens, "")
	if k := len(spans) - 1; k >= 0 && spans[k].Changed == changed {
		spans[k].Text += text
		return spans
	}
	return append(spans, span{text, changed})
}

// tokens cuts a line into names and words, layouts after a `]`, lists of numbers (1,0), and single other characters.
func tokens(line string) []string {
	out := make([]string, 0, len(line)/3)
	for i := 0; i < len(line); {
		n := 1
		switch c := line[i]; {
		case c == '{' && i > 0 && line[i-1] == ']':
			if end := strings.IndexByte(line[i:], '}'); end > 0 {
				n = end + 1
			}
		case c == '%' || isLetter(c):
			for i+n < len(line) && (isLetter(line[i+n]) || isDigit(line[i+n]) ||
				strings.IndexByte(".-", line[i+n]) >= 0) {
				n++
			}
		case isDigit(c):
			for i+n < len(line) && (isDigit(line[i+n]) || line[i+n] == ',' && i+n+1 < len(line) &&
				isDigit(line[i+n+1])) {
				n++
			}
		default:
			_, n = utf8.DecodeRuneInString(line[i:])
		}
		out = append(out, line[i:i+n])
		i += n
	}
	return out
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// shorten cuts the inside of long spans of a line that is longer than limit bytes, so that what changed is in sight.
// Where there are so many changes that the line still has more than 4*limit bytes, it ends with their number.
func shorten(spans []span, limit int) []span {
	length := 0
	for _, s := range spans {
		length += len(s.Text)
	}
	if length <= limit {
		return spans
	}
	out := make([]span, 0, len(spans))
	length = 0
	for i, s := range spans {
		keep := limit / 8
		if s.Changed {
			keep = limit / 2
		}
		s.Text = cut(s.Text, keep)
		if length += len(s.Text); length > 4*limit {
			return add(out, false, moreChanges(spans[i:]))
		}
		out = append(out, s)
	}
	return out
}

// moreChanges says how many of the spans are changes, as the end of a line.
func moreChanges(spans []span) string {
	n := int64(0)
	for _, s := range spans {
		if s.Changed {
			n++
		}
	}
	return " ... and " + count(n, "more change")
}

// cut leaves about keep bytes of text: the first and the last half of them.
func cut(text string, keep int) string {
	if len(text) <= keep+len(" ... ") {
		return text
	}
	head, tail := keep/2, len(text)-keep/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + " ... " + text[tail:]
}
