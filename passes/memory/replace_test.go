package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
)

// Slices that the compiler's logs name as those that it replaces, or does not, on v5p and v7x.
func TestTransferred(t *testing.T) {
	for _, c := range []struct {
		from, to, slice string
		want            bool
	}{
		{"f32[11,4,140]{2,0,1:T(8,128)}", "f32[11,4,60]{2,0,1:T(8,128)}", "[0:11], [0:4], [0:60]", true},
		{"f32[11,4,140]{2,0,1:T(8,128)}", "f32[11,4,80]{2,0,1:T(8,128)}", "[0:11], [0:4], [60:140]", false},
		{"s32[120,8]{0,1:T(8,128)}", "s32[120,2]{0,1:T(2,128)}", "[0:120], [0:2]", true},
		{"f32[120,9]{0,1:T(8,128)}", "f32[120,1]{0,1:T(1,128)}", "[0:120], [0:1]", false},
		{"f32[4,34,48]{2,0,1:T(4,128)}", "f32[4,17,48]{2,0,1:T(4,128)}", "[0:4], [17:34], [0:48]", true},
		{"f32[2,4,32,16]{3,2,1,0:T(8,128)}", "f32[2,4,31,16]{3,2,1,0:T(8,128)}", "[0:2], [0:4], [1:32], [0:16]", false},
		{"f32[2,12,12,48]{3,0,2,1:T(2,128)}", "f32[2,9,9,48]{3,0,2,1:T(2,128)}", "[0:2], [0:9], [0:9], [0:48]", false},
		{"f32[120,9]{0,1:T(*,128)}", "f32[120,2]{0,1:T(8,128)}", "[0:120], [0:2]", false},
		{"f32[6,26,96]{2,0,1:T(8,128)}", "bf16[6,25,96]{2,0,1:T(8,128)(2,1)}", "[0:6], [1:26], [0:96]", false},
	} {
		e := engineOf(t, "HloModule m, is_scheduled=true\n\nENTRY %main {\n  %a = "+c.from+" parameter(0)\n  ROOT %s = "+c.to+
			" slice(%a), slice={"+c.slice+"}\n}\n", "v5p")
		assert.Equal(t, c.want, transferred(e.g.nodes[1].in), "%s of %s", c.slice, c.from)
		assert.Equal(t, hlo.OpSlice, e.g.nodes[1].in.Opcode)
	}
}

// Element k of a loop writes what the fusions in it write as their results k.
func TestBytesOfLoops(t *testing.T) {
	e := engineOf(t, `HloModule m, is_scheduled=true

%two {
  %p = f32[64,1024]{1,0:T(8,128)} parameter(0)
  %n = f32[64,1024]{1,0:T(8,128)} negate(%p)
  %a = f32[8,1024]{1,0:T(8,128)} slice(%p), slice={[0:8], [0:1024]}
  ROOT %r = (f32[64,1024]{1,0:T(8,128)}, f32[8,1024]{1,0:T(8,128)}) tuple(%n, %a)
}

%body {
  %c = (s32[]{:T(128)}, f32[64,1024]{1,0:T(8,128)}, f32[64,1024]{1,0:T(8,128)}) parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  %x = f32[64,1024]{1,0:T(8,128)} get-tuple-element(%c), index=1
  %y = f32[64,1024]{1,0:T(8,128)} get-tuple-element(%c), index=2
  %f = (f32[64,1024]{1,0:T(8,128)}, f32[8,1024]{1,0:T(8,128)}) fusion(%x), kind=kLoop, calls=%two
  %z = f32[64,1024]{1,0:T(8,128)} get-tuple-element(%f), index=0
  ROOT %r = (s32[]{:T(128)}, f32[64,1024]{1,0:T(8,128)}, f32[64,1024]{1,0:T(8,128)}) tuple(%i, %z, %y)
}

%cond {
  %c = (s32[]{:T(128)}, f32[64,1024]{1,0:T(8,128)}, f32[64,1024]{1,0:T(8,128)}) parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  ROOT %l = pred[]{:T(512)} compare(%i, %i), direction=LT
}

ENTRY %main {
  %c = (s32[]{:T(128)}, f32[64,1024]{1,0:T(8,128)}, f32[64,1024]{1,0:T(8,128)}) parameter(0)
  ROOT %w = (s32[]{:T(128)}, f32[64,1024]{1,0:T(8,128)}, f32[64,1024]{1,0:T(8,128)}) while(%c), condition=%cond,
    body=%body
}
`, "v5p")
	last := len(e.g.nodes) - 1
	assert.Equal(t, []float32{64 * 1024 * 4, 8 * 1024 * 4, 0}, e.c.wrote[e.g.leaf0[last]:e.g.leaf0[last+1]])
}

