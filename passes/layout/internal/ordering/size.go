package ordering

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// PaddedRows is padded for a tile of the given number of rows, 0 for the one that the shape gets.
func (e *Tiles) PaddedRows(s *hlo.Shape, o Order, rows int64) int64 {
	if rows == 0 {
		return e.Padded(s, o)
	}
	mm := e.Orders.Get(o)
	n := Times(RoundUp(s.Dims[mm[0]], e.Target.Lanes), RoundUp(s.Dims[mm[1]], rows))
	for _, d := range mm[2:] {
		n = Times(n, s.Dims[d])
	}
	return n
}

// CompactOrder returns the order of the smallest padded size under a tile of the given number of rows, 0 for the
// shape's own. Layouts that come from the entry's carry their tiles along, and sizes are compared under these:
// f32[2,5]{0,1:T(8,128)} wastes nothing. Among equals the smaller size under full tiles wins (soft_raster:
// f32[20,4,28,28,2]{3,1,4,2,0}).
func (e *Tiles) CompactOrder(s *hlo.Shape, rows int64) Order {
	return e.MemoryOrder(s, e.Orders.Of(e.Target.BoundaryOrder(s.DType, s.Dims)), rows)
}

// minorPairs calls f for every choice of the two minor dimensions, highest first; the others follow, descending.
func (e *Tiles) minorPairs(s *hlo.Shape, f func(Order)) {
	for i := s.Rank() - 1; i >= 0; i-- {
		for j := s.Rank() - 1; j >= 0; j-- {
			if i != j {
				f(e.Orders.Of(append([]int{i, j},
					slices.DeleteFunc(hlo.Descending(s.Rank()), func(d int) bool { return d == i || d == j })...)))
			}
		}
	}
}

// WordsOf returns the padded size with which clusters are compared, in 32-bit words whatever the type. Types of 32
// bits pad to the tile that the layout carries along, a full one where it carries none (logcumsum_assoc); smaller
// ones to the least power of two of rows, as long as they carry no full tile (norms_layer_rms_group; what full tiles
// do is a guess).
func (e *Tiles) WordsOf(s *hlo.Shape, l Tiled) int64 {
	full, rows := e.Target.Sublanes, int64(l.Rows)
	if bits := int64(s.DType.Bits()); bits < 32 {
		if rows*max(bits, 8) < full*32 {
			full = 1
			for n := s.Dims[e.Orders.Get(l.Order)[1]]; full < n && full < e.Target.Sublanes; {
				full *= 2
			}
		}
	} else if rows != 0 {
		full = rows
	}
	return e.PaddedRows(s, l.Order, full)
}

// MemoryOrder is the order of the smallest size under tiles of the given number of rows, 0 for the shape's own; among
// these the one of the smallest size under full tiles; among these the present one, and only then the highest minor,
// then the highest second-minor dimension (1063 shapes of the log).
func (e *Tiles) MemoryOrder(s *hlo.Shape, present Order, rows int64) Order {
	key := memoryKey{s, present, rows}
	best, known := e.smallest[key]
	if known {
		return best
	}
	best = present
	size, full := e.PaddedRows(s, best, rows), e.PaddedRows(s, best, e.Target.Sublanes)
	e.minorPairs(s, func(o Order) {
		n, f := e.PaddedRows(s, o, rows), e.PaddedRows(s, o, e.Target.Sublanes)
		if n < size || n == size && f < full {
			best, size, full = o, n, f
		}
	})
	e.smallest[key] = best
	return best
}

// memoryKey is what memoryOrder is asked: the same again in every run.
type memoryKey struct {
	shape   *hlo.Shape
	present Order
	rows    int64
}

// ByPaddedPair returns ascending dimensions minor first, the last two swapped where that pads less.
func (e *Tiles) ByPaddedPair(t hlo.DType, dims []int64, which []int) []int {
	out := slices.Clone(which)
	slices.Reverse(out)
	if len(out) >= 2 && e.Target.PaddedPair(t, dims[out[0]], dims[out[1]]) < e.Target.PaddedPair(t, dims[out[1]],
		dims[out[0]]) {
		out[0], out[1] = out[1], out[0]
	}
	return out
}

// Padded returns the padded size of an array in elements, as the compiler compares it, saturating.
func (e *Tiles) Padded(s *hlo.Shape, o Order) int64 {
	return e.PaddedDims(s.DType, s.Dims, e.Orders.Get(o))
}

func (e *Tiles) PaddedDims(t hlo.DType, dims []int64, mm []int) int64 {
	switch len(mm) {
	case 0:
		return 1
	case 1:
		return RoundUp(dims[0], 1024)
	}
	n := e.Target.PaddedPair(t, dims[mm[1]], dims[mm[0]])
	for _, d := range mm[2:] {
		n = Times(n, dims[d])
	}
	return n
}

const Most = 1<<62 - 1

// Times multiplies two sizes, saturating.
func Times(a, b int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > Most/b {
		return Most
	}
	return a * b
}

func RoundUp(n, to int64) int64 {
	if n > Most-to {
		return Most
	}
	return (n + to - 1) / to * to
}

// SmallerPair compares the padded sizes of a shape: it is positive where n minor takes less than m minor.
func (e *Tiles) SmallerPair(s *hlo.Shape, m, n int) int {
	return cmp.Compare(e.Target.PaddedPair(s.DType, s.Dims[n], s.Dims[m]),
		e.Target.PaddedPair(s.DType, s.Dims[m], s.Dims[n]))
}

// Tiles compares orders by the tiles of one generation.
type Tiles struct {
	Target   *tpu.Target
	Orders   *Table
	smallest map[memoryKey]Order
}

func NewTiles(t *tpu.Target) *Tiles {
	return &Tiles{Target: t, Orders: NewTable(), smallest: map[memoryKey]Order{}}
}

// LeastSize is the least padded size of dimensions, in elements, over the orders whose two minor dimensions are nottt
// ones, where there are two.
func (e *Tiles) LeastSize(t hlo.DType, dims []int64) int64 {
	_, sizes := Dense(dims)
	if len(sizes) < 2 {
		sizes = dims
	}
	least := int64(Most)
	for i, minor := range sizes {
		for j, second := range sizes {
			if i == j {
				continue
			}
			n := e.Target.PaddedPair(t, second, minor)
			for k, size := range sizes {
				if k != i && k != j {
					n = Times(n, size)
				}
			}
			least = min(least, n)
		}
	}
	return least
}

// FullSize is the padded size of dimensions in elements under tiles of full rows, by the two minor ones.
func (e *Tiles) FullSize(dims []int64, mm []int) int64 {
	if len(mm) < 2 {
		return 0
	}
	n := Times(RoundUp(dims[mm[0]], e.Target.Lanes), RoundUp(dims[mm[1]], e.Target.Sublanes))
	for d, size := range dims {
		if d != mm[0] && d != mm[1] {
			n = Times(n, size)
		}
	}
	return n
}

// IsCompact reports whether no order of a shape is smaller under tiles of the given number of rows, 0 for the shape's
// own.
func (e *Tiles) IsCompact(s *hlo.Shape, mm []int, rows int64) bool {
	return len(mm) < 2 || e.PaddedRows(s, e.Orders.Of(mm), rows) <= e.PaddedRows(s, e.CompactOrder(s, rows), rows)
}
