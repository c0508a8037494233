package stage_test

import (
	"strings"
	"testing"

	"hlolayout/hlo/stage"
	"hlolayout/parser"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	const body = `
ENTRY %e (p: f32[4,8]) -> f32[4,8] {
  %p = f32[4,8]{1,0} parameter(0)
  ROOT %n = f32[4,8]{1,0} negate(%p)
}
`
	const fused = `
%f (a: f32[4,8]) -> f32[4,8] {
  %a = f32[4,8]{1,0} parameter(0)
  ROOT %n = f32[4,8]{1,0} negate(%a)
}

ENTRY %e (p: f32[4,8]) -> f32[4,8] {
  %p = f32[4,8]{1,0} parameter(0)
  ROOT %r = f32[4,8]{1,0} fusion(%p), kind=kLoop, calls=%f
}
`
	const tiled = `
ENTRY %e (p: f32[4,8]) -> f32[4,8] {
  %p = f32[4,8]{1,0:T(4,128)} parameter(0)
  ROOT %n = f32[4,8]{1,0:T(4,128)} negate(%p)
}
`
	const noArrays = "\nENTRY %e (p: ()) -> () {\n  ROOT %p = () parameter(0)\n}\n"
	const headed = "HloModule m, entry_computation_layout={(f32[4,8]{1,0:T(4,128)})->f32[4,8]{1,0}}\n"
	call := func(target string) string {
		return "\nENTRY %e (p: f32[4,8]) -> f32[4,8] {\n  %p = f32[4,8]{1,0} parameter(0)\n" +
			`  ROOT %n = f32[4,8]{1,0} custom-call(%p), custom_call_target="` + target + "\"\n}\n"
	}
	named := func(first, second, of string) string {
		const op = `metadata={op_name="jit(f)/neg"}`
		return "\nENTRY %e (p: f32[4,8]) -> f32[4,8] {\n  %p = f32[4,8]{1,0} parameter(0), metadata={op_name=\"x\"}\n" +
			"  %" + first + " = f32[4,8]{1,0} negate(%p), metadata={op_name=\"jit(f)/" + of + "\"}\n" +
			"  ROOT %" + second + " = f32[4,8]{1,0} negate(%" + first + "), " + op + "\n}\n"
	}
	for _, c := range []struct {
		name, text string
		want       stage.Stage
		platform   string
	}{
		{"without a header", "HloModule m\n" + body, stage.Lowered, ""},
		{"as JAX lowers it", "HloModule m, entry_computation_layout={(f32[4,8]{1,0})->f32[4,8]{1,0}}\n" + body,
			stage.Lowered, ""},
		{"a tile in the header", headed + body, stage.Unoptimized, ""},
		{"a tile in the header, and a name of the compiler's", headed + strings.ReplaceAll(body, "%n", "%negate"),
			stage.PreLayout, ""},
		{"a tile in the header, and a clone", headed + strings.ReplaceAll(body, "%n", "%n.clone"), stage.PreLayout, ""},
		{"a tile in the header, and a clone of a computation", headed + strings.ReplaceAll(body, "%e", "%e.clone"),
			stage.PreLayout, ""},
		{"a tile in the header, and a name numbered 0", headed + strings.ReplaceAll(body, "%n", "%n.0"), stage.PreLayout, ""},
		{"a name after the opcode beside one after the op_name", headed + named("neg.1", "negate.2", "neg"),
			stage.PreLayout, ""},
		{"dumps/module_0001.jit_f.0016.Layout_assignment.after_pipeline-start.before_layout-assignment.txt", headed + body,
			stage.PreLayout, ""},
		{"module_0001.jit_f.0005.simplification-1.after_pipeline-start.before_cse.txt", headed + body, stage.Unoptimized, ""},
		{"module_0001.jit_f.0016.layout_assignment.after_pipeline-start.before_layout-assignment.txt",
			"HloModule m\n" + body, stage.Lowered, ""},
		{"names after op_names", headed + named("neg.1", "neg.2", "neg"), stage.Unoptimized, ""},
		{"names after opcodes", headed + named("negate.1", "negate.2", "neg"), stage.Unoptimized, ""},
		{"names after opcodes, one of which its op_name has, too", headed + named("negate.1", "negate.2", "negate"),
			stage.Unoptimized, ""},
		{"such a name without a tile", "HloModule m\n" + strings.ReplaceAll(body, "%n", "%negate"), stage.Lowered, ""},
		{"layout modes", "HloModule m, entry_computation_layout={(f32[4,8])->f32[4,8]}, " +
			"frontend_attributes={arg_layout_modes=\"auto\"}\n" + body, stage.Unoptimized, ""},
		{"a fusion", "HloModule m\n" + fused, stage.PreLayout, ""},
		{"a call of the compiler's", "HloModule m\n" + call("AllocateBuffer"), stage.PreLayout, ""},
		{"a call of the user's", "HloModule m\n" + call("tpu_custom_call"), stage.Lowered, ""},
		{"tiles", "HloModule m\n" + tiled, stage.LaidOut, ""},
		{"tiles and a schedule", "HloModule m, is_scheduled=true\n" + tiled, stage.Scheduled, ""},
		{"a schedule without tiles", "HloModule m, is_scheduled=true\n" + body, stage.Foreign, "another platform"},
		{"a schedule of scalars without tiles", "HloModule m, is_scheduled=true\n" +
			strings.NewReplacer("[4,8]{1,0}", "[]", "[4,8]", "[]").Replace(body), stage.Foreign, "another platform"},
		{"an instruction alone", "%n = f32[4,8]{1,0} negate(f32[4,8]{1,0} %p)", stage.Lowered, ""},
		{"an instruction alone with a tile", "%n = f32[4,8]{1,0:T(4,128)} negate(f32[4,8]{1,0:T(4,128)} %p)",
			stage.Scheduled, ""},
		{"an instruction alone that is a GPU's",
			"%n = f32[4]{0} custom-call(f32[4]{0} %p), custom_call_target=\"__cublas$gemm\"", stage.Foreign, "GPU"},
		{"a schedule of a call that is a CPU's", "HloModule m, is_scheduled=true\n" + call("__onednn$matmul"),
			stage.Foreign, "CPU"},
		{"a schedule of a call that is a GPU's", "HloModule m, is_scheduled=true\n" + call("__cublas$gemm"),
			stage.Foreign, "GPU"},
		{"dumps/module_0002.jit_f.cpu_after_optimizations.txt", "HloModule m, is_scheduled=true\n" + noArrays,
			stage.Foreign, "CPU"},
		{"module_0002.cpu_after_optimizations.txt", "HloModule m\n" + body, stage.Foreign, "CPU"},
		{"module_0003.sm_9.0_gpu_after_optimizations.hlo", "HloModule m\n" + noArrays, stage.Foreign, "GPU"},
		{"module_0002.jit_f.after_optimizations.txt", "HloModule m, is_scheduled=true\n" + noArrays,
			stage.Scheduled, ""},
		{"module_0002.jit_f.cpu_after_optimizations.txt", "HloModule m, is_scheduled=true\n" + tiled,
			stage.Scheduled, ""},
		{"module_0002.cpu_after_optimizations.d/module_0002.jit_f.before_optimizations.txt", "HloModule m\n" + body,
			stage.Lowered, ""},
		{"lowered for a CPU", "HloModule m\n" + call("lapack_sgetrf_ffi"), stage.Lowered, "CPU"},
		{"lowered for AWS Neuron", "HloModule m\n" + call("AwsNeuronGelu"), stage.Lowered, "AWS Neuron"},
	} {
		m, err := parser.Parse(c.name, c.text)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, stage.Of(m), c.name)
		platform, why := stage.Platform(m)
		assert.Equal(t, c.platform, platform, c.name)
		assert.Equal(t, platform == "", why == "", c.name)
		m.Cut = "line 3"
		assert.Equal(t, stage.Cut, stage.Of(m), c.name)
	}
}

// Instructions without their module have no schedule that could be another platform's.
func TestPlatformOfLines(t *testing.T) {
	m, err := parser.Config{}.ParseLines("", "  %d = f32[4,8]{1,0} subtract(%a, %b)\n"+
		"  %e = f32[4,8]{1,0} exponential(%d)\n")
	require.NoError(t, err)
	assert.Equal(t, stage.Cut, stage.Of(m))
	platform, why := stage.Platform(m)
	assert.Empty(t, platform, why)
}
