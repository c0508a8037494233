package memory_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/memory"
	"hlolayout/passes/plan"
	"hlolayout/printer"
	"hlolayout/tpu"
)

func target(t *testing.T, name string) *tpu.Target {
	tgt, err := tpu.ByName(name)
	require.NoError(t, err)
	return tgt
}

func parse(t *testing.T, text string) *hlo.Module {
	m, err := parser.Parse("test.hlo", text)
	require.NoError(t, err)
	return m
}

// assign runs the pass and applies its plan.
func assign(t *testing.T, m *hlo.Module, tgt *tpu.Target) *plan.Plan {
	p, err := memory.Run(m, tgt, plan.Options{})
	require.NoError(t, err)
	require.NoError(t, p.Apply(m))
	return p
}

// bodies returns the names of computations that are not part of the schedule.
func bodies(m *hlo.Module) map[*hlo.Computation]bool {
	out := map[*hlo.Computation]bool{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if in.Opcode != hlo.OpWhile && in.Opcode != hlo.OpConditional && in.Opcode != hlo.OpCall {
				for _, b := range in.Called() {
					out[b] = true
				}
			}
		}
	}
	return out
}

// score compares the spaces of the leaves outside of fusion bodies that both modules, and the module before, have.
func score(before, ours, final *hlo.Module) (right, total int, wrong []string) {
	skip := bodies(final)
	for _, c := range final.Computations {
		mine := ours.Computation(c.Name)
		if skip[c] || mine == nil {
			continue
		}
		byName := map[string]*hlo.Instruction{}
		for _, in := range mine.Instructions {
			byName[in.Name] = in
		}
		known := map[string]bool{}
		for _, in := range before.Computation(c.Name).Instructions {
			known[in.Name] = true
		}
		for _, in := range c.Instructions {
			o := byName[in.Name]
			if o == nil || !known[in.Name] {
				continue
			}
			in.Shape.Leaves(func(i hlo.Index, s *hlo.Shape) {
				if !s.IsArray() {
					return
				}
				total++
				if l := o.Shape.At(i); l != nil && space(l) == space(s) {
					right++
				} else {
					wrong = append(wrong, in.Name)
				}
			})
		}
	}
	return right, total, wrong
}

func space(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.MemorySpace
}

// In the repository's own copies every array is where the compiler puts it, and the fast space is never too full.
func TestCompilerAgrees(t *testing.T) {
	files, err := filepath.Glob("../../testdata/memory/*.pre_msa.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		final, err := os.ReadFile(strings.Replace(f, "pre_msa", "final", 1))
		require.NoError(t, err)
		generation, _, _ := strings.Cut(filepath.Base(f), ".")
		tgt := target(t, generation)
		m := parse(t, string(text))
		a, err := memory.Analyze(m, tgt)
		require.NoError(t, err)
		for _, s := range a.Report().Spaces {
			if s.Number != 0 {
				assert.LessOrEqual(t, s.Peak, s.Limit, f)
				assert.Positive(t, s.Peak, f)
				assert.NotEmpty(t, s.Residents, f)
			}
		}
		assign(t, m, tgt)
		_, _, wrong := score(parse(t, string(text)), m, parse(t, string(final)))
		assert.Empty(t, wrong, f)

		// The same input gives the same output, and a second run changes nothing.
		once := string(printer.Append(nil, m))
		other := parse(t, string(text))
		assign(t, other, tgt)
		assert.Equal(t, once, string(printer.Append(nil, other)), f)
		assert.Empty(t, assign(t, other, tgt).Decisions, f)
	}
}

// least is the share of leaves and of modules that has to be right in the corpus.
var least = map[string][2]float64{"v2": {.998, .99}, "v3": {.998, .99}, "v4": {.999, .99}, "v5e": {.99, .98},
	"v5p": {.99, .98}, "v6e": {.995, .99}, "v7x": {.99, .99}}

