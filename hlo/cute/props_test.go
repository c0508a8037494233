package cute

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The laws of the algebra. Every claim is checked point by point on small
// layouts.

var extents = []int64{1, 2, 2, 3, 4, 4, 5, 6, 8}

// genShape draws a nested shape of few leaves.
func genShape(t *rapid.T, depth int) IntTuple {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
		return Int(rapid.SampledFrom(extents).Draw(t, "extent"))
	}
	list := make([]IntTuple, rapid.IntRange(1, 3).Draw(t, "modes"))
	for i := range list {
		list[i] = genShape(t, depth-1)
	}
	return IntTuple{list: list}
}

// genLayout draws a layout: compact in a random order, then perhaps with some strides replaced.
func genLayout(t *rapid.T, label string, strides []int64) Layout {
	shape := genShape(t, 2)
	for size, _ := shape.Size(); size > 2000; size, _ = shape.Size() {
		shape = genShape(t, 1)
	}
	l, err := New(shape, shape)
	require.NoError(t, err)
	leaves := l.leafPointers(nil)
	seed := rapid.Uint64().Draw(t, label+" order")
	step := int64(1)
	for _, k := range rand.New(rand.NewPCG(seed, 0)).Perm(len(leaves)) {
		leaves[k].d = step
		step *= leaves[k].s
	}
	if len(strides) > 0 && rapid.Bool().Draw(t, "odd strides") {
		for _, x := range leaves {
			if rapid.IntRange(0, 2).Draw(t, "replace") == 0 {
				x.d = rapid.SampledFrom(strides).Draw(t, "stride")
			}
		}
	}
	return l
}

var (
	anyStride  = []int64{0, 0, 1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 24, 30, 48, -1, -2, -4}
	nonNegStep = []int64{0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 48}
)

func sizeOf(t *rapid.T, l Layout) int64 {
	n, err := l.Size()
	require.NoError(t, err)
	return n
}

func at(t *rapid.T, l Layout, i int64) int64 {
	n, err := l.At(i)
	require.NoError(t, err)
	return n
}

// image returns l's indices in order of the coordinate.
func image(t *rapid.T, l Layout) []int64 {
	out := make([]int64, sizeOf(t, l))
	for i := range out {
		out[i] = at(t, l, int64(i))
	}
	return out
}

// check runs a property; ran counts the cases that got as far as its claim, so that none is empty.
func check(t *testing.T, f func(t *rapid.T, ran *int)) {
	ran := 0
	rapid.Check(t, func(t *rapid.T) { f(t, &ran) })
	require.Greater(t, ran, 10, "the property was hardly ever reached")
}

func TestProperty01Text(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		l := genLayout(t, "l", anyStride)
		back, err := ParseLayout(l.String())
		require.NoError(t, err)
		require.True(t, back.Equal(l), "%s", l)
		*ran++
	})
}

func TestProperty02Coordinates(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		l := genLayout(t, "l", anyStride)
		left, err := Left(l.Shape())
		require.NoError(t, err)
		for i := range sizeOf(t, l) {
			natural, err := Idx2Crd(Int(i), l.Shape())
			require.NoError(t, err)
			want := at(t, l, i)
			got, err := l.Apply(natural)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s at %s", l, natural)
			perMode := make([]int64, l.Rank())
			for k := range perMode {
				m, err := Left(l.Mode(k).Shape())
				require.NoError(t, err)
				perMode[k], err = m.Apply(natural.Entry(k))
				require.NoError(t, err)
			}
			got, err = l.Index(perMode...)
			require.NoError(t, err)
			require.Equal(t, want, got)
			back, err := left.Apply(natural)
			require.NoError(t, err)
			require.Equal(t, i, back)
			require.Equal(t, -want, at(t, l, -i))
		}
		*ran++
	})
}

func TestProperty03Coalesce(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		l := genLayout(t, "l", anyStride)
		c, err := Coalesce(l)
		require.NoError(t, err)
		require.Equal(t, image(t, l), image(t, c), "%s -> %s", l, c)
		require.LessOrEqual(t, c.Depth(), 1)
		again, err := Coalesce(c)
		require.NoError(t, err)
		require.True(t, again.Equal(c))
		other := genLayout(t, "other", anyStride)
		same, err := Equivalent(l, other)
		require.NoError(t, err)
		require.Equal(t, slices.Equal(image(t, l), image(t, other)), same, "%s and %s", l, other)
		by, err := CoalesceBy(l, IntTuple{list: make([]IntTuple, l.Rank())})
		require.NoError(t, err)
		require.Equal(t, image(t, l), image(t, by))
		*ran++
	})
}

