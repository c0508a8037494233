package result

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/passes/plan"
)

// insideBranch returns the branch parameter on which the copy of a conditional's operand is made: where the
// conditional is the only user of the operand. It is -1 elsewhere.
func (e *Result) insideBranch(r constraint.Relayout) flat.NodeID {
	g := e.G
	if !e.On(rule.CopyInBranch) || r.User == -1 || g.Nodes[r.User].Op != hlo.OpConditional ||
		g.DistinctUsers(r.Source, -1) != 1 {
		return -1
	}
	if p := g.Passed(r.User, g.OperandNumber(r.Slot)); !e.Holds(p, false) {
		return p
	}
	return -1
}

// branchEdits adds the copy of a conditional's operand inside the branch to the edits so far: the parameter has the
// layout of the operand, and its users take copies, also the copies that the branch has made of it or of its elements
// (two of two compiled modules).
func (e *Result) branchEdits(edits []plan.Edit, r constraint.Relayout, param flat.NodeID, names *Namer,
	why plan.Reason) []plan.Edit {
	g := e.G
	p := g.Nodes[param].In
	e.move(r, param)
	b := &copier{e: e, names: names}
	copied := b.copy(p, p, e.currentShape(param), r.Want)
	var own []plan.Edit
	add := func(made []*hlo.Instruction, targets []plan.Target) {
		if len(targets) > 0 {
			own = append(own, plan.Edit{Computation: p.Computation, New: made, Targets: targets, Reason: why})
		}
	}
	instead := map[*hlo.Instruction]*hlo.Instruction{}
	// part returns the copy of the element that an instruction takes, nil where there is none.
	part := func(in *hlo.Instruction) *hlo.Instruction {
		if in == nil || in.Opcode != hlo.OpGetTupleElement || in.Operands[0] != p {
			return nil
		}
		k, _ := in.Attr("index").Int()
		if x := copied.Operands[k]; x.Opcode != hlo.OpGetTupleElement {
			return x
		}
		return nil
	}
	if copied.Shape.IsTuple() {
		// Users that take elements get the copies; users that take the whole tuple get one with the copies in it.
		users := map[*hlo.Instruction][]plan.Target{}
		var whole []plan.Target
		for _, t := range e.targets(param) {
			switch x := part(t.User); {
			case x != nil:
				users[x] = append(users[x], e.targets(g.Node(t.User))...)
				instead[t.User] = x
			case t.User == nil || t.User.Opcode != hlo.OpGetTupleElement:
				whole = append(whole, t)
			}
		}
		for _, x := range copied.Operands {
			if len(users[x]) > 0 {
				add(b.chain(p, x), users[x])
				users[x] = nil
			}
		}
		add(b.made, whole)
	} else {
		instead[p] = copied
		add(b.made, e.targets(param))
	}
	at := len(edits)
	for i := range slices.Backward(edits) {
		if edits[i].Computation != p.Computation {
			continue
		}
		at = i
		edits[i].New = slices.DeleteFunc(edits[i].New, func(in *hlo.Instruction) bool {
			for k, o := range in.Operands {
				if x := instead[o]; x != nil {
					in.Operands[k] = x
				}
			}
			x := part(in)
			if x != nil {
				instead[in] = x
			}
			return x != nil
		})
	}
	return slices.Insert(edits, at, own...)
}

// move notes that a branch parameter has the layout of the operand.
func (e *Result) move(r constraint.Relayout, param flat.NodeID) {
	for i, o := range r.Want {
		if o != ordering.None {
			e.moved[e.G.Nodes[param].FirstLeaf+flat.LeafID(i)] = e.OrderAt(r.Source, i)
		}
	}
}

// targets lists the places where a node is used.
func (e *Result) targets(n flat.NodeID) (out []plan.Target) {
	g := e.G
	for _, u := range g.Users(n) {
		out = append(out, e.target(u.Node, u.Slot))
	}
	if g.Comps[g.Nodes[n].Comp].Root == n {
		out = append(out, plan.Target{})
	}
	return out
}

// target is the place where a user reads an operand, that of a computation's root for the user -1.
func (e *Result) target(user flat.NodeID, slot flat.SlotID) (t plan.Target) {
	if user != -1 {
		t = plan.Target{User: e.G.Nodes[user].In, Operand: e.G.OperandNumber(slot)}
	}
	return t
}

// chain takes what was made of which x is the end: from the element that it takes of a tuple on.
func (b *copier) chain(tuple, x *hlo.Instruction) []*hlo.Instruction {
	end := slices.Index(b.made, x)
	start := end
	for b.made[start].Operands[0] != tuple {
		start--
	}
	out := slices.Clone(b.made[start : end+1])
	b.made = slices.Delete(b.made, start, end+1)
	return out
}
