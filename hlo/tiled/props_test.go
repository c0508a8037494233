package tiled

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"hlolayout/hlo"
	"hlolayout/hlo/cute"
)

// genLayout draws an order and up to three tiles for an array of the given rank.
func genLayout(t *rapid.T, rank int, label string) *hlo.Layout {
	order := make([]int, rank)
	for i := range order {
		order[i] = i
	}
	l := &hlo.Layout{MinorToMajor: rapid.Permutation(order).Draw(t, label+" order")}
	for range rapid.SampledFrom([]int{0, 1, 1, 1, 2, 2, 3}).Draw(t, label+" tiles") {
		tile := make(hlo.Tile, rapid.IntRange(1, 3).Draw(t, "entries"))
		for i := range tile {
			tile[i] = rapid.SampledFrom([]int64{1, 1, 2, 2, 3, 4, 4, 5, 8}).Draw(t, "entry")
			if i < len(tile)-1 && rapid.IntRange(0, 5).Draw(t, "star") == 0 {
				tile[i] = hlo.Combined
			}
		}
		l.Tiles = append(l.Tiles, tile)
	}
	if rapid.IntRange(0, 5).Draw(t, "tail") == 0 {
		l.TailPadding = rapid.Int64Range(1, 9).Draw(t, "L")
	}
	return l
}

func genDims(t *rapid.T) []int64 {
	dims := make([]int64, rapid.IntRange(0, 4).Draw(t, "rank"))
	for i := range dims {
		dims[i] = rapid.SampledFrom([]int64{1, 1, 2, 3, 4, 4, 5, 6, 8, 12}).Draw(t, "dim")
	}
	return dims
}

func genArray(t *rapid.T) *Array {
	return newArray(t, genDims, "a")
}

func newArray(t *rapid.T, dims func(*rapid.T) []int64, label string) *Array {
	d := dims(t)
	for n, _ := product(d...); n > 600; n, _ = product(d...) {
		d = d[1:]
	}
	a, err := New(hlo.NewArray(hlo.F32, d, genLayout(t, len(d), label)))
	require.NoError(t, err)
	if a.total > 1<<16 {
		t.Skip("too large to go through")
	}
	return a
}

func same(dims []int64) func(*rapid.T) []int64 {
	return func(*rapid.T) []int64 { return dims }
}

// everyIndex calls f with each logical index in row-major order.
func everyIndex(a *Array, f func(n int64, index []int64)) {
	index := make([]int64, len(a.dims))
	for n := range a.elements {
		f(n, index)
		next(index, a.dims)
	}
}

// offsets are the offsets of the elements in row-major order, by the definition.
func offsets(a *Array) []int64 {
	out := make([]int64, a.elements)
	everyIndex(a, func(n int64, index []int64) { out[n] = a.staged(index) })
	return out
}

// follow a recipe with the row-major numbers of the elements; -1 is padding. This is the independent computation of the
// index map.
func cook(t *rapid.T, a *Array) []int64 {
	dims := a.dims
	data := make([]int64, a.elements)
	for i := range data {
		data[i] = int64(i)
	}
	for _, s := range a.Recipe() {
		n, _ := product(s.Dims...)
		out := make([]int64, n)
		index := make([]int64, len(s.Dims))
		for i := range out {
			switch s.Op {
			case "reshape":
				require.Len(t, data, int(n), "%s", s)
				out[i] = data[i]
			case "pad":
				out[i] = -1
				if k, err := LinearIndex(dims, index); err == nil {
					out[i] = data[k]
				}
			case "transpose":
				from := make([]int64, len(dims))
				for k, p := range s.Perm {
					from[p] = index[k]
				}
				k, err := LinearIndex(dims, from)
				require.NoError(t, err)
				out[i] = data[k]
			default:
				t.Fatalf("unknown step %s", s)
			}
			next(index, s.Dims)
		}
		data, dims = out, s.Dims
	}
	return data
}

