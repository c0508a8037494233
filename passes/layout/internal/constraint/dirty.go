package constraint

import (
	"math/bits"

	"hlolayout/passes/internal/flat"
)

// dirty is a set of boundaries that are to be examined, in the order of their list: a bit for each, and a bit for each
// word of those with some: most sweeps find few, or none.
type dirty struct {
	first  []flat.ValueID           // by batch: the place of its first boundary, and their number
	batch  []int32                  // by place
	places flat.Lists[flat.ValueID] // by value; none where there are no boundaries
	bits   []uint64
	words  []uint64
}

func newDirty(batches []boundaryBatch, values int) dirty {
	d := dirty{first: make([]flat.ValueID, 1, len(batches)+1)}
	if len(batches) == 0 {
		return d
	}
	for k, batch := range batches {
		for range batch {
			d.batch = append(d.batch, int32(k))
		}
		d.first = append(d.first, flat.ValueID(len(d.batch)))
	}
	d.places = flat.NewLists(values, func(add func(v, place flat.ValueID)) {
		for at, k := range d.batch {
			place := flat.ValueID(at)
			for _, v := range batches[k][place-d.first[k]].members {
				add(v, place)
			}
		}
	})
	d.bits = make([]uint64, (len(d.batch)+63)/64)
	d.words = make([]uint64, (len(d.bits)+63)/64)
	return d
}

// touch adds the boundaries of a value, and reports whether it has any.
func (d *dirty) touch(v flat.ValueID) bool {
	if d.bits == nil {
		return false
	}
	list := d.places.Of(v)
	for _, at := range list {
		w := at / 64
		d.bits[w] |= 1 << (at % 64)
		d.words[w/64] |= 1 << (w % 64)
	}
	return len(list) > 0
}

func (d *dirty) clear(at flat.ValueID) {
	w := at / 64
	if d.bits[w] &^= 1 << (at % 64); d.bits[w] == 0 {
		d.words[w/64] &^= 1 << (w % 64)
	}
}

func (d *dirty) clearAll() {
	clear(d.bits)
	clear(d.words)
}

// next returns the first place of the set from one on, -1 for none.
func (d *dirty) next(from flat.ValueID) flat.ValueID {
	w := from / 64
	if int(w) >= len(d.bits) {
		return -1
	}
	if b := d.bits[w] >> (from % 64); b != 0 {
		return from + flat.ValueID(bits.TrailingZeros64(b))
	}
	w++
	for k := int(w / 64); k < len(d.words); k++ {
		some := d.words[k]
		if k == int(w/64) {
			some &^= 1<<(w%64) - 1
		}
		if some != 0 {
			w = flat.ValueID(k*64 + bits.TrailingZeros64(some))
			return w*64 + flat.ValueID(bits.TrailingZeros64(d.bits[w]))
		}
	}
	return -1
}
