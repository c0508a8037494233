package tpu

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// Target is one TPU generation as plain data. ByName and ReadTarget return checked ones, and only those may be
// asked; the JSON that encoding/json writes of a Target is what ReadTarget reads. A Target in use must not be modified.
type Target struct {
	// Name is the generation's name, such as "v5e".
	Name string `json:"name"`
	// Lanes is the number of elements a tile has along the minor dimension (128).
	Lanes int64 `json:"lanes"`
	// Sublanes is the number of 32-bit rows of a full tile (8).
	Sublanes int64 `json:"sublanes"`
	// PackSubByte says whether types of less than 8 bits are packed, their layouts carrying E(bits); otherwise
	// each element takes a byte.
	PackSubByte bool `json:"pack_sub_byte"`
	// GranuleWords is G: the least size of an array of rank 0 or 1, in 32-bit words.
	GranuleWords int64 `json:"granule_words"`
	// MinRows is M: the fewest 32-bit rows a tile may have.
	MinRows int64 `json:"min_rows"`
	// LargeTiles says whether types of at most 8 bits get tiles of Sublanes 32-bit rows at the program's
	// boundary.
	LargeTiles bool `json:"large_tiles"`
	// TupleGranuleBytes is what the size of a tuple's pointer table is rounded up to, in bytes.
	TupleGranuleBytes int64 `json:"tuple_granule_bytes"`
	// MemorySpaces are the memories a layout can name by S(number), ascending by number, HBM (0) first.
	MemorySpaces []MemorySpace `json:"memory_spaces"`
	// LibTPU is the version of the compiler whose rules hold, such as "0.0.43.2"; "" is DefaultLibTPU.
	LibTPU string `json:"libtpu,omitempty"`
	// Options are the choices that are the user's rather than the generation's; the key may be absent.
	Options Options `json:"options,omitzero"`
}

// ByName returns the built-in target with the given name, a new one with each call. Names are those of Names, and
// others that JAX and Cloud have for the same generation, such as "TPU v5 lite" or "v6litepod-8". The error for an
// unknown name lists the known ones and the nearest.
func ByName(name string) (*Target, error) {
	if generation, ok := known(name); ok {
		i := slices.Index(Names(), generation)
		return generations[i].target(), nil
	}
	return nil, fmt.Errorf("unknown TPU generation %q; %s", name, knownHint(name, Names()))
}

// Names returns the names of the built-in targets, oldest generation first.
func Names() []string {
	names := make([]string, len(generations))
	for i := range generations {
		names[i] = generations[i].name
	}
	return names
}

// width returns B, the bits of an element of type d; ok is false for what is not an element type of arrays.
// PRED is a byte, or a bit with PredPacking "bit". The six-bit types are bytes to the compiler, without E(): measured
// on the layouts and sizes of parameters, all generations.
func (t *Target) width(d hlo.DType) (b int64, ok bool) {
	switch {
	case d == hlo.Pred && t.Options.PredPacking == PredBit:
		return 1, true
	case d.Bits() == 6:
		return 8, true
	}
	return int64(d.Bits()), d.IsArray()
}

// stored returns S, the bits an element of b bits takes in memory.
func (t *Target) stored(b int64) int64 {
	if t.PackSubByte {
		return b
	}
	return max(b, 8)
}

// perWord returns how many elements of b bits share a 32-bit word: p of S, or q of B. Wider types count as
// one.
func perWord(b int64) int64 { return 32 / min(b, 32) }
