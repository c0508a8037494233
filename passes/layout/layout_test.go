package layout

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/entry"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/plan"
	"hlolayout/printer"
	"hlolayout/tpu"
)

func target(t testing.TB, name string) *tpu.Target {
	t.Helper()
	x, err := tpu.ByName(name)
	require.NoError(t, err)
	return x
}

// compiledBy takes the name of an answer in testdata apart: NAME, or NAME@VERSION for another libtpu than the default.
func compiledBy(t testing.TB, generation, name string) (module string, x *tpu.Target) {
	t.Helper()
	module, version, _ := strings.Cut(name, "@")
	x, err := target(t, generation).WithLibTPU(version)
	require.NoError(t, err)
	return module, x
}

func parse(t testing.TB, text string) *hlo.Module {
	t.Helper()
	m, err := parser.Parse("test.hlo", text)
	require.NoError(t, err)
	return m
}

func ints(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return "{" + strings.Join(words, ",") + "}"
}

func digit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// events are the constraints that the pass sets on v5e, in order.
func events(t testing.TB, text string) (list []Event) {
	t.Helper()
	err := Trace(parse(t, text), target(t, "v5e"), plan.Options{}, func(e Event) { list = append(list, e) })
	require.NoError(t, err)
	return list
}

// The pass sets the constraints that the compiler's log lists, in the same order, with the same priority and flags.
func TestEventsAreTheCompilers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.events.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(file, ".events.txt")
		t.Run(filepath.Base(name), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			text, err := os.ReadFile(name + ".hlo")
			require.NoError(t, err)
			_, list, _ := strings.Cut(string(want), "\n")
			var got strings.Builder
			run := 0
			for _, e := range events(t, string(text)) {
				if e.Operand != -1 {
					continue
				}
				for ; run < e.Run; run++ {
					fmt.Fprintf(&got, "run %d\n", run+1)
				}
				fmt.Fprintf(&got, "%%%s %s %s priority=%d mandatory=%d dfs=%d\n", e.Instruction.Name, ints(e.Index),
					ints(e.MinorToMajor),
					e.Priority, digit(e.Mandatory), digit(e.DFS))
			}
			assert.Equal(t, list, got.String())
		})
	}
}

// The same modules come out as the compiler's, byte for byte but for blanks at line ends.
func TestModulesAreTheCompilers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.after.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			module, target := compiledBy(t, "v5e", strings.TrimSuffix(file, ".after.hlo"))
			text, err := os.ReadFile(module + ".hlo")
			require.NoError(t, err)
			wanted, got := trimmed(string(want)), trimmed(assignFor(t, string(text), target))
			if slices.Contains(renumbered, strings.TrimSuffix(filepath.Base(file), ".after.hlo")) {
				assert.NotEqual(t, wanted, got, "the numbers are right: take it off the list")
				wanted, got = copyNumber.ReplaceAllString(wanted, "%copy"), copyNumber.ReplaceAllString(got, "%copy")
			}
			assert.Equal(t, wanted, got)
		})
	}
}

// Tiles that an earlier pass wrote inside of a fusion say nothing of its order: it stays, as in gradients of selections
// along an axis (five random programs).
func TestFusedKeepsTiledOrders(t *testing.T) {
	text, err := os.ReadFile("testdata/fused_written.hlo")
	require.NoError(t, err)
	const written, tiled = "%transpose.61 = f32[600,2]{0,1}", "%transpose.61 = f32[600,2]{0,1:T(2,128)}"
	got := assign(t, strings.Replace(string(text), written+" ", tiled+" ", 1), "v5e")
	assert.Contains(t, got, tiled)
	assert.Equal(t, assign(t, string(text), "v5e"), got)
}

// Names in a copied body are taken, and none after them where its tuples do not follow the initial values: the loop did
// not lose elements last (seven programs on v7x).
func TestNamesAfterCopiedBodies(t *testing.T) {
	got := assign(t, `
HloModule n, entry_computation_layout={(f32[7,20]{1,0:T(8,128)})->(f32[7,20]{1,0:T(8,128)}, f32[7,20]{0,1:T(8,128)})}

body.clone {
  p = (s32[], f32[7,20]{1,0}) parameter(0)
  get-tuple-element.1 = s32[] get-tuple-element(p), index=0
  get-tuple-element.2 = f32[7,20]{1,0} get-tuple-element(p), index=1
  tuple.8 = (f32[7,20]{1,0}) tuple(get-tuple-element.2)
  kept = f32[7,20]{1,0} get-tuple-element(tuple.8), index=0
  ROOT tuple.4 = (s32[], f32[7,20]{1,0}) tuple(get-tuple-element.1, kept)
}

condition.clone {
  q = (s32[], f32[7,20]{1,0}) parameter(0)
  get-tuple-element.0 = s32[] get-tuple-element(q), index=0
  limit = s32[] constant(9)
  ROOT less = pred[] compare(get-tuple-element.0, limit), direction=LT
}

ENTRY main.5 {
  x = f32[7,20]{1,0} parameter(0)
  zero = s32[] constant(0)
  tuple.3 = (s32[], f32[7,20]{1,0}) tuple(zero, x)
  loop = (s32[], f32[7,20]{1,0}) while(tuple.3), condition=condition.clone, body=body.clone
  y = f32[7,20]{1,0} get-tuple-element(loop), index=1
  ROOT tuple.1 = (f32[7,20]{1,0}, f32[7,20]{1,0}) tuple(y, x)
}
`, "v7x")
	assert.Contains(t, got, "ROOT tuple.9 = ")
}

