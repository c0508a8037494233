package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyCommand lists the commands that read a module, in their ways of working, for standard input and a folder to
// write to.
func everyCommand(dir, tpu, value string) [][]string {
	value = "%" + value
	golden := []string{"check", "--golden", filepath.Join(dir, "golden"), "--tpu", tpu}
	return [][]string{
		{"assign", "--tpu", tpu}, {"assign", "--tpu", tpu, "--diff", "-v", "--verify"},
		{"assign", "--tpu", tpu, "--async-copies"},
		{"assign", "--tpu", tpu, "--passes=layout,memory"}, {"assign", "--tpu", tpu, "--passes=memory"},
		{"explain", "--tpu", tpu, "-", value}, {"extract", "-", value},
		{"stats", "--tpu", tpu}, {"stats", "--tpu", tpu, "--format=json"}, {"lint", "--tpu", tpu, "--severity=note",
			"--top=0"},
		{"memory", "--tpu", tpu}, {"memory", "--tpu", tpu, "--svg", os.DevNull},
		{"report", "--tpu", tpu, "-o", filepath.Join(dir, "report.html")},
		{"sweep", "--tpu", tpu}, append(golden, "--update", "--allow-ci"), golden,
		{"-"}, {"verify"}, {"verify", "--tpu", tpu}, {"verify", "--strict"}, {"fmt"}, {"fmt", "--canonical", "--long"},
		{"fmt", "--canonical", "--short"}, {"fmt", "-d"},
	}
}

var rootName = regexp.MustCompile(`ROOT %?([\w.\-]+)`)

// lastRoot returns the name of the last root in a text, mostly the entry's.
func lastRoot(text string) string {
	if all := rootName.FindAllStringSubmatch(text, -1); len(all) > 0 {
		return all[len(all)-1][1]
	}
	return "p"
}

// The texts of testdata/unsound say what XLA's parser may read and no pass can work with. Every command answers, in
// whatever words.
func TestUnsound(t *testing.T) {
	files, err := filepath.Glob("../../testdata/unsound/*.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			for _, tpu := range []string{"v5e", "v7x"} {
				for _, args := range everyCommand(t.TempDir(), tpu, lastRoot(string(text))) {
					sane(t, string(text), args...)
				}
			}
		})
	}
}

// A dimension without a bound is read and printed. What needs a size says where there is none.
func TestUnbounded(t *testing.T) {
	const text = "HloModule m\n\nENTRY e {\n  p = f32[?,3] parameter(0)\n  ROOT a = f32[?,3] abs(f32[?,3] p)\n}\n"
	for _, args := range [][]string{{"fmt"}, {"fmt", "--canonical"}, {"fmt", "--strict"}} {
		code, out := sane(t, text, args...)
		assert.Equal(t, exitSame, code, args)
		assert.Contains(t, out, "f32[?,3]")
	}
	for _, command := range []string{"assign", "stats", "lint", "sweep"} {
		code, _ := sane(t, text, command, "--tpu=v5e")
		assert.Equal(t, exitTrouble, code, command)
	}
}
