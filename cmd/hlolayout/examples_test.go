package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exampleFiles are the files that the examples of help name, as copies of files of testdata.
var exampleFiles = map[string]string{
	"attention.hlo": "attention.hlo", "a.hlo": "attention.hlo", "before.hlo": "attention.hlo",
	"old.hlo": "attention.hlo", "golden.hlo": "attention.hlo",
	"b.hlo": "attention.v5e.hlo", "after.hlo": "attention.v5e.hlo", "new.hlo": "attention.v5e.hlo",
	"compiler.hlo": "attention.v5e.hlo",
	"module_0001.jit_step.after_optimizations.txt": "attention.v5e.hlo", "train_step.hlo": "merge_heads.hlo",
	"scheduled.hlo":                "memory/v5e.mlp_fwd.final.hlo",
	"dumps/step.hlo":               "memory/v5e.mlp_fwd.final.hlo",
	"dumps/module_0001.before.txt": "memory/v5e.heat_stencil.pre_msa.hlo",
	"dumps.main/f.hlo":             "attention.hlo", "dumps.pr/f.hlo": "attention.v5e.hlo",
	"before_optimizations.txt": "attention.hlo",
	"dumps.passes/module_0005.jit_g.0001.p.after_a.before_layout-assignment.txt": "attention.hlo",
	"dumps.passes/module_0005.jit_g.0002.p.after_layout-assignment.before_b.txt": "attention.v5e.hlo",
}

// exampleTexts are those that no file of testdata has the right names for.
var exampleTexts = map[string]string{
	"shapes.txt": "f32[3,5]\nbf16[16,1280,40]\n",
	"error.txt": "RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required " +
		"for HLO temporaries (280.00G) exceeds available HBM (15.75G).\n",
	"module.hlo": fused, "compiled.hlo": fused, "dumps/module_0003.jit_f.after_optimizations.txt": fused,
}

const fused = `HloModule m, is_scheduled=true

%fused (p: f32[64,128]) -> f32[64,128] {
  %p = f32[64,128]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[64,128]{1,0:T(8,128)} negate(%p)
}

ENTRY %main (x: f32[64,128]) -> f32[64,128] {
  %x = f32[64,128]{1,0:T(8,128)} parameter(0)
  %fusion.12 = f32[64,128]{1,0:T(8,128)} fusion(%x), kind=kLoop, calls=%fused
  ROOT %copy.3 = f32[64,128]{0,1:T(8,128)} copy(%fusion.12)
}
`

// example is a line of help below "Examples:": the command, and after two blanks what it is for.
var example = regexp.MustCompile(`^   (\S.*?)(?:  .*)?$`)

// examplesOf returns the examples of a command.
func examplesOf(description string) (out []string) {
	_, after, _ := strings.Cut(description, "Examples:\n")
	for line := range strings.SplitSeq(after, "\n") {
		m := example.FindStringSubmatch(line)
		if m == nil {
			break
		}
		out = append(out, m[1])
	}
	return out
}

// Every command has examples, and each of them runs: a script is made of those of each command.
func TestExamples(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash to run the examples in")
	}
	dumps, err := filepath.Abs("../../testdata/dumps")
	require.NoError(t, err)
	dir := t.TempDir()
	var files []string
	for _, c := range newApp(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, "").Commands {
		list := examplesOf(c.Description)
		require.NotEmpty(t, list, "%s has no examples in its help", c.Name)
		assert.Equal(t, strings.Count(c.Description, "\n   hlolayout ")+strings.Count(c.Description, "| hlolayout "),
			countRuns(list), "each line of %s is read", c.Name)
		var script, bodies bytes.Buffer
		for i, e := range list {
			fmt.Fprintf(&script, "# %s\n", e)
			for _, tool := range []string{"jq", "patch", "man", "gunzip"} {
				if strings.Contains(" "+e, " "+tool+" ") {
					fmt.Fprintf(&script, "[exec:%s] ", tool)
				}
			}
			// 1 says that a difference was found, which an example may well show; 2 is trouble.
			fmt.Fprintf(&script, "exec bash -o pipefail example%d.sh\n! stderr 'hlolayout: |for usage|internal "+
				"error'\n", i)
			fmt.Fprintf(&bodies, "-- example%d.sh --\n%s\nfor status in \"${PIPESTATUS[@]}\"; do ((status <= 1)) || "+
				"exit 2; done\n", i, e)
		}
		path := filepath.Join(dir, c.Name+".txtar")
		require.NoError(t, os.WriteFile(path, append(script.Bytes(), bodies.Bytes()...), 0o666))
		files = append(files, path)
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			texts := maps.Clone(exampleTexts)
			for name, from := range exampleFiles {
				text, err := os.ReadFile(filepath.Join("../../testdata", from))
				if err != nil {
					return err
				}
				texts[name] = string(text)
			}
			for name, text := range texts {
				path := filepath.Join(env.WorkDir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					return err
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					return err
				}
			}
			attention, err := os.ReadFile("../../testdata/attention.hlo")
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(env.WorkDir, "dump.txt.gz"), compress(attention, gz),
				0o666); err != nil {
				return err
			}
			if strings.HasSuffix(env.WorkDir, "script-dump") {
				for _, g := range []string{"v5e", "v7x"} {
					if err := unpack(filepath.Join(dumps, g+".txtar.gz"),
						filepath.Join(env.WorkDir, "dumps."+g)); err != nil {
						return err
					}
				}
			}
			return nil
		},
	})
}

// countRuns counts the calls of hlolayout in examples.
func countRuns(list []string) (n int) {
	for _, e := range list {
		n += strings.Count(" "+e, " hlolayout ")
	}
	return n
}
