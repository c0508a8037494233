package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// document is the name of a Markdown file, outside of a URL.
var document = regexp.MustCompile(`(?:^|[\s(,])((?:[\w.-]+/)*[\w-]+\.md)\b`)

// Every document that a comment of the program or the grammar cites is in the repository.
func TestCommentsCiteWhatIsThere(t *testing.T) {
	list, err := exec.Command("go", "list", "-f", "{{.Dir}}", "hlolayout/...").Output()
	require.NoError(t, err)
	cited := 0
	for dir := range strings.FieldsSeq(string(list)) {
		files, err := filepath.Glob(filepath.Join(dir, "*.g[o4]"))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for i, line := range strings.Split(string(text), "\n") {
				_, comment, _ := strings.Cut(line, "//")
				for _, m := range document.FindAllStringSubmatch(comment, -1) {
					cited++
					_, here := os.Stat(filepath.Join(dir, m[1]))
					_, top := os.Stat(filepath.Join("../..", m[1]))
					assert.True(t, here == nil || top == nil, "%s:%d cites %s, which is not there", file, i+1, m[1])
				}
			}
		}
	}
	assert.Positive(t, cited)
}

// named are the files that a line of a package's documentation says something of.
var named = regexp.MustCompile(`(?m)^//\t([a-z]+(?:, [a-z]+)*)  `)

// The documentation of a large package names each of its files, and no other.
func TestDocumentationNamesEveryFile(t *testing.T) {
	for _, p := range []string{"folding", "memory"} {
		dir := filepath.Join("../../passes", p)
		doc, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		require.NoError(t, err)
		var said, there []string
		for _, m := range named.FindAllStringSubmatch(string(doc), -1) {
			said = append(said, strings.Split(m[1], ", ")...)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, f := range files {
			if name := strings.TrimSuffix(filepath.Base(f), ".go"); name != "doc" && !strings.HasSuffix(name, "_test") {
				there = append(there, name)
			}
		}
		slices.Sort(said)
		assert.Equal(t, there, said, p)
	}
}
