// Package extract cuts the neighbourhood of a value out of a module, as a separate module: for a bug report.
package extract

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
)

// Around returns a module with the value of that name (with or without `%`), what it is computed from and what is
// computed from it, up to radius steps away; a negative radius takes all that its computation holds. What is used from
// further away becomes a parameter, what is used further away the result. Layouts, schedule and called computations
// stay as they are. The module is taken apart: it is not to be used afterwards.
func Around(m *hlo.Module, name string, radius int) (*hlo.Module, error) {
	at, err := find(m, strings.TrimPrefix(name, "%"))
	if err != nil {
		return nil, err
	}
	c := cut{from: at.Computation, in: map[*hlo.Instruction]bool{at: true},
		copies: map[*hlo.Instruction]*hlo.Instruction{}, names: map[string]bool{}}
	c.uses, c.inMemory = c.from.Uses(), slices.Contains(m.InMemory(), c.from)
	c.grow(at, radius)
	return c.module(m, at), nil
}

func find(m *hlo.Module, name string) (*hlo.Instruction, error) {
	in, near := m.Find(name)
	if in != nil {
		return in, nil
	}
	n := 0
	for _, c := range m.Computations {
		if c.Name == name && c.Root != nil {
			return nil, fmt.Errorf("no value %%%s: it is a computation; name an instruction of it, such as its root %%%s",
				name, c.Root.Name)
		}
		n += len(c.Instructions)
	}
	hint := fmt.Sprintf("the module has %d instructions", n)
	if near != "" {
		hint = "did you mean %" + near + "?"
	}
	return nil, fmt.Errorf("no value %%%s: %s", name, hint)
}

// cut is the work on one neighbourhood.
type cut struct {
	from   *hlo.Computation
	uses   hlo.Uses
	in     map[*hlo.Instruction]bool
	copies map[*hlo.Instruction]*hlo.Instruction // the new instruction for each old one
	params []*hlo.Instruction
	names  map[string]bool
	// inMemory says that the values are in memory; those inside of a fusion do not.
	inMemory bool
}

// grow adds what is up to radius steps away; the parts of an asynchronous operation go together.
func (c *cut) grow(at *hlo.Instruction, radius int) {
	if radius < 0 {
		radius = len(c.from.Instructions)
	}
	ring := []*hlo.Instruction{at}
	for step := 0; len(ring) > 0; step++ {
		var next []*hlo.Instruction
		add := func(in *hlo.Instruction) {
			if !c.in[in] {
				c.in[in] = true
				next = append(next, in)
			}
		}
		for _, in := range ring {
			for _, o := range in.Operands {
				if step < radius || isPart(in) && isPart(o) {
					add(o)
				}
			}
			for _, u := range c.uses.Of(in) {
				if step < radius || isPart(in) && isPart(u.User) {
					add(u.User)
				}
			}
		}
		ring = next
	}
}

// isPart says whether an instruction is the beginning, an update or the end of an asynchronous operation.
func isPart(in *hlo.Instruction) bool {
	switch in.Opcode {
	case hlo.OpSend, hlo.OpRecv:
		return true
	}
	name := in.Opcode.String()
	return strings.HasSuffix(name, "-start") || strings.HasSuffix(name, "-done") || strings.HasSuffix(name, "-update")
}

// module puts the cut together.
func (c *cut) module(m *hlo.Module, at *hlo.Instruction) *hlo.Module {
	entry := &hlo.Computation{Name: "extract." + at.Name, Module: m, Pos: -1, Attrs: c.from.Attrs}
	for _, in := range c.from.Instructions {
		c.names[in.Name] = true
	}
	var body []*hlo.Instruction
	for _, in := range c.from.Instructions {
		if !c.in[in] {
			continue
		}
		if in.Opcode == hlo.OpGetTupleElement && !c.in[in.Operands[0]] || in.Opcode == hlo.OpParameter {
			c.parameter(in)
			continue
		}
		n := *in
		n.Operands = slices.Clone(in.Operands)
		for i, o := range in.Operands {
			if c.copies[o] == nil {
				c.parameter(o)
			}
			n.Operands[i] = c.copies[o]
		}
		n.Attrs = withoutFrames(slices.DeleteFunc(slices.Clone(in.Attrs), c.dangling))
		c.copies[in] = &n
		body = append(body, &n)
	}
	entry.Instructions = append(slices.Clone(c.params), body...)
	entry.Root = c.root(entry)
	entry.Renumber()
	c.replace(m, entry)
	return m
}

