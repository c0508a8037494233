package memory

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a loop carries is one value where a conditional in the loop returns that, or what the loop started from by
// another of its elements; not where the other started from something else.
func TestCarriedThroughConditionals(t *testing.T) {
	const array = "f32[8,128]{1,0:T(8,128)}"
	text := strings.NewReplacer("CARRIED", "(s32[]{:T(128)}, "+array+", "+array+")", "ARRAY", array).Replace(
		`HloModule m, is_scheduled=true

%branch {
  ROOT %b = ARRAY parameter(0)
}

%other {
  ROOT %b = ARRAY parameter(0)
}

%body {
  %c = CARRIED parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  %x = ARRAY get-tuple-element(%c), index=1
  %y = ARRAY get-tuple-element(%c), index=2
  %z = ARRAY conditional(%i, %x, %y), branch_computations={%branch, %other}
  ROOT %r = CARRIED tuple(%i, %z, %y)
}

%cond {
  %c = CARRIED parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  ROOT %l = pred[]{:T(512)} compare(%i, %i), direction=LT
}

ENTRY %main {
  %n = s32[]{:T(128)} parameter(0)
  %p = ARRAY parameter(1)
  %q = ARRAY parameter(2)
  %s = CARRIED tuple(%n, %p, %START)
  ROOT %w = CARRIED while(%s), condition=%cond, body=%body
}
`)
	for start, want := range map[string]bool{"p": true, "q": false} {
		e := engineOf(t, strings.Replace(text, "START", start, 1), "v5e")
		at := map[string]int32{}
		for i := range e.g.nodes {
			at[e.g.nodes[i].in.Name] = e.v.at[e.g.leaf0[i]]
			if e.g.nodes[i].in.Name == "w" {
				at["w"] = e.v.at[e.g.leaf0[i]+1]
			}
		}
		assert.Equal(t, want, at["w"] == at["p"], start)
		assert.Equal(t, want, at["z"] == at["p"], start)
	}
}
