package folding_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
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

// element is a gather of single elements that two components place.
const element = "slice slice broadcast broadcast clamp shift-left broadcast clamp broadcast shift-left or reshape " +
	"fusion reshape "

// columnsPut returns a scatter of so many columns into eight, from one on.
func columnsPut(columns, from int) string {
	return fmt.Sprintf(`
  a = f32[4,8]{1,0} parameter(0)
  u = f32[4,%d]{1,0} parameter(1)
  i = s32[1]{0} constant({%d})
  ROOT s = f32[4,8]{1,0} scatter(a, i, u), update_window_dims={0,1}, inserted_window_dims={}, `+
		`scatter_dims_to_operand_dims={1}, index_vector_dim=0, to_apply=put`, columns, from)
}

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
	{"one window at a constant place below {0, 6}", columnsPut(2, 3),
		"iota0 broadcast multiply iota0 broadcast multiply compare reduce{0} slice broadcast select dynamic-update-slice"},
	{"one window at the first place below {0, 1}", columnsPut(7, 0), "dynamic-update-slice"},
	{"one window at the last place below {0, 1}", columnsPut(7, 1), "dynamic-update-slice"},
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
		"dynamic-slice dynamic-update-slice"},
	{"one row at a constant place, among the rows", `
  a = f32[6,4,3]{2,1,0} parameter(0)
  i = s32[1,1]{1,0} constant({ {2} })
  ROOT g = f32[6,1,3]{2,1,0} gather(a, i), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, ` +
		`index_vector_dim=1, slice_sizes={6,1,3}`, "slice"},
	{"one element at a constant place", `
  a = f32[6,4]{1,0} parameter(0)
  i = s32[1,2]{1,0} constant({ {3, 1} })
  r = s32[1,1,2]{2,1,0} reshape(i)
  ROOT g = f32[1,1,1]{2,1,0} gather(a, r), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={0,1}, ` +
		`index_vector_dim=2, slice_sizes={1,1}`, "slice reshape"},
	{"one row, added among the rows", `
  a = f32[6,4,3]{2,1,0} parameter(0)
  i = s32[1,1]{1,0} constant({ {2} })
  u = f32[6,1,3]{2,1,0} parameter(1)
  ROOT s = f32[6,4,3]{2,1,0} scatter(a, i, u), update_window_dims={0,2}, inserted_window_dims={1}, ` +
		`scatter_dims_to_operand_dims={1}, index_vector_dim=1, to_apply=add`, "slice add dynamic-update-slice"},
	{"one row", `
  a = f32[4,8]{1,0} parameter(0)
  u = f32[8]{0} parameter(1)
  i = s32[1]{0} parameter(2)
  ROOT s = f32[4,8]{1,0} scatter(a, i, u), update_window_dims={0}, inserted_window_dims={0}, ` +
		`scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=add`,
		"reshape reshape concatenate{0} broadcast compare compare and reduce{0} dynamic-slice add broadcast select " +
			"dynamic-update-slice"},
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
		`index_vector_dim=0, slice_sizes={1,8}`, "slice reshape slice reshape dynamic-slice reshape"},
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
	{"windows around the dimension of their indices", `
  a = f32[5,4,9]{2,1,0} parameter(0)
  i = s32[7,2]{1,0} parameter(1)
  ROOT g = f32[2,7,3]{2,1,0} gather(a, i), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={2,0}, ` +
		`index_vector_dim=1, slice_sizes={2,1,3}`, "broadcast tuple while get-tuple-element transpose{1,0,2}"},
	{"windows around the dimension of their indices, added", `
  a = f32[5,4,9]{2,1,0} parameter(0)
  i = s32[7,2]{1,0} parameter(1)
  u = f32[2,7,3]{2,1,0} parameter(2)
  ROOT s = f32[5,4,9]{2,1,0} scatter(a, i, u), update_window_dims={0,2}, inserted_window_dims={1}, ` +
		`scatter_dims_to_operand_dims={2,0}, index_vector_dim=1, to_apply=add`,
		"transpose{1,0,2} tuple while get-tuple-element"},
	{"elements of a batch in a later dimension than their place, by unsigned indices", `
  a = f32[33,7]{1,0} parameter(0)
  i = u32[33,7,1]{2,1,0} parameter(1)
  u = f32[33,7]{1,0} parameter(2)
  ROOT s = f32[33,7]{1,0} scatter(a, i, u), update_window_dims={}, inserted_window_dims={0}, ` +
		`scatter_dims_to_operand_dims={0}, input_batching_dims={1}, scatter_indices_batching_dims={1}, ` +
		`index_vector_dim=2, to_apply=add`, "reshape iota1 concatenate{2} reshape tuple while get-tuple-element"},
	{"rows whose components are not in the table's order", `
  a = f32[9,7,5]{2,1,0} parameter(0)
  i = s32[50,2]{1,0} parameter(1)
  u = f32[50,5]{1,0} parameter(2)
  ROOT s = f32[9,7,5]{2,1,0} scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0,1}, ` +
		`scatter_dims_to_operand_dims={1,0}, index_vector_dim=1, to_apply=add`, "tuple while get-tuple-element"},
	{"windows that a gather fetches", `
  a = f32[3,6,8]{2,1,0} parameter(0)
  i = s32[3,1]{1,0} parameter(1)
  ROOT g = f32[3,4,8]{2,1,0} gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={1}, ` +
		`operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,4,8}`,
		"iota0 broadcast broadcast clamp shift-left clamp shift-left or reshape fusion"},
	{"windows of as many tiles as a gather fetches", `
  a = f32[2,400,128]{2,1,0} parameter(0)
  i = s32[2,1]{1,0} parameter(1)
  ROOT g = f32[2,256,128]{2,1,0} gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={1}, ` +
		`operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,256,128}`,
		"iota0 broadcast broadcast clamp shift-left broadcast clamp shift-left or reshape fusion"},
	{"windows that take a placed dimension whole", `
  a = f32[5,8,16]{2,1,0} parameter(0)
  x = s32[5,20,1]{2,1,0} parameter(1)
  z = s32[] constant(0)
  y = s32[5,20,1]{2,1,0} broadcast(z), dimensions={}
  i = s32[5,20,2]{2,1,0} concatenate(x, y), dimensions={2}
  ROOT g = f32[5,20,1,16]{3,2,1,0} gather(a, i), offset_dims={2,3}, collapsed_slice_dims={}, start_index_map={1,2}, ` +
		`operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,16}`,
		"broadcast iota0 broadcast clamp shift-left broadcast clamp broadcast shift-left or reshape fusion reshape"},
	{"windows of two elements", `
  a = f32[8,13]{1,0} parameter(0)
  i = s32[9,2]{1,0} parameter(1)
  ROOT g = f32[9,1,2]{2,1,0} gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, ` +
		`index_vector_dim=1, slice_sizes={1,2}`, "broadcast{1} minimum broadcast maximum " + element +
		"iota1 add slice slice clamp shift-left clamp shift-left or reshape fusion reshape concatenate{2}"},
	{"windows of three elements, one in each row", `
  a = f32[2,130]{1,0} parameter(0)
  i = s32[2]{0} parameter(1)
  ROOT g = f32[2,3]{1,0} gather(a, i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={1}, ` +
		`operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,3}`,
		"reshape iota0 concatenate{1} broadcast{1} minimum broadcast maximum slice slice broadcast broadcast clamp " +
			"shift-left broadcast clamp shift-left or reshape fusion reshape " +
			"iota1 add slice slice clamp shift-left clamp shift-left or reshape fusion reshape " +
			"iota1 add slice slice clamp shift-left clamp shift-left or reshape fusion reshape concatenate{1}"},
	{"windows of five elements", `
  a = f32[8,13]{1,0} parameter(0)
  i = s32[9,2]{1,0} parameter(1)
  ROOT g = f32[9,5]{1,0} gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, ` +
		`index_vector_dim=1, slice_sizes={1,5}`, "broadcast tuple while get-tuple-element"},
	{"windows of two elements in other dimensions than the last one", `
  a = f32[8,13]{1,0} parameter(0)
  i = s32[9,2]{1,0} parameter(1)
  ROOT g = f32[9,2]{1,0} gather(a, i), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={0,1}, ` +
		`index_vector_dim=1, slice_sizes={2,1}`, "broadcast tuple while get-tuple-element"},
	{"windows above whole dimensions", `
  a = f32[9,6,7]{2,1,0} parameter(0)
  i = s32[4,1]{1,0} parameter(1)
  ROOT g = f32[4,5,6,7]{3,2,1,0} gather(a, i), offset_dims={1,2,3}, collapsed_slice_dims={}, ` +
		`start_index_map={0}, index_vector_dim=1, slice_sizes={5,6,7}`, "reshape fusion"},
	{"windows above whole dimensions, of more tiles than a gather fetches", `
  a = f32[90,60,70]{2,1,0} parameter(0)
  i = s32[4,1]{1,0} parameter(1)
  ROOT g = f32[4,33,60,70]{3,2,1,0} gather(a, i), offset_dims={1,2,3}, collapsed_slice_dims={}, ` +
		`start_index_map={0}, index_vector_dim=1, slice_sizes={33,60,70}`, "broadcast tuple while get-tuple-element"},
	{"windows of a complex vector", `
  a = c64[100]{0} parameter(0)
  i = s32[9,1]{1,0} parameter(1)
  ROOT g = c64[9,30]{1,0} gather(a, i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, ` +
		`index_vector_dim=1, slice_sizes={30}`, "broadcast complex tuple while get-tuple-element"},
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

