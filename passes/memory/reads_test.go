package memory

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/tpu"
)

func engineOf(t *testing.T, text, generation string) *engine {
	t.Helper()
	m, err := parser.Parse("test.hlo", text)
	require.NoError(t, err)
	target, err := tpu.ByName(generation)
	require.NoError(t, err)
	a, err := Analyze(m, target)
	require.NoError(t, err)
	return a.e
}

// Slices and updates read and write what they take, of their start indices one; a fusion does not read a parameter that
// nothing in it uses, and reads once what several instructions use, by another name too.
func TestBytesReadAndWritten(t *testing.T) {
	e := engineOf(t, `HloModule reads, is_scheduled=true

%body {
  %p = f32[64,1024]{1,0:T(8,128)} parameter(0)
  %unused = f32[64,1024]{1,0:T(8,128)} parameter(1)
  ROOT %n = f32[64,1024]{1,0:T(8,128)} negate(%p)
}

%stacked {
  %s = f32[4,64,1024]{2,1,0:T(8,128)} parameter(0)
  %p = f32[64,1024]{1,0:T(8,128)} parameter(1)
  %i = s32[]{:T(128)} parameter(2)
  %n = f32[64,1024]{1,0:T(8,128)} negate(%p)
  %b = f32[1,64,1024]{2,1,0:T(8,128)} bitcast(%p)
  %u = f32[4,64,1024]{2,1,0:T(8,128)} dynamic-update-slice(%s, %b, %i, %i, %i)
  ROOT %r = (f32[64,1024]{1,0:T(8,128)}, f32[4,64,1024]{2,1,0:T(8,128)}) tuple(%n, %u)
}

ENTRY %main {
  %a = f32[64,1024]{1,0:T(8,128)} parameter(0)
  %i = s32[]{:T(128)} parameter(1)
  %stack = f32[4,64,1024]{2,1,0:T(8,128)} parameter(2)
  %both = (f32[64,1024]{1,0:T(8,128)}, f32[4,64,1024]{2,1,0:T(8,128)}) fusion(%stack, %a, %i),
    kind=kLoop, calls=%stacked
  %part = f32[8,1024]{1,0:T(8,128)} dynamic-slice(%a, %i, %i), dynamic_slice_sizes={8,1024}
  %all = f32[64,1024]{1,0:T(8,128)} dynamic-update-slice(%a, %part, %i, %i)
  %first = f32[8,1024]{1,0:T(8,128)} slice(%all), slice={[0:8], [0:1024]}
  ROOT %f = f32[64,1024]{1,0:T(8,128)} fusion(%all, %a), kind=kLoop, calls=%body
}
`, "v5e")
	const all, part, index = 64 * 1024 * 4, 8 * 1024 * 4, 512
	for name, want := range map[string]struct{ read, wrote []float32 }{
		"part":  {[]float32{part, index, 0}, []float32{part}},
		"all":   {[]float32{0, part, index, 0}, []float32{part}},
		"first": {[]float32{part}, []float32{part}},
		"f":     {[]float32{all, 0}, []float32{all}},
		"both":  {[]float32{0, all, index}, []float32{all, all}},
	} {
		for at := range e.g.nodes {
			if e.g.nodes[at].in.Name == name {
				assert.Equal(t, want.read, e.c.read[e.g.use0[at]:e.g.use0[at+1]], name)
				assert.Equal(t, want.wrote, e.c.wrote[e.g.leaf0[at]:e.g.leaf0[at+1]], name)
			}
		}
	}
}

