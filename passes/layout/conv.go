package layout

import (
	"fmt"
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"slices"
	"strconv"
	"strings"
)

// spatialMajor returns an order with two dimensions minor and the spatial ones major, in label order.
func spatialMajor(labels string, minor, second int) []int {
	out := []int{minor, second}
	for k := len(labels) - 3; k >= 0; k-- {
		out = append(out, strings.Index(labels, fmt.Sprint(k)))
	}
	return out
}

// convolution constrains a convolution: batch is M, input feature K, output feature N of a dot. The result's features
// are minor unless that takes more (414 sizes of batch and features, f32 and bf16: testdata/convolutions.hlo; of
// these f32 with 4 and 3 is otherwise, why is open).
func (e *engine) convolution(n int32) {
	g := e.g
	in := g.Nodes[n].In
	l, err := flat.ConvLabels(in)
	if err != nil {
		return
	}
	slot := g.Nodes[n].FirstSlot
	why := cause{ruleConvolution, n}

	out := in.Shape
	b, f := strings.IndexByte(l.Output, 'b'), strings.IndexByte(l.Output, 'f')
	bFirst := !e.isMinor(n, f, b)
	if e.on(ruleConvBatchFour) && out.Dims[b] == 4 && out.Dims[f] == 3 && out.DType.Bits() == 32 {
		bFirst = true
	}
	if e.on(ruleConvSingleFeature) && out.Dims[f] == 1 && out.Dims[b] == e.Target.Sublanes {
		bFirst = false // a single feature stays minor where the batch fills the rows, and only there
	}
	mm := spatialMajor(l.Output, f, b)
	if bFirst {
		mm = spatialMajor(l.Output, b, f)
	}
	e.setInstruction(n, e.Orders.Of(mm).Untiled(), must, why)

	input := in.Operands[0].Shape
	mm = e.convOrder(input, l.Input, 'f', 'b', bFirst)
	e.setOperand(n, slot, e.Orders.Of(mm).Untiled(), flags{mandatory: true, dfs: e.isCut(g.Operand(n, 0))}, why)
	kernel := in.Operands[1].Shape
	if bFirst {
		mm = e.convOrder(kernel, l.Kernel, 'i', 'o', false)
	} else {
		mm = e.convOrder(kernel, l.Kernel, 'o', 'i', true)
	}
	// A depthwise kernel's gradient: its second operand is explored first whatever it is (8 of 8 in the log).
	grouped := e.on(ruleConvBatchGroups) && in.Attr("batch_group_count") != nil
	e.setOperand(n, slot+1, e.Orders.Of(mm).Untiled(), flags{mandatory: true, dfs: grouped || e.isCut(g.Operand(n, 1))}, why)
}

// convOrder orders a convolution operand: spatial dimensions major; minor and second by padded size; among equals the
// logical order if keep, else the letter minor.
func (e *engine) convOrder(s *hlo.Shape, labels string, minor, second byte, keep bool) []int {
	i, j := strings.IndexByte(labels, minor), strings.IndexByte(labels, second)
	p, q := e.Target.PaddedPair(s.DType, s.Dims[j], s.Dims[i]), e.Target.PaddedPair(s.DType, s.Dims[i], s.Dims[j])
	if q < p || p == q && keep && j > i {
		i, j = j, i
	}
	return spatialMajor(labels, i, j)
}

// window returns one list of an instruction's window, such as its sizes, by dimension of the first operand; nil where
// it has none or it does not fit the rank.
func (e *engine) window(n int32, key string) []int64 {
	in := e.g.Nodes[n].In
	v := in.Attr("window").Get(key)
	if v == nil {
		return nil
	}
	var out []int64
	for _, p := range strings.Split(v.Text, "x") {
		k, err := strconv.ParseInt(p, 10, 64)
		if err != nil {
			return nil
		}
		out = append(out, k)
	}
	if len(out) != in.Operands[0].Shape.Rank() {
		return nil
	}
	return out
}

// scan constrains a reduce-window with a window of 16 or more along some dimension: descending, but the minor and
// then the second-minor place each go to the nearest dimension that no window, stride or dilation touches and that
// fills the tile's lanes or rows, where the one there does not (792 shapes, f32, bf16, s32, s8, without exception;
// [6,16,28]{2,1,0} along 1, [24,7,16]{2,0,1} along 2: testdata/windows.hlo).
func (e *engine) scan(n int32) {
	nd := &e.g.Nodes[n]
	s := nd.In.Operands[0].Shape
	sizes := e.window(n, "size")
	if s.Rank() < 2 || sizes == nil || slices.Max(sizes) < e.limits[scanWindow] {
		return
	}
	touched := make([]bool, s.Rank())
	for _, key := range []string{"size", "stride", "lhs_dilate", "rhs_dilate"} {
		for k, v := range e.window(n, key) {
			touched[k] = touched[k] || v != 1
		}
	}
	mm := hlo.Descending(s.Rank())
	for at, least := range []int64{e.Target.Lanes, e.Target.Sublanes} {
		fits := func(k int) bool { return !touched[k] && s.Dims[k] >= least }
		if k := slices.IndexFunc(mm[at:], fits); k >= 0 {
			mm[at], mm[at+k] = mm[at+k], mm[at]
		}
	}
	o := e.Orders.Of(mm).Untiled()
	e.setOperand(n, nd.FirstSlot, o, mustLate, cause{ruleScan, n})
	lo, hi := e.g.Leaves(n)
	for l := lo; l < hi; l++ {
		e.setBuffer(e.g.LeafValue[l], o, must, cause{ruleScan, n})
	}
}
