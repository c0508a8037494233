package forms_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/forms"
	"hlolayout/printer"
)

const module = `HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[8]{0})->f32[8]{0}}

FileNames
1 "model.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=0 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%fused (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  ROOT %n = f32[8]{0} negate(%p), metadata={op_name="w[\'o\']" stack_frame_id=1}
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0), metadata={op_name="a\"b"}
  ROOT %fusion = f32[8]{0} fusion(%x), kind=kLoop, calls=%fused, backend_config={"a":"}"}
}
`

// prefixed puts what f returns for the line's number in front of each line.
func prefixed(text string, f func(i int) string) string {
	var b strings.Builder
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(f(i) + l + "\n")
	}
	return b.String()
}

func absl(i int) string {
	return fmt.Sprintf("I0000 00:00:1732190400.%06d   12345 hlo_pass.cc:9] ", 123456+i)
}

// python is what Python's repr makes of a text.
func python(text string) string {
	if !strings.Contains(text, "'") || strings.Contains(text, `"`) {
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), "'", `\'`)
		return "'" + strings.ReplaceAll(text, "\n", `\n`) + "'"
	}
	return `"` + strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), "\n", `\n`) + `"`
}

// notebook is how Jupyter stores what a cell printed: a list of strings, each a line.
func notebook(text string) string {
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, "    "+strconv.Quote(l))
	}
	return strings.Join(lines, ",\n")
}

// pprint is what Python's pprint makes of a text: strings of no more than 80 characters, joined by the compiler.
func pprint(text string) string {
	var parts []string
	for _, l := range strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n") {
		if len(l) > 60 {
			at := 20 + strings.Index(l[20:], " ")
			parts = append(parts, python(l[:at]))
			l = l[at:]
		}
		parts = append(parts, python(l))
	}
	return "(" + strings.Join(parts, "\n ") + ")"
}

