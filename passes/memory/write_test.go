package memory_test

import (
	"os"
	"path/filepath"
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

// A copy that only moves an argument to the fast memory is a prefetch, where something runs meanwhile, nothing else
// reads the result and nothing awaits it.
func TestCopyBecomesAPrefetch(t *testing.T) {
	text, err := os.ReadFile("../../testdata/memory/v5e.carried.pre_msa.hlo")
	require.NoError(t, err)
	final, err := os.ReadFile("../../testdata/memory/v5e.carried.final.hlo")
	require.NoError(t, err)
	const start, scalar, tuple = " copy-start(%x_0_.1), ", "  %copy.6 = s32[]{:T(128)} copy(%constant.11)", "  " +
		"%tuple.37 = "
	require.Contains(t, string(final), start)
	ours := write(t, parse(t, string(text)), target(t, "v5e"))
	assert.Contains(t, ours, start)
	assert.NotContains(t, ours, "%copy.14 = ")
	assert.Equal(t, strings.Count(string(final), " copy-start("), strings.Count(ours, " copy-start("))
	assert.Greater(t, strings.Index(ours, " copy-done(%copy-start.2)"), strings.Index(ours, scalar))

	for _, change := range [][2]string{
		{scalar, ""}, // nothing runs meanwhile
		{" copy(%x_0_.1)", " copy(%x_0_.1), control-predecessors={%x_1_.1}"},
		{scalar, scalar + ", control-predecessors={%copy.14}"},
		{tuple, "  %n = f32[60,4]{0,1:T(4,128)} negate(%copy.14)\n" + tuple},
		{"%copy.14 = f32[60,4]{0,1:T(4,128)} copy(%x_0_.1)", "%copy.14 = f32[60,4]{0,1:T(4,128)} copy(%x_3_.1)"},
	} {
		other := strings.Replace(string(text), change[0], change[1], 1)
		switch {
		case change[1] == "":
			other = strings.Replace(other, "copy.6, %copy.14", "constant.11, %copy.14", 1)
		case strings.Contains(change[1], "x_3_"):
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
