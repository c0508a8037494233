package passes_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes"
	"hlolayout/printer"
	"hlolayout/tpu"
)

// Several goroutines plan for one module, print it and look things up in it at a time: run with -race.
func TestOneModuleIsReadConcurrently(t *testing.T) {
	const text = `HloModule jit_f, entry_computation_layout={(f32[8,3,128]{2,1,0})->f32[128,24]{1,0}}

ENTRY %main.4 (p.1: f32[8,3,128]) -> f32[128,24] {
  %p.1 = f32[8,3,128] parameter(0)
  %t.2 = f32[128,8,3] transpose(%p.1), dimensions={2,0,1}
  %c.3 = f32[] constant(0)
  %n.5 = f32[128,8,3] negate(%t.2)
  %d.6 = f32[128,128] dot(%n.5, %t.2), lhs_contracting_dims={1,2}, rhs_contracting_dims={1,2}
  %r.7 = f32[128,24] reshape(%n.5)
  ROOT %m.8 = f32[128,24] dot(%d.6, %r.7), lhs_contracting_dims={0}, rhs_contracting_dims={0}
}
`
	m, err := parser.Parse("m.hlo", text)
	require.NoError(t, err)
	before := printer.Print(m)
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			target, err := tpu.ByName([]string{"v5e", "v6e"}[k%2])
			assert.NoError(t, err)
			for range 20 {
				_, err := passes.Layouts(m, target, passes.Options{})
				assert.NoError(t, err)
				copied, _, err := passes.Costed(m, target, passes.Options{}, passes.Observer{})
				assert.NoError(t, err)
				assert.NotSame(t, m, copied)
				printer.Print(m)
				for _, in := range m.Entry.Instructions {
					m.Position(in.Pos)
					m.Intern(hlo.NewTuple(in.Shape))
				}
			}
		})
	}
	wg.Wait()
	assert.Equal(t, before, printer.Print(m))
}
