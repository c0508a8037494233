package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/tpu"
)

// cyclesOf returns what the root of a module takes on v7x, in cycles, when nothing waits for memory.
func cyclesOf(t *testing.T, text string) (*cost, float64) {
	t.Helper()
	m, err := parser.Parse("m.hlo", text)
	require.NoError(t, err)
	target, err := tpu.ByName("v7x")
	require.NoError(t, err)
	a, err := Analyze(m, target)
	require.NoError(t, err)
	return a.e.c, a.e.c.timed(m.Entry.Root).seconds * a.e.dev.clock
}

// fused returns a fusion of a product of two parameters with the operations after it; its scratch memory has a size.
func fused(product, y, after, x, k string, scratch int) string {
	root := y
	if i := strings.LastIndex(after, "= "); i >= 0 {
		root, _, _ = strings.Cut(after[i+2:], " ")
	}
	return fmt.Sprintf(`HloModule m, is_scheduled=true

%%f {
  %%p = %[1]s parameter(0)
  %%q = %[2]s parameter(1)
  %%y = %[3]s convolution(%%p, %%q), %[4]s
%[5]s
}

ENTRY %%main {
  %%a = %[1]s parameter(0)
  %%b = %[2]s parameter(1)
  ROOT %%r = %[6]s fusion(%%a, %%b), kind=kOutput, calls=%%f, backend_config={"scoped_memory_configs":[{`+
		`"memory_space":"1","offset":"0","size":"%[7]d"}]}
}
`, x, k, y, product, after, root, scratch)
}

// Products take the cycles of the compiler's log on v7x: its passes, the sums of what they give, or the vector work
// around them, whichever takes longest.
func TestProducts(t *testing.T) {
	const (
		y    = "f32[256,384]{1,0:T(8,128)}"
		base = "ROOT %z = " + y + " "
		half = "bf16[256,384]{1,0:T(8,128)(2,1)}"
	)
	for _, c := range []struct {
		name, product, y, after, x, k string
		want                          float64
	}{
		// 96 registers; both units compute (first + second + either)/2, of which 8 are of the product.
		{"a division", "dim_labels=bf_io->bf", y, base + "divide(%y, %y)", "f32[256,64]{1,0:T(8,128)}",
			"f32[64,384]{1,0:T(8,128)}", (96*14 + 16) / 2},
		{"products of numbers are the first's", "dim_labels=bf_io->bf", y, base + "multiply(%y, %y)",
			"f32[256,64]{1,0:T(8,128)}", "f32[64,384]{1,0:T(8,128)}", 96},
		{"sums are the second's", "dim_labels=bf_io->bf", y, base + "add(%y, %y)", "f32[256,64]{1,0:T(8,128)}",
			"f32[64,384]{1,0:T(8,128)}", 96},
		{"tanh is either's", "dim_labels=bf_io->bf", y, base + "tanh(%y)", "f32[256,64]{1,0:T(8,128)}",
			"f32[64,384]{1,0:T(8,128)}", 96},
		{"conversions pack half of a register", "dim_labels=bf_io->bf", y, "%t = " + y + " tanh(%y)\n  %u = " + y +
			" tanh(%t)\n  ROOT %z = " + half + " convert(%u)", "f32[256,64]{1,0:T(8,128)}", "f32[64,384]{1,0:T(8,128)}",
			(96*2.5 + 16) / 2},
		{"1024 inputs are eight passes, seven are added", "dim_labels=bf_io->bf", y, base + "bitcast(%y)",
			"f32[256,1024]{1,0:T(8,128)}", "f32[1024,384]{1,0:T(8,128)}", 96 * 7},
		// A convolution of 3x3 positions: nine passes, eight added; the padding leaves 2 - 18*18/(16*16) of them.
		{"3x3", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f32[8,16,16,96]{3,0,2,1:T(8,128)}",
			"ROOT %z = f32[8,16,16,96]{3,0,2,1:T(8,128)} bitcast(%y)", "f32[8,16,16,64]{3,0,2,1:T(8,128)}",
			"f32[3,3,64,96]{3,2,1,0:T(8,128)}", 2048 * (2 - 324./256)},
		{"a patch each, read as a whole", "window={size=4x4 stride=4x4}, dim_labels=b01f_01io->b01f",
			"f32[8,8,8,96]{3,0,2,1:T(8,128)}", "ROOT %z = f32[8,8,8,96]{3,0,2,1:T(8,128)} bitcast(%y)",
			"f32[8,32,32,3]{3,0,2,1:T(8,128)}", "f32[4,4,3,96]{3,2,1,0:T(4,128)}", 1024 + 16},
		{"each feature for itself",
			"window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=64",
			"f32[8,16,16,64]{3,0,2,1:T(8,128)}", "ROOT %z = f32[8,16,16,64]{3,0,2,1:T(8,128)} bitcast(%y)",
			"f32[8,16,16,64]{3,0,2,1:T(8,128)}", "f32[3,3,1,64]{3,2,1,0:T(1,128)}", 2304*(2-324./256) + 256 + 9},
		{"batches are one position", "window={size=6 stride=5 lhs_dilate=6}, dim_labels=0bf_0oi->0bf",
			"f32[6,256,200]{1,2,0:T(8,128)}", "ROOT %z = f32[6,256,200]{1,2,0:T(8,128)} multiply(%y, %y)",
			"f32[6,256,64]{1,2,0:T(8,128)}", "f32[6,200,64]{1,2,0:T(8,128)}", 300},
	} {
		_, got := cyclesOf(t, fused(c.product, c.y, "  "+c.after, c.x, c.k, 32*mib))
		assert.InDelta(t, c.want, got, 1, c.name)
	}
}

