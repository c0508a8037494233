package reasons

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// Names of rules of passes/layout that are causes.
const (
	ruleEntryParameter = "entry-parameter"
	ruleEntryResult    = "entry-result"
	ruleInfeed         = "infeed"
	ruleHostTransfer   = "host-transfer"
	ruleCollective     = "collective"
	ruleCustomCall     = "custom-call"
	ruleGather         = "gather"
	ruleScatter        = "scatter"
	ruleScan           = "scan"
	ruleLinalg         = "linalg"
	ruleDot            = "dot"
	ruleSmallReshape   = "small-reshape"
	ruleConvolution    = "convolution"
	ruleReshape        = "repair-reshape"
	ruleSort           = "repair-sort"
	ruleAllToAll       = "repair-all-to-all"
	ruleLiteral        = "literal"
	ruleParameter      = "parameter-default"
	ruleFree           = "descending"
)

// Turns in which causes spread, as layout assignment takes them from its work list.
const (
	demanded = iota // by operations
	picked          // by operations, where the dots leave it to them
	asked           // by the entry's result, and by repairs
	given           // to the entry
	turns
	kept // by reshapes that are bitcasts in this order, and not in another one: named besides others, and not spread
)

// cause is an array whose order an instruction demands.
type cause struct {
	array array
	rule  string
	by    *hlo.Instruction
	turn  int
}

// holds reports whether a cause decides whatever reaches its array: the others ask where nothing else decides.
func (c *cause) holds() bool { return c.turn != asked && c.turn != kept }

// causes returns what the instructions of the module demand of its arrays, and have, in the order of the text.
func (g *graph) causes() (list []cause) {
	add := func(a array, rule string, by *hlo.Instruction, turn int) {
		if chosen(g.shapes[a]) || rule == ruleEntryParameter {
			list = append(list, cause{g.source(a), rule, by, turn})
		}
	}
	for _, in := range g.ins {
		at, n := g.arrays(in)
		results := func(rule string, turn int) {
			for k := range array(n) {
				add(at+k, rule, in, turn)
			}
		}
		operands := func(rule string, turn int) {
			for _, o := range in.Operands {
				a, n := g.arrays(o)
				for k := range array(n) {
					add(a+k, rule, in, turn)
				}
			}
		}
		switch in.Opcode {
		case hlo.OpParameter:
			if in.Computation.IsEntry() {
				results(ruleEntryParameter, given)
			}
		case hlo.OpInfeed:
			results(ruleInfeed, demanded)
		case hlo.OpOutfeed:
			operands(ruleInfeed, demanded)
		case hlo.OpRecv, hlo.OpRecvDone:
			results(ruleHostTransfer, demanded)
		case hlo.OpSend:
			operands(ruleHostTransfer, demanded)
		case hlo.OpCustomCall:
			if in.Attr("operand_layout_constraints") != nil {
				results(ruleCustomCall, demanded)
				operands(ruleCustomCall, demanded)
			} else if in.Opcode == hlo.OpCustomCall && len(in.Operands) == 0 {
				results(ruleCustomCall, asked)
			}
		case hlo.OpDot, hlo.OpConvolution:
			g.matrix(in, add)
		case hlo.OpGather, hlo.OpScatter:
			g.window(in, add)
		case hlo.OpReshape:
			if n, ok := in.Shape.Elements(); ok && n > 1 && n <= 128 {
				results(ruleSmallReshape, picked)
				operands(ruleSmallReshape, picked)
			} else if g.merges(in) {
				operands(ruleReshape, kept)
			}
		case hlo.OpFft, hlo.OpCholesky, hlo.OpTriangularSolve:
			for _, o := range append(slices.Clone(in.Operands), in) {
				if a, n := g.arrays(o); n == 1 && descending(g.shapes[a]) {
					add(a, ruleLinalg, in, demanded)
				}
			}
		case hlo.OpSort:
			if d := in.Ints("dimensions"); len(d) == 1 && chosen(g.shapes[at]) &&
				slices.Index(g.shapes[at].Layout.MinorToMajor, d[0]) < 2 && !descending(g.shapes[at]) {
				results(ruleSort, asked)
			}
		case hlo.OpAllToAll:
			if d := in.Ints("dimensions"); len(d) == 1 && chosen(g.shapes[at]) {
				if o := g.shapes[at].Layout.MinorToMajor; o[len(o)-1] == d[0] && !descending(g.shapes[at]) {
					results(ruleAllToAll, asked)
				}
			}
		}
		if in.Attr("constrain_layout").Bool() {
			results(ruleCollective, demanded)
			operands(ruleCollective, demanded)
		}
	}
	if e := g.m.Entry; e != nil && e.Root != nil {
		at, n := g.arrays(e.Root)
		for k := range array(n) {
			add(at+k, ruleEntryResult, nil, asked)
		}
	}
	return list
}

