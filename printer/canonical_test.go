package printer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"hlolayout/parser"
	"hlolayout/printer"
)

// suite holds texts of XLA's own tests with XLA's prints of them; see its README.
const suite = "../../shared/hlo-text"

// formats are the kinds of print, with the endings of their files in the suite and their names in testdata/canonical.
var formats = []struct {
	format       printer.Format
	suffix, name string
}{
	{printer.Default, ".out", "out"}, {printer.Long, ".long.out", "long"}, {printer.Short, ".short.out", "short"},
}

// exceptions are the cases of the suite that do not print as XLA prints them, with the reason.
var exceptions = map[string]string{}

func canonical(t *testing.T, name, text string, format printer.Format) (string, bool) {
	t.Helper()
	m, err := parser.Parse(name, text)
	if !assert.NoError(t, err) {
		return "", false
	}
	return printer.Config{Mode: printer.Canonical, Format: format}.Print(m), true
}

// sameText compares two prints and shows the first line that differs.
func sameText(t *testing.T, want, got, msg string) bool {
	t.Helper()
	if want == got {
		return true
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i == len(g) || w[i] != g[i] {
			return assert.Equal(t, w[i], strings.Join(g[i:min(i+1, len(g))], ""), "%s, line %d", msg, i+1)
		}
	}
	return assert.Equal(t, want, got, msg)
}

// The prints in testdata/canonical are XLA's.
func TestCanonical(t *testing.T) {
	files, err := filepath.Glob("../testdata/canonical/*.txtar")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 60)
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			parts := sections(t, f)
			for _, k := range formats {
				require.NotEmpty(t, parts[k.name], "XLA's print, %s", k.name)
				if got, ok := canonical(t, f, parts["in.hlo"], k.format); ok {
					sameText(t, parts[k.name], got, k.name)
				}
			}
		})
	}
}

func sections(t *testing.T, file string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	parts := map[string]string{}
	for _, p := range archive.Files {
		parts[p.Name] = string(p.Data)
	}
	return parts
}

func suiteFiles(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(suite, pattern))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the conformance texts are not in " + suite)
	}
	return files
}

func TestCanonicalSuite(t *testing.T) {
	for _, k := range formats {
		equal, all := 0, 0
		for _, dir := range []string{"accept", "mutated"} {
			for _, f := range suiteFiles(t, dir+"/*.hlo") {
				want, err := os.ReadFile(strings.TrimSuffix(f, ".hlo") + k.suffix)
				if err != nil {
					continue // XLA refuses it, or this print is not there
				}
				text, err := os.ReadFile(f)
				require.NoError(t, err)
				id := dir + "/" + strings.TrimSuffix(filepath.Base(f), ".hlo")
				all++
				if reason := exceptions[id]; reason != "" {
					m, err := parser.Parse(f, string(text))
					same := err == nil &&
						printer.Config{Mode: printer.Canonical, Format: k.format}.Print(m) == string(want)
					assert.False(t, same, "%s prints as XLA prints it and is not an exception any more: %s", id, reason)
					continue
				}
				if got, ok := canonical(t, f, string(text), k.format); ok &&
					sameText(t, string(want), got, id+k.suffix) {
					equal++
				}
			}
		}
		t.Logf("%s: %d of %d prints are XLA's, %d exceptions", k.suffix, equal, all, all-equal)
		assert.Positive(t, equal)
	}
}

// The canonical print of a canonical print is the same text, where it is for XLA.
func TestCanonicalTwice(t *testing.T) {
	var index []struct {
		ID        string
		Roundtrip bool
	}
	data, err := os.ReadFile(filepath.Join(suite, "index.json"))
	if err != nil {
		t.Skip("the conformance texts are not in " + suite)
	}
	require.NoError(t, json.Unmarshal(data, &index))
	for _, c := range index {
		text, err := os.ReadFile(filepath.Join(suite, c.ID+".hlo"))
		if err != nil || !c.Roundtrip || strings.HasPrefix(c.ID, "reject/") {
			continue
		}
		if once, ok := canonical(t, c.ID, string(text), printer.Default); ok {
			if twice, ok := canonical(t, c.ID+", printed", once, printer.Default); ok {
				sameText(t, once, twice, c.ID)
			}
		}
	}
}

