package contract_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/contract"
	"hlolayout/tpu"
)

func check(t *testing.T, text string) (kinds []contract.Kind, what []string) {
	t.Helper()
	m, err := parser.Parse("test", text)
	require.NoError(t, err)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	for _, b := range contract.Check(m, target) {
		kinds, what = append(kinds, b.Kind), append(what, b.What)
	}
	return kinds, what
}

func TestCheck(t *testing.T) {
	const body = `

ENTRY %main (x: f32[64,128]) -> f32[64,128] {
  %x = f32[64,128]{1,0:T(8,128)} parameter(0)
  ROOT %neg = f32[64,128]{1,0:T(8,128)} negate(%x)
}
`
	const head = "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }, entry_computation_layout="
	for _, c := range []struct {
		name, text string
		kinds      []contract.Kind
		what       []string
	}{
		{"nothing", head + "{(f32[64,128]{1,0:T(8,128)})->f32[64,128]{1,0:T(8,128)}}" + body, nil, nil},
		{"a donated buffer in another order, a root that is not the result",
			head + "{(f32[64,128]{1,0:T(8,128)})->f32[64,128]{0,1:T(8,128)}}" + body,
			[]contract.Kind{contract.Donation, contract.Host},
			[]string{"result = parameter 0", "result of the root and of entry_computation_layout"}},
		{"a root whose tiles a later pass changes",
			"HloModule m, entry_computation_layout={(f32[64,128]{1,0:T(8,128)})->f32[64,128]{1,0:T(4,128)}}" + body,
			nil, nil},
		{"a root of a scheduled module in other tiles", "HloModule m, is_scheduled=true, entry_computation_layout={" +
			"(f32[64,128]{1,0:T(8,128)})->f32[64,128]{1,0:T(4,128)}}" + body,
			[]contract.Kind{contract.Host}, []string{"result of the root and of entry_computation_layout"}},
		{"a parameter in another order",
			"HloModule m, entry_computation_layout={(f32[64,128]{0,1:T(8,128)})->f32[64,128]{1,0:T(8,128)}}" + body,
			[]contract.Kind{contract.Parameter}, []string{"parameter 0"}},
		{"an output that the front end wants in host memory", `HloModule m, entry_computation_layout={(f32[64,128]{1,` +
			`0:T(8,128)})->f32[64,128]{1,0:T(8,128)}}, frontend_attributes={out_memory_spaces="5"}` + body,
			[]contract.Kind{contract.Host}, []string{"result asked for in host memory by out_memory_spaces"}},
		{"custom calls", `HloModule m

ENTRY %main (x: f32[64,128]) -> f32[64,128] {
  %x = f32[64,128]{1,0:T(8,128)} parameter(0)
  %a = f32[64,128]{1,0:T(8,128)} custom-call(%x), custom_call_target="a", operand_layout_constraints={f32[64,128]{1,0}}
  %b = f32[64,128]{1,0:T(8,128)} custom-call(%a), custom_call_target="b", operand_layout_constraints={f32[64,128]{0,1}}
  %c = f32[64,128]{1,0:T(8,128)} custom-call(%b), custom_call_target="c",
      operand_layout_constraints={f32[64,128]{1,0:T(64,128)}}
  ROOT %d = f32[64,128]{1,0:T(8,128)} custom-call(%c, %c), custom_call_target="d",
      operand_layout_constraints={f32[64,128]{1,0}, f32[64,128]{1,0:S(1)}}
}
`, []contract.Kind{contract.CustomCall, contract.CustomCall, contract.CustomCall},
			[]string{"operand 0", "operand 0", "operand 1"}},
		{"what one device holds",
			`HloModule m, entry_computation_layout={(f32[16,200]{1,0:T(4,128)},
			    f32[16,200]{1,0:T(4,128)})->f32[16,200]{1,0:T(4,128)}}

ENTRY %main (x: f32[16,200], y: f32[16,200]) -> f32[16,200] {
  %x = f32[16,200]{1,0:T(4,128)} parameter(0), sharding={devices=[4,1]<=[4]}
  %y = f32[16,200]{1,0:T(4,128)} parameter(1), sharding={replicated}
  ROOT %neg = f32[16,200]{1,0:T(8,128)} negate(%x), sharding={devices=[4,1]<=[4]}
}
`, []contract.Kind{contract.Parameter}, []string{"parameter 1"}},
		{"moved to the host and returned", `HloModule m

ENTRY %main (x: f32[64,128]) -> (f32[64,128], f32[64,128]) {
  %x = f32[64,128]{1,0:T(8,128)} parameter(0)
  %h = f32[64,128]{1,0:T(8,128)} custom-call(%x), custom_call_target="MoveToHost"
  ROOT %t = (f32[64,128]{1,0:T(8,128)}, f32[64,128]{1,0:T(8,128)}) tuple(%x, %h)
}
`, []contract.Kind{contract.Host}, []string{"result {1} made by MoveToHost"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kinds, what := check(t, c.text)
			assert.Equal(t, c.kinds, kinds)
			assert.Equal(t, c.what, what)
		})
	}
}

// What the compiler made keeps its contracts. Only parameters that a program asked for in another layout stand out.
func TestCorpus(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/corpus/v5e/*/final.hlo")
	require.NoError(t, err)
	more, err := filepath.Glob("../../testdata/corpus/v5e/*/final.hlo")
	require.NoError(t, err)
	paths = append(paths, more...)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		kinds, what := check(t, string(text))
		for i, k := range kinds {
			require.Equal(t, contract.Parameter, k, "%s: %s", path, what[i])
		}
	}
}
