package tpu

// MemorySpace is one memory of a target, as one device of the program sees it.
type MemorySpace struct {
	// Number is the n of S(n) in a layout; 0 is never written.
	Number int64 `json:"number"`
	// Name is the memory's usual name, such as "VMEM".
	Name string `json:"name"`
	// CapacityBytes is the size of the memory in bytes; 0 where it is not known.
	CapacityBytes int64 `json:"capacity_bytes,omitempty"`
	// PlacementBytes is how many bytes of it the compiler fills with arrays; 0 where it places none, or it is not
	// known.
	PlacementBytes int64 `json:"placement_bytes,omitempty"`
	// AlignmentBytes is what offsets of arrays in it are multiples of; 0 where it is not known.
	AlignmentBytes int64 `json:"alignment_bytes,omitempty"`
}

// Spaces returns the name of each memory space of t by its number.
func (t *Target) Spaces() map[int64]string {
	names := make(map[int64]string, len(t.MemorySpaces))
	for _, s := range t.MemorySpaces {
		names[s.Number] = s.Name
	}
	return names
}

// Space returns the memory space with the given number; ok is false where t has none.
func (t *Target) Space(number int64) (s MemorySpace, ok bool) {
	for _, s := range t.MemorySpaces {
		if s.Number == number {
			return s, true
		}
	}
	return MemorySpace{}, false
}