// A scatter whose attributes do not fit its shapes stays.
func TestWindowsOutOfPlace(t *testing.T) {
	for _, dims := range []string{"2", "9", ""} {
		s := folding.Simplify(parse(t, combinations+`ENTRY main {
  a = f32[8,6]{1,0} parameter(0)
  i = s32[1,1]{1,0} parameter(1)
  u = f32[1,6]{1,0} parameter(2)
  ROOT s = f32[8,6]{1,0} scatter(a, i, u), update_window_dims={`+dims+`}, inserted_window_dims={0}, `+
			`scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
}`), target(t, "v5e"))
		assert.Equal(t, "scatter", opcodes(s.Module), dims)
	}
}

// TestWindowsComputeTheSame runs them, and random ones, on XLA's CPU backend before and after, with indices inside and
// outside of the table. It skips without XLA.
func TestWindowsComputeTheSame(t *testing.T) {
	programs := map[string]string{}
	add := func(name, entry string) { programs[name] = combinations + "ENTRY main {" + entry + "\n}\n" }
	for _, c := range windows {
		add(strings.ReplaceAll(c.name, " ", "_"), c.entry)
	}
	for seed := range uint64(60) {
		add(fmt.Sprint("random_", seed), randomWindows(rand.New(rand.NewPCG(seed, 0))))
	}
	out := semantics(t, programs)
	assert.Equal(t, len(programs), strings.Count(out, " equal\n"), "%s", out)
}

