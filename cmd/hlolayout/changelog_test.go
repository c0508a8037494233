package main

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout"
)

// Versions count down to 1, and every one says what changed.
func TestChangelog(t *testing.T) {
	for k := range hlolayout.RulesVersion() {
		text := hlolayout.Changelog(hlolayout.RulesVersion() - k - 1)
		assert.Len(t, regexp.MustCompile(`(?m)^## `).FindAllString(text, -1), k+1)
		assert.Regexp(t, fmt.Sprintf(`(?m)^## Rules %d\n\n- .+: `, hlolayout.RulesVersion()-k), text)
	}
	assert.Positive(t, hlolayout.RulesVersion())
	assert.Equal(t, hlolayout.Changelog(0), hlolayout.Changelog(-1))
}