func TestForms(t *testing.T) {
	other := strings.ReplaceAll(module, "jit_f", "jit_g")
	noise := "I1121 10:00:00.1 12 dumper.cc:1] begin\nplain text\n"
	for _, c := range []struct {
		name, text, form string
		modules          []string
		left             int
	}{
		{"HLO", module, forms.Plain, []string{"jit_f"}, 0},
		{"absl before initialization", prefixed(module, absl), "log", []string{"jit_f"}, 0},
		{"absl", prefixed(module, func(i int) string {
			return fmt.Sprintf("I1121 10:00:%02d.123456    77 hlo.cc:12] ", i)
		}), "log", []string{"jit_f"}, 0},
		{"glog 0.6", prefixed(module, func(i int) string {
			return fmt.Sprintf("W20241121 10:00:%02d.123456 77 hlo.cc:12] ", i)
		}), "log", []string{"jit_f"}, 0},
		{"TensorFlow", prefixed(module, func(i int) string {
			return fmt.Sprintf("2024-11-21 10:00:%02d.%06d: I external/xla/xla/service/dump.cc:312] ", i, i*777)
		}), "log", []string{"jit_f"}, 0},
		{"after the name of a machine", prefixed(module, func(i int) string {
			return fmt.Sprintf("worker-%d | %s", 3, absl(i))
		}), "log", []string{"jit_f"}, 0},
		{"a prefix on the first line alone", noise + absl(0) + "After optimizations: " + module + absl(9) + "done\n",
			"log", []string{"jit_f"}, 3},
		{"words after each prefix", prefixed(strings.Replace(module, "HloModule", "After layout: HloModule", 1), absl),
			"log", []string{"jit_f"}, 0},
		{"a word after each prefix", prefixed(module, func(i int) string { return absl(i) + "RAW: " }), "log",
			[]string{"jit_f"}, 0},
		{"lines before, between and after", noise + strings.ReplaceAll(prefixed(module, absl), "cc:9] }\n", "cc:9] }\n"+
			noise) + "the end\n", "log", []string{"jit_f"}, 7},
		{"two modules", noise + prefixed(module, absl) + noise + prefixed(other, absl) + noise, "log",
			[]string{"jit_f", "jit_g"}, 6},
		{"two threads interleaved",
			interleave(prefixed(module, absl), strings.ReplaceAll(prefixed(other, absl), "12345",
				"12346")), "log", []string{"jit_f", "jit_g"}, 0},
		{"a module that is only mentioned", prefixed("Compiling HloModule jit_h", absl) + prefixed(module, absl), "log",
			[]string{"jit_f"}, 1},
		{"an unknown prefix", prefixed(module, func(i int) string { return fmt.Sprintf("%d: [step %d] ", 3, i) }),
			"text with other lines", []string{"jit_f"}, 0},
		{"quoted mail", "On Monday:\n" + prefixed(module, func(int) string { return "> " }) + "Thanks\n",
			"text with other lines", []string{"jit_f"}, 2},
		{"Markdown", "# A bug\n\n```hlo\n" + module + "```\n\nand\n\n~~~\n" + other + "~~~\n", "Markdown",
			[]string{"jit_f", "jit_g"}, 3},
		{"indented in Markdown", "1. A bug:\n\n   ```\n" + prefixed(module, func(int) string { return "   " }) +
			"   ```\n", "Markdown", []string{"jit_f"}, 1},
		{"a log in Markdown", "Look:\n````\n" + prefixed(module, absl) + "````\n", "log", []string{"jit_f"}, 1},
		{"C++ raw strings", "TEST_F(A, B) {\n  auto text = R\"(\n" + strings.TrimSpace(module) + ")\";\n" +
			"  EXPECT_TRUE(ok);\n  auto other = R\"HLO(" + strings.TrimSpace(other) + ")HLO\";\n}\n", "text with other lines",
			[]string{"jit_f", "jit_g"}, 4},
		{"Python strings", "text = \"\"\"" + strings.TrimSpace(module) + "\"\"\"\nother = '''\n" + other + "'''\n",
			"text with other lines", []string{"jit_f", "jit_g"}, 1},
		{"words after the module", module + "Traceback (most recent call last):\n", "text with other lines",
			[]string{"jit_f"}, 1},
		{"repr", python(module), "string of a program", []string{"jit_f"}, 0},
		{"repr without quotes", strings.Trim(python(module), "'"), "string of a program", []string{"jit_f"}, 0},
		{"a list of strings", "texts = [" + python(module) + ", b" + python(other) + "]\n", "string of a program",
			[]string{"jit_f", "jit_g"}, 2},
		{"pprint", pprint(module), "string of a program", []string{"jit_f"}, 0},
		{"JSON", `{"name": "f", "hlo": ` + strconv.Quote(module) + "}\n", "string of a program", []string{"jit_f"}, 1},
		{"output of a notebook", `{"cells": [{"outputs": [{"text": [` + "\n" + notebook("before\n"+module+"after\n") +
			`]}]}], "nbformat": 4}` + "\n", "string of a program", []string{"jit_f"}, 4},
		{"a list in JSON", "[" + strconv.Quote(module) + ", " + strconv.Quote(other) + "]\n", "string of a program",
			[]string{"jit_f", "jit_g"}, 0},
		{"a block in YAML", "hlo: |\n" + prefixed(module, func(int) string { return "  " }), "text with other lines",
			[]string{"jit_f"}, 1},
		{"a string in a log", absl(0) + "compiled " + python(module) + "\n", "string of a program", []string{"jit_f"},
			1},
		{"colours", strings.ReplaceAll(module, "negate", "\x1b[01;31m\x1b[Kneg\x1b[m\x1b[Kate"), "text with colours",
			[]string{"jit_f"}, 0},
		{"colours on all", "\x1b]0;title\x07\x1b[1m" + strings.ReplaceAll(module, "\n", "\x1b[0m\n\x1b[38;5;12m") +
			"\x1b[0m", "text with colours", []string{"jit_f"}, 0},
		{"DOS lines in a log", strings.ReplaceAll(prefixed(module, absl), "\n", "\r\n"), "log", []string{"jit_f"}, 0},
		{"without the first line", prefixed(module[strings.Index(module, "%fused"):], absl), "log",
			[]string{"module_main"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, err := forms.Parse(parser.Config{}, "in.txt", c.text)
			require.NoError(t, err)
			assert.Equal(t, c.form, in.Form)
			var names []string
			for _, m := range in.Modules {
				names = append(names, m.Name)
				want, err := parser.Parse("want", module)
				require.NoError(t, err)
				if m.Tables != nil {
					want.Name = m.Name
					assert.Equal(t, printer.Print(want), printer.Print(m))
				}
				line, col := m.Position(m.Entry.Instructions[1].Pos)
				assert.Contains(t, strings.Split(c.text, "\n")[line-1][col-1:], "ROOT")
				assert.True(t, strings.HasPrefix(strings.Split(c.text, "\n")[line-1][col-1:], "ROOT %fusion"), "%d:%d",
					line, col)
			}
			assert.Equal(t, c.modules, names)
			assert.Equal(t, c.left, in.Left)
		})
	}
}

