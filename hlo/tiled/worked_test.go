package tiled

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/cute"
)

// TestWorkedExamples is a table of formats worked out by hand.
func TestWorkedExamples(t *testing.T) {
	for _, c := range []struct {
		text           string
		final          []int64
		layout         string // empty: none
		total, padding int64
	}{
		{"f32[1024,1000]{0,1:T(8,128)}", []int64{125, 8, 8, 128}, "((128,8),(8,125)):((1,1024),(128,8192))", 1024000,
			0},
		{"f32[1024,1000]{1,0:T(8,128)}", []int64{128, 8, 8, 128}, "((8,128),(128,8)):((128,8192),(1,1024))", 1048576,
			24576},
		{"bf16[8,1024]{1,0:T(8,128)(2,1)}", []int64{1, 8, 4, 128, 2, 1}, "((2,4),(128,8)):((1,256),(2,1024))", 8192, 0},
		{"bf16[20,300]{1,0:T(8,128)(2,1)}", []int64{3, 3, 4, 128, 2, 1}, "((2,4,3),(128,3)):((1,256,3072),(2,1024))",
			9216, 3216},
		{"f32[3,5]{1,0:T(2,2)}", []int64{2, 3, 2, 2}, "((2,2),(2,3)):((2,12),(1,4))", 24, 9},
		{"f32[4,8]{1,0:T(2,4)(2,1)}", []int64{2, 2, 1, 4, 2, 1}, "((2,2),8):((1,16),2)", 32, 0},
		{"bf16[300]{0:T(256)(128)(2,1)}", []int64{2, 1, 128, 2, 1}, "((128,2,2)):((2,1,256))", 512, 212},
		{"s8[64,256]{1,0:T(8,128)(4,1)}", []int64{8, 2, 2, 128, 4, 1}, "((4,2,8),(128,2)):((1,512,2048),(4,1024))",
			16384, 0},
		{"f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", []int64{56, 37, 2, 3}, "", 12432, 112},
		{"f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,5)}", []int64{56, 22, 2, 5},
			"(2,7,(2,4),11,(5,2)):(6160,880,(5,220),20,(1,10))", 12320, 0},
		{"f32[6]{0:T(4)(3)}", []int64{2, 2, 3}, "((4,2)):((1,6))", 12, 6},
		{"f32[]{:T(128)}", []int64{1, 128}, "1:0", 128, 127},
	} {
		a := read(t, c.text)
		assert.Equal(t, c.final, a.FinalDims(), c.text)
		assert.Equal(t, []int64{c.total, c.padding}, []int64{a.Total(), a.Padding()}, c.text)
		l, err := a.Layout()
		if c.layout == "" {
			require.ErrorIs(t, err, ErrNoLayout)
			j, err := a.Joined()
			require.NoError(t, err)
			assert.Equal(t, []int64{112, 110}, j.Dims)
			assert.Equal(t, [][]int{{0, 1, 2}, {3, 4}}, j.Groups)
			assert.Equal(t, "((2,56),(3,37)):((3,222),(1,6))", j.Layout.String())
			continue
		}
		require.NoError(t, err, c.text)
		assert.Equal(t, c.layout, l.String(), c.text)
	}
}

func TestWorkedElements(t *testing.T) {
	for _, c := range []struct {
		text   string
		index  []int64
		offset int64
	}{
		{"f32[1024,1000]{0,1:T(8,128)}", []int64{200, 9}, 9416},
		{"f32[3,5]{1,0:T(2,2)}", []int64{2, 3}, 17},
		{"f32[4,8]{1,0:T(2,4)(2,1)}", []int64{0, 7}, 14},
		{"f32[4,8]{1,0:T(2,4)(2,1)}", []int64{1, 7}, 15},
		{"f32[4,8]{1,0:T(2,4)(2,1)}", []int64{2, 7}, 30},
		{"bf16[20,300]{1,0:T(8,128)(2,1)}", []int64{9, 130}, 4101},
	} {
		n, err := read(t, c.text).Index(c.index...)
		require.NoError(t, err)
		assert.Equal(t, c.offset, n, "%s at %v", c.text, c.index)
	}
	p, err := read(t, "bf16[20,300]{1,0:T(8,128)(2,1)}").Physical(nil, 9, 130)
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 1, 0, 2, 1, 0}, p)
}

