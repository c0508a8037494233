package main

import (
	"strconv"
	"unicode/utf8"
)

// object writes one JSON object on a line, key by key in the order of the calls. It is used in place of encoding/json
// where an answer has to cost less than a microsecond.
type object struct {
	b     []byte
	comma bool
}

// begin and end enclose the object; inner ones begin with key.
func (o *object) begin() { o.b, o.comma = append(o.b, '{'), false }

func (o *object) close() { o.b, o.comma = append(o.b, '}'), true }

// end closes the object and the line, and returns all that was written.
func (o *object) end() []byte {
	o.close()
	return append(o.b, '\n')
}

func (o *object) key(k string) {
	if o.comma {
		o.b = append(o.b, ',')
	}
	o.comma = true
	o.b = append(append(append(o.b, '"'), k...), `":`...)
}

func (o *object) str(k, v string) {
	o.key(k)
	o.b = appendQuoted(o.b, v)
}

func (o *object) num(k string, v int64) {
	o.key(k)
	o.b = strconv.AppendInt(o.b, v, 10)
}

func (o *object) flag(k string, v bool) {
	o.key(k)
	o.b = strconv.AppendBool(o.b, v)
}

func (o *object) float(k string, v float64) {
	o.key(k)
	o.b = strconv.AppendFloat(o.b, v, 'g', -1, 64)
}

func (o *object) null(k string) {
	o.key(k)
	o.b = append(o.b, "null"...)
}

// nums writes a list of integers.
func nums[T int | int64](o *object, k string, v []T) {
	o.key(k)
	o.b = appendNums(o.b, v)
}

func appendNums[T int | int64](dst []byte, v []T) []byte {
	dst = append(dst, '[')
	for i, n := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, ']')
}

// list writes a list whose n elements each write themselves.
func (o *object) list(k string, n int, each func(i int)) {
	o.key(k)
	o.b = append(o.b, '[')
	for i := range n {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		each(i)
	}
	o.b, o.comma = append(o.b, ']'), true
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends a JSON string; invalid UTF-8 becomes U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ' || c == 0x7f:
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
	}
	return append(dst, '"')
}
