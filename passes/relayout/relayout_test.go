package relayout_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/relayout"
)

func parse(t *testing.T, text string) *hlo.Module {
	t.Helper()
	m, err := parser.Parse("test", text)
	require.NoError(t, err)
	return m
}

// What moves elements, and what only looks as if it did.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		line, want string
	}{
		{"copy = f32[16,128]{0,1:T(8,128)} copy(p)", "copy: 65536 bytes"},
		{"copy = f32[16,128]{1,0:T(8,128)S(1)} copy(p)", ""},
		{"copy = f32[16,128]{1,0:T(4,128)} copy(p)", ""}, // rows of 128 follow each other in both
		{"t = f32[128,16]{0,1:T(8,128)} transpose(p), dimensions={1,0}", ""},
		{"t = f32[128,16]{1,0:T(8,128)} transpose(p), dimensions={1,0}", "t: 65536 bytes"},
		{"s = (f32[16,128]{1,0:T(8,128)S(1)}, f32[16,128]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(p)", ""},
		{"n = f32[16,128]{0,1:T(8,128)} negate(p)", ""},
		{"f = f32[16,128]{0,1:T(8,128)} fusion(p), kind=kLoop, calls=moves", "f: 65536 bytes"},
		{"f = f32[16,128]{0,1:T(8,128)} fusion(p), kind=kLoop, calls=works", ""},
	} {
		m := parse(t, `HloModule m

moves {
  q = f32[16,128]{1,0:T(8,128)} parameter(0)
  ROOT c = f32[16,128]{0,1:T(8,128)} copy(q)
}

works {
  q.1 = f32[16,128]{1,0:T(8,128)} parameter(0)
  c.1 = f32[16,128]{0,1:T(8,128)} copy(q.1)
  ROOT n.1 = f32[16,128]{0,1:T(8,128)} negate(c.1)
}

ENTRY main {
  p = f32[16,128]{1,0:T(8,128)} parameter(0)
  ROOT `+c.line+"\n}\n")
		got := ""
		for _, r := range relayout.Find(m) {
			got += fmt.Sprintf("%s: %d bytes", r.Instruction.Name, r.Bytes)
		}
		assert.Equal(t, c.want, got, c.line)
	}
}

const loop = `HloModule loop

%body (c: (s32[], f32[256,256])) -> (s32[], f32[256,256]) {
  %c = (s32[]{:T(128)}, f32[256,256]{1,0:T(8,128)}) parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  %step = s32[]{:T(128)} constant(STEP)
  %next = s32[]{:T(128)} add(%i, %step)
  %w = f32[256,256]{1,0:T(8,128)} get-tuple-element(%c), index=1
  %copy = f32[256,256]{0,1:T(8,128)} copy(%w)
  %back = f32[256,256]{1,0:T(8,128)} negate(%copy)
  ROOT %t = (s32[]{:T(128)}, f32[256,256]{1,0:T(8,128)}) tuple(%next, %back)
}

%cond (c.1: (s32[], f32[256,256])) -> pred[] {
  %c.1 = (s32[]{:T(128)}, f32[256,256]{1,0:T(8,128)}) parameter(0)
  %i.1 = s32[]{:T(128)} get-tuple-element(%c.1), index=0
  %end = s32[]{:T(128)} constant(END)
  ROOT %test = pred[]{:T(512)} compare(LEFT, RIGHT), direction=DIR
}

ENTRY %main (x: f32[256,256]) -> f32[256,256] {
  %x = f32[256,256]{0,1:T(8,128)} parameter(0)
  %start = s32[]{:T(128)} constant(START)
  %y = f32[256,256]{1,0:T(8,128)} copy(%x)
  %init = (s32[]{:T(128)}, f32[256,256]{1,0:T(8,128)}) tuple(%start, %y)
  %while = (s32[]{:T(128)}, f32[256,256]{1,0:T(8,128)}) while(%init), condition=%cond, body=%bodyCONFIG
  ROOT %out = f32[256,256]{1,0:T(8,128)} get-tuple-element(%while), index=1
}
`

