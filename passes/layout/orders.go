package layout

import "hlolayout/hlo"

// order is the number of an interned minor-to-major order. Orders of one run compare by number.
type order int32

// none is the order of a leaf that nothing constrains.
const none order = -1

// maxRank bounds the rank that the pass takes: an order's key is one byte per dimension.
const maxRank = 127

// orders interns dimension orders, so that propagating one costs no allocation.
type orders struct {
	list    [][]int
	ids     map[string]order
	byRank  []order
	scratch []byte
}

func newOrders() *orders { return &orders{ids: make(map[string]order)} }

// of returns the number of a minor-to-major order. mm is copied when it is new.
func (o *orders) of(mm []int) order {
	key := o.scratch[:0]
	for _, d := range mm {
		key = append(key, byte(d))
	}
	o.scratch = key
	if id, ok := o.ids[string(key)]; ok {
		return id
	}
	id := order(len(o.list))
	o.ids[string(key)] = id
	o.list = append(o.list, append([]int(nil), mm...))
	return id
}

// get returns the minor-to-major list of an order; it must not be modified.
func (o *orders) get(id order) []int { return o.list[id] }

// descending returns the order rank-1, ..., 0.
func (o *orders) descending(rank int) order {
	for len(o.byRank) <= rank {
		o.byRank = append(o.byRank, o.of(hlo.Descending(len(o.byRank))))
	}
	return o.byRank[rank]
}

// without returns the order that is left when the dimensions for which drop is true are deleted and the others
// renumbered.
func (o *orders) without(id order, drop func(d int) bool) order {
	mm := o.get(id)
	out := make([]int, 0, len(mm))
	for _, d := range mm {
		if drop(d) {
			continue
		}
		n := d
		for e := range d {
			if drop(e) {
				n--
			}
		}
		out = append(out, n)
	}
	return o.of(out)
}