func TestBitcastExamples(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Match
	}{
		{"f32[4,8,128]{2,1,0:T(8,128)}", "f32[32,128]{1,0:T(8,128)}", SameBytes},
		{"f32[4,4,128]{2,1,0:T(8,128)}", "f32[16,128]{1,0:T(8,128)}", Different}, // rows are padded
		{"f32[16,1]{1,0:T(8,128)}", "f32[16]{0:T(128)}", Different},
		{"f32[8,128]{1,0}", "f32[8,128]{1,0:T(8,128)}", SameBytes},
		{"f32[1,128]{1,0}", "f32[1,128]{1,0:T(8,128)}", SameAddresses},
		{"f32[8,128]{1,0}", "bf16[8,128]{1,0}", Different}, // other widths
		{"s32[8,128]{1,0}", "f32[8,128]{1,0}", SameBytes},
		{"f32[0,3]{1,0:T(8,128)}", "f32[3,0]{0,1}", SameBytes},
	} {
		m, err := ReshapeBitcast(read(t, c.a), read(t, c.b))
		require.NoError(t, err)
		assert.Equal(t, c.want, m, "%s and %s", c.a, c.b)
	}
	m, err := TransposeBitcast(read(t, "f32[16,256]{1,0:T(8,128)}"), []int{1, 0}, read(t, "f32[256,16]{0,1:T(8,128)}"))
	require.NoError(t, err)
	assert.Equal(t, SameBytes, m)
}

// Padding inside the dimensions that a reshape joins, or splits, makes it a copy, which no layout tells: elements are
// compared one by one, as far as there are few.
func TestReshapeOfPaddedDimensions(t *testing.T) {
	padded := func(tail int64, dims ...int64) *Array { // with two tiles side by side
		dims = append(dims, 256)
		a, err := New(hlo.NewArray(hlo.F32, dims, &hlo.Layout{MinorToMajor: hlo.Descending(len(dims)),
			Tiles: []hlo.Tile{{4, 128}}, TailPadding: tail}))
		require.NoError(t, err)
		return a
	}
	array := func(dims ...int64) *Array { return padded(1, dims...) }
	const many = MaxEnumerate
	for _, c := range []struct {
		a, b *Array
		want Match
		err  error
	}{
		{array(2, 8), array(16), SameBytes, nil},
		{array(2, 6), array(12), Different, nil},
		{array(2, 6), padded(16*256, 12), Different, nil}, // of the same size
		{array(3, 2, 6), array(3, 12), Different, nil},
		{array(3, 2, 8), array(3, 16), SameBytes, nil},
		{array(2, 4, 6), array(8, 6), SameBytes, nil},
		{array(2, many+4), array(2*many + 8), SameBytes, nil},
		{array(2, many+2), padded((2*many+8)*256, 2*many+4), Different, ErrUndecided},
		{array(2, many/2), array(many + 2), Different, ErrShape},
	} {
		for _, pair := range [][2]*Array{{c.a, c.b}, {c.b, c.a}} {
			m, err := ReshapeBitcast(pair[0], pair[1])
			require.ErrorIs(t, err, c.err, "%s and %s", pair[0], pair[1])
			assert.Equal(t, c.want, m, "%s and %s", pair[0], pair[1])
		}
	}
	a := array(2, 8)
	_, err := Bitcast(a, array(8, 2))
	require.ErrorIs(t, err, ErrShape)
	for _, perm := range [][]int{{0}, {0, 1, 1}, {0, 1, 3}, {0, 1, 2, 3}} {
		_, err = TransposeBitcast(a, perm, a)
		require.ErrorIs(t, err, ErrOrder, "%v", perm)
	}
	_, err = TransposeBitcast(a, []int{1, 0, 2}, a)
	require.ErrorIs(t, err, ErrShape)
	_, err = TransposeBitcast(a, []int{1, 0, 2}, array(8, 2, 1))
	require.ErrorIs(t, err, ErrShape)
	assert.Equal(t, []string{"different", "same addresses", "bitcast"},
		[]string{Different.String(), SameAddresses.String(), SameBytes.String()})
}

