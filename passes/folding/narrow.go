package folding

import "hlolayout/hlo"

// Narrow reports whether a value is stored as bf16: products read it and nothing else, through moves if at all, and
// they take bf16 unless the program requires more. A reduction of what a product makes is made with it: uses returns
// who reads a value, made whether it is computed in a product's fusion.
func Narrow(in *hlo.Instruction, uses func(*hlo.Instruction) []hlo.Use, made func(*hlo.Instruction) bool) bool {
	if !in.Shape.IsArray() || in.Shape.DType != hlo.F32 || in.IsRoot() {
		return false
	}
	read := false
	for _, u := range uses(in) {
		switch u.User.Opcode {
		case hlo.OpDot, hlo.OpConvolution:
			if u.User.Attr("operand_precision") != nil {
				return false
			}
			read = true
		case hlo.OpReduce:
			if !made(in) {
				return false
			}
		case hlo.OpTranspose, hlo.OpReshape, hlo.OpBitcast, hlo.OpCopy, hlo.OpSlice:
			if !Narrow(u.User, uses, made) {
				return false
			}
			read = true
		default:
			return false
		}
	}
	return read
}

// narrow is Narrow before fusion, where a parameter is never narrow: the caller has made it.
func (f *fuser) narrow(in *hlo.Instruction) bool {
	return in.Opcode != hlo.OpParameter &&
		Narrow(in, f.uses.Of, func(x *hlo.Instruction) bool { return f.product[x.Index] != nil })
}
