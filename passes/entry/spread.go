package entry

import (
	"regexp"
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

// annotated reads Shardy's annotation of an instruction, for an array of that rank; nil where it has none. A custom
// call that ends a manual computation names the axes of its result in xla.sdy.out_shardings.
func annotated(in *hlo.Instruction) *division {
	front := in.Attr("frontend_attributes")
	for _, key := range []string{"xla.sdy.out_shardings", "xla.sdy.sharding"} {
		v := front.Get(key)
		if v == nil || !in.Shape.IsArray() {
			continue
		}
		one := sdyArray().FindStringSubmatch(strings.ReplaceAll(v.Text, `\"`, `"`))
		if one == nil {
			continue
		}
		d := &division{}
		for _, dim := range sdyDim().FindAllStringSubmatch(one[1], -1) {
			var axes []string
			for _, a := range sdyAxis().FindAllStringSubmatch(dim[1], -1) {
				axes = append(axes, a[1])
			}
			d.dims = append(d.dims, axes)
		}
		if len(d.dims) == in.Shape.Rank() {
			return d
		}
	}
	return nil
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
type spreader struct{ axes mesh }

// computation returns the division of a computation's root, given those of its parameters.
func (p *spreader) computation(c *hlo.Computation, params []*division, depth int) *division {
	if depth > maxSpread || c == nil || c.Root == nil {
		return nil
	}
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
	var all []*division
	for _, o := range in.Operands {
		all = append(all, of(o))
	}
	switch in.Opcode {
	case hlo.OpTuple:
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
			d = merged(d, p.computation(in.CalledBy("body"), []*division{d}, depth+1))
		}
		return d
	case hlo.OpCustomCall:
		if in.Operands[0].Shape.Compatible(in.Shape) {
			return first
		}
		return nil
	}
	if !in.Shape.IsArray() || !in.Operands[0].Shape.IsArray() {
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

// once drops an axis from all dimensions but the first that it divides: an axis divides an array once.
func once(d *division) *division {
	seen := map[string]bool{}
	for i, axes := range d.dims {
		var kept []string
		for _, x := range axes {
			if !seen[x] {
				seen[x] = true
				kept = append(kept, x)
			}
		}
		d.dims[i] = kept
	}
	return d
}
