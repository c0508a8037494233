package memory

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
)

// bodyOf returns the costs and the body of a fusion that is a module's root.
func bodyOf(t *testing.T, text string) (*cost, *hlo.Computation) {
	t.Helper()
	c, _ := cyclesOf(t, text)
	body := c.v.g.m.Entry.Root.CalledBy("calls")
	require.NotNil(t, body)
	return c, body
}

// What products take of each unit follows from the order of their operands: all numbers are the compiler's log's for
// these convolutions, on v6e and v7x.
func TestOperandsOfProducts(t *testing.T) {
	for _, c := range []struct {
		name, product, y, x, k string
		want                   bundle
	}{
		{"the first operand is the weights", "window={size=1}, dim_labels=0bf_oi0->0bf",
			"bf16[8,197,192]{1,2,0:T(8,128)(2,1)}", "bf16[8,197,192]{1,2,0:T(8,128)(2,1)}",
			"bf16[192,192,1]{1,0,2:T(8,128)(2,1)}", bundle{weights: 48, passes: 384, second: 384, either: 192}},
		{"its transpose is", "window={size=1x6 pad=0_0x5_5 rhs_reversal=0x1}, dim_labels=0bf1_i1o0->0b1f",
			"bf16[3,200,6,96]{1,3,2,0:T(8,128)(2,1)}", "bf16[3,200,576,1]{2,1,3,0:T(8,128)(2,1)}",
			"bf16[576,6,96,1]{0,2,1,3:T(8,128)(2,1)}", bundle{weights: 62.5, passes: 1080, second: 1728, either: 187.5}},
		{"inputs are rows of both: the second is turned", "window={size=1}, dim_labels=0bf_io0->0bf",
			"bf16[6,256,1296]{1,2,0:T(8,128)(2,1)}", "bf16[6,256,432]{1,2,0:T(8,128)(2,1)}",
			"bf16[432,1296,1]{1,0,2:T(8,128)(2,1)}",
			bundle{weights: 594, passes: 3888, second: 5832, either: 356, turns: 64}},
		{"they are moved together", "window={size=20}, dim_labels=0fb_0io->bf0", "f32[256,256,1]{1,0,2:T(8,128)}",
			"bf16[20,32,256]{2,1,0:T(8,128)(2,1)}", "f32[20,32,256]{2,1,0:T(8,128)}",
			bundle{weights: 160, passes: 640, second: 1216, either: 240}},
		{"a small batch shares passes", "window={size=1x6}, dim_labels=0b1f_o1i0->0bf1",
			"f32[4,77,384,1]{2,1,3,0:T(8,128)}", "bf16[4,77,6,64]{1,3,2,0:T(8,128)(2,1)}",
			"f32[384,6,64,1]{0,2,1,3:T(8,128)}", bundle{weights: 72, passes: 112.5, second: -120, either: 96}},
		{"they are moved for what only the second has",
			"window={size=5x8 pad=4_4x0_0 rhs_reversal=1x0}, dim_labels=1fb0_1i0o->b0f1",
			"f32[320,5,64,1]{0,2,1,3:T(8,128)}", "bf16[8,64,320,1]{2,1,3,0:T(8,128)(2,1)}",
			"bf16[8,64,5,64]{3,1,2,0:T(8,128)(2,1)}",
			bundle{weights: 480, passes: 240, second: 360, either: 488, turns: 64}},
		{"not where that is major", "window={size=4x4 pad=3_3x0_0 rhs_reversal=1x0}, dim_labels=1fb0_1i0o->b0f1",
			"f32[144,4,36,1]{0,2,3,1:T(8,128)}", "bf16[4,100,144,1]{1,2,0,3:T(8,128)(2,1)}",
			"f32[4,100,4,36]{1,3,0,2:T(8,128)}", bundle{weights: 36, passes: 80, second: 120, either: 36}},
		{"the rows of a whole tile are packed", "window={size=2x2 stride=2x2}, dim_labels=b01f_01io->b01f",
			"bf16[64,8,8,256]{3,0,2,1:T(8,128)(2,1)}", "bf16[64,16,16,8]{0,3,2,1:T(8,128)(2,1)}",
			"bf16[2,2,8,256]{3,2,1,0:T(8,128)(2,1)}", bundle{weights: 4, passes: 256, second: -1024}},
		{"fewer are not", "window={size=2x2 stride=2x2}, dim_labels=b01f_01io->b01f",
			"bf16[64,8,8,256]{3,0,2,1:T(8,128)(2,1)}", "bf16[64,16,16,4]{0,3,2,1:T(4,128)(2,1)}",
			"bf16[2,2,4,256]{3,2,1,0:T(4,128)(2,1)}", bundle{weights: 4, passes: 2048, second: 3072}},
		{"pairs of matrices are moved", "window={size=6x6 stride=5x5 lhs_dilate=6x6}, dim_labels=01bf_0i1o->01bf",
			"bf16[6,6,256,72]{2,3,1,0:T(8,128)(2,1)}", "bf16[6,6,256,256]{2,3,1,0:T(8,128)(2,1)}",
			"bf16[6,256,6,72]{1,3,2,0:T(8,128)(2,1)}", bundle{weights: 1152, passes: 648, second: 648, either: 2240}},
		{"and the second is packed", "window={size=6x6 stride=5x5 lhs_dilate=6x6}, dim_labels=01fb_0i1o->01bf",
			"bf16[6,6,256,72]{2,3,1,0:T(8,128)(2,1)}", "bf16[6,6,256,256]{2,3,1,0:T(8,128)(2,1)}",
			"bf16[6,256,6,72]{1,3,2,0:T(8,128)(2,1)}", bundle{weights: 1152, passes: 648, second: 648, either: 2564}},
		{"pairs are written backwards",
			"window={size=32x4 stride=32x4 pad=31_31x3_3 lhs_dilate=31x3 rhs_reversal=1x1}, dim_labels=01fb_01oi->01fb",
			"bf16[32,4,64,64]{2,3,1,0:T(8,128)(2,1)}", "bf16[32,4,64,64]{2,3,1,0:T(8,128)(2,1)}",
			"bf16[32,4,64,64]{2,3,1,0:T(8,128)(2,1)}", bundle{weights: 512, passes: 512, either: 1528}},
		{"inputs that fill no tile are not packed", "window={size=1x1}, dim_labels=b01f_01io->b01f",
			"bf16[12,32,32,40]{3,0,2,1:T(8,128)(2,1)}", "bf16[12,32,32,96]{3,0,2,1:T(8,128)(2,1)}",
			"bf16[1,1,96,40]{2,3,1,0:T(8,128)(2,1)}", bundle{weights: 2.5, passes: 1024}},
		{"a row of tiles is not", "dim_labels=bf_io->bf", "bf16[6,2592]{1,0:T(8,128)(2,1)}",
			"bf16[6,432]{1,0:T(8,128)(2,1)}", "bf16[432,2592]{1,0:T(8,128)(2,1)}",
			bundle{weights: 567, passes: 42, second: 63}},
		{"padding is, a twentieth of all the product", "window={size=3x3 pad=1_1x0_0}, dim_labels=0b1f_01io->0b1f",
			"bf16[40,16,4,128]{3,1,2,0:T(8,128)(2,1)}", "bf16[40,16,6,128]{3,1,2,0:T(8,128)(2,1)}",
			"bf16[3,3,128,128]{3,2,1,0:T(8,128)(2,1)}",
			bundle{weights: 72, passes: 1440, second: 2560, either: 264}.times(.95)},
		{"a batch of few rows shares registers", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
			"bf16[3,10,10,144]{3,0,2,1:T(4,128)(2,1)}", "bf16[3,10,10,144]{3,0,2,1:T(4,128)(2,1)}",
			"bf16[3,3,144,144]{3,2,1,0:T(8,128)(2,1)}",
			bundle{weights: 162, passes: 900, second: 1600, either: 122}.times(.56)},
		{"not where inputs are minor in the second", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
			"bf16[3,10,10,144]{3,0,2,1:T(4,128)(2,1)}", "bf16[3,10,10,288]{3,0,2,1:T(4,128)(2,1)}",
			"bf16[3,3,288,144]{2,3,1,0:T(8,128)(2,1)}",
			bundle{weights: 243, passes: 2700, second: 5200, either: 108}.times(.56)},
		{"nor where the first is dilated",
			"window={size=1x4x4 pad=0_0x2_2x2_2 lhs_dilate=1x2x2}, dim_labels=b012f_012io->b012f",
			"bf16[1,1,12,32,128]{4,0,3,2,1:T(2,128)(2,1)}", "f32[1,1,16,16,128]{4,0,3,2,1:T(1,128)}",
			"f32[1,4,4,128,128]{4,3,2,1,0:T(8,128)}",
			bundle{weights: 128, passes: 3072, second: 5760, either: 112}.times(.4375)},
		{"nor where there are no positions", "dim_labels=bf_io->bf", "f32[4,128]{1,0:T(4,128)}",
			"bf16[4,512]{1,0:T(4,128)(2,1)}", "bf16[512,128]{1,0:T(8,128)(2,1)}", bundle{weights: 32, passes: 2, second: 3}},
		{"nor for what only the second has", "window={size=83 pad=82_82 rhs_reversal=1}, dim_labels=fb0_0oi->b0f",
			"bf16[4,83,83]{2,0,1:T(4,128)(2,1)}", "bf16[64,4,1]{0,1,2:T(4,128)(2,1)}",
			"bf16[83,83,64]{1,2,0:T(8,128)(2,1)}", bundle{weights: 332, passes: 41.5}},
		{"nor for pairs", "window={size=41x4 stride=4x3 pad=18_19x0_0 lhs_dilate=1x4}, dim_labels=b01f_0i1o->b01f",
			"f32[3,92,4,16]{3,0,2,1:T(4,128)}", "bf16[3,173,4,4]{3,0,2,1:T(4,128)(2,1)}",
			"bf16[41,4,4,16]{3,1,2,0:T(4,128)(2,1)}",
			bundle{weights: 82, passes: 7544, second: 14720, either: 556}.times(1 - 37./173)},
		{"few inputs are packed", "window={size=500 stride=3 pad=6_0}, dim_labels=f0b_i0o->0bf",
			"f32[3,64,32]{1,2,0:T(8,128)}", "bf16[4,500,64]{2,0,1:T(4,128)(2,1)}",
			"bf16[4,500,32]{2,0,1:T(4,128)(2,1)}",
			bundle{weights: 250, passes: 96, second: 180, either: 646, turns: 256}.times(.988)},
		{"passes that are shared are added up for whole registers", "window={size=1}, dim_labels=0bf_io0->0bf",
			"f32[12,96,256]{2,1,0:T(8,128)}", "bf16[12,96,256]{1,2,0:T(8,128)(2,1)}", "f32[256,256,1]{1,0,2:T(8,128)}",
			bundle{weights: 32, passes: 216, second: -288, either: 192}},
		{"what is cut off takes nothing less", "window={size=6 pad=0_-1}, dim_labels=0fb_0io->bf0",
			"bf16[384,192,1]{0,1,2:T(8,128)(2,1)}", "bf16[7,64,384]{2,1,0:T(8,128)(2,1)}",
			"bf16[6,64,192]{2,1,0:T(8,128)(2,1)}", bundle{weights: 144, passes: 108, second: 144, either: 100, turns: 64}},
		{"with padding elsewhere",
			"window={size=6x1x1 pad=0_1x0_-1x0_0 rhs_dilate=2x2x1}, dim_labels=0f1b2_0i1o2->02bf1",
			"f32[3,3,96,160,1]{2,3,1,4,0:T(8,128)}", "bf16[12,16,2,96,3]{3,1,4,2,0:T(8,128)(2,1)}",
			"bf16[6,16,1,160,1]{3,1,4,2,0:T(8,128)(2,1)}", bundle{weights: 12, passes: 90, either: 84, turns: 32}},
		{"few inputs of a tall window are not packed", "window={size=3x3 pad=1_1x0_0}, dim_labels=0b1f_01io->0b1f",
			"bf16[20,24,3,48]{3,1,2,0:T(8,128)(2,1)}", "bf16[20,24,5,48]{3,1,2,0:T(8,128)(2,1)}",
			"bf16[3,3,48,48]{3,2,1,0:T(8,128)(2,1)}",
			bundle{weights: 27, passes: 810, second: 1440, either: 30}.times(.9)},
		{"those of a wide one are", "window={size=1x3}, dim_labels=b01f_01io->b01f",
			"bf16[32,12,10,96]{3,0,2,1:T(8,128)(2,1)}", "bf16[32,12,12,48]{3,0,2,1:T(8,128)(2,1)}",
			"bf16[1,3,48,96]{3,2,1,0:T(8,128)(2,1)}", bundle{weights: 9, passes: 720, second: 960, either: 288}},
		{"and those of pairs",
			"window={size=16x16x4 stride=1x1x3 pad=1_1x1_1x0_0 lhs_dilate=1x1x4}, dim_labels=f012b_2i01o->201bf",
			"f32[4,1,1,32,32]{4,3,0,2,1:T(8,128)}", "bf16[30,16,16,4,32]{0,4,3,2,1:T(8,128)(2,1)}",
			"bf16[4,30,16,16,32]{4,1,0,3,2:T(8,128)(2,1)}",
			bundle{weights: 2048, passes: 2048, second: 4080, either: 5360}.times(2 - 81./64)},
		{"of pairs all but the padding is moved",
			"window={size=64x4 stride=1x3 pad=18_19x0_0 lhs_dilate=1x4 rhs_dilate=4x1}, dim_labels=f01b_i01o->0b1f",
			"f32[41,16,4,32]{3,1,2,0:T(8,128)}", "f32[3,168,4,16]{3,0,2,1:T(4,128)}",
			"bf16[3,64,4,32]{3,0,2,1:T(4,128)(2,1)}",
			bundle{weights: 128, passes: 10496, second: 20664, either: 541}.times(1 - 37./168)},
		{"a batch of fewer rows than a register is moved", "window={size=1x1}, dim_labels=b01f_01io->b01f",
			"bf16[6,13,13,64]{3,0,2,1:T(8,128)(2,1)}", "bf16[6,13,13,48]{3,0,2,1:T(8,128)(2,1)}",
			"bf16[1,1,48,64]{3,2,1,0:T(8,128)(2,1)}", bundle{weights: 3, passes: 84.5, either: 169}},
		{"however many inputs it has", "window={size=1x1}, dim_labels=b01f_01io->b01f",
			"f32[6,13,13,160]{3,0,2,1:T(8,128)}", "bf16[6,13,13,160]{3,0,2,1:T(8,128)(2,1)}",
			"f32[1,1,160,160]{3,2,1,0:T(8,128)}", bundle{weights: 20, passes: 338, second: 338, either: 169}},
		{"but for weights whose inputs are minor", "window={size=1x1}, dim_labels=b01f_01io->b01f",
			"f32[6,13,13,64]{3,0,2,1:T(8,128)}", "bf16[6,13,13,160]{3,0,2,1:T(8,128)(2,1)}",
			"f32[1,1,160,64]{2,3,1,0:T(8,128)}", bundle{weights: 8, passes: 169, second: 169}},
	} {
		cost, body := bodyOf(t, fused(c.product, c.y, "  ROOT %z = "+c.y+" negate(%y)", c.x, c.k, 32*mib))
		v, ok := convolutionOf(body.Instruction("y"))
		require.True(t, ok, c.name)
		got := cost.product(&v, &v)
		for k, pair := range [][2]float64{{c.want.weights, got.weights}, {c.want.passes, got.passes},
			{c.want.second, got.second}, {c.want.either, got.either}, {c.want.turns, got.turns}} {
			assert.InDelta(t, pair[0], pair[1], .6, "%s, unit %d", c.name, k)
		}
	}
}

