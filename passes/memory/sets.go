package memory

// sets are disjoint sets of the numbers from 0 on: a number leads to a lower one of its set, the least one to itself.
type sets []int32

// newSets returns n sets of one number each.
func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// find returns the least number of the set that x is in.
func (s sets) find(x int32) int32 {
	for s[x] != x {
		s[x] = s[s[x]]
		x = s[x]
	}
	return x
}

// join makes one set of those that a and b are in.
func (s sets) join(a, b int32) {
	a, b = s.find(a), s.find(b)
	s[max(a, b)] = min(a, b)
}