// A value that is in the fast space where a slice reads it is evicted, and the slice is a prefetch just before its use;
// not where the value has another name before that, whether the slice reads it by that name or not, or comes first.
func TestJointPlaces(t *testing.T) {
	const text = `HloModule joint, is_scheduled=true

ENTRY %main {
  %p = f32[2048,1024]{1,0:T(8,128)} parameter(0)
  %a = f32[2048,1024]{1,0:T(8,128)} negate(%p)
  EARLY
  %s = f32[8,1024]{1,0:T(8,128)} slice(%OF), slice={[0:8], [0:1024]}
  LATE
  %b.0 = f32[2048,1024]{1,0:T(8,128)} add(%a, %n)
  %b.1 = f32[2048,1024]{1,0:T(8,128)} negate(%b.0)
  %b.2 = f32[2048,1024]{1,0:T(8,128)} negate(%b.1)
  %b.3 = f32[2048,1024]{1,0:T(8,128)} negate(%b.2)
  %b.4 = f32[2048,1024]{1,0:T(8,128)} negate(%b.3)
  %use = f32[8,1024]{1,0:T(8,128)} negate(%s)
  ROOT %out = (f32[2048,1024]{1,0:T(8,128)}, f32[8,1024]{1,0:T(8,128)}) tuple(%b.4, %use)
}
`
	for _, c := range []struct {
		of, early, late string
		want            bool
	}{{"a", "negate", "", true}, {"a", "bitcast", "", false}, {"n", "bitcast", "", false}, {"a", "", "negate", true},
		{"a", "", "bitcast", false}} {
		rename := func(op string) string {
			if op == "" {
				return ""
			}
			return "%n = f32[2048,1024]{1,0:T(8,128)} " + op + "(%a)"
		}
		e := engineOf(t, strings.NewReplacer("OF", c.of, "EARLY", rename(c.early), "LATE", rename(c.late)).Replace(text),
			"v5e")
		replaced := slices.ContainsFunc(e.placed, func(h *held) bool {
			return h.replaced && e.g.nodes[h.time].in.Name == "s" && slices.ContainsFunc(h.list, func(a *allocation) bool {
				return a.fast && a.copied && e.g.nodes[a.ready].in.Name == "use"
			})
		})
		assert.Equal(t, c.want, replaced, c)
		evicted := slices.ContainsFunc(e.copies, func(c Copy) bool {
			return c.Evict && e.g.nodes[e.v.leafTime[c.leaf]].in.Name == "a"
		})
		assert.Equal(t, c.want, evicted, c)
	}
}

// A prefetch may take the place of a copy of what a loop writes over later, too.
func TestCopyOfWhatIsWrittenOver(t *testing.T) {
	const array, large = "f32[256,128]{1,0:T(8,128)}", "f32[4096,1024]{1,0:T(8,128)}"
	const tuple = "(s32[]{:T(128)}, " + array + ")"
	e := engineOf(t, `HloModule m, is_scheduled=true

%body {
  %c = `+tuple+` parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  %x = `+array+` get-tuple-element(%c), index=1
  %n = `+array+` negate(%x)
  ROOT %r = `+tuple+` tuple(%i, %n)
}

%cond {
  %c = `+tuple+` parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  ROOT %l = pred[]{:T(512)} compare(%i, %i), direction=LT
}

ENTRY %main {
  %p = `+array+` parameter(0)
  %q = `+large+` parameter(1)
  %i = s32[]{:T(128)} parameter(2)
  %a = `+array+` tanh(%p)
  %c = `+array+` copy(%a)
  %n = `+large+` negate(%q)
  %y = `+array+` tanh(%c)
  %t = `+tuple+` tuple(%i, %a)
  %w = `+tuple+` while(%t), condition=%cond, body=%body
  %o = `+array+` get-tuple-element(%w), index=1
  ROOT %r = (`+array+`, `+large+`, `+array+`) tuple(%y, %n, %o)
}
`, "v5p")
	for i := range e.bufs {
		e.bufs[i].done = false
	}
	for i := range e.g.nodes {
		if in := e.g.nodes[i].in; in.Name == "c" && in.Opcode == hlo.OpCopy {
			j := e.jointly(e.bufOf[e.v.at[e.g.leaf0[i]]], map[int32]bool{})
			assert.Len(t, j.moves, 1)
			assert.Len(t, j.bufs, 2)
			return
		}
	}
	assert.Fail(t, "no copy")
}

// After the last try that comes to nothing the first of several copies stays, and the try does not count.
func TestFirstCopyStays(t *testing.T) {
	e := &engine{retry: retries - 1}
	j := &joint{moves: map[int32]*held{7: {leaf: 5}, 3: {leaf: 4}, 4: {leaf: 6}}}
	stay := map[int32]bool{}
	e.keepMoves(result{failed: true}, j, stay)
	assert.Equal(t, map[int32]bool{4: true}, stay)
	assert.Equal(t, retries-2, e.retry)
	e.keepMoves(result{failed: true}, j, stay)
	assert.Len(t, stay, 1)
	e.keepMoves(result{failed: true, stays: j.moves[4]}, j, stay)
	assert.Equal(t, map[int32]bool{4: true, 6: true}, stay)
}

