package printer

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// The attributes that say something for each dimension.

// windowFields are the fields of a window in the order of the print, with what a dimension has by default; the field is
// printed where some dimension has something else.
var windowFields = []struct{ key, standard string }{
	{"size", ""}, {"stride", "1"}, {"pad", "0_0"}, {"lhs_dilate", "1"}, {"rhs_dilate", "1"}, {"rhs_reversal", "0"},
}

// windowForm prints {size=3x3 stride=2x2}; a window without dimensions is left out.
func windowForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind == hlo.ListValue && v.Get("size") == nil {
		return dropped
	}
	return emptyWindowForm(p, v)
}

// emptyWindowForm prints a window without dimensions too.
func emptyWindowForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	p.text("{")
	for _, field := range windowFields {
		e := v.Get(field.key)
		if e == nil || v.Get("size") == nil {
			continue
		}
		dims, ok := perDimension(e)
		if !ok {
			return foreign
		}
		if field.key == "rhs_reversal" {
			size, _ := perDimension(v.Get("size"))
			dims = reversal(dims, len(size))
		}
		if !allAre(dims, field.standard) {
			if field.key != "size" {
				p.text(" ")
			}
			p.text(field.key)
			p.text("=")
			p.text(strings.Join(dims, "x"))
		}
	}
	p.text("}")
	return printed
}

// reversal returns the rhs_reversal of a window of n dimensions: any number other than 1 means not reversed, nor is one
// that is left out.
func reversal(dims []string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "0"
		if i < len(dims) && dims[i] == "1" {
			out[i] = "1"
		}
	}
	return out
}

func allAre(dims []string, standard string) bool {
	for _, d := range dims {
		if d != standard {
			return false
		}
	}
	return true
}

// perDimension cuts 3x3 or 1_2x0_0 into one text for each dimension, each number as it prints.
func perDimension(v *hlo.Value) (dims []string, ok bool) {
	if v.Kind != hlo.IntValue && v.Kind != hlo.PatternValue {
		return nil, false
	}
	dims = strings.Split(v.Text, "x")
	for i, d := range dims {
		numbers := strings.Split(d, "_")
		for k, n := range numbers {
			value, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				return nil, false
			}
			numbers[k] = strconv.FormatInt(value, 10)
		}
		dims[i] = strings.Join(numbers, "_")
	}
	return dims, true
}

// dimLabelsForm prints the labels without trailing unknown dimensions.
func dimLabelsForm(p *canonical, v *hlo.Value) verdict {
	lhs, rest, ok := strings.Cut(v.Text, "_")
	rhs, out, ok2 := strings.Cut(rest, "->")
	if v.Kind != hlo.PatternValue || !ok || !ok2 {
		return foreign
	}
	p.text(strings.TrimRight(lhs, "?"))
	p.text("_")
	p.text(strings.TrimRight(rhs, "?"))
	p.text("->")
	p.text(strings.TrimRight(out, "?"))
	return printed
}

// paddingForm prints low_high, or low_high_interior for all dimensions if one has interior padding.
func paddingForm(p *canonical, v *hlo.Value) verdict {
	dims, ok := perDimension(v)
	if !ok {
		return foreign
	}
	interior := false
	for i, d := range dims {
		switch strings.Count(d, "_") {
		case 1:
			dims[i] += "_0"
		case 2:
			interior = interior || !strings.HasSuffix(d, "_0")
		default:
			return foreign
		}
	}
	for i, d := range dims {
		if i > 0 {
			p.text("x")
		}
		if !interior {
			d = strings.TrimSuffix(d, "_0")
		}
		p.text(d)
	}
	return printed
}

// sliceForm prints {[start:limit], ...}, with the strides of all dimensions if one is not 1.
func sliceForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	ranges := make([][]int64, len(v.Elems))
	strides := false
	for i := range v.Elems {
		parts := v.Elems[i].Elems // start : limit : stride
		for k := 0; k < len(parts); k += 2 {
			n, ok := intOf(&parts[k])
			if !ok {
				return foreign
			}
			ranges[i] = append(ranges[i], n)
		}
		switch len(ranges[i]) {
		case 2:
			ranges[i] = append(ranges[i], 1)
		case 3:
			strides = strides || ranges[i][2] != 1
		default:
			return foreign
		}
	}
	p.text("{")
	for i, r := range ranges {
		if i > 0 {
			p.text(", ")
		}
		p.text("[")
		p.number(r[0])
		p.text(":")
		p.number(r[1])
		if strides {
			p.text(":")
			p.number(r[2])
		}
		p.text("]")
	}
	p.text("}")
	return printed
}

// precisionForm prints the operands' precisions where one is not the default.
func precisionForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	some := false
	p.text("{")
	for i := range v.Elems {
		if i > 0 {
			p.text(",")
		}
		word := strings.ToLower(v.Elems[i].Text)
		some = some || word != "default"
		p.text(word)
	}
	p.text("}")
	if !some {
		return dropped
	}
	return printed
}

// sparsityForm prints {lhs={sparsity=1x4 dimension=0 stride=1} rhs={...}}.
func sparsityForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	if len(v.Elems) == 0 {
		return dropped
	}
	p.text("{")
	for i, side := range [...]string{"lhs", "rhs"} {
		e := v.Get(side)
		if e == nil {
			continue
		}
		if i > 0 && v.Get("lhs") != nil {
			p.text(" ")
		}
		p.text(side)
		p.text("={")
		blank := ""
		for _, key := range [...]string{"sparsity", "dimension", "stride", "idx"} {
			f := e.Get(key)
			if f == nil {
				continue
			}
			dims, ok := perDimension(f)
			if !ok {
				return foreign
			}
			p.text(blank + key + "=")
			p.text(strings.Join(dims, "x"))
			blank = " "
		}
		p.text("}")
	}
	p.text("}")
	return printed
}

// shapeIndex prints a shape index: {0,1}.
func (p *canonical) shapeIndex(v *hlo.Value) bool { return integers(p, v) == printed }

// aliasingForm prints {{0}: (0, {}), {1}: (1, {2})}, in the order of the text.
func aliasingForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue || len(v.Elems)%3 != 0 {
		return foreign
	}
	if len(v.Elems) == 0 {
		return dropped
	}
	p.text("{")
	for i := 0; i < len(v.Elems); i += 3 {
		if i > 0 {
			p.text(", ")
		}
		operand := v.Elems[i+2].Elems
		if !p.shapeIndex(&v.Elems[i]) || len(operand) != 2 {
			return foreign
		}
		p.text(": (")
		if integer(p, &operand[0]) != printed {
			return foreign
		}
		p.text(", ")
		if !p.shapeIndex(&operand[1]) {
			return foreign
		}
		p.text(")")
	}
	p.text("}")
	return printed
}
