package fit

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/tpu"
)

// Foreseen returns what a module that is not scheduled will hold: m has its layouts, and a forecast of what fusion
// keeps out of memory. The order of the instructions is the better of two: that of the text, and one that goes depth
// first from the result, large operands first.
func Foreseen(m *hlo.Module, t *tpu.Target) *Program {
	var best *Program
	for _, order := range []func(*hlo.Computation) []*hlo.Instruction{asWritten, depthFirst} {
		f := foresight{p: newProgram(m, t), order: order, leaf0: map[*hlo.Instruction]int{}, time: map[*hlo.Instruction]int{}}
		if p := f.run(); best == nil || p.Peak < best.Peak {
			best = p
		}
	}
	return best
}

// foresight follows the memory of every array through a module. Leaves are numbered over the instructions as they run.
type foresight struct {
	p     *Program
	order func(*hlo.Computation) []*hlo.Instruction
	leaf0 map[*hlo.Instruction]int
	time  map[*hlo.Instruction]int
	// source is the leaf that has a leaf's memory: itself where it is a separate array, none where it has none or is not
	// ours.
	source []int
	// holder is the instruction of a leaf, at its place there, shape its shape; from and need are the first and the last
	// time at which it is there.
	holder []*hlo.Instruction
	at     []hlo.Index
	shape  []*hlo.Shape
	from   []int
	need   []int
	// inside are the arrays that a loop's body or a branch makes in the memory of what it returns.
	inside map[int]bool
	// taken are the arrays that a loop works in, begin the times from which on leaves are there that are not made where
	// they stand.
	taken map[int]bool
	begin map[int]int
	// products remembers what product found, into where products end that are fused into what they are made into.
	into     map[*hlo.Instruction]*hlo.Instruction
	products map[*hlo.Instruction]bool
}

const none = -1

func (f *foresight) run() *Program {
	f.inside, f.taken, f.begin, f.products = map[int]bool{}, map[int]bool{}, map[int]int{}, map[*hlo.Instruction]bool{}
	f.into = map[*hlo.Instruction]*hlo.Instruction{}
	f.computation(f.p.Module.Entry, nil)
	f.uses()
	p := f.p
	p.Foreseen = true
	p.boundary()
	outputs := map[int]bool{}
	root := p.Module.Entry.Root
	for k := range f.leaves(root) {
		if s := f.source[f.leaf0[root]+k]; s != none {
			outputs[s] = true
		}
	}
	for l, s := range f.source {
		if s != l || outputs[l] || f.inside[l] {
			continue
		}
		if size := padding.SizeOf(f.shape[l]); size.Known && size.Padded > 0 && size.Space == 0 {
			bytes := f.bytes(l, size.Padded)
			from := f.from[l]
			if b, ok := f.begin[l]; ok {
				from = b
			}
			p.Holdings = append(p.Holdings, Holding{Instruction: f.holder[l], Index: f.at[l], Shape: f.shape[l],
				Kind: Temporary, Bytes: bytes,
				From: from, To: max(f.from[l], f.need[l])})
		}
	}
	for i := range p.Holdings {
		switch h := &p.Holdings[i]; {
		case h.Kind == Output:
			p.Stats.Output += h.Bytes
			h.From = f.made(h.Leaf)
		case h.Kind == Argument:
			p.Stats.Argument += h.Bytes
		}
	}
	sum, _ := p.total(p.Holdings)
	p.Stats.Temp = sum - p.Stats.Argument - p.Stats.Output
	p.finish(sum)
	return p
}

// made returns the time from which on a result of the program is there.
func (f *foresight) made(index hlo.Index) int {
	root := f.p.Module.Entry.Root
	k, at := 0, 0
	root.Shape.Leaves(func(i hlo.Index, _ *hlo.Shape) {
		if slices.Equal(i, index) {
			if l := f.source[f.leaf0[root]+k]; l != none {
				at = f.from[l]
				if b, ok := f.begin[l]; ok {
					at = b
				}
			}
		}
		k++
	})
	return at
}

// bytes returns what a separate leaf takes; padded is its size as it is written.
func (f *foresight) bytes(l int, padded int64) int64 {
	p, in, s := f.p, f.holder[l], f.shape[l]
	h := Holding{Instruction: in, Index: f.at[l], Shape: s, Bytes: padded}
	if f.narrow(in) || f.narrowStack(&h) {
		h.Bytes = p.resized(h, hlo.BF16, s.Dims).Bytes
	}
	if f.scanned(in) { // the compiler computes it in blocks, without the padding of the order that the text has
		if n, ok := p.Target.Bytes(s.DType, s.Dims, p.Target.BoundaryOrder(s.DType, s.Dims)); ok {
			h.Bytes = min(h.Bytes, n)
		}
	}
	return h.Bytes
}