// What an inner fusion takes whose result a product takes is the log's, too: turned lanes, rounded rows, copies, pads.
func TestReadingOperandsOfProducts(t *testing.T) {
	const (
		wide = "f32[20,49,256]{2,1,0:T(8,128)}"
		rows = "f32[20,49]{1,0:T(8,128)}"
		half = "bf16[20,49,256]{2,1,0:T(8,128)(2,1)}"
	)
	for _, c := range []struct {
		name, param, body string
		want              bundle
	}{
		{"as it is", wide, "ROOT %z = " + wide + " bitcast(%p0)", bundle{loads: 280}},
		{"unpacked", half, "ROOT %z = " + half + " bitcast(%p0)", bundle{loads: 280, either: 280}},
		{"lanes become rows", rows, "ROOT %z = " + wide + " broadcast(%p0), dimensions={0,1}",
			bundle{loads: 48, either: 48, turns: 96}},
		{"and numbers of 16 bits are rounded", "bf16[20,49]{1,0:T(8,128)(2,1)}",
			"ROOT %z = " + half + " broadcast(%p0), dimensions={0,1}",
			bundle{loads: 48, either: 4 * 48, second: 48, turns: 96}},
		{"a row for all", "f32[256]{0:T(256)}", "ROOT %z = " + wide + " broadcast(%p0), dimensions={2}",
			bundle{loads: 1}},
		{"a copy is read in its order", "bf16[20,49,256]{2,0,1:T(8,128)(2,1)}", "ROOT %z = " + half + " copy(%p0)",
			bundle{loads: 280, either: 560}},
		{"other tiles take no work", "bf16[20,49,256]{2,1,0:T(16,128)(2,1)}", "ROOT %z = " + half + " copy(%p0)",
			bundle{loads: 280, either: 280}},
		{"a slice at a place that is computed is not loaded",
			"f32[3,20,49,256]{3,2,1,0:T(8,128)}",
			"%i = s32[]{:T(128)} constant(1)\n" +
				"  %s = f32[1,20,49,256]{3,2,1,0:T(8,128)} dynamic-slice(%p0, %i, %i, %i, %i), " +
				"dynamic_slice_sizes={1,20,49,256}\n  ROOT %z = " + wide + " bitcast(%s)", bundle{either: 280}},
		{"what is padded is not read", "f32[20,49,128]{2,1,0:T(8,128)}", "%c = f32[]{:T(128)} constant(0)\n  " +
			"ROOT %z = " + wide + " pad(%p0, %c), padding=0_0x0_0x0_128", bundle{either: 280}},
	} {
		x := c.body[strings.Index(c.body, "%z = ")+5:]
		x, _, _ = strings.Cut(x, " ")
		text := fused("window={size=1}, dim_labels=0bf_io0->0bf", wide, "", x, "f32[256,256,1]{1,0,2:T(8,128)}", 32*mib)
		text = strings.Replace(text, "%f {\n", "%i0 {\n  %p0 = "+c.param+" parameter(0)\n  "+c.body+"\n}\n\n%f {\n", 1)
		text = strings.Replace(text, "  %y = ", "  %h = "+x+" fusion(%p), kind=kLoop, calls=%i0\n  ROOT %y = ", 1)
		text = strings.Replace(text, "convolution(%p,", "convolution(%h,", 1)
		text = strings.Replace(text, "%p = "+x, "%p = "+c.param, 1)
		text = strings.Replace(text, "%a = "+x, "%a = "+c.param, 1)
		cost, _ := bodyOf(t, text)
		assert.Equal(t, c.want, cost.fusion(cost.v.g.m.Entry.Root).inputs[leftOf], c.name)
	}
}

