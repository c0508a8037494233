package folding_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
	"hlolayout/printer"
)

const rowsByColumns = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"

// exchanged are products on v6e and v7x: what the compiler leaves of each, as a probe of each shows.
var exchanged = map[string]struct{ entry, want string }{
	"parameter": {`
  ROOT d = f32[6,7]{1,0} dot(w, y)` + rowsByColumns, "add dot{0}{1} transpose{1,0}"},
	"precision": {`
  ROOT d = f32[6,7]{1,0} dot(w, y)` + rowsByColumns + ", operand_precision={highest,high}",
		"add dot{0}{1} transpose{1,0}"},
	"batch": {`
  v = f32[5,6,8]{2,1,0} parameter(2)
  z = f32[5,8,7]{2,1,0} broadcast(y), dimensions={1,2}
  u = f32[5,8,7]{2,1,0} parameter(3)
  s = f32[5,8,7]{2,1,0} add(z, u)
  ROOT d = f32[5,6,7]{2,1,0} dot(v, s), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, ` +
		"rhs_contracting_dims={1}",
		"add broadcast{1,2} add dot{1}{2} transpose{0,2,1}"},
	"dimensions": {`
  v = f32[3,2,8]{2,1,0} parameter(2)
  ROOT d = f32[3,2,7]{2,1,0} dot(v, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}`,
		"add dot{0}{2} transpose{1,2,0}"},
	"slice": {`
  v = f32[9,8]{1,0} parameter(2)
  s = f32[6,8]{1,0} slice(v), slice={[2:8], [0:8]}
  u = f32[6,8]{1,0} sine(s)
  ROOT d = f32[6,7]{1,0} dot(u, y)` + rowsByColumns, "add slice sine dot{0}{1} transpose{1,0}"},
	"two": {`
  v = f32[6,8]{1,0} parameter(2)
  u = f32[6,8]{1,0} multiply(w, v)
  ROOT d = f32[6,7]{1,0} dot(u, y)` + rowsByColumns, "add multiply dot{1}{0}"},
	"computed place": {`
  v = f32[9,8]{1,0} parameter(2)
  i = s32[] parameter(3)
  u = f32[6,8]{1,0} dynamic-slice(v, i, i), dynamic_slice_sizes={6,8}
  ROOT d = f32[6,7]{1,0} dot(u, y)` + rowsByColumns, "add dynamic-slice dot{1}{0}"},
	"cut": {`
  v = f32[12,8]{1,0} parameter(2)
  c = (f32[6,8]{1,0}, f32[8,7]{1,0}) custom-call(v, x), custom_call_target="xla.sdy.GlobalToLocalShape"
  u = f32[6,8]{1,0} get-tuple-element(c), index=0
  ROOT d = f32[6,7]{1,0} dot(u, y)` + rowsByColumns, "add custom-call get-tuple-element dot{0}{1} transpose{1,0}"},
	"cut, computed": {`
  v = f32[12,8]{1,0} parameter(2)
  w2 = f32[12,8]{1,0} add(v, v)
  c = (f32[6,8]{1,0}, f32[8,7]{1,0}) custom-call(w2, x), custom_call_target="xla.sdy.GlobalToLocalShape"
  u = f32[6,8]{1,0} get-tuple-element(c), index=0
  ROOT d = f32[6,7]{1,0} dot(u, y)` + rowsByColumns, "add add custom-call get-tuple-element dot{1}{0}"},
	"both": {`
  u = f32[8,7]{1,0} sine(x)
  ROOT d = f32[6,7]{1,0} dot(w, u)` + rowsByColumns, "sine dot{1}{0}"},
	"transposed": {`
  d = f32[6,7]{1,0} dot(w, y)` + rowsByColumns + `
  ROOT t = f32[7,6]{1,0} transpose(d), dimensions={1,0}`, "add dot{0}{1}"},
	"transposed, on the right": {`
  v = f32[7,8]{1,0} parameter(2)
  u = f32[7,8]{1,0} multiply(v, v)
  d = f32[7,6]{1,0} dot(u, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT t = f32[6,7]{1,0} transpose(d), dimensions={1,0}`, "multiply dot{1}{1} transpose{1,0}"},
	"transposed, both": {`
  d = f32[6,7]{1,0} dot(w, x)` + rowsByColumns + `
  ROOT t = f32[7,6]{1,0} transpose(d), dimensions={1,0}`, "dot{0}{1}"},
	"transposed, none": {`
  v = f32[6,8]{1,0} multiply(w, w)
  d = f32[6,7]{1,0} dot(v, y)` + rowsByColumns + `
  ROOT t = f32[7,6]{1,0} transpose(d), dimensions={1,0}`, "add multiply dot{0}{1}"},
}

