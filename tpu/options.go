package tpu

import (
	"fmt"
	"slices"
)

// Options are choices that no generation makes by itself. An empty value stands for the default.
type Options struct {
	// PredPacking is PredByte (default), or PredBit: PRED has one bit and the tiles of s1, such as T(32,128)(32,1)E(1).
	// No compiler does that: it is an extrapolation of the rules without an oracle. It needs PackSubByte, so it is
	// an error on v2 and v3.
	PredPacking string `json:"pred_packing,omitempty"`
	// SmallTiles is SmallMeasured (default), or SmallDocumented: tiles have at least two rows, so that a second-minor
	// size of 1 takes 2x128 as XLA's tiled-layout document has it, and not the 1x128 that the compiler gives to types
	// of 32 and more bits since v4.
	SmallTiles string `json:"small_tiles,omitempty"`
}

// The values of the options.
const (
	PredByte        = "byte"
	PredBit         = "bit"
	SmallMeasured   = "measured"
	SmallDocumented = "documented"
)

// WithOptions returns a copy of t with the options o in place of t's. The error says which value is unknown, or
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

// checkOptions returns a *valueError, or nil.
func (t *Target) checkOptions() error {
	o := t.Options
	switch {
	case !slices.Contains([]string{"", PredByte, PredBit}, o.PredPacking):
		return unknownValue("options.pred_packing", o.PredPacking, PredByte, PredBit)
	case !slices.Contains([]string{"", SmallMeasured, SmallDocumented}, o.SmallTiles):
		return unknownValue("options.small_tiles", o.SmallTiles, SmallMeasured, SmallDocumented)
	case o.PredPacking == PredBit && !t.PackSubByte:
		return &valueError{"options.pred_packing",
			fmt.Sprintf("%q is impossible on %s, which stores types of less than 8 bits as bytes", PredBit, t.Name),
			fmt.Sprintf("use %q", PredByte)}
	}
	return nil
}
