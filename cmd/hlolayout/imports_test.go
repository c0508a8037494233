package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mayImport is README.md's table of packages with what each folder and those below it may import, itself aside:
// packages of ours (with those below them) and other people's modules. The longest folder that contains a package
// decides.
var mayImport = map[string]struct{ ours, theirs []string }{
	"hlolayout":   {}, // the changelog
	"hlo":         {},
	"hlo/tiled":   {ours: []string{"hlo"}},
	"hlo/cute":    {},
	"hlo/literal": {ours: []string{"hlo"}},
	"hlo/verify":  {ours: []string{"hlo"}},
	"parser": {ours: []string{"hlo", "internal/inturn"},
		theirs: []string{"github.com/antlr4-go/antlr/v4"}},
	"parser/hloproto": {ours: []string{"hlo", "parser"}, theirs: []string{"google.golang.org/protobuf"}},
	"parser/hloproto/internal/gen": {theirs: []string{"google.golang.org/protobuf",
		"github.com/bufbuild/protocompile"}},
	"tpu":     {ours: []string{"hlo"}},
	"passes":  {ours: []string{"hlo", "tpu"}},
	"printer": {ours: []string{"hlo", "internal/inturn"}},
	"printer/diff": {ours: []string{"hlo", "tpu", "passes"},
		theirs: []string{"github.com/sergi/go-diff", "github.com/rogpeppe/go-internal"}},
	"printer/picture": {ours: []string{"hlo"}},
	"printer/report":  {ours: []string{"hlo", "tpu", "passes", "printer"}},
	// for tests only
	"printer/internal/browsertest": {theirs: []string{"github.com/chromedp", "github.com/stretchr/testify"}},
	"internal": {ours: []string{"hlo"}, theirs: []string{"github.com/rogpeppe/go-internal",
		"pgregory.net/rapid"}}, // for tests only
	"internal/inturn": {},
	"cmd/release": {ours: []string{"printer/report"},
		theirs: []string{"github.com/CycloneDX/cyclonedx-go"}},
	"cmd": {ours: []string{"hlo", "tpu", "parser", "passes", "printer"}, theirs: []string{
		"github.com/klauspost/compress", "github.com/rogpeppe/go-internal", "github.com/urfave/cli/v3",
		"github.com/fatih/color", "golang.org/x/sync"}},
}

// TestDataFlowsOneWay holds every import of the module against mayImport.
func TestDataFlowsOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`,
		"hlolayout/...").CombinedOutput()
	require.NoError(t, err, string(out))
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Greater(t, len(lines), 20)
	for _, line := range lines {
		path, imports, _ := strings.Cut(line, " ")
		path = strings.TrimPrefix(path, "hlolayout/")
		folder := folderOf(path)
		if !assert.NotEmptyf(t, folder, "%s has no row in mayImport", path) {
			continue
		}
		for _, i := range strings.Fields(imports) {
			assert.Truef(t, allowed(folder, i), "%s imports %s: %s may not (see mayImport)", path, i, folder)
		}
	}
}

// folderOf returns the longest folder of mayImport that contains a package, "" if none does.
func folderOf(path string) (folder string) {
	for f := range mayImport {
		if below(path, f) && len(f) > len(folder) {
			folder = f
		}
	}
	return folder
}

func allowed(folder, imported string) bool {
	rule, of := mayImport[folder], mayImport[folder].theirs
	if ours, ok := strings.CutPrefix(imported, "hlolayout/"); ok {
		imported, of = ours, append([]string{folder}, rule.ours...)
	} else if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	for _, f := range of {
		if below(imported, f) {
			return true
		}
	}
	return false
}

func below(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
