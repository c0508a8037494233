package constraint

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/internal/flat"
)

// The set gives the places of touched values in order, those that are cleared or touched on the way included.
func TestDirty(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const values = 3000
	batches := make([]boundaryBatch, 5000)
	var members [][]flat.ValueID // by place
	for k := range batches {
		for range random.IntN(5) {
			b := boundary{members: []flat.ValueID{flat.ValueID(random.IntN(values)), flat.ValueID(random.IntN(values))}}
			batches[k] = append(batches[k], b)
			members = append(members, b.members)
		}
	}
	d := newDirty(batches, values)
	assert.Len(t, d.batch, len(members))
	want := map[flat.ValueID]bool{}
	touch := func(v flat.ValueID) {
		d.touch(v)
		for at, m := range members {
			if m[0] == v || m[1] == v {
				want[flat.ValueID(at)] = true
			}
		}
	}
	for range 40 {
		touch(flat.ValueID(random.IntN(values)))
	}
	seen := 0
	for at := d.next(0); at >= 0; at = d.next(at + 1) {
		assert.True(t, want[at])
		for before := range want {
			assert.GreaterOrEqual(t, before, at)
		}
		d.clear(at)
		delete(want, at)
		if seen++; seen < 100 {
			v := members[min(int(at)+random.IntN(5000), len(members)-1)][0]
			d.touch(v) // what comes before is for the next sweep
			for later, m := range members {
				if flat.ValueID(later) > at && (m[0] == v || m[1] == v) {
					want[flat.ValueID(later)] = true
				} else if m[0] == v || m[1] == v {
					d.clear(flat.ValueID(later))
				}
			}
		}
	}
	assert.Empty(t, want)
	assert.Greater(t, seen, 100)
	for at := range int32(len(members)) {
		d.touch(members[at][0])
	}
	left := map[flat.ValueID]bool{}
	for at := d.next(0); at >= 0; at = d.next(at + 1) {
		if at%3 != 0 {
			d.clear(at)
		} else {
			left[at] = true
		}
	}
	assert.Greater(t, len(left), 1000)
	for at := d.next(0); at >= 0; at = d.next(at + 1) {
		assert.True(t, left[at], "%d was cleared", at)
		delete(left, at)
	}
	assert.Empty(t, left)
	d.clearAll()
	assert.Equal(t, flat.ValueID(-1), d.next(0))
}
