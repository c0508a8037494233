package memory_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
	"hlolayout/passes/check"
	"hlolayout/passes/memory"
	"hlolayout/passes/plan"
	"hlolayout/printer"
	"hlolayout/tpu"
)

// write runs the pass with its copies written out, and returns the text.
func write(t *testing.T, m *hlo.Module, tgt *tpu.Target) string {
	t.Helper()
	p, err := memory.Run(m, tgt, plan.Options{})
	require.NoError(t, err)
	require.NoError(t, p.Apply(m))
	require.NoError(t, hlo.Check(m).Err())
	return string(printer.Append(nil, m))
}

// checkWritten writes the copies of a scheduled module: what comes out is well-formed and legal on the target, which
// takes the reservations of every value at every time into account, and it is what another run leaves as it is. It
// returns the number of copies.
func checkWritten(t *testing.T, file, generation string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	tgt := target(t, generation)
	m := parse(t, string(text))
	before := strings.Count(string(text), " copy-done(")
	malformed := len(verify.Module(m))
	once := write(t, m, tgt)
	again, err := parser.Parse(file, once)
	require.NoError(t, err, file)
	assert.Len(t, verify.Module(again), malformed, file)
	assert.Empty(t, check.Module(again, tgt), file)
	assert.Equal(t, once, write(t, again, tgt), file)
	return strings.Count(once, " copy-done(") - before
}

func TestAsyncCopies(t *testing.T) {
	files, err := filepath.Glob("../../testdata/memory/*.pre_msa.hlo")
	require.NoError(t, err)
	copies := 0
	for _, f := range files {
		generation, _, _ := strings.Cut(filepath.Base(f), ".")
		copies += checkWritten(t, f, generation)
	}
	assert.Greater(t, copies, 5)

	files, err = filepath.Glob("../../../shared/corpus/*/*/pre_msa.hlo")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the corpus is not there: ../shared/corpus")
	}
	for i, f := range files {
		if every := 4; i%every == 0 && (!testing.Short() || i%(8*every) == 0) {
			checkWritten(t, f, filepath.Base(filepath.Dir(filepath.Dir(f))))
		}
	}
}

// The copies of small programs are the compiler's: the same instructions with the same names, in the compiler's order
// but for parameters. What a conditional hands on is read from it after it, whatever the input reads.
func TestCopiesAsTheCompilerWritesThem(t *testing.T) {
	lines := func(text string) (out []string) {
		for _, l := range strings.Split(text, "\n") {
			if strings.Contains(l, "copy-start(") || strings.Contains(l, "copy-done(") {
				out = append(out, l)
			}
		}
		return out
	}
	for _, c := range []struct {
		name  string
		parts []string
	}{
		{"v5e.mlp_fwd", nil},
		{"v5e.handed_on", []string{" fusion(%c.8, %c.8, %c.9), ", " copy-start(%c.8), ", " tuple(%fusion, %copy-done.2)"}},
	} {
		text, err := os.ReadFile("../../testdata/memory/" + c.name + ".pre_msa.hlo")
		require.NoError(t, err)
		final, err := os.ReadFile("../../testdata/memory/" + c.name + ".final.hlo")
		require.NoError(t, err)
		want := lines(string(final))
		require.NotEmpty(t, want)
		ours := write(t, parse(t, string(text)), target(t, "v5e"))
		assert.ElementsMatch(t, want, lines(ours))
		for _, part := range c.parts {
			require.Contains(t, string(final), part)
			assert.Contains(t, ours, part)
		}
	}
}

// What a loop carries unchanged in the fast memory it also carries in HBM where its body, or a loop in it, needs that,
// and only there: the loops are the compiler's.
func TestLoopsCarryHBMToo(t *testing.T) {
	loops := func(text string) (out []string) {
		for _, l := range strings.Split(text, "\n") {
			if loop, _, ok := strings.Cut(l, " while("); ok {
				out = append(out, loop)
			}
		}
		return out
	}
	for _, name := range []string{"carried", "two_loops"} {
		text, err := os.ReadFile("../../testdata/memory/v5e." + name + ".pre_msa.hlo")
		require.NoError(t, err)
		final, err := os.ReadFile("../../testdata/memory/v5e." + name + ".final.hlo")
		require.NoError(t, err)
		want := loops(string(final))
		require.Greater(t, len(want), 1)
		assert.Equal(t, want, loops(write(t, parse(t, string(text)), target(t, "v5e"))), name)
	}
}

