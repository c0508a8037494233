package ordering

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
)

func TestAlign(t *testing.T) {
	for _, c := range []struct {
		in   []int64
		mm   []int
		out  []int64
		want []int // nil: no alignment
	}{
		{[]int64{4, 6}, []int{1, 0}, []int64{24}, []int{0}},
		{[]int64{4, 6}, []int{0, 1}, []int64{24}, nil},
		{[]int64{24}, []int{0}, []int64{4, 6}, []int{1, 0}},
		{[]int64{2, 3, 4}, []int{0, 2, 1}, []int64{2, 12}, []int{0, 1}},
		{[]int64{2, 3, 4}, []int{2, 0, 1}, []int64{2, 12}, nil},
		{[]int64{16, 100, 300}, []int{1, 2, 0}, []int64{8, 2, 100, 300}, []int{2, 3, 1, 0}},
		{[]int64{5, 130}, []int{1, 0}, []int64{5, 1, 130}, []int{2, 0, 1}}, // ones are most major
		{[]int64{5, 1, 130}, []int{1, 2, 0}, []int64{5, 130}, []int{1, 0}},
		{[]int64{1, 1}, []int{1, 0}, []int64{1}, []int{0}},
		{[]int64{}, []int{}, []int64{1, 1}, []int{1, 0}},
		{[]int64{6, 4}, []int{1, 0}, []int64{4, 6}, []int{1, 0}},
		{[]int64{6, 4}, []int{0, 1}, []int64{4, 6}, nil},
		{[]int64{0, 4}, []int{1, 0}, []int64{0, 2}, []int{1, 0}},
		{[]int64{0, 4}, []int{1, 0}, []int64{0}, nil},
	} {
		orders := NewTable()
		got := orders.Aligned(hlo.NewArray(hlo.F32, c.in, nil), orders.Of(c.mm), hlo.NewArray(hlo.F32, c.out, nil))
		assert.Equal(t, c.want, orders.Get(got), "%v %v %v", c.in, c.mm, c.out)
	}
}

// Where the products differ, or are 0, one group takes the rest.
func TestCommonFactors(t *testing.T) {
	for _, c := range []struct {
		in, out []int64
		want    []group
	}{
		{[]int64{4, 6}, []int64{24}, []group{{0, 2, 0, 1}}},
		{[]int64{4, 6}, []int64{4, 2, 3}, []group{{0, 1, 0, 1}, {1, 2, 1, 3}}},
		{[]int64{0, 5}, []int64{0}, []group{{0, 1, 0, 1}, {1, 2, 1, 1}}},
		{[]int64{0}, []int64{0, 5}, []group{{0, 1, 0, 1}, {1, 1, 1, 2}}},
		{[]int64{2}, []int64{4}, []group{{0, 1, 0, 1}}},
		{[]int64{4}, []int64{2}, []group{{0, 1, 0, 1}}},
	} {
		assert.Equal(t, c.want, CommonFactors(c.in, c.out), "%v %v", c.in, c.out)
	}
}