// composes checks what must hold of R = a o b.
func composes(t *rapid.T, a, b, r Layout) {
	require.True(t, Compatible(b.Shape(), r.Shape()), "%s o %s = %s", a, b, r)
	for i := range sizeOf(t, b) {
		require.Equal(t, at(t, a, at(t, b, i)), at(t, r, i), "(%s o %s)(%d), result %s", a, b, i, r)
	}
}

// TestProperty04And13Composition also is number 13: random pairs either fail or compose rightly.
func TestProperty04And13Composition(t *testing.T) {
	failed := map[Kind]int{}
	check(t, func(t *rapid.T, ran *int) {
		a, b, c := genLayout(t, "a", anyStride), genLayout(t, "b", anyStride), genLayout(t, "c", nonNegStep)
		ab, err := Composition(a, b)
		if err != nil {
			var e *Error
			require.ErrorAs(t, err, &e)
			failed[e.Kind]++
			return
		}
		*ran++
		composes(t, a, b, ab)
		whole, err := Composition(a, leafLayout(sizeOf(t, a), 1))
		require.NoError(t, err)
		ca, err := Coalesce(a)
		require.NoError(t, err)
		cw, err := Coalesce(whole)
		require.NoError(t, err)
		require.True(t, ca.Equal(cw))
		abc, err1 := Composition(ab, c)
		bc, err2 := Composition(b, c)
		if err1 != nil || err2 != nil {
			return
		}
		if r, err := Composition(a, bc); err == nil && inside(t, c, b) {
			require.Equal(t, image(t, r), image(t, abc), "%s o %s o %s", a, b, c)
		}
	})
	require.NotEmpty(t, failed, "no random pair was refused")
	t.Log(failed)
}

// inside tells whether the indices of c are coordinates of b. Beyond b's size the two sides extend different last
// leaves: the result of a o b has extents 1 and quotients where b has its own.
func inside(t *rapid.T, c, b Layout) bool {
	lo, hi, err := c.Range()
	require.NoError(t, err)
	return lo >= 0 && hi < sizeOf(t, b)
}

func TestProperty05Complement(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		l := genLayout(t, "l", nonNegStep)
		m := rapid.Int64Range(1, 200).Draw(t, "cotarget")
		c, exact, err := Complement(l, m)
		if err != nil {
			require.ErrorIs(t, err, ErrNotInjective)
			return
		}
		*ran++
		filtered, err := Filter(l)
		require.NoError(t, err)
		ci := image(t, c)
		require.True(t, slices.IsSorted(ci) && len(slices.Compact(slices.Clone(ci))) == len(ci), "%s", c)
		var sums []int64
		for _, x := range image(t, filtered) {
			for _, y := range ci {
				sums = append(sums, x+y)
			}
		}
		slices.Sort(sums)
		n := int64(len(sums))
		require.Len(t, slices.Compact(sums), int(n), "complement of %s in %d is %s", l, m, c)
		if exact {
			require.Equal(t, n-1, sums[n-1])
			require.GreaterOrEqual(t, n, m)
		}
	})
}

func TestProperty06Inverses(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		l := genLayout(t, "l", anyStride)
		r, err := RightInverse(l)
		require.NoError(t, err)
		for i := range sizeOf(t, r) {
			require.Equal(t, i, at(t, l, at(t, r, i)), "right inverse %s of %s", r, l)
		}
		bijective := Bijective(l) == Yes
		require.Equal(t, bijective, sizeOf(t, r) == sizeOf(t, l), "%s", l)
		if bijective {
			rr, err := RightInverse(r)
			require.NoError(t, err)
			c, err := Coalesce(l)
			require.NoError(t, err)
			require.True(t, rr.Equal(c), "%s: twice inverted %s", l, rr)
		}
		left, err := LeftInverse(l)
		if err != nil {
			return
		}
		*ran++
		for i := range sizeOf(t, l) {
			x := at(t, l, i)
			y := at(t, left, x)
			require.Equal(t, x, at(t, l, y), "left inverse %s of %s", left, l)
			if Injective(l) == Yes {
				require.Equal(t, i, y)
			}
		}
	})
}

