package diff

import "hlolayout/hlo"

// parameters pairs the parameters: those of entries as entryPairs does; those of fusions by what they are used for and
// by what the callers pass for them, then by number; others by number.
func (p *ComputationPair) parameters() {
	m := p.matching
	olds, news := p.Old.Parameters(), p.New.Parameters()
	pair := func(fits func(k, i int) bool) {
		k := 0
		for i, n := range news {
			if n == nil || p.toOld[n.Index] >= 0 {
				continue
			}
			for step := range olds { // the next that fits, from the last one on
				at := (k + step) % len(olds)
				if o := olds[at]; o != nil && p.toNew[o.Index] < 0 && fits(at, i) {
					p.pair(int(o.Index), int(n.Index))
					k = at + 1
					break
				}
			}
		}
	}
	if p.Old == m.Old.Entry && p.New == m.New.Entry {
		pair(func(k, i int) bool { return i < len(m.params) && m.params[i] == k })
		return
	}
	if p.a.params != nil && p.b.params != nil {
		passed := func(k, i int) bool { return p.passedSame(k, i) }
		used := func(k, i int) bool { return p.a.params[k] == p.b.params[i] }
		pair(func(k, i int) bool { return used(k, i) && passed(k, i) })
		pair(used)
		pair(passed)
		pair(func(k, i int) bool { return k == i && olds[k].Shape.Compatible(news[i].Shape) })
	}
	if len(olds) == len(news) || p.a.params == nil || p.b.params == nil {
		pair(func(k, i int) bool { return k == i })
	}
}

// passedSame reports whether the callers pass partners for two parameters of the same type.
func (p *ComputationPair) passedSame(k, i int) bool {
	a, b := p.callers[0], p.callers[1]
	if a == nil || b == nil || a.Opcode != hlo.OpFusion || b.Opcode != hlo.OpFusion || k >= len(a.Operands) ||
		i >= len(b.Operands) {
		return false
	}
	return p.matching.NewOf(a.Operands[k]) == b.Operands[i]
}

// operandPlaces returns, for each operand of a fusion n, the place of the same operand of its partner o, by the
// parameters of the bodies; nil where that is not known for all.
func (m *Matching) operandPlaces(o, n *hlo.Instruction) []int {
	if o.Opcode != hlo.OpFusion || n.Opcode != hlo.OpFusion || len(o.Called()) != 1 || len(n.Called()) != 1 ||
		len(o.Operands) != len(n.Operands) {
		return nil
	}
	p := m.toNew[o.Called()[0]]
	if p == nil || p.New != n.Called()[0] {
		return nil
	}
	out := make([]int, len(n.Operands))
	for i := range out {
		out[i] = -1
	}
	for i, in := range p.New.Parameters() {
		if in == nil || i >= len(out) || p.toOld[in.Index] < 0 {
			return nil
		}
		was := p.Old.Instructions[p.toOld[in.Index]]
		if was.Opcode != hlo.OpParameter || int(was.Parameter) >= len(o.Operands) {
			return nil
		}
		out[i] = int(was.Parameter)
	}
	for _, k := range out {
		if k < 0 {
			return nil
		}
	}
	return out
}
