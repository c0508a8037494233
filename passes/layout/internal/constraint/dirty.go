package constraint

import (
	"bytes"
	"slices"

	"hlolayout/passes/internal/flat"
)

// dirty is a set of boundaries that are to be examined, in the order of their list.
type dirty struct {
	first     []flat.ValueID // by batch: the place of its first boundary, and their number
	batch     []int32        // by place
	of, place []flat.ValueID // the places of value v are place[of[v]:of[v+1]]
	set       []byte         // by place: 1 if it is to be examined
}

func newDirty(batches []boundaryBatch, values int) dirty {
	d := dirty{first: make([]flat.ValueID, 1, len(batches)+1), of: make([]flat.ValueID, values+1)}
	for k, batch := range batches {
		for i := range batch {
			d.batch = append(d.batch, int32(k))
			for _, v := range batch[i].members {
				d.of[v+1]++
			}
		}
		d.first = append(d.first, flat.ValueID(len(d.batch)))
	}
	for v := range values {
		d.of[v+1] += d.of[v]
	}
	d.place = make([]flat.ValueID, d.of[values])
	next := slices.Clone(d.of)
	for k, batch := range batches {
		for i := range batch {
			for _, v := range batch[i].members {
				d.place[next[v]] = d.first[k] + flat.ValueID(i)
				next[v]++
			}
		}
	}
	return d.clone()
}

// clone returns an empty set of the same list.
func (d *dirty) clone() dirty {
	c := *d
	c.set = make([]byte, len(d.batch))
	return c
}

func (d *dirty) reset() { clear(d.set) }

// touch adds the boundaries of a value.
func (d *dirty) touch(v flat.ValueID) {
	for _, at := range d.place[d.of[v]:d.of[v+1]] {
		d.set[at] = 1
	}
}

func (d *dirty) clear(at flat.ValueID) { d.set[at] = 0 }

// next returns the first place of the set from one on, -1 for none.
func (d *dirty) next(from flat.ValueID) flat.ValueID {
	if i := bytes.IndexByte(d.set[from:], 1); i >= 0 {
		return from + flat.ValueID(i)
	}
	return -1
}
