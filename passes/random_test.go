package passes_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/internal/randhlo"
	"hlolayout/parser"
	"hlolayout/passes"
	"hlolayout/passes/check"
	"hlolayout/printer"
	"hlolayout/tpu"
)

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// assign runs the passes that a text is due for and returns the module.
func assign(t failer, text string, x *tpu.Target, names ...string) *hlo.Module {
	t.Helper()
	return assignWith(t, passes.Options{}, text, x, names...)
}

func assignWith(t failer, o passes.Options, text string, x *tpu.Target, names ...string) *hlo.Module {
	t.Helper()
	m, err := parser.Parse("random.hlo", text)
	if err != nil {
		t.Fatalf("it does not parse: %v\n%s", err, text)
	}
	if _, err := passes.Run(m, x, names, o, passes.Observer{}); err != nil {
		t.Fatalf("%s: %v\n%s", x.Name, err, text)
	}
	return m
}

// holds checks what holds for every module that XLA's verifier accepts: the checker accepts what the passes make of it,
// its print parses, the passes have nothing to add to it, and it does not depend on the number of threads.
func holds(t failer, text string, x *tpu.Target) {
	t.Helper()
	m := assign(t, text, x, passes.Auto)
	once := printer.Print(m)
	accepted(t, m, x, text)
	if m.IsScheduled() {
		only := passes.Options{SpacesOnly: true}
		m := assignWith(t, only, text, x, passes.Auto)
		accepted(t, m, x, text)
		if twice := printer.Print(assignWith(t, only, printer.Print(m), x, passes.Auto)); twice != printer.Print(m) {
			t.Fatalf("%s: without copies, assigning twice is not assigning once:\n%s\n%s\nof\n%s", x.Name,
				printer.Print(m), twice, text)
		}
	}
	if twice := printer.Print(assign(t, once, x, passes.Auto)); twice != once {
		t.Fatalf("%s: assigning twice is not assigning once:\n%s\n%s\nof\n%s", x.Name, once, twice, text)
	}
	threads := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(1 + threads%2) // another number than now: 1 or 2
	defer runtime.GOMAXPROCS(threads)
	if other := printer.Print(assign(t, text, x, passes.Auto)); other != once {
		t.Fatalf("%s: the text depends on the number of threads:\n%s\n%s", x.Name, once, other)
	}
}

// accepted fails where the verifier or the checker refuses a module.
func accepted(t failer, m *hlo.Module, x *tpu.Target, text string) {
	t.Helper()
	if err := verify.Module(m).Err(); err != nil {
		t.Fatalf("%s: the verifier refuses what the passes made: %v\n%s\nof\n%s", x.Name, err, printer.Print(m), text)
	}
	if err := check.Module(m, x).Err(); err != nil {
		t.Fatalf("%s: the checker refuses what the passes made: %v\n%s\nof\n%s", x.Name, err, printer.Print(m), text)
	}
}

// randomHolds is holds for a random module, a quarter of them scheduled.
func randomHolds(t *rapid.T) {
	text := modules.Draw(t, "module")
	x, err := tpu.ByName(rapid.SampledFrom(tpu.Names()).Draw(t, "target"))
	require.NoError(t, err)
	if rapid.IntRange(0, 3).Draw(t, "scheduled") == 0 {
		text = scheduled(text)
	}
	holds(t, text, x)
}

// Dead code is left out: the compiler drops it before it assigns, and its layouts need not agree with anything.
var modules = randhlo.Module(randhlo.Options{Features: randhlo.All &^ randhlo.DeadCode, Operations: 20})

// The first modules of the generator: others are FuzzRandomModules's to find.
func TestRandomModules(t *testing.T) {
	names := tpu.Names()
	for seed := range 150 {
		x, err := tpu.ByName(names[seed%len(names)])
		require.NoError(t, err)
		text := modules.Example(seed)
		holds(t, text, x)
		if seed%4 == 0 {
			holds(t, scheduled(text), x)
		}
	}
}

// scheduled makes a random module one that gets memory spaces, too.
func scheduled(text string) string {
	return strings.Replace(text, "HloModule random", "HloModule random, is_scheduled=true", 1)
}

// FuzzRandomModules explores the generator's draws, which are the bytes of its inputs.
func FuzzRandomModules(f *testing.F) {
	draws := rand.NewChaCha8([32]byte{})
	for range 20 {
		data := make([]byte, 4096)
		draws.Read(data)
		f.Add(data)
	}
	f.Fuzz(rapid.MakeFuzz(randomHolds))
}

// FuzzAssign: no text makes a pass panic or leave what does not parse, and for a text that the verifier accepts all
// holds.
func FuzzAssign(f *testing.F) {
	files, err := filepath.Glob("../testdata/corpus/*/*/before.hlo")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for i, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		if len(text) < 4000 {
			f.Add(string(text), uint8(i))
		}
	}
	for seed := range 30 {
		f.Add(modules.Example(seed), uint8(seed))
	}
	names := tpu.Names()
	f.Fuzz(func(t *testing.T, text string, target uint8) {
		m, err := parser.Parse("in.hlo", text)
		if err != nil {
			return
		}
		x, err := tpu.ByName(names[int(target)%len(names)])
		require.NoError(t, err)
		if compiles(m) {
			holds(t, text, x)
			return
		}
		_, err = passes.Run(m, x, []string{passes.Auto}, passes.Options{}, passes.Observer{})
		if err != nil && strings.Contains(err.Error(), "internal error") {
			t.Fatalf("%v\n%s", err, text)
		}
		check.Module(m, x)
		if err == nil {
			if _, err := parser.Parse("print.hlo", printer.Print(m)); err != nil {
				t.Fatalf("the print does not parse: %v\n%s", err, text)
			}
		}
	})
}

// compiles reports whether a module is one that the compiler would assign layouts to as it is: it verifies, has no dead
// code and no tiles or memory spaces yet, and requires no layouts inside.
func compiles(m *hlo.Module) bool {
	if layoutsInside.MatchString(m.Source) || verify.Module(m).Err() != nil {
		return false
	}
	for _, c := range m.Computations {
		uses := c.Uses()
		for _, in := range c.Instructions {
			if in.Opcode == hlo.OpUnknown || in != c.Root && in.Opcode != hlo.OpParameter && len(uses.Of(in)) == 0 {
				return false
			}
		}
		if c != m.Entry && len(c.Callers()) == 0 {
			return false
		}
	}
	return true
}

// layoutsInside matches what a layout has besides an order, and the attributes that require layouts.
var layoutsInside = regexp.MustCompile(`[0-9{]:[A-Z*#(]|layout_constraint|constrain_layout`)
