package diff_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/printer"
	"hlolayout/printer/diff"
)

func TestNormalize(t *testing.T) {
	m := parse(t, `HloModule m, is_scheduled=true

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=1}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%region_7.12 (a.3: f32[], b.9: f32[]) -> f32[] {
  %a.3 = f32[] parameter(0)
  %b.9 = f32[] parameter(1)
  ROOT %add.77 = f32[] add(%a.3, %b.9), metadata={op_name="x" stack_frame_id=1}
}

%branch.5 (p.1: f32[8]) -> f32[8] {
  ROOT %p.1 = f32[8]{0} parameter(0)
}

%branch.4 (p.2: f32[8]) -> f32[8] {
  ROOT %p.2 = f32[8]{0} parameter(0)
}

ENTRY %main.42 (x.8: f32[8], i: pred[]) -> f32[8] {
  %x.8 = f32[8]{0} parameter(0)
  %i = pred[] parameter(1)
  %add.3.clone = f32[8]{0} all-reduce(%x.8), channel_id=17, replica_groups={}, to_apply=%region_7.12
  %kernel = f32[8]{0} custom-call(%add.3.clone), custom_call_target="tpu_custom_call", control-predecessors={%i},
      backend_config={"custom_call_config":{"body":"TUzvUgFNTElSMjMuMC4wZ2l0AAE=","needs":[]}}
  ROOT %c = f32[8]{0} conditional(%i, %kernel, %x.8), branch_computations={%branch.5, %branch.4}
}

`)
	diff.Normalize(m)
	assert.Equal(t, `HloModule m, is_scheduled=true

%region (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b)
}

%branch (p: f32[8]) -> f32[8] {
  ROOT %p = f32[8]{0} parameter(0)
}

%branch.1 (p.1: f32[8]) -> f32[8] {
  ROOT %p.1 = f32[8]{0} parameter(0)
}

ENTRY %main (x: f32[8], i: pred[]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  %i = pred[] parameter(1)
  %add.1 = f32[8]{0} all-reduce(%x), channel_id=1, replica_groups={}, to_apply=%region
  %kernel = f32[8]{0} custom-call(%add.1), custom_call_target="tpu_custom_call", control-predecessors={%i}, `+
		`backend_config={"custom_call_config":{"body":"...","needs":[]}}
  ROOT %c = f32[8]{0} conditional(%i, %kernel, %x), branch_computations={%branch, %branch.1}
}

`, printer.Print(m))
}

var numbered = regexp.MustCompile(`(%?[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)\.(\d+)\b`)

// The normal form of the normal form is the same, so is that of a renumbered text; it parses, and nothing of it is
// lost.
func TestNormalizeCorpus(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/corpus/*/*/*.hlo")
	require.NoError(t, err)
	more, err := filepath.Glob("../../../shared/corpus/v5e/*_train*/*.hlo")
	require.NoError(t, err)
	if !testing.Short() {
		paths = append(paths, more...)
	}
	require.NotEmpty(t, paths)
	for _, path := range paths {
		m := read(t, path)
		source := m.Source
		instructions, leaves := size(m)
		diff.Normalize(m)
		text := printer.Print(m)
		a, b := size(m)
		require.Equal(t, [2]int{instructions, leaves}, [2]int{a, b}, path)
		again := parse(t, text)
		diff.Normalize(again)
		require.Equal(t, text, printer.Print(again), path)
		require.NoError(t, hlo.Check(again).Err(), path)

		other := parse(t, numbered.ReplaceAllString(strings.ReplaceAll(source, "region_", "region_4"), "$1.9$2"))
		diff.Normalize(other)
		require.Equal(t, text, strings.ReplaceAll(printer.Print(other), "HloModule "+other.Name, "HloModule "+m.Name),
			path)
		require.True(t, diff.NewReport(m, again, diff.DefaultIgnore).Same(), path)
	}
}