func TestCorpus(t *testing.T) {
	corpus := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("the corpus is not there: ../shared/corpus")
	}
	for _, name := range tpu.Names() {
		tgt := target(t, name)
		cases, err := os.ReadDir(filepath.Join(corpus, name))
		require.NoError(t, err)
		var right, total, modules, exact int
		for i, c := range cases {
			if testing.Short() && i%8 != 0 {
				continue
			}
			var m meta
			text, err := os.ReadFile(filepath.Join(corpus, name, c.Name(), "meta.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &m))
			from := name
			if m.SameAs != "" {
				from = m.SameAs
			}
			text, err = os.ReadFile(filepath.Join(corpus, from, c.Name(), "pre_msa.hlo"))
			final, err2 := os.ReadFile(filepath.Join(corpus, from, c.Name(), "final.hlo"))
			if err != nil || err2 != nil {
				continue
			}
			module := parse(t, string(text))
			assign(t, module, tgt)
			r, n, _ := score(parse(t, string(text)), module, parse(t, string(final)))
			right, total, modules = right+r, total+n, modules+1
			if r == n {
				exact++
			}
		}
		t.Logf("%s: leaves %.3f %%, modules %.3f %% (%d)", name, 100*float64(right)/float64(total),
			100*float64(exact)/float64(modules), modules)
		assert.GreaterOrEqual(t, float64(right), least[name][0]*float64(total), name)
		assert.GreaterOrEqual(t, float64(exact), least[name][1]*float64(modules), name)
	}
}

const two = `HloModule two, is_scheduled=true

%body (p: f32[256,128]) -> f32[256,128] {
  %p = f32[256,128]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[256,128]{1,0:T(8,128)} negate(%p)
}

ENTRY %main (x: f32[256,128]) -> f32[256,128] {
  %x = f32[256,128]{1,0:T(8,128)} parameter(0)
  %a = f32[256,128]{1,0:T(8,128)} fusion(%x), kind=kLoop, calls=%body
  ROOT %b = f32[256,128]{1,0:T(8,128)} negate(%a)
}
`

func TestBodiesMirrorTheirCalls(t *testing.T) {
	m := parse(t, two)
	assign(t, m, target(t, "v5e"))
	text := string(printer.Append(nil, m))
	assert.Contains(t, text, "ROOT %n = f32[256,128]{1,0:T(8,128)S(1)}")
	assert.Contains(t, text, "%a = f32[256,128]{1,0:T(8,128)S(1)}")
	assert.Contains(t, text, "ROOT %b = f32[256,128]{1,0:T(8,128)} negate")

	m = parse(t, strings.NewReplacer("%a = f32[256,128]{1,0:T(8,128)} fusion(%x), kind=kLoop, calls=%body",
		"%y = f32[256,128]{1,0:T(8,128)S(1)} sine(%x)\n  %s = ((f32[256,128]{1,0:T(8,128)S(1)}), "+
			"f32[256,128]{1,0:T(8,128)}, s32[]) async-start(%y), calls=%body\n"+
			"  %a = f32[256,128]{1,0:T(8,128)} async-done(%s)").Replace(two))
	assign(t, m, target(t, "v5e"))
	text = string(printer.Append(nil, m))
	assert.Contains(t, text, "  %p = f32[256,128]{1,0:T(8,128)S(1)} parameter(0)")
	assert.Contains(t, text, "ROOT %n = f32[256,128]{1,0:T(8,128)} negate(%p)")
	assert.Contains(t, text, "%a = f32[256,128]{1,0:T(8,128)} async-done", "what another unit makes is in HBM")
}

// Given spaces are kept or refused.
func TestGivenSpaces(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(two, old, new, 1) }
	given := with("%a = f32[256,128]{1,0:T(8,128)}", "%a = f32[256,128]{1,0:T(8,128)S(1)}")
	m := parse(t, given)
	p := assign(t, m, target(t, "v5e"))
	assert.Contains(t, string(printer.Append(nil, m)), "%a = f32[256,128]{1,0:T(8,128)S(1)}")
	assert.Contains(t, strings.Join(p.Notes, "\n"), "values are in S(1) already")
	huge := regexp.MustCompile(`256,128`).ReplaceAllString(given, "65536,1024")
	for _, c := range []struct{ generation, text, want string }{
		{"v5e", strings.Replace(given, "S(1)", "S(7)", 1), "S(7) is no memory space of v5e; it has S(0) HBM, S(1) VMEM, " +
			"S(2) SFLAG, S(4) SMEM arrays, S(5) host, S(6) SMEM: 1 array in all, " +
			"the first is %a; they stay there [LAY104]"},
		{"v4", given, "on v4 no array may be placed in VMEM, S(1): 1 array in all, the first is %a; they stay there " +
			"[LAY104]"},
		{"v2", given, "on v2 no array may be placed in VMEM, S(1): 1 array in all, the first is %a; they stay there " +
			"[LAY104]"},
		{"v5e", huge, "%a takes 268435456 bytes of S(1) where 0 of 117440512 are taken already; its space is given and " +
			"stays [LAY134]"},
	} {
		m := parse(t, c.text)
		before := m.Entry.Instructions[1].Shape.String()
		p := assign(t, m, target(t, c.generation))
		assert.Contains(t, p.Notes, c.want)
		assert.Equal(t, before, m.Entry.Instructions[1].Shape.String())
	}
	m = parse(t, strings.Replace(given, "ROOT %n = f32[256,128]{1,0:T(8,128)}",
		"ROOT %n = f32[256,128]{1,0:T(8,128)S(7)}", 1))
	p = assign(t, m, target(t, "v4"))
	require.GreaterOrEqual(t, len(p.Notes), 2)
	assert.Contains(t, p.Notes[0], "S(1)", "in the order of their numbers")
	assert.Contains(t, p.Notes[1], "S(7) is no memory space of v4")
	for _, generation := range []string{"v4", "v2"} { // CMEM, which v4 has
		notes := assign(t, parse(t, strings.Replace(given, "S(1)", "S(3)", 1)), target(t, generation)).Notes
		assert.Equal(t, generation == "v2", strings.Contains(strings.Join(notes, " "), "LAY104"), "%s: %s", generation, notes)
	}
	for _, n := range []string{"S(2)", "S(5)"} { // that no pass places arrays there does not forbid them
		notes := assign(t, parse(t, strings.Replace(given, "S(1)", n, 1)), target(t, "v5e")).Notes
		assert.NotContains(t, strings.Join(notes, " "), "LAY104", n)
	}
	m = parse(t, strings.ReplaceAll(two, "{1,0:T(8,128)}", ""))
	assign(t, m, target(t, "v5e"))
	assert.Contains(t, string(printer.Append(nil, m)), "S(1)", "arrays without layouts are in HBM until they are placed")
	m = parse(t, two)
	m.Entry.Instructions[1].SetCalled(nil)
	assert.NotPanics(t, func() { memory.Run(m, target(t, "v5e"), plan.Options{}) }, "a fusion without a body")
	bare := *target(t, "v5e")
	bare.MemorySpaces = slices.Clone(bare.MemorySpaces)
	for i := range bare.MemorySpaces {
		bare.MemorySpaces[i].PlacementBytes = 0
	}
	assert.Empty(t, assign(t, parse(t, two), &bare).Decisions, "a target without a place to put arrays")
	a, err := memory.Analyze(parse(t, two), &bare)
	require.NoError(t, err)
	assert.Len(t, a.Report().Spaces, 1)
	called := strings.NewReplacer("negate(%a)", "call(%a), to_apply=%body", "fusion(%x), kind=kLoop, calls=%body",
		"call(%x), to_apply=%body").Replace(two)
	_, err = memory.Run(parse(t, called), target(t, "v5e"), plan.Options{})
	assert.ErrorContains(t, err, "computation %body is called from two places")
	_, err = memory.Run(parse(t, strings.Replace(two, ", is_scheduled=true", "", 1)), target(t, "v5e"), plan.Options{})
	assert.ErrorContains(t, err, "is not scheduled")
}

