package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/tpu"
)

// inPlace are programs whose results take the place of operands.
var inPlace = map[string]string{"permute": `HloModule permute, is_scheduled=true

ENTRY %main {
  %a = f32[256,1024]{1,0:T(8,128)} parameter(0)
  %zero = s32[]{:T(128)} constant(0)
  %into = f32[256,1024]{1,0:T(8,128)} negate(%a)
  %start = (f32[256,1024]{1,0:T(8,128)}, f32[256,1024]{1,0:T(8,128)}, u32[], u32[]) ` +
	`collective-permute-start(%a, %into, %zero, %zero), channel_id=1, source_target_pairs={{0,1},{1,0}}
  %done = f32[256,1024]{1,0:T(8,128)} collective-permute-done(%start)
  ROOT %out = f32[256,1024]{1,0:T(8,128)} add(%done, %done)
}
`, "aliasing": `HloModule aliasing, is_scheduled=true

ENTRY %main {
  %a = f32[256,1024]{1,0:T(8,128)} parameter(0)
  %b = f32[256,1024]{1,0:T(8,128)} ` +
	`custom-call(%a), custom_call_target="update", output_to_operand_aliasing={{}: (0, {})}
  ROOT %out = f32[256,1024]{1,0:T(8,128)} add(%b, %b)
}
`, "offload": `HloModule offload, is_scheduled=true

%add { %x = f32[] parameter(0) %y = f32[] parameter(1) ROOT %s = f32[] add(%x, %y) }

%program {
  %a = f32[256,1024]{1,0:T(8,128)} parameter(0)
  %i = s32[8,1]{1,0:T(8,128)} parameter(1)
  %u = f32[8,1024]{1,0:T(8,128)} parameter(2)
  ROOT %s = f32[256,1024]{1,0:T(8,128)} scatter(%a, %i, %u), to_apply=%add, update_window_dims={1},
    inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
}

ENTRY %main {
  %a = f32[256,1024]{1,0:T(8,128)} parameter(0)
  %i = s32[8,1]{1,0:T(8,128)} parameter(1)
  %u = f32[8,1024]{1,0:T(8,128)} parameter(2)
  %into = f32[256,1024]{1,0:T(8,128)} negate(%a)
  %start = ((f32[256,1024]{1,0:T(8,128)}, s32[8,1]{1,0:T(8,128)}, f32[8,1024]{1,0:T(8,128)}),
    f32[256,1024]{1,0:T(8,128)}) async-start(%into, %i, %u), async_execution_thread="sparsecore", calls=%program
  %done = f32[256,1024]{1,0:T(8,128)} async-done(%start)
  ROOT %out = f32[256,1024]{1,0:T(8,128)} add(%done, %done)
}
`}

// What a scatter of another unit makes has a separate place where what it updates is used after the scatter starts,
// by another one that is not done, too; not where it was used before.
func TestUpdatedLater(t *testing.T) {
	const last = "ROOT %out = f32[256,1024]{1,0:T(8,128)} add(%done, %done)"
	text := inPlace["offload"]
	start := text[strings.Index(text, "  %start"):strings.Index(text, "  %done")]
	second := strings.ReplaceAll(start, "%start", "%second")
	for _, c := range []struct {
		changed string
		shared  bool
	}{
		{text, true},
		{strings.Replace(text, last, strings.Replace(last, "add(%done, %done)", "add(%done, %into)", 1), 1), false},
		{strings.Replace(text, "  %start", "  %before = f32[256,1024]{1,0:T(8,128)} negate(%into)\n  %start", 1), true},
		{strings.Replace(text, "  %start", second+"  %start", 1), true},
		{strings.Replace(text, start, second+start+"  %end = f32[256,1024]{1,0:T(8,128)} async-done(%second)\n", 1), false},
	} {
		e := engineOf(t, c.changed, "v7x")
		place := func(name string) int32 {
			at := slices.IndexFunc(e.g.nodes, func(n node) bool { return n.in.Name == name })
			return e.bufOf[e.v.at[e.g.leaf0[at]]]
		}
		assert.Equal(t, c.shared, place("into") == place("done"), c.changed)
	}
}

