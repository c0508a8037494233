package folding_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/internal/oracle"
	"hlolayout/passes/folding"
	"hlolayout/printer"
)

const combinations = `HloModule m

put {
  x = f32[] parameter(0)
  ROOT y = f32[] parameter(1)
}

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

`

// windows are scatters and gathers, with what is left of them.
var windows = []struct{ name, entry, want string }{
	{"one window at a constant place", `
  a = f32[4,8]{1,0} parameter(0)
  u = f32[2,8]{1,0} parameter(1)
  c = s32[] constant(1)
  i = s32[1]{0} broadcast(c), dimensions={}
  ROOT s = f32[4,8]{1,0} scatter(a, i, u), update_window_dims={0,1}, inserted_window_dims={}, ` +
		`scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=put`, "dynamic-update-slice"},
	{"one window added at a constant place", `
  a = f32[4,8]{1,0} parameter(0)
  u = f32[2,8]{1,0} parameter(1)
  i = s32[2]{0} constant({1, 0})
  ROOT s = f32[4,8]{1,0} scatter(a, i, u), update_window_dims={0,1}, inserted_window_dims={}, ` +
		`scatter_dims_to_operand_dims={0,1}, index_vector_dim=0, to_apply=add`, "slice add dynamic-update-slice"},
	{"one window into zeros", `
  u = f32[2,8]{1,0} parameter(0)
  z = f32[] constant(0)
  a = f32[4,8]{1,0} broadcast(z), dimensions={}
  i = s32[1]{0} constant({2})
  ROOT s = f32[4,8]{1,0} scatter(a, i, u), update_window_dims={0,1}, inserted_window_dims={}, ` +
		`scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=put`, "pad"},
	{"one window out of the table", `
  a = f32[4,8]{1,0} parameter(0)
  u = f32[2,8]{1,0} parameter(1)
  i = s32[1]{0} constant({3})
  ROOT s = f32[4,8]{1,0} scatter(a, i, u), update_window_dims={0,1}, inserted_window_dims={}, ` +
		`scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=put`,
		"reshape compare compare and dynamic-slice broadcast select dynamic-update-slice"},
	{"one row", `
  a = f32[4,8]{1,0} parameter(0)
  u = f32[8]{0} parameter(1)
  i = s32[1]{0} parameter(2)
  ROOT s = f32[4,8]{1,0} scatter(a, i, u), update_window_dims={0}, inserted_window_dims={0}, ` +
		`scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=add`,
		"reshape reshape compare compare and dynamic-slice add broadcast select dynamic-update-slice"},
	{"windows of a batch", `
  a = f32[3,6,8]{2,1,0} parameter(0)
  u = f32[3,2,8]{2,1,0} parameter(1)
  i = s32[3,2]{1,0} parameter(2)
  ROOT s = f32[3,6,8]{2,1,0} scatter(a, i, u), update_window_dims={1,2}, inserted_window_dims={}, ` +
		`scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, scatter_indices_batching_dims={0}, ` +
		`index_vector_dim=1, to_apply=put`, "iota0 concatenate{1} tuple while get-tuple-element"},
	{"windows added in two dimensions of a batch", `
  a = f32[6,8]{1,0} parameter(0)
  u = f32[3,2,2,8]{3,2,1,0} parameter(1)
  i = s32[3,2]{1,0} parameter(2)
  ROOT s = f32[6,8]{1,0} scatter(a, i, u), update_window_dims={2,3}, inserted_window_dims={}, ` +
		`scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=add`,
		"reshape reshape tuple while get-tuple-element"},
	{"one window of a gather", `
  a = f32[4,8]{1,0} parameter(0)
  i = s32[2]{0} parameter(1)
  ROOT g = f32[8]{0} gather(a, i), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0,1}, ` +
		`index_vector_dim=0, slice_sizes={1,8}`, "reshape slice reshape slice reshape dynamic-slice reshape"},
	{"one window of a gather at a constant place", `
  a = f32[4,8]{1,0} parameter(0)
  i = s32[2]{0} constant({2, 3})
  ROOT g = f32[2,4]{1,0} gather(a, i), offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={0,1}, ` +
		`index_vector_dim=0, slice_sizes={2,4}`, "slice"},
	{"crops of a batch", `
  a = f32[3,6,8]{2,1,0} parameter(0)
  i = s32[3,2]{1,0} parameter(1)
  ROOT g = f32[3,4,5]{2,1,0} gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={1,2}, ` +
		`operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,4,5}`,
		"broadcast iota0 concatenate{1} tuple while get-tuple-element"},
	{"parts of rows that no index places", `
  a = f32[6,8]{1,0} parameter(0)
  i = s32[3]{0} parameter(1)
  ROOT g = f32[3,5]{1,0} gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, ` +
		`index_vector_dim=1, slice_sizes={1,5}`, "broadcast reshape tuple while get-tuple-element"},
	{"windows that a gather fetches", `
  a = f32[3,6,8]{2,1,0} parameter(0)
  i = s32[3,1]{1,0} parameter(1)
  ROOT g = f32[3,4,8]{2,1,0} gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={1}, ` +
		`operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,4,8}`,
		"gather"},
	{"windows of many bytes", `
  a = f32[2,400,128]{2,1,0} parameter(0)
  i = s32[2,1]{1,0} parameter(1)
  ROOT g = f32[2,257,128]{2,1,0} gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={1}, ` +
		`operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,257,128}`,
		"broadcast iota0 concatenate{1} tuple while get-tuple-element"},
}

// TestWindows: gathers and scatters that the compiler expands become slices or loops, and others stay.
func TestWindows(t *testing.T) {
	for _, c := range windows {
		s := folding.Simplify(parse(t, combinations+"ENTRY main {"+c.entry+"\n}\n"), target(t, "v5e"))
		assert.Equal(t, c.want, opcodes(s.Module), c.name)
		checked(t, s.Module)
	}
}

// TestWindowsComputeTheSame runs them on XLA's CPU backend before and after, with indices inside and outside of the
// table. It skips without XLA.
func TestWindowsComputeTheSame(t *testing.T) {
	python, dir := oracle.Python(t, "../.."), t.TempDir()
	for _, c := range windows {
		text := combinations + "ENTRY main {" + c.entry + "\n}\n"
		stem := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "_"))
		require.NoError(t, os.WriteFile(stem+".hlo", []byte(text), 0o666))
		s := folding.Simplify(parse(t, text), target(t, "v5e"))
		require.NoError(t, os.WriteFile(stem+".assigned", []byte(printer.Print(s.Module)), 0o666))
	}
	out, err := exec.Command(python, "../../testdata/oracle/semantics.py", dir).Output()
	require.NoError(t, err)
	assert.Equal(t, len(windows), strings.Count(string(out), " equal\n"), "%s", out)
}

// A scatter whose windows leave the table's order, or that combines by more than an operation, stays.
func TestWindowsThatStay(t *testing.T) {
	for _, root := range []string{"negate(x)", "subtract(y, x)"} {
		text := strings.Replace(combinations+"ENTRY main {"+windows[1].entry+"\n}\n", "add(x, y)", root, 1)
		s := folding.Simplify(parse(t, text), target(t, "v5e"))
		assert.Equal(t, hlo.OpScatter, s.Module.Entry.Root.Opcode, root)
	}
}
