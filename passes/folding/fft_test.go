package folding_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
)

// Dimensions of the products and transposes that libtpu 0.0.51 makes of a Fourier transform, one of each kind, in the
// order of the text.
func TestFourier(t *testing.T) {
	for _, c := range []struct {
		from, to, kind, lengths, want string
	}{
		{"f32[4,256]", "c64[4,129]", "RFFT", "256", "dot[4,256]"},
		{"f32[4,1000]", "c64[4,501]", "RFFT", "1000", "dot[4,1000]"},
		{"f32[4,384]", "c64[4,193]", "RFFT", "384", "dot[4,3,128] transpose[4,128,3] dot[4,128,3] transpose[4,3,128]"},
		{"f32[4,200]", "c64[4,101]", "RFFT", "200", "dot[4,200]"},
		{"f32[4,144]", "c64[4,73]", "RFFT", "144", "dot[4,144]"},
		{"f32[4,96]", "c64[4,49]", "RFFT", "96", "dot[4,3,32] transpose[4,32,3] dot[4,32,3] transpose[4,3,32]"},
		{"f32[4,1568]", "c64[4,785]", "RFFT", "1568", "dot[4,49,32] transpose[4,32,49] dot[4,32,49] transpose[4,49,32]"},
		{"f32[4,32768]", "c64[4,16385]", "RFFT", "32768",
			"dot[4,128,256] transpose[4,256,128] dot[4,256,128] transpose[4,128,256]"},
		{"f32[8,16,32,64]", "c64[8,16,32,33]", "RFFT", "16,32,64", "dot[8,16,32,64] transpose[8,16,33,32] " +
			"dot[8,16,33,32] transpose[8,33,32,16] dot[8,33,32,16] transpose[8,16,32,33]"},
		{"c64[8,16,32,64]", "c64[8,16,32,64]", "IFFT", "16,32,64", "transpose[8,32,64,16] dot[8,32,64,16] " +
			"transpose[8,64,16,32] dot[8,64,16,32] transpose[8,16,32,64] dot[8,16,32,64]"},
		{"c64[8,16,32,33]", "f32[8,16,32,64]", "IRFFT", "16,32,64", "transpose[8,32,33,16] dot[8,32,33,16] " +
			"transpose[8,33,16,32] dot[8,33,16,32] transpose[8,16,32,33] dot[8,16,32,64]"},
		{"f32[4,24576]", "c64[4,12289]", "RFFT", "24576", ""},
		{"f32[4,131072]", "c64[4,65537]", "RFFT", "131072", ""}, // three factors are not modelled
	} {
		m := parse(t, entry("x = "+c.from+" parameter(0)", "ROOT f = "+c.to+" fft(x), fft_type="+c.kind+
			", fft_length={"+c.lengths+"}"))
		s := folding.Simplify(m, target(t, "v5e"))
		var got []string
		for _, in := range s.Module.Entry.Instructions {
			text := in.Opcode.String() + strings.TrimLeft(in.Shape.String(), "fc0123456789")
			text = text[:strings.IndexByte(text, ']')+1]
			if (in.Opcode == hlo.OpDot || in.Opcode == hlo.OpTranspose) && (len(got) == 0 || got[len(got)-1] != text) {
				got = append(got, text)
			}
		}
		var once []string // the parts are made in turn
		for _, x := range got {
			if len(once) < 2 || once[len(once)-2] != x {
				once = append(once, x)
			}
		}
		assert.Equal(t, c.want, strings.Join(once, " "), c.kind, c.lengths)
		assert.Equal(t, c.want != "", s.Applied["fft"] > 0)
		checked(t, s.Module)
	}
}

// Quotients, absolute values, comparisons and sums of complex numbers are those of their parts. Some parts are so large
// that their squares are infinite.
func TestComplexSemantics(t *testing.T) {
	const module = `HloModule m

sum {
  p = c64[] parameter(0)
  q = c64[] parameter(1)
  ROOT s = c64[] add(p, q)
}

ENTRY main {
  a = f32[3,5] parameter(0)
  b = f32[3,5] parameter(1)
  k = f32[] constant(1e25)
  w = f32[3,5] broadcast(k), dimensions={}
  c = f32[3,5] multiply(a, w)
  d = f32[3,5] multiply(b, w)
  x = c64[3,5] complex(a, b)
  y = c64[3,5] complex(d, c)
`
	parts := []string{"r = f32[3,5] real(q)", "i = f32[3,5] imag(q)", "ROOT t = (f32[3,5], f32[3,5]) tuple(r, i)", "}\n"}
	programs := map[string]string{}
	for name, lines := range map[string][]string{
		"quotient":  append([]string{"q = c64[3,5] divide(y, x)"}, parts...),
		"by_large":  {"q = c64[3,5] divide(x, y)", "r = f32[3,5] real(q)", "ROOT m = f32[3,5] multiply(r, w)", "}\n"},
		"by_real":   append([]string{"n = c64[3,5] convert(a)", "q = c64[3,5] divide(y, n)"}, parts...),
		"absolute":  {"ROOT r = f32[3,5] abs(y)", "}\n"},
		"equal":     {"ROOT r = pred[3,5] compare(x, y), direction=EQ", "}\n"},
		"different": {"ROOT r = pred[3,5] compare(x, y), direction=NE", "}\n"},
		"sum": {"z = c64[] constant((1, 2))", "s = c64[5] reduce(x, z), dimensions={0}, to_apply=sum",
			"ROOT r = f32[5] imag(s)", "}\n"},
		"sums": append([]string{"z = c64[] constant((0, 0))",
			"q = c64[3,5] reduce-window(x, z), window={size=3x1 pad=2_0x0_0}, to_apply=sum"}, parts...),
	} {
		programs[name] = module + "  " + strings.Join(lines, "\n  ")
		s := folding.Simplify(parse(t, programs[name]), target(t, "v5e"))
		for _, in := range s.Module.Entry.Instructions {
			assert.NotEqual(t, hlo.C64, in.Shape.DType, name)
		}
	}
	product := strings.Replace(programs["sum"], "add(p, q)", "multiply(p, q)", 1)
	assert.Contains(t, opcodes(folding.Simplify(parse(t, product), target(t, "v5e")).Module), "complex reduce")
	out := semantics(t, programs, "1e-6")
	assert.Equal(t, len(programs), strings.Count(out, " equal\n"), "%s", out)
}

