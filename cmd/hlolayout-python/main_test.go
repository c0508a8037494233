package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestResultsAreGenerated holds the Python package's results against the schemas.
func TestResultsAreGenerated(t *testing.T) {
	want, err := generate()
	require.NoError(t, err)
	text, err := os.ReadFile("hlolayout/_results.py")
	require.NoError(t, err)
	assert.Equal(t, want, string(text), "run go generate ./cmd/hlolayout-python")
}