// A fusion that carries a collective on moves what is its own; flags count as a tile each. The seconds are those of
// the compiler's log of this module.
func TestBytesBesideACollective(t *testing.T) {
	text, err := os.ReadFile("../../testdata/memory/v5e.gathered.pre_msa.hlo")
	require.NoError(t, err)
	e := engineOf(t, string(text), "v5e")
	for name, seconds := range map[string]float64{"async-collective-start": 2.11002e-07, "fusion.9": 2.66529e-07,
		"async-collective-done": 2.77634e-07, "fusion": 3.99794e-07} {
		at := slices.IndexFunc(e.g.nodes, func(n node) bool { return n.in.Name == name })
		require.GreaterOrEqual(t, at, 0, name)
		assert.InEpsilon(t, seconds, e.c.elapsed[at], 1e-5, name)
	}
}

// A fusion reads the constants in it that have more than one element, not on v6e and v7x.
func TestBytesOfTables(t *testing.T) {
	const text = `HloModule tables, is_scheduled=true

%body {
  %p = f32[64,1024]{1,0:T(8,128)} parameter(0)
  %table = u32[4]{0:T(128)} constant({0, 1, 0, 1})
  %i = u32[]{:T(128)} constant(1)
  %part = u32[1]{0:T(128)} dynamic-slice(%table, %i), dynamic_slice_sizes={1}
  %at = u32[]{:T(128)} bitcast(%part)
  ROOT %d = f32[8,1024]{1,0:T(8,128)} dynamic-slice(%p, %at, %i), dynamic_slice_sizes={8,1024}
}

ENTRY %main {
  %p = f32[64,1024]{1,0:T(8,128)} parameter(0)
  ROOT %f = f32[8,1024]{1,0:T(8,128)} fusion(%p), kind=kLoop, calls=%body
}
`
	const part, table = 8 * 1024 * 4, 512
	for generation, want := range map[string]float32{"v4": 2*part + table, "v5e": 2*part + table, "v6e": 2 * part} {
		assert.Equal(t, want, engineOf(t, text, generation).c.total[1], generation)
	}
}

// On v6e and v7x an update reads all its start indices, and tuples are written by fusions alone.
func TestBytesOfTuplesAndUpdates(t *testing.T) {
	const text = `HloModule both, is_scheduled=true

%sum {
  %l = f32[]{:T(128)} parameter(0)
  %r = f32[]{:T(128)} parameter(1)
  ROOT %a = f32[]{:T(128)} add(%l, %r)
}

ENTRY %main {
  %p = f32[64,1024]{1,0:T(8,128)} parameter(0)
  %i = s32[]{:T(128)} parameter(1)
  %q = f32[8,1024]{1,0:T(8,128)} parameter(2)
  %u = f32[64,1024]{1,0:T(8,128)} dynamic-update-slice(%p, %q, %i, %i)
  ROOT %both = (f32[64,1024]{1,0:T(8,128)}, f32[8,1024]{1,0:T(8,128)}) all-reduce(%u, %q), replica_groups={},
    to_apply=%sum
}
`
	const all, part, index = 64 * 1024 * 4, 8 * 1024 * 4, 512
	for generation, want := range map[string][2]float32{"v5e": {2*part + index, 2 * (all + part)},
		"v6e": {2*part + 2*index, all + part}, "v7x": {2*part + 2*index, all + part}} {
		e := engineOf(t, text, generation)
		assert.Equal(t, want[:], e.c.total[3:5], generation)
	}
}

