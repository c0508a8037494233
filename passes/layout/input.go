package layout

import (
	"fmt"

	"hlolayout/hlo"
)

// calleesFirst returns the computations with every callee before its callers, otherwise in the order of the text.
func calleesFirst(m *hlo.Module) ([]*hlo.Computation, error) {
	if m.Entry == nil {
		return nil, fmt.Errorf("module %s has no entry computation", m.Name)
	}
	known := make(map[*hlo.Computation]bool, len(m.Computations))
	for _, c := range m.Computations {
		known[c] = true
		if len(c.Instructions) == 0 || c.Root == nil || c.Root.Computation != c {
			return nil, fmt.Errorf("computation %%%s has no root instruction", c.Name)
		}
		for i, in := range c.Instructions {
			if in.Computation != c || int(in.Index) != i {
				return nil, fmt.Errorf("computation %%%s: instruction %%%s is not numbered", c.Name, in.Name)
			}
		}
	}
	const onStack, done = 1, 2
	state := make(map[*hlo.Computation]int, len(known))
	var out []*hlo.Computation
	type frame struct {
		c        *hlo.Computation
		in, call int
	}
	var stack []frame
	for _, root := range m.Computations {
		if state[root] != 0 {
			continue
		}
		state[root] = onStack
		stack = append(stack, frame{c: root})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.in == len(f.c.Instructions) {
				state[f.c] = done
				out = append(out, f.c)
				stack = stack[:len(stack)-1]
				continue
			}
			in := f.c.Instructions[f.in]
			if f.call == len(in.Called) {
				f.in, f.call = f.in+1, 0
				continue
			}
			callee := in.Called[f.call]
			f.call++
			switch {
			case callee == nil || !known[callee]:
				return nil, fmt.Errorf("computation %%%s, instruction %%%s: calls a computation that the module does not have", f.c.Name, in.Name)
			case state[callee] == onStack:
				return nil, fmt.Errorf("computation %%%s, instruction %%%s: computation %%%s calls itself", f.c.Name, in.Name, callee.Name)
			case state[callee] == 0:
				state[callee] = onStack
				stack = append(stack, frame{c: callee})
			}
		}
	}
	return out, nil
}

// dims is a list of dimension numbers that is to be checked against a rank.
type dims struct {
	what string
	list []int
	rank int
}

// noShape stands for the shape of an operand that is not there.
var noShape hlo.Shape

// checkShapes refuses instructions whose attributes do not fit their shapes where the pass would rely on them.
func checkShapes(in *hlo.Instruction, fail func(string, ...any) error) error {
	operand := func(k int) *hlo.Shape {
		if k < len(in.Operands) {
			return in.Operands[k].Shape
		}
		return &noShape
	}
	result := in.Shape
	if result.IsTuple() && len(result.Elems) > 0 {
		result = result.Elems[0]
	}
	lists := make([]dims, 0, 8)
	add := func(name string, rank int) []int {
		l := in.Ints(name)
		lists = append(lists, dims{name, l, rank})
		return l
	}
	a, b := operand(0), operand(1)
	switch in.Opcode {
	case hlo.OpBroadcast:
		if l := add("dimensions", result.Rank()); len(l) != a.Rank() {
			return fail("%d broadcast dimensions for an operand of rank %d", len(l), a.Rank())
		}
	case hlo.OpTranspose:
		if l := add("dimensions", a.Rank()); len(l) != a.Rank() || a.Rank() != result.Rank() {
			return fail("the permutation has %d dimensions, the operand %d, the result %d", len(l), a.Rank(), result.Rank())
		}
	case hlo.OpReshape:
		x, ok1 := a.Elements()
		y, ok2 := result.Elements()
		if !ok1 || !ok2 || x != y {
			return fail("reshape of %s to %s changes the number of elements", a, result)
		}
	case hlo.OpReduce:
		if l := add("dimensions", a.Rank()); a.Rank()-len(l) != result.Rank() {
			return fail("%d dimensions of %d are reduced, the result has %d", len(l), a.Rank(), result.Rank())
		}
		for k := range len(in.Operands) / 2 {
			if in.Shape.IsTuple() && (operand(k).Rank() != a.Rank() || len(in.Shape.Elems) != len(in.Operands)/2) {
				return fail("the operands of a reduce differ in rank or number")
			}
		}
	case hlo.OpConcatenate, hlo.OpSort:
		l := add("dimensions", a.Rank())
		if len(l) != 1 {
			return fail("dimensions names %d dimensions, not one", len(l))
		}
		for k := range in.Operands {
			if operand(k).Rank() != a.Rank() {
				return fail("operands of different rank")
			}
		}
	case hlo.OpAllToAll:
		add("dimensions", result.Rank())
	case hlo.OpDot:
		lb, lc := add("lhs_batch_dims", a.Rank()), add("lhs_contracting_dims", a.Rank())
		rb, rc := add("rhs_batch_dims", b.Rank()), add("rhs_contracting_dims", b.Rank())
		if len(lb) != len(rb) || len(lc) != len(rc) || a.Rank()+b.Rank()-len(lb)-2*len(lc) != result.Rank() {
			return fail("dot dimensions do not fit the shapes %s, %s, %s", a, b, result)
		}
	case hlo.OpConvolution:
		if _, err := convLabels(in); err != nil {
			return fail("%v", err)
		}
	case hlo.OpGather:
		lists = append(lists, dims{"collapsed_slice_dims", append(in.Ints("collapsed_slice_dims"), in.Ints("operand_batching_dims")...), a.Rank()})
		add("offset_dims", result.Rank())
		if len(in.Ints("slice_sizes")) != a.Rank() {
			return fail("slice_sizes has not one number per dimension of %s", a)
		}
		if len(lists[0].list)+len(lists[1].list) != a.Rank() {
			return fail("offset_dims does not fit the slice")
		}
	case hlo.OpScatter:
		if len(in.Operands)%2 == 0 {
			return fail("scatter has %d operands", len(in.Operands))
		}
		u := operand(updatesAt(in))
		lists = append(lists, dims{"inserted_window_dims", append(in.Ints("inserted_window_dims"), in.Ints("input_batching_dims")...), a.Rank()})
		if w := add("update_window_dims", u.Rank()); len(w)+len(lists[0].list) != a.Rank() {
			return fail("update_window_dims does not fit the operand")
		}
	case hlo.OpWhile, hlo.OpConditional, hlo.OpCall, hlo.OpAsyncStart, hlo.OpFusion:
	}
	for _, l := range lists {
		seen := make([]bool, l.rank)
		for _, d := range l.list {
			if d < 0 || d >= l.rank || seen[d] {
				return fail("%s={...%d...} is no list of dimensions of rank %d", l.what, d, l.rank)
			}
			seen[d] = true
		}
	}
	return nil
}