// Convolutions in groups take the vector unit as long as in the compiler's log: registers of the result in the order of
// the first operand, with what spreads the second one over rows of a minor batch; rows of groups of a batch, whose
// inputs are added up by a third operation where they are minor; and registers of the result once more for a batch of
// fewer rows than a register.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		name, product, y, x, k string
		either, loads          float64
	}{
		{"a minor batch", "window={size=3x3 pad=1_1x0_0}, dim_labels=0b1f_oi01->0b1f, feature_group_count=4",
			"f32[48,48,7,4]{1,3,2,0:T(4,128)}", "bf16[48,48,9,4]{1,3,2,0:T(4,128)(2,1)}",
			"f32[4,1,3,3]{0,1,3,2:T(1,128)}", (2*9*336 + 9 + 18) * (1 - 2./48), (9*336 + 9) * (1 - 2./48)},
		{"another order", "window={size=3x3 pad=1_1x0_0}, dim_labels=0b1f_oi01->0b1f, feature_group_count=30",
			"f32[12,48,2,30]{1,3,2,0:T(8,128)}", "bf16[12,48,4,30]{3,1,2,0:T(8,128)(2,1)}",
			"f32[30,1,3,3]{0,1,3,2:T(1,128)}", (2*9*144 + 48) * (1 - 2./12), 9 * 144 * (1 - 2./12)},
		{"a whole register of batches", "window={size=3x3 pad=2_1x2_1 lhs_dilate=2x2 rhs_reversal=1x1}, " +
			"dim_labels=b01f_01oi->b01f, feature_group_count=128", "bf16[8,16,16,128]{3,0,2,1:T(8,128)(2,1)}",
			"bf16[8,8,8,128]{3,0,2,1:T(8,128)(2,1)}", "bf16[3,3,128,1]{2,3,1,0:T(2,128)(2,1)}", 508.27, 252},
		{"groups of a batch", "window={size=24x3x1 pad=1_1x0_0x0_0}, dim_labels=0f1b2_o0i12->fb021, " +
			"batch_group_count=6", "f32[6,1,3,3,1]{0,1,3,4,2:T(1,128)}",
			"bf16[24,48,3,6,3]{1,3,4,2,0:T(8,128)(2,1)}", "bf16[6,24,48,3,1]{2,0,4,3,1:T(8,128)(2,1)}",
			(3*9*72 + 9 + 18) * (1 - 2./24), 9 * 72 * (1 - 2./24)},
	} {
		model, _ := cyclesOf(t, fused(c.product, c.y, "  ROOT %z = "+c.y+" bitcast(%y)", c.x, c.k, 32*mib))
		v := model.fusion(model.v.g.m.Entry.Root).product
		b := model.product(v, v)
		assert.InDelta(t, c.either, b.either, .01, c.name)
		assert.InDelta(t, c.loads, b.loads, .01, c.name)
	}
}

