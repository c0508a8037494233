package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
	"hlolayout/passes/plan"
	"hlolayout/printer"
)

const text = `HloModule m

ENTRY %main {
  %p = f32[8,128]{1,0} parameter(0)
  %q = f32[8,128]{1,0} parameter(1)
  %a = f32[8,128]{1,0} add(%p, %q)
  %n = f32[8,128]{1,0} negate(%a)
  ROOT %t = (f32[8,128]{1,0}, f32[8,128]{1,0}) tuple(%n, %a)
}
`

func parse(t *testing.T, text string) *hlo.Module {
	t.Helper()
	m, err := parser.Parse("test.hlo", text)
	require.NoError(t, err)
	return m
}

// lines returns the instructions of the printed entry computation.
func lines(m *hlo.Module) []string {
	var out []string
	for _, l := range strings.Split(printer.Print(m), "\n") {
		if strings.Contains(l, " = ") {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}

func copyOf(name string, x *hlo.Instruction) *hlo.Instruction {
	return &hlo.Instruction{Name: name, Opcode: hlo.OpCopy, Shape: x.Shape, Operands: []*hlo.Instruction{x}, Pos: -1}
}

func TestCopyStandsBeforeItsUser(t *testing.T) {
	for _, scheduled := range []bool{false, true} {
		in := text
		if scheduled {
			in = strings.Replace(in, "HloModule m", "HloModule m, is_scheduled=true", 1)
		}
		m := parse(t, in)
		c := m.Entry
		p := plan.Plan{Edits: []plan.Edit{{Computation: c, New: []*hlo.Instruction{copyOf("copy", c.Instruction("q"))},
			Targets: []plan.Target{{User: c.Instruction("a"), Operand: 1}}}}}
		require.NoError(t, p.Apply(m))
		got := lines(m)
		require.Len(t, got, 6)
		assert.True(t, strings.HasPrefix(got[2], "%copy = "), got)
		assert.Contains(t, got[3], "add(%p, %copy)")
		for i, in := range c.Instructions {
			assert.Equal(t, int32(i), in.Index)
			assert.Same(t, c, in.Computation)
		}
	}
}

// Where an edit names its place, it is taken in a scheduled module, in the order of the edits; what is there is not
// moved to its user.
func TestAfter(t *testing.T) {
	m := parse(t, strings.Replace(text, "HloModule m", "HloModule m, is_scheduled=true", 1))
	c := m.Entry
	x := copyOf("x", c.Instruction("p"))
	y := copyOf("y", x)
	p := plan.Plan{Edits: []plan.Edit{
		{Computation: c, New: []*hlo.Instruction{x}, After: c.Instruction("p")},
		{Computation: c, New: []*hlo.Instruction{y}, After: c.Instruction("a"),
			Targets: []plan.Target{{User: c.Root, Operand: 0}}},
	}}
	require.NoError(t, p.Apply(m))
	got := lines(m)
	require.Len(t, got, 7)
	assert.True(t, strings.HasPrefix(got[1], "%x = "), got)
	assert.True(t, strings.HasPrefix(got[4], "%y = "), got)
	assert.Contains(t, got[6], "tuple(%y, %a)")
}

// An edit that inserts nothing makes its targets use what is there; what lost its last use by that is dropped, a
// barrier too.
func TestExisting(t *testing.T) {
	m := parse(t, `HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[8,128]{1,0} parameter(0)
  %n = f32[8,128]{1,0} negate(%p)
  %t = (f32[8,128]{1,0}) tuple(%p)
  %b = (f32[8,128]{1,0}) opt-barrier(%t)
  %e = f32[8,128]{1,0} get-tuple-element(%b), index=0
  ROOT %a = f32[8,128]{1,0} add(%e, %n)
}
`)
	c := m.Entry
	p := plan.Plan{Edits: []plan.Edit{{Computation: c, Existing: c.Instruction("n"),
		Targets: []plan.Target{{User: c.Root, Operand: 0}}}}}
	require.NoError(t, p.Apply(m))
	got := lines(m)
	require.Len(t, got, 3)
	assert.Contains(t, got[2], "add(%n, %n)")
}

func TestNewRootTakesTheOldTuplesPlace(t *testing.T) {
	m := parse(t, text)
	c := m.Entry
	x := copyOf("copy", c.Instruction("n"))
	root := &hlo.Instruction{Name: "tuple", Opcode: hlo.OpTuple, Shape: c.Root.Shape,
		Operands: []*hlo.Instruction{x, c.Instruction("a")}, Pos: -1}
	p := plan.Plan{Edits: []plan.Edit{{Computation: c, New: []*hlo.Instruction{x, root}, Targets: []plan.Target{{}}}}}
	require.NoError(t, p.Apply(m))
	got := lines(m)
	assert.True(t, strings.HasPrefix(got[len(got)-1], "ROOT %tuple = "), got)
	assert.NotContains(t, strings.Join(got, "\n"), "%t = ", "the old tuple has no use any more")
}

func TestDecisionsAndChanges(t *testing.T) {
	m := parse(t, text)
	l := &hlo.Layout{MinorToMajor: []int{0, 1}, Tiles: []hlo.Tile{{8, 128}}}
	p := plan.Plan{
		Decisions: []plan.Decision{{Instruction: m.Entry.Instruction("n"), Layout: l},
			{Instruction: m.Entry.Root, Index: hlo.Index{0}, Layout: l}},
		Changes: []plan.Change{{Instruction: m.Entry.Instruction("a"), Name: "b"}},
		Entry: &plan.EntryLayout{Params: []*hlo.Shape{m.Entry.Instruction("p").Shape, m.Entry.Instruction("q").Shape},
			Result: m.Entry.Root.Shape},
	}
	require.NoError(t, p.Apply(m))
	got := strings.Join(lines(m), "\n")
	assert.Contains(t, got, "%n = f32[8,128]{0,1:T(8,128)} negate(%b)")
	assert.Contains(t, got, "ROOT %t = (f32[8,128]{0,1:T(8,128)}, f32[8,128]{1,0}) tuple(%n, %b)")
	assert.Contains(t, printer.Print(m), "entry_computation_layout={(f32[8,128]{1,0}, f32[8,128]{1,0})->")
}

// A plan that does not fit leaves the module as it was.
func TestRefused(t *testing.T) {
	ok := hlo.DescendingLayout(2)
	for _, c := range []struct {
		name, want string
		plan       func(m *hlo.Module) plan.Plan
	}{
		{"rank", "does not fit", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Decisions: []plan.Decision{{Instruction: m.Entry.Instructions[0],
				Layout: &hlo.Layout{MinorToMajor: []int{0, 1}}},
				{Instruction: m.Entry.Instructions[1], Layout: hlo.DescendingLayout(3)}}}
		}},
		{"no permutation", "does not fit", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Decisions: []plan.Decision{{Instruction: m.Entry.Instructions[0],
				Layout: &hlo.Layout{MinorToMajor: []int{1, 1}}}}}
		}},
		{"no such leaf", "no array at", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Decisions: []plan.Decision{{Instruction: m.Entry.Root, Index: hlo.Index{5}, Layout: ok}}}
		}},
		{"leaves out of order", "not in the order", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Decisions: []plan.Decision{{Instruction: m.Entry.Root, Index: hlo.Index{1}, Layout: ok},
				{Instruction: m.Entry.Root, Index: hlo.Index{0}, Layout: ok}}}
		}},
		{"name taken", "is taken", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Edits: []plan.Edit{{Computation: m.Entry,
				New: []*hlo.Instruction{copyOf("n", m.Entry.Instructions[0])}}}}
		}},
		{"name twice", "two new instructions", func(m *hlo.Module) plan.Plan {
			x, y := copyOf("c", m.Entry.Instructions[0]), copyOf("c", m.Entry.Instructions[1])
			return plan.Plan{Edits: []plan.Edit{{Computation: m.Entry, New: []*hlo.Instruction{x, y}}}}
		}},
		{"no such operand", "no operand 7", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Edits: []plan.Edit{{Computation: m.Entry,
				New:     []*hlo.Instruction{copyOf("c", m.Entry.Instructions[0])},
				Targets: []plan.Target{{User: m.Entry.Instruction("a"), Operand: 7}}}}}
		}},
		{"foreign operand", "not in computation", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Edits: []plan.Edit{{Computation: m.Entry,
				New: []*hlo.Instruction{copyOf("c", copyOf("d", m.Entry.Instructions[0]))}}}}
		}},
		{"place elsewhere", "after which", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Edits: []plan.Edit{{Computation: m.Entry,
				New:   []*hlo.Instruction{copyOf("c", m.Entry.Instructions[0])},
				After: copyOf("d", m.Entry.Instructions[0])}}}
		}},
		{"existing elsewhere", "which is to be used", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Edits: []plan.Edit{{Computation: m.Entry, Existing: copyOf("d", m.Entry.Instructions[0])}}}
		}},
		{"foreign module", "not in the module", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Decisions: []plan.Decision{{Instruction: copyOf("d", m.Entry.Instructions[0]),
				Layout: ok}}}
		}},
		{"rename to a taken name", "is taken", func(m *hlo.Module) plan.Plan {
			return plan.Plan{Changes: []plan.Change{{Instruction: m.Entry.Instruction("a"), Name: "n"}}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parse(t, text)
			before := printer.Print(m)
			p := c.plan(m)
			require.ErrorContains(t, p.Apply(m), c.want)
			assert.Equal(t, before, printer.Print(m))
		})
	}
}

