package reasons

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// causes returns what the instructions of the module demand of its arrays, and have, in the order of the text.
func (g *graph) causes() (list []cause) {
	add := func(arrays []array, rule string, by *hlo.Instruction, turn int) {
		for _, a := range arrays {
			if chosen(g.shapes[a]) || rule == ruleEntryParameter {
				list = append(list, cause{g.source(a), rule, by, turn})
			}
		}
	}
	for _, in := range g.ins {
		for _, d := range demands[in.Opcode] {
			if d.when == nil || d.when(g, in) {
				add(d.of(g, in), d.rule, in, d.turn)
			}
		}
		if in.Attr("constrain_layout").Bool() {
			add(g.both(in), ruleCollective, in, demanded)
		}
	}
	if e := g.m.Entry; e != nil && e.Root != nil {
		add(g.results(e.Root), ruleEntryResult, nil, asked)
	}
	return list
}

// merges reports whether a reshape that is not small joins dimensions of its operand, and moves nothing in their order.
func (g *graph) merges(in *hlo.Instruction) bool {
	from, to := in.Operands[0].Shape, in.Shape
	if small(g, in) || !chosen(from) || to.Layout == nil || !g.reshaped(from, to) {
		return false
	}
	k, rest := 0, int64(1) // the dimension of the result, and what is left of it
	for _, d := range from.Dims {
		for ; rest == 1 && k < len(to.Dims); k++ {
			rest = to.Dims[k]
		}
		if d > 1 && rest > d && rest%d == 0 {
			return true
		}
		for ; d > 1 && d > rest && k < len(to.Dims); k++ {
			rest *= to.Dims[k]
		}
		rest /= max(d, 1)
	}
	return false
}

func descending(s *hlo.Shape) bool {
	return chosen(s) && slices.Equal(s.Layout.MinorToMajor, hlo.Descending(s.Rank()))
}

// matrix returns where the matrix unit finds what it demands: a free dimension of each side minor in the result, and,
// of operands that are more than matrices, a contracting and a free one.
func (g *graph) matrix(in *hlo.Instruction) (out []array) {
	sides := dotSides
	if in.Opcode == hlo.OpConvolution {
		sides = convolutionSides
	}
	m, n, k, ok := sides(in)
	if !ok {
		return nil
	}
	at, _ := g.arrays(in)
	if minor(g.shapes[at], m[0], n[0]) {
		out = append(out, at)
	}
	for i, free := range [][]int{m[1], n[1]} {
		a, _ := g.arrays(in.Operands[i])
		if s := g.shapes[a]; (s.Rank() > 2 || in.Opcode == hlo.OpConvolution) && minor(s, free, k[i]) {
			out = append(out, a)
		}
	}
	return out
}

// minor reports whether the two minor dimensions of an array, those of size 1 left out, are one of each list.
func minor(s *hlo.Shape, a, b []int) bool {
	if !chosen(s) {
		return false
	}
	has := func(x, y int) bool { return slices.Contains(a, x) && slices.Contains(b, y) }
	o := s.Layout.MinorToMajor
	return has(o[0], o[1]) || has(o[1], o[0])
}

// dotSides returns the dimensions that are M and N in the result ([0]) and in the operand of that side ([1]), and those
// that are contracted in either operand.
func dotSides(in *hlo.Instruction) (m, n, k [2][]int, ok bool) {
	left, right := in.Operands[0].Shape, in.Operands[1].Shape
	lb, rb := in.Ints("lhs_batch_dims"), in.Ints("rhs_batch_dims")
	k = [2][]int{in.Ints("lhs_contracting_dims"), in.Ints("rhs_contracting_dims")}
	m[1], n[1] = hlo.OtherDims(left.Rank(), lb, k[0]), hlo.OtherDims(right.Rank(), rb, k[1])
	for d := range m[1] {
		m[0] = append(m[0], len(lb)+d)
	}
	for d := range n[1] {
		n[0] = append(n[0], len(lb)+len(m[1])+d)
	}
	return m, n, k, len(m[1]) > 0 && len(n[1]) > 0
}

// convolutionSides is dotSides of a convolution: the batch is M, the output feature N, the input feature is contracted.
func convolutionSides(in *hlo.Instruction) (m, n, k [2][]int, ok bool) {
	l, ok := in.DimLabels()
	at := func(labels string, letter byte) []int { return []int{strings.IndexByte(labels, letter)} }
	m = [2][]int{at(l.Output, 'b'), at(l.Input, 'b')}
	n = [2][]int{at(l.Output, 'f'), at(l.Kernel, 'o')}
	k = [2][]int{at(l.Input, 'f'), at(l.Kernel, 'i')}
	return m, n, k, ok
}

// window returns where a gather or scatter of slices finds what it requires: window dimensions minor in its table and
// in what it gives.
func (g *graph) window(in *hlo.Instruction) []array {
	offsets, of := in.Ints("offset_dims"), in
	if in.Opcode == hlo.OpScatter {
		offsets, of = in.Ints("update_window_dims"), in.Operands[len(in.Operands)-1]
	}
	a, n := g.arrays(of)
	if n != 1 || !chosen(g.shapes[a]) || !slices.Contains(offsets, g.shapes[a].Layout.MinorToMajor[0]) {
		return nil
	}
	out := []array{a}
	if t, n := g.arrays(in.Operands[0]); n == 1 {
		out = append(out, t)
		if r, _ := g.arrays(in); in.Opcode == hlo.OpScatter {
			out = append(out, r)
		}
	}
	return out
}

// fallback returns the default that an array has, "" for none.
func (g *graph) fallback(a array) string {
	s, in := g.shapes[a], g.ins[g.owner[a]]
	if s.Layout == nil {
		return ""
	}
	if s.Rank() < 2 {
		return ruleOneOrder
	}
	order := s.Layout.MinorToMajor
	boundary := slices.Equal(order, g.target.BoundaryOrder(s.DType, s.Dims))
	switch {
	case in.Opcode == hlo.OpConstant:
		return ruleLiteral
	case in.Opcode == hlo.OpParameter && boundary:
		return ruleParameter
	case descending(s):
		return ruleFree
	case boundary || slices.Equal(order, g.target.FreeOrder(s.DType, s.Dims)):
		return ruleCompact
	}
	return ""
}
