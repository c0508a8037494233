// Package entry says which layouts a module's parameters and results are compiled with.
//
// entry_computation_layout is a contract only where something shows that it is one. In text that JAX lowered for any
// platform it is a placeholder: every order is the one that the tracer happened to have, and the runtime replaces it by
// the device's default, or by the layout that the program pins, which the text does not show. The runtime then writes
// tiles, and says among frontend_attributes how each layout came about: arg_layout_modes="default;{0,1};auto", one word
// for each array. (Compiled with pinned, AUTO, donated, sharded and host arguments for seven generations, libtpu
// 0.0.51: the header of the compiled module was this in every case.)
package entry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/tpu"
)

// Mode chooses where entry layouts come from.
type Mode string

// The modes. Auto, the zero value, decides by what the module shows.
const (
	Auto      Mode = ""
	Default   Mode = "default"
	AsWritten Mode = "as-written"
)

// Source says where the layout of one array of the interface comes from.
type Source uint8

// The sources.
const (
	// Written: it is in entry_computation_layout.
	Written Source = iota
	// Placeholder: the text has an order there, which the runtime replaces by the target's default.
	Placeholder
	// Defaulted: the text has no entry_computation_layout, or its layout mode is default: the target's default.
	Defaulted
	// Pinned: its layout mode is an order.
	Pinned
	// Free: layout assignment chooses it.
	Free
	numSources
)

var sourceNames = [numSources]string{
	Written: "as written", Placeholder: "the target's default (the order in the text is a placeholder)",
	Defaulted: "the target's default", Pinned: "pinned by its layout mode", Free: "chosen by layout assignment",
}

// String returns the source in words.
func (s Source) String() string { return sourceNames[s] }

// IsDefault reports whether the layout is the target's default, which nothing in the module demands.
func (s Source) IsDefault() bool { return s == Placeholder || s == Defaulted }

// Array is one array of the interface: a parameter, the result, or the part of it at Index.
type Array struct {
	// Parameter is the parameter's number, Result for the result.
	Parameter int
	Index     hlo.Index
	// Shape is the array in the program, with the layout that it is compiled with, or none where Source is Free.
	// Device is what one device holds of it, with the same layout.
	Shape, Device *hlo.Shape
	Source        Source
	// Known says whether the text tells what one device holds. Where it does not, Device is a prediction: the
	// partitioner decides.
	Known bool
}

// Result is the Array.Parameter that stands for the result.
const Result = -1

// Place returns where the array is, such as "parameter 3{1}" or "result{0}".
func (a *Array) Place() string {
	if a.Parameter == Result {
		return "result" + a.Index.String()
	}
	return "parameter " + strconv.Itoa(a.Parameter) + a.Index.String()
}

// Interface is what a module takes and returns.
type Interface struct {
	// Params and Result are the shapes in the program, with the layouts that they are compiled with; an array without a
	// layout is left to layout assignment.
	Params []*hlo.Shape
	Result *hlo.Shape
	// Arrays are the arrays in them, parameters first, each in the order of hlo.Shape.Leaves.
	Arrays []Array
	// AsWritten says whether the module has entry_computation_layout, and these shapes are in it.
	AsWritten bool
	// Partitions is the number of devices that the program is to be divided among, as far as the text shows it
	// (num_partitions, or the parts of an array); 1 where it is whole or divided already.
	Partitions int64
}

// Settle gives the arrays that were left to layout assignment the layouts that entry_computation_layout has after it.
func (f *Interface) Settle(m *hlo.Module) {
	params, result, ok := m.EntryLayout()
	if !ok || len(params) != len(f.Params) {
		return
	}
	f.Params, f.Result = params, result
	for i := range f.Arrays {
		a := &f.Arrays[i]
		s := result
		if a.Parameter != Result {
			s = params[a.Parameter]
		}
		if leaf := s.At(a.Index); leaf != nil && a.Shape.Layout == nil {
			a.Shape, a.Device = leaf, a.Device.WithLayout(leaf.Layout)
		}
	}
}

