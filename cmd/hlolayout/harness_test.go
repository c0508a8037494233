package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"

	"hlolayout/internal/mutant"
	"hlolayout/internal/oracle"
	"hlolayout/internal/randhlo"
	"hlolayout/tpu"
)

// readers are the commands that take one module on standard input, with what comes before their flags.
var readers = map[string][]string{
	"assign": nil, "explain": {"-", "%VALUE"}, "sweep": nil, "summary": nil, "stats": nil, "lint": nil, "memory": nil,
	"oom": nil, "report": nil, "verify": nil, "fmt": nil, "extract": {"-", "%VALUE"},
}

// withheld are flags that write files or wait, or that the harness gives its own values.
var withheld = map[string]bool{"w": true, "help": true, "update": true, "update-baseline": true,
	"progress": true, "version": true,
	"stage": true, "timing": true}

// randomFlags draws switches of a command, and values for those flags whose values are known.
func randomFlags(r *rand.Rand, c *cli.Command) []string {
	var out []string
	for _, f := range c.Flags {
		name := f.Names()[0]
		if withheld[name] || r.IntN(4) > 0 {
			continue
		}
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		if _, ok := f.(*cli.BoolFlag); ok {
			out = append(out, dashes+name)
			continue
		}
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		switch _, values, found := strings.Cut(d.GetUsage(), ": "); {
		case name == "tpu":
			out = append(out, "--tpu", tpu.Names()[r.IntN(len(tpu.Names()))])
		case name == "top":
			out = append(out, "--top", strconv.Itoa(r.IntN(5)))
		case found && name == "format":
			list := strings.Split(values, ", ")
			out = append(out, "--format", strings.Fields(list[r.IntN(len(list))])[0])
		}
	}
	return out
}

// A try is one run of a command.
type try struct {
	code     int
	out, log string
}

func attempt(t *testing.T, stdin string, args ...string) try {
	t.Helper()
	var o, e bytes.Buffer
	code := run(args, streams{in: strings.NewReader(stdin), out: &o, err: &e})
	return try{code, o.String(), e.String()}
}

// TestHarness runs every command with random flags on random mutants of modules, and looks for what must never
// be: a panic, an internal error, an exit code that means nothing, results that depend on the number of
// threads, an assignment that a second one changes, or that verify or XLA's parser refuses. It takes seconds, with the
// same mutants each time; HLOLAYOUT_HARNESS_TIME=1h makes it longer, with fresh ones, HLOLAYOUT_HARNESS_SEED repeats
// it, HLOLAYOUT_HARNESS_OUT keeps the texts of findings in a folder.
func TestHarness(t *testing.T) {
	fresh := "1"
	if os.Getenv("HLOLAYOUT_HARNESS_TIME") != "" {
		fresh = strconv.FormatUint(rand.Uint64(), 10)
	}
	duration, err := time.ParseDuration(or(os.Getenv("HLOLAYOUT_HARNESS_TIME"), "5s"))
	require.NoError(t, err)
	seed, err := strconv.ParseUint(or(os.Getenv("HLOLAYOUT_HARNESS_SEED"), fresh), 10, 64)
	require.NoError(t, err)
	t.Logf("HLOLAYOUT_HARNESS_SEED=%d", seed)
	h := harness{t: t, r: rand.New(rand.NewPCG(seed, 1)), texts: harnessTexts(t),
		dir: os.Getenv("HLOLAYOUT_HARNESS_OUT")}
	for _, c := range newApp(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard,
		settings: &settings{}}, "").Commands {
		if _, ok := readers[c.Name]; ok {
			h.commands = append(h.commands, c)
		}
	}
	require.Len(t, h.commands, len(readers))
	if os.Getenv("HLOLAYOUT_ORACLE") == "1" || os.Getenv("HLOLAYOUT_ORACLE_PYTHON") != "" {
		h.judge = oracle.NewJudge(t, "../..")
	}
	operators := mutant.Operators(h.texts)
	for end := time.Now().Add(duration); time.Now().Before(end) && len(h.findings) < 20; {
		text := h.texts[h.r.IntN(len(h.texts))]
		for range h.r.IntN(4) { // none: the module as it is
			if m := operators[h.r.IntN(len(operators))].Of(h.r, []string{text}); m != "" && len(m) < 20000 {
				text = m
			}
		}
		h.once(text)
	}
	t.Logf("%d runs, %d assignments compared, %d judged by XLA", h.runs, h.assigned, h.judged)
	for _, f := range h.findings {
		t.Error(f)
	}
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

type harness struct {
	t        *testing.T
	r        *rand.Rand
	texts    []string
	dir      string
	commands []*cli.Command
	judge    *oracle.Judge
	findings []string

	runs, assigned, judged int
}

