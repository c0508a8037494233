package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/tpu"
)

// The compiler's log says "selected layout: A B" for each reshape that it gives layouts to (v5e).
func TestSelectReshape(t *testing.T) {
	for _, c := range []struct {
		dtype   hlo.DType
		in, out []int64
		a, b    []int
	}{
		{hlo.BF16, []int64{4, 128, 256}, []int64{4, 128, 8, 32}, []int{1, 2, 0}, []int{1, 3, 2, 0}},
		{hlo.F32, []int64{28, 2, 8, 4, 3}, []int64{28, 16, 4, 3, 1}, []int{0, 2, 1, 4, 3}, []int{0, 1, 3, 2, 4}},
		{hlo.F32, []int64{112, 8, 15, 8}, []int64{112, 1, 120, 8}, []int{0, 3, 2, 1}, []int{0, 3, 2, 1}},
		{hlo.F32, []int64{224, 1, 240, 3}, []int64{224, 1, 8, 30, 3}, []int{0, 1, 3, 2}, []int{0, 1, 4, 3, 2}},
		{hlo.S4, []int64{8, 128, 2}, []int64{8, 256}, []int{2, 1, 0}, []int{1, 0}},
		{hlo.F32, []int64{2, 7, 128}, []int64{14, 128}, []int{2, 1, 0}, []int{1, 0}},
		{hlo.BF16, []int64{5, 200, 64}, []int64{32, 2000}, []int{2, 1, 0}, []int{1, 0}},
		{hlo.BF16, []int64{2, 256, 4, 64}, []int64{2, 8, 32, 4, 64}, []int{3, 1, 2, 0}, []int{4, 2, 1, 3, 0}},
		{hlo.F16, []int64{70}, []int64{1, 70}, []int{0}, []int{1, 0}},
		{hlo.F32, []int64{3}, []int64{3, 1}, []int{0}, []int{0, 1}},
		{hlo.F32, []int64{4, 2, 5, 1, 1}, []int64{4, 2, 5}, []int{2, 1, 0, 4, 3}, []int{2, 1, 0}},
		{hlo.BF16, []int64{4, 2, 32}, []int64{4, 1, 2, 32}, []int{2, 1, 0}, []int{3, 2, 0, 1}},
		{hlo.BF16, []int64{4, 32, 2, 40}, []int64{4, 32, 2, 8, 5}, []int{1, 2, 3, 0}, []int{1, 2, 4, 3, 0}},
		{hlo.BF16, []int64{32, 4, 2, 15}, []int64{32, 4, 2, 5, 3}, []int{0, 2, 3, 1}, []int{0, 2, 4, 3, 1}},
		{hlo.F32, []int64{9, 2, 3}, []int64{9, 2, 3, 1}, []int{0, 1, 2}, []int{0, 1, 3, 2}},
		{hlo.F32, []int64{9, 3, 2}, []int64{9, 3, 2, 1}, []int{0, 2, 1}, []int{0, 2, 1, 3}},
		{hlo.F32, []int64{8, 1, 64, 2, 128}, []int64{8, 1, 64, 256}, []int{4, 3, 1, 2, 0}, []int{3, 1, 2, 0}},
		{hlo.F32, []int64{129, 2, 384}, []int64{129, 2, 3, 128}, []int{2, 0, 1}, []int{3, 2, 0, 1}},
		{hlo.F32, []int64{100, 12, 128}, []int64{100, 1536}, []int{2, 1, 0}, []int{1, 0}},
		{hlo.F32, []int64{4, 1, 5, 1, 1}, []int64{4, 5}, []int{2, 0, 4, 3, 1}, []int{1, 0}},
		{hlo.F32, []int64{1, 3, 1, 32}, []int64{1, 3, 32, 1}, []int{3, 2, 1, 0}, []int{2, 3, 1, 0}},
		{hlo.F32, []int64{1, 5, 24}, []int64{5, 24, 1}, []int{2, 0, 1}, []int{1, 2, 0}},
		{hlo.F32, []int64{1, 12, 7, 1}, []int64{12, 7, 1}, []int{1, 0, 2, 3}, []int{0, 2, 1}},
		{hlo.F32, []int64{9, 3, 1, 1}, []int64{9, 1, 3, 1}, []int{0, 3, 1, 2}, []int{0, 3, 2, 1}},
		{hlo.F32, []int64{96, 2, 8, 16, 3}, []int64{96, 16, 16, 3, 1}, []int{0, 3, 4, 2, 1}, []int{0, 2, 4, 3, 1}},
		{hlo.F32, []int64{24, 36, 40}, []int64{24, 9, 4, 40, 1}, []int{2, 0, 1}, []int{3, 0, 4, 2, 1}},
		{hlo.F32, []int64{96, 2, 8, 20, 3}, []int64{96, 16, 20, 3, 1}, []int{0, 2, 1, 4, 3}, []int{0, 1, 3, 2, 4}},
		{hlo.F32, []int64{100, 25, 4, 8}, []int64{100, 100, 1, 8}, []int{0, 3, 2, 1}, []int{0, 3, 1, 2}},
		{hlo.S8, []int64{3, 256}, []int64{3, 2, 128}, []int{1, 0}, []int{2, 0, 1}},
		{hlo.F32, []int64{2, 384}, []int64{2, 3, 128}, []int{1, 0}, []int{2, 1, 0}},
		{hlo.F32, []int64{2, 4, 384}, []int64{2, 4, 3, 128}, []int{2, 1, 0}, []int{3, 1, 2, 0}},
		{hlo.F32, []int64{4, 3, 384}, []int64{4, 3, 3, 128}, []int{2, 0, 1}, []int{3, 0, 2, 1}},
		{hlo.F32, []int64{4, 5, 3, 128}, []int64{4, 5, 384}, []int{3, 2, 0, 1}, []int{2, 0, 1}},
		{hlo.F32, []int64{8, 5, 2, 128}, []int64{8, 5, 256}, []int{3, 0, 2, 1}, []int{2, 0, 1}},
		{hlo.S8, []int64{4, 4, 2, 128}, []int64{4, 4, 256}, []int{3, 1, 2, 0}, []int{2, 1, 0}},
		{hlo.F32, []int64{4, 2, 3, 3, 128}, []int64{4, 2, 3, 384}, []int{4, 0, 3, 2, 1}, []int{3, 0, 2, 1}},
		{hlo.S8, []int64{2, 384, 3}, []int64{2, 3, 128, 3}, []int{1, 2, 0}, []int{2, 3, 1, 0}},
		{hlo.F32, []int64{4, 384, 3}, []int64{4, 3, 128, 3}, []int{1, 0, 2}, []int{2, 1, 0, 3}},
		{hlo.F32, []int64{6, 2, 8, 128}, []int64{6, 16, 1, 128, 1}, []int{3, 2, 1, 0}, []int{3, 1, 0, 4, 2}},
		{hlo.F32, []int64{3, 16, 1, 512}, []int64{3, 2, 8, 512}, []int{3, 1, 0, 2}, []int{3, 2, 1, 0}},
		{hlo.F32, []int64{241, 24, 40, 1}, []int64{241, 3, 320, 1}, []int{0, 2, 1, 3}, []int{0, 2, 1, 3}},
		{hlo.S32, []int64{4, 8, 2, 1}, []int64{4, 8, 2}, []int{1, 0, 3, 2}, []int{1, 0, 2}},
		{hlo.F32, []int64{4, 640}, []int64{4, 5, 128}, []int{1, 0}, []int{2, 1, 0}},
		{hlo.F32, []int64{7, 384}, []int64{7, 3, 128}, []int{1, 0}, []int{2, 0, 1}},
		{hlo.F32, []int64{7, 768}, []int64{7, 3, 256}, []int{1, 0}, []int{2, 1, 0}},
		{hlo.F32, []int64{4, 3, 512}, []int64{4, 3, 4, 128}, []int{2, 0, 1}, []int{3, 2, 0, 1}},
		{hlo.F32, []int64{6, 10, 384}, []int64{6, 10, 3, 128}, []int{2, 0, 1}, []int{3, 2, 0, 1}},
		{hlo.F32, []int64{8, 640, 7}, []int64{8, 5, 128, 7}, []int{1, 0, 2}, []int{2, 1, 0, 3}},
		{hlo.F32, []int64{3, 1152, 5}, []int64{3, 9, 128, 5}, []int{1, 2, 0}, []int{2, 3, 1, 0}},
		{hlo.S8, []int64{3, 2, 384}, []int64{3, 2, 3, 128}, []int{2, 0, 1}, []int{3, 2, 0, 1}},
		{hlo.F32, []int64{8, 1, 2560}, []int64{8, 10, 256}, []int{2, 0, 1}, []int{2, 0, 1}},
		{hlo.BF16, []int64{4, 2, 2, 256}, []int64{4, 2, 2, 64, 4}, []int{3, 2, 1, 0}, []int{4, 3, 2, 1, 0}},
		{hlo.F32, []int64{2, 36, 130, 2}, []int64{2, 1, 4680, 2}, []int{2, 1, 3, 0}, []int{2, 3, 0, 1}},
		{hlo.F32, []int64{64, 8, 4, 8, 1}, []int64{64, 8, 32, 1, 1}, []int{0, 3, 4, 2, 1}, []int{0, 2, 4, 3, 1}},
		{hlo.F32, []int64{64, 8, 32, 1}, []int64{64, 8, 1, 4, 8, 1}, []int{0, 2, 3, 1}, []int{0, 4, 5, 3, 2, 1}},
		{hlo.F32, []int64{64, 1, 4, 48}, []int64{64, 8, 24, 1}, []int{0, 3, 2, 1}, []int{0, 2, 3, 1}},
		{hlo.F32, []int64{241, 8, 32, 1}, []int64{241, 8, 4, 8, 1}, []int{0, 2, 1, 3}, []int{0, 3, 2, 1, 4}},
		{hlo.F32, []int64{241, 10, 8, 1}, []int64{241, 5, 2, 8, 1}, []int{0, 2, 1, 3}, []int{0, 3, 2, 1, 4}},
		{hlo.BF16, []int64{304, 40, 1, 64}, []int64{304, 40, 1, 8, 8}, []int{0, 3, 2, 1}, []int{0, 4, 3, 2, 1}},
		{hlo.F32, []int64{241, 24, 40, 1}, []int64{241, 24, 5, 8, 1}, []int{0, 2, 3, 1}, []int{0, 3, 4, 2, 1}},
		{hlo.F32, []int64{200, 1, 9, 64}, []int64{200, 9, 1, 8, 8}, []int{0, 3, 2, 1}, []int{0, 4, 3, 2, 1}},
		{hlo.F32, []int64{4, 8, 502, 1}, []int64{32, 502, 1, 1}, []int{2, 1, 0, 3}, []int{1, 0, 3, 2}},
		{hlo.S32, []int64{3, 2, 1, 20}, []int64{3, 2, 1, 20, 1}, []int{3, 1, 0, 2}, []int{3, 1, 0, 4, 2}},
		{hlo.BF16, []int64{4, 1, 8, 2, 128}, []int64{4, 1, 8, 256}, []int{4, 2, 3, 1, 0}, []int{3, 2, 0, 1}},
		{hlo.S8, []int64{5, 1, 4, 512}, []int64{5, 1, 4, 2, 256}, []int{3, 2, 0, 1}, []int{4, 2, 3, 1, 0}},
		{hlo.BF16, []int64{2, 256, 8, 2, 128}, []int64{2, 256, 8, 256}, []int{4, 2, 3, 1, 0}, []int{3, 2, 1, 0}},
		{hlo.BF16, []int64{10, 48, 2, 64}, []int64{2, 5, 1, 1, 48, 2, 64}, []int{3, 1, 2, 0}, []int{6, 4, 5, 3, 2, 1, 0}},
	} {
		e := unitSet(t)
		s := e.searchReshape(c.dtype, c.in, c.out)
		require.NotEqual(t, ordering.None, s.in, "%v to %v", c.in, c.out)
		assert.Equal(t, c.a, e.Orders.Get(s.in), "%v to %v", c.in, c.out)
		assert.Equal(t, c.b, e.Orders.Get(s.out), "%v to %v", c.in, c.out)
	}
}

