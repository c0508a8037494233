package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The batch of a group's dot is in its operands as in the result: f32[2,2,64,8]{2,3,0,1}.
func TestDotFollowsBatch(t *testing.T) {
	d := dotDims{left: side{batch: []int{0, 1}}, right: side{batch: []int{0, 2}}}
	d.follow([]int{2, 3, 0, 1})
	assert.Equal(t, [][]int{{1, 0}, {1, 0}, {2, 0}}, [][]int{d.batch, d.left.batch, d.right.batch})
}
