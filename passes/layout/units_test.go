package layout

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// A kernel's gradient of a depthwise convolution explores its second operand first; the log: "operand 1 : ...
// mandatory = true; dfs = true".
func TestBatchGroupsExploreTheSecondOperand(t *testing.T) {
	const text = `HloModule kernel_gradient

ENTRY main {
  x = f32[2,128,8] parameter(0)
  g = f32[2,128,8] parameter(1)
  e = f32[2,128,8] exponential(g)
  ROOT c = f32[4,1,8] convolution(x, e), window={size=128 pad=3_0}, dim_labels=f0b_i0o->0bf, batch_group_count=8
}
`
	found := map[int]bool{}
	for _, e := range events(t, text) {
		if e.Instruction.Name == "c" && e.Operand >= 0 {
			found[e.Operand] = e.DFS
		}
	}
	assert.Equal(t, map[int]bool{0: false, 1: true}, found)
}

// Nothing is settled about the operand of an asynchronous operation that has no layout yet, though a slice of it is
// asked for one: a reduce of several arrays takes none from its users.
func TestAsynchronousOperandWithoutLayout(t *testing.T) {
	m := parse(t, `HloModule sliced

largest {
  a = f32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = s32[] parameter(3)
  m = f32[] maximum(a, c)
  ROOT t = (f32[], s32[]) tuple(m, b)
}

negated {
  p = f32[4,64,128] parameter(0)
  ROOT n = f32[4,64,128] negate(p)
}

ENTRY main {
  p = f32[8,4,64,128] parameter(0)
  w = f32[4,128,64] parameter(1)
  i = s32[8,4,64,128] iota(), iota_dimension=0
  z = f32[] constant(0)
  k = s32[] constant(0)
  r = (f32[4,64,128], s32[4,64,128]) reduce(p, i, z, k), dimensions={0}, to_apply=largest
  g = f32[4,64,128] get-tuple-element(r), index=0
  s = f32[4,32,128] slice(g), slice={[0:4], [0:32], [0:128]}
  start = ((f32[4,64,128]), f32[4,64,128]) async-start(g), calls=negated
  done = f32[4,64,128] async-done(start)
  ROOT d = f32[4,32,64] dot(s, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},
      rhs_contracting_dims={1}
}
`)
	p, err := Run(m, target(t, "v5e"), plan.Options{})
	require.NoError(t, err)
	assert.NoError(t, p.Apply(m))
}

// A dot of matrices and vectors that would put a free dimension of the matrices in the lanes has them copied where its
// result is not minor in the batch (dot-matrix-lanes; decoders with caches on v7x).
func TestMatricesAreCopiedWhereTheResultIsNotMinorInTheBatch(t *testing.T) {
	m := parse(t, `HloModule lanes, entry_computation_layout={(f32[8,96,18]{2,0,1:T(8,128)}, f32[8,18]{1,0:T(8,128)})->
    f32[8,96]{1,0:T(8,128)}}

ENTRY main {
  m = f32[8,96,18] parameter(0)
  v = f32[8,18] parameter(1)
  ROOT d = f32[8,96] dot(m, v), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
      rhs_contracting_dims={1}
}
`)
	p, err := Run(m, target(t, "v7x"), plan.Options{})
	require.NoError(t, err)
	require.Len(t, p.Edits, 1)
	assert.Equal(t, []int{1, 2, 0}, p.Edits[0].New[0].Shape.Layout.MinorToMajor)
}

