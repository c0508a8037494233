package folding

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// spatial is what a convolution says of its last spatial dimension, which is divided.
type spatial struct {
	hlo.DimLabels
	letter            byte
	low, high, stride int64
	between, apart    int64 // how far apart the elements of the images and of the kernel are: 1 for side by side
	kernel            int64 // elements that the kernel reaches over, with what is between them
	whole             int64 // elements of the image, with its borders
	border            int64 // elements of the parts next to a part that it reads
}

// spatialOf reads the attributes of a convolution; ok is false for those that the compiler refuses.
func spatialOf(in *hlo.Instruction) (s spatial, ok bool) {
	if in.Opcode != hlo.OpConvolution || !in.Shape.IsArray() || in.Shape.IsDynamic() || in.Attr("sharding") != nil {
		return s, false
	}
	l, ok := labelsOf(in)
	window, last := in.Attr("window"), in.Shape.Rank()-3
	unfit := func(o *hlo.Instruction) bool { return o.Shape.Rank() != last+3 || o.Shape.IsDynamic() }
	if !ok || len(in.Operands) != 2 || slices.ContainsFunc(in.Operands, unfit) || last < 0 || !labelled(l, last) ||
		window == nil || window.Get("size") == nil || len(padsOf(window, last+1)) != last+1 {
		return s, false
	}
	s.DimLabels, s.letter = l, byte('0'+last)
	s.read(in, window, last)
	return s, min(s.stride, s.between, s.apart, s.kernel) > 0
}

// read reads what spatialOf does; last is the number of the dimension.
func (s *spatial) read(in *hlo.Instruction, window *hlo.Value, last int) {
	at := func(key string) int64 { return window.WindowInts(key, last+1)[last] }
	pad := padsOf(window, last+1)[last]
	s.low, s.high, s.stride, s.between, s.apart = pad.Low, pad.High, at("stride"), at("lhs_dilate"), at("rhs_dilate")
	s.kernel = in.Operands[1].Shape.Dims[s.inKernel()]
	if s.isForward(in) {
		s.kernel += (s.kernel - 1) * (s.apart - 1)
	}
	s.whole, s.border = in.Operands[0].Shape.Dims[s.inInput()]+s.high, s.kernel-1
	switch s.between {
	case 1:
		s.whole += s.low
	case s.low:
		s.border = s.kernel / max(1, s.between)
	default:
		s.border /= max(1, s.between)
	}
}

// labelled reports whether the labels of a convolution name each of its dimensions once.
func labelled(l hlo.DimLabels, last int) bool {
	letters := "0123456789"[:min(last+1, 10)]
	for _, of := range [][2]string{{l.Input, "bf"}, {l.Kernel, "io"}, {l.Output, "bf"}} {
		for _, c := range letters + of[1] {
			if strings.Count(of[0], string(c)) != 1 {
				return false
			}
		}
	}
	return last < 10
}

// inInput, inKernel and inOutput are the places of the dimension.
func (s *spatial) inInput() int  { return strings.IndexByte(s.Input, s.letter) }
func (s *spatial) inKernel() int { return strings.IndexByte(s.Kernel, s.letter) }
func (s *spatial) inOutput() int { return strings.IndexByte(s.Output, s.letter) }

// isForward reports whether a kernel whose elements are apart is one: that of a gradient is larger than the result.
func (s *spatial) isForward(in *hlo.Instruction) bool {
	return s.apart != 1 && in.Operands[1].Shape.Dims[s.inKernel()] < in.Shape.Dims[s.inOutput()]
}

