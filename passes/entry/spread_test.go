package entry_test

import (
	"testing"

	"hlolayout/parser"
	"hlolayout/passes/entry"
	"hlolayout/tpu"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Results whose division the text leaves to the partitioner get that of what they are made of. The shapes of one device
// are those that libtpu 0.0.51 gave such programs.
func TestResultsLeftToThePartitioner(t *testing.T) {
	const head = ", frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"d\"=2, \"t\"=4]>}}\n\n"
	annotation := func(parts, axes string) string {
		return `, sharding={devices=` + parts + ` last_tile_dim_replicate}, ` +
			`frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [` + axes + `]>"}`
	}
	x := `  %x = f32[64,256]{1,0} parameter(0)` + annotation("[2,1,4]<=[8]", `{\"d\"}, {}`) + "\n"
	x2 := "  %x2 = s32[64,2]{1,0} convert(%s)\n"
	s := `  %s = f32[64,2]{1,0} parameter(2)` + annotation("[2,1,4]<=[8]", `{\"d\"}, {}`) + "\n"
	w := `  %w = f32[256,512]{1,0} parameter(1)` + annotation("[1,4,2]<=[2,4]T(1,0)", `{}, {\"t\"}`) + "\n"
	for _, c := range []struct{ name, callees, body, want string }{
		{"dot", "", "  ROOT %r = f32[64,512]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
			"f32[32,128]{1,0:T(8,128)}"},
		{"dot, of the shape of an argument that is not annotated", "", "  %y = f32[64,512]{1,0} parameter(3)\n  ROOT %r = " +
			"f32[64,512]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", "f32[32,128]{1,0:T(8,128)}"},
		{"transpose: the order is the part's", "", "  ROOT %r = f32[256,64]{0,1} transpose(%x), dimensions={1,0}\n",
			"f32[256,32]{0,1:T(8,128)}"},
		{"elementwise: the operand with more axes", "",
			"  %c = f32[] constant(1)\n  %b = f32[256,512]{1,0} broadcast(%c), dimensions={}\n  ROOT %r = " +
				"f32[256,512]{1,0} add(%b, %w)\n", "f32[256,128]{1,0:T(8,128)}"},
		{"reshape", "", "  ROOT %r = f32[64,16,16]{2,1,0} reshape(%x)\n", "f32[32,16,16]{0,2,1:T(8,128)}"},
		{"update, as a loop over layers stacks", "", "  %c = f32[] constant(1)\n  " +
			"%b = f32[3,256,512]{2,1,0} broadcast(%c), dimensions={}\n  %u = f32[1,256,512]{2,1,0} reshape(%w)\n  " +
			"%z = s32[] constant(0)\n  ROOT %r = f32[3,256,512]{2,1,0} dynamic-update-slice(%b, %u, %z, %z, %z)\n",
			"f32[3,256,128]{2,1,0:T(8,128)}"},
		{"slice of a divided dimension", "", "  ROOT %r = f32[256,500]{1,0} slice(%w), slice={[0:256], [0:500]}\n",
			"f32[256,500]{0,1:T(8,128)}"},
		{"call", "%f (p: f32[64,256]) -> f32[64,256] {\n  %p = f32[64,256]{1,0} parameter(0)\n  ROOT %n = " +
			"f32[64,256]{1,0} negate(%p)\n}\n\n",
			"  ROOT %r = f32[64,256]{1,0} call(%x), to_apply=%f\n", "f32[32,256]{1,0:T(8,128)}"},
		{"reduce", "%sum (p: f32[], q: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n  %q = f32[] parameter(1)\n  " +
			"ROOT %s = f32[] add(%p, %q)\n}\n\n",
			"  %c = f32[] constant(0)\n  ROOT %r = f32[512]{0} reduce(%w, %c), dimensions={0}, to_apply=%sum\n",
			"f32[128]{0:T(128)}"},
		{"gather: indices give the batch, whole slices the offsets", "",
			"  %i = s32[64,1]{1,0} slice(%x2), slice={[0:64], [0:1]}\n  ROOT %r = f32[64,512]{1,0} gather(%w, %i), " +
				"offset_dims={1}, collapsed_slice_dims={0}, " +
				"start_index_map={0}, index_vector_dim=1, slice_sizes={1,512}\n", "f32[32,128]{1,0:T(8,128)}"},
		{"convolution: batch of the input, features of the kernel", "",
			"  %i = f32[64,1,1,256]{3,2,1,0} reshape(%x)\n  %k = f32[1,1,256,512]{3,2,1,0} reshape(%w)\n" +
				"  ROOT %r = f32[64,1,1,512]{3,2,1,0} convolution(%i, %k), window={size=1x1}, " +
				"dim_labels=b01f_01io->b01f\n", "f32[32,1,1,128]{3,2,1,0:T(1,128)}"},
		{"loop: what the body divides comes back", "%b (p: f32[64,256]) -> f32[64,256] {\n  %p = f32[64,256]{1,0} " +
			"parameter(0)\n" +
			"  ROOT %n = f32[64,256]{1,0} negate(%p)\n}\n\n%c (p: f32[64,256]) -> pred[] {\n  %p = f32[64,256]{1,0} " +
			"parameter(0)\n  ROOT %t = pred[] constant(true)\n}\n\n",
			"  ROOT %r = f32[64,256]{1,0} while(%x), condition=%c, body=%b\n", "f32[32,256]{1,0:T(8,128)}"},
		{"an axis that does not divide evenly", "", "  ROOT %r = f32[63,256]{1,0} slice(%x), slice={[0:63], [0:256]}\n",
			"f32[63,256]{1,0:T(8,128)}"},
		{"the end of a manual computation", "", `  %l = f32[8,256]{1,0} slice(%x), slice={[0:8], [0:256]}
  ROOT %r = f32[64,256]{1,0} custom-call(%l), custom_call_target="xla.sdy.LocalToGlobalShape",
      frontend_attributes={xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"d\", \"t\"}, {}]>]>"}
`, "f32[8,256]{1,0:T(8,128)}"},
		{"the end of a manual computation that returns several arrays", "", `
  %l = f32[8,256]{1,0} slice(%x), slice={[0:8], [0:256]}
  %z = f32[] constant(0)
  %g = (f32[], f32[64,256]{1,0}) custom-call(%z, %l), custom_call_target="xla.sdy.LocalToGlobalShape",
      frontend_attributes={xla.sdy.out_shardings=
      "#sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{\"d\", \"t\"}, {}]>]>"}
  ROOT %r = f32[64,256]{1,0} get-tuple-element(%g), index=1
`, "f32[8,256]{1,0:T(8,128)}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := parser.Parse(c.name, "HloModule m"+head+c.callees+"ENTRY %e {\n"+x+w+s+x2+c.body+"}\n")
			require.NoError(t, err)
			target, err := tpu.ByName("v5e")
			require.NoError(t, err)
			iface, err := entry.Of(m, target, entry.Auto)
			require.NoError(t, err)
			a := iface.Arrays[len(iface.Arrays)-1]
			assert.Equal(t, c.want, a.Device.String())
			assert.False(t, a.Known)
		})
	}
}