// A reduce of two arrays, as an argmax, gives up what its indices asked of the other operand, as reduces of one array
// do (an evaluation of segmentation masks), but not where a tuple has what it gives (a program of two argmaxes).
func TestReducesOfTwoArraysNegotiate(t *testing.T) {
	const text = `HloModule argmax, entry_computation_layout={(f32[8,64,64,21]{2,1,3,0:T(8,128)},
    f32[8,64,64,21]{3,0,2,1:T(8,128)})->(s32[8,64,64]{2,1,0:T(8,128)}, s32[8,64,64]{2,1,0:T(8,128)})}

larger {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  c = pred[] compare(a, b), direction=GT
  x = f32[] select(c, a, b)
  y = s32[] select(c, i, j)
  ROOT r = (f32[], s32[]) tuple(x, y)
}

ENTRY main {
  x = f32[8,64,64,21] parameter(0)
  p = f32[8,64,64,21] parameter(1)
  i = s32[8,64,64,21] iota(), iota_dimension=3
  least = f32[] constant(-inf)
  none = s32[] constant(0)
  first = (f32[8,64,64], s32[8,64,64]) reduce(x, i, least, none), dimensions={3}, to_apply=larger
  second = (f32[8,64,64], s32[8,64,64]) reduce(p, i, least, none), dimensions={3}, to_apply=larger
  k = s32[8,64,64] get-tuple-element(first), index=1
  l = s32[8,64,64] get-tuple-element(second), index=1
  m = s32[8,64,64] abs(k)
  ROOT r = (s32[8,64,64], s32[8,64,64]) tuple(m, l)
}
`
	assert.Contains(t, assign(t, text, "v5e"), "reduce(x, ")
	assert.NotContains(t, assign(t, strings.Replace(text, "tuple(m, l)", "tuple(k, l)", 1), "v5e"), "reduce(x, ")
}

// The updates of a fused scatter are requested whichever parameter of the fusion they are.
func TestUpdatesAreTheFirstParameter(t *testing.T) {
	const text = `HloModule scattered

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

fused {
  u = f32[512,256] parameter(0)
  x = f32[1000,256] parameter(1)
  i = s32[512,1] parameter(2)
  ROOT s = f32[1000,256] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
}

ENTRY main {
  x = f32[1000,256] parameter(0)
  i = s32[512,1] parameter(1)
  u = f32[512,256] parameter(2)
  ROOT f = f32[1000,256] fusion(u, x, i), kind=kCustom, calls=fused
}
`
	found := map[int]bool{}
	for _, e := range events(t, text) {
		if e.Run == 1 && e.Operand >= 0 && e.Rule == "window dimensions minor for a scatter" {
			found[e.Operand] = true
		}
	}
	assert.Len(t, found, 2)
	assert.Contains(t, found, 0)
}

// Nothing passes through a custom fusion that makes its table itself.
func TestFusionMakesItsTable(t *testing.T) {
	for _, operation := range []string{
		"gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, " +
			"slice_sizes={1,128}",
		"scatter(t, i, p), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, " +
			"index_vector_dim=1, to_apply=last",
	} {
		assert.NotEmpty(t, events(t, `HloModule made

last {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}

made {
  p = f32[16,128] parameter(0)
  i = s32[16,1] parameter(1)
  z = f32[] constant(0)
  t = f32[16,128] broadcast(z), dimensions={}
  ROOT r = f32[16,128] `+operation+`
}

ENTRY main {
  p = f32[16,128] parameter(0)
  i = s32[16,1] parameter(1)
  f = f32[16,128] fusion(p, i), kind=kCustom, calls=made
  ROOT n = f32[16,128] negate(f)
}
`))
	}
}

// Where a turned table has its order already, the gather is invalid as long as its slices do not (turn-table).
func TestSlicesOfATurnedTable(t *testing.T) {
	const text = `HloModule turned

ENTRY main {
  x = f32[4000000,2,3] parameter(0)
  i = s32[512,1] parameter(1)
  g = f32[512,2,3] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={0},
      index_vector_dim=1, slice_sizes={1,2,3}
  ROOT c = f32[512,2,3] custom-call(g), custom_call_target="unknown", operand_layout_constraints={f32[512,2,3]{2,1,0}}
}
`
	found := map[int]bool{}
	for _, e := range events(t, text) {
		if e.Rule == "window dimensions minor for a gather" && e.Operand < 0 {
			found[e.Run] = true
		}
	}
	assert.NotContains(t, found, 1)
	assert.Contains(t, found, 2)
}

