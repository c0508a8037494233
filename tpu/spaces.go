package tpu

// MemorySpace is one memory of a target.
type MemorySpace struct {
	// Number is the n of S(n) in a layout; 0 is never written.
	Number int64 `json:"number"`
	// Name is the memory's usual name, such as "VMEM".
	Name string `json:"name"`
	// CapacityBytes is the size of the memory in bytes; 0 where it is not known.
	CapacityBytes int64 `json:"capacity_bytes"`
	// PlacementBytes is how much of it memory-space assignment may fill, in bytes; 0 where it places nothing there.
	PlacementBytes int64 `json:"placement_bytes"`
	// AlignmentBytes is what offsets of buffers in it are multiples of; 0 where it is not known.
	AlignmentBytes int64 `json:"alignment_bytes"`
}

// Spaces returns the name of each memory space by its number.
func (t *Target) Spaces() map[int64]string {
	m := make(map[int64]string, len(t.MemorySpaces))
	for _, s := range t.MemorySpaces {
		m[s.Number] = s.Name
	}
	return m
}

// Space returns the memory space with the given number; ok is false when the target has none.
func (t *Target) Space(number int64) (s MemorySpace, ok bool) {
	for _, s := range t.MemorySpaces {
		if s.Number == number {
			return s, true
		}
	}
	return MemorySpace{}, false
}
