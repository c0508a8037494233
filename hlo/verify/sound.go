package verify

import (
	"slices"

	"hlolayout/hlo"
)

// Sound returns what passes cannot work with, sorted by position: operand counts and kinds, dimension numbers, sizes,
// called computations and their parameters that do not fit each other. These are findings of Module as well; what
// Module says about element types, the layouts of values, attributes without a size and groups of devices is left out,
// for no pass relies on it.
func Sound(m *hlo.Module) hlo.ErrorList {
	c := &checker{m: m, shapes: map[*hlo.Shape]shapeFacts{}}
	for _, comp := range m.Computations {
		for _, in := range comp.Instructions {
			if err := sound(in); err != nil {
				c.report(in, err)
			}
		}
	}
	if params, result, ok := m.EntryLayout(); ok {
		c.entryLayouts(params, result)
	}
	c.list.Sort()
	return c.list
}

// structural are the codes of infer that Sound has.
var structural = []string{VER101, VER102, VER104, VER105, VER106, VER107, VER108, VER109, VER201, VER202, VER203,
	VER204, VER205, VER206}

func sound(in *hlo.Instruction) error {
	switch {
	case in.Shape == nil:
		return fail(VER110, "it has no result shape")
	case unbounded(in.Shape):
		return fail(VER113, "its shape %s has a dimension without a bound, and so no size and no layout",
			bare(in.Shape))
	case in.Opcode == hlo.OpUnknown, in.Opcode.Elementwise() && sameSizes(in):
		return nil
	}
	want, err := infer(in)
	switch {
	case err != nil:
		e, ok := err.(*hlo.Error)
		// The layouts that a custom call requires.
		asked := ok && in.Opcode == hlo.OpCustomCall && (e.Code == VER301 || e.Code == VER302 || e.Code == VER303)
		if ok && !asked && !slices.Contains(structural, e.Code) {
			return nil
		}
		return err
	case want != nil && !remade[in.Opcode] && !compatibleDims(want, in.Shape):
		return fail(VER110, "its operands and attributes give %s, but it is declared %s", bare(want), bare(in.Shape))
	case in.Opcode.Elementwise():
		return sameDims(in)
	}
	return nil
}

// sameSizes reports whether in has operands, and all are arrays with the sizes of its result.
func sameSizes(in *hlo.Instruction) bool {
	for _, o := range in.Operands {
		if o.Shape != in.Shape && (o.Shape == nil || !o.Shape.IsArray() || !compatibleDims(o.Shape, in.Shape)) {
			return false
		}
	}
	least, _ := in.Opcode.Arity()
	return in.Shape.IsArray() && len(in.Operands) >= least
}
