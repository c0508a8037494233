package memory

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// prepared has the operands of the product of a module of fused made in the fusion, as the compiler has it.
func prepared(text, x, k string) string {
	for _, o := range [][3]string{{"p", x, "i"}, {"q", k, "j"}} {
		text = strings.Replace(text, "%f {\n", "%"+o[2]+" {\n  %"+o[2]+"0 = "+o[1]+" parameter(0)\n  ROOT %"+o[2]+"1 = "+
			o[1]+" bitcast(%"+o[2]+"0)\n}\n\n%f {\n", 1)
		text = strings.Replace(text, "  %y = ", "  %m"+o[0]+" = "+o[1]+" fusion(%"+o[0]+"), kind=kLoop, calls=%"+o[2]+
			"\n  %y = ", 1)
	}
	return strings.Replace(text, "convolution(%p, %q)", "convolution(%mp, %mq)", 1)
}

func windowsIn(t *testing.T, text string) *windows {
	t.Helper()
	c, _ := cyclesOf(t, text)
	root := c.v.g.m.Entry.Root
	require.NotNil(t, c.fusion(root).product)
	return c.windowsOf(root, c.fusion(root))
}

// Windows, and how often they are computed and moved, are those of the compiler's log for these products, on v7x;
// the one inside of what is added up has less scratch memory there, and less to read.
func TestWindows(t *testing.T) {
	const all = 0
	for _, c := range []struct {
		name, product, x, k, y string
		scratch                int
		windows                [productArrays][]int64 // all dimensions where nil
		runs                   runs
	}{
		{"all outputs fit, and a quarter of the batch", "dim_labels=bf_io->bf", "f32[512,128]{1,0:T(8,128)}",
			"f32[128,11008]{1,0:T(8,128)}", "f32[512,11008]{1,0:T(8,128)}", 32 * mib,
			[...][]int64{{128, 128}, nil, {128, 11008}}, runs{4, [...]float64{4, 1, 4}}},
		{"the batch, of which four fifths fit", "window={size=1}, dim_labels=0bf_io0->0bf",
			"bf16[3,216,448]{2,1,0:T(8,128)(2,1)}", "f32[448,5000,1]{1,0,2:T(8,128)}",
			"f32[3,216,5000]{2,1,0:T(8,128)}", 32 * mib,
			[...][]int64{{1, 216, 448}, nil, {1, 216, 5000}}, runs{3, [...]float64{3, 1, 3}}},
		{"not one of which less fit", "window={size=1}, dim_labels=0bf_io0->0bf",
			"bf16[3,224,448]{2,1,0:T(8,128)(2,1)}", "f32[448,5000,1]{1,0,2:T(8,128)}",
			"f32[3,224,5000]{2,1,0:T(8,128)}", 32 * mib,
			[...][]int64{{1, 128, 448}, nil, {1, 128, 5000}}, runs{6, [...]float64{6, 1, 6}}},
		{"a part of the outputs", "dim_labels=bf_io->bf", "bf16[4096,2048]{1,0:T(8,128)(2,1)}",
			"bf16[2048,8192]{1,0:T(8,128)(2,1)}", "bf16[4096,8192]{1,0:T(8,128)(2,1)}", 32 * mib,
			[...][]int64{{128, 2048}, {2048, 1408}, {128, 1408}}, runs{192, [...]float64{192, 6, 192}}},
		{"lanes of the batch are rows of the result", "dim_labels=bf_io->bf", "bf16[5120,384]{1,0:T(8,128)(2,1)}",
			"bf16[384,3000]{0,1:T(8,128)(2,1)}", "bf16[5120,3000]{0,1:T(8,128)(2,1)}", 32 * mib,
			[...][]int64{{384, 384}, nil, {384, 3000}}, runs{14, [...]float64{14, 1, 14}}},
		{"the result fits, with a part of the inputs", "dim_labels=bf_io->bf", "f32[777,8192]{1,0:T(8,128)}",
			"f32[8192,1536]{1,0:T(8,128)}", "f32[777,1536]{1,0:T(8,128)}", 32 * mib,
			[...][]int64{{777, 1664}, {1664, 1536}, nil}, runs{5, [...]float64{5, 5, 1}}},
		{"nothing fits", "dim_labels=fb_io->bf", "f32[8192,8192]{1,0:T(8,128)}", "f32[8192,8192]{1,0:T(8,128)}",
			"f32[8192,8192]{1,0:T(8,128)}", 32 * mib, [...][]int64{{1024, 1024}, {1024, 512}, {1024, 512}},
			runs{1024, [...]float64{1024, 1024, 128}}},
		{"pairs of matrices", "window={size=24 stride=23 lhs_dilate=24}, dim_labels=0bf_0oi->0bf",
			"bf16[24,512,100]{2,1,0:T(8,128)(2,1)}", "bf16[24,384,100]{2,1,0:T(8,128)(2,1)}",
			"bf16[24,512,384]{2,1,0:T(8,128)(2,1)}", 32 * mib,
			[...][]int64{{19, 512, 100}, {19, 384, 100}, {19, 512, 384}}, runs{2, [...]float64{2, 2, 2}}},
		{"pairs written backwards, of a result without tiles",
			"window={size=12 stride=12 pad=11_11 lhs_dilate=11 rhs_reversal=1}, dim_labels=0fb_0io->0fb",
			"bf16[12,320,384]{1,2,0:T(8,128)(2,1)}", "bf16[12,320,640]{2,1,0:T(8,128)(2,1)}", "bf16[12,640,384]{1,2,0}",
			31040000, [...][]int64{{8, 320, 384}, {8, 320, 640}, {8, 640, 384}}, runs{2, [...]float64{2, 2, 2}}},
		{"rows of an image", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
			"bf16[64,28,15,32]{0,3,2,1:T(8,128)(2,1)}", "bf16[3,3,32,256]{3,2,1,0:T(8,128)(2,1)}",
			"bf16[64,28,15,256]{3,0,2,1:T(8,128)(2,1)}", 32 * mib,
			[...][]int64{{64, 13, 15, 32}, nil, {64, 8, 15, 256}}, runs{4, [...]float64{4, 1, 4}}},
		{"all rows that only the next window reads", "window={size=3x3 pad=1_1x1_1}, dim_labels=01bf_01io->01bf",
			"f32[16,16,8,128]{3,2,1,0:T(8,128)}", "f32[3,3,128,128]{3,2,1,0:T(8,128)}",
			"f32[16,16,8,128]{3,2,1,0:T(8,128)}", 6165351,
			[...][]int64{{11, 16, 8, 128}, nil, {6, 16, 8, 128}}, runs{3, [...]float64{3, 1, 3}}},
		{"every second position", "window={size=7 stride=2 pad=2_3}, dim_labels=0bf_0io->0bf",
			"f32[1024,8,256]{2,1,0:T(8,128)}", "f32[7,256,256]{2,1,0:T(8,128)}", "f32[512,8,256]{2,1,0:T(8,128)}",
			7885824, [...][]int64{{60, 8, 256}, nil, {50, 8, 256}}, runs{11, [...]float64{11, 1, 11}}},
		{"three dimensions", "window={size=3x1x1 pad=1_1x0_0x0_0}, dim_labels=012bf_012io->012bf",
			"f32[48,4,8,8,128]{4,3,2,1,0:T(8,128)}", "f32[3,1,1,128,128]{4,3,2,1,0:T(8,128)}",
			"f32[48,4,8,8,128]{4,3,2,1,0:T(8,128)}", 5073204,
			[...][]int64{{5, 4, 8, 8, 128}, nil, {2, 4, 8, 8, 128}}, runs{24, [...]float64{24, 1, 24}}},
		{"pairs by two dimensions", "window={size=12x8 stride=11x7 lhs_dilate=12x8}, dim_labels=01bf_01io->01bf",
			"f32[12,8,128,128]{3,2,1,0:T(8,128)}", "f32[12,8,128,128]{3,2,1,0:T(8,128)}",
			"f32[12,8,128,128]{3,2,1,0:T(8,128)}", 11478016,
			[...][]int64{{3, 8, 128, 128}, {3, 8, 128, 128}, {3, 8, 128, 128}}, runs{4, [...]float64{4, 4, 4}}},
		{"a part of the batch, of all positions", "window={size=256 pad=3_3}, dim_labels=0bf_0io->0bf",
			"f32[256,256,8]{1,2,0:T(8,128)}", "f32[256,8,128]{2,1,0:T(8,128)}", "f32[7,256,128]{2,1,0:T(8,128)}",
			9775668, [...][]int64{{256, 128, 8}, nil, {7, 128, 128}}, runs{2, [...]float64{2, 1, 2}}},
		{"rows of the second operand", "window={size=32x32 pad=1_1x1_1}, dim_labels=01bf_01io->01bf",
			"f32[32,32,128,8]{2,3,1,0:T(8,128)}", "f32[32,32,8,128]{3,2,1,0:T(8,128)}",
			"f32[3,3,128,128]{3,2,1,0:T(8,128)}", 9429377,
			[...][]int64{{15, 32, 128, 8}, {11, 32, 8, 128}, nil}, runs{3, [...]float64{3, 3, 1}}},
		{"all of the second operand, and rows for the next", "window={size=14x14 rhs_dilate=2x2 rhs_reversal=1x1}, " +
			"dim_labels=f01b_i01o->01fb", "bf16[32,28,28,128]{3,0,2,1:T(8,128)(2,1)}",
			"bf16[32,14,14,128]{3,0,2,1:T(8,128)(2,1)}", "bf16[2,2,128,128]{2,3,1,0:T(8,128)(2,1)}", 17616078,
			[...][]int64{{32, 17, 17, 128}, nil, nil}, runs{1, [...]float64{1, 1, 1}}},
		{"what only the second operand has",
			"window={size=1x24 pad=0_0x23_23 rhs_reversal=0x1}, dim_labels=0bf1_1io0->0b1f",
			"bf16[6,128,256,1]{2,1,3,0:T(8,128)(2,1)}", "f32[24,256,128,1]{2,1,0,3:T(8,128)}",
			"f32[6,128,24,128]{3,1,2,0:T(8,128)}", 6552576,
			[...][]int64{{1, 128, 256, 1}, {11, 256, 128, 1}, {1, 128, 11, 128}}, runs{18, [...]float64{6, 3, 18}}},
		{"that leaves its room to the dimensions after it",
			"window={size=1x6 pad=0_0x5_5 rhs_reversal=0x1}, dim_labels=0bf1_1oi0->0b1f",
			"f32[24,128,256,1]{2,1,3,0:T(8,128)}", "bf16[6,128,256,1]{2,1,0,3:T(8,128)(2,1)}",
			"f32[24,128,6,128]{3,1,2,0:T(8,128)}", 12102656,
			[...][]int64{{11, 128, 256, 1}, nil, {11, 128, 6, 128}}, runs{3, [...]float64{3, 1, 3}}},
		{"what only the second operand has, inside of what is added up",
			"window={size=9x3 pad=8_8x0_0 rhs_reversal=1x0}, dim_labels=1fb0_1i0o->b0f1",
			"bf16[3,224,576,1]{2,1,3,0:T(8,128)(2,1)}", "bf16[3,224,9,64]{1,3,2,0:T(8,128)(2,1)}",
			"bf16[576,9,64,1]{0,2,1,3:T(8,128)(2,1)}", 13421774,
			[...][]int64{nil, {3, 224, 5, 64}, {576, 5, 64, 1}}, runs{4, [...]float64{4, 4, 2}}},
		{"the scratch memory is not known", "dim_labels=bf_io->bf", "bf16[4096,2048]{1,0:T(8,128)(2,1)}",
			"bf16[2048,8192]{1,0:T(8,128)(2,1)}", "bf16[4096,8192]{1,0:T(8,128)(2,1)}", all,
			[...][]int64{nil, nil, nil}, runs{1, [...]float64{1, 1, 1}}},
	} {
		w := windowsIn(t, prepared(fused(c.product, c.y, "  ROOT %z = "+c.y+" tanh(%y)", c.x, c.k, c.scratch), c.x, c.k))
		for k, want := range c.windows {
			if want == nil {
				want = w.arrays[k].Dims
			}
			assert.Equal(t, want, w.window(k, &w.extents), "%s, array %d", c.name, k)
		}
		assert.Equal(t, c.runs, w.runs(), c.name)
	}
}