// What reads the element of a tuple counts as a reader of what the tuple was made of once the first run is over, and
// decides then what is minor in the result of a dot (5 of 5 programs on v7x, with layers that are inlined late).
func TestReadersOfElementsAreAskedInLaterRuns(t *testing.T) {
	got := assign(t, `
HloModule taken

sum {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}

ENTRY main {
  x = bf16[128,384] parameter(0)
  w = bf16[384,128] parameter(1)
  r = bf16[1,128,128] parameter(2)
  u = bf16[128,8,128] parameter(3)
  v = bf16[128,16] parameter(4)
  zero = bf16[] constant(0)
  d = bf16[128,128] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d3 = bf16[1,128,128] reshape(d)
  y = bf16[1,128,128] add(r, d3)
  made = (bf16[1,128,128]) tuple(y)
  taken = bf16[1,128,128] get-tuple-element(made), index=0
  summed = bf16[128] reduce(taken, zero), dimensions={0,2}, to_apply=sum
  again = bf16[128,8,16] dot(u, v), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT all = (bf16[128], bf16[128,8,16]) tuple(summed, again)
}
`, "v7x")
	assert.Contains(t, got, "d = bf16[128,128]{0,1:")
	assert.Contains(t, got, "dot(u, v)", "what had the pass run again stays")
}

// Modules that were compiled by another libtpu, too, show a difference between versions.
func TestVersionsDiffer(t *testing.T) {
	files, err := filepath.Glob("testdata/*@*.after.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		module, old := compiledBy(t, "v5e", strings.TrimSuffix(file, ".after.hlo"))
		text, err := os.ReadFile(module + ".hlo")
		require.NoError(t, err)
		assert.NotEqual(t, assign(t, string(text), "v5e"), assignFor(t, string(text), old), file)
	}
}

// Every known release is in one era, and a target's own is that of its version.
func TestEras(t *testing.T) {
	for _, r := range tpu.Releases() {
		x, err := target(t, "v5e").WithLibTPU(r.Version)
		require.NoError(t, err)
		eras, own := Eras(x)
		assert.LessOrEqual(t, tpu.CompareVersions(eras[own].First, r.Version), 0, r.Version)
		assert.GreaterOrEqual(t, tpu.CompareVersions(eras[own].Last, r.Version), 0, r.Version)
	}
	eras, own := Eras(target(t, "v5e"))
	assert.Equal(t, tpu.DefaultLibTPU, eras[own].Last)
	assert.Greater(t, len(eras), 1)
}

// renumbered are modules in which the compiler gives its copies other numbers: earlier passes took them, which the
// text does not show, or did not run, where a module was cut out of a program (all_gather_rows).
var (
	renumbered = []string{"all_gather_rows", "cond_kept_elements", "fuzz_071", "gather_slices", "gmm_em",
		"loop_comes_out", "loop_stacks@0.0.48.1", "permutes", "reduce_scatters", "scatter_two", "tuple_element"}
	copyNumber = regexp.MustCompile(`%(copy|tuple|get-tuple-element)\b(\.\d+)?`)
)

func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func assign(t testing.TB, text, generation string) string {
	t.Helper()
	return assignFor(t, text, target(t, generation))
}

func assignFor(t testing.TB, text string, target *tpu.Target) string {
	t.Helper()
	m := parse(t, text)
	p, err := Run(m, target, plan.Options{})
	require.NoError(t, err)
	require.NoError(t, p.Apply(m))
	return printer.Print(m)
}

// entryOf wraps instructions in a module with the given interface.
func entryOf(layout, body string) string {
	return "HloModule m, entry_computation_layout={" + layout + "}\n\nENTRY %main {\n" + body + "\n}\n"
}

