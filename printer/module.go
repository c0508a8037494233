package printer

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// moduleAttributes prints the attributes of a module's first line in XLA's order.
func (p *canonical) moduleAttributes() {
	for _, a := range []struct {
		key  string
		form form
	}{
		{"is_scheduled", whenTrue}, {"input_output_alias", moduleAliasForm}, {"buffer_donor", donorForm},
		{"alias_passthrough_params", whenTrue}, {"entry_computation_layout", entryLayoutForm},
		{"allow_spmd_sharding_propagation_to_parameters", propagationForm},
		{"allow_spmd_sharding_propagation_to_output", propagationForm},
		{"replica_count", not("1", integer)}, {"num_partitions", not("1", integer)},
		{"frontend_attributes", frontendForm}, {"origin_recovery_table", recoveryForm}, {"debug_attributes", asRead},
	} {
		v := p.m.Attr(a.key)
		if v == nil && a.key == "entry_computation_layout" {
			v = absent
		}
		p.attribute(a.key, a.form, v)
	}
	for _, a := range p.m.Attrs {
		if !a.Key.Known {
			p.attribute(a.Key.Name, asRead, a.Value)
		}
	}
}

// entryLayoutForm prints {(S0, S1)->R}; without such an attribute the shapes are those of the entry computation.
func entryLayoutForm(p *canonical, v *hlo.Value) verdict {
	var params []string
	var result string
	shapes, root, ok := p.m.EntryLayout()
	switch {
	case v == absent && p.m.Entry == nil:
		return dropped
	case v == absent:
		configured := p.isConfigured()
		own := func(in *hlo.Instruction) string {
			f := p.resultShape(in)
			if configured {
				return descending(f.shape).String()
			}
			return f.text
		}
		for _, in := range p.m.Entry.Parameters() {
			if in != nil {
				params = append(params, own(in))
			}
		}
		result = "()" // of a text that is cut
		if p.m.Entry.Root != nil {
			result = own(p.m.Entry.Root)
		}
	case ok:
		for _, s := range shapes {
			params = append(params, p.full(s).text)
		}
		result = p.full(root).text
	default:
		return foreign
	}
	p.text("{(")
	for i, s := range params {
		p.separate(i)
		p.text(s)
	}
	p.text(")->" + result + "}")
	return printed
}

// isConfigured reports whether the module has an attribute that XLA keeps in the module's configuration. A module that
// has one and no entry_computation_layout gets descending orders there. (Found by asking XLA's parser.)
func (p *canonical) isConfigured() bool {
	for _, key := range [...]string{"replica_count", "num_partitions"} {
		if n, ok := intOf(p.m.Attr(key)); ok && n != 1 {
			return true
		}
	}
	for _, key := range [...]string{"allow_spmd_sharding_propagation_to_parameters",
		"allow_spmd_sharding_propagation_to_output"} {
		if v := p.m.Attr(key); v != nil && (v.Kind == hlo.WordValue || len(v.Elems) > 0) {
			return true
		}
	}
	return p.m.Attr("alias_passthrough_params").Bool()
}

// descending returns s with its arrays in descending order; the rest of their layouts stays.
func descending(s *hlo.Shape) *hlo.Shape {
	return s.WithLeaves(func(_ hlo.Index, leaf *hlo.Shape) *hlo.Shape {
		if leaf.Kind == hlo.BufferShape && len(leaf.Elems) == 1 {
			return &hlo.Shape{Kind: hlo.BufferShape, Elems: []*hlo.Shape{descending(leaf.Elems[0])}}
		}
		if leaf.Layout == nil {
			return leaf
		}
		l := *leaf.Layout
		l.MinorToMajor = hlo.Descending(leaf.Rank())
		return leaf.WithLayout(&l)
	})
}

// propagationForm prints {true,false}. A single false is the default.
func propagationForm(p *canonical, v *hlo.Value) verdict {
	list := v.Elems
	if v.Kind == hlo.WordValue {
		list = []hlo.Value{*v}
	}
	if len(list) == 0 || len(list) == 1 && list[0].Text == "false" {
		return dropped
	}
	p.text("{")
	for i := range list {
		if i > 0 {
			p.text(",")
		}
		p.text(list[i].Text)
	}
	p.text("}")
	return printed
}

