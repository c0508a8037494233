package randhlo

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
)

func dot(c *comp) {
	l := c.choose(func(s *hlo.Shape) bool { return isFullArray(s) && s.DType.Class() == hlo.ClassFloat })
	if l == nil {
		return
	}
	order := c.permutation(l.shape.Rank())
	batch := c.int(0, min(len(order)-1, 2))
	contracted := c.int(0, min(len(order)-batch, 2))
	lhsBatch, lhsContracted := order[:batch], order[batch:batch+contracted]
	free := make([]int64, c.int(0, 2))
	result := []int64{}
	for _, d := range lhsBatch {
		result = append(result, l.shape.Dims[d])
	}
	result = append(result, without(l.shape.Dims, order[:batch+contracted])...)
	n := elements(l.shape.Dims) * 8 // of the result or of the right operand, at most
	for i := range free {
		free[i] = c.size(n)
		n *= free[i]
	}
	result = append(result, free...)
	// The right operand has these dimensions in a random order.
	var rhs []int64
	for _, d := range order[:batch+contracted] {
		rhs = append(rhs, l.shape.Dims[d])
	}
	rhs = append(rhs, free...)
	place := c.permutation(len(rhs)) // place[i] is where dimension i goes
	dims := make([]int64, len(rhs))
	for i, p := range place {
		dims[p] = rhs[i]
	}
	// The free dimensions of the result are in the order of the operand.
	at := slices.Clone(place[batch+contracted:])
	slices.Sort(at)
	for i, p := range at {
		result[len(result)-len(free)+i] = dims[p]
	}
	r := c.supply(array(l.shape.DType, dims...))
	var attrs []string
	if batch > 0 {
		attrs = append(attrs, "lhs_batch_dims="+list(lhsBatch))
	}
	attrs = append(attrs, "lhs_contracting_dims="+list(lhsContracted))
	if batch > 0 {
		attrs = append(attrs, "rhs_batch_dims="+list(place[:batch]))
	}
	attrs = append(attrs, "rhs_contracting_dims="+list(place[batch:batch+contracted]))
	to := l.shape.DType
	if to == hlo.BF16 && c.bool() {
		to = hlo.F32
	}
	c.instruction(array(to, result...), "dot", []*value{l, r}, attrs...)
}

func convolution(c *comp) {
	spatial := c.int(1, 2)
	names := "bf01"[:2+spatial]
	kernels := "io01"[:2+spatial]
	groups := int64(pick(c.gen, 1, 1, 1, 2, 4))
	batch, input, output := pick(c.gen, int64(1), 2, 8, 16), groups*pick(c.gen, int64(1), 3, 8, 64),
		groups*pick(c.gen, int64(1), 4, 16, 128)
	d := pick(c.gen, hlo.F32, hlo.BF16)
	lhs, rhs, out := []int64{batch, input}, []int64{input / groups, output}, []int64{batch, output}
	var window, stride, padding []string
	for range spatial {
		in, k, s, p := int64(c.int(4, 20)), int64(c.int(1, 4)), int64(c.int(1, 2)), int64(c.int(0, 2))
		lhs, rhs, out = append(lhs, in), append(rhs, k), append(out, (in+2*p-k)/s+1)
		window, stride, padding = append(window, fmt.Sprint(k)), append(stride, fmt.Sprint(s)),
			append(padding, fmt.Sprintf("%d_%d", p, p))
	}
	l, lText := c.shuffled(d, lhs, names)
	r, rText := c.shuffled(d, rhs, kernels)
	o, oText := c.shuffled(d, out, names)
	join := func(s []string) string { return strings.Join(s, "x") }
	attrs := []string{"window={size=" + join(window) + " stride=" + join(stride) + " pad=" + join(padding) + "}",
		"dim_labels=" + lText + "_" + rText + "->" + oText}
	if groups > 1 {
		attrs = append(attrs, fmt.Sprintf("feature_group_count=%d", groups))
	}
	lhsValue := c.choose(func(s *hlo.Shape) bool { return s.Equal(l) })
	if lhsValue == nil {
		lhsValue = c.supply(l)
	}
	c.instruction(o, "convolution", []*value{lhsValue, c.supply(r)}, attrs...)
}

