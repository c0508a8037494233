package constraint

import (
	"math/bits"
	"slices"

	"hlolayout/passes/internal/flat"
)

// dirty is a set of boundaries that are to be examined, in the order of their list: a bit for each, with a summary that
// finds the next one quickly.
type dirty struct {
	first     []flat.ValueID // by batch: the place of its first boundary, and their number
	batch     []int32        // by place
	of, place []flat.ValueID // the places of value v are place[of[v]:of[v+1]]
	bits, sum []uint64
}

func newDirty(batches []boundaryBatch, values int) dirty {
	d := dirty{first: make([]flat.ValueID, 1, len(batches)+1), of: make([]flat.ValueID, values+1)}
	boundaries := 0
	for _, batch := range batches {
		boundaries += len(batch)
	}
	d.batch = make([]int32, 0, boundaries)
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
	for k, batch := range slices.Backward(batches) {
		for i := range slices.Backward(batch) {
			for _, v := range batch[i].members {
				d.of[v]--
				d.place[d.of[v]] = d.first[k] + flat.ValueID(i)
			}
		}
	}
	words := (len(d.batch) + 63) / 64
	d.bits, d.sum = make([]uint64, words), make([]uint64, (words+63)/64)
	return d
}

func (d *dirty) reset() {
	clear(d.bits)
	clear(d.sum)
}

// has reports whether a value has boundaries.
func (d *dirty) has(v flat.ValueID) bool { return d.of[v] < d.of[v+1] }

// touch adds the boundaries of a value.
func (d *dirty) touch(v flat.ValueID) {
	for _, at := range d.place[d.of[v]:d.of[v+1]] {
		d.bits[at/64] |= 1 << (at % 64)
		d.sum[at/4096] |= 1 << (at / 64 % 64)
	}
}

func (d *dirty) clear(at flat.ValueID) {
	if d.bits[at/64] &^= 1 << (at % 64); d.bits[at/64] == 0 {
		d.sum[at/4096] &^= 1 << (at / 64 % 64)
	}
}

// next returns the first place of the set from one on, -1 for none.
func (d *dirty) next(from flat.ValueID) flat.ValueID {
	w := int(from / 64)
	if w >= len(d.bits) {
		return -1
	}
	if b := d.bits[w] >> (from % 64); b != 0 {
		return from + flat.ValueID(bits.TrailingZeros64(b))
	}
	w++
	for s := w / 64; s < len(d.sum); s++ {
		b := d.sum[s]
		if s == w/64 {
			b &^= 1<<(w%64) - 1
		}
		if b != 0 {
			w = s*64 + bits.TrailingZeros64(b)
			return flat.ValueID(w*64 + bits.TrailingZeros64(d.bits[w]))
		}
	}
	return -1
}
