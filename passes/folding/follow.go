package folding

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// follower is how a kind of operation follows a form that it reads, here f.
type follower struct {
	// fits reports whether one may follow; for others the parts are joined immediately. It is nil for all.
	fits func(d *divider, in *hlo.Instruction, f *divided) bool
	// ready reports whether one that fits can follow now. It is nil for always.
	ready func(d *divider, in *hlo.Instruction, f *divided) bool
	// form returns its form, or a value in its place that nothing follows.
	form func(d *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided)
}

var followElementwise = follower{spreadsFit, operandsAlike, elementwiseForm}

var followers = map[hlo.Opcode]follower{
	hlo.OpConvolution: {nil, convolutionReady, convolutionForm},
	hlo.OpConcatenate: {
		func(_ *divider, in *hlo.Instruction, f *divided) bool { return !f.divides(in.Ints("dimensions")) },
		concatenateReady, concatenateForm},
	hlo.OpReverse: {
		func(_ *divider, in *hlo.Instruction, f *divided) bool { return !f.divides(in.Ints("dimensions")) },
		nil, reverseForm},
	hlo.OpTranspose: {nil, nil, transposeForm},
	hlo.OpPad:       {padFits, nil, padForm},
	hlo.OpSlice:     {sliceFits, nil, sliceForm},
	hlo.OpReduce: {
		func(_ *divider, in *hlo.Instruction, f *divided) bool {
			dims := in.Ints("dimensions")
			return len(in.Operands) == 2 && slices.Contains(dims, f.batch) == slices.Contains(dims, f.along)
		},
		func(_ *divider, in *hlo.Instruction, f *divided) bool {
			return !f.divides(in.Ints("dimensions")) || slices.IsSorted(keptOf(in, f))
		},
		reduceForm},
	hlo.OpReduceWindow: {
		func(_ *divider, in *hlo.Instruction, f *divided) bool {
			return len(in.Operands) == 2 && f.fitsWindow(in)
		},
		func(_ *divider, in *hlo.Instruction, f *divided) bool { return f.size() >= f.window(in) },
		windowForm},
	hlo.OpSelectAndScatter: {
		func(d *divider, in *hlo.Instruction, f *divided) bool {
			return f == d.forms[in.Operands[0]] && f.fitsWindow(in) && f.size()%f.stride(in) == 0 &&
				in.Shape.DType.Class() == hlo.ClassFloat && picksLargest(in)
		},
		scatterReady, scatterForm},
}

// followerOf returns how an instruction follows; ok is false where it does not.
func followerOf(in *hlo.Instruction) (f follower, ok bool) {
	if in.Shape.IsDynamic() || in.Attr("sharding") != nil || !in.Shape.IsArray() {
		return f, false
	}
	if isElementwise(in) {
		return followElementwise, true
	}
	f, ok = followers[in.Opcode]
	return f, ok
}

// isElementwise reports whether an operation follows because it is elementwise.
func isElementwise(in *hlo.Instruction) bool {
	return in.Opcode.Elementwise() && in.Opcode != hlo.OpCopy && len(in.Operands) > 0
}

// divides reports whether the batch or the divided dimension is among some.
func (f *divided) divides(dims []int) bool {
	return slices.Contains(dims, f.batch) || slices.Contains(dims, f.along)
}

// spreads reports whether a broadcast can have a form's dimensions: it is the same along the divided one.
func (f *divided) spreads(in *hlo.Instruction) bool {
	return !slices.Contains(in.Ints("dimensions"), f.along)
}

// spreadsFit reports whether all broadcasts that an elementwise operation reads can have a form's dimensions.
func spreadsFit(_ *divider, in *hlo.Instruction, f *divided) bool {
	return !slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool {
		return o.Opcode == hlo.OpBroadcast && !f.spreads(o)
	})
}

// fitsWindow reports whether a window leaves the batch alone and begins in the form's parts.
func (f *divided) fitsWindow(in *hlo.Instruction) bool {
	window, n := in.Attr("window"), in.Shape.Rank()
	if window == nil {
		return false
	}
	pads := padsOf(window, n)
	size, apart, between := window.WindowInts("size", n), window.WindowInts("rhs_dilate", n),
		window.WindowInts("lhs_dilate", n)
	return len(pads) == n && size[f.batch] == 1 && pads[f.along].Low == 0 && pads[f.along].High >= 0 &&
		pads[f.along].High <= size[f.along] && apart[f.along] == 1 && between[f.along] == 1 && apart[f.batch] == 1 &&
		between[f.batch] == 1 && pads[f.batch] == hlo.Padding{} && window.WindowInts("stride", n)[f.along] > 0
}

