package rules

import "hlolayout/passes/layout/internal/rule"

// placeSet is a set of places that a walk has come to. A map of each walk took a tenth of what a search allocates.
type placeSet struct {
	list  []rule.Place
	prior []int32 // by place of list: 1 + that of the one before it of the same node, 0 for none
	last  []int32 // by node: 1 + the place of its last one in list; of another walk where that is of another node
}

// begin empties the set, for a module of so many nodes.
func (s *placeSet) begin(nodes int) {
	if len(s.last) < nodes {
		s.last = make([]int32, nodes)
	}
	s.list, s.prior = s.list[:0], s.prior[:0]
}

// add adds a place, and reports whether it is new.
func (s *placeSet) add(p rule.Place) bool {
	last := s.last[p.Node]
	if int(last) > len(s.list) || last > 0 && s.list[last-1].Node != p.Node {
		last = 0
	}
	for at := last; at > 0; at = s.prior[at-1] {
		if s.list[at-1] == p {
			return false
		}
	}
	s.list, s.prior = append(s.list, p), append(s.prior, last)
	s.last[p.Node] = int32(len(s.list))
	return true
}
