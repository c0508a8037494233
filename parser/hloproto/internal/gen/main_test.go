package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGeneratedCodeIsUpToDate compares the committed Go code with what go generate would write.
func TestGeneratedCodeIsUpToDate(t *testing.T) {
	want, err := generate("../../hlo.proto", "hlolayout/parser/hloproto/hlo.proto")
	require.NoError(t, err)
	got, err := os.ReadFile("../hlopb/hlo.pb.go")
	require.NoError(t, err)
	assert.Equal(t, len(want), len(got))
	assert.True(t, string(want) == string(got), "hlo.pb.go is stale: run go generate in parser/hloproto")
}

func TestGenerateSaysWhatIsWrong(t *testing.T) {
	_, err := generate("missing.proto", "missing.proto")
	assert.Error(t, err)
	file := t.TempDir() + "/bad.proto"
	require.NoError(t, os.WriteFile(file, []byte("edition = \"2023\";\nmessage M { int64 a = 1; int64 b = 1; }\n"),
		0o644))
	_, err = generate(file, "bad.proto")
	assert.ErrorContains(t, err, "bad.proto:2:")
}
