package rules

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func convolutionRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Convolution: {Name: "convolution", Stage: rule.Constrain,
			Text: "the matrix unit's order for a convolution", Evidence: []string{"conv_dilated"},
			Doc: "A convolution is a dot: batch is M, input feature K, output feature N; spatial dimensions are " +
				"major (413 of 414 sizes).",
			Ops: hlo.Ops(hlo.OpConvolution), Sweep: rule.DotSweep, Constrain: e.convolution},
		rule.ConvSingleFeature: {Name: "conv-single-feature", Stage: rule.Constrain, Evidence: []string{"convolutions"},
			Doc: "A single output feature stays minor where the batch fills the rows, and only there."},
		rule.ConvBatchGroups: {Name: "conv-batch-groups", Stage: rule.Constrain, Evidence: []string{"conv_grad_depthwise",
			"conv_grad_swapped", "conv_grad_both"},
			Doc: "A convolution with batch groups, as a depthwise kernel's gradient, explores its second operand depth " +
				"first, whatever it is (8 of 8), and has its input feature minor where both orders take as much (10 of 10). It " +
				"copies an operand whose two minor dimensions are swapped where those of the other one are not (5 of 5; 0 of 23 " +
				"with both)."},
		rule.ReadSwapped: {Name: "read-swapped", Stage: rule.Copy, Evidence: []string{"conv_1d_nwc"},
			Doc: "A convolution reads an operand without a copy whose two minor dimensions are swapped (6 of 6 inputs, 12 of " +
				"12 kernels), unless it has batch groups and does not swap both (conv-batch-groups).",
			Ops: hlo.Ops(hlo.OpConvolution), Reads: e.readsSwapped},
	}
}

// readsSwapped reports whether a convolution reads an operand without a copy that has another order than it requests.
func (e *Set) readsSwapped(n flat.NodeID, have, want ordering.Order) bool {
	swapped := func(have, want ordering.Order) bool {
		a, b := e.Orders.Get(have), e.Orders.Get(want)
		return have != want && len(a) > 2 && len(b) == len(a) && slices.Equal(a[2:], b[2:])
	}
	if !e.isGrouped(e.G.Nodes[n].In) {
		return swapped(have, want)
	}
	turned := func(k int) bool { return swapped(e.MinorToMajor(e.G.Operand(n, k)), e.AsksFor(e.G.Slot(n, k)).Order) }
	return turned(0) && turned(1)
}

// isGrouped reports whether a convolution has batch groups.
func (e *Set) isGrouped(in *hlo.Instruction) bool {
	return e.On(rule.ConvBatchGroups) && in.Attr("batch_group_count") != nil
}

// spatialMajor returns an order with two dimensions minor and the spatial ones major, in label order.
func (e *Set) spatialMajor(labels string, minor, second int) ordering.Tiled {
	mm := []int{minor, second}
	for k := len(labels) - 3; k >= 0; k-- {
		mm = append(mm, strings.IndexByte(labels, "0123456789"[k]))
	}
	return e.Orders.Of(mm).Untiled()
}

func (e *Set) convolution(n flat.NodeID) {
	in := e.G.Nodes[n].In
	l, _ := in.DimLabels()
	out := in.Shape
	b, f := strings.IndexByte(l.Output, 'b'), strings.IndexByte(l.Output, 'f')
	fMinor, chosen := e.isMinor(n, f, b)
	if e.On(rule.ConvSingleFeature) && out.Dims[f] == 1 && out.Dims[b] == e.Target.Sublanes {
		fMinor, chosen = true, rule.ConvSingleFeature
	}
	minor, second := f, b
	if !fMinor {
		minor, second = b, f
	}
	e.SetInstruction(n, e.spatialMajor(l.Output, minor, second), constraint.Must,
		constraint.Cause{Rule: rule.Convolution, Chosen: chosen, Node: n})

	grouped := e.isGrouped(in)
	input := e.convOrder(in.Operands[0].Shape, l.Input, 'f', 'b', !fMinor)
	kernel := e.convOrder(in.Operands[1].Shape, l.Kernel, 'o', 'i', true)
	if !fMinor || grouped {
		kernel = e.convOrder(in.Operands[1].Shape, l.Kernel, 'i', 'o', false)
	}
	for k, o := range []ordering.Tiled{input, kernel} {
		dfs := e.isSliceLike(e.G.Operand(n, k)) || k == 1 && grouped
		e.SetOperand(n, k, o, constraint.Flags{Mandatory: true, DFS: dfs}, constraint.Because(rule.Convolution, n))
	}
}

// convOrder orders a convolution operand: spatial dimensions major; minor and second by padded size; among equals the
// logical order if keep, else the letter minor.
func (e *Set) convOrder(s *hlo.Shape, labels string, minor, second byte, keep bool) ordering.Tiled {
	i, j := strings.IndexByte(labels, minor), strings.IndexByte(labels, second)
	pair := e.MinorPair(multiplied, s.Dims, i, j, keep)
	return e.spatialMajor(labels, pair[0], pair[1])
}