// The model knows the time of a custom call only from the estimate of a Pallas kernel, on v6e and v7x from what the
// kernel moves; a send-done reads what it waits with.
func TestTimesOfCalls(t *testing.T) {
	const array = "f32[64,1024]{1,0:T(8,128)}"
	kernel := func(bytes int) string {
		return `%r = ` + array + ` custom-call(%p), custom_call_target="tpu_custom_call", backend_config=` +
			`{"custom_call_config":{"body":"","cost_estimate":{"flops":788000,"bytes_accessed":` + fmt.Sprint(bytes) + `}}}`
	}
	const all, cycle = 64 * 1024 * 4, 1 / 1.5e9
	for _, c := range []struct {
		line, generation string
		seconds, total   float64
	}{
		{`%r = ` + array + ` custom-call(%p), custom_call_target="Cholesky"`, "v5e", cycle, -1},
		{`%r = ` + array + ` custom-call(%p), custom_call_target="TopK"`, "v5e", 2 * all / 737.66062e9, 2 * all},
		{`%r = ` + array + ` custom-call(), custom_call_target="AllocateBuffer"`, "v5e", cycle, 0},
		{`%r = ` + array + ` custom-call(%p), custom_call_target="tpu_custom_call"`, "v5e", cycle, 0},
		{kernel(73766), "v5e", 73766 / 737.66062e9, 73766},
		{kernel(1), "v5e", 788000 / 197e12, 1},
		{kernel(73766), "v7x", 2 * all / 3686e9, 2 * all},
		{`%r = token[] after-all()`, "v5e", cycle, 0},
		{`%r = token[] send-done(%s), channel_id=1, is_host_transfer=true`, "v5e", 512 / 737.66062e9, 512},
	} {
		e := engineOf(t, `HloModule calls, is_scheduled=true

ENTRY %main {
  %p = `+array+` parameter(0)
  %k = token[] after-all()
  %s = (`+array+`, u32[]{:T(128)}, token[]) send(%p, %k), channel_id=1, is_host_transfer=true
  `+c.line+`
  ROOT %n = `+array+` negate(%p)
}
`, c.generation)
		assert.InEpsilon(t, c.seconds, e.c.elapsed[3], 1e-5, c.line)
		assert.EqualValues(t, c.total, e.c.total[3], c.line)
		if c.total < 0 { // of its operand and result nothing is known either
			assert.Zero(t, e.c.read[e.g.use0[3]], c.line)
			assert.Zero(t, e.c.wrote[e.g.leaf0[3]], c.line)
		}
	}
}

// Large prefetches are cut along the first dimension that is not 1, or the lanes of a single row of tiles: between
// tiles and into four at most on v5e, which end where offsets may be and are no less than a tile, into pieces of 4 MiB
// on v6e, and not at all on v5p.
func TestPieces(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		shape, generation string
		want              []int64
	}{
		{"f32[1024,1024]{1,0:T(8,128)}", "v5e", []int64{mib, mib, mib, mib}},
		{"f32[6,1024,128]{2,1,0:T(8,128)}", "v5e", []int64{mib, mib, mib}},
		{"bf16[5580,128]{1,0:T(8,128)(2,1)}", "v5e", []int64{352 << 10, 352 << 10, 352 << 10, 340 << 10}},
		{"f32[20000,23]{0,1:T(8,128)}", "v5e", nil},
		{"f32[1,3,1024,128]{3,2,1,0:T(8,128)}", "v5e", nil},
		{"f32[16,32768]{1,0:T(8,128)}", "v5e", []int64{mib, mib}},
		{"u8[4,344064]{1,0:T(4,128)(4,1)}", "v5e", []int64{336 << 10, 336 << 10, 336 << 10, 336 << 10}},
		{"f32[5,43044]{1,0:T(8,128)}", "v5e", []int64{340 << 10, 340 << 10, 340 << 10, 328 << 10}},
		{"f32[128,128]{1,0:T(8,128)}", "v5e", nil},
		{"f32[2304,1024]{1,0:T(8,128)}", "v6e", []int64{4 * mib, 4 * mib, mib}},
		{"f32[1024,1024]{1,0:T(8,128)}", "v6e", nil},
		{"f32[2304,1024]{1,0:T(8,128)}", "v5p", nil},
	} {
		e := engineOf(t, "HloModule pieces, is_scheduled=true\n\nENTRY %main {\n  ROOT %a = "+c.shape+" parameter(0)\n}\n",
			c.generation)
		_, size := e.v.leafShape(0)
		assert.Equal(t, c.want, e.pieces(0, size), "%s on %s", c.shape, c.generation)
	}
}

