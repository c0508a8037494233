// Package ordering holds minor-to-major orders and compares them: by padded size under tiles, and by what a reshape
// between them moves.
package ordering

import (
	"math"
	"slices"

	"hlolayout/hlo"
)

// Tiled is a layout as the pass sets it: an order with the rows of the tile that it carries along, 0 for none.
type Tiled struct {
	Order Order
	Rows  int32
}

// Carrying is the order with a tile of so many rows, 0 for none.
func (o Order) Carrying(rows int32) Tiled { return Tiled{o, rows} }

// RowsOf returns the rows of a layout's tile, 0 where it has none of two dimensions.
func RowsOf(l *hlo.Layout) int32 {
	if l == nil || len(l.MinorToMajor) < 2 || len(l.Tiles) == 0 || len(l.Tiles[0]) != 2 {
		return 0
	}
	return int32(min(max(0, l.Tiles[0][0]), math.MaxInt32))
}

// Untiled is the order without a tile.
func (o Order) Untiled() Tiled { return Tiled{Order: o} }

// WithMinor returns the order with the given minor dimensions (-1 is none); the rest follows descending, with those of
// major as the most major ones, first of them last.
func WithMinor(rank int, minor, major []int) []int {
	out := make([]int, 0, rank)
	for _, d := range minor {
		if d >= 0 {
			out = append(out, d)
		}
	}
	for d := rank - 1; d >= 0; d-- {
		if !slices.Contains(minor, d) && !slices.Contains(major, d) {
			out = append(out, d)
		}
	}
	for _, d := range slices.Backward(major) {
		out = append(out, d)
	}
	return out
}

// Permutations calls f for every order of rank dimensions, in lexicographic order; the list is valid during the call.
func Permutations(rank int, f func([]int)) {
	mm := make([]int, 0, rank)
	used := make([]bool, rank)
	var walk func()
	walk = func() {
		if len(mm) == rank {
			f(mm)
			return
		}
		for d := range rank {
			if !used[d] {
				used[d], mm = true, append(mm, d)
				walk()
				used[d], mm = false, mm[:len(mm)-1]
			}
		}
	}
	walk()
}

// Covers reports whether the minor dimensions of an order, two or as many as window has, are among window.
func Covers(mm, window []int) bool {
	return !slices.ContainsFunc(mm[:min(2, len(window), len(mm))], func(d int) bool { return !slices.Contains(window, d) })
}

// Misses reports whether none of the two minor dimensions of an order is among some.
func Misses(mm, which []int) bool {
	return !slices.ContainsFunc(mm[:min(2, len(mm))], func(d int) bool { return slices.Contains(which, d) })
}

// Written returns the order in which the text has an array before any layout was assigned: without tiles, else
// descending.
func Written(s *hlo.Shape) []int {
	if l := s.Layout; l != nil && len(l.Tiles) == 0 {
		return l.MinorToMajor
	}
	return hlo.Descending(s.Rank())
}

func OrderText(mm []int) string { return (&hlo.Layout{MinorToMajor: mm}).String() }

// Order is the number of an interned minor-to-major order, from 1. Orders of one run compare by number.
type Order int32

// None is the order of a leaf that nothing constrains. It is 0: cmp.Or takes the first order that is one.
const None Order = 0

// Table interns dimension orders, so that propagating one costs no allocation.
type Table struct {
	list   [][]int
	ids    map[uint64]Order // by a number of the list, or the next one that is not taken
	byRank []Order
	dims   []int // scratch of an order that is made

	aligned map[Reshaped]Order
}

func NewTable() *Table {
	return &Table{list: make([][]int, 1), ids: map[uint64]Order{}, aligned: map[Reshaped]Order{}}
}

// Memo returns what known has for a key, which is made where it has nothing.
func Memo[K comparable, V any](known map[K]V, key K, made func() V) V {
	v, ok := known[key]
	if !ok {
		v = made()
		known[key] = v
	}
	return v
}

// Of returns the number of a minor-to-major order. mm is copied when it is new.
func (o *Table) Of(mm []int) Order {
	key := uint64(len(mm))
	for _, d := range mm {
		key = key<<4 ^ key>>60 ^ uint64(d)
	}
	for ; ; key++ {
		id, known := o.ids[key]
		if !known {
			id = Order(len(o.list))
			o.ids[key], o.list = id, append(o.list, slices.Clone(mm))
		}
		if slices.Equal(o.list[id], mm) {
			return id
		}
	}
}

// All returns the minor-to-major lists of all orders, by number; they must not be modified.
func (o *Table) All() [][]int { return o.list }

// Get returns the minor-to-major list of an order; it must not be modified.
func (o *Table) Get(id Order) []int { return o.list[id] }

// Descending returns the order rank-1, ..., 0.
func (o *Table) Descending(rank int) Order {
	for len(o.byRank) <= rank {
		o.byRank = append(o.byRank, o.Of(hlo.Descending(len(o.byRank))))
	}
	return o.byRank[rank]
}

// Mapped renames the dimensions of an order.
func (t *Table) Mapped(o Order, to []int) Order {
	return t.renamed(o, func(d int) int { return to[d] })
}

// Restricted returns the order that is left of some dimensions, each renamed to its place in the list: that of a
// broadcast's operand.
func (t *Table) Restricted(o Order, dims []int) Order {
	return t.renamed(o, func(d int) int { return slices.Index(dims, d) })
}

// renamed returns an order with other numbers for its dimensions, without those that to gives none, -1.
func (t *Table) renamed(o Order, to func(d int) int) Order {
	out := t.dims[:0]
	for _, d := range t.Get(o) {
		if k := to(d); k >= 0 {
			out = append(out, k)
		}
	}
	t.dims = out
	return t.Of(out)
}

// Natural returns the order of a reduce's result that follows the operand's.
func (t *Table) Natural(o Order, reduced []int) Order {
	return t.Restricted(o, hlo.OtherDims(len(t.Get(o)), reduced))
}
