package folding

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/tpu"
)

// role says what fusion does with an opcode.
type role uint8

const (
	// alone: neither its operands nor its result are fused.
	alone role = iota
	// cheap: fused into all of its users, computed again in each. That are exponentials and quotients, too: 146 of 205 in
	// 216 compiled modules for v5e are nowhere in memory.
	cheap
	// matrix product or convolution: a chain of elementwise operations is fused into its operands, and it into the one
	// that follows.
	product
	// sink: operands are fused into it, its result is not fused further.
	sink
	// update: changes its first operand in place.
	update
)

// roles is the table of what libtpu fuses; opcodes that are not in it are alone. Elementwise opcodes are cheap unless
// they are here.
var roles = [256]role{
	hlo.OpBroadcast: cheap, hlo.OpIota: cheap, hlo.OpConstant: cheap, hlo.OpReshape: cheap, hlo.OpSlice: cheap,
	hlo.OpCopy: cheap, hlo.OpTranspose: cheap, hlo.OpPad: cheap, hlo.OpConcatenate: cheap, hlo.OpReverse: cheap,
	hlo.OpSelect: cheap, hlo.OpBitcast: cheap, hlo.OpDynamicSlice: cheap, hlo.OpBitcastConvert: cheap,
	hlo.OpDot: product, hlo.OpConvolution: product,
	hlo.OpReduce: sink, hlo.OpReduceWindow: sink,
	hlo.OpDynamicUpdateSlice: update,
}

func roleOf(in *hlo.Instruction) role {
	if r := roles[in.Opcode]; r != alone {
		return r
	}
	if in.Opcode.Elementwise() && in.Shape.IsArray() {
		return cheap
	}
	return alone
}

// Prepare returns the module whose layouts say what a module of a stage costs: a simplified copy of one that the
// compiler has not worked on, and m itself otherwise, to which nothing is applied. Predict is called when it has its
// layouts.
func Prepare(m *hlo.Module, at stage.Stage, t *tpu.Target) *Simplified {
	if m.Simplified || !at.BeforeSimplification() {
		return &Simplified{Module: m}
	}
	return Simplify(m, t)
}

// Predict sets the forecast of a module of a stage before fusion, when it has its layouts. Other modules have none.
func Predict(m *hlo.Module, at stage.Stage) {
	if !at.BeforeLayout() && at != stage.LaidOut {
		return
	}
	out := &hlo.Forecast{Unbuffered: map[*hlo.Computation][]string{}, Unsure: map[*hlo.Instruction]string{},
		Narrow: map[*hlo.Instruction]bool{}, Hoisted: map[*hlo.Instruction]bool{}}
	moved, same := map[[2]*hlo.Shape]move{}, map[bytesKey]bool{}
	for _, c := range m.InMemory() {
		f := fuser{uses: c.Uses(), out: make([]string, len(c.Instructions)), unique: make([]bool, len(c.Instructions)),
			joint: make([]joint, len(c.Instructions)), product: make([]*hlo.Instruction, len(c.Instructions)), moved: moved,
			same: same}
		out.Unbuffered[c] = f.out
		f.turned = f.turnedSorts(c)
		for _, in := range c.Instructions {
			f.unique[in.Index] = f.once(in)
			f.product[in.Index] = f.productIn(in)
		}
		for i := len(c.Instructions) - 1; i >= 0; i-- {
			in := c.Instructions[i]
			f.value(in)
			if f.narrow(in, out.Narrow) {
				out.Narrow[in] = true
			}
			if f.hoisted(in) {
				out.Hoisted[in] = true
			}
		}
		if at.BeforeSimplification() {
			f.markUnsure(c, out.Unsure)
		}
	}
	if at.BeforeSimplification() {
		markWhole(m, out.Unsure)
	}
	m.Forecast = out
}