// On v4, v5e and v5p a product, and what is elementwise around it, takes XLA's flops at one rate: the seconds are the
// compiler's log for such products.
func TestSecondsOfFlops(t *testing.T) {
	product := fused("dim_labels=bf_io->bf", "f32[1024,768]{1,0:T(8,128)}", "", "bf16[1024,1536]{1,0:T(8,128)(2,1)}",
		"bf16[1536,768]{1,0:T(8,128)(2,1)}", 0)
	for generation, seconds := range map[string]float64{"v4": 1.76344e-05, "v5e": 1.22635e-05, "v5p": 6.13177e-06} {
		e := engineOf(t, product, generation)
		assert.InEpsilon(t, seconds, e.c.seconds(e.g.m.Entry.Root), 1e-5, generation)
	}

	const (
		elements = 1024 * 768
		y        = "f32[1024,768]{1,0:T(8,128)}"
		zero     = "%c = f32[]{:T(128)} constant(0)\n"
	)
	for after, flops := range map[string]float64{
		"ROOT %z = " + y + " multiply(%y, %y)":                                                elements,
		"ROOT %z = bf16[1024,768]{1,0:T(8,128)(2,1)} convert(%y)":                             elements,
		"ROOT %z = " + y + " tanh(%y)":                                                        0,
		"ROOT %z = f32[768,1024]{0,1:T(8,128)} transpose(%y), dimensions={1,0}":               0,
		zero + "ROOT %z = f32[1024]{0:T(1024)} reduce(%y, %c), dimensions={1}, to_apply=%sum": elements - 1024,
		zero + "ROOT %z = f32[768]{0:T(1024)} reduce(%y, %c), dimensions={0}, to_apply=%far":  2 * (elements - 768),
	} {
		text := strings.Replace(fused("dim_labels=bf_io->bf", y, after,
			"bf16[1024,1536]{1,0:T(8,128)(2,1)}", "bf16[1536,768]{1,0:T(8,128)(2,1)}", 0), "\n%f {", `
%sum {
  %l = f32[]{:T(128)} parameter(0)
  %r = f32[]{:T(128)} parameter(1)
  ROOT %a = f32[]{:T(128)} add(%l, %r)
}

%far {
  %l = f32[]{:T(128)} parameter(0)
  %r = f32[]{:T(128)} parameter(1)
  %a = f32[]{:T(128)} abs(%r)
  ROOT %m = f32[]{:T(128)} maximum(%l, %a)
}

%f {`, 1)
		e := engineOf(t, text, "v5e")
		assert.InEpsilon(t, (2*1024*1536*768+flops)/197e12, e.c.seconds(e.g.m.Entry.Root), 1e-9, after)
	}
}

// On v6e and v7x sums of what is compared with a row of numbers wait for the vector unit alone: three operations for
// each element, at the rate of the matrix unit, as the compiler's log has it.
func TestSecondsOfSums(t *testing.T) {
	const text = `HloModule m, is_scheduled=true

%sum {
  %l = f32[]{:T(128)} parameter(0)
  %r = f32[]{:T(128)} parameter(1)
  ROOT %a = f32[]{:T(128)} add(%l, %r)
}

%f {
  %p = s32[512]{0:T(512)} parameter(0)
  %b = s32[512,30000]{0,1:T(8,128)} broadcast(%p), dimensions={0}
  %i = s32[512,30000]{0,1:T(8,128)} iota(), iota_dimension=1
  %e = pred[512,30000]{0,1:T(8,128)(4,1)} compare(%b, %i), direction=EQ
  %x = f32[]{:T(128)} constant(-0.25)
  %y = f32[512,30000]{0,1:T(8,128)} broadcast(%x), dimensions={}
  %z = f32[]{:T(128)} constant(0)
  %w = f32[512,30000]{0,1:T(8,128)} broadcast(%z), dimensions={}
  %s = f32[512,30000]{0,1:T(8,128)} select(%e, %y, %w)
  ROOT %r = f32[512]{0:T(512)} reduce(%s, %z), dimensions={1}, to_apply=%sum
}

ENTRY %main {
  %a = s32[512]{0:T(512)} parameter(0)
  ROOT %r = f32[512]{0:T(512)} fusion(%a), kind=kLoop, calls=%f
}
`
	for generation, seconds := range map[string]float64{"v5p": 1.16953e-07, "v6e": 5.01955e-08, "v7x": 4.62645e-08} {
		e := engineOf(t, text, generation)
		assert.InEpsilon(t, seconds, e.c.seconds(e.g.m.Entry.Root), 1e-5, generation)
	}
}
