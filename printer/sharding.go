package printer

import "hlolayout/hlo"

// shardingOf prints the sharding of an instruction: one for a tuple is repeated for each of its leaves.
func shardingOf(in *hlo.Instruction) form {
	return func(p *canonical, v *hlo.Value) verdict {
		shape := p.resultShape(in).shape
		if !shape.IsTuple() || isTupleSharding(v) {
			return shardingForm(p, v)
		}
		leaves := 0
		shape.Leaves(func(hlo.Index, *hlo.Shape) { leaves++ })
		start := len(p.out)
		if result := singleSharding(p, v); result != printed {
			return result
		}
		one := string(p.out[start:])
		p.out = p.out[:start]
		p.text("{")
		for i := range max(leaves, 1) {
			p.separate(i)
			p.text(one)
		}
		p.text("}")
		return printed
	}
}

// isTupleSharding reports whether a sharding is a list of shardings: what follows its brace is one of their braces, or
// the end.
func isTupleSharding(v *hlo.Value) bool {
	return v.Kind == hlo.ListValue && (len(v.Elems) == 0 || v.Elems[0].Kind == hlo.ListValue && v.Elems[0].Open == '{')
}

// separate prints what precedes part i of a tuple.
func (p *canonical) separate(i int) {
	if i > 0 {
		p.text(", ")
		p.out = hlo.AppendIndexComment(p.out, i)
	}
}

// shardingForm prints a sharding.
func shardingForm(p *canonical, v *hlo.Value) verdict {
	if !isTupleSharding(v) {
		return singleSharding(p, v)
	}
	p.text("{")
	for i := range v.Elems {
		p.separate(i)
		if singleSharding(p, &v.Elems[i]) != printed {
			return foreign
		}
	}
	p.text("}")
	return printed
}

func singleSharding(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue || len(v.Elems) == 0 {
		return foreign
	}
	if isMesh(&v.Elems[0]) {
		return namedSharding(p, v)
	}
	s, ok := readSharding(v)
	if !ok {
		return foreign
	}
	p.text("{")
	if s.kind == "" {
		if !s.canonicalize() {
			return foreign
		}
	}
	switch s.kind {
	case "":
		p.text("devices=")
		p.devices(&s.devices)
		p.text(s.last())
	case "maximal":
		p.text("maximal device=")
		p.number(s.devices.ids[0])
	default:
		p.text(s.kind)
	}
	if s.group != "" {
		p.text(" " + s.group + " ")
		p.number(s.groupID)
	}
	if p.format != Short && s.metadata != nil {
		p.text(" metadata=")
		if !p.metadataList(s.metadata, false) {
			return foreign
		}
	}
	p.text("}")
	return printed
}

// last says what the last dimensions of the tiles are.
func (s *tiling) last() string {
	if s.replicateLast {
		return " last_tile_dim_replicate"
	}
	out := ""
	for i, d := range s.lastDims {
		if i == 0 {
			out = " last_tile_dims={" + d
		} else {
			out += ", " + d
		}
	}
	if out != "" {
		out += "}"
	}
	return out
}

// devices prints [2,2]0,1,2,3 or [2,2]<=[2,2]T(1,0).
func (p *canonical) devices(d *devices) {
	p.text("[")
	p.out = appendList(p.out, d.dims)
	p.text("]")
	if !d.isFormula() {
		ids := d.ids
		if n, ok := product(d.dims); ok && n < int64(len(ids)) { // XLA drops devices for which there are no tiles
			ids = ids[:n]
		}
		p.out = appendList(p.out, ids)
		return
	}
	p.text("<=")
	p.formula(d)
}

// formula prints [2,2]T(1,0).
func (p *canonical) formula(d *devices) {
	p.text("[")
	p.out = appendList(p.out, d.from)
	p.text("]")
	if len(d.from) > 1 {
		p.text("T(")
		p.out = appendList(p.out, d.perm)
		p.text(")")
	}
}

// metadataList prints one or several metadata; XLA puts a single one in its own braces only in a named sharding.
func (p *canonical) metadataList(v *hlo.Value, braces bool) bool {
	if v.Kind != hlo.ListValue {
		return false
	}
	list := []hlo.Value{*v}
	if len(v.Elems) > 0 && v.Elems[0].Kind == hlo.ListValue {
		list = v.Elems
	}
	braces = braces || len(list) > 1
	if braces {
		p.text("{")
	}
	for i := range list {
		if i > 0 {
			p.text(", ")
		}
		if _, ok := p.metadataText(&list[i], func(frame int64) int64 { return frame }); !ok {
			return false
		}
	}
	if braces {
		p.text("}")
	}
	return true
}

// domainForm prints {kind="sharding", entry={...}, exit={...}}.
func domainForm(p *canonical, v *hlo.Value) verdict {
	kind, ok := unquote(v.Get("kind"))
	if !ok {
		return foreign
	}
	p.text(`{kind="` + kind + `"`)
	for _, key := range [...]string{"entry", "exit"} {
		e := v.Get(key)
		if e == nil {
			return foreign
		}
		p.text(", " + key + "=")
		if shardingForm(p, e) != printed {
			return foreign
		}
	}
	p.text("}")
	return printed
}