// randomWindows returns an entry with a gather of random dimensions, or a scatter.
func randomWindows(r *rand.Rand) string {
	var table, batch, size, kept, rows []int
	var single, placed, batching, batchedBy []int
	for d := range 1 + r.IntN(3) {
		n := 1 + r.IntN(6)
		table = append(table, n)
		switch r.IntN(4) {
		case 0:
			batching, batchedBy = append(batching, d), append(batchedBy, len(batch))
			batch, size = append(batch, n), append(size, 1)
		case 1:
			single, placed, size = append(single, d), append(placed, d), append(size, 1)
		case 2:
			placed = append(placed, d)
			fallthrough
		default:
			w := 1 + r.IntN(n)
			size, kept = append(size, w), append(kept, w)
		}
	}
	for range r.IntN(2) {
		batch = append(batch, 1+r.IntN(3))
	}
	r.Shuffle(len(placed), func(i, j int) { placed[i], placed[j] = placed[j], placed[i] })
	vector := r.IntN(len(batch) + 1)
	indices := slices.Insert(slices.Clone(batch), vector, len(placed))
	for i := range batchedBy {
		if batchedBy[i] >= vector {
			batchedBy[i]++
		}
	}
	rank := len(batch) + len(kept)
	offset := r.Perm(rank)[:len(kept)]
	slices.Sort(offset)
	if r.IntN(2) == 0 {
		for i := range offset {
			offset[i] = len(batch) + i
		}
	}
	for d, b, k := 0, 0, 0; d < rank; d++ {
		if slices.Contains(offset, d) {
			rows, k = append(rows, kept[k]), k+1
		} else {
			rows, b = append(rows, batch[b]), b+1
		}
	}
	list := func(ns []int) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(ns), "[]"), " ", ",") }
	text := fmt.Sprintf("\n  a = f32[%s] parameter(0)\n  i = s32[%s] parameter(1)\n", list(table), list(indices))
	if r.IntN(2) == 0 {
		return text + fmt.Sprintf("  ROOT g = f32[%s] gather(a, i), offset_dims={%s}, collapsed_slice_dims={%s}, "+
			"start_index_map={%s}, operand_batching_dims={%s}, start_indices_batching_dims={%s}, index_vector_dim=%d, "+
			"slice_sizes={%s}", list(rows), list(offset), list(single), list(placed), list(batching), list(batchedBy),
			vector, list(size))
	}
	return text + fmt.Sprintf("  u = f32[%s] parameter(2)\n  ROOT s = f32[%s] scatter(a, i, u), update_window_dims={%s}, "+
		"inserted_window_dims={%s}, scatter_dims_to_operand_dims={%s}, input_batching_dims={%s}, "+
		"scatter_indices_batching_dims={%s}, index_vector_dim=%d, to_apply=add", list(rows), list(table), list(offset),
		list(single), list(placed), list(batching), list(batchedBy), vector)
}

