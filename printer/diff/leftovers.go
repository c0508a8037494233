package diff

import "hlolayout/hlo"

// alikeEnough is the share of their operations that computations, which nothing else pairs, must have in common.
const alikeEnough = 0.5

// leftovers pairs computations that no pair calls: those of the same name that compute the same, those that compute the
// same and have the same layouts, or not, in the order of the text; then those that are alike, and in whole texts those
// of the same name.
func (m *Matching) leftovers(next *int) {
	names := map[string]*hlo.Computation{}
	for _, c := range m.Old.Computations {
		if m.toNew[c] == nil {
			names[c.Name] = c
		}
	}
	take := func(o, n *hlo.Computation) {
		m.add(o, n)
		m.run(next)
	}
	for _, c := range m.New.Computations {
		if o := names[c.Name]; o != nil && m.toOld[c] == nil &&
			m.old.computations[o].whole == m.new.computations[c].whole {
			take(o, c)
		}
	}
	for _, key := range []func(s *structure, c *hlo.Computation) uint64{(*structure).placed, (*structure).whole} {
		olds := map[uint64][]*hlo.Computation{}
		for _, c := range m.free(m.Old, m.toNew) {
			h := key(m.old, c)
			olds[h] = append(olds[h], c)
		}
		for _, c := range m.free(m.New, m.toOld) {
			for h := key(m.new, c); m.toOld[c] == nil && len(olds[h]) > 0; olds[h] = olds[h][1:] {
				take(olds[h][0], c)
			}
		}
	}
	olds, news := m.free(m.Old, m.toNew), m.free(m.New, m.toOld)
	toOld, _ := similar(m.old.features(olds), m.new.features(news), alikeEnough)
	for n, o := range toOld {
		if o >= 0 {
			take(olds[o], news[n])
		}
	}
	if m.partial() {
		return // numbers of computations shift with each change, and what is missing may follow
	}
	for _, c := range m.free(m.New, m.toOld) {
		if o := names[c.Name]; o != nil {
			take(o, c)
		}
	}
}

// partial reports whether one of the texts is cut.
func (m *Matching) partial() bool { return m.Old.Cut != "" || m.New.Cut != "" }

// free returns the computations of a module that have no partner.
func (m *Matching) free(of *hlo.Module, to map[*hlo.Computation]*ComputationPair) (out []*hlo.Computation) {
	for _, c := range of.Computations {
		if to[c] == nil {
			out = append(out, c)
		}
	}
	return out
}

func (s *structure) whole(c *hlo.Computation) uint64 { return s.computations[c].whole }

// placed is whole with the layouts of all instructions.
func (s *structure) placed(c *hlo.Computation) uint64 {
	h := s.whole(c)
	for i, in := range c.Instructions {
		h += mix(s.computations[c].up[i], textHash(in.Shape.String()))
	}
	return h
}

// features are what computations are compared by: their operations with types, alone and with each of their operands.
func (s *structure) features(list []*hlo.Computation) [][]uint64 {
	out := make([][]uint64, len(list))
	for i, c := range list {
		h := s.computations[c]
		op := func(in *hlo.Instruction) uint64 {
			if in.Opcode == hlo.OpParameter {
				return s.shape(in.Shape)
			}
			return h.local[in.Index]
		}
		for _, in := range c.Instructions {
			out[i] = append(out[i], op(in))
			for _, o := range in.Operands {
				out[i] = append(out[i], mix(op(in), op(o)))
			}
		}
	}
	return out
}
