package memory

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// breaks are the ways in which a line is made wrong. The parser takes some of what comes out, as it takes modules whose
// shapes do not fit each other.
var breaks = []func(r *rand.Rand, line string) string{
	func(r *rand.Rand, line string) string { // an operand less
		return regexp.MustCompile(`\(%[^,()]+, `).ReplaceAllString(line, "(")
	},
	func(r *rand.Rand, line string) string { // the last operand twice
		return regexp.MustCompile(`(%[^,()= ]+)\)`).ReplaceAllString(line, "$1, $1)")
	},
	func(r *rand.Rand, line string) string { // another element
		return regexp.MustCompile(`index=\d`).ReplaceAllString(line, fmt.Sprint("index=", r.IntN(6)))
	},
	func(r *rand.Rand, line string) string { // another parameter
		return regexp.MustCompile(`parameter\(\d`).ReplaceAllString(line, fmt.Sprint("parameter(", r.IntN(6)))
	},
	func(r *rand.Rand, line string) string { // another rank
		return regexp.MustCompile(`\[(\d+),(\d+)\]\{1,0:T\(8,128\)\}`).ReplaceAllString(line, "[$1]{0:T(1024)}")
	},
	func(r *rand.Rand, line string) string { // a dimension that is not there
		return regexp.MustCompile(`dim(ension)?s=\{\d`).ReplaceAllString(line, fmt.Sprint("dim${1}s={", r.IntN(6)))
	},
	func(r *rand.Rand, line string) string { // a tuple in the place of an array, and the other way round
		return regexp.MustCompile(`= (\w+\[[\d,]*\]\S*) `).ReplaceAllString(line, "= ($1, $1) ")
	},
	func(r *rand.Rand, line string) string {
		return regexp.MustCompile(`= \((\w+\[[\d,]*\][^ ]*), .*?\) ([a-z])`).ReplaceAllString(line, "= $1 $2")
	},
	func(*rand.Rand, string) string { return "" },
}

// Whatever the parser takes is placed or refused, never a panic.
func TestBroken(t *testing.T) {
	tgt, err := tpu.ByName("v7x")
	require.NoError(t, err)
	_, texts := programs(t)
	taken := 0
	for seed := range uint64(20 * seeds) {
		r := rand.New(rand.NewPCG(seed, 3))
		text := texts[fmt.Sprint("uneven ", seed%seeds)]
		if seed%4 == 0 {
			text = texts["memory/costs.hlo"]
		}
		lines := strings.Split(text, "\n")
		for range 1 + r.IntN(2) {
			i := r.IntN(len(lines))
			lines[i] = breaks[r.IntN(len(breaks))](r, lines[i])
		}
		text = strings.Join(lines, "\n")
		m, err := parser.Parse("broken.hlo", text)
		if err != nil {
			continue
		}
		taken++
		require.NotPanics(t, func() {
			_, _ = Run(m, tgt, plan.Options{})
			if a, err := Analyze(m, tgt); err == nil {
				a.Report()
			}
		}, "seed %d: %s", seed, strings.Join(lines, "\n"))
	}
	assert.Greater(t, taken, 5*seeds)
}

// A tile that cannot be, inside of a fusion, leaves its array as it is.
func TestTileThatCannotBe(t *testing.T) {
	text, err := os.ReadFile("../../testdata/memory/v7x.offloaded.pre_msa.hlo")
	require.NoError(t, err)
	const before = "%sin.4 = f32[2048,512]{1,0:T(8,128)}"
	require.Contains(t, string(text), before)
	m, err := parser.Parse("broken.hlo", strings.Replace(string(text), before, "%sin.4 = f32[2048,512]{1,0:T(8,-1)}", 1))
	require.NoError(t, err)
	tgt, err := tpu.ByName("v7x")
	require.NoError(t, err)
	require.NotPanics(t, func() {
		p, err := Run(m, tgt, plan.Options{})
		require.NoError(t, err)
		require.NoError(t, p.Apply(m))
	})
}
