package fit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo/stage"
	"hlolayout/parser"
	"hlolayout/passes"
	"hlolayout/passes/fit"
	"hlolayout/passes/folding"
	"hlolayout/tpu"
)

// temporaries returns how many arrays of a million rows and 1024 columns of bf16 the temporaries of a program take.
func temporaries(t *testing.T, lines ...string) float64 {
	return float64(predicted(t, lines...).Stats.Temp) / (1 << 31)
}

// predicted returns what a program is predicted to hold.
func predicted(t *testing.T, lines ...string) *fit.Program {
	text := "HloModule m\n\nsum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = f32[] add(x, y)\n}\n\n" +
		"less {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = pred[] compare(x, y), direction=LT\n}\n\n" +
		"ENTRY main {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
	m, err := parser.Parse("m.hlo", text)
	require.NoError(t, err, text)
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	at := stage.Of(m)
	m = folding.Prepare(m, at, v5e).Module
	_, err = passes.Run(m, v5e, []string{passes.Auto}, passes.Options{}, passes.Observer{})
	require.NoError(t, err)
	folding.Predict(m, at)
	return fit.Foreseen(m, v5e)
}

// What padding makes 32 times as large, and the prediction has without it, is in the bounds: 8 GiB of 256 MiB.
func TestDoubt(t *testing.T) {
	const rows, in = "f32[16777216,4]", "x = f32[67108864] parameter(0)"
	of := func(lines ...string) (bound, most float64) {
		p := predicted(t, append([]string{"zero = f32[] constant(0)"}, lines...)...)
		return float64(p.Bound()) / (1 << 30), float64(p.HBM().Most) / (1 << 30)
	}
	for name, lines := range map[string][]string{
		"a reshape": {in, "r = " + rows + " reshape(x)", "n = " + rows + " negate(r)",
			"ROOT c = f32[4] reduce(n, zero), dimensions={0}, to_apply=sum"},
		"a sort": {in, "r = f32[2097152,8,4] reshape(x)", "s = f32[2097152,8,4] sort(r), dimensions={1}, to_apply=less",
			"ROOT c = f32[8,4] reduce(s, zero), dimensions={0}, to_apply=sum"},
	} {
		bound, most := of(lines...)
		assert.InDelta(t, 8.1, bound, 0.1, name)
		assert.Greater(t, most, 8.2, name)
	}
	bound, _ := of("x = f32[16777216,128] parameter(0)", "n = f32[16777216,128] negate(x)",
		"ROOT c = f32[128] reduce(n, zero), dimensions={0}, to_apply=sum")
	assert.Less(t, bound, 0.2, "nothing is padded")
}

const matmul = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"

// Of a chain of products the last two are one where their matrices are small: the compiler keeps what is between them
// nowhere.
func TestChains(t *testing.T) {
	layers := func(widths ...int) (lines []string) {
		lines = []string{fmt.Sprintf("x.0 = bf16[1048576,%d] parameter(0)", widths[0]), "zero = bf16[] constant(0)"}
		for i, to := range widths[1:] {
			root := map[bool]string{true: "ROOT "}[i == len(widths)-2]
			wide := fmt.Sprintf("bf16[1048576,%d]", to)
			lines = append(lines, fmt.Sprintf("w.%d = bf16[%d,%d] parameter(%d)", i, widths[i], to, i+1),
				fmt.Sprintf("d.%d = %s dot(x.%d, w.%d), %s", i, wide, i, i, matmul),
				fmt.Sprintf("z.%d = %s broadcast(zero), dimensions={}", i, wide),
				fmt.Sprintf("%sx.%d = %s maximum(d.%d, z.%d)", root, i+1, wide, i, i))
		}
		return lines
	}
	assert.InDelta(t, 0, temporaries(t, layers(1024, 2048, 1024)...), 0.01)
	assert.InDelta(t, 1, temporaries(t, layers(512, 1024, 2048, 1024)...), 0.01, "the first of three is kept")
	assert.InDelta(t, 4, temporaries(t, layers(2048, 4096, 2048)...), 0.01, "matrices of 16 MiB are too large")
}

