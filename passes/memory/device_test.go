package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Of two values whose priorities the log prints alike, the one gains as much as the other where the compiler's order
// says that they tie, and no less where it comes first (two programs for v7x).
func TestSeconds(t *testing.T) {
	d := devices["v7x"]
	gain := func(all, bytes float32) float32 { return d.seconds(all) - d.fastSeconds(all, bytes) }
	assert.Equal(t, gain(12288, 8192)+gain(16896, 8192), gain(24576, 8192)+gain(49152, 8192))
	assert.GreaterOrEqual(t, gain(1310720, 655360)+gain(1613824, 655360), gain(1310720, 655360)+gain(1310720, 655360))
}
