package report

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
)

// Locks that older versions wrote hold against what is written today, and still see what they list. Form 1 has no
// rules and program, forms 1 and 2 have no arrays.
func TestOldLocksHold(t *testing.T) {
	text, err := os.ReadFile("../../testdata/attention.v5e.hlo")
	require.NoError(t, err)
	m, err := parser.Parse("attention.v5e.hlo", string(text))
	require.NoError(t, err)
	now := AppendLock(nil, m, LockHeader{Tool: "9.9.9", Target: "compiled", Rules: 7, Program: "1-ff"})
	listed, _, found := bytes.Cut(now, []byte(arraysHead))
	require.True(t, found)
	form2 := bytes.Replace(listed, []byte("lock 3\ntool: 9.9.9\nrules: 7\n"), []byte("lock 2\ntool: 0.0.2\nrules: 1\n"), 1)
	form1 := regexp.MustCompile("lock 2\n(tool: .*\n)rules: .*\nprogram: .*\n").ReplaceAll(form2, []byte("lock 1\n$1"))
	require.NotEqual(t, form2, form1)
	for name, was := range map[string][]byte{"1": form1, "2": form2, "3": now} {
		a, b := Comparable(was, now)
		assert.Equal(t, string(a), string(b), "form %s", name)
		padded := regexp.MustCompile(`(\d+)\n`).ReplaceAll(was, []byte("${1}1\n"))
		a, b = Comparable(padded, now)
		assert.NotEqual(t, string(a), string(b), "form %s with other sizes", name)
	}
}
