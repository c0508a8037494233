package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/whatif"
)

// A sweep that takes long says so once, and draws the runs of all sweeps in one bar.
func TestPatience(t *testing.T) {
	var bar strings.Builder
	p := &patience{s: streams{settings: &settings{progress: &progress{w: &bar, begun: time.Now()}}}, alone: true,
		name: "a.hlo", limit: 10, sweeps: 2}
	for range 5 {
		p.ran(&whatif.Swept{Choices: 100})
	}
	assert.Contains(t, bar.String(), "(5/20)")
	assert.Empty(t, p.text(20, time.Second))
	assert.Equal(t, "a.hlo: at most 20 runs of layout assignment, about 1m0s (--runs and --tpu make them fewer, Ctrl-C "+
		"prints what was found)", p.text(20, time.Minute))
	assert.Empty(t, p.text(20, time.Minute), "said once")
}