// What a window takes of each unit is the log's for these products: the second vector unit adds up half of the passes
// where rows of a small batch, or of a part of the inputs, are packed, and either unit what several parts give.
func TestWorkOfWindows(t *testing.T) {
	for _, c := range []struct {
		name, product, x, k, y string
		scratch                int
		want                   bundle
	}{
		{"a window of 128 of the batch", "dim_labels=bf_oi->bf", "bf16[256,100]{0,1:T(8,128)(2,1)}",
			"bf16[11008,100]{0,1:T(8,128)(2,1)}", "bf16[256,11008]{1,0:T(8,128)(2,1)}", 25166800,
			bundle{weights: 559, passes: 688, second: -1376, either: 6}},
		{"a part of the inputs", "dim_labels=fb_oi->bf", "f32[1000,512]{1,0:T(8,128)}", "f32[2048,1000]{0,1:T(8,128)}",
			"f32[512,2048]{1,0:T(8,128)}", 23487000,
			bundle{weights: 3584, passes: 3584, second: 2048, either: 1248}},
		{"integers are not packed", "dim_labels=bf_oi->bf", "s8[200,1000]{1,0:T(8,128)(4,1)}",
			"s8[11008,1000]{0,1:T(8,128)(4,1)}", "s32[200,11008]{1,0:T(8,128)}", 32715572,
			bundle{weights: 688, passes: 1075, either: 2150}},
		{"pairs of matrices whose inputs come in parts",
			"window={size=8 stride=8 pad=7_7 lhs_dilate=7 rhs_reversal=1}, dim_labels=f0b_0oi->0fb",
			"bf16[2048,8,64]{0,2,1:T(8,128)(2,1)}", "bf16[8,2048,2048]{1,2,0:T(8,128)(2,1)}",
			"bf16[8,2048,64]{1,2,0:T(8,128)(2,1)}", 33554432,
			bundle{weights: 768, passes: 384, second: -1024, either: 1552}},
	} {
		text := prepared(fused(c.product, c.y, "  ROOT %z = "+c.y+" tanh(%y)", c.x, c.k, c.scratch), c.x, c.k)
		w := windowsIn(t, text)
		costs, _ := cyclesOf(t, text)
		v := w.convolution()
		got := costs.product(&v, w.v)
		for i, pair := range [][2]float64{{c.want.weights, got.weights}, {c.want.passes, got.passes},
			{c.want.second, got.second}, {c.want.either, got.either}} {
			assert.InDelta(t, pair[0], pair[1], .6, "%s, unit %d", c.name, i)
		}
	}
}

