package passes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

func parse(t testing.TB, text string) *hlo.Module {
	t.Helper()
	m, err := parser.Parse("test.hlo", text)
	require.NoError(t, err)
	return m
}

func target(t testing.TB, name string) *tpu.Target {
	t.Helper()
	x, err := tpu.ByName(name)
	require.NoError(t, err)
	return x
}

const plain = "HloModule m\n\nENTRY %main {\n%p = f32[8,128] parameter(0)\nROOT %n = f32[8,128] negate(%p)\n}\n"

// The table's own order breaks none of its constraints, names are unique, and every constraint has a reason.
func TestPipelineTable(t *testing.T) {
	var all []*Pass
	seen := map[string]bool{}
	for i := range pipeline {
		p := &pipeline[i]
		all = append(all, p)
		assert.False(t, seen[p.Name], p.Name)
		seen[p.Name] = true
		assert.NotEmpty(t, p.Doc)
		assert.NotContains(t, p.Doc, "\n")
		assert.NotNil(t, p.Run)
		for _, c := range append(append([]Constraint(nil), p.Before...), p.After...) {
			assert.NotEmpty(t, c.Why, "%s and %s", p.Name, c.Pass)
		}
	}
	require.NoError(t, checkOrder(all))
	assert.Equal(t, len(all), len(Names()))
}

func TestCheckOrder(t *testing.T) {
	a := &Pass{Name: "a", Before: []Constraint{{"b", "b reads what a writes"}}}
	b := &Pass{Name: "b"}
	c := &Pass{Name: "c", After: []Constraint{{"b", "c needs b"}}}
	require.NoError(t, checkOrder([]*Pass{a, b, c}))
	require.ErrorContains(t, checkOrder([]*Pass{b, a}), "pass a has to run before b: b reads what a writes")
	require.ErrorContains(t, checkOrder([]*Pass{c, b}), "pass c has to run after b: c needs b")
}

func TestUnknownPass(t *testing.T) {
	_, err := Run(parse(t, plain), target(t, "v5e"), []string{"layuot"}, Options{}, Observer{})
	require.ErrorContains(t, err, `unknown pass "layuot": known are layout`)
}

func TestSelect(t *testing.T) {
	tiled := strings.ReplaceAll(plain, "f32[8,128] ", "f32[8,128]{1,0:T(8,128)} ")
	for _, c := range []struct {
		name, text string
		layout     bool
	}{
		{"plain", plain, true},
		{"tiled", tiled, false},
		{"half tiled", strings.Replace(plain, "f32[8,128] ", "f32[8,128]{1,0:T(8,128)} ", 1), true},
		{"scheduled and tiled", strings.Replace(tiled, "HloModule m", "HloModule m, is_scheduled=true", 1), false},
		{"scheduled", strings.Replace(plain, "HloModule m", "HloModule m, is_scheduled=true", 1), true},
		{"an empty array has no tile", strings.ReplaceAll(strings.ReplaceAll(plain, "f32[8,128]", "f32[0,128]"), "] ",
			"]{1,0} "), false},
	} {
		names, why := Select(parse(t, c.text))
		assert.Equal(t, c.layout, len(names) > 0 && names[0] == "layout", "%s: %v", c.name, names)
		assert.NotEmpty(t, why, c.name)
	}
}

func TestRunReportsAndObserves(t *testing.T) {
	m := parse(t, plain)
	var order []string
	r, err := Run(m, target(t, "v5e"), []string{Auto}, Options{}, Observer{
		Before: func(p *Pass, m *hlo.Module) {
			order = append(order, "before "+p.Name+" "+m.Entry.Root.Shape.String())
		},
		After: func(p *Pass, m *hlo.Module, ran Ran) {
			order = append(order, "after "+p.Name+" "+m.Entry.Root.Shape.String())
			assert.NotEmpty(t, ran.Plan.Decisions)
		},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"before layout f32[8,128]", "after layout f32[8,128]{1,0:T(8,128)}"}, order)
	require.Len(t, r.Passes, 1)

	r, err = Run(m, target(t, "v5e"), []string{Auto}, Options{}, Observer{})
	require.NoError(t, err)
	assert.Empty(t, r.Passes)
	assert.Contains(t, strings.Join(r.Notes, "\n"), "nothing to do")
}

// withPasses replaces the pipeline for one test.
func withPasses(t *testing.T, ps ...Pass) {
	old := pipeline
	pipeline = ps
	t.Cleanup(func() { pipeline = old })
}

func TestPanicNamesThePass(t *testing.T) {
	withPasses(t, Pass{Name: "bad", Run: func(*hlo.Module, *tpu.Target, Options) (*plan.Plan, error) { panic("oops") }})
	_, err := Run(parse(t, plain), target(t, "v5e"), []string{"bad"}, Options{}, Observer{})
	var p *Panic
	require.True(t, errors.As(err, &p))
	assert.Equal(t, "bad", p.Pass)
	assert.NotEmpty(t, p.Stack)
	assert.EqualError(t, err, "internal error: pass bad panicked: oops")
}

func TestBadPlanIsNotApplied(t *testing.T) {
	withPasses(t, Pass{Name: "bad", Run: func(m *hlo.Module, _ *tpu.Target, _ Options) (*plan.Plan, error) {
		return &plan.Plan{Decisions: []plan.Decision{
			{Instruction: m.Entry.Instructions[0], Layout: hlo.DescendingLayout(2)},
			{Instruction: m.Entry.Root, Layout: hlo.DescendingLayout(3)},
		}}, nil
	}})
	m := parse(t, plain)
	_, err := Run(m, target(t, "v5e"), []string{"bad"}, Options{}, Observer{})
	require.ErrorContains(t, err, "does not fit instruction %n")
	assert.Nil(t, m.Entry.Instructions[0].Shape.Layout)
}

// A module made by hand can call itself; no text can.
func TestRecursion(t *testing.T) {
	m := parse(t, "HloModule m\n\n%f {\n%a = f32[4] parameter(0)\nROOT %n = f32[4] negate(%a)\n}\n\nENTRY %main {\n%p "+
		"= f32[4] parameter(0)\nROOT %c = f32[4] call(%p), to_apply=%f\n}\n")
	m.Entry.Root.Called()[0] = m.Entry
	_, err := Run(m, target(t, "v5e"), []string{"layout"}, Options{}, Observer{})
	require.ErrorContains(t, err, "not defined before it")
}

func TestMalformedModuleIsAnErrorList(t *testing.T) {
	m := parse(t, strings.Replace(plain, "negate(%p)", "add(%p, %p)", 1))
	m.Entry.Root.Operands[1] = m.Entry.Root // an operand that is not defined before its user
	_, err := Run(m, target(t, "v5e"), []string{"layout"}, Options{}, Observer{})
	var list hlo.ErrorList
	require.True(t, errors.As(err, &list), "%v", err)
}

// corpusDir returns the corpus of a generation: the large one next to the repository, or the small copy in testdata.
func corpusDir(t testing.TB, shared bool) string {
	if !shared {
		return filepath.Join("..", "testdata", "corpus")
	}
	dir := filepath.Join("..", "..", "shared", "corpus")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no ../shared/corpus next to the repository: %v", err)
	}
	return dir
}
