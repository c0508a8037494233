package folding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
	"hlolayout/printer"
)

// loops are loops that carry f32[4,8], what is given for x and y, with the state that is left and the opcodes of the
// body.
var loops = []struct{ before, body, state, want string }{
	{"x = f32[4,8] broadcast(v), dimensions={0}", "m = f32[4,8] multiply(s, x)", "s32[], f32[4,8], f32[4]",
		"broadcast{0} add multiply tuple"},
	{"e = f32[4] exponential(v)\n  x = f32[4,8] broadcast(e), dimensions={0}", "m = f32[4,8] multiply(s, x)",
		"s32[], f32[4,8], f32[4]", "broadcast{0} add multiply tuple"}, // what broadcasts read is computed before
	{"a = f32[4,8] broadcast(v), dimensions={0}\n  b = f32[4,8] iota(), iota_dimension=1\n  x = f32[4,8] power(b, a)",
		"m = f32[4,8] multiply(s, x)", "s32[], f32[4,8], f32[4]", "iota1 broadcast{0} power add multiply tuple"},
	{"x = f32[4,8] broadcast(v), dimensions={0}, control-predecessors={u}", "m = f32[4,8] multiply(s, x)",
		"s32[], f32[4,8], f32[4,8]", "add multiply tuple"}, // it runs after another
	{"x = f32[4,8] exponential(w)", "m = f32[4,8] multiply(s, x)", "s32[], f32[4,8], f32[4,8]", "add multiply tuple"},
	{"b = f32[4,8] iota(), iota_dimension=1\n  x = f32[4,8] power(b, w)", "m = f32[4,8] multiply(s, x)",
		"s32[], f32[4,8], f32[4,8]", "add multiply tuple"},
	{"x = f32[4,8] broadcast(v), dimensions={0}",
		"d = f32[1,8] slice(x), slice={[1:2], [0:8]}\n  r = f32[8] reshape(d)\n" +
			"  f = f32[4,8] broadcast(r), dimensions={1}\n  m = f32[4,8] multiply(s, f)",
		"s32[], f32[4,8], f32[4,8]", "add slice reshape broadcast{1} multiply tuple"},
	{"x = f32[4,8] negate(w)", "m = f32[4,8] negate(s)", "s32[], f32[4,8]", "add negate tuple"}, // x is not read
}

func loopProgram(before, body string) string {
	const state = "(s32[], f32[4,8], f32[4,8])"
	return `HloModule m
body {
  p = ` + state + ` parameter(0)
  i = s32[] get-tuple-element(p), index=0
  s = f32[4,8] get-tuple-element(p), index=1
  x = f32[4,8] get-tuple-element(p), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ` + body + `
  ROOT t = ` + state + ` tuple(j, m, x)
}
condition {
  p = ` + state + ` parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  u = f32[4,8] parameter(0)
  v = f32[4] parameter(1)
  w = f32[4,8] parameter(2)
  zero = s32[] constant(0)
  ` + before + `
  t = ` + state + ` tuple(zero, u, x)
  l = ` + state + ` while(t), condition=condition, body=body
  ROOT r = f32[4,8] get-tuple-element(l), index=1
}
`
}

// startProgram is a loop that starts with one number everywhere; write is what its body makes of that.
func startProgram(write string) string {
	const before = "x = f32[4,8] broadcast(v), dimensions={0}\n  two = f32[] constant(2)\n" +
		"  start = f32[4,8] broadcast(two), dimensions={}"
	return strings.Replace(loopProgram(before, write), "tuple(zero, u, x)", "tuple(zero, start, x)", 1)
}

const multiplied = "m = f32[4,8] multiply(s, x)"

// What a loop starts with is taken in its first run, unless its body writes into that, or runs who knows how often.
func TestLoopStart(t *testing.T) {
	const row = "r = f32[1,8] slice(x), slice={[1:2], [0:8]}\n  z = s32[] constant(0)\n" +
		"  m = f32[4,8] dynamic-update-slice(s, r, i, z)"
	const zero = "zero = s32[] constant(0)"
	for program, want := range map[string]string{
		startProgram(multiplied): "compare broadcast broadcast select broadcast{0} add multiply tuple",
		startProgram(row):        "add slice dynamic-update-slice tuple",
		strings.Replace(startProgram(multiplied), zero, "zero = s32[] parameter(3)", 1): "broadcast{0} add multiply tuple",
		strings.ReplaceAll(startProgram(multiplied), "s32", "s64"):                      "broadcast{0} add multiply tuple",
	} {
		m := folding.Simplify(parse(t, program), target(t, "v5e")).Module
		checked(t, m)
		for _, in := range m.Entry.Instructions {
			if in.Opcode == hlo.OpWhile {
				inside := opcodes(&hlo.Module{Entry: in.Called()[1]})
				assert.Equal(t, want, strings.ReplaceAll(inside, "get-tuple-element ", ""), program)
			}
		}
		assert.Equal(t, strings.Contains(want, "select"), strings.Contains(printer.Print(m), "AllocateBuffer"))
	}
}

