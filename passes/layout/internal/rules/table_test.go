package rules

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/passes/layout/internal/result"
	"hlolayout/passes/layout/internal/rule"
)

// Every number of ids.go has one row, and one alone.
func TestEveryRuleHasOneRow(t *testing.T) {
	rows := map[rule.ID]int{}
	for _, file := range files(&Set{}, result.Rules) {
		for r := range file {
			rows[r]++
		}
	}
	for r := rule.None + 1; r < rule.Count; r++ {
		assert.Equal(t, 1, rows[r], "rows of rule %d, the one after %q", r, NewTable(&Set{}, result.Rules)[r-1].Name)
	}
	assert.Len(t, rows, int(rule.Count)-1)
}

// A file of rules can be deleted with its entry in families: the others compile. Pins alone are more than rules.
func TestEveryFileOfRulesCanBeDeleted(t *testing.T) {
	export := map[string]string{}
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		export[path] = file
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	table, err := os.ReadFile("table.go")
	require.NoError(t, err)
	files, family := map[string]*ast.File{}, map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		require.NoError(t, err)
		files[name] = f
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasSuffix(fn.Name.Name, "Rules") {
				family[name] = fn.Name.Name
			}
		}
	}
	check := func(but string, table string) error {
		var list []*ast.File
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if name != but && name != "table.go" {
				list = append(list, files[name])
			}
		}
		f, err := parser.ParseFile(fset, "table.go", table, 0)
		require.NoError(t, err)
		_, err = (&types.Config{Importer: imports}).Check("rules", fset, append(list, f), nil)
		return err
	}
	require.NoError(t, check("", string(table)))
	require.Len(t, family, len(families))
	for name, rules := range family {
		without := regexp.MustCompile(`\b`+rules+`, ?`).ReplaceAllString(string(table), "")
		require.NotEqual(t, string(table), without)
		require.Error(t, check(name, string(table)), "%s: deleted with its rows left", name)
		if err := check(name, without); name != "pin.go" {
			assert.NoError(t, err, "%s cannot be deleted", name)
		}
	}
}
