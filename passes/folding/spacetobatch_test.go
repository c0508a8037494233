package folding_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
	"hlolayout/tpu"
)

// A convolution of two images of libtpu 0.0.51 for all generations: from v4 on it is divided.
func TestTargetsThatDivideImages(t *testing.T) {
	const text = "x = f32[2,64,64,16] parameter(0)\n  k = f32[3,3,16,32] parameter(1)\n  ROOT c = f32[2,64,64,32] " +
		"convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"
	for _, name := range tpu.Names() {
		s := folding.Simplify(parse(t, entry(text)), target(t, name))
		assert.Equal(t, name != "v2" && name != "v3", s.Applied["space-to-batch"] > 0, name)
	}
}

// Dimensions of the arrays of a convolution of few images, as libtpu 0.0.51 makes them for v5e.
func TestSpaceToBatch(t *testing.T) {
	const relu = "z = f32[] constant(0)\n  b = f32[4,32,32,64] broadcast(z), dimensions={}\n  " +
		"m = f32[4,32,32,64] maximum(c, b)\n  "
	for _, c := range []struct {
		name, text, want string
	}{
		{"borders", "x = f32[4,128,128,3] parameter(0)\n  k = f32[3,3,3,12] parameter(1)\n  ROOT c = f32[4,128,128,12] " +
			"convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
			"pad[128,4,136,3] concatenate[128,4,8,19,3] convolution[128,32,17,12]"},
		{"a word alone in the window", "x = f32[4,128,128,3] parameter(0)\n  k = f32[3,3,3,12] parameter(1)\n  " +
			"ROOT c = f32[4,128,128,12] convolution(x, k), window={size size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
			"pad[128,4,136,3] concatenate[128,4,8,19,3] convolution[128,32,17,12]"},
		{"eight images", "x = f32[8,128,128,3] parameter(0)\n  k = f32[3,3,3,12] parameter(1)\n  " +
			"ROOT c = f32[8,128,128,12] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
			"convolution[8,128,128,12]"},
		{"one dimension", "x = f32[4,1,16000] parameter(0)\n  k = f32[64,1,400] parameter(1)\n  ROOT c = f32[4,64,98] " +
			"convolution(x, k), window={size=400 stride=160}, dim_labels=bf0_oi0->bf0",
			"pad[1,4,16640] concatenate[1,4,8,2479] convolution[32,13,64]"},
		{"features first", "x = f32[6,1,480,640] parameter(0)\n  k = f32[1,1,3,3] parameter(1)\n  " +
			"ROOT c = f32[6,1,480,640] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01",
			"pad[1,480,6,648] concatenate[1,480,6,8,83] convolution[480,48,81,1]"},
		{"chain", "x = f32[4,64,64,32] parameter(0)\n  k = f32[3,3,32,64] parameter(1)\n  c = f32[4,32,32,64] " +
			"convolution(x, k), window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_01io->b01f\n  " + relu +
			"l = f32[3,3,64,64] parameter(2)\n  ROOT d = f32[4,32,32,64] convolution(m, l), window={size=3x3 pad=1_1x1_1}, " +
			"dim_labels=b01f_01io->b01f",
			"pad[64,4,80,32] concatenate[64,4,8,12,32] convolution[32,32,5,64] maximum[32,32,5,64] " +
				"concatenate[32,4,8,7,64] convolution[32,32,5,64]"},
		{"reduced", "x = f32[4,64,64,64] parameter(0)\n  k = f32[3,1,64,64] parameter(1)\n  c = f32[4,64,64,64] " +
			"convolution(x, k), window={size=3x1 pad=1_1x0_0}, dim_labels=b01f_01io->b01f\n  z = f32[] constant(0)\n  " +
			"ROOT r = f32[4,64] reduce(c, z), dimensions={1,2}, to_apply=add",
			"convolution[64,32,8,64] reduce[32,64] reduce[4,64]"},
		{"refined", "x = f32[2,32,64,64,1] parameter(0)\n  k = f32[3,3,3,1,16] parameter(1)\n  c = f32[2,32,64,64,16] " +
			"convolution(x, k), window={size=3x3x3 pad=1_1x1_1x1_1}, dim_labels=b012f_012io->b012f\n  " +
			"l = f32[3,3,3,16,32] parameter(2)\n  ROOT d = f32[2,16,32,32,32] convolution(c, l), window={size=3x3x3 " +
			"stride=2x2x2 pad=0_1x0_1x0_1}, dim_labels=b012f_012io->b012f",
			"pad[32,64,2,72,1] concatenate[32,64,2,8,11,1] convolution[32,64,16,9,16] " +
				"concatenate[32,64,2,8,10,16] convolution[16,32,16,4,32]"},
		{"point", "x = f32[4,64,64,32] parameter(0)\n  k = f32[1,1,32,64] parameter(1)\n  ROOT c = f32[4,64,64,64] " +
			"convolution(x, k), window={size=1x1}, dim_labels=b01f_01io->b01f", "convolution[64,32,8,64]"},
		{"small point", "x = f32[4,12,12,32] parameter(0)\n  k = f32[1,1,32,64] parameter(1)\n  ROOT c = f32[4,12,12,64] " +
			"convolution(x, k), window={size=1x1}, dim_labels=b01f_01io->b01f", "convolution[4,12,12,64]"},
		{"least", "x = f32[4,14,14,32] parameter(0)\n  k = f32[3,3,32,64] parameter(1)\n  ROOT c = f32[4,14,14,64] " +
			"convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
			"pad[14,4,16,32] concatenate[14,4,8,4,32] convolution[14,32,2,64]"},
		{"eleven", "x = f32[4,128,128,3] parameter(0)\n  k = f32[11,11,3,12] parameter(1)\n  ROOT c = f32[4,128,128,12] " +
			"convolution(x, k), window={size=11x11 pad=5_5x5_5}, dim_labels=b01f_01io->b01f",
			"pad[128,4,144,3] concatenate[128,4,8,28,3] convolution[128,32,18,12]"},
		{"small", "x = f32[4,12,12,32] parameter(0)\n  k = f32[3,3,32,64] parameter(1)\n  ROOT c = f32[4,12,12,64] " +
			"convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "convolution[4,12,12,64]"},
		{"backward", "x = f32[4,64,64,32] parameter(0)\n  g = f32[4,64,64,64] parameter(1)\n  ROOT c = f32[3,3,32,64] " +
			"convolution(x, g), window={size=64x64 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf", "convolution[3,3,32,64]"},
	} {
		m := parse(t, "HloModule m\n\nadd {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT s = "+
			"f32[] add(p, q)\n}\n\n"+entry(c.text)[len("HloModule m\n\n"):])
		s := folding.Simplify(m, target(t, "v5e"))
		var got []string
		for _, in := range s.Module.Entry.Instructions {
			text := strings.TrimPrefix(in.Shape.String(), "f32")
			text = text[:strings.IndexByte(text, ']')+1]
			switch in.Opcode {
			case hlo.OpConvolution, hlo.OpConcatenate, hlo.OpMaximum, hlo.OpReduce:
				got = append(got, in.Opcode.String()+text)
			case hlo.OpPad:
				if in.Shape.Rank() == m.Entry.Parameters()[0].Shape.Rank() {
					got = append(got, in.Opcode.String()+text)
				}
			}
		}
		assert.Equal(t, c.want, strings.Join(got, " "), c.name)
		checked(t, s.Module)
	}
}

// dividedModules are the modules of testdata/divided.txt with the arrays that libtpu 0.0.51 makes of each for v5e.
func dividedModules(t *testing.T) (texts, wants map[string]string) {
	t.Helper()
	all, err := os.ReadFile("testdata/divided.txt")
	require.NoError(t, err)
	texts, wants = map[string]string{}, map[string]string{}
	for part := range strings.SplitSeq("\n"+string(all), "\n// ") {
		if head, text, ok := strings.Cut(part, "\n"); ok && strings.HasPrefix(text, "HloModule") {
			module := strings.Fields(text)[1]
			texts[module], wants[module] = text, head
		}
	}
	return texts, wants
}

// What reads divided images follows, or joins their parts.
func TestFollowing(t *testing.T) {
	texts, wants := dividedModules(t)
	require.NotEmpty(t, texts)
	listed := []hlo.Opcode{hlo.OpConvolution, hlo.OpConcatenate, hlo.OpMaximum, hlo.OpReduce, hlo.OpReduceWindow,
		hlo.OpSelectAndScatter}
	for name, text := range texts {
		s := folding.Simplify(parse(t, text), target(t, "v5e"))
		var got []string
		for _, in := range s.Module.Entry.Instructions {
			if slices.Contains(listed, in.Opcode) {
				_, dims, _ := strings.Cut(in.Shape.String(), "[")
				got = append(got, in.Opcode.String()+"["+dims[:strings.IndexByte(dims, ']')+1])
			}
		}
		slices.Sort(got)
		assert.Equal(t, wants[name], strings.Join(got, " "), name)
		checked(t, s.Module)
	}
}

// Of convolutions one after the other before a custom call the first one divides its images from four on, and the
// others follow it (libtpu 0.0.51 for v5e, 1 to 5).
func TestDividedBeforeCalls(t *testing.T) {
	for n, want := range []int64{2, 2, 2, 20, 20} {
		text := "k = f32[3,3,4,4] parameter(1)\n  c0 = f32[2,20,20,4] parameter(0)"
		for i := range n + 1 {
			text += fmt.Sprintf("\n  c%d = f32[2,20,20,4] convolution(c%d, k), window={size=3x3 pad=1_1x1_1}, "+
				"dim_labels=b01f_01io->b01f", i+1, i)
		}
		text += fmt.Sprintf("\n  ROOT r = f32[2,20,20,4] custom-call(c%d), custom_call_target=\"f\"", n+1)
		s := folding.Simplify(parse(t, entry(text)), target(t, "v5e"))
		count := 0
		for _, in := range s.Module.Entry.Instructions {
			if in.Opcode == hlo.OpConvolution {
				assert.Equal(t, want, in.Shape.Dims[0], n+1)
				count++
			}
		}
		assert.Equal(t, n+1, count)
	}
}

// Products in place of the other convolutions count like these (libtpu 0.0.51 for v5e, 1 to 3).
func TestDividedBeforeProductsAndCalls(t *testing.T) {
	for n, want := range []int64{2, 2, 20} {
		text := "x = f32[2,20,20,4] parameter(0)\n  k = f32[3,3,4,4] parameter(1)\n  w = f32[4,4] parameter(2)\n" +
			"  d0 = f32[2,20,20,4] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"
		for i := range n + 1 {
			text += fmt.Sprintf("\n  e%d = f32[2,20,20,4] tanh(d%[1]d)\n  d%d = f32[2,20,20,4] dot(e%[1]d, w), "+
				"lhs_contracting_dims={3}, rhs_contracting_dims={0}", i, i+1)
		}
		text += fmt.Sprintf("\n  ROOT r = f32[2,20,20,4] custom-call(d%d), custom_call_target=\"f\"", n+1)
		s := folding.Simplify(parse(t, entry(text)), target(t, "v5e"))
		i := slices.IndexFunc(s.Module.Entry.Instructions, func(in *hlo.Instruction) bool {
			return in.Opcode == hlo.OpConvolution
		})
		assert.Equal(t, want, s.Module.Entry.Instructions[i].Shape.Dims[0], n+1)
	}
}

// What is joined for a reader is the array that it was, with its layout. What is divided to the end is none.
func TestJoinedPartsAreTheArray(t *testing.T) {
	const text = "x = f32[4,128,128,3] parameter(0)\n  k = f32[3,3,3,16] parameter(1)\n  c = f32[4,128,128,16] " +
		"convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n  e = f32[4,128,128,16] " +
		"exponential(c)\n  ROOT s = f32[4,128,128,16] sort(e), dimensions={3}, to_apply=less"
	m := parse(t, strings.Replace(entry(text), "ENTRY", "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  "+
		"ROOT l = pred[] compare(a, b), direction=LT\n}\n\nENTRY", 1))
	s := folding.Simplify(m, target(t, "v5e"))
	require.Positive(t, s.Applied["space-to-batch"])
	e := s.Of(m.Entry.Instruction("e"))
	require.NotNil(t, e)
	assert.Equal(t, []int64{4, 128, 128, 16}, e.Shape.Dims)
	assert.Same(t, s.Of(m.Entry.Instruction("s")).Operands[0], e)
	assert.Nil(t, s.Of(m.Entry.Instruction("c")))
}

// padded are convolutions of images whose parts have more elements than the images: what reads them must find zeros.
const padded = `
  x = f32[2,9,30,3]{3,2,1,0} parameter(0)
  k = f32[3,3,3,4]{3,2,1,0} parameter(1)
  l = f32[3,3,4,4]{3,2,1,0} parameter(2)
  c = f32[2,9,30,4]{3,2,1,0} convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  e = f32[2,9,30,4]{3,2,1,0} exponential(c)
  d = f32[2,9,30,4]{3,2,1,0} convolution(e, l), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  z = f32[] constant(0)
  r = f32[2,4]{1,0} reduce(e, z), dimensions={1,2}, to_apply=add
  s = f32[2,4]{1,0} reduce(c, z), dimensions={1,2}, to_apply=add
  ROOT t = (f32[2,9,30,4]{3,2,1,0}, f32[2,4]{1,0}, f32[2,4]{1,0}) tuple(d, r, s)`

// The first convolution's result and the exponential's are blanked, each once for its two readers.
func TestDividedImagesAreBlanked(t *testing.T) {
	s := folding.Simplify(parse(t, program(padded)), target(t, "v5e"))
	assert.Equal(t, 2, strings.Count(opcodes(s.Module), "select"))
	checked(t, s.Module)
}

// TestDividedImagesComputeTheSame runs them on XLA's CPU backend before and after. It skips without XLA.
func TestDividedImagesComputeTheSame(t *testing.T) {
	texts, _ := dividedModules(t)
	texts["padded"] = program(padded)
	assert.Equal(t, len(texts), strings.Count(semantics(t, texts, "1e-4"), " equal\n"))
}
