package parser

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser/internal/build"
	"hlolayout/printer"
)

// parseWhole is parse by one builder.
func parseWhole(text string) (*hlo.Module, error) {
	return Config{Strict: false}.parseSerially("in.hlo", text, 0, len(text))
}

// describe writes everything that joining pieces has to put right: numbers, parents, operands, callees, callers.
func describe(m *hlo.Module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %+v entry %s\n", m.Name, m.Style, m.Entry.Name)
	for _, c := range m.Computations {
		fmt.Fprintf(&b, "%s at %d, module %t, root %d\n", c.Name, c.Pos, c.Module == m, c.Root.Index)
		for _, caller := range c.Callers() {
			fmt.Fprintf(&b, "  called by %s for %s\n", caller.Instruction.Name, caller.Key.Name)
		}
		for _, in := range c.Instructions {
			fmt.Fprintf(&b, "  %d %s at %d in %s", in.Index, in.Name, in.Pos, in.Computation.Name)
			for _, o := range in.Operands {
				fmt.Fprintf(&b, ", %d of %s", o.Index, o.Computation.Name)
			}
			for _, callee := range in.Called() {
				fmt.Fprintf(&b, ", calls %s", callee.Name)
			}
			fmt.Fprintf(&b, ", interned %t\n", m.Intern(in.Shape) == in.Shape)
		}
	}
	return b.String() + printer.Print(m)
}

// comparePieces reads a text by one builder and cut at the given places. It reports whether the pieces could be joined.
func comparePieces(t testing.TB, text string, cuts []int) bool {
	t.Helper()
	joined := Config{}.parseCut("in.hlo", text, 0, len(text), cuts)
	if joined == nil {
		return false
	}
	whole, err := parseWhole(text)
	if !assert.NoError(t, err, "the pieces can be read, the whole cannot") {
		return true
	}
	if want, got := describe(whole), describe(joined); want != got {
		t.Errorf("cut at %v the module is another one:\n%s", cuts, got)
	}
	return true
}

// Cut between any two instructions a dump is the same module, and a text with an error is read as a whole.
func TestPiecesMakeTheSameModule(t *testing.T) {
	files, err := filepath.Glob("../testdata/corpus/v5e/*/*.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	random := rand.New(rand.NewPCG(1, 2))
	joined, mutated := 0, 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		text := string(data)
		for _, n := range []int{2, 3, 7} {
			cuts := build.Cut(text, 0, len(text), n)
			if len(cuts) > 0 && assert.True(t, comparePieces(t, text, cuts), "%s cannot be read cut at %v", f, cuts) {
				joined++
			}
		}
		for range 40 { // a byte changed: a name twice, an operand that is not there, a brace too many
			at := random.IntN(len(text))
			text := text[:at] + string("%{}()=,.x0\n\""[random.IntN(12)]) + text[at+1:]
			cuts := build.Cut(text, 0, len(text), 3)
			if len(cuts) > 0 && comparePieces(t, text, cuts) {
				mutated++
			}
		}
	}
	t.Logf("%d dumps and %d mutated ones joined", joined, mutated)
	assert.Greater(t, joined, 50)
	assert.Greater(t, mutated, 100)
}

// What only the texts of two pieces together show to be wrong.
func TestPiecesThatDoNotFit(t *testing.T) {
	const begin = "HloModule m\n\nf {\n  p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}\n\nENTRY e {\n  p = " +
		"f32[2] parameter(0)\n  a = f32[2] abs(p)\n"
	for name, end := range map[string]string{
		"fits":                   "  b = f32[2] call(a), to_apply=f\n  ROOT c = f32[2] add(b, p)\n}\n",
		"a name twice":           "  a = f32[2] abs(p)\n  ROOT c = f32[2] add(a, p)\n}\n",
		"no such operand":        "  b = f32[2] abs(q)\n  ROOT c = f32[2] add(b, p)\n}\n",
		"operand used too early": "  b = f32[2] abs(c)\n  ROOT c = f32[2] add(b, p)\n}\n",
		"no such computation":    "  b = f32[2] call(a), to_apply=g\n  ROOT c = f32[2] add(b, p)\n}\n",
		"a computation twice":    "  ROOT c = f32[2] add(a, p)\n}\n\nf {\n  ROOT p = f32[2] parameter(0)\n}\n",
		"a second entry":         "  ROOT c = f32[2] add(a, p)\n}\n\nENTRY g {\n  ROOT p = f32[2] parameter(0)\n}\n",
		"another operand shape":  "  b = f32[2] abs(f32[3] a)\n  ROOT c = f32[2] add(b, p)\n}\n",
		"a parameter twice":      "  b = f32[2] parameter(0)\n  ROOT c = f32[2] add(b, p)\n}\n",
		"no end":                 "  b = f32[2] abs(p)\n  ROOT c = f32[2] add(b, p)\n",
		"a body calls itself":    "  b = f32[2] call(a), to_apply=e\n  ROOT c = f32[2] add(b, p)\n}\n",
		"a shape left out":       "  b = abs(p)\n  ROOT c = f32[2] add(b, p)\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := begin + end
			assert.Equal(t, name == "fits", comparePieces(t, text, []int{len(begin)}))
			_, err := parseWhole(text)
			assert.Equal(t, name == "fits" || name == "a shape left out", err == nil)
		})
	}
}

// FuzzPieces: a text is the same module cut anywhere between instructions as it is whole, and what is not a module is
// not one in pieces.
func FuzzPieces(f *testing.F) {
	files, err := filepath.Glob("../testdata/corpus/v5e/*/*.hlo")
	require.NoError(f, err)
	for i, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		if len(text) < 4000 {
			f.Add(string(text), uint8(i))
		}
	}
	for _, c := range Codes() {
		f.Add("HloModule m\n"+c.Example, uint8(3))
	}
	threads := runtime.GOMAXPROCS(3) // several goroutines read, on one processor too
	f.Cleanup(func() { runtime.GOMAXPROCS(threads) })
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		comparePieces(t, text, build.Cut(text, 0, len(text), 2+int(n)%9))
	})
}
