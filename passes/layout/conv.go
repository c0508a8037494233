package layout

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// convLabelling is dim_labels: for each of input, kernel and result the letter of every dimension, such as "b01f".
type convLabelling struct{ input, kernel, output string }

// convLabels reads dim_labels and checks it against the shapes.
func convLabels(in *hlo.Instruction) (convLabelling, error) {
	v := in.Attr("dim_labels")
	if v == nil {
		return convLabelling{}, fmt.Errorf("convolution without dim_labels")
	}
	operands, output, ok1 := strings.Cut(v.Text, "->")
	input, kernel, ok2 := strings.Cut(operands, "_")
	l := convLabelling{input, kernel, output}
	for i, p := range []struct {
		labels, letters string
		shape           *hlo.Shape
	}{{input, "bf", in.Operands[0].Shape}, {kernel, "io", in.Operands[1].Shape}, {output, "bf", in.Shape}} {
		if !ok1 || !ok2 || len(p.labels) != p.shape.Rank() || len(p.labels) != len(input) || len(input) > 12 {
			return l, fmt.Errorf("dim_labels=%s does not fit the shapes", v.Text)
		}
		for k := range len(p.labels) - 2 {
			p.letters += fmt.Sprint(k)
		}
		for _, c := range p.letters {
			if strings.Count(p.labels, string(c)) != 1 {
				return l, fmt.Errorf("dim_labels=%s: part %d has not each of %s once", v.Text, i, p.letters)
			}
		}
	}
	return l, nil
}

// spatialMajor returns an order with two dimensions minor and the spatial ones major, in label order.
func spatialMajor(labels string, minor, second int) []int {
	out := []int{minor, second}
	for k := len(labels) - 3; k >= 0; k-- {
		out = append(out, strings.Index(labels, fmt.Sprint(k)))
	}
	return out
}

// convolution constrains a convolution: batch is M, input feature K, output feature N of a dot (3.3).
func (e *engine) convolution(n int32) {
	g := e.g
	in := g.nodes[n].in
	l, err := convLabels(in)
	if err != nil {
		return
	}
	slot := g.nodes[n].operand
	why := cause{ruleConvolution, n}

	out := in.Shape
	b, f := strings.IndexByte(l.output, 'b'), strings.IndexByte(l.output, 'f')
	fMinor, bMinor := e.t.PaddedPair(out.DType, out.Dims[b], out.Dims[f]), e.t.PaddedPair(out.DType, out.Dims[f], out.Dims[b])
	bFirst := bMinor < fMinor
	if bMinor == fMinor {
		bFirst = wasteOf(out.Dims[b]).compare(wasteOf(out.Dims[f])) < 0 || e.reducedMinor(n, b, f)
	}
	mm := spatialMajor(l.output, f, b)
	if bFirst {
		mm = spatialMajor(l.output, b, f)
	}
	e.setInstruction(n, e.orders.of(mm), must, why)

	input := in.Operands[0].Shape
	mm = e.convOrder(input, l.input, 'f', 'b', bFirst)
	e.setOperand(n, slot, e.orders.of(mm), flags{mandatory: true, dfs: e.isCut(g.operand(n, 0))}, why)
	kernel := in.Operands[1].Shape
	if bFirst {
		mm = e.convOrder(kernel, l.kernel, 'i', 'o', false)
	} else {
		mm = e.convOrder(kernel, l.kernel, 'o', 'i', true)
	}
	e.setOperand(n, slot+1, e.orders.of(mm), flags{mandatory: true, dfs: e.isCut(g.operand(n, 1))}, why)
}

// convOrder orders a convolution operand: spatial dimensions major; minor and second by padded size; among equals the
// logical order if keep, else the letter minor.
func (e *engine) convOrder(s *hlo.Shape, labels string, minor, second byte, keep bool) []int {
	i, j := strings.IndexByte(labels, minor), strings.IndexByte(labels, second)
	p, q := e.t.PaddedPair(s.DType, s.Dims[j], s.Dims[i]), e.t.PaddedPair(s.DType, s.Dims[i], s.Dims[j])
	if q < p || p == q && keep && j > i {
		i, j = j, i
	}
	return spatialMajor(labels, i, j)
}

// scanWindow is the least window of a reduce-window that counts as a scan: 10 does not, 20 does; the exact
// threshold is open (3.6).
const scanWindow = 16

// windowSizes returns the sizes of an instruction's window, nil where it has none or they do not fit the rank.
func windowSizes(in *hlo.Instruction, rank int) []int64 {
	v := in.Attr("window").Get("size")
	if v == nil {
		return nil
	}
	var out []int64
	for _, p := range strings.Split(v.Text, "x") {
		var n int64
		if _, err := fmt.Sscan(p, &n); err != nil {
			return nil
		}
		out = append(out, n)
	}
	if len(out) != rank {
		return nil
	}
	return out
}

// scan constrains a reduce-window that runs along one whole dimension (3.6).
func (e *engine) scan(n int32) {
	nd := &e.g.nodes[n]
	s := nd.in.Operands[0].Shape
	sizes := windowSizes(nd.in, s.Rank())
	if nd.tuple || s.Rank() < 2 || sizes == nil {
		return
	}
	d := -1
	for k, size := range sizes {
		if size > 1 {
			if d >= 0 {
				return
			}
			d = k
		}
	}
	if d < 0 || sizes[d] != s.Dims[d] || sizes[d] < scanWindow {
		return
	}
	var mm []int
	switch {
	case d == s.Rank()-1:
		// The second-minor dimension is the largest other one where it fills a tile's rows ([9,2,128]{2,0,1}: cummax_rev; [8,4,128]{2,0,1}:
		// moe_einsum_dispatch_fwd), else that of the least padded size ([5,2,128]{2,1,0}: moe_topk; [3,2,128]{2,1,0}: fuzz_001). That it is
		// the tile's rows which decide is a guess.
		var least int64
		for k := range s.Rank() {
			if k == d {
				continue
			}
			by := withMinor(s.Rank(), []int{d, k}, nil)
			size := e.paddedDims(s.DType, s.Dims, by)
			if s.Dims[k] >= e.t.Sublanes {
				size = -s.Dims[k]
			}
			if mm == nil || size <= least {
				mm, least = by, size
			}
		}
	case s.Rank() == 2:
		mm = []int{1, 0}
	default:
		var others, ones []int
		for k := range s.Rank() {
			switch {
			case k == d:
			case s.Dims[k] == 1:
				ones = append(ones, k)
			default:
				others = append(others, k)
			}
		}
		if len(others) < 2 {
			return
		}
		mm = append(e.byPaddedPair(s.DType, s.Dims, others), d)
		slices.Reverse(ones)
		mm = append(mm, ones...)
	}
	e.setOperand(n, nd.operand, e.orders.of(mm), mustLate, cause{ruleScan, n})
	e.setBuffer(e.g.whole(n), e.orders.of(mm), must, cause{ruleScan, n})
}

// byPaddedPair returns ascending dimensions minor first, the last two swapped where that pads less.
func (e *engine) byPaddedPair(t hlo.DType, dims []int64, which []int) []int {
	out := slices.Clone(which)
	slices.Reverse(out)
	if len(out) >= 2 && e.t.PaddedPair(t, dims[out[0]], dims[out[1]]) < e.t.PaddedPair(t, dims[out[1]], dims[out[0]]) {
		out[0], out[1] = out[1], out[0]
	}
	return out
}
