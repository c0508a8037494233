package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// ask runs a command line on an input.
func ask(t *testing.T, in io.Reader, args ...string) (code int, out, log string) {
	t.Helper()
	var o, l bytes.Buffer
	code = run(args, streams{in: in, out: &o, err: &l})
	return code, o.String(), l.String()
}

// objects reads JSON objects, one a line, each with its keys in the order of the text.
func objects(t *testing.T, text string) (out []map[string]any, keys [][]string) {
	t.Helper()
	for line := range strings.Lines(text) {
		var o map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &o), line)
		out = append(out, o)
		var k []string
		d := json.NewDecoder(strings.NewReader(line))
		_, err := d.Token()
		require.NoError(t, err)
		for d.More() {
			name, err := d.Token()
			require.NoError(t, err)
			k = append(k, name.(string))
			var skipped any
			require.NoError(t, d.Decode(&skipped))
		}
		keys = append(keys, k)
	}
	return out, keys
}

// TestKeysAreStable holds the keys that programs rely on; --help names every one of them.
func TestKeysAreStable(t *testing.T) {
	for _, c := range []struct {
		command, query, keys string
	}{
		{"decode", "bf16[20,300]{1,0:T(8,128)(2,1)}", "query shape jax dtype dims minor_to_major major_to_minor " +
			"tiles element_bits memory_space memory_space_name " +
			"elements padded_dims total_elements data_bytes bytes waste_bytes expansion form cute tpu tpu_layout " +
			"tpu_bytes best_layout best_bytes"},
		{"decode", "f32[20]{0:T(4)(2,3)}", "query shape jax dtype dims minor_to_major major_to_minor tiles " +
			"element_bits memory_space memory_space_name " +
			"elements padded_dims total_elements data_bytes bytes waste_bytes expansion form cute steps tpu " +
			"tpu_layout tpu_bytes best_layout best_bytes"},
		{"decode", "(f32[2], token[])", "query shape bytes table_bytes leaves"},
		{"decode", "token[]", "query shape"},
		{"index", "f32[3,5]{1,0:T(2,2)} 1,2", "query shape index physical_index physical_dims offset total_elements " +
			"bit byte padding tile tile_grid within_tile sublane lane packed"},
		{"index", "f32[3,5] @7", "query shape index physical_index physical_dims offset total_elements bit byte " +
			"padding tile tile_grid within_tile sublane lane packed"},
		{"relayout", "f32[3,5]{1,0} -> f32[3,5]{0,1}", "query from to reshape bitcast match memory_spaces_differ " +
			"data_bytes bytes_read bytes_written runs longest_run shortest_run loops"},
		{"relayout", "f32[3,5] f32[15]{0:T(8)}", "query from to reshape bitcast match memory_spaces_differ " +
			"data_bytes bytes_read bytes_written runs longest_run shortest_run loops"},
		{"cute", "(4,8):(8,1)", "query type result size cosize rank"},
		{"cute", "size((4,8))", "query type result size cosize rank"},
		{"table", "bf16 16,1280,40", "query dtype dims data_bytes layouts"},
	} {
		code, out, log := ask(t, strings.NewReader(c.query+"\n\nnot \x01\" a query\xff]\n"), c.command, "--format=json",
			"-")
		assert.Equal(t, exitTrouble, code, "%s %s", c.command, c.query)
		assert.Empty(t, log)
		got, keys := objects(t, out)
		require.Len(t, got, 2, out)
		assert.Equal(t, strings.Fields(c.keys), keys[0], "%s %s", c.command, c.query)
		assert.Equal(t, c.query, got[0]["query"])
		assert.Equal(t, []string{"query", "error"}, keys[1], out)
		assert.Equal(t, "not \x01\" a query\ufffd]", got[1]["query"])

		_, help, _ := ask(t, strings.NewReader(""), c.command, "--help")
		for _, k := range keys[0] {
			assert.Contains(t, help, k, "hlolayout %s --help", c.command)
		}
	}
}

