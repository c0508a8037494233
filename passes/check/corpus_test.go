package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/check"
	"hlolayout/passes/memory"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

func read(t *testing.T, file string) *hlo.Module {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	m, err := parser.Parse(file, string(text))
	require.NoError(t, err)
	return m
}

func target(t *testing.T, name string) *tpu.Target {
	t.Helper()
	tgt, err := tpu.ByName(name)
	require.NoError(t, err)
	return tgt
}

// What the compiler made is legal, and so is what the memory pass makes of the compiler's input.
func TestScheduledModules(t *testing.T) {
	files, err := filepath.Glob("../../testdata/memory/v*.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		generation, _, _ := strings.Cut(filepath.Base(f), ".")
		tgt := target(t, generation)
		m := read(t, f)
		assert.Empty(t, check.Module(m, tgt), f)
		if strings.Contains(f, "pre_msa") {
			p, err := memory.Run(m, tgt, plan.Options{})
			require.NoError(t, err, f)
			require.NoError(t, p.Apply(m), f)
			assert.Empty(t, check.Module(m, tgt), f)
		}
	}
}

// The compiler's final modules are legal, every one; with -short one of eight is asked.
func TestCorpus(t *testing.T) {
	corpus := filepath.Join("..", "..", "..", "shared", "corpus")
	files, err := filepath.Glob(filepath.Join(corpus, "*", "*", "final.hlo"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the corpus is not there: ../shared/corpus")
	}
	for i, f := range files {
		if testing.Short() && i%8 != 0 {
			continue
		}
		tgt := target(t, filepath.Base(filepath.Dir(filepath.Dir(f))))
		assert.Empty(t, check.Module(read(t, f), tgt), f)
		input := strings.Replace(f, "final.hlo", "pre_msa.hlo", 1)
		if _, err := os.Stat(input); err != nil || i%16 != 0 {
			continue
		}
		m := read(t, input)
		p, err := memory.Run(m, tgt, plan.Options{})
		require.NoError(t, err, f)
		require.NoError(t, p.Apply(m), f)
		assert.Empty(t, check.Module(m, tgt), f)
	}
}

// big is 48 MiB in VMEM; v5e has room for two.
const big = "f32[12288,1024]{1,0:T(8,128)S(1)}"

// Values that share a buffer, or that are elsewhere meanwhile, count once; others do not.
func TestRoom(t *testing.T) {
	slow := strings.Replace(big, "S(1)", "", 1)
	module := func(body string) string {
		return "HloModule m, is_scheduled=true\n\n%f {\n  %x = " + big + " parameter(0)\n  %y = " + big +
			" parameter(1)\n  ROOT %z = " + big +
			" add(%x, %y)\n}\n\nENTRY %e {\n  %p = " + slow + " parameter(0)\n  %i = s32[]{:T(128)} constant(0)\n" +
			body + "}\n"
	}
	three := "  %a = " + big + " negate(%p)\n  %b = " + big + " negate(%p)\n  %c = " + big + " negate(%p)\n"
	start := func(name, to, from, operand string) string {
		return "  %" + name + " = (" + to + ", " + from + ", u32[]{:S(2)}) copy-start(%" + operand + ")\n"
	}
	for _, c := range []struct {
		name, body string
		fits       bool
	}{
		{"three at a time", three + "  %d = " + slow + " add(%a, %b)\n  ROOT %r = " + slow + " add(%c, %d)\n", false},
		{"one after the other", "  %a = " + big + " negate(%p)\n  %b = " + big + " negate(%a)\n  %c = " + big +
			" negate(%b)\n  ROOT %r = " + slow + " negate(%c)\n", true},
		{"operands and result", "  %a = " + big + " negate(%p)\n  %b = " + big + " negate(%p)\n  %c = " + big +
			" reverse(%a), dimensions={0}\n  ROOT %r = " + slow + " add(%b, %c)\n", false},
		{"an elementwise operation over its operand", "  %a = " + big + " negate(%p)\n  %b = " + big +
			" negate(%p)\n  %c = " + big +
			" add(%a, %b)\n  ROOT %r = " + slow + " negate(%c)\n", true},
		{"a fusion over its operand", "  %a = " + big + " negate(%p)\n  %b = " + big + " negate(%p)\n  %c = " + big +
			" fusion(%a, %b), kind=kLoop, calls=%f\n  ROOT %r = " + slow + " negate(%c)\n", true},
		{"a fusion whose operands live on", "  %a = " + big + " negate(%p)\n  %b = " + big + " negate(%p)\n  %c = " +
			big +
			" fusion(%a, %b), kind=kLoop, calls=%f\n  %d = " + slow + " add(%a, %b)\n  ROOT %r = " + slow +
			" add(%c, %d)\n", false},
		{"written in place", "  %a = " + big + " negate(%p)\n  %b = " + big + " negate(%p)\n  %c = " + big +
			" dynamic-update-slice(%a, %b, %i, %i)\n  ROOT %r = " + slow + " negate(%c)\n", true},
		{"evicted", "  %a = " + big + " negate(%p)\n" + start("s", slow, big, "a") + "  %o = " + slow +
			" copy-done(%s)\n  %b = " + big + " negate(%p)\n  %c = " + big +
			" negate(%p)\n  %d = " + slow + " add(%b, %c)\n  ROOT %r = " + slow + " add(%d, %o)\n", true},
		{"evicted too late", "  %a = " + big + " negate(%p)\n" + start("s", slow, big, "a") + "  %b = " + big +
			" negate(%p)\n  %c = " + big +
			" negate(%p)\n  %o = " + slow + " copy-done(%s)\n  %d = " + slow + " add(%b, %c)\n  ROOT %r = " + slow +
			" add(%d, %o)\n", false},
		{"prefetched", start("s", big, slow, "p") + "  %a = " + big + " negate(%p)\n  %o = " + big +
			" copy-done(%s)\n  %b = " + slow + " add(%o, %a)\n  ROOT %r = " + slow +
			" negate(%b)\n", true},
		{"prefetched too early", start("s", big, slow, "p") + "  %a = " + big + " negate(%p)\n  %b = " + big +
			" negate(%p)\n  %c = " + slow + " add(%a, %b)\n  %o = " + big +
			" copy-done(%s)\n  ROOT %r = " + slow + " add(%o, %c)\n", false},
	} {
		m, err := parser.Parse(c.name, module(c.body))
		require.NoError(t, err)
		list := check.Module(m, target(t, "v5e"))
		if c.fits {
			assert.Empty(t, list, c.name)
		} else if assert.Len(t, list, 1, c.name) {
			assert.Equal(t, "LAY134", list[0].Code)
			assert.Contains(t, list[0].Msg, "hold 150994944 bytes of VMEM, S(1); on v5e arrays may take 117440512")
		}
	}
}
