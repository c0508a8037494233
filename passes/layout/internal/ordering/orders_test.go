package ordering

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOrders(t *testing.T) {
	o := NewTable()
	a := o.Of([]int{2, 0, 1})
	assert.Equal(t, a, o.Of([]int{2, 0, 1}))
	assert.NotEqual(t, a, o.Of([]int{2, 1, 0}))
	assert.Equal(t, []int{2, 1, 0}, o.Get(o.Descending(3)))
	assert.Equal(t, []int{1, 0}, o.Get(o.Natural(a, []int{1})))
	assert.Equal(t, []int{}, append([]int{}, o.Get(o.Descending(0))...))
}

func TestPermutations(t *testing.T) {
	var got [][]int
	Permutations(3, func(mm []int) { got = append(got, append([]int(nil), mm...)) })
	assert.Equal(t, [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}, got)
}