// A ragged dot with batch dimensions, several contracting or several other ones requests nothing; of its right operand
// N is minor, unless that is between the group and K and there is nothing else.
func TestRaggedDots(t *testing.T) {
	const (
		rows    = ", lhs_ragged_dims={0}, rhs_group_dims={0}"
		second  = "lhs_contracting_dims={1}, rhs_contracting_dims={1}" + rows
		third   = "lhs_contracting_dims={1}, rhs_contracting_dims={2}" + rows
		fourth  = "lhs_contracting_dims={1}, rhs_contracting_dims={3}" + rows
		between = "lhs_contracting_dims={2}, rhs_contracting_dims={1}" + rows
		several = "lhs_contracting_dims={1,2}, rhs_contracting_dims={1,2}" + rows
		batch   = "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}, " +
			"lhs_ragged_dims={1}, rhs_group_dims={1}"
	)
	for _, c := range []struct{ left, right, out, dims, want string }{
		{"37,24", "4,24,50", "37,50", second, "{1,0} {2,1,0}"},
		{"37,24", "4,50,24", "37,50", third, "{1,0} {2,1,0}"},
		{"37,24", "4,6,50,24", "37,6,50", fourth, "{1,0} {2,3,1,0}"},
		{"8,37,24", "8,4,24,50", "8,37,50", batch, ""},
		{"37,6,24", "4,6,24,50", "37,50", several, ""},
		{"37,5,24", "4,24,50", "37,5,50", between, ""},
		{"37,24", "4,24", "37", second, ""},
	} {
		var found []string
		for _, e := range events(t, "HloModule m\n\nENTRY %main {\n%x = f32["+c.left+"] parameter(0)\n%y = f32["+c.right+
			"] parameter(1)\n%g = s32[4] parameter(2)\nROOT %d = f32["+c.out+"] ragged-dot(%x, %y, %g), "+c.dims+"\n}\n") {
			if e.Run == 1 && e.Operand >= 0 && e.Rule == "the order that a ragged dot needs" {
				found = append(found, ints(e.MinorToMajor))
			}
		}
		assert.Equal(t, c.want, strings.Join(found, " "), c.dims)
	}
}

// What a custom call requires of a tuple is required of its elements, and copied where they have another layout.
func TestTupleOfACustomCall(t *testing.T) {
	got := assign(t, `HloModule m,
entry_computation_layout={(f32[16,256]{1,0:T(8,128)}, f32[8,300]{1,0:T(8,128)})->f32[4]{0}}

ENTRY main {
  a = f32[16,256] parameter(0)
  b = f32[8,300] parameter(1)
  t = (f32[16,256], f32[8,300]) tuple(a, b)
  ROOT c = f32[4] custom-call(t), custom_call_target="x",
      operand_layout_constraints={(f32[16,256]{0,1}, f32[8,300]{1,0})}
}
`, "v5e")
	assert.Contains(t, got, "f32[16,256]{0,1:T(8,128)} copy(")
	assert.NotContains(t, got, "f32[8,300]{1,0:T(8,128)} copy(")
}

// assigned is a module in which every array has a tile.
const assigned = "HloModule m\n\nENTRY %main {\n  ROOT %p = f32[8,128]{1,0:T(8,128)} parameter(0)\n}\n"

// The errors about pins name what is near, or the flag to use.
func TestErrorsOfPins(t *testing.T) {
	const text = "HloModule m\n\nENTRY %main {\n%x = f32[8,300] parameter(0)\n%value = f32[8,300] negate(%x)\n" +
		"%pair = (f32[8,300], token[]) custom-call(%value), custom_call_target=\"x\"\n" +
		"ROOT %r = f32[8,300] get-tuple-element(%pair), index=0\n}\n"
	for _, c := range []struct {
		text       string
		pin        plan.Pin
		code, hint string
		line       int
	}{
		{text, plan.Pin{Name: "valu", MinorToMajor: []int{0, 1}}, "PIN101", "did you mean %value?", 0},
		{text, plan.Pin{Name: "unlikely", MinorToMajor: []int{0, 1}}, "PIN101", "", 0},
		{text, plan.Pin{Name: "value", MinorToMajor: []int{0, 0}}, "PIN102",
			"an order names each of 0 to 1 once, the minor dimension first", 5},
		{text, plan.Pin{Name: "value", Index: hlo.Index{1}, MinorToMajor: []int{0, 1}}, "PIN103", "", 5},
		{text, plan.Pin{Name: "pair", MinorToMajor: []int{0, 1}}, "PIN103", "name a part, as in %pair{0}", 6},
		{text, plan.Pin{Name: "pair", Index: hlo.Index{1}, MinorToMajor: []int{0, 1}}, "PIN103", "", 6},
		{text, plan.Pin{Name: "x", MinorToMajor: []int{0, 1}}, "PIN104", "ask for it with --entry '%x={0,1}'", 4},
		{strings.ReplaceAll(text, "[8,300] ", "[8,300]{1,0:T(8,128)} "), plan.Pin{Name: "unlikely"}, "PIN101", "", 0},
		{assigned, plan.Pin{Name: "p"}, "PIN107", "", 0},
	} {
		_, err := Run(parse(t, c.text), target(t, "v5e"), plan.Options{Pins: []plan.Pin{c.pin}})
		refused := refusal(t, err)
		assert.Equal(t, []any{c.code, c.hint, c.line}, []any{refused.Code, refused.Hint, refused.Line}, c.pin)
	}
}

