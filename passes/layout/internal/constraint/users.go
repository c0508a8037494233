package constraint

import (
	"slices"

	"hlolayout/passes/internal/flat"
)

// OrderUses puts the users of each value in the order of the compiler's list, where a rule shows it.
func (e *State) OrderUses() {
	var users []flat.NodeID
	for n := range flat.NodeID(len(e.G.Nodes) - 1) {
		us := e.G.Users(n)
		if len(us) < 2 || us[0].Node == us[len(us)-1].Node {
			continue
		}
		users = users[:0]
		for _, u := range us {
			users = append(users, u.Node)
		}
		users = slices.Compact(users)
		for _, r := range e.listers {
			if order := e.table[r].ListUsers(n, users); order != nil {
				place := map[flat.NodeID]int{}
				for i, u := range order {
					place[u] = i
				}
				slices.SortStableFunc(us, func(a, b flat.Use) int { return place[a.Node] - place[b.Node] })
				break
			}
		}
	}
}