// scanned reports whether a value is a cumulative sum or the like, or a copy for it.
func (f *foresight) scanned(in *hlo.Instruction) bool {
	if in.Opcode == hlo.OpReduceWindow {
		return true
	}
	uses := f.p.usesOf(in)
	return len(uses) == 1 && uses[0].User.Opcode == hlo.OpReduceWindow && in.Opcode == hlo.OpCopy
}

// narrowStack is narrow for what loops carry: no loop but the one that fills it reads anything but slices of it, for
// products.
func (f *foresight) narrowStack(h *Holding) bool {
	if h.Shape.DType != hlo.F32 {
		return false
	}
	read := false
	for _, l := range f.p.loops(h) {
		if l.written != nil {
			continue
		}
		body := l.while.CalledBy("body")
		for _, g := range f.p.usesOf(body.Parameters()[0]) {
			if n, ok := g.User.Attr("index").Int(); !ok || g.User.Opcode != hlo.OpGetTupleElement || n != l.at {
				continue
			}
			for _, u := range f.p.usesOf(g.User) {
				switch {
				case u.User == body.Root:
				case u.User.Opcode != hlo.OpDynamicSlice || !f.narrow(u.User):
					return false
				default:
					read = true
				}
			}
		}
	}
	return read
}

// recomputed is the part of what waits at the peak that the compiler gets rid of where a program would not fit
// otherwise: it computes it again, or keeps it in another layout. A guess: 0.25 to 0.45 in training steps of dense
// layers, attention and convolutions.
const recomputed = 0.3

// Least returns what the program takes where the compiler has to make it smaller: each result that is not there yet at
// the peak gives its place to a temporary, and of what waits outside of loops a part is computed again.
func (p *Program) Least() int64 {
	var waits, lodged int64
	var later []int64 // descending, as the holdings are
	for i := range p.Holdings {
		if h := &p.Holdings[i]; h.Kind == Output && h.From > p.At {
			later = append(later, h.Bytes)
		}
	}
	for _, h := range p.AtPeak() {
		if h.Kind != Temporary {
			continue
		}
		if i := slices.IndexFunc(later, func(n int64) bool { return n >= h.Bytes }); i >= 0 {
			later = slices.Delete(later, i, i+1)
			lodged += h.Bytes
		}
		if h.From < p.At && h.To > p.At+1 && h.Bytes < p.Peak/4 && h.Instruction.Computation.IsEntry() &&
			len(p.loops(&h)) == 0 && !p.barred(&h) {
			waits += h.Bytes
		}
	}
	return p.Peak - max(lodged, int64(recomputed*float64(waits)))
}

// barred reports whether a value goes through a barrier, as what jax.checkpoint keeps does: it is not computed again.
func (p *Program) barred(h *Holding) bool {
	for _, u := range p.usesOf(h.Instruction) {
		if u.User.Opcode == hlo.OpOptBarrier {
			return true
		}
		for _, v := range p.usesOf(u.User) {
			if u.User.Opcode == hlo.OpTuple && v.User.Opcode == hlo.OpOptBarrier {
				return true
			}
		}
	}
	return false
}

func (f *foresight) leaves(in *hlo.Instruction) (n int) {
	in.Shape.Leaves(func(hlo.Index, *hlo.Shape) { n++ })
	return n
}

// computation runs a computation; args are the leaves that its parameters stand for, one after the other, nil for the
// entry.
func (f *foresight) computation(c *hlo.Computation, args [][]int) {
	f.epilogues(c)
	for _, in := range f.order(c) {
		var called [][]int // by callee: the leaves of its root
		for k, callee := range in.Sequential() {
			f.computation(callee, f.arguments(in, k))
			r := f.leaf0[callee.Root]
			called = append(called, f.source[r:r+f.leaves(callee.Root)])
		}
		f.instruction(in, args, called)
	}
}

// arguments returns the leaves that the parameters of callee k of an instruction stand for.
func (f *foresight) arguments(in *hlo.Instruction, k int) (out [][]int) {
	of := func(o *hlo.Instruction) {
		l := f.leaf0[o]
		out = append(out, f.source[l:l+f.leaves(o)])
	}
	switch in.Opcode {
	case hlo.OpWhile:
		of(in.Operands[0])
	case hlo.OpConditional:
		if k+1 < len(in.Operands) {
			of(in.Operands[k+1])
		}
	default:
		for _, o := range in.Operands {
			of(o)
		}
	}
	return out
}