// numberProgram is a loop that divides by a number that it carries.
func numberProgram() string {
	text := loopProgram("x = f32[] constant(2)", "b = f32[4,8] broadcast(x), dimensions={}\n  m = f32[4,8] divide(s, b)")
	scalar := strings.NewReplacer("f32[4,8], f32[4,8])", "f32[4,8], f32[])", "x = f32[4,8] get", "x = f32[] get")
	return scalar.Replace(text)
}

// A number that a loop carries is a constant in it, so that a quotient is a product.
func TestLoopConstants(t *testing.T) {
	m := folding.Simplify(parse(t, numberProgram()), target(t, "v5e")).Module
	checked(t, m)
	for _, in := range m.Entry.Instructions {
		if in.Opcode == hlo.OpWhile {
			assert.Equal(t, "(s32[], f32[4,8])", string(in.Shape.Append(nil, false)))
			assert.Equal(t, "get-tuple-element get-tuple-element add broadcast multiply tuple",
				opcodes(&hlo.Module{Entry: in.Called()[1]}))
		}
	}
	other := strings.Replace(numberProgram(), "tuple(j, m, x)", "tuple(j, m, k)", 1) // it does not stay the same
	other = strings.Replace(other, "ROOT t = (s32", "k = f32[] negate(x)\n  ROOT t = (s32", 1)
	assert.Contains(t, printer.Print(folding.Simplify(parse(t, other), target(t, "v5e")).Module), "divide")
}

func TestLoops(t *testing.T) {
	for _, c := range loops {
		m := folding.Simplify(parse(t, loopProgram(c.before, c.body)), target(t, "v5e")).Module
		checked(t, m)
		for _, in := range m.Entry.Instructions {
			if in.Opcode != hlo.OpWhile {
				continue
			}
			var state []string
			for _, s := range in.Shape.Elems {
				state = append(state, string(s.Append(nil, false)))
			}
			assert.Equal(t, c.state, strings.Join(state, ", "), c.before)
			inside := &hlo.Module{Entry: in.Called()[1]}
			assert.Equal(t, c.want, strings.ReplaceAll(opcodes(inside), "get-tuple-element ", ""), c.before)
			takes := "" // the name of a loop that takes something in is that of a copy
			if !strings.HasPrefix(c.want, "add") {
				takes = ".clone"
			}
			assert.Equal(t, []string{"condition" + takes, "body" + takes},
				[]string{in.Called()[0].Name, in.Called()[1].Name}, c.before)
		}
	}
	taken := strings.Replace(loopProgram(loops[0].before, loops[0].body), "ENTRY", `body.clone {
  ROOT p = f32[] parameter(0)
}
ENTRY`, 1)
	taken = strings.Replace(taken, "ROOT r =", "m = f32[4,8] map(u), dimensions={0,1}, to_apply=body.clone\n  ROOT r =", 1)
	m := folding.Simplify(parse(t, taken), target(t, "v5e")).Module
	assert.Contains(t, printer.Print(m), "body=body.clone.clone")
	checked(t, m)
}

// A loop that runs once is its body; one that runs twice stays, and so does one that does not say how often it runs.
func TestLoopOnce(t *testing.T) {
	once := onceProgram()
	m := folding.Simplify(parse(t, once), target(t, "v5e")).Module
	checked(t, m)
	assert.Equal(t, "broadcast{0} multiply", opcodes(m))
	const start = "zero = s32[] constant(4)"
	for old, other := range map[string]string{"constant(5)": "constant(6)", start: "zero = s32[] parameter(3)"} {
		require.Contains(t, once, old)
		m := folding.Simplify(parse(t, strings.ReplaceAll(once, old, other)), target(t, "v5e")).Module
		assert.Contains(t, opcodes(m), "while", other)
	}
}

func onceProgram() string {
	const start = "zero = s32[] constant("
	return strings.Replace(loopProgram(loops[0].before, loops[0].body), start+"0", start+"4", 1)
}

