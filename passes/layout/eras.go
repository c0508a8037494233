package layout

import (
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/tpu"
)

// Era is a span of known releases of libtpu, from First to Last, for which the same rules hold.
type Era struct{ First, Last string }

// Eras returns the spans of releases, the oldest first, and which of them a target belongs to.
func Eras(t *tpu.Target) (list []Era, own int) {
	var held [rule.Count]bool
	for _, r := range tpu.Releases() {
		x, err := t.WithLibTPU(r.Version)
		if err != nil {
			continue // the list has versions only
		}
		now := inForce(x)
		if len(list) == 0 || now != held {
			list = append(list, Era{First: r.Version})
		}
		list[len(list)-1].Last, held = r.Version, now
		if now == inForce(t) {
			own = len(list) - 1
		}
	}
	return list, own
}

// inForce says which rules hold for the target's version of libtpu.
func inForce(t *tpu.Target) (out [rule.Count]bool) {
	table := docs()
	for r := range table {
		out[r] = t.Within(table[r].Since, table[r].Until)
	}
	return out
}
