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
			g, err := newGraph(parse(t, string(text)))
			require.NoError(t, err)
			e := newEngine(g, target(t, "v5e"))
			params, result, _, err := e.interfaceShapes()
			require.NoError(t, err)
			e.setEntry(params, result)
			var got strings.Builder
			e.weighed = func(cl *cluster, compact order, gain, cost int64) {
				first := g.nodes[cl.ops[0]].in
				s := hlo.Shape{DType: first.Shape.DType, Dims: first.Shape.Dims}
				fmt.Fprintf(&got, "run %d %%%s %s%s gain=%d cost=%d around=%d operations=%d\n", e.number+1, first.Name, s.String(), ints(e.orders.get(compact)),
					gain, cost, cl.around, len(cl.ops))
			}
			e.steps(func() {})
			assert.Equal(t, list, got.String())
		})
	}
}
