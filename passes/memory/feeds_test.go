package memory

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/tpu"
)

func logOf(t *testing.T, name string) (*hlo.Module, *cost) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/memory/" + name + ".hlo")
	require.NoError(t, err)
	m, err := parser.Parse(name, string(text))
	require.NoError(t, err)
	target, err := tpu.ByName("v7x")
	require.NoError(t, err)
	a, err := Analyze(m, target)
	require.NoError(t, err)
	return m, a.e.c
}

func named(m *hlo.Module, name string) *hlo.Instruction {
	i := slices.IndexFunc(m.Entry.Instructions, func(in *hlo.Instruction) bool { return in.Name == name })
	if i < 0 {
		return nil
	}
	return m.Entry.Instructions[i]
}

// What windows of these fusions take of scratch memory at first, what of the result they have in the end, and their
// cycles are those of the compiler's log (eif_cover_chunks, window_bounds, RV) of the programs that they were cut from.
func TestLogOfWindows(t *testing.T) {
	m, c := logOf(t, "windows")
	for _, want := range []struct {
		name   string
		first  float64 // chunks; 0 where there is no product
		result []int64 // nil for the whole
		cycles float64 // 0 where those of the log are others
	}{
		{"gelu", 579, []int64{896, 320, 1}, 4592},
		{"sliced", 15, nil, 0},
		{"padded", 77, nil, 108},
		{"padded_renamed", 156, []int64{33, 32, 7, 64}, 15572.5},
		{"inner_product", 908, nil, 14994},
		{"inner_window", 1491, []int64{32, 1, 9, 64}, 0},
		{"two_indices", 252, []int64{7, 257, 1152}, 12096},
		{"unaligned", 349, []int64{32, 9, 14, 128}, 7558},
		{"updated", 437, nil, 648},
		{"major_order", 29, nil, 3132},
		{"swept_operand", 29, nil, 934},
		{"small_tiles", 64, nil, 676},
		{"max_of_lanes", 0, nil, 128},
		{"max_of_rows", 0, nil, 2820},
		{"sum_of_rows", 0, nil, 84},
		{"positions_of_one", 27, []int64{1, 300, 4, 64}, 0},
		{"pairs_of_pairs", 71, []int64{8, 6, 32, 169}, 4224},
		{"rows_of_image", 156, []int64{25, 32, 7, 64}, 11353},
		{"padded_inside", 89, nil, 340},
		{"one_row_of_two", 45, nil, 11384},
		{"row_tiles", 19, nil, 154},
		{"third_dimension", 603, []int64{1, 3, 128, 128, 1}, 0},
		{"every_second", 40, []int64{24, 116, 48}, 0},
		{"shifted_rows", 0, nil, 848},
		{"nested", 2736, []int64{4, 256, 384}, 32848},
		{"turned_addend", 40, []int64{2, 32, 72, 72}, 0},
		{"one_row", 524295, nil, 690303},
		{"each_feature", 0, nil, 5748},
	} {
		in := named(m, want.name)
		require.NotNil(t, in, want.name)
		if want.cycles > 0 {
			assert.InEpsilon(t, want.cycles, c.timed(in).seconds*c.dev.clock, .003, "cycles of %s", want.name)
		}
		if want.first == 0 {
			continue
		}
		w := c.windowsOf(in, c.fusion(in))
		first := extents{0, everything, 0, w.each(1), w.each(everything), w.each(0)}
		assert.InDelta(t, want.first, w.takes(&first), 0, "first window of %s", want.name)
		if want.result == nil {
			want.result = w.arrays[resultOf].Dims
		}
		assert.Equal(t, want.result, w.window(resultOf, &w.extents), "windows of %s", want.name)
	}
}

// Windows of four of eight rows, which are not the rows of the array, read both tiles of rows of what an inner fusion
// of an inner product spreads: so the log has it.
func TestRowsOfInnerProducts(t *testing.T) {
	m, c := logOf(t, "windows")
	in := named(m, "nested")
	at := slices.IndexFunc(c.v.g.nodes, func(n node) bool { return n.in == in })
	u := c.v.g.use0[at]
	assert.Equal(t, []float32{32768, 32768, 24576, 24576}, []float32{c.read[u+4], c.read[u+5], c.read[u+8], c.read[u+9]})
}

