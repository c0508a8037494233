package printer

import (
	"slices"
	"strconv"

	"hlolayout/hlo"
)

// Named meshes of devices, in shardings and in replica groups. Names print in single quotes,
// as they are.

// mesh is mesh['a'=2,'b'=4], device_ids=(...).
type mesh struct {
	names []string
	devices
	device  int64 // of a maximal_mesh[device_id=3]
	maximal bool
}

func isMesh(v *hlo.Value) bool {
	return v.Kind == hlo.WordValue && (v.Text == "mesh" || v.Text == "maximal_mesh" || v.Text == "mesh[]")
}

// readMesh reads the mesh at the start of a list and returns how many elements it took.
func readMesh(elems []hlo.Value) (m mesh, n int, ok bool) {
	switch {
	case len(elems) == 0 || !isMesh(&elems[0]):
		return m, 0, false
	case elems[0].Text == "mesh[]":
		return m, 1, true
	case len(elems) < 2 || elems[1].Open != '[':
		return m, 0, false
	case elems[0].Text == "maximal_mesh":
		m.maximal = true
		m.device, ok = intOf(elems[1].Get("device_id"))
		return m, 2, ok
	}
	axes := elems[1].Elems
	if len(axes)%3 != 0 {
		return m, 0, false
	}
	for i := 0; i < len(axes); i += 3 {
		name, isText := unquote(&axes[i])
		size, isInt := intOf(&axes[i+2])
		if !isText || !isInt {
			return m, 0, false
		}
		m.names = append(m.names, name)
		m.dims = append(m.dims, size)
	}
	if len(elems) > 2 && elems[2].Kind == hlo.PairValue && elems[2].Text == "device_ids" {
		list := &elems[2].Elems[0]
		if m.ids, ok = intsOf(list); ok {
			return m, 3, true
		}
		formula, n, ok := readFormula(m.dims, list.Elems)
		m.devices = formula
		return m, 3, ok && n == len(list.Elems)
	}
	m.from, m.perm = []int64{m.size()}, []int{0}
	return m, 2, true
}

func (p *canonical) mesh(m *mesh) {
	if m.maximal {
		p.text("maximal_mesh[device_id=")
		p.number(m.device)
		p.text("]")
		return
	}
	p.text("mesh[")
	for i, name := range m.names {
		if i > 0 {
			p.text(",")
		}
		p.text("'" + name + "'=")
		p.number(m.dims[i])
	}
	p.text("]")
	if len(m.names) == 0 || m.isFormula() && len(m.from) == 1 {
		return
	}
	p.text(", device_ids=(")
	if m.isFormula() {
		p.formula(&m.devices)
	} else {
		p.out = appendList(p.out, m.ids)
	}
	p.text(")")
}

// axes prints {'a', 'b':(1)2, ?}, each axis by its name. Two neighbours that are parts of one axis stay two. The result
// says whether they are axes of the mesh.
func (p *canonical) axes(m *mesh, v *hlo.Value, comma string) bool {
	if v.Kind != hlo.ListValue {
		return false
	}
	p.text("{")
	for i := 0; i < len(v.Elems); i++ {
		if i > 0 {
			p.text(comma)
		}
		if v.Elems[i].Text == "?" {
			p.text("?")
			continue
		}
		name, ok := unquote(&v.Elems[i])
		if !ok {
			return false
		}
		if k, err := strconv.Atoi(name); err == nil && k >= 0 && k < len(m.names) {
			name = m.names[k]
		}
		p.text("'" + name + "'")
		if i+3 < len(v.Elems) && v.Elems[i+1].Text == ":" {
			before, ok := intsOf(&v.Elems[i+2])
			size, ok2 := intOf(&v.Elems[i+3])
			if !ok || !ok2 {
				return false
			}
			p.text(":(")
			p.out = appendList(p.out, before)
			p.text(")")
			p.number(size)
			i += 3
		}
	}
	p.text("}")
	return true
}