// Each row of the table has an effect: without it some module has other buffers, and other places.
func TestSharings(t *testing.T) {
	texts := []string{inPlace["permute"], inPlace["aliasing"], inPlace["offload"]}
	for seed := range uint64(seeds) {
		texts = append(texts, crowd(seed))
	}
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	places := func(text string) string {
		m, err := parser.Parse("test.hlo", text)
		require.NoError(t, err)
		a, err := Analyze(m, target)
		require.NoError(t, err)
		return fmt.Sprint(a.e.bufOf, a.spaces, a.e.copies)
	}
	for i, row := range sharings {
		assert.NotEmpty(t, row.Doc, row.Name)
		assert.NotEmpty(t, row.Evidence, row.Name)
		differs := false
		for _, text := range texts {
			with := places(text)
			sharings[i].apply = func(*engine, int32, func(a, b int32)) {}
			differs = differs || with != places(text)
			sharings[i].apply = row.apply
		}
		assert.True(t, differs, "%s has no effect", row.Name)
	}
}

// Giving a program of another unit its operands takes the time to read them; so much of what it updates is in one place
// with what it makes. On v5p they are written, too, with what it makes, and its state is read.
func TestOffloadReadsItsOperands(t *testing.T) {
	const updated = 256 * 1024 * 4
	const operands = updated + 4096 + 8*1024*4
	config := `, backend_config={"offload_config":"OFFLOAD_SCATTER"}` + "\n"
	for _, c := range []struct {
		generation, config string
		bytes              float32
	}{
		{"v7x", "\n", operands},
		{"v7x", config, operands},
		{"v5p", "\n", 2*operands + updated},
		{"v5p", config, 2*operands + updated + (8192+25+12+12)*4 + 32},
	} {
		e := engineOf(t, strings.Replace(inPlace["offload"], "calls=%program\n", "calls=%program"+c.config, 1), c.generation)
		at := int32(0)
		for k := range e.g.nodes {
			if startsOffload(e.g.nodes[k].in) {
				at = int32(k)
			}
		}
		assert.Equal(t, c.bytes, e.c.total[at], c.generation)
		assert.Equal(t, e.dev.seconds(c.bytes), e.c.elapsed[at])
		assert.Positive(t, e.c.benefit(at, operands))
	}
}

// What a fusion returns of an inner fusion that updates its operand is in the place of that operand.
func TestInnerFusionsUpdateInPlace(t *testing.T) {
	const array = "f32[256,128]{1,0:T(8,128)}"
	const row = "f32[1,128]{1,0:T(1,128)}"
	text := func(into string) string {
		return strings.NewReplacer("ARRAY", array, "ROW", row, "INTO", into).Replace(`HloModule inner, is_scheduled=true

%update {
  %a = ARRAY parameter(0)
  %r = ROW parameter(1)
  %z = s32[] constant(0)
  ROOT %u = ARRAY dynamic-update-slice(%a, %r, %z, %z)
}

%outer {
  %p = ARRAY parameter(0)
  %q = ROW parameter(1)
  %n = ARRAY negate(%p)
  ROOT %f = ARRAY fusion(%INTO, %q), kind=kLoop, calls=%update
}

ENTRY %main {
  %x = ARRAY parameter(0)
  %y = ROW parameter(1)
  %m = ARRAY negate(%x)
  %f = ARRAY fusion(%m, %y), kind=kLoop, calls=%outer
  ROOT %r = ARRAY tanh(%f)
}
`)
	}
	for into, want := range map[string]int{"p": 0, "n": none} {
		e := engineOf(t, text(into), "v5e")
		for _, nd := range e.g.nodes {
			if nd.in.Name == "f" {
				assert.Equal(t, want, e.c.inPlace(nd.in, 0), into)
			}
		}
	}
}