func interleave(a, b string) string {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	var out strings.Builder
	for i := range x {
		out.WriteString(x[i] + y[i])
	}
	return out.String()
}

// TestErrorsAreInTheFile: an error in a module that was taken out is where the file has it, with the file's line.
func TestErrorsAreInTheFile(t *testing.T) {
	bad := strings.Replace(module, "fusion(%x)", "fusion(%y)", 1)
	for name, text := range map[string]string{
		"log":      "I1121 10:00:00.1 12 dumper.cc:1] begin\n" + prefixed(bad, absl),
		"repr":     "x = " + python(bad),
		"colours":  strings.ReplaceAll(bad, "%x", "\x1b[1m%x\x1b[0m"),
		"Markdown": "```\n" + bad + "```\n",
	} {
		_, err := forms.Parse(parser.Config{}, "in.txt", text)
		require.Error(t, err, name)
		e := err.(hlo.ErrorList)[0]
		assert.Equal(t, "HLO010", e.Code, name)
		lines := strings.Split(text, "\n")
		assert.True(t, strings.HasPrefix(lines[e.Line-1][e.Col-1:], "%y"), "%s: %v", name, e)
		assert.Equal(t, lines[e.Line-1], e.Source, name)
	}
}

func TestWhatHoldsNoHLO(t *testing.T) {
	for text, want := range map[string]string{
		"ML\xefR\x0dStableHLO_v1.15.0\x00":                                              "StableHLO bytecode",
		"module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n":                  "StableHLO",
		"#loc1 = loc(\"x\")\nmodule @jit_f {\n":                                         "StableHLO",
		"// comment\nfunc.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {\n": "StableHLO",
		"\"builtin.module\"() <{sym_name = \"jit_f\"}> ({\n":                            "StableHLO",
		"I1121 10:00:00.1 12 a.cc:1] module @m {\n func.func @main() {\n stablehlo.add " +
			"%0\n}\n}\n": "StableHLO among other lines",
		"{ lambda ; a:f32[8]. let b:f32[8] = neg a in (b,) }":                               "a jaxpr",
		"IR {\n  %0 = f32[3]{0} xla::device_data(), xla_shape=f32[3]{0}, device=TPU:0\n}\n": "the IR of PyTorch/XLA",
		"PK\x03\x04\x14\x00": "a zip archive",
		"\x18\x00\x00\x00 jax.export \x00\x00ML\xefR\x0dStableHLO":                    "a serialized jax.export",
		"H\x00l\x00o\x00M\x00o\x00d\x00u\x00l\x00e\x00":                               "UTF-16 text",
		"\x00H\x00l\x00o\x00M\x00o\x00d\x00u\x00l\x00e":                               "UTF-16 text",
		"\xff\xfeH\x00l\x00o\x00":                                                     "UTF-16 text",
		"XlaRuntimeError: RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm.": "an out-of-memory message",
		"Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nJaxRuntimeError: RESOURCE_EXHAUSTED: E1000: " +
			"Ran out of memory in memory space hbm.\n": "an out-of-memory message",
		"":              "an empty file",
		" \n\t\r\n":     "an empty file",
		"hello world\n": "a file without HLO",
		"Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    y = g(x[0])\nValueError: x\n": "a file " +
			"without HLO",
		"# Title\n\n    import jax\n    y = jax.jit(f)(x)\n": "a file without HLO",
		"{\"a\": 1}\n":                      "a file without HLO",
		"\x01\x02\xff":                      "a file without HLO",
		"s32[2,4]{1,0:T(8,128)}\nbf16[3]\n": "text with shapes",
		"expected parameter 2 of size 5 (bf16[16,40]{1,0:T(8,128)}) but got":           "text with shapes",
		"x.cc:76]   3. Size: 6.0G\n  Unpadded size: 48.0M\n  XLA label: %a = copy(%b)": "an out-of-memory message",
	} {
		_, err := forms.Parse(parser.Config{}, "in.txt", text)
		require.Error(t, err, text)
		require.Len(t, err, 1, text)
		assert.Contains(t, err.Error(), "in.txt: this is "+want, text)
		assert.Contains(t, err.Error(), "[HLO007]")
	}
}