func TestAssign(t *testing.T) {
	for _, c := range []struct {
		name, generation, in string
		want                 []string
	}{
		{"elementwise follows the parameter", "v5e",
			entryOf("(f32[100,300]{0,1:T(8,128)})->f32[100,300]{0,1:T(8,128)}",
				"%p = f32[100,300] parameter(0)\nROOT %n = f32[100,300] negate(%p)"),
			[]string{"%n = f32[100,300]{0,1:T(8,128)} negate(%p)"}},
		{"the result's order takes a copy", "v5e",
			entryOf("(f32[100,300]{0,1:T(8,128)})->f32[100,300]{1,0:T(8,128)}",
				"%p = f32[100,300] parameter(0)\nROOT %n = f32[100,300] negate(%p)"),
			[]string{"%copy = f32[100,300]{1,0:T(8,128)} copy(%p)", "ROOT %n = f32[100,300]{1,0:T(8,128)} negate(%copy)"}},
		{"a result that is written without tiles keeps its order", "v5e",
			entryOf("(c64[16,128]{1,0:T(8,128)})->c64[16,128]{0,1}",
				"%p = c64[16,128] parameter(0)\nROOT %n = c64[16,128] fft(%p), fft_type=FFT, fft_length={128}"),
			[]string{"->c64[16,128]{0,1:T(8,128)}}", "ROOT %copy = c64[16,128]{0,1:T(8,128)} copy(%n)"}},
		{"four by three stays as it is in bf16", "v5e",
			entryOf("(bf16[4,64]{1,0:T(4,128)(2,1)}, bf16[64,3]{0,1:T(4,128)(2,1)})->bf16[4,3]{1,0:T(4,128)(2,1)}",
				"%a = bf16[4,64] parameter(0)\n%b = bf16[64,3] parameter(1)\n"+
					"ROOT %d = bf16[4,3] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
			[]string{"ROOT %d = bf16[4,3]{1,0:T(4,128)(2,1)} dot(%a, %b)"}},
		{"but not in f32", "v5e",
			entryOf("(f32[4,64]{1,0:T(4,128)}, f32[64,3]{0,1:T(4,128)})->f32[4,3]{1,0:T(4,128)}",
				"%a = f32[4,64] parameter(0)\n%b = f32[64,3] parameter(1)\n"+
					"ROOT %d = f32[4,3] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
			[]string{"%d = f32[4,3]{0,1:T(4,128)} dot(%a, %b)", "ROOT %copy = f32[4,3]{1,0:T(4,128)} copy(%d)"}},
		{"no interface: the device's default", "v5e",
			"HloModule m\n\nENTRY %main {\n%p = bf16[1024,1000] parameter(0)\nROOT %n = bf16[1024,1000] negate(%p)\n}\n",
			[]string{"entry_computation_layout={(bf16[1024,1000]{0,1:T(8,128)(2,1)})->bf16[1024,1000]{0,1:T(8,128)(2,1)}}",
				"ROOT %n = bf16[1024,1000]{0,1:T(8,128)(2,1)} negate(%p)"}},
		{"large tiles at the boundary only", "v5e",
			entryOf("(s8[64,256]{1,0})->s8[64,256]{1,0}", "%p = s8[64,256] parameter(0)\nROOT %n = s8[64,256] negate(%p)"),
			[]string{"entry_computation_layout={(s8[64,256]{1,0:T(32,128)(4,1)})",
				"%p = s8[64,256]{1,0:T(8,128)(4,1)} parameter(0)"}},
		{"the caller's tile stays on the parameter", "v5e",
			entryOf("(f32[5,700]{1,0:T(4,128)})->f32[5,700]{1,0:T(8,128)}",
				"%p = f32[5,700] parameter(0)\n%s = f32[5,700] sine(%p)\nROOT %n = f32[5,700] reverse(%s), dimensions={0}"),
			[]string{"%p = f32[5,700]{1,0:T(4,128)} parameter(0)", "%s = f32[5,700]{1,0:T(8,128)} sine(%p)",
				"ROOT %n = f32[5,700]{1,0:T(8,128)} reverse(%s)"}},
		{"also where it is copied", "v5e",
			entryOf("(f32[5,700]{1,0:T(4,128)})->f32[5,700]{0,1:T(8,128)}",
				"%p = f32[5,700] parameter(0)\nROOT %s = f32[5,700] sine(%p)"),
			[]string{"%p = f32[5,700]{1,0:T(4,128)} parameter(0)", "%copy = f32[5,700]{0,1:T(8,128)} copy(%p)",
				"ROOT %s = f32[5,700]{0,1:T(8,128)} sine(%copy)"}},
		{"tiles that the interface gives keep the bits of their elements", "v5p",
			entryOf("(s4[7,129]{1,0:T(8,128)(4,1)})->s4[7,129]{1,0:T(8,128)(4,1)}",
				"%p = s4[7,129] parameter(0)\nROOT %n = s4[7,129] negate(%p)"),
			[]string{"={(s4[7,129]{1,0:T(8,128)(4,1)E(4)})->s4[7,129]{1,0:T(8,128)(4,1)E(4)}}",
				"%p = s4[7,129]{1,0:T(8,128)(4,1)E(4)} parameter(0)"}},
		{"an outfeed takes the layout that it is written with", "v5e",
			"HloModule m\n\nENTRY %main {\n%p = f32[8,300] parameter(0)\n%n = f32[8,300] negate(%p)\n%t = token[] " +
				"after-all()\n" +
				"ROOT %o = token[] outfeed(%n, %t), outfeed_shape=f32[8,300]{0,1}\n}\n",
			[]string{"%copy.1 = f32[8,300]{0,1:T(8,128)} copy(%n)", "outfeed(%copy.1, %t)"}},
		{"host memory stays in the interface alone", "v5e",
			entryOf("(f32[8,128]{1,0:T(8,128)S(5)})->f32[8,128]{1,0:T(8,128)}",
				"%p = f32[8,128] parameter(0)\nROOT %d = f32[8,128] custom-call(%p), custom_call_target=\"MoveToDevice\""),
			[]string{"%p = f32[8,128]{1,0:T(8,128)} parameter(0)", "ROOT %d = f32[8,128]{1,0:T(8,128)} custom-call(%p)"}},
		{"a vector times a matrix requests nothing", "v7x",
			entryOf("(f32[64]{0})->f32[16]{0}",
				"%p = f32[64] parameter(0)\n%c = f32[] constant(2)\n%b = f32[64,16] broadcast(%c), dimensions={}\nROOT %d = "+
					"f32[16] dot(%p, %b), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
			[]string{"%b = f32[64,16]{1,0:T(8,128)} broadcast(%c)"}},
		{"the parts of an asynchronous operation have one layout", "v5e",
			"HloModule m\n\n%f {\n%p = f32[4096,4] parameter(0)\nROOT %e = f32[4096,4] exponential(%p)\n}\n\n" +
				"ENTRY %main {\n%a = f32[4096,4] parameter(0)\n" +
				"%s = ((f32[4096,4]), f32[4096,4], u32[]) async-start(%a), calls=%f\n" +
				"%u = ((f32[4096,4]), f32[4096,4], u32[]) async-update(%s)\nROOT %d = f32[4096,4] async-done(%u)\n}\n",
			[]string{"%u = ((f32[4096,4]{0,1:T(4,128)}), f32[4096,4]{0,1:T(4,128)}, ", "async-update(%s)"}},
		{"the beginning of an asynchronous operation has the layout that its end is asked for", "v5e",
			"HloModule m\n\n%f {\n%q = f32[16,256] parameter(0)\nROOT %e = f32[16,256] exponential(%q)\n}\n\n" +
				"ENTRY %main {\n%a = f32[16,256] parameter(0)\n" +
				"%s = ((f32[16,256]), f32[16,256], u32[]) async-start(%a), calls=%f\n%d = f32[16,256] async-done(%s)\n" +
				"ROOT %r = f32[256] custom-call(%d), custom_call_target=\"x\", " +
				"operand_layout_constraints={f32[16,256]{0,1}}\n}\n",
			[]string{"f32[16,256]{0,1:T(8,128)}, u32[]{:T(128)}) async-start(",
				"%d = f32[16,256]{0,1:T(8,128)} async-done(%s)"}},
		{"what is used in place of a tuple's element takes its metadata if it has none", "v5e",
			"HloModule m\n\nENTRY %main {\n%p = (f32[8,300], f32[8,300]) parameter(0)\n" +
				"%a = f32[8,300] get-tuple-element(%p), index=0\n" +
				"%b = f32[8,300] get-tuple-element(%p), index=1, metadata={op_name=\"own\"}\n" +
				"%t = (f32[8,300], f32[8,300]) tuple(%a, %b)\n" +
				"%c = f32[8,300] get-tuple-element(%t), index=0, metadata={op_name=\"c\"}\n" +
				"%d = f32[8,300] get-tuple-element(%t), index=1, metadata={op_name=\"d\"}\nROOT %s = f32[8,300] add(%c, %d)\n}\n",
			[]string{"%c = f32[8,300]{1,0:T(8,128)} get-tuple-element(%p), index=0, metadata={op_name=\"c\"}",
				"%d = f32[8,300]{1,0:T(8,128)} get-tuple-element(%p), index=1, metadata={op_name=\"own\"}"}},
		{"an asynchronous computation gives the layout that its caller has", "v5e",
			"HloModule m, entry_computation_layout={(f32[16,256]{1,0})->f32[256,16]{1,0:T(8,128)}}\n\n" +
				"%f {\n%p = f32[16,256] parameter(0)\nROOT %t = f32[256,16] transpose(%p), dimensions={1,0}\n}\n\n" +
				"ENTRY %main {\n%a = f32[16,256] parameter(0)\n" +
				"%s = ((f32[16,256]), f32[256,16], u32[]) async-start(%a), calls=%f\nROOT %d = f32[256,16] async-done(%s)\n}\n",
			[]string{"%t = f32[256,16]{0,1:T(8,128)} transpose(%p)", "ROOT %copy = f32[256,16]{1,0:T(8,128)} copy(%t)",
				"%s = ((f32[16,256]{1,0:T(8,128)}), f32[256,16]{1,0:T(8,128)}, "}},
		{"old generations have two rows at least", "v2",
			entryOf("(f32[1,300]{1,0})->f32[1,300]{1,0}", "%p = f32[1,300] parameter(0)\nROOT %n = f32[1,300] negate(%p)"),
			[]string{"%n = f32[1,300]{1,0:T(2,128)} negate(%p)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := assign(t, c.in, c.generation)
			for _, want := range c.want {
				assert.Contains(t, got, want)
			}
		})
	}
}

func TestAssignTwiceIsAssignOnce(t *testing.T) {
	files, err := filepath.Glob("testdata/*.after.hlo")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		m := parse(t, string(text))
		p, err := Run(m, target(t, "v5e"), plan.Options{})
		require.NoError(t, err)
		assert.Empty(t, p.Decisions, file)
		assert.Empty(t, p.Edits, file)
		assert.NotEmpty(t, p.Notes, file)
	}
}

func TestReasons(t *testing.T) {
	for tile, want := range map[string]struct {
		parameter, result string
		mandatory         bool
	}{
		":T(8,128)": {docs()[rule.EntryParameter].Text, docs()[rule.EntryResult].Text, true},
		// A placeholder.
		"": {docs()[rule.EntryParameter].TextByDefault, docs()[rule.EntryResult].TextByDefault, false},
	} {
		layout := "f32[100,300]{0,1" + tile + "}"
		m := parse(t, entryOf("("+layout+")->"+layout, "%p = f32[100,300] parameter(0)\nROOT %n = f32[100,300] negate(%p)"))
		p, err := Run(m, target(t, "v5e"), plan.Options{})
		require.NoError(t, err)
		byName := map[string]*plan.Reason{}
		for _, d := range p.Decisions {
			byName[d.Instruction.Name] = d.Reason
		}
		assert.Equal(t, want.parameter, byName["p"].Rule)
		assert.Equal(t, want.result, byName["n"].Rule)
		assert.Equal(t, want.mandatory, byName["p"].Mandatory)
	}
}

func TestMalformed(t *testing.T) {
	const good = "%p = f32[4,6] parameter(0)\n"
	for _, c := range []struct{ name, body, want string }{
		{"broadcast dimension", good + "ROOT %b = f32[4,6,2] broadcast(%p), dimensions={0,3}", "not a list of dimensions"},
		{"broadcast count", good + "ROOT %b = f32[4,6,2] broadcast(%p), dimensions={0}", "broadcast dimensions"},
		{"transpose", good + "ROOT %b = f32[6,4] transpose(%p), dimensions={1,1}", "not a list of dimensions"},
		{"reshape", good + "ROOT %b = f32[5,5] reshape(%p)", "number of elements"},
		{"reshape to a tuple", good + "ROOT %b = (f32[4,6], s32[]) reshape(%p)", "takes and gives arrays"},
		{"broadcast to a tuple", good + "ROOT %b = (f32[4,6], s32[]) broadcast(%p), dimensions={0,1}",
			"takes and gives arrays"},
		{"buffer", "%p = f32[1,1] parameter(0)\nROOT %b = b(f32[]) reshape(%p)", "takes and gives arrays"},
		{"dot", good + "ROOT %b = f32[4,4] dot(%p, %p), lhs_contracting_dims={7}, rhs_contracting_dims={1}",
			"not a list of dimensions"},
		{"convolution", good + "ROOT %b = f32[4,6] convolution(%p, %p), dim_labels=bf_io->bb", "dim_labels"},
		{"get-tuple-element", good + "%t = (f32[4,6]) tuple(%p)\nROOT %b = f32[4,6] get-tuple-element(%t), index=3",
			"not an element"},
		{"sort", good + "ROOT %b = f32[4,6] sort(%p), dimensions={}", "not one"},
		{"gather", good + "%i = s32[2] constant({0,1})\nROOT %b = f32[2,6] gather(%p, %i), offset_dims={1}, " +
			"collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}", "slice_sizes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := parser.Parse("test.hlo", "HloModule m\n\nENTRY %main {\n"+c.body+"\n}\n")
			if err != nil {
				t.Fatalf("the parser refuses it before the pass can: %v", err)
			}
			before := printer.Print(m)
			_, err = Run(m, target(t, "v5e"), plan.Options{})
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, before, printer.Print(m))
		})
	}
}

