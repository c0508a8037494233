package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/tpu"
)

const carrying = `HloModule carrying, is_scheduled=true

%c {
  %q = (f32[8,128]{1,0:T(8,128)}) parameter(0)
  ROOT %never = pred[]{:T(512)} constant(false)
}
%b {
  %p = (f32[8,128]{1,0:T(8,128)}) parameter(0)
  %e = f32[8,128]{1,0:T(8,128)} get-tuple-element(%p), index=0
  %x = f32[8,128]{1,0:T(8,128)} negate(%e)
  ROOT %t = (f32[8,128]{1,0:T(8,128)}) tuple(%x)
}
%yes {
  %y = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT %ny = f32[8,128]{1,0:T(8,128)} negate(%y)
}
%no {
  %n = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT %nn = f32[8,128]{1,0:T(8,128)} sine(%n)
}
ENTRY %main {
  %a = f32[8,128]{1,0:T(8,128)} parameter(0)
  %which = pred[]{:T(512)} parameter(1)
  %first = f32[8,128]{1,0:T(8,128)} negate(%a)
  %in = (f32[8,128]{1,0:T(8,128)}) tuple(%first)
  %w = (f32[8,128]{1,0:T(8,128)}) while(%in), condition=%c, body=%b
  %g = f32[8,128]{1,0:T(8,128)} get-tuple-element(%w), index=0
  %k = f32[8,128]{1,0:T(8,128)} sine(%g)
  %if = f32[8,128]{1,0:T(8,128)} conditional(%which, %k, %g), true_computation=%yes, false_computation=%no
  %r = f32[8,128]{1,0:T(8,128)} negate(%if)
  ROOT %out = f32[8,128]{1,0:T(8,128)} bitcast(%r)
}
`

// What a loop or conditional takes, holds and returns, and what the program returns, has one space: a buffer of which
// one part is elsewhere has to stay in HBM, one without a part in the fast space stays as it is.
func TestSettle(t *testing.T) {
	m, err := parser.Parse("carrying.hlo", carrying)
	require.NoError(t, err)
	tgt, err := tpu.ByName("v5e")
	require.NoError(t, err)
	for _, c := range []struct {
		odd  string // what is in the fast space, or the instruction that reads it there
		read bool
		want []string
	}{
		{"", false, nil},
		{"a", false, nil}, {"x", false, []string{"first"}}, {"first", false, []string{"first"}},
		{"w", false, []string{"first"}}, {"p", false, []string{"first"}}, {"q", false, []string{"first"}},
		{"in", true, []string{"first"}}, {"w", true, []string{"first"}}, {"t", true, []string{"first"}},
		{"y", false, []string{"k"}}, {"n", false, []string{"first"}}, {"k", false, []string{"k"}},
		{"if", false, []string{"ny"}}, {"ny", false, []string{"ny"}}, {"nn", false, []string{"ny"}},
		{"r", false, []string{"r"}}, {"out", true, []string{"r"}}, {"g", true, []string{"first"}}, {"e", true, nil},
	} {
		a, err := Analyze(m, tgt)
		require.NoError(t, err)
		clear(a.spaces)
		for l := range a.e.fastLeaf {
			a.e.fastLeaf[l] = true
		}
		read := map[int32]int64{}
		for at := range int32(len(a.g.nodes)) {
			switch {
			case a.g.nodes[at].in.Name != c.odd:
			case c.read:
				read[a.g.use0[at]] = 1
			default:
				a.spaces[a.g.leaf0[at]] = 1
			}
		}
		var got []string
		for _, b := range a.settle(read) {
			got = append(got, a.instruction(a.v.leafTime[a.v.def[a.e.bufs[b].first]]).Name)
		}
		assert.Equal(t, c.want, got, "%s, read: %v", c.odd, c.read)
		clear(a.e.fastLeaf)
		clear(a.e.fastUse)
		assert.Empty(t, a.settle(read))
	}
}
