package verify

import "hlolayout/hlo"

var convRules = []rule{hlo.OpConvolution: convolution}

// convDims are the dimension numbers that dim_labels gives: of the input (batch, feature, spatial), of the kernel
// (input feature, output feature, spatial) and of the output.
type convDims struct {
	input, kernel, output labels
}

type labels struct {
	a, b    int // b and f, or i and o
	spatial []int
}

// dimLabels reads dim_labels=b01f_01io->b01f.
func dimLabels(in *hlo.Instruction) (d convDims, err error) {
	v := in.Attr("dim_labels")
	if v == nil {
		return d, fail(VER109, "it has no dim_labels")
	}
	l, ok := in.DimLabels()
	if !ok {
		return d, fail(VER109, "dim_labels=%s is not of the form b01f_01io->b01f", v.Text)
	}
	for _, part := range []struct {
		text string
		a, b byte
		to   *labels
	}{{l.Input, 'b', 'f', &d.input}, {l.Kernel, 'i', 'o', &d.kernel}, {l.Output, 'b', 'f', &d.output}} {
		if !part.to.read(part.text, part.a, part.b) {
			return d, fail(VER108, "dim_labels=%s: %s must have %c, %c and the digits from 0 on, each once", v.Text,
				part.text, part.a, part.b)
		}
	}
	if n := len(d.input.spatial); len(d.kernel.spatial) != n || len(d.output.spatial) != n {
		return d, fail(VER108, "dim_labels=%s gives input, kernel and output different numbers of spatial dimensions",
			v.Text)
	}
	return d, nil
}

func (l *labels) read(text string, a, b byte) bool {
	l.a, l.b = -1, -1
	at := map[byte]int{}
	n := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '?':
		case c == a && l.a < 0:
			l.a = i
		case c == b && l.b < 0:
			l.b = i
		case c >= '0' && c <= '9':
			if _, twice := at[c]; twice {
				return false
			}
			at[c] = i
			n++
		default:
			return false
		}
	}
	for i := 0; i < n; i++ {
		p, ok := at['0'+byte(i)]
		if !ok {
			return false
		}
		l.spatial = append(l.spatial, p)
	}
	return l.a >= 0 && l.b >= 0
}

// highest returns the greatest dimension number.
func (l *labels) highest() int {
	h := max(l.a, l.b)
	for _, d := range l.spatial {
		h = max(h, d)
	}
	return h
}

// windowed returns the size that sliding the window along a dimension of the given size leaves.
func (w windowDim) windowed(size int64) int64 {
	if size == hlo.Unbounded {
		return hlo.Unbounded
	}
	base := w.low + dilated(size, w.baseDilation) + w.high
	win := dilated(w.size, w.windowDilation)
	if base <= 0 || win > base {
		return 0
	}
	return (base-win)/w.stride + 1
}

func dilated(size, by int64) int64 {
	if size == 0 {
		return 0
	}
	return (size-1)*by + 1
}

// sparse returns the input features that a kernel with a sparsity_config stands for: of each block of a sparse right
// side only one row is stored.
func sparse(in *hlo.Instruction, features int64) (int64, error) {
	rhs := in.Attr("sparsity_config").Get("rhs")
	if rhs == nil {
		return features, nil
	}
	ns, ok := pattern(rhs.Get("sparsity"), 1)
	if !ok || len(ns) != 2 || ns[0][0] != 1 || ns[1][0] < 1 {
		return 0, fail(VER108, "sparsity_config=%s must have a sparsity of the form 1x4 for rhs",
			in.Attr("sparsity_config").Text)
	}
	return features * ns[1][0], nil
}

// valid fails unless sizes, strides and dilations are positive.
func (w windowDim) valid(i int) error {
	for _, n := range []struct {
		what  string
		value int64
	}{{"size", w.size}, {"stride", w.stride}, {"lhs_dilate", w.baseDilation}, {"rhs_dilate", w.windowDilation}} {
		if n.value < 1 {
			return fail(VER106, "window %s is %d in dimension %d; it must be at least 1", n.what, n.value, i)
		}
	}
	return nil
}

