package diff_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/printer/diff"
)

func parse(t *testing.T, text string) *hlo.Module {
	t.Helper()
	m, err := parser.Parse("test", text)
	require.NoError(t, err)
	return m
}

func read(t *testing.T, path string) *hlo.Module {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return parse(t, string(text))
}

// module wraps the lines of an entry computation with parameters %x and %y of f32[8,128]{1,0}.
func module(lines ...string) string {
	return `HloModule m

ENTRY %main (x: f32[8,128], y: f32[8,128]) -> f32[8,128] {
  %x = f32[8,128]{1,0} parameter(0)
  %y = f32[8,128]{1,0} parameter(1)
  ` + strings.Join(lines, "\n  ") + "\n}\n\n"
}

func TestCompare(t *testing.T) {
	const add = "ROOT %add = f32[8,128]{1,0} add(%x, %y)"
	for _, c := range []struct {
		name     string
		old, new string
		want     diff.Summary
		text     string
	}{
		{"nothing", module(add), module(add), diff.Summary{Arrays: 3}, ""},
		{"where it comes from", module(add), module(add + `, metadata={op_name="a"}`), diff.Summary{Arrays: 3}, ""},
		{"the order", module(add), module("ROOT %add = f32[8,128]{0,1} add(%x, %y)"),
			diff.Summary{Arrays: 3, Reordered: 1},
			"- ROOT %add = f32[8,128][-{1,0}-] add(%x, %y)\n+ ROOT %add = f32[8,128]{+{0,1}+} add(%x, %y)\n"},
		{"the tiles", module(add), module("ROOT %add = f32[8,128]{1,0:T(8,128)} add(%x, %y)"),
			diff.Summary{Arrays: 3, Retiled: 1},
			"- ROOT %add = f32[8,128][-{1,0}-] add(%x, %y)\n+ ROOT %add = f32[8,128]{+{1,0:T(8,128)}+} add(%x, %y)\n"},
		{"the space", module(add), module("ROOT %add = f32[8,128]{1,0:T(8,128)S(1)} add(%x, %y)"),
			diff.Summary{Arrays: 3, Moved: 1},
			"- ROOT %add = f32[8,128][-{1,0}-] add(%x, %y)\n+ ROOT %add = f32[8,128]{+{1,0:T(8,128)S(1)}+} add(%x, " +
				"%y)\n"},
		{"a layout left out is the default order", module(add), module("ROOT %add = f32[8,128] add(%x, %y)"),
			diff.Summary{Arrays: 3, Retiled: 1},
			"- ROOT %add = f32[8,128][-{1,0}-] add(%x, %y)\n+ ROOT %add = f32[8,128] add(%x, %y)\n"},
		{"the opcode", module(add), module("ROOT %add = f32[8,128]{1,0} multiply(%x, %y)"),
			diff.Summary{Arrays: 3, Changed: 1},
			"- ROOT %add = f32[8,128]{1,0} [-add-](%x, %y)\n+ ROOT %add = f32[8,128]{1,0} {+multiply+}(%x, %y)\n"},
		{"the type", module("%n = f32[8,128]{1,0} convert(%x)", add), module("%n = bf16[8,128]{1,0} convert(%x)", add),
			diff.Summary{Arrays: 3, Changed: 1},
			"- %n = [-f32-][8,128]{1,0} convert(%x)\n+ %n = {+bf16+}[8,128]{1,0} convert(%x)\n"},
		{"a literal", module("%c = f32[] constant(1)", add), module("%c = f32[] constant(2)", add),
			diff.Summary{Arrays: 4, Changed: 1},
			"- %c = f32[] constant([-1-])\n+ %c = f32[] constant({+2+})\n"},
		{"an attribute", module(add), module(add + ", backend_config={\"a\":1}"),
			diff.Summary{Arrays: 3, Changed: 1},
			"- ROOT %add = f32[8,128]{1,0} add(%x, %y)\n+ ROOT %add = f32[8,128]{1,0} add(%x, %y){+, " +
				"backend_config={\"a\":1}+}\n"},
		{"an inserted copy", module(add), module("%copy = f32[8,128]{0,1} copy(%x)",
			"ROOT %add = f32[8,128]{1,0} add(%copy, %y)"),
			diff.Summary{Arrays: 3, Added: 1, Changed: 1, Copies: 1, CopyBytes: 4096},
			"+ %copy = f32[8,128]{0,1} copy(%x)\n- ROOT %add = f32[8,128]{1,0} add([-%x-], %y)\n+ ROOT %add = " +
				"f32[8,128]{1,0} add({+%copy+}, %y)\n"},
		{"a removed instruction", module("%n = f32[8,128]{1,0} negate(%x)", add), module(add),
			diff.Summary{Arrays: 3, Removed: 1},
			"- %n = f32[8,128]{1,0} negate(%x)\n"},
		{"another order of instructions", module("%a = f32[] constant(1)", "%b = f32[] constant(2)", add),
			module("%b = f32[] constant(2)", "%a = f32[] constant(1)", add), diff.Summary{Arrays: 5}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := diff.Compare(parse(t, c.old), parse(t, c.new))
			assert.Equal(t, c.want, d.Summary)
			assert.Equal(t, c.text == "", d.Same())
			want := ""
			if c.text != "" {
				want = "@@ %main @@\n" + c.text
			}
			assert.Equal(t, want, string(d.Append(nil, diff.Options{})))
		})
	}
}

