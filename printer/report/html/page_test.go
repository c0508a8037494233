package html

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes"
	"hlolayout/passes/memory"
	"hlolayout/printer/report"
	"hlolayout/tpu"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assigned reads a module of testdata and gives it layouts.
func assigned(t *testing.T, file string) *Input {
	t.Helper()
	m, before := read(t, file), map[*hlo.Instruction]*hlo.Shape{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			before[in] = in.Shape
		}
	}
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	result, err := passes.Run(m, target, []string{"layout"}, passes.Options{}, passes.Observer{})
	require.NoError(t, err)
	return &Input{File: file, Module: m, Target: target, Plan: result.Passes[0].Plan,
		Before: func(in *hlo.Instruction) *hlo.Shape { return before[in] }, Compared: "the module before"}
}

// scheduled reads a module that has its layouts and its schedule.
func scheduled(t *testing.T, file string) *Input {
	t.Helper()
	m := read(t, file)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	a, err := memory.Analyze(m, target)
	require.NoError(t, err)
	return &Input{File: file, Module: m, Target: target, Memory: &report.Memory{File: file, Module: m.Name,
		Target: "v5e", Report: a.Report()}}
}

func read(t *testing.T, file string) *hlo.Module {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/" + file)
	require.NoError(t, err)
	m, err := parser.Parse(file, string(text))
	require.NoError(t, err)
	return m
}

func text(t *testing.T, in *Input) string {
	t.Helper()
	out, err := Append(nil, in)
	require.NoError(t, err)
	return string(out)
}

// loop is a scheduled module with a loop in it.
const loop = "corpus/v5e/scan_matmul/final.hlo"

// hostile is a module whose names would break out of any place that takes text for markup.
func hostile(t *testing.T) *Input {
	t.Helper()
	const evil = "</script><img src=x onerror=window.pwned=1>"
	m, err := parser.Parse("hostile",
		`HloModule m, is_scheduled=true, entry_computation_layout={(f32[4,8]{1,0:T(8,128)})->f32[4,8]{1,0:T(8,128)}}

ENTRY main {
  x = f32[4,8]{1,0:T(8,128)} parameter(0), metadata={op_name="`+evil+`" source_file="`+evil+`" source_line=3}
  y = f32[4,8]{1,0:T(8,128)} custom-call(x), custom_call_target="`+evil+`"
  ROOT z = f32[4,8]{0,1:T(8,128)} copy(y)
}
`)
	require.NoError(t, err)
	m.Name, m.Entry.Name = "module"+evil, "main"+evil
	for i, name := range []string{evil, "a\x00b\nc\u202e\u2028'\"`${pwned}", "<!--<script>" + evil} {
		m.Entry.Instructions[i].Name = name
	}
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	a, err := memory.Analyze(m, target)
	require.NoError(t, err)
	return &Input{File: "file" + evil, Module: m, Target: target, Compared: evil,
		Before: func(in *hlo.Instruction) *hlo.Shape { return in.Shape },
		Memory: &report.Memory{File: "file", Module: m.Name, Target: "v5e", Report: a.Report()}}
}

func TestSameInputSameBytes(t *testing.T) {
	assert.Equal(t, text(t, assigned(t, "attention.hlo")), text(t, assigned(t, "attention.hlo")))
	assert.Equal(t, text(t, scheduled(t, loop)), text(t, scheduled(t, loop)))
}

// TestNothingFromOutside: the page loads nothing, and what comes from the module is never markup.
func TestNothingFromOutside(t *testing.T) {
	for name, in := range map[string]*Input{"attention": assigned(t, "attention.hlo"), "hostile": hostile(t)} {
		page := text(t, in)
		assert.Equal(t, 4, strings.Count(page, "<script"), name)
		assert.Equal(t, 4, strings.Count(page, "</script>"), name)
		assert.NotContains(t, page, "<img", name)
		for _, m := range regexp.MustCompile(
			`(?i)(?:https?:)?//[a-z][^\s"'<]*|<[^>"]*\bsrc=|@import|url\(`).FindAllString(
			regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(page, ""), -1) {
			assert.Equal(t, "http://www.w3.org/2000/svg", m, name) // a name, not an address
		}
	}
}

// TestData reads the columns back: every leaf is a row, with its shape and the reason that the plan gives.
func TestData(t *testing.T) {
	in := assigned(t, "attention.hlo")
	d := newData(in)
	d.collect(nil)
	var values struct {
		Names  string
		Op     []int
		Ops    []string
		Shapes [][]any
		Shape  []int
		Was    []int
		Flags  string
	}
	require.NoError(t, json.Unmarshal([]byte(d.values()), &values))
	var details struct {
		Counts, Operands, Rule, From []int
		Rules                        [][]any
	}
	require.NoError(t, json.Unmarshal([]byte(d.details()), &details))
	names, row, number, operand := strings.Split(values.Names, "\n"), 0, 0, 0
	reasons := 0
	for _, c := range in.Module.Computations {
		for _, x := range c.Instructions {
			assert.Equal(t, x.Name, names[number])
			assert.Equal(t, x.OpName(), values.Ops[values.Op[number]])
			require.Equal(t, len(x.Operands), details.Counts[number])
			for _, o := range x.Operands {
				assert.Equal(t, o.Name, names[number-details.Operands[operand]])
				operand++
			}
			x.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
				s := values.Shapes[values.Shape[row]]
				assert.Equal(t, leaf.String(), s[0].(string)+s[1].(string))
				if was := in.Before(x); was == nil {
					assert.Zero(t, values.Was[row])
				} else {
					s := values.Shapes[values.Was[row]-1]
					assert.Equal(t, was.At(index).String(), s[0].(string)+s[1].(string))
				}
				if chain := in.Plan.Chain(x, index); len(chain) == 0 {
					assert.Zero(t, details.Rule[row], x.Name)
				} else {
					reasons++
					assert.Equal(t, chain[0].Reason.Rule, details.Rules[details.Rule[row]-1][0], x.Name)
					if s := chain[0].Reason.Source; s != nil {
						assert.Equal(t, s.Name, names[number-details.From[row]], x.Name)
					}
				}
				row++
			})
			number++
		}
	}
	assert.Equal(t, row, len(values.Flags))
	assert.Greater(t, reasons, 10)
}