func size(m *hlo.Module) (instructions, leaves int) {
	for _, c := range m.Computations {
		instructions += len(c.Instructions)
		for _, in := range c.Instructions {
			in.Shape.Leaves(func(hlo.Index, *hlo.Shape) { leaves++ })
		}
	}
	return instructions, leaves
}

func TestParseIgnore(t *testing.T) {
	for text, want := range map[string]diff.Ignore{
		"":                    diff.DefaultIgnore,
		"none":                {},
		"none,ids":            {IDs: true},
		"space, tile":         {Metadata: true, Names: true, IDs: true, Space: true, Tile: true},
		"none,layout":         {Layout: true, Tile: true, Space: true},
		"none,backend-config": {BackendConfig: true},
		"none,constants":      {Constants: true},
		"none,metadata":       {Metadata: true},
		"none,names":          {Names: true, IDs: true},
	} {
		got, err := diff.ParseIgnore(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	_, err := diff.ParseIgnore("tiles")
	assert.EqualError(t, err, `unknown word "tiles": did you mean tile?`)
	_, err = diff.ParseIgnore("tile,none")
	assert.EqualError(t, err, "none stands first in a list of what to ignore")
}

// Renumbered and changed together: the value that is new is found, its neighbours keep their partners.
func TestMatchThroughChanges(t *testing.T) {
	old := module("%a.1 = f32[8,128]{1,0} add(%x, %y)", "%a.2 = f32[8,128]{1,0} add(%y, %x)",
		"%n.3 = f32[8,128]{1,0} negate(%a.1)",
		"%m.4 = f32[8,128]{1,0} multiply(%n.3, %a.2)", "ROOT %a.5 = f32[8,128]{1,0} add(%m.4, %a.1)")
	new := module("%a.2 = f32[8,128]{1,0} add(%x, %y)", "%a.5 = f32[8,128]{1,0} add(%y, %x)",
		"%n.1 = f32[8,128]{0,1} negate(%a.2)", "%e.2 = f32[8,128]{1,0} exponential(%n.1)",
		"%m.9 = f32[8,128]{1,0} multiply(%e.2, %a.5)", "ROOT %a.1 = f32[8,128]{1,0} add(%m.9, %a.2)")
	r := diff.NewReport(parse(t, old), parse(t, new), diff.DefaultIgnore)
	require.Len(t, r.Added, 1)
	assert.Equal(t, "e.2", r.Added[0].Values[0].Name)
	assert.Empty(t, r.Removed)
	require.Len(t, r.Changed, 1)
	assert.Equal(t, []string{"operands"}, r.Changed[0].What)
	assert.Equal(t, "m.9", r.Changed[0].New[0].Name)
	require.Equal(t, 1, diff.Count(r.Values))
	assert.Equal(t, "n.1", r.Values[0].Values[0].Name)
	assert.Equal(t, 5, r.Noise.Renumbered)
}

// Users of a value that was re-laid out, or that has a copy after it now, have not changed.
func TestUsersAreNoChanges(t *testing.T) {
	old := module("%n = f32[8,128]{1,0} negate(%x)", "ROOT %add = f32[8,128]{1,0} add(%n, %y)")
	for _, new := range []string{
		module("%n = f32[8,128]{0,1} negate(%x)", "ROOT %add = f32[8,128]{1,0} add(%n, %y)"),
		module("%n = f32[8,128]{1,0} negate(%x)", "%copy = f32[8,128]{0,1} copy(%n)",
			"ROOT %add = f32[8,128]{1,0} add(%copy, %y)"),
		module("%n = f32[8,128]{1,0} negate(%x)", "%t = (f32[8,128]{1,0}) tuple(%n)",
			"%g = f32[8,128]{1,0} get-tuple-element(%t), index=0", "ROOT %add = f32[8,128]{1,0} add(%g, %y)"),
	} {
		r := diff.NewReport(parse(t, old), parse(t, new), diff.DefaultIgnore)
		assert.False(t, r.Same())
		assert.Empty(t, r.Changed, new)
		assert.Empty(t, r.Removed, new)
	}
}