// Operands are read again for each window that they come in, and results are written with what the last windows have
// beyond them: bytes of the log, of modules of the lab.
func TestBytesOfWindows(t *testing.T) {
	const main = `, kind=kOutput, calls=%f, backend_config={"scoped_memory_configs":[{"memory_space":"1",` +
		`"offset":"0","size":"33554432"}]}
}
`
	for _, c := range []struct {
		name, text string
		reads      []float32
		writes     float32
	}{
		{"lists, for the batch and for the outputs", `HloModule m, is_scheduled=true

%i {
  %i0 = bf16[2048,3072]{1,0:T(8,128)(2,1)} parameter(0)
  %i1 = f32[3072]{0:T(1024)} parameter(1)
  %i2 = f32[2048,3072]{1,0:T(8,128)} convert(%i0)
  %i3 = f32[2048,3072]{1,0:T(8,128)} broadcast(%i1), dimensions={1}
  %i4 = f32[2048,3072]{1,0:T(8,128)} multiply(%i2, %i3)
  ROOT %i5 = bf16[2048,3072]{1,0:T(8,128)(2,1)} convert(%i4)
}

%j {
  %j0 = bf16[2048,8192]{1,0:T(8,128)(2,1)} parameter(0)
  ROOT %j1 = bf16[2048,8192]{1,0:T(8,128)(2,1)} bitcast(%j0)
}

%f {
  %f0 = bf16[2048,8192]{1,0:T(8,128)(2,1)} parameter(0)
  %f1 = f32[3072]{0:T(1024)} parameter(1)
  %f2 = bf16[2048,3072]{1,0:T(8,128)(2,1)} parameter(2)
  %f3 = bf16[8192]{0:T(1024)(128)(2,1)} parameter(3)
  %f4 = bf16[2048,3072]{1,0:T(8,128)(2,1)} fusion(%f2, %f1), kind=kLoop, calls=%i
  %f5 = bf16[2048,8192]{1,0:T(8,128)(2,1)} fusion(%f0), kind=kLoop, calls=%j
  %f6 = bf16[3072,8192]{1,0:T(8,128)(2,1)} convolution(%f4, %f5), dim_labels=fb_io->bf
  %f7 = bf16[3072,8192]{1,0:T(8,128)(2,1)} broadcast(%f3), dimensions={1}
  ROOT %f8 = bf16[3072,8192]{1,0:T(8,128)(2,1)} add(%f6, %f7)
}

ENTRY %main {
  %a = bf16[2048,8192]{1,0:T(8,128)(2,1)} parameter(0)
  %b = f32[3072]{0:T(1024)} parameter(1)
  %c = bf16[2048,3072]{1,0:T(8,128)(2,1)} parameter(2)
  %d = bf16[8192]{0:T(1024)(128)(2,1)} parameter(3)
  ROOT %r = bf16[3072,8192]{1,0:T(8,128)(2,1)} fusion(%a, %b, %c, %d)` + main,
			[]float32{37748736, 786432, 100663296, 786432}, 56623104},
		{"an operand of which a copy is made is read in the order of the copy", `HloModule m, is_scheduled=true

%i {
  %i0 = f32[2048,48,256]{2,1,0:T(8,128)} parameter(0)
  ROOT %i1 = bf16[2048,48,256]{2,0,1:T(8,128)(2,1)} copy(%i0)
}

%j {
  %j0 = f32[48,256,64]{1,2,0:T(8,128)} parameter(0)
  ROOT %j1 = f32[48,256,64]{1,2,0:T(8,128)} bitcast(%j0)
}

%f {
  %f0 = f32[48,256,64]{1,2,0:T(8,128)} parameter(0)
  %f1 = f32[2048,48,256]{2,1,0:T(8,128)} parameter(1)
  %f2 = bf16[2048,48,256]{2,0,1:T(8,128)(2,1)} fusion(%f1), kind=kLoop, calls=%i
  %f3 = f32[48,256,64]{1,2,0:T(8,128)} fusion(%f0), kind=kLoop, calls=%j
  ROOT %f4 = f32[48,2048,64]{1,2,0:T(8,128)} convolution(%f2, %f3), window={size=48 stride=47 lhs_dilate=48}, ` +
			`dim_labels=b0f_0io->0bf
}

ENTRY %main {
  %a = f32[48,256,64]{1,2,0:T(8,128)} parameter(0)
  %b = f32[2048,48,256]{2,1,0:T(8,128)} parameter(1)
  ROOT %r = f32[48,2048,64]{1,2,0:T(8,128)} fusion(%a, %b)` + main,
			[]float32{3145728, 50331648}, 25165824},
		{"one in tiles of packed rows that an inner fusion has in others is read once", `HloModule m, is_scheduled=true

%c {
  %c0 = bf16[2048,2048]{0,1:T(16,128)(2,1)} parameter(0)
  ROOT %c1 = bf16[2048,2048]{0,1:T(8,128)(2,1)} copy(%c0)
}

%i {
  %i0 = bf16[2048,2048]{0,1:T(16,128)(2,1)} parameter(0)
  %i1 = bf16[2048,2048]{0,1:T(8,128)(2,1)} fusion(%i0), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=%c
  ROOT %i2 = bf16[2048,2048]{0,1:T(8,128)(2,1)} bitcast(%i1)
}

%j {
  %j0 = bf16[11008,2048]{1,0:T(8,128)(2,1)} parameter(0)
  ROOT %j1 = bf16[11008,2048]{1,0:T(8,128)(2,1)} bitcast(%j0)
}

%f {
  %f0 = bf16[2048,2048]{0,1:T(16,128)(2,1)} parameter(0)
  %f1 = bf16[11008,2048]{1,0:T(8,128)(2,1)} parameter(1)
  %f2 = bf16[2048,2048]{0,1:T(8,128)(2,1)} fusion(%f0), kind=kLoop, calls=%i
  %f3 = bf16[11008,2048]{1,0:T(8,128)(2,1)} fusion(%f1), kind=kLoop, calls=%j
  ROOT %f4 = bf16[2048,11008]{1,0:T(8,128)(2,1)} convolution(%f2, %f3), dim_labels=fb_oi->bf
}

ENTRY %main {
  %a = bf16[2048,2048]{0,1:T(16,128)(2,1)} parameter(0)
  %b = bf16[11008,2048]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT %r = bf16[2048,11008]{1,0:T(8,128)(2,1)} fusion(%a, %b)` + strings.Replace(main, "33554432", "32715572", 1),
			[]float32{8388608, 50331648}, 50331648},
	} {
		costs, _ := cyclesOf(t, c.text)
		g := costs.v.g
		at := len(g.nodes) - 1
		assert.Equal(t, c.reads, costs.read[g.use0[at]:g.use0[at+1]], c.name)
		assert.Equal(t, c.writes, costs.wrote[g.leaf0[at]], c.name)
	}
}

