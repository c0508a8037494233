package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/tpu"
)

// Instructions come after their control predecessors, the last of them first, and then their operands in order.
func TestPostOrder(t *testing.T) {
	m, err := parser.Parse("order.hlo", `HloModule order

ENTRY %main {
  %d = f32[8] parameter(3)
  %c = f32[8] parameter(2)
  %b = f32[8] parameter(1)
  %a = f32[8] parameter(0)
  %last = f32[8] negate(%d)
  %first = f32[8] negate(%c)
  %sum = f32[8] add(%a, %b), control-predecessors={%first, %last}
  ROOT %out = f32[8] clamp(%sum, %first, %last)
}
`)
	require.NoError(t, err)
	var names []string
	for _, in := range postOrder(m.Entry) {
		names = append(names, in.Name)
	}
	assert.Equal(t, "d last c first a b sum out", strings.Join(names, " "))
}

// Parameters live from the start of their computation on, those that end first first; of values that live equally long,
// the one that is read first. Tuples count too, arrays without elements do not.
func TestLifetimes(t *testing.T) {
	m, err := parser.Parse("lives.hlo", `HloModule lives, is_scheduled=true, `+
		`input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias), `+
		`{2}: (2, {}, may-alias), {3}: (3, {}, may-alias) }

ENTRY %main {
  %a = f32[1024]{0:T(1024)} parameter(0)
  %b = f32[1024]{0:T(1024)} parameter(1)
  %c = f32[1024]{0:T(1024)} parameter(2)
  %d = f32[1024]{0:T(1024)} parameter(3)
  %z = f32[0]{0:T(128)} parameter(4)
  %e = f32[1024]{0:T(1024)} add(%d, %c)
  %pair = (f32[1024]{0:T(1024)}, f32[1024]{0:T(1024)}) tuple(%b, %e)
  %none = f32[0]{0:T(128)} negate(%z)
  %f = f32[1024]{0:T(1024)} add(%b, %e)
  %g = f32[1024]{0:T(1024)} add(%a, %f)
  ROOT %out = (f32[1024]{0:T(1024)}, f32[1024]{0:T(1024)}, f32[1024]{0:T(1024)}) tuple(%e, %f, %g)
  %last = f32[1024]{0:T(1024)} get-tuple-element(%pair), index=1
}
`)
	require.NoError(t, err)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	a, err := Analyze(m, target)
	require.NoError(t, err)
	var lives []string
	for x, l := range a.v.def {
		lives = append(lives, fmt.Sprintf("%s %d-%d", a.instruction(a.v.leafTime[l]).Name, a.e.from[x], a.e.to[x]))
	}
	// %a and %b end where the results begin that take their places. The tuple %pair is freed at 14: what the root names
	// lives on after the last instruction.
	assert.Equal(t, []string{"a 3-8", "b 4-11", "c 2-7", "d 1-6", "z 0-0", "e 5-15", "none 0-0", "f 10-16", "g 12-17"},
		lives[:9])
}

// What a loop starts with ends where its condition begins, as in the compiler's log of the heap simulator: what is
// there from the start of the condition, the condition's parameter, lives on until the body's begins.
func TestLifetimesAroundLoops(t *testing.T) {
	e := engineOf(t, `HloModule loop, is_scheduled=true

%c {
  %limit = s32[]{:T(128)} constant(8)
  %p = (s32[]{:T(128)}, f32[1024]{0:T(1024)}) parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%p), index=0
  ROOT %less = pred[]{:T(512)} compare(%i, %limit), direction=LT
}

%b {
  %one = s32[]{:T(128)} constant(1)
  %q = (s32[]{:T(128)}, f32[1024]{0:T(1024)}) parameter(0)
  %j = s32[]{:T(128)} get-tuple-element(%q), index=0
  %next = s32[]{:T(128)} add(%j, %one)
  %x = f32[1024]{0:T(1024)} get-tuple-element(%q), index=1
  %y = f32[1024]{0:T(1024)} negate(%x)
  ROOT %r = (s32[]{:T(128)}, f32[1024]{0:T(1024)}) tuple(%next, %y)
}

ENTRY %main {
  %zero = s32[]{:T(128)} constant(0)
  %a = f32[1024]{0:T(1024)} parameter(0)
  %first = f32[1024]{0:T(1024)} copy(%a)
  %in = (s32[]{:T(128)}, f32[1024]{0:T(1024)}) tuple(%zero, %first)
  %loop = (s32[]{:T(128)}, f32[1024]{0:T(1024)}) while(%in), condition=%c, body=%b
  ROOT %out = f32[1024]{0:T(1024)} get-tuple-element(%loop), index=1
}
`, "v5e")
	lives := e.lives()
	inTurn(lives)
	var got []string
	for _, l := range lives {
		name := "tuple"
		if l.value >= 0 {
			name = e.g.nodes[e.v.leafTime[e.v.def[l.value]]].in.Name + e.v.indexOf(e.v.def[l.value]).String()
		}
		got = append(got, fmt.Sprintf("%s %d-%d", name, l.start, l.end))
	}
	for _, want := range []string{"first 2-4", "p{1} 4-8", "q{1} 8-13", "y 13-15", "loop{1} 15-17", "limit 4-7",
		"less 7-8"} {
		assert.Contains(t, got, want)
	}
}

