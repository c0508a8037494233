package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
