package parser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/printer"
)

// dumps returns the dumps of the repository, and of ../shared if that is next to it.
func dumps(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, glob := range []string{"../testdata/*.hlo", "../testdata/corpus/*/*/*.hlo"} {
		found, err := filepath.Glob(glob)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.GreaterOrEqual(t, len(files), 60)
	shared, err := filepath.Glob("../../shared/corpus/*/*/*.hlo")
	require.NoError(t, err)
	if len(shared) == 0 {
		t.Log("no ../shared/corpus next to the clone: only testdata is read")
	}
	if testing.Short() && len(shared) > 300 {
		shared = shared[:300]
	}
	return append(files, shared...)
}

// trimmed is the text without blanks at line ends and at its end.
func trimmed(text string) string {
	lines := strings.Split(strings.TrimRight(text, " \t\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Join(lines, "\n")
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			other := "(nothing)"
			if i < len(g) {
				other = g[i]
			}
			return "- " + w[i] + "\n+ " + other
		}
	}
	return "the print is longer"
}

func TestDumpsComeBackUnchanged(t *testing.T) {
	files := dumps(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := parser.Parse(file, string(text))
		if !assert.NoError(t, err) {
			continue
		}
		if want, got := trimmed(string(text)), trimmed(printer.Print(m)); want != got {
			t.Errorf("%s: the preserving print differs:\n%s", file, firstDifference(want, got))
		}
		assert.NoError(t, hlo.Check(m).Err(), file)
	}
	t.Logf("%d dumps", len(files))
}

// TestSpelling reads what people write and prints it in XLA's spacing and attribute order.
func TestSpelling(t *testing.T) {
	module := func(body string) string { return "HloModule m\n\nENTRY e {\n" + body + "\n}\n" }
	for _, c := range []struct{ name, in, want string }{
		{"blanks", module("p=f32[]parameter(0)"), ""},
		{"spacing", module("%p  =  f32[2,3] { 1,0 : T ( 2 , 128 ) }  parameter( 0 )"),
			"  %p = f32[2,3]{1,0:T(2,128)} parameter(0)"},
		{"attribute order", module("  p = f32[2] parameter(0)\n  n = f32[2] negate(p), metadata={op_name=\"x\"}, " +
			"sharding={replicated}"),
			"  n = f32[2] negate(p), sharding={replicated}, metadata={op_name=\"x\"}"},
		{"all layout properties",
			module("  p = f32[2,<=3,?]{2,1,0:D(D,C~,S+)T(8,*)(2,1)L(4)#(u32)*(u8)E(4)S(5)SC(0:1,2)(1:3)M(16)} " +
				"parameter(0)"),
			"  p = f32[2,<=3,?]{2,1,0:D(D,C~,S+)T(8,*)(2,1)L(4)#(u32)*(u8)E(4)S(5)SC(0:1,2)(1:3)M(16)} parameter(0)"},
		{"tuples and buffers", module("  p = ((), token[], opaque[], b(f32[2]{0})) parameter(0)"),
			"  p = ((), token[], opaque[], b(f32[2]{0})) parameter(0)"},
		{"a buffer operand", module("  p = b(f32[2]{0}) parameter(0)\n  n = b(f32[2]{0}) opt-barrier(b(f32[2]{0}) p)"),
			"  n = b(f32[2]{0}) opt-barrier(b(f32[2]{0}) p)"},
		{"comments", module("  /* { */ p = f32[/*x*/2]/*y*/{0} parameter(0) // }"), "  /* { */\n  ROOT p = f32[2]{0} " +
			"parameter(0) // }"},
		{"raw JSON", module(`  p = f32[] parameter(0), backend_config={"a":"}","b":{"c":[1,2]}}`),
			`  p = f32[] parameter(0), backend_config={"a":"}","b":{"c":[1,2]}}`},
		{"iota groups",
			module("  p = f32[] parameter(0)\n  g = f32[] all-gather(p), replica_groups=[2,4]<=[4,2]T(1,0), " +
				"dimensions={0}"),
			"  g = f32[] all-gather(p), replica_groups=[2,4]<=[4,2]T(1,0), dimensions={0}"},
		{"mesh groups",
			module("  p = f32[] parameter(0)\n  g = f32[] all-gather(p), replica_groups=mesh['x'=2,'y'=4], " +
				"device_ids=([4,2]T(1,0)) {'x','y':(1)2}, dimensions={0}"),
			"  g = f32[] all-gather(p), replica_groups=mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'x','y':(1)2}, " +
				"dimensions={0}"},
		{"literal attribute", module("  z = f32[] constant(0)\n  c = f32[] custom-call(z), custom_call_target=\"f\", " +
			"literal=s32[2]{0} {1, 2}"),
			"  c = f32[] custom-call(z), custom_call_target=\"f\", literal=s32[2]{0} {1, 2}"},
		{"unknown opcode and attribute", module("  p = f32[2] parameter(0)\n  n = f32[2] frobnicate(p), depth={1, 2}"),
			"  n = f32[2] frobnicate(p), depth={1, 2}"},
		{"nested", module("  n = f32[] add(f32[] parameter(0), f32[] constant(2))"),
			"  parameter.anon = f32[] parameter(0)"},
		{"inline body", module("  p = f32[] parameter(0)\n  n = f32[] call(p), to_apply={ q = f32[] parameter(0) }"),
			"  n = f32[] call(p), to_apply=_"},
		{"async", module("  p = f32[9] parameter(0)\n  s = ((f32[9]), f32[2], u32[]) slice-start(p), slice={[0:2]}"),
			"  s = ((f32[9]), f32[2], u32[]) slice-start(p), slice={[0:2]}"},
		{"upper-case types", module("  p = F32[3,5]{1,0} parameter(0)"), "  p = f32[3,5]{1,0} parameter(0)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := parser.Parse("in.hlo", c.in)
			if c.want == "" {
				assert.Error(t, err)
				return
			}
			require.NoError(t, err)
			once := printer.Print(m)
			assert.Contains(t, once, strings.TrimSpace(c.want)+"\n")
			again, err := parser.Parse("again.hlo", once)
			require.NoError(t, err)
			assert.Equal(t, once, printer.Print(again))
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "in.hlo:1:1: the text ends too early; expected `HloModule` [HLO001]"},
		{"hello world", "in.hlo:1:7: unexpected \"world\"; expected `=` [HLO001]"},
		{"HloModule m\nENTRY e {\n  p = f32[2 parameter(0)\n}", "in.hlo:3:13: unexpected \"parameter\"; expected `]` " +
			"[HLO001]"},
		{"HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n", "in.hlo:3:26: the module is cut: the text ends " +
			"inside computation e; what follows"},
		{"HloModule m\nENTRY e {\n  param = f32[2] parameter(0)\n  n = f32[2] negate(parm)\n}",
			"in.hlo:4:21: no instruction \"parm\"; did you mean param? [HLO010]"},
		{"HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  n = f32[2] call(p), to_apply=%q\n}",
			"in.hlo:4:32: no computation \"q\"; computations are defined before they are used [HLO011]"},
		{"HloModule m\nENTRY e (p: f32[2] {\n  p = f32[2] parameter(0)\n}",
			"in.hlo:3:3: unexpected \"p\"; expected `:` or a number [HLO001]"},
		{"HloModule m\nENTRY e {\n  p = f32[2]{1,0} parameter(0)\n}", "in.hlo:3:13: the layout orders 2 dimensions, " +
			"the array has 1 dimension [HLO032]"},
		{"HloModule m\nENTRY e {\n  p = f32[99999999999999999999] parameter(0)\n}",
			"in.hlo:3:11: the number \"99999999999999999999\" does not fit in 64 bits [HLO003]"},
		{"HloModule m\nENTRY e {\n  p = f33[2] parameter(0)\n}", "in.hlo:3:7: \"f33\" is not an element type; did " +
			"you " +
			"mean f32? [HLO030]"},
		{"HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  p = f32[2] negate(p)\n}",
			"in.hlo:4:3: instruction \"p\" is defined twice; first on line 3 [HLO012]"},
		{"HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  n = f32[2] add(p)\n}",
			"in.hlo:4:3: add n has 1 operand; it takes 2 operands [HLO015]"},
		{"HloModule m\nENTRY e {\n  p = f32[2] parameter(1)\n}", "in.hlo:3:3: parameter number 1 of e leaves a gap; " +
			"there are 1 parameters [HLO014]"},
		{"HloModule m\nENTRY e {\n  ROOT p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}",
			"in.hlo:4:3: a second ROOT in e; the first is p [HLO013]"},
		{"HloModule m\nENTRY e (p: f32[2]) -> f32[3] {\n  p = f32[2] parameter(0)\n}",
			"in.hlo:2:24: the signature of e says f32[3], its root p has f32[2] [HLO034]"},
		{"HloModule m\nENTRY e (p: f32[2]) -> (f32[2], (f32[3], f32[2])) {\n  p = f32[2] parameter(0)\n" +
			"  t = (f32[2], f32[2]) tuple(p, p)\n  ROOT r = (f32[2], (f32[2], f32[2])) tuple(p, t)\n}",
			"in.hlo:2:24: the signature of e says f32[3] in element {1,0}, its root r has f32[2] [HLO034]"},
		{"HloModule m\nENTRY e (p: f32[2]) -> (" + strings.Repeat("f32[2,2], ", 30) +
			"f32[2]) {\n  p = f32[2] parameter(0)\n}",
			"in.hlo:2:24: the signature of e says a tuple of 31, its root p has f32[2] [HLO034]"},
		{"HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  n = f32[2] negate(f32[3] p)\n}",
			"in.hlo:4:21: operand p is written with f32[3] and defined with f32[2] [HLO033]"},
		{"HloModule m\nENTRY e {\n  p = f32[2] parameter(0), sharding={replicated}, sharding={replicated}\n}",
			"in.hlo:3:51: duplicate attribute sharding [HLO022]"},
		{"HloModule m\nENTRY e {\n  p = " + strings.Repeat("(", 2000) + "f32[]" + strings.Repeat(")", 2000) +
			" parameter(0)\n}", "nested more than 1000 levels deep [HLO004]"},
	} {
		_, err := parser.Parse("in.hlo", c.text)
		require.Error(t, err, c.text)
		assert.Contains(t, err.Error(), c.want)
	}
}

// A text that is not a module is not answered with an error for each of its lines.
func TestAHundredErrors(t *testing.T) {
	for _, lines := range []int{99, 100, 101, 500} {
		text := "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
		for i := range lines {
			text += fmt.Sprintf("  n%d = f32[2] add(p)\n", i)
		}
		_, err := parser.Parse("in.hlo", text+"}\n")
		assert.Len(t, err, min(lines, 100))
	}
}

func TestUnknownIsKeptWithAWarningAndRefusedWhenStrict(t *testing.T) {
	text := "HloModule m, novel=1\nENTRY e {\n  p = f32[2] parameter(0)\n  n = f32[2] negat(p), metdata={}\n}"
	var warnings []string
	_, err := parser.Config{Warn: func(e *hlo.Error) { warnings = append(warnings, e.Error()) }}.Parse("in.hlo", text)
	require.NoError(t, err)
	assert.Equal(t, []string{
		`in.hlo:1:14: warning: unknown attribute "novel" [HLO021]`,
		`in.hlo:4:14: warning: unknown opcode "negat"; did you mean negate? [HLO020]`,
		`in.hlo:4:24: warning: unknown attribute "metdata"; did you mean metadata? [HLO021]`,
	}, warnings)
	_, err = parser.Config{Strict: true}.Parse("in.hlo", text)
	require.Error(t, err)
	assert.Len(t, err, 3)
}

// libtpu 0.0.51 prints a total order as order=TOTAL, which XLA's parser (jaxlib 0.10.2) does not know yet.
func TestOrderOfComparisons(t *testing.T) {
	text := "ENTRY e {\n  p = f32[2] parameter(0)\n  ROOT c = pred[2] compare(p, p), direction=LT, order=TOTAL\n}"
	warn := func(e *hlo.Error) { assert.Fail(t, e.Error()) }
	m, err := parser.Config{Warn: warn}.Parse("in.hlo", text)
	require.NoError(t, err)
	assert.Equal(t, "TOTAL", m.Entry.Root.Attr("order").Text)
	_, err = parser.Config{Strict: true}.Parse("in.hlo", text)
	assert.ErrorContains(t, err, "compare takes no attribute order")
}

// TestNothingPanics cuts and mangles dumps at many places: each answer is a module or errors with a position.
func TestNothingPanics(t *testing.T) {
	text, err := os.ReadFile("../testdata/corpus/v5e/cond_simple/before.hlo")
	require.NoError(t, err)
	refused := 0
	try := func(mangled string) {
		if _, err := parser.Parse("in.hlo", mangled); err != nil {
			refused++
			for _, e := range err.(hlo.ErrorList) {
				assert.Positive(t, e.Line)
				assert.Positive(t, e.Col)
			}
		}
	}
	for i := 0; i < len(text); i += 7 {
		try(string(text[:i]))
		for _, b := range []string{"", "{", ")", "\x00", "%", "9"} {
			try(string(text[:i]) + b + string(text[i+1:]))
		}
	}
	t.Logf("%d refused", refused)
	assert.Greater(t, refused, len(text)/7)
}

// The text of a value in another attribute does not make it a map of frontend_attributes.
func TestFrontendAttributesAreAMap(t *testing.T) {
	const layout = "{(f32[2]{0})->f32[2]{0}}"
	_, err := parser.Parse("", "HloModule m, entry_computation_layout="+layout+"\n\nENTRY %e (a: f32[2]) -> f32[2] {\n"+
		"  ROOT %a = f32[2]{0} parameter(0), frontend_attributes="+layout+"\n}\n")
	assert.ErrorContains(t, err, "4:")
}
