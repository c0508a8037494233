package printer

import (
	"slices"
	"strings"
	"unsafe"

	"hlolayout/hlo"
)

// The attributes that annotate an instruction without changing what it computes.

// fieldKind says how a field of metadata prints.
type fieldKind uint8

const (
	textField fieldKind = iota
	rawField            // a text that XLA does not escape
	intField
	listField
	frameField
)

// metadataFields are the fields of metadata in the order of the print. XLA prints the attribute where one of those that
// show is there.
var metadataFields = []struct {
	key   string
	kind  fieldKind
	shows bool
}{
	{"op_type", textField, true}, {"op_name", textField, true}, {"source_file", textField, true},
	{"source_line", intField, false}, {"source_end_line", intField, false},
	{"source_column", intField, false}, {"source_end_column", intField, false},
	{"profile_type", listField, false}, {"deduplicated_name", textField, false}, {"scheduling_name", rawField, true},
	{"stack_frame_id", frameField, true}, {"metadata_payload", textField, true},
}

// shown is where in the print the metadata of a value is, with the number of the stack frame that it has there.
type shown struct {
	value    *hlo.Value
	from, to int
	frame    int64
}

// newShown returns a table for the print of a text of that many bytes.
func newShown(size int) []shown {
	slots := 8
	for slots < 4096 && slots*512 < size {
		slots *= 2
	}
	return make([]shown, slots)
}

// instructionMetadata prints an instruction's metadata, with the number that its stack frame has in this print. Many
// instructions share one value (half of sd15_inf's, nearly all of a transformer's): what it printed as is copied.
func (p *canonical) instructionMetadata(v *hlo.Value, frame int64) {
	if v == nil {
		return
	}
	const odd = 0x9E3779B97F4A7C15
	s := &p.shown[uint64(uintptr(unsafe.Pointer(v)))*odd>>32&uint64(len(p.shown)-1)]
	if s.value == v && s.frame == frame {
		p.out = append(p.out, p.out[s.from:s.to]...)
		return
	}
	from := len(p.out)
	p.attribute("metadata", func(p *canonical, v *hlo.Value) verdict {
		shows, ok := p.metadataText(v, func(int64) int64 { return frame })
		switch {
		case !ok:
			return foreign
		case !shows:
			return dropped
		}
		return printed
	}, v)
	*s = shown{v, from, len(p.out), frame}
}

// metadataText prints the fields that are not empty, with stack frames numbered by frame. It returns whether one of
// those that XLA shows the attribute for was there; ok is false for a value that is not metadata.
func (p *canonical) metadataText(v *hlo.Value, frame func(int64) int64) (shows, ok bool) {
	if v.Kind != hlo.ListValue {
		return false, false
	}
	p.text("{")
	start := len(p.out)
	for _, field := range metadataFields {
		e := v.Get(field.key)
		if e == nil {
			continue
		}
		before := len(p.out)
		if before > start {
			p.text(" ")
		}
		p.text(field.key)
		p.text("=")
		value := printed
		switch field.kind {
		case textField:
			value = someQuoted(p, e)
		case rawField:
			value = rawQuoted(p, e)
		case intField:
			value = not("0", integer)(p, e)
		case listField:
			value = someIntegers(p, e)
		case frameField:
			n, isInt := intOf(e)
			if !isInt {
				return false, false
			}
			if n = frame(n); n == 0 {
				value = dropped
			} else {
				p.number(n)
			}
		}
		switch value {
		case foreign:
			return false, false
		case dropped:
			p.out = p.out[:before]
		default:
			shows = shows || field.shows
		}
	}
	p.text("}")
	return shows, true
}

// rawQuoted prints a string in quotes without escapes.
func rawQuoted(p *canonical, v *hlo.Value) verdict {
	s, ok := unquote(v)
	if !ok {
		return foreign
	}
	if s == "" {
		return dropped
	}
	p.text(`"` + s + `"`)
	return printed
}

// frontendForm prints {key="text",key={json}}, sorted by key; of a key that is there twice, the last value counts.
func frontendForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	if !hasEntries(v) {
		return dropped
	}
	entries := make([]*hlo.Value, len(v.Elems))
	for i := range v.Elems {
		entries[i] = &v.Elems[i]
	}
	slices.SortStableFunc(entries, func(a, b *hlo.Value) int { return strings.Compare(a.Text, b.Text) })
	p.text("{")
	comma := ""
	for i, e := range entries {
		if i+1 < len(entries) && entries[i+1].Text == e.Text {
			continue
		}
		if e.Kind != hlo.PairValue || len(e.Elems) != 1 {
			return foreign
		}
		p.text(comma + e.Text + "=")
		comma = ","
		switch configForm(p, &e.Elems[0]) {
		case dropped:
			p.text(`""`)
		case foreign:
			return foreign
		}
	}
	p.text("}")
	return printed
}

