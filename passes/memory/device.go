package memory

import "hlolayout/tpu"

// device is what memory-space assignment knows of a generation, in addition to the spaces of its tpu.Target.
type device struct {
	space     int64 // the fast space: 1 (VMEM) or 3 (CMEM); 0 where there is none
	limit     int64 // bytes of it that arrays may take, from the target's table
	bandwidth float32
	// copyBandwidth is that of copies between the spaces.
	copyBandwidth   float32
	fastRatio       float32 // bandwidth of the fast space over that of HBM
	clock           float64
	flops           float64 // operations per second, of the matrix unit and others alike
	slices          slicing
	tupleGranule    int64
	loopFusionsOnly bool // results of other instructions are never written to the fast space
	bundles         bool // the vector unit's work around a product is counted in cycles and adds to the product's
	scoped          bool // each instruction's own scratch memory is in the fast space
}

// tupleTable returns the bytes of the table of pointers of a tuple.
func (d *device) tupleTable(elems int) int64 {
	return (4*int64(elems) + d.tupleGranule - 1) / d.tupleGranule * d.tupleGranule
}

func (d *device) fast() float32 {
	return d.fastRatio * d.bandwidth
}

const (
	mib  = 1 << 20
	giga = 1e9
	tera = 1e12
)

// devices holds the generations with a fast space. Bandwidths and clocks follow from the times that the compiler
// logs for instructions which only move data (bytes / seconds) or take a single cycle, operations per second from those
// of large products.
var devices = map[string]device{
	"v4": {space: 3, bandwidth: 491.23688 * giga, fastRatio: 6, clock: 1.05 * giga, flops: 137 * tera,
		slices: slicing{least: mib, most: 4}},
	"v5e": {space: 1, bandwidth: 737.66062 * giga, fastRatio: 22.5, clock: 1.5 * giga, flops: 197 * tera,
		slices: slicing{least: mib, most: 4}},
	"v5p": {space: 1, bandwidth: 2350.42086 * giga, fastRatio: 7.7, clock: 1.75 * giga, flops: 394 * tera,
		loopFusionsOnly: true},
	"v6e": {space: 1, bandwidth: 1638 * giga, fastRatio: 13, clock: 1.75 * giga, flops: 459 * tera,
		bundles: true, slices: slicing{least: mib, size: 4 * mib}},
	"v7x": {space: 1, bandwidth: 3686 * giga, fastRatio: 3.2, clock: 1.9 * giga, flops: 460 * tera,
		bundles: true, slices: slicing{least: mib, size: 4 * mib}, scoped: true},
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
