package hlo

import (
	"fmt"
	"slices"
	"strings"
)

// Error is one finding about a text: where, what, and what instead.
type Error struct {
	File      string
	Line, Col int    // 1-based, column in bytes; 0 where there is no position
	Code      string // stable, such as "HLO101"
	Msg       string
	Hint      string // what was expected or the nearest known name; may be empty
	Source    string // the line of text, without its end; may be empty
	Warning   bool   // a remark that refuses nothing
}

// Error returns `file:line:col: message [code]` with the hint behind the message.
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
