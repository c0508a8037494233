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

// keepFirst drops all computations but the first n. Callees stand before their callers, so nothing calls those that go.
func keepFirst(m *hlo.Module, n int) {
	if m.Entry != nil && slices.Contains(m.Computations[n:], m.Entry) {
		m.Entry = nil
	}
	m.Computations = m.Computations[:n]
	m.LinkCallers()
}

// keepCommon reduces two modules, of which at least one is cut, to what both texts reach: what one has behind the other's last computation
// may be there in the whole text, too.
func keepCommon(a, b *hlo.Module) {
	if c, d := lastCommon(a, b.Computations), lastCommon(b, a.Computations); c > 0 && d > 0 {
		if b.Cut != "" {
			keepFirst(a, c)
		}
		if a.Cut != "" {
			keepFirst(b, d)
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

// lastCommon returns how many computations m has up to the last one whose name is also among others.
func lastCommon(m *hlo.Module, others []*hlo.Computation) int {
	names := map[string]bool{}
	for _, c := range others {
		names[c.Name] = true
	}
	n := len(m.Computations)
	for n > 0 && !names[m.Computations[n-1].Name] {
		n--
	}
	return n
}

// keepCommonBody reduces two computations, of which one is not whole, to the instructions up to the last ones with a common name. It returns
// false where there are none.
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
