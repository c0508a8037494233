package constraint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/internal/flat"
	"hlolayout/tpu"
)

// Computations of the program are listed by number, then what the compiler made, then what calls fusions at any depth.
func TestListed(t *testing.T) {
	const text = `HloModule m

%fused_computation { ROOT %p = f32[8] parameter(0) }
%fused_computation.1 { ROOT %p = f32[8] parameter(0) }

%region_1.1.clone {
  %p = f32[8] parameter(0)
  ROOT %f = f32[8] fusion(%p), kind=kCustom, calls=%fused_computation
}

%region_2.2 {
  %p = f32[8] parameter(0)
  ROOT %f = f32[8] fusion(%p), kind=kCustom, calls=%fused_computation.1
}

%region_5.5.clone { ROOT %p = f32[8] parameter(0) }

%region_3.3 {
  %p = f32[8] parameter(0)
  %c = f32[8] call(%p), to_apply=%region_2.2
  ROOT %d = f32[8] call(%c), to_apply=%region_5.5.clone
}

%region_7.7 { ROOT %p = f32[8] parameter(0) }
%region_6.6 { ROOT %p = f32[8] parameter(0) }

ENTRY %main.8 {
  %p = f32[8] parameter(0)
  %a = f32[8] call(%p), to_apply=%region_1.1.clone
  %b = f32[8] call(%a), to_apply=%region_3.3
  %d = f32[8] call(%b), to_apply=%region_5.5.clone
  %e = f32[8] call(%d), to_apply=%region_7.7
  ROOT %f = f32[8] call(%e), to_apply=%region_6.6
}
`
	m, err := parser.Parse("m.hlo", text)
	require.NoError(t, err)
	g, err := flat.New(m, flat.Decided)
	require.NoError(t, err)
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	e := NewState(g, v5e)
	e.findMoved()
	var names []string
	for _, ci := range e.listed() {
		if name := g.Comps[ci].Computation.Name; strings.HasPrefix(name, "region") {
			names = append(names, strings.TrimPrefix(name, "region_"))
		}
	}
	assert.Equal(t, "6.6 7.7 5.5.clone 1.1.clone 2.2 3.3", strings.Join(names, " "))
}