// Copies have four fifths of the time from the parameters on until the last program of SparseCore has its operands.
func TestSharedBandwidth(t *testing.T) {
	const array = "f32[256,128]{1,0:T(8,128)}"
	start := func(name, operand, thread string) string {
		return "%" + name + " = ((" + array + "), " + array + ") async-start(%" + operand + "), " + thread + "calls=%f" + name
	}
	body := func(name string) string {
		return "%f" + name + " {\n  %q = " + array + " parameter(0)\n  ROOT %e = " + array + " exponential(%q)\n}\n\n"
	}
	const sparse = `async_execution_thread="sparsecore", `
	e := engineOf(t, "HloModule m, is_scheduled=true\n\n"+body("s.1")+body("s.2")+body("s.3")+"ENTRY %main {\n  "+
		strings.Join([]string{"%k = f32[]{:T(128)} constant(1)", "%p = " + array + " parameter(0)",
			"%y = " + array + " tanh(%p)", start("s.1", "y", sparse),
			"%n = " + array + " negate(%p)", start("s.2", "n", sparse), "%m = " + array + " cosine(%p)", start("s.3", "m", ""),
			"%d.1 = " + array + " async-done(%s.1)", "%d.2 = " + array + " async-done(%s.2)",
			"%d.3 = " + array + " async-done(%s.3)",
			"ROOT %r = (" + array + ", " + array + ", " + array + ") tuple(%d.1, %d.2, %d.3)"}, "\n  ")+"\n}\n", "v7x")
	for name, want := range map[string]float64{"k": 1, "y": .8, "n": .8, "m": 1} {
		for i := range e.g.nodes {
			if e.g.nodes[i].in.Name == name {
				assert.InEpsilon(t, want*float64(scaled(e.c.elapsed[i])), float64(e.prefetches.free[i]), 1e-6, name)
			}
		}
	}
}

// A prefetch takes the place of the copy of a parameter that one instruction reads.
func TestReplaceableCopy(t *testing.T) {
	const array, large = "f32[256,128]{1,0:T(8,128)}", "f32[4096,1024]{1,0:T(8,128)}"
	for reads, want := range map[string]bool{"p": true, "c": false} {
		e := engineOf(t, "HloModule m, is_scheduled=true\n\nENTRY %main {\n  %p = "+array+" parameter(0)\n  %q = "+large+
			" parameter(1)\n  %c = "+array+" copy(%p)\n  %n = "+large+" negate(%q)\n  %y = "+array+" tanh(%c)\n  %z = "+array+
			" sine(%"+reads+")\n  ROOT %r = ("+array+", "+array+", "+large+") tuple(%y, %z, %n)\n}\n", "v5p")
		assert.Equal(t, want, slices.ContainsFunc(e.placed, func(h *held) bool {
			return h.replaced && e.g.nodes[h.time].in.Name == "c"
		}), reads)
	}
}

// bytesOf returns what an instruction reads and writes, by operand and result.
func bytesOf(t *testing.T, e *engine, name string) (read, wrote []float32) {
	t.Helper()
	at := slices.IndexFunc(e.g.nodes, func(n node) bool { return n.in.Name == name })
	require.GreaterOrEqual(t, at, 0, name)
	return e.c.read[e.g.use0[at]:e.g.use0[at+1]], e.c.wrote[e.g.leaf0[at]:e.g.leaf0[at+1]]
}

