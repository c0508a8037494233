package ordering

import (
	"cmp"
	"iter"
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// PaddedRows returns the padded size of an array in elements, as the compiler compares it, saturating: under a tile of
// the given number of rows, 0 for the one that the shape gets.
func (e *Tiles) PaddedRows(s *hlo.Shape, o Order, rows int64) int64 {
	return e.PaddedDims(s.DType, s.Dims, e.Orders.Get(o), rows)
}

// Padded is PaddedRows under the tile that the shape gets.
func (e *Tiles) Padded(s *hlo.Shape, o Order) int64 { return e.PaddedRows(s, o, 0) }

// PaddedDims is PaddedRows of dimensions. Of the order it takes the two minor ones.
func (e *Tiles) PaddedDims(t hlo.DType, dims []int64, mm []int, rows int64) (size int64) {
	switch {
	case len(mm) == 1:
		return RoundUp(dims[0], 1024)
	case rows == 0:
		size = e.Target.PaddedPair(t, dims[mm[1]], dims[mm[0]])
	default:
		size = Times(RoundUp(dims[mm[0]], e.Target.Lanes), RoundUp(dims[mm[1]], rows))
	}
	for d, n := range dims {
		if d != mm[0] && d != mm[1] {
			size = Times(size, n)
		}
	}
	return size
}

// CompactOrder returns the order of the smallest padded size under a tile of the given number of rows, 0 for the
// shape's own, of a shape of two dimensions or more. Layouts that come from the entry's carry their tiles along, and
// sizes are compared under these: f32[2,5]{0,1:T(8,128)} wastes nothing. Among equals the smaller size under full
// tiles wins (soft_raster: f32[20,4,28,28,2]{3,1,4,2,0}).
func (e *Tiles) CompactOrder(s *hlo.Shape, rows int64) Order {
	return e.MemoryOrder(s, e.BoundaryOrder(s), rows)
}

// BoundaryOrder returns the order that an array has where it enters or leaves a module (see tpu.Target.BoundaryOrder).
func (e *Tiles) BoundaryOrder(s *hlo.Shape) Order {
	return e.Orders.Of(e.Target.BoundaryOrder(s.DType, s.Dims))
}

// pairs yields every choice of a minor and a second-minor dimension out of an ascending list, the highest ones first.
func pairs(which []int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, a := range slices.Backward(which) {
			for _, b := range slices.Backward(which) {
				if a != b && !yield(a, b) {
					return
				}
			}
		}
	}
}

// WordsOf returns the padded size with which clusters are compared, in 32-bit words whatever the type. Types of 32
// bits pad to the tile that the layout carries along, a full one where it carries none (logcumsum_assoc); smaller
// ones to the rows that 32 bits would take, as long as they carry no full tile (norms_layer_rms_group; 414 decisions on
// v2, 420 on v4; what full tiles do is a guess).
func (e *Tiles) WordsOf(s *hlo.Shape, l Tiled) int64 {
	full, rows := e.Target.Sublanes, int64(l.Rows)
	if bits := int64(s.DType.Bits()); bits < 32 {
		if rows*max(bits, 8) < full*32 {
			full = e.Target.Rows(hlo.F32, s.Dims[e.Orders.Get(l.Order)[1]], false)
		}
	} else if rows != 0 {
		full = rows
	}
	return e.PaddedRows(s, l.Order, full)
}

// MemoryOrder is the order of the smallest size under tiles of the given number of rows, 0 for the shape's own; among
// these the one of the least waste under full tiles; among these the present one, and only then the highest minor,
// then the highest second-minor dimension (1063 shapes of the log). The shape has two dimensions or more.
func (e *Tiles) MemoryOrder(s *hlo.Shape, present Order, rows int64) Order {
	return Memo(e.smallest, memoryKey{s, present, rows}, func() Order {
		var smaller []int
		mm := e.Orders.Get(present)
		size, waste := e.PaddedDims(s.DType, s.Dims, mm, rows), e.waste(s, mm[0], mm[1])
		for minor, second := range pairs(hlo.OtherDims(s.Rank())) {
			n, w := e.PaddedDims(s.DType, s.Dims, []int{minor, second}, rows), e.waste(s, minor, second)
			if n < size || n == size && w < waste {
				smaller, size, waste = append(smaller[:0], minor, second), n, w
			}
		}
		if smaller == nil {
			return present
		}
		return e.Orders.Of(WithMinor(s.Rank(), smaller, nil))
	})
}

