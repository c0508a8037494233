package folding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// maker adds instructions to a computation.
type maker interface {
	make(op hlo.Opcode, like *hlo.Instruction, dims []int64, operands ...*hlo.Instruction) *hlo.Instruction
}

// cut adds a slice of an array: the elements of a dimension from one to another.
func cut(b maker, x *hlo.Instruction, dim int, from, to int64) *hlo.Instruction {
	first, size := make([]int64, x.Shape.Rank()), slices.Clone(x.Shape.Dims)
	first[dim], size[dim] = from, to-from
	return sliced(b, x, first, size)
}

// sliced adds a slice of an array, of the given size from the given place.
func sliced(b maker, x *hlo.Instruction, first, size []int64) *hlo.Instruction {
	var ranges []hlo.Value
	for d, n := range size {
		ranges = append(ranges, rangeOf(first[d], first[d]+n))
	}
	n := b.make(hlo.OpSlice, x, size, x)
	attribute(n, "slice", listOf(", ", ranges...))
	return n
}

// rangeOf returns what a slice takes of a dimension: from one element to before another.
func rangeOf(from, to int64) hlo.Value {
	return hlo.Value{Kind: hlo.ListValue, Open: '[', Text: fmt.Sprintf("[%d:%d]", from, to),
		Elems: []hlo.Value{{Kind: hlo.PairValue, Open: ':', Text: strconv.FormatInt(from, 10),
			Elems: []hlo.Value{*intOf(int(to))}}}}
}

// padded adds a pad of an array with zeros along a dimension; it is the array where there is nothing to pad.
func padded(b maker, x *hlo.Instruction, dim int, low, high int64) *hlo.Instruction {
	if low == 0 && high == 0 {
		return x
	}
	first, dims := make([]int64, x.Shape.Rank()), slices.Clone(x.Shape.Dims)
	first[dim], dims[dim] = low, dims[dim]+low+high
	return within(b, x, number(b, x, 0), first, dims)
}

// within adds a pad that puts an array at a place in one of the given dimensions.
func within(b maker, x, fill *hlo.Instruction, first, dims []int64) *hlo.Instruction {
	pads := make([]hlo.Padding, len(dims))
	for d, n := range dims {
		pads[d] = hlo.Padding{Low: first[d], High: n - first[d] - x.Shape.Dims[d]}
	}
	return surrounded(b, x, fill, pads, dims)
}

// surrounded adds a pad of an array to the given dimensions.
func surrounded(b maker, x, fill *hlo.Instruction, pads []hlo.Padding, dims []int64) *hlo.Instruction {
	n := b.make(hlo.OpPad, x, dims, x, fill)
	attribute(n, "padding", &hlo.Value{Kind: hlo.PatternValue, Text: paddingText(pads)})
	return n
}

// paddingText returns what is padded in each dimension as attributes have it, such as 0_0x1_2.
func paddingText(pads []hlo.Padding) string {
	texts := make([]string, len(pads))
	for d, p := range pads {
		texts[d] = fmt.Sprintf("%d_%d", p.Low, p.High)
		if p.Between > 0 {
			texts[d] += fmt.Sprintf("_%d", p.Between)
		}
	}
	return strings.Join(texts, "x")
}

// windowText returns numbers as windows have them, such as 3x3.
func windowText(ns []int64) string {
	texts := make([]string, len(ns))
	for d, n := range ns {
		texts[d] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, "x")
}

// with returns a window, or one without entries for nil, in which an entry has a value. A new one is the last.
func with(window *hlo.Value, key, text string) *hlo.Value {
	v := hlo.Value{Kind: hlo.ListValue, Open: '{'}
	if window != nil {
		v.Elems = slices.Clone(window.Elems)
	}
	entry := hlo.Value{Kind: hlo.PairValue, Open: '=', Text: key, Elems: []hlo.Value{*hlo.WordOf(text)}}
	at := slices.IndexFunc(v.Elems, func(e hlo.Value) bool { return e.Kind == hlo.PairValue && e.Text == key })
	if at < 0 {
		v.Elems = append(v.Elems, entry)
	} else {
		v.Elems[at] = entry
	}
	var texts []string
	for _, e := range v.Elems {
		text := e.Text // a word alone, which XLA refuses
		if e.Kind == hlo.PairValue && len(e.Elems) == 1 {
			text += "=" + e.Elems[0].Text
		}
		texts = append(texts, text)
	}
	v.Text = "{" + strings.Join(texts, " ") + "}"
	return &v
}

