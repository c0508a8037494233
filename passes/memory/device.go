package memory

import "hlolayout/tpu"

// device is what memory-space assignment knows of a generation, in addition to the spaces of its tpu.Target.
type device struct {
	space     int64 // the fast space: 1 (VMEM) or 3 (CMEM); 0 where there is none
	limit     int64 // bytes of it that arrays may take, from the target's table
	bandwidth float32
	// copyBandwidth is that of copies between the spaces.
	copyBandwidth        float32
	fastRatio            float32 // bandwidth of the fast space over that of HBM
	clock, flops, vector float64
	slices               slicing
	tupleGranule         int64
	loopFusionsOnly      bool // results of other instructions are never written to the fast space
	bundles              bool // products take as long as the vector unit's work around them, where that is more
	scoped               bool // each instruction's own scratch memory is in the fast space
}

// tupleTable returns the bytes of the table of pointers of a tuple.
func (d *device) tupleTable(elems int) int64 {
	return (4*int64(elems) + d.tupleGranule - 1) / d.tupleGranule * d.tupleGranule
}

func (d *device) fast() float32 {
	return d.fastRatio * d.bandwidth
}

const mib = 1 << 20

// devices holds the generations with a fast space. Bandwidths and clocks follow from the times that the compiler
// logs for instructions which only move data (bytes / seconds) or take a single cycle.
var devices = map[string]device{
	"v4": {space: 3, bandwidth: 491236.88e6, fastRatio: 6, clock: 1.05e9, flops: 275e12 / 2, vector: 215e12,
		slices: slicing{least: mib, most: 4}},
	"v5e": {space: 1, bandwidth: 737660.62e6, fastRatio: 22.5, clock: 1.5e9, flops: 197e12, vector: 614e12,
		slices: slicing{least: mib, most: 4}},
	"v5p": {space: 1, bandwidth: 2350420.86e6, fastRatio: 7.7, clock: 1.75e9, flops: 459e12, vector: 1433e12,
		loopFusionsOnly: true},
	"v6e": {space: 1, bandwidth: 1638e9, fastRatio: 13, clock: 1.75e9, flops: 459e12, vector: 448e12, bundles: true,
		slices: slicing{least: mib, size: 4 * mib}},
	"v7x": {space: 1, bandwidth: 3686e9, fastRatio: 3.2, clock: 1.9e9, flops: 460e12, vector: 778e12, bundles: true,
		slices: slicing{least: mib, size: 4 * mib}, scoped: true},
}

// deviceOf returns what is known of a target: the generation of its name, with the limit of the target's own memory
// table. ok is false where the target has no fast space.
func deviceOf(t *tpu.Target) (d device, ok bool) {
	d, ok = devices[t.Name]
	if !ok {
		return device{}, false
	}
	s, has := t.Space(d.space)
	if !has || s.PlacementBytes == 0 {
		return device{}, false
	}
	d.limit, d.copyBandwidth, d.tupleGranule = s.PlacementBytes, d.bandwidth, max(1, t.TupleGranuleBytes)
	return d, true
}
