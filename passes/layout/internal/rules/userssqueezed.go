package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func squeezedRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.UsersSqueezed: {Name: "users-squeezed", Stage: rule.Propagate, Evidence: []string{"users_squeezed"},
			Doc: "Where a program drops dimensions of size 1, as x[:, 0] does, an earlier pass moves the reshape after the " +
				"elementwise operations that follow: it was the first user of each value before it, and its place has the last " +
				"one. So it is where a concatenate makes the dimensions again (489 of 497 lists).",
			ListUsers: (&squeezed{Set: e}).list},
	}
}

// squeezed knows the groups of slices and elementwise operations that have dimensions of size 1 because an earlier
// pass moved the reshapes that drop them from the slices to the end: as x[:, 0] * y[:, 0] is computed.
type squeezed struct {
	*Set
	group []flat.NodeID // by node: another one of its group, or itself
	mixed []bool        // by first of a group: it leads to, or reads, anything else
}

// list takes a value of a group all of whose users are of the group, too.
func (e *squeezed) list(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	if !e.hasOnes(n) || !e.sources.of[n].named || slices.ContainsFunc(users, func(u flat.NodeID) bool {
		return !e.G.Nodes[u].Elemwise() || e.isOld(u) || !slices.Equal(e.G.ShapeOf(u).Dims, e.G.ShapeOf(n).Dims)
	}) {
		return nil
	}
	if e.group == nil {
		e.findGroups()
	}
	if e.mixed[e.groupOf(n)] {
		return nil
	}
	return lastFirst(users)
}

// hasOnes reports whether a node is a slice or an elementwise operation with a dimension of size 1.
func (e *squeezed) hasOnes(n flat.NodeID) bool {
	nd := &e.G.Nodes[n]
	return (nd.Op == hlo.OpSlice || nd.Elemwise()) && !nd.Tuple && slices.Contains(e.G.ShapeOf(n).Dims, 1)
}

func (e *squeezed) groupOf(n flat.NodeID) flat.NodeID {
	for e.group[n] != n {
		e.group[n] = e.group[e.group[n]]
		n = e.group[n]
	}
	return n
}

// findGroups joins elementwise operations to what they read, and notes which groups are mixed.
func (e *squeezed) findGroups() {
	g := e.G
	nodes := flat.NodeID(len(g.Nodes) - 1)
	e.group, e.mixed = make([]flat.NodeID, nodes), make([]bool, nodes)
	for n := range nodes {
		e.group[n] = n
		if e.hasOnes(n) && g.Nodes[n].Elemwise() {
			for _, x := range g.OperandsOf(n) {
				if e.isMember(x, n) {
					e.group[e.groupOf(n)] = e.groupOf(x)
				}
			}
		}
	}
	for n := range nodes {
		if e.hasOnes(n) && e.isMixed(n) {
			e.mixed[e.groupOf(n)] = true
		}
	}
}

// isMember reports whether what an elementwise operation reads is of its group.
func (e *squeezed) isMember(x, n flat.NodeID) bool {
	return e.hasOnes(x) && slices.Equal(e.G.ShapeOf(x).Dims, e.G.ShapeOf(n).Dims)
}

// isMixed reports whether a member of a group has a user that is none and does not drop dimensions of size 1 or make
// another one, as a reshape or a concatenate does, or reads anything else but scalars and constants.
func (e *squeezed) isMixed(n flat.NodeID) bool {
	g := e.G
	for _, u := range g.Users(n) {
		nd := &g.Nodes[u.Node]
		drops := nd.Op == hlo.OpReshape && ordering.SameSizes(nd.In.Shape.Dims, g.ShapeOf(n).Dims)
		if !nd.Elemwise() && nd.Op != hlo.OpSlice && nd.Op != hlo.OpConcatenate && !drops {
			return true
		}
	}
	return g.Nodes[n].Elemwise() && slices.ContainsFunc(g.OperandsOf(n), func(x flat.NodeID) bool {
		return !e.isMember(x, n) && !e.isScalar(x) && g.Nodes[x].Op != hlo.OpConstant
	})
}
