package folding_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo/stage"
	"hlolayout/parser"
	"hlolayout/passes/folding"
	"hlolayout/passes/relayout"
)

// What is in memory, by name, stored as bf16 (with *), and moved (with >), of modules that have their layouts.
func TestForecast(t *testing.T) {
	const l, l3 = "{1,0:T(8,128)}", "{2,1,0:T(8,128)}"
	const a, b = "a = f32[256,256]" + l + " parameter(0)", "b = f32[256,256]" + l + " parameter(1)"
	dot := func(name, x, y string) string {
		return name + " = f32[256,256]" + l + " dot(" + x + ", " + y + "), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
	}
	root := func(x string) string { return "ROOT t = (f32[256,256]" + l + ") tuple(" + x + ")" }
	for _, c := range []struct {
		text []string
		want string
	}{
		// A product is not fused into another one: what is between them is in memory, and is narrow.
		{[]string{a, b, dot("d", "a", "b"), "n = f32[256,256]" + l + " negate(d)", dot("e", "n", "b"), root("e")},
			"a b n* e"},
		// A result that is a bitcast has its operand's place, unless that is a parameter's, in a tuple or not.
		{[]string{a, b, dot("d", "a", "b"), "ROOT r = f32[32,8,256]" + l3 + " reshape(d)"}, "a b d"},
		{[]string{a, "ROOT r = f32[32,8,256]" + l3 + " reshape(a)"}, "a r"},
		{[]string{a, "r = f32[32,8,256]" + l3 + " reshape(a)", "ROOT t = (f32[32,8,256]" + l3 + ") tuple(r)"}, "a r"},
		{[]string{a, "r = f32[32,8,256]" + l3 + " reshape(a)", "e = f32[32,8,256]" + l3 + " exponential(r)",
			"ROOT t = (f32[32,8,256]" + l3 + ") tuple(e)"}, "a e"},
		// Of two products that are added up one is fused.
		{[]string{a, b, dot("d", "a", "b"), dot("e", "b", "a"), "s = f32[256,256]" + l + " add(d, e)",
			"x = f32[256,256]" + l + " exponential(s)", root("x")}, "a b d x"},
		// A product is made in the order of its copy, also where a reshape reads that.
		{[]string{a, b, dot("d", "a", "b"), "c = f32[256,256]{0,1:T(8,128)} copy(d)",
			"ROOT t = (f32[256,256]{0,1:T(8,128)}) tuple(c)"}, "a b c"},
		{[]string{a, b, dot("d", "a", "b"), "c = f32[256,256]{0,1:T(8,128)} copy(d)",
			"r = f32[65536]{0:T(1024)} reshape(c)", "ROOT t = (f32[65536]{0:T(1024)}) tuple(r)"}, "a b c r"},
		// A slice of a loop's array is read by a product through the reshape that takes its dimension of one element off.
		{[]string{"p = f32[8,256,256]" + l3 + " parameter(0)", b, "i = s32[]{:T(128)} parameter(2)",
			"s = f32[1,256,256]" + l3 + " dynamic-slice(p, i, i, i), dynamic_slice_sizes={1,256,256}",
			"c = f32[1,256,256]{1,2,0:T(8,128)} copy(s)", "r = f32[256,256]{0,1:T(8,128)} reshape(c)", dot("e", "r", "b"),
			root("e")}, "p b i s* e"},
		// What products read through what leaves the elements as they are is narrow.
		{[]string{a, b, "z = f32[]{:T(128)} constant(0)", "q = pred[256,256]{1,0:T(8,128)(4,1)} parameter(2)",
			"c = f32[256,256]{0,1:T(8,128)} copy(a)", "r = f32[256,256]{0,1:T(8,128)} reverse(c), dimensions={1}",
			"s = f32[256,256]{0,1:T(8,128)} select(q, r, r)", "p = f32[256,512]{0,1:T(8,128)} pad(s, z), padding=0_0x0_256",
			"x = f32[512,512]{0,1:T(8,128)} concatenate(p, p), dimensions={0}", "w = f32[512,64]" + l + " parameter(3)",
			"d = f32[512,64]" + l + " dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
			"ROOT t = (f32[512,64]" + l + ") tuple(d)"}, "a b q >c* r* s* w d"},
		{[]string{a, b, "z = f32[]{:T(128)} constant(0)", "c = f32[256,256]{0,1:T(8,128)} copy(a)",
			"p = f32[256,512]{0,1:T(8,128)} pad(c, z), padding=0_0x0_256", "x = f32[256,512]{0,1:T(8,128)} negate(p)",
			"w = f32[512,64]" + l + " parameter(2)",
			"d = f32[256,64]" + l + " dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
			"ROOT t = (f32[256,64]" + l + ") tuple(d)"}, "a b >c w d"},
		// A sum reads what is computed in any order.
		{[]string{"a = f32[8,256,256]" + l3 + " parameter(0)", "z = f32[]{:T(128)} constant(0)",
			"n = f32[8,256,256]" + l3 + " negate(a)", "c = f32[8,256,256]{0,2,1:T(8,128)} copy(n)",
			"s = f32[8,256]" + l + " reduce(c, z), dimensions={2}, to_apply=add",
			"ROOT t = (f32[8,256]" + l + ") tuple(s)"}, "a s"},
		// What several users make of a product comes together again, also in a tuple, or does not.
		{[]string{a, b, dot("d", "a", "b"), "n = f32[256,256]" + l + " negate(d)", "x = f32[256,256]" + l + " exponential(d)",
			"s = f32[256,256]" + l + " add(n, x)", root("s")}, "a b s"},
		{[]string{a, b, dot("d", "a", "b"), "n = f32[256,256]" + l + " negate(d)", "x = f32[256,256]" + l + " exponential(d)",
			"ROOT t = (f32[256,256]" + l + ", f32[256,256]" + l + ") tuple(n, x)"}, "a b n x"},
		{[]string{a, b, dot("d", "a", "b"), "n = f32[256,256]" + l + " negate(d)", dot("e", "d", "b"),
			"ROOT t = (f32[256,256]" + l + ", f32[256,256]" + l + ") tuple(n, e)"}, "a b d n e"},
		// A product reads what is computed in the order before a copy, and a loop's slice.
		{[]string{a, b, "n = f32[256,256]" + l + " negate(a)", "c = f32[256,256]{0,1:T(8,128)} copy(n)",
			dot("d", "c", "b"), root("d")}, "a b d"},
		// A copy is not part of what reads it through a reshape of more than dimensions of one element.
		{[]string{a, "c = f32[256,256]{0,1:T(8,128)} copy(a)", "r = f32[256,2,128]{0,2,1:T(8,128)} reshape(c)",
			"w = f32[2,256,64]" + l3 + " parameter(1)", "d = f32[2,128,64]" + l3 + " dot(r, w), lhs_batch_dims={1}, " +
				"lhs_contracting_dims={0}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
			"ROOT t = (f32[2,128,64]" + l3 + ") tuple(d)"}, "a >c* w d"},
		// What moves elements reads them from memory, through bitcasts, too, and some of it is moved alone.
		{[]string{a, "n = f32[256,256]" + l + " negate(a)", "s = f32[128,256]" + l + " slice(n), slice={[0:128], [0:256]}",
			"x = f32[128,256]" + l + " exponential(s)", "ROOT t = (f32[128,256]" + l + ") tuple(x)"}, "a n x"},
		{[]string{a, "s = f32[128,256]" + l + " slice(a), slice={[0:256:2], [0:256]}",
			"x = f32[128,256]" + l + " exponential(s)", "ROOT t = (f32[128,256]" + l + ") tuple(x)"}, "a s x"},
		{[]string{"p = f32[8,256,256]" + l3 + " parameter(0)",
			"s = f32[4,256,256]" + l3 + " slice(p), slice={[0:8:2], [0:256], [0:256]}",
			"x = f32[4,256,256]" + l3 + " exponential(s)", "ROOT t = (f32[4,256,256]" + l3 + ") tuple(x)"}, "p x"},
		{[]string{a, "z = f32[]{:T(128)} constant(0)", "p = f32[512,256]" + l + " pad(a, z), padding=0_1_1x0_0",
			"x = f32[512,256]" + l + " exponential(p)", "ROOT t = (f32[512,256]" + l + ") tuple(x)"}, "a p x"},
		{[]string{a, "z = f32[]{:T(128)} constant(0)", "n = f32[256,256]" + l + " negate(a)",
			"p = f32[512,256]" + l + " pad(n, z), padding=0_256x0_0",
			"x = f32[512,256]" + l + " exponential(p)", "ROOT t = (f32[512,256]" + l + ") tuple(x)"}, "a n x"},
		{[]string{a, "r = f32[256,256]" + l + " reverse(a), dimensions={1}",
			"x = f32[256,256]" + l + " exponential(r)", root("x")}, "a r x"},
		{[]string{"p = f32[8,256,256]" + l3 + " parameter(0)", "r = f32[8,256,256]" + l3 + " reverse(p), dimensions={0}",
			"x = f32[8,256,256]" + l3 + " exponential(r)", "ROOT t = (f32[8,256,256]" + l3 + ") tuple(x)"}, "p x"},
		{[]string{"p = f32[256]{0:T(256)} parameter(0)", "n = f32[256]{0:T(256)} negate(p)",
			"w = f32[256,256]" + l + " broadcast(n), dimensions={1}",
			"x = f32[256,256]" + l + " exponential(w)", root("x")}, "p n x"},
		{[]string{a, "n = f32[256,256]" + l + " negate(a)", "r = f32[1,256,256]" + l3 + " reshape(n)",
			"ROOT t = (f32[1,256,256]" + l3 + ") tuple(r)"}, "a n"},
		// A copy of a pad is one of what is padded.
		{[]string{a, "z = f32[]{:T(128)} constant(0)", "p = f32[256,512]" + l + " pad(a, z), padding=0_0x0_256",
			"c = f32[256,512]{0,1:T(8,128)} copy(p)", "ROOT t = (f32[256,512]{0,1:T(8,128)}) tuple(c)"}, "a p >c(a)"},
	} {
		m := parse(t, program("\n"+strings.Join(c.text, "\n")))
		folding.Predict(m, stage.LaidOut)
		moved := map[string]string{}
		for _, r := range relayout.Find(m) {
			moved[r.Instruction.Name] = ""
			if r.Origin != r.Instruction.Operands[0] {
				moved[r.Instruction.Name] = "(" + r.Origin.Name + ")"
			}
		}
		var got []string
		for _, in := range m.Entry.Instructions {
			name := in.Name
			if m.Forecast.Narrow[in] {
				name += "*"
			}
			if from, ok := moved[in.Name]; ok {
				name = ">" + name + from
			}
			if in.OwnsBuffer(nil) && in.Shape.IsArray() {
				got = append(got, name)
			}
		}
		assert.Equal(t, c.want, strings.Join(got, " "), c.text)
	}
}