// Results that are renamed to other dimensions are written for nothing, so the log has it.
func TestWritingRenamedResults(t *testing.T) {
	const y, x, k = "f32[256,384,1]{1,0,2:T(8,128)}", "f32[4,80,256]{2,1,0:T(8,128)}", "f32[4,80,384]{2,1,0:T(8,128)}"
	for root, stores := range map[string]float64{"f32[256,384]{1,0:T(8,128)}": 0, "f32[1,256,384]{2,1,0:T(8,128)}": 96} {
		after := "  ROOT %z = " + root + " bitcast(%y)"
		c, body := bodyOf(t, fused("window={size=4}, dim_labels=0fb_0io->bf0", y, after, x, k, 0))
		assert.Equal(t, stores, c.writing(body).stores, root)
	}
}

// Numbers of 8 bits are written as they are, and packed by the vector unit; an update writes what it takes, however
// that is renamed; of argmax all that it compares counts. (The numbers follow from the log's of 139 products.)
func TestWritingResults(t *testing.T) {
	const (
		y, x = "f32[256,384]{1,0:T(8,128)}", "f32[256,128]{1,0:T(8,128)}"
		many = "f32[4,256,384]{2,1,0:T(8,128)}"
		list = "(f32[256]{0:T(256)}, s32[256]{0:T(256)})"
		zero = "  %c = f32[]{:T(128)} constant(0)\n  %i = s32[]{:T(128)} constant(0)\n"
	)
	for _, c := range []struct {
		name, after string
		want        bundle
	}{
		{"flags", "  ROOT %z = pred[256,384]{1,0:T(8,128)(4,1)} compare(%y, %y), direction=GT",
			bundle{stores: 96, second: 192, either: 4 * 96}},
		{"an update", zero + "  %m = " + many + " broadcast(%c), dimensions={}\n  %u = f32[1,256,384]{2,1,0:T(8,128)} " +
			"bitcast(%y)\n  ROOT %z = " + many + " dynamic-update-slice(%m, %u, %i, %i, %i)", bundle{stores: 96}},
		{"argmax", zero + "  %n = s32[256,384]{1,0:T(8,128)} iota(), iota_dimension=1\n  ROOT %z = " + list +
			" reduce(%y, %n, %c, %i), dimensions={1}, to_apply=%g", bundle{stores: 192}},
	} {
		text := fused("dim_labels=bf_io->bf", y, c.after, x, "f32[128,384]{1,0:T(8,128)}", 0)
		if strings.Contains(c.after, list) {
			text = strings.Replace(text, "ROOT %r = (f32[256]{0:T(256)},", "ROOT %r = "+list, 1)
			text = strings.Replace(text, "%f {\n", "%g {\n  %g0 = f32[] parameter(0)\n  %g1 = s32[] parameter(1)\n"+
				"  %g2 = f32[] parameter(2)\n  %g3 = s32[] parameter(3)\n"+
				"  ROOT %g4 = (f32[], s32[]) tuple(%g0, %g1)\n}\n\n%f {\n", 1)
		}
		cost, body := bodyOf(t, text)
		assert.Equal(t, c.want, cost.writing(body), c.name)
		if f := cost.fusion(cost.v.g.m.Entry.Root); c.name == "argmax" {
			assert.Equal(t, []int64{96 * 4096, 96 * 4096}, f.results)
		}
	}
}

