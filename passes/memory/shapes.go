package memory

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
	"hlolayout/passes/internal/flat"
)

// shape is a shape taken apart, with the sizes of its leaves.
type shape struct {
	*flat.Shape
	bytes []int64 // padded bytes of each leaf; 0 for what is not an array
	elems []int64
	total int64 // padded bytes of all
}

// shape takes a shape apart. Errors: a layout does not fit its shape, or there are more than 2^63 bytes.
func (g *graph) shape(s *hlo.Shape) (*shape, error) {
	if i := g.shapes[s]; i != nil {
		return i, nil
	}
	i := &shape{Shape: flat.NewShape(s)}
	i.bytes, i.elems = make([]int64, len(i.Leaves)), make([]int64, len(i.Leaves))
	for j, leaf := range i.Leaves {
		switch {
		case leaf != s:
			part, err := g.shape(leaf)
			if err != nil {
				return nil, err
			}
			i.bytes[j], i.elems[j] = part.total, part.elems[0]
		case leaf.IsArray():
			a, err := tiled.New(leaf)
			if err != nil {
				return nil, err
			}
			i.bytes[j], i.elems[j] = a.Bytes(), a.Elements()
		}
		if i.total += i.bytes[j]; i.total < 0 {
			return nil, fmt.Errorf("%s has more than 2^63 bytes", s)
		}
	}
	g.shapes[s] = i
	return i, nil
}

// info is shape for a shape that newGraph has seen.
func (g *graph) info(s *hlo.Shape) *shape {
	i, err := g.shape(s)
	if err != nil {
		return &shape{Shape: &flat.Shape{}}
	}
	return i
}

// elements returns the number of elements of all leaves.
func (s *shape) elements() (n int64) {
	for _, e := range s.elems {
		n += e
	}
	return n
}

// leafAt returns the number of the leaf at an index of a shape, -1 where there is none.
func (g *graph) leafAt(s *hlo.Shape, index []int) int32 {
	at := int32(0)
	for _, k := range index {
		if !s.IsTuple() || k >= len(s.Elems) {
			return none
		}
		at += g.info(s).Starts[k]
		s = s.Elems[k]
	}
	if s.IsTuple() {
		return none
	}
	return at
}

// indexOf returns the index of a leaf in the result of its instruction.
func (v *values) indexOf(leaf int32) hlo.Index {
	t := v.leafTime[leaf]
	return v.g.info(v.g.nodes[t].in.Shape).Indices[leaf-v.g.leaf0[t]]
}