// A sort of the minor dimension is of the second-minor one in the compiled module where that takes no more memory:
// copies that exchange the two are none, unless what is next to the sort then needs one.
func TestTurnedSort(t *testing.T) {
	const less = `
less {
  x = f32[]{:T(128)} parameter(0)
  y = f32[]{:T(128)} parameter(1)
  ROOT l = pred[]{:T(512)} compare(x, y), direction=LT
}
`
	const rows, columns = "f32[1000,512]{1,0:T(8,128)}", "f32[1000,512]{0,1:T(8,128)}"
	a, c := "a = "+rows+" parameter(0)", "c = "+columns+" copy(a)"
	s := "s = " + columns + " sort(c), dimensions={0}, to_apply=less"
	two := "s = (" + columns + ", " + columns + ") sort(c, i), dimensions={0}, to_apply=less"
	i, g := "i = "+columns+" iota(), iota_dimension=0", "g = "+columns+" get-tuple-element(s), index=0"
	root := func(x string) string { return "ROOT t = (" + rows + ") tuple(" + x + ")" }
	for _, c := range []struct {
		text []string
		want string
	}{
		{[]string{a, c, s, "d = " + rows + " copy(s)", root("d")}, ""},
		{[]string{a, c, i, two, g, "d = " + rows + " copy(g)", root("d")}, ""},
		{[]string{a, "c = f32[512,1000]{0,1:T(8,128)} transpose(a), dimensions={1,0}",
			"d = f32[512,1000]{1,0:T(8,128)} copy(c)",
			"s = f32[512,1000]{1,0:T(8,128)} sort(d), dimensions={1}, to_apply=less",
			"u = " + columns + " transpose(s), dimensions={1,0}", "e = " + rows + " copy(u)", root("e")}, ""},
		// One stands for the one that what reads the result gets.
		{[]string{a, c, s, "n = " + columns + " negate(s)", "d = " + rows + " copy(n)", root("d")}, "c d"},
		{[]string{a, c, "n = " + columns + " negate(c)", "s = " + columns + " sort(n), dimensions={0}, to_apply=less",
			"d = " + rows + " copy(s)", "ROOT t = (" + rows + ", " + columns + ") tuple(d, n)"}, "c d"},
		// A slice is of the result as it is, but not of one of several.
		{[]string{a, c, s, "l = f32[8,512]{0,1:T(8,128)} slice(s), slice={[0:8], [0:512]}",
			"d = f32[8,512]{1,0:T(8,128)} copy(l)", "ROOT t = (f32[8,512]{1,0:T(8,128)}) tuple(d)"}, ""},
		{[]string{a, c, i, two, g, "l = f32[8,512]{0,1:T(8,128)} slice(g), slice={[0:8], [0:512]}",
			"d = f32[8,512]{1,0:T(8,128)} copy(l)", "ROOT t = (f32[8,512]{1,0:T(8,128)}) tuple(d)"}, "c d"},
		// Turned it would take more memory, or the copy moves another dimension.
		{[]string{"a = f32[512,4,256]{2,1,0:T(4,128)} parameter(0)", "c = f32[512,4,256]{0,1,2:T(4,128)} copy(a)",
			"s = f32[512,4,256]{0,1,2:T(4,128)} sort(c), dimensions={0}, to_apply=less",
			"d = f32[512,4,256]{2,1,0:T(4,128)} copy(s)", "ROOT t = (f32[512,4,256]{2,1,0:T(4,128)}) tuple(d)"}, "c d"},
	} {
		m := parse(t, "HloModule m\n"+less+"\nENTRY main {\n"+strings.Join(c.text, "\n")+"\n}\n")
		folding.Predict(m, stage.LaidOut)
		var got []string
		for _, in := range m.Entry.Instructions {
			if slices.ContainsFunc(relayout.Find(m), func(r relayout.Relayout) bool { return r.Instruction == in }) {
				got = append(got, in.Name)
			}
		}
		assert.Equal(t, c.want, strings.Join(got, " "), c.text)
	}
}