// A gather in a fusion writes its own shape, 4 times 80 rows here; an update of a new buffer writes the update.
func TestBytesOfResults(t *testing.T) {
	e := engineOf(t, `HloModule results, is_scheduled=true

%gather {
  %p = f32[3000,384]{1,0:T(8,128)} parameter(0)
  %i = s32[4,77]{1,0:T(4,128)} parameter(1)
  %g = f32[4,77,384]{2,1,0:T(8,128)} gather(%p, %i), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=2, slice_sizes={1,384}
  %t = f32[4,77,384]{2,1,0:T(8,128)} transpose(%g), dimensions={0,1,2}
  ROOT %r = f32[308,384]{1,0:T(8,128)} reshape(%t)
}

%update {
  %new = f32[4,56,128]{2,1,0:T(8,128)} custom-call(), custom_call_target="AllocateBuffer"
  %p = f32[1,56,128]{2,1,0:T(8,128)} parameter(0)
  %n = f32[1,56,128]{2,1,0:T(8,128)} negate(%p)
  %i = s32[] constant(0)
  ROOT %u = f32[4,56,128]{2,1,0:T(8,128)} dynamic-update-slice(%new, %n, %i, %i, %i)
}

ENTRY %main {
  %p = f32[3000,384]{1,0:T(8,128)} parameter(0)
  %i = s32[4,77]{1,0:T(4,128)} parameter(1)
  %part = f32[1,56,128]{2,1,0:T(8,128)} parameter(2)
  %all = f32[4,56,128]{2,1,0:T(8,128)} fusion(%part), kind=kLoop, calls=%update
  ROOT %rows = f32[308,384]{1,0:T(8,128)} fusion(%p, %i), kind=kCustom, calls=%gather
}
`, "v5e")
	_, wrote := bytesOf(t, e, "rows")
	assert.Equal(t, []float32{4 * 80 * 384 * 4}, wrote)
	_, wrote = bytesOf(t, e, "all")
	assert.Equal(t, []float32{56 * 128 * 4}, wrote)
}

// A gather reads its slices with their padding; of rows that are indexed a tile of 8 for each, and of lanes one of 128.
// A scatter takes the same.
func TestBytesOfGathers(t *testing.T) {
	for _, c := range []struct {
		table, indices, result, attrs string
		want                          float32
	}{
		{"f32[2,12,8,128]{3,0,2,1:T(2,128)}", "s32[16]{0:T(128)}", "f32[2,12,16,128]{3,2,1,0:T(8,128)}",
			"0,1,3}, collapsed_slice_dims={2}, start_index_map={2}, index_vector_dim=1, slice_sizes={2,12,1,128}", 196608},
		{"bf16[2560,448]{1,0:T(16,128)(2,1)}", "s32[2,300]{1,0:T(2,128)}", "bf16[2,300,448]{2,1,0:T(8,128)(2,1)}",
			"2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,448}", 4980736},
		{"s32[2,12]{1,0:T(2,128)}", "s32[2,9180,2]{2,1,0:T(8,128)}", "s32[2,9180]{1,0:T(2,128)}",
			"}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=2, slice_sizes={1,1}", 75497472},
		{"pred[20000]{0:T(1024)(128)(4,1)}", "s32[200]{0:T(256)}", "pred[200]{0:T(512)(128)(4,1)}",
			"}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}", 524288},
	} {
		e := engineOf(t, "HloModule gathers, is_scheduled=true\n\nENTRY %main {\n  %p = "+c.table+" parameter(0)\n  %i = "+
			c.indices+" parameter(1)\n  ROOT %g = "+c.result+" gather(%p, %i), offset_dims={"+c.attrs+"\n}\n", "v7x")
		read, _ := bytesOf(t, e, "g")
		assert.Equal(t, c.want, read[0], c.table)
	}
	e := engineOf(t, `HloModule scatters, is_scheduled=true

%or {
  %l = pred[]{:T(512)} parameter(0)
  %r = pred[]{:T(512)} parameter(1)
  ROOT %o = pred[]{:T(512)} or(%l, %r)
}

ENTRY %main {
  %p = pred[320,4]{0,1:T(4,128)(4,1)} parameter(0)
  %i = s32[320,2,2]{2,1,0:T(2,128)} parameter(1)
  %u = pred[320,2]{1,0:T(8,128)(4,1)} parameter(2)
  ROOT %s = pred[320,4]{0,1:T(4,128)(4,1)} scatter(%p, %i, %u), update_window_dims={}, inserted_window_dims={0,1},
    scatter_dims_to_operand_dims={0,1}, index_vector_dim=2, to_apply=%or
}
`, "v7x")
	_, wrote := bytesOf(t, e, "s")
	assert.Equal(t, []float32{41943040}, wrote)
}