// window, stride and beyond are of a window along the divided dimension: its size, its stride, and how many elements of
// the parts after a part its last one reaches.
func (f *divided) window(in *hlo.Instruction) int64 {
	return in.Attr("window").WindowInts("size", in.Shape.Rank())[f.along]
}

func (f *divided) stride(in *hlo.Instruction) int64 {
	return in.Attr("window").WindowInts("stride", in.Shape.Rank())[f.along]
}

func (f *divided) beyond(in *hlo.Instruction) int64 {
	step := f.stride(in)
	return (f.size()-1)/step*step + f.window(in) - f.size()
}

func concatenateReady(d *divider, in *hlo.Instruction, _ *divided) bool {
	first := d.forms[in.Operands[0]]
	return !slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool {
		f := d.forms[o]
		return f == nil || !slices.Equal(f.to, first.to) || !slices.Equal(f.value.Shape.Dims, first.value.Shape.Dims)
	})
}

// scatterReady reports whether a select-and-scatter has both operands alike. Windows that overlap, which the compiler
// takes apart, are not modelled.
func scatterReady(d *divider, in *hlo.Instruction, f *divided) bool {
	g := d.forms[in.Operands[1]]
	if g == nil || !slices.Equal(f.to, g.to) || f.count() != g.count() {
		return false
	}
	pad := padsOf(in.Attr("window"), in.Shape.Rank())[f.along]
	return (f.size()+pad.High)/f.stride(in) == g.size() && f.size() >= f.window(in) && f.beyond(in) <= 0
}

// picksLargest reports whether a select-and-scatter is the gradient of a maximum: it compares by GE, and adds.
func picksLargest(in *hlo.Instruction) bool {
	bodies := in.Called()
	if len(bodies) != 2 {
		return false
	}
	pick, join := bodies[0].Root, bodies[1].Root
	ofParameters := func(in *hlo.Instruction) bool {
		return len(in.Operands) == 2 && in.Operands[0].Opcode == hlo.OpParameter &&
			in.Operands[1].Opcode == hlo.OpParameter && in.Operands[0] != in.Operands[1]
	}
	direction := pick.Attr("direction")
	return pick.Opcode == hlo.OpCompare && ofParameters(pick) && direction != nil && direction.Text == "GE" &&
		join.Opcode == hlo.OpAdd && ofParameters(join)
}

func padFits(d *divider, in *hlo.Instruction, f *divided) bool {
	pads := in.Attr("padding").Paddings()
	return d.forms[in.Operands[0]] != nil && len(pads) == in.Shape.Rank() && pads[f.batch] == hlo.Padding{} &&
		pads[f.along] == hlo.Padding{}
}

// keptOf returns the places in a form of the dimensions that a reduce keeps.
func keptOf(in *hlo.Instruction, f *divided) (kept []int) {
	for dim, to := range f.to {
		if !slices.Contains(in.Ints("dimensions"), dim) {
			kept = append(kept, to)
		}
	}
	return kept
}

// operandsAlike reports whether the operands of an elementwise operation are constants, broadcasts, or forms alike but
// for the size of their parts.
func operandsAlike(d *divider, in *hlo.Instruction, from *divided) bool {
	var first *divided
	for _, o := range in.Operands {
		if o.Opcode == hlo.OpConstant || o.Shape.IsScalar() || o.Opcode == hlo.OpBroadcast && from.spreads(o) {
			continue
		}
		f := d.forms[o]
		switch {
		case f == nil:
			return false
		case first == nil:
			first = f
		case f.batch != first.batch || f.along != first.along || !slices.Equal(f.to, first.to):
			return false
		}
		for i, n := range f.value.Shape.Dims {
			if n != first.value.Shape.Dims[i] && (i != first.along || len(in.Operands) < 2) {
				return false
			}
		}
	}
	return first != nil
}

