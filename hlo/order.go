package hlo

// Use is one place where a value is used: operand number Operand of User.
type Use struct {
	User    *Instruction
	Operand int32
}

// Uses are the use lists of one computation.
type Uses struct {
	start []int32
	list  []Use
}

// Uses builds the use lists: for each instruction its uses, users in the order of the text, operands ascending.
// They are a snapshot; later edits do not show.
func (c *Computation) Uses() Uses {
	u := Uses{start: make([]int32, len(c.Instructions)+1)}
	for _, in := range c.Instructions {
		for _, o := range in.Operands {
			u.start[o.Index+1]++
		}
	}
	for i := range c.Instructions {
		u.start[i+1] += u.start[i]
	}
	u.list = make([]Use, u.start[len(c.Instructions)])
	next := make([]int32, len(c.Instructions))
	copy(next, u.start)
	for _, in := range c.Instructions {
		for k, o := range in.Operands {
			u.list[next[o.Index]] = Use{in, int32(k)}
			next[o.Index]++
		}
	}
	return u
}

// Of returns the uses of one instruction; a user that takes it twice is there twice.
func (u Uses) Of(in *Instruction) []Use { return u.list[u.start[in.Index]:u.start[in.Index+1]] }

// PostOrder returns the computation's instructions, operands before users: from each instruction without users, in
// the order of the text, depth first with operands left to right (XLA's MakeInstructionPostOrder without control
// edges).
func (c *Computation) PostOrder() []*Instruction { return c.PostOrderAfter(nil) }

// PostOrderAfter is PostOrder with control edges: before returns an instruction's control predecessors, which are
// visited before its operands, the last one first, as in XLA.
func (c *Computation) PostOrderAfter(before func(*Instruction) []*Instruction) []*Instruction {
	out := make([]*Instruction, 0, len(c.Instructions))
	marks := make([]bool, 2*len(c.Instructions))
	used, done := marks[:len(c.Instructions)], marks[len(c.Instructions):]
	for _, in := range c.Instructions {
		for _, o := range in.Operands {
			used[o.Index] = true
		}
	}
	type frame struct {
		in      *Instruction
		control []*Instruction
		next    int
	}
	var space [16]frame // for small computations
	stack := space[:0]
	push := func(in *Instruction) {
		done[in.Index] = true
		f := frame{in: in}
		if before != nil {
			f.control = before(in)
		}
		stack = append(stack, f)
	}
	for _, root := range c.Instructions {
		if used[root.Index] || done[root.Index] {
			continue
		}
		push(root)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			var next *Instruction
			switch k := top.next - len(top.control); {
			case k < 0:
				next = top.control[-k-1]
			case k < len(top.in.Operands):
				next = top.in.Operands[k]
			default:
				out = append(out, top.in)
				stack = stack[:len(stack)-1]
				continue
			}
			top.next++
			if !done[next.Index] {
				push(next)
			}
		}
	}
	return out
}

// LinkCallers numbers the computations and fills in who calls each, in the order of the text. Parsing does it; a pass
// that adds or removes calls does it again.
func (m *Module) LinkCallers() {
	for i, c := range m.Computations {
		c.callers, c.Index = nil, int32(i)
	}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if len(in.Called()) == 0 {
				continue
			}
			at := 0
			for _, a := range in.Attrs {
				if !a.Key.Called {
					continue
				}
				for n := a.Value.CalledCount(); n > 0 && at < len(in.Called()); n-- {
					callee := in.Called()[at]
					callee.callers = append(callee.callers, Caller{in, a.Key})
					at++
				}
			}
		}
	}
}

// Callers returns the references to c as LinkCallers found them.
func (c *Computation) Callers() []Caller { return c.callers }

// IsFused reports whether c is the body of a fusion.
func (c *Computation) IsFused() bool {
	return len(c.callers) > 0 && c.callers[0].Instruction.Opcode == OpFusion
}