// replaced are the opcodes that the compiler replaces before layout assignment by others with shapes of their own.
var replaced = map[hlo.Opcode]bool{hlo.OpScatter: true, hlo.OpFft: true, hlo.OpSort: true, hlo.OpTopk: true,
	hlo.OpCholesky: true, hlo.OpTriangularSolve: true, hlo.OpRaggedDot: true, hlo.OpRng: true,
	hlo.OpRngBitGenerator: true}

// markUnsure marks the values of replaced opcodes, and what is next to them, also beyond copies and reshapes.
func (f *fuser) markUnsure(c *hlo.Computation, unsure map[*hlo.Instruction]string) {
	passes := func(in *hlo.Instruction) bool {
		return moves(in) || in.Opcode == hlo.OpBroadcast || in.Opcode == hlo.OpGetTupleElement
	}
	mark := func(in, cause *hlo.Instruction) bool {
		if unsure[in] != "" || in.Opcode == hlo.OpParameter {
			return false
		}
		unsure[in] = "the compiler replaces %" + cause.Name + " (" + cause.Opcode.String() +
			") before it assigns layouts"
		return true
	}
	var up, down func(in, cause *hlo.Instruction)
	up = func(in, cause *hlo.Instruction) {
		for _, o := range in.Operands {
			if mark(o, cause) && passes(o) {
				up(o, cause)
			}
		}
	}
	down = func(in, cause *hlo.Instruction) {
		for _, u := range f.uses.Of(in) {
			if mark(u.User, cause) && passes(u.User) {
				down(u.User, cause)
			}
		}
	}
	for _, in := range c.Instructions {
		if in.Opcode == hlo.OpCopy && in.Operands[0].Opcode == hlo.OpGetTupleElement && f.carried(in) {
			unsure[in] = "the compiler may give what a loop carries another layout"
		}
		if replaced[in.Opcode] {
			mark(in, in)
			up(in, in)
			down(in, in)
		}
	}
}

// carried reports whether a value goes into the tuple of a loop.
func (f *fuser) carried(in *hlo.Instruction) bool {
	for _, u := range f.uses.Of(in) {
		if u.User.Opcode == hlo.OpTuple {
			return true
		}
	}
	return false
}

type fuser struct {
	uses hlo.Uses
	out  []string // by instruction, see hlo.Forecast.Unbuffered
	// unique are, by instruction, values that are not computed twice.
	unique []bool
	// joint are, by instruction, what together says; each of many users asks.
	joint []joint
	// product are the products that the fusions of instructions have at least, nil for none.
	product []*hlo.Instruction
	// moved are the movements of copies, by the shapes of operand and result: of the same ones there are many.
	moved map[[2]*hlo.Shape]move
	// same is whether instructions are bitcasts: of alike ones, too.
	same map[bytesKey]bool
	// turned are the sorts of turnedSorts.
	turned map[*hlo.Instruction]bool
}

// bytesKey is what sameBytes depends on.
type bytesKey struct {
	op         hlo.Opcode
	from, to   *hlo.Shape
	dimensions *hlo.Value
}

// sameBytes is the function, asked once for instructions that are alike.
func (f *fuser) sameBytes(in *hlo.Instruction) bool {
	key := bytesKey{in.Opcode, in.Operands[0].Shape, in.Shape, in.Attr("dimensions")}
	same, known := f.same[key]
	if !known {
		same = sameBytes(in)
		f.same[key] = same
	}
	return same
}

// movement returns how a copy changes the order of its operand; none for other instructions, and where it moves
// nothing.
func (f *fuser) movement(in *hlo.Instruction) move {
	if in.Opcode != hlo.OpCopy {
		return none
	}
	key := [2]*hlo.Shape{in.Operands[0].Shape, in.Shape}
	k, known := f.moved[key]
	if !known {
		k = movement(in)
		f.moved[key] = k
	}
	return k
}

