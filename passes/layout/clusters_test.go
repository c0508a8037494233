package layout

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/result"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/layout/internal/rules"
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
			g, err := flat.New(parse(t, string(text)), flat.Decided)
			require.NoError(t, err)
			e := rules.New(g, target(t, "v5e"), result.Rules)
			iface, err := entry.Of(g.Module, e.Target, entry.Auto)
			require.NoError(t, err)
			e.SetEntry(iface)
			var got strings.Builder
			e.Weighed = func(x flat.NodeID, compact ordering.Order, around, operations int, gain, cost int64) {
				first := g.Nodes[x].In
				s := hlo.Shape{DType: first.Shape.DType, Dims: first.Shape.Dims}
				fmt.Fprintf(&got, "run %d %%%s %s%s gain=%d cost=%d around=%d operations=%d\n", e.RunNumber()+1, first.Name,
					s.String(), ints(e.Orders.Get(compact)),
					gain, cost, around, operations)
			}
			e.Steps(func() {})
			assert.Equal(t, list, got.String())
		})
	}
}

// What a later run requests carries the tile that the compiler's log shows in it.
func TestHintsKeepTiles(t *testing.T) {
	for _, c := range []struct {
		file, name string
		rule       rule.ID
		rows       int32
	}{
		{"layernorm", "div.3", rule.Cluster, 2},              // {1,0:T(2,128)(2,1)}
		{"layernorm", "reduce_sum.15", rule.RepairReduce, 2}, // f32[2,50,200]{2,0,1:T(2,128)(2,1)}
		{"affine_assoc", "reduce.10", rule.RepairReduce, 4},  // f32[32,3,3]{0,2,1:T(4,128)}
		{"affine_assoc", "reduce.4", rule.RepairReduce, 0},   // f32[2,3,3]{1,2,0}
		{"slices", "gather_custom_fusion.2", rule.Gather, 4}, // f32[5,33,2,4]{1,3,2,0:T(4,128)}
	} {
		text, err := os.ReadFile("testdata/" + c.file + ".hlo")
		require.NoError(t, err)
		g, err := flat.New(parse(t, string(text)), flat.Decided)
		require.NoError(t, err)
		e := rules.New(g, target(t, "v5e"), result.Rules)
		iface, err := entry.Of(g.Module, e.Target, entry.Auto)
		require.NoError(t, err)
		e.SetEntry(iface)
		asked := 0
		e.Trace = func(x constraint.Event) {
			if x.Cause.Rule == c.rule && g.Nodes[x.Node].In.Name == c.name && (x.Slot >= 0 || c.rule == rule.Cluster) {
				assert.Equal(t, c.rows, x.Rows, c.name)
				asked++
			}
		}
		e.Steps(func() {})
		assert.Positive(t, asked, c.name)
	}
}