// A scatter that was valid takes its updates from a reshape that the second run turned: the third requests it, though
// it is not listed as invalid, and its updates have the layout that it reads (testdata/scatter_later.hlo; the name of
// its result is not the compiler's).
func TestScatterAskedForLater(t *testing.T) {
	text, err := os.ReadFile("testdata/scatter_later.hlo")
	require.NoError(t, err)
	assert.Contains(t, assign(t, string(text), "v5e"), "%add_any.13 = f32[80,3]{1,0:T(8,128)}")
}

// A dot whose result every reader copies takes its operand as it is from the third run on and keeps its result
// (testdata/dot_copied_stays.hlo).
func TestDotKeepsACopiedResult(t *testing.T) {
	text, err := os.ReadFile("testdata/dot_copied_stays.hlo")
	require.NoError(t, err)
	out := assign(t, string(text), "v5e")
	assert.Contains(t, out, "%dot_general.6 = f32[6,9,9,12]{3,2,1,0:T(8,128)}")
	assert.Contains(t, out, "%dot_general.7 = f32[6,9,9,12]{3,2,1,0:T(8,128)}")
}

// In the third run, which reshapes require, a dot takes the operand that it copied before: a reduce, repaired after
// that, follows it (testdata/dot_takes_free_early.hlo, two blocks of attention in windows; two of its copies are not
// the compiler's).
func TestDotTakesItsOperandBeforeReducesAreRepaired(t *testing.T) {
	text, err := os.ReadFile("testdata/dot_takes_free_early.hlo")
	require.NoError(t, err)
	assert.Contains(t, assign(t, string(text), "v5e"), "%reduce.2 = f32[4,4,7,4,7]{3,4,2,1,0:T(8,128)}")
}

