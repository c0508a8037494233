package result

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/plan"
)

// newOpcodes are those of new instructions, which are named after them.
var newOpcodes = [...]hlo.Opcode{hlo.OpCopy, hlo.OpTuple, hlo.OpGetTupleElement}

// Namer gives out names as XLA's NameUniquer does: the lowest number that none has had, counted on through all runs.
// What earlier passes took is known where the module shows it (isCopied, handedOut, slimmed).
type Namer struct {
	taken map[numbered]bool // names of the module; shared by all clones
	next  map[hlo.Opcode]int
	// changed are the instructions of the module that got another name or other metadata, with what they have now, in
	// the order in which they first did; what they keep is empty.
	changed []*plan.Change
	changes map[*hlo.Instruction]*plan.Change
	// elements says that the elements of tuples that are gone have left their names.
	elements bool
}

// numbered is a name that a Namer can give: the opcode's with a number after it but for 0.
type numbered struct {
	op     hlo.Opcode
	number int
}

func (n numbered) String() string {
	if n.number == 0 {
		return n.op.String()
	}
	return n.op.String() + "." + strconv.Itoa(n.number)
}

// changeOf is the change of an instruction, an empty one where there was none.
func (n *Namer) changeOf(in *hlo.Instruction) *plan.Change {
	return ordering.Memo(n.changes, in, func() *plan.Change {
		n.changed = append(n.changed, &plan.Change{Instruction: in})
		return n.changed[len(n.changed)-1]
	})
}

// simplified notes that a get-tuple-element of a name was replaced by what it gets. XLA keeps the name of what is
// replaced where the opcodes are the same, so that an element that is a get-tuple-element itself is renamed (eigh).
func (n *Namer) simplified(element *hlo.Instruction, name string) {
	if element.Opcode == hlo.OpGetTupleElement {
		n.changeOf(element).Name = name
	}
}

// inherits gives a tuple's element that is copied, and has no op_name, the metadata of the tuple. The
// get-tuple-element that XLA copies has the tuple's metadata, and leaves it to the element that replaces it
// (loop_initial_metadata; 4 programs of 1,012 have such an element).
func (n *Namer) inherits(element *hlo.Instruction, metadata *hlo.Value) {
	if metadata.Get("op_name") == nil || element.Attr("metadata").Get("op_name") != nil {
		return
	}
	if c, key := n.changeOf(element), hlo.InstructionAttr("metadata"); c.Attrs == nil {
		kept := slices.DeleteFunc(slices.Clone(element.Attrs), func(a hlo.Attr) bool { return a.Key == key })
		c.Attrs = append(kept, hlo.Attr{Key: key, Value: metadata})
	}
}

func NewNamer(m *hlo.Module) *Namer {
	n := &Namer{taken: map[numbered]bool{}, next: map[hlo.Opcode]int{}, changes: map[*hlo.Instruction]*plan.Change{}}
	for _, c := range m.Computations {
		copied := isCopied(c)
		for _, in := range c.Instructions {
			if name, ok := nameOf(in); ok {
				n.taken[name] = true
				if copied {
					n.goOn(name, 1)
				}
			}
			if in.Opcode == hlo.OpWhile {
				n.slimmed(in)
			}
		}
	}
	n.handedOut(m.Entry)
	return n
}

// nameOf returns the name of an instruction if it is one that a Namer can give.
func nameOf(in *hlo.Instruction) (name numbered, ok bool) {
	stem, number := constraint.Numbered(in.Name)
	for _, op := range newOpcodes {
		if stem == op.String() {
			return numbered{op, max(number, 0)}, true
		}
	}
	return numbered{}, false
}

// goOn notes that a name, and so many in all from it on, were given out in their turn.
func (n *Namer) goOn(name numbered, names int) {
	n.next[name.op] = max(n.next[name.op], name.number+names)
}

// isCopied reports whether a computation is a copy: its name says so, or has the number 0, which a name gets in place
// of a number that is taken. The names in it were given out in their turn: of 458 modules that get new tuples none gets
// a lower number (names_copied).
func isCopied(c *hlo.Computation) bool {
	_, number := constraint.Numbered(c.Name)
	return number == 0 || strings.Contains(c.Name, "clone") || strings.HasSuffix(c.Name, "_spmd")
}

// handedOut takes the names that went where JAX's shard map hands a program to each device: the partitioner copies
// every parameter and result, and what a device does, with a tuple of its results, is inlined after the entry's own
// tuple (10 of 14 programs; in the others the map has not the parameters of the entry; all_to_all_rest, names_sharded).
func (n *Namer) handedOut(entry *hlo.Computation) {
	if !strings.HasSuffix(entry.Name, "_spmd") || !slices.ContainsFunc(entry.Instructions, func(in *hlo.Instruction) bool {
		return strings.Contains(in.MetadataOpName(), "/shard_map")
	}) {
		return
	}
	results := max(len(entry.Root.Shape.Elems), 1)
	n.next[hlo.OpCopy] = len(entry.Parameters()) + results
	for _, in := range entry.Instructions {
		if name, _ := nameOf(in); name.op == hlo.OpTuple && results > 1 {
			n.goOn(name, 2)
		}
	}
}