// A tuple inside of a conditional's result has a separate table of pointers, which that of a branch is in the place
// of, whether the branch makes it or is given it: each ends where the next one begins, as in the compiler's log of the
// heap simulator.
func TestLifetimesOfNestedTuples(t *testing.T) {
	e := engineOf(t, `HloModule nested, is_scheduled=true

%x {
  ROOT %p = ((f32[8]{0:T(128)})) parameter(0)
}

%y {
  %q = ((f32[8]{0:T(128)})) parameter(0)
  %i = (f32[8]{0:T(128)}) get-tuple-element(%q), index=0
  %j = f32[8]{0:T(128)} get-tuple-element(%i), index=0
  %n = f32[8]{0:T(128)} negate(%j)
  %m = (f32[8]{0:T(128)}) tuple(%n)
  ROOT %o = ((f32[8]{0:T(128)})) tuple(%m)
}

ENTRY %main {
  %flag = pred[]{:T(512)} parameter(0)
  %a = f32[8]{0:T(128)} parameter(1)
  %b = (f32[8]{0:T(128)}) tuple(%a)
  %c = ((f32[8]{0:T(128)})) tuple(%b)
  %d = ((f32[8]{0:T(128)})) conditional(%flag, %c, %c), branch_computations={%x, %y}
  %e = (f32[8]{0:T(128)}) get-tuple-element(%d), index=0
  %f = f32[8]{0:T(128)} get-tuple-element(%e), index=0
  ROOT %g = f32[8]{0:T(128)} negate(%f)
}
`, "v5e")
	at := func(c, name string) int32 {
		return e.g.timeOf(e.g.m.Computation(c).Instruction(name))
	}
	inner := e.g.nestedTuples()
	assert.Equal(t, []nested{{at("main", "d"), []int{0}}}, inner)
	lives := e.lives()
	inTurn(lives)
	times := map[int32][2]int32{}
	places := map[int32]int32{}
	for _, l := range lives {
		if l.value == none {
			times[l.start], places[l.start] = [2]int32{l.start, l.end}, l.place
		}
	}
	d, m := at("main", "d"), at("y", "m")
	assert.Equal(t, places[at("main", "b")], places[m])
	assert.Equal(t, [2]int32{m, at("y", "o") + 1}, times[m])
	tables := e.g.tablesOfTuples(inner)
	assert.Equal(t, tables[m], tables[len(e.g.nodes)])
	assert.Equal(t, at("main", "f"), e.usedUntil(e.g.nodes[d].in, []int{0}))
	assert.Equal(t, nested{none, nil}, e.g.tableAt(e.g.nodes[at("main", "g")].in, []int{0}))
}

// crossing writes a program of n parameters of 0.5 or 2 MiB that are all read at its end, after a long product, by
// instructions or by a loop that carries them.
func crossing(n, rows int, loop bool) string {
	var text, shapes, names, elements strings.Builder
	shape := fmt.Sprintf("f32[%d,1024]{1,0:T(8,128)}", rows)
	const big = "f32[4096,4096]{1,0:T(8,128)}"
	text.WriteString("ENTRY %main {\n")
	for i := range n {
		fmt.Fprintf(&text, "  %%p.%d = %s parameter(%d)\n", i, shape, i)
		fmt.Fprintf(&shapes, ", %s", shape)
		fmt.Fprintf(&names, ", %%p.%d", i)
		fmt.Fprintf(&elements, "  %%e.%d = %s get-tuple-element(%%in), index=%d\n  %%n.%d = %s negate(%%e.%d)\n", i, shape,
			i+1, i, shape, i)
	}
	fmt.Fprintf(&text, "  %%big = %s parameter(%d)\n  %%zero = s32[]{:T(128)} constant(0)\n", big, n)
	fmt.Fprintf(&text, "  %%long = %s convolution(%%big, %%big), dim_labels=bf_io->bf\n", big)
	carry := "(s32[]{:T(128)}" + shapes.String() + ")"
	if !loop {
		for i := range n {
			fmt.Fprintf(&text, "  %%n.%d = %s negate(%%p.%d)\n", i, shape, i)
		}
		fmt.Fprintf(&text, "  ROOT %%out = (%s) tuple(%%long)\n}\n", big)
		return "HloModule crossing, is_scheduled=true\n\n" + text.String()
	}
	fmt.Fprintf(&text, "  %%t = %s tuple(%%zero%s)\n", carry, names.String())
	fmt.Fprintf(&text, "  %%w = %s while(%%t), condition=%%c, body=%%b\n  ROOT %%out = s32[]{:T(128)} "+
		"get-tuple-element(%%w), index=0\n}\n", carry)
	return fmt.Sprintf("HloModule crossing, is_scheduled=true\n\n%%c {\n  %%q = %s parameter(0)\n"+
		"  ROOT %%r = pred[]{:T(512)} constant(false)\n}\n\n%%b {\n  ROOT %%in = %s parameter(0)\n%s}\n\n",
		carry, carry, elements.String()) + text.String()
}