// What frees memory runs first: each sum comes before the product after the next, though the program has the sums at
// its end, and its result names the products first. What a barrier holds back is not made before.
func TestListed(t *testing.T) {
	lines := []string{"x.0 = bf16[1048576,4096] parameter(0)", "w.0 = bf16[4096,8192] parameter(1)",
		"w.1 = bf16[8192,4096] parameter(2)", "zero = bf16[] constant(0)"}
	const layers, pair = 6, "(bf16[1048576,4096], bf16[1048576])"
	results, shapes := fmt.Sprint("x.", layers), "bf16[1048576,4096]"
	for i := range layers {
		lines = append(lines, fmt.Sprintf("x.%d = bf16[1048576,%d] dot(x.%d, w.%d), %s", i+1, 4096*(2-i%2), i, i%2,
			matmul))
	}
	for i := range layers {
		lines = append(lines, fmt.Sprintf("r.%d = bf16[1048576] reduce(x.%d, zero), dimensions={1}, to_apply=sum", i, i+1))
		results += fmt.Sprint(", r.", i)
		shapes += ", bf16[1048576]"
	}
	for i := range layers {
		lines = append(lines, fmt.Sprintf("t.%d = %s tuple(x.0, r.%d)", i, pair, layers-1),
			fmt.Sprintf("b.%d = %s opt-barrier(t.%d)", i, pair, i),
			fmt.Sprintf("g.%d = bf16[1048576,4096] get-tuple-element(b.%d), index=0", i, i),
			fmt.Sprintf("s.%d = bf16[1048576,4096] sort(g.%d), dimensions={1}, to_apply=less", i, i),
			fmt.Sprintf("m.%d = bf16[1048576] get-tuple-element(b.%d), index=1", i, i),
			fmt.Sprintf("c.%d = bf16[1048576,4096] broadcast(m.%d), dimensions={0}", i, i),
			fmt.Sprintf("k.%d = bf16[1048576,4096] multiply(s.%d, c.%d)", i, i, i),
			fmt.Sprintf("q.%d = bf16[1048576] reduce(k.%d, zero), dimensions={1}, to_apply=sum", i, i))
		results += fmt.Sprint(", q.", i)
		shapes += ", bf16[1048576]"
	}
	lines = append(lines, fmt.Sprintf("ROOT out = (%s) tuple(%s)", shapes, results))
	assert.InDelta(t, 12, temporaries(t, lines...), 0.1)
}

// A converted array that several read is kept as it was before. What a product is added to is kept too, also where the
// product is transposed in between.
func TestKeptOrComputedAgain(t *testing.T) {
	const wide, half = "f32[1048576,1024]", "bf16[1048576,1024]"
	assert.InDelta(t, 1, temporaries(t, "p = "+half+" parameter(0)", "w = bf16[1024,1024] parameter(1)",
		"zero = f32[] constant(0)", "d = "+half+" dot(p, w), "+matmul, "s = "+wide+" convert(d)",
		"r.0 = f32[1048576] reduce(s, zero), dimensions={1}, to_apply=sum", "c = "+wide+" broadcast(r.0), dimensions={0}",
		"e = "+wide+" exponential(c)", "k = "+wide+" multiply(s, e)",
		"ROOT r = f32[1048576] reduce(k, zero), dimensions={1}, to_apply=sum"), 0.1)
	const cube = "bf16[1024,1024,1024]"
	lines := []string{"s.0 = " + cube + " parameter(0)", "zero = bf16[] constant(0)"}
	for i := range 5 {
		for _, l := range []string{"w.%d = bf16[1024,1024] parameter(%d)",
			"a.%d = bf16[1024,1024] reduce(s.%[1]d, zero), dimensions={2}, to_apply=sum",
			"b.%d = " + cube + " broadcast(a.%[1]d), dimensions={0,1}", "m.%d = " + cube + " multiply(s.%[1]d, b.%[1]d)",
			"h.%d = " + cube + " transpose(m.%[1]d), dimensions={0,2,1}",
			"d.%d = " + cube + " dot(h.%[1]d, w.%[1]d), lhs_contracting_dims={2}, rhs_contracting_dims={0}",
			"v.%d = " + cube + " transpose(d.%[1]d), dimensions={0,2,1}", "s.%[2]d = " + cube + " add(s.%[1]d, v.%[1]d)"} {
			lines = append(lines, fmt.Sprintf(l, i, i+1))
		}
	}
	lines = append(lines, "ROOT r = bf16[1024,1024] reduce(s.5, zero), dimensions={2}, to_apply=sum")
	assert.InDelta(t, 2, temporaries(t, lines...), 0.1)
}