// instruction notes what the leaves of a result are.
func (f *foresight) instruction(in *hlo.Instruction, args, called [][]int) {
	first, now := len(f.source), len(f.p.nodes)
	f.leaf0[in], f.time[in] = first, now
	f.p.nodes = append(f.p.nodes, in)
	k := 0
	in.Shape.Leaves(func(index hlo.Index, s *hlo.Shape) {
		f.source = append(f.source, f.of(in, k, first+k, s, args, called))
		f.holder, f.at, f.shape = append(f.holder, in), append(f.at, slices.Clone(index)), append(f.shape, s)
		f.from, f.need = append(f.from, now), append(f.need, now)
		k++
	})
}

// of returns the source of leaf k of an instruction, which is leaf self.
func (f *foresight) of(in *hlo.Instruction, k, self int, s *hlo.Shape, args, called [][]int) int {
	operand := func(i, k int) int {
		if i < len(in.Operands) && k < f.leaves(in.Operands[i]) {
			return f.source[f.leaf0[in.Operands[i]]+k]
		}
		return none
	}
	switch in.Opcode {
	case hlo.OpConstant:
		return none
	case hlo.OpParameter:
		if n := int(in.Parameter); args != nil && n < len(args) && k < len(args[n]) {
			return args[n][k]
		}
		return none
	case hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpCopyDone, hlo.OpDomain:
		return operand(0, k)
	case hlo.OpGetTupleElement:
		n, _ := in.Attr("index").Int()
		for _, e := range in.Operands[0].Shape.Elems[:n] {
			e.Leaves(func(hlo.Index, *hlo.Shape) { k++ })
		}
		return operand(0, k)
	case hlo.OpTuple:
		for i, o := range in.Operands {
			if n := f.leaves(o); k < n {
				return operand(i, k)
			} else {
				k -= n
			}
		}
	case hlo.OpWhile:
		return f.carry(in, k, self, operand(0, k), called[1][k])
	case hlo.OpConditional:
		for _, c := range called {
			if x := c[k]; x != none && f.from[x] >= f.time[in.Called[0].Parameters()[0]] {
				f.inside[x] = true
			}
		}
		return self
	case hlo.OpCall:
		if len(called) > 0 && k < len(called[0]) {
			return called[0][k]
		}
	case hlo.OpDynamicUpdateSlice, hlo.OpScatter, hlo.OpSort:
		if x := operand(k, 0); x != none && padding.SizeOf(s).Padded == padding.SizeOf(f.shape[x]).Padded &&
			f.alone(in.Operands[k]) {
			return x
		}
	}
	if f.fused(in) || !s.IsArray() {
		return none
	}
	return self
}

// carry returns the source of what a loop carries: what it begins with, where the loop leaves that as it is, or nobody
// else reads it; else its own memory, from the beginning of the loop. What the body makes goes into the same memory.
func (f *foresight) carry(while *hlo.Instruction, k, self, init, made int) int {
	at := carriedAt(while, k)
	if at >= 0 && carried(while, int64(at)) == nil {
		return init
	}
	begin := f.time[while.CalledBy("body").Parameters()[0]]
	if made != none && made != init && f.from[made] >= begin && (at < 0 || f.inPlace(while, at, made)) {
		f.inside[made] = true
	}
	o := while.Operands[0]
	if at >= 0 && o.Opcode == hlo.OpTuple && init != none && !f.taken[init] && f.alone(o.Operands[at]) {
		f.taken[init] = true
		return init
	}
	f.begin[self] = begin
	return self
}

// carriedAt returns the element of a loop's tuple that is leaf k, -1 where elements are tuples themselves.
func carriedAt(while *hlo.Instruction, k int) int {
	if !while.Shape.IsTuple() || k >= len(while.Shape.Elems) || slices.ContainsFunc(while.Shape.Elems,
		(*hlo.Shape).IsTuple) {
		return -1
	}
	return k
}