// Of what an inner gather takes for an inner scatter nothing counts where it is all that makes the updates, and all of
// it where something else is made of the gather.
func TestBytesOfNestedGathers(t *testing.T) {
	const text = `HloModule nested, is_scheduled=true

%add {
  %l = f32[]{:T(128)} parameter(0)
  %r = f32[]{:T(128)} parameter(1)
  ROOT %a = f32[]{:T(128)} add(%l, %r)
}

%gather {
  %p = f32[64,128]{1,0:T(8,128)} parameter(0)
  %i = s32[512]{0:T(512)} parameter(1)
  ROOT %g = f32[512,128]{1,0:T(8,128)} gather(%p, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,128}
}

%updates {
  %p = f32[64,128]{1,0:T(8,128)} parameter(0)
  %i = s32[512]{0:T(512)} parameter(1)
  ROOT %g = f32[512,128]{1,0:T(8,128)} fusion(%p, %i), kind=kCustom, calls=%gather
}

%scatter {
  %p = f32[64,128]{1,0:T(8,128)} parameter(0)
  %i = s32[512]{0:T(512)} parameter(1)
  %u = f32[512,128]{1,0:T(8,128)} parameter(2)
  ROOT %s = f32[64,128]{1,0:T(8,128)} scatter(%p, %i, %u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add
}

%body {
  %p = f32[64,128]{1,0:T(8,128)} parameter(0)
  %i = s32[512]{0:T(512)} parameter(1)
  %x = f32[64,128]{1,0:T(8,128)} parameter(2)
  %j = s32[512]{0:T(512)} parameter(3)
  %u = f32[512,128]{1,0:T(8,128)} fusion(%x, %j), kind=kLoop, calls=%updates
  ROOT %s = f32[64,128]{1,0:T(8,128)} fusion(%p, %i, %u), kind=kCustom, calls=%scatter
}

ENTRY %main {
  %p = f32[64,128]{1,0:T(8,128)} parameter(0)
  %i = s32[512]{0:T(512)} parameter(1)
  %x = f32[64,128]{1,0:T(8,128)} parameter(2)
  %j = s32[512]{0:T(512)} parameter(3)
  ROOT %f = f32[64,128]{1,0:T(8,128)} fusion(%p, %i, %x, %j), kind=kCustom, calls=%body
}
`
	made := strings.Replace(text, "  ROOT %g = f32[512,128]{1,0:T(8,128)} fusion(%p, %i), kind=kCustom, calls=%gather",
		"  %g = f32[512,128]{1,0:T(8,128)} fusion(%p, %i), kind=kCustom, calls=%gather\n"+
			"  ROOT %n = f32[512,128]{1,0:T(8,128)} negate(%g)", 1)
	for _, generation := range []string{"v5e", "v6e"} {
		read, _ := bytesOf(t, engineOf(t, text, generation), "f")
		assert.Equal(t, []float32{0, 0}, read[2:], generation)
		read, _ = bytesOf(t, engineOf(t, made, generation), "f")
		assert.Equal(t, []float32{64 * 128 * 4, 512 * 4}, read[2:], generation)
	}
}