// moduleAliasForm prints { {0}: (0, {1}, may-alias), ... }, sorted by the output's index.
func moduleAliasForm(p *canonical, v *hlo.Value) verdict {
	list, ok := v.Aliases()
	if !ok || v.Kind != hlo.ListValue || len(v.Elems) != 3*len(list) { // {output} : (parameter, {index}, kind)
		return foreign
	}
	for i := 2; i < len(v.Elems); i += 3 {
		if e := v.Elems[i].Elems; len(e) > 2 && e[2].Text != "may-alias" && e[2].Text != "must-alias" {
			return foreign
		}
	}
	slices.SortStableFunc(list, func(a, b hlo.Alias) int { return slices.Compare(a.Output, b.Output) })
	return p.aliases(list, func(a hlo.Alias) {
		p.index(a.Output)
		p.text(": (")
		p.number(int64(a.Number))
		p.text(", ")
		p.index(a.Index)
		if a.Must {
			p.text(", must-alias)")
		} else {
			p.text(", may-alias)")
		}
	})
}

// donorForm prints { (0, {}), (1, {2}) }, sorted, each once.
func donorForm(p *canonical, v *hlo.Value) verdict {
	list, ok := v.Aliases()
	if !ok || slices.ContainsFunc(v.Elems, func(e hlo.Value) bool { return len(e.Elems) != 2 || e.Open == '{' }) {
		return foreign
	}
	compare := func(a, b hlo.Alias) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), slices.Compare(a.Index, b.Index))
	}
	slices.SortFunc(list, compare)
	list = slices.CompactFunc(list, func(a, b hlo.Alias) bool { return compare(a, b) == 0 })
	return p.aliases(list, func(a hlo.Alias) {
		p.text("(")
		p.number(int64(a.Number))
		p.text(", ")
		p.index(a.Index)
		p.text(")")
	})
}

// aliases prints { ONE, ONE, ... }.
func (p *canonical) aliases(list []hlo.Alias, one func(hlo.Alias)) verdict {
	for i, a := range list {
		if i == 0 {
			p.text("{ ")
		} else {
			p.text(", ")
		}
		one(a)
	}
	if len(list) == 0 {
		return dropped
	}
	p.text(" }")
	return printed
}

// index prints {0,1}.
func (p *canonical) index(x hlo.Index) {
	p.text("{")
	p.out = appendList(p.out, x)
	p.text("}")
}

// recoveryForm prints the arrays of another program that values replace, each with the module that computes it: sorted
// by name and index, the first of equal ones. The modules print in the default format, indented.
func recoveryForm(p *canonical, v *hlo.Value) verdict {
	type entry struct {
		name   string
		index  []int64
		value  *hlo.Value
		module *hlo.Value
	}
	if v.Kind != hlo.ListValue {
		return foreign
	}
	var list []entry
	for i := 0; i < len(v.Elems); i += 3 { // {array} : {array} "module"
		if i+2 >= len(v.Elems) || v.Elems[i+1].Text != ":" {
			return foreign
		}
		e := entry{value: &v.Elems[i+2]}
		if key := v.Elems[i].Elems; len(key) > 0 {
			e.name, _ = unquote(&key[0])
			if len(key) > 1 {
				e.index, _ = intsOf(&key[1])
			}
		}
		if i+3 < len(v.Elems) && v.Elems[i+3].Kind == hlo.StringValue {
			e.module = &v.Elems[i+3]
			i++
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.name, b.name), slices.Compare(a.index, b.index))
	})
	list = slices.CompactFunc(list, func(a, b entry) bool { return a.name == b.name && slices.Equal(a.index, b.index) })
	if len(list) == 0 {
		return dropped
	}
	p.text("{\n")
	for _, e := range list {
		p.text(`  {"` + e.name + `"`)
		if len(e.index) > 0 {
			p.text(" {")
			p.out = appendList(p.out, e.index)
			p.text("}")
		}
		p.text("} : ")
		if !p.originalArray(e.value, `{""}`) {
			return foreign
		}
		if e.module != nil {
			p.text(",\n  \"\n")
			p.embeddedModule(e.module)
			p.text("\n  \"")
		}
		p.text("\n")
	}
	p.text("}\n")
	return printed
}

// embeddedModule prints the module in a string, indented by four blanks.
func (p *canonical) embeddedModule(v *hlo.Value) {
	var text []byte
	if m := p.m.Recovery[v]; m != nil {
		text = appendCanonical(nil, m, Default)
	} else {
		s, _ := unquote(v)
		text = []byte(s)
	}
	for line := range bytes.Lines(text) {
		if len(line) > 1 {
			p.text("    ")
		}
		p.out = append(p.out, line...)
	}
}