// Printing does not change the module, and the zero Config is the preserving print.
func TestCanonicalKeepsModule(t *testing.T) {
	files, err := filepath.Glob("../testdata/canonical/*.txtar")
	require.NoError(t, err)
	for _, f := range files {
		m, err := parser.Parse(f, sections(t, f)["in.hlo"])
		require.NoError(t, err)
		before := printer.Print(m)
		for _, k := range formats {
			first := printer.Config{Mode: printer.Canonical, Format: k.format}.Print(m)
			assert.Equal(t, first, printer.Config{Mode: printer.Canonical, Format: k.format}.Print(m), f)
		}
		assert.Equal(t, before, printer.Config{}.Print(m), f)
	}
}

// What XLA would refuse prints as it was read, at the place where XLA prints such an attribute.
func TestCanonicalForeign(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"negate(a), dimensions={0}, new_key={a=1 /*x*/ 2}, metadata={op_name='n'}",
			`negate(%a), dimensions={0}, new_key={a=1 /*x*/ 2}, metadata={op_name="n"}`},
		{"new-op(a, %a), sharding={replicated}, dimensions={ 00 }, k=", ""},
		{"new-op(a, %a), sharding={replicated}, dimensions={ 00 }", `new-op(%a, %a), dimensions={ 00 }, ` +
			`sharding={replicated}`},
		{"negate(a), sharding={what=3}", "negate(%a), sharding={what=3}"},
		{"negate(a), sharding={devices=[2,2]0,1,2,3,4}", "negate(%a), sharding={devices=[2,2]0,1,2,3,4}"},
		{"negate(a), sharding={devices=[2,2]<=[3]}", "negate(%a), sharding={devices=[2,2]<=[3]}"},
		{"negate(a), sharding={devices=[2,2]<=[2,2]T(0,0)}", "negate(%a), sharding={devices=[2,2]<=[2,2]T(0,0)}"},
		{"negate(a), sharding={devices=[99999999,99999999,99999999]<=[8]}",
			"negate(%a), sharding={devices=[99999999,99999999,99999999]<=[8]}"},
		{"negate(a), sharding={maximal}", "negate(%a), sharding={maximal}"},
		{"negate(a), sharding={mesh['a'=2], [{'a':}]}", "negate(%a), sharding={mesh['a'=2], [{'a':}]}"},
		{"negate(a), metadata={op_name=3}", "negate(%a), metadata={op_name=3}"},
		{"negate(a), metadata={op_name=\"\\q\"}", `negate(%a), metadata={op_name="\q"}`},
		{"negate(a), backend_config=x", "negate(%a), backend_config=x"},
		{"negate(a), statistics={a}", "negate(%a), statistics={a}"},
		{"negate(a), origin={{1}}", "negate(%a), origin={{1}}"},
		{"exponential(a), result_accuracy={mode={}}", "exponential(%a), result_accuracy={mode={}}"},
		{"slice(a), slice={[0:1:2:3]}", "slice(%a), slice={[0:1:2:3]}"},
		{"slice(a), slice=5", "slice(%a), slice=5"},
		{"all-gather(a), dimensions={0}, replica_groups=[2,2]<=[5]", "all-gather(%a), replica_groups=[2,2]<=[5], " +
			"dimensions={0}"},
		{"pad(a, a), padding=x", "pad(%a, %a), padding=x"},
		{"custom-call(a), custom_call_target=f, literal=(s32[])", "custom-call(%a), custom_call_target=f, " +
			"literal=(s32[])"},
		{"custom-call(a), custom_call_target=\"f\", output_to_operand_aliasing={{}: (0)}",
			`custom-call(%a), custom_call_target="f", output_to_operand_aliasing={{}: (0)}`},
		{"fusion(a), kind=\"k\"", `fusion(%a), kind="k"`},
	} {
		m, err := parser.Parse("odd.hlo", "HloModule m\nENTRY e { a = f32[4] parameter(0) ROOT r = f32[4] "+c.in+" }")
		if c.want == "" {
			assert.Error(t, err)
			continue
		}
		if !assert.NoError(t, err, c.in) {
			continue
		}
		got := printer.Config{Mode: printer.Canonical}.Print(m)
		_, line, _ := strings.Cut(got, "ROOT %r = f32[4]{0} ")
		line, _, _ = strings.Cut(line, "\n")
		assert.Equal(t, c.want, line)
	}
}