// concatenated adds a concatenate, made like another value.
func concatenated(b maker, like *hlo.Instruction, dim int, parts ...*hlo.Instruction) *hlo.Instruction {
	dims := slices.Clone(parts[0].Shape.Dims)
	for _, x := range parts[1:] {
		dims[dim] += x.Shape.Dims[dim]
	}
	n := b.make(hlo.OpConcatenate, like, dims, parts...)
	set(n, "dimensions", []int{dim})
	return n
}

// joined is concatenated; it is the part where there is only one.
func joined(b maker, like *hlo.Instruction, dim int, parts ...*hlo.Instruction) *hlo.Instruction {
	if len(parts) == 1 {
		return parts[0]
	}
	return concatenated(b, like, dim, parts...)
}

// likewise adds an operation like another one: with its attributes, and what it calls.
func likewise(b maker, in *hlo.Instruction, dims []int64, operands ...*hlo.Instruction) *hlo.Instruction {
	n := b.make(in.Opcode, in, dims, operands...)
	n.Attrs = in.Attrs
	n.SetCalled(in.Called())
	return n
}

// broadcast adds a broadcast of an array whose dimensions go to the given ones, made like another value.
func broadcast(b maker, like, x *hlo.Instruction, dims []int64, to []int) *hlo.Instruction {
	n := b.make(hlo.OpBroadcast, like, dims, x)
	set(n, "dimensions", to)
	return n
}

// reshaped returns a value with other dimensions.
func reshaped(b maker, in *hlo.Instruction, dims []int64) *hlo.Instruction {
	if slices.Equal(in.Shape.Dims, dims) {
		return in
	}
	return b.make(hlo.OpReshape, in, dims, in)
}

// everywhere adds an array of another value's element type that has one literal everywhere; it is a constant alone
// where dims are none.
func everywhere(b maker, like *hlo.Instruction, dims []int64, literal string) *hlo.Instruction {
	c := b.make(hlo.OpConstant, like, nil)
	c.SetLiteral(literal)
	if len(dims) == 0 {
		return c
	}
	return broadcast(b, like, c, dims, nil)
}

// mask adds a predicate that has a literal along some dimensions of a value.
func mask(w *simplifier, b maker, x *hlo.Instruction, literal string, along []int) *hlo.Instruction {
	c := b.make(hlo.OpCompare, x, sizes(x.Shape.Dims, along)) // of pred
	become(w, c, hlo.OpConstant)
	c.SetLiteral(literal)
	return broadcast(b, c, c, x.Shape.Dims, along)
}

// number adds a scalar of another value's element type.
func number(b maker, like *hlo.Instruction, n int64) *hlo.Instruction { return filled(b, like, nil, n) }

// filled adds an array of one number, of another value's element type.
func filled(b maker, like *hlo.Instruction, dims []int64, n int64) *hlo.Instruction {
	text := strconv.FormatInt(n, 10)
	switch t := like.Shape.DType; {
	case t == hlo.Pred:
		text = strconv.FormatBool(n != 0)
	case t == hlo.C64 || t == hlo.C128:
		text = "(" + text + ", 0)"
	}
	return everywhere(b, like, dims, text)
}

// counting adds an array that counts along a dimension.
func counting(b maker, like *hlo.Instruction, dims []int64, along int) *hlo.Instruction {
	n := b.make(hlo.OpIota, like, dims)
	attribute(n, "iota_dimension", intOf(along))
	return n
}

// compared adds a comparison of two arrays.
func compared(b maker, x, y *hlo.Instruction, direction string) *hlo.Instruction {
	c := b.make(hlo.OpCompare, x, x.Shape.Dims, x, y)
	attribute(c, "direction", hlo.WordOf(direction))
	return c
}

