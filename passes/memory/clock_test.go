package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

const twoLoops = `HloModule loops, is_scheduled=true

%c.1 {
  %q.1 = (f32[1024,1024]{1,0:T(8,128)}) parameter(0)
  ROOT %r.1 = pred[]{:T(512)} constant(false)
}
%b.1 {
  %p.1 = (f32[1024,1024]{1,0:T(8,128)}) parameter(0)
  %e.1 = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(%p.1), index=0
  %x.1 = f32[1024,1024]{1,0:T(8,128)} negate(%e.1)
  %y.1 = f32[1024,1024]{1,0:T(8,128)} negate(%x.1)
  ROOT %t.1 = (f32[1024,1024]{1,0:T(8,128)}) tuple(%y.1)
}
%c.2 {
  %q.2 = (f32[1024,1024]{1,0:T(8,128)}) parameter(0)
  ROOT %r.2 = pred[]{:T(512)} constant(false)
}
%b.2 {
  %p.2 = (f32[1024,1024]{1,0:T(8,128)}) parameter(0)
  %e.2 = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(%p.2), index=0
  %x.2 = f32[1024,1024]{1,0:T(8,128)} negate(%e.2)
  ROOT %t.2 = (f32[1024,1024]{1,0:T(8,128)}) tuple(%x.2)
}
ENTRY %main {
  %a = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  %first = f32[1024,1024]{1,0:T(8,128)} negate(%a)
  %in.1 = (f32[1024,1024]{1,0:T(8,128)}) tuple(%first)
  %w.1 = (f32[1024,1024]{1,0:T(8,128)}) while(%in.1), condition=%c.1, body=%b.1
  %between = f32[1024,1024]{1,0:T(8,128)} negate(%a)
  %g.1 = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(%w.1), index=0
  %in.2 = (f32[1024,1024]{1,0:T(8,128)}) tuple(%g.1)
  %w.2 = (f32[1024,1024]{1,0:T(8,128)}) while(%in.2), condition=%c.2, body=%b.2
  %g.2 = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(%w.2), index=0
  ROOT %out = f32[1024,1024]{1,0:T(8,128)} add(%g.2, %between)
}
`

// Time counts for one run of the innermost loop that holds all of it: a loop between two times counts five runs, what
// is in the same loop one, and where the times are in different loops, both loops count five runs.
func TestTimeBetween(t *testing.T) {
	e := engineOf(t, twoLoops, "v5e")
	at := map[string]int32{}
	for k := range e.g.nodes {
		at[e.g.nodes[k].in.Name] = int32(k)
	}
	one := e.c.elapsed[at["first"]] // each negate takes as long
	for _, c := range []struct {
		from, to string
		want     float32
	}{
		{"e.1", "y.1", 1}, {"p.1", "t.1", 2}, {"a", "in.1", 1}, {"in.1", "between", 10}, {"first", "g.2", 16},
		{"x.1", "x.2", 6}, {"x.1", "between", 5}, {"between", "first", 0},
	} {
		assert.InEpsilon(t, 1+c.want*one*1e6, 1+e.k.between(at[c.from], at[c.to])*1e6, .005, "%s to %s", c.from, c.to)
	}
	assert.Equal(t, e.k.between(0, at["g.2"]), e.k.between(-1, at["g.2"]), "before the program is at its begin")
}

// Prefetches are timed with the median of the results of more than 1 MiB, those of fusions' bodies and no renamings
// among them, but with no more than the largest result outside of them.
func TestMedianSize(t *testing.T) {
	const mib = 1 << 20
	module := func(inside, outside string) string {
		return `HloModule sizes, is_scheduled=true

%sum {
  %l = f32[]{:T(128)} parameter(0)
  %r = f32[]{:T(128)} parameter(1)
  ROOT %a = f32[]{:T(128)} add(%l, %r)
}

%f {
  %p = f32[64,128]{1,0:T(8,128)} parameter(0)
  %z = f32[]{:T(128)} constant(0)
  %b = ` + inside + `{2,1,0:T(8,128)} broadcast(%p), dimensions={1,2}
  %c = ` + inside + `{2,1,0:T(8,128)} negate(%b)
  %d = ` + inside + `{2,1,0:T(8,128)} negate(%c)
  %e = ` + inside + `{2,1,0:T(8,128)} negate(%d)
  ROOT %s = f32[64,128]{1,0:T(8,128)} reduce(%e, %z), dimensions={0}, to_apply=%sum
}

ENTRY %main {
  %p = f32[64,128]{1,0:T(8,128)} parameter(0)
  %q = ` + outside + `{1,0:T(8,128)} parameter(1)
  %x = ` + outside + `{1,0:T(8,128)} bitcast(%q)
  %y = ` + outside + `{1,0:T(8,128)} bitcast(%x)
  %n = ` + outside + `{1,0:T(8,128)} negate(%y)
  %g = f32[64,128]{1,0:T(8,128)} fusion(%p), kind=kLoop, calls=%f
  ROOT %t = (f32[64,128]{1,0:T(8,128)}, ` + outside + `{1,0:T(8,128)}) tuple(%g, %n)
}
`
	}
	for _, c := range []struct {
		inside, outside string
		want            int64
	}{
		{"f32[2,64,128]", "f32[8,128]", 0},
		{"f32[64,64,128]", "f32[8,128]", 64 * 128 * 4},
		{"f32[64,64,128]", "f32[8192,128]", 2 * mib}, // 4 with the bitcasts
		{"f32[64,64,128]", "f32[4096,128]", 2 * mib},
		{"f32[2,64,128]", "f32[8192,128]", 4 * mib},
	} {
		assert.Equal(t, c.want, engineOf(t, module(c.inside, c.outside), "v5e").k.override, "%s, %s", c.inside, c.outside)
	}
}

