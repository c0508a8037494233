package fit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/passes/fit"
	"hlolayout/passes/memory"
)

// A scheduled module's peak is one number; of a foreseen one arguments and results are certain.
func TestAgainst(t *testing.T) {
	u := scheduled(t, "scan.oom.hlo").HBM()
	assert.True(t, u.Exact())
	assert.Equal(t, "within", u.Against(u.Peak))
	assert.Equal(t, "exceeds", u.Against(u.Peak-1))

	p := foreseen(t, "mlp_train.hlo")
	u = p.HBM()
	assert.False(t, u.Exact())
	assert.Equal(t, p.Stats.Argument+p.Stats.Output-p.Stats.Alias, u.Least)
	assert.Equal(t, "exceeds", u.Against(u.Least-1))
	assert.Equal(t, "unknown", u.Against(u.Least))
	assert.Equal(t, "unknown", u.Against(u.Peak))
	assert.Equal(t, "unknown", u.Against(u.Most-1))
	assert.Equal(t, "within", u.Against(u.Most))
	v, ok := fit.FastUnknown(p.Target)
	require.True(t, ok)
	assert.Equal(t, "unknown", v.Against(1<<20))
	assert.Equal(t, "within", v.Against(112<<20))
}

// Prefetched arguments are arguments in the fast memory, too.
func TestFast(t *testing.T) {
	m, v5e := read(t, "sgd.oom.hlo")
	a, err := memory.Analyze(m, v5e)
	require.NoError(t, err)
	u, ok := fit.Fast(a.Report())
	require.True(t, ok)
	assert.Equal(t, "VMEM", u.Space)
	assert.True(t, u.Exact())
	sum := int64(0)
	for _, h := range u.Held {
		sum += h.Bytes
		assert.Contains(t, h.Shape.String(), "S(1)")
	}
	assert.Equal(t, u.Peak, sum)
}

// Names do not matter, kinds, shapes and opcodes do.
func TestChanges(t *testing.T) {
	p := scheduled(t, "scan.oom.hlo")
	all := p.AtPeak()
	assert.Empty(t, fit.Changes(all, all))
	made := fit.Changes(nil, all)
	sum, n := int64(0), 0
	for i, c := range made {
		sum, n = sum+c.Bytes(), n+c.Now
		if i > 0 {
			assert.LessOrEqual(t, c.Bytes(), made[i-1].Bytes())
		}
	}
	assert.Equal(t, len(all), n)
	assert.Equal(t, p.Stats.Peak()/(1<<20), sum/(1<<20))
	less := fit.Changes(all, all[1:])
	require.Len(t, less, 1)
	assert.Equal(t, -all[0].Bytes, less[0].Bytes())
	assert.Equal(t, [2]int{4, 3}, [2]int{less[0].Was, less[0].Now})
	assert.Equal(t, hlo.OpCustomCall, less[0].Opcode)
	gone := fit.Changes(all[:1], nil)
	require.Len(t, gone, 1)
	assert.Nil(t, gone[0].Example)
}
