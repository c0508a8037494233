package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Temporaries are packed anew in three orders, and the best counts: by size, by the length of their lives, by both.
// Bytes here are in units of 16 KiB; a row has the size, the first and the last time.
func TestRepacked(t *testing.T) {
	for _, c := range []struct {
		name           string
		rows           [][3]int
		packed, wanted int64
	}{} {
		var held []Held
		times := 0
		for _, r := range c.rows {
			held = append(held, Held{Bytes: int64(r[0]) * granule, From: r[1], To: r[2]})
			times = max(times, r[2]+1)
		}
		assert.Equal(t, c.packed*granule, packed(held), c.name)
		assert.Equal(t, c.wanted*granule, repacked(held, times), c.name)
	}
}