// exchangedProgram returns a program with an entry of exchanged.
func exchangedProgram(entry string) string {
	return program("\n  w = f32[6,8]{1,0} parameter(0)\n  x = f32[8,7]{1,0} parameter(1)\n" +
		"  y = f32[8,7]{1,0} add(x, x)" + entry)
}

// A parameter, and what is computed of one by operations of one operand, is the right operand of a product on v6e and
// v7x, and stays where it is on the others.
func TestParametersOnTheRight(t *testing.T) {
	for name, c := range exchanged {
		for _, tpu := range []string{"v6e", "v7x"} {
			s := folding.Simplify(parse(t, exchangedProgram(c.entry)), target(t, tpu))
			checked(t, s.Module)
			assert.Equal(t, c.want, opcodes(s.Module), "%s %s", name, tpu)
		}
	}
	for _, tpu := range []string{"v2", "v3", "v4", "v5e", "v5p"} {
		s := folding.Simplify(parse(t, exchangedProgram(exchanged["parameter"].entry)), target(t, tpu))
		assert.Equal(t, "add dot{1}{0}", opcodes(s.Module), tpu)
	}
	s := folding.Simplify(parse(t, exchangedProgram(exchanged["precision"].entry)), target(t, "v6e"))
	assert.Contains(t, printer.Print(s.Module), "operand_precision={high,highest}")
}

// What is called late has its own parameters, of which the compiler sees nothing but that.
func TestParametersOfLateCalls(t *testing.T) {
	var body strings.Builder
	body.WriteString("f {\n  w = f32[6,8]{1,0} parameter(0)\n  x = f32[8,7]{1,0} parameter(1)\n" +
		"  y = f32[8,7]{1,0} add(x, x)\n")
	before := "y"
	for _, name := range strings.Split("abcefghijklmnopqrstuv", "") {
		body.WriteString("  " + name + " = f32[8,7]{1,0} add(" + before + ", x)\n")
		before = name
	}
	body.WriteString("  ROOT d = f32[6,7]{1,0} dot(w, " + before + ")" + rowsByColumns + "\n}\n\n")
	text := "HloModule m\n\n" + body.String() + `ENTRY main {
  p = f32[6,8]{1,0} parameter(0)
  q = f32[8,7]{1,0} parameter(1)
  o = f32[6,8]{1,0} multiply(p, p)
  e = f32[6,7]{1,0} call(o, q), to_apply=f
  n = f32[6,7]{1,0} call(p, q), to_apply=f
  ROOT r = (f32[6,7]{1,0}, f32[6,7]{1,0}) tuple(e, n)
}
`
	s := folding.Simplify(parse(t, text), target(t, "v6e"))
	assert.Equal(t, 2, s.Applied["parameter-right"])
	s = folding.Simplify(parse(t, strings.ReplaceAll(text, "  n = f32[6,7]{1,0} call(p, q), to_apply=f\n",
		"  n = f32[6,7]{1,0} multiply(e, e)\n")), target(t, "v6e"))
	assert.Zero(t, s.Applied["parameter-right"]) // called once: there from the start
}

// TestExchangedComputesTheSame runs them on XLA's CPU backend before and after. It skips without XLA.
func TestExchangedComputesTheSame(t *testing.T) {
	programs := map[string]string{}
	for name, c := range exchanged {
		if strings.Contains(c.entry, "custom-call") {
			continue // the partitioner takes them away
		}
		programs[strings.ReplaceAll(name, ",", "")] = exchangedProgram(c.entry)
	}
	out := semanticsFor(t, "v6e", programs, "1e-5")
	assert.Equal(t, len(programs), strings.Count(out, " equal\n"), "%s", out)
}
