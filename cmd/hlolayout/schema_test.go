package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/printer/report"
)

// schemaLines are command lines by the schema of what they print, with the exit code. A command with --format json
// is listed here with it.
var schemaLines = []struct {
	schema, line, stdin string
	code                int
}{
	{"assign", "assign --format=json -o OUT --pin %div.7={2,3,1,0} --entry result={1,3,2,0} ATTENTION", "", exitSame},
	{"assign", "assign --format=json -o OUT --entry result={3,2,1,0} --tpu v7x ATTENTION", "", exitSame},
	{"cute", "cute --format=json size(4:1)", "", exitSame},
	{"cute", "cute --format=json -", "(2,3):(1,2)\ncomposition(4:2, 2:1)\n(1,2)\nSw<1,0,2>\nSw<1,0,2> o 0 o " +
		"8:1\nnonsense(\n", exitTrouble},
	{"decode", "decode --format=json -", "f32[8,8]{1,0:T(8,128)}\n(f32[8], (s32[], " +
		"token[]))\ntoken[]\nbf16[0]\npred[5,3]{0,1:T(8,128)(4,1)S(1)}\nbf16[7,9,3]{2,1,0:T(*,128)(2,1)}\n" +
		"f32[3,5]{1,0:T(2,3)L(7)}\ns4[9]{0:T(256)(2,1)E(4)}\nf32[\n", exitTrouble},
	{"decode", "decode --format=json --tpu v4 c64[3,0,2]{0,1,2}", "", exitSame},
	{"index", "index --format=json -", "f32[8,8]{1,0} 1,1\nbf16[20,300]{1,0:T(8,128)(2,1)} @4101\nf32[3]{0:L(8)} " +
		"@7\nf32[3,5]{1,0:T(2,2)} @11\nf32[] ()\nf32[3] 9\n", exitTrouble},
	{"relayout", "relayout --format=json -",
		"f32[64,256]{1,0:T(8,128)} f32[64,256]{0,1:T(8,128)}\nf32[8,128,4]{2,1,0} f32[1024,4]{1,0}\nf32[8]{0} " +
			"f32[8]{0:S(1)}\nf32[2,3]{0,1} f32[6]{0}\n" +
			"f32[9999,9999,9]{0,1,2} f32[9999,9999,9]{2,1,0}\nf32[3] bf16[3]\n", exitTrouble},
	{"table", "table --format=json --tpu v5e,v7x bf16 16,1280,40", "", exitSame},
	{"table", "table --format=json -", "s4 3,5\nf32\nf32 1,2,x\n", exitTrouble},
	{"targets", "targets --format=json", "", exitSame},
	{"targets", "targets --format=json --tpu v5p", "", exitSame},
	{"dump", "dump --format=json DUMPS", "", exitSame},
	{"dump", "dump --format=json --all DUMPS", "", exitSame},
	{"dump", "dump --format=json --value %dot_general.3 DUMPS", "", exitSame},
	{"explain", "explain --format=json ATTENTION %dot_general.2", "", exitSame},
	{"explain", "explain --format=json --pin %div.7={2,3,1,0} ATTENTION %div.7", "", exitSame},
	{"explain", "explain --format=json ATTENTION %copy", "", exitSame},
	{"explain-all", "explain --format=json --all ../../testdata/memory/v5e.heat_stencil.final.hlo", "", exitSame},
	{"explain-all", "explain --format=json --all --pin %div.7={2,3,1,0} ATTENTION", "", exitSame},
	{"root-causes", "explain --format=json --root-causes ../../testdata/memory/v5e.heat_stencil.final.hlo", "", exitSame},
	{"score", "score --format=json --tpu v5e ../../testdata/corpus/v5e", "", exitSame},
	{"memory", "memory --format=json --tpu v5e ../../testdata/memory/v5e.mlp_fwd.pre_msa.hlo " +
		"../../testdata/memory/v5e.cond_simple.final.hlo", "", exitSame},
	{"memory", "memory --format=json --tpu v2 ../../testdata/memory/v2.set_row_static.pre_msa.hlo", "", exitSame},
	{"oom", "oom --format=json --tpu v5e ../../testdata/memory/v5e.mlp_fwd.pre_msa.hlo", "", exitSame},
	{"oom", "oom --format=json -", "RESOURCE_EXHAUSTED: E1001: Ran out of memory in memory space vmem while " +
		"allocating on stack for %f = f32[8,3]{1,0} custom-call(). Scoped allocation with size 64.00M and limit " +
		"16.00M exceeded\n" +
		"  Largest program allocations in hbm:\n\n  1. Size: 2.0K\n     Shape: f32[8,3]{0,1:T(4,128)}\n     XLA " +
		"label: x = y()\n", exitSame},
	{"stats", "stats --format=json ATTENTION ../../testdata/attention.v5e.hlo " +
		"../../testdata/memory/v5e.heat_stencil.final.hlo", "", exitSame},
	{"stats", "stats --format=json --sort size -", "HloModule m\n\nENTRY %e {\n  ROOT %p = token[] parameter(0)\n}\n",
		exitSame},
	{"summary", "summary --format=json ATTENTION ../../testdata/memory/v5e.heat_stencil.final.hlo", "", exitSame},
	{"summary", "DUMPS --format=json", "", exitSame},
	{"summary", "summary --format=json -", "HloModule m\n\nENTRY %e {\n  %p = f32[8]{0:T(128)} parameter(0)\n  %q = f",
		exitSame},
	{"summary", "summary --format=json -", "f {\n  %p = f32[8]{0:T(128)} parameter(0)\n  ROOT %q = f32[8]{0:T(128)} " +
		"negate(%p)\n}\n", exitSame},
	{"diff", "diff --format=json - ../../testdata/attention.v5e.hlo", "HloModule m\n\nENTRY %e {\n  ROOT %p = f32[8] " +
		"parameter(0)\n}\n", exitDiffers},
	{"summary", "summary --format=json ATTENTION ../../go.mod", "", exitTrouble},
	{"sweep", "sweep --format=json --tpu v5e,v7x --runs 5 ATTENTION", "", exitSame},
	{"results", "lint --format=json ATTENTION", "", exitSame},
	{"results", "check --format=json ATTENTION", "", exitDiffers},
	{"results", "check --format=json --tpu v5e --budget-only --budget hbm=1MiB,vmem=1KiB " +
		"../../testdata/memory/v5e.mlp_fwd.pre_msa.hlo", "", exitDiffers},
	{"diff", "diff --format=json ATTENTION ../../testdata/attention.v5e.hlo", "", exitDiffers},
	{"timing", "fmt -l --timing=json ATTENTION ../../testdata/merge_heads.hlo", "", exitSame},
}

