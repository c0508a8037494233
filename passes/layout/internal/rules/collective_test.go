package rules

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
)

// The parts of a scattered dimension are whole tiles of eight rows of 128, wherever the dimension is.
func TestScattersTiles(t *testing.T) {
	for _, c := range []struct {
		part  []int64
		minor []int
		d     int
		want  bool
	}{
		{[]int64{256}, []int{0}, 0, false},
		{[]int64{16, 256}, []int{1, 0}, 1, true},
		{[]int64{16, 192}, []int{1, 0}, 1, false},
		{[]int64{16, 128}, []int{1, 0}, 0, true},
		{[]int64{8, 128}, []int{1, 0}, 0, false}, // an odd number of tiles
		{[]int64{12, 256}, []int{1, 0}, 0, false},
		{[]int64{2, 16, 128}, []int{2, 1, 0}, 1, true},
		{[]int64{2, 12, 128}, []int{2, 1, 0}, 1, false},
		{[]int64{3, 8, 256}, []int{2, 1, 0}, 0, true},
		{[]int64{6, 4, 256}, []int{2, 1, 0}, 0, false},
		{[]int64{8, 4, 256}, []int{2, 1, 0}, 0, false},
		{[]int64{2, 8, 16, 128}, []int{3, 2, 1, 0}, 1, false}, // between other dimensions
	} {
		array := func(dims []int64) string { return hlo.NewArray(hlo.F32, dims, nil).String() }
		whole := slices.Clone(c.part)
		whole[c.d] *= 2
		e := setOf(t, "test.hlo", "HloModule m\n\n"+sumOf("add", "f32")+fmt.Sprintf(`ENTRY %%main {
  %%p = %s parameter(0)
  ROOT %%r = %s reduce-scatter(%%p), replica_groups={{0,1}}, dimensions={%d}, to_apply=%%add
}
`, array(whole), array(c.part), c.d))
		assert.Equal(t, c.want, e.scattersTiles(e.G.Node(e.G.Module.Entry.Root), c.d, e.Orders.Of(c.minor)), c)
	}
}