// An update of what is renamed in its place, with other tiles, writes the update alone.
func TestBytesOfUpdatesInOtherTiles(t *testing.T) {
	const text = `HloModule tiles, is_scheduled=true

%retiled {
  %p = bf16[4,2,96,512]{3,2,1,0:T(16,128)(2,1)} parameter(0)
  ROOT %c = bf16[4,2,96,512]{3,2,1,0:T(8,128)(2,1)} copy(%p)
}

%update {
  %p = bf16[4,2,96,512]{3,2,1,0:T(16,128)(2,1)} parameter(0)
  %c = bf16[4,2,96,512]{3,2,1,0:T(8,128)(2,1)} fusion(%p), kind=kLoop, output_to_operand_aliasing={{}: (0, {})},
    calls=%retiled
  %u = bf16[1,2,96,512]{3,2,1,0:T(8,128)(2,1)} parameter(1)
  %i = s32[] constant(0)
  ROOT %d = bf16[4,2,96,512]{3,2,1,0:T(16,128)(2,1)} dynamic-update-slice(%c, %u, %i, %i, %i, %i)
}

ENTRY %main {
  %p = bf16[4,2,96,512]{3,2,1,0:T(16,128)(2,1)} parameter(0)
  %u = bf16[1,2,96,512]{3,2,1,0:T(8,128)(2,1)} parameter(1)
  ROOT %f = bf16[4,2,96,512]{3,2,1,0:T(16,128)(2,1)} fusion(%p, %u), kind=kLoop, calls=%update
}
`
	e := engineOf(t, text, "v7x")
	_, wrote := bytesOf(t, e, "f")
	assert.Equal(t, []float32{2 * 96 * 512 * 2}, wrote)
	e = engineOf(t, strings.Replace(text, "output_to_operand_aliasing={{}: (0, {})},", "", 1), "v7x")
	_, wrote = bytesOf(t, e, "f")
	assert.Equal(t, []float32{4 * 2 * 96 * 512 * 2}, wrote)
}

// The maximum of a row reads the whole with the others on v6e and v7x, and for itself on v5e.
func TestBytesOfSoftmax(t *testing.T) {
	const text = `HloModule softmax, is_scheduled=true

%max {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] maximum(%a, %b)
}

%same {
  %p = f32[4,77,3000]{2,1,0:T(8,128)} parameter(0)
  ROOT %n = f32[4,77,3000]{2,1,0:T(8,128)} negate(%p)
}

%body {
  %p = f32[4,77,3000]{2,1,0:T(8,128)} parameter(0)
  %same = f32[4,77,3000]{2,1,0:T(8,128)} fusion(%p), kind=kLoop, calls=%same
  %least = f32[] constant(-inf)
  %m = f32[4,77,3000]{2,1,0:T(8,128)} reduce-window(%same, %least), window={size=1x1x5999 pad=0_0x0_0x2999_2999},
    to_apply=%max
  ROOT %s = f32[4,77,3000]{2,1,0:T(8,128)} subtract(%p, %m)
}

ENTRY %main {
  %p = f32[4,77,3000]{2,1,0:T(8,128)} parameter(0)
  ROOT %f = f32[4,77,3000]{2,1,0:T(8,128)} fusion(%p), kind=kOutput, calls=%body
}
`
	const all = 4 * 80 * 3072 * 4
	for generation, want := range map[string]float32{"v5e": 2 * all, "v6e": all, "v7x": all} {
		read, _ := bytesOf(t, engineOf(t, text, generation), "f")
		assert.Equal(t, []float32{want}, read, generation)
	}
}

// What is held counts with its own size, and the next offset is aligned.
func TestSmallValuesTakeLittle(t *testing.T) {
	const array = "f32[4,64]{1,0:T(4,128)}" // 2 KiB
	e := engineOf(t, "HloModule small, is_scheduled=true\n\nENTRY %main {\n  %p = "+array+" parameter(0)\n  %a = "+array+
		" negate(%p)\n  %b = "+array+" tanh(%a)\n  ROOT %r = "+array+" add(%a, %b)\n}\n", "v5e")
	assert.Equal(t, int64(2*2048), e.h.usage[3])
	assert.Equal(t, []span{{0, 2048}, {4096, 4096 + 2048}}, e.h.busy(3, 3))
}
