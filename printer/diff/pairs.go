package diff

import "hlolayout/hlo"

// differences returns the respects other than layouts in which a pair differs, sorted by kind: "opcode", "type",
// "operands", "literal", "name", "calls", then attributes.
func (c *comparison) differences(o, n *hlo.Instruction) []string {
	var out []string
	if o.Opcode != n.Opcode || o.OpName() != n.OpName() {
		out = append(out, "opcode")
	}
	if !o.Shape.Compatible(n.Shape) {
		out = append(out, "type")
	}
	if c.ignore.name(o.Name) != c.ignore.name(n.Name) {
		out = append(out, "name")
	}
	if c.isResult(o) != c.isResult(n) {
		out = append(out, "root")
	}
	if !c.sameOperands(o, n) {
		out = append(out, "operands")
	}
	if o.Literal() != n.Literal() {
		if c.ignore.Constants {
			c.r.Noise.Constants++
		} else {
			out = append(out, "literal")
		}
	}
	if len(o.Called()) != len(n.Called()) {
		out = append(out, "calls")
	} else {
		for i := range o.Called() {
			if !c.samePlace(o.Called()[i], n.Called()[i]) {
				out = append(out, "calls")
				break
			}
		}
	}
	return append(out, c.attributes(o, n)...)
}

// isResult reports whether an instruction is its computation's root, or what a root that is a copy copies.
func (c *comparison) isResult(in *hlo.Instruction) bool {
	root := in.Computation.Root
	return in == root || root != nil && c.origin(root) == in
}

// sameOperands says whether the operands are pairs, or at least the same values, copies aside: the user of a value that
// was re-laid out, or that a copy now follows, has not changed.
func (c *comparison) sameOperands(o, n *hlo.Instruction) bool {
	if through(o) != nil && through(n) != nil {
		return true // what it is comes from further up
	}
	if m := c.Matching; m.results != nil && m.entries[0].root == o && m.entries[1].root == n {
		for i, k := range m.results { // inserted and removed results are changes of the interface
			if k >= 0 && !c.sameValue(o.Operands[k], n.Operands[i]) {
				return false
			}
		}
		return true
	}
	if len(o.Operands) != len(n.Operands) {
		return false
	}
	if commutes(o) && commutes(n) && !(c.sameValue(o.Operands[0], n.Operands[0]) &&
		c.sameValue(o.Operands[1], n.Operands[1])) {
		if c.sameValue(o.Operands[0], n.Operands[1]) && c.sameValue(o.Operands[1], n.Operands[0]) {
			c.r.Noise.Commuted++
			return true
		}
		return false
	}
	places := c.operandPlaces(o, n)
	for i, b := range n.Operands {
		k := i
		if places != nil {
			k = places[i]
		}
		if !c.sameValue(o.Operands[k], b) {
			return false
		}
	}
	return true
}

// sameValue says whether two operands are pairs, or copies of pairs, or compute the same.
func (c *comparison) sameValue(a, b *hlo.Instruction) bool {
	if c.NewOf(a) == b {
		return true
	}
	if a, b = c.origin(a), c.origin(b); c.NewOf(a) == b {
		return true
	}
	_, upA, _ := c.old.of(a)
	_, upB, _ := c.new.of(b)
	return upA == upB
}

// samePlace says whether two computations are pairs, or compute the same.
func (c *comparison) samePlace(a, b *hlo.Computation) bool {
	return c.toNew[a] != nil && c.toNew[a].New == b || c.old.computations[a].whole == c.new.computations[b].whole
}

// attributes returns the names of the attributes that differ, new's in their order, then those that only old has.
func (c *comparison) attributes(o, n *hlo.Instruction) []string {
	var out []string
	look := func(key *hlo.AttrKey, a, b *hlo.Value) {
		if key.Called || equalValue(a, b) {
			return
		}
		switch {
		case key.Name == "metadata" && c.ignore.Metadata:
			c.r.Noise.Metadata++
		case key.Name == "backend_config" && c.ignore.BackendConfig:
			c.r.Noise.BackendConfig++
		case key.Name == "backend_config" && n.Opcode == hlo.OpCustomCall:
			if w := c.kernels(o, n, a, b); w != "" {
				out = append(out, w)
			}
		case c.ignore.attr(key.Name):
		case key.Name == "operand_layout_constraints" && sameBesidesLayouts(a, b, c.ignore):
		default:
			out = append(out, key.Name)
		}
	}
	if len(o.Attrs) == len(n.Attrs) { // the same attributes in the same order, nearly always
		same := true
		for i := range n.Attrs {
			same = same && o.Attrs[i].Key.Name == n.Attrs[i].Key.Name
		}
		if same {
			for i := range n.Attrs {
				look(n.Attrs[i].Key, o.Attrs[i].Value, n.Attrs[i].Value)
			}
			return out
		}
	}
	for _, a := range n.Attrs {
		look(a.Key, value(o.Attrs, a.Key.Name), a.Value)
	}
	for _, a := range o.Attrs {
		if value(n.Attrs, a.Key.Name) == nil {
			look(a.Key, a.Value, nil)
		}
	}
	return out
}

func sameBesidesLayouts(a, b *hlo.Value, ignore Ignore) bool {
	if a == nil || b == nil || len(a.Elems) != len(b.Elems) {
		return false
	}
	for i := range a.Elems {
		x, y := a.Elems[i].Shape, b.Elems[i].Shape
		if x == nil || y == nil || !x.Compatible(y) || x.IsArray() && !ignore.equal(x.Layout, y.Layout) {
			return false
		}
	}
	return true
}
