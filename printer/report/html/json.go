package html

import (
	"encoding/json"
	"strconv"
	"strings"
)

// object writes one JSON object, key by key: reflection over a few million numbers would take most of the time.
type object struct{ b []byte }

func (o *object) key(k string) {
	if len(o.b) == 0 {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ",\n"...)
	}
	o.b = append(append(append(o.b, '"'), k...), `":`...)
}

// value writes what encoding/json makes of v, which escapes what could end a script element.
func (o *object) value(k string, v any) {
	o.key(k)
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values cannot fail
	}
	o.b = append(o.b, text...)
}

func (o *object) ints(k string, list []int32) {
	o.key(k)
	o.b = append(o.b, '[')
	for i, n := range list {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = strconv.AppendInt(o.b, int64(n), 10)
	}
	o.b = append(o.b, ']')
}

func (o *object) end() string { return string(append(o.b, '}')) }

// clean returns text without control characters and those that turn the direction of writing: U+FFFD stands for each.
func clean(text string) string {
	hidden := func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069
	}
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return '\ufffd'
		}
		return r
	}, text)
}