// Copies that are read before a prefetch could be done stay, however many they are, and so does one that an instruction
// awaits, or that is read again under another name; the others become prefetches.
func TestCopiesThatStay(t *testing.T) {
	const array, large = "f32[256,128]{1,0:T(8,128)}", "f32[4096,1024]{1,0:T(8,128)}"
	var hurried strings.Builder
	for i := range mostStay + 8 {
		fmt.Fprintf(&hurried, "  %%h.%d = %s copy(%%p)\n  %%t.%d = %s tanh(%%h.%d)\n", i, array, i, array, i)
	}
	for _, c := range []struct {
		before, awaits, again string
		want                  bool
	}{
		{"", "", "", true},
		{hurried.String(), "", "", true},
		{"", ", control-predecessors={%c}", "", false},
		{"", "", "  %z = " + array + " tanh(%b)\n", false},
	} {
		e := engineOf(t, "HloModule m, is_scheduled=true\n\nENTRY %main {\n  %p = "+array+" parameter(0)\n  %q = "+large+
			" parameter(1)\n"+c.before+"  %c = "+array+" copy(%p)\n  %n = "+large+" negate(%q)"+c.awaits+"\n  %b = "+array+
			" bitcast(%c)\n  %y = "+array+" tanh(%b)\n"+c.again+"  ROOT %r = ("+array+", "+large+") tuple(%y, %n)\n}\n", "v5p")
		var replaced, want []string
		for _, h := range e.placed {
			if h.replaced {
				replaced = append(replaced, e.g.nodes[h.time].in.Name)
			}
		}
		if c.want {
			want = []string{"c"}
		}
		assert.Equal(t, want, replaced, "%d placed%s%s", len(e.placed), c.awaits, c.again)
	}
}

// Where an instruction reads a value and what a copy makes of it, its operands come in their order.
func TestOrderOfWork(t *testing.T) {
	const array, large = "f32[256,128]{1,0:T(8,128)}", "f32[4096,1024]{1,0:T(8,128)}"
	e := engineOf(t, "HloModule m, is_scheduled=true\n\nENTRY %main {\n  %p = "+array+" parameter(0)\n  %q = "+large+
		" parameter(1)\n  %c = "+array+" copy(%p)\n  %n = "+large+" negate(%q)\n  %y = "+array+" add(%c, %p)\n  ROOT %r = ("+
		array+", "+large+") tuple(%y, %n)\n}\n", "v5p")
	for i := range e.bufs {
		e.bufs[i].done = false
	}
	j := e.jointly(e.bufOf[e.v.at[0]], map[int32]bool{})
	require.Len(t, j.moves, 1)
	var operands []int32
	for _, w := range e.worklist(j, j.hs[0]) {
		operands = append(operands, w.u.use)
	}
	assert.IsIncreasing(t, operands)
	assert.Len(t, operands, 3)
}

// A prefetch that does what a copy does may begin before the copy: as soon as what that reads is in HBM
// (1 program on v5e).
func TestCopyBeginsWithItsSource(t *testing.T) {
	e := &engine{}
	source, copied := &held{list: []*allocation{{ready: 3}}}, &held{time: 9}
	assert.True(t, e.beginsFrom(copied, source, nil))
	assert.EqualValues(t, 3, copied.list[0].ready)
}

// A copy of what a loop has handed on stays: the loop's result is another name of the value, whatever name the copy
// reads (3 of 3 in the compiler's logs).
func TestCopyAfterLoopStays(t *testing.T) {
	const array, large = "f32[256,128]{1,0:T(8,128)}", "f32[2048,1024]{1,0:T(8,128)}"
	const tuple = "(s32[]{:T(128)}, " + array + ")"
	text := `HloModule m, is_scheduled=true

%body {
  %c = ` + tuple + ` parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  %x = ` + array + ` get-tuple-element(%c), index=1
  ROOT %r = ` + tuple + ` tuple(%i, %x)
}

%cond {
  %c = ` + tuple + ` parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  ROOT %l = pred[]{:T(512)} compare(%i, %i), direction=LT
}

ENTRY %main {
  %p = ` + array + ` parameter(0)
  %q = ` + large + ` parameter(1)
  %i = s32[]{:T(128)} parameter(2)
  LOOP
  %a = ` + array + ` tanh(%p)
  %n = ` + large + ` negate(%q)
  %s = ` + array + ` copy(%p)
  %m = ` + large + ` negate(%n)
  %y = ` + array + ` tanh(%s)
  ROOT %r = (` + array + `, ` + array + `, ` + large + `) tuple(%a, %y, %m)
}
`
	const loop = "%t = " + tuple + " tuple(%i, %p)\n  %w = " + tuple + " while(%t), condition=%cond, body=%body"
	for with, want := range map[string]bool{"": true, loop: false} {
		e := engineOf(t, strings.ReplaceAll(text, "LOOP", with), "v5e")
		assert.Equal(t, want, slices.ContainsFunc(e.placed, func(h *held) bool {
			return h.replaced && e.g.nodes[h.time].in.Name == "s"
		}), with)
	}
}
