package diff

import (
	"strconv"

	"hlolayout/hlo"
)

// appendLine appends one line of HLO text for an instruction: name, shape, opcode, operands, and of the attributes
// those in attrs only (the new value of each, or the old one). Names are those that name returns.
func appendLine(dst []byte, in *hlo.Instruction, attrs []AttrChange, old bool,
	name func(*hlo.Instruction) string) []byte {
	if in.IsRoot() {
		dst = append(dst, "ROOT "...)
	}
	dst = append(append(append(dst, '%'), name(in)...), " = "...)
	dst = append(in.Shape.Append(dst, true), ' ')
	dst = append(append(dst, in.OpName()...), '(')
	switch in.Opcode {
	case hlo.OpParameter:
		dst = strconv.AppendInt(dst, int64(in.Parameter), 10)
	case hlo.OpConstant:
		dst = append(dst, in.Literal()...)
	default:
		for i, o := range in.Operands {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(append(dst, '%'), name(o)...)
		}
	}
	dst = append(dst, ')')
	for _, a := range attrs {
		v := a.New
		if old {
			v = a.Old
		}
		if v != nil {
			dst = appendAttr(append(dst, ", "...), a.Name, v)
		}
	}
	return dst
}

func appendAttr(dst []byte, name string, v *hlo.Value) []byte {
	dst = append(append(dst, name...), '=')
	if v.Kind == hlo.NameValue {
		dst = append(dst, '%')
	}
	return append(dst, v.Text...)
}