// TestWrongHLOStaysWrong: what is not known to be another line is an error at its place.
func TestWrongHLOStaysWrong(t *testing.T) {
	for _, c := range []struct {
		text, code string
		line       int
	}{
		{strings.Replace(module, "%fused (", "garbage\n%fused (", 1), "HLO001", 17},
		{strings.Replace(module, "  ROOT %n", "  garbage here\n  ROOT %n", 1), "HLO001", 18},
		{strings.Replace(module, "negate(", "negate", 1), "HLO001", 18},
		{"%p = f32[8] parameter(0\n", "HLO001", 2},
		{"f (p: f32[8]) -> f32[8] {\n  p f32[8] parameter(0)\n}\n", "HLO001", 2},
		{"HloModule\n", "HLO001", 2},
		{"x = f32[8]{0} negate y\n", "HLO001", 1},
		{"ENTRY e\n", "HLO001", 2},
	} {
		_, err := forms.Parse(parser.Config{}, "in.txt", c.text)
		require.Error(t, err, c.text)
		assert.Equal(t, c.code, err.(hlo.ErrorList)[0].Code, "%v", err)
		assert.Equal(t, c.line, err.(hlo.ErrorList)[0].Line, "%v", err)
	}
}

// TestWarningsOfLines: warnings name the line of the file, as errors do, in a list of instructions and behind a label.
func TestWarningsOfLines(t *testing.T) {
	var warnings hlo.ErrorList
	c := parser.Config{Warn: func(w *hlo.Error) { warnings = append(warnings, w) }}
	text := "# the product\n%a = f32[8] negate(f32[8] %x)\n\n  1. %b = f32[8] Negate(f32[8] %a)\n"
	_, err := forms.ParseLines(c, "in.txt", text)
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	assert.Equal(t, [2]int{4, 18}, [2]int{warnings[0].Line, warnings[0].Col})
	assert.Equal(t, "  1. %b = f32[8] Negate(f32[8] %a)", warnings[0].Source)
}

// TestDamaged: what became of HLO on its way is said in one line, at the place where it shows; what is wrong in another
// line is what it was.
func TestDamaged(t *testing.T) {
	replaced := func(old, by string) string { return strings.Replace(module, old, by, 1) }
	for _, c := range []struct {
		text, want string
		line       int
	}{
		{replaced("  ROOT %n", "  ...\n  ROOT %n"), "this is abridged text; ", 18},
		{replaced("->", "-&gt;"), "this is HTML-escaped text; ",
			1 + strings.Count(module[:strings.Index(module, "->")], "\n")},
		{replaced("  ROOT %n", "\u00a0 ROOT %n"), "this is text with no-break spaces", 18},
		{"HloModule m, entry_computation_layout={(f32[8]{0}, ...)->...}\n\n" + module[strings.Index(module, "%fused ("):],
			"this is abridged text; ", 1},
		{replaced("negate(", "negate") + "// a &gt; b\n", "[HLO001]", 18},
		{"\"func.func\"() <{sym_name=\"main\"}> ({\n^bb0(%a: tensor<8xf32>):\n}) : () -> ()\n",
			"this is MLIR in its generic form", 0},
		{"module {\n  tt.func public @k(%a: !tt.ptr<f32>) { tt.return }\n}\n", "this is Triton IR", 0},
		{"\xff\xfe\x00\x00H\x00\x00\x00", "this is UTF-32 text", 0},
		{"\x1f\x8b\x08\x00", "this is gzip in gzip", 0},
		{"%PDF-1.7\n\xa6\xb0", "this is a PDF", 0},
		{strings.Repeat("H\x8f\xff\x01>L\x02", 99) + "\nx = f32[8]{0} negate(y)\n", "this is a binary file", 0},
	} {
		for _, config := range []parser.Config{{}, {Partial: true}} {
			_, err := forms.Parse(config, "in.txt", c.text)
			require.Error(t, err, c.text)
			list := err.(hlo.ErrorList)
			assert.Contains(t, err.Error(), c.want)
			assert.Equal(t, c.line, list[0].Line, "%v", err)
			if c.line != 18 || c.want != "[HLO001]" {
				assert.Len(t, list, 1, "%v", err)
			}
		}
	}
}
