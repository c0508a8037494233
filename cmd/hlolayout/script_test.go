package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"hlolayout/printer/report"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata/scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hlolayout": func() {
		if os.Getenv(withNames) != "" {
			newUnnamed = func(string, os.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }
		}
		main()
	}})
}

// withNames is set in the environment for a command that is to work as it does where a file has a name from the start.
const withNames = "HLOLAYOUT_TEST_WITH_NAMES"

// TestScripts runs testdata/scripts on the built program, each in its own directory with the modules of testdata.
func TestScripts(t *testing.T) {
	modules, err := filepath.Glob("../../testdata/*.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	modules = append(modules, "../../testdata/fit/sgd.hlo", "../../testdata/fit/mlp_train.hlo",
		"../../testdata/proto/made_ops.pb", "../../testdata/proto/v5e_heat_stencil_unoptimized.pb")
	dumps, err := filepath.Abs("../../testdata/dumps")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/scripts",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for _, tool := range toolsOf(t, strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")) {
				if _, err := exec.LookPath(tool); err != nil {
					env.T().Skip("no " + tool)
				}
			}
			env.Setenv("VERSION", report.Version)
			for _, m := range modules {
				text, err := os.ReadFile(m)
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(env.WorkDir, filepath.Base(m)), text, 0o666); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// undump NAME... unpacks testdata/dumps/NAME.txtar.gz into the directory dumps.NAME.
			"undump": func(ts *testscript.TestScript, neg bool, args []string) {
				for _, name := range args {
					ts.Check(unpack(filepath.Join(dumps, name+".txtar.gz"), ts.MkAbs("dumps."+name)))
				}
			},
		},
	})
}

// tools are programs that some systems lack, and that scripts use.
var tools = regexp.MustCompile(`\b(sh|sed|grep|patch|gzip|cut|head|mkfifo|cp|cat)\b`)

// needs skips a test where a program is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip("no " + p)
		}
	}
}

// toolsOf returns those tools that the lines of a script execute, itself or in a shell.
func toolsOf(t *testing.T, script string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../testdata/scripts", script+".txtar"))
	require.NoError(t, err)
	for line := range strings.Lines(string(txtar.Parse(text).Comment)) {
		if strings.HasPrefix(strings.TrimPrefix(line, "! "), "exec ") {
			out = append(out, tools.FindAllString(line, -1)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestToolsOfScripts(t *testing.T) {
	assert.Equal(t, []string{"sh"}, toolsOf(t, "sweep"))
	assert.Subset(t, toolsOf(t, "files"), []string{"cp"})
}

// unpack writes the files of a compressed txtar archive to a directory.
func unpack(archive, dir string) error {
	text, _, err := input{path: archive}.read()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range txtar.Parse([]byte(text)).Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
