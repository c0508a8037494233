package forms

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"hlolayout/hlo"
)

// damage is what became of HLO on its way here, known in the line of the first error.
type damage struct {
	name   string
	is     func() *regexp.Regexp
	refuse string
}

var damages = []damage{
	{"abridged text", sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:\.\.\.|…)\s*$|[(,] *(?:\.\.\.|…)\)|->\s*(?:\.\.\.|…)`)
	}), "hlolayout needs all of it; decode - <FILE reads its shapes"},
	{"HTML-escaped text", sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`&(?:gt|lt|quot|amp|nbsp|#\d+);`)
	}), "python3 -c 'import html, sys; print(html.unescape(sys.stdin.read()))' <FILE writes it as it was"},
	{"text with no-break spaces, as chats and mail have them", sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("\u00a0")
	}), "write spaces in their place: sed 's/\\xc2\\xa0/ /g'"},
}

// damaged returns the error about what became of a text where that is known, in place of what is wrong with its tokens.
func damaged(file, data string, err error) error {
	errs, _ := err.(hlo.ErrorList)
	if len(errs) == 0 || errs[0].Code == CodeForm || errs[0].Line == 0 { // in no line: of a protobuf
		return err
	}
	if isBinary(data[:min(len(data), headBytes)]) {
		return refusal(file, "a binary file, and not a protobuf with HLO", fromXLA)
	}
	line := lineOf(data, errs[0].Line)
	for _, d := range damages {
		if at := d.is().FindStringIndex(line); at != nil {
			return hlo.ErrorList{{File: file, Line: errs[0].Line, Col: at[0] + 1, Code: CodeForm,
				Msg: "this is " + d.name, Hint: d.refuse, Source: line}}
		}
	}
	return err
}

// lineOf returns a line of a text, counted from 1 on; "" where there is none.
func lineOf(text string, n int) string {
	for ; n > 1; n-- {
		_, rest, more := strings.Cut(text, "\n")
		if !more {
			return ""
		}
		text = rest
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// isBinary reports whether a tenth of what a file begins with is neither text nor spaces.
func isBinary(head string) bool {
	const least, share = 32, 10
	odd := 0
	for at := 0; at < len(head); {
		r, size := utf8.DecodeRuneInString(head[at:])
		if r == utf8.RuneError && size <= 1 && at+utf8.UTFMax <= len(head) ||
			r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r) {
			odd++
		}
		at += max(size, 1)
	}
	return len(head) >= least && odd*share > len(head)
}
