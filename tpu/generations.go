package tpu

import (
	"cmp"
	"fmt"
	"slices"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// generation is what tells one built-in target from another. The memories are those of one device of the program, in
// bytes.
type generation struct {
	name         string
	family       family
	tupleGranule int64

	// hbm is the nominal size; hbmUsable the largest total of one argument and one result, in steps of 256 KiB, that
	// libtpu 0.0.51 compiled. The rest is the compiler's, and the program's code.
	hbm, hbmUsable int64
	// vmem, cmem and smem are the sizes in JAX's table for Pallas (jax 0.10.2, pallas/mosaic/tpu_info.py); *Usable is
	// the limit of memory-space assignment: the max_size_in_bytes that the compiler logs (TPU_VMODULE=algorithm=5).
	vmem, vmemUsable int64
	cmem, cmemUsable int64
	smem             int64
	// sparseCore: the chip has the second kind of core, with its own memories, S(8) to S(12) in final modules.
	sparseCore bool
}

// generations are the built-in targets, oldest first. A device is a core (of the two of a chip on v2, v3, v4 and v7x),
// but both cores on v5p, so that its HBM is the chip's while VMEM is the core's.
var generations = [...]generation{
	{name: "v2", family: old, tupleGranule: 1024, hbm: 8 * gib, hbmUsable: 8033927168, vmem: 16 * mib, smem: 16 * kib},
	{name: "v3", family: old, tupleGranule: 1024, hbm: 16 * gib, hbmUsable: 16623861760, vmem: 16 * mib,
		smem: 16 * kib},
	{name: "v4", family: recent, tupleGranule: 512, hbm: 16 * gib, hbmUsable: 16372727808, vmem: 16 * mib,
		cmem: 64 * mib, cmemUsable: 64 * mib, smem: mib},
	{name: "v5e", family: recent, tupleGranule: 512, hbm: 16 * gib, hbmUsable: 16909074432, vmem: 128 * mib,
		vmemUsable: 112 * mib, smem: mib},
	{name: "v5p", family: recent, tupleGranule: 32, hbm: 96 * gib, hbmUsable: 102786400256, vmem: 64 * mib,
		vmemUsable: 48*mib - 64*kib, smem: mib, sparseCore: true},
	{name: "v6e", family: recent, tupleGranule: 32, hbm: 32 * gib, hbmUsable: 33545781248, vmem: 128 * mib,
		vmemUsable: 96*mib - 64*kib, smem: mib, sparseCore: true},
	{name: "v7x", family: recent, tupleGranule: 32, hbm: 96 * gib, hbmUsable: 101724192768, vmem: 64 * mib,
		vmemUsable: 64*mib - 64*kib, smem: mib, sparseCore: true},
}

// family holds the constants that generations share.
type family struct {
	packSubByte, largeTiles bool
	granuleWords, minRows   int64
}

var (
	old    = family{packSubByte: false, largeTiles: false, granuleWords: 256, minRows: 2}
	recent = family{packSubByte: true, largeTiles: true, granuleWords: 128, minRows: 1}
)

// target returns the generation as a new Target. The alignments are given where offsets were seen.
func (g *generation) target() *Target {
	t := &Target{
		Name: g.name, Lanes: 128, Sublanes: 8,
		PackSubByte: g.family.packSubByte, GranuleWords: g.family.granuleWords,
		MinRows: g.family.minRows, LargeTiles: g.family.largeTiles,
		TupleGranuleBytes: g.tupleGranule,
	}
	vmem := MemorySpace{Number: 1, Name: "VMEM", CapacityBytes: g.vmem, PlacementBytes: g.vmemUsable}
	if g.vmemUsable > 0 {
		vmem.AlignmentBytes = 4096
	}
	t.MemorySpaces = []MemorySpace{
		{Number: 0, Name: "HBM", CapacityBytes: g.hbm, PlacementBytes: g.hbmUsable, AlignmentBytes: 16384},
		vmem,
		{Number: 2, Name: "SFLAG", AlignmentBytes: 4},
	}
	if g.cmem > 0 {
		t.MemorySpaces = append(t.MemorySpaces,
			MemorySpace{Number: 3, Name: "CMEM", CapacityBytes: g.cmem, PlacementBytes: g.cmemUsable,
				AlignmentBytes: 4096})
	}
	// JAX names S(4) SMEM and S(8) the scalar semaphores of a SparseCore (jax 0.10.2, tpu_custom_call.py); XLA names
	// S(5). In final modules S(6) has what the scalar unit computes, S(4) small arrays that it reads. No name of S(9)
	// to S(12) is known.
	t.MemorySpaces = append(t.MemorySpaces,
		MemorySpace{Number: 4, Name: "SMEM arrays"},
		MemorySpace{Number: 5, Name: "host"},
		MemorySpace{Number: 6, Name: "SMEM", CapacityBytes: g.smem, AlignmentBytes: 4 * g.family.granuleWords})
	if g.sparseCore {
		t.MemorySpaces = append(t.MemorySpaces, MemorySpace{Number: 8, Name: "SparseCore SFLAG"})
		for n := int64(9); n <= 12; n++ {
			t.MemorySpaces = append(t.MemorySpaces, MemorySpace{Number: n, Name: fmt.Sprintf("memory %d", n)})
		}
	}
	slices.SortFunc(t.MemorySpaces, func(a, b MemorySpace) int { return cmp.Compare(a.Number, b.Number) })
	return t
}
