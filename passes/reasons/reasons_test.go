package reasons

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/entry"
	"hlolayout/printer"
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

// TestWindowsDecide looks at what a step of training makes of a table that rows are added to. The matrix unit takes the
// product with either dimension minor, and layout assignment gives it the other one; the scatter takes only this.
func TestWindowsDecide(t *testing.T) {
	const table = "f32[1024,192]{1,0:T(8,128)}"
	m, err := parser.Parse("m.hlo", `HloModule m, is_scheduled=true

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[]{:T(128)} parameter(0)
  %b = f32[]{:T(128)} parameter(1)
  ROOT %both = f32[]{:T(128)} add(%a, %b)
}

ENTRY %main (x: f32[64,1024], y: f32[64,192], ids: s32[300,1], rows: f32[300,192]) -> f32[1024,192] {
  %x = f32[64,1024]{1,0:T(8,128)} parameter(0)
  %y = f32[64,192]{1,0:T(8,128)} parameter(1)
  %ids = s32[300,1]{0,1:T(1,128)} parameter(2)
  %rows = f32[300,192]{1,0:T(8,128)} parameter(3)
  %product = `+table+` convolution(%x, %y), dim_labels=fb_io->bf
  %flat = `+table+` bitcast(%product)
  %sum = `+table+` scatter(%flat, %ids, %rows), update_window_dims={1}, inserted_window_dims={0}, `+
		`scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add
  %half = `+table+` negate(%sum)
  ROOT %result = f32[1024,192]{0,1:T(8,128)} copy(%half)
}
`)
	require.NoError(t, err)
	assert.Equal(t, "%half from-operand, %sum scatter", chainOf(t, m, "half"))
	assert.Equal(t, "%product convolution", chainOf(t, m, "product"))
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

// TestAgain: in a module that layout assignment has left, a chain is the one by which it comes to the order, not the
// nearest demand that agrees. Others that agree are named besides: a reshape that is a bitcast in this order.
func TestAgain(t *testing.T) {
	text := `HloModule m, entry_computation_layout={(f32[16,128]{1,0:T(8,128)},
f32[16,128]{1,0:T(8,128)})->(f32[16,128]{1,0:T(8,128)}, f32[2048]{0:T(1024)})}

ENTRY %main (x: f32[16,128], y: f32[16,128]) -> (f32[16,128], f32[2048]) {
  %x = f32[16,128]{1,0:T(8,128)} parameter(0)
  %y = f32[16,128]{1,0:T(8,128)} parameter(1)
  %turned = f32[16,128]{0,1:T(8,128)} copy(%y)
  %n = f32[16,128]{1,0:T(8,128)} negate(%x)
  %asked = f32[16,128]{0,1:T(8,128)} custom-call(%turned), custom_call_target="LayoutConstraint",
    operand_layout_constraints={f32[16,128]{0,1}}
  %back = f32[16,128]{1,0:T(8,128)} copy(%asked)
  %sum = f32[16,128]{1,0:T(8,128)} add(%n, %back)
  %line = f32[2048]{0:T(1024)} reshape(%n)
  ROOT %both = (f32[16,128]{1,0:T(8,128)}, f32[2048]{0:T(1024)}) tuple(%sum, %line)
}
`
	m, err := parser.Parse("m.hlo", text)
	require.NoError(t, err)
	before := printer.Print(m)
	assert.Equal(t, "%n from-operand, %x entry-parameter", chainOf(t, m, "n"))
	assert.Equal(t, "%sum from-operand, %n from-operand, %x entry-parameter", chainOf(t, m, "sum"))
	assert.Equal(t, before, printer.Print(m), "the module is as before")
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	r := Of(m, v5e, entry.AsWritten)
	in, _ := m.Find("n")
	chain := r.Chains.Of(in, nil)
	var others []string
	list, more := r.Others(in, nil, &chain[len(chain)-1])
	for _, l := range list {
		others = append(others, hlo.ValueName(l.Instruction, l.Index)+" "+RuleName(l.Reason.Rule))
	}
	assert.False(t, more)
	assert.Equal(t, []string{"%n repair-reshape", "%sum entry-result"}, others)
}

// Of many arrays that are tied together by few causes, not all are examined.
func TestOthersAreBounded(t *testing.T) {
	lines := []string{"HloModule m, is_scheduled=true\n\nENTRY %e {", "  %p = f32[8,128]{1,0:T(8,128)} parameter(0)",
		"  %s = f32[8,128]{1,0:T(8,128)} negate(%p)"}
	for range maxLooked {
		lines = append(lines, strings.ReplaceAll("  %n#  = f32[8,128]{1,0:T(8,128)} negate(%s)", "#",
			strconv.Itoa(len(lines))))
	}
	lines = append(lines, "  ROOT %r = f32[8,128]{1,0:T(8,128)} exponential(%s)\n}\n")
	m, err := parser.Parse("m.hlo", strings.Join(lines, "\n"))
	require.NoError(t, err)
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	r := Of(m, v5e, entry.AsWritten)
	in, _ := m.Find("s")
	chain := r.Chains.Of(in, nil)
	list, more := r.Others(in, nil, &chain[len(chain)-1])
	assert.Less(t, len(list), maxOthers)
	assert.True(t, more)
}