// A dot with three free dimensions does not take its operand as it is, as one with two would
// (testdata/dot_takes_rest_three.hlo, cut from a program in which the compiler copies it so).
func TestDotWithThreeFreeDimensionsSortsNothing(t *testing.T) {
	text, err := os.ReadFile("testdata/dot_takes_rest_three.hlo")
	require.NoError(t, err)
	assert.Contains(t, assign(t, string(text), "v5e"),
		"= bf16[8,4,64,2,64]{4,2,3,1,0:T(8,128)(2,1)} copy(%transpose.117)")
}

// The default of a loop's parameter carries its tile, and a reduce compares sizes under that: of f32[2,3,20,20]
// {3,2,1,0} takes no more than {3,0,2,1} under T(2,128), and less under a full tile (testdata/reduce_tiled.hlo; the
// names of its copies are not the compiler's).
func TestDefaultsCarryTiles(t *testing.T) {
	text, err := os.ReadFile("testdata/reduce_tiled.hlo")
	require.NoError(t, err)
	assert.Contains(t, assign(t, string(text), "v5e"), "%reduce.7 = f32[2,3,20]{2,1,0:T(4,128)}")
}

// The loop whose body comes first is settled first, wherever the loop itself is in the text.
func TestLoopsAreSettledInTheOrderOfBodies(t *testing.T) {
	text, err := os.ReadFile("testdata/loop_after_loop.hlo")
	require.NoError(t, err)
	assert.Equal(t, "arg_tuple.1", firstSettled(t, string(text)).Instruction.Name)
	blocks := strings.Split(string(text), "\n\n") // header, body and condition of the first loop, those of the second
	blocks[1], blocks[2], blocks[3], blocks[4] = blocks[3], blocks[4], blocks[1], blocks[2]
	assert.Equal(t, "arg_tuple.5", firstSettled(t, strings.Join(blocks, "\n\n")).Instruction.Name)
}