// What is spread counts nothing where an inner fusion reads it, too, nor does an inner fusion that neither a product
// nor a sweep reads; flags are unpacked where their rows stay rows.
func TestReadingAfterProducts(t *testing.T) {
	const (
		y, x  = "f32[256,384]{1,0:T(8,128)}", "f32[256,128]{1,0:T(8,128)}"
		flags = "pred[256,384]{1,0:T(8,128)(4,1)}"
		wide  = "pred[4,256,384]{2,1,0:T(8,128)(4,1)}"
	)
	for _, c := range []struct {
		name, inner, after string
		want               float64 // loads
		either             float64
	}{
		{"it is read here", "", "  %s = " + x + " negate(%p)\n", 32, 32},
		{"or by an inner fusion that nothing takes", "%i {\n  %p0 = " + x + " parameter(0)\n  ROOT %z0 = " + x +
			" negate(%p0)\n}\n\n", "  %s = " + x + " fusion(%p), kind=kLoop, calls=%i\n", 0, 0},
	} {
		text := fused("dim_labels=bf_io->bf", y, c.after+"  ROOT %z = "+y+" bitcast(%y)", x, "f32[128,384]{1,0:T(8,128)}", 0)
		cost, _ := bodyOf(t, strings.Replace(text, "%f {\n", c.inner+"%f {\n", 1))
		f := cost.fusion(cost.v.g.m.Entry.Root)
		assert.Equal(t, c.want+48, f.after.loads, c.name)
		assert.Equal(t, c.either, f.after.either, c.name)
	}
	spread := fused("dim_labels=bf_io->bf", y, "  %s = "+y+" broadcast(%p), dimensions={0}\n  ROOT %z = "+y+" add(%y, %s)",
		"f32[256]{0:T(256)}", "f32[128,384]{1,0:T(8,128)}", 0)
	spread = strings.Replace(spread, "convolution(%p, %q)", "convolution(%q, %q)", 1)
	cost, _ := bodyOf(t, spread)
	assert.EqualValues(t, 32, cost.fusion(cost.v.g.m.Entry.Root).after.turns)
	spread = strings.Replace(spread, "  %s = ", "  %h = f32[256]{0:T(256)} fusion(%p), kind=kLoop, calls=%i\n  %s = ", 1)
	cost, _ = bodyOf(t, strings.Replace(spread, "%f {\n", "%i {\n  %p0 = f32[256]{0:T(256)} parameter(0)\n"+
		"  ROOT %z0 = f32[256]{0:T(256)} negate(%p0)\n}\n\n%f {\n", 1))
	assert.Zero(t, cost.fusion(cost.v.g.m.Entry.Root).after.turns)
	for dims, want := range map[string]bundle{
		flags + " {1,2}":                       {loads: 96, second: 96, either: 96},
		"pred[384]{0:T(512)(128)(4,1)} {2}":    {loads: 1},
		"pred[4,384]{1,0:T(4,128)(4,1)} {0,2}": {loads: 3},
	} {
		shape, at, _ := strings.Cut(dims, " ")
		text := fused("dim_labels=bf_io->bf", y, "  %s = "+wide+" broadcast(%p), dimensions="+at+"\n  ROOT %z = "+y+
			" bitcast(%y)", shape, "f32[128,384]{1,0:T(8,128)}", 0)
		text = strings.Replace(text, "convolution(%p, %q)", "convolution(%q, %q)", 1)
		cost, body := bodyOf(t, text)
		assert.Equal(t, want, cost.reading(cost.fusion(cost.v.g.m.Entry.Root), body.Parameters()[0], 0), dims)
	}
}