// What softmax's maxima and sums of whole dimensions take is the log's (conv_compute, and the loads of activations).
func TestSweeping(t *testing.T) {
	m, c := logOf(t, "windows")
	for name, want := range map[string]bundle{
		"max_of_lanes": {either: 48, loads: 64, turns: 32},
		"max_of_rows":  {either: 960, loads: 768},
		"sum_of_rows":  {second: 20, either: 4, loads: 8},
	} {
		for _, in := range named(m, name).CalledBy("calls").Instructions {
			if in.Opcode == hlo.OpReduceWindow {
				assert.Equal(t, want, c.sweeping(in), name)
			}
		}
	}
}

// An update in place writes itself, and takes either vector unit once for each register: so the log has it.
func TestWritingUpdates(t *testing.T) {
	m, c := logOf(t, "windows")
	f := c.fusion(named(m, "updated"))
	assert.Equal(t, bundle{either: 144, stores: 144}, f.after)
}

// What windows of these fusions read of a parameter and their cycles are those of the compiler's log of the programs
// that they were cut from: windows that begin in the middle of a tile, or have a part of what is added up, what inner
// fusions read, and what is broadcast.
func TestLogOfReads(t *testing.T) {
	_, c := logOf(t, "reads")
	for _, want := range []struct {
		name      string
		parameter int
		bytes     float32
		cycles    float64
	}{
		{"split_batch", 4, 65536, 14528},
		{"packed_rows", 0, 4128768, 15880},
		{"packed_rows", 3, 73728, 15880},
		{"list_tiles", 7, 16384, 37512},
		{"list_rows", 2, 2048, 0},
		{"split_positions", 9, 57344, 14112},
		{"batch_groups", 5, 22937600, 30198},
		{"one_row", 1, 9216, 4183},
		{"inner_rename", 1, 3145728, 2688},
		{"inner_copy", 1, 393216, 912},
		{"own_order", 6, 262144, 21806},
		{"slices", 0, 1712128, 14212},
		{"besides_rows", 1, 655360, 2101.5},
		{"mask_of_rows", 3, 1024, 25085},
		{"shifted", 0, 2097152, 18048},
		{"taken", 1, 8388608, 10824},
		{"spread_operand", 1, 65536, 108928},
		{"split_pairs", 1, 405504, 41299.5},
		{"other_sizes", 1, 16384, 0},
		{"taken_twice", 5, 4194304, 0},
		{"placed", 1, 1024, 0},
		{"place_of_inner", 1, 2048, 0},
		{"mask_once", 1, 16384, 0},
	} {
		in := named(c.v.g.m, want.name)
		require.NotNil(t, in, want.name)
		at := slices.IndexFunc(c.v.g.nodes, func(n node) bool { return n.in == in })
		assert.Equal(t, want.bytes, c.read[int(c.v.g.use0[at])+want.parameter], "bytes of %s", want.name)
		if want.cycles > 0 {
			assert.InEpsilon(t, want.cycles, c.timed(in).seconds*c.dev.clock, .002, "cycles of %s", want.name)
		}
	}
}

// Pooling waits for memory.
func TestPooling(t *testing.T) {
	for window, want := range map[string]bool{
		"size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0": false,
		"size=1x1x4x1 stride=1x1x4x1":                     false,
		"size=1x1x7x1 pad=0_0x0_0x3_3x0_0":                true,
	} {
		m, err := parser.Parse("pooling", `HloModule pooling, is_scheduled=true

%max {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] maximum(%a, %b)
}

ENTRY %main {
  %x = f32[16,64,4,32]{3,2,1,0:T(4,128)} parameter(0)
  %least = f32[] constant(-inf)
  ROOT %y = f32[16,64,4,32]{3,2,1,0:T(4,128)} reduce-window(%x, %least), window={`+window+`}, to_apply=%max
}
`)
		require.NoError(t, err)
		assert.Equal(t, want, sweeps(m.Entry.Root), window)
	}
}
