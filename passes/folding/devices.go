package folding

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/sharding"
)

// cuts are the custom calls that JAX makes of shard_map, with Shardy and before it: true for those that cut a value
// into the parts of the devices, false for those that join the parts.
var cuts = map[string]bool{
	`"xla.sdy.GlobalToLocalShape"`: true, `"SPMDFullToShardShape"`: true,
	`"xla.sdy.LocalToGlobalShape"`: false, `"SPMDShardToFullShape"`: false,
}

// markWhole marks the values of a program that is still to be divided among devices: the text has the whole value, and
// each device only a part of it. Between a cut and a join the text has one device's part.
func markWhole(m *hlo.Module, unsure map[*hlo.Instruction]string) {
	if !toDivide(m) {
		return
	}
	part, inParts := map[*hlo.Instruction]bool{}, map[*hlo.Computation]bool{}
	all := m.InMemory()
	for i := len(all) - 1; i >= 0; i-- { // callers come after what they call
		for _, in := range all[i].Instructions {
			if inParts[all[i]] || isPart(in, part) {
				part[in] = true
				for _, c := range in.Called() {
					inParts[c] = true
				}
			} else if unsure[in] == "" && !replicated(in) {
				unsure[in] = "each of the program's devices has a part of it"
			}
		}
	}
}

// toDivide reports whether the program runs on several devices, by the annotations of what it takes.
func toDivide(m *hlo.Module) bool {
	if n, ok := m.Attr("num_partitions").Int(); ok && n > 1 {
		return true
	}
	for _, p := range m.Entry.Parameters() {
		if p == nil {
			continue
		}
		leaf, divides := 0, false
		p.Shape.Leaves(func(_ hlo.Index, l *hlo.Shape) {
			parts, _ := sharding.Parts(sharding.Leaf(p.Attr("sharding"), leaf), l.Rank())
			divides = divides || sharding.Divides(parts)
			leaf++
		})
		if divides {
			return true
		}
	}
	return false
}

// cutBy reports whether an instruction is one of cuts, and what they say of it.
func cutBy(in *hlo.Instruction) (cut, known bool) {
	if target := in.Attr("custom_call_target"); target != nil {
		cut, known = cuts[target.Text]
	}
	return cut, known
}

// isPart reports whether a value is one device's part of an array, given which of its operands are.
func isPart(in *hlo.Instruction, part map[*hlo.Instruction]bool) bool {
	if cut, known := cutBy(in); known {
		return cut
	}
	return slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool { return part[o] })
}

// replicated reports whether an instruction is annotated as whole on every device, or as one device's part.
func replicated(in *hlo.Instruction) bool {
	parts, known := sharding.Parts(in.Attr("sharding"), in.Shape.Rank())
	return known && !sharding.Divides(parts)
}
