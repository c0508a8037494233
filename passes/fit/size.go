package fit

import (
	"hlolayout/hlo"
	"hlolayout/passes/folding"
	"hlolayout/passes/padding"
)

// holding returns what a separate leaf takes; padded is its size as it is written.
func (f *foresight) holding(l int, padded int64) Holding {
	p, in, s := f.p, f.holder[l], f.shape[l]
	h := Holding{Instruction: in, Index: f.at[l], Shape: s, Bytes: padded}
	if f.narrow(in) || f.narrowStack(&h) {
		h.Bytes = p.resized(h, hlo.BF16, s.Dims).Bytes
		h.Narrow = h.Bytes < padded
	}
	return h
}

// manyTimes is from how many times their data on padding is so much that it decides whether a program fits.
const manyTimes = 8

// doubt returns the padded size of the largest array that padding makes manyTimes as large, and that the prediction
// has without it, or once too few: a reshape that it takes for part of its reader, a sort that it takes to work in
// place. The compiler made such arrays in seven of seven programs, of 8 GiB for 256 MiB of data and of 64 GiB; when it
// does not is not known.
func (f *foresight) doubt() (most int64) {
	for l, in := range f.holder {
		size := padding.SizeOf(f.shape[l])
		if !size.Known || size.Padded < manyTimes*size.Logical {
			continue
		}
		if in.Opcode == hlo.OpSort || in.Opcode == hlo.OpReshape &&
			f.source[l] == none && size.Padded > padding.SizeOf(in.Operands[0].Shape).Padded {
			most = max(most, size.Padded)
		}
	}
	return most
}

// narrowStack is narrow for what loops carry: no loop but the one that fills it reads anything but slices of it, for
// products.
func (f *foresight) narrowStack(h *Holding) bool {
	if h.Shape.DType != hlo.F32 {
		return false
	}
	r := f.readByLoops(placeOf(h))
	return r.slices && !r.more
}

// reading is what loops read of an array that they leave as it is: slices of it for products, or more.
type reading struct{ slices, more bool }

// readByLoops returns what the loops read that carry what is at a place. It is remembered: a value may go through many
// loops, and so may what each of them adds.
func (f *foresight) readByLoops(x place) (all reading) {
	if r, known := f.readings[x]; known {
		return r
	}
	add := func(r reading) { all.slices, all.more = all.slices || r.slices, all.more || r.more }
	for _, y := range f.p.next(x) {
		if y.in.Opcode == hlo.OpWhile && carried(y.in, y.index) == nil {
			add(f.readIn(y.in, y.index))
		}
		add(f.readByLoops(y))
	}
	f.readings[x] = all
	return all
}

// readIn returns what the body of a loop reads of an element.
func (f *foresight) readIn(while *hlo.Instruction, at int64) (r reading) {
	body := while.CalledBy("body")
	for _, g := range f.p.readersOf(place{parameter(body), at}) {
		if g.User.Opcode != hlo.OpGetTupleElement {
			continue
		}
		for _, u := range f.p.usesOf(g.User) {
			if u.User != body.Root {
				sliced := u.User.Opcode == hlo.OpDynamicSlice && f.narrow(u.User)
				r.slices, r.more = r.slices || sliced, r.more || !sliced
			}
		}
	}
	return r
}

// narrow reports whether a value is stored as bf16.
func (f *foresight) narrow(in *hlo.Instruction) bool {
	narrow, known := f.narrows[in]
	if !known {
		narrow = folding.Narrow(in, f.p.usesOf, func(x *hlo.Instruction) bool { return isProduct(x) || f.product(x) },
			f.narrow)
		f.narrows[in] = narrow
	}
	return narrow
}
