package printer

import (
	"strings"

	"hlolayout/hlo"
)

// unquote returns the bytes that a string value stands for.
func unquote(v *hlo.Value) (s string, ok bool) {
	if v == nil || v.Kind != hlo.StringValue {
		return "", false
	}
	return hlo.Unquote(v.Text)
}

// isJSON reports whether XLA prints a byte string bare: it is one dictionary in braces, with blanks and comments around
// it. What stands between the braces is only matched for braces and double-quoted strings.
func isJSON(s string) bool {
	s, ok := skipBlanks(s)
	if !ok || s == "" || s[0] != '{' {
		return false
	}
	end := jsonEnd(s)
	if end < 0 {
		return false
	}
	rest, ok := skipBlanks(s[end:])
	return ok && rest == ""
}

// jsonEnd returns the length of the dictionary at the start of s, -1 where it does not end.
func jsonEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		}
	}
	return -1
}

// skipBlanks cuts blanks and comments off the front of s; ok is false for a comment without an end.
func skipBlanks(s string) (rest string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		switch {
		case strings.HasPrefix(s, "//"):
			i := strings.IndexAny(s, "\r\n")
			if i < 0 {
				i = len(s)
			}
			s = s[i:]
		case strings.HasPrefix(s, "/*"):
			i := strings.Index(s[2:], "*/")
			if i < 0 {
				return s, false
			}
			s = s[2+i+2:]
		default:
			return s, true
		}
	}
}
