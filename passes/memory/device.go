package memory

import "hlolayout/tpu"

// device is what memory-space assignment knows of a generation, beside the spaces of its tpu.Target.
type device struct {
	space     int64 // the fast space: 1 (VMEM) or 3 (CMEM); 0 where there is none
	limit     int64 // bytes of it that arrays may take
	bandwidth float32
	// copyBandwidth is that of copies between the spaces.
	copyBandwidth        float32
	fastRead, fastWrite  float32
	clock, flops, vector float64
	sliceBytes           int64 // prefetches of at least so many bytes are cut into slices; 0: never
	loopFusionsOnly      bool  // results of other instructions are never written to the fast space
	scoped               bool  // each instruction's own scratch memory lies in the fast space
}

func (d *device) fast(write bool) float32 {
	if write {
		return d.fastWrite
	}
	return d.fastRead
}

const mib = 1 << 20

// devices holds the generations with a fast space. Limits are the compiler's max_size_in_bytes; bandwidths and clocks follow from the times that it
// logs for instructions which only move data (bytes / seconds) or take a single cycle.
var devices = map[string]device{
	"v4":  {space: 3, limit: 64 * mib, bandwidth: 491.24e9, clock: 1.05e9, flops: 275e12 / 2, vector: 215e12, sliceBytes: mib},
	"v5e": {space: 1, limit: 112 * mib, bandwidth: 737.66e9, clock: 1.5e9, flops: 197e12, vector: 614e12, sliceBytes: mib},
	"v5p": {space: 1, limit: 48*mib - 65536, bandwidth: 2350.4e9, clock: 1.75e9, flops: 459e12, vector: 1433e12, loopFusionsOnly: true},
	"v6e": {space: 1, limit: 96*mib - 65536, bandwidth: 1638e9, clock: 1.75e9, flops: 918e12, vector: 14e12, sliceBytes: mib},
	"v7x": {space: 1, limit: 64*mib - 65536, bandwidth: 3686e9, clock: 1.9e9, flops: 460e12, vector: 778e12, sliceBytes: mib, scoped: true},
}

// deviceOf returns what is known of a target: the generation of its name, with the limit of the target's own memory table where that
// is smaller. ok is false where the target has no fast space.
func deviceOf(t *tpu.Target) (d device, ok bool) {
	d, ok = devices[t.Name]
	if !ok {
		return device{}, false
	}
	s, has := t.Space(d.space)
	if !has || s.PlacementBytes == 0 {
		return device{}, false
	}
	d.limit = min(d.limit, s.PlacementBytes)
	d.copyBandwidth = d.bandwidth
	if d.fastRead == 0 {
		d.fastRead, d.fastWrite = 22.5*d.bandwidth, 22.5*d.bandwidth
	}
	return d, true
}