func concatenateForm(d *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided) {
	var parts []*hlo.Instruction
	for _, o := range in.Operands {
		parts = append(parts, d.forms[o].value)
	}
	return nil, f.with(concatenated(d, in, f.to[in.Ints("dimensions")[0]], parts...))
}

func reverseForm(d *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided) {
	n := d.make(in.Opcode, in, f.value.Shape.Dims, f.value)
	set(n, "dimensions", sizes(f.to, in.Ints("dimensions")))
	return nil, f.with(n)
}

// transposeForm returns the form of a transpose: the same value.
func transposeForm(_ *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided) {
	order, out := in.Ints("dimensions"), *f
	out.batch, out.along, out.to = slices.Index(order, f.batch), slices.Index(order, f.along), sizes(f.to, order)
	return nil, &out
}

func padForm(d *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided) {
	pads, dims := make([]hlo.Padding, len(f.to)), slices.Clone(f.value.Shape.Dims)
	for dim, p := range in.Attr("padding").Paddings() {
		pads[f.to[dim]] = p
		if dim != f.batch && dim != f.along {
			dims[f.to[dim]] = in.Shape.Dims[dim]
		}
	}
	return nil, f.with(surrounded(d, f.value, in.Operands[1], pads, dims))
}

// with returns a form with another value, whose dimensions are in the same places.
func (f *divided) with(value *hlo.Instruction) *divided {
	out := *f
	out.value, out.blank = value, false
	return &out
}

// sliceFits reports whether a slice has the batch and the divided dimension whole.
func sliceFits(_ *divider, in *hlo.Instruction, f *divided) bool {
	have := in.Operands[0].Shape.Dims
	return in.Shape.Dims[f.batch] == have[f.batch] && in.Shape.Dims[f.along] == have[f.along]
}

func sliceForm(d *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided) {
	order, dims := inverse(f.to), sizes(in.Shape.Dims, inverse(f.to))
	dims[f.parts()], dims[f.space()] = f.count(), f.size()
	n := d.make(in.Opcode, in, dims, f.value)
	ranges := sizes(in.Attr("slice").Elems, order)
	for _, to := range []int{f.parts(), f.space()} {
		ranges[to] = rangeOf(0, dims[to])
	}
	attribute(n, "slice", listOf(", ", ranges...))
	return nil, f.with(n)
}

// reduceForm reduces a form over its parts; one that keeps the batch and the divided dimension has a form itself.
func reduceForm(d *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided) {
	if kept := keptOf(in, f); !f.divides(in.Ints("dimensions")) {
		places := slices.Sorted(slices.Values(kept))
		n := likewise(d, in, sizes(f.value.Shape.Dims, places), f.value, in.Operands[1])
		set(n, "dimensions", sizes(f.to, in.Ints("dimensions")))
		out := divided{value: n}
		for i, to := range kept {
			out.to = append(out.to, slices.Index(places, to))
			switch to {
			case f.parts():
				out.batch = i
			case f.space():
				out.along = i
			}
		}
		return nil, &out
	}
	f = d.masked(f, in.Operands[0].Shape.Dims[f.along], in.Operands[1])
	n := likewise(d, in, in.Shape.Dims, f.value, in.Operands[1])
	set(n, "dimensions", sizes(f.to, in.Ints("dimensions")))
	return n, nil
}

// elementwiseForm returns the form of what is elementwise of forms, broadcasts and constants. Its parts are as large as
// the largest ones.
func elementwiseForm(d *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided) {
	if len(in.Operands) > 1 {
		for _, o := range in.Operands {
			if g := d.forms[o]; g != nil && o.Opcode != hlo.OpBroadcast && g.size() > f.size() {
				f = g
			}
		}
	}
	dims := f.value.Shape.Dims
	operands := slices.Clone(in.Operands)
	for i, o := range operands {
		g := d.forms[o]
		switch {
		case o.Shape.IsScalar():
		case o.Opcode == hlo.OpBroadcast:
			operands[i] = d.spread(o, f)
		case g != nil && g.size() != f.size():
			operands[i] = d.resized(g.value, g.parts(), f.size())
		case g != nil:
			operands[i] = g.value
		default:
			x := transposed(d, o, inverse(f.to))
			x = padded(d, x, f.space(), 0, f.size()*splits-x.Shape.Dims[f.space()])
			operands[i] = d.split(x, f.parts(), f.size())
		}
	}
	return nil, f.with(likewise(d, in, dims, operands...))
}

