package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
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
	modules = append(modules, "../../testdata/fit/sgd.hlo", "../../testdata/proto/made_ops.pb", "../../testdata/proto/v5e_heat_stencil_unoptimized.pb")
	dumps, err := filepath.Abs("../../testdata/dumps")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/scripts",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
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
