package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDoneList writes a list, cuts it off in its last line as a crash would, and reads it back.
func TestDoneList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "done.txt")
	d, err := readDone(path)
	require.NoError(t, err)
	require.NoError(t, d.add("dumps/a b.hlo", exitSame))
	require.NoError(t, d.add("./dumps/c\td.hlo", exitDiffers))
	require.NoError(t, d.add(`"e".hlo`, exitSame))
	require.NoError(t, d.add("f.hlo.gz", exitSame))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "dumps/a b.hlo\n\"./dumps/c\\td.hlo\"\t1\n\"\\\"e\\\".hlo\"\nf.hlo.gz\n", string(text))

	require.NoError(t, os.Truncate(path, int64(len(text)-len(".gz\n"))))
	d, err = readDone(path)
	require.NoError(t, err)
	for name, want := range map[string]int{"dumps/a b.hlo": exitSame, "dumps/c\td.hlo": exitDiffers,
		`"e".hlo`: exitSame} {
		code, done := d.code(name)
		assert.True(t, done, name)
		assert.Equal(t, want, code, name)
	}
	_, done := d.code("f.hlo")
	assert.False(t, done, "a line that was cut off is not done")
	require.NoError(t, d.add("g.hlo", exitSame))
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(text), "\ng.hlo\n"))
}
