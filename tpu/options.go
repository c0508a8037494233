package tpu

import (
	"fmt"
	"slices"
	"strings"
)

// Options are choices that no generation makes by itself. An empty value stands for the default.
type Options struct {
	// PredPacking is PredByte (default), or PredBit: PRED has one bit and the tiles of s1, T(32,128)(32,1)E(1).
	// No compiler does that: it is an extrapolation of section 1 without an oracle. It needs PackSubByte, so it is
	// an error on v2 and v3.
	PredPacking string `json:"pred_packing,omitempty"`
	// SmallTiles is SmallMeasured (default), or SmallDocumented: tiles have at least two rows, so that a second-minor size
	// of 1 takes 2x128 as XLA's tiled-layout document has it, and not the 1x128 that the compiler gives to types of
	// 32 and more bits since v4.
	SmallTiles string `json:"small_tiles,omitempty"`
}

// The values of the options.
const (
	PredByte        = "byte"
	PredBit         = "bit"
	SmallMeasured   = "measured"
	SmallDocumented = "documented"
)

// WithOptions returns a copy of t with the options o in place of its own. The error says which value is unknown, or
// impossible for t.
func (t *Target) WithOptions(o Options) (*Target, error) {
	c := *t
	c.MemorySpaces = slices.Clone(t.MemorySpaces)
	c.Options = o
	if err := c.checkOptions(); err != nil {
		return nil, err
	}
	return &c, nil
}

func (t *Target) checkOptions() error {
	for _, o := range [...]struct {
		key, value string
		known      []string
	}{
		{"pred_packing", t.Options.PredPacking, []string{PredByte, PredBit}},
		{"small_tiles", t.Options.SmallTiles, []string{SmallMeasured, SmallDocumented}},
	} {
		if o.value != "" && !slices.Contains(o.known, o.value) {
			return fmt.Errorf("option %s: unknown value %q: known are %s; nearest is %q",
				o.key, o.value, strings.Join(o.known, ", "), nearest(o.value, o.known))
		}
	}
	if t.Options.PredPacking == PredBit && !t.PackSubByte {
		return fmt.Errorf("option pred_packing: %q is impossible on %s, which stores every type of less than 8 bits as bytes; use %q",
			PredBit, t.Name, PredByte)
	}
	return nil
}
