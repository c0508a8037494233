package folding

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// gradientFollows reports whether a convolution is the gradient of a kernel, images times gradients, of which one is
// divided along the dimension and the other is or can be: their batch is what it sums over as features.
func (d *divider) gradientFollows(in *hlo.Instruction) bool {
	s, ok := spatialOf(in)
	if !ok || s.stride != 1 || s.between != 1 || in.Attr("feature_group_count") != nil {
		return false
	}
	images, kernel := d.forms[in.Operands[0]], d.forms[in.Operands[1]]
	batch, sums := strings.IndexByte(s.Input, 'f'), strings.IndexByte(s.Kernel, 'i')
	switch {
	case images == nil && kernel == nil,
		images != nil && (images.batch != batch || images.along != s.inInput()),
		kernel != nil && (kernel.batch != sums || kernel.along != s.inKernel()),
		!s.pairs(in, images, kernel, batch, sums):
		return false
	}
	n := s.shifts(in).total()
	return n == in.Shape.Dims[s.inOutput()] && n > 0 && n <= mostShifts
}

// pairs reports whether the parts of images and of gradients go together, or those of one can be made for the other;
// batch and sums are the dimensions of the images and of the gradients that are divided.
func (s *spatial) pairs(in *hlo.Instruction, images, kernel *divided, batch, sums int) bool {
	switch {
	case kernel == nil:
		return images.size()%s.apart == 0 && in.Operands[1].Shape.Dims[sums]*splits == images.count()
	case images == nil:
		return in.Operands[0].Shape.Dims[batch]*splits == kernel.count()
	}
	return images.size() <= s.apart*kernel.size() && images.count() == kernel.count()
}

// mostShifts is more than any kernel has that was seen, 31: each shift adds instructions.
const mostShifts = 512

// followsLate is gradientFollows for what has not followed to the end; others join their parts then.
func (d *divider) followsLate(in *hlo.Instruction) bool {
	s, ok := spatialOf(in)
	return ok && !s.divisible(in) && d.gradientFollows(in)
}

// shifts are how often the images of a kernel's gradient are read, each time one element later: before their
// beginning, within them, from first on, and after.
type shifts struct{ before, within, after, first int64 }

func (n shifts) total() int64 { return n.before + n.within + n.after }

// shifts returns them for a gradient of a kernel.
func (s *spatial) shifts(in *hlo.Instruction) shifts {
	reach := (in.Operands[1].Shape.Dims[s.inKernel()]-1)*s.apart + 1
	within := in.Operands[0].Shape.Dims[s.inInput()] - reach + 1 + min(s.low, 0) + min(s.high, 0)
	return shifts{max(s.low, 0), max(within, 0), max(s.high, 0), max(-s.low, 0)}
}

// filterGradient returns the gradient of a kernel as a convolution of divided images and divided gradients, whose parts
// are features that it sums over. The images of all shifts are joined in a dimension of their own.
func (d *divider) filterGradient(in *hlo.Instruction) *hlo.Instruction {
	s, _ := spatialOf(in)
	x, y := in.Operands[0], in.Operands[1]
	images, kernel := d.forms[x], d.forms[y]
	switch {
	case images == nil:
		images = d.dividedFor(x, strings.IndexByte(s.Input, 'f'), s.inInput(), s.apart*kernel.size())
	case kernel == nil:
		kernel = d.dividedFor(y, strings.IndexByte(s.Kernel, 'i'), s.inKernel(), ceil(images.size(), s.apart))
	}
	if each := s.apart * kernel.size(); each != images.size() {
		wide := *images
		wide.value, images = d.resized(images.value, images.parts(), each), &wide
	}
	images = d.masked(images, x.Shape.Dims[images.along], nil)
	kernel = d.masked(kernel, y.Shape.Dims[kernel.along], nil)
	pieces := d.shifted(images, s.shifts(in))
	last := images.value.Shape.Rank()
	read := joined(d, in, last, pieces...)
	inner := d.make(hlo.OpReshape, kernel.value, append(slices.Clone(kernel.value.Shape.Dims), 1), kernel.value)

	more := string(s.letter + 1)
	labels := hlo.DimLabels{Input: permuted(s.Input, images.to) + more, Kernel: permuted(s.Kernel, kernel.to) + more,
		Output: strings.Replace(s.Output, string(s.letter), more, 1) + string(s.letter)}
	n := likewise(d, in, append(slices.Clone(in.Shape.Dims), 1), read, inner)
	setLabels(n, labels)
	setValue(n, "window", s.shiftedWindow(in, kernel.size()))
	return d.make(hlo.OpReshape, in, in.Shape.Dims, n)
}

// dividedFor returns a form of an array with parts of each elements.
func (d *divider) dividedFor(x *hlo.Instruction, batch, along int, each int64) *divided {
	f := d.batchBefore(x, batch, along)
	f.value = padded(d, f.value, f.space(), 0, each*splits-x.Shape.Dims[along])
	f.value = d.split(f.value, f.parts(), each)
	f.blank = true
	return f
}

// shifted returns divided images as often as they are read, with a dimension of one element after the others.
func (d *divider) shifted(images *divided, n shifts) (all []*hlo.Instruction) {
	next := func(x *hlo.Instruction, low int64) *hlo.Instruction {
		return d.bordered(x, images.parts(), low, 0, nil)
	}
	x := images.value
	for range n.before {
		x = next(x, 1)
		all = append(all, x)
	}
	slices.Reverse(all)
	if x = images.value; n.first > 0 {
		x = next(x, -n.first)
	}
	for i := range n.within + n.after {
		if i > 0 {
			x = next(x, -1)
		}
		all = append(all, x)
	}
	for i, x := range all {
		all[i] = d.make(hlo.OpReshape, x, append(slices.Clone(x.Shape.Dims), 1), x)
	}
	return all
}

// permuted returns labels, each where its dimension goes.
func permuted(labels string, to []int) string {
	return string(sizes([]byte(labels), inverse(to)))
}

// shiftedWindow returns the window of the gradient of a kernel of divided gradients of size elements a part: it has one
// more dimension, that of the shifts.
func (s *spatial) shiftedWindow(in *hlo.Instruction, size int64) *hlo.Value {
	window, n := in.Attr("window"), int(s.letter-'0')+1
	ints := func(key string) []int64 { return window.WindowInts(key, n) }
	of := ints("size")
	of[n-1] = size
	out := with(window, "size", windowText(append(of, 1)))
	pads := slices.Clone(padsOf(window, n))
	pads[n-1] = hlo.Padding{High: 1 - s.apart}
	if pads = append(pads, hlo.Padding{}); window.Get("pad") != nil || s.apart > 1 {
		out = with(out, "pad", paddingText(pads))
	}
	for key, last := range map[string]int64{"stride": 1, "lhs_dilate": 1, "rhs_dilate": 1, "rhs_reversal": 0} {
		if window.Get(key) != nil {
			out = with(out, key, windowText(append(ints(key), last)))
		}
	}
	return out
}