func TestProperty07Divide(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		a, b := genLayout(t, "a", nonNegStep), genLayout(t, "b", nonNegStep)
		d, err := LogicalDivide(a, TileBy(b))
		if err == nil {
			*ran++
			for i := range sizeOf(t, b) {
				got, err := d.Index(i, 0)
				require.NoError(t, err)
				require.Equal(t, at(t, a, at(t, b, i)), got, "%s / %s = %s", a, b, d)
			}
			if _, exact, _ := Complement(b, sizeOf(t, a)); exact {
				period, err := Complementary(b)
				require.NoError(t, err)
				if sizeOf(t, a)%period == 0 && Injective(b) == Yes {
					require.Equal(t, sizeOf(t, a), sizeOf(t, d))
				}
			}
		}
		list := make([]Tiler, rapid.IntRange(1, a.Rank()).Draw(t, "entries"))
		for i := range list {
			list[i] = TileBy(leafLayout(rapid.SampledFrom(extents).Draw(t, "tile"), 1))
		}
		tiler := Tiler{list: list}
		z, err := ZippedDivide(a, tiler)
		if err != nil {
			return
		}
		c, err := Compose(a, tiler)
		require.NoError(t, err)
		require.True(t, z.Mode(0).Equal(c), "%s by %s: %s and %s", a, tiler, z, c)
		for _, form := range []func(Layout, Tiler) (Layout, error){TiledDivide, FlatDivide} {
			r, err := form(a, tiler)
			require.NoError(t, err)
			cz, err := Coalesce(z)
			require.NoError(t, err)
			cr, err := Coalesce(r)
			require.NoError(t, err)
			require.True(t, cz.Equal(cr))
		}
	})
}

// Complementary returns the last period of l: what its complement counts in.
func Complementary(l Layout) (int64, error) {
	c, _, err := Complement(l, 1)
	if err != nil {
		return 0, err
	}
	f, err := Filter(l)
	if err != nil {
		return 0, err
	}
	n, err := c.Size()
	if err != nil {
		return 0, err
	}
	m, err := f.Size()
	return n * m, err
}

func TestProperty08Product(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		a, b := genLayout(t, "a", nonNegStep), genLayout(t, "b", nonNegStep)
		p, err := LogicalProduct(a, TileBy(b))
		if err != nil {
			return
		}
		*ran++
		require.True(t, p.Mode(0).Equal(a.Normal()))
		require.True(t, Compatible(b.Shape(), p.Mode(1).Shape()))
		// Where the complement has holes, b may reach beyond its size, and copies overlap: ((1,2),2):((4,3),8) by
		// ((2,2)):((2,1)).
		cosize, err := b.Cosize()
		require.NoError(t, err)
		free, _, err := Complement(a, sizeOf(t, a)*cosize)
		require.NoError(t, err)
		if Injective(a) == Yes && Injective(b) == Yes && cosize <= sizeOf(t, free) {
			require.NotEqual(t, No, Injective(p), "%s x %s = %s", a, b, p)
		}
		blocked, err := BlockedProduct(a, b)
		require.NoError(t, err)
		raked, err := RakedProduct(a, b)
		require.NoError(t, err)
		require.Equal(t, max(a.Rank(), b.Rank()), blocked.Rank())
		x, y := image(t, blocked), image(t, raked)
		slices.Sort(x)
		slices.Sort(y)
		require.Equal(t, x, y)
	})
}

func TestProperty09Casts(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		l := genLayout(t, "l", nonNegStep)
		n := rapid.Int64Range(1, 6).Draw(t, "n")
		if d, err := Downcast(l, n); err == nil {
			*ran++
			up, err := Upcast(d, n)
			require.NoError(t, err)
			require.True(t, up.Equal(l.Normal()), "%s cut by %d: %s, back %s", l, n, d, up)
		} else {
			require.ErrorIs(t, err, ErrNoUnitStride)
		}
		// Plain injectivity is not enough: ((3,2)):((2,3)) by 6 gives ((1,1)):((0,0)), yet its index 7 is in the
		// second six.
		if up, err := Upcast(l, n); err == nil && injectiveByStrides(l) == Yes {
			want := image(t, l)
			for i := range want {
				want[i] /= n
			}
			got := image(t, up)
			slices.Sort(want)
			slices.Sort(got)
			require.Equal(t, slices.Compact(want), slices.Compact(got), "%s by %d: %s", l, n, up)
		}
	})
}

