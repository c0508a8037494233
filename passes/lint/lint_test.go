package lint_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/lint"
	"hlolayout/tpu"
)

func run(t *testing.T, text string, change func(*lint.Config)) (*hlo.Module, []lint.Finding) {
	t.Helper()
	m, err := parser.Parse("test", text)
	require.NoError(t, err)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	c := lint.Default()
	if change != nil {
		change(c)
	}
	return m, lint.Run(m, target, c)
}

// Every rule has its own id, a page, and something that breaks it.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range lint.Rules() {
		assert.False(t, seen[r.ID] || seen[r.Name], r.ID)
		seen[r.ID], seen[r.Name] = true, true
		assert.Regexp(t, `^TPL\d{3}$`, r.ID)
		assert.Greater(t, len(r.Page), 200, r.ID)
		assert.NotEmpty(t, r.Doc)
		page, ok := lint.Page(strings.ToLower(r.ID))
		assert.True(t, ok)
		assert.Contains(t, page, r.ID+" "+r.Name)
		for _, line := range strings.Split(page, "\n") {
			assert.LessOrEqual(t, len(line), 130, r.ID)
		}
	}
	_, ok := lint.Page("TPL999")
	assert.False(t, ok)
}

func entry(head string, lines ...string) string {
	return "HloModule m" + head + "\n\nENTRY %main {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		suggestion string
		saves      int64
	}{
		{lint.PaddingWaste, entry("", "ROOT %x = s32[65536,8,4]{2,1,0:T(8,128)} parameter(0)"),
			"pass the parameter as {0,1,2:T(8,128)} (major to minor (2, 1, 0)): 8.00M instead of 256.00M", 248 << 20},
		{lint.PaddingWaste, entry("", "ROOT %x = f32[128,8,8,3,3]{4,3,2,1,0:T(4,128)} parameter(0)"),
			"", -1},
		{lint.NarrowMinor, entry("", "%z = u32[]{:T(128)} constant(0)", "ROOT %x = u32[65536,1]{1,0:T(8,128)} "+
			"broadcast(%z), dimensions={}"), "", 0},
		{lint.WideElements, entry("", "ROOT %x = pred[64,512,2048]{2,1,0:T(8,128)E(32)} parameter(0)"), "", 0},
		{lint.MovesParameter, entry("", "%x = f32[1024,1024]{1,0:T(8,128)} parameter(0)",
			"%y = f32[1024,1024]{0,1:T(8,128)} copy(%x)", "ROOT %z = f32[1024,1024]{0,1:T(8,128)} negate(%y)"),
			"nothing else reads the parameter: give it the order the copy makes when it is loaded: {0,1} (major to minor " +
				"(1, 0))", 4 << 20},
		{lint.MovesParameter, entry("", "%x = f32[1024,1024]{1,0:T(8,128)} parameter(0)",
			"%y = f32[1024,1024]{1,0:T(8,128)} transpose(%x), dimensions={1,0}",
			"ROOT %z = f32[1024,1024]{1,0:T(8,128)} add(%y, %x)"), "", 0},
		{lint.MovesData, entry("", "%x = f32[1024,1024]{1,0:T(8,128)} parameter(0)",
			"%n = f32[1024,1024]{1,0:T(8,128)} negate(%x)", "ROOT %y = f32[1024,1024]{0,1:T(8,128)} copy(%n)"), "", 0},
	} {
		_, findings := run(t, c.text, func(c *lint.Config) { require.NoError(t, c.Set("TPL010=off")) })
		require.Len(t, findings, 1, c.text)
		f := findings[0]
		assert.Equal(t, c.rule, f.Rule.ID, c.text)
		if c.saves >= 0 {
			assert.Equal(t, c.suggestion, f.Suggestion, c.text)
			assert.Equal(t, c.saves, f.Saves, c.text)
		} else {
			assert.Positive(t, f.Saves)
		}
	}
}

