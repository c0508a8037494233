package memory

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// overwrite lets results take the memory of operands that end there, where the instruction may write them over:
// operands that are arrays of their own (elements of tuples never are written over: 0 of 134 where it was possible),
// sorts aside.
func (e *engine) overwrite(tenants []tenant) {
	g, v := e.g, e.v
	into := make([]int32, len(tenants))
	for b := range into {
		into[b] = int32(b)
	}
	for t := range g.nodes {
		in := g.nodes[t].in
		for j := range g.leaf0[t+1] - g.leaf0[t] {
			b := into[e.bufOf[v.at[g.leaf0[t]+j]]]
			to := &tenants[b]
			if to.gone || to.leaf < 0 || to.from != int32(t) {
				continue
			}
			for k := range in.Operands {
				if !in.Operands[k].Shape.IsArray() {
					continue
				}
				x := v.at[g.useLeaf[g.operandUse(int32(t), k, 0)]]
				a := into[e.bufOf[x]]
				from := &tenants[a]
				if a == b || from.gone || from.leaf < 0 || from.to != int32(t) || from.size != to.size ||
					in.Opcode != hlo.OpSort && g.nodes[v.leafTime[v.def[x]]].in.Shape.IsTuple() || !overwrites(in, int(j), k) {
					continue
				}
				from.to, to.gone = to.to, true
				into[b] = a
				for _, y := range e.bufs[b].values { // one that ends here is not looked up by way of b again
					into[e.bufOf[y]] = a
				}
				break
			}
		}
	}
}

// overwrites reports whether an instruction may write leaf j of its result over operand k.
func overwrites(in *hlo.Instruction, j, k int) bool {
	switch {
	case in.Opcode == hlo.OpSort:
		return j == k
	case in.Opcode.Elementwise():
		return sameOrder(in.Operands[k].Shape, in.Shape)
	case in.Opcode != hlo.OpFusion || len(in.Called()) != 1 || in.Called()[0].Root == nil:
		return false
	}
	body := in.Called()[0]
	out := body.Root
	if out.Opcode == hlo.OpTuple {
		if j >= len(out.Operands) {
			return false
		}
		out = out.Operands[j]
	}
	return k < len(body.Parameters()) && out.Opcode != hlo.OpParameter && elementwiseFrom(body, body.Parameters()[k], out)
}

func sameOrder(a, b *hlo.Shape) bool {
	return slices.Equal(a.MinorToMajor(), b.MinorToMajor())
}

// elementwiseFrom reports whether every user of a parameter, and of what is made from it, works elementwise, and the
// result is one of them.
func elementwiseFrom(body *hlo.Computation, param, out *hlo.Instruction) bool {
	made := map[*hlo.Instruction]bool{param: true}
	for _, x := range body.Instructions {
		for _, o := range x.Operands {
			switch {
			case !made[o] || x.Opcode == hlo.OpTuple && x == body.Root:
			case x.Opcode == hlo.OpReduce && o.Opcode != hlo.OpParameter:
			case !x.Opcode.Elementwise() || !sameOrder(x.Shape, o.Shape):
				return false
			default:
				made[x] = true
			}
		}
	}
	return made[out]
}

// follows reports whether a begins in the instruction where b ends, which may write it over b.
func (e *engine) follows(a, b *tenant) bool {
	if a.from != b.to || a.size != b.size {
		return false
	}
	g, v := e.g, e.v
	in := g.nodes[a.from].in
	for j := range g.leaf0[a.from+1] - g.leaf0[a.from] {
		for k, o := range in.Operands {
			if !o.Shape.IsArray() {
				continue
			}
			x := v.at[g.useLeaf[g.operandUse(a.from, k, 0)]]
			if e.bufOf[x] == b.buffer && e.bufOf[v.at[g.leaf0[a.from]+j]] == a.buffer && overwrites(in, int(j), k) {
				return true
			}
		}
	}
	return false
}

// reuse puts temporaries in the place of results of the program while those are not there, the largest first, each in
// the smallest that holds it. The compiler does so only where the program would not fit otherwise.
func (e *engine) reuse(tenants []tenant) {
	type lodging struct {
		size   int64
		guests []*tenant
	}
	var places []lodging
	var guests []*tenant
	for b := range tenants {
		switch x := &tenants[b]; {
		case x.gone:
		case x.leaf >= 0:
			guests = append(guests, x)
		case e.bufs[b].result && !e.bufs[b].param:
			places = append(places, lodging{x.size, []*tenant{x}})
		}
	}
	slices.SortStableFunc(guests, func(a, b *tenant) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.from,
			b.from))
	})
	slices.SortStableFunc(places, func(a, b lodging) int { return cmp.Compare(a.size, b.size) })
	const most = 1 << 22 // comparisons: beyond, what is left stays where it is
	tries := 0
	for _, x := range guests {
		for i := range places {
			p := &places[i]
			if p.size < x.size {
				continue
			}
			if tries += len(p.guests); tries > most {
				return
			}
			if !slices.ContainsFunc(p.guests, func(y *tenant) bool {
				return x.from <= y.to && y.from <= x.to && !e.follows(x,
					y) && !e.follows(y, x)
			}) {
				p.guests, x.gone = append(p.guests, x), true
				break
			}
		}
	}
}
