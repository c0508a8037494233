package parser

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What XLA's parser refuses beyond the grammar, each with the nearest text that it accepts. (jaxlib 0.10.2 judged
// them.)
func TestStrictForms(t *testing.T) {
	const prelude = "HloModule m\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, " +
		"y)\n}\nENTRY e {\n" +
		"  a = f32[8,8] parameter(0)\n  z = f32[] parameter(1)\n  i = s32[1] parameter(2)\n  img = f32[1,2,1] " +
		"parameter(3)\n  ker = f32[1,1,1] parameter(4)\n  tok = token[] parameter(5)\n"
	for _, test := range []struct{ name, good, bad string }{
		{"escape", `negate(a), metadata={op_name="\n\x41\101\?"}`, `negate(a), metadata={op_name="\q"}`},
		{"escape above a byte", `negate(a), metadata={op_name="\x7f"}`, `negate(a), metadata={op_name="\x123"}`},
		{"metadata field", `negate(a), metadata={op_name="x" source_line=1}`, `negate(a), metadata={p_name="x"}`},
		{"metadata kind", `negate(a), metadata={source_line=1}`, `negate(a), metadata={source_line="1"}`},
		{"metadata range", `negate(a), metadata={source_line=2147483647}`,
			`negate(a), metadata={source_line=2147483648}`},
		{"accuracy mode", `exponential(a), result_accuracy={mode=highest}`,
			`exponential(a), result_accuracy={mode=foo}`},
		{"accuracy number", `exponential(a), result_accuracy={tolerance={rtol=1.0, atol=1.0, ulps=2}}`,
			`exponential(a), result_accuracy={tolerance={rtol=1f, atol=1.0, ulps=2}}`},
		{"one device", `negate(a), sharding={devices=[2,1]0,1}`, `negate(a), sharding={devices=[1]0}`},
		{"braces", `negate(a), sharding={replicated}`, `negate(a), sharding={{{replicated}}}`},
		{"group alone", `negate(a), sharding={replicated shard_as 1}`, `negate(a), sharding={shard_as 1}`},
		{"predecessors", `negate(a), control-predecessors={i}`, `negate(a), control-predecessors={}`},
		{"unknown predecessor", `negate(a), control-predecessors={i}`, `negate(a), control-predecessors={zz}`},
		{"domain", `domain(a), domain={kind="sharding", entry={maximal device=0}, exit={maximal device=1}}`,
			`domain(a), domain={kind="", entry={maximal device=0}, exit={maximal device=1}}`},
		{"padding", `convolution(img, ker), window={size=1 pad=1_1}, dim_labels=b0f_0io->b0f`,
			`convolution(img, ker), window={size=1 pad=1_1_0}, dim_labels=b0f_0io->b0f`},
		{"window sizes", `convolution(img, ker), window={size=1 stride=2}, dim_labels=b0f_0io->b0f`,
			`convolution(img, ker), window={size=1 stride=2x2}, dim_labels=b0f_0io->b0f`},
		{"broadcast", `broadcast(a), dimensions={0,1}`, `broadcast(a)`},
		{"reduce", `reduce(a, z), dimensions={0}, to_apply=add`, `reduce(a, a, z), dimensions={0}, to_apply=add`},
		{"scatter",
			`scatter(a, i, a), update_window_dims={0,1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, ` +
				`index_vector_dim=0, to_apply=add`,
			`scatter(a, i, a, a), update_window_dims={0,1}, inserted_window_dims={}, ` +
				`scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=add`},
		{"constraints", `custom-call(a), custom_call_target="x", operand_layout_constraints={f32[8,8]{0,1}}`,
			`custom-call(a), custom_call_target="x", operand_layout_constraints={f32[5,5]{0,1}}`},
		{"constraint count", `custom-call(a), custom_call_target="x", operand_layout_constraints={f32[8,8]{0,1}}`,
			`custom-call(a), custom_call_target="x", operand_layout_constraints={}`},
		{"replication", `negate(a), parameter_replication={true}`, `negate(a), parameter_replication={true,false}`},
		{"device ids", `all-reduce(a), replica_groups={}, to_apply=add, channel_id=1, use_global_device_ids=true`,
			`all-reduce(a), replica_groups={}, to_apply=add, use_global_device_ids=true`},
		{"done of nothing", `negate(a)`, `custom-call-done(a)`},
		{"nested broadcast", `negate(f32[8,8] broadcast(f32[] z))`, `negate(f32[8,8] broadcast(i))`},
	} {
		t.Run(test.name, func(t *testing.T) {
			parse := func(instruction string) error {
				_, err := Config{Strict: true}.Parse("", prelude+"  ROOT r = f32[8,8] "+instruction+"\n}\n")
				return err
			}
			assert.NoError(t, parse(test.good))
			assert.Error(t, parse(test.bad))
		})
	}
	for _, text := range []string{
		"HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }\nENTRY e {\n  a = f32[8,8] parameter(0)\n}",
		"HloModule m\nENTRY e {\n  a = f32[8,8]{1,0:D(X,C)} parameter(0)\n}",
		"HloModule m\nENTRY e {\n  a = f32[8]{0:P(f32[8]{0})} parameter(0)\n}",
		"HloModule m\nENTRY e {\n  t = token[] after-all()\n  ROOT i = f32[8] infeed(t)\n}",
		"HloModule m\nENTRY e {\n  a = f32[8] parameter(0)\n  ROOT s = f32[8] add-start(a, a)\n}",
		"HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n  s = ((f32[8]), f32[8], s32[]) custom-call-start(p), " +
			"custom_call_target=\"f\"\n" +
			"  u = ((f32[8]), f32[8], s32[]) custom-call-update(s), async_execution_thread=\"t\"\n  ROOT d = f32[8] " +
			"custom-call-done(u)\n}",
		"HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n  s = ((f32[8]), f32[8], s32[]) custom-call-start(p), " +
			"custom_call_target=\"f\"\n" +
			"  ROOT d = f32[8] custom-call-done(s), custom_call_has_side_effect=true\n}",
	} {
		_, err := Config{Strict: true}.Parse("", text)
		assert.Error(t, err, text)
		_, err = Config{}.Parse("", text)
		assert.NoError(t, err, "only strictly: "+text)
	}
	one := "HloModule m\nENTRY e {\n  a = f32[8,8] parameter(0)\n}\n"
	_, err := Config{Strict: true}.ParseAll("", one+strings.Replace(one, " m", " n", 1))
	assert.Error(t, err, "XLA reads one module")
}

