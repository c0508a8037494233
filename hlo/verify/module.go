package verify

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// module checks what concerns the module as a whole: names, the entry, entry_computation_layout, the aliasing tables.
func (c *checker) module() {
	c.callers = map[*hlo.Computation][]*hlo.Instruction{}
	names := map[string]bool{}
	for _, comp := range c.m.Computations {
		if names[comp.Name] && !inlineName(comp.Name) {
			c.addAt(comp.Pos, VER407, "two computations have the name %%%s", comp.Name)
		}
		names[comp.Name] = true
		for _, in := range comp.Instructions {
			for _, callee := range in.Called() {
				if l := c.callers[callee]; len(l) == 0 || l[len(l)-1] != in {
					c.callers[callee] = append(l, in)
				}
			}
		}
	}
	entry := c.m.Entry
	if entry == nil || entry.Root == nil {
		c.addAt(0, VER408, "the module has no entry computation")
		return
	}
	for _, in := range c.callers[entry] {
		if in.Opcode == hlo.OpFusion {
			c.addAt(entry.Pos, VER408, "the entry computation %%%s is called by the fusion %%%s", entry.Name, in.Name)
		}
	}
	params, result := c.entryLayout(entry)
	if params == nil && result == nil {
		return
	}
	aliased := c.aliases(params, result)
	c.donors(params, aliased)
	c.constrainedAllReduces()
}

// inlineName reports whether a name is one that computations written inside an attribute get: _ or _.1.
func inlineName(name string) bool {
	base, number, _ := strings.Cut(name, ".")
	return base == "_" && strings.Trim(number, "0123456789") == ""
}

// entryLayout compares entry_computation_layout with the entry computation and returns the shapes it gives; the entry's
// own where the text has none, nil where they do not fit.
func (c *checker) entryLayout(entry *hlo.Computation) (params []*hlo.Shape, result *hlo.Shape) {
	sig, err := signatureOf(entry)
	if err != nil {
		return nil, nil // structure reports it
	}
	params, result, ok := c.m.EntryLayout()
	if !ok {
		return sig.params, sig.result
	}
	c.entryLayouts(params, result)
	if len(params) != len(sig.params) {
		c.addAt(entry.Pos, VER401, "entry_computation_layout has %s, the entry computation %%%s has %d",
			plural(len(params), "parameter"), entry.Name, len(sig.params))
		return nil, nil
	}
	for i, p := range append(slices.Clone(sig.params), sig.result) {
		want := result
		if i < len(params) {
			want = params[i]
		}
		same := compatible
		if c.scheduled {
			same = sameOrder
		}
		if !same(p, want) {
			has, says := texts(p, want)
			c.addAt(entry.Pos, VER402, "%s of the entry computation %%%s is %s, but entry_computation_layout has %s",
				place(i, len(params)), entry.Name, has, says)
		}
	}
	return params, result
}

// entryLayouts refuses layouts of entry_computation_layout that are none.
func (c *checker) entryLayouts(params []*hlo.Shape, result *hlo.Shape) {
	for i, s := range append(slices.Clone(params), result) {
		if err := c.shape(s).layout; err != nil {
			c.addAt(c.attrPos("entry_computation_layout"), err.(*hlo.Error).Code, "entry_computation_layout, %s: %s",
				place(i, len(params)), err.(*hlo.Error).Msg)
		}
	}
}

// attrPos returns where the module's first line has an attribute, 0 where there is no text.
func (c *checker) attrPos(name string) int32 {
	header, _, _ := strings.Cut(c.m.Source, "{\n")
	return int32(max(0, strings.Index(header, name+"=")))
}

// place names parameter i, or the result after the parameters.
func place(i, params int) string {
	if i == params {
		return "the result"
	}
	return fmt.Sprintf("parameter %d", i)
}

// aliases checks input_output_alias and returns the parameter leaves it uses.
func (c *checker) aliases(params []*hlo.Shape, result *hlo.Shape) map[string]bool {
	v := c.m.Attr("input_output_alias")
	if v == nil {
		return nil
	}
	pairs, ok := v.Aliases()
	if !ok {
		c.addAt(c.attrPos("input_output_alias"), VER404, "input_output_alias=%s is not of the form { {0}: (0, {}, "+
			"may-alias) }", v.Text)
		return nil
	}
	seen := map[string]bool{}
	for _, p := range pairs {
		in := c.parameterPart("input_output_alias", params, p)
		out := result.At(p.Output)
		switch {
		case in == nil:
			continue
		case out == nil || !out.IsArray():
			c.addAt(c.attrPos("input_output_alias"), VER404, "input_output_alias: the result has no array at %s",
				indexText(p.Output))
			continue
		case p.Must && !agreementIn(c.m.Entry)(in, out):
			c.addAt(c.attrPos("input_output_alias"), VER404, "input_output_alias: parameter %d at %s is %s, the "+
				"result at %s %s; they must be the same",
				p.Number, indexText(p.Index), bare(in), indexText(p.Output), bare(out))
		}
		key := fmt.Sprint(p.Number, p.Index)
		if seen[key] {
			c.addAt(c.attrPos("input_output_alias"), VER404, "input_output_alias uses parameter %d at %s twice",
				p.Number, indexText(p.Index))
		}
		seen[key] = true
	}
	return seen
}

// parameterPart returns the array of a parameter that an alias or a donor names; nil after a finding.
func (c *checker) parameterPart(attr string, params []*hlo.Shape, p hlo.Alias) *hlo.Shape {
	code := VER404
	if attr == "buffer_donor" {
		code = VER405
	}
	if p.Number >= len(params) {
		c.addAt(c.attrPos(attr), code, "%s names parameter %d, but the entry computation has %s", attr, p.Number,
			plural(len(params), "parameter"))
		return nil
	}
	if s := params[p.Number].At(p.Index); s != nil && s.IsArray() {
		return s
	}
	c.addAt(c.attrPos(attr), code, "%s: parameter %d, %s, has no array at %s", attr, p.Number, bare(params[p.Number]),
		indexText(p.Index))
	return nil
}

func (c *checker) donors(params []*hlo.Shape, aliased map[string]bool) {
	v := c.m.Attr("buffer_donor")
	if v == nil {
		return
	}
	pairs, ok := v.Aliases()
	if !ok {
		c.addAt(c.attrPos("buffer_donor"), VER405, "buffer_donor=%s is not of the form { (0, {}) }", v.Text)
	}
	for _, p := range pairs {
		if c.parameterPart("buffer_donor", params, p) != nil && aliased[fmt.Sprint(p.Number, p.Index)] {
			c.addAt(c.attrPos("buffer_donor"), VER405, "parameter %d at %s is a buffer donor and aliased with a result",
				p.Number, indexText(p.Index))
		}
	}
}

func indexText(i hlo.Index) string {
	v := hlo.IntsOf(i)
	return v.Text
}

// constrainedAllReduces refuses a mix of all-reduces with and without constrain_layout.
func (c *checker) constrainedAllReduces() {
	var first *hlo.Instruction
	for _, comp := range c.m.Computations {
		for _, in := range comp.Instructions {
			if in.Opcode != hlo.OpAllReduce && in.Opcode != hlo.OpAllReduceStart {
				continue
			}
			if first == nil {
				first = in
			}
			if in.Attr("constrain_layout").Bool() != first.Attr("constrain_layout").Bool() {
				c.add(in, VER606, "only one of it and %%%s has constrain_layout=true", first.Name)
				return
			}
		}
	}
}
