package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/internal/flat"
	"hlolayout/tpu"
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
		text := func(dims []int64) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(dims), "[]"), " ", ",") }
		whole := append([]int64(nil), c.part...)
		whole[c.d] *= 2
		m, err := parser.Parse("test.hlo", "HloModule m\n\n%add {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n"+
			"  ROOT %z = f32[] add(%x, %y)\n}\n\nENTRY %main {\n  %p = f32["+text(whole)+"] parameter(0)\n  ROOT %r = f32["+
			text(c.part)+"] reduce-scatter(%p), replica_groups={{0,1}}, dimensions={"+fmt.Sprint(c.d)+"}, to_apply=%add\n}\n")
		require.NoError(t, err)
		g, err := flat.New(m, flat.Decided)
		require.NoError(t, err)
		v5e, err := tpu.ByName("v5e")
		require.NoError(t, err)
		e := New(g, v5e, nil)
		assert.Equal(t, c.want, e.scattersTiles(g.Node(m.Entry.Root), c.d, e.Orders.Of(c.minor)), c)
	}
}
