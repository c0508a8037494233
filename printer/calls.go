package printer

import (
	"slices"

	"hlolayout/hlo"
)

// calls prints the computations that the attributes name.
func (p *canonical) calls(in *hlo.Instruction) {
	if len(in.Called()) == 0 {
		return
	}
	called := p.calledAttrs(in)
	for _, key := range callOrder {
		i := slices.IndexFunc(called, func(c calledAttr) bool { return c.key == key })
		if i < 0 || len(called[i].computations) == 0 {
			continue
		}
		c := called[i]
		if in.Opcode == hlo.OpCustomCall && key == "to_apply" {
			key, c.listed = "called_computations", true
		}
		p.text(", " + key + "=")
		if c.listed {
			p.text("{")
		}
		for i, callee := range c.computations {
			if i > 0 {
				p.text(", ")
			}
			p.computationName(callee)
		}
		if c.listed {
			p.text("}")
		}
	}
}

// callOrder is the order in which the calling attributes print.
var callOrder = []string{"condition", "body", "select", "scatter", "true_computation", "false_computation",
	"branch_computations", "to_apply", "called_computations", "calls"}

// calledAttr is a calling attribute, with the computations it names.
type calledAttr struct {
	key          string
	listed       bool // in braces
	computations []*hlo.Computation
}

func (p *canonical) calledAttrs(in *hlo.Instruction) []calledAttr {
	var out []calledAttr
	rest := in.Called()
	for _, a := range in.Attrs {
		if !a.Key.Called {
			continue
		}
		n := min(a.Value.CalledCount(), len(rest))
		out = append(out, calledAttr{a.Key.Name, a.Value.Kind == hlo.ListValue, rest[:n]})
		rest = rest[n:]
	}
	return out
}