// hoists are bodies of loops that read x, f32[4,8], which stays the same, with the opcodes of the entry before the loop
// and of the body.
var hoists = []struct{ body, entry, inside string }{
	{"e = f32[4,8] exponential(x)\n  m = f32[4,8] multiply(s, e)", "exponential", "add multiply"},
	{"a = f32[4,8] exponential(x)\n  e = f32[4,8] cosine(a)\n  m = f32[4,8] multiply(s, e)", "exponential cosine",
		"add multiply"},
	{"e = f32[4,8] reverse(x), dimensions={1}\n  m = f32[4,8] multiply(s, e)", "", "add reverse{1} multiply"}, // not alone
	{"r = f32[4,8] reverse(x), dimensions={1}\n  e = f32[4,8] cosine(r)\n  m = f32[4,8] multiply(s, e)",
		"reverse{1} cosine", "add multiply"},
	{"a = f32[4,8] exponential(x)\n  r = f32[4,8] reverse(a), dimensions={1}\n  e = f32[4,8] cosine(r)\n" +
		"  d = f32[4,8] subtract(r, e)\n  f = f32[4,8] multiply(s, r)\n  m = f32[4,8] multiply(f, d)",
		"exponential reverse{1} cosine subtract", "add reverse{1} multiply multiply"}, // r is read before the loop and in it
	{"h = bf16[4,8] convert(x)\n  e = f32[4,8] convert(h)\n  m = f32[4,8] multiply(s, e)", "convert",
		"add convert multiply"}, // what is larger stays
	{"g = f32[4,8] rng(z, z), distribution=rng_uniform\n  f = f32[4,8] multiply(s, g)\n" +
		"  m = f32[4,8] multiply(f, x)", "", "add rng multiply multiply"},
	{"g = f32[4,8] opt-barrier(x)\n  m = f32[4,8] multiply(s, g)", "", "add opt-barrier multiply"},
	{"e = f32[4,8] exponential(s)\n  m = f32[4,8] multiply(x, e)", "", "add exponential multiply"},
	{"e = f32[4,8] exponential(x), control-predecessors={s}\n  m = f32[4,8] multiply(s, e)", "",
		"add exponential multiply"},
}

// hoistProgram is a loop whose body computes what is given: of x, which stays the same in it, and s, which does not.
func hoistProgram(body string) string {
	if strings.Contains(body, "(z,") {
		body = "z = f32[] constant(0)\n  " + body
	}
	return loopProgram("x = f32[4,8] negate(w)", body)
}

// What stays the same in a loop is computed before it, where it is not larger than what it is computed of.
func TestLoopHoists(t *testing.T) {
	for _, c := range hoists {
		m := folding.Simplify(parse(t, hoistProgram(c.body)), target(t, "v5e")).Module
		checked(t, m)
		entry := strings.TrimSpace(strings.TrimPrefix(strings.Split(opcodes(m), " tuple")[0], "negate"))
		assert.Equal(t, c.entry, strings.TrimSpace(strings.ReplaceAll(entry, "constant", "")), c.body)
		for _, in := range m.Entry.Instructions {
			if in.Opcode == hlo.OpWhile {
				inside := opcodes(&hlo.Module{Entry: in.Called()[1]})
				inside = strings.TrimSuffix(strings.ReplaceAll(inside, "get-tuple-element ", ""), " tuple")
				assert.Equal(t, c.inside, inside, c.body)
			}
		}
	}
}

// sharedProgram is a loop that carries x twice; both stay the same.
func sharedProgram() string {
	text := loopProgram("x = f32[4,8] exponential(w)", "y = f32[4,8] get-tuple-element(p), index=3\n"+
		"  a = f32[4,8] add(s, x)\n  m = f32[4,8] multiply(a, y)")
	return strings.NewReplacer("f32[4,8], f32[4,8])", "f32[4,8], f32[4,8], f32[4,8])", "tuple(j, m, x)",
		"tuple(j, m, x, y)", "tuple(zero, u, x)", "tuple(zero, u, x, x)").Replace(text)
}

// twinProgram is a loop that computes of two elements, which start alike, what it adds up in the end.
func twinProgram() string {
	text := loopProgram("x = f32[4,8] exponential(w)", "y = f32[4,8] get-tuple-element(p), index=3\n"+
		"  m = f32[4,8] multiply(s, x)\n  n = f32[4,8] multiply(y, x)")
	return strings.NewReplacer("f32[4,8], f32[4,8])", "f32[4,8], f32[4,8], f32[4,8])", "tuple(j, m, x)",
		"tuple(j, m, x, n)", "tuple(zero, u, x)", "tuple(zero, u, x, u)", "ROOT r = f32[4,8] get-tuple-element(l), index=1",
		"r = f32[4,8] get-tuple-element(l), index=1\n  q = f32[4,8] get-tuple-element(l), index=3\n"+
			"  ROOT a = f32[4,8] add(r, q)").Replace(text)
}

