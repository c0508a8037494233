package main

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/layout"
)

// Versions count down to 1, and every one says what changed.
func TestChangelog(t *testing.T) {
	for k := range layout.RulesVersion {
		text := layout.Changelog(layout.RulesVersion - k - 1)
		assert.Len(t, regexp.MustCompile(`(?m)^## `).FindAllString(text, -1), k+1)
		assert.Regexp(t, fmt.Sprintf(`(?m)^## Rules %d\n\n- .+: `, layout.RulesVersion-k), text)
	}
	assert.Positive(t, layout.RulesVersion)
	assert.Equal(t, layout.Changelog(0), layout.Changelog(-1))
}