// productIn returns the product that an instruction computes: itself, or that of the last operand that is fused into
// it and has one.
func (f *fuser) productIn(in *hlo.Instruction) (found *hlo.Instruction) {
	if roleOf(in) == product {
		return in
	}
	for _, o := range in.Operands {
		if f.movement(in) != none && roleOf(o) != product {
			continue
		}
		if f.product[o.Index] != nil && f.together(o) && f.fuses(o, hlo.Use{User: in}) {
			found = f.product[o.Index]
		}
	}
	return found
}

// once reports whether a value is not computed again in several users: it is a product or the like, or made in one
// fusion of what is.
func (f *fuser) once(in *hlo.Instruction) bool {
	if roleOf(in) != cheap {
		return in.Opcode != hlo.OpParameter && in.Opcode != hlo.OpGetTupleElement
	}
	for _, o := range in.Operands {
		if f.unique[o.Index] && f.together(o) && f.fuses(o, hlo.Use{User: in}) {
			return true
		}
	}
	return false
}

// one reports whether a value has one user, which may read it several times.
func (f *fuser) one(in *hlo.Instruction) bool {
	uses := f.uses.Of(in)
	for _, u := range uses {
		if u.User != uses[0].User {
			return false
		}
	}
	return true
}

// joint is what is known of whether all that reads a value is part of one fusion.
type joint int8

const (
	jointUnknown joint = iota
	jointNot
	jointAll
)

// together reports whether all that reads a value is part of one fusion: it has one user, or what its users make of it
// comes together again, also in a tuple: fusions have several results.
func (f *fuser) together(in *hlo.Instruction) bool {
	x := &f.joint[in.Index]
	if *x == jointUnknown {
		*x = jointNot
		if f.one(in) || f.comesTogether(in) {
			*x = jointAll
		}
	}
	return *x == jointAll
}

// comesTogether is together for a value of several users.
func (f *fuser) comesTogether(in *hlo.Instruction) bool {
	var open []*hlo.Instruction // users to follow, without those that are followed
	add := func(in *hlo.Instruction) {
		for _, u := range f.uses.Of(in) {
			if at, known := slices.BinarySearchFunc(open, u.User, byIndex); !known {
				open = slices.Insert(open, at, u.User)
			}
		}
	}
	add(in)
	for range followed {
		if len(open) < 2 {
			return len(open) == 1
		}
		next := open[0]
		if next.IsRoot() || !sameSize(next, in) || roleOf(next) != cheap || f.movement(next) != none {
			return false
		}
		open = open[1:]
		add(next)
	}
	return false
}

// followed is how many users comesTogether looks at.
const followed = 64

func byIndex(a, b *hlo.Instruction) int { return int(a.Index - b.Index) }

// value decides about one value.
func (f *fuser) value(in *hlo.Instruction) {
	if !in.Shape.IsArray() || f.isCopiedOut(in) {
		return
	}
	if moves(in) && f.sameBytes(in) {
		f.out[in.Index] = "a bitcast: its operand has the same bytes"
		return
	}
	if f.taken(in) {
		f.out[in.Index] = inSort
		return
	}
	if in.IsRoot() {
		return
	}
	if roleOf(in) == alone || f.unique[in.Index] && !f.together(in) {
		return
	}
	readers, ok := f.readers(nil, in)
	if f.movement(in) != none {
		readers, ok = f.uses.Of(in), true // takesMove looks through reshapes
	}
	if !ok || len(readers) == 0 {
		return
	}
	for _, u := range readers {
		if !f.fuses(in, u) || f.product[in.Index] != nil && !f.takes(u.User, f.product[in.Index]) {
			return
		}
	}
	f.out[in.Index] = "computed in the fusions that read it"
}

