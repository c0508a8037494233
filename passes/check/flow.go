package check

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// instruction checks an instruction against its operands and what it calls.
func (c *checker) instruction(in *hlo.Instruction) {
	switch in.Opcode {
	case hlo.OpBroadcast:
		c.broadcast(in)
	case hlo.OpTranspose:
		c.transpose(in)
	case hlo.OpReshape:
		c.reshape(in)
	case hlo.OpReduce:
		c.reduce(in)
	case hlo.OpTuple:
		for i, o := range in.Operands {
			if i < len(in.Shape.Elems) {
				c.agree(in, "LAY120", o.Shape, in.Shape.Elems[i], "its element is %s, the tuple has %s")
			}
		}
	case hlo.OpGetTupleElement:
		if k, ok := in.Attr("index").Int(); ok {
			if e := in.Operands[0].Shape.At(hlo.Index{int(k)}); e != nil {
				c.agree(in, "LAY120", e, in.Shape, "the tuple has %s, its element is %s")
			}
		}
	case hlo.OpOptBarrier, hlo.OpDomain, hlo.OpAddDependency:
		c.agree(in, "LAY120", in.Operands[0].Shape, in.Shape, "the operand is %s, the result %s")
	case hlo.OpWhile:
		c.while(in)
	case hlo.OpConditional, hlo.OpCall, hlo.OpFusion, hlo.OpAsyncStart:
		c.calls(in)
	case hlo.OpCustomCall:
		c.customCall(in)
	default:
		if in.Opcode.Flow() == hlo.FlowKeep {
			c.keep(in)
		}
	}
}

// keep checks that all arrays of the result's rank have one order. Operands that only index, such as the
// starts of a dynamic-slice or the indices of a gather, are of another rank or do not count.
func (c *checker) keep(in *hlo.Instruction) {
	operands := in.Operands
	switch in.Opcode {
	case hlo.OpScatter:
		operands = operands[:(len(operands)-1)/2]
	case hlo.OpBitcastConvert, hlo.OpDynamicSlice:
		operands = operands[:1]
	case hlo.OpDynamicUpdateSlice:
		operands = operands[:2]
	}
	var first *hlo.Shape
	check := func(s *hlo.Shape) {
		if !s.IsArray() || s.Rank() < 2 {
			return
		}
		if first == nil {
			first = s
		}
		if s.Rank() == first.Rank() && !slices.Equal(s.MinorToMajor(), first.MinorToMajor()) {
			c.report(in, "LAY110", "%s and %s have different orders", first, s)
		}
	}
	if in.Shape.IsTuple() && len(in.Shape.Elems) == len(operands) && in.Opcode != hlo.OpSort {
		// Each result is that of one operand, as of a combined all-reduce.
		for k, o := range operands {
			first = nil
			check(in.Shape.Elems[k])
			check(o.Shape)
		}
		return
	}
	in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) { check(s) })
	for _, o := range operands {
		check(o.Shape)
	}
}

// only returns the order of the dimensions for which keep is true, renumbered.
func only(order []int, keep func(int) bool) []int {
	var out []int
	for _, d := range order {
		if !keep(d) {
			continue
		}
		n := 0
		for e := range d {
			if keep(e) {
				n++
			}
		}
		out = append(out, n)
	}
	return out
}

func (c *checker) broadcast(in *hlo.Instruction) {
	dims := in.Ints("dimensions")
	var want []int
	for _, d := range in.Shape.MinorToMajor() {
		if k := slices.Index(dims, d); k >= 0 {
			want = append(want, k)
		}
	}
	if o := in.Operands[0].Shape; o.Rank() > 1 && !slices.Equal(want, o.MinorToMajor()) {
		c.report(in, "LAY111", "the result %s wants its operand in the order %v, it is %s", in.Shape, want, o)
	}
}

func (c *checker) transpose(in *hlo.Instruction) {
	perm, o := in.Ints("dimensions"), in.Operands[0].Shape
	if len(perm) != o.Rank() || !hlo.IsPermutation(perm) {
		return
	}
	for i, d := range in.Shape.MinorToMajor() {
		if o.MinorToMajor()[i] != perm[d] {
			c.report(in, "LAY112", "%s with dimensions=%v is not %s in another name", o, perm, in.Shape)
			return
		}
	}
}

// reshape checks that a reshape moves nothing: both sides list the elements in one order, or have equal layouts under
// their tiles.
func (c *checker) reshape(in *hlo.Instruction) {
	a, b := in.Operands[0].Shape, in.Shape
	if n, ok := a.Elements(); !ok || n == 0 || sameSequence(a, b) {
		return
	}
	x, err1 := tiled.New(a)
	y, err2 := tiled.New(b)
	if err1 == nil && err2 == nil {
		if m, err := tiled.ReshapeBitcast(x, y); err == nil && m == tiled.SameBytes {
			return
		}
	}
	c.report(in, "LAY113", "%s and %s list the elements differently", a, b)
}

