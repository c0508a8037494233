package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nest returns a module of n computations, each with what body makes of the name of the one before.
func nest(head string, n int, body func(callee string) string) string {
	var b strings.Builder
	b.WriteString("HloModule m" + head + "\n%f0 {\n%a = f32[2] parameter(0)\nROOT %n = f32[2] negate(%a)\n}\n%c " +
		"{\n%a = f32[2] parameter(0)\nROOT %n = pred[] constant(true)\n}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "%%f%d {\n%%a = f32[2] parameter(0)\n%s}\n", i, body(fmt.Sprintf("%%f%d", i-1)))
	}
	fmt.Fprintf(&b, "ENTRY %%e {\n%%a = f32[2] parameter(0)\n%s}\n", body(fmt.Sprintf("%%f%d", n-1)))
	return b.String()
}

// twice calls a computation twice, one call after the other.
func twice(format string) func(string) string {
	return func(callee string) string {
		call := strings.ReplaceAll(format, "CALLEE", callee)
		return "%x = f32[2] " + strings.ReplaceAll(call, "ARG", "%a") + "\nROOT %y = f32[2] " +
			strings.ReplaceAll(call, "ARG", "%x") + "\n"
	}
}

func inEntry(lines ...string) string {
	return "HloModule m\n%add {\n%a = f32[] parameter(0)\n%b = f32[] parameter(1)\nROOT %s = f32[] add(%a, " +
		"%b)\n}\nENTRY %e {\n" + strings.Join(lines, "\n") + "\n}\n"
}

func doubled(leaf string, n int) string {
	lines := []string{"%t0 = " + leaf + " parameter(0)"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("%%t%d = tuple(%%t%d, %%t%d)", i+1, i, i))
	}
	return inEntry(lines...)
}

func listOf(n int, word string) string { return strings.TrimSuffix(strings.Repeat(word+",", n), ",") }

// bombs are small texts that say much: what costs is what they say, not how long they are.
var bombs = map[string]string{
	"tuples that double":          doubled("f32[2]", 38),
	"empty tuples that double":    doubled("()", 38),
	"tuples that double a little": doubled("f32[2]", 7),
	"tuples in tuples": inEntry("ROOT %p = " + strings.Repeat("(", 480) + strings.Repeat(")", 480) +
		" parameter(0)"),
	"braces": inEntry("ROOT %p = f32[] parameter(0), sharding=" + strings.Repeat("{", 400) +
		strings.Repeat("}", 400)),
	"calls that double":             nest("", 30, twice("call(ARG), to_apply=CALLEE")),
	"scheduled calls that double":   nest(", is_scheduled=true", 30, twice("call(ARG), to_apply=CALLEE")),
	"fusions that double":           nest("", 30, twice("fusion(ARG), kind=kLoop, calls=CALLEE")),
	"scheduled fusions that double": nest(", is_scheduled=true", 30, twice("fusion(ARG), kind=kLoop, calls=CALLEE")),
	"loops that double":             nest("", 25, twice("while(ARG), condition=%c, body=CALLEE")),
	"scheduled loops that double":   nest(", is_scheduled=true", 25, twice("while(ARG), condition=%c, body=CALLEE")),
	"conditionals that double": nest("", 20, func(f string) string {
		return "%k = pred[] constant(true)\nROOT %y = f32[2] conditional(%k, %a, %a), true_computation=" + f +
			", false_computation=" + f + "\n"
	}),
	"dimensions of 2^63": inEntry("%p = f32[9223372036854775807,9223372036854775807] parameter(0)",
		"ROOT %t = f32[9223372036854775807,9223372036854775807] transpose(%p), dimensions={1,0}"),
	"10^18 elements": inEntry("%p = f32[1000000000,1000000000] parameter(0)",
		"%r = f32[1000000000000000000] reshape(%p)", "ROOT %t = f32[1000000000,1000000000] transpose(%p), "+
			"dimensions={1,0}"),
	"a constant without its values": inEntry("ROOT %p = f32[1000000000] constant({...})"),
	"a constant with too few":       inEntry("ROOT %p = s4[1000000000000] constant({1,2,3})"),
	"an empty constant":             inEntry("ROOT %p = f32[1000000000,0] constant({})"),
	"a number of a thousand digits": inEntry("ROOT %p = f32[] constant(" + strings.Repeat("9", 900) + ")"),
	"an exponent of 10^9":           inEntry("ROOT %p = f64[] constant(1e999999999)"),
	"replica groups of 10^12": inEntry("%p = f32[8] parameter(0)", "ROOT %r = f32[8] all-reduce(%p), "+
		"replica_groups=[1000000,1000000]<=[1000000000000], to_apply=%add"),
	"transposed replica groups": inEntry("%p = f32[8] parameter(0)", "ROOT %r = f32[8] all-reduce(%p), "+
		"replica_groups=[10000,10000]<=[100,100,100,100]T(3,2,1,0), to_apply=%add"),
	"10^12 replicas": strings.Replace(inEntry("%p = f32[8] parameter(0)",
		"ROOT %r = f32[8] all-reduce(%p), replica_groups={}, to_apply=%add"), "HloModule m",
		"HloModule m, replica_count=1000000000000", 1),
	"a sharding over 10^10 devices": inEntry("ROOT %p = f32[8] parameter(0), " +
		"sharding={devices=[100000,100000]<=[10000000000]}"),
	"60 dimensions": inEntry("%p = f32["+listOf(60, "2")+"] parameter(0)", "ROOT %t = f32["+listOf(30, "4")+
		"] reshape(%p)"),
	"300 dimensions of size 1": inEntry("%p = f32["+listOf(300, "1")+"] parameter(0)", "ROOT %t = f32[] reshape(%p)"),
	"tiles of 10^18": inEntry("%p = f32[3,5]{1,0:T(1000000000,1000000000)(1000000000,1000000000)} "+
		"parameter(0)", "ROOT %n = f32[3,5] negate(%p)"),
	"150 tiles": inEntry("%p = f32[3,5]{1,0:T"+strings.Repeat("(2,2)", 150)+"} parameter(0)",
		"ROOT %n = f32[3,5] negate(%p)"),
	"a window of 10^9": inEntry("%p = f32[8] parameter(0)", "%z = f32[] constant(0)",
		"ROOT %r = f32[8] reduce-window(%p, %z), window={size=1000000000 pad=999999999_0 rhs_dilate=1000000000}, "+
			"to_apply=%add"),
	"parameter 2^31": inEntry("ROOT %p = f32[] parameter(2147483647)"),
	"an element of 2^63": inEntry("%p = (f32[]) parameter(0)", "ROOT %q = f32[] get-tuple-element(%p), "+
		"index=9223372036854775807"),
}