func TestIndexMapThreeWays(t *testing.T) {
	layouts, refused, wronglyRefused := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := genArray(t)
		memory := cook(t, a)
		require.Len(t, memory, int(a.total), "%s", a)
		seen := 0
		for offset, id := range memory {
			index, ok, err := a.Element(nil, int64(offset))
			require.NoError(t, err)
			require.Equal(t, id >= 0, ok, "%s at %d", a, offset)
			if ok {
				seen++
				n, err := LinearIndex(a.dims, index)
				require.NoError(t, err)
				require.Equal(t, id, n, "%s at %d", a, offset)
				require.Equal(t, int64(offset), a.staged(index), "%s at %v", a, index)
				got, err := a.Index(index...)
				require.NoError(t, err)
				require.Equal(t, int64(offset), got, "%s at %v", a, index)
				p, err := a.Physical(nil, index...)
				require.NoError(t, err)
				q, err := a.PhysicalAt(nil, int64(offset))
				require.NoError(t, err)
				require.Equal(t, p, q)
				back, err := a.Offset(p...)
				require.NoError(t, err)
				require.Equal(t, int64(offset), back)
				again, real, err := a.Logical(nil, p...)
				require.NoError(t, err)
				require.True(t, real)
				require.Equal(t, index, again)
			}
		}
		require.Equal(t, a.elements, int64(seen), "%s", a)
		l, err := a.Layout()
		if err != nil {
			require.ErrorIs(t, err, ErrNoLayout)
			refused++
			if isLayout(a) {
				wronglyRefused++
				// Refusals are exact without stars; a star's digits may fit in a small array though they do not in
				// general.
				require.True(t, slices.ContainsFunc(a.tiles, func(x hlo.Tile) bool {
					return slices.Contains(x, hlo.Combined)
				}), "%s", a)
			}
			if j, err := a.Joined(); err == nil {
				everyIndex(a, func(_ int64, index []int64) {
					got, err := j.Index(index...)
					require.NoError(t, err)
					require.Equal(t, a.staged(index), got, "%s joined: %s", a, j.Layout)
				})
			}
			return
		}
		layouts++
		everyIndex(a, func(_ int64, index []int64) {
			coord := index
			if len(index) == 0 {
				coord = []int64{0}
			}
			got, err := l.Index(coord...)
			require.NoError(t, err)
			require.Equal(t, a.staged(index), got, "%s as %s", a, l)
		})
	})
	t.Logf("%d layouts, %d refused, %d of those though enumeration finds a layout", layouts, refused, wronglyRefused)
	require.Positive(t, layouts)
}

// isLayout tells by enumeration whether a layout exists: offsets are a sum of one function per dimension, and each of
// those is linear up to some extent, then repeats.
func isLayout(a *Array) bool {
	zero := make([]int64, len(a.dims))
	of := make([][]int64, len(a.dims))
	for d, n := range a.dims {
		for x := range n {
			zero[d] = x
			of[d] = append(of[d], a.staged(zero))
		}
		zero[d] = 0
	}
	yes := true
	everyIndex(a, func(_ int64, index []int64) {
		sum := int64(0)
		for d, x := range index {
			sum += of[d][x]
		}
		yes = yes && sum == a.staged(index)
	})
	for _, f := range of {
		yes = yes && repeats(f)
	}
	return yes
}

func repeats(f []int64) bool {
	e := 1
	for e < len(f) && f[e] == int64(e)*f[1] {
		e++
	}
	var outer []int64
	for i, x := range f {
		if i%e == 0 {
			outer = append(outer, x)
		}
		if x != f[i%e]+f[i-i%e] {
			return false
		}
	}
	return e >= len(f) || repeats(outer)
}

func TestFillIsTheRecipe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genArray(t)
		ids := make([]int64, a.elements)
		for i := range ids {
			ids[i] = int64(i)
		}
		memory, err := Fill(a, ids, -1)
		require.NoError(t, err)
		require.Equal(t, cook(t, a), memory, "%s", a)
	})
}

// matches is the answer of Bitcast by enumeration.
func matches(a, b *Array, x, y []int64) Match {
	switch {
	case !slices.Equal(x, y):
		return Different
	case a.total != b.total:
		return SameAddresses
	}
	return SameBytes
}

func TestBitcastAgainstEnumeration(t *testing.T) {
	count := map[Match]int{}
	rapid.Check(t, func(t *rapid.T) {
		a := genArray(t)
		b := newArray(t, same(a.dims), "b")
		want := matches(a, b, offsets(a), offsets(b))
		count[want]++
		m, err := Bitcast(a, b)
		require.NoError(t, err)
		require.Equal(t, want, m, "%s and %s", a, b)
		m, err = ReshapeBitcast(a, b)
		require.NoError(t, err)
		require.Equal(t, want, m, "%s and %s", a, b)
	})
	require.Len(t, count, 3, "%v", count)
}

