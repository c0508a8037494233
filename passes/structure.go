package passes

import (
	"fmt"

	"hlolayout/hlo"
)

// structure says what is wrong with a module's graph: what the passes rely on whatever the operations mean.
func structure(m *hlo.Module) error {
	var list hlo.ErrorList
	report := func(in *hlo.Instruction, format string, args ...any) {
		e := &hlo.Error{File: m.File, Msg: "%" + in.Name + ": " + fmt.Sprintf(format, args...)}
		e.Line, e.Col = m.Position(in.Pos)
		list = append(list, e)
	}
	for _, c := range m.Computations {
		for i, in := range c.Instructions {
			switch {
			case in.Computation != c || int(in.Index) != i:
				report(in, "is not numbered")
				continue
			case in.Shape == nil:
				report(in, "has no shape")
			}
			for _, o := range in.Operands {
				if o == nil || o.Computation != c || o.Index >= in.Index {
					report(in, "an operand does not stand before it in its computation")
				}
			}
		}
		if len(c.Instructions) == 0 || c.Root == nil || c.Root.Computation != c {
			list = append(list, &hlo.Error{File: m.File, Msg: "computation %" + c.Name + " has no root instruction"})
		}
	}
	list.Sort()
	return list.Err()
}