// What is left of complex numbers is taken apart by custom calls.
func TestTakenApart(t *testing.T) {
	m := folding.Simplify(parse(t, entry("z = c64[4,8]{1,0} parameter(0)", "i = f32[4,8]{1,0} imag(z)",
		"r = f32[4,8]{1,0} real(z)", "ROOT w = c64[4,8]{1,0} complex(i, r)")), target(t, "v5e")).Module
	checked(t, m)
	var targets []string
	for _, in := range m.Entry.Instructions {
		if v := in.Attr("custom_call_target"); v != nil {
			targets = append(targets, v.Text)
		}
	}
	assert.Equal(t, []string{`"X64SplitHigh"`, `"X64SplitLow"`, `"X64Combine"`}, targets)
	m = folding.Simplify(parse(t, entry("a = f32[4,8]{1,0} parameter(0)", "ROOT r = f32[4,8]{1,0} real(a)")),
		target(t, "v5e")).Module
	assert.Equal(t, hlo.OpReal, m.Entry.Root.Opcode) // of what is real
}

// What is computed of complex arrays is computed of their parts.
func TestComplex(t *testing.T) {
	const a, b = "a = f32[4,8]{1,0} parameter(0)", "b = f32[4,8]{1,0} parameter(1)"
	const z = "z = c64[4,8]{1,0} complex(a, b)"
	for _, c := range []struct {
		text []string
		want string
	}{
		{[]string{a, b, z, "ROOT r = f32[4,8]{1,0} imag(z)"}, ""},
		{[]string{a, b, z, "n = c64[4,8]{1,0} negate(z)", "t = c64[8,4]{1,0} transpose(n), dimensions={1,0}",
			"ROOT r = f32[8,4]{1,0} real(t)"}, "negate transpose{1,0}"},
		{[]string{a, b, z, "p = c64[4,8]{1,0} multiply(z, z)", "ROOT r = f32[4,8]{1,0} real(p)"},
			"multiply multiply subtract"},
		{[]string{a, b, z, "d = c64[4,4]{1,0} dot(z, z), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
			"ROOT r = f32[4,4]{1,0} real(d)"}, "add dot{1}{1} dot{1}{1} subtract"},
		{[]string{a, b, z, "ROOT r = f32[4,8]{1,0} abs(z)"}, "abs abs maximum minimum divide broadcast multiply " +
			"add sqrt multiply compare select"},
		{[]string{a, b, z, "m = f32[4,8]{1,0} abs(z)", "ROOT r = f32[4,8]{1,0} multiply(m, m)"}, "abs abs maximum " +
			"minimum divide broadcast multiply add sqrt multiply compare select multiply"},
		{[]string{a, b, z, "w = c64[4,8]{1,0} complex(b, a)", "ROOT r = pred[4,8]{1,0} compare(z, w), direction=EQ"},
			"compare compare and"},
		{[]string{a, b, z, "w = c64[4,8]{1,0} complex(b, a)", "ROOT r = pred[4,8]{1,0} compare(z, w), direction=NE"},
			"compare compare or"},
		{[]string{a, b, z, "d = f32[4,8]{1,0} parameter(2)", "e = f32[4,8]{1,0} parameter(3)",
			"w = c64[4,8]{1,0} complex(d, e)", "q = c64[4,8]{1,0} divide(z, w)", "ROOT r = f32[4,8]{1,0} real(q)"},
			"abs abs compare select select divide broadcast multiply add multiply add select divide multiply add multiply add " +
				"select broadcast compare compare and compare broadcast broadcast sign multiply select multiply select"},
		{[]string{a, "z = c64[4,8]{1,0} convert(a)", "ROOT r = f32[4,8]{1,0} real(z)"}, ""},
		{[]string{"k = c64[] constant((2, -3))", "w = c64[4,8]{1,0} broadcast(k), dimensions={}",
			"ROOT r = f32[4,8]{1,0} imag(w)"}, "broadcast"},
		{[]string{a, b, z, "ROOT e = c64[4,8]{1,0} exponential(z)"}, "complex exponential"},
	} {
		s := folding.Simplify(parse(t, entry(c.text...)), target(t, "v5e"))
		for _, in := range s.Module.Entry.Instructions { // the larger part of a divisor divides the smaller one
			if in.Opcode == hlo.OpCompare && in.Operands[0].Opcode == hlo.OpAbs {
				assert.Equal(t, "LT", in.Attr("direction").Text)
			}
		}
		assert.Equal(t, c.want, opcodes(s.Module), c.text)
		checked(t, s.Module)
	}
}