const loopText = `HloModule m, is_scheduled=true

%body {
  %p = (s32[], f32[8]{0}) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %x = f32[8]{0} get-tuple-element(%p), index=1
  %n = f32[8]{0} negate(%x)
  ROOT %r = (s32[], f32[8]{0}) tuple(%i, %n)
}

%cond {
  %p.1 = (s32[], f32[8]{0}) parameter(0)
  ROOT %c = pred[] constant(false)
}

ENTRY %main {
  %a = f32[8]{0} parameter(0)
  %b = f32[4]{0} parameter(1)
  %z = s32[] constant(0)
  %t = (s32[], f32[8]{0}) tuple(%z, %a)
  %w = (s32[], f32[8]{0}) while(%t), condition=%cond, body=%body
  ROOT %out = f32[8]{0} get-tuple-element(%w), index=1
}
`

// A loop carries one array more: its operand, its parameters, its body's result and its own have it as the last
// element.
func TestCarry(t *testing.T) {
	m := parse(t, loopText)
	w := m.Entry.Instruction("w")
	uses := func(in *hlo.Instruction) []hlo.Use { return in.Computation.Uses().Of(in) }
	require.True(t, plan.CanCarry(w, uses))
	b, body := m.Entry.Instruction("b"), w.CalledBy("body")
	get := &hlo.Instruction{Name: "more", Opcode: hlo.OpGetTupleElement, Shape: b.Shape, Operands: body.Parameters(),
		Pos:   -1,
		Attrs: []hlo.Attr{{Key: hlo.InstructionAttr("index"), Value: &hlo.Value{Kind: hlo.IntValue, Text: "2"}}}}
	p := plan.Plan{Edits: []plan.Edit{{Computation: body, New: []*hlo.Instruction{get}}},
		Carries: []plan.Carry{{While: w, Operand: b, Element: get}}}
	require.NoError(t, p.Apply(m))
	require.NoError(t, hlo.Check(m).Err())
	assert.Empty(t, verify.Module(m))
	assert.Equal(t, "(s32[], f32[8]{0}, f32[4]{0})", w.Shape.String())
	assert.Equal(t, []*hlo.Instruction{m.Entry.Instruction("z"), m.Entry.Instruction("a"), b}, w.Operands[0].Operands)
	assert.Equal(t, get, body.Root.Operands[2])
	assert.Contains(t, printer.Print(m), "%more = f32[4]{0} get-tuple-element(%p), index=2\n  ROOT %r = ")
}

