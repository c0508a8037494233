package kernel

import (
	"fmt"
	"strings"
)

// The fields of MLIR's builtin attributes and types, by their number in the encoding
// (mlir/IR/BuiltinDialectBytecode.td): a attribute, t type, s string, A and T a counted list of them, N a list of pairs
// of attributes, d a counted list of numbers,
// * bytes to the end that name nothing. "loc" is a location; "" has no fields, "?" is not known.
var (
	attrFields = []string{0: "A", 1: "N", 2: "s", 3: "st", 4: "a", 5: "aA", 6: "t", 7: "", 8: "t*", 9: "t*",
		10: "loc", 11: "loc", 12: "loc", 13: "loc", 14: "loc", 15: "loc", 16: "?", 17: "t*", 18: "t*", 19: "?",
		20: "taa", 21: "a", 22: "loc"}
	typeFields = []string{0: "*", 1: "", 2: "TT", 3: "", 4: "", 5: "", 6: "", 7: "", 8: "", 9: "t", 10: "dta",
		11: "adta", 12: "", 13: "dt", 14: "adt", 15: "T", 16: "t", 17: "at", 18: "t", 19: "dt"}
)

func (m *module) attrText(i uint64) string { return m.text(m.attrs, attrFields, "#", i) }

func (m *module) typeText(i uint64) string { return m.text(m.types, typeFields, "!", i) }

// text returns an attribute or a type as text, in which what it refers to is text, too: numbers depend on what else
// there is.
func (m *module) text(list []entry, fields []string, sign string, i uint64) string {
	if i >= uint64(len(list)) {
		fail("attribute or type %d of %d", i, len(list))
	}
	e := &list[i]
	switch e.state {
	case 1:
		fail("an attribute in itself")
	case 0:
		if m.depth++; m.depth > 1000 {
			fail("attributes in attributes")
		}
		defer func() { m.depth-- }()
		e.state = 1
		if e.custom {
			e.text = m.custom(e, fields, sign)
		} else {
			e.text = strings.TrimRight(string(e.data), "\x00")
		}
		m.spend(len(e.text))
		e.state = 2
	}
	return e.text
}

func (m *module) custom(e *entry, fields []string, sign string) string {
	r := &reader{data: e.data}
	code := r.varint()
	if e.dialect != "builtin" || code >= uint64(len(fields)) || fields[code] == "?" {
		fail("attribute or type %d of dialect %s", code, e.dialect)
	}
	if fields[code] == "loc" {
		return "loc"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d<", sign, code)
	for _, f := range fields[code] {
		m.field(&b, r, f)
	}
	if !r.empty() {
		fail("%d bytes after attribute or type %d", len(r.data)-r.at, code)
	}
	return b.String() + ">"
}

func (m *module) field(b *strings.Builder, r *reader, kind rune) {
	b.WriteByte(' ')
	switch kind {
	case 'a':
		b.WriteString(m.attrText(r.varint()))
	case 't':
		b.WriteString(m.typeText(r.varint()))
	case 's':
		fmt.Fprintf(b, "%q", pick(m.strings, r.varint()))
	case 'A', 'T', 'N', 'd':
		b.WriteByte('[')
		for range r.count() {
			switch kind {
			case 'A':
				m.field(b, r, 'a')
			case 'T':
				m.field(b, r, 't')
			case 'N':
				m.field(b, r, 'a')
				m.field(b, r, 'a')
			case 'd':
				n := r.varint()
				fmt.Fprintf(b, " %d", int64(n>>1)^-int64(n&1))
			}
			m.spend(1)
			if b.Len() > m.budget {
				fail("too long")
			}
		}
		b.WriteByte(']')
	case '*':
		fmt.Fprintf(b, "%x", r.take(len(r.data)-r.at))
	}
}