// What the program has is settled before what the compiler made of it (testdata/branches_before_loop.hlo; the names of
// its tuples are not the compiler's).
func TestComputationsOfTheProgramComeFirst(t *testing.T) {
	text, err := os.ReadFile("testdata/branches_before_loop.hlo")
	require.NoError(t, err)
	assert.Contains(t, assign(t, string(text), "v5e"), "%copy.16 = f32[1,2]{1,0:T(1,128)} copy(%dynamic_slice.27)")
}

// A loop's result decides first what the loop stacks, element 2, if its last dimension takes at most a quarter of the
// lanes; else the initial value of element 3 does. The compiler's log says so of the program with 32 and with 33.
func TestResultsDecideUpToAQuarterOfTheLanes(t *testing.T) {
	text, err := os.ReadFile("testdata/loop_result_lanes.hlo")
	require.NoError(t, err)
	assert.Equal(t, hlo.Index{2}, firstSettled(t, string(text)).Index)
	assert.Equal(t, hlo.Index{3}, firstSettled(t, strings.ReplaceAll(string(text), ",32]", ",33]")).Index)
}

// firstSettled returns the first event about an element of a parameter.
func firstSettled(t *testing.T, text string) Event {
	t.Helper()
	list := events(t, text)
	i := slices.IndexFunc(list, func(e Event) bool {
		return e.Operand < 0 && e.Instruction.Opcode == hlo.OpParameter && len(e.Index) > 0
	})
	require.GreaterOrEqual(t, i, 0)
	return list[i]
}