// fused reports whether a value has no memory: by the forecast; elementwise, where all users compute it again; products
// that are added up immediately.
func (f *foresight) fused(in *hlo.Instruction) bool {
	if !in.Shape.IsArray() || in.IsRoot() {
		return false
	}
	uses := f.p.usesOf(in)
	if in.Opcode.Elementwise() && f.product(in) && slices.ContainsFunc(uses,
		func(u hlo.Use) bool { return isProduct(u.User) }) {
		return false
	}
	if in.Opcode == hlo.OpConcatenate && f.unaligned(in) {
		return false
	}
	if f.p.Module.Unbuffered(in) != "" || f.into[in] != nil {
		return true
	}
	switch {
	case in.Opcode == hlo.OpDot:
		return len(uses) == 1 && uses[0].User.Opcode == hlo.OpReduce
	case !in.Opcode.Elementwise() || f.product(in):
		return false
	}
	for _, u := range uses {
		if !u.User.Opcode.Elementwise() && !again[u.User.Opcode] && f.p.Module.Unbuffered(u.User) == "" {
			return false
		}
	}
	return len(uses) > 0
}

// product reports whether an instruction has a product fused into it, which is not computed again.
func (f *foresight) product(in *hlo.Instruction) bool {
	if found, ok := f.products[in]; ok {
		return found
	}
	found := false
	for _, o := range in.Operands {
		if f.p.Module.Unbuffered(o) != "" && (isProduct(o) || o.Opcode.Elementwise() && f.product(o)) {
			found = true
			break
		}
	}
	f.products[in] = found
	return found
}

// unaligned reports whether a concatenation shifts rows: along one of the two minor dimensions, by what is not a
// multiple of 8.
func (f *foresight) unaligned(in *hlo.Instruction) bool {
	dims, order := in.Ints("dimensions"), in.Shape.MinorToMajor()
	if len(dims) != 1 || len(order) < 2 || dims[0] != order[0] && dims[0] != order[1] {
		return false
	}
	return slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool { return o.Shape.Dims[dims[0]]%8 != 0 })
}

func isProduct(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpDot || in.Opcode == hlo.OpConvolution
}

// epilogues finds the products that several elementwise instructions read which end in one: they are all one fusion.
func (f *foresight) epilogues(c *hlo.Computation) {
	for _, in := range c.Instructions {
		if !isProduct(in) || f.p.Module.Unbuffered(in) != "" || in.IsRoot() {
			continue
		}
		if end := f.joinOf(in); end != nil && !f.product(end) {
			f.into[in], f.products[end] = end, true
		}
	}
}

// joinOf returns the elementwise instruction in which all that is made elementwise of a product comes together, nil
// where there is none.
func (f *foresight) joinOf(in *hlo.Instruction) (end *hlo.Instruction) {
	const most = 64
	seen := map[*hlo.Instruction]bool{}
	work := []*hlo.Instruction{in}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		inner := true
		for _, u := range f.p.usesOf(x) {
			inner = inner && u.User.Opcode.Elementwise() && slices.Equal(u.User.Shape.Dims, in.Shape.Dims)
		}
		switch {
		case !inner && (x == in || end != nil && end != x):
			return nil
		case !inner:
			end = x
		default:
			for _, u := range f.p.usesOf(x) {
				if !seen[u.User] && len(seen) < most {
					seen[u.User] = true
					work = append(work, u.User)
				}
			}
		}
	}
	return end
}

// inPlace reports whether what a loop's body makes of element k of what it carries can be written over that: all that
// reads the element ends before, or reads it elementwise for it.
func (f *foresight) inPlace(while *hlo.Instruction, k, made int) bool {
	body := while.CalledBy("body")
	for _, u := range f.p.usesOf(body.Parameters()[0]) {
		if n, ok := u.User.Attr("index").Int(); !ok || u.User.Opcode != hlo.OpGetTupleElement || int(n) != k {
			continue
		}
		if !f.before(u.User, f.holder[made], true, 0) {
			return false
		}
	}
	return true
}

// before reports whether all that reads a value is done when another is made; elementwise says that so far it is read
// elementwise only.
func (f *foresight) before(in, made *hlo.Instruction, elementwise bool, depth int) bool {
	const most = 16
	if depth > most {
		return true
	}
	for _, u := range f.p.usesOf(in) {
		x := u.User
		same := elementwise && (x.Opcode.Elementwise() || x.Opcode == hlo.OpBitcast ||
			x.Opcode == hlo.OpDynamicUpdateSlice && u.Operand == 0)
		switch {
		case x == made && same:
		case x == made || f.time[x] > f.time[made] && !passes(x):
			return false
		case (f.fused(x) || x.Opcode == hlo.OpBitcast) && !f.before(x, made, same, depth+1):
			return false
		}
	}
	return true
}