// Arrays without elements have no bytes, however large their other dimensions are.
func TestNoElements(t *testing.T) {
	a, err := New(hlo.NewArray(hlo.F32, []int64{0, 1 << 40, 1 << 40}, hlo.DescendingLayout(3)))
	require.NoError(t, err)
	assert.Zero(t, a.Bytes())
	_, err = a.Offset(0, 0, 0)
	require.ErrorIs(t, err, ErrIndex)
}

func TestRelayoutExamples(t *testing.T) {
	a, b := read(t, "f32[1024,1024]{1,0:T(8,128)}"), read(t, "f32[1024,1024]{1,0}")
	move, err := Relayout(a, b)
	require.NoError(t, err)
	assert.Equal(t, "(128,8,8,128):(1,1024,128,8192)", move.Map.String())
	assert.Equal(t, int64(128), move.Vector)
	runs, err := Runs(a, b, 0)
	require.NoError(t, err)
	// 8192 copies of 128 elements; from one row of tiles to the next the target goes on where it was, which joins two.
	assert.Equal(t, RunCount{8192 - 127, 256, 128}, runs)

	move, err = Relayout(a, read(t, "f32[1024,1024]{1,0:T(8,128)(2,1)}"))
	require.NoError(t, err)
	assert.Equal(t, "(128,2,4096):(2,1,256)", move.Map.String())
	assert.Equal(t, int64(1), move.Vector)

	_, err = Relayout(read(t, "f32[3,5]{1,0:T(2,2)}"), read(t, "f32[3,5]{1,0}"))
	require.ErrorIs(t, err, ErrUndecided)
	_, err = Relayout(a, read(t, "f32[1024]{0}"))
	require.ErrorIs(t, err, ErrShape)
	_, err = Runs(read(t, "f32[3,5]{1,0:T(2,2)}"), read(t, "f32[3,5]{1,0}"), 14)
	require.ErrorIs(t, err, ErrLimit)
	runs, err = Runs(read(t, "f32[3,5]{1,0:T(2,2)}"), read(t, "f32[3,5]{1,0}"), 15)
	require.NoError(t, err)
	assert.Equal(t, RunCount{9, 2, 1}, runs)

	// In the target 0,2,1,3,4,6,5,7 the fourth and fifth element are neighbours although no loop steps by one between
	// them.
	m, err := cute.ParseLayout("(2,2,2):(2,1,4)")
	require.NoError(t, err)
	assert.Equal(t, RunCount{7, 2, 1}, loopRuns(m))
}

