package diff

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
)

// Ignore says which differences do not count.
type Ignore struct {
	// Metadata: where instructions come from: metadata, origin, statistics, stack-frame tables.
	Metadata bool
	// Names of instructions and computations; IDs: the numbers in them (add.5, fusion.clone) and channel ids.
	Names, IDs bool
	// BackendConfig is the attribute backend_config, with the bodies of kernels.
	BackendConfig bool
	// Constants are the literals of constants.
	Constants bool
	// Layout is all of a layout; Tile its tiles and element sizes only, Space its memory space only.
	Layout, Tile, Space bool
}

// DefaultIgnore leaves out what a new version of a front end or compiler renumbers.
var DefaultIgnore = Ignore{Metadata: true, Names: true, IDs: true}

// IgnoreWords are the words that ParseIgnore knows.
var IgnoreWords = []string{"none", "metadata", "names", "ids", "backend-config", "constants", "layout", "tile", "space"}

// ParseIgnore adds the words of a list such as "tile,space" to DefaultIgnore; the word none, in the first place, starts
// from nothing instead.
func ParseIgnore(list string) (Ignore, error) {
	out := DefaultIgnore
	if list == "" {
		return out, nil
	}
	for i, w := range strings.Split(list, ",") {
		switch w = strings.TrimSpace(w); w {
		case "none":
			if i > 0 {
				return out, fmt.Errorf("none stands first in a list of what to ignore")
			}
			out = Ignore{}
		case "metadata":
			out.Metadata = true
		case "names":
			out.Names, out.IDs = true, true
		case "ids":
			out.IDs = true
		case "backend-config":
			out.BackendConfig = true
		case "constants":
			out.Constants = true
		case "layout":
			out.Layout, out.Tile, out.Space = true, true, true
		case "tile":
			out.Tile = true
		case "space":
			out.Space = true
		default:
			hint := "known are " + strings.Join(IgnoreWords, ", ")
			if near := hlo.Nearest(w, IgnoreWords); near != "" {
				hint = "did you mean " + near + "?"
			}
			return out, fmt.Errorf("unknown word %q: %s", w, hint)
		}
	}
	return out, nil
}

// name returns what counts of a name.
func (i Ignore) name(name string) string {
	switch {
	case i.Names:
		return ""
	case i.IDs:
		return hlo.BaseName(name)
	}
	return name
}

// attr says whether an instruction's attribute is left out.
func (i Ignore) attr(key string) bool {
	switch key {
	case "metadata", "origin", "statistics":
		return i.Metadata
	case "backend_config":
		return i.BackendConfig
	case "channel_id":
		return i.IDs
	case "control-predecessors":
		return i.Names
	case "operand_layout_constraints":
		return i.Layout
	}
	return false
}

// equal compares two layouts.
func (i Ignore) equal(a, b *hlo.Layout) bool {
	if i.Layout || a.Equal(b) {
		return true
	}
	return (i.Tile || i.Space) && i.reduced(a).Equal(i.reduced(b))
}

// reduced is a layout without what is left out.
func (i Ignore) reduced(l *hlo.Layout) *hlo.Layout {
	if l == nil {
		return nil
	}
	c := *l
	if i.Tile {
		c.Tiles, c.ElementBits = nil, 0
	}
	if i.Space {
		c.MemorySpace = 0
	}
	return &c
}