// checkCalls refuses calls whose computations do not take the operands or do not give the result.
func (g *graph) checkCalls(c *comp) error {
	for n := c.first; n < c.end; n++ {
		in := g.nodes[n].in
		fail := func(what string) error {
			return fmt.Errorf("computation %%%s, instruction %%%s: %s", c.c.Name, in.Name, what)
		}
		switch in.Opcode {
		case hlo.OpWhile:
			cond, body := in.CalledBy("condition"), in.CalledBy("body")
			if cond == nil || body == nil {
				return fail("while without condition or body")
			}
			if !takes(cond, in.Operands) || !takes(body, in.Operands) || !body.Root.Shape.Compatible(in.Shape) ||
				!in.Operands[0].Shape.Compatible(in.Shape) {
				return fail("the shapes of init, condition, body and result differ")
			}
		case hlo.OpConditional:
			bs := in.Branches()
			if len(bs) != len(in.Operands)-1 {
				return fail(fmt.Sprintf("%d branches, %d operands for them", len(bs), len(in.Operands)-1))
			}
			for i, b := range bs {
				if !takes(b, in.Operands[i+1:i+2]) || !b.Root.Shape.Compatible(in.Shape) {
					return fail("branch %" + b.Name + " does not take the operand or give the result")
				}
			}
		case hlo.OpCall, hlo.OpFusion:
			if len(in.Called) == 0 {
				return fail(in.OpName() + " calls nothing")
			}
			if b := in.Called[0]; !takes(b, in.Operands) || !b.Root.Shape.Compatible(in.Shape) {
				return fail("computation %" + b.Name + " does not take the operands or give the result")
			}
		}
		if b := in.CalledBy("calls"); b != nil && in.Opcode == hlo.OpAsyncStart && !takes(b, in.Operands) {
			return fail("computation %" + b.Name + " does not take the operands")
		}
		for _, b := range in.Called {
			if i := g.compOf[b]; i < 0 && in.Opcode != hlo.OpFusion {
				return fail("computation %" + b.Name + " is also the body of a fusion")
			}
		}
	}
	return nil
}

func takes(c *hlo.Computation, operands []*hlo.Instruction) bool {
	ps := c.Parameters()
	if len(ps) != len(operands) {
		return false
	}
	for i, p := range ps {
		if p == nil || !p.Shape.Compatible(operands[i].Shape) {
			return false
		}
	}
	return true
}
