// Package sharding reads how a sharding annotation divides an array among devices.
package sharding

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// Parts returns into how many parts an annotation divides each dimension of an array of the given rank, 1 where it does
// not divide it. v is the sharding of one array: {devices=[4,1]<=[4]}, a mesh {mesh['a'=4], [{'a'}, {}]}, or a word
// such as {replicated}. ok is false where the annotation does not say (nil, {unknown}, or open dimensions of a mesh),
// or does not fit the rank.
//
// The sizes after devices= are those of the dimensions, followed by those of subgroups, which last_tile_dim_replicate
// or last_tile_dims name (XLA's HloSharding: tile_assignment, subgroup_types).
func Parts(v *hlo.Value, rank int) (parts []int64, ok bool) {
	if v == nil || v.Kind != hlo.ListValue || len(v.Elems) == 0 {
		return nil, false
	}
	whole := make([]int64, rank)
	for i := range whole {
		whole[i] = 1
	}
	switch first := &v.Elems[0]; {
	case first.Kind == hlo.WordValue && strings.HasPrefix(first.Text, "mesh"):
		return meshParts(v, whole)
	case v.Get("devices") != nil:
		sizes, fits := v.Get("devices").Ints()
		if !fits || len(sizes) < rank {
			return nil, false
		}
		for i := range whole {
			whole[i] = max(1, int64(sizes[i]))
		}
		return whole, true
	case first.Kind == hlo.WordValue:
		return whole, first.Text == "replicated" || first.Text == "maximal" || first.Text == "manual"
	}
	return nil, false
}

// meshParts reads {mesh['a'=2,'b'=4], [{'a','b'}, {}]}: a dimension is divided by the product of its axes' sizes. An
// axis 'b':(2)2 is the part of size 2 of b.
func meshParts(v *hlo.Value, whole []int64) (parts []int64, ok bool) {
	size := map[string]int64{}
	var dims *hlo.Value
	for i := range v.Elems {
		e := &v.Elems[i]
		switch {
		case e.Open != '[' || e.Kind != hlo.ListValue:
			if e.Kind == hlo.WordValue && e.Text == "replicated" {
				return whole, true
			}
		case len(size) == 0 && i == 1:
			for k := 0; k+2 < len(e.Elems); k += 3 { // 'a' = 2
				n, _ := e.Elems[k+2].Int()
				size[unquoted(&e.Elems[k])] = n
			}
		default:
			dims = e
		}
	}
	if dims == nil || len(dims.Elems) != len(whole) {
		return nil, false
	}
	for d := range dims.Elems {
		axes := dims.Elems[d].Elems
		for i := 0; i < len(axes); i++ {
			if axes[i].Text == "?" {
				return nil, false
			}
			n, known := size[unquoted(&axes[i])], true
			if i+3 < len(axes) && axes[i+1].Text == ":" {
				n, known = axes[i+3].Int()
				i += 3
			}
			if !known || n < 1 {
				return nil, false
			}
			whole[d] *= n
		}
	}
	return whole, true
}

// unquoted returns a name without its quotes.
func unquoted(v *hlo.Value) string {
	if s, err := strconv.Unquote(v.Text); err == nil {
		return s
	}
	return strings.Trim(v.Text, `'"`)
}

// Leaf returns the part of an annotation that is about one leaf of a shape, counted from 0 in the order of
// hlo.Shape.Leaves: a list {{replicated}, {devices=[2]<=[2]}} has one for each leaf, any other holds for all.
func Leaf(v *hlo.Value, leaf int) *hlo.Value {
	if v == nil || v.Kind != hlo.ListValue || len(v.Elems) == 0 || v.Elems[0].Kind != hlo.ListValue ||
		v.Elems[0].Open != '{' {
		return v
	}
	if leaf >= len(v.Elems) {
		return nil
	}
	return &v.Elems[leaf]
}

// Divides reports whether parts divide an array at all.
func Divides(parts []int64) bool {
	for _, n := range parts {
		if n > 1 {
			return true
		}
	}
	return false
}

// Device returns the shape that one device holds of an array, with the layout of s. A size that parts do not divide is
// rounded up: XLA pads the last device's part.
func Device(s *hlo.Shape, parts []int64) *hlo.Shape {
	if !Divides(parts) || len(parts) != len(s.Dims) {
		return s
	}
	dims := make([]int64, len(s.Dims))
	for i, d := range s.Dims {
		dims[i] = (d + parts[i] - 1) / parts[i]
	}
	return hlo.NewArray(s.DType, dims, s.Layout)
}