// What an inner fusion of an inner fusion reads counts, too, but for one that leaves it in its place: so it is in the
// log.
func TestReadingOfInnerFusions(t *testing.T) {
	const y, x, k = "f32[256,384]{1,0:T(8,128)}", "f32[256,256]{1,0:T(8,128)}", "f32[256,384]{1,0:T(8,128)}"
	text := fused("dim_labels=bf_io->bf", y, "  ROOT %z = "+y+" bitcast(%y)", x, k, 32*mib)
	text = strings.Replace(text, "%f {\n", "%i0 {\n  %p0 = "+x+" parameter(0)\n  ROOT %z0 = "+x+
		" bitcast(%p0)\n}\n\n%f {\n", 1)
	text = strings.Replace(text, "  %y = ", "  %h = "+x+" fusion(%p), kind=kLoop, calls=%i0\n  %y = ", 1)
	text = strings.Replace(text, "convolution(%p,", "convolution(%h,", 1)
	c, _ := cyclesOf(t, text)
	f := c.fusion(c.v.g.m.Entry.Root)
	assert.EqualValues(t, []float64{64, 96}, []float64{f.inputs[leftOf].loads, f.after.loads})

	text = strings.Replace(text, "%f {\n", "%i1 {\n  %p1 = "+x+" parameter(0)\n  ROOT %z1 = "+x+
		" fusion(%p1), kind=kLoop, calls=%i0\n}\n\n%f {\n", 1)
	text = strings.Replace(text, "fusion(%p), kind=kLoop, calls=%i0", "fusion(%p), kind=kLoop, calls=%i1", 1)
	c, _ = cyclesOf(t, text)
	f = c.fusion(c.v.g.m.Entry.Root)
	assert.EqualValues(t, []float64{64, 96}, []float64{f.inputs[leftOf].loads, f.after.loads})

	c, _ = cyclesOf(t, strings.Replace(text, "fusion(%p1), kind=kLoop, calls=%i0",
		"fusion(%p1), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=%i0", 1))
	f = c.fusion(c.v.g.m.Entry.Root)
	assert.EqualValues(t, []float64{0, 96}, []float64{f.inputs[leftOf].loads, f.after.loads})
}

