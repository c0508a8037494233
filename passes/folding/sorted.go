package folding

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
)

// inSort is said of a copy that goes when a sort is turned.
const inSort = "no copy: the compiler sorts the second-minor dimension in its place"

// turnedSorts returns the sorts of a computation that the compiler turns after layout assignment, in its algebraic
// simplifier: sorts of the most minor dimension whose arrays take no more memory with the two minor dimensions
// exchanged. The sort then is of the second-minor dimension, and what exchanges these dimensions before or after it is
// no copy (all sorts of 60 probes for v5e; layout assignment itself gives sorts their minor dimension).
func (f *fuser) turnedSorts(c *hlo.Computation) (turned map[*hlo.Instruction]bool) {
	for _, in := range c.Instructions {
		if in.Opcode != hlo.OpSort || !turns(in) {
			continue
		}
		if turned == nil {
			turned = map[*hlo.Instruction]bool{}
		}
		turned[in] = true
	}
	return turned
}

// turns reports whether a sort is of the most minor dimension and takes no more memory when it is turned.
func turns(sort *hlo.Instruction) bool {
	s := sort.Operands[0].Shape
	dims, order := sort.Ints("dimensions"), s.MinorToMajor()
	if len(dims) != 1 || len(order) < 2 || order[0] != dims[0] || s.Layout == nil {
		return false
	}
	l := *s.Layout
	l.MinorToMajor = slices.Clone(order)
	l.MinorToMajor[0], l.MinorToMajor[1] = order[1], order[0]
	before, after := padding.SizeOf(s), padding.SizeOf(s.WithLayout(&l))
	return before.Known && after.Known && after.Padded <= before.Padded
}

// turnedBack returns what is under transposes that are bitcasts: with them a copy exchanges the same dimensions.
func (f *fuser) turnedBack(in *hlo.Instruction) *hlo.Instruction {
	for in.Opcode == hlo.OpTranspose && f.sameBytes(in) {
		in = in.Operands[0]
	}
	return in
}

// exchanges reports whether a copy exchanges the two minor dimensions and leaves the others.
func (f *fuser) exchanges(in *hlo.Instruction) bool {
	if f.movement(in) != swap {
		return false
	}
	a, b := in.Operands[0].Shape.MinorToMajor(), in.Shape.MinorToMajor()
	return slices.Equal(a[2:], b[2:])
}

// sortReaders returns what reads the result of a sort, or of several results one.
func (f *fuser) sortReaders(sort *hlo.Instruction, result int) (out []*hlo.Instruction) {
	if sort.Shape.IsArray() {
		return f.readersOf(nil, sort)
	}
	for _, u := range f.uses.Of(sort) {
		k, ok := u.User.Attr("index").Int()
		switch {
		case u.User.Opcode != hlo.OpGetTupleElement || !ok:
			out = append(out, u.User)
		case int(k) == result:
			out = f.readersOf(out, u.User)
		}
	}
	return out
}

// readersOf appends the users of a value, and in place of transposes that are bitcasts theirs.
func (f *fuser) readersOf(out []*hlo.Instruction, in *hlo.Instruction) []*hlo.Instruction {
	for _, u := range f.uses.Of(in) {
		if u.User.Opcode == hlo.OpTranspose && f.sameBytes(u.User) && !u.User.IsRoot() {
			out = f.readersOf(out, u.User)
			continue
		}
		out = append(out, u.User)
	}
	return out
}

// taken reports whether a copy is none because a sort next to it is turned. What the sort is given, or what reads its
// result, in the order before gets a copy in its stead, which the one that is there stands for.
func (f *fuser) taken(in *hlo.Instruction) bool {
	if len(f.turned) == 0 || !f.exchanges(in) {
		return false
	}
	if sort, result := f.turnedResult(in.Operands[0]); sort != nil {
		return f.comesTurned(sort.Operands[result])
	}
	users := f.readersOf(nil, in)
	for _, user := range users {
		if !f.turned[user] {
			return false
		}
		for k, o := range user.Operands {
			if f.turnedBack(o) == in && !f.goesTurned(user, k) {
				return false
			}
		}
	}
	return len(users) > 0
}

// turnedResult returns the turned sort of which a value is a result, or a slice of it, and which; nil for none.
func (f *fuser) turnedResult(in *hlo.Instruction) (sort *hlo.Instruction, result int) {
	in = f.turnedBack(in)
	if (in.Opcode == hlo.OpSlice || in.Opcode == hlo.OpDynamicSlice) && f.turned[f.turnedBack(in.Operands[0])] {
		in = f.turnedBack(in.Operands[0])
	}
	if in.Opcode == hlo.OpGetTupleElement {
		k, ok := in.Attr("index").Int()
		if !ok || int(k) >= len(in.Operands[0].Operands) {
			return nil, 0
		}
		in, result = in.Operands[0], int(k)
	}
	if !f.turned[in] {
		return nil, 0
	}
	return in, result
}

// comesTurned reports whether a turned sort has its operand without a copy: one goes, the operand is of another such
// sort, or it is made in any order.
func (f *fuser) comesTurned(operand *hlo.Instruction) bool {
	if operand.Opcode == hlo.OpIota || operand.Opcode == hlo.OpBroadcast || f.exchanges(f.turnedBack(operand)) {
		return true
	}
	sort, _ := f.turnedResult(operand)
	return sort != nil
}

// goesTurned reports whether nothing that reads a result of a turned sort needs a copy of it: another sort, a copy, or
// what takes any order.
func (f *fuser) goesTurned(sort *hlo.Instruction, result int) bool {
	for _, user := range f.sortReaders(sort, result) {
		if !f.turned[user] && !f.readsTurned(user, sort.Shape.IsArray()) {
			return false
		}
	}
	return !sort.IsRoot()
}

// readsTurned reports whether an instruction takes a sort's result in the other order: a dot loads it so, and slices
// and sums are made in it, which the compiler does not see through one result of several.
func (f *fuser) readsTurned(in *hlo.Instruction, single bool) bool {
	switch in.Opcode {
	case hlo.OpCopy, hlo.OpDot:
		return true
	case hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpReduce:
		return single
	}
	return false
}