// A parameter's dimensions are followed through what renames, cuts and reorders them.
func TestFollowingDimensions(t *testing.T) {
	const y, k = "f32[48,384]{1,0:T(8,128)}", "f32[128,384]{1,0:T(8,128)}"
	const x = "f32[48,128]{1,0:T(8,128)}"
	for _, c := range []struct {
		name, param, body string
		want              []int64 // elements that a window of 8 of the batch and all inputs has
	}{
		{"itself", x, "bitcast(%p0)", []int64{8, 128}},
		{"two dimensions become one", "f32[6,8,128]{2,1,0:T(8,128)}", "reshape(%p0)", []int64{1, 8, 128}},
		{"one becomes two", "f32[48,128]{1,0:T(8,128)}", "bitcast(%t)", []int64{8, 128}},
		{"the order changes, the places stay", "f32[128,48]{0,1:T(8,128)}", "bitcast(%p0)", []int64{128, 8}},
		{"transposed", "f32[128,48]{1,0:T(8,128)}", "transpose(%p0), dimensions={1,0}", []int64{128, 8}},
		{"one matrix of several", "f32[5,48,128]{2,1,0:T(8,128)}", "bitcast(%s)", []int64{1, 8, 128}},
		{"a row for all", "f32[128]{0:T(128)}", "broadcast(%p0), dimensions={1}", []int64{128}},
		{"what is mixed is needed whole", "f32[128,48]{1,0:T(8,128)}", "bitcast(%p0)", []int64{128, 48}},
	} {
		text := fused("dim_labels=bf_io->bf", y, "  ROOT %z = "+y+" tanh(%y)", x, k, 32*mib)
		more := ""
		switch {
		case strings.Contains(c.body, "%s"):
			more = "  %c = s32[]{:T(128)} constant(2)\n  %s = f32[1,48,128]{2,1,0:T(8,128)} dynamic-slice(%p0, %c, %c, %c), " +
				"dynamic_slice_sizes={1,48,128}\n"
		case strings.Contains(c.body, "%t"):
			more = "  %t = f32[6,8,128]{2,1,0:T(8,128)} bitcast(%p0)\n"
		}
		text = strings.Replace(text, "%f {\n", "%i {\n  %p0 = "+c.param+" parameter(0)\n"+more+"  ROOT %p1 = "+x+" "+c.body+
			"\n}\n\n%f {\n", 1)
		text = strings.Replace(text, "  %y = ", "  %h = "+x+" fusion(%p), kind=kLoop, calls=%i\n  %y = ", 1)
		text = strings.Replace(text, "convolution(%p,", "convolution(%h,", 1)
		text = strings.Replace(text, "%p = "+x, "%p = "+c.param, 1)
		text = strings.Replace(text, "%a = "+x, "%a = "+c.param, 1)
		w := windowsIn(t, text)
		require.Equal(t, leftOf, w.feeds[0].array, c.name)
		var got []int64
		for d := range w.feeds[0].dims {
			got = append(got, w.feeds[0].dims[d].elements([]int64{8, 128}, w.feeds[0].shape.Dims[d]))
		}
		assert.Equal(t, c.want, got, c.name)
	}
}