// shuffled puts dims and their names in an order that is drawn.
func (c *comp) shuffled(d hlo.DType, dims []int64, names string) (*hlo.Shape, string) {
	out, text := []int64{}, ""
	for _, i := range c.permutation(len(dims)) {
		out, text = append(out, dims[i]), text+names[i:i+1]
	}
	return array(d, out...), text
}

func reduce(c *comp) {
	v := c.choose(isArray)
	if v == nil {
		return
	}
	drop := c.subset(v.shape.Rank())
	d := v.shape.DType
	c.instruction(array(d, without(v.shape.Dims, drop)...), "reduce", []*value{v, c.constant(d, "0")},
		"dimensions="+list(drop), "to_apply="+c.region(pick(c.gen, associative[d.Class()]...), d))
}

// reducePair reduces two arrays together, as argmax does.
func reducePair(c *comp) {
	v := c.choose(func(s *hlo.Shape) bool { return isFullArray(s) && isReal(s.DType) })
	if v == nil {
		return
	}
	d := v.shape.DType
	with := c.like(v, hlo.S32)
	drop := c.subset(v.shape.Rank())
	if len(drop) == 0 {
		drop = []int{0}
	}
	r := c.inner("argmax")
	a, i, b, j := r.parameter(array(d)), r.parameter(array(hlo.S32)), r.parameter(array(d)), r.parameter(array(hlo.S32))
	less := r.instruction(array(hlo.Pred), "compare", []*value{a, b}, "direction=GE")
	x := r.instruction(array(d), "select", []*value{less, a, b})
	y := r.instruction(array(hlo.S32), "select", []*value{less, i, j})
	r.finish("", r.tuple(x, y))
	dims := without(v.shape.Dims, drop)
	c.elements(c.instruction(hlo.NewTuple(array(d, dims...), array(hlo.S32, dims...)), "reduce",
		[]*value{v, with, c.constant(d, "0"), c.constant(hlo.S32, "0")}, "dimensions="+list(drop), "to_apply=%"+r.name))
}

func reduceWindow(c *comp) {
	v := c.choose(isFullArray)
	if v == nil {
		return
	}
	var size, stride, padding []string
	var dims []int64
	for _, n := range v.shape.Dims {
		k, s, p := int64(1), int64(1), int64(0)
		if n > 1 && c.bool() {
			k, s, p = int64(c.int(1, int(min(n, 3)))), int64(c.int(1, 2)), int64(c.int(0, 1))
		}
		size, stride, padding = append(size, fmt.Sprint(k)), append(stride, fmt.Sprint(s)),
			append(padding, fmt.Sprintf("%d_%d", p, p))
		dims = append(dims, (n+2*p-k)/s+1)
	}
	d := v.shape.DType
	join := func(s []string) string { return strings.Join(s, "x") }
	c.instruction(array(d, dims...), "reduce-window", []*value{v, c.constant(d, "0")},
		"window={size="+join(size)+" stride="+join(stride)+" pad="+join(padding)+"}", "to_apply="+
			c.region(pick(c.gen, associative[d.Class()]...), d))
}

func sort(c *comp) {
	v := c.choose(func(s *hlo.Shape) bool { return isFullArray(s) && isReal(s.DType) })
	if v == nil {
		return
	}
	operands := []*value{v}
	if c.bool() {
		operands = append(operands, c.like(v, pick(c.gen, c.o.DTypes...)))
	}
	r := c.inner("compare")
	var sides []*value
	var shapes []*hlo.Shape
	for _, o := range operands {
		shapes = append(shapes, o.shape)
		sides = append(sides, r.parameter(array(o.shape.DType)), r.parameter(array(o.shape.DType)))
	}
	r.finish("", r.instruction(array(hlo.Pred), "compare", sides[:2], "direction=LT"))
	s := v.shape
	if len(shapes) > 1 {
		s = hlo.NewTuple(shapes...)
	}
	c.elements(c.instruction(s, "sort", operands, fmt.Sprintf("dimensions={%d}", c.int(0, v.shape.Rank()-1)),
		"to_apply=%"+r.name))
}