// spread returns a broadcast of the dimensions of a form. What differs from image to image is the same in all parts.
func (d *divider) spread(in *hlo.Instruction, f *divided) *hlo.Instruction {
	dims := f.value.Shape.Dims
	for _, n := range d.spreads[in] {
		if slices.Equal(n.Shape.Dims, dims) {
			return n
		}
	}
	from := in.Ints("dimensions")
	to := sizes(f.to, from)
	byBatch := slices.Contains(from, f.batch)
	whole := slices.Clone(dims)
	if byBatch {
		whole[f.parts()], whole[f.space()] = whole[f.parts()]/splits, whole[f.space()]*splits
	}
	order := ascendingTo(len(to))
	slices.SortFunc(order, func(a, b int) int { return to[a] - to[b] })
	n := broadcast(d, in, transposed(d, in.Operands[0], order), whole, sizes(to, order))
	if byBatch {
		n = d.make(hlo.OpReshape, in, dims, n)
	}
	d.spreads[in] = append(d.spreads[in], n)
	return n
}

// windowForm returns the form of a reduce-window of one: its parts are of whole strides, and end with what the windows
// of their last elements reach of the parts after.
func windowForm(d *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided) {
	n, was, step := in.Operands[0].Shape.Dims[f.along], f.size(), f.stride(in)
	out := *d.masked(f, n, in.Operands[1])
	if rest := was % step; rest > 0 {
		each := was - rest
		if each*splits < n {
			each += step
		}
		out.value = d.resized(out.value, out.parts(), each)
	}
	if beyond := f.beyond(in); beyond > 0 {
		out.value = d.bordered(out.value, out.parts(), 0, beyond, in.Operands[1])
	}
	dims := slices.Clone(in.Shape.Dims)
	dims[f.batch] *= splits
	dims[f.along] = (out.size()-f.window(in))/step + 1
	return nil, f.with(d.windowed(in, f, dims, out.value, in.Operands[1]))
}

func scatterForm(d *divider, in *hlo.Instruction, f *divided) (*hlo.Instruction, *divided) {
	x := d.masked(f, in.Operands[0].Shape.Dims[f.along], everywhere(d, in, nil, "-inf")).value
	return nil, f.with(d.windowed(in, f, sizes(x.Shape.Dims, f.to), x, d.forms[in.Operands[1]].value, in.Operands[2]))
}

// windowed adds what a window does to divided arrays: dims are those of the result, as the array has them.
func (d *divider) windowed(in *hlo.Instruction, f *divided, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	window, rank, order := in.Attr("window"), in.Shape.Rank(), inverse(f.to)
	n := likewise(d, in, sizes(dims, order), operands...)
	moved := window
	for _, key := range []string{"size", "stride", "lhs_dilate", "rhs_dilate", "rhs_reversal"} {
		if window.Get(key) != nil {
			moved = with(moved, key, windowText(sizes(window.WindowInts(key, rank), order)))
		}
	}
	if window.Get("pad") != nil {
		pads := slices.Clone(padsOf(window, rank))
		pads[f.along] = hlo.Padding{}
		moved = with(moved, "pad", paddingText(sizes(pads, order)))
	}
	setValue(n, "window", moved)
	return n
}

func convolutionReady(d *divider, in *hlo.Instruction, _ *divided) bool {
	return d.convolutionFollows(in) || d.gradientFollows(in)
}

func convolutionForm(d *divider, in *hlo.Instruction, _ *divided) (*hlo.Instruction, *divided) {
	if d.convolutionFollows(in) {
		return nil, d.followConvolution(in)
	}
	return d.filterGradient(in), nil
}

// convolutionFollows reports whether a convolution of a form follows: it divides the same dimension, and what is its
// batch is the form's.
func (d *divider) convolutionFollows(in *hlo.Instruction) bool {
	s, ok := spatialOf(in)
	f := d.forms[in.Operands[0]]
	if !ok || f == nil || !s.divisible(in) || f.along != s.inInput() || f.batch != strings.IndexByte(s.Input, 'b') {
		return false
	}
	_, ok = s.partingOf(in, f)
	return ok
}
