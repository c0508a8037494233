package tpu_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
)

func TestBytes(t *testing.T) {
	const over = -1
	for _, c := range []struct {
		tpu             string
		d               hlo.DType
		dims            []int64
		order           []int
		elements, bytes int64
	}{
		{"v5e", hlo.F32, nil, nil, 128, 512},
		{"v5e", hlo.S4, nil, nil, 1024, 512},
		{"v5e", hlo.C128, nil, nil, 128, 2048},
		{"v2", hlo.F32, nil, nil, 256, 1024},
		{"v2", hlo.S1, nil, nil, 1024, 1024},
		{"v5e", hlo.F32, []int64{1025}, nil, 2048, 8192},
		{"v5e", hlo.S1, []int64{1}, nil, 4096, 512},
		{"v2", hlo.S2, []int64{1025}, nil, 2048, 2048},
		{"v5e", hlo.F32, []int64{3, 1, 7}, nil, 3 * 128, 3 * 512},
		{"v5e", hlo.F32, []int64{3, 1, 7}, []int{0, 2, 1}, 8 * 128, 4096},
		{"v5e", hlo.F32, []int64{3, 0, 7}, nil, 0, 0},
		{"v5e", hlo.U32, []int64{12582912, 1}, nil, 12582912 * 128, 6 << 30}, // 48 MiB become 6 GiB
		{"v5e", hlo.S8, []int64{64, 256}, nil, 64 * 256, 64 * 256},
		{"v5e", hlo.F32, []int64{hlo.Unbounded, 8}, nil, over, over},
		{"v5e", hlo.F32, []int64{0, hlo.Unbounded}, nil, over, over},
		{"v5e", hlo.TokenType, nil, nil, over, over},

		{"v5e", hlo.S8, []int64{math.MaxInt64}, nil, over, over},
		{"v5e", hlo.S8, []int64{math.MaxInt64 - 1023}, nil, math.MaxInt64 - 1023, math.MaxInt64 - 1023},
		{"v5e", hlo.S4, []int64{math.MaxInt64 - 1023}, nil, math.MaxInt64 - 1023, 1<<62 - 512},
		{"v5e", hlo.F64, []int64{1 << 60}, nil, 1 << 60, over},
		{"v5e", hlo.F64, []int64{1 << 59}, nil, 1 << 59, 1 << 62},
		{"v5e", hlo.F32, []int64{1 << 20, 1 << 20, 1 << 23}, nil, over, over},
		{"v5e", hlo.F32, []int64{1 << 40, 1 << 40, 1 << 40, 0}, nil, 0, 0},
		{"v5e", hlo.F32, []int64{1 << 57, 1}, nil, over, over},
		{"v5e", hlo.F32, []int64{1 << 57, 1}, []int{0, 1}, 1 << 57, 1 << 59},
	} {
		tgt := target(t, c.tpu)
		elements, ok := tgt.PaddedElements(c.d, c.dims, c.order)
		if assert.Equal(t, c.elements != over, ok, "%s %s%v", c.tpu, c.d, c.dims); ok {
			assert.Equal(t, c.elements, elements, "%s %s%v", c.tpu, c.d, c.dims)
		}
		bytes, ok := tgt.Bytes(c.d, c.dims, c.order)
		if assert.Equal(t, c.bytes != over, ok, "%s %s%v", c.tpu, c.d, c.dims); ok {
			assert.Equal(t, c.bytes, bytes, "%s %s%v", c.tpu, c.d, c.dims)
		}
	}
}

func TestTupleTableBytes(t *testing.T) {
	for _, c := range []struct {
		tpu    string
		leaves int
		want   int64
	}{
		{"v2", 2, 1024},
		{"v3", 257, 2048},
		{"v4", 128, 512},
		{"v5e", 129, 1024},
		{"v5p", 8, 32},
		{"v6e", 9, 64},
		{"v7x", 300, 1216},
		{"v5e", 0, 0},
		{"v5e", 1, 0},
		{"v5e", -5, 0},
	} {
		assert.Equal(t, c.want, target(t, c.tpu).TupleTableBytes(c.leaves), "%s %d", c.tpu, c.leaves)
	}
	assert.Positive(t, target(t, "v5e").TupleTableBytes(math.MaxInt))
}

func TestPaddedPair(t *testing.T) {
	for _, c := range []struct {
		tpu           string
		d             hlo.DType
		second, minor int64
		want          int64
	}{
		{"v5e", hlo.F32, 1, 1, 128},
		{"v2", hlo.F32, 1, 1, 256},
		{"v5e", hlo.F32, 3, 129, 4 * 256},
		{"v5e", hlo.S8, 33, 128, 40 * 128}, // the small tile
		{"v5e", hlo.S2, 1, 1, 16 * 128},
		{"v5e", hlo.F32, 0, 7, 0},
		{"v5e", hlo.F32, 7, hlo.Unbounded, 0},
		{"v5e", hlo.OpaqueType, 7, 7, 0},
		{"v5e", hlo.F32, 1 << 40, 1 << 40, math.MaxInt64},
		{"v5e", hlo.F32, math.MaxInt64, math.MaxInt64, math.MaxInt64},
	} {
		assert.Equal(t, c.want, target(t, c.tpu).PaddedPair(c.d, c.second, c.minor), "%+v", c)
	}
}