// TestAnswersKeepTheOrder asks more than one chunk, from a reader that gives little at a time.
func TestAnswersKeepTheOrder(t *testing.T) {
	var in strings.Builder
	const n = 20000
	for i := range n {
		fmt.Fprintf(&in, "f32 %d\n", i+1)
		if i%7 == 0 {
			in.WriteString("\n  \t\n")
		}
		if i%1000 == 999 {
			in.WriteString("wrong\n")
		}
	}
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(in.String()),
		"in halves": iotest.HalfReader(strings.NewReader(in.String()))} {
		code, out, _ := ask(t, r, "table", "-", "--format=json", "--tpu=v5e")
		assert.Equal(t, exitTrouble, code, name)
		next, wrong := 1, 0
		for line := range strings.Lines(out) {
			if strings.Contains(line, `"error"`) {
				wrong++
				continue
			}
			require.Contains(t, line, fmt.Sprintf(`{"query":"f32 %d",`, next), name)
			next++
		}
		assert.Equal(t, n+1, next, name)
		assert.Equal(t, n/1000, wrong, name)
	}
}

func TestErrorsNameTheirLine(t *testing.T) {
	code, out, log := ask(t, strings.NewReader("f32 4\n\n"+strings.Repeat("f32 8\n", 9000)+"f33 4"), "table",
		"--tpu=v5e", "-")
	assert.Equal(t, exitTrouble, code)
	assert.Equal(t, 9001, strings.Count(out, "bytes of data\n\n"))
	assert.Equal(t, "hlolayout: <stdin>:9003: unknown element type \"f33\": did you mean f32?\n", log)
}

func TestInputThatFails(t *testing.T) {
	code, _, log := ask(t, io.MultiReader(strings.NewReader("f32 4\nf32 5\n"),
		iotest.ErrReader(errors.New("the cable broke"))), "table", "-")
	assert.Equal(t, exitTrouble, code)
	assert.Equal(t, "hlolayout: standard input: the cable broke\n", log)

	code, _, log = ask(t, strings.NewReader("f32 4\n"+strings.Repeat("9", 2*maxQuery)), "table", "-")
	assert.Equal(t, exitTrouble, code)
	assert.Equal(t, fmt.Sprintf("hlolayout: standard input: line 2 is longer than %d bytes\n", maxQuery), log)

	var l bytes.Buffer
	assert.Equal(t, exitTrouble,
		run([]string{"table", "-"}, streams{in: strings.NewReader(strings.Repeat("f32 4\n", 1<<16)), out: failing{},
			err: &l}))
	assert.Equal(t, "hlolayout: standard output: short write\n", l.String())
}

// TestTableAgreesWithTargets compares the answers, for which targets with the same rules are asked once, with those of
// each target.
func TestTableAgreesWithTargets(t *testing.T) {
	var in strings.Builder
	type question struct {
		dtype hlo.DType
		dims  []int64
	}
	var questions []question
	for _, d := range hlo.DTypes() {
		for _, dims := range [][]int64{{}, {1}, {1000}, {64, 256}, {288, 16, 2}, {36, 40}, {0, 3}, {5, 1, 128, 7}} {
			fmt.Fprintf(&in, "%s %s\n", d, list(dims))
			questions = append(questions, question{d, dims})
		}
	}
	code, out, log := ask(t, strings.NewReader(in.String()), "table", "-", "--format=json")
	require.Equal(t, exitSame, code, log)
	got, _ := objects(t, out)
	require.Len(t, got, len(questions))
	for i, q := range questions {
		layouts := got[i]["layouts"].(map[string]any)
		assert.ElementsMatch(t, tpu.Names(), slices.Collect(maps.Keys(layouts)))
		for _, name := range tpu.Names() {
			target, err := tpu.ByName(name)
			require.NoError(t, err)
			boundary, free := target.BoundaryOrder(q.dtype, q.dims), target.FreeOrder(q.dtype, q.dims)
			boundaryBytes, ok := target.Bytes(q.dtype, q.dims, boundary)
			require.True(t, ok)
			freeBytes, ok := target.Bytes(q.dtype, q.dims, free)
			require.True(t, ok)
			assert.Equal(t, map[string]any{
				"boundary":       target.Layout(q.dtype, q.dims, boundary, true).String(),
				"boundary_bytes": float64(boundaryBytes),
				"internal":       target.Layout(q.dtype, q.dims, free, false).String(),
				"internal_bytes": float64(freeBytes),
			}, layouts[name], "%s[%s] on %s", q.dtype, list(q.dims), name)
		}
	}
}

