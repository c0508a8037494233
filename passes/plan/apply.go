package plan

import (
	"fmt"

	"hlolayout/hlo"
)

// Apply carries the plan out on the module it was made for. An error says what does not fit; the module is then
// as it was before.
func (p *Plan) Apply(m *hlo.Module) error {
	shapes, err := p.shapes(m)
	if err != nil {
		return err
	}
	if err := p.checkEdits(m); err != nil {
		return err
	}
	if err := p.checkCarries(m); err != nil {
		return err
	}
	if err := p.checkSplits(m); err != nil {
		return err
	}
	for _, s := range shapes {
		s.in.Shape = s.shape
	}
	for _, c := range p.Changes {
		if c.Name != "" {
			c.Instruction.Name = c.Name
		}
		if c.Attrs != nil {
			c.Instruction.Attrs = c.Attrs
		}
	}
	if p.Entry != nil {
		m.SetEntryLayout(p.Entry.Params, p.Entry.Result)
	}
	if len(p.Edits) == 0 {
		return nil
	}
	edits := map[*hlo.Computation][]*Edit{}
	for i := range p.Edits {
		e := &p.Edits[i]
		edits[e.Computation] = append(edits[e.Computation], e)
	}
	carries := map[*hlo.Computation][]*Carry{}
	for i := range p.Carries {
		l := &p.Carries[i]
		for _, c := range []*hlo.Computation{l.While.Computation, l.While.CalledBy("body")} {
			carries[c] = append(carries[c], l)
		}
	}
	splits := map[*hlo.Computation][]*Split{}
	for i := range p.Splits {
		s := &p.Splits[i]
		splits[s.Start.Computation] = append(splits[s.Start.Computation], s)
	}
	for _, c := range m.Computations {
		if edits[c] != nil || carries[c] != nil {
			edit(c, edits[c], carries[c], splits[c], p.Drops, m.IsScheduled())
		}
	}
	for i := range p.Carries {
		p.Carries[i].reshape(m)
	}
	m.LinkCallers()
	return nil
}

type newShape struct {
	in    *hlo.Instruction
	shape *hlo.Shape
}

// shapes returns the interned shapes of all instructions that decisions change.
func (p *Plan) shapes(m *hlo.Module) ([]newShape, error) {
	type key struct {
		shape  *hlo.Shape
		layout *hlo.Layout
	}
	arrays := map[key]*hlo.Shape{}
	array := func(d *Decision) (*hlo.Shape, error) {
		k := key{d.Instruction.Shape.At(d.Index), d.Layout}
		with := arrays[k]
		if with == nil {
			if err := d.fits(k.shape); err != nil {
				return nil, err
			}
			with = m.Intern(k.shape.WithLayout(d.Layout))
			arrays[k] = with
		}
		return with, nil
	}
	var leaves []*hlo.Shape // of one instruction
	out := make([]newShape, 0, len(p.Decisions))
	for i := 0; i < len(p.Decisions); {
		in := p.Decisions[i].Instruction
		j := i
		for j < len(p.Decisions) && p.Decisions[j].Instruction == in {
			j++
		}
		group := p.Decisions[i:j]
		i = j
		if in.Computation == nil || in.Computation.Module != m {
			return nil, fmt.Errorf("plan: instruction %%%s is not in the module", in.Name)
		}
		leaves = leaves[:0]
		for k := range group {
			leaf, err := array(&group[k])
			if err != nil {
				return nil, err
			}
			leaves = append(leaves, leaf)
		}
		if in.Shape.IsArray() {
			out = append(out, newShape{in, leaves[0]})
			continue
		}
		next := 0
		s := in.Shape.WithLeaves(func(index hlo.Index, leaf *hlo.Shape) *hlo.Shape {
			if next == len(group) || !equalIndex(group[next].Index, index) {
				return leaf
			}
			next++
			return leaves[next-1]
		})
		if next != len(group) {
			return nil, fmt.Errorf("plan: the decisions for instruction %%%s are not in the order of its shape",
				in.Name)
		}
		out = append(out, newShape{in, m.Intern(s)})
	}
	return out, nil
}