func TestTripCount(t *testing.T) {
	for _, c := range []struct {
		start, end, step int
		direction        string
		swapped          bool
		config           string
		want             int64 // -1: unknown
	}{
		{0, 10, 1, "LT", false, "", 10},
		{0, 10, 3, "LT", false, "", 4},
		{0, 10, 1, "LE", false, "", 11},
		{10, 0, -1, "GT", false, "", 10},
		{10, 0, -2, "GE", false, "", 6},
		{0, 10, 1, "GT", true, "", 10}, // 10 > i
		{0, 12, 4, "NE", false, "", 3},
		{0, 10, 4, "NE", false, "", -1},
		{5, 5, 1, "LT", false, "", 0},
		{0, 10, -1, "LT", false, "", -1},
		{0, 10, 0, "LT", false, "", -1},
		{0, 10, 1, "EQ", false, "", -1},
		{0, 10, 1, "EQ", false, `, backend_config={"known_trip_count":{"n":"7"}}`, 7},
		{0, 10, 1, "LT", false, `, backend_config={"known_trip_count":{"n":8}}`, 8},
		{0, 10, 1, "LT", false, `, backend_config={"known_trip_count":{"n":"0"}}`, 0},
		{0, 10, 1, "LT", false, `, backend_config={"known_trip_count":{"n":"-3"}}`, 10},
		{0, 10, 1, "LT", false, `, backend_config={"known_trip_count":{"n":"many"}}`, 10},
		{0, 10, 1, "LT", false, `, backend_config={"other":1}`, 10},
		{10, 0, -5, "NE", false, "", 2},
		{0, 10, -5, "NE", false, "", -1},
		{0, -10, 5, "NE", false, "", -1},
		{10, 5, 1, "LT", false, "", 0},
		{0, 1 << 41, 1, "LT", false, "", -1},
	} {
		left, right := "%i.1", "%end"
		if c.swapped {
			left, right = right, left
		}
		text := strings.NewReplacer("STEP", fmt.Sprint(c.step), "END", fmt.Sprint(c.end), "START", fmt.Sprint(c.start),
			"LEFT", left, "RIGHT", right, "DIR", c.direction, "CONFIG", c.config).Replace(loop)
		m := parse(t, text)
		n, ok := relayout.TripCount(m.Entry.Instruction("while"))
		if c.want < 0 {
			assert.False(t, ok, "%+v", c)
			n = 1
		} else {
			assert.True(t, ok, "%+v", c)
			assert.Equal(t, c.want, n, "%+v", c)
		}
		found := relayout.Find(m)
		require.Len(t, found, 2)
		for _, r := range found {
			if r.Instruction.Name == "copy" {
				assert.Equal(t, n*256*256*4, r.Total())
				assert.True(t, r.InLoop)
				assert.Equal(t, ok, r.Exact)
				assert.Equal(t, "the loop %while hands it over as {1,0:T(8,128)}, %back (negate) reads it as "+
					"{0,1:T(8,128)}", r.Cause())
				continue
			}
			assert.Equal(t, m.Entry.Instruction("x"), r.Parameter)
			assert.True(t, r.Only)
			assert.Equal(t, "entry parameter 0 has layout {0,1:T(8,128)}, loop %while carries it as {1,0:T(8,128)}",
				r.Cause())
		}
	}
}

// A computation runs as often as all of its callers together, a loop's as often as the loop turns.
func TestRuns(t *testing.T) {
	turns := func(name, n, callee string) string {
		return fmt.Sprintf("  %%%s = f32[] while(%%x), condition=%%c, body=%%%s, "+
			"backend_config={\"known_trip_count\":{\"n\":%s}}\n", name, callee, n)
	}
	computation := func(name, lines, root string) string {
		return fmt.Sprintf("%s {\n  %%x = f32[] parameter(0)\n%s  ROOT %%r = f32[] %s\n}\n", name, lines, root)
	}
	module := "HloModule runs\n\n" + computation("%leaf", "", "negate(%x)") + computation("%other", "", "sine(%x)") +
		"%c {\n  %x = f32[] parameter(0)\n  ROOT %r = pred[] constant(true)\n}\n" +
		computation("%inner", "  %a = f32[] call(%x), to_apply=%leaf\n", "call(%a), to_apply=%leaf") +
		computation("%outer", turns("w", `"4"`, "inner"), "call(%w), to_apply=%other") +
		computation("%huge", turns("w", "9000000000000000000", "endless"), "negate(%w)")
	module = strings.Replace(module, "%huge", computation("%endless", "", "cosine(%x)")+"%huge", 1)
	module += "ENTRY " + computation("%main", turns("w", "3", "outer")+turns("v", `"5"`, "huge")+
		"  %u = f32[] while(%x), condition=%c, body=%unknown\n  %p = pred[] constant(true)\n"+
		"  %k = f32[] conditional(%p, %x, %x), true_computation=%leaf, false_computation=%other\n", "add(%w, %v)")
	module = strings.Replace(module, "ENTRY", computation("%unknown", "", "tanh(%x)")+"ENTRY", 1)
	m := parse(t, module)
	runs := relayout.Runs(m)
	for name, want := range map[string]relayout.Run{
		"main":    {Times: 1, Exact: true},
		"outer":   {Times: 3, InLoop: true, Exact: true},
		"inner":   {Times: 12, InLoop: true, Exact: true},
		"leaf":    {Times: 25, InLoop: true, Exact: true}, // twice in 12 turns, and in a branch
		"other":   {Times: 4, InLoop: true, Exact: true},
		"huge":    {Times: 5, InLoop: true, Exact: true},
		"endless": {Times: math.MaxInt64, InLoop: true, Exact: true},
		"unknown": {Times: 1, InLoop: true},
	} {
		assert.Equal(t, want, runs[m.Computation(name)], name)
	}
	m.Entry = nil
	assert.Empty(t, relayout.Runs(m))
}

// The trip counts of the corpus' scans: the compiler's final modules agree with what their loops said before.
func TestCorpus(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/corpus/v5e/*/after.hlo")
	require.NoError(t, err)
	more, err := filepath.Glob("../../testdata/corpus/*/*/after.hlo")
	require.NoError(t, err)
	paths = append(paths, more...)
	require.NotEmpty(t, paths)
	loops, known := 0, 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		m := parse(t, string(text))
		for _, r := range relayout.Find(m) {
			require.Positive(t, r.Bytes, path)
			require.NotEmpty(t, r.Cause(), path)
		}
		for _, c := range m.Computations {
			for _, in := range c.Instructions {
				if in.Opcode != hlo.OpWhile {
					continue
				}
				loops++
				if _, ok := relayout.TripCount(in); ok {
					known++
				}
			}
		}
	}
	t.Logf("%d loops, %d of known length", loops, known)
	require.Positive(t, known)
}