// namedSharding prints {mesh['a'=2,'b'=4], [{'a'}, {?}], replicated={'b'}}.
func namedSharding(p *canonical, v *hlo.Value) verdict {
	m, at, ok := readMesh(v.Elems)
	if !ok {
		return foreign
	}
	p.text("{")
	p.mesh(&m)
	var metadata *hlo.Value
	var dims *hlo.Value
	word := ""
	axes := map[string]*hlo.Value{}
	for i := at; i < len(v.Elems); i++ {
		switch e := &v.Elems[i]; {
		case e.Kind == hlo.WordValue && word == "" && dims == nil:
			word = e.Text
		case e.Kind == hlo.ListValue && e.Open == '[' && word == "" && dims == nil:
			dims = e
		case e.Kind == hlo.PairValue && e.Text == "metadata" && len(e.Elems) == 1:
			metadata = &e.Elems[0]
		case e.Kind == hlo.PairValue && slices.Contains(axisKeys, e.Text) && len(e.Elems) == 1:
			axes[e.Text] = &e.Elems[0]
		default:
			return foreign
		}
	}
	if dims != nil {
		word = m.summary(dims, axes)
	}
	switch {
	case word != "":
		p.text(", " + word)
	case dims != nil:
		p.text(", [")
		for i := range dims.Elems {
			if i > 0 {
				p.text(", ")
			}
			if !p.axes(&m, &dims.Elems[i], ", ") {
				return foreign
			}
		}
		p.text("]")
		for _, key := range axisKeys {
			if list := axes[key]; list != nil && len(list.Elems) > 0 {
				p.text(", " + key + "=")
				if !p.axes(&m, list, ", ") {
					return foreign
				}
			}
		}
	}
	if p.format != Short && metadata != nil {
		p.text(", metadata=")
		if !p.metadataList(metadata, true) {
			return foreign
		}
	}
	p.text("}")
	return printed
}

// axisKeys are the kinds of axes besides those of the dimensions, in the order of the print.
var axisKeys = []string{"replicated", "unreduced", "manual"}

// summary returns the word that XLA prints for a sharding without dimensions: replicated without any axes, unreduced or
// manual with all axes of the mesh in order; "" for any other.
func (m *mesh) summary(dims *hlo.Value, axes map[string]*hlo.Value) string {
	if len(dims.Elems) > 0 {
		return ""
	}
	word, lists := "replicated", 0
	for _, key := range axisKeys {
		list := axes[key]
		if list == nil || len(list.Elems) == 0 {
			continue
		}
		lists++
		word = key
		if key == "replicated" || !m.isAll(list) {
			return ""
		}
	}
	if lists > 1 {
		return ""
	}
	return word
}

// isAll reports whether a list names every axis of the mesh, in order and whole.
func (m *mesh) isAll(list *hlo.Value) bool {
	if len(list.Elems) != len(m.names) {
		return false
	}
	for i := range list.Elems {
		if name, _ := unquote(&list.Elems[i]); name != m.names[i] && name != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// replicaGroupsForm prints {{0,1},{2,3}}, [2,4]<=[8] or mesh['x'=2,'y'=4] {'x'}.
func replicaGroupsForm(p *canonical, v *hlo.Value) verdict {
	switch {
	case v.Kind != hlo.ListValue:
		return foreign
	case v.Open != 0:
		return nestedIntegers(p, v)
	case len(v.Elems) > 2 && v.Elems[1].Text == "<=":
		dims, ok := intsOf(&v.Elems[0])
		if !ok {
			return foreign
		}
		d, n, ok := readFormula(dims, v.Elems[2:])
		if !ok || n+2 != len(v.Elems) {
			return foreign
		}
		p.devices(&d)
		return printed
	}
	m, at, ok := readMesh(v.Elems)
	if !ok || at+1 != len(v.Elems) {
		return foreign
	}
	p.mesh(&m)
	p.text(" ")
	if !p.axes(&m, &v.Elems[at], ",") {
		return foreign
	}
	return printed
}