// waste is by how much tiles of full rows enlarge an array's two minor dimensions: the product of two quotients, in
// doubles. The compiler compares these, not sizes, so that rounding decides among orders of one size: elements are
// scattered into s32[24,20]{0,1}, but into s32[24,21]{1,0} (152 of 152 tables of five types; by size alone 118).
func (e *Tiles) waste(s *hlo.Shape, minor, second int) float64 {
	return Waste(s.Dims[minor], e.Target.Lanes) * Waste(s.Dims[second], e.Target.Sublanes)
}

// Waste is how many times larger padding to whole lanes or rows makes a dimension.
func Waste(n, unit int64) float64 { return float64(RoundUp(n, unit)) / float64(n) }

// memoryKey is what MemoryOrder is asked: the same again in every run.
type memoryKey struct {
	shape   *hlo.Shape
	present Order
	rows    int64
}

// MinorPair orders two dimensions: the one with which they take less is minor, of equals the first one, or if keep the
// higher one.
func (e *Tiles) MinorPair(t hlo.DType, dims []int64, a, b int, keep bool) []int {
	if c := e.SmallerPair(t, dims, a, b); c > 0 || c == 0 && keep && b > a {
		return []int{b, a}
	}
	return []int{a, b}
}

// SmallerPair is positive where dimensions take less with n minor and m second-minor than the other way round.
func (e *Tiles) SmallerPair(t hlo.DType, dims []int64, m, n int) int {
	return cmp.Compare(e.Target.PaddedPair(t, dims[n], dims[m]), e.Target.PaddedPair(t, dims[m], dims[n]))
}

// FullestPair returns, minor first, the two of some ascending dimensions that fill full tiles best: the one that fills
// the lanes, of equals the highest, and of the others the one that fills the sublanes, of equals the lowest.
func (e *Tiles) FullestPair(dims []int64, which []int) []int {
	least := func(which []int, tile int64) int {
		return slices.MinFunc(which, func(a, b int) int { // a's padded share of b's size, and the other way round
			return cmp.Compare(Times(RoundUp(dims[a], tile), dims[b]), Times(RoundUp(dims[b], tile), dims[a]))
		})
	}
	highest := slices.Clone(which)
	slices.Reverse(highest)
	minor := least(highest, e.Target.Lanes)
	others := slices.DeleteFunc(slices.Clone(which), func(d int) bool { return d == minor })
	return []int{minor, least(others, e.Target.Sublanes)}
}

const Most = 1<<62 - 1

// Times multiplies two sizes, saturating.
func Times(a, b int64) int64 {
	if min(a, b) <= 0 {
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

// Tiles compares orders by the tiles of one generation.
type Tiles struct {
	Target   *tpu.Target
	Orders   *Table
	smallest map[memoryKey]Order
}

func NewTiles(t *tpu.Target) *Tiles {
	return &Tiles{Target: t, Orders: NewTable(), smallest: map[memoryKey]Order{}}
}

// LeastSize is the least padded size of dimensions, in elements, over the orders whose two minor dimensions are not
// ones, where there are two.
func (e *Tiles) LeastSize(t hlo.DType, dims []int64) int64 {
	which, _ := Dense(dims)
	if len(which) < 2 {
		which = hlo.OtherDims(len(dims))
	}
	least := int64(Most)
	for minor, second := range pairs(which) {
		least = min(least, e.PaddedDims(t, dims, []int{minor, second}, 0))
	}
	return least
}

// IsCompact reports whether no order of a shape is smaller under the tile of a layout.
func (e *Tiles) IsCompact(s *hlo.Shape, l Tiled) bool {
	rows := int64(l.Rows)
	return s.Rank() < 2 || e.PaddedRows(s, l.Order, rows) <= e.PaddedRows(s, e.CompactOrder(s, rows), rows)
}
