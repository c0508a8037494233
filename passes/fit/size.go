package fit

import (
	"hlolayout/hlo"
	"hlolayout/passes/folding"
)

// bytes returns what a separate leaf takes; padded is its size as it is written.
func (f *foresight) bytes(l int, padded int64) int64 {
	p, in, s := f.p, f.holder[l], f.shape[l]
	h := Holding{Instruction: in, Index: f.at[l], Shape: s, Bytes: padded}
	if f.narrow(in) || f.narrowStack(&h) {
		h.Bytes = p.resized(h, hlo.BF16, s.Dims).Bytes
	}
	if f.scanned(in) { // the compiler computes it in blocks, without the padding of the order that the text has
		if n, ok := p.Target.Bytes(s.DType, s.Dims, p.Target.BoundaryOrder(s.DType, s.Dims)); ok {
			h.Bytes = min(h.Bytes, n)
		}
	}
	return h.Bytes
}

// scanned reports whether a value is a cumulative sum or the like, or a copy for it.
func (f *foresight) scanned(in *hlo.Instruction) bool {
	if in.Opcode == hlo.OpReduceWindow {
		return true
	}
	uses := f.p.usesOf(in)
	return len(uses) == 1 && uses[0].User.Opcode == hlo.OpReduceWindow && in.Opcode == hlo.OpCopy
}

// narrowStack is narrow for what loops carry: no loop but the one that fills it reads anything but slices of it, for
// products.
func (f *foresight) narrowStack(h *Holding) bool {
	if h.Shape.DType != hlo.F32 {
		return false
	}
	read := false
	for _, l := range f.p.loops(h) {
		if l.written != nil {
			continue
		}
		body := l.while.CalledBy("body")
		for _, g := range f.p.usesOf(body.Parameters()[0]) {
			if n, ok := g.User.Attr("index").Int(); !ok || g.User.Opcode != hlo.OpGetTupleElement || n != l.at {
				continue
			}
			for _, u := range f.p.usesOf(g.User) {
				switch {
				case u.User == body.Root:
				case u.User.Opcode != hlo.OpDynamicSlice || !f.narrow(u.User):
					return false
				default:
					read = true
				}
			}
		}
	}
	return read
}

// narrow reports whether a value is stored as bf16.
func (f *foresight) narrow(in *hlo.Instruction) bool {
	return folding.Narrow(in, f.p.usesOf, func(x *hlo.Instruction) bool { return isProduct(x) || f.product(x) })
}