// What the compiler gives a dot whose result a LayoutConstraint reads, for written orders: directly, through one
// operation, and not where the result is read elsewhere, too. Without it N is minor in the first kind of dots, and M in
// the second (v5e; the same on v7x and v2).
func TestConstraintsDecideDots(t *testing.T) {
	const turned, split = "f32[72,64,8] transpose(%d), dimensions={2,0,1}", "f32[64,4,144] reshape(%d)"
	for _, c := range []struct{ of, through, written, want string }{
		{"f32[64,8,72]", "", "2,1,0", "2,0,1"}, {"bf16[256,16,192]", "", "2,1,0", "2,0,1"},
		{"f32[64,8,72]", "", "2,0,1", "2,0,1"}, {"bf16[256,16,192]", "", "2,0,1", "2,0,1"},
		{"f32[64,8,72]", "", "1,0,2", "2,0,1"}, {"bf16[256,16,192]", "", "1,0,2", "2,0,1"},
		{"f32[64,8,72]", "", "0,2,1", "0,2,1"}, {"bf16[256,16,192]", "", "0,2,1", "0,2,1"},
		{"f32[64,8,72]", "", "0,1,2", "0,2,1"}, {"bf16[256,16,192]", "", "0,1,2", "0,2,1"},
		{"f32[64,8,72]", "", "1,2,0", "0,2,1"},
		{"f32[64,8,72]", "f32[64,8,72] tanh(%d)", "0,2,1", "0,2,1"},
		{"f32[64,8,72]", "elsewhere f32[64,8,72] tanh(%d)", "0,2,1", "2,0,1"},
		{"f32[64,8,72]", turned, "2,0,1", "0,2,1"}, {"f32[64,8,72]", turned, "0,2,1", "2,0,1"},
		{"f32[64,8,72]", split, "0,2,1", "0,2,1"}, {"f32[64,8,72]", split, "1,2,0", "2,0,1"},
	} {
		element, dims, _ := strings.Cut(strings.TrimSuffix(c.of, "]"), "[")
		m, right, _ := strings.Cut(dims, ",")
		through, elsewhere := strings.CutPrefix(c.through, "elsewhere ")
		shape, operand, results := c.of, "%d", "%c"
		if through != "" {
			through = "%e = " + through
			operand = "%e"
			shape, _, _ = strings.Cut(strings.TrimPrefix(through, "%e = "), " ")
		}
		if elsewhere {
			operand, results = "%d", "%c, %e"
		}
		text := fmt.Sprintf(`HloModule m

ENTRY %%main {
  %%a = %s[%s,128] parameter(0)
  %%b = %s[128,%s] parameter(1)
  %%d = %s dot(%%a, %%b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %s
  %%c = %s{%s} custom-call(%s), custom_call_target="LayoutConstraint", operand_layout_constraints={%s{2,1,0}}
  ROOT %%t = tuple(%s)
}
`, element, m, element, right, c.of, through, shape, c.written, operand, shape, results)
		assert.Contains(t, assign(t, text, "v5e"), "%d = "+c.of+"{"+c.want+":T(8,128)", c)
	}
}