// window is what a gather and a scatter have in common: indices of some dimensions of an operand, and a window at each.
type window struct {
	mapped, dropped []int   // dimensions of the operand that the index gives, and those that the window leaves out
	sizes           []int64 // of the window, in the dimensions of the operand
	indices         *value
	places          []int   // where the window's dimensions are in the result or the updates
	dims            []int64 // of the result or the updates
}

func (c *comp) window(s *hlo.Shape) window {
	var w window
	w.mapped = c.permutation(s.Rank())[:c.int(1, min(2, s.Rank()))]
	var kept []int64
	for d, n := range s.Dims {
		size := n
		if slices.Contains(w.mapped, d) {
			size = int64(c.int(1, int(n)))
			if c.bool() {
				size = 1
			}
		}
		w.sizes = append(w.sizes, size)
		if size == 1 && slices.Contains(w.mapped, d) && c.int(0, 3) > 0 {
			w.dropped = append(w.dropped, d)
			continue
		}
		kept = append(kept, size)
	}
	batch := make([]int64, c.int(0, 2))
	n := max(1, elements(kept)) * int64(len(w.mapped))
	for i := range batch {
		batch[i] = c.size(n)
		n *= batch[i]
	}
	w.indices = c.supply(array(hlo.S32, append(slices.Clone(batch), int64(len(w.mapped)))...))
	rank := len(kept) + len(batch)
	w.places = slices.Sorted(slices.Values(c.permutation(rank)[:len(kept)]))
	for i := range rank {
		if at := slices.Index(w.places, i); at >= 0 {
			w.dims = append(w.dims, kept[at])
		} else {
			w.dims, batch = append(w.dims, batch[0]), batch[1:]
		}
	}
	return w
}

func gather(c *comp) {
	v := c.choose(isFullArray)
	if v == nil {
		return
	}
	w := c.window(v.shape)
	c.instruction(array(v.shape.DType, w.dims...), "gather", []*value{v, w.indices}, "offset_dims="+list(w.places),
		"collapsed_slice_dims="+list(w.dropped),
		"start_index_map="+list(w.mapped), fmt.Sprintf("index_vector_dim=%d", w.indices.shape.Rank()-1), "slice_sizes="+
			list(w.sizes))
}

func scatter(c *comp) {
	v := c.choose(isFullArray)
	if v == nil {
		return
	}
	w := c.window(v.shape)
	d := v.shape.DType
	c.instruction(v.shape, "scatter", []*value{v, w.indices, c.supply(array(d, w.dims...))}, "update_window_dims="+
		list(w.places), "inserted_window_dims="+list(w.dropped), "scatter_dims_to_operand_dims="+list(w.mapped),
		fmt.Sprintf("index_vector_dim=%d", w.indices.shape.Rank()-1), "to_apply="+
			c.region(pick(c.gen, associative[d.Class()]...), d))
}

// starts returns a scalar for each dimension.
func (c *comp) starts(n int) []*value {
	out := make([]*value, n)
	for i := range out {
		if out[i] = c.choose(func(s *hlo.Shape) bool { return s.IsScalar() && s.DType == hlo.S32 }); out[i] == nil {
			out[i] = c.supply(array(hlo.S32))
		}
	}
	return out
}

func dynamicSlice(c *comp) {
	if v := c.choose(isFullArray); v != nil {
		_, dims := c.part(v.shape.Dims)
		c.instruction(array(v.shape.DType, dims...), "dynamic-slice", append([]*value{v}, c.starts(len(dims))...),
			"dynamic_slice_sizes="+list(dims))
	}
}

func dynamicUpdateSlice(c *comp) {
	if v := c.choose(isFullArray); v != nil {
		_, dims := c.part(v.shape.Dims)
		update := c.supply(array(v.shape.DType, dims...))
		c.instruction(v.shape, "dynamic-update-slice", append([]*value{v, update}, c.starts(len(dims))...))
	}
}
