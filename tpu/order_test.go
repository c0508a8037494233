package tpu_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

func TestOrderExamples(t *testing.T) {
	for _, c := range []struct {
		d              hlo.DType
		dims           []int64
		boundary, free []int
	}{
		{hlo.F32, nil, []int{}, []int{}},
		{hlo.F32, []int64{7}, []int{0}, []int{0}},
		{hlo.F32, []int64{0, 9, 1}, []int{2, 1, 0}, []int{2, 1, 0}},
		{hlo.F32, []int64{hlo.Unbounded, 9, 1}, []int{2, 1, 0}, []int{2, 1, 0}},
		{hlo.TokenType, []int64{1024, 2}, []int{1, 0}, []int{1, 0}},
		{hlo.BF16, []int64{1024, 1000}, []int{0, 1}, []int{0, 1}},
		{hlo.F32, []int64{36, 40}, []int{1, 0}, []int{0, 1}},
		{hlo.F32, []int64{48, 44}, []int{1, 0}, []int{0, 1}},
		{hlo.S32, []int64{36, 40}, []int{1, 0}, []int{0, 1}},
		{hlo.BF16, []int64{48, 44}, []int{1, 0}, []int{0, 1}},
		{hlo.F32, []int64{40, 36}, []int{1, 0}, []int{1, 0}},
		{hlo.F32, []int64{44, 48}, []int{1, 0}, []int{1, 0}},
		{hlo.F32, []int64{28, 32}, []int{1, 0}, []int{1, 0}},
		{hlo.F32, []int64{33, 40}, []int{1, 0}, []int{1, 0}},
		{hlo.BF16, []int64{63, 64}, []int{1, 0}, []int{1, 0}},
		{hlo.F32, []int64{101, 100}, []int{1, 0}, []int{1, 0}},
		{hlo.F32, []int64{17, 19}, []int{1, 0}, []int{1, 0}},
		{hlo.F32, []int64{288, 16, 2}, []int{0, 2, 1}, []int{0, 1, 2}},
		{hlo.S2, []int64{1792, 240, 8}, []int{0, 1, 2}, []int{0, 2, 1}},
		{hlo.S2, []int64{312, 304, 40}, []int{0, 2, 1}, []int{0, 2, 1}},
	} {
		tgt := target(t, "v5e")
		assert.Equal(t, c.boundary, tgt.BoundaryOrder(c.d, c.dims), "boundary %s%v", c.d, c.dims)
		assert.Equal(t, c.free, tgt.FreeOrder(c.d, c.dims), "free %s%v", c.d, c.dims)
	}
	f32 := []int64{288, 16, 2}
	tgt := target(t, "v5e")
	assert.Equal(t, "{0,2,1:T(2,128)}", tgt.Layout(hlo.F32, f32, tgt.BoundaryOrder(hlo.F32, f32), true).String())
	assert.Equal(t, "{0,1,2:T(8,128)}", tgt.Layout(hlo.F32, f32, tgt.FreeOrder(hlo.F32, f32), false).String())
}

// referenceOrder is the rule read literally, with integers of any size: all pairs, whole products.
func referenceOrder(tgt *tpu.Target, d hlo.DType, dims []int64, free bool) []int {
	roundUp := func(n, m int64) *big.Int {
		a := new(big.Int).Add(big.NewInt(n), big.NewInt(m-1))
		return a.Mul(a.Div(a, big.NewInt(m)), big.NewInt(m))
	}
	bits := int64(d.Bits())
	if tgt.Name == "v2" || tgt.Name == "v3" {
		bits = max(bits, 8)
	}
	m := map[bool]int64{true: 2, false: 1}[tgt.Name == "v2" || tgt.Name == "v3"]
	least := min(8, m*32/min(bits, 32))
	var bestKey *big.Int
	var bestTie float64
	bi, bj := -1, -1
	for i := len(dims) - 1; i >= 0; i-- {
		for j := len(dims) - 1; j >= 0; j-- {
			if i == j {
				continue
			}
			c := int64(1)
			for c < dims[j] && c < 8 {
				c *= 2
			}
			key := new(big.Int).Mul(roundUp(dims[i], 128), roundUp(dims[j], max(least, c)))
			for k, n := range dims {
				if k != i && k != j {
					key.Mul(key, big.NewInt(n))
				}
			}
			tie := 1.0
			if free {
				a, _ := new(big.Float).SetInt(roundUp(dims[i], 128)).Float64()
				b, _ := new(big.Float).SetInt(roundUp(dims[j], 8)).Float64()
				tie = (a / float64(dims[i])) * (b / float64(dims[j]))
			} else if dims[i]%128 == 0 && dims[j]%tgt.Rows(d, dims[j], false) == 0 {
				tie = 0
			}
			cmp := -1
			if bestKey != nil {
				cmp = key.Cmp(bestKey)
			}
			if cmp < 0 || cmp == 0 && tie < bestTie {
				bestKey, bestTie, bi, bj = key, tie, i, j
			}
		}
	}
	order := []int{bi, bj}
	for k := len(dims) - 1; k >= 0; k-- {
		if k != bi && k != bj {
			order = append(order, k)
		}
	}
	return order
}

// Random shapes, up to the largest sizes and products far beyond 64 bits, against the literal reading of the rule.
func TestOrdersAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []func() int64{
		func() int64 { return 1 + rng.Int64N(20) },
		func() int64 { return 8 * (1 + rng.Int64N(40)) },
		func() int64 { return 128*(1+rng.Int64N(8)) - rng.Int64N(2) },
		func() int64 { return 1 + rng.Int64N(1<<rng.IntN(62)) },
		func() int64 { return math.MaxInt64 - rng.Int64N(300) },
		func() int64 { return 1<<(50+rng.IntN(13)) - rng.Int64N(2) },
	}
	types := hlo.DTypes()
	names := tpu.Names()
	differ := 0
	for n := range 20000 {
		tgt, d := target(t, names[n%len(names)]), types[rng.IntN(len(types))]
		if d.Bits() == 6 {
			d = hlo.S8
		}
		dims := make([]int64, 2+rng.IntN(6))
		style := rng.IntN(len(sizes) + 1) // one kind of size, or a mixture
		for k := range dims {
			if style < len(sizes) {
				dims[k] = sizes[style]()
			} else {
				dims[k] = sizes[rng.IntN(len(sizes))]()
			}
		}
		boundary, free := tgt.BoundaryOrder(d, dims), tgt.FreeOrder(d, dims)
		require.Equal(t, referenceOrder(tgt, d, dims, false), boundary, "%s boundary %s%v", tgt.Name, d, dims)
		require.Equal(t, referenceOrder(tgt, d, dims, true), free, "%s free %s%v", tgt.Name, d, dims)
		if free[0] != boundary[0] || free[1] != boundary[1] {
			differ++
		}
	}
	require.Greater(t, differ, 200, "too few shapes tell the two rules apart")
}