// What a command prints as JSON keeps to its schema, document by document; every schema and every command with --format
// json is asked.
func TestOutputsKeepToTheirSchemas(t *testing.T) {
	dir := t.TempDir()
	dumps := filepath.Join(dir, "dumps")
	require.NoError(t, unpack("../../testdata/dumps/v5e.txtar.gz", dumps))
	fill := strings.NewReplacer("ATTENTION", "../../testdata/attention.hlo", "OUT", filepath.Join(dir, "out.hlo"),
		"DUMPS", dumps)
	asked, lines := map[string]bool{}, map[string]bool{}
	for _, c := range schemaLines {
		asked[c.schema] = true
		lines[strings.Fields(c.line)[0]] = lines[strings.Fields(c.line)[0]] || strings.Contains(c.line, "--format=json")
		code, out, log := ask(t, strings.NewReader(c.stdin), strings.Fields(fill.Replace(c.line))...)
		require.Equal(t, c.code, code, "%s\n%s", c.line, log)
		if c.schema == "assign" || c.schema == "timing" {
			out = log
		}
		text, ok := report.Schema(c.schema)
		require.True(t, ok, c.schema)
		validateAll(t, text, out, c.line)
	}
	for _, name := range report.SchemaNames() {
		assert.True(t, asked[name], "no output is held against schema %s", name)
	}
	for _, c := range newApp(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, "").Commands {
		for _, f := range c.Flags {
			if f, ok := f.(*choiceFlag); ok && f.Names()[0] == "format" && slices.Contains(f.words, "json") {
				assert.True(t, lines[c.Name], "no JSON of %s is held against a schema", c.Name)
			}
		}
	}
}

// validateAll checks the documents of an output, which follow each other.
func validateAll(t *testing.T, schema []byte, out, line string) {
	t.Helper()
	s, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("urn:schema", s))
	compiled, err := c.Compile("urn:schema")
	require.NoError(t, err)
	require.NotEmpty(t, out, line)
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var text json.RawMessage
		require.NoError(t, d.Decode(&text), line)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, compiled.Validate(v), "%s\n%s", line, text[:min(len(text), 2000)])
	}
}
