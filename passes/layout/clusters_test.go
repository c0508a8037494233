package layout

import (
	"fmt"
	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pass weighs the clusters that the compiler's log lists, in the same order, with the same gain, cost and counts.
func TestClustersAreTheCompilers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.clusters.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(file, ".clusters.txt")
		t.Run(filepath.Base(name), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			text, err := os.ReadFile(name + ".hlo")
			require.NoError(t, err)
			_, list, _ := strings.Cut(string(want), "\n")
			g, err := flat.New(parse(t, string(text)))
			require.NoError(t, err)
			e := newEngine(g, target(t, "v5e"))
			iface, err := entry.Of(g.Module, e.Target, entry.Auto)
			require.NoError(t, err)
			e.setEntry(iface)
			var got strings.Builder
			e.weighed = func(cl *cluster, compact ordering.Order, gain, cost int64) {
				first := g.Nodes[cl.ops[0]].In
				s := hlo.Shape{DType: first.Shape.DType, Dims: first.Shape.Dims}
				fmt.Fprintf(&got, "run %d %%%s %s%s gain=%d cost=%d around=%d operations=%d\n", e.number+1, first.Name, s.String(), ints(e.Orders.Get(compact)),
					gain, cost, cl.around, len(cl.ops))
			}
			e.steps(func() {})
			assert.Equal(t, list, got.String())
		})
	}
}

// What a later run asks for carries the tile that the compiler's log shows in it.
func TestHintsKeepTiles(t *testing.T) {
	for _, c := range []struct {
		file, name string
		rule       rule
		rows       int32
	}{
		{"layernorm", "div.3", ruleCluster, 2},              // {1,0:T(2,128)(2,1)}
		{"layernorm", "reduce_sum.15", ruleRepairReduce, 2}, // f32[2,50,200]{2,0,1:T(2,128)(2,1)}
		{"affine_assoc", "reduce.10", ruleRepairReduce, 4},  // f32[32,3,3]{0,2,1:T(4,128)}
		{"affine_assoc", "reduce.4", ruleRepairReduce, 0},   // f32[2,3,3]{1,2,0}
		{"slices", "gather_custom_fusion.2", ruleGather, 4}, // f32[5,33,2,4]{1,3,2,0:T(4,128)}
	} {
		text, err := os.ReadFile("testdata/" + c.file + ".hlo")
		require.NoError(t, err)
		g, err := flat.New(parse(t, string(text)))
		require.NoError(t, err)
		e := newEngine(g, target(t, "v5e"))
		iface, err := entry.Of(g.Module, e.Target, entry.Auto)
		require.NoError(t, err)
		e.setEntry(iface)
		asked := 0
		e.trace = func(e *engine, i item) {
			switch {
			case i < 0:
				slot := int32(-1 - i)
				if x := e.operandC[slot]; x.cause.rule == c.rule && g.Nodes[g.SlotNode[slot]].In.Name == c.name {
					assert.Equal(t, c.rows, x.Rows, c.name)
					asked++
				}
			case i < resultItems:
				if x := e.bufferC[i]; x.cause.rule == c.rule && c.rule == ruleCluster && g.Nodes[g.Values[i].Node].In.Name == c.name {
					assert.Equal(t, c.rows, x.Rows, c.name)
					asked++
				}
			}
		}
		e.steps(func() {})
		assert.Positive(t, asked, c.name)
	}
}