// TestEntryLayouts: in entry_computation_layout XLA's parser takes a comma after the last layout of the parameters, and
// no other that has no layout after it. It validates arrays in tuples only, and the parameters are not a tuple.
func TestEntryLayouts(t *testing.T) {
	for layouts, accepted := range map[string]bool{
		"{(f32[2]{0}, s4[7]{0})->f32[2]{0}}":     true,
		"{(f32[2]{0}, s4[7]{0}, )->f32[2]{0}}":   true,
		"{(f32[2]{0}, (s4[7]{0}),)->f32[2]{0}}":  true,
		"{()->f32[2]{0}}":                        true,
		"{(f32[2]{0} s4[7]{0})->f32[2]{0}}":      false,
		"{(f32[2]{0} (s4[7]{0}))->f32[2]{0}}":    false,
		"{(,)->f32[2]{0}}":                       false,
		"{(f32[2]{0}, s4[7]{0},,)->f32[2]{0}}":   false,
		"{(f32[2]{0}, (s4[7]{0},))->f32[2]{0}}":  false,
		"{(f32[2]{0}, s4[7]{0})->(f32[2]{0},)}":  false,
		"{(f32[2]{0}, s4[7]{0})->f32[2]{0},}":    false,
		"{(f32[2]{1})->f32[2]{0}}":               true,
		"{((f32[2]{1}))->f32[2]{0}}":             false,
		"{(f32[2]{0})->f32[2]{1}}":               true,
		"{(f32[2]{0})->(f32[2]{1})}":             false,
		"{(f32[9223372036854775807])->f32[2]}":   true,
		"{(f32[2])->(f32[9223372036854775807])}": false,
	} {
		_, err := Config{Strict: true}.Parse("", "HloModule m, entry_computation_layout="+layouts+
			"\n\nENTRY %e (a: f32[2]) -> f32[2] {\n  ROOT %a = f32[2]{0} parameter(0)\n}\n")
		assert.Equal(t, accepted, err == nil, "%s: %v", layouts, err)
	}
}
