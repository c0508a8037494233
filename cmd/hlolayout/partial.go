package main

import (
	"slices"

	"hlolayout/hlo"
)

// dropUnfinished drops the computation that a module's text ends in.
func dropUnfinished(m *hlo.Module) {
	if last := len(m.Computations) - 1; last >= 0 && m.Computations[last].Root == nil {
		keepFirst(m, last)
	}
}

// keepFirst drops all computations but the first n. Callees precede their callers, so nothing calls those that go.
func keepFirst(m *hlo.Module, n int) {
	if m.Entry != nil && slices.Contains(m.Computations[n:], m.Entry) {
		m.Entry = nil
	}
	m.Computations = m.Computations[:n]
	m.LinkCallers()
}

// keepCommon reduces two modules, of which at least one is cut, to what can be compared: without the computation that a
// text ends in, but for what both have of it, and without the entry where one has none. What one has and the other may
// have after its end is left to the comparison, which pairs computations by what they compute.
func keepCommon(a, b *hlo.Module) {
	for _, m := range [2][2]*hlo.Module{{a, b}, {b, a}} {
		if at := slices.Index(m[0].Computations, m[0].Entry); at >= 0 && m[1].Entry == nil && m[1].Cut != "" {
			keepFirst(m[0], at)
		}
	}
	c, d := last(a), last(b)
	if c != nil && d != nil && c.Name == d.Name && (c.Root == nil || d.Root == nil) && keepCommonBody(c, d) {
		return
	}
	dropUnfinished(a)
	dropUnfinished(b)
}

func last(m *hlo.Module) *hlo.Computation {
	if len(m.Computations) == 0 {
		return nil
	}
	return m.Computations[len(m.Computations)-1]
}

// keepCommonBody reduces two computations, of which one is not whole, to the instructions up to the last ones with a
// common name. It returns false where there are none.
func keepCommonBody(c, d *hlo.Computation) bool {
	n, k := lastCommonName(c, d), lastCommonName(d, c)
	if n == 0 || k == 0 {
		return false
	}
	c.Instructions, d.Instructions = c.Instructions[:n], d.Instructions[:k]
	c.Root, d.Root = nil, nil
	c.Module.LinkCallers()
	d.Module.LinkCallers()
	return true
}

func lastCommonName(c, d *hlo.Computation) int {
	names := map[string]bool{}
	for _, in := range d.Instructions {
		names[in.Name] = true
	}
	n := len(c.Instructions)
	for n > 0 && !names[c.Instructions[n-1].Name] {
		n--
	}
	return n
}
