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
			Ops: rule.Ops(hlo.OpConvolution), Sweep: rule.DotSweep, Constrain: e.convolution},
		rule.ConvSingleFeature: {Name: "conv-single-feature", Stage: rule.Constrain, Evidence: []string{"convolutions"},
			Doc: "A single output feature stays minor where the batch fills the rows, and only there."},
		rule.ConvBatchGroups: {Name: "conv-batch-groups", Stage: rule.Constrain, Evidence: []string{"conv_grad_depthwise"},
			Doc: "A convolution with batch groups, as a depthwise kernel's gradient, explores its second operand depth " +
				"first, whatever it is (8 of 8), and has its input feature minor where both orders take as much (10 of 10)."},
		rule.ReadSwapped: {Name: "read-swapped", Stage: rule.Copy, Evidence: []string{"conv_1d_nwc"},
			Doc: "A convolution reads an operand without a copy whose two minor dimensions are swapped (6 of 6 inputs, 12 of " +
				"12 kernels).",
			Ops: rule.Ops(hlo.OpConvolution), Reads: func(_ flat.NodeID, have, want ordering.Order) bool {
				a, b := e.Orders.Get(have), e.Orders.Get(want)
				return len(a) > 2 && a[0] == b[1] && a[1] == b[0] && slices.Equal(a[2:], b[2:])
			}},
	}
}

// spatialMajor returns an order with two dimensions minor and the spatial ones major, in label order.
func spatialMajor(labels string, minor, second int) []int {
	out := append(make([]int, 0, len(labels)), minor, second)
	for k := len(labels) - 3; k >= 0; k-- {
		out = append(out, strings.IndexByte(labels, "0123456789"[k]))
	}
	return out
}

func (e *Set) convolution(n flat.NodeID) {
	g := e.G
	in := g.Nodes[n].In
	l := flat.ConvLabels(in)
	why := constraint.Because(rule.Convolution, n)

	out := in.Shape
	b, f := strings.IndexByte(l.Output, 'b'), strings.IndexByte(l.Output, 'f')
	fFirst, chosen := e.isMinor(n, f, b)
	if e.On(rule.ConvSingleFeature) && out.Dims[f] == 1 && out.Dims[b] == e.Target.Sublanes {
		fFirst, chosen = true, rule.ConvSingleFeature
	}
	bFirst := !fFirst
	mm := spatialMajor(l.Output, f, b)
	if bFirst {
		mm = spatialMajor(l.Output, b, f)
	}
	e.SetInstruction(n, e.Orders.Of(mm).Untiled(), constraint.Must,
		constraint.Cause{Rule: rule.Convolution, Chosen: chosen, Node: n})

	input := in.Operands[0].Shape
	mm = e.convOrder(input, l.Input, 'f', 'b', bFirst)
	e.SetOperand(n, 0, e.Orders.Of(mm).Untiled(),
		constraint.Flags{Mandatory: true, DFS: e.isSliceLike(g.Operand(n, 0))}, why)
	kernel := in.Operands[1].Shape
	grouped := e.On(rule.ConvBatchGroups) && in.Attr("batch_group_count") != nil
	if bFirst || grouped {
		mm = e.convOrder(kernel, l.Kernel, 'i', 'o', false)
	} else {
		mm = e.convOrder(kernel, l.Kernel, 'o', 'i', true)
	}
	e.SetOperand(n, 1, e.Orders.Of(mm).Untiled(),
		constraint.Flags{Mandatory: true, DFS: grouped || e.isSliceLike(g.Operand(n, 1))}, why)
}

// convOrder orders a convolution operand: spatial dimensions major; minor and second by padded size; among equals the
// logical order if keep, else the letter minor.
func (e *Set) convOrder(s *hlo.Shape, labels string, minor, second byte, keep bool) []int {
	i, j := strings.IndexByte(labels, minor), strings.IndexByte(labels, second)
	pair := e.MinorPair(e.multiplied(s.DType), s.Dims, i, j, keep)
	return spatialMajor(labels, pair[0], pair[1])
}
