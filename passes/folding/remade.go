package folding

import "hlolayout/hlo"

// likeness is what an instruction has in common with what was made of it elsewhere, as where a reshape is hoisted from
// it and back.
type likeness struct {
	op    hlo.Opcode
	name  string // without what nameLike added to it
	shape uint64
}

// likenessOf returns the zero value for what is not an array.
func likenessOf(in *hlo.Instruction) (l likeness) {
	if in.Shape.IsArray() {
		l = likeness{in.Opcode, stemOf(in.Name), shapeHash(in.Shape.DType, in.Shape.Dims)}
	}
	return l
}

// liveRemade returns, by likeness, the instruction that was made of one which is gone itself and has its value; nil
// where several are alike. Those inside of fusions are not values of the program.
func (s *Simplified) liveRemade() map[likeness]*hlo.Instruction {
	out := map[likeness]*hlo.Instruction{}
	for _, n := range s.remade {
		if !s.note(n).live || n.Computation.IsFused() {
			continue
		}
		l := likenessOf(n)
		if _, several := out[l]; several {
			n = nil
		}
		out[l] = n
	}
	delete(out, likeness{})
	return out
}