// unitSet is the rules of a module without instructions.
func unitSet(t *testing.T) *Set {
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	return &Set{State: constraint.NewState(&flat.Graph{}, v5e)}
}

func TestSelectReshapeIsBounded(t *testing.T) {
	e := unitSet(t)
	many := []int64{2, 3, 2, 3, 2, 3, 2, 3, 2, 3}
	assert.Equal(t, ordering.None, e.searchReshape(hlo.F32, many, many).in)
}

func TestBitcastUnderTiles(t *testing.T) {
	e := unitSet(t)
	for _, c := range []struct {
		in   []int64
		a    []int
		out  []int64
		b    []int
		want bool
	}{
		{[]int64{8, 512}, []int{1, 0}, []int64{8, 4, 128}, []int{2, 0, 1}, true},
		{[]int64{16, 512}, []int{1, 0}, []int64{16, 4, 128}, []int{2, 0, 1}, false},
		{[]int64{2, 8, 128}, []int{2, 1, 0}, []int64{16, 128}, []int{1, 0}, true},
		{[]int64{2, 7, 128}, []int{2, 1, 0}, []int64{14, 128}, []int{1, 0}, false}, // reshape_f32_2x7x128_to_14x128
		{[]int64{8, 128}, []int{1, 0}, []int64{1024}, []int{0}, true},
		{[]int64{4, 6}, []int{1, 0}, []int64{24}, []int{0}, false},
	} {
		assert.Equal(t, c.want, e.isBitcast(hlo.F32, c.in, c.a, c.out, c.b), "%v%v to %v%v", c.in, c.a, c.out, c.b)
	}
}

