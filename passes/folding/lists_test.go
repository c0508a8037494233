package folding

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
)

// A list of dimensions is what hlo.IntsOf makes of it, and one value where it is short.
func TestIntsOf(t *testing.T) {
	for _, c := range []struct {
		list []int
		same bool
	}{
		{nil, true}, {[]int{}, true}, {[]int{0}, true}, {[]int{5}, true}, {[]int{0, 0}, true}, {[]int{1, 0}, true},
		{[]int{0, 1, 2, 3}, true}, {[]int{5, 5, 5, 5}, true}, {[]int{6}, false}, {[]int{-1}, false},
		{[]int{0, 0, 0, 0, 0}, false}, {[]int{3, 2, 1, 0, 6}, false}, {[]int{1, 128}, false},
	} {
		v := intsOf(c.list)
		assert.Equal(t, hlo.IntsOf(c.list), v, c.list)
		assert.Equal(t, c.same, v == intsOf(c.list), c.list)
	}
}

// Users are those that were added until they are asked for, in that order.
func TestUsers(t *testing.T) {
	var us users
	in := make([]hlo.Instruction, 6)
	for i := range in {
		in[i].Index = int32(i)
	}
	us.add(&in[3], &in[4])
	us.add(&in[1], &in[2])
	us.add(&in[3], &in[5])
	us.add(&in[3], &in[4])
	got := func(of int) []*hlo.Instruction { return slices.Collect(us.of(&in[of])) }
	assert.Equal(t, []*hlo.Instruction{&in[4], &in[5], &in[4]}, got(3))
	assert.Equal(t, []*hlo.Instruction{&in[2]}, got(1))
	assert.Empty(t, got(0))
	assert.Empty(t, got(5), "nothing was added to it, nor to one after it")
	for u := range us.of(&in[1]) {
		us.add(&in[1], u) // not yielded to the loop that adds it
	}
	assert.Len(t, got(1), 2)
	for range us.of(&in[3]) {
		break
	}
}