// merges reports whether a reshape joins dimensions of its operand, and moves nothing as these lie.
func (g *graph) merges(in *hlo.Instruction) bool {
	from, to := in.Operands[0].Shape, in.Shape
	if !chosen(from) || to.Layout == nil || !g.reshaped(from, to) {
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

// matrix adds what the matrix unit demands: a free dimension of each side minor in the result, and, of operands that
// are more than matrices, a contracting and a free one.
func (g *graph) matrix(in *hlo.Instruction, add func(array, string, *hlo.Instruction, int)) {
	rule, sides := ruleDot, dotSides
	if in.Opcode == hlo.OpConvolution {
		rule, sides = ruleConvolution, convolutionSides
	}
	m, n, k, ok := sides(in)
	if !ok {
		return
	}
	at, _ := g.arrays(in)
	if minor(g.shapes[at], m[0], n[0]) {
		add(at, rule, in, demanded)
	}
	for i, free := range [][]int{m[1], n[1]} {
		a, _ := g.arrays(in.Operands[i])
		if s := g.shapes[a]; (s.Rank() > 2 || in.Opcode == hlo.OpConvolution) && minor(s, free, k[i]) {
			add(a, rule, in, demanded)
		}
	}
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
	free := func(rank int, not ...[]int) (out []int) {
		for d := range rank {
			if !slices.Contains(slices.Concat(not...), d) {
				out = append(out, d)
			}
		}
		return out
	}
	m[1], n[1] = free(left.Rank(), lb, k[0]), free(right.Rank(), rb, k[1])
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
	v := in.Attr("dim_labels")
	if v == nil {
		return m, n, k, false
	}
	operands, output, ok1 := strings.Cut(v.Text, "->")
	input, kernel, ok2 := strings.Cut(operands, "_")
	at := func(labels string, letter byte) []int { return []int{strings.IndexByte(labels, letter)} }
	m = [2][]int{at(output, 'b'), at(input, 'b')}
	n = [2][]int{at(output, 'f'), at(kernel, 'o')}
	k = [2][]int{at(input, 'f'), at(kernel, 'i')}
	return m, n, k, ok1 && ok2
}

// window adds what a gather or scatter of slices demands: window dimensions minor in its table and in what it gives.
func (g *graph) window(in *hlo.Instruction, add func(array, string, *hlo.Instruction, int)) {
	offsets, rule, of := in.Ints("offset_dims"), ruleGather, in
	if in.Opcode == hlo.OpScatter {
		offsets, rule = in.Ints("update_window_dims"), ruleScatter
		of = in.Operands[len(in.Operands)-1]
	}
	a, n := g.arrays(of)
	if n == 1 && chosen(g.shapes[a]) && slices.Contains(offsets, g.shapes[a].Layout.MinorToMajor[0]) {
		add(a, rule, in, asked)
		if t, n := g.arrays(in.Operands[0]); n == 1 {
			add(t, rule, in, asked)
			r, _ := g.arrays(in)
			if in.Opcode == hlo.OpScatter {
				add(r, rule, in, asked)
			}
		}
	}
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
