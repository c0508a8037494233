package memory

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
)

// mirror returns the spaces of what is in the bodies of fusions and asynchronous operations: parameters have their
// operands' spaces, roots the results' (those of a tuple its elements'), into nested fusions too. Nothing else inside
// has its own space. read has the spaces that uses read from where that is not their value's own.
func (a *Analysis) mirror(read map[int32]int64) map[*hlo.Instruction][]int64 {
	out := map[*hlo.Instruction][]int64{}
	seen := map[*hlo.Computation]bool{}
	g := a.g
	for t := range g.nodes {
		in := g.nodes[t].in
		if in.Opcode != hlo.OpFusion && in.Opcode != hlo.OpAsyncStart || len(in.Called()) == 0 {
			continue
		}
		result := a.spaces[g.leaf0[t]:g.leaf0[t+1]]
		if in.Opcode == hlo.OpAsyncStart {
			// ((operands), result, contexts...)
			info := g.info(in.Shape)
			if !in.Shape.IsTuple() || len(in.Shape.Elems) < 2 {
				continue
			}
			result = result[info.Starts[1]:info.Starts[2]]
		}
		var operands [][]int64
		u := g.use0[t]
		for _, o := range in.Operands {
			ot := g.timeOf(o)
			spaces := slices.Clone(a.spaces[g.leaf0[ot]:g.leaf0[ot+1]])
			for j := range spaces {
				if n, ok := read[u]; ok {
					spaces[j] = n
				}
				u++
			}
			operands = append(operands, spaces)
		}
		a.mirrorBody(out, seen, in.CalledBy("calls"), operands, result)
	}
	return out
}

// mirrorBody does so for one body; of several callers the first one counts.
func (a *Analysis) mirrorBody(out map[*hlo.Instruction][]int64, seen map[*hlo.Computation]bool, body *hlo.Computation,
	operands [][]int64, result []int64) {
	if body == nil || body.Root == nil || seen[body] {
		return
	}
	seen[body] = true
	set := func(in *hlo.Instruction, spaces []int64) {
		if out[in] == nil && len(spaces) == flat.CountLeaves(in.Shape) {
			out[in] = spaces
		}
	}
	for _, in := range body.Instructions {
		if k := int(in.Parameter); in.Opcode == hlo.OpParameter && k >= 0 && k < len(operands) {
			set(in, operands[k])
		}
	}
	set(body.Root, result)
	if body.Root.Opcode == hlo.OpTuple {
		at := 0
		for _, o := range body.Root.Operands {
			n := len(a.g.info(o.Shape).Leaves)
			if at+n <= len(result) {
				set(o, result[at:at+n])
			}
			at += n
		}
	}
	for _, in := range body.Instructions {
		if in.Opcode != hlo.OpFusion {
			continue
		}
		spaces := func(in *hlo.Instruction) []int64 {
			if s := out[in]; s != nil {
				return s
			}
			return make([]int64, len(a.g.info(in.Shape).Leaves))
		}
		var inner [][]int64
		for _, o := range in.Operands {
			inner = append(inner, spaces(o))
		}
		a.mirrorBody(out, seen, in.CalledBy("calls"), inner, spaces(in))
	}
}
