package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/passes/layout"
)

// CHANGELOG.md has the versions of the rules as the table has them, and versions count down to 1.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), layout.Changelog(0), "hlolayout check --rules prints what CHANGELOG.md is to have")
	for i, v := range layout.Versions {
		assert.Equal(t, len(layout.Versions)-i, v.Number)
		assert.NotEmpty(t, v.Changes)
	}
}