// narrow reports whether a value is stored as bf16: products read it and nothing else, and they take bf16 unless the
// program requires more.
func (f *foresight) narrow(in *hlo.Instruction) bool {
	if !in.Shape.IsArray() || in.Shape.DType != hlo.F32 || in.IsRoot() {
		return false
	}
	uses := f.p.usesOf(in)
	read := false
	for _, u := range uses {
		switch u.User.Opcode {
		case hlo.OpDot, hlo.OpConvolution:
			if u.User.Attr("operand_precision") != nil {
				return false
			}
			read = true
		case hlo.OpReduce: // of a product it is made with the product
			if !isProduct(in) && !f.product(in) {
				return false
			}
		case hlo.OpTranspose, hlo.OpReshape, hlo.OpBitcast, hlo.OpCopy, hlo.OpSlice:
			if !f.narrow(u.User) {
				return false
			}
			read = true
		default:
			return false
		}
	}
	return read
}

// again are the opcodes, besides elementwise ones, that compute their operands again.
var again = map[hlo.Opcode]bool{hlo.OpDot: true, hlo.OpConvolution: true, hlo.OpReduce: true, hlo.OpBroadcast: true,
	hlo.OpReshape:   true,
	hlo.OpTranspose: true, hlo.OpSlice: true, hlo.OpBitcast: true, hlo.OpPad: true}

// alone reports whether an instruction has one user, or none.
func (f *foresight) alone(in *hlo.Instruction) bool {
	uses := f.p.usesOf(in)
	for _, u := range uses {
		if u.User != uses[0].User {
			return false
		}
	}
	return true
}

// uses finds out until when each array is needed: by the last instruction that reads it, or by the one in which that is
// fused.
func (f *foresight) uses() {
	until := map[*hlo.Instruction]int{} // of what is computed in its users
	reads := func(o *hlo.Instruction, at int) {
		for k := range f.leaves(o) {
			if s := f.source[f.leaf0[o]+k]; s != none {
				f.need[s] = max(f.need[s], at)
			}
		}
		until[o] = max(until[o], at)
	}
	for t := len(f.p.nodes) - 1; t >= 0; t-- {
		in := f.p.nodes[t]
		at := t
		if f.fused(in) || passes(in) {
			at = max(t, until[in])
			if passes(in) && until[in] == 0 {
				at = t
			}
		}
		if in.IsRoot() && !in.Computation.IsEntry() {
			at = f.end(in.Computation)
			reads(in, at)
		}
		if passes(in) && in.Opcode != hlo.OpBitcast {
			// Tuples read nothing, but what is fused into their elements lives as long as they.
			for _, o := range in.Operands {
				until[o] = max(until[o], at)
			}
			continue
		}
		for _, o := range in.Operands {
			reads(o, at)
		}
	}
}

// passes reports whether an instruction hands on its operands without reading them.
func passes(in *hlo.Instruction) bool {
	switch in.Opcode {
	case hlo.OpTuple, hlo.OpGetTupleElement, hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency:
		return true
	}
	return false
}

// end returns the last time of a computation, that of its caller.
func (f *foresight) end(c *hlo.Computation) int {
	last := 0
	for _, in := range c.Instructions {
		last = max(last, f.time[in])
	}
	return last
}

func asWritten(c *hlo.Computation) []*hlo.Instruction { return c.Instructions }

// depthFirst orders a computation by need: before each instruction stand its operands with what they need, the largest
// first.
func depthFirst(c *hlo.Computation) []*hlo.Instruction {
	bytes := make([]int64, len(c.Instructions))
	for i, in := range c.Instructions {
		in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) { bytes[i] += padding.SizeOf(s).Padded })
	}
	out := make([]*hlo.Instruction, 0, len(c.Instructions))
	state := make([]uint8, len(c.Instructions))
	var stack []*hlo.Instruction
	visit := func(root *hlo.Instruction) {
		stack = append(stack, root)
		for len(stack) > 0 {
			in := stack[len(stack)-1]
			if state[in.Index] > 0 {
				stack = stack[:len(stack)-1]
				if state[in.Index] == 1 {
					state[in.Index] = 2
					out = append(out, in)
				}
				continue
			}
			state[in.Index] = 1
			ops := slices.Clone(in.Operands)
			slices.SortStableFunc(ops, func(a, b *hlo.Instruction) int {
				return int(min(1, max(-1, bytes[a.Index]-bytes[b.Index])))
			})
			for _, o := range ops { // the last is visited first
				if state[o.Index] == 0 {
					stack = append(stack, o)
				}
			}
		}
	}
	for _, p := range c.Parameters() {
		if p != nil {
			visit(p)
		}
	}
	visit(c.Root)
	for _, in := range c.Instructions {
		if state[in.Index] == 0 {
			visit(in)
		}
	}
	return out
}
