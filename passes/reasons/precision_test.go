package reasons_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/plan"
	"hlolayout/passes/reasons"
)

// The weakest rule is the one that is right least often: one that was always right is not weaker than one that was
// measured more and is wrong at times.
func TestWeakest(t *testing.T) {
	rule := func(seen, right int) reasons.Precision { return reasons.Precision{Seen: seen, Right: right} }
	assert.True(t, rule(6468, 6429).Weaker(rule(98, 98)))
	assert.True(t, rule(16, 16).Weaker(rule(98, 98)), "as often in fewer arrays")
	assert.False(t, rule(98, 98).Weaker(rule(98, 98)))
	assert.True(t, rule(0, 0).Weaker(rule(51, 50)), "not measured")
	assert.InDelta(t, 1.0, rule(98, 98).Share(), 0)
	weakest, ok := reasons.Weakest([]plan.Link{{Reason: plan.Reason{Rule: "convolution"}}})
	assert.True(t, ok)
	assert.GreaterOrEqual(t, weakest.Share(), 0.0)
}