// A scatter that combines by more than an operation stays.
func TestWindowsThatStay(t *testing.T) {
	for _, root := range []string{"negate(x)", "subtract(y, x)"} {
		text := strings.Replace(combinations+"ENTRY main {"+windows[1].entry+"\n}\n", "add(x, y)", root, 1)
		s := folding.Simplify(parse(t, text), target(t, "v5e"))
		assert.Equal(t, hlo.OpScatter, s.Module.Entry.Root.Opcode, root)
	}
}

// A gather of one window comes after reshapes are hoisted: of a cross entropy with labels, what says which are inside
// keeps the dimensions that it has in the program.
func TestLabels(t *testing.T) {
	m := folding.Simplify(parse(t, `HloModule m
and {
  p = pred[] parameter(0)
  q = pred[] parameter(1)
  ROOT r = pred[] and(p, q)
}
ENTRY main {
  a = f32[14,100]{1,0} parameter(0)
  x = s32[14]{0} parameter(1)
  c = s32[14,1]{1,0} reshape(x)
  zero = s32[] constant(0)
  z = s32[14,1]{1,0} broadcast(zero), dimensions={}
  below = pred[14,1]{1,0} compare(c, z), direction=LT
  size = s32[] constant(100)
  n = s32[14,1]{1,0} broadcast(size), dimensions={}
  from_end = s32[14,1]{1,0} add(c, n)
  at = s32[14,1]{1,0} select(below, from_end, c)
  i = s32[14,1,1]{2,1,0} reshape(at)
  zz = s32[14,1,1]{2,1,0} broadcast(zero), dimensions={}
  ge = pred[14,1,1]{2,1,0} compare(i, zz), direction=GE
  last = s32[] constant(99)
  nn = s32[14,1,1]{2,1,0} broadcast(last), dimensions={}
  le = pred[14,1,1]{2,1,0} compare(i, nn), direction=LE
  both = pred[14,1,1]{2,1,0} and(ge, le)
  true = pred[] constant(true)
  inside = pred[14,1]{1,0} reduce(both, true), dimensions={2}, to_apply=and
  g = f32[14,1]{1,0} gather(a, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1},
    operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}
  nan = f32[] constant(nan)
  d = f32[14,1]{1,0} broadcast(nan), dimensions={}
  s = f32[14,1]{1,0} select(inside, g, d)
  k = s32[1]{0} constant({0})
  ROOT r = f32[14]{0} gather(s, k), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1},
    index_vector_dim=0, slice_sizes={14,1}
}
`), target(t, "v5e")).Module
	checked(t, m)
	for _, in := range m.Entry.Instructions {
		if in.Opcode == hlo.OpAnd {
			assert.Equal(t, []int64{14, 1}, in.Shape.Dims)
		}
	}
}