// elementOf adds the element of a tuple that is made like another value.
func elementOf(b maker, tuple, like *hlo.Instruction, index int) *hlo.Instruction {
	n := b.make(hlo.OpGetTupleElement, like, like.Shape.Dims, tuple)
	attribute(n, "index", intOf(index))
	return n
}

// kernel adds a kernel of row-major arrays whose result has the given element type and dimensions.
func (w *simplifier) kernel(like *hlo.Instruction, target string, t hlo.DType, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	n := w.make(hlo.OpCustomCall, like, dims, operands...)
	n.Shape = w.shape(t, dims)
	var layouts []*hlo.Shape
	for _, o := range operands {
		layouts = append(layouts, w.shape(o.Shape.DType, o.Shape.Dims))
	}
	operandLayouts(n, layouts...)
	callTarget(n, target)
	return n
}

// operandLayouts says which layouts a kernel wants of its operands.
func operandLayouts(kernel *hlo.Instruction, shapes ...*hlo.Shape) {
	var layouts []hlo.Value
	for _, s := range shapes {
		layouts = append(layouts, hlo.Value{Kind: hlo.ShapeValue, Text: s.String(), Shape: s})
	}
	setValue(kernel, "operand_layout_constraints", listOf(", ", layouts...))
}

// callTarget says which one a custom call is.
func callTarget(in *hlo.Instruction, name string) {
	attribute(in, "custom_call_target", &hlo.Value{Kind: hlo.StringValue, Text: `"` + name + `"`})
}

// slab adds the slice of an array at a place in its first dimension.
func slab(b maker, x, at *hlo.Instruction) *hlo.Instruction {
	dims := slices.Clone(x.Shape.Dims)
	dims[0] = 1
	return pieceAt(b, x, dims, append([]*hlo.Instruction{at},
		slices.Repeat([]*hlo.Instruction{number(b, at, 0)}, len(dims)-1)...)...)
}

// pieceAt adds the dynamic slice of an array, of the given size.
func pieceAt(b maker, x *hlo.Instruction, size []int64, at ...*hlo.Instruction) *hlo.Instruction {
	n := b.make(hlo.OpDynamicSlice, x, size, append([]*hlo.Instruction{x}, at...)...)
	var sizes []int
	for _, d := range size {
		sizes = append(sizes, int(d))
	}
	set(n, "dynamic_slice_sizes", sizes)
	return n
}

// intOf returns a number.
func intOf(n int) *hlo.Value { return &hlo.Value{Kind: hlo.IntValue, Text: strconv.Itoa(n)} }

// listOf returns a list, such as {a,b}.
func listOf(separator string, elems ...hlo.Value) *hlo.Value {
	var texts []string
	for _, e := range elems {
		texts = append(texts, e.Text)
	}
	return &hlo.Value{Kind: hlo.ListValue, Open: '{', Text: "{" + strings.Join(texts, separator) + "}", Elems: elems}
}

// attribute adds an attribute before the others.
func attribute(in *hlo.Instruction, name string, v *hlo.Value) {
	in.Attrs = append([]hlo.Attr{{Key: hlo.InstructionAttr(name), Value: v}}, in.Attrs...)
}

// except returns attributes without those of some names.
func except(attrs []hlo.Attr, names ...string) []hlo.Attr {
	return slices.DeleteFunc(slices.Clone(attrs), func(a hlo.Attr) bool { return slices.Contains(names, a.Key.Name) })
}

// ascendingTo returns the numbers below n.
func ascendingTo(n int) []int {
	out := hlo.Descending(n)
	slices.Reverse(out)
	return out
}

// lastExchanged is ascendingTo with the last two exchanged.
func lastExchanged(n int) []int {
	order := ascendingTo(n)
	order[n-2], order[n-1] = n-1, n-2
	return order
}

// among returns the places in a list of those dimensions that are in it.
func among(dims, list []int) (places []int) {
	for _, d := range dims {
		if i := slices.Index(list, d); i >= 0 {
			places = append(places, i)
		}
	}
	return places
}

// inverse returns the permutation that undoes another one.
func inverse(order []int) []int {
	back := make([]int, len(order))
	for i, d := range order {
		back[d] = i
	}
	return back
}
