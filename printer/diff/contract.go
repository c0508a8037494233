package diff

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
)

// contract compares what callers of the module rely on: the layouts of the entry's parameters and results, and which
// buffers they may share.
func (c *comparison) contract() {
	oldParams, oldResult := entryShapes(c.Old)
	newParams, newResult := entryShapes(c.New)
	for i := range max(len(oldParams), len(newParams)) {
		c.leafChanges(fmt.Sprintf("parameter %d", i), at(oldParams, i), at(newParams, i))
	}
	c.leafChanges("result ", oldResult, newResult)
	for _, a := range []struct{ key, what string }{{"input_output_alias", "alias"}, {"buffer_donor", "donor"}} {
		old, new := entries(c.Old.Attr(a.key)), entries(c.New.Attr(a.key))
		for _, e := range old.list {
			if !new.has[e] {
				c.r.Contract = append(c.r.Contract, ContractChange{What: a.what, Old: e})
			}
		}
		for _, e := range new.list {
			if !old.has[e] {
				c.r.Contract = append(c.r.Contract, ContractChange{What: a.what, New: e})
			}
		}
	}
}

func at(shapes []*hlo.Shape, i int) *hlo.Shape {
	if i < len(shapes) {
		return shapes[i]
	}
	return nil
}

// entryShapes returns the shapes of entry_computation_layout, or those of the entry where the module has none.
func entryShapes(m *hlo.Module) (params []*hlo.Shape, result *hlo.Shape) {
	if params, result, ok := m.EntryLayout(); ok {
		return params, result
	}
	if m.Entry == nil {
		return nil, nil
	}
	for _, p := range m.Entry.Parameters() {
		if p == nil {
			params = append(params, nil)
			continue
		}
		params = append(params, p.Shape)
	}
	return params, m.Entry.Root.Shape
}

// leafChanges compares two shapes leaf by leaf where they have the same structure, as a whole otherwise.
func (c *comparison) leafChanges(what string, old, new *hlo.Shape) {
	if old == new {
		return
	}
	if old == nil || new == nil || !old.Compatible(new) && !(old.IsTuple() && new.IsTuple() && len(old.Elems) == len(new.Elems)) {
		c.r.Contract = append(c.r.Contract, ContractChange{What: strings.TrimSpace(what), From: old, To: new})
		return
	}
	new.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		was := old.At(index)
		if was != nil && was.Compatible(leaf) && (!leaf.IsArray() || c.ignore.equal(was.Layout, leaf.Layout)) {
			return
		}
		c.r.Contract = append(c.r.Contract, ContractChange{What: strings.TrimSpace(what + indexText(index)), From: was, To: leaf})
	})
}

func indexText(index hlo.Index) string {
	if len(index) == 0 {
		return ""
	}
	return "{" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint([]int(index)), "[]")), ",") + "}"
}

// entrySet is a list such as { {0}: (0, {}, may-alias), ... } by entries.
type entrySet struct {
	list []string
	has  map[string]bool
}

// entries cuts the text of such a list at its outermost commas.
func entries(v *hlo.Value) entrySet {
	s := entrySet{has: map[string]bool{}}
	if v == nil {
		return s
	}
	depth, start := 0, 0
	cut := func(end int) {
		if e := strings.TrimSpace(v.Text[start:end]); e != "" {
			s.list, s.has[e] = append(s.list, e), true
		}
		start = end + 1
	}
	for i := range len(v.Text) {
		switch v.Text[i] {
		case '{', '(', '[':
			if depth++; depth == 1 {
				start = i + 1
			}
		case '}', ')', ']':
			if depth--; depth == 0 {
				cut(i)
			}
		case ',':
			if depth == 1 {
				cut(i)
			}
		}
	}
	return s
}

// module compares the attributes of the first line that no caller relies on.
func (c *comparison) module() {
	for _, a := range compareAttrs(c.Old.Attrs, c.New.Attrs) {
		switch a.Name {
		case "entry_computation_layout", "input_output_alias", "buffer_donor":
			continue
		case "origin_recovery_table", "debug_attributes":
			if c.ignore.Metadata {
				continue
			}
		}
		c.r.Module = append(c.r.Module, a)
	}
	if c.Old.Name != c.New.Name && !c.ignore.Names {
		c.r.Module = append(c.r.Module, AttrChange{"name", hlo.WordOf(c.Old.Name), hlo.WordOf(c.New.Name)})
	}
}
