package memory

import (
	"slices"

	"hlolayout/hlo"
)

// Numbers of memory spaces in layouts, as S(n).
const (
	spaceSyncFlag = 2
	spaceHost     = 5
	spaceScalar   = 6
)

// spaces returns the space of every leaf of the schedule. What only names a value has the space of what it names.
func (e *engine) spaces() []int64 {
	g, v := e.g, e.v
	out := make([]int64, len(v.at))
	for t := int32(0); t < int32(len(g.nodes)); t++ {
		for l := g.leaf0[t]; l < g.leaf0[t+1]; l++ {
			s, _ := v.leafShape(l)
			switch {
			case spaceOf(s) != 0:
				out[l] = spaceOf(s)
			case trivial(g.nodes[t].in.Opcode):
				out[l] = out[g.forward(t, l-g.leaf0[t])]
			case e.fastLeaf[l]:
				out[l] = e.dev.space
			}
		}
	}
	return out
}

// colours returns the spaces that do not depend on room: sync flags of asynchronous operations and scalars in SMEM.
// Where there is not a fast space, those of send and recv do not count.
func colours(v *values, out []int64, fast bool) (notes []string) {
	g := v.g
	bitcast := map[int32]bool{}
	for x := range v.def {
		for _, l := range v.positions[x] {
			if g.nodes[v.leafTime[l]].in.Opcode == hlo.OpBitcast {
				bitcast[int32(x)] = true
			}
		}
		// A scalar whose value is renamed by a bitcast loses its place in SMEM.
		for _, l := range v.positions[x] {
			if bitcast[int32(x)] && out[l] == spaceScalar {
				out[l] = 0
				notes = append(notes, "%"+g.nodes[v.leafTime[l]].in.Name+" leaves S(6): a bitcast renames its value, and the "+
					"compiler then keeps it in HBM")
			}
		}
	}
	for t := range g.nodes {
		in := g.nodes[t].in
		context := contextOf(in, fast)
		if context < 0 || !in.Shape.IsTuple() {
			continue
		}
		info := g.info(in.Shape)
		for k := context; k < len(in.Shape.Elems); k++ {
			l := info.Starts[k]
			s := info.Leaves[l]
			if out[g.leaf0[t]+l] == 0 && s.IsScalar() && (s.DType == hlo.U32 || s.DType == hlo.S32) {
				out[g.leaf0[t]+l] = spaceSyncFlag
			}
		}
	}
	for x := range v.def {
		if scalarInSMEM(v, int32(x), bitcast[int32(x)]) {
			for _, l := range v.positions[x] {
				out[l] = spaceScalar
			}
		}
	}
	return notes
}

// contextOf returns the first element of an asynchronous operation's result that is a context, a sync flag: a start has
// ((operands), result, contexts...), send and recv (array, context, token) (46 of 46 in final modules of v5e). -1 for
// others, and for send and recv where there is not a fast space. (testdata/memory/v2.host_out: a copy there has one.)
func contextOf(in *hlo.Instruction, fast bool) int {
	if start, _ := asyncKind(in.Opcode); start {
		return 2
	}
	if fast && (in.Opcode == hlo.OpSend || in.Opcode == hlo.OpRecv) {
		return 1
	}
	return none
}

// scalarInSMEM reports whether a value is a single element that the scalar unit computes from others, and that stays in
// its computation.
func scalarInSMEM(v *values, x int32, bitcast bool) bool {
	g := v.g
	def := v.def[x]
	s, _ := v.leafShape(def)
	if bitcast || !scalarUnit(g.nodes[v.leafTime[def]].in, s) {
		return false
	}
	if len(v.uses[x]) == 0 {
		// the compiler has none of these. One is left by a tuple that went when a copy took the place of another part
		return false
	}
	for _, l := range v.positions[x] {
		if nd := &g.nodes[v.leafTime[l]]; nd.root {
			return false
		}
	}
	for _, u := range v.uses[x] {
		switch in := g.nodes[v.g.useTime[u]].in; in.Opcode {
		case hlo.OpTuple, hlo.OpWhile, hlo.OpConditional, hlo.OpCall, hlo.OpSend, hlo.OpAsyncStart:
			return false
		default:
			if updated(in, int(v.g.useOperand[u])) {
				return false
			}
		}
	}
	return true
}

// updated reports whether the result of an instruction takes the place of an operand, also in a fusion. (A scatter
// into a single element, in two programs; the compiler has no such dynamic-update-slice.)
func updated(in *hlo.Instruction, k int) bool {
	switch in.Opcode {
	case hlo.OpDynamicUpdateSlice, hlo.OpScatter:
		return k == 0
	case hlo.OpFusion:
		body := in.CalledBy("calls")
		if body == nil || k >= len(body.Parameters()) || body.Parameters()[k] == nil {
			return false
		}
		return slices.ContainsFunc(body.Uses().Of(body.Parameters()[k]), func(u hlo.Use) bool {
			return updated(u.User, int(u.Operand))
		})
	}
	return false
}

// scalarUnit reports whether the scalar unit computes an array of an instruction's result: a single element, from
// single elements, by an operation on each, or a reshape to another tile (12 of 12 in the final modules of two
// programs). In those of seven generations it computes nothing else, and reduces, slices and broadcasts of single
// elements are not among it.
func scalarUnit(in *hlo.Instruction, s *hlo.Shape) bool {
	switch in.Opcode {
	case hlo.OpCopy, hlo.OpReshape, hlo.OpBitcastConvert, hlo.OpPartitionId, hlo.OpReplicaId:
	default:
		if !in.Opcode.Elementwise() {
			return false
		}
	}
	return single(s) && spaceOf(s) == 0 && !slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool {
		return !o.Shape.IsTuple() && !single(o.Shape)
	})
}

// comparators adds the scalars of the computations that custom calls run, such as the comparator of a TopK, which are
// in SMEM as they would be in the schedule.
func comparators(m *hlo.Module, out map[*hlo.Instruction][]int64) {
	for _, c := range m.Computations {
		if !slices.ContainsFunc(c.Callers(), func(by hlo.Caller) bool { return by.Instruction.Opcode == hlo.OpCustomCall }) {
			continue
		}
		uses := c.Uses()
		for _, in := range c.Instructions {
			users := uses.Of(in)
			if !in.IsRoot() && len(users) > 0 && !trivial(in.Opcode) && scalarUnit(in, in.Shape) &&
				!slices.ContainsFunc(users, func(u hlo.Use) bool {
					return trivial(u.User.Opcode) ||
						len(u.User.Sequential()) > 0
				}) {
				out[in] = []int64{spaceScalar}
			}
		}
	}
}

func single(s *hlo.Shape) bool {
	if !s.IsArray() {
		return false
	}
	n, ok := s.Elements()
	return ok && n == 1
}