// slimmed takes the names that went when a loop lost elements that nothing uses, the last that the pass did (XLA's
// RemoveDeadTupleIndices). It makes the tuple of initial values, the condition, the body, then an element for each
// element of the old loop, one more at least, and a tuple of these, which are simplified away. It shows in that the
// tuples of the body have the numbers after that of the initial values: in 167 of 458 modules the first new tuple has
// the number after these, in none a lower one; the first new element has it in 71 of 187 (loop_takes_followed).
func (n *Namer) slimmed(loop *hlo.Instruction) {
	initial, _ := nameOf(loop.Operands[0])
	tuple, element, tuples := numbered{hlo.OpTuple, -1}, numbered{hlo.OpGetTupleElement, -1}, 0
	for _, in := range loop.CalledBy("body").Instructions {
		switch name, _ := nameOf(in); name.op {
		case hlo.OpTuple:
			tuple.number = max(tuple.number, name.number)
			tuples++
		case hlo.OpGetTupleElement:
			element.number = max(element.number, name.number)
		}
	}
	if initial.op == tuple.op && initial.number+tuples == tuple.number && element.number != -1 {
		n.goOn(tuple, 2)
		n.goOn(element, len(loop.Shape.Elems)+2)
	}
}

// Clone returns a namer that goes on by itself from one that has changed nothing.
func (n *Namer) Clone() *Namer {
	return &Namer{taken: n.taken, next: maps.Clone(n.next), changes: map[*hlo.Instruction]*plan.Change{}}
}

// name gives out a name for an instruction of an opcode.
func (n *Namer) name(op hlo.Opcode) numbered {
	k := n.next[op]
	for n.taken[numbered{op, k}] {
		k++
	}
	n.next[op] = k + 1
	return numbered{op, k}
}

// TakeNames takes the names that the copies of a run that is not the last would have had, and notes those that stay
// when the copies are gone.
func (e *Result) TakeNames(names *Namer) {
	if e.RunNumber() > 0 {
		e.nameElements(names)
	}
	e.Mismatches(func(r constraint.Relayout) {
		if !e.G.ShapeOf(r.Source).IsTuple() {
			names.name(hlo.OpCopy)
			return
		}
		source, inside := e.G.Nodes[r.Source].In, e.insideBranch(r)
		if inside >= 0 {
			source = e.G.Nodes[inside].In
		}
		b := &copier{e: e, names: names}
		copied := b.copy(source, source, e.G.ShapeOf(r.Source), r.Want)
		if source.Opcode == hlo.OpTuple && e.G.DistinctUsers(r.Source, -1) <= 1 {
			names.changeOf(source).Name = copied.Name
		}
	})
}

// edits makes the copies of the present run.
func (e *Result) edits(names *Namer) (out []plan.Edit) {
	e.Mismatches(func(r constraint.Relayout) {
		why := *e.reason(r.Why, 0, false)
		if p := e.insideBranch(r); p >= 0 {
			out = e.branchEdits(out, r, p, names, why)
			return
		}
		source := e.G.Nodes[r.Source].In
		b := &copier{e: e, names: names}
		b.copy(source, source, e.currentShape(r.Source), r.Want)
		out = append(out, plan.Edit{Computation: source.Computation, New: b.made,
			Targets: []plan.Target{e.target(r.User, r.Slot)}, Reason: why})
	})
	return out
}

// retile names the entry's tuple anew where a result has another tile at the boundary: a pass after this one takes the
// tuple apart and makes it again, and copies nothing in the end (14 of 14 modules; names_retiled).
func (e *Result) retile(names *Namer, p *plan.Plan, result *hlo.Shape) {
	root := e.G.Module.Entry.Root
	for _, edit := range p.Edits {
		if slices.Contains(edit.Targets, plan.Target{}) && edit.Computation == root.Computation && len(edit.New) > 0 {
			root = edit.New[len(edit.New)-1]
			break
		}
	}
	if p.Entry != nil {
		result = p.Entry.Result
	}
	if root.Opcode != hlo.OpTuple || !slices.ContainsFunc(e.G.Shape(result).Leaves, func(s *hlo.Shape) bool {
		return s.Layout != nil && !e.hasTiles(s, false)
	}) {
		return
	}
	rename := func(in *hlo.Instruction, op hlo.Opcode) {
		name := names.name(op).String()
		switch {
		case in.Opcode != op:
		case in.Computation == nil:
			in.Name = name
		default:
			names.changeOf(in).Name = name
		}
	}
	for _, x := range root.Operands {
		rename(e.G.InPlace(x), hlo.OpGetTupleElement)
	}
	rename(root, hlo.OpTuple)
}