// Parts of tuples are paired by their place.
func TestCompareTuples(t *testing.T) {
	old := module("%t = (f32[8,128]{1,0}, (f32[8,128]{1,0}, token[])) custom-call(%x), custom_call_target=\"a\"",
		"ROOT %add = f32[8,128]{1,0} add(%x, %y)")
	d := diff.Compare(parse(t, old), parse(t, strings.Replace(old, "(f32[8,128]{1,0}, token", "(f32[8,128]{0,1}, token",
		1)))
	require.Len(t, d.Computations, 1)
	require.Len(t, d.Computations[0].Changes, 1)
	arrays := d.Computations[0].Changes[0].Arrays
	require.Len(t, arrays, 1)
	assert.Equal(t, hlo.Index{1, 0}, arrays[0].Index)
	assert.Equal(t, "f32[8,128]{1,0}", arrays[0].Old.String())
	assert.Equal(t, "f32[8,128]{0,1}", arrays[0].New.String())
	assert.Equal(t, 1, d.Reordered)
	assert.Equal(t, 5, d.Arrays)
}

// The first line of the module: attributes, the module's and the entry's name.
func TestCompareModules(t *testing.T) {
	const body = "\n\nENTRY %main (x: f32[8]) -> f32[8] {\n  ROOT %x = f32[8]{0} parameter(0)\n}\n\n"
	old := parse(t, "HloModule a, is_scheduled=true, replica_count=2"+body)
	new := parse(t, "HloModule b, is_scheduled=true, num_partitions=2"+strings.Replace(body, "%main", "%other", 1))
	d := diff.Compare(old, new)
	assert.False(t, d.Same())
	assert.Equal(t, `--- x
+++ y
@@ HloModule b @@
- HloModule [-a-]
+ HloModule {+b+}
- ENTRY [-%main-]
+ ENTRY {+%other+}
+ num_partitions=2
- replica_count=2
@@ %other @@
+ ROOT %x = f32[8]{0} parameter(0)
@@ %main @@
- ROOT %x = f32[8]{0} parameter(0)
`, string(d.Append(nil, diff.Options{Old: "x", New: "y"})))
}

func TestColor(t *testing.T) {
	d := diff.Compare(parse(t, module("ROOT %n = f32[8,128]{1,0} negate(%x)")),
		parse(t, module("ROOT %n = f32[8,128]{0,1} negate(%x)")))
	assert.Equal(t, "\x1b[36m@@ %main @@\x1b[0m\n"+
		"\x1b[31m- ROOT %n = f32[8,128]\x1b[7m{1,0}\x1b[27m negate(%x)\x1b[0m\n"+
		"\x1b[32m+ ROOT %n = f32[8,128]\x1b[7m{0,1}\x1b[27m negate(%x)\x1b[0m\n",
		string(d.Append(nil, diff.Options{Color: true})))
}

// Of a line that is too long what changed stays in sight.
func TestLongLines(t *testing.T) {
	const line = "ROOT %add = f32[8,128]{1,0} add(%x, %y), frontend_attributes={a=\""
	old := module(line + strings.Repeat("abc ", 1000) + `old"}`)
	new := module(line + strings.Repeat("abc ", 1000) + `new"}`)
	d := diff.Compare(parse(t, old), parse(t, new))
	for _, l := range strings.Split(string(d.Append(nil, diff.Options{})), "\n") {
		assert.Less(t, len(l), 400)
	}
	assert.Contains(t, string(d.Append(nil, diff.Options{})), "{+new+}\"}")
	assert.Contains(t, string(d.Append(nil, diff.Options{Whole: true})), strings.Repeat("abc ", 1000))
}

func TestSummaryString(t *testing.T) {
	assert.Equal(t, "1 array, 0 re-laid out, no copies inserted", diff.Summary{Arrays: 1}.String())
	assert.Equal(t, "9 arrays, 6 re-laid out (1 in order, 2 in memory space, 3 in tiles only), 2 copies inserted (10 "+
		"bytes), "+
		"1 other instruction added, 4 instructions removed",
		diff.Summary{Arrays: 9, Reordered: 1, Moved: 2, Retiled: 3, Added: 3, Copies: 2, CopyBytes: 10,
			Removed: 4}.String())
}

// On what the compiler did: nothing differs from itself, what is added one way is removed the other, and the lines
// of the new side, put into the old module, are the new module's.
func TestCompareCorpus(t *testing.T) {
	pairs, err := filepath.Glob("../../../shared/corpus/v5e/*/before.hlo")
	require.NoError(t, err)
	if len(pairs) == 0 {
		t.Skip("no ../shared/corpus next to the repository")
	}
	if testing.Short() {
		pairs = pairs[:min(len(pairs), 50)]
	}
	for _, path := range pairs {
		after := filepath.Join(filepath.Dir(path), "after.hlo")
		if _, err := os.Stat(after); err != nil {
			continue
		}
		old, new := read(t, path), read(t, after)
		require.True(t, diff.Compare(old, old).Same(), path)
		d, back := diff.Compare(old, new), diff.Compare(new, old)
		require.Equal(t, d.Added, back.Removed, path)
		require.Equal(t, d.Removed, back.Added, path)
		require.Equal(t, d.Arrays, back.Arrays, path)
		require.Equal(t, d.RelaidOut(), back.RelaidOut(), path)
		copies := func(m *hlo.Module) (n int) {
			for _, c := range m.Computations {
				for _, in := range c.Instructions {
					if in.Opcode == hlo.OpCopy {
						n++
					}
				}
			}
			return n
		}
		require.Equal(t, copies(new)-copies(old), d.Copies-back.Copies, path)
	}
}
