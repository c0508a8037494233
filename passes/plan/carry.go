package plan

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// Carry makes a loop carry one more array, as the last element of its tuple, which its body hands on unchanged.
type Carry struct {
	// While is the loop; its operand and its body's root are tuples of their own, and all that reads its result is
	// get-tuple-element.
	While *hlo.Instruction
	// Operand is the array in the loop's computation, Element what reads it of the parameter in the loop's body.
	// Either may be new in an edit.
	Operand, Element *hlo.Instruction
}

// CanCarry reports whether a loop can carry more: whether its operand and its body's root are tuples that nothing else
// reads, and only elements are read of its result.
func CanCarry(while *hlo.Instruction, uses func(*hlo.Instruction) []hlo.Use) bool {
	if while.Opcode != hlo.OpWhile || while.IsRoot() || len(while.Operands) != 1 {
		return false
	}
	body, cond := while.CalledBy("body"), while.CalledBy("condition")
	if body == nil || cond == nil || body.Root == nil || len(body.Parameters()) != 1 || len(cond.Parameters()) != 1 {
		return false
	}
	elements := func(in *hlo.Instruction) bool {
		return !slices.ContainsFunc(uses(in), func(u hlo.Use) bool { return u.User.Opcode != hlo.OpGetTupleElement })
	}
	operand, root := while.Operands[0], body.Root
	return operand.Opcode == hlo.OpTuple && len(uses(operand)) == 1 && !operand.IsRoot() &&
		root.Opcode == hlo.OpTuple && len(uses(root)) == 0 && root == body.Instructions[len(body.Instructions)-1] &&
		elements(while) && elements(body.Parameters()[0]) && elements(cond.Parameters()[0])
}

// append adds the array of a loop in computation c, or in whose body c is, to the tuple there.
func (l *Carry) append(c *hlo.Computation) {
	to, array := l.While.Operands[0], l.Operand
	if l.While.Computation != c {
		to, array = c.Root, l.Element
	}
	to.Operands = append(slices.Clone(to.Operands), array)
}

// reshape gives all that has the loop's tuple its new shape.
func (l *Carry) reshape(m *hlo.Module) {
	body := l.While.CalledBy("body")
	shape := m.Intern(hlo.NewTuple(append(slices.Clone(l.While.Shape.Elems), l.Operand.Shape)...))
	for _, in := range []*hlo.Instruction{l.While, l.While.Operands[0], body.Root, body.Parameters()[0],
		l.While.CalledBy("condition").Parameters()[0]} {
		in.Shape = shape
	}
}

// checkCarries refuses what Carry cannot do.
func (p *Plan) checkCarries(m *hlo.Module) error {
	for _, c := range p.Carries {
		w := c.While
		if w.Computation == nil || w.Computation.Module != m || w.Opcode != hlo.OpWhile {
			return fmt.Errorf("plan: %%%s, which is to carry more, is not a loop of the module", w.Name)
		}
		if w.Operands[0].Opcode != hlo.OpTuple || w.CalledBy("body").Root.Opcode != hlo.OpTuple {
			return fmt.Errorf("plan: the loop %%%s is not given or does not return a tuple", w.Name)
		}
	}
	return nil
}
