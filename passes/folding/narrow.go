package folding

import "hlolayout/hlo"

// narrow reports whether a value is stored as bf16: products read it and nothing else, through moves if at all, and
// they take bf16 unless the program requires more. A reduction of what a product makes is made with it.
func (f *fuser) narrow(in *hlo.Instruction) bool {
	if !in.Shape.IsArray() || in.Shape.DType != hlo.F32 || in.IsRoot() || in.Opcode == hlo.OpParameter {
		return false
	}
	read := false
	for _, u := range f.uses.Of(in) {
		switch u.User.Opcode {
		case hlo.OpDot, hlo.OpConvolution:
			if u.User.Attr("operand_precision") != nil {
				return false
			}
			read = true
		case hlo.OpReduce:
			if f.product[in] == nil {
				return false
			}
		case hlo.OpTranspose, hlo.OpReshape, hlo.OpBitcast, hlo.OpCopy, hlo.OpSlice:
			if !f.narrow(u.User) {
				return false
			}
			read = true
		default:
			return false
		}
	}
	return read
}