// parameter makes a parameter in place of an instruction.
func (c *cut) parameter(in *hlo.Instruction) {
	p := &hlo.Instruction{Name: in.Name, Shape: in.Shape, Opcode: hlo.OpParameter, Parameter: int32(len(c.params)),
		Pos: in.Pos}
	for _, a := range in.Attrs {
		if a.Key.Name == "metadata" {
			p.Attrs = append(p.Attrs, a)
		}
	}
	p.Attrs = withoutFrames(p.Attrs)
	c.copies[in] = p
	c.params = append(c.params, p)
}

// frameID is the reference to the module's tables of source positions, which a part of it does not need.
var frameID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` ?\bstack_frame_id=[0-9]+`) })

// withoutFrames returns attributes whose metadata does not refer to the tables; the given ones stay as they are.
func withoutFrames(attrs []hlo.Attr) []hlo.Attr {
	for i, a := range attrs {
		if a.Key.Name != "metadata" || !frameID().MatchString(a.Value.Text) {
			continue
		}
		out := slices.Clone(attrs)
		v := *a.Value
		v.Text = frameID().ReplaceAllString(v.Text, "")
		v.Elems = slices.DeleteFunc(slices.Clone(v.Elems), func(e hlo.Value) bool { return e.Text == "stack_frame_id" })
		if out[i].Value = &v; v.Text == "{}" {
			out = slices.Delete(out, i, i+1)
		}
		return out
	}
	return attrs
}

// dangling says whether an attribute does not hold in the cut: it names an instruction outside of it, or an alias
// between values that were in no memory before.
func (c *cut) dangling(a hlo.Attr) bool {
	switch a.Key.Name {
	case "output_to_operand_aliasing":
		return !c.inMemory
	case "control-predecessors":
	default:
		return false
	}
	for name := range a.Value.Names() {
		if in := c.from.Instruction(name); in == nil || !c.in[in] || c.copies[in] == nil {
			return true
		}
	}
	return false
}

// root returns the instruction that the cut gives out: the values that are used outside of it, or by nothing, in a
// tuple where there are several.
func (c *cut) root(entry *hlo.Computation) *hlo.Instruction {
	var out []*hlo.Instruction
	for _, in := range c.from.Instructions {
		n := c.copies[in]
		if n == nil || !c.in[in] {
			continue
		}
		users := c.uses.Of(in)
		outside := len(users) == 0 || in == c.from.Root
		for _, u := range users {
			outside = outside || !c.in[u.User]
		}
		if outside && (n.Opcode != hlo.OpParameter || len(c.in) == 1) {
			out = append(out, n)
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	shapes := make([]*hlo.Shape, len(out))
	for i, in := range out {
		shapes[i] = in.Shape
	}
	name := "extract.root"
	for k := 1; c.names[name]; k++ {
		name = "extract.root." + strconv.Itoa(k)
	}
	t := &hlo.Instruction{Name: name, Opcode: hlo.OpTuple, Operands: out,
		Shape: c.from.Module.Intern(hlo.NewTuple(shapes...)), Pos: -1}
	entry.Instructions = append(entry.Instructions, t)
	return t
}

// kept are the module's attributes that hold for a part of it too.
var kept = map[string]bool{"is_scheduled": true, "replica_count": true, "num_partitions": true}

// replace makes entry the module's entry, with the computations that it calls.
func (c *cut) replace(m *hlo.Module, entry *hlo.Computation) {
	reached := map[*hlo.Computation]bool{}
	var visit func(*hlo.Computation)
	visit = func(k *hlo.Computation) {
		for _, in := range k.Instructions {
			for _, callee := range in.Called() {
				if !reached[callee] {
					reached[callee] = true
					visit(callee)
				}
			}
		}
	}
	visit(entry)
	m.Tables = nil
	for k := range reached {
		for _, in := range k.Instructions {
			in.Attrs = withoutFrames(in.Attrs)
		}
	}
	m.Computations = append(slices.DeleteFunc(slices.Clone(m.Computations), func(k *hlo.Computation) bool {
		return !reached[k]
	}), entry)
	m.Entry = entry
	m.Attrs = slices.DeleteFunc(slices.Clone(m.Attrs), func(a hlo.Attr) bool { return !kept[a.Key.Name] })
	var params []*hlo.Shape
	for _, p := range entry.Parameters() {
		params = append(params, p.Shape)
	}
	m.SetEntryLayout(params, entry.Root.Shape)
	m.LinkCallers()
}
