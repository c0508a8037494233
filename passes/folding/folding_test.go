package folding_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
	"hlolayout/passes/folding"
	"hlolayout/printer"
	"hlolayout/tpu"
)

func target(t *testing.T, name string) *tpu.Target {
	t.Helper()
	x, err := tpu.ByName(name)
	require.NoError(t, err)
	return x
}

func parse(t *testing.T, text string) *hlo.Module {
	t.Helper()
	m, err := parser.Parse("test", text)
	require.NoError(t, err)
	return m
}

func entry(lines ...string) string {
	return "HloModule m\n\nENTRY main {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

// named are the names of all rules.
func named() []string {
	var out []string
	for _, r := range folding.Rules() {
		out = append(out, r.Name)
	}
	return out
}

// The names of rules differ, and each says what it does.
func TestRulesAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range folding.Rules() {
		assert.False(t, seen[r.Name], r.Name)
		seen[r.Name] = true
		assert.NotEmpty(t, r.Doc, r.Name)
	}
}

// opcodes lists the entry's instructions but its parameters and constants.
func opcodes(m *hlo.Module) string {
	var out []string
	for _, in := range m.Entry.Instructions {
		if in.Opcode != hlo.OpParameter && in.Opcode != hlo.OpConstant {
			text := in.Opcode.String()
			if v := in.Attr("custom_call_target"); v != nil && taken[v.Text] != "" {
				text = taken[v.Text]
			}
			for _, name := range []string{"dimensions", "lhs_contracting_dims", "rhs_contracting_dims",
				"iota_dimension"} {
				if v := in.Attr(name); v != nil && v.Text != "{}" {
					text += v.Text
				}
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, " ")
}

// taken are what the custom calls that take complex numbers apart compute, by target.
var taken = map[string]string{`"X64SplitLow"`: "real", `"X64SplitHigh"`: "imag", `"X64Combine"`: "complex"}

// Each rule on a module that it fits, and next to it what it must not change.
func TestRules(t *testing.T) {
	const a, b = "a = f32[4,8]{1,0} parameter(0)", "b = f32[8,16]{1,0} parameter(1)"
	for _, c := range []struct {
		rule string
		text []string
		want string
	}{
		{"element", []string{a, "t = (f32[4,8]{1,0}) tuple(a)", "g = f32[4,8]{1,0} get-tuple-element(t), index=0",
			"ROOT n = f32[4,8]{1,0} negate(g)"}, "negate"},
		{"vector-product", []string{"a = bf16[4,8]{1,0} parameter(0)", "b = bf16[8]{0} parameter(1)",
			"ROOT d = bf16[4]{0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
			"broadcast{1} multiply reduce{1}"},
		{"identity", []string{a, "c = f32[4,8]{1,0} copy(a)", "r = f32[4,8]{1,0} reshape(c)",
			"ROOT n = f32[4,8]{1,0} negate(r)"}, "negate"},
		{"neutral", []string{a, "z = f32[] constant(0)", "s = f32[4,8]{1,0} broadcast(z), dimensions={}",
			"p = f32[4,8]{1,0} add(s, a)", "ROOT n = f32[4,8]{1,0} negate(p)"}, "negate"},
		{"", []string{a, "z = f32[] constant(0)", "s = f32[4,8]{1,0} broadcast(z), dimensions={}",
			"ROOT n = f32[4,8]{1,0} subtract(s, a)"},
			"broadcast subtract"},
		{"splat", []string{"z = f32[] constant(2)", "s = f32[4,8]{1,0} broadcast(z), dimensions={}",
			"ROOT r = f32[32]{0} reshape(s)"}, "broadcast"},
		{"chain", []string{a, "r = f32[32]{0} reshape(a)", "ROOT s = f32[2,16]{1,0} reshape(r)"}, "reshape"},
		{"chain", []string{"a = f32[2,3,4]{2,1,0} parameter(0)", "r = f32[3,4,2]{2,1,0} transpose(a), " +
			"dimensions={1,2,0}", "ROOT s = f32[2,3,4]{2,1,0} transpose(r), dimensions={2,0,1}"}, ""},
		{"unit-broadcast", []string{"a = f32[4]{0} parameter(0)", "r = f32[4,1]{1,0} reshape(a)",
			"ROOT v = f32[4,1,8]{2,1,0} broadcast(r), dimensions={0,1}"}, "broadcast{0}"},
		{"added-units", []string{a, "ROOT v = f32[1,4,1,8]{3,2,1,0} broadcast(a), dimensions={1,3}"}, "reshape"},
		{"", []string{a, "ROOT v = f32[8,1,4]{2,1,0} broadcast(a), dimensions={2,0}"}, "broadcast{2,0}"},
		{"", []string{a, "ROOT v = f32[2,4,8]{2,1,0} broadcast(a), dimensions={1,2}"}, "broadcast{1,2}"},
		{"iota", []string{"i = s32[4]{0} iota(), iota_dimension=0", "ROOT j = s32[8,4]{1,0} broadcast(i), " +
			"dimensions={1}"}, "iota1"},
		{"transposed-broadcast", []string{"a = f32[4]{0} parameter(0)", "s = f32[4,8]{1,0} broadcast(a), " +
			"dimensions={0}", "ROOT r = f32[8,4]{1,0} transpose(s), dimensions={1,0}"}, "broadcast{1}"},
		{"transposed-operand", []string{a, "b = f32[16,8]{1,0} parameter(1)", "r = f32[8,16]{1,0} transpose(b), " +
			"dimensions={1,0}",
			"ROOT d = f32[4,16]{1,0} dot(a, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}"}, "dot{1}{1}"},
		{"transposed-product", []string{a, b, "d = f32[4,16]{1,0} dot(a, b), lhs_contracting_dims={1}, " +
			"rhs_contracting_dims={0}", "ROOT r = f32[16,4]{1,0} transpose(d), dimensions={1,0}"}, "dot{0}{1}"},
		{"", []string{a, b, "d = f32[4,16]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
			"r = f32[16,4]{1,0} transpose(d), dimensions={1,0}",
			"ROOT t = (f32[4,16]{1,0}, f32[16,4]{1,0}) tuple(d, r)"},
			"dot{1}{0} transpose{1,0} tuple"}, // the product is read as it is, too
		{"hoisted", []string{"a = f32[4]{0} parameter(0)", "r = f32[4,1]{1,0} reshape(a)",
			"n = f32[4,1]{1,0} exponential(r)", "ROOT v = f32[4]{0} reshape(n)"}, "exponential"},
		{"sunk-broadcast", []string{"a = f32[4]{0} parameter(0)", "z = f32[] constant(2)",
			"s = f32[4,8]{1,0} broadcast(z), dimensions={}", "v = f32[4,8]{1,0} broadcast(a), dimensions={0}",
			"ROOT m = f32[4,8]{1,0} multiply(v, s)"}, "broadcast multiply broadcast{0}"},
		{"", []string{a, "p = f32[4]{0} parameter(1)", "v = f32[4,8]{1,0} broadcast(p), dimensions={0}",
			"ROOT m = f32[4,8]{1,0} multiply(v, a)"}, "broadcast{0} multiply"},
		{"custom-gather", []string{a, "i = s32[2,3]{1,0} parameter(1)", "ROOT g = f32[2,3,8]{2,1,0} gather(a, i), " +
			"offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,8}"},
			"reshape fusion reshape"},
		{"custom-gather", []string{a, "i = s32[3]{0} parameter(1)", "ROOT g = f32[4,3]{1,0} gather(a, i), offset_dims={0}, " +
			"collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={4,1}"},
			"fusion transpose{1,0}"},
		{"custom-gather", []string{a, "i = s32[3,1]{1,0} parameter(1)", "j = s32[3,1]{1,0} parameter(2)",
			"k = s32[3,2]{1,0} concatenate(i, j), dimensions={1}", "ROOT g = f32[3]{0} gather(a, k), offset_dims={}, " +
				"collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}"},
			"broadcast broadcast clamp shift-left broadcast clamp broadcast shift-left or reshape fusion"},
		{"custom-gather", []string{a, "i = s32[4,3,1]{2,1,0} parameter(1)", "ROOT g = f32[4,3]{1,0} gather(a, i), " +
			"offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, " +
			"start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}"},
			"iota0 broadcast broadcast clamp shift-left broadcast clamp broadcast shift-left or reshape fusion " +
				"reshape"},
		{"expanded-gather", []string{a, "i = s32[3,1]{1,0} parameter(1)", "ROOT g = f32[3,2,8]{2,1,0} gather(a, i), " +
			"offset_dims={1,2}, " +
			"collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={2,8}"},
			"broadcast tuple while get-tuple-element"}, // windows of several rows
		{"", []string{"a = f32[70000,70000]{1,0} parameter(0)", "k = s32[3,2]{1,0} parameter(1)",
			"ROOT g = f32[3]{0} gather(a, k), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, " +
				"index_vector_dim=1, slice_sizes={1,1}"}, "gather"}, // more than 31 bits
		{"common", []string{a, "n = f32[4,8]{1,0} negate(a)", "o = f32[4,8]{1,0} negate(a)",
			"ROOT s = f32[4,8]{1,0} add(n, o)"}, "negate add"},
	} {
		m := parse(t, entry(c.text...))
		before := printer.Print(m)
		s := folding.Simplify(m, target(t, "v5e"))
		assert.Equal(t, c.want, opcodes(s.Module), c.text)
		assert.Equal(t, c.rule != "", s.Applied[c.rule] > 0, "%s %v", c.rule, s.Applied)
		assert.Subset(t, named(), slices.Collect(maps.Keys(s.Applied)))
		assert.Equal(t, before, printer.Print(m), "the module itself is as it was")
		checked(t, s.Module)
	}
}

// checked says that a simplified module is well formed: its text is read again, and its shapes fit.
func checked(t *testing.T, m *hlo.Module) {
	t.Helper()
	require.NoError(t, hlo.Check(m).Err())
	again := parse(t, printer.Print(m))
	require.NoError(t, verify.Module(again).Err(), printer.Print(m))
}

// A scatter of rows is a fusion that calls what the scatter calls, and so is one of elements that several components
// place, whatever these are part of.
func TestScatter(t *testing.T) {
	const text = `HloModule m

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY main {
  a = f32[400,8]{1,0} parameter(0)
  i = s32[2,3,1]{2,1,0} parameter(1)
  u = f32[2,3,8]{2,1,0} parameter(2)
  rows = f32[400,8]{1,0} scatter(a, i, u), update_window_dims={2}, inserted_window_dims={0}, ` +
		`scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=add
  k = s32[3,2]{1,0} parameter(3)
  v = f32[3]{0} parameter(4)
  ROOT elements = f32[400,8]{1,0} scatter(rows, k, v), update_window_dims={}, inserted_window_dims={0,1}, ` +
		`scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add
}
`
	m := parse(t, text)
	s := folding.Simplify(m, target(t, "v5e"))
	packed := "slice slice broadcast broadcast clamp compare shift-left broadcast clamp compare or broadcast shift-left " +
		"or broadcast select reshape"
	assert.Equal(t, "reshape reshape fusion "+packed+" fusion", opcodes(s.Module))
	rows, _ := m.Find("rows")
	f := s.Of(rows)
	require.Equal(t, hlo.OpFusion, f.Opcode)
	assert.Equal(t, "f32[6,8]{1,0}", f.Operands[2].Shape.String())
	assert.Equal(t, "add", f.Called()[0].Root.Called()[0].Name)
	checked(t, s.Module)
}

// Several components are one number of the list.
func TestScatterOfComponents(t *testing.T) {
	for _, table := range []string{"negate(p)", "broadcast(z), dimensions={}"} {
		m := parse(t, `HloModule m

second {
  x = f32[] parameter(0)
  ROOT y = f32[] parameter(1)
}

ENTRY main {
  z = f32[] constant(0)
  p = f32[4,300,8]{2,1,0} parameter(0)
  a = f32[4,300,8]{2,1,0} `+table+`
  i = s32[5,1]{1,0} parameter(1)
  j = s32[5,1]{1,0} parameter(2)
  k = s32[5,2]{1,0} concatenate(i, j), dimensions={1}
  v = f32[5,8]{1,0} parameter(3)
  ROOT s = f32[4,300,8]{2,1,0} scatter(a, k, v), update_window_dims={1}, inserted_window_dims={0,1}, `+
			`scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=second
}
`)
		s := folding.Simplify(m, target(t, "v5e"))
		require.Equal(t, hlo.OpFusion, s.Module.Entry.Root.Opcode)
		assert.Equal(t, "s32[5]{0}", s.Module.Entry.Root.Operands[1].Shape.String())
	}
}

// The components of a gather's indices are made again inside of the fusion: a concatenate that nothing else reads is
// there.
func TestOfIndices(t *testing.T) {
	text := []string{"a = f32[4,8]{1,0} parameter(0)", "i = s32[3,1]{1,0} parameter(1)",
		"k = s32[3,2]{1,0} concatenate(i, i), dimensions={1}", "g = f32[3]{0} gather(a, k), offset_dims={}, " +
			"collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}"}
	m := parse(t, entry(append(text, "ROOT n = f32[3]{0} negate(g)")...))
	k, _ := m.Find("k")
	assert.True(t, folding.Simplify(m, target(t, "v5e")).Of(k).Computation.IsFused())
	m = parse(t, entry(append(text, "ROOT t = (f32[3]{0}, s32[3,2]{1,0}) tuple(g, k)")...))
	k, _ = m.Find("k")
	assert.False(t, folding.Simplify(m, target(t, "v5e")).Of(k).Computation.IsFused())
}

// Calls are replaced by what they call, op_names by those of both; what is left holds the value of what was there.
func TestCalls(t *testing.T) {
	m := parse(t, `HloModule m

f {
  x = f32[4,8]{1,0} parameter(0)
  ROOT n = f32[4,8]{1,0} sine(x), metadata={op_name="sin"}
}

ENTRY main {
  a = f32[4,8]{1,0} parameter(0)
  c = f32[4,8]{1,0} call(a), to_apply=f, metadata={op_name="jit(g)/f"}
  d = f32[4,8]{1,0} call(c), to_apply=f, metadata={op_name="jit(g)/f"}
  dead = f32[4,8]{1,0} exponential(c)
  ROOT e = f32[4,8]{1,0} abs(d)
}
`)
	s := folding.Simplify(m, target(t, "v5e"))
	assert.Equal(t, "sine sine abs", opcodes(s.Module))
	c := s.Of(m.Entry.Instruction("c"))
	require.NotNil(t, c)
	assert.Equal(t, "jit(g)/f/sin", c.MetadataOpName())
	assert.Same(t, c, s.Of(m.Computation("f").Instruction("n")))
	assert.Nil(t, s.Of(m.Entry.Instruction("dead")))
	assert.Equal(t, []string{"main"}, []string{s.Module.Computations[0].Name})
	checked(t, s.Module)
}

// What takes the place of a gather is called in the style of the text: with or without a %.
func TestBodiesAreCalledInStyle(t *testing.T) {
	const text = `HloModule m

ENTRY main {
  t = f32[30,7]{1,0} parameter(0)
  i = s32[20,1]{1,0} parameter(1)
  ROOT g = f32[20,7]{1,0} gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, ` +
		`index_vector_dim=1, slice_sizes={1,7}
}
`
	for _, percent := range []string{"", "%"} {
		s := folding.Simplify(parse(t, strings.NewReplacer("t = f", percent+"t = f", "i = s", percent+"i = s",
			"g = f", percent+"g = f", "(t, i)", "("+percent+"t, "+percent+"i)").Replace(text)), target(t, "v5e"))
		assert.Contains(t, printer.Print(s.Module), "calls="+percent+"g.fused_computation")
	}
}

// In modules that entered layout assignment the compiler has left nothing to the rules. What is common, and elementwise
// operations on dimensions of one element, come about after its simplifications; of transposed products 4 are left, on
// v6e and v7x.
func TestCompiled(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/corpus/*/*/before.hlo")
	require.NoError(t, err)
	more, err := filepath.Glob("../../../shared/corpus/v5e/*/before.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	applied, modules := map[string]int{}, 0
	for _, path := range slices.Concat(paths, more) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		modules++
		for name, n := range folding.Simplify(parse(t, string(text)), target(t, "v5e")).Applied {
			if name != "common" {
				applied[name] += n
			}
		}
	}
	sum := 0
	for name, n := range applied {
		if name != "transposed-product" {
			sum += n
		}
	}
	t.Logf("%d modules: %v", modules, applied)
	assert.LessOrEqual(t, sum, modules/20)
	assert.LessOrEqual(t, applied["transposed-product"], 4)
	for _, name := range []string{"transposed-operand", "transposed-broadcast", "unit-broadcast", "splat", "neutral"} {
		assert.Zero(t, applied[name], name)
	}
}

// Which copies fusion takes into their users.
func TestMoves(t *testing.T) {
	for _, c := range []struct {
		to, user string
		free     bool
	}{
		{"{1,2,0:T(8,128)}", "dot(c, c), lhs_contracting_dims={2}, rhs_contracting_dims={2}, lhs_batch_dims={0}, " +
			"rhs_batch_dims={0}", true},
		{"{2,0,1:T(8,128)}", "dot(c, c), lhs_contracting_dims={2}, rhs_contracting_dims={2}, lhs_batch_dims={0}, " +
			"rhs_batch_dims={0}", true},
		{"{0,1,2:T(8,128)}", "dot(c, c), lhs_contracting_dims={2}, rhs_contracting_dims={2}, lhs_batch_dims={0}, " +
			"rhs_batch_dims={0}", false},
		{"{1,2,0:T(8,128)}", "negate(c)", false},
		{"{2,0,1:T(8,128)}", "negate(c)", true},
		{"{2,0,1:T(8,128)}", "sort(c), dimensions={0}, to_apply=less", false},
	} {
		m := parse(t, `HloModule m

less {
  x = f32[]{:T(128)} parameter(0)
  y = f32[]{:T(128)} parameter(1)
  ROOT l = pred[]{:T(512)} compare(x, y), direction=LT
}

ENTRY main {
  p = f32[128,128,128]{2,1,0:T(8,128)} parameter(0)
  c = f32[128,128,128]`+c.to+` copy(p)
  u = f32[128,128,128]`+c.to+` `+c.user+`
  ROOT t = (f32[128,128,128]`+c.to+`) tuple(u)
}
`)
		require.Equal(t, stage.LaidOut, stage.Of(m))
		folding.Predict(m, stage.LaidOut)
		assert.Equal(t, c.free, m.Unbuffered(m.Entry.Instruction("c")) != "", "%s %s", c.to, c.user)
		assert.Empty(t, m.Unbuffered(m.Entry.Instruction("u")), "the result is read from memory")
		assert.Equal(t, "upper", m.Bound())
	}
	m := parse(t, "HloModule m, is_scheduled=true\n\nENTRY main {\n  ROOT p = f32[128]{0:T(128)} parameter(0)\n}\n")
	folding.Predict(m, stage.Of(m))
	assert.Equal(t, "exact", m.Bound())
}

// Cheap values are computed in all of their users, products are kept for several, and what a reshape moves is, too.
func TestBuffers(t *testing.T) {
	m := parse(t, `HloModule m

ENTRY main {
  a = f32[256,256]{1,0:T(8,128)} parameter(0)
  n = f32[256,256]{1,0:T(8,128)} negate(a)
  e = f32[256,256]{1,0:T(8,128)} exponential(n)
  f = f32[256,256]{1,0:T(8,128)} abs(e)
  g = f32[256,256]{1,0:T(8,128)} add(e, n)
  d = f32[256,256]{1,0:T(8,128)} dot(f, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h = f32[256,256]{1,0:T(8,128)} negate(d)
  r = f32[65536]{0:T(1024)} reshape(h)
  ROOT t = (f32[65536]{0:T(1024)}) tuple(r)
}
`)
	folding.Predict(m, stage.LaidOut)
	var kept []string
	for _, in := range m.Entry.Instructions {
		if in.OwnsBuffer(nil) {
			kept = append(kept, in.Name)
		}
	}
	assert.Equal(t, "a h r", strings.Join(kept, " "))
	assert.True(t, m.Entry.Instruction("n").LosesBuffer(nil))
}

// The operands of a transposed product change places with their batch dimensions.
func TestTransposedBatches(t *testing.T) {
	m := parse(t, entry("a = f32[5,96,2,3]{3,2,1,0} parameter(0)", "b = f32[2,5,3,160]{3,2,1,0} parameter(1)",
		"d = f32[5,96,160]{2,1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2,3}, rhs_batch_dims={1}, "+
			"rhs_contracting_dims={0,2}", "ROOT r = f32[5,160,96]{2,1,0} transpose(d), dimensions={0,2,1}"))
	checked(t, folding.Simplify(m, target(t, "v5e")).Module)
}

// A gather in a fusion has no dimensions of one element in its window, and packs as many bits of a component as its
// dimension needs.
func TestGatherWindows(t *testing.T) {
	m := folding.Simplify(parse(t, program(`
  a = f32[4,9,1,51]{3,2,1,0} parameter(0)
  i = s32[32,1]{1,0} parameter(1)
  j = s32[32,1]{1,0} parameter(2)
  k = s32[32,1]{1,0} parameter(3)
  l = s32[32,3]{1,0} concatenate(i, j, k), dimensions={1}
  ROOT g = f32[32,1,1,51]{3,2,1,0} gather(a, l), offset_dims={1,2,3}, collapsed_slice_dims={0}, `+
		`start_index_map={0,1,3}, index_vector_dim=1, slice_sizes={1,1,1,51}`)), target(t, "v5e")).Module
	checked(t, m)
	found := 0
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			switch {
			case in.Opcode == hlo.OpGather:
				found++
				assert.Equal(t, []int64{32, 51}, in.Shape.Dims)
				assert.Equal(t, []int{0, 1, 2}, in.Ints("collapsed_slice_dims"))
				assert.Equal(t, []int{1}, in.Ints("offset_dims"))
			case in.Opcode == hlo.OpConstant && in.Literal() == "4032": // 6 bits after 2 and 4
				found++
			}
		}
	}
	assert.Equal(t, 2, found)
}

// A scatter of many windows has one number for each place: what is outside of the bounds is left out.
func TestFlatScatter(t *testing.T) {
	m := folding.Simplify(parse(t, program(`
  a = f32[4,300,8]{2,1,0} parameter(0)
  i = s32[1024,2]{1,0} parameter(1)
  u = f32[1024,8]{1,0} parameter(2)
  ROOT s = f32[4,300,8]{2,1,0} scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0,1}, `+
		`scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add`)), target(t, "v5e")).Module
	checked(t, m)
	var rows []string
	for _, in := range m.Entry.Instructions {
		if in.Opcode == hlo.OpConstant && in.Shape.Rank() == 1 {
			rows = append(rows, in.Literal())
		}
	}
	assert.ElementsMatch(t, []string{"{4, 300}", "{300, 1}"}, rows)
}

// A module that no compiler accepts, whose elementwise operation has other dimensions than its operand, is left alone.
func TestUnevenOperand(t *testing.T) {
	m := parse(t, entry("x = s32[8]{0} iota(), iota_dimension=0", "y = s32[8,4]{1,0} sine(x)",
		"i = s32[8,4]{1,0} iota(), iota_dimension=1", "b = s32[8,4]{1,0} add(y, i)",
		"z = s32[8,4]{1,0} negate(b)", "t = s32[4,8]{1,0} transpose(b), dimensions={1,0}",
		"ROOT r = (s32[8,4]{1,0}, s32[4,8]{1,0}) tuple(z, t)"))
	assert.Contains(t, opcodes(folding.Simplify(m, target(t, "v5e")).Module), "transpose")
}

// A broadcast that does not say where the dimensions of its operand go is left alone.
func TestBroadcastWithoutDimensions(t *testing.T) {
	m := parse(t, entry("x = s32[8]{0} parameter(0)", "y = s32[8,4]{1,0} broadcast(x), dimensions={0}",
		"ROOT r = s32[8,4,2]{2,1,0} broadcast(y)"))
	assert.Equal(t, "broadcast{0} broadcast", opcodes(folding.Simplify(m, target(t, "v5e")).Module))
}

// A reshape that is hoisted from an operation and back leaves one that was made of it, which has its value; that of
// another operation with the same metadata is the other's.
func TestRemadeIsTheValue(t *testing.T) {
	const text = `
  c = f32[] parameter(0)
  x = f32[50,14,14,64] parameter(1)
  y = f32[50,256] parameter(2)
  z = f32[] parameter(3)
  w = f32[50,7,7,64] reduce-window(x, z), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=add
  b = f32[50,7,7,64] broadcast(c), dimensions={}
  d = f32[50,7,7,64] divide(w, b), metadata={op_name="f/div"}
  r = f32[50,3136] reshape(d)
  g = f32[256,3136] dot(y, r), lhs_contracting_dims={0}, rhs_contracting_dims={0}`
	m := parse(t, program(text+"\n  ROOT t = (f32[256,3136]) tuple(g)"))
	s := folding.Simplify(m, target(t, "v5e"))
	d := s.Of(m.Entry.Instruction("d"))
	require.NotNil(t, d)
	assert.Equal(t, []int64{50, 7, 7, 64}, d.Shape.Dims)
	assert.Equal(t, hlo.OpDivide, d.Opcode)

	m = parse(t, program(text+`
  e = f32[50,7,7,64] divide(b, w), metadata={op_name="f/div"}
  q = f32[50,3136] reshape(e)
  h = f32[256,3136] dot(y, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT t = (f32[256,3136], f32[256,3136]) tuple(g, h)`))
	s = folding.Simplify(m, target(t, "v5e"))
	for name, first := range map[string]string{"d": "w", "e": "b"} {
		n := s.Of(m.Entry.Instruction(name))
		require.NotNil(t, n, name)
		assert.Equal(t, s.Of(m.Entry.Instruction(first)), n.Operands[0], name)
	}
}