// copier builds the instructions of one edit.
type copier struct {
	e     *Result
	names *Namer
	made  []*hlo.Instruction
}

// copy gives x the wanted layout and returns the result. The attributes are those of origin: what x is an element of;
// an element that keeps its layout has none (as in the open pass; cond_kept_elements). shape is x's shape as it will
// be.
func (b *copier) copy(x, origin *hlo.Instruction, shape *hlo.Shape, want []ordering.Order) *hlo.Instruction {
	m := b.e.G.Module
	if !shape.IsTuple() {
		return b.add(hlo.OpCopy, b.e.with(shape, b.e.layout(shape, want[0])), copiedAttrs(origin), x)
	}
	starts := b.e.G.Shape(shape).Starts
	parts := make([]*hlo.Instruction, len(shape.Elems))
	elems := make([]*hlo.Shape, len(shape.Elems))
	for i, el := range shape.Elems {
		part := want[starts[i]:starts[i+1]]
		differs := slices.ContainsFunc(part, func(o ordering.Order) bool { return o != ordering.None })
		if x.Opcode == hlo.OpTuple {
			parts[i] = b.e.G.InPlace(x.Operands[i]) // an element of a tuple is simplified away
			b.names.simplified(parts[i], b.names.name(hlo.OpGetTupleElement).String())
		} else {
			attrs := []hlo.Attr{{Key: hlo.InstructionAttr("index"),
				Value: &hlo.Value{Kind: hlo.IntValue, Text: strconv.Itoa(i)}}}
			if differs {
				attrs = append(attrs, copiedAttrs(origin)...)
			}
			parts[i] = b.add(hlo.OpGetTupleElement, m.Intern(el), attrs, x)
		}
		elems[i] = el
		if differs {
			b.names.inherits(parts[i], origin.Attr("metadata"))
			parts[i] = b.copy(parts[i], origin, el, part)
			elems[i] = parts[i].Shape
		}
	}
	return b.add(hlo.OpTuple, m.Intern(hlo.NewTuple(elems...)), copiedAttrs(origin), parts...)
}

// add makes an instruction.
func (b *copier) add(op hlo.Opcode, s *hlo.Shape, attrs []hlo.Attr, operands ...*hlo.Instruction) *hlo.Instruction {
	name := b.names.name(op).String()
	in := &hlo.Instruction{Name: name, Opcode: op, Operands: operands, Pos: -1, Shape: s, Attrs: attrs}
	b.made = append(b.made, in)
	return in
}

// copiedAttrs are the attributes that a copy takes from what it copies: sharding (but not onto a single device),
// frontend_attributes and metadata, in print order.
func copiedAttrs(in *hlo.Instruction) []hlo.Attr {
	var out []hlo.Attr
	for _, a := range in.Attrs {
		key := a.Key.Name
		if key == "metadata" || key == "frontend_attributes" ||
			key == "sharding" && !strings.Contains(a.Value.Text, "maximal") {
			out = append(out, a)
		}
	}
	return out
}

// elementEdits are the edits that make users of a tuple's element use what the tuple was made of.
func (e *Result) elementEdits() (out []plan.Edit) {
	at := map[*hlo.Instruction]int{} // the number of an element's edit
	e.G.Elements(func(in, instead *hlo.Instruction) {
		at[in] = len(out)
		out = append(out, plan.Edit{Computation: in.Computation, Existing: instead})
	})
	if len(out) == 0 {
		return nil
	}
	for i := range e.G.Comps {
		c := e.G.Comps[i].Computation
		for _, user := range c.Instructions {
			for k, o := range user.Operands {
				if n, ok := at[o]; ok {
					out[n].Targets = append(out[n].Targets, plan.Target{User: user, Operand: k})
				}
			}
		}
		if n, ok := at[c.Root]; ok {
			out[n].Targets = append(out[n].Targets, plan.Target{})
		}
	}
	return out
}

// nameElements gives what is used in place of a tuple's element the name of that element, where it is one itself, and
// its metadata, where it has no op_name, as XLA does when it replaces an instruction (HloComputation's
// ReplaceInstructionWithDifferentShape).
func (e *Result) nameElements(names *Namer) {
	if names.elements {
		return
	}
	names.elements = true
	e.G.Elements(func(in, instead *hlo.Instruction) {
		names.simplified(instead, in.Name)
		names.inherits(instead, in.Attr("metadata"))
	})
}

// freedNames gives elements that are gone the names of those that took theirs.
func (e *Result) freedNames(names *Namer) (out []plan.Change) {
	e.G.Elements(func(in, instead *hlo.Instruction) {
		if c := names.changes[instead]; c != nil && c.Name == in.Name {
			out = append(out, plan.Change{Instruction: in, Name: instead.Name})
		}
	})
	return out
}
