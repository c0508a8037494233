package hlo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is one finding about a text: where, what, and what instead.
type Error struct {
	File      string
	Line, Col int    // 1-based, column in bytes; 0 without a position
	Code      string // stable, such as "HLO101"
	Msg       string
	Hint      string // what was expected or the nearest known name; may be empty
	Source    string // the line of text, without its end; may be empty
	Warning   bool   // a remark that refuses nothing
}

// Error returns `file:line:col: message [code]` with the hint after the message.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		b.WriteByte(':')
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Line, e.Col)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if e.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	if e.Code != "" {
		b.WriteString(" [" + e.Code + "]")
	}
	return b.String()
}

// Snippet returns the line of the text with a caret under the column, each line indented and ended; "" where there is
// no text. A long line is cut around the column, and control characters show as blanks.
func (e *Error) Snippet() string {
	const before, after = 60, 60
	if e.Source == "" || e.Col < 1 || e.Col > len(e.Source)+1 {
		return ""
	}
	at := e.Col - 1
	from, to := max(0, at-before), min(len(e.Source), at+after)
	return "    " + visible(e.Source[from:to]) + "\n    " +
		strings.Repeat(" ", utf8.RuneCountInString(visible(e.Source[from:at]))) + "^\n"
}

// visible replaces control characters, which could move a terminal's cursor, and those that turn the direction of
// writing by blanks.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Visible replaces what could move a terminal's cursor, end a line or turn the direction of writing by Go's escapes,
// such as \n, \x1b and \u202e, and invalid UTF-8 bytes by \xff.
func Visible(s string) string {
	hidden := func(r rune) bool {
		if r < utf8.RuneSelf {
			return r < ' ' || r == 0x7f
		}
		return r == utf8.RuneError || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if hidden(r) {
			quoted := strconv.QuoteToASCII(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Code describes one kind of finding: what it means, and a text that causes it (empty where no text can).
type Code struct {
	Name, Meaning, Example string
}

// ErrorList is a list of findings. Its Err method makes one error of it, nil where it is empty.
type ErrorList []*Error

// Sort orders the list by position, then by code and message.
func (l ErrorList) Sort() {
	slices.SortStableFunc(l, func(a, b *Error) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		if a.Col != b.Col {
			return a.Col - b.Col
		}
		return strings.Compare(a.Code+a.Msg, b.Code+b.Msg)
	})
}

// Err returns nil for an empty list, the list otherwise.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Error returns one line a finding.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}
