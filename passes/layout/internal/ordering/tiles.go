package ordering

import (
	"slices"

	"hlolayout/hlo"
)

// SingleRow is an aligned order with a dimension of size 1 of out second-minor, as in the order mm of in: the first one
// with as many elements before it, else the first one; where others precede it in in, as many of those that follow that
// one are passed by. A minor dimension of size 1 stays minor, the others descend. It is nil where that moves data, and
// for elements of which a word holds several rows.
func (e *Tiles) SingleRow(t hlo.DType, in []int64, mm []int, out []int64, aligned []int) []int {
	if len(mm) < 2 || len(aligned) < 2 || !slices.Contains(out, 1) || in[mm[1]] != 1 || t.Bits() < 32 {
		return nil
	}
	one := AfterReshape(in, out, mm[1])
	if one == -1 {
		one = slices.Index(out, 1)
	}
	for d := mm[1]; d > 0 && in[d-1] == 1 && one+1 < len(out) && out[one+1] == 1; d-- {
		one++
	}
	minor := aligned[0]
	if in[mm[0]] == 1 {
		if minor = AfterReshape(in, out, mm[0]); minor == -1 || minor == one {
			return nil
		}
	}
	order := WithMinor(len(out), []int{minor, one}, nil)
	if !SameDense(out, order, aligned) || !e.TilesAgree(t, in, mm, out, order) {
		return nil
	}
	return order
}

// run is a stretch of elements that are step apart in row-major order.
type run struct{ step, size int64 }

// TileRuns returns the runs of an array under the target's tiles, minor first, where both minor dimensions fill whole
// tiles; nil otherwise. Two arrays with the same runs have the same layout though no order of one aligns with the
// other's: f32[8,512]{1,0} is f32[8,4,128]{2,0,1}.
func (e *Tiles) TileRuns(t hlo.DType, dims []int64, mm []int) []run {
	if len(mm) < 2 {
		return nil
	}
	second := dims[mm[1]]
	rows := e.Target.Rows(t, second, false)
	if second > rows && second%rows != 0 {
		return nil
	}
	return e.TileRunsOf(dims, mm, rows)
}

// TileRunsOf is TileRuns under tiles of the given number of rows, of which the last ones may be empty.
func (e *Tiles) TileRunsOf(dims []int64, mm []int, rows int64) []run {
	minor, second := mm[0], mm[1]
	if dims[minor]%128 != 0 {
		return nil
	}
	step := make([]int64, len(dims))
	n := int64(1)
	for d := len(dims) - 1; d >= 0; d-- {
		step[d] = n
		n = Times(n, dims[d])
	}
	parts := []run{{step[minor], 128}, {step[second], rows}, {step[minor] * 128, dims[minor] / 128},
		{step[second] * rows, RoundUp(dims[second], rows) / rows}}
	for _, d := range mm[2:] {
		parts = append(parts, run{step[d], dims[d]})
	}
	out := parts[:0]
	for _, p := range parts {
		if k := len(out) - 1; k >= 1 && out[k].step*out[k].size == p.step {
			out[k].size *= p.size
		} else if p.size != 1 {
			// A single row of 256 is laid out as two rows of 128 do (f32[8,1,64,2,128]{4,3,1,2,0} to [8,1,64,256]{3,1,2,0}).
			out = append(out, p)
		}
	}
	return out
}

// TilesAgree is isBitcast for two orders that are aligned.
func (e *Tiles) TilesAgree(t hlo.DType, in []int64, a []int, out []int64, b []int) bool {
	switch {
	case len(a) == 0 || len(b) == 0 || len(a) == 1 && len(b) == 1:
		return true
	case len(a) == 1 || len(b) == 1:
		// Rows of 128 that fill whole tiles follow one another as the elements of rank 1 do (f32[2,128] and f32[256]).
		dims, mm := out, b
		if len(b) == 1 {
			dims, mm = in, a
		}
		rows := e.Target.Rows(t, dims[mm[1]], false)
		return dims[mm[0]] == product(in) || dims[mm[0]] == 128 && dims[mm[1]]%rows == 0
	}
	if in[a[0]] != out[b[0]] {
		return false
	}
	x, y := in[a[1]], out[b[1]]
	if x == y {
		return true
	}
	rx, ry := e.Target.Rows(t, x, false), e.Target.Rows(t, y, false)
	return x%rx == 0 && y%ry == 0 && (rx == ry || in[a[0]] <= 128)
}

// SecondRows ranks the rows of a tile: among equally small pairs one with full tiles is preferred; of other tiles any
// number of rows is as good as another (f32[4,2,5,1,1] to [4,2,5] takes T(2,128), and so does bf16[4,32,2,40] to
// [4,32,2,8,5], each of whose rows is half a word: all of 47 selections of three types, by 192 probes).
func (e *Tiles) SecondRows(t hlo.DType, dims []int64, mm []int) int64 {
	if len(mm) < 2 {
		return e.Target.Sublanes
	}
	if rows := e.Target.Rows(t, dims[mm[1]], false); rows >= e.Target.Sublanes {
		return rows
	}
	return 0
}
