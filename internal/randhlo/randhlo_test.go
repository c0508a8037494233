package randhlo_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"hlolayout/hlo/verify"
	"hlolayout/internal/randhlo"
	"hlolayout/parser"
)

// Every module is one that the verifier accepts, strictly read.
func TestModulesVerify(t *testing.T) {
	modules := randhlo.Module(randhlo.Options{Features: randhlo.All})
	rapid.Check(t, func(t *rapid.T) {
		text := modules.Draw(t, "module")
		m, err := parser.Config{Strict: true}.Parse("random.hlo", text)
		if err == nil {
			err = verify.Module(m).Err()
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// Each feature shows in some of the first modules, and without it in none.
func TestFeatures(t *testing.T) {
	for feature, words := range map[randhlo.Feature]string{
		randhlo.Shapes: "broadcast transpose reshape slice pad concatenate reverse bitcast-convert",
		randhlo.Dots:   "dot", randhlo.Convolutions: "convolution",
		randhlo.Reduces: "reduce reduce-window", randhlo.Sorts: "sort", randhlo.Gathers: "gather scatter",
		randhlo.DynamicSlices: "dynamic-slice dynamic-update-slice",
		randhlo.Loops:         "while", randhlo.Conditionals: "conditional", randhlo.Calls: "call",
		randhlo.Fusions: "fusion", randhlo.Tuples: "opt-barrier",
		randhlo.Collectives: "all-reduce all-gather reduce-scatter all-to-all collective-permute",
		randhlo.CustomCalls: "custom-call",
	} {
		with, without := examples(feature, 100), examples(randhlo.All&^feature, 60)
		for _, word := range strings.Fields(words) {
			assert.Contains(t, with, " "+word+"(")
			if word != "broadcast" { // constants are broadcast wherever an array is needed
				assert.NotContains(t, without, " "+word+"(")
			}
		}
	}
	assert.Contains(t, examples(randhlo.Layouts, 20), "entry_computation_layout")
	assert.NotContains(t, examples(randhlo.All&^randhlo.Layouts, 20), "entry_computation_layout")
	assert.Regexp(t, `\[(\d+,)*0[],]`, examples(randhlo.EmptyArrays, 200))
}

func examples(f randhlo.Feature, n int) string {
	modules, all := randhlo.Module(randhlo.Options{Features: f}), ""
	for seed := range n {
		all += modules.Example(seed)
	}
	return all
}

// The same seed gives the same module.
func TestExampleIsDeterministic(t *testing.T) {
	a := randhlo.Module(randhlo.Options{Features: randhlo.All}).Example(7)
	require.Equal(t, a, randhlo.Module(randhlo.Options{Features: randhlo.All}).Example(7))
}