// At most 40 prefetches are under way at a time, each piece counted.
func TestPrefetchesUnderWay(t *testing.T) {
	for _, c := range []struct {
		name    string
		n, rows int
		loop    bool
		most    int32
	}{
		{"small ones, in one piece", 60, 128, false, 40},
	} {
		e := engineOf(t, crossing(c.n, c.rows, c.loop), "v5e")
		most := int32(0)
		for at := range int32(len(e.g.nodes)) {
			most = max(most, e.inPrefetch.meeting(at, at))
		}
		assert.Equal(t, c.most, most, c.name)
	}
}

// Of 45 values that are read in the fast space and returned, 39 are copied back at the same time.
func TestEvictionsUnderWay(t *testing.T) {
	const n = 45
	var text, results, shapes strings.Builder
	const shape = "f32[128,128]{1,0:T(8,128)}"
	fmt.Fprintf(&text, "HloModule evictions, is_scheduled=true\n\nENTRY %%main {\n  %%p = %s parameter(0)\n"+
		"  %%large = f32[4096,1024]{1,0:T(8,128)} parameter(1)\n"+
		"  %%read = f32[4096,1024]{1,0:T(8,128)} negate(%%large)\n", shape)
	for i := range n {
		fmt.Fprintf(&text, "  %%v.%d = %s negate(%%p)\n  %%r.%d = %s add(%%v.%d, %%v.%d)\n", i, shape, i, shape, i, i)
		fmt.Fprintf(&results, "%%v.%d, ", i)
		fmt.Fprintf(&shapes, "%s, ", shape)
	}
	fmt.Fprintf(&text, "  ROOT %%out = (%sf32[4096,1024]{1,0:T(8,128)}) tuple(%s%%read)\n}\n", shapes.String(),
		results.String())
	m, err := parser.Parse("evictions.hlo", text.String())
	require.NoError(t, err)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	a, err := Analyze(m, target)
	require.NoError(t, err)
	evicted := 0
	for _, c := range a.e.copies {
		if c.Evict {
			evicted++
		}
	}
	assert.Equal(t, 39, evicted)
	most := int32(0)
	for at := range int32(len(a.g.nodes)) {
		most = max(most, a.e.inEvic.meeting(at, at))
	}
	assert.Equal(t, int32(39), most)
}

// Taking an element of a tuple reads its table alone: of values that only products make and read, the priority is how
// far these are from waiting for memory.
func TestPriorityOfElements(t *testing.T) {
	const x = "f32[4096,4096]{1,0:T(8,128)}"
	e := engineOf(t, "HloModule elements, is_scheduled=true\n\n%f {\n  %p = "+x+" parameter(0)\n  %y = "+x+
		" convolution(%p, %p), dim_labels=bf_io->bf\n  %n = "+x+" negate(%y)\n  ROOT %t = ("+x+", "+x+
		") tuple(%y, %n)\n}\n\nENTRY %main {\n  %a = "+x+" parameter(0)\n  %z = ("+x+", "+x+
		") fusion(%a), kind=kOutput, calls=%f\n  %l = "+x+" get-tuple-element(%z), index=0\n  %r = "+x+
		" get-tuple-element(%z), index=1\n  ROOT %w = "+x+" convolution(%l, %r), dim_labels=bf_io->bf\n}\n", "v5e")
	for _, b := range e.bufs {
		if in := e.g.nodes[e.v.leafTime[e.v.def[b.first]]].in; in.Name == "z" {
			assert.Less(t, b.priority, float32(-1e-9))
		}
	}
}

// What a program of another unit has takes memory from the parameters on until it has its operands, and then until it
// is done: the clock ticks for it.
func TestLivesOfOffloads(t *testing.T) {
	e := engineOf(t, inPlace["offload"], "v7x")
	at := func(name string) int32 { return e.g.timeOf(e.g.m.Entry.Instruction(name)) }
	last := make([]int32, len(e.g.nodes))
	last[at("start")] = at("done")
	times := map[[2]int32]int{}
	places := map[int32]bool{}
	for _, l := range e.statesOfOffloads(e.g.made(), last, 0) {
		times[[2]int32{l.start, l.end}]++
		places[l.place] = true
		assert.EqualValues(t, none, l.value)
	}
	assert.Equal(t, map[[2]int32]int{{at("u") + 1, at("start")}: begunParts, {at("start"), at("done")}: givenParts}, times)
	assert.Len(t, places, begunParts+givenParts)

	plain := engineOf(t, strings.Replace(inPlace["offload"], `async_execution_thread="sparsecore", `, "", 1), "v7x")
	ticks := func(e *engine) int32 {
		x := e.v.at[e.g.leaf0[e.g.timeOf(e.g.m.Entry.Instruction("a"))]]
		return e.to[x] - e.from[x]
	}
	assert.Equal(t, ticks(plain)+2*(begunParts+givenParts), ticks(e), "a parameter lives to the end")
}