// What spares the copy of a parameter is an order of its own dimensions; none is suggested that
// does not do it, or that takes more bytes of padding than the copy moves.
func TestLoaded(t *testing.T) {
	const order = "nothing else reads the parameter: give it the order the copy makes when it is loaded: "
	for _, c := range []struct{ name, parameter, bitcast, moved, suggestion string }{
		{"in VMEM", "f32[1024,1024]{1,0:T(8,128)}", "", "copy f32[1024,1024]{0,1:T(8,128)S(1)}",
			order + "{0,1} (major to minor (1, 0))"},
		{"taller", "f32[1024,64]{0,1:T(8,128)}", "", "copy f32[1024,64]{1,0:T(8,128)}",
			order + "{1,0} (major to minor (0, 1)); it then takes 512.0K instead of 256.0K"},
		{"padded eightfold", "f32[16,50304]{1,0:T(8,128)}", "", "copy f32[16,50304]{0,1:T(8,128)}", ""},
		{"split by a bitcast", "f32[32,256,128]{2,1,0:T(8,128)}", "f32[32,16,16,128]{3,2,1,0:T(8,128)}",
			"copy f32[32,16,16,128]{3,1,0,2:T(8,128)}", ""},
		{"split and kept together", "f32[32,256,128]{2,1,0:T(8,128)}", "f32[32,16,16,128]{3,2,1,0:T(8,128)}",
			"copy f32[32,16,16,128]{3,0,2,1:T(8,128)}", order + "{2,0,1} (major to minor (1, 0, 2))"},
		{"joined by a bitcast", "f32[4,8,256,128]{3,2,1,0:T(8,128)}", "f32[32,256,128]{2,1,0:T(8,128)}",
			"copy f32[32,256,128]{2,0,1:T(8,128)}", order + "{3,1,0,2} (major to minor (2, 0, 1, 3))"},
		{"turned by a bitcast", "f32[32,256,128]{2,1,0:T(8,128)}", "f32[128,1,32,256]{0,3,2,1:T(8,128)}",
			"copy f32[128,1,32,256]{3,0,2,1:T(8,128)}", order + "{1,2,0} (major to minor (0, 2, 1))"},
		{"another type", "f32[1024,1024]{1,0:T(8,128)}", "", "copy bf16[1024,1024]{0,1:T(8,128)(2,1)}", ""},
		{"transposed", "f32[1024,512]{1,0:T(8,128)}", "", "transpose f32[512,1024]{1,0:T(8,128)}",
			"nothing else reads the parameter: transpose it when it is loaded"},
		{"bitcast and transposed", "f32[512,1024]{0,1:T(8,128)}", "f32[1024,512]{1,0:T(8,128)}",
			"transpose f32[512,1024]{1,0:T(8,128)}", order + "{1,0} (major to minor (0, 1))"},
	} {
		lines := []string{"%p = " + c.parameter + " parameter(0)"}
		moved := "%p"
		if c.bitcast != "" {
			lines, moved = append(lines, "%b = "+c.bitcast+" bitcast(%p)"), "%b"
		}
		opcode, shape, _ := strings.Cut(c.moved, " ")
		dims := ""
		if opcode == "transpose" {
			dims = ", dimensions={1,0}"
		}
		lines = append(lines, "%c = "+shape+" "+opcode+"("+moved+")"+dims, "ROOT %n = "+shape+" negate(%c)")
		_, findings := run(t, entry("", lines...), func(c *lint.Config) { require.NoError(t, c.Set("TPL006.min_bytes=1")) })
		at := slices.IndexFunc(findings, func(f lint.Finding) bool { return f.Rule.ID == lint.MovesParameter })
		require.GreaterOrEqual(t, at, 0, c.name)
		assert.Equal(t, c.suggestion, findings[at].Suggestion, c.name)
		assert.Equal(t, c.suggestion != "", findings[at].Saves > 0, c.name)
	}
}