// An alias with anything but numbers is printed as it is written, one without a kind as XLA prints its own.
func TestCanonicalAlias(t *testing.T) {
	for in, want := range map[string]string{
		"{0}: (0, {})":              "{0}: (0, {}, may-alias)",
		"{0}: (0, {}, must-alias)":  "{0}: (0, {}, must-alias)",
		"{x}: (0, {}, must-alias)":  "{x}: (0, {}, must-alias)",
		"{0}: (y, {}, must-alias)":  "{0}: (y, {}, must-alias)",
		"{0}: (0, {z}, must-alias)": "{0}: (0, {z}, must-alias)",
		"{0}: (0, {}, other)":       "{0}: (0, {}, other)",
		"(0, {})":                   "(0, {})",
	} {
		m, err := parser.Parse("", "HloModule m, input_output_alias={ "+in+" }\nENTRY e { a = f32[2] parameter(0) "+
			"ROOT t = (f32[2]) tuple(a) }")
		require.NoError(t, err, in)
		assert.Contains(t, printer.Config{Mode: printer.Canonical}.Print(m), "input_output_alias={ "+want+" }, ")
	}
}

// Donors are a number and an index each; what is more than that is printed as it is written.
func TestCanonicalDonor(t *testing.T) {
	for in, want := range map[string]string{
		"(1, {2}), (0, {}), (1, {2})": "(0, {}), (1, {2})",
		"(1, {}, x), (0, {})":         "(1, {}, x), (0, {})",
		"{0}: (0, {})":                "{0}: (0, {})",
	} {
		m, err := parser.Parse("", "HloModule m, buffer_donor={ "+in+" }\nENTRY e { ROOT a = f32[2] parameter(0) }")
		require.NoError(t, err, in)
		assert.Contains(t, printer.Config{Mode: printer.Canonical}.Print(m), "buffer_donor={ "+want+" }, ")
	}
}

// No text makes the canonical print panic.
func FuzzCanonical(f *testing.F) {
	files, err := filepath.Glob("../testdata/canonical/*.txtar")
	require.NoError(f, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(f, err)
		f.Add(string(archive.Files[0].Data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parser.Parse("fuzz.hlo", text)
		if err != nil {
			return
		}
		for _, k := range formats {
			assert.NotEmpty(t, printer.Config{Mode: printer.Canonical, Format: k.format}.Print(m))
		}
	})
}

// notReadBack are the cases whose print by XLA is not read and preserved, with the reason.
var notReadBack = map[string]string{
	"async1": twice, "thread2": twice, "thread9": twice,
	"meshes": unescaped, "values": unescaped, "recovery0": unescaped, "thread7": unescaped,
	"thread8":     "XLA prints a computation neither where it is called nor elsewhere",
	"annotations": "blanks in front of a backend_config are not kept",
}

const (
	twice     = "XLA prints an attribute of a short async instruction twice"
	unescaped = "XLA prints a name without escapes"
)

// The preserving print of what XLA prints is that text.
func TestPreservesXLA(t *testing.T) {
	files, err := filepath.Glob("../testdata/canonical/*.txtar")
	require.NoError(t, err)
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		parts, same := sections(t, f), true
		for _, k := range formats {
			m, err := parser.Parse(f, parts[k.name])
			if notReadBack[name] != "" {
				same = same && err == nil && printer.Print(m) == parts[k.name]
			} else if assert.NoError(t, err) {
				sameText(t, parts[k.name], printer.Print(m), name+", "+k.name)
			}
		}
		if reason := notReadBack[name]; reason != "" {
			assert.False(t, same, "%s is read and preserved, and no exception any more: %s", name, reason)
		}
	}
}