func convolution(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := arrays(in, 0, 2); err != nil {
		return nil, err
	}
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	var groups [2]int64 // feature, batch
	for i, key := range []string{"feature_group_count", "batch_group_count"} {
		n, err := number(in, key, 1)
		if err != nil {
			return nil, err
		}
		if n < 1 {
			return nil, fail(VER108, "%s is %d; it must be at least 1", key, n)
		}
		groups[i] = n
	}
	features, batches := groups[0], groups[1]
	if features > 1 && batches > 1 {
		return nil, fail(VER108, "feature_group_count is %d and batch_group_count %d; one of them must be 1", features,
			batches)
	}
	d, err := dimLabels(in)
	if err != nil {
		return nil, err
	}
	win, err := window(in)
	if err != nil {
		return nil, err
	}
	spatial := len(d.input.spatial)
	if len(win) != spatial {
		return nil, fail(VER106, "the window has %s, dim_labels %d spatial ones", plural(len(win), "dimension"),
			spatial)
	}
	for i, s := range []*hlo.Shape{lhs, rhs} {
		if s.Rank() != spatial+2 {
			return nil, fail(VER108, "operand %d is %s; dim_labels wants rank %d", i, bare(s), spatial+2)
		}
	}
	if d.input.highest() >= spatial+2 || d.kernel.highest() >= spatial+2 || d.output.highest() >= spatial+2 {
		return nil, fail(VER108, "dim_labels=%s has gaps: not every dimension of the operands has a label",
			word(in, "dim_labels"))
	}
	inFeatures, inBatch := lhs.Dims[d.input.b], lhs.Dims[d.input.a]
	kernelIn, kernelOut := rhs.Dims[d.kernel.a], rhs.Dims[d.kernel.b]
	if kernelIn, err = sparse(in, kernelIn); err != nil {
		return nil, err
	}
	known := func(n int64) bool { return n != hlo.Unbounded }
	switch {
	case known(kernelOut) && kernelOut%batches != 0:
		return nil, fail(VER108, "the kernel %s has %d output features; that is not a multiple of batch_group_count=%d",
			bare(rhs), kernelOut, batches)
	case known(inFeatures) && known(kernelIn) && (inFeatures%features != 0 || inFeatures/features != kernelIn):
		return nil, fail(VER108, "the input %s has %d features and the kernel %s takes %d in each of %s", bare(lhs),
			inFeatures, bare(rhs), kernelIn, plural(int(features), "group"))
	case known(kernelOut) && kernelOut%features != 0:
		return nil, fail(VER108, "the kernel %s has %d output features; that is not a multiple of "+
			"feature_group_count=%d", bare(rhs), kernelOut, features)
	case known(inBatch) && inBatch%batches != 0:
		return nil, fail(VER108, "the input %s has batch size %d; that is not a multiple of batch_group_count=%d",
			bare(lhs), inBatch, batches)
	}
	dims, dyn := make([]int64, spatial+2), make([]bool, spatial+2)
	dims[d.output.a], dyn[d.output.a] = inBatch, dynamic(lhs, d.input.a)
	if known(inBatch) {
		dims[d.output.a] = inBatch / batches
	}
	dims[d.output.b] = kernelOut
	if dynamic(rhs, d.kernel.b) {
		return nil, fail(VER108, "the output features of the kernel %s are dynamic", bare(rhs))
	}
	for i, w := range win {
		if k := rhs.Dims[d.kernel.spatial[i]]; known(k) && k != w.size {
			return nil, fail(VER106, "the window has size %d in spatial dimension %d, the kernel %s has %d", w.size, i,
				bare(rhs), k)
		}
		if err := w.valid(i); err != nil {
			return nil, err
		}
		at := d.output.spatial[i]
		dims[at] = w.windowed(lhs.Dims[d.input.spatial[i]])
		dyn[at] = dynamic(lhs, d.input.spatial[i]) || dynamic(rhs, d.kernel.spatial[i])
	}
	return newArray(resultType(in), dims, dyn), nil
}