func TestRange(t *testing.T) {
	for want, l := range map[string]Limit{"": {Value: 4}, " (between 3 and 5)": {Low: 3, High: 5},
		" (between 0 and 5)": {Low: -1, High: 5}, " (3 or more is as good)": {Low: 3, Open: true}} {
		assert.Equal(t, want, l.Range())
	}
}

// A module that has been through the pass is assigned again only if that is asked for.
func TestReassign(t *testing.T) {
	for _, again := range []bool{false, true} {
		p, err := Run(parse(t, assigned), target(t, "v5e"), plan.Options{Reassign: again})
		require.NoError(t, err)
		assert.Equal(t, again, len(p.Decisions) > 0)
		assert.Equal(t, again, len(p.Notes) == 0)
	}
}

// What runs asynchronously is not the caller's to pin, and what a fusion gives as it takes it is read as it is pinned.
func TestPinsOfCalledComputations(t *testing.T) {
	const caller = "HloModule m\n\n%f {\n%q = f32[16,256] parameter(0)\nROOT %e = f32[16,256] exponential(%q)\n}\n\n" +
		"ENTRY %main {\n%a = f32[16,256] parameter(0)\n"
	asynchronous := caller + "%s = ((f32[16,256]), f32[16,256], u32[]) async-start(%a), calls=%f\n" +
		"ROOT %d = f32[16,256] async-done(%s)\n}\n"
	_, err := Run(parse(t, asynchronous), target(t, "v5e"),
		plan.Options{Pins: []plan.Pin{{Name: "e", MinorToMajor: []int{0, 1}}}})
	assert.Equal(t, "PIN104", refusal(t, err).Code)
	fused := strings.Replace(caller, "ROOT %e = f32[16,256] exponential(%q)\n", "", 1) +
		"ROOT %v = f32[16,256] fusion(%a), kind=kLoop, calls=%f\n}\n"
	fused = strings.Replace(fused, "%q", "ROOT %q", 1)
	assert.Empty(t, pinned(t, "fused", fused, target(t, "v5e"), []plan.Pin{{Name: "v", MinorToMajor: []int{0, 1}}}))
}

// Decide has nothing to say of a module that has its layouts. What is wrong with a module or with what the caller asks
// of it is an error of Run, Decide and Trace.
func TestErrorsOfDecide(t *testing.T) {
	v5e := target(t, "v5e")
	r, err := Decide(parse(t, assigned), v5e, plan.Options{})
	require.NoError(t, err)
	assert.Nil(t, r)
	layout := "(f32[8,300]{1,0})->f32[8,300]{1,0}"
	const body = "%p = f32[8,300] parameter(0)\nROOT %n = f32[8,300] negate(%p)"
	for _, c := range []struct {
		text string
		opt  plan.Options
	}{
		{entryOf(layout, strings.Replace(body, "negate(%p)", "transpose(%p), dimensions={1,1}", 1)), plan.Options{}},
		{entryOf(strings.ReplaceAll(layout, "8,", "9,"), body), plan.Options{}},
		{entryOf(layout, body), plan.Options{Pins: []plan.Pin{{Name: "m"}}}},
	} {
		_, err := Run(parse(t, c.text), v5e, c.opt)
		assert.Error(t, err, c.text)
		_, err = Decide(parse(t, c.text), v5e, c.opt)
		assert.Error(t, err, c.text)
		assert.Error(t, Trace(parse(t, c.text), v5e, c.opt, func(Event) {}), c.text)
	}
}
