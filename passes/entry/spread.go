package entry

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
)

// division says which mesh axes divide each dimension of an array, major axis first; of a tuple, the divisions of its
// elements. A nil division divides nothing.
type division struct {
	dims  [][]string
	elems []*division
}

// mesh holds the sizes of the axes of a module's meshes.
type mesh map[string]int64

var (
	meshAxis = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(\w+)"\s*=\s*(\d+)`) })
	sdyArray = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<@[\w.]+, \[([^\]]*)\]`) })
	sdyDim   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([^}]*)\}`) })
	sdyAxis  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(\w+)"`) })
)

// maxSpread is how many calls in each other a division is followed into.
const maxSpread = 16

// meshOf reads the meshes among a module's frontend_attributes (xla.sdy.meshes); nil where there are none.
func meshOf(m *hlo.Module) mesh {
	v := m.Attr("frontend_attributes").Get("xla.sdy.meshes")
	if v == nil {
		return nil
	}
	axes := mesh{}
	for _, a := range meshAxis().FindAllStringSubmatch(strings.ReplaceAll(v.Text, `\"`, `"`), -1) {
		if n, err := strconv.ParseInt(a[2], 10, 64); err == nil && n > 0 {
			axes[a[1]] = n
		}
	}
	return axes
}

// annotated reads Shardy's annotation of an instruction; nil where it has none that fits its shape. A custom call that
// ends a manual computation names the axes of its result, or of each element of it, in xla.sdy.out_shardings.
func annotated(in *hlo.Instruction) *division {
	front := in.Attr("frontend_attributes")
	for _, key := range []string{"xla.sdy.out_shardings", "xla.sdy.sharding"} {
		v := front.Get(key)
		if v == nil {
			continue
		}
		all := sdyArray().FindAllStringSubmatch(strings.ReplaceAll(v.Text, `\"`, `"`), -1)
		switch {
		case in.Shape.IsArray() && len(all) > 0:
			if d := axesOf(all[0][1], in.Shape.Rank()); d != nil {
				return d
			}
		case in.Shape.IsTuple() && len(all) > 0 && len(all) == len(in.Shape.Elems):
			d := &division{}
			for i, s := range in.Shape.Elems {
				d.elems = append(d.elems, axesOf(all[i][1], s.Rank()))
			}
			return d
		}
	}
	return nil
}

// axesOf reads the axes that divide the dimensions of an array, {"d", "t"}, {}; nil where there are not rank of them.
func axesOf(text string, rank int) *division {
	d := &division{}
	for _, dim := range sdyDim().FindAllStringSubmatch(text, -1) {
		var axes []string
		for _, a := range sdyAxis().FindAllStringSubmatch(dim[1], -1) {
			axes = append(axes, a[1])
		}
		d.dims = append(d.dims, axes)
	}
	if len(d.dims) != rank {
		return nil
	}
	return d
}

// parts returns into how many parts a division divides each dimension of an array; nil where it does not divide it, or
// not evenly.
func (a mesh) parts(d *division, s *hlo.Shape) []int64 {
	if d == nil || len(d.dims) != s.Rank() {
		return nil
	}
	out, divided := make([]int64, s.Rank()), false
	for i, axes := range d.dims {
		out[i] = 1
		for _, x := range axes {
			out[i] *= max(1, a[x])
		}
		if s.Dims[i]%out[i] != 0 {
			return nil
		}
		divided = divided || out[i] > 1
	}
	if !divided {
		return nil
	}
	return out
}

// spreader follows divisions forward through a program, from its annotated values. It is the first half of what Shardy
// does: nothing is carried backward, and where two operands want different axes for one dimension the one with more
// axes has its way. That is a guess about the compiler's choice, which is made by costs.
type spreader struct {
	axes mesh
	// undivided holds the divisions of the roots of computations none of whose parameters is divided, by the depth of
	// the call.
	undivided map[call]*division
}

// call is a computation that is called at a depth.
type call struct {
	of    *hlo.Computation
	depth int
}

