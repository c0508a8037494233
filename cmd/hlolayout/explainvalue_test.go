package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A scatter demands one order of its table, its updates and its result.
func TestAlsoNamesAnInstructionOnce(t *testing.T) {
	scatter := func(array string) link { return link{Value: array, Source: "%scatter", RuleName: "scatter"} }
	e := explanation{
		Chain: []link{{Value: "%x", Source: "%sum", RuleName: "from-user"}, {Value: "%sum", RuleName: "convolution"}},
		Also:  []link{scatter("%table"), scatter("%rows"), {Value: "%p", RuleName: "entry-parameter"}, scatter("%scatter")},
	}
	assert.Equal(t, " %scatter [scatter], %p [entry-parameter]", e.alsoText())
	text := string(e.append(nil))
	assert.Contains(t, text, "\n    the same is demanded by %scatter [scatter], %p [entry-parameter]\n")

	// What ends the chain is not named again.
	e.Chain = []link{{Value: "%flat", RuleName: "from-operand"}, {Value: "%scatter", RuleName: "scatter"}}
	e.Also = e.Also[:2]
	assert.NotContains(t, string(e.append(nil)), "the same is demanded")
}