// TestTableAgreesWithCompiler reads the compiler's own answers in testdata/tpu.
func TestTableAgreesWithCompiler(t *testing.T) {
	text, err := os.ReadFile("../../testdata/tpu/default_layouts.csv")
	require.NoError(t, err)
	var in strings.Builder
	type row struct{ tpu, layout, bytes string }
	var rows []row
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if len(f) < 5 || f[0] == "tpu" {
			continue
		}
		layout := strings.Trim(strings.Join(f[3:len(f)-1], ","), `"`)
		rows = append(rows, row{f[0], layout, f[len(f)-1]})
		fmt.Fprintf(&in, "%s %s\n", f[1], f[2])
	}
	require.Greater(t, len(rows), 50)
	code, out, log := ask(t, strings.NewReader(in.String()), "table", "-", "--format=json")
	require.Equal(t, exitSame, code, log)
	got, _ := objects(t, out)
	require.Len(t, got, len(rows))
	for i, r := range rows {
		answer := got[i]["layouts"].(map[string]any)[r.tpu].(map[string]any)
		assert.Equal(t, r.layout, answer["boundary"], "%v on %s", got[i]["query"], r.tpu)
		if r.bytes != "" {
			assert.Equal(t, r.bytes, fmt.Sprintf("%.0f", answer["boundary_bytes"]), "%v on %s", got[i]["query"], r.tpu)
		}
	}
}

func TestPanicBecomesAnError(t *testing.T) {
	a := asker{answer: func([]byte, string) ([]byte, error) { panic("oh") }}
	var r answers
	a.one(&r, "f32[]", "")
	assert.True(t, r.failed)
	assert.Regexp(t, `^hlolayout: internal error: oh \(queries_test\.go:\d+\); this is a bug in hlolayout, please `+
		`report it with "f32\[\]"\n$`, string(r.log))
}

// BenchmarkTableLines measures what table answers line by line.
func BenchmarkTableLines(b *testing.B) {
	var in strings.Builder
	const n = 20000
	for i := range n {
		fmt.Fprintf(&in, "%s %d,%d,%d\n", []string{"f32", "bf16", "s8", "pred", "s4"}[i%5], i%300+1, i%1000+1, i%40+1)
	}
	for b.Loop() {
		if code := run([]string{"table", "-", "--format=json"}, streams{in: strings.NewReader(in.String()),
			out: io.Discard, err: io.Discard}); code != exitSame {
			b.Fatal(code)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// TestExamplesAreRun checks that the examples of the help texts are in the scripts, which run them.
func TestExamplesAreRun(t *testing.T) {
	for _, command := range []string{"decode", "index", "relayout", "cute", "table"} {
		_, help, _ := ask(t, strings.NewReader(""), command, "--help")
		_, examples, ok := strings.Cut(help, "\nExamples:\n")
		require.True(t, ok, command)
		examples, _, _ = strings.Cut(examples, "\n\n")
		script, err := os.ReadFile("../../testdata/scripts/" + command + ".txtar")
		require.NoError(t, err)
		plain := strings.ReplaceAll(string(script), "''", "'") // a quote inside of quotes
		for _, line := range strings.Split(examples, "\n") {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " < ") // the script has a stdin command for it
			assert.Contains(t, plain, line)
		}
	}
}

// TestIndexOfManyShapes asks about more shapes than are kept, and about each again.
func TestIndexOfManyShapes(t *testing.T) {
	var in strings.Builder
	const shapes = 3000
	for range 2 {
		for i := range shapes {
			fmt.Fprintf(&in, "f32[2,%d] 1,0\n", i+1)
		}
	}
	code, out, log := ask(t, strings.NewReader(in.String()), "index", "--format=json", "-")
	require.Equal(t, exitSame, code, log)
	got, _ := objects(t, out)
	require.Len(t, got, 2*shapes)
	for k, o := range got {
		require.EqualValues(t, k%shapes+1, o["offset"], "%v", o["query"])
	}
}
