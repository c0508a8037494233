package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// entry is a module whose parameters are given as "type name", each added to itself where it is an f32[8].
func entry(t *testing.T, params ...string) *hlo.Module {
	var types, body []string
	for i, p := range params {
		shape, name, _ := strings.Cut(p, " ")
		types = append(types, shape)
		body = append(body, fmt.Sprintf("  %%p%d.1 = %s parameter(%d), metadata={op_name=%q}", i, shape, i, name))
	}
	text := fmt.Sprintf("HloModule m, entry_computation_layout={(%s)->f32[]}\n\nENTRY %%main {\n%s\n  ROOT %%c = "+
		"f32[] constant(0)\n}\n", strings.Join(types, ", "), strings.Join(body, "\n"))
	m, err := parser.Parse("m", text)
	require.NoError(t, err, text)
	return m
}

// Parameters are found again by name, type and use, wherever they are.
func TestEntryPairs(t *testing.T) {
	for _, test := range []struct {
		what     string
		old, new []string
		want     []int
	}{
		{"the same", []string{"f32[8] w", "f32[4] b"}, []string{"f32[8] w", "f32[4] b"}, []int{0, 1}},
		{"one inserted", []string{"f32[8] p['w']", "f32[8] p['z']"}, []string{"f32[8] p['w']", "f32[8] p['x']",
			"f32[8] p['z']"}, []int{0, -1, 1}},
		{"moved", []string{"f32[8] a", "f32[8] b"}, []string{"f32[8] b", "f32[8] a"}, []int{1, 0}},
		{"another type", []string{"f32[8] a", "f32[8] b"}, []string{"bf16[8] a", "f32[16] b"}, []int{0, 1}},
		{"numbers shifted", []string{"f32[8] x[0]", "s32[4] x[1]"},
			[]string{"f32[8] x[0]", "f32[] x[1]", "s32[4] x[2]"}, []int{0, -1, 1}},
		{"numbers exchanged", []string{"f32[8] x[0]", "s32[4] x[1]"}, []string{"s32[4] x[0]", "f32[8] x[1]"},
			[]int{1, 0}},
	} {
		assert.Equal(t, test.want, entryPairs(entry(t, test.old...), entry(t, test.new...)), test.what)
	}
}

func TestMoved(t *testing.T) {
	assert.Empty(t, moved([]int{0, -1, 1, 3}))
	assert.Equal(t, map[int]bool{0: true}, moved([]int{3, 0, 1, 2}))
}

func TestSimilar(t *testing.T) {
	toOld, alike := similar([][]uint64{{1, 2, 3, 3}, {7, 8, 9}}, [][]uint64{{7, 8, 10}, {3, 3, 2, 1}, {20}}, 0.5)
	assert.Equal(t, []int{1, 0, -1}, toOld)
	assert.InDelta(t, 1, alike[1], 0)
	toOld, _ = similar([][]uint64{{1, 2, 3}}, [][]uint64{{1, 5, 6}}, 0.5)
	assert.Equal(t, []int{-1}, toOld)
}
