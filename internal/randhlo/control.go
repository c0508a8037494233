package randhlo

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// some draws between lo and hi of the arrays; the same one can come twice.
func (c *comp) some(lo, hi int) []*value {
	out := make([]*value, c.int(lo, hi))
	for i := range out {
		out[i] = c.choose(anything)
	}
	return out
}

// loop carries a counter and some arrays.
func loop(c *comp) {
	carried := append([]*value{c.constant(hlo.S32, "0")}, c.some(1, 3)...)
	init := c.tuple(carried...)

	cond := c.inner("cond")
	counter := cond.elements(cond.parameter(init.shape))[0]
	limit := cond.literal(array(hlo.S32), "constant", fmt.Sprint(c.int(1, 9)))
	cond.finish("", cond.instruction(array(hlo.Pred), "compare", []*value{counter, limit}, "direction=LT"))

	body := c.inner("body")
	parts := body.elements(body.parameter(init.shape))
	next := body.instruction(array(hlo.S32), "add", []*value{parts[0], body.constant(hlo.S32, "1")})
	body.operations(c.int(1, 4))
	out := []*value{next}
	for _, p := range parts[1:] {
		out = append(out, body.result(p.shape))
	}
	body.finish("", body.tuple(out...))
	c.elements(c.instruction(init.shape, "while", []*value{init}, "condition=%"+cond.name, "body=%"+body.name))
}

// result returns a value of the shape: of those that there are the last one without use, else one of them.
func (c *comp) result(s *hlo.Shape) *value {
	for _, v := range slices.Backward(c.values) {
		if !v.used && v.shape.Equal(s) {
			v.used = true
			return v
		}
	}
	return c.choose(s.Equal)
}

func conditional(c *comp) {
	from := c.some(1, 2)
	result := from[0].shape
	branches, selector := 2, array(hlo.Pred)
	if c.bool() {
		branches, selector = c.int(1, 3), array(hlo.S32)
	}
	s := c.choose(selector.Equal)
	if s == nil {
		s = c.supply(selector)
	}
	operands := []*value{s}
	var names []string
	for range branches {
		b := c.inner("branch")
		operand := from[0]
		if c.bool() {
			operand = c.tuple(from...)
		}
		operands = append(operands, operand)
		b.elements(b.parameter(operand.shape))
		b.operations(c.int(1, 3))
		b.finish("", b.result(result))
		names = append(names, "%"+b.name)
	}
	attr := []string{"branch_computations={" + join(names) + "}"}
	if selector.DType == hlo.Pred {
		attr = []string{"true_computation=" + names[0], "false_computation=" + names[1]}
	}
	c.instruction(result, "conditional", operands, attr...)
}

func join(words []string) string {
	out := ""
	for i, w := range words {
		if i > 0 {
			out += ", "
		}
		out += w
	}
	return out
}

func call(c *comp) { c.calls("call", "to_apply=%", false) }

func fusion(c *comp) { c.calls("fusion", "kind=kLoop, calls=%", true) }

func (c *comp) calls(opcode, attr string, fused bool) {
	operands := c.some(1, 3)
	f := c.inner(opcode)
	f.fused = fused
	for _, o := range operands {
		f.parameter(o.shape)
	}
	f.operations(c.int(1, 4))
	root := f.root(false)
	// a fusion of nothing would have one layout for what it takes and gives
	if fused && strings.Contains(root.text, " parameter(") {
		root = f.instruction(root.shape, "copy", []*value{root})
	}
	f.finish("", root)
	c.elements(c.instruction(root.shape, opcode, operands, attr+f.name))
}

// tuples wraps arrays in a tuple of tuples, with a barrier around it or not, and takes it apart.
func tuples(c *comp) {
	t := c.tuple(c.some(1, 3)...)
	if c.bool() {
		t = c.tuple(t, c.choose(anything))
	}
	if c.bool() {
		t = c.instruction(t.shape, "opt-barrier", []*value{t})
	}
	c.elements(t)
}

func (c *comp) tupleParameter() {
	s := hlo.NewTuple(c.shape(), hlo.NewTuple(c.shape()))
	c.elements(c.parameter(s))
}

// collective is one over all four replicas, or over two pairs of them.
func collective(c *comp) {
	v := c.choose(isFullArray)
	if v == nil || c.depth > 0 { // a branch that one replica takes and another does not would wait for ever
		return
	}
	c.replicas = true
	groups, n := "replica_groups={{0,1,2,3}}", int64(4)
	if c.bool() {
		groups, n = "replica_groups={{0,1},{2,3}}", 2
	}
	d, dims, at := v.shape.DType, slices.Clone(v.shape.Dims), c.int(0, v.shape.Rank()-1)
	dimensions := fmt.Sprintf("dimensions={%d}", at)
	apply := "to_apply=" + c.region(associative[d.Class()][0], d)
	switch kind := c.int(0, 4); {
	case kind == 0:
		c.instruction(v.shape, "all-reduce", []*value{v}, groups, apply)
	case kind == 1 && elements(dims)*n <= maxElements:
		dims[at] *= n
		c.instruction(array(d, dims...), "all-gather", []*value{v}, groups, dimensions)
	case kind == 2 && dims[at]%n == 0:
		dims[at] /= n
		c.instruction(array(d, dims...), "reduce-scatter", []*value{v}, groups, dimensions, apply)
	case kind == 3 && dims[at]%n == 0:
		c.instruction(v.shape, "all-to-all", []*value{v}, groups, dimensions)
	default:
		c.instruction(v.shape, "collective-permute", []*value{v}, "source_target_pairs={{0,1},{1,2},{2,3},{3,0}}")
	}
}

// customCall is one with a target that nobody knows, asking for layouts or not, or XLA's request for a layout.
func customCall(c *comp) {
	v := c.choose(isArray)
	if v == nil {
		return
	}
	order := hlo.Layout{MinorToMajor: c.permutation(v.shape.Rank())}
	asked := v.shape.WithLayout(&order)
	switch kind := c.int(0, 2); {
	case kind == 0:
		c.instruction(v.shape, "custom-call", []*value{v}, `custom_call_target="unknown"`)
	case kind == 1 ||
		// at the root of a branch whose conditional wants another layout, a LayoutConstraint is not kept yet
		c.depth > 0:
		s := c.instruction(asked, "custom-call", []*value{v}, `custom_call_target="unknown"`,
			"operand_layout_constraints={"+c.ordered(v.shape)+"}")
		s.shape = v.shape
	default:
		s := c.instruction(asked, "custom-call", []*value{v}, `custom_call_target="LayoutConstraint"`,
			"operand_layout_constraints={"+asked.String()+"}")
		s.shape = v.shape
	}
}