// The configuration file, and what is wrong with one.
func TestConfig(t *testing.T) {
	c := lint.Default()
	require.NoError(t,
		c.Read(strings.NewReader(`{"rules": {"TPL001": {"severity": "error", "min_bytes": "64MiB", "min_factor": 4}, `+
			`"donation": {"severity": "off"}}, "max_padding": 1024}`)))
	r, err := c.Rule("padding")
	require.NoError(t, err)
	assert.Equal(t, lint.Error, r.Severity)
	assert.Equal(t, int64(64<<20), r.MinBytes)
	assert.Equal(t, 4.0, r.MinFactor)
	assert.Equal(t, int64(1024), c.MaxPadding)
	assert.Equal(t, int64(-1), c.MaxRelayoutBytes)
	for text, want := range map[string]string{
		`{"rules": {"TPL001": {"severity": "fatal"}}}`: `rule TPL001: unknown severity "fatal": it is one of off, ` +
			`note, warning, error`,
		`{"rules": {"paddin": {}}}`:      `unknown rule "paddin": did you mean padding?`,
		`{"max_padding": "lots"}`:        `"lots" is not a size: write bytes, or a number with KiB, MiB, GiB or TiB`,
		"{\n\"max_padding\" 3}":          "line 2: invalid character '3' after object key",
		"":                               "the configuration is empty; {} changes nothing",
		`{"max_padding": `:               "the configuration ends too early",
		`[]`:                             "line 1: the configuration is an array, not an object",
		"{}\n\n{\"max_padding\": 3}":     "line 3: there is text after the configuration",
		"{\"rules\": {\n\"TPL001\": 3}}": "line 2: a rule in rules is a number, not an object",
		`{"rules": {"TPL001": {"min_factor": "4"}}}`:   "line 1: rules.min_factor is a string, not a number",
		`{"rules": {"TPL001": {"min_factor": 1e999}}}`: "line 1: rules.min_factor is 1e999, which does not fit",
	} {
		assert.EqualError(t, lint.Default().Read(strings.NewReader(text)), want, text)
	}
	for text, want := range map[string]int64{"0": 0, "4096": 4096, "64K": 65536, "64KiB": 65536, "1.5 GiB": 3 << 29,
		"2T": 2 << 40} {
		n, err := lint.ParseSize(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, n, text)
	}
	for _, text := range []string{"", "x", "-1", "1e30", "NaN", "1Q", "1.5", "0.5B"} {
		_, err := lint.ParseSize(text)
		assert.Error(t, err, text)
	}
}

// What a baseline accepts is gone, also when everything is renumbered; one more of the kind is not.
func TestBaseline(t *testing.T) {
	lines := []string{"%z = u32[]{:T(128)} constant(0)", "%x.1 = u32[65536,1]{1,0:T(8,128)} broadcast(%z), " +
		"dimensions={}", "ROOT %y = u32[65536,1]{1,0:T(8,128)} not(%x.1), metadata={op_name=\"f/not\"}"}
	text := entry("", lines...)
	m, findings := run(t, text, nil)
	require.Len(t, findings, 1)
	require.Equal(t, 2, findings[0].Count())
	b := &lint.Baseline{}
	b.Add(m, findings)
	var file bytes.Buffer
	require.NoError(t, b.Write(&file))
	b, err := lint.ReadBaseline(&file)
	require.NoError(t, err)
	m, findings = run(t, strings.NewReplacer("%x.1", "%x.77", "%y", "%z.9").Replace(text), nil)
	rest, left := b.Filter(m, findings)
	assert.Empty(t, rest)
	assert.Equal(t, 2, left)
	m, findings = run(t, entry("", lines[0], lines[1], strings.Replace(lines[1], "%x.1", "%x.2", 1), lines[2]), nil)
	rest, left = b.Filter(m, findings)
	require.Len(t, rest, 1)
	assert.Equal(t, "x.2", rest[0].Instruction.Name)
	assert.Equal(t, 2, left)
	_, err = lint.ReadBaseline(strings.NewReader(`{"schema_version": 2}`))
	assert.ErrorContains(t, err, "schema_version is 2")
	_, err = lint.ReadBaseline(strings.NewReader(`{"schema_version": 1, "command": "lint", "cases": []}`))
	assert.ErrorContains(t, err, `no baseline: it has no list "accepted"`)
	_, err = lint.ReadBaseline(strings.NewReader(`{"schema_version": 1, "accepted": []}`))
	assert.NoError(t, err)
}

// Twice the same findings, on every module of the corpus.
func TestCorpus(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/corpus/*/*/final.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		loose := func(c *lint.Config) {
			for i := range c.Rules {
				c.Rules[i].MinBytes, c.Rules[i].MinFactor = 0, 1.01
			}
		}
		_, a := run(t, string(text), loose)
		_, b := run(t, string(text), loose)
		require.Len(t, b, len(a))
		for i := range a {
			require.Equal(t, a[i].Message, b[i].Message, path)
			require.Equal(t, a[i].Instruction.Name, b[i].Instruction.Name, path)
			require.GreaterOrEqual(t, a[i].Bytes, a[i].Saves, path)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0B", 1023: "1023B", 1536: "1.5K", 128 << 20: "128.00M", 8 << 30: "8.00G",
		-1536: "-1.5K"} {
		assert.Equal(t, want, lint.Size(n))
	}
}