// What is kept out has a reason, and copies are facts.
func TestReport(t *testing.T) {
	text, err := os.ReadFile("../../testdata/memory/v5e.mlp_fwd.pre_msa.hlo")
	require.NoError(t, err)
	m := parse(t, string(text))
	a, err := memory.Analyze(m, target(t, "v5e"))
	require.NoError(t, err)
	r := a.Report()
	require.NotEmpty(t, r.Kept)
	for _, k := range r.Kept {
		assert.NotEmpty(t, k.Reason.String(), k.Instruction.Name)
		assert.Positive(t, k.Bytes)
	}
	require.NotEmpty(t, r.Copies)
	p, err := memory.Run(m, target(t, "v5e"), plan.Options{})
	require.NoError(t, err)
	assert.Len(t, p.Facts, len(r.Copies))
	assert.Positive(t, r.Stats.Argument)
	assert.GreaterOrEqual(t, r.Stats.Peak(), r.Stats.Argument)
}

// The result of a call is the value that its callee ends in: a call holds as much memory as its body in its place.
func TestCallsHoldWhatTheirBodiesDo(t *testing.T) {
	const called = `HloModule called, is_scheduled=true

%body (x: f32[1024,1024]) -> f32[1024,1024] {
  %x = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  ROOT %made = f32[1024,1024]{1,0:T(8,128)} tanh(%x)
}

ENTRY %main {
  %p = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  %a = f32[1024,1024]{1,0:T(8,128)} call(%p), to_apply=%body
  %b = f32[1024,1024]{1,0:T(8,128)} sine(%p)
  %c = f32[1024,1024]{1,0:T(8,128)} sort(%b), dimensions={1}, to_apply=%less
  ROOT %r = f32[1024,1024]{1,0:T(8,128)} add(%a, %c)
}
`
	const less = "%less {\n  %x.1 = f32[] parameter(0)\n  %y.1 = f32[] parameter(1)\n  ROOT %l = pred[] " +
		"compare(%x.1, %y.1), direction=LT\n}\n\nENTRY"
	text := strings.Replace(called, "ENTRY", less, 1)
	peak := func(text string) int64 {
		a, err := memory.Analyze(parse(t, text), target(t, "v2"))
		require.NoError(t, err)
		return a.Report().Spaces[0].Peak
	}
	inlined := strings.Replace(text, "call(%p), to_apply=%body", "tanh(%p)", 1)
	assert.Equal(t, peak(inlined), peak(text))
	assert.Equal(t, int64(2*4<<20), peak(text))
}