// isCopiedOut reports whether an instruction is a result of the program that has the bytes of a parameter or a
// constant: the compiler copies these.
func (f *fuser) isCopiedOut(in *hlo.Instruction) bool {
	c := in.Computation
	if c != c.Module.Entry || !in.IsRoot() && !slices.ContainsFunc(f.uses.Of(in), func(u hlo.Use) bool {
		return u.User.IsRoot() && u.User.Opcode == hlo.OpTuple
	}) {
		return false
	}
	x := in
	for moves(x) && f.sameBytes(x) {
		x = x.Operands[0]
	}
	return x != in && (x.Opcode == hlo.OpParameter || x.Opcode == hlo.OpConstant)
}

// readers appends to out the uses of a value, and in place of bitcasts of it, and of copies that are part of what reads
// them, theirs; ok is false where there are none, or one of them is a result.
func (f *fuser) readers(out []hlo.Use, in *hlo.Instruction) (all []hlo.Use, ok bool) {
	uses := f.uses.Of(in)
	ok = len(uses) > 0 && !in.IsRoot()
	for _, u := range uses {
		if moves(u.User) && (f.sameBytes(u.User) || in.Opcode.Elementwise() && f.out[u.User.Index] != "") {
			var known bool
			out, known = f.readers(out, u.User)
			ok = ok && known
			continue
		}
		out = append(out, u)
	}
	return out, ok
}

// takes reports whether an instruction computes a product that is fused into an operand: no fusion has two of them, nor
// one and a window (0 of 11,649 fusions of compiled modules for v5e).
func (f *fuser) takes(in, product *hlo.Instruction) bool {
	return in.Opcode != hlo.OpReduceWindow && (f.product[in.Index] == product || f.product[in.Index] == nil)
}

// fuses reports whether a value is computed inside of a user.
func (f *fuser) fuses(in *hlo.Instruction, u hlo.Use) bool {
	from, to := roleOf(in), roleOf(u.User)
	if f.apart(in, u.User) {
		return false
	}
	switch from {
	case alone, sink, update:
		return false
	case product:
		if f.movement(u.User) != none {
			return f.turns(in, u.User)
		}
		return to == cheap && sameSize(in, u.User)
	}
	if k := f.movement(in); k != none {
		return f.takesMove(k, in, u.User)
	}
	if f.movement(u.User) != none {
		return in.Opcode == hlo.OpBroadcast && in.Operands[0].Shape.IsScalar()
	}
	switch to {
	case alone:
		return in.Opcode == hlo.OpConstant && in.Shape.IsScalar()
	case update:
		return u.Operand > 0
	}
	return true
}

// hoisted reports whether a copy of a pad is made before it, where there is less to move (52 of 55, and none of them
// after it).
func (f *fuser) hoisted(in *hlo.Instruction) bool {
	k := f.movement(in)
	return k != none && k != tiles && in.Operands[0].Opcode == hlo.OpPad && f.one(in.Operands[0])
}

// turns reports whether a product is made in the order of a copy of it, which exchanges the two minor dimensions (375
// of 375 copies that alone read a product, in 2,208 modules that left layout assignment for v5e).
func (f *fuser) turns(in, user *hlo.Instruction) bool {
	return in.Opcode == hlo.OpDot && f.movement(user) == swap
}

// takesMove reports whether a copy is part of its user, or of the one that reads it as it is through a reshape: one
// that only removes dimensions of one element, as a round of a loop reads its slice (9 of 9 by dots), or of a divided
// array that a convolution reads (28 of 29).
func (f *fuser) takesMove(k move, in, user *hlo.Instruction) bool {
	if through := f.uses.Of(user); len(through) == 1 && user.Opcode == hlo.OpReshape && f.sameBytes(user) &&
		(units(user) || through[0].User.Opcode == hlo.OpConvolution) {
		user = through[0].User
	}
	return k.folds(in, user)
}

// sameSize reports whether two arrays have as many elements.
func sameSize(a, b *hlo.Instruction) bool {
	if !a.Shape.IsArray() || !b.Shape.IsArray() {
		return false
	}
	n, ok := a.Shape.Elements()
	k, known := b.Shape.Elements()
	return ok && known && n == k
}
