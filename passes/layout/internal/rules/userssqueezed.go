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
	ends  []ends        // by first of a group
}

// ends are what a group leads to, and what it reads.
type ends uint8

const (
	dropped ends = 1 << iota // a reshape that drops dimensions of size 1, or a concatenate that makes another one
	joined                   // another concatenate
	others
)

// list takes a value of a group all of whose users are of the group, too.
func (e *squeezed) list(n flat.NodeID, users []flat.NodeID) []flat.NodeID {
	if !e.hasOnes(n) || !e.sources.of[n].named || slices.ContainsFunc(users, func(u flat.NodeID) bool {
		return !e.G.Nodes[u].Elemwise() || !slices.Equal(e.G.ShapeOf(u).Dims, e.G.ShapeOf(n).Dims)
	}) {
		return nil
	}
	if e.group == nil {
		e.findGroups()
	}
	switch ends := e.ends[e.groupOf(n)]; {
	case ends&others != 0:
		return nil
	case e.sources.of[n].function == 0 && ends&joined != 0 && ends != joined:
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

// findGroups joins elementwise operations to what they read, and notes the ends of each group.
func (e *squeezed) findGroups() {
	g := e.G
	nodes := flat.NodeID(len(g.Nodes) - 1)
	e.group, e.ends = make([]flat.NodeID, nodes), make([]ends, nodes)
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
		if e.hasOnes(n) {
			e.ends[e.groupOf(n)] |= e.endsAt(n)
		}
	}
}

// isMember reports whether what an elementwise operation reads is of its group.
func (e *squeezed) isMember(x, n flat.NodeID) bool {
	return e.hasOnes(x) && slices.Equal(e.G.ShapeOf(x).Dims, e.G.ShapeOf(n).Dims)
}

func (e *squeezed) endsAt(n flat.NodeID) (all ends) {
	g := e.G
	for _, u := range g.Users(n) {
		switch nd := &g.Nodes[u.Node]; {
		case nd.Elemwise() || nd.Op == hlo.OpSlice:
		case nd.Op == hlo.OpConcatenate && e.sources.of[u.Node].isOf("stack"),
			nd.Op == hlo.OpReshape && ordering.SameSizes(nd.In.Shape.Dims, g.ShapeOf(n).Dims):
			all |= dropped
		case nd.Op == hlo.OpConcatenate:
			all |= joined
		default:
			all |= others
		}
	}
	if g.Nodes[n].Elemwise() {
		for _, x := range g.OperandsOf(n) {
			if !e.isMember(x, n) && !e.isScalar(x) && g.Nodes[x].Op != hlo.OpConstant {
				all |= others
			}
		}
	}
	return all
}