// genCoord draws a natural or coarser coordinate of shape with some underscores, and the underscores' fillings in
// order.
func genCoord(t *rapid.T, shape IntTuple, fill *[]IntTuple) (with, filled IntTuple) {
	pick := rapid.IntRange(0, 3).Draw(t, "pick")
	if shape.list != nil && pick > 1 {
		with.list, filled.list = make([]IntTuple, len(shape.list)), make([]IntTuple, len(shape.list))
		for i, s := range shape.list {
			with.list[i], filled.list[i] = genCoord(t, s, fill)
		}
		return with, filled
	}
	n, err := shape.Size()
	require.NoError(t, err)
	c := Int(rapid.Int64Range(0, n-1).Draw(t, "c"))
	if pick%2 == 0 {
		*fill = append(*fill, c)
		return Underscore(), c
	}
	return c, c
}

func TestProperty10Slice(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		l := genLayout(t, "l", anyStride)
		var fill []IntTuple
		coord, filled := genCoord(t, l.Shape(), &fill)
		kept, offset, err := Slice(coord, l)
		require.NoError(t, err)
		want, err := l.Apply(filled)
		require.NoError(t, err)
		if len(fill) == 0 {
			require.True(t, kept.IsZero())
			require.Equal(t, want, offset)
			return
		}
		*ran++
		x := IntTuple{list: fill}
		if coord.under {
			x = fill[0]
		}
		got, err := kept.Apply(x)
		require.NoError(t, err)
		require.Equal(t, want, got+offset, "%s sliced by %s", l, coord)
	})
}

func TestProperty11Nullspace(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		l := genLayout(t, "l", anyStride)
		n, err := Nullspace(l)
		require.NoError(t, err)
		for _, i := range image(t, n) {
			require.Zero(t, at(t, l, i), "nullspace %s of %s", n, l)
		}
		f, err := Filter(l)
		require.NoError(t, err)
		require.Equal(t, sizeOf(t, l), sizeOf(t, n)*sizeOf(t, f), "%s", l)
		*ran++
	})
}

func TestProperty12MaxCommon(t *testing.T) {
	check(t, func(t *rapid.T, ran *int) {
		a, b := genLayout(t, "a", anyStride), genLayout(t, "b", anyStride)
		n, err := MaxCommonVector(a, b)
		r, err2 := MaxCommonLayout(a, b)
		require.Equal(t, err == nil, err2 == nil)
		if err != nil {
			return
		}
		*ran++
		require.Equal(t, n, sizeOf(t, r))
		for i := range n {
			require.Equal(t, i, at(t, a, at(t, r, i)), "%s and %s: %s", a, b, r)
			require.Equal(t, i, at(t, b, at(t, r, i)), "%s and %s: %s", a, b, r)
		}
	})
}

// FuzzEval: whatever the evaluator is fed, it answers, or fails with an *Error of a listed kind and a place.
func FuzzEval(f *testing.F) {
	known := map[Kind]bool{}
	for _, k := range Kinds() {
		known[k.Kind] = true
		f.Add(k.Example)
	}
	f.Add("zipped_divide(((2,4),(3,5)):((3,6),(1,24)),<2,_>)")
	f.Add("crd2idx(Sw<3,0,3> o 8 o (8,8):(8,1),(1,(2,3)))")
	f.Add("slice(Sw<3,0,3> o 8 o (8,8):(8,1),(1,_))")
	f.Fuzz(func(t *testing.T, expr string) {
		v, err := Eval(expr)
		if err == nil {
			require.NotEmpty(t, v.String())
			return
		}
		var e *Error
		require.True(t, errors.As(err, &e), "%v", err)
		require.True(t, known[e.Kind], "%v", err)
		require.True(t, e.Pos >= 0 && e.Pos <= len(expr), "%v", err)
	})
}