// fits returns an error where a decision is not about an array, or its layout is none of that.
func (d *Decision) fits(leaf *hlo.Shape) error {
	if leaf == nil || !leaf.IsArray() {
		return fmt.Errorf("plan: instruction %%%s has no array at %v", d.Instruction.Name, d.Index)
	}
	if d.Layout == nil || len(d.Layout.MinorToMajor) != leaf.Rank() || !hlo.IsPermutation(d.Layout.MinorToMajor) {
		return fmt.Errorf("plan: layout %s does not fit instruction %%%s of shape %s", d.Layout, d.Instruction.Name, leaf)
	}
	return nil
}

func equalIndex(a, b hlo.Index) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// checkEdits refuses edits that name what the module does not have.
func (p *Plan) checkEdits(m *hlo.Module) error {
	c := editCheck{made: map[*hlo.Instruction]*hlo.Computation{}, names: map[string]bool{},
		renamed: map[*hlo.Instruction]bool{}}
	for _, e := range p.Edits {
		if e.Computation == nil || e.Computation.Module != m || len(e.New) == 0 && e.Existing == nil {
			return fmt.Errorf("plan: an edit inserts nothing or belongs to another module")
		}
		if e.Existing != nil && (len(e.New) > 0 || e.Existing.Computation != e.Computation) {
			return fmt.Errorf("plan: %%%s, which is to be used, is not in computation %%%s, or the edit has new "+
				"instructions", e.Existing.Name, e.Computation.Name)
		}
		if e.After != nil && e.After.Computation != e.Computation {
			return fmt.Errorf("plan: %%%s, after which instructions are to be inserted, is not in computation %%%s",
				e.After.Name, e.Computation.Name)
		}
		if err := c.inserts(&e); err != nil {
			return err
		}
	}
	if err := c.renames(p.Changes, m); err != nil {
		return err
	}
	return c.taken(m)
}

// editCheck is what checkEdits knows of new instructions: where they go, and which names they and renamed ones have.
type editCheck struct {
	made    map[*hlo.Instruction]*hlo.Computation
	names   map[string]bool
	renamed map[*hlo.Instruction]bool
}

// inserts checks new instructions with their operands, and the operands that are to read them.
func (c *editCheck) inserts(e *Edit) error {
	for _, n := range e.New {
		if c.names[n.Name] || c.made[n] != nil {
			return fmt.Errorf("plan: two new instructions are named %%%s", n.Name)
		}
		for _, o := range n.Operands {
			if o.Computation != e.Computation && c.made[o] != e.Computation {
				return fmt.Errorf("plan: operand %%%s of %%%s is not in computation %%%s", o.Name, n.Name,
					e.Computation.Name)
			}
		}
		c.names[n.Name] = true
		c.made[n] = e.Computation
	}
	for _, t := range e.Targets {
		if t.User != nil && (t.User.Computation != e.Computation || t.Operand < 0 ||
			t.Operand >= len(t.User.Operands)) {
			return fmt.Errorf("plan: instruction %%%s has no operand %d in computation %%%s", t.User.Name,
				t.Operand, e.Computation.Name)
		}
	}
	return nil
}

// renames checks that what is to be changed is in the module, and that no two are to have one name.
func (c *editCheck) renames(changes []Change, m *hlo.Module) error {
	for _, x := range changes {
		if x.Instruction.Computation == nil || x.Instruction.Computation.Module != m {
			return fmt.Errorf("plan: instruction %%%s, which is to be changed, is not in the module",
				x.Instruction.Name)
		}
		if x.Name != "" && c.names[x.Name] {
			return fmt.Errorf("plan: two instructions are to be named %%%s", x.Name)
		}
		if x.Name != "" {
			c.names[x.Name], c.renamed[x.Instruction] = true, true
		}
	}
	return nil
}

// taken refuses a new name that an instruction has which keeps it.
func (c *editCheck) taken(m *hlo.Module) error {
	if len(c.names) == 0 {
		return nil
	}
	var begins [256]bool // most names begin otherwise, and need not be hashed
	for name := range c.names {
		if name != "" {
			begins[name[0]] = true
		}
	}
	for _, comp := range m.Computations {
		for _, in := range comp.Instructions {
			if (in.Name == "" || begins[in.Name[0]]) && c.names[in.Name] && !c.renamed[in] {
				return fmt.Errorf("plan: the name %%%s is taken", in.Name)
			}
		}
	}
	return nil
}