// Malformed modules give errors.
func TestMalformed(t *testing.T) {
	for _, text := range []string{
		strings.Replace(two, "fusion(%x), kind=kLoop, calls=%body", "while(%x), condition=%body, body=%body", 1),
		strings.Replace(two, "fusion(%x), kind=kLoop, calls=%body", "conditional(%x), branch_computations={%body}", 1),
		strings.Replace(two, "negate(%a)", "get-tuple-element(%a), index=3", 1),
		strings.Replace(two, "negate(%a)", "copy-done(%a)", 1),
		strings.Replace(two, "negate(%a)", "dynamic-update-slice(%a, %a)", 1),
		strings.Replace(two, "negate(%a)", "gather(%a, %a), slice_sizes={1}", 1),
	} {
		m, err := parser.Parse("test.hlo", text)
		if err != nil {
			continue
		}
		for _, name := range []string{"v2", "v5e", "v7x"} {
			assert.NotPanics(t, func() { _, _ = memory.Run(m, target(t, name), plan.Options{}) }, text)
		}
	}
}

// A module that was not read from text may have instructions without the operands that they need, and in any order.
func TestModulesThatAreMade(t *testing.T) {
	const text = `HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[8]{0:T(128)} parameter(0)
  %n = f32[8]{0:T(128)} negate(%p)
  %which = pred[]{:T(512)} parameter(1)
  ROOT %c = f32[8]{0:T(128)} conditional(%which, %n, %n), true_computation=%t, false_computation=%f
}
`
	const branches = "%t {\n  ROOT %x = f32[8]{0:T(128)} parameter(0)\n}\n\n%f {\n  ROOT %y = f32[8]{0:T(128)} " +
		"parameter(0)\n}\n\nENTRY"
	read := func() *hlo.Module { return parse(t, strings.Replace(text, "ENTRY", branches, 1)) }
	_, err := memory.Analyze(read(), target(t, "v5e"))
	require.NoError(t, err)
	for _, c := range []struct {
		change func(*hlo.Computation)
		want   string
	}{
		{func(c *hlo.Computation) { c.Instructions[1].Operands = nil }, "%n has 0 operands; expected 1"},
		{func(c *hlo.Computation) { c.Root.Operands = c.Root.Operands[:2] }, "%c has 2 operands; expected 3"},
		{func(c *hlo.Computation) { slices.Reverse(c.Instructions[:2]) }, "%n: an operand does not stand before it"},
		{func(c *hlo.Computation) { c.Root = nil }, "%main has no root"},
	} {
		m := read()
		c.change(m.Entry)
		_, err := memory.Analyze(m, target(t, "v5e"))
		assert.ErrorContains(t, err, c.want)
	}
}