// A copy that only a product reads moves half the bytes: it is kept as bf16.
func TestNarrowMove(t *testing.T) {
	for attrs, want := range map[string]int64{"": 1 << 20, ", operand_precision={highest,highest}": 2 << 20} {
		m := parse(t, entry("p = f32[8,256,256]{2,1,0:T(8,128)} parameter(0)", "b = f32[8,64]{1,0:T(8,128)} parameter(1)",
			"c = f32[8,256,256]{0,1,2:T(8,128)} copy(p)",
			"ROOT d = f32[256,256,64]{2,1,0:T(8,128)} dot(c, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}"+attrs))
		folding.Predict(m, stage.LaidOut)
		moved := relayout.Find(m)
		require.Len(t, moved, 1)
		assert.Equal(t, want, moved[0].Bytes/16, attrs) // 8 of 128 lanes
	}
}

// In a program that is still to be divided the text has whole values, of which no device holds all: what is not one
// device's part (cut by shard_map) and not annotated as replicated is unsure.
func TestToDivide(t *testing.T) {
	const text = `HloModule m

body {
  x = f32[2,8]{1,0} parameter(0)
  ROOT inside = f32[2,8]{1,0} negate(x)
}

ENTRY e {
  p = f32[8,8]{1,0} parameter(0)ANNOTATION
  whole = f32[8,8]{1,0} negate(p)
  same = f32[8,8]{1,0} negate(p), sharding={replicated}
  cut = f32[2,8]{1,0} custom-call(whole), custom_call_target="SPMDFullToShardShape"
  part = f32[2,8]{1,0} call(cut), to_apply=body
  join = f32[8,8]{1,0} custom-call(part), custom_call_target="SPMDShardToFullShape"
  ROOT sum = f32[8,8]{1,0} add(join, same)
}
`
	for annotation, want := range map[string]string{
		", sharding={devices=[4,1]<=[4]}": "p whole join sum",
		", sharding={replicated}":         "",
		"":                                "",
	} {
		m, err := parser.Parse("test", strings.Replace(text, "ANNOTATION", annotation, 1))
		require.NoError(t, err)
		folding.Predict(m, stage.Lowered)
		var unsure []string
		for _, c := range m.Computations {
			for _, in := range c.Instructions {
				if m.Forecast.Unsure[in] != "" {
					unsure = append(unsure, in.Name)
				}
			}
		}
		assert.Equal(t, want, strings.Join(unsure, " "), annotation)
	}
}
