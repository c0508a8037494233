package tiled

import (
	"slices"

	"hlolayout/hlo"
)

// DType returns the element type.
func (a *Array) DType() hlo.DType { return a.dtype }

// Dims returns the logical dimensions. Do not modify it.
func (a *Array) Dims() []int64 { return a.dims }

// MinorToMajor returns the order of the dimensions. Do not modify it.
func (a *Array) MinorToMajor() []int { return a.order }

// Tiles returns the tiles in the order they apply: together with MinorToMajor this is the staged form of the index map,
// which always exists. Do not modify it.
func (a *Array) Tiles() []hlo.Tile { return a.tiles }

// PhysicalDims returns the untiled extents, major to minor: the dimensions in reverse minor_to_major order.
func (a *Array) PhysicalDims() []int64 {
	out := make([]int64, len(a.order))
	for i, d := range a.order {
		out[len(out)-1-i] = a.dims[d]
	}
	return out
}

// PaddedPhysical returns the extents after padding to the first tile, major to minor; dimensions that `*` joins are
// one, and a tile with more entries than the array has dimensions adds some in front. Without tiles these are
// PhysicalDims.
func (a *Array) PaddedPhysical() []int64 {
	if len(a.levels) == 0 {
		return a.PhysicalDims()
	}
	lv := a.levels[0]
	out := a.PhysicalDims()[:lv.lead]
	for _, g := range lv.groups {
		n, ok := product(g.tiles, g.tile)
		if !ok {
			n = 1<<63 - 1 // New refuses the array
		}
		out = append(out, n)
	}
	return out
}

// PaddedDims returns the extents after padding to the first tile, in logical order. ok is false where `*` joins
// dimensions, so that no single one is padded. Dimensions that a tile adds in front of the array do not show.
func (a *Array) PaddedDims() (dims []int64, ok bool) {
	padded := a.PaddedPhysical()
	if len(a.levels) > 0 {
		lv := a.levels[0]
		if len(padded) != lv.added+len(a.dims) {
			return nil, false
		}
		padded = padded[lv.added:]
	}
	dims = make([]int64, len(a.dims))
	for i, d := range a.order {
		dims[d] = padded[len(padded)-1-i]
	}
	return dims, true
}

// FinalDims returns the final physical dimensions, major to minor, after every tile. Do not modify it.
func (a *Array) FinalDims() []int64 { return a.final }

// Elements returns the number of logical elements.
func (a *Array) Elements() int64 { return a.elements }

// Total returns the number of elements allocated: the product of FinalDims, rounded up to L(n).
func (a *Array) Total() int64 { return a.total }

// ArraySize returns the number of elements by XLA's ShapeUtil::ArraySize: padding to the first tile only, later tiles
// are taken to add none. It equals Total for every tile format that a TPU compiler chooses.
func (a *Array) ArraySize() int64 { return a.arraySize }

// Padding returns Total - Elements, in elements.
func (a *Array) Padding() int64 { return a.total - a.elements }

// Bits returns the bits one element takes in memory: E(n), else the type's width, at least 8.
func (a *Array) Bits() int64 { return a.bits }

// Bytes returns the bytes allocated, Total*Bits/8 rounded up. For the layouts of a TPU this is the buffer's allocation
// size; the pointer table of a tuple and the prefix M(n) of a dynamic array are not in it.
func (a *Array) Bytes() int64 { return ceilDiv(a.total*a.bits, 8) }

// ArrayBytes returns ArraySize in bytes.
func (a *Array) ArrayBytes() int64 { return ceilDiv(a.arraySize*a.bits, 8) }

// LogicalBytes returns the bytes of the data itself: Elements times the type's own width, rounded up to whole bytes.
func (a *Array) LogicalBytes() int64 {
	width := int64(a.dtype.Bits())
	return a.elements/8*width + ceilDiv(a.elements%8*width, 8)
}

// Waste returns Bytes - LogicalBytes: what padding and wider storage cost, in bytes. It is negative where E(n) is
// narrower than the type.
func (a *Array) Waste() int64 { return a.Bytes() - a.LogicalBytes() }

// Expansion returns Bytes/LogicalBytes, the factor XLA prints as "32.0x expansion"; 1 for an array without elements.
func (a *Array) Expansion() float64 {
	if n := a.LogicalBytes(); n > 0 {
		return float64(a.Bytes()) / float64(n)
	}
	return 1
}

// String returns the shape and layout as HLO text.
func (a *Array) String() string {
	l := &hlo.Layout{MinorToMajor: a.order, Tiles: a.tiles, TailPadding: a.tail}
	if a.bits != int64(max(a.dtype.Bits(), 8)) {
		l.ElementBits = a.bits
	}
	return hlo.NewArray(a.dtype, slices.Clone(a.dims), l).String()
}
