package parser

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser/internal/build"
	"hlolayout/printer"
)

// The preserving print of commented is printed: lines of comments stay in front of what follows them, those at the end
// of a line stay there, those among operands stay at their operand. Where the printer has no place, they go to the end
// of the line.
const commented = `// RUN: hlo-opt %s

// HEAD
HloModule m // of the module
// of add

// of add, too
add { // opens
  x = f32[] parameter(0)
  /* two
     lines */ y = f32[] parameter(/*number*/ 1)

  // after an empty line
  ROOT s = f32[] add(x, // in the list
     y) /*t1*/ // t2
  // before the end
} // closes

ENTRY e {
  p = f32[8] /*behind the shape*/ parameter(0) // "quoted
  // own

  c = f32[8] custom-call(p), custom_call_target="/*no comment*/ // nor this (" /*after ( in a string*/
  t = (f32[8], f32[8], f32[8], f32[8], f32[8], f32[8]) tuple(p /*a*/, /*b*/ /*c*/ p, p, p, p, /*index=5*/p)
  u = token[] after-all(/*none*/)
  ROOT r = f32[8] reverse(p), /*between*/ dimensions={/*in a value*/ 0}
  // end
}

// end of the text
`

const printed = `// RUN: hlo-opt %s

// HEAD
HloModule m // of the module

// of add

// of add, too
add { // opens
  x = f32[] parameter(0)
  /* two
     lines */
  y = f32[] parameter(1) /*number*/

  // after an empty line
  ROOT s = f32[] add(x, y) /*t1*/ // in the list // t2
  // before the end
} // closes

ENTRY e {
  p = f32[8] parameter(0) /*behind the shape*/ // "quoted
  // own

  c = f32[8] custom-call(p), custom_call_target="/*no comment*/ // nor this (" /*after ( in a string*/
  t = (f32[8], f32[8], f32[8], f32[8], f32[8], /*index=5*/f32[8]) tuple(p /*a*/, /*b*/ /*c*/ p, p, p, p, /*index=5*/p)
  u = token[] after-all() /*none*/
  ROOT r = f32[8] reverse(p), dimensions={/*in a value*/ 0} /*between*/
  // end
}

// end of the text
`

func TestCommentsStay(t *testing.T) {
	m, err := Parse("", commented)
	require.NoError(t, err)
	assert.Equal(t, printed, printer.Print(m))
	again, err := Parse("", printed)
	require.NoError(t, err)
	assert.Equal(t, printed, printer.Print(again), "printed again")
	bare := printer.Config{Mode: printer.Canonical}.Print(m)
	assert.NotContains(t, bare, "// of", "the canonical print has none")
	m.Comments = nil
	without, err := Parse("", printer.Print(m))
	require.NoError(t, err)
	assert.Equal(t, bare, printer.Config{Mode: printer.Canonical}.Print(without))
}

// The empty lines before a computation are not those after the module's first line, where comments are between them.
func TestCommentsBetweenEmptyLines(t *testing.T) {
	const e = "ENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n\n"
	for text, want := range map[string]string{
		"\n\n// c\n\n\n" + e:                       "HloModule NAME\n\n// c\n\n" + e,
		"HloModule m\n\n// c\n\n\n" + e:            "HloModule m\n\n// c\n\n" + e,
		"HloModule m\n\n\n// c\n\n" + e:            "HloModule m\n\n\n// c\n\n" + e,
		"HloModule m, is_scheduled=true\n\n\n" + e: "HloModule m, is_scheduled=true\n\n\n" + e,
		"HloModule m /*\n*/\n\n\n" + e:             "HloModule m /*\n*/\n\n\n" + e,
	} {
		for range 2 { // the second time from what was printed
			m, err := Parse("", text)
			require.NoError(t, err)
			text = printer.Print(m)
			assert.Equal(t, strings.Replace(want, "NAME", m.Name, 1), text)
		}
	}
}

// The brackets of a value in braces need not be pairs: what follows the module stays there.
func TestCommentAfterOddBrackets(t *testing.T) {
	const text = "HloModule m\n\nENTRY e {\n  ROOT p = f32[] parameter(0), backend_config={\"a\"[[]}\n}\n\n// end\n"
	m, err := Parse("", text)
	require.NoError(t, err)
	assert.Equal(t, text, printer.Print(m))
}

// A comment with no computation after it does not keep the errors of the text from being told.
func TestCommentsOfNoComputation(t *testing.T) {
	for _, text := range []string{"HloModule m\n\n// c\n", "HloModule m // c\n",
		"HloModule m\n\nFileNames\n1 \"a.py\"\n\n// c\n",
		"HloModule m\n// c\n\nENTRY e (x: f32[]) -> f32[] {\n  x = f32[] topk(0), metadata={op"} {
		for _, c := range []Config{{}, {Strict: true}, {Partial: true}} {
			assert.NotPanics(t, func() { c.Parse("", text) }, text)
		}
	}
}

// A line between modules divides them; a comment in front of the first module, or between two, belongs to the one that
// follows.
func TestCommentsOfSeveralModules(t *testing.T) {
	const a, b = "HloModule a\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n\n", "HloModule b\n\nENTRY e {\n  ROOT " +
		"p = f32[] parameter(0)\n}\n\n"
	const text = "// -----\n// title\n// -----\n" + a + "// -----\n// of b\n" + b + "// end\n"
	ms, err := Config{}.ParseAll("", text)
	require.NoError(t, err)
	require.Len(t, ms, 2)
	assert.Equal(t, "// -----\n// title\n// -----\n"+a, printer.Print(ms[0]))
	assert.Equal(t, "// of b\n"+b+"// end\n", printer.Print(ms[1]))
}

// Comments at the begins and ends of any lines of a dump are all kept, once, and nothing else changes; the same in
// pieces.
func TestCommentsAnywhere(t *testing.T) {
	files, err := filepath.Glob("../testdata/corpus/v5e/*/*.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	random := rand.New(rand.NewPCG(3, 4))
	pieces := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		plain, err := Parse("", string(data))
		require.NoError(t, err)
		lines := strings.SplitAfter(string(data), "\n")
		n := 0
		comment := func(form string) string { n++; return fmt.Sprintf(form, n) }
		for i, line := range lines {
			switch random.IntN(8) {
			case 0:
				lines[i] = comment("  // c%d.\n") + line
			case 1:
				lines[i] = comment("/* c%d. */ ") + line
			case 2:
				lines[i] = strings.TrimSuffix(line, "\n") + comment(" // c%d.\n")
			case 3:
				lines[i] = strings.TrimSuffix(line, "\n") + comment("/*c%d.*/\n")
			}
		}
		text := strings.Join(lines, "")
		m, err := Parse("", text)
		require.NoError(t, err, "%s", text)
		got := printer.Print(m)
		for i := 1; i <= n; i++ {
			assert.Equal(t, 1, strings.Count(got, fmt.Sprintf("c%d.", i)), "%s: comment %d in\n%s", f, i, got)
		}
		again, err := Parse("", got)
		require.NoError(t, err)
		assert.Equal(t, got, printer.Print(again), f)
		again.Comments, again.Style = nil, plain.Style
		assert.Equal(t, printer.Print(plain), printer.Print(again), f)
		if comparePieces(t, text, build.Cut(text, 0, len(text), 5)) {
			pieces++
		}
	}
	assert.Positive(t, pieces)
}