// divisible reports whether the images of a convolution can be divided.
func (s *spatial) divisible(in *hlo.Instruction) bool {
	if in.Attr("batch_group_count") != nil || s.apart != 1 && !s.isForward(in) ||
		in.Operands[0].Shape.Dims[strings.IndexByte(s.Input, 'b')] > mostBatch ||
		s.border > ceil(s.whole, splits) {
		return false
	}
	if s.between == 1 {
		return true
	}
	switch {
	case s.stride != 1:
		return false
	case s.low == 0:
		return s.kernel == 1
	case s.low == s.between:
		return s.whole >= 3*splits
	}
	return s.low == s.between-1
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// atLeast returns n, or the least number by steps from it that is not less than another one.
func atLeast(n, least, step int64) int64 {
	if n < least {
		n += ceil(least-n, step) * step
	}
	return n
}

// borders returns what is left to pad in the divided convolution where the elements of its images are apart.
func (s *spatial) borders() (pad hlo.Padding) {
	if s.between == 1 {
		return pad
	}
	reach := s.kernel - 1
	if s.low == s.between {
		reach = s.kernel
	} else {
		pad.Low = s.low
	}
	if pad.High = reach % s.between; s.low == 0 {
		pad.High = s.between - 1
	}
	return pad
}

// perPart returns how many elements of the image a part of the result needs.
func (s *spatial) perPart(in *hlo.Instruction) int64 {
	return ceil(ceil(in.Shape.Dims[s.inOutput()], splits), s.between) * s.stride
}

// divideConvolution returns the divided form of a convolution, whose images are divided for it.
func (d *divider) divideConvolution(in *hlo.Instruction) *divided {
	s, _ := spatialOf(in)
	each := s.perPart(in)
	each = atLeast(each, ceil(s.whole, splits), s.stride)
	if w := d.windowOf(in, farWindow); w != nil && w.Shape.IsArray() && w.Shape.Rank() == in.Shape.Rank() {
		stride := int64(1)
		if window := w.Attr("window"); window != nil { // its parts are of whole strides
			stride = max(1, window.WindowInts("stride", w.Shape.Rank())[s.inOutput()])
		}
		each = ceil(each/s.stride, stride) * stride * s.stride
	}
	before := int64(0) // an element that the parts begin with where those of the images are apart
	if s.between > 1 && s.between == s.low {
		before = 1
	}
	more, low, begins := each*splits-s.whole, s.low, before
	if s.between != 1 {
		low = 0
	}
	if more > before {
		more, low, begins = more-before, low+before, 0
	}
	x, batch, along := in.Operands[0], strings.IndexByte(s.Input, 'b'), s.inInput()
	f := d.batchBefore(x, batch, along)
	f.value = padded(d, f.value, f.space(), low, s.high+more)
	f.value = d.split(f.value, f.parts(), each)
	f.value = d.bordered(f.value, f.parts(), begins, s.border, nil)
	return d.masked(d.convolved(in, f, s), in.Shape.Dims[s.inOutput()], nil)
}

// parting is how a convolution of a divided form divides it.
type parting struct {
	each, low, border int64 // elements of a part, and of the parts before it and after it that it reads
	resized           bool  // its parts have another size than those that the form has
}

// partingOf returns how a convolution divides a form of its images; ok is false where its parts are too small for it,
// or have not all of the result.
func (s *spatial) partingOf(in *hlo.Instruction, f *divided) (p parting, ok bool) {
	p = parting{each: s.perPart(in), low: s.low, border: s.border}
	p.each = atLeast(p.each, max(ceil(s.whole-s.border, splits), s.border-s.low), s.stride)
	switch now := f.size(); {
	case p.each > now, p.each < now && (now%s.stride != 0 || s.between != 1):
		p.resized = true
	case p.each < now:
		p.border = max(0, s.kernel-s.stride-p.each%s.stride)
		p.each = now
	}
	if s.between != 1 && s.low != 0 {
		p.low = 0
		if s.low == s.between {
			p.low = 1
		}
	}
	return p, max(p.low, -p.low, p.border-p.low) <= p.each && s.result(p.size())*splits >= in.Shape.Dims[s.inOutput()]
}

// size returns how many elements a part has with its borders.
func (p *parting) size() int64 {
	if p.low > 0 && p.border == 0 {
		return p.each
	}
	return p.each + max(p.border, p.low)
}

// result returns how many elements a divided convolution makes of so many.
func (s *spatial) result(n int64) int64 {
	pad := s.borders()
	if n = (n-1)*s.between + 1 + pad.Low + pad.High - s.kernel; n < 0 {
		return 0
	}
	return n/s.stride + 1
}

// followConvolution returns the divided form of a convolution of a divided form.
func (d *divider) followConvolution(in *hlo.Instruction) *divided {
	s, _ := spatialOf(in)
	was := d.forms[in.Operands[0]]
	p, _ := s.partingOf(in, was)
	f := *d.masked(was, in.Operands[0].Shape.Dims[was.along], nil)
	if p.resized {
		f.value = d.resized(f.value, f.parts(), p.each)
	}
	f.value = d.bordered(f.value, f.parts(), p.low, p.border, nil)
	return d.convolved(in, &f, s)
}

// convolved returns the divided form of a convolution of a divided form that has its borders.
func (d *divider) convolved(in *hlo.Instruction, f *divided, s spatial) *divided {
	var output []byte
	for c := byte('0'); c <= s.letter; c++ {
		if c == s.letter {
			output = append(output, 'b')
		}
		output = append(output, c)
	}
	output = append(output, 'f')
	out := &divided{batch: strings.IndexByte(s.Output, 'b'), along: s.inOutput(), to: make([]int, len(output))}
	dims := make([]int64, len(output))
	for from, c := range []byte(s.Output) {
		out.to[from] = slices.Index(output, c)
		dims[out.to[from]] = in.Shape.Dims[from]
	}
	pad := s.borders()
	dims[out.parts()] *= splits
	dims[out.space()] = s.result(f.size())
	out.value = likewise(d, in, dims, f.value, in.Operands[1])
	setLabels(out.value, hlo.DimLabels{Input: permuted(s.Input, f.to), Kernel: s.Kernel, Output: string(output)})
	if window := in.Attr("window"); window.Get("pad") != nil || pad != (hlo.Padding{}) {
		pads := slices.Clone(padsOf(window, len(output)-2))
		pads[len(pads)-1] = pad
		setValue(out.value, "window", with(window, "pad", paddingText(pads)))
	}
	return out
}
