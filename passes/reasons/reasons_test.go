package reasons

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/entry"
	"hlolayout/tpu"
)

// chainOf returns the values and rules of a chain, such as "%a from-operand, %b dot".
func chainOf(t *testing.T, m *hlo.Module, value string, index ...int) string {
	t.Helper()
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	in, _ := m.Find(value)
	require.NotNil(t, in, value)
	var out []string
	for _, l := range Of(m, v5e, entry.AsWritten).Plan.Chain(in, index) {
		out = append(out, hlo.ValueName(l.Instruction, l.Index)+" "+RuleName(l.Reason.Rule))
	}
	return strings.Join(out, ", ")
}

func TestChains(t *testing.T) {
	text, err := os.ReadFile("testdata/chains.hlo")
	require.NoError(t, err)
	m, err := parser.Parse("chains.hlo", string(text))
	require.NoError(t, err)
	for _, test := range []struct {
		value string
		index []int
		want  string
	}{
		{"x", nil, "%x entry-parameter"},
		{"moved", nil, "%moved prefetch, %start{0} prefetch, %x entry-parameter"},
		{"turned", nil, "%turned convolution"},
		{"scores", nil, "%scores fusion, %dot.1 convolution"},
		{"p.0", nil, "%p.0 fused-boundary, %turned convolution"},
		{"flat", nil, "%flat bitcast, %dot.1 convolution"},
		{"again", nil, "%again from-operand, %turned2 from-operand, %dot.1 convolution"},
		{"turned2", nil, "%turned2 from-operand, %dot.1 convolution"},
		{"loop", []int{1}, "%loop{1} boundary, %x entry-parameter"},
		{"element", nil, "%element tuple-part, %state{1} boundary, %loop{1} boundary, %x entry-parameter"},
		{"kernel", nil, "%kernel custom-call"},
		{"free", nil, "%free descending"},
		{"compact", nil, "%compact compact"},
		{"line", nil, "%line one-order"},
		{"odd", nil, "%odd as-written"},
	} {
		assert.Equal(t, test.want, chainOf(t, m, test.value, test.index...), test.value)
	}
}

// TestLayoutsAreTheFiles looks at modules of the compiler: every array has a reason and the file's layout, every chain
// ends, and nearly every one in a cause.
func TestLayoutsAreTheFiles(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../testdata/memory/*.final.hlo", "../../testdata/corpus/*/*.after.hlo",
		"../../testdata/corpus/*/*/after.hlo"} {
		list, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, list...)
	}
	require.Greater(t, len(files), 20)
	arrays, caused := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := parser.Parse(file, string(text))
		require.NoError(t, err)
		v5e, err := tpu.ByName("v5e")
		require.NoError(t, err)
		p := Of(m, v5e, entry.AsWritten).Plan
		chains := p.Chains()
		at := 0
		for _, c := range m.Computations {
			for _, in := range c.Instructions {
				in.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
					if !leaf.IsArray() {
						return
					}
					d := &p.Decisions[at]
					at++
					require.Same(t, in, d.Instruction, file)
					require.Same(t, leaf.Layout, d.Layout, file)
					chain := chains.Of(in, index)
					require.True(t, slices.Equal(chain[0].Index, index), file)
					arrays++
					if IsCause(RuleName(chain[len(chain)-1].Reason.Rule)) {
						caused++
					}
				})
			}
		}
		require.Len(t, p.Decisions, at, file)
	}
	t.Logf("%d of %d chains end in a cause", caused, arrays)
	assert.Greater(t, caused*100, arrays*95)
}