// sameSequence reports whether two arrays list their elements in one order, tiles aside: walking both from minor to
// major, every step that has covered equally many elements on both sides has covered the same stretch of the logical
// order.
func sameSequence(a, b *hlo.Shape) bool {
	i, j := 0, 0
	x, y := strides(a), strides(b)
	for i < len(x) || j < len(y) {
		if i == len(x) || j == len(y) || x[i].step != y[j].step {
			return false
		}
		switch m, n := x[i].size, y[j].size; {
		case m == n:
			i, j = i+1, j+1
		case m > n && m%n == 0:
			x[i] = stride{x[i].step * n, m / n}
			j++
		case n > m && n%m == 0:
			y[j] = stride{y[j].step * m, n / m}
			i++
		default:
			return false
		}
	}
	return true
}

// stride is a run of size elements that are step apart in row-major order.
type stride struct{ step, size int64 }

// strides returns the runs of an array in its physical order, minor first, without dimensions of size 1; runs that
// continue one another are one.
func strides(s *hlo.Shape) []stride {
	step := make([]int64, s.Rank())
	n := int64(1)
	for d := s.Rank() - 1; d >= 0; d-- {
		step[d] = n
		n *= s.Dims[d]
	}
	var out []stride
	for _, d := range s.MinorToMajor() {
		if s.Dims[d] == 1 {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].step*out[k].size == step[d] {
			out[k].size *= s.Dims[d]
			continue
		}
		out = append(out, stride{step[d], s.Dims[d]})
	}
	return out
}

func (c *checker) reduce(in *hlo.Instruction) {
	dims := in.Ints("dimensions")
	o := in.Operands[0].Shape
	want := only(o.MinorToMajor(), func(d int) bool { return !slices.Contains(dims, d) })
	in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) {
		if s.Rank() > 1 && !slices.Equal(want, s.MinorToMajor()) {
			c.report(in, "LAY114", "the operand %s gives the order %v, the result is %s", o, want, s)
		}
	})
}

func (c *checker) while(in *hlo.Instruction) {
	body, cond := in.CalledBy("body"), in.CalledBy("condition")
	if body == nil || cond == nil || len(in.Operands) != 1 {
		return
	}
	places := []*hlo.Shape{in.Operands[0].Shape, body.Root.Shape}
	for _, comp := range []*hlo.Computation{body, cond} {
		if ps := comp.Parameters(); len(ps) == 1 && ps[0] != nil {
			places = append(places, ps[0].Shape)
		}
	}
	for _, s := range places {
		c.agree(in, "LAY121", s, in.Shape, "the loop has %s in one place and the result %s")
	}
}

// calls checks each computation that an operation runs. Of an async-start it is the one of calls=, unless only the
// first of its results are bound.
func (c *checker) calls(in *hlo.Instruction) {
	for i, callee := range in.Called() {
		switch {
		case in.Opcode == hlo.OpConditional:
			if i+1 < len(in.Operands) {
				c.called(in, callee, in.Operands[i+1:i+2], in.Shape)
			}
		case in.Opcode != hlo.OpAsyncStart:
			c.called(in, callee, in.Operands, in.Shape)
		case callee == in.CalledBy("calls"):
			if result := in.Shape.At(hlo.Index{1}); result != nil && result.Compatible(callee.Root.Shape) {
				c.called(in, callee, in.Operands, result)
			}
		}
	}
}

// called checks a called computation against the operands that it gets and the result that is made of its root.
func (c *checker) called(in *hlo.Instruction, callee *hlo.Computation, operands []*hlo.Instruction,
	result *hlo.Shape) {

	for i, p := range callee.Parameters() {
		if p != nil && i < len(operands) {
			c.agree(in, "LAY122", operands[i].Shape, p.Shape, "the operand is %s, %%"+callee.Name+" takes %s")
		}
	}
	c.agree(in, "LAY122", callee.Root.Shape, result, "%%"+callee.Name+" gives %s, the result is %s")
}

func (c *checker) customCall(in *hlo.Instruction) {
	v := in.Attr("operand_layout_constraints")
	if v == nil {
		return
	}
	if t := in.Attr("custom_call_target"); t != nil && t.Text == `"LayoutConstraint"` {
		c.agree(in, "LAY123", in.Operands[0].Shape, in.Shape, "the operand is %s, the result %s")
		return
	}
	for i, o := range in.Operands {
		if i < len(v.Elems) && v.Elems[i].Shape != nil {
			c.agree(in, "LAY123", v.Elems[i].Shape, o.Shape, "it requires %s and gets %s")
		}
	}
}
