package memory

import "hlolayout/tpu"

// device is what memory-space assignment knows of a generation, in addition to the spaces of its tpu.Target.
type device struct {
	space           int64   // the fast space: 1 (VMEM) or 3 (CMEM); 0 where there is none
	limit           int64   // bytes of it that arrays may take, from the target's table
	bandwidth       float64 // of HBM, and of copies between the spaces
	fastRatio       float32 // bandwidth of the fast space over that of HBM
	clock           float64
	flops           float64 // operations per second, of the matrix unit and others alike
	slices          slicing
	tupleGranule    int64
	loopFusionsOnly bool  // results of other instructions are never written to the fast space
	bundles         bool  // the vector unit's work around a product is counted in cycles and adds to the product's
	scoped          bool  // each instruction's own scratch memory is in the fast space, as much as it says
	scratch         int64 // bytes of it where it does not say
	plansLoops      bool  // unrolled loops are planned first
	gatherWork      int64 // 32-bit words of HBM that a gather of SparseCore works in
}

// tupleTable returns the bytes of the table of pointers of a tuple.
func (d *device) tupleTable(elems int) int64 {
	return (4*int64(elems) + d.tupleGranule - 1) / d.tupleGranule * d.tupleGranule
}

// seconds returns the time that bytes of HBM take. Bandwidths are float64 and times float32, as the compiler's are:
// which of two benefits that look alike is the larger one depends on that. (Of 4,023 pairs of neighbours in the
// compiler's order, on 24 programs for v7x, that have one priority in all digits that the log prints, 29 are the other
// way round here, 158 with the bandwidth of HBM in float32, and 340 where both times are added before they are
// rounded.)
func (d *device) seconds(bytes float32) float32 { return float32(float64(bytes) / d.bandwidth) }

// fastSeconds returns the time that bytes take, some of them in the fast space.
func (d *device) fastSeconds(bytes, fast float32) float32 {
	return d.seconds(bytes-fast) + float32(float64(fast)/(float64(d.fastRatio)*d.bandwidth))
}

const (
	mib  = 1 << 20
	gib  = 1 << 30
	giga = 1e9
	tera = 1e12
)

// devices holds the generations with a fast space. Bandwidths and clocks follow from the times that the compiler
// logs for instructions which only move data (bytes / seconds) or take a single cycle, operations per second from those
// of large products, on v6e and v7x of sums of what is compared with a row of numbers, which read next to nothing (6 of
// 6).
var devices = map[string]device{
	"v4": {space: 3, bandwidth: 457.5 * gib, fastRatio: 6, clock: 1.05 * giga, flops: 137 * tera,
		slices: slicing{least: mib, most: 4}},
	"v5e": {space: 1, bandwidth: 687 * gib, fastRatio: 22.5, clock: 1.5 * giga, flops: 197 * tera,
		slices: slicing{least: mib, most: 4}, plansLoops: true},
	"v5p": {space: 1, bandwidth: 2189 * gib, fastRatio: 7.7, clock: 1.75 * giga, flops: 394 * tera,
		loopFusionsOnly: true, plansLoops: true, gatherWork: 32768},
	"v6e": {space: 1, bandwidth: 1638 * giga, fastRatio: 13, clock: 1.75 * giga, flops: 918 * tera,
		bundles: true, slices: slicing{least: mib, size: 4 * mib}, scratch: 32 * mib, plansLoops: true,
		gatherWork: 16384},
	"v7x": {space: 1, bandwidth: 3686 * giga, fastRatio: 3.2, clock: 1.9 * giga, flops: 996 * tera,
		bundles: true, slices: slicing{least: mib, size: 4 * mib}, scoped: true, plansLoops: true, gatherWork: 16384},
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
	d.limit, d.tupleGranule = s.PlacementBytes, max(1, t.TupleGranuleBytes)
	return d, true
}
