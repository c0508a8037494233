package extract_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
	"hlolayout/passes/extract"
	"hlolayout/printer"
)

const text = `HloModule m, entry_computation_layout={(f32[8,128]{0,1})->f32[8,128]{1,0}}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main (x: f32[8,128]) -> f32[8,128] {
  %x = f32[8,128]{0,1} parameter(0)
  %copy = f32[8,128]{1,0:T(8,128)} copy(%x)
  %negate = f32[8,128]{1,0} negate(%copy), metadata={op_name="neg" stack_frame_id=3}
  %zero = f32[] constant(0)
  %reduce = f32[8]{0} reduce(%negate, %zero), dimensions={1}, to_apply=%add
  %broadcast = f32[8,128]{1,0} broadcast(%reduce), dimensions={0}
  ROOT %multiply = f32[8,128]{1,0} multiply(%negate, %broadcast), control-predecessors={%copy}
}

`

func TestAround(t *testing.T) {
	for _, c := range []struct {
		name   string
		radius int
		want   string
	}{
		{"%negate", 0, `HloModule m, entry_computation_layout={(f32[8,128]{1,0:T(8,128)})->f32[8,128]{1,0}}

ENTRY %extract.negate (copy: f32[8,128]) -> f32[8,128] {
  %copy = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT %negate = f32[8,128]{1,0} negate(%copy), metadata={op_name="neg"}
}

`},
		{"reduce", 1,
			`HloModule m, entry_computation_layout={(f32[8,128]{1,0:T(8,128)})->(f32[8,128]{1,0}, f32[8,128]{1,0})}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %extract.reduce (copy: f32[8,128]) -> (f32[8,128], f32[8,128]) {
  %copy = f32[8,128]{1,0:T(8,128)} parameter(0)
  %negate = f32[8,128]{1,0} negate(%copy), metadata={op_name="neg"}
  %zero = f32[] constant(0)
  %reduce = f32[8]{0} reduce(%negate, %zero), dimensions={1}, to_apply=%add
  %broadcast = f32[8,128]{1,0} broadcast(%reduce), dimensions={0}
  ROOT %extract.root = (f32[8,128]{1,0}, f32[8,128]{1,0}) tuple(%negate, %broadcast)
}

`},
		{"x", 0, `HloModule m, entry_computation_layout={(f32[8,128]{0,1})->f32[8,128]{0,1}}

ENTRY %extract.x (x: f32[8,128]) -> f32[8,128] {
  ROOT %x = f32[8,128]{0,1} parameter(0)
}

`},
	} {
		m, err := parser.Parse("test", text)
		require.NoError(t, err)
		m, err = extract.Around(m, c.name, c.radius)
		require.NoError(t, err)
		assert.Equal(t, c.want, printer.Print(m), c.name)
	}
	m, err := parser.Parse("test", text)
	require.NoError(t, err)
	_, err = extract.Around(m, "%negat", 1)
	assert.EqualError(t, err, "no value %negat: did you mean %negate?")
	_, err = extract.Around(m, "%main", 1)
	assert.EqualError(t, err, "no value %main: it is a computation; name an instruction of it, such as its root %multiply")
}

// What is cut out of real modules parses, and verifies where the whole module does.
func TestCorpus(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"../../testdata/corpus/v5e/*/after.hlo", "../../testdata/corpus/v5e/*/final.hlo",
		"../../../shared/corpus/v5e/*a*/final.hlo"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		paths = append(paths, found...)
	}
	require.NotEmpty(t, paths)
	cuts := 0
	for i, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		m, err := parser.Parse(path, string(source))
		require.NoError(t, err)
		if len(verify.Module(m)) > 0 {
			continue
		}
		c := m.Computations[(i*7)%len(m.Computations)]
		for _, in := range []*hlo.Instruction{c.Root, c.Instructions[len(c.Instructions)/2],
			m.Entry.Instructions[len(m.Entry.Instructions)*2/3]} {
			for radius := range 3 {
				m, err := parser.Parse(path, string(source))
				require.NoError(t, err)
				m, err = extract.Around(m, in.Name, radius)
				require.NoError(t, err)
				again, err := parser.Parse(path, printer.Print(m))
				require.NoError(t, err, "%s %s", path, in.Name)
				require.NoError(t, verify.Module(again).Err(), "%s %s radius %d", path, in.Name, radius)
				require.NotNil(t, again.Entry.Instruction(in.Name))
				cuts++
			}
		}
		if testing.Short() && cuts > 300 {
			break
		}
	}
	t.Log(cuts, "cuts")
	require.Greater(t, cuts, 50)
}