// TestPlace has worked examples and the usual formats: who sits where in a 32-bit word, sublane and lane.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		text  string
		index []int64
		want  Place
	}{
		{"f32[1024,1000]{1,0:T(8,128)}", []int64{9, 130}, Place{Tile: 8 + 1, Within: 130, Sublane: 1, Lane: 2}},
		{"bf16[20,300]{1,0:T(8,128)(2,1)}", []int64{9, 130}, Place{Tile: 3 + 1, Within: 5, Sublane: 0, Lane: 2,
			Packed: 1}},
		{"bf16[20,300]{1,0:T(8,128)(2,1)}", []int64{2, 0}, Place{Within: 256, Sublane: 1}},
		{"s8[64,256]{1,0:T(8,128)(4,1)}", []int64{7, 128}, Place{Tile: 1, Within: 512 + 3, Sublane: 1, Packed: 3}},
		{"s4[64,256]{1,0:T(8,128)(8,1)E(4)}", []int64{7, 3}, Place{Within: 31, Lane: 3, Packed: 7}},
		{"f32[300]{0:T(256)}", []int64{299}, Place{Tile: 1, Within: 43, Lane: 43}},
		{"bf16[300]{0:T(256)(128)(2,1)}", []int64{130}, Place{Within: 5, Lane: 2, Packed: 1}},
		{"f64[16,128]{1,0:T(8,128)}", []int64{9, 5}, Place{Tile: 1, Within: 133, Sublane: 1, Lane: 5}},
	} {
		a := read(t, c.text)
		n, err := a.Index(c.index...)
		require.NoError(t, err)
		p, err := a.Place(n)
		require.NoError(t, err, c.text)
		assert.Equal(t, c.want, p, "%s at %v", c.text, c.index)
	}
	a := read(t, "bf16[20,300]{1,0:T(8,128)(2,1)}")
	grid, err := a.TileGrid()
	require.NoError(t, err)
	assert.Equal(t, []int64{3, 3}, grid)
	n, err := a.TileElements()
	require.NoError(t, err)
	assert.Equal(t, int64(1024), n)
	_, err = read(t, "f32[4,4]").Place(3)
	require.ErrorIs(t, err, ErrNoLayout)
	_, err = read(t, "f32[4,4]{1,0:T(2)(2,2)}").Place(3) // the second tile reaches the tile count
	require.ErrorIs(t, err, ErrNoLayout)
	_, err = a.Place(a.Total())
	require.ErrorIs(t, err, ErrIndex)
	// bf16[3,1024]{1,0:T(1,128)(2,1)}: the inner tile doubles the tile.
	n, err = read(t, "bf16[3,1024]{1,0:T(1,128)(2,1)}").TileElements()
	require.NoError(t, err)
	assert.Equal(t, int64(256), n)
}

// TestFormatsComeBack: the layouts a TPU uses are found again from their maps, as they are written.
func TestFormatsComeBack(t *testing.T) {
	for text, want := range map[string]string{
		"f32[1024,1000]{0,1:T(8,128)}":    "{0,1:T(8,128)}",
		"f32[1024,1000]{1,0:T(8,128)}":    "{1,0:T(8,128)}",
		"bf16[20,300]{1,0:T(8,128)(2,1)}": "{1,0:T(8,128)(2,1)}",
		"s8[64,256]{1,0:T(32,128)(4,1)}":  "{1,0:T(32,128)(4,1)}",
		"f32[3,20,300]{1,2,0:T(8,128)}":   "{1,2,0:T(8,128)}",
		"f32[3,5,7]{0,2,1}":               "{0,2,1}",
		"bf16[1024]{0:T(256)(128)(2,1)}":  "{0:T(128)(2,1)}", // 4 tiles of 2 pairs, or 8 pairs: the same addresses
		"bf16[300]{0:T(256)(128)(2,1)}":   "{0:T(128)(2,1)}",
		"f32[]":                           "",
	} {
		a := read(t, text)
		l, err := a.Layout()
		require.NoError(t, err)
		back, err := FromCute(l, a.Dims())
		require.NoError(t, err, text)
		assert.Equal(t, want, back.String(), text)
	}
	for _, c := range []struct {
		layout string
		dims   []int64
		kind   Kind
	}{
		{"4:2", []int64{4}, ErrNoLayout},            // holes
		{"(4,4):(1,2)", []int64{4, 4}, ErrNoLayout}, // overlap
		{"4:-1", []int64{4}, ErrNoLayout},           // backwards
		{"4:0", []int64{4}, ErrNoLayout},            // repeated
		{"(4,4):(1,4)", []int64{4}, ErrShape},       // rank
		{"(4,4):(1,4)", []int64{4, 5}, ErrShape},    // too short
		{"(4,4):(1,4)", []int64{4, 0}, ErrShape},
		{"(4294967296,4294967296):(1,4294967296)", []int64{4, 5}, ErrOverflow},
	} {
		l, err := cute.ParseLayout(c.layout)
		require.NoError(t, err)
		_, err = FromCute(l, c.dims)
		require.ErrorIs(t, err, c.kind, c.layout)
	}
	_, err := FromCute(cute.Layout{}, nil)
	require.ErrorIs(t, err, ErrShape)
}