// Loops whose tuple something else reads cannot carry more, and a plan that says so is refused where there is no tuple.
func TestCannotCarry(t *testing.T) {
	for _, change := range [][2]string{
		{"ROOT %out = f32[8]{0} get-tuple-element(%w), index=1", "ROOT %out = (s32[], f32[8]{0}) copy(%w)"},
		{"ROOT %out = f32[8]{0} get-tuple-element(%w), index=1", "ROOT %out = ((s32[], f32[8]{0}), (s32[], f32[8]{0})) " +
			"tuple(%t, %t)"},
		{"%t = (s32[], f32[8]{0}) tuple(%z, %a)", "%t = (s32[], f32[8]{0}) parameter(2)"},
	} {
		m := parse(t, strings.Replace(loopText, change[0], change[1], 1))
		w := m.Entry.Instruction("w")
		assert.False(t, plan.CanCarry(w, func(in *hlo.Instruction) []hlo.Use { return in.Computation.Uses().Of(in) }),
			change[1])
	}
	m := parse(t, loopText)
	a := m.Entry.Instruction("a")
	p := plan.Plan{Carries: []plan.Carry{{While: a, Operand: a, Element: a}}}
	assert.ErrorContains(t, p.Apply(m), "%a, which is to carry more, is not a loop of the module")
}