// Calls nest a thousand deep at most.
func TestCallsNest(t *testing.T) {
	for _, c := range []struct {
		deep int
		want string
	}{{1000, ""}, {1001, "calls nest deeper than 1000"}} {
		var text strings.Builder
		text.WriteString("HloModule nested, is_scheduled=true\n\n%c.0 {\n  ROOT %p.0 = f32[8]{0:T(128)} parameter(0)\n}\n")
		for i := 1; i <= c.deep; i++ {
			entry := ""
			if i == c.deep {
				entry = "ENTRY "
			}
			fmt.Fprintf(&text, "%s%%c.%d {\n  %%p.%d = f32[8]{0:T(128)} parameter(0)\n  ROOT %%r.%d = f32[8]{0:T(128)} "+
				"call(%%p.%d), to_apply=%%c.%d\n}\n", entry, i, i, i, i, i-1)
		}
		m, err := parser.Parse("nested.hlo", text.String())
		require.NoError(t, err)
		_, err = memory.Analyze(m, target(t, "v5e"))
		if c.want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, c.want)
		}
	}
}

// The peak of a compiled module counts a place once where the compiler puts two arrays there: a result that is written
// over an operand, and the pieces of a sliced prefetch with the array that they make.
func TestPeakOfSharedPlaces(t *testing.T) {
	const whole, piece = "f32[16384,1024]{1,0:T(8,128)", "f32[8192,1024]{1,0:T(8,128)"
	module := func(lines ...string) string {
		return "HloModule m, is_scheduled=true\n\nENTRY %main {\n  %p = " + whole + "} parameter(0)\n  " +
			strings.Join(lines, "\n  ") + "\n}\n"
	}
	negate := func(lists string) string {
		return module("%a = "+whole+"S(1)} negate(%p)", "%b = "+whole+"S(1)} negate(%a), backend_config="+
			`{"aliasing_operands":{"lists":[`+lists+`]}}`, "ROOT %c = "+whole+"} negate(%b)")
	}
	slice := func(name, from, to string) string {
		return "%" + name + " = " + piece + "S(1)} slice(%p), slice={[" + from + ":" + to + "], [0:1024]}"
	}
	pieces := func(target string) string {
		return module(slice("a", "0", "8192"), slice("b", "8192", "16384"), "%c = "+whole+
			`S(1)} custom-call(%a, %b), custom_call_target="`+target+`"`, "ROOT %d = "+whole+"} negate(%c)")
	}
	for text, want := range map[string]int64{
		negate(""):                      2 << 26,
		negate(`{"indices":["0","1"]}`): 1 << 26,
		negate(`{"indices":["1","2"]}`): 2 << 26,
		negate(`{"indices":["0","x"]}`): 2 << 26,
		negate(`{"indices":[0]}`):       2 << 26,
		pieces("ConcatBitcast"):         1 << 26,
		pieces("Other"):                 2 << 26,
	} {
		a, err := memory.Analyze(parse(t, text), target(t, "v5e"))
		require.NoError(t, err)
		assert.Equal(t, want, a.Report().Spaces[1].Peak, text)
	}
}