// A loop that reads slices of what another loop stacks keeps the order in which it reads them, though the other one
// overrides that of its result: gradients of unrolled optimizers (v5e and v7x).
func TestLoopKeepsOrder(t *testing.T) {
	const text = `HloModule m, entry_computation_layout={(f32[30,7,32]{2,1,0:T(8,128)})->f32[30,7,32]{2,1,0:T(8,128)}}

%read (arg.2: (s32[], f32[6,30,7,32], f32[30,7,32])) -> (s32[], f32[6,30,7,32], f32[30,7,32]) {
  %arg.2 = (s32[], f32[6,30,7,32], f32[30,7,32]) parameter(0)
  %i.2 = s32[] get-tuple-element(%arg.2), index=0
  %stack.2 = f32[6,30,7,32] get-tuple-element(%arg.2), index=1
  %sum.2 = f32[30,7,32] get-tuple-element(%arg.2), index=2
  %z.2 = s32[] constant(0)
  %cut.2 = f32[1,30,7,32] dynamic-slice(%stack.2, %i.2, %z.2, %z.2, %z.2), dynamic_slice_sizes={1,30,7,32}
  %reshape.2 = f32[30,7,32] reshape(%cut.2)
  %g.2 = f32[30,7,32]{0,2,1} custom-call(%i.2), custom_call_target="f", operand_layout_constraints={s32[]}
  %product.2 = f32[30,7,32] multiply(%reshape.2, %g.2)
  %next.2 = f32[30,7,32] add(%sum.2, %product.2)
  ROOT %tuple.2 = (s32[], f32[6,30,7,32], f32[30,7,32]) tuple(%i.2, %stack.2, %next.2)
}

%more (arg.3: (s32[], f32[6,30,7,32], f32[30,7,32])) -> pred[] {
  %arg.3 = (s32[], f32[6,30,7,32], f32[30,7,32]) parameter(0)
  ROOT %more.3 = pred[] constant(true)
}

%write (arg.1: (s32[], f32[6,30,7,32])) -> (s32[], f32[6,30,7,32]) {
  %arg.1 = (s32[], f32[6,30,7,32]) parameter(0)
  %i.1 = s32[] get-tuple-element(%arg.1), index=0
  %stack.1 = f32[6,30,7,32] get-tuple-element(%arg.1), index=1
  %g.1 = f32[30,7,32]{2,0,1} custom-call(%i.1), custom_call_target="f", operand_layout_constraints={s32[]}
  %reshape.1 = f32[1,30,7,32] reshape(%g.1)
  %z.1 = s32[] constant(0)
  %update.1 = f32[6,30,7,32] dynamic-update-slice(%stack.1, %reshape.1, %i.1, %z.1, %z.1, %z.1)
  ROOT %tuple.1 = (s32[], f32[6,30,7,32]) tuple(%i.1, %update.1)
}

%some (arg.4: (s32[], f32[6,30,7,32])) -> pred[] {
  %arg.4 = (s32[], f32[6,30,7,32]) parameter(0)
  ROOT %some.4 = pred[] constant(true)
}

ENTRY %main (x: f32[30,7,32]) -> f32[30,7,32] {
  %x = f32[30,7,32] parameter(0)
  %zero = s32[] constant(0)
  %none = f32[] constant(0)
  %empty = f32[6,30,7,32] broadcast(%none), dimensions={}
  %in.1 = (s32[], f32[6,30,7,32]) tuple(%zero, %empty)
  %while.1 = (s32[], f32[6,30,7,32]) while(%in.1), condition=%some, body=%write
  %stack = f32[6,30,7,32] get-tuple-element(%while.1), index=1
  %in.2 = (s32[], f32[6,30,7,32], f32[30,7,32]) tuple(%zero, %stack, %x)
  %while.2 = (s32[], f32[6,30,7,32], f32[30,7,32]) while(%in.2), condition=%more, body=%read
  ROOT %result = f32[30,7,32] get-tuple-element(%while.2), index=2
}
`
	got := assign(t, text, "v5e")
	assert.Contains(t, got, "%while.1 = (s32[]{:T(128)}, f32[6,30,7,32]{3,1,2,0:T(8,128)}) while(")
	assert.Contains(t, got, "%stack.2 = f32[6,30,7,32]{1,3,2,0:T(8,128)} get-tuple-element(%arg.2)")
}

// An outer product has no dimension to contract: where dots of groups are asked once more it is left alone.
func TestOuterProductsAreOfNoGroup(t *testing.T) {
	text, err := os.ReadFile("testdata/dot_group_pair.hlo")
	require.NoError(t, err)
	entry := strings.LastIndex(string(text), "  ROOT ")
	with := string(text[:entry]) + `  %left = f32[5] constant({...})
  %right = f32[7] constant({...})
  %square = f32[7,7] constant({...})
  %outer = f32[5,7] dot(%left, %right), lhs_contracting_dims={}, rhs_contracting_dims={}
  %product = f32[5,7] dot(%outer, %square), lhs_contracting_dims={1}, rhs_contracting_dims={0}
` + string(text[entry:])
	assert.Contains(t, assign(t, with, "v5e"), "%outer = f32[5,7]{1,0:T(8,128)} dot(")
}

// Where the indices of a gather place its slices in all dimensions but one, that one is minor in the table.
func TestGatherWithOneWholeDimension(t *testing.T) {
	const text = `HloModule m
ENTRY %main (t: s32[3,4,5], i: s32[2]) -> s32[3,1,2] {
  %t = s32[3,4,5] parameter(0)
  %i = s32[2] parameter(1)
  ROOT %g = s32[3,1,2] gather(%t, %i), offset_dims={0,1,2}, collapsed_slice_dims={}, start_index_map={1,2},
    index_vector_dim=0, slice_sizes={3,1,2}
}
`
	assert.Contains(t, assign(t, text, "v5e"), "%copy = s32[3,4,5]{0,2,1:T(8,128)} copy(%t)")
}

// A result with another tile at the boundary may be copied while an element of a tuple is gone.
func TestCopiedResultWithAnotherTile(t *testing.T) {
	m := parse(t, `HloModule m, entry_computation_layout={(s8[64,128]{1,0})->(s8[64,128]{0,1})}
ENTRY %main (p: s8[64,128]) -> (s8[64,128]) {
  %p = s8[64,128] parameter(0)
  %tuple = (s8[64,128]) tuple(%p)
  %element = s8[64,128] get-tuple-element(%tuple), index=0
  ROOT %root = (s8[64,128]) tuple(%element)
}
`)
	p, err := Run(m, target(t, "v5e"), plan.Options{EntryLayouts: entry.AsWritten})
	require.NoError(t, err)
	require.NoError(t, p.Apply(m))
	assert.Contains(t, printer.Print(m), "%copy = s8[64,128]{0,1:T(8,128)(4,1)} copy(%p)")
}
