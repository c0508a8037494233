package folding

import (
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// factor returns the first of the two factors in which a Fourier transform of length n is done, n where it is done at
// once; ok is false for lengths that the compiler does in three or more, which are not modelled. The first is the
// power of two in n, up to 128 lanes, unless that is less than 32 (130 lengths of 2 to 131072 were compiled for v5e).
func factor(n int64) (first int64, ok bool) {
	const least, lanes = 32, 128
	for first = lanes; n%first != 0; {
		first /= 2
	}
	if first < least || n == 2*lanes {
		return n, true
	}
	rest := n / first
	if rest == 2*lanes || rest == 4*lanes {
		return 2 * lanes, true
	}
	again, _ := factor(rest)
	return first, again == rest
}

// fourier replaces a Fourier transform by products with matrices of sines and cosines, one dimension after the other.
func fourier(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, lengths := in.Operands[0], in.Ints("fft_length")
	kind := ""
	if v := in.Attr("fft_type"); v != nil {
		kind = v.Text
	}
	for _, n := range lengths {
		if _, ok := factor(int64(n)); !ok || n < 2 {
			return nil
		}
	}
	if in.Shape.IsDynamic() || x.Shape.IsDynamic() || in.Attr("sharding") != nil || len(lengths) == 0 ||
		len(lengths) > x.Shape.Rank() || in.Shape.DType != hlo.C64 && in.Shape.DType != hlo.F32 {
		return nil
	}
	f := transform{w, in}
	switch kind {
	case "RFFT":
		z := f.forward(x, lengths)
		become(w, in, hlo.OpComplex, z[0], z[1])
		return in
	case "FFT", "IFFT", "IRFFT":
		z := f.complex(w.halvesOf(x), lengths, kind)
		if kind == "IRFFT" {
			return z[0]
		}
		become(w, in, hlo.OpComplex, z[0], z[1])
		return in
	}
	return nil
}

// transform makes what takes a Fourier transform's place.
type transform struct {
	w  *simplifier
	in *hlo.Instruction
}

func (f transform) float(op hlo.Opcode, dims []int64, operands ...*hlo.Instruction) *hlo.Instruction {
	return f.w.float(op, f.in, dims, operands...)
}

// each does the same to both parts.
func (f transform) each(z halves, do func(*hlo.Instruction) *hlo.Instruction) halves {
	return halves{do(z[0]), do(z[1])}
}

// permuted returns both parts with their last dimensions permuted: dimension i of the last is the one before at p[i].
func (f transform) permuted(z halves, p []int) halves {
	dims := z[0].Shape.Dims
	batch := len(dims) - len(p)
	all := ascendingTo(len(dims))
	to := slices.Clone(dims)
	for i, d := range p {
		all[batch+i], to[batch+i] = batch+d, dims[batch+d]
	}
	if ascending(all) {
		return z
	}
	return f.each(z, func(x *hlo.Instruction) *hlo.Instruction {
		n := f.float(hlo.OpTranspose, to, x)
		set(n, "dimensions", all)
		return n
	})
}

// forward transforms a real array: its last dimension first, of which half is kept, then the others, each of which is
// moved to the end.
func (f transform) forward(x *hlo.Instruction, lengths []int) halves {
	k := len(lengths)
	z := f.last(halves{x, f.w.number32(f.in, "0", x.Shape.Dims)})
	z = f.sliced(z, 0, int64(lengths[k-1])/2+1)
	for i := k - 2; i >= 0; i-- {
		z = f.last(f.permuted(z, append(slices.Delete(ascendingTo(k), i, i+1), i)))
	}
	back := ascendingTo(k)
	slices.Reverse(back)
	return f.permuted(z, back)
}

// complex transforms a complex array: each dimension in turn is moved to the end, so that they end as they were.
func (f transform) complex(z halves, lengths []int, kind string) halves {
	k := len(lengths)
	for i, n := range lengths {
		z = f.permuted(z, append(ascendingTo(k)[1:], 0))
		if kind == "IRFFT" && i == k-1 {
			z = f.mirrored(z, int64(n))
		}
		z = f.last(z)
		if kind != "FFT" {
			z = f.scaled(z, n)
		}
	}
	return z
}

// scaled multiplies by the complex number 1/n, as the compiler writes it.
func (f transform) scaled(z halves, n int) halves {
	dims := z[0].Shape.Dims
	zero := f.w.number32(f.in, "0", dims)
	part := f.w.number32(f.in, strconv.FormatFloat(1/float64(n), 'g', -1, 32), dims)
	re := f.float(hlo.OpAdd, dims, f.float(hlo.OpMultiply, dims, zero, z[1]), z[0])
	im := f.float(hlo.OpSubtract, dims, z[1], f.float(hlo.OpMultiply, dims, zero, z[0]))
	return halves{f.float(hlo.OpMultiply, dims, re, part), f.float(hlo.OpMultiply, dims, im, part)}
}

// sliced takes the elements of the last dimension from one to another.
func (f transform) sliced(z halves, from, to int64) halves {
	return f.each(z, func(x *hlo.Instruction) *hlo.Instruction { return cut(f.w, x, x.Shape.Rank()-1, from, to) })
}

// mirrored returns all n elements of the last dimension of a transform of a real array, of which z has the first half.
func (f transform) mirrored(z halves, n int64) halves {
	dims := z[0].Shape.Dims
	at := len(dims) - 1
	if n == dims[at] {
		return z
	}
	rest := f.sliced(z, 1, n-dims[at]+1)
	out := z
	full := slices.Clone(dims)
	full[at] = n
	for i, x := range rest {
		r := f.float(hlo.OpReverse, x.Shape.Dims, x)
		set(r, "dimensions", []int{at})
		if i == 1 {
			r = f.float(hlo.OpNegate, x.Shape.Dims, r)
		}
		out[i] = f.float(hlo.OpConcatenate, full, z[i], r)
		set(out[i], "dimensions", []int{at})
	}
	return out
}

// last transforms the last dimension, in two factors where the compiler does: the first is the major one of the two
// dimensions that take its place, and the result has them the other way round.
func (f transform) last(z halves) halves {
	dims := z[0].Shape.Dims
	at := len(dims) - 1
	n := dims[at]
	first, _ := factor(n)
	if first == n {
		return f.matrix(z, at)
	}
	wide := append(slices.Clone(dims[:at]), first, n/first)
	z = f.each(z, func(x *hlo.Instruction) *hlo.Instruction { return f.float(hlo.OpReshape, wide, x) })
	z = f.permuted(f.matrix(z, at), []int{1, 0})
	z = f.matrix(f.w.product(f.in, z, f.twiddles(wide)), at+1)
	z = f.permuted(z, []int{1, 0})
	return f.each(z, func(x *hlo.Instruction) *hlo.Instruction { return f.float(hlo.OpReshape, dims, x) })
}

// angles returns cosines and sines of the products of two indices.
func (f transform) angles(dims []int64) halves {
	index := func(d int) *hlo.Instruction {
		n := f.float(hlo.OpIota, dims)
		attribute(n, "iota_dimension", intOf(d))
		return n
	}
	angle := f.float(hlo.OpMultiply, dims, index(0), index(1))
	return halves{f.float(hlo.OpCosine, dims, angle), f.float(hlo.OpSine, dims, angle)}
}

// twiddles returns the factors between the two steps, for arrays that have the steps' dimensions last.
func (f transform) twiddles(dims []int64) halves {
	at := len(dims) - 2
	return f.each(f.angles(dims[at:]), func(x *hlo.Instruction) *hlo.Instruction {
		n := f.float(hlo.OpBroadcast, dims, x)
		set(n, "dimensions", []int{at, at + 1})
		return n
	})
}

// matrix multiplies dimension at by the matrix of its transform; it comes last.
func (f transform) matrix(z halves, at int) halves {
	dims := z[0].Shape.Dims
	square := []int64{dims[at], dims[at]}
	a := f.angles(square)
	to := append(slices.Delete(slices.Clone(dims), at, at+1), dims[at])
	dot := func(x, y *hlo.Instruction) *hlo.Instruction {
		n := f.float(hlo.OpDot, to, x, y)
		attribute(n, "operand_precision", listOf(",", *hlo.WordOf("highest"), *hlo.WordOf("highest")))
		set(n, "rhs_contracting_dims", []int{0})
		set(n, "lhs_contracting_dims", []int{at})
		return n
	}
	return f.w.three(f.in, dot(f.float(hlo.OpAdd, dims, z[0], z[1]), a[0]),
		dot(z[0], f.float(hlo.OpSubtract, square, a[1], a[0])), dot(z[1], f.float(hlo.OpAdd, square, a[0], a[1])))
}
