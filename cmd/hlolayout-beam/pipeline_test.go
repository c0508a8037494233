package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/printer/report"
)

func TestMain(m *testing.M) {
	beam.Init()
	os.Exit(m.Run())
}

// dumps copies n dumps into a folder and returns it: of the large corpus if it is next to the clone, else those of
// testdata again and again. Shards are of like size only if there are many.
func dumps(t *testing.T, n int) string {
	dir, err := filepath.EvalSymlinks("../../../shared/corpus")
	if err != nil {
		dir = "../../testdata/corpus"
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "before.hlo"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	to := t.TempDir()
	for i := range n {
		f := files[i%len(files)]
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		name := strings.ReplaceAll(strings.TrimPrefix(f, dir+"/"), "/", "_")
		if again := i / len(files); again > 0 {
			name = fmt.Sprintf("%d_%s", again, name)
		}
		if i%50 == 0 {
			name, text = "bad_"+name, text[:len(text)/2] // one bad file does not stop the rest
		}
		require.NoError(t, os.WriteFile(filepath.Join(to, name), text, 0o666))
	}
	t.Logf("%d dumps of %s", n, dir)
	return to
}

// TestLintIsThePlainCommands runs the pipeline on 500 dumps with prism and holds what it writes against `hlolayout
// lint`.
func TestLintIsThePlainCommands(t *testing.T) {
	dir, out := dumps(t, 500), filepath.Join(t.TempDir(), "findings")
	command := filepath.Join(t.TempDir(), "hlolayout")
	built, err := exec.Command("go", "-C", "../..", "build", "-o", command, "./cmd/hlolayout").CombinedOutput()
	require.NoError(t, err, string(built))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)

	require.NoError(t, run(context.Background(), options{Input: filepath.Join(dir, "*"), Output: out, Work: "lint",
		Target: "v5e", Shards: 3}))
	var ours, failed []string
	for _, shard := range []string{"-00000-of-00003", "-00001-of-00003", "-00002-of-00003"} {
		text, err := os.ReadFile(out + shard + ".jsonl")
		require.NoError(t, err)
		shardLines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		assert.Greater(t, len(shardLines), len(files)/6, "a shard has about a third")
		assert.IsIncreasing(t, shardLines)
		for _, l := range shardLines {
			var one report.Case
			require.NoError(t, json.Unmarshal([]byte(l), &one))
			if len(one.Errors) > 0 {
				failed = append(failed, one.File)
			}
			ours = append(ours, l)
		}
	}

	plain := exec.Command(command, append([]string{"lint", "--tpu", "v5e", "--format", "json"}, files...)...)
	var stdout bytes.Buffer
	plain.Stdout = &stdout
	require.Error(t, plain.Run(), "some dumps are bad")
	var document report.ResultsJSON
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &document))
	var theirs []string
	for _, c := range document.Cases {
		theirs = append(theirs, marshal(c))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	assert.Equal(t, theirs, ours)
	assert.NotEmpty(t, failed)
	assert.Len(t, ours, len(files))
	t.Logf("%d cases alike, %d of them files that both refuse", len(ours), len(failed))
}

// TestAssignIsTheSameTwice holds one run against another: order of work must not show.
func TestAssignIsTheSameTwice(t *testing.T) {
	dir := dumps(t, 20)
	var outs []string
	for range 2 {
		out := filepath.Join(t.TempDir(), "assigned")
		require.NoError(t,
			run(context.Background(), options{Input: filepath.Join(dir, "*"), Output: out, Work: "assign",
				Target: "v6e", Shards: 1}))
		text, err := os.ReadFile(out + "-00000-of-00001.jsonl")
		require.NoError(t, err)
		outs = append(outs, string(text))
	}
	assert.Equal(t, outs[0], outs[1])
	assert.Contains(t, outs[0], `:T(8,128)`)
}

func TestOptionsAreChecked(t *testing.T) {
	good := options{Input: "a", Output: "b", Work: "lint", Target: "v5e", Shards: 1}
	require.NoError(t, good.check())
	for _, c := range []struct {
		change func(*options)
		says   string
	}{
		{func(o *options) { o.Input = "" }, "--input"},
		{func(o *options) { o.Output = "" }, "--output"},
		{func(o *options) { o.Work = "paint" }, "paint"},
		{func(o *options) { o.Target = "v99" }, "v99"},
		{func(o *options) { o.Shards = 0 }, "--shards 0"},
	} {
		o := good
		c.change(&o)
		assert.ErrorContains(t, o.check(), c.says)
	}
	assert.Error(t, run(context.Background(), options{Input: filepath.Join(t.TempDir(), "none*"), Output: t.TempDir() +
		"/x", Work: "lint", Target: "v5e", Shards: 1}))
}