// What argmax finds is not in the place of what it looks through, where that is updated in place.
func TestArgmaxOfUpdates(t *testing.T) {
	const array, pair = "f32[256]{0:T(256)}", "(f32[]{:T(128)}, s32[]{:T(128)})"
	e := engineOf(t, `HloModule argmax, is_scheduled=true

%most {
  %a = f32[] parameter(0)
  %i = s32[] parameter(1)
  %b = f32[] parameter(2)
  %j = s32[] parameter(3)
  ROOT %t = (f32[], s32[]) tuple(%a, %i)
}

%argmax {
  %p = `+array+` parameter(0)
  %u = f32[1]{0:T(128)} parameter(1)
  %i = s32[]{:T(128)} parameter(2)
  %d = `+array+` dynamic-update-slice(%p, %u, %i)
  %n = s32[256]{0:T(256)} iota(), iota_dimension=0
  %c = f32[]{:T(128)} constant(0)
  %z = s32[]{:T(128)} constant(0)
  ROOT %r = `+pair+` reduce(%d, %n, %c, %z), dimensions={0}, to_apply=%most
}

ENTRY %main {
  %p = `+array+` parameter(0)
  %u = f32[1]{0:T(128)} parameter(1)
  %i = s32[]{:T(128)} parameter(2)
  %t = `+array+` tanh(%p)
  ROOT %r = `+pair+` fusion(%t, %u, %i), kind=kLoop, calls=%argmax
}
`, "v5e")
	f := e.c.fusion(e.g.m.Entry.Root)
	assert.Equal(t, []int{none, none}, f.inPlace)
	assert.Equal(t, []int64{none, none}, f.results)
}

// Each result of a scatter of several tables is in the place of its table, as of the parts of complex numbers (17 of 17
// programs, for v5e).
func TestScatterOfTables(t *testing.T) {
	const table, row = "f32[20,7]{1,0:T(8,128)}", "f32[1,7]{1,0:T(1,128)}"
	e := engineOf(t, `HloModule scatter, is_scheduled=true

%both {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  %c = f32[] parameter(2)
  %d = f32[] parameter(3)
  ROOT %t = (f32[], f32[]) tuple(%c, %d)
}

%scatters {
  %p = `+table+` parameter(0)
  %q = `+table+` parameter(1)
  %i = s32[1]{0:T(128)} parameter(2)
  %u = `+row+` parameter(3)
  %v = `+row+` parameter(4)
  ROOT %s = (`+table+`, `+table+`) scatter(%q, %p, %i, %u, %v), update_window_dims={1}, inserted_window_dims={0}, `+
		`scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%both
}

ENTRY %main {
  %p = `+table+` parameter(0)
  %q = `+table+` parameter(1)
  %i = s32[1]{0:T(128)} parameter(2)
  %u = `+row+` parameter(3)
  %v = `+row+` parameter(4)
  ROOT %r = (`+table+`, `+table+`) fusion(%p, %q, %i, %u, %v), kind=kCustom, calls=%scatters
}
`, "v5e")
	assert.Equal(t, []int{1, 0}, e.c.fusion(e.g.m.Entry.Root).inPlace)
}

// Room for a value is sought up to the instructions that use it, a loop among them, and not up to tuples or elements
// of them; a tuple that is returned counts.
func TestUseTimes(t *testing.T) {
	const array = "f32[256,128]{1,0:T(8,128)}"
	e := engineOf(t, `HloModule times, is_scheduled=true

%body {
  %b = (s32[], `+array+`) parameter(0)
  %i = s32[] get-tuple-element(%b), index=0
  %v = `+array+` get-tuple-element(%b), index=1
  %s = `+array+` sine(%v)
  ROOT %bt = (s32[], `+array+`) tuple(%i, %v)
}

%cond {
  %c = (s32[], `+array+`) parameter(0)
  %j = s32[] get-tuple-element(%c), index=0
  %n = s32[] constant(3)
  ROOT %less = pred[] compare(%j, %n), direction=LT
}

ENTRY %main {
  %x = `+array+` parameter(0)
  %z = s32[] constant(0)
  %a = `+array+` negate(%x)
  %t = (s32[], `+array+`) tuple(%z, %a)
  %w = (s32[], `+array+`) while(%t), condition=%cond, body=%body
  %o = `+array+` get-tuple-element(%w), index=1
  ROOT %r = `+array+` tanh(%o)
}
`, "v5e")
	var names []string
	for b := range e.bufs {
		if e.g.nodes[e.v.leafTime[e.v.def[e.bufs[b].first]]].in.Name == "a" {
			for _, at := range e.useTimes(e.helds(int32(b))) {
				names = append(names, e.g.nodes[at].in.Name)
			}
		}
	}
	assert.Equal(t, []string{"s", "bt", "w", "r"}, names)
}