// Of returns the interface of a module for a target. The error says where entry_computation_layout does not fit the
// entry computation, or what that lacks.
func Of(m *hlo.Module, t *tpu.Target, mode Mode) (*Interface, error) {
	if m.Entry == nil || m.Entry.Root == nil {
		return nil, fmt.Errorf("module %s has no entry computation with a root", m.Name)
	}
	params, result, header := m.EntryLayout()
	owners := m.Entry.Parameters()
	if slices.Contains(owners, nil) {
		return nil, fmt.Errorf("the entry computation %%%s does not have all of its parameters", m.Entry.Name)
	}
	if header {
		if err := fits(m, owners, params, result); err != nil {
			return nil, err
		}
	} else {
		params, result = nil, m.Entry.Root.Shape
		for _, p := range owners {
			params = append(params, p.Shape)
		}
	}
	r := resolver{m: m, t: t, mode: mode, header: header, told: map[alike]Array{},
		out: &Interface{AsWritten: header, Partitions: 1}}
	r.placeholders = header && mode == Auto && untiled(m, params, result)
	front := m.Attr("frontend_attributes")
	leaves, results := 0, 0
	for _, p := range params {
		p.Leaves(func(hlo.Index, *hlo.Shape) { leaves++ })
	}
	result.Leaves(func(hlo.Index, *hlo.Shape) { results++ })
	r.modes, r.spaces = words(front, "arg_layout_modes", leaves), words(front, "arg_memory_spaces", leaves)
	r.out.Arrays = make([]Array, 0, leaves+results)
	for i, p := range params {
		r.out.Params = append(r.out.Params, r.shape(i, p, owners[i].Attr("sharding")))
	}
	r.leaf = 0
	r.modes, r.spaces = words(front, "out_layout_modes", results), words(front, "out_memory_spaces", results)
	if r.out.Partitions > 1 {
		r.share(m.Aliases())
		if axes := meshOf(m); len(axes) > 0 {
			r.axes, r.free = axes, sync.OnceValue(func() *division {
				return (&spreader{axes, map[call]*division{}}).computation(m.Entry, nil, 0)
			})
		}
	}
	r.out.Result = r.shape(Result, result, resultSharding(m.Entry.Root))
	if n, ok := m.Attr("num_partitions").Int(); ok && r.out.Partitions > 1 {
		r.out.Partitions = max(r.out.Partitions, n)
	}
	return r.out, nil
}

// fits returns an error where the shapes of entry_computation_layout are not those of the entry computation.
func fits(m *hlo.Module, owners []*hlo.Instruction, params []*hlo.Shape, result *hlo.Shape) error {
	if len(params) != len(owners) {
		return fmt.Errorf("entry_computation_layout has %d parameters, the entry computation %d", len(params),
			len(owners))
	}
	for i, p := range params {
		if in := owners[i]; !p.Compatible(in.Shape) {
			return fmt.Errorf("entry_computation_layout gives parameter %d the shape %s, instruction %%%s has %s", i, p,
				in.Name, in.Shape)
		}
	}
	if root := m.Entry.Root; !result.Compatible(root.Shape) {
		return fmt.Errorf("entry_computation_layout gives the result the shape %s, instruction %%%s has %s", result,
			root.Name, root.Shape)
	}
	for _, s := range append(slices.Clone(params), result) {
		var err error
		s.Leaves(func(_ hlo.Index, l *hlo.Shape) {
			if l.Layout != nil && (len(l.Layout.MinorToMajor) != l.Rank() ||
				!hlo.IsPermutation(l.Layout.MinorToMajor)) {
				err = fmt.Errorf("entry_computation_layout: layout %s of %s is not an order of its %d dimensions",
					l.Layout, l, l.Rank())
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// untiled reports whether nothing in the module or its header has a tile.
func untiled(m *hlo.Module, params []*hlo.Shape, result *hlo.Shape) bool {
	tiled := false
	for _, s := range append(slices.Clone(params), result) {
		s.Leaves(func(_ hlo.Index, l *hlo.Shape) { tiled = tiled || l.IsTiled() })
	}
	if tiled {
		return false
	}
	some, _ := stage.Tiles(m)
	return !some
}

// words returns the words of a front-end attribute such as "default;{0,1}", one for each array; nil where there is no
// such attribute or it has another number of words.
func words(front *hlo.Value, key string, arrays int) []string {
	v := front.Get(key)
	if v == nil {
		return nil
	}
	out := strings.Split(strings.Trim(v.Text, `"`), ";")
	if len(out) != arrays {
		return nil
	}
	return out
}

// IsDefault reports whether every layout of the interface is the target's default, which nothing in the module demands.
func (f *Interface) IsDefault() bool {
	return !slices.ContainsFunc(f.Arrays, func(a Array) bool { return !a.Source.IsDefault() })
}

// Placeholders returns the number of arrays whose order in the text is a placeholder.
func (f *Interface) Placeholders() (n int) {
	for i := range f.Arrays {
		if f.Arrays[i].Source == Placeholder {
			n++
		}
	}
	return n
}

func product(parts []int64) int64 {
	n := int64(1)
	for _, p := range parts {
		n *= p
	}
	return n
}

// resultSharding returns the annotation of the entry's result: the root's own or, of a tuple that has none, that of
// each operand, as far as they have one.
func resultSharding(root *hlo.Instruction) *hlo.Value {
	v := root.Attr("sharding")
	if v != nil || root.Opcode != hlo.OpTuple {
		return v
	}
	var list *hlo.Value // nil while no operand has one: a result may have thousands
	for i, o := range root.Operands {
		s := o.Attr("sharding")
		if s == nil || o.Shape.IsTuple() {
			continue
		}
		if list == nil {
			none := hlo.Value{Kind: hlo.ListValue, Open: '{'}
			list = &hlo.Value{Kind: hlo.ListValue, Open: '{', Elems: slices.Repeat([]hlo.Value{none}, len(root.Operands))}
		}
		list.Elems[i] = *s
	}
	return list
}