// harnessTexts are small modules of every stage.
func harnessTexts(t *testing.T) []string {
	t.Helper()
	texts := seedModules(t)
	for _, pattern := range []string{"../../testdata/corpus/*/*/*.hlo", "../../testdata/unsound/*.hlo",
		"../../testdata/hlo-text/accept/*.hlo"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			if len(text) < 8000 {
				texts = append(texts, string(text))
			}
		}
	}
	modules := randhlo.Module(randhlo.Options{Features: randhlo.All})
	for seed := range 60 {
		texts = append(texts, modules.Example(seed+10))
	}
	return texts
}

func (h *harness) found(what, text string, args []string, detail string) {
	where := ""
	if h.dir != "" {
		where = filepath.Join(h.dir, fmt.Sprintf("%d.hlo", len(h.findings)))
		require.NoError(h.t, os.MkdirAll(h.dir, 0o777))
		require.NoError(h.t, os.WriteFile(where, []byte(text), 0o666))
	} else if len(text) < 3000 {
		where = "\n" + text
	}
	h.findings = append(h.findings, fmt.Sprintf("%s: hlolayout %s: %s %s", what, strings.Join(args, " "),
		strings.TrimSpace(detail), where))
}

// attempt runs a command line and looks at what holds for any.
func (h *harness) attempt(text string, args ...string) (made try, ok bool) {
	h.runs++
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 4000)
			h.found("panic", text, args, fmt.Sprint(p, string(stack[:runtime.Stack(stack, false)])))
		}
	}()
	start := cpuTime() // not the clock's, which other programs move on, too
	made = attempt(h.t, text, args...)
	switch {
	case made.code < exitSame || made.code > exitTrouble:
		h.found("exit code", text, args, strconv.Itoa(made.code))
	case strings.Contains(made.log, "internal error"):
		h.found("internal error", text, args, made.log)
	case made.code == exitTrouble && made.log == "" && !strings.Contains(made.out, `"error"`):
		h.found("trouble without a word", text, args, made.out)
	case cpuTime()-start > 20*time.Second:
		h.found("slow", text, args, (cpuTime() - start).String())
	default:
		return made, true
	}
	return made, false
}

// once runs one command with random flags, and the laws of assign, on a text.
func (h *harness) once(text string) {
	c := h.commands[h.r.IntN(len(h.commands))]
	args := []string{c.Name}
	for _, a := range readers[c.Name] {
		args = append(args, strings.ReplaceAll(a, "%VALUE", h.value(text)))
	}
	args = append(args, randomFlags(h.r, c)...)
	one, ok := h.attempt(text, args...)
	if ok && h.r.IntN(4) == 0 && !slices.Contains(args, "-v") {
		before := runtime.GOMAXPROCS(1)
		alone, _ := h.attempt(text, args...)
		runtime.GOMAXPROCS(4)
		four, _ := h.attempt(text, args...)
		runtime.GOMAXPROCS(before)
		if alone != four || alone != one {
			h.found("depends on threads", text, args,
				one.out+"\n-- one thread --\n"+alone.out+"\n-- four --\n"+four.out)
		}
	}
	h.laws(text)
}

// value is the name of one of a text's values.
func (h *harness) value(text string) string {
	var names []string
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && !strings.Contains(name, " ") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "%p"
	}
	return names[h.r.IntN(len(names))]
}

// laws holds what assign gives against verify, XLA's parser, and another assign.
func (h *harness) laws(text string) {
	target := tpu.Names()[h.r.IntN(len(tpu.Names()))]
	args := []string{"assign", "-q", "--tpu", target}
	made, ok := h.attempt(text, args...)
	if !ok || made.code != exitSame {
		return
	}
	again, ok := h.attempt(made.out, args...)
	h.assigned++
	if ok && (again.code != exitSame || again.out != made.out) {
		h.found("assigned twice", text, args, again.log)
	}
	// What verify holds against the text itself is not assign's doing.
	if before, ok := h.attempt(text, "verify", "-q"); ok && before.code == exitSame {
		if after, ok := h.attempt(made.out, "verify", "-q"); ok && after.code != exitSame {
			h.found("verify refuses the assignment", text, args, after.out+after.log)
		}
	}
	if h.judge == nil {
		return
	}
	if before, _, err := h.judge.Of(text); err == nil && before == oracle.Accepted {
		h.judged++
		after, says, err := h.judge.Of(made.out)
		if err == nil && after != oracle.Accepted && !strings.Contains(says, "RESOURCE_EXHAUSTED") {
			h.found("XLA refuses the assignment", text, args, string(after)+" "+says)
		}
	}
}