// The reason for a loop's array is in its parameter at the same place, though another one there has the order, too.
func TestChainKeepsItsPlace(t *testing.T) {
	loop, parameter := &hlo.Instruction{Name: "while"}, &hlo.Instruction{Name: "parameter"}
	p := &plan.Plan{}
	for _, in := range []*hlo.Instruction{loop, parameter} {
		for k, order := range [][]int{{0, 1}, {1, 0}, {1, 0}} {
			d := plan.Decision{Instruction: in, Index: hlo.Index{k}, Layout: &hlo.Layout{MinorToMajor: order},
				Reason: &plan.Reason{}}
			if in == loop {
				d.Reason.Source = parameter
			}
			p.Decisions = append(p.Decisions, d)
		}
	}
	for k := range 3 {
		chain := p.Chain(loop, hlo.Index{k})
		require.Len(t, chain, 2)
		assert.Equal(t, hlo.Index{k}, chain[1].Index)
	}
}

// What cannot start before its operands is refused: what is in no schedule, and what is not asynchronous.
func TestCannotSplit(t *testing.T) {
	split := func(m *hlo.Module) error {
		a := m.Entry.Instruction("a")
		return (&plan.Plan{Splits: []plan.Split{{Start: a, Update: copyOf("u", a), After: a}}}).Apply(m)
	}
	assert.ErrorContains(t, split(parse(t, text)), "%a, which is to start earlier, is not in a schedule of the module")
	scheduled := strings.Replace(text, "HloModule m", "HloModule m, is_scheduled=true", 1)
	assert.ErrorContains(t, split(parse(t, scheduled)), "%a, which is to start earlier, is not an async-start")
}

// Each element of a tuple that an edit makes is a separate array; an index without an array means the whole.
func TestChainsKnowElementsOfNewTuples(t *testing.T) {
	shape, err := parser.ParseShape("(f32[2,3]{1,0}, f32[4,5]{0,1})")
	require.NoError(t, err)
	tuple := &hlo.Instruction{Name: "t", Opcode: hlo.OpTuple, Shape: shape}
	p := &plan.Plan{Edits: []plan.Edit{{New: []*hlo.Instruction{tuple}, Reason: plan.Reason{Rule: "a"}}}}
	for k, order := range [][]int{{1, 0}, {0, 1}} {
		link, ok := p.Chains().At(tuple, hlo.Index{k})
		assert.True(t, ok)
		assert.Equal(t, hlo.Index{k}, link.Index)
		assert.Equal(t, order, link.Layout.MinorToMajor)
	}
	link, ok := p.Chains().At(tuple, hlo.Index{2})
	assert.True(t, ok)
	assert.Empty(t, link.Index)
}

// A chain goes on at the part of a tuple that is most like the array: of its order and place, else of its order, else
// the first.
func TestChainsFindWhatIsAlike(t *testing.T) {
	tuple, user := &hlo.Instruction{Name: "t"}, &hlo.Instruction{Name: "u"}
	row, column := &hlo.Layout{MinorToMajor: []int{1, 0}}, &hlo.Layout{MinorToMajor: []int{0, 1}}
	for _, c := range []struct {
		index  hlo.Index
		layout *hlo.Layout
		want   hlo.Index
	}{{hlo.Index{2}, column, hlo.Index{2}}, {hlo.Index{0}, column, hlo.Index{1}}, {hlo.Index{7}, column, hlo.Index{1}},
		{hlo.Index{2}, row, hlo.Index{0}}, {hlo.Index{1}, &hlo.Layout{MinorToMajor: []int{0}}, hlo.Index{0}}} {
		p := &plan.Plan{Decisions: []plan.Decision{
			{Instruction: tuple, Index: hlo.Index{0}, Layout: row, Reason: &plan.Reason{Rule: "a"}},
			{Instruction: tuple, Index: hlo.Index{1}, Layout: column, Reason: &plan.Reason{Rule: "b"}},
			{Instruction: tuple, Index: hlo.Index{2}, Layout: column, Reason: &plan.Reason{Rule: "c"}},
			{Instruction: user, Index: c.index, Layout: c.layout, Reason: &plan.Reason{Rule: "d", Source: tuple}}}}
		chain := p.Chain(user, c.index)
		require.Len(t, chain, 2)
		assert.Equal(t, c.want, chain[1].Index, "%v %v", c.index, c.layout.MinorToMajor)
		end, ok := p.Chains().End(user, c.index)
		assert.True(t, ok)
		assert.Equal(t, chain[1], end)
	}
}
