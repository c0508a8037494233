package reasons

import (
	"slices"
	"sort"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
	"hlolayout/tpu"
)

// array is the number of an array of the module: the arrays of all instructions in the order of the text.
type array = int32

const noArray array = -1

// graph is a module's arrays, and how they are tied together.
type graph struct {
	m      *hlo.Module
	target *tpu.Target
	first  map[*hlo.Computation]int32 // the number of a computation's first instruction
	ins    []*hlo.Instruction
	start  []array // of each instruction, and the end of the last one
	shapes []*hlo.Shape
	owner  []int32 // the instruction of each array

	same   []alias // by array: the array that it passes on
	links  []link
	from   []int32 // the first of links of each array, once they are sorted
	agrees map[[2]*hlo.Shape]bool
	places map[*hlo.Shape][]array // of a tuple's elements, among its arrays
}

// alias says that an array is another one, as an instruction passes it on: the result of a fusion is that of its root.
// What ties the one ties the other. of is noArray for a separate array.
type alias struct {
	of   array
	rule string
}

// link says that array to has its order because array at has its own.
type link struct {
	at, to array
	rule   string
	phase  uint8
}

func newGraph(m *hlo.Module, t *tpu.Target) *graph {
	g := &graph{m: m, target: t, first: map[*hlo.Computation]int32{}, agrees: map[[2]*hlo.Shape]bool{},
		places: map[*hlo.Shape][]array{}}
	for _, c := range m.Computations {
		g.first[c] = int32(len(g.ins))
		for _, in := range c.Instructions {
			n := int32(len(g.ins))
			g.ins, g.start = append(g.ins, in), append(g.start, array(len(g.shapes)))
			in.Shape.Leaves(func(_ hlo.Index, leaf *hlo.Shape) {
				g.shapes, g.owner, g.same = append(g.shapes, leaf), append(g.owner, n),
					append(g.same, alias{of: noArray})
			})
		}
	}
	g.start = append(g.start, array(len(g.shapes)))
	for _, in := range g.ins {
		g.connect(in)
	}
	g.sort()
	return g
}

// source returns the array that another one is in the end.
func (g *graph) source(a array) array {
	for g.same[a].of != noArray {
		a = g.same[a].of
	}
	return a
}

// sort groups the links by the array that they start from, those of one array in the order in which they came.
func (g *graph) sort() {
	for i := range g.links {
		l := &g.links[i]
		l.at, l.to = g.source(l.at), g.source(l.to)
	}
	g.from = make([]int32, len(g.shapes)+1)
	for i := range g.links {
		g.from[g.links[i].at+1]++
	}
	for i := range g.shapes {
		g.from[i+1] += g.from[i]
	}
	next, sorted := slices.Clone(g.from), make([]link, len(g.links))
	for _, l := range g.links {
		sorted[next[l.at]] = l
		next[l.at]++
	}
	g.links = sorted
}

// arrays returns the first array of an instruction, and how many it has.
func (g *graph) arrays(in *hlo.Instruction) (first array, n int) {
	k := g.first[in.Computation] + in.Index
	return g.start[k], int(g.start[k+1] - g.start[k])
}

// part returns the first array of the part of an instruction's result at a path of tuple indices, and how many it has.
func (g *graph) part(in *hlo.Instruction, path ...int) (first array, n int) {
	first, n = g.arrays(in)
	for s := in.Shape; len(path) > 0; path = path[1:] {
		if !s.IsTuple() || path[0] >= len(s.Elems) {
			return first, 0
		}
		at := g.elements(s)
		first, n = first+at[path[0]], int(at[path[0]+1]-at[path[0]])
		s = s.Elems[path[0]]
	}
	return first, n
}

// elements returns where the elements of a tuple begin among its arrays, and where the last one ends.
func (g *graph) elements(s *hlo.Shape) []array {
	at := g.places[s]
	if at == nil {
		at = append(at, 0)
		for _, e := range s.Elems {
			n := array(1)
			if e.IsTuple() {
				inner := g.elements(e)
				n = inner[len(inner)-1]
			}
			at = append(at, at[len(at)-1]+n)
		}
		g.places[s] = at
	}
	return at
}

// index returns the place of an array in its instruction's result.
func (g *graph) index(a array) (at hlo.Index) {
	n, s := a-g.start[g.owner[a]], g.ins[g.owner[a]].Shape
	for s.IsTuple() {
		starts := g.elements(s)
		i := sort.Search(len(s.Elems), func(i int) bool { return starts[i+1] > n })
		at, n, s = append(at, i), n-starts[i], s.Elems[i]
	}
	return at
}

// chosen reports whether an array could have more than one order, and has one.
func chosen(s *hlo.Shape) bool { return s.IsArray() && s.Rank() > 1 && s.Layout != nil }

// sameOrder reports whether two arrays have one order.
func sameOrder(a, b *hlo.Shape) bool {
	return a == b || a.Layout != nil && b.Layout != nil && slices.Equal(a.Layout.MinorToMajor, b.Layout.MinorToMajor)
}

// reshaped reports whether two arrays hold the same elements in the same sequence: with their tiles, or without.
func (g *graph) reshaped(a, b *hlo.Shape) bool {
	key := [2]*hlo.Shape{a, b}
	ok, seen := g.agrees[key]
	if !seen {
		ok = bitcast(a, b) || bitcast(untiled(a), untiled(b))
		g.agrees[key] = ok
	}
	return ok
}

func bitcast(a, b *hlo.Shape) bool {
	x, err := tiled.New(a)
	if err != nil {
		return false
	}
	y, err := tiled.New(b)
	if err != nil {
		return false
	}
	m, err := tiled.ReshapeBitcast(x, y)
	return err == nil && m != tiled.Different
}

func untiled(s *hlo.Shape) *hlo.Shape {
	return s.WithLayout(&hlo.Layout{MinorToMajor: s.Layout.MinorToMajor})
}
