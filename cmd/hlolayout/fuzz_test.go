package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/internal/randhlo"
)

// seedModules are small texts to begin with: modules with layouts and without, and random ones.
func seedModules(t testing.TB) []string {
	files, err := filepath.Glob("../../testdata/*.hlo")
	require.NoError(t, err)
	more, err := filepath.Glob("../../testdata/corpus/v5e/*/after.hlo")
	require.NoError(t, err)
	var out []string
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		if len(text) < 3000 {
			out = append(out, string(text))
		}
	}
	require.NotEmpty(t, out)
	modules := randhlo.Module(randhlo.Options{Features: randhlo.All})
	for seed := range 10 {
		out = append(out, modules.Example(seed))
	}
	return out
}

// sane runs a command line on a text at standard input and checks what holds for any: an exit code that is documented,
// no internal error, and JSON where that was asked for.
func sane(t *testing.T, stdin string, args ...string) (code int, out string) {
	t.Helper()
	t.Setenv("GOGC", "100") // the collector works here as it does for a library
	var o, e bytes.Buffer
	code = run(args, streams{in: strings.NewReader(stdin), out: &o, err: &e})
	if code < exitSame || code > exitTrouble || strings.Contains(e.String(), "internal error") {
		t.Fatalf("%q: exit code %d, %s\n%s", args, code, e.String(), stdin)
	}
	if code == exitTrouble && e.Len() == 0 && !strings.Contains(o.String(), `"error"`) {
		t.Fatalf("%q: trouble without a word\n%s", args, stdin)
	}
	if code != exitTrouble && slices.Contains(args, "--format=json") {
		for d := json.NewDecoder(bytes.NewReader(o.Bytes())); d.More(); {
			var any map[string]any
			if err := d.Decode(&any); err != nil {
				t.Fatalf("%q: %v\n%s", args, err, stdin)
			}
		}
	}
	return code, o.String()
}

// commandLines are the commands that read a module, in their formats.
var commandLines = [][]string{
	{"assign"}, {"assign", "--diff", "--color=always", "--verify", "-v"}, {"fmt", "--canonical"}, {"fmt", "-d"},
	{"verify"}, {"verify", "--tpu=v5e"},
	{"stats"}, {"stats", "--format=json"}, {"lint", "--severity=note", "--top=0"}, {"lint"}, {"lint", "--format=json"},
	{"lint", "--format=markdown"},
	{"memory"}, {"memory", "--format=json"}, {"memory", "--svg", os.DevNull}, {"explain", "-", "%p"},
	{"extract", "-", "%p"},
}

// FuzzCommands: no text makes a command panic, or say nothing of what is wrong.
func FuzzCommands(f *testing.F) {
	for i, text := range seedModules(f) {
		f.Add(uint(i), text)
	}
	f.Fuzz(func(t *testing.T, n uint, text string) {
		sane(t, text, commandLines[n%uint(len(commandLines))]...)
	})
}

// FuzzDiff: two texts that can be read are the same or they differ, whatever the format; a text is the same as itself.
func FuzzDiff(f *testing.F) {
	texts := seedModules(f)
	for i, text := range texts {
		f.Add(uint(i), text, text)
		f.Add(uint(i), texts[(i+1)%len(texts)], text)
	}
	f.Fuzz(func(t *testing.T, n uint, old, new string) {
		dir := t.TempDir()
		a := filepath.Join(dir, "a.hlo")
		require.NoError(t, os.WriteFile(a, []byte(old), 0o666))
		format := "--format=" + diffFormats[n%uint(len(diffFormats))]
		code, out := sane(t, new, "diff", format, "--color=always", a, "-")
		if code == exitDiffers && out == "" {
			t.Fatalf("%s: a difference that does not show\n%s\n%s", format, old, new)
		}
		if code, out := sane(t, old, "diff", format, a, "-"); code == exitDiffers {
			t.Fatalf("%s: a text differs from itself: %s\n%s", format, out, old)
		}
	})
}

// FuzzIndex: what an index leads to leads back to it.
func FuzzIndex(f *testing.F) {
	for _, q := range []string{"bf16[20,300]{1,0:T(8,128)(2,1)} 9,130", "f32[3,5]{1,0:T(2,2)} @9",
		"f32[2,3,5]{2,1,0:T(*,2)} (1,2,3)", "s4[8,8]{1,0:T(8,128)(8,1)E(4)} 7,7",
		"bf16[20,300] major_to_minor=(1,0), tiling=((8,128),(2,1)) @100", "f32[7]{0:L(8)} @7", "f32[] ()",
		"f32[0,3] @0", "f32[3,5]{1,0:T(2,2)(1,3)} [2,4]"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		var known arrays
		w, err := known.whereIs(query)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		w.appendText(nil)
		require.True(t, json.Valid(w.appendJSON(nil, query)))
		if w.padding {
			return
		}
		offset, err := w.array.Index(w.index...)
		require.NoError(t, err)
		require.Equal(t, w.offset, offset, query)
	})
}

// FuzzLintFiles: configuration and baseline files are read or refused with a word; what a baseline is written as reads
// back.
func FuzzLintFiles(f *testing.F) {
	f.Add(`{"rules": {"TPL001": {"severity": "error", "min_bytes": "64MiB", "min_factor": 4}}, "max_padding": "1GiB"}`,
		`{"schema_version":1,"accepted":[]}`)
	f.Add(`{"rules": {"large-padding": {"severity": "off", "min_bytes": 1e300}}}`,
		`{"schema_version":1,"accepted":[{"rule":"TPL001","module":"m","value":"%p","shape":"f32[2]","count":-3}]}`)
	texts := seedModules(f)
	f.Fuzz(func(t *testing.T, config, baseline string) {
		dir := t.TempDir()
		c, b := filepath.Join(dir, "config.json"), filepath.Join(dir, "baseline.json")
		require.NoError(t, os.WriteFile(c, []byte(config), 0o666))
		require.NoError(t, os.WriteFile(b, []byte(baseline), 0o666))
		sane(t, texts[0], "lint", "--config", c)
		if code, _ := sane(t, texts[0], "lint", "--baseline", b); code != exitTrouble {
			code, _ := sane(t, texts[0], "lint", "--baseline", b, "--update-baseline")
			require.NotEqual(t, exitTrouble, code, baseline)
			code, out := sane(t, texts[0], "lint", "--baseline", b)
			require.Equal(t, exitSame, code, "%s\n%s", baseline, out)
		}
	})
}

// FuzzGoldens: a golden and a lock file that nobody wrote differ or are refused, and are right once they are updated.
func FuzzGoldens(f *testing.F) {
	texts := seedModules(f)
	for _, text := range texts {
		f.Add(text, "hlolayout lock 1\ntool: x\ntarget: v5e\nmodule: m\n")
	}
	f.Fuzz(func(t *testing.T, golden, lock string) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "stdin.golden.hlo"), []byte(golden), 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "stdin.lock"), []byte(lock), 0o666))
		sane(t, texts[0], "check", "--golden", dir)
		code, _ := sane(t, texts[0], "check", "--golden", dir, "--update", "--allow-ci")
		require.Equal(t, exitSame, code)
		code, out := sane(t, texts[0], "check", "--golden", dir)
		require.Equal(t, exitSame, code, "%s", out)
	})
}