// computation returns the division of a computation's root, given those of its parameters.
func (p *spreader) computation(c *hlo.Computation, params []*division, depth int) *division {
	if depth > maxSpread || c == nil || c.Root == nil {
		return nil
	}
	if divided(params) {
		return p.root(c, params, depth)
	}
	d, known := p.undivided[call{c, depth}]
	if !known {
		d = p.root(c, nil, depth)
		p.undivided[call{c, depth}] = d
	}
	return d
}

// divided reports whether some division divides something.
func divided(all []*division) bool {
	return slices.ContainsFunc(all, func(d *division) bool { return d != nil })
}

// root is computation without a memory of what it returned.
func (p *spreader) root(c *hlo.Computation, params []*division, depth int) *division {
	at := make([]*division, len(c.Instructions))
	of := func(in *hlo.Instruction) *division {
		if in.Computation != c {
			return nil
		}
		return at[in.Index]
	}
	for i, in := range c.Instructions {
		switch d := annotated(in); {
		case d != nil:
			at[i] = d
		case in.Opcode == hlo.OpParameter:
			if k := int(in.Parameter); k < len(params) {
				at[i] = params[k]
			}
		default:
			at[i] = p.forward(in, of, depth)
		}
	}
	return at[c.Root.Index]
}

// forward returns the division of an instruction's result, given those of its operands.
func (p *spreader) forward(in *hlo.Instruction, of func(*hlo.Instruction) *division, depth int) *division {
	if len(in.Operands) == 0 {
		return nil
	}
	first := of(in.Operands[0])
	all := make([]*division, len(in.Operands))
	for i, o := range in.Operands {
		all[i] = of(o)
	}
	switch in.Opcode {
	case hlo.OpTuple:
		if !divided(all) {
			return nil
		}
		return &division{elems: all}
	case hlo.OpGetTupleElement:
		if k, ok := in.Attr("index").Int(); ok && first != nil && int(k) < len(first.elems) {
			return first.elems[k]
		}
		return nil
	case hlo.OpCall:
		return p.computation(in.CalledBy("to_apply"), all, depth+1)
	case hlo.OpWhile:
		d := first
		for range 2 { // what the body divides comes back to its parameter
			was := d
			if d = merged(d, p.computation(in.CalledBy("body"), []*division{d}, depth+1)); d.equal(was) {
				break
			}
		}
		return d
	case hlo.OpCustomCall:
		if in.Operands[0].Shape.Compatible(in.Shape) {
			return first
		}
		return nil
	}
	if !in.Shape.IsArray() || !in.Operands[0].Shape.IsArray() || !divided(all) {
		return nil
	}
	return p.array(in, all)
}

// at returns the division of a part of a tuple.
func (d *division) at(index hlo.Index) *division {
	for _, k := range index {
		if d == nil || k >= len(d.elems) {
			return nil
		}
		d = d.elems[k]
	}
	return d
}

// merged returns, dimension by dimension, the axes of the one that has more.
func merged(a, b *division) *division {
	if a == nil || b == nil || len(a.dims) != len(b.dims) || len(a.elems) != len(b.elems) {
		if a == nil {
			return b
		}
		return a
	}
	out := &division{}
	for i := range a.dims {
		axes := a.dims[i]
		if len(b.dims[i]) > len(axes) {
			axes = b.dims[i]
		}
		out.dims = append(out.dims, axes)
	}
	for i := range a.elems {
		out.elems = append(out.elems, merged(a.elems[i], b.elems[i]))
	}
	return once(out)
}

// equal reports whether two divisions divide the same dimensions by the same axes.
func (d *division) equal(o *division) bool {
	if d == nil || o == nil {
		return d == o
	}
	return slices.EqualFunc(d.dims, o.dims, slices.Equal[[]string]) && slices.EqualFunc(d.elems, o.elems,
		(*division).equal)
}

// once drops an axis from all dimensions but the first that it divides: an axis divides an array once.
func once(d *division) *division {
	for i, axes := range d.dims {
		var kept []string
		for k, x := range axes {
			has := func(other []string) bool { return slices.Contains(other, x) }
			if !has(axes[:k]) && !slices.ContainsFunc(d.dims[:i], has) {
				kept = append(kept, x)
			}
		}
		d.dims[i] = kept
	}
	return d
}
