package entry

import (
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/sharding"
	"hlolayout/tpu"
)

// resolver finds the layouts of one interface.
type resolver struct {
	m             *hlo.Module
	t             *tpu.Target
	mode          Mode
	header        bool
	placeholders  bool     // orders in the header are placeholders
	modes, spaces []string // by array of the parameters, then of the result; nil for none
	leaf          int
	// axes and free say how results are divided that the text leaves to the partitioner; free is nil where nothing is.
	axes mesh
	free func() *division
	// shared is by the index of a part of the result, nil where nothing is divided.
	shared map[string]shared
	// told holds the arrays that are not left to the partitioner: they are often alike.
	told map[alike]Array
	out  *Interface
}

// shared is a parameter, or a part of one, whose memory a part of the result takes.
type shared struct {
	shape      *hlo.Shape
	annotation *hlo.Value
}

// alike is what the layout of such an array depends on, its annotation as written.
type alike struct {
	shape                 *hlo.Shape
	mode, space, sharding string
}

// shape returns a parameter's or the result's shape with its layouts.
func (r *resolver) shape(parameter int, s *hlo.Shape, annotation *hlo.Value) *hlo.Shape {
	first := r.leaf
	return s.WithLeaves(func(index hlo.Index, l *hlo.Shape) *hlo.Shape {
		k := r.leaf
		r.leaf++
		if !l.IsArray() {
			return l
		}
		one := sharding.Leaf(annotation, k-first)
		if parameter == Result && r.shared != nil {
			one = r.annotation(one, l, index)
		}
		a := r.array(k, l, one, parameter, index)
		a.Parameter, a.Index = parameter, slices.Clone(index)
		r.out.AsWritten = r.out.AsWritten && a.Shape.Equal(l)
		r.out.Arrays = append(r.out.Arrays, a)
		return a.Shape
	})
}

// share notes the annotations of the parameters whose memory parts of the result take.
func (r *resolver) share(aliases []hlo.Alias) {
	r.shared = map[string]shared{}
	outputs := map[int]map[string][]string{} // by parameter and part of it
	for _, a := range aliases {
		if outputs[a.Number] == nil {
			outputs[a.Number] = map[string][]string{}
		}
		part := a.Index.String()
		outputs[a.Number][part] = append(outputs[a.Number][part], a.Output.String())
	}
	for number, p := range r.m.Entry.Parameters() {
		leaf, of := 0, outputs[number]
		if of == nil || p == nil {
			continue
		}
		p.Shape.Leaves(func(index hlo.Index, l *hlo.Shape) {
			for _, output := range of[index.String()] {
				r.shared[output] = shared{l, sharding.Leaf(p.Attr("sharding"), leaf)}
			}
			leaf++
		})
	}
}

// annotation returns that of an array of the result: where its own says nothing, that of the parameter whose memory the
// array takes, for in the divided program both have one size (XLA verifies it of input_output_alias).
func (r *resolver) annotation(own *hlo.Value, l *hlo.Shape, index hlo.Index) *hlo.Value {
	if _, known := sharding.Parts(own, l.Rank()); !known {
		if p, ok := r.shared[index.String()]; ok && p.shape.Compatible(l) && p.annotation != nil {
			return p.annotation
		}
	}
	return own
}

// array returns the shapes of array k, of which one device holds a part.
func (r *resolver) array(k int, l *hlo.Shape, annotation *hlo.Value, parameter int, index hlo.Index) Array {
	kind := alike{shape: l, mode: r.word(r.modes, k), space: r.word(r.spaces, k)}
	if annotation != nil {
		kind.sharding = annotation.Text
	}
	open := parameter == Result && r.free != nil // what the text does not say is left to the partitioner
	if a, ok := r.told[kind]; ok && (a.Known || !open) {
		return a
	}
	parts, known := sharding.Parts(annotation, l.Rank())
	if known && sharding.Divides(parts) {
		r.out.Partitions = max(r.out.Partitions, product(parts))
	}
	if open = open && !known; open {
		parts = r.axes.parts(r.free().at(index), l)
	}
	var a Array
	var layout *hlo.Layout
	layout, a.Source = r.layout(k, l, sharding.Device(l, parts))
	a.Shape = l.WithLayout(layout)
	a.Device, a.Known = sharding.Device(a.Shape, parts), known
	if open && sharding.Divides(parts) && kind.mode == "default" {
		// The runtime wrote the default of the whole; once the result is divided it has the default of its part.
		a.Device = a.Device.WithLayout(r.byDefault(a.Device, nil, layout.MemorySpace))
	}
	if !open {
		r.told[kind] = a
	}
	return a
}

// layout returns the layout of array k. device is the shape that one device holds: defaults are chosen for it.
func (r *resolver) layout(k int, l, device *hlo.Shape) (*hlo.Layout, Source) {
	mode := ""
	if r.mode == Auto {
		mode = r.word(r.modes, k)
	}
	written := l.Layout
	if r.header && written != nil && len(written.Tiles) > 0 && r.mode != Default {
		return written, Written
	}
	space := int64(0)
	if written != nil {
		space = written.MemorySpace
	}
	if space == 0 && r.mode != AsWritten {
		space, _ = strconv.ParseInt(r.word(r.spaces, k), 10, 64) // 0 where there is none
	}
	order, pinned := orderOf(mode, l.Rank())
	source := Defaulted
	switch {
	case pinned:
		source = Pinned
	case mode == "auto":
		return nil, Free
	case !r.header || r.mode == Default || mode == "default":
	case written == nil:
		return nil, Free
	case r.placeholders:
		source = Placeholder
	default:
		return written, Written
	}
	return r.byDefault(device, order, space), source
}

// byDefault returns the target's layout of an array of the interface, in an order or, of none, the default one.
func (r *resolver) byDefault(s *hlo.Shape, order []int, space int64) *hlo.Layout {
	var out *hlo.Layout
	if order == nil {
		out = r.t.BoundaryLayout(s.DType, s.Dims)
	} else {
		out = r.t.Layout(s.DType, s.Dims, order, true)
	}
	out.MemorySpace = max(out.MemorySpace, space)
	return out
}

// word returns the word for array k; "" where there is none.
func (r *resolver) word(words []string, k int) string {
	if k >= len(words) {
		return ""
	}
	return words[k]
}

// orderOf reads a layout mode that is an order, such as {0,1}.
func orderOf(mode string, rank int) (order []int, ok bool) {
	text, found := strings.CutPrefix(mode, "{")
	if !found {
		return nil, false
	}
	text, _, _ = strings.Cut(strings.TrimSuffix(text, "}"), ":") // tiles are the target's
	for _, w := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' }) {
		n, err := strconv.Atoi(w)
		if err != nil {
			return nil, false
		}
		order = append(order, n)
	}
	return order, len(order) == rank && hlo.IsPermutation(order)
}
