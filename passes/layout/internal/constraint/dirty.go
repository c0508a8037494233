package constraint

import (
	"math/bits"
	"slices"

	"hlolayout/passes/internal/flat"
)

// dirty is a set of boundaries that are to be examined, in the order of their list: a bit for each.
type dirty struct {
	first     []flat.ValueID // by batch: the place of its first boundary, and their number
	batch     []int32        // by place
	of, place []flat.ValueID // the places of value v are place[of[v]:of[v+1]]; none where there are no boundaries
	bits      []uint64
}

func newDirty(batches []boundaryBatch, values int) dirty {
	d := dirty{first: make([]flat.ValueID, 1, len(batches)+1)}
	if len(batches) == 0 {
		return d
	}
	d.of = make([]flat.ValueID, values+1)
	for k, batch := range batches {
		for i := range batch {
			d.batch = append(d.batch, int32(k))
			for _, v := range batch[i].members {
				d.of[v]++
			}
		}
		d.first = append(d.first, flat.ValueID(len(d.batch)))
	}
	end := flat.ValueID(0)
	for v := range d.of {
		end += d.of[v]
		d.of[v] = end
	}
	d.place = make([]flat.ValueID, end)
	for at, k := range slices.Backward(d.batch) { // each value's place goes from its end to its beginning
		for _, v := range batches[k][flat.ValueID(at)-d.first[k]].members {
			d.of[v]--
			d.place[d.of[v]] = flat.ValueID(at)
		}
	}
	d.bits = make([]uint64, (len(d.batch)+63)/64)
	return d
}

// touch adds the boundaries of a value, and reports whether it has any.
func (d *dirty) touch(v flat.ValueID) bool {
	if d.of == nil {
		return false
	}
	list := d.place[d.of[v]:d.of[v+1]]
	for _, at := range list {
		d.bits[at/64] |= 1 << (at % 64)
	}
	return len(list) > 0
}

func (d *dirty) clear(at flat.ValueID) { d.bits[at/64] &^= 1 << (at % 64) }

// next returns the first place of the set from one on, -1 for none.
func (d *dirty) next(from flat.ValueID) flat.ValueID {
	for w := int(from / 64); w < len(d.bits); w++ {
		b := d.bits[w]
		if w == int(from/64) {
			b &^= 1<<(from%64) - 1
		}
		if b != 0 {
			return flat.ValueID(w*64 + bits.TrailingZeros64(b))
		}
	}
	return -1
}
