package fit_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/parser"
	"hlolayout/passes"
	"hlolayout/passes/fit"
	"hlolayout/passes/folding"
	"hlolayout/passes/memory"
	"hlolayout/tpu"
)

func read(t *testing.T, name string) (*hlo.Module, *tpu.Target) {
	text, err := os.ReadFile("../../testdata/fit/" + name)
	require.NoError(t, err)
	m, err := parser.Parse(name, string(text))
	require.NoError(t, err)
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	return m, v5e
}

func scheduled(t *testing.T, name string) *fit.Program {
	m, v5e := read(t, name)
	a, err := memory.Analyze(m, v5e)
	require.NoError(t, err)
	return fit.Scheduled(m, v5e, a.Report())
}

func foreseen(t *testing.T, name string) *fit.Program {
	m, v5e := read(t, name)
	at := stage.Of(m)
	m = folding.Prepare(m, at, v5e).Module
	_, err := passes.Run(m, v5e, []string{passes.Auto}, passes.Options{}, passes.Observer{})
	require.NoError(t, err)
	folding.Predict(m, at)
	return fit.Foreseen(m, v5e)
}

// Modules that the compiler refused. The totals are those of its messages, the changes were made to the programs, which
// then compiled.
func TestWays(t *testing.T) {
	for name, want := range map[string]struct {
		peak  float64 // GiB
		ways  []string
		fits  []bool
		batch [2]int64
	}{
		"sgd.oom.hlo": {22.10, []string{"donate", "dtype"}, []bool{true, true}, [2]int64{}},
		"points.oom.hlo": {17.92, []string{"donate", "padding", "batch", "dtype"}, []bool{true, true, true, true},
			[2]int64{300626000, 150313000}},
		"scan.oom.hlo": {18.44, []string{"checkpoint", "batch", "dtype", "donate"}, []bool{true, true, true, false},
			[2]int64{4176, 2088}},
	} {
		p := scheduled(t, name)
		assert.InDelta(t, want.peak, float64(p.Peak)/(1<<30), 0.01*want.peak, name)
		assert.Equal(t, "does not fit", p.Verdict(), name)
		var ways []string
		var fits []bool
		for _, w := range p.Ways() {
			ways, fits = append(ways, w.Kind), append(fits, w.Fits)
			assert.Equal(t, p.Peak-w.Saves, w.Peak, "%s %s", name, w.Kind)
			assert.Equal(t, w.Peak <= p.Limit, w.Fits, "%s %s", name, w.Kind)
			if w.Kind == "batch" {
				assert.Equal(t, want.batch, [2]int64{w.Size, w.To}, name)
			}
		}
		assert.Equal(t, want.ways, ways, name)
		assert.Equal(t, want.fits, fits, name)
	}
}

// What nothing makes fit alone, several changes do together.
func TestTogether(t *testing.T) {
	p := scheduled(t, "sgd.oom.hlo")
	p.Limit = 8 << 30
	ways := p.Ways()
	require.NotEmpty(t, ways)
	assert.Equal(t, "donate+dtype", ways[0].Kind)
	assert.True(t, ways[0].Fits)
	assert.Equal(t, []string{"x[0][0]", "x[0][1]"}, ways[0].Arguments)
}

// A buffer that a loop fills is named by what fills it.
func TestShown(t *testing.T) {
	p := scheduled(t, "scan.oom.hlo")
	h := &p.AtPeak()[0]
	assert.Equal(t, hlo.OpCustomCall, h.Instruction.Opcode)
	in := p.Shown(h)
	assert.Contains(t, in.MetadataOpName(), "jvp()/while/body")
	assert.NotEmpty(t, in.SourceLine().String())
}

// The figures are the compiler's for v5p, which has room for all of them.
func TestForeseen(t *testing.T) {
	for name, want := range map[string]struct {
		bytes   int64
		verdict string
	}{
		"mlp_train.hlo": {14248000000, "fits"},
		"rnn_train.hlo": {13569000000, "fits"},
		"sgd.hlo":       {17691572224, "does not fit"},
	} {
		p := foreseen(t, name)
		assert.InDelta(t, want.bytes, p.Peak, 0.02*float64(want.bytes), name)
		assert.Equal(t, want.verdict, p.Verdict(), name)
		assert.True(t, p.Foreseen)
		assert.LessOrEqual(t, p.Least(), p.Peak)
	}
}

// Near the limit a prediction decides nothing.
func TestUnknown(t *testing.T) {
	p := foreseen(t, "sgd.hlo")
	p.Limit = p.Least() + p.Bound()/2
	assert.Equal(t, "unknown", p.Verdict())
	p.Limit = p.Least() - p.Bound()/2
	assert.Equal(t, "unknown", p.Verdict())
	p.Limit = 2 * p.Peak
	assert.Equal(t, "fits", p.Verdict())
	p.Limit = 0
	assert.Equal(t, "unknown", p.Verdict())
}
