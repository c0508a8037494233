package flat

import (
	"fmt"
	"slices"

	"hlolayout/hlo"
)

// dims is a list of dimension numbers that is to be checked against a rank.
type dims struct {
	what string
	list []int
	rank int
}

// noShape stands for the shape of an operand that is not there.
var noShape hlo.Shape

// shapeCheck collects what is wrong with the attributes of one instruction.
type shapeCheck struct {
	in     *hlo.Instruction
	result *hlo.Shape // of a tuple the first element
	lists  []dims
	wrong  string
}

func (c *shapeCheck) operand(k int) *hlo.Shape {
	if k < len(c.in.Operands) {
		return c.in.Operands[k].Shape
	}
	return &noShape
}

// add notes an attribute that lists dimensions of an array of some rank, and returns the list.
func (c *shapeCheck) add(name string, rank int) []int {
	l := c.in.Ints(name)
	c.lists = append(c.lists, dims{name, l, rank})
	return l
}

// unless notes what is wrong where ok is false.
func (c *shapeCheck) unless(ok bool, format string, args ...any) {
	if !ok && c.wrong == "" {
		c.wrong = fmt.Sprintf(format, args...)
	}
}

// array notes a shape that is no array.
func (c *shapeCheck) array(s *hlo.Shape) {
	if !s.IsArray() { // what unless takes costs an allocation
		c.unless(false, "%s takes and gives arrays, not %s", c.in.OpName(), s)
	}
}

// shapeChecks are the checks of attributes that the pass relies on, by opcode.
var shapeChecks = [256]func(*shapeCheck){
	hlo.OpBroadcast: func(c *shapeCheck) {
		l, a := c.add("dimensions", c.result.Rank()), c.operand(0)
		c.array(c.in.Shape)
		c.unless(len(l) == a.Rank(), "%d broadcast dimensions for an operand of rank %d", len(l), a.Rank())
	},
	hlo.OpTranspose: func(c *shapeCheck) {
		a := c.operand(0)
		l := c.add("dimensions", a.Rank())
		c.unless(len(l) == a.Rank() && a.Rank() == c.result.Rank(),
			"the permutation has %d dimensions, the operand %d, the result %d", len(l), a.Rank(), c.result.Rank())
	},
	hlo.OpReshape: func(c *shapeCheck) {
		a := c.operand(0)
		x, ok1 := a.Elements()
		y, ok2 := c.result.Elements()
		c.array(c.in.Shape)
		c.unless(ok1 && ok2 && x == y, "reshape of %s to %s changes the number of elements", a, c.result)
	},
	hlo.OpReduce: func(c *shapeCheck) {
		a, count := c.operand(0), len(c.in.Operands)/2
		l := c.add("dimensions", a.Rank())
		c.unless(a.Rank()-len(l) == c.result.Rank(), "%d dimensions of %d are reduced, the result has %d", len(l),
			a.Rank(), c.result.Rank())
		for k := range count {
			c.unless(!c.in.Shape.IsTuple() || c.operand(k).Rank() == a.Rank() && len(c.in.Shape.Elems) == count,
				"the operands of a reduce differ in rank or number")
		}
	},
	hlo.OpConcatenate: oneDimension,
	hlo.OpSort:        oneDimension,
	hlo.OpAllToAll:    func(c *shapeCheck) { c.add("dimensions", c.result.Rank()) },
	hlo.OpDot: func(c *shapeCheck) {
		a, b := c.operand(0), c.operand(1)
		lb, lc := c.add("lhs_batch_dims", a.Rank()), c.add("lhs_contracting_dims", a.Rank())
		rb, rc := c.add("rhs_batch_dims", b.Rank()), c.add("rhs_contracting_dims", b.Rank())
		c.unless(len(lb) == len(rb) && len(lc) == len(rc) && a.Rank()+b.Rank()-len(lb)-2*len(lc) == c.result.Rank(),
			"dot dimensions do not fit the shapes %s, %s, %s", a, b, c.result)
	},
	hlo.OpConvolution: func(c *shapeCheck) {
		err := checkConvLabels(c.in)
		c.unless(err == nil, "%v", err)
	},
	hlo.OpGather: func(c *shapeCheck) {
		a := c.operand(0)
		collapsed := append(c.in.Ints("collapsed_slice_dims"), c.in.Ints("operand_batching_dims")...)
		c.lists = append(c.lists, dims{"collapsed_slice_dims", collapsed, a.Rank()})
		offset := c.add("offset_dims", c.result.Rank())
		c.unless(len(c.in.Ints("slice_sizes")) == a.Rank(), "slice_sizes has not one number per dimension of %s", a)
		c.unless(len(collapsed)+len(offset) == a.Rank(), "offset_dims does not fit the slice")
	},
	hlo.OpScatter: func(c *shapeCheck) {
		a := c.operand(0)
		if c.unless(len(c.in.Operands)%2 != 0, "scatter has %d operands", len(c.in.Operands)); c.wrong != "" {
			return
		}
		inserted := append(c.in.Ints("inserted_window_dims"), c.in.Ints("input_batching_dims")...)
		c.lists = append(c.lists, dims{"inserted_window_dims", inserted, a.Rank()})
		w := c.add("update_window_dims", c.operand(UpdatesAt(c.in)).Rank())
		c.unless(len(w)+len(inserted) == a.Rank(), "update_window_dims does not fit the operand")
	},
}

func oneDimension(c *shapeCheck) {
	a := c.operand(0)
	l := c.add("dimensions", a.Rank())
	c.unless(len(l) == 1, "dimensions names %d dimensions, not one", len(l))
	for k := range c.in.Operands {
		c.unless(c.operand(k).Rank() == a.Rank(), "operands of different rank")
	}
}

// CheckShapes refuses instructions whose attributes do not fit their shapes where the pass would rely on them.
func CheckShapes(in *hlo.Instruction, fail func(string, ...any) error) error {
	return new(shapeCheck).of(in, fail)
}

// of is CheckShapes with the memory of an earlier call.
func (c *shapeCheck) of(in *hlo.Instruction, fail func(string, ...any) error) error {
	check := shapeChecks[in.Opcode]
	if check == nil {
		return nil
	}
	*c = shapeCheck{in: in, result: in.Shape, lists: c.lists[:0]}
	if in.Shape.IsTuple() && len(in.Shape.Elems) > 0 {
		c.result = in.Shape.Elems[0]
	}
	for k := range in.Operands {
		c.array(c.operand(k))
	}
	c.array(c.result)
	if check(c); c.wrong != "" {
		return fail("%s", c.wrong)
	}
	for _, l := range c.lists {
		for i, d := range l.list {
			if d < 0 || d >= l.rank || slices.Contains(l.list[:i], d) {
				return fail("%s={...%d...} is not a list of dimensions of rank %d", l.what, d, l.rank)
			}
		}
	}
	return nil
}