// medianOfLoop returns the size that prefetches are timed with where a loop with a body carries an array of 4 MiB next
// to four results of 2 MiB.
func medianOfLoop(t *testing.T, body string) int64 {
	return engineOf(t, `HloModule sizes, is_scheduled=true

%c {
  %q = (f32[8192,128]{1,0:T(8,128)}) parameter(0)
  ROOT %r = pred[]{:T(512)} constant(false)
}

%b {
`+body+`
}

ENTRY %main {
  %a = f32[8192,128]{1,0:T(8,128)} parameter(0)
  %k = f32[4096,128]{1,0:T(8,128)} parameter(1)
  %l = f32[4096,128]{1,0:T(8,128)} negate(%k)
  %m = f32[4096,128]{1,0:T(8,128)} negate(%l)
  %n = f32[4096,128]{1,0:T(8,128)} negate(%m)
  %in = (f32[8192,128]{1,0:T(8,128)}) tuple(%a)
  %w = (f32[8192,128]{1,0:T(8,128)}) while(%in), condition=%c, body=%b
  %g = f32[8192,128]{1,0:T(8,128)} get-tuple-element(%w), index=0
  ROOT %out = (f32[8192,128]{1,0:T(8,128)}, f32[4096,128]{1,0:T(8,128)}) tuple(%g, %n)
}
`, "v5e").k.override
}

// What a loop returns does not count for the median: of four results of 2 and three of 4 MiB the first are more.
func TestMedianSizeOfLoops(t *testing.T) {
	assert.Equal(t, int64(2<<20), medianOfLoop(t, "  ROOT %p = (f32[8192,128]{1,0:T(8,128)}) parameter(0)"))
}

// What a loop carries unchanged is one value of the median by which prefetches are timed, however often the loop's
// computations name it: one of 2 MiB here, among three of 4 MiB that are made.
func TestMedianOfValues(t *testing.T) {
	const small, large = "f32[512,1024]{1,0:T(8,128)}", "f32[1024,1024]{1,0:T(8,128)}"
	const carry = "(s32[]{:T(128)}, " + small + ", " + small + ")"
	e := engineOf(t, "HloModule median, is_scheduled=true\n\n%c {\n  %p = "+carry+" parameter(0)\n"+
		"  ROOT %r = pred[]{:T(512)} constant(false)\n}\n\n%b {\n  ROOT %q = "+carry+" parameter(0)\n}\n\n"+
		"ENTRY %main {\n  %a = "+small+" parameter(0)\n  %zero = s32[]{:T(128)} constant(0)\n  %t = "+carry+
		" tuple(%zero, %a, %a)\n  %w = "+carry+" while(%t), condition=%c, body=%b\n  %l = "+large+" parameter(1)\n"+
		"  %m = "+large+" negate(%l)\n  %n = "+large+" negate(%m)\n  %e = "+small+
		" get-tuple-element(%w), index=1\n  ROOT %out = ("+large+", "+small+") tuple(%n, %e)\n}\n", "v6e")
	assert.EqualValues(t, 4*mib, medianSize(e.v))
}

// What a loop changes is a value where it starts, in its body, in its condition and after it; what its body makes of it
// is one more.
func TestMedianSizeOfChanged(t *testing.T) {
	const parameter = "  %p = (f32[8192,128]{1,0:T(8,128)}) parameter(0)\n" +
		"  %e = f32[8192,128]{1,0:T(8,128)} get-tuple-element(%p), index=0\n"
	assert.Equal(t, int64(2*mib), medianOfLoop(t, parameter+"  ROOT %t = (f32[8192,128]{1,0:T(8,128)}) tuple(%e)"))
	assert.Equal(t, int64(4*mib), medianOfLoop(t, parameter+"  %x = f32[8192,128]{1,0:T(8,128)} negate(%e)\n"+
		"  ROOT %t = (f32[8192,128]{1,0:T(8,128)}) tuple(%x)"))
}

// Of what another unit runs, fusions count with their bodies, and what one that is started there makes; parameters and
// calls are the values of what starts them.
func TestMedianSizeApart(t *testing.T) {
	shape := func(text string) *hlo.Instruction {
		m, err := parser.Parse("m.hlo", "HloModule m\n\nENTRY %e {\n  %p = f32[8]{0} parameter(0)\n  ROOT "+text+"\n}\n")
		require.NoError(t, err)
		return m.Entry.Root
	}
	leaves := []int64{1, 2, 3}
	for text, want := range map[string][]int64{
		"%x = f32[8]{0} negate(%p)":                             leaves,
		"%x = f32[8]{0} bitcast(%p)":                            nil,
		"%x = f32[8]{0} parameter(1)":                           nil,
		"%x = ((f32[8]{0}), f32[8]{0}, s32[]) async-start(%p)":  {2},
		"%x = f32[8]{0} async-done(%p)":                         nil,
		"%x = ((f32[8]{0}), f32[8]{0}, s32[]) async-update(%p)": nil,
	} {
		assert.Equal(t, want, defined(shape(text), leaves, true), text)
	}
	assert.Equal(t, leaves, defined(shape("%x = f32[8]{0} parameter(1)"), leaves, false), "of a fusion")
}