// A copy that only moves an argument to the fast memory is a prefetch, where there is time, nothing else reads the
// result and nothing awaits it.
func TestCopyBecomesAPrefetch(t *testing.T) {
	text, err := os.ReadFile("../../testdata/memory/v5e.carried.pre_msa.hlo")
	require.NoError(t, err)
	final, err := os.ReadFile("../../testdata/memory/v5e.carried.final.hlo")
	require.NoError(t, err)
	const sent = "f32[60,4]{0,1:T(4,128)}"
	const start, scalar, tuple = " copy-start(%x_0_.1), ", "  %copy.6 = s32[]{:T(128)} copy(%constant.11)", "  " +
		"%tuple.37 = "
	require.Contains(t, string(final), start)
	ours := write(t, parse(t, string(text)), target(t, "v5e"))
	assert.Contains(t, ours, start)
	assert.NotContains(t, ours, "%copy.14 = ")
	assert.Equal(t, strings.Count(string(final), " copy-start("), strings.Count(ours, " copy-start("))
	assert.Greater(t, strings.Index(ours, " copy-done(%copy-start.2)"), strings.Index(ours, scalar))

	for _, change := range [][2]string{
		{"  %copy.14 = ", "  %wide = s32[1024,1024]{1,0:T(8,128)} broadcast(%constant.11), dimensions={}\n  " +
			"%copy.14 = "}, // prefetches are timed with its size
		{" copy(%x_0_.1)", " copy(%x_0_.1), control-predecessors={%x_1_.1}"},
		{scalar, scalar + ", control-predecessors={%copy.14}"},
		{"  %copy.14 = ", "  %sent = (" + sent + ", " + sent + ", u32[], u32[]) collective-permute-start(%x_0_.1), " +
			"source_target_pairs={{0,1}}\n  %came = " + sent + " collective-permute-done(%sent)\n  %copy.14 = "},
		{tuple, "  %n = f32[60,4]{0,1:T(4,128)} negate(%copy.14)\n" + tuple},
		{"%copy.14 = f32[60,4]{0,1:T(4,128)} copy(%x_0_.1)", "%copy.14 = f32[60,4]{0,1:T(4,128)} copy(%x_3_.1)"},
	} {
		other := strings.Replace(string(text), change[0], change[1], 1)
		if strings.Contains(change[1], "x_3_") {
			other = strings.Replace(other, "  %x_2_.1 = ", "  %x_3_.1 = f32[60,4]{1,0:T(8,128)} parameter(3)\n  %x_2_.1 = ", 1)
			other = strings.Replace(other, "x_2_.1: f32[4])", "x_2_.1: f32[4], x_3_.1: f32[60,4])", 1)
			other = strings.Replace(other, "f32[4]{0:T(128)})->", "f32[4]{0:T(128)}, f32[60,4]{1,0:T(8,128)})->", 1)
		}
		require.NotEqual(t, string(text), other)
		assert.Contains(t, write(t, parse(t, other), target(t, "v5e")), "%copy.14 = ", change[1])
	}
}

// A result that only renames what is copied back keeps its name and reads the copy.
func TestRenamedResultReadsTheCopy(t *testing.T) {
	text, err := os.ReadFile("../../testdata/memory/v5e.carried.pre_msa.hlo")
	require.NoError(t, err)
	other := strings.NewReplacer("  ROOT %while.17 = ", "  %while.17 = ",
		"get-tuple-element(%while.24), index=1\n", "get-tuple-element(%while.24), index=1\n  ROOT %r = "+
			"f32[4,60]{1,0:T(4,128)} bitcast(%while.17)\n",
		"->f32[60,4]{0,1:T(4,128)}}", "->f32[4,60]{1,0:T(4,128)}}", "x_2_.1: f32[4]) -> f32[60,4]", "x_2_.1: f32[4]) -> "+
			"f32[4,60]").Replace(string(text))
	assert.Contains(t, write(t, parse(t, other), target(t, "v5e")),
		"  ROOT %r = f32[4,60]{1,0:T(4,128)} bitcast(%copy-done")
}

// An array in a tuple of a conditional's result is read through the elements that are there.
func TestElementsThatAreThere(t *testing.T) {
	text, err := os.ReadFile("../../testdata/memory/v5e.cond_nested.pre_msa.hlo")
	require.NoError(t, err)
	const element = "  %get-tuple-element.5 = (f32[21,2]{0,1:T(2,128)S(1)}) get-tuple-element(%cond.1.clone), index=0"
	final, err := os.ReadFile("../../testdata/memory/v5e.cond_nested.final.hlo")
	require.NoError(t, err)
	require.Contains(t, string(final), element)
	ours := write(t, parse(t, string(text)), target(t, "v5e"))
	assert.Contains(t, ours, element)
	assert.Contains(t, ours, " get-tuple-element(%get-tuple-element.5), index=0")
}