// takenProgram is a loop that takes in two values that are computed of one.
func takenProgram() string {
	return strings.NewReplacer("exponential(w)", "broadcast(v), dimensions={0}\n  b = f32[4,8] iota(), iota_dimension=1\n"+
		"  o = f32[4,8] power(b, x)",
		"(zero, u, x, x)", "(zero, u, x, o)").Replace(sharedProgram())
}

// countedProgram is twinProgram with what it computes of two counters.
func countedProgram() string {
	text := strings.NewReplacer("m = f32[4,8] multiply(s, x)", "k = s32[] get-tuple-element(p), index=4\n"+
		"  l = s32[] add(k, one)\n  g = f32[] convert(i)\n  h = f32[] convert(k)\n"+
		"  gs = f32[4,8] broadcast(g), dimensions={}\n  hs = f32[4,8] broadcast(h), dimensions={}\n"+
		"  m = f32[4,8] multiply(s, gs)", "multiply(y, x)", "multiply(y, hs)", "tuple(j, m, x, n)", "tuple(j, m, x, n, l)",
		"(zero, u, x, u)", "(zero, u, x, u, zero)", "f32[4,8], f32[4,8], f32[4,8])", "f32[4,8], f32[4,8], f32[4,8], s32[])")
	return text.Replace(twinProgram())
}

// A loop carries once what starts alike and is computed alike, or stays the same; what is computed or starts otherwise
// it carries apart.
func TestLoopShares(t *testing.T) {
	const apart = "(s32[], f32[4,8], f32[4,8], f32[4,8])"
	for program, want := range map[string]string{
		sharedProgram():  "(s32[], f32[4,8], f32[4,8])",
		twinProgram():    "(s32[], f32[4,8], f32[4,8])",
		takenProgram():   "(s32[], f32[4,8], f32[4])",
		countedProgram(): "(s32[], f32[4,8])",
		strings.Replace(twinProgram(), "multiply(y, x)", "add(y, x)", 1):          apart,
		strings.Replace(twinProgram(), "(zero, u, x, u)", "(zero, u, x, w)", 1):   apart,
		strings.Replace(sharedProgram(), "(j, m, x, y)", "(j, m, x, a)", 1):       apart,
		strings.Replace(sharedProgram(), "(zero, u, x, x)", "(zero, u, x, w)", 1): apart,
	} {
		m := folding.Simplify(parse(t, program), target(t, "v5e")).Module
		checked(t, m)
		for _, in := range m.Entry.Instructions {
			if in.Opcode == hlo.OpWhile {
				assert.Equal(t, want, string(in.Shape.Append(nil, false)), program)
			}
		}
	}
}

// lateProgram is twinProgram with two products that are alike once products that sum nothing are multiplied out.
func lateProgram() string {
	return strings.NewReplacer("m = f32[4,8] multiply(s, x)", "rx = f32[4,1] slice(s), slice={[0:4], [2:3]}\n"+
		"  cx = f32[1,8] slice(s), slice={[1:2], [0:8]}\n  r = f32[4] reshape(rx)\n  c = f32[8] reshape(cx)\n"+
		"  o = f32[4,8] dot(r, c)\n  m = f32[4,8] multiply(o, x)", "n = f32[4,8] multiply(y, x)",
		"rs = f32[4,8] broadcast(r), dimensions={0}\n  cs = f32[4,8] broadcast(c), dimensions={1}\n"+
			"  k = f32[4,8] multiply(rs, cs)\n  n = f32[4,8] multiply(k, x)").Replace(twinProgram())
}

// What reads elements that have become alike reads one value.
func TestLoopSharesLate(t *testing.T) {
	m := folding.Simplify(parse(t, lateProgram()), target(t, "v5e")).Module
	checked(t, m)
	sum := m.Entry.Root
	assert.Equal(t, hlo.OpAdd, sum.Opcode)
	assert.Same(t, sum.Operands[0], sum.Operands[1])
}

// TestLoopsComputeTheSame runs them on XLA's CPU backend before and after. It skips without XLA.
func TestLoopsComputeTheSame(t *testing.T) {
	programs := map[string]string{}
	for i, c := range loops {
		programs[fmt.Sprint(i)] = loopProgram(c.before, c.body)
	}
	programs["once"], programs["number"] = onceProgram(), numberProgram()
	programs["start"], programs["shared"], programs["twin"] = startProgram(multiplied), sharedProgram(), twinProgram()
	programs["taken"], programs["counted"], programs["late"] = takenProgram(), countedProgram(), lateProgram()
	for i, c := range hoists {
		if !strings.Contains(c.body, "rng") {
			programs[fmt.Sprint("hoist", i)] = hoistProgram(c.body)
		}
	}
	out := semantics(t, programs)
	assert.Equal(t, len(programs), strings.Count(out, " equal\n"), "%s", out)
}