func hasEntries(v *hlo.Value) bool { return v != nil && len(v.Elems) > 0 }

// statisticsForm prints {visualizing_index=1,a=33}; without a statistic, nothing.
func statisticsForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	p.text("{visualizing_index=")
	if index := v.Get("visualizing_index"); index == nil {
		p.text("0")
	} else if integer(p, index) != printed {
		return foreign
	}
	some := false
	for i := range v.Elems {
		e := &v.Elems[i]
		if e.Kind != hlo.PairValue || len(e.Elems) != 1 {
			return foreign
		}
		if e.Text == "visualizing_index" {
			continue
		}
		f, ok := floatOf(&e.Elems[0])
		if !ok {
			return foreign
		}
		some = true
		p.text("," + e.Text + "=")
		p.out = appendFloat(p.out, f)
	}
	p.text("}")
	if !some {
		return dropped
	}
	return printed
}

// accuracyForm prints {mode=highest} or {tolerance={atol=1,rtol=0.5,ulps=2}}; the default mode is left out.
func accuracyForm(p *canonical, v *hlo.Value) verdict {
	if mode := v.Get("mode"); mode != nil {
		p.text("{mode=")
		result := not("default", lower)(p, mode)
		p.text("}")
		return result
	}
	tolerance := v.Get("tolerance")
	if tolerance == nil {
		return foreign
	}
	p.text("{tolerance={")
	for i, key := range [...]string{"atol", "rtol", "ulps"} {
		if i > 0 {
			p.text(",")
		}
		p.text(key + "=")
		e := tolerance.Get(key)
		if e == nil {
			e = &hlo.Value{Kind: hlo.IntValue, Text: "0"}
		}
		f, ok := floatOf(e)
		if !ok {
			return foreign
		}
		if key == "ulps" && integer(p, e) == printed {
			continue
		}
		p.out = appendFloat(p.out, f)
	}
	p.text("}}")
	return printed
}

// origin returns the origin of a value. An element taken out of a tuple without one has that of the
// operand that is the element. (Found by asking XLA's parser.)
func (p *canonical) origin(in *hlo.Instruction) *hlo.Value {
	for {
		v := p.attr(in, "origin")
		if v != nil || in.Opcode != hlo.OpGetTupleElement || len(in.Operands) == 0 ||
			in.Operands[0].Opcode != hlo.OpTuple {
			return v
		}
		tuple := in.Operands[0]
		i, ok := intOf(in.Attr("index"))
		if !ok || i < 0 || i >= int64(len(tuple.Operands)) {
			return nil
		}
		in = tuple.Operands[i]
	}
}

// originForm prints {({"a"}, {"b" {0,1}})}: the arrays of another program that the value stands for.
func originForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	if len(v.Elems) == 0 {
		p.text("{()}")
		return printed
	}
	p.text("{")
	if len(v.Elems) != 1 || !p.originTree(&v.Elems[0]) {
		return foreign
	}
	p.text("}")
	return printed
}

func (p *canonical) originTree(v *hlo.Value) bool {
	switch {
	case v.Kind != hlo.ListValue:
		return false
	case v.Open == '[':
		p.text(v.Text)
		return true
	case v.Open == '{':
		return p.originalArray(v, "{}")
	}
	p.text("(")
	for i := range v.Elems {
		if i > 0 {
			p.text(", ")
		}
		if !p.originTree(&v.Elems[i]) {
			return false
		}
	}
	p.text(")")
	return true
}

// originalArray prints {"name" {0,1}}, and for {} what an array without a name prints as. Names are not escaped.
func (p *canonical) originalArray(v *hlo.Value, nameless string) bool {
	if len(v.Elems) == 0 {
		p.text(nameless)
		return true
	}
	name, ok := unquote(&v.Elems[0])
	if !ok || len(v.Elems) > 2 {
		return false
	}
	p.text(`{"` + name + `"`)
	if len(v.Elems) == 2 && len(v.Elems[1].Elems) > 0 {
		p.text(" ")
		if !p.shapeIndex(&v.Elems[1]) {
			return false
		}
	}
	p.text("}")
	return true
}