func TestReshapeAgainstEnumeration(t *testing.T) {
	count := map[Match]int{}
	rapid.Check(t, func(t *rapid.T) {
		a := genArray(t)
		b := newArray(t, func(t *rapid.T) []int64 { return regroup(t, a.dims) }, "b")
		if b.elements != a.elements {
			t.Skip("cut to size")
		}
		want := matches(a, b, offsets(a), offsets(b))
		count[want]++
		m, err := ReshapeBitcast(a, b)
		require.NoError(t, err)
		require.Equal(t, want, m, "%s and %s", a, b)
		back, err := ReshapeBitcast(b, a)
		require.NoError(t, err)
		require.Equal(t, want, back, "%s and %s", b, a)
	})
	require.Positive(t, count[SameBytes])
	require.Positive(t, count[Different])
}

// regroup draws other dimensions with the same product: some split, some joined, some of 1.
func regroup(t *rapid.T, dims []int64) []int64 {
	var out []int64
	for _, d := range dims {
		for _, f := range []int64{2, 3} {
			if d%f == 0 && rapid.Bool().Draw(t, "split") {
				out = append(out, f)
				d /= f
			}
		}
		if len(out) > 0 && rapid.Bool().Draw(t, "join") {
			out[len(out)-1] *= d
		} else {
			out = append(out, d)
		}
	}
	return out
}

func TestTransposeAgainstEnumeration(t *testing.T) {
	count := map[Match]int{}
	rapid.Check(t, func(t *rapid.T) {
		a := genArray(t)
		axes := make([]int, len(a.dims))
		for i := range axes {
			axes[i] = i
		}
		perm := rapid.Permutation(axes).Draw(t, "perm")
		dims := make([]int64, len(perm))
		for i, p := range perm {
			dims[i] = a.dims[p]
		}
		b := newArray(t, same(dims), "b")
		if rapid.Bool().Draw(t, "renumbered") {
			var err error
			b, err = a.transposed(perm)
			require.NoError(t, err)
		}
		x := make([]int64, 0, a.elements)
		everyIndex(b, func(_ int64, index []int64) {
			from := make([]int64, len(perm))
			for i, p := range perm {
				from[p] = index[i]
			}
			x = append(x, a.staged(from))
		})
		want := matches(a, b, x, offsets(b))
		count[want]++
		m, err := TransposeBitcast(a, perm, b)
		require.NoError(t, err)
		require.Equal(t, want, m, "%s by %v and %s", a, perm, b)
	})
	require.Positive(t, count[SameBytes])
	require.Positive(t, count[Different])
}

// TestRunsFromLoops compares the count from the layouts with the count element by element, and the copy itself.
func TestRunsFromLoops(t *testing.T) {
	ran := 0
	rapid.Check(t, func(t *rapid.T) {
		dims := []int64{rapid.SampledFrom([]int64{4, 8, 12, 16}).Draw(t, "d0"),
			rapid.SampledFrom([]int64{4, 6, 8, 24}).Draw(t, "d1")}
		a, b := newArray(t, same(dims), "a"), newArray(t, same(dims), "b")
		move, err := Relayout(a, b)
		if err != nil {
			return
		}
		x, y := offsets(a), offsets(b)
		for i := range x {
			got, err := move.Map.At(x[i])
			require.NoError(t, err)
			require.Equal(t, y[i], got, "%s to %s: %s", a, b, move.Map)
		}
		if a.total != a.elements || b.total != b.elements {
			return
		}
		ran++
		fast, err := Runs(a, b, 0)
		require.NoError(t, err)
		padded, err := New(hlo.NewArray(hlo.F32, dims, &hlo.Layout{MinorToMajor: b.order, Tiles: b.tiles,
			TailPadding: 2 * b.total}))
		require.NoError(t, err)
		slow, err := Runs(a, padded, 1<<20)
		require.NoError(t, err)
		require.Equal(t, slow, fast, "%s to %s: %s", a, b, move.Map)
		require.LessOrEqual(t, fast.Shortest, move.Vector)
	})
	require.Greater(t, ran, 5)
}

// TestFromCute goes to the algebra and back. Layouts without holes must come back; what comes back must be right.
func TestFromCute(t *testing.T) {
	compact, back := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := genArray(t)
		l, err := a.Layout()
		if err != nil {
			return
		}
		tiles, err := FromCute(l, a.dims)
		if cute.Bijective(l) == cute.Yes {
			compact++
			require.NoError(t, err, "%s as %s", a, l)
		}
		if err != nil {
			require.ErrorIs(t, err, ErrNoLayout)
			return
		}
		back++
		b, err := New(hlo.NewArray(hlo.F32, a.dims, tiles))
		require.NoError(t, err)
		require.Equal(t, offsets(a), offsets(b), "%s as %s: %s", a, l, b)
	})
	t.Logf("%d without holes, %d came back", compact, back)
	require.Greater(t, compact, 10)
}
