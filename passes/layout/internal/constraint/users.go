package constraint

import (
	"slices"

	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
)

// OrderUses puts the users of each value in the order of the compiler's list. The list is in the order in which users
// were made; where one is removed, the last one takes its place. Where an earlier pass replaced the only user by
// several, appended after it, the last of them is therefore first: [old] becomes [old, a, b, c], then [c, a, b].
func (e *State) OrderUses() {
	for n := range flat.NodeID(len(e.G.Nodes) - 1) {
		us := e.G.Users(n)
		if len(us) > 1 && us[0].Node != us[len(us)-1].Node && e.isReplaced(n, us) {
			last := slices.IndexFunc(us, func(u flat.Use) bool { return u.Node == us[len(us)-1].Node })
			rotated := slices.Concat(us[last:], us[:last])
			copy(us, rotated)
		}
	}
}

// isReplaced reports whether some rule shows that the users of a value replace a single one that is gone.
func (e *State) isReplaced(n flat.NodeID, us []flat.Use) bool {
	return slices.ContainsFunc(e.replacing, func(r rule.ID) bool { return e.table[r].Replaced(n, us) })
}
