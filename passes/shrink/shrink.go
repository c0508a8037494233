// Package shrink says what would make an array smaller on a target: another order, joined dimensions, a smaller element
// type.
package shrink

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/tpu"
)

// Way is one way to make an array smaller.
type Way struct {
	// Kind is order, joined or dtype; Text says what to do.
	Kind, Text string
	// Bytes is what the array takes then, Saves how much less that is.
	Bytes, Saves int64
}

// Ways returns what makes an array smaller than it is with its own layout, the most first. It looks at the array alone:
// whether its users take it so, is not checked. It returns nil for what is not an array.
func Ways(s *hlo.Shape, t *tpu.Target) []Way {
	size := padding.SizeOf(s)
	if !s.IsArray() || !size.Known {
		return nil
	}
	var out []Way
	add := func(kind, text string, d hlo.DType, dims []int64) {
		order := t.BoundaryOrder(d, dims)
		if n, ok := t.Bytes(d, dims, order); ok && n < size.Padded {
			out = append(out, Way{kind, text, n, size.Padded - n})
		}
	}
	if order := t.BoundaryOrder(s.DType, s.Dims); !slices.Equal(order, s.MinorToMajor()) {
		add("order", fmt.Sprintf("order {%s} in place of {%s}", list(order), list(s.MinorToMajor())), s.DType, s.Dims)
	}
	if best := joined(s, t); best != nil {
		add("joined", fmt.Sprintf("a shape of %s[%s], with two dimensions joined", s.DType, list(best)), s.DType, best)
	}
	if half, ok := halves[s.DType]; ok {
		text := fmt.Sprintf("%s in place of %s", half, s.DType)
		order := t.BoundaryOrder(half, s.Dims)
		least, _ := t.Bytes(half, s.Dims, order)
		if same, ok := t.Bytes(half, s.Dims, s.MinorToMajor()); ok && same > least {
			text += fmt.Sprintf(", and order {%s} in place of {%s}", list(order), list(s.MinorToMajor()))
		}
		add("dtype", text, half, s.Dims)
	}
	slices.SortStableFunc(out, func(a, b Way) int { return cmp.Compare(b.Saves, a.Saves) })
	return out
}

// halves are the element types that programs use where half the precision will do.
var halves = map[hlo.DType]hlo.DType{hlo.F32: hlo.BF16, hlo.F64: hlo.F32, hlo.S64: hlo.S32, hlo.U64: hlo.U32}

// joined returns the sizes with the two neighbours joined that make the array smallest, nil where none makes it smaller
// than without.
func joined(s *hlo.Shape, t *tpu.Target) (best []int64) {
	least, ok := t.Bytes(s.DType, s.Dims, t.BoundaryOrder(s.DType, s.Dims))
	for i := 0; ok && i+1 < len(s.Dims); i++ {
		dims := slices.Concat(s.Dims[:i], []int64{s.Dims[i] * s.Dims[i+1]}, s.Dims[i+2:])
		if n, ok := t.Bytes(s.DType, dims, t.BoundaryOrder(s.DType, dims)); ok && n < least {
			best, least = dims, n
		}
	}
	return best
}

func list[T int | int64](v []T) string {
	parts := make([]string, len(v))
	for i, n := range v {
		parts[i] = strconv.FormatInt(int64(n), 10)
	}
	return strings.Join(parts, ",")
}

// Why says which dimensions of an array its first tile pads, and how wide its elements are stored where that is wider
// than their type: "dimension 1: 3 to 128"; "" where nothing is padded.
func Why(s *hlo.Shape) string {
	l := s.Layout
	if !s.IsArray() || l == nil || len(l.Tiles) == 0 {
		return ""
	}
	var parts []string
	tile, order := l.Tiles[0], l.MinorToMajor
	if !slices.Contains(tile, hlo.Combined) {
		for i := range tile {
			n := tile[len(tile)-1-i]
			if i >= len(order) || n <= 0 || order[i] < 0 || order[i] >= len(s.Dims) {
				break
			}
			if extent := s.Dims[order[i]]; extent > 0 && extent%n != 0 {
				parts = append(parts, fmt.Sprintf("dimension %d: %d to %d", order[i], extent, (extent+n-1)/n*n))
			}
		}
	}
	if l.ElementBits > int64(s.DType.Bits()) {
		parts = append(parts, fmt.Sprintf("%d bits an element stored in %d", s.DType.Bits(), l.ElementBits))
	}
	return strings.Join(parts, ", ")
}
