package memory

import (
	"slices"

	"hlolayout/hlo"
)

// sharing says which leaves are in one place.
type sharing struct {
	Name string
	// Doc says what shares its memory and why.
	Doc string
	// Evidence is where it comes from.
	Evidence string
	// apply joins leaves of node t with those that share their memory.
	apply func(e *engine, t int32, join func(a, b int32))
}

// sharings group values into buffers (XLA's HloAliasAnalysis).
var sharings = []sharing{
	{"loop", "What a loop starts with, carries, returns from its body and results in has one place.",
		"XLA: ComputeWhileAliasedValues", (*engine).shareLoop},
	{"conditional", "A conditional's result is in the place of what its branches return.",
		"XLA: ComputeConditionalAliasedValues", (*engine).shareBranches},
	{"update", "An array that is updated in place, by a fusion too, is in the place of its operand.",
		"XLA: HloDataflowAnalysis::GetInPlaceInputOutputPairs", (*engine).shareUpdate},
	{"permute", "A collective permute into a given array is in the place of that array.",
		"XLA: GetInPlaceInputOutputPairs, the in-place form of collective-permute-start", (*engine).sharePermute},
	{"aliasing", "A result is in the place of the operand that output_to_operand_aliasing names.",
		"XLA: HloFusionInstruction and HloCustomCallInstruction::output_to_operand_aliasing", (*engine).shareAliasing},
	{"offload", "What a scatter of another unit (SparseCore) makes is in the place of the array that it updates, unless " +
		"that is used later.",
		"output_to_operand_aliasing of the programs in the compiler's final modules", (*engine).shareOffload},
	{"donation", "A result of the program is in the place of the parameter that input_output_alias names.",
		"XLA: ComputeInputOutputAliasedValues", (*engine).shareDonated},
}

func (e *engine) shareLoop(t int32, join func(a, b int32)) {
	g, in := e.g, e.g.nodes[t].in
	if in.Opcode != hlo.OpWhile {
		return
	}
	cond, body := &g.comps[g.compOf[in.Sequential()[0]]], &g.comps[g.compOf[in.Sequential()[1]]]
	start := g.leaf0[g.timeOf(in.Operands[0])]
	out, n := g.leaf0[t], g.leaf0[t+1]-g.leaf0[t]
	for j := range n {
		for _, o := range []int32{start, g.leaf0[cond.params[0]], g.leaf0[body.params[0]], g.leaf0[body.root]} {
			join(out+j, o+j)
		}
	}
}

func (e *engine) shareBranches(t int32, join func(a, b int32)) {
	g, in := e.g, e.g.nodes[t].in
	if in.Opcode != hlo.OpConditional {
		return
	}
	for _, callee := range in.Called() {
		root := g.leaf0[g.comps[g.compOf[callee]].root]
		for j := range g.leaf0[t+1] - g.leaf0[t] {
			join(g.leaf0[t]+j, root+j)
		}
	}
}

func (e *engine) shareUpdate(t int32, join func(a, b int32)) {
	g, in := e.g, e.g.nodes[t].in
	switch in.Opcode {
	case hlo.OpDynamicUpdateSlice, hlo.OpScatter, hlo.OpFusion:
	default:
		return
	}
	for j := range g.leaf0[t+1] - g.leaf0[t] {
		if k := e.c.inPlace(in, int(j)); k >= 0 && len(g.info(in.Operands[k].Shape).Leaves) == 1 {
			join(g.leaf0[t]+j, g.leaf0[g.timeOf(in.Operands[k])])
		}
	}
}

func (e *engine) sharePermute(t int32, join func(a, b int32)) {
	g, in := e.g, e.g.nodes[t].in
	if in.Opcode == hlo.OpCollectivePermuteStart && len(in.Operands) == 4 && g.leaf0[t+1]-g.leaf0[t] > 1 {
		join(g.leaf0[t]+1, g.leaf0[g.timeOf(in.Operands[1])])
	}
}

func (e *engine) shareAliasing(t int32, join func(a, b int32)) {
	in := e.g.nodes[t].in
	if in.Opcode == hlo.OpAsyncStart {
		return
	}
	for _, a := range in.Aliases() {
		if a.Number < len(in.Operands) {
			e.shareAlias(a, t, e.g.timeOf(in.Operands[a.Number]), join)
		}
	}
}

func (e *engine) shareOffload(t int32, join func(a, b int32)) {
	g, in := e.g, e.g.nodes[t].in
	if !startsOffload(in) || !scatters(in, 0) {
		return
	}
	result := int32(0)
	for _, o := range in.Operands {
		result += int32(len(g.info(o.Shape).Leaves))
	}
	if l := g.leaf0[t] + result; l < g.leaf0[t+1] && result > 0 && !e.usedAfter(t) {
		join(l, g.leaf0[t])
	}
}

// usedAfter reports whether what asynchronous operation t has first is used after it starts, but by its own end. (Of
// 262 scatters in the compiler's modules for v6e and v7x 108 are: the results of these, and no others, have places of
// their own.)
func (e *engine) usedAfter(t int32) bool {
	g := e.g
	return slices.ContainsFunc(e.v.uses[e.v.at[g.leaf0[t]]], func(u int32) bool {
		user := g.nodes[g.useTime[u]].in
		return g.useTime[u] > t && (user.Opcode != hlo.OpAsyncDone || user.Operands[0] != g.nodes[t].in)
	})
}

// scatters reports whether the program that an instruction runs is a scatter, in whatever it calls.
func scatters(in *hlo.Instruction, depth int) bool {
	const deepest = 8
	if in.Opcode == hlo.OpScatter {
		return true
	}
	called := in.Called()
	if len(called) == 0 || called[0].Root == nil || depth == deepest {
		return false
	}
	root := through(called[0].Root)
	if root.Opcode == hlo.OpAsyncDone && len(root.Operands) > 0 {
		root = root.Operands[0]
	}
	return scatters(root, depth+1)
}

func (e *engine) shareDonated(t int32, join func(a, b int32)) {
	entry := &e.g.comps[e.g.compOf[e.g.m.Entry]]
	if t != entry.root {
		return
	}
	for _, a := range e.g.m.Aliases() {
		if a.Number < len(entry.params) && entry.params[a.Number] >= 0 {
			e.shareAlias(a, t, entry.params[a.Number], join)
		}
	}
}

// shareAlias joins the leaf of node t that an alias names with the leaf of the operand.
func (e *engine) shareAlias(a hlo.Alias, t, operand int32, join func(a, b int32)) {
	g := e.g
	to, from := g.leafAt(g.nodes[t].in.Shape, a.Output), g.leafAt(g.nodes[operand].in.Shape, a.Index)
	if to >= 0 && from >= 0 {
		join(g.leaf0[t]+to, g.leaf0[operand]+from)
	}
}
