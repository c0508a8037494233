package passes

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
)

// DueAt returns the passes that say what a module of a stage without layouts costs, those of Select but for one of
// another platform: what its schedule holds in memory when says nothing of a TPU, so its arrays get no memory spaces.
func DueAt(at stage.Stage) []string {
	if at == stage.Foreign {
		return []string{"layout"}
	}
	return []string{Auto}
}

// Select returns the passes that a module is due for, and why: `memory` where it is scheduled and has tiles, `layout`
// and `memory` where it is scheduled without tiles, `layout` where it is not scheduled, nothing where it is not
// scheduled and every array outside of fusion bodies has a tile (or an order, where it has no elements). Passes that
// the pipeline does not have are left out.
func Select(m *hlo.Module) (names []string, why string) {
	anyTile, everyTile := stage.Tiles(m)
	switch {
	case m.IsScheduled() && anyTile:
		names, why = []string{"memory"}, "the module is scheduled and has tiles"
	case m.IsScheduled():
		names, why = []string{"layout", "memory"}, "the module is scheduled and has no tiles"
	case everyTile:
		why = "the module is not scheduled and every array has a tile: there is nothing to do"
	default:
		names, why = []string{"layout"}, "the module is not scheduled and some array has no tile"
	}
	return slices.DeleteFunc(names, func(n string) bool { return find(n) == nil }), why
}
