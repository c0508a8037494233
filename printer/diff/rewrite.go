package diff

import (
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// Rewrite gives the new module the names of the old one, and what else is ignored: what is left between the two texts
// are the differences. Paired computations come in the old order. The new module is changed; the old one is not.
func (m *Matching) Rewrite() {
	if m.ignore.Metadata {
		m.New.Tables, m.New.Style = m.Old.Tables, m.Old.Style
		m.New.Attrs = takeAttrs(m.Old.Attrs, m.New.Attrs, func(key string) bool {
			return key == "origin_recovery_table" || key == "debug_attributes"
		})
	}
	for _, p := range m.Computations {
		for i, k := range p.toOld {
			if k >= 0 {
				m.takeFrom(p.Old.Instructions[k], p.New.Instructions[i])
			}
		}
	}
	if !m.ignore.Names {
		return
	}
	m.New.Name = m.Old.Name
	taken := map[string]bool{}
	for _, p := range m.Computations {
		taken[p.Old.Name] = true
	}
	names := map[*hlo.Computation]string{}
	for _, c := range m.New.Computations {
		if p := m.toOld[c]; p != nil {
			names[c] = p.Old.Name
		} else {
			names[c] = fresh(c.Name, taken)
		}
	}
	rename(m.New, func(c *hlo.Computation) string { return names[c] }, func(c *hlo.Computation) []string {
		p := m.toOld[c]
		taken := map[string]bool{}
		out := make([]string, len(c.Instructions))
		for i := range out {
			if p != nil && p.toOld[i] >= 0 {
				out[i] = p.Old.Instructions[p.toOld[i]].Name
				taken[out[i]] = true
			}
		}
		for i, in := range c.Instructions {
			if out[i] == "" {
				out[i] = fresh(in.Name, taken)
			}
		}
		return out
	})
	m.order()
}

// fresh returns name, with a number where it is taken, and takes it.
func fresh(name string, taken map[string]bool) string {
	out := name
	for k := 1; taken[out]; k++ {
		out = name + "." + strconv.Itoa(k)
	}
	taken[out] = true
	return out
}

// takeFrom gives an instruction what is ignored of its partner.
func (m *Matching) takeFrom(o, n *hlo.Instruction) {
	n.Attrs = takeAttrs(o.Attrs, n.Attrs, func(key string) bool {
		return key != "control-predecessors" && m.ignore.attr(key)
	})
	if m.ignore.Constants && n.Opcode == hlo.OpConstant && o.Shape.Compatible(n.Shape) {
		n.SetLiteral(o.Literal())
	}
	if (m.ignore.Layout || m.ignore.Tile || m.ignore.Space) && o.Shape.Compatible(n.Shape) {
		n.Shape = n.Shape.WithLeaves(func(index hlo.Index, leaf *hlo.Shape) *hlo.Shape {
			if was := o.Shape.At(index); leaf.IsArray() && m.ignore.equal(was.Layout, leaf.Layout) {
				return was
			}
			return leaf
		})
	}
}

// takeAttrs returns new's attributes with those that which says replaced by old's.
func takeAttrs(old, new []hlo.Attr, which func(key string) bool) []hlo.Attr {
	if !slices.ContainsFunc(old, func(a hlo.Attr) bool { return which(a.Key.Name) }) &&
		!slices.ContainsFunc(new, func(a hlo.Attr) bool { return which(a.Key.Name) }) {
		return new
	}
	var out []hlo.Attr
	for _, a := range new {
		if !which(a.Key.Name) {
			out = append(out, a)
		}
	}
	for _, a := range old {
		if which(a.Key.Name) {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b hlo.Attr) int { return a.Key.PrintOrder() - b.Key.PrintOrder() })
	return out
}

// order puts paired computations in the old order, and each other one in front of the first that calls it.
func (m *Matching) order() {
	var out []*hlo.Computation
	done := map[*hlo.Computation]bool{}
	var emit func(c *hlo.Computation)
	emit = func(c *hlo.Computation) {
		if done[c] {
			return
		}
		done[c] = true
		for _, in := range c.Instructions {
			for _, callee := range in.Called() {
				emit(callee)
			}
		}
		out = append(out, c)
	}
	for _, c := range m.Old.Computations {
		if p := m.toNew[c]; p != nil {
			emit(p.New)
		}
	}
	for _, c := range m.New.Computations {
		emit(c)
	}
	m.New.Computations = out
}

// rename gives all computations and instructions new names, and the attributes that name them too.
func rename(m *hlo.Module, computation func(*hlo.Computation) string, instructions func(*hlo.Computation) []string) {
	named := make([]string, len(m.Computations))
	for i, c := range m.Computations {
		named[i] = computation(c)
	}
	for i, c := range m.Computations {
		c.Name = named[i]
	}
	for _, c := range m.Computations {
		names := instructions(c)
		was := make(map[string]string, len(names))
		for i, in := range c.Instructions {
			was[in.Name] = names[i]
			in.Name = names[i]
		}
		for _, in := range c.Instructions {
			renameLists(in, was, m.Style.Percent)
		}
	}
}

// renameLists rewrites the lists of names in an instruction's attributes. A single called computation needs no
// rewriting: it prints as what is called.
func renameLists(in *hlo.Instruction, was map[string]string, percent bool) {
	called := in.Called()
	owned := false
	for i, a := range in.Attrs {
		control := a.Key.Name == "control-predecessors"
		if !a.Key.Called && !control || a.Value == nil {
			continue
		}
		n := a.Value.CalledCount()
		if a.Value.Kind == hlo.ListValue {
			var list []string
			for k, e := range a.Value.Elems {
				name := e.Text
				switch {
				case control && was[name] != "":
					name = was[name]
				case !control && k < len(called):
					name = called[k].Name
				}
				list = append(list, name)
			}
			if !owned {
				in.Attrs, owned = slices.Clone(in.Attrs), true
			}
			in.Attrs[i].Value = nameList(list, percent)
		}
		if !control && n <= len(called) {
			called = called[n:]
		}
	}
}

func nameList(names []string, percent bool) *hlo.Value {
	v := &hlo.Value{Kind: hlo.ListValue, Open: '{'}
	var b strings.Builder
	b.WriteByte('{')
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if percent {
			b.WriteByte('%')
		}
		b.WriteString(n)
		v.Elems = append(v.Elems, hlo.Value{Kind: hlo.NameValue, Text: n})
	}
	b.WriteByte('}')
	v.Text = b.String()
	return v
}
