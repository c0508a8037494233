package folding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
	"hlolayout/printer"
)

// A place is selected from its own on, as a gather clamps its indices; and no module grows without bounds.
func TestSmallTable(t *testing.T) {
	const gather = " gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, " +
		"slice_sizes={1}"
	few := entry("a = f32[3] parameter(0)", "i = s32[15] parameter(1)", "ROOT g = f32[15]"+gather)
	text := printer.Print(folding.Simplify(parse(t, few), target(t, "v5e")).Module)
	assert.Equal(t, 2, strings.Count(text, "direction=GE"))

	lines, results := []string{"a = f32[64] parameter(0)"}, make([]string, 1030)
	for k := range results {
		lines = append(lines, fmt.Sprintf("i%d = s32[320] parameter(%d)", k, k+1),
			strings.Replace(fmt.Sprintf("g%d = f32[320]%s", k, gather), "(a, i)", fmt.Sprintf("(a, i%d)", k), 1))
		results[k] = fmt.Sprint("g", k)
	}
	tuple := "(" + strings.Repeat("f32[320], ", len(results)-1) + "f32[320])"
	lines = append(lines, "ROOT t = "+tuple+" tuple("+strings.Join(results, ", ")+")")
	s := folding.Simplify(parse(t, entry(lines...)), target(t, "v5e"))
	assert.Equal(t, 1024, s.Applied["small-table"]) // of 64 elements each, 65,536 in all
}