// cheap runs f up to three times and expects that one run takes no more than 100 ms and 100 MB, as documented.
func cheap(t *testing.T, what string, f func()) {
	t.Helper()
	took, bytes := time.Duration(1<<62), uint64(1<<62)
	for range 3 {
		before, start := allocated(), cpuTime()
		f()
		took, bytes = min(took, cpuTime()-start), min(bytes, allocated()-before)
		if took < 100*time.Millisecond {
			break
		}
	}
	assert.Less(t, took, 100*time.Millisecond, what)
	assert.Less(t, bytes, uint64(100<<20), what)
}

func TestBombs(t *testing.T) {
	for name, text := range bombs {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bomb.hlo")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
			// the module before and after a pass, and as it was handed in
			dumps := filepath.Join(filepath.Dir(path), "dumps")
			require.NoError(t, os.Mkdir(dumps, 0o777))
			for _, name := range []string{"module_0000.m.before_optimizations.txt",
				"module_0000.m.0001.p.after_a.before_b.txt", "module_0000.m.after_optimizations.txt"} {
				require.NoError(t, os.WriteFile(filepath.Join(dumps, name), []byte(text), 0o666))
			}
			lines := append([][]string{{"diff", path, "-"}, {"check", "--golden", filepath.Dir(path)},
				{"report", "-o", os.DevNull, path}, {"report", "-o", os.DevNull, "--diff", path, path},
				{"sweep", path}, {"assign", "--pin", "%p={0}", path}, {"assign", "--entry", "param 0={0}", path},
				{"assign", "--spaces-only", path}, {"fmt", "--strict", path},
				{"dump", dumps}, {"dump", dumps, "--pass", "p"}, {"dump", dumps, "--value", "%p"},
				{"dump", dumps, "--value", "%y"}, {"diff", dumps, dumps},
				{"diff", "--format=side-by-side", path, "-"}}, commandLines...)
			for _, line := range lines {
				cheap(t, strings.Join(line, " "), func() { sane(t, text, line...) })
			}
		})
	}
}

// Questions about shapes and layouts that say much.
func TestBombsInQuestions(t *testing.T) {
	huge := "f32[1000000000,1000000000]{1,0:T(8,128)}"
	for _, args := range [][]string{
		{"decode", huge}, {"decode", "--svg", os.DevNull, huge}, {"decode", "f32[30000,30000]{1,0:T(10000,10000)}"},
		{"decode", "f32[" + listOf(60, "2") + "]"},
		{"decode", "f32[8,8]{1,0:T(1000000000,1000000000)}"},
		{"decode", "f32[3,5]{1,0:T" + strings.Repeat("(2,2)", 150) + "}"},
		{"index", huge, "999999999,999999999"}, {"index", "f32[" + listOf(60, "2") + "]", "@5"},
		{"index", "f32[3,5]{1,0:T" + strings.Repeat("(2,2)", 150) + "}", "1,1"},
		{"relayout", "f32[1000000000,1000000000]{1,0:T(8,128)}", "f32[1000000000,1000000000]{0,1:T(8,128)}"},
		{"relayout", "f32[" + listOf(30, "2") + "]", "f32[" + listOf(30, "2") + "]"},
		{"table", "f32", "1000000000,1000000000"}, {"table", "f32", listOf(60, "2")},
		{"table", "s4", "9223372036854775807,1"},
		{"cute", "complement(1:1, 1000000000000000000)"}, {"cute", "(" + listOf(500, "2") + "):(" + listOf(500, "1") +
			")"},
		{"cute", strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500)},
		{"cute", "logical_product(1000000000:1, 1000000000:1)"},
		{"cute", "composition((1000000000,1000000000):(1000000000,1), 1000000000:7)"},
		{"cute", "coalesce((" + listOf(300, "1000000000") + "))"},
		{"cute", "right_inverse((1000000,1000000):(1000000,1))"}, {"cute", "print_layout((100000,100000):(1,100000))"},
	} {
		t.Run(args[0], func(t *testing.T) {
			cheap(t, strings.Join(args, " ")[:min(90, len(strings.Join(args, " ")))], func() { sane(t, "", args...) })
		})
	}
}