// Of the padding a window has as many elements as the whole product, so the log of this one has it.
func TestPaddingOfWindows(t *testing.T) {
	const x, k = "f32[8,32,32,48]{3,0,2,1:T(8,128)}", "f32[3,3,48,48]{3,2,1,0:T(8,128)}"
	text := fused("window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", x, "  ROOT %z = "+x+" negate(%y)", x, k, 0)
	w := windowsIn(t, text)
	w.extents = w.all()
	w.space[0], w.next[0] = 21, 3
	c, _ := cyclesOf(t, text)
	v := w.convolution()
	want := bundle{weights: 27, passes: 3024, second: 5376, either: 112}.times(w.v.inside())
	assert.InDelta(t, .871, w.v.inside(), .001)
	assert.InDelta(t, want.passes, c.product(&v, w.v).passes, .6)
	assert.InDelta(t, want.either, c.product(&v, w.v).either, .6)
}

// A product of nothing takes no time but that of its weights.
func TestEmptyProduct(t *testing.T) {
	const x, k = "bf16[0,10,10,144]{3,0,2,1:T(4,128)(2,1)}", "bf16[3,3,144,144]{3,2,1,0:T(8,128)(2,1)}"
	_, n := cyclesOf(t, fused("window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", x,
		"  ROOT %z = "+x+" negate(%y)", x, k, 0))
	assert.False(t, math.IsNaN(n))
}
