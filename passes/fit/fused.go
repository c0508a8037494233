package fit

import (
	"slices"

	"hlolayout/hlo"
)

// fused reports whether a value has no memory: by the forecast; elementwise, where all users compute it again; products
// that are added up immediately.
func (f *foresight) fused(in *hlo.Instruction) bool {
	if !in.Shape.IsArray() || in.IsRoot() {
		return false
	}
	uses := f.p.usesOf(in)
	switch {
	case (in.Opcode.Elementwise() || isProduct(in)) && f.chained(in):
		return true
	case f.kept(in, uses):
		return false
	case f.p.Module.Unbuffered(in) != "" || f.into[in] != nil:
		return true
	case in.Opcode == hlo.OpDot:
		return len(uses) == 1 && uses[0].User.Opcode == hlo.OpReduce
	case !in.Opcode.Elementwise() || f.product(in):
		return false
	}
	for _, u := range uses {
		if !u.User.Opcode.Elementwise() && !again[u.User.Opcode] && f.p.Module.Unbuffered(u.User) == "" {
			return false
		}
	}
	return len(uses) > 0
}

// kept reports whether a value is stored though the forecast may have it fused: one with a product in it that other
// products read, or that is converted for several readers; a concatenation that shifts rows.
func (f *foresight) kept(in *hlo.Instruction, uses []hlo.Use) bool {
	switch {
	case len(uses) == 1 && f.widens(uses[0].User) && (isProduct(in) || f.product(in)):
		return true
	case in.Opcode.Elementwise() && f.product(in):
		return slices.ContainsFunc(uses, func(u hlo.Use) bool { return isProduct(u.User) })
	}
	return in.Opcode == hlo.OpConcatenate && f.unaligned(in)
}

// product reports whether an instruction has a product fused into it, which is not computed again.
func (f *foresight) product(in *hlo.Instruction) bool {
	if found, ok := f.products[in]; ok {
		return found
	}
	found := false
	for _, o := range in.Operands {
		if f.widens(in) {
			break
		}
		if f.p.Module.Unbuffered(o) != "" && (isProduct(o) || (o.Opcode.Elementwise() || moves[o.Opcode]) && f.product(o)) {
			found = true
			break
		}
	}
	f.products[in] = found
	return found
}

// widens reports whether an instruction converts to a larger type what several others then read: each of them converts
// it again.
func (f *foresight) widens(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpConvert && len(f.p.usesOf(in)) > 1 &&
		in.Shape.DType.Bits() > in.Operands[0].Shape.DType.Bits()
}

// unaligned reports whether a concatenation shifts rows: along one of the two minor dimensions, by what is not a
// multiple of 8.
func (f *foresight) unaligned(in *hlo.Instruction) bool {
	dims, order := in.Ints("dimensions"), in.Shape.MinorToMajor()
	if len(dims) != 1 || len(order) < 2 || dims[0] != order[0] && dims[0] != order[1] {
		return false
	}
	return slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool { return o.Shape.Dims[dims[0]]%8 != 0 })
}

func isProduct(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpDot || in.Opcode == hlo.OpConvolution
}

// epilogues finds the products that several elementwise instructions read which end in one: they are all one fusion.
func (f *foresight) epilogues(c *hlo.Computation) {
	for _, in := range c.Instructions {
		if !isProduct(in) || f.p.Module.Unbuffered(in) != "" || in.IsRoot() {
			continue
		}
		if end := f.joinOf(in); end != nil && !f.product(end) {
			f.into[in], f.products[end] = end, true
		}
	}
}

// joinOf returns the elementwise instruction in which all that is made elementwise of a product comes together, nil
// where there is none.
func (f *foresight) joinOf(in *hlo.Instruction) (end *hlo.Instruction) {
	const most = 64
	seen := map[*hlo.Instruction]bool{}
	work := []*hlo.Instruction{in}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		inner := true
		for _, u := range f.p.usesOf(x) {
			inner = inner && u.User.Opcode.Elementwise() && slices.Equal(u.User.Shape.Dims, in.Shape.Dims)
		}
		switch {
		case !inner && (x == in || end != nil && end != x):
			return nil
		case !inner:
			end = x
		default:
			for _, u := range f.p.usesOf(x) {
				if !seen[u.User] && len(seen) < most {
					seen[u.User] = true
					work = append(work, u.User)
				}
			}
		}
	}
	return end
}

// moves are the opcodes that only change where the elements are.
var moves = map[hlo.Opcode]bool{hlo.OpTranspose: true, hlo.OpReshape: true, hlo.OpBitcast: true, hlo.OpCopy: true}

// again are the opcodes, besides elementwise ones, that compute their operands again.
var again = map[hlo.Opcode]bool{hlo.OpDot: true, hlo.OpConvolution: true, hlo.OpReduce: true, hlo.OpBroadcast: true,
	hlo.OpReshape:   true,
	hlo.OpTranspose: true, hlo.OpSlice: true, hlo.OpBitcast: true, hlo.OpPad: true}
