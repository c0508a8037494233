package check

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// Contradiction says what shows that the layouts of a module are not of t: the first array in a memory that t does not
// have, else the first one in tiles that t does not give, "" for neither. Layouts without tiles and memories show
// nothing. Of 3,486 modules of all generations none contradicts its own but 20, which contradict all (tiles of operands
// of the matrix unit, see lateTile).
func Contradiction(m *hlo.Module, t *tpu.Target) string {
	c := &checker{m: m, t: t}
	seen := map[*hlo.Shape]bool{}
	found := map[string]string{} // by code, the first one
	shows := func(s *hlo.Shape) bool {
		return s.IsArray() && s.Layout != nil && (len(s.Layout.Tiles) > 0 || s.Layout.MemorySpace != 0)
	}
	look := func(s *hlo.Shape) {
		if s == nil || !s.IsTuple() && !shows(s) || seen[s] {
			return
		}
		seen[s] = true
		s.Leaves(func(_ hlo.Index, s *hlo.Shape) {
			if !shows(s) {
				return
			}
			if code, msg := c.array(s); code != "" && found[code] == "" {
				found[code] = msg
			}
		})
	}
	for _, comp := range m.Computations {
		for _, in := range comp.Instructions {
			look(in.Shape)
		}
	}
	if params, result, ok := m.EntryLayout(); ok {
		for _, s := range append(slices.Clone(params), result) {
			look(s)
		}
	}
	if found["LAY104"] != "" {
		return found["LAY104"]
	}
	return found["LAY103"]
}
