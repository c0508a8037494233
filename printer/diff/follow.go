package diff

import "hlolayout/hlo"

// Followed says how a value was found again in the next module.
type Followed uint8

// How a value was found again, from sure to less sure.
const (
	// Lost: nothing in the other module can be said to be the value.
	Lost Followed = iota
	// SameName: it has the same name, and the same opcode or type. Names are unique in a module, and passes keep them.
	SameName
	// Renamed: another name, but the same operation on the same, or with the same users.
	Renamed
	// Replaced: all users that both modules have read another value of the same type in its place.
	Replaced
	// Fused: the one operation inside of a fusion that has the same opcode, type and op_name.
	Fused
)

// Follow finds an instruction of one module in another one of the same program, a few passes later or earlier. Where it
// is Lost, to is what users that both modules have read in its place if that is one value, of another type: a hint and
// no more.
func Follow(from, in *hlo.Module, value *hlo.Instruction) (to *hlo.Instruction, how Followed) {
	for _, c := range in.Computations {
		if same := c.Instruction(value.Name); same != nil &&
			(same.Opcode == value.Opcode || same.Shape.Compatible(value.Shape)) {
			return same, SameName
		}
	}
	m := Match(from, in, DefaultIgnore)
	if to := m.NewOf(value); to != nil && to.Opcode == value.Opcode && to.Shape.Compatible(value.Shape) {
		localA, upA, downA := m.old.of(value)
		localB, upB, downB := m.new.of(to)
		if localA == localB && (upA == upB || downA == downB) {
			return to, Renamed
		}
	}
	to = m.inPlaceOf(value, 0)
	if to != nil && to.Shape.Compatible(value.Shape) {
		return to, Replaced
	}
	if inside := fused(in, value); inside != nil {
		return inside, Fused
	}
	return to, Lost
}

// fused returns the one instruction inside of a fusion that has the opcode, type and op_name of value.
func fused(m *hlo.Module, value *hlo.Instruction) (found *hlo.Instruction) {
	name := source(value)
	if name == "" {
		return nil
	}
	for _, c := range m.Computations {
		if !c.IsFused() {
			continue
		}
		for _, in := range c.Instructions {
			if in.Opcode != value.Opcode || source(in) != name || !in.Shape.Compatible(value.Shape) {
				continue
			}
			if found != nil {
				return nil
			}
			found = in
		}
	}
	return found
}

// maxMoves is how many transposes, reshapes and the like inPlaceOf looks through: passes replace a few of them at a
// time.
const maxMoves = 4

// inPlaceOf returns the one value that the partners of the value's users read in its place, nil where there is none or
// several.
//
// A user that only moves data and was itself replaced by one that does (a transpose by a bitcast) counts as its
// partner.
func (m *Matching) inPlaceOf(value *hlo.Instruction, depth int) *hlo.Instruction {
	var found *hlo.Instruction
	at := func(in *hlo.Instruction) bool {
		if found != nil && found != in {
			return false
		}
		found = in
		return true
	}
	if p := m.toNew[value.Computation]; value.IsRoot() && p != nil && !at(p.New.Root) {
		return nil
	}
	uses := value.Computation.Uses()
	for _, u := range uses.Of(value) {
		n := m.NewOf(u.User)
		if n == nil && moves(u.User) && depth < maxMoves {
			n = m.inPlaceOf(u.User, depth+1)
		}
		if n == nil || len(n.Operands) != len(u.User.Operands) {
			continue
		}
		o := n.Operands[u.Operand]
		if n.Opcode != u.User.Opcode && !(moves(u.User) && moves(n) && n.Shape.Compatible(u.User.Shape) &&
			o.Shape.Compatible(value.Shape)) {
			continue
		}
		if !at(o) {
			return nil
		}
	}
	return found
}

// moves reports whether an instruction passes the elements of its one operand on, in another order at most.
func moves(in *hlo.Instruction) bool {
	switch in.Opcode {
	case hlo.OpTranspose, hlo.OpReshape, hlo.OpBitcast, hlo.OpCopy:
		return len(in.Operands) == 1
	}
	return false
}
