package hlo

import (
	"strings"
	"unicode/utf8"
)

// Unquote returns the bytes that a string of HLO text stands for: its quotes, single or double, are taken off and the C
// escapes replaced. ok is false for a text without quotes and for an escape that C does not know.
func Unquote(text string) (s string, ok bool) {
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' || text[len(text)-1] != text[0] {
		return "", false
	}
	text = text[1 : len(text)-1]
	if strings.IndexByte(text, '\\') < 0 {
		return text, true
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			i = len(text)
		}
		out = append(out, text[:i]...)
		if text = text[i:]; text == "" {
			break
		}
		n := 0
		if out, n = unescape(out, text); n == 0 {
			return "", false
		}
		text = text[n:]
	}
	return string(out), true
}

// simpleEscapes maps the letter after a backslash to the byte it denotes, 0 for none.
var simpleEscapes = [256]byte{'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11,
	'\\': '\\', '\'': '\'', '"': '"', '?': '?'}

// unescape appends what the escape at the start of text stands for, and returns the escape's length, 0 for one that is
// wrong.
func unescape(dst []byte, text string) (out []byte, length int) {
	if len(text) < 2 {
		return dst, 0
	}
	letter := text[1]
	if b := simpleEscapes[letter]; b != 0 {
		return append(dst, b), 2
	}
	switch letter {
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n, length := digits(text, 1, 3, 8)
		if n > 0xff {
			return dst, 0
		}
		return append(dst, byte(n)), length
	case 'x', 'X':
		n, length := digits(text, 2, len(text), 16)
		if length == 2 || n > 0xff {
			return dst, 0
		}
		return append(dst, byte(n)), length
	case 'u', 'U':
		want := 4
		if letter == 'U' {
			want = 8
		}
		n, length := digits(text, 2, want, 16)
		if length != 2+want || n > utf8.MaxRune || n >= 0xd800 && n < 0xe000 {
			return dst, 0
		}
		return utf8.AppendRune(dst, rune(n)), length
	}
	return dst, 0
}

// digits reads up to most digits of the base from place at on; end is after the last one.
func digits(text string, at, most int, base int64) (n int64, end int) {
	for end = at; end < len(text) && end < at+most; end++ {
		d := int64(strings.IndexByte("0123456789abcdef", text[end]|0x20))
		if d < 0 || d >= base || text[end] < '0' {
			break
		}
		if n = n*base + d; n > 1<<32 {
			n = 1 << 32 // too large, whatever follows
		}
	}
	return n, end
}

// AppendQuoted appends s to dst as XLA prints strings: in double quotes, C-escaped, every byte that is not printable
// ASCII as three octal digits.
func AppendQuoted(dst []byte, s string) []byte {
	return append(appendEscaped(append(dst, '"'), s), '"')
}

// asPrinted are the bytes that AppendQuoted prints as they are.
var asPrinted = func() (t [256]bool) {
	for c := ' '; c <= '~'; c++ {
		t[c] = c != '"' && c != '\'' && c != '\\'
	}
	return t
}()

// IsQuoted reports whether text is a string as AppendQuoted prints it.
func IsQuoted(text string) bool {
	last := len(text) - 1
	if last < 1 || text[0] != '"' || text[last] != '"' {
		return false
	}
	for i := 1; i < last; i++ {
		if asPrinted[text[i]] {
			continue
		}
		if i++; text[i-1] != '\\' || i == last || strings.IndexByte(`"'\nrt`, text[i]) < 0 {
			return false
		}
	}
	return true
}

func appendEscaped(dst []byte, s string) []byte {
	from := 0 // what is copied as it is
	for i := 0; i < len(s); i++ {
		c := s[i]
		if asPrinted[c] {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '"', '\'', '\\':
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		}
	}
	return append(dst, s[from:]...)
}