// Values that meet at one time only take room together.
func TestGivenValuesThatMeet(t *testing.T) {
	const shape = "f32[16384,1024]{1,0:T(8,128)"
	text := "HloModule m, is_scheduled=true\n\nENTRY %main {\n  %p = " + shape + "} parameter(0)\n  %a = " + shape +
		"S(1)} negate(%p)\n  %b = " + shape + "S(1)} negate(%a)\n  ROOT %c = " + shape + "} negate(%b)\n}\n"
	p := assign(t, parse(t, text), target(t, "v5e"))
	assert.Contains(t, p.Notes, "%b takes 67108864 bytes of S(1) where 67108864 of 117440512 are taken already; its "+
		"space is given and stays [LAY134]")

	// What is updated in place takes its room once.
	text = strings.Replace(text, "negate(%a)", "dynamic-update-slice(%a, %u, %z, %z)", 1)
	text = strings.Replace(text, "  %a =", "  %u = f32[8,1024]{1,0:T(8,128)S(1)} slice(%p), slice={[0:8], [0:1024]}\n"+
		"  %z = s32[]{:T(128)} constant(0)\n  %a =", 1)
	text = strings.Replace(text, "  ROOT", "  %s = f32[8,1024]{1,0:T(8,128)S(1)} negate(%u)\n  ROOT", 1)
	p = assign(t, parse(t, text), target(t, "v5e"))
	assert.NotContains(t, strings.Join(p.Notes, "\n"), "LAY134")
}

// What is called has to take the operands and to give the result; the error names the caller and what does not fit.
func TestCallsThatDoNotFit(t *testing.T) {
	const text = `HloModule m, is_scheduled=true

%%body (x: f32[8], y: f32[8]) -> (f32[8], f32[8]) {
  %%x = f32[8]{0:T(128)} parameter(0)
  %%y = f32[8]{0:T(128)} parameter(1)
  ROOT %%r = (f32[8]{0:T(128)}, f32[8]{0:T(128)}) tuple(%%x, %%y)
}

ENTRY %%main {
  %%p = f32[8]{0:T(128)} parameter(0)
  %%t = (f32[8]{0:T(128)}, f32[8]{0:T(128)}) tuple(%%p, %%p)
  ROOT %%c = %s
}
`
	for call, want := range map[string]string{
		"f32[8]{0:T(128)} call(%p, %p), to_apply=%body":                     "the result of the called computation",
		"(f32[8]{0:T(128)}, f32[8]{0:T(128)}) call(%t, %p), to_apply=%body": "a parameter of the called computation",
		"(f32[8]{0:T(128)}, f32[8]{0:T(128)}) call(%p, %p), to_apply=%body": "",
	} {
		m, err := parser.Parse("test.hlo", fmt.Sprintf(text, call))
		require.NoError(t, err)
		_, err = memory.Analyze(m, target(t, "v5e"))
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, "%c: "+want, call)
	}
}
