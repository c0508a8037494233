package hlo

import (
	"iter"
	"strconv"
	"strings"
)

// ValueKind tells the nodes of an attribute value apart.
type ValueKind uint8

// The kinds of nodes. Text is the token, without the `%` of names, with the quotes of strings.
const (
	WordValue    ValueKind = iota // identifier or keyword: kLoop, true, dot_bf16_bf16_f32
	NameValue                     // %name
	StringValue                   // "..." or '...', as written
	IntValue                      // 12, -1
	FloatValue                    // 1e-05, nan
	PatternValue                  // dim labels, 3x3, 1_2x3_4: a word with inner structure
	ListValue                     // {...}, [...] or (...): Open is the bracket, Elems the items; commas are dropped
	PairValue                     // key=value or key:value: Text is the key, Open '=' or ':', Elems one value (or none)
	RawValue                      // a JSON dictionary, byte for byte
	ShapeValue                    // an array or tuple shape
	PunctValue                    // any other sign: ->, <=, #, *, ~, ?, ...
)

// Value is one attribute's value: its text and the tree the grammar read from it. Values of a module are
// shared between attributes with the same text and must not be modified.
type Value struct {
	Kind ValueKind
	// Open is the bracket of a list, the sign of a pair, 0 otherwise.
	Open byte
	// Text is the value as written; for a PairValue its key.
	Text string
	// Elems are the items of a list, or the value of a pair.
	Elems []Value
	// Shape is set on a ShapeValue.
	Shape *Shape
}

// WordOf returns a value that prints as the given word.
func WordOf(text string) *Value { return &Value{Kind: WordValue, Text: text} }

// IntsOf returns the value {1,2,3}.
func IntsOf(ns []int) *Value {
	v := &Value{Kind: ListValue, Open: '{'}
	var b strings.Builder
	b.WriteByte('{')
	if len(ns) > 0 {
		v.Elems = make([]Value, len(ns))
	}
	for i, n := range ns {
		if i > 0 {
			b.WriteByte(',')
		}
		t := strconv.Itoa(n)
		b.WriteString(t)
		v.Elems[i] = Value{Kind: IntValue, Text: t}
	}
	b.WriteByte('}')
	v.Text = b.String()
	return v
}

// Int returns the number an IntValue stands for; ok is false for other kinds and on overflow.
func (v *Value) Int() (n int64, ok bool) {
	if v == nil || v.Kind != IntValue {
		return 0, false
	}
	if len(v.Text) == 1 && '0' <= v.Text[0] && v.Text[0] <= '9' {
		return int64(v.Text[0] - '0'), true // a dimension, most often
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	return n, err == nil
}

// Ints returns the numbers of a flat list such as {0,1}; ok is false if an item is not a number.
func (v *Value) Ints() (ns []int, ok bool) {
	if v == nil || v.Kind != ListValue {
		return nil, false
	}
	if len(v.Elems) > 0 {
		ns = make([]int, 0, len(v.Elems))
	}
	for i := range v.Elems {
		n, ok := v.Elems[i].Int()
		if !ok {
			return nil, false
		}
		ns = append(ns, int(n))
	}
	return ns, true
}

// Get returns the value of key in a list of pairs such as {size=3x3 pad=1_1}; nil if it is not there.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.Elems {
		if e := &v.Elems[i]; e.Kind == PairValue && e.Text == key && len(e.Elems) == 1 {
			return &e.Elems[0]
		}
	}
	return nil
}

// Names yields the names that a list such as control-predecessors has, without `%`; none of an attribute that is not
// there.
func (v *Value) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; v != nil && i < len(v.Elems); i++ {
			if !yield(strings.TrimPrefix(v.Elems[i].Text, "%")) {
				return
			}
		}
	}
}

// Bool reports whether the value is the word true.
func (v *Value) Bool() bool { return v != nil && v.Kind == WordValue && v.Text == "true" }