// Where two elements have several names all uses share the oldest, and the newest of all; else they keep theirs.
func TestNamesOfElements(t *testing.T) {
	const array = "f32[256,1024]{1,0:T(8,128)}"
	const pair = "(" + array + ", " + array + ")"
	get := func(name, index string) string {
		return "%" + name + " = " + array + " get-tuple-element(%f), index=" + index
	}
	two := "%two {\n  %p = " + array + " parameter(0)\n  %n = " + array + " negate(%p)\n  %a = " + array +
		" abs(%p)\n  ROOT %r = " + pair + " tuple(%n, %a)\n}\n\n"
	for more, want := range map[string]string{"%e.1": "add(%m, %e.4)", "%e.2": "add(%m, %e.7)"} {
		lines := []string{"%p = " + array + " parameter(0)", "%f = " + pair + " fusion(%p), kind=kLoop, calls=%two",
			get("e.7", "1"), get("e.4", "1"), get("e.1", "0"), get("e.2", "0"), "%m = " + array + " negate(" + more + ")",
			"%x = " + array + " add(%m, %e.4)", "%y = " + array + " add(%e.1, %e.7)", "ROOT %z = " + array + " add(%x, %y)"}
		if more == "%e.1" {
			lines = slices.Delete(lines, 5, 6)
		}
		assert.Contains(t, write(t, parse(t, schedule(two, lines...)), target(t, "v5e")), want, more)
	}
}

// A program of another unit starts before it has operands: the first after the parameters, the next one where the one
// before gets its operands; what waits for others is what gets them. Another run changes nothing, and other programs
// start with their operands.
func TestOffloadsStartEarly(t *testing.T) {
	const array, ints = "f32[256,128]{1,0:T(8,128)}", "s32[256]{0:T(256)}"
	start := func(name, operand, more string) string {
		return "%" + name + " = ((" + array + ", " + ints + "), " + array + ") async-start(%" + operand + ", %i), " +
			`async_execution_thread="sparsecore", calls=%f` + name + more + `, backend_config={"sparse_core_config":` +
			`{"offload":"OFFLOAD_SCATTER"}}`
	}
	body := func(name string) string {
		return "%f" + name + " {\n  %q = " + array + " parameter(0)\n  %j = " + ints + " parameter(1)\n  ROOT %e = " + array +
			" exponential(%q)\n}, execution_thread=\"sparsecore\"\n\n"
	}
	text := schedule(body("s.1")+body("s.2"), "%p = "+array+" parameter(0)", "%i = "+ints+" parameter(1)",
		"%y = "+array+" tanh(%p)", start("s.1", "y", ""), "%n = "+array+" negate(%p)",
		start("s.2", "n", ", control-predecessors={%s.1}"), "%d.1 = "+array+" async-done(%s.1)",
		"%d.2 = "+array+" async-done(%s.2)", "ROOT %r = "+array+" add(%d.1, %d.2)")
	m := parse(t, text)
	ours := write(t, m, target(t, "v6e"))
	at := 0
	for _, part := range []string{"%i = ", "%s.1 = ((), (), (s32[8192]{0:T(1024)}, s32[25]{0:T(1)S(11)}, ",
		" s32[11]{0:S(10)}, ", ") async-start(), ", "%y = ", "%s.1.update = ((f32[", " async-update(%s.1, %y, %i), ",
		"%s.2 = ((), (), (", ") async-start(), async_execution_thread=\"sparsecore\", calls=%fs.2, backend_config", "%n = ",
		"%s.2.update = ", " async-update(%s.2, %n, %i), output_to_operand_aliasing={{2,0}: (0, {2,0}), ",
		"control-predecessors={%s.1}", " async-done(%s.1.update)", " async-done(%s.2.update)"} {
		i := strings.Index(ours[at:], part)
		require.GreaterOrEqual(t, i, 0, "%s\n%s", part, ours)
		at += i
	}
	assert.Empty(t, verify.Module(m))
	assert.Equal(t, ours, write(t, parse(t, ours), target(t, "v6e")))

	started := strings.ReplaceAll(strings.ReplaceAll(text, "%s.1", "%s.1-start"), "%fs.1-start", "%fs.1")
	assert.Contains(t, write(t, parse(t, started), target(t, "v6e")), "%s.1-update = ((f32[")

	gather := strings.ReplaceAll(text, "_SCATTER", "_GATHER")
	assert.Contains(t, write(t, parse(t, gather), target(t, "v6e")), "((), (), (s32[16384]{0:T(1024)}, ")
	assert.Contains(t, write(t, parse(t, gather), target(t, "v5p")), "((), (), (s32[32768]{0:T(1024)}, ")
	formatting := strings.ReplaceAll(text, "_SCATTER", "_DATA_FORMATTING")
	for _, part := range []string{"((), (), (s32[16384]{0:T(1024)}, ", " s32[3]{0:S(10)}, "} {
		assert.Contains(t, write(t, parse(t, formatting), target(t, "v7x")), part)
	}
	for _, other := range []string{"_SORT", "_SCATTER"} {
		changed := strings.ReplaceAll(text, "_SCATTER", other)
		if other == "_SCATTER" {
			changed = strings.ReplaceAll(text, `"sparsecore"`, `"host"`)
		}
		assert.NotContains(t, write(t, parse(t, changed), target(t, "v6e")), "async-update", other)
	}
}