func TestPairUp(t *testing.T) {
	for _, c := range []struct {
		in, out         []int64
		want            []pairing
		inOnes, outOnes []int
	}{
		{[]int64{100, 64, 3, 1}, []int64{6400, 3, 1},
			[]pairing{{[]int{3}, []int{2}}, {[]int{0, 1}, []int{0}}, {[]int{2}, []int{1}}}, nil, nil},
		{[]int64{9, 1, 9}, []int64{9, 3, 3, 1},
			[]pairing{{[]int{1}, []int{3}}, {[]int{0}, []int{0}}, {[]int{2}, []int{1, 2}}}, nil, nil},
		{[]int64{2, 1, 4}, []int64{8}, []pairing{{[]int{0, 2}, []int{0}}}, []int{1}, nil},
		{[]int64{1, 1}, []int64{1}, []pairing{{[]int{0}, []int{0}}}, []int{1}, nil},
	} {
		all, inOnes, outOnes := pairUp(c.in, c.out)
		assert.Equal(t, c.want, all, "%v to %v", c.in, c.out)
		assert.Equal(t, len(c.inOnes), len(inOnes))
		assert.Subset(t, c.inOnes, inOnes)
		assert.Equal(t, len(c.outOnes), len(outOnes))
		assert.Subset(t, c.outOnes, outOnes)
	}
}

func TestMajorOnes(t *testing.T) {
	dims := []int64{1, 6, 1, 4, 5}
	assert.Equal(t, []int{4, 3, 1, 2, 0}, majorOnes(dims, []int{4, 3, 1, 0, 2}))
	assert.Equal(t, []int{4, 2, 3, 1, 0}, majorOnes(dims, []int{4, 2, 3, 1, 0}))
}