func TestRecipe(t *testing.T) {
	var steps []string
	for _, s := range read(t, "f32[3,5]{0,1:T(2,2)L(32)}").Recipe() {
		steps = append(steps, s.String())
	}
	assert.Equal(t, []string{
		"transpose {1,0} -> [5,3]",
		"pad -> [6,4]",
		"reshape -> [3,2,2,2]",
		"transpose {0,2,1,3} -> [3,2,2,2]",
		"reshape -> [24]",
		"pad -> [32]",
	}, steps)
}

// TestErrors: what New and the index maps refuse.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		shape *hlo.Shape
		kind  Kind
	}{
		{nil, ErrShape},
		{hlo.NewTuple(), ErrShape},
		{&hlo.Shape{Kind: hlo.ArrayShape}, ErrShape},
		{hlo.NewArray(hlo.F32, []int64{2, -5}, nil), ErrShape},
		{hlo.NewArray(hlo.F32, []int64{2, 3}, &hlo.Layout{MinorToMajor: []int{0, 0}}), ErrOrder},
		{hlo.NewArray(hlo.F32, []int64{2, 3}, &hlo.Layout{}), ErrOrder},
		{hlo.NewArray(hlo.F32, []int64{2}, &hlo.Layout{MinorToMajor: []int{0}, Tiles: []hlo.Tile{{}}}), ErrEmptyTile},
		{hlo.NewArray(hlo.F32, []int64{2}, &hlo.Layout{MinorToMajor: []int{0}, Tiles: []hlo.Tile{{0}}}), ErrTile},
		{hlo.NewArray(hlo.F32, []int64{2}, &hlo.Layout{MinorToMajor: []int{0}, Tiles: []hlo.Tile{{2}, {-9, 2}}}),
			ErrTile},
		{hlo.NewArray(hlo.F32, []int64{2}, &hlo.Layout{MinorToMajor: []int{0}, Tiles: []hlo.Tile{{2, hlo.Combined}}}),
			ErrStar},
		{hlo.NewArray(hlo.F32, []int64{1 << 31, 1 << 31}, nil), ErrOverflow},
		{hlo.NewArray(hlo.F32, []int64{1 << 40, 1 << 40}, nil), ErrOverflow},
		{hlo.NewArray(hlo.S8, []int64{1 << 40}, &hlo.Layout{MinorToMajor: []int{0}, Tiles: []hlo.Tile{{1 << 62}}}),
			ErrOverflow},
		{hlo.NewArray(hlo.S8, []int64{1<<63 - 1}, &hlo.Layout{MinorToMajor: []int{0}, Tiles: []hlo.Tile{{1 << 62}}}),
			ErrOverflow},
		{hlo.NewArray(hlo.S8, []int64{1 << 40, 1 << 40},
			&hlo.Layout{MinorToMajor: []int{1, 0}, Tiles: []hlo.Tile{{hlo.Combined, 8}}}), ErrOverflow},
		{hlo.NewArray(hlo.S8, []int64{3}, &hlo.Layout{MinorToMajor: []int{0}, TailPadding: 1 << 62}), ErrOverflow},
		{hlo.NewArray(hlo.S8, []int64{3}, &hlo.Layout{MinorToMajor: []int{0}, TailPadding: -4}), ErrShape},
		{hlo.NewArray(hlo.S8, []int64{3}, &hlo.Layout{MinorToMajor: []int{0}, ElementBits: 1 << 62}), ErrOverflow},
	} {
		_, err := New(c.shape)
		require.Error(t, err, "%+v", c.shape)
		assert.ErrorIs(t, err, c.kind, "%+v", c.shape)
	}
}
