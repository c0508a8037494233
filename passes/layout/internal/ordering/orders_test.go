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
	assert.Equal(t, []int{1, 0}, o.Get(o.without(a, func(d int) bool { return d == 1 })))
	assert.Equal(t, []int{}, append([]int{}, o.Get(o.Descending(0))...))
}
