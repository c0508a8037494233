package whatif

import (
	"reflect"
	"slices"

	"hlolayout/passes/folding"
	"hlolayout/passes/layout"
	"hlolayout/tpu"
)

// Alike reports whether layout assignment gives every module the same layouts for two targets, so that a sweep for one
// is a sweep for the other: they have the same tiles and versions, the same rules hold, and lowered text is simplified
// alike. Names, memories and the sizes of tuples' tables are left out.
func Alike(a, b *tpu.Target) bool {
	x := *a
	x.Name, x.MemorySpaces, x.TupleGranuleBytes = b.Name, b.MemorySpaces, b.TupleGranuleBytes
	return reflect.DeepEqual(&x, b) && folding.KeepsVectors(a) == folding.KeepsVectors(b) &&
		folding.LeavesOutUnits(a) == folding.LeavesOutUnits(b) &&
		!slices.ContainsFunc(layout.Rules(), func(r layout.Rule) bool {
			return slices.Contains(r.Except, a.Name) != slices.Contains(r.Except, b.Name)
		})
}
