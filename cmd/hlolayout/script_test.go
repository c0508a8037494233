package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata/scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hlolayout": main})
}

// TestScripts runs testdata/scripts on the built program, each in a directory of its own with the modules of testdata.
func TestScripts(t *testing.T) {
	modules, err := filepath.Glob("../../testdata/*.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	modules = append(modules, "../../testdata/proto/made_ops.pb")
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/scripts",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
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
	})
}
