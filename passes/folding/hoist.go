package folding

import (
	"cmp"
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// A reshape is hoisted to where it comes to nothing: what is elementwise is computed in its dimensions, and a product
// of operands in them. So is a transpose, to broadcasts, iotas, products and sums. That is what the compiler's
// tpu-broadcast-rewriter does to a module, as its dumps before and after the pass show (95 of 95 probes), before the
// reshape-mover computes what is elementwise of reshapes before them (sink.go): so nothing is hoisted once that has
// begun.

// hoist hoists the reshapes and transposes of a computation that nothing else simplifies, and reports whether there are
// any. All is read as it was before; products that take none read what was hoisted then.
func (w *simplifier) hoist(c *hlo.Computation) (some bool) {
	w.c, w.out, w.hoists = c, slices.Grow(w.out[:0], withRoom(len(c.Instructions))), map[hoist]*hlo.Instruction{}
	w.turned, w.unturned = map[string]*turned{}, map[*hlo.Instruction]unturned{}
	w.reshapes, w.reshaped = w.reshapes[:0], nil
	for _, in := range c.Instructions {
		w.note(in).uses, w.note(in).reshaped = 0, false
		for _, o := range in.Operands {
			w.note(o).uses++
		}
		if in.Opcode == hlo.OpReshape && rearranges(in) {
			w.reshapes = append(w.reshapes, w.inDimsOf(in.Operands[0], in.Shape.Dims))
			w.note(in.Operands[0]).reshaped = true
		}
	}
	for _, in := range c.Instructions {
		w.noteTakes(in)
	}
	count := 0
	for _, in := range c.Instructions {
		if n := w.hoisted(in); n != nil {
			w.replace(in, n)
			count++
			continue
		}
		w.add(in)
	}
	c.Instructions = append(c.Instructions[:0], w.out...)
	clear(w.hoists) // what comes first may read what was hoisted to later ones
	count += w.rewrite(c, w.hoistedThen)
	if count == 0 {
		return false
	}
	w.Applied["hoisted"] += count
	for _, in := range c.Instructions {
		if n := w.note(in); n.near > 0 {
			n.tried = false // the next round begins with what is near forgotten
		}
	}
	return true
}

// takesReshape is a set of operations that a reshape is hoisted to: what it becomes there is their own matter. All
// others but elementwise ones end it: parameters, elements of tuples, slices, pads, transposes, products (2 to 5 probes
// each).
var takesReshape = ops(hlo.OpReshape, hlo.OpBroadcast, hlo.OpIota, hlo.OpConstant, hlo.OpReduce, hlo.OpReduceWindow,
	hlo.OpConcatenate, hlo.OpGather)

// takesTranspose is a set of operations that a transpose is hoisted to. A product or a convolution that nothing else
// reads is computed in the other order then. All others but elementwise ones end it: parameters, elements of tuples,
// reshapes, slices, pads, concatenates, updates, reverses (1 or 2 probes each).
var takesTranspose = ops(hlo.OpBroadcast, hlo.OpIota, hlo.OpConstant, hlo.OpTranspose, hlo.OpDot, hlo.OpConvolution,
	hlo.OpReduce, hlo.OpReduceWindow, hlo.OpGather)

// noteTakes notes whether a reshape may be hoisted to an instruction, of whose operands that is known, and whether it
// is computed of broadcasts and of reshapes alone. (A reshape of a parameter that one to the same dimensions reads
// already may be hoisted, too: one probe, which is not followed.)
func (w *simplifier) noteTakes(in *hlo.Instruction) {
	n := w.note(in)
	n.takes, n.might, n.plain, n.turns, n.joins, n.link = false, n.reshaped, false, false, false, 0
	switch {
	case !in.Shape.IsArray() || in.Shape.IsDynamic() || in.Attr("sharding") != nil:
	case in.Shape.IsScalar():
		n.takes, n.plain, n.turns = true, true, true
	case in.Opcode == hlo.OpReshape && rearranges(in):
		n.takes, n.plain, n.link = !w.reshapesDot(in), true, in.Index+1
	case takesReshape(in.Opcode):
		n.takes, n.plain, n.turns = true, true, takesTranspose(in.Opcode)
		n.joins = in.Opcode == hlo.OpConcatenate && w.joinsTaken(in)
	case takesTranspose(in.Opcode):
		n.turns = true
	case sinkable(in):
		n.takes, n.might, n.plain, n.turns = true, true, true, true
		for _, o := range in.Operands {
			x := w.note(o)
			n.takes, n.plain, n.turns = n.takes && x.takes, n.plain && x.plain, n.turns && x.turns
			n.might = n.might && (x.takes || x.might)
			n.link = w.commonLink(n, x)
		}
	}
}

// reshapesDot reports whether a reshape is one of a product that takes it.
func (w *simplifier) reshapesDot(in *hlo.Instruction) bool {
	x := in.Operands[0]
	if x.Opcode != hlo.OpDot || w.note(x).uses > 1 || units(in) && w.staysWithUnits(in) {
		return false
	}
	p, _, _ := w.productTakes(in)
	return p != nil
}

// joinsTaken reports whether a reshape that reads a concatenate is hoisted to what that joins, as in encodings of
// places: all of it takes one, and some is elementwise or a reshape (24 of 24 probes). One that adds or removes
// dimensions of one element alone stays (13 of 13 probes on v5e, and on v7x), see hoisted.
func (w *simplifier) joinsTaken(in *hlo.Instruction) (some bool) {
	for _, o := range in.Operands {
		x := w.note(o)
		if !x.takes || o.Opcode == hlo.OpConcatenate && !x.joins {
			return false
		}
		some = some || x.joins || rearranges(o) || sinkable(o)
	}
	return some
}

// reshapesProduct is a set of operations of which one that a product reads makes it take a reshape (concatenates,
// reduce-windows and gathers do not: 8 of 8 probes).
var reshapesProduct = ops(hlo.OpReshape, hlo.OpBroadcast, hlo.OpIota, hlo.OpConstant, hlo.OpReduce)

// beforeReshape returns the dimensions in which what a product or a reduce reads is computed of reshapes and
// broadcasts, nil where some of its values are other ones (14 of 14 probes).
func (w *simplifier) beforeReshape(x *hlo.Instruction) []int64 {
	n := w.note(x)
	switch {
	case !sinkable(x) || n.link == 0:
		return nil
	case n.takes && n.plain:
		return w.before(n)
	case n.takes || !n.might:
		return nil
	}
	return w.walk(x, nil)
}

// farthest is how many values are examined of those that an elementwise one is computed of.
const farthest = 256

// walk returns the dimensions that a reshape is hoisted to in what a value is computed of, where some of this takes
// none but has been reshaped to the same dimensions: those given, or else of the first reshape, values before their
// operands and nearer ones first. It is nil where something has not been reshaped so, or comes before that reshape (8
// of 8 probes).
func (w *simplifier) walk(x *hlo.Instruction, dims []int64) []int64 {
	given, seen := dims != nil, map[*hlo.Instruction]bool{x: true}
	for queue := []*hlo.Instruction{x}; len(queue) > 0; queue = queue[1:] {
		x := queue[0]
		n := w.note(x)
		switch {
		case n.takes && rearranges(x):
			switch before := x.Operands[0].Shape.Dims; {
			case dims == nil:
				dims = before
			case !given && !slices.Equal(dims, before):
				return nil
			}
		case x.Shape.IsScalar() || n.takes && takesReshape(x.Opcode):
		case !n.takes && n.reshaped && dims != nil && w.isReshaped(w.inDimsOf(x, dims)):
		case !sinkable(x) || len(seen) > farthest:
			return nil
		default:
			for _, o := range x.Operands {
				if !seen[o] {
					queue, seen[o] = append(queue, o), true
				}
			}
		}
	}
	return dims
}

// isReshaped reports whether there was such a reshape before any was hoisted.
func (w *simplifier) isReshaped(to hoist) bool {
	if w.reshaped == nil { // few computations are asked
		w.reshaped = make(map[hoist]bool, len(w.reshapes))
		for _, r := range w.reshapes {
			w.reshaped[r] = true
		}
	}
	return w.reshaped[to]
}

// commonLink returns the link of what is computed of two values.
func (w *simplifier) commonLink(a, b *note) int32 {
	if a.link != 0 && b.link != 0 && !slices.Equal(w.before(a), w.before(b)) {
		return severalLinks
	}
	return cmp.Or(a.link, b.link)
}

// severalLinks is the link of what is computed of reshapes from several dimensions.
const severalLinks = -1

// before returns the dimensions of what the reshape reads that is noted, nil where there are several.
func (w *simplifier) before(n *note) []int64 {
	if n.link == severalLinks {
		return nil
	}
	return w.numbered(n.link - 1).Operands[0].Shape.Dims
}

// nearest returns the dimensions of what the nearest reshape reads that a value is computed of, operands before what
// they are computed of and the first one first (15 of 15 probes).
func nearest(x *hlo.Instruction) []int64 {
	seen := map[*hlo.Instruction]bool{}
	for queue := []*hlo.Instruction{x}; len(queue) > 0 && len(seen) <= farthest; queue = queue[1:] {
		for _, o := range queue[0].Operands {
			if rearranges(o) && o.Opcode == hlo.OpReshape {
				return o.Operands[0].Shape.Dims
			}
			if sinkable(o) && !seen[o] {
				queue, seen[o] = append(queue, o), true
			}
		}
	}
	return nil
}

// staysWithUnits reports whether a reshape that only adds or removes dimensions of one element stays where it is: one
// does that adds them to dimensions without any (0 of 22 probes is hoisted; of 6 that add them to others all are).
// Where the compiler computes what is elementwise without such dimensions before, no other ones are left that add any.
func (w *simplifier) staysWithUnits(in *hlo.Instruction) bool {
	dims := in.Operands[0].Shape.Dims
	return len(dims) < in.Shape.Rank() && (LeavesOutUnits(w.target) || !slices.Contains(dims, 1))
}

// LeavesOutUnits reports whether what is elementwise is computed without dimensions of one element before reshapes are
// hoisted, for a target: the compiler's degenerate-dimension-rewriter, of which there are dumps on v6e and v7x, and
// none on v2, v3, v4, v5e and v5p.
func LeavesOutUnits(t *tpu.Target) bool { return t.Name == "v6e" || t.Name == "v7x" }

// hoisted returns what takes the place of a reshape or a reduce, nil where it stays: see staysWithUnits; one of a
// product that others read stays, too.
func (w *simplifier) hoisted(in *hlo.Instruction) *hlo.Instruction {
	isReduce := in.Opcode == hlo.OpReduce
	if !isReduce && (in.Opcode != hlo.OpReshape || !rearranges(in)) {
		return nil
	}
	x := in.Operands[0]
	w.hoistsFrom = x
	switch {
	case isReduce:
		return w.sumBeforeReshape(in)
	case units(in) && w.staysWithUnits(in):
		return nil
	case x.Opcode == hlo.OpDot:
		if w.note(x).uses > 1 {
			return nil
		}
		return w.productInDims(in)
	case x.Opcode == hlo.OpBroadcast:
		return cmp.Or(w.rebroadcast(x, in.Shape.Dims), w.withoutUnits(x, in.Shape.Dims))
	case x.Opcode == hlo.OpConcatenate:
		if units(in) || !w.note(x).joins || joinedAlong(x, in.Shape.Dims) < 0 {
			return nil
		}
		return w.inDims(x, in.Shape.Dims)
	}
	if n := w.note(x); !sinkable(x) || !n.takes && (!n.might || w.walk(x, in.Shape.Dims) == nil) {
		return nil
	}
	return w.inDims(x, in.Shape.Dims)
}

// hoistedThen returns what takes the place of a transpose or a product once reshapes were hoisted.
func (w *simplifier) hoistedThen(in *hlo.Instruction) *hlo.Instruction {
	switch in.Opcode {
	case hlo.OpTranspose:
		return w.hoistedTranspose(in)
	case hlo.OpDot:
		return w.productBeforeReshapes(in)
	}
	return nil
}

// sumBeforeReshape returns a reshape of a reduce of what a reduce reads, where that is computed before a reshape which
// leaves alone what is reduced, and nil elsewhere (8 of 8 probes).
func (w *simplifier) sumBeforeReshape(in *hlo.Instruction) *hlo.Instruction {
	if in.Opcode != hlo.OpReduce || !in.Shape.IsArray() || len(in.Operands) != 2 || in.Attr("sharding") != nil {
		return nil
	}
	x := in.Operands[0]
	dims := w.beforeReshape(x)
	if n := w.note(x); dims == nil && n.takes && n.plain && n.link == severalLinks {
		dims = nearest(x)
	}
	if dims == nil || len(dims) >= x.Shape.Rank() && sameWide(dims, x.Shape.Dims) {
		return nil // nothing but dimensions of one element is left out
	}
	same := unchanged(dims, x.Shape.Dims)
	var reduced []int
	apart := false
	for _, d := range in.Ints("dimensions") {
		switch from, ok := same[d]; {
		case ok:
			reduced = append(reduced, from)
		case x.Shape.Dims[d] != 1:
			apart = true
		}
	}
	switch {
	case apart && len(reduced) == 0:
		return nil
	case apart: // as in norms of groups of features: what is left alone is reduced first, see reshapedSum
		return sumLike(w, in, reshaped(w, w.inDims(x, dims), x.Shape.Dims), in.Ints("dimensions"))
	}
	return reshaped(w, sumLike(w, in, w.inDims(x, dims), reduced), in.Shape.Dims)
}

// hoistedTranspose returns a transpose of what is elementwise of operations that take one as the same of these in other
// dimensions, nil for others (56 of 56 probes).
func (w *simplifier) hoistedTranspose(in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if !rearranges(in) || !sinkable(x) || !w.note(x).turns {
		return nil
	}
	return w.inOrder(x, w.turnedTo(in.Ints("dimensions")))
}

// turned are values with their dimensions in another order, by what they were before.
type turned struct {
	order []int
	of    map[*hlo.Instruction]*hlo.Instruction
}

// unturned is what a value was before its dimensions were in another order.
type unturned struct {
	x  *hlo.Instruction
	to *turned
}

// turnedTo returns the values with their dimensions in an order.
func (w *simplifier) turnedTo(order []int) *turned {
	key := fmt.Sprint(order)
	if w.turned[key] == nil {
		w.turned[key] = &turned{order, map[*hlo.Instruction]*hlo.Instruction{}}
	}
	return w.turned[key]
}

// inOrder returns a value that takes a transpose with its dimensions in another order. Each value is made once in each:
// what was turned is made from what it was before, which transposes along a chain of values would else repeat.
func (w *simplifier) inOrder(x *hlo.Instruction, t *turned) *hlo.Instruction {
	if x.Shape.IsScalar() {
		return x
	}
	if was, ok := w.unturned[x]; ok {
		x, t = was.x, w.turnedTo(sizes(was.to.order, t.order))
		if ascending(t.order) {
			return x
		}
	}
	if n := t.of[x]; n != nil {
		return n
	}
	if !sinkable(x) && x.Opcode != hlo.OpIota && x.Opcode != hlo.OpBroadcast {
		t.of[x] = transposed(w, x, t.order)
		w.noteTakes(t.of[x])
		return t.of[x]
	}
	n := w.instructionLike(x.Opcode, x, sizes(x.Shape.Dims, t.order), slices.Clone(x.Operands))
	n.Name, n.Attrs = nameLike(x.Name, n), x.Attrs
	switch x.Opcode {
	case hlo.OpIota:
		d, _ := x.Attr("iota_dimension").Int()
		setValue(n, "iota_dimension", intOf(slices.Index(t.order, int(d))))
		n.Shape = w.shapeIn(n.Shape, t.order)
	case hlo.OpBroadcast:
		var to, from []int // in the order that the result has
		dims := x.Ints("dimensions")
		for i, d := range t.order {
			if at := slices.Index(dims, d); at >= 0 {
				to, from = append(to, i), append(from, at)
			}
		}
		n.Operands[0] = transposed(w, x.Operands[0], from)
		set(n, "dimensions", to)
	default:
		for i, o := range x.Operands {
			n.Operands[i] = w.inOrder(o, t)
		}
	}
	w.add(n)
	w.noteTakes(n)
	t.of[x], w.unturned[n] = n, unturned{x, t}
	return n
}

// shapeIn returns a shape with the layout of a transpose. What is not made of others is distinguished by it: an iota
// that was hoisted to stays another one than those that count along the same dimension (26 of 26 probes).
func (w *simplifier) shapeIn(s *hlo.Shape, order []int) *hlo.Shape {
	minor := make([]int, len(order))
	for i, d := range order {
		minor[len(order)-1-d] = i
	}
	return w.laidOut(s, minor...)
}

// inDims returns a value that takes a reshape, in other dimensions. What several users share is computed once.
func (w *simplifier) inDims(x *hlo.Instruction, dims []int64) *hlo.Instruction {
	to := w.inDimsOf(x, dims)
	if n := w.hoists[to]; n != nil {
		return n
	}
	var n *hlo.Instruction
	switch {
	case x.Shape.IsScalar():
		return x // it is for all elements
	case rearranges(x) && x.Opcode == hlo.OpReshape:
		n = reshaped(w, x.Operands[0], dims)
	case x.Opcode == hlo.OpBroadcast:
		if n = w.rebroadcast(x, dims); n == nil {
			n = reshaped(w, x, dims)
		}
	case x.Opcode == hlo.OpIota:
		n = w.countedInDims(x, dims)
	case x.Opcode == hlo.OpConcatenate:
		n = w.joinedInDims(x, dims)
	case !sinkable(x):
		n = reshaped(w, x, dims)
	case x.Opcode == hlo.OpDivide && w.hasOwnRoot(x):
		y := x.Operands[1]
		root := w.make(roots[y.Opcode], y, dims, w.inDims(y.Operands[0], dims))
		n = w.make(hlo.OpMultiply, x, dims, w.inDims(x.Operands[0], dims), root)
	default:
		n = w.instructionLike(x.Opcode, x, dims, make([]*hlo.Instruction, len(x.Operands)))
		for i, o := range x.Operands {
			n.Operands[i] = w.inDims(o, dims)
		}
		n.Name, n.Attrs = nameLike(x.Name, n), x.Attrs
		w.add(n)
	}
	w.noteTakes(n) // a product that reads it comes later
	w.hoists[to] = n
	return n
}

// hasOwnRoot reports whether a quotient is a product with the reciprocal of a root (see quotient): each reshape that is
// hoisted has the root made anew, and of what it is hoisted to then nothing else reads it (10 of 10 probes).
func (w *simplifier) hasOwnRoot(in *hlo.Instruction) bool {
	y := in.Operands[1]
	if roots[y.Opcode] == 0 || !sinkable(y) || in.Shape.DType != hlo.F32 && in.Shape.DType != hlo.BF16 {
		return false
	}
	first := w.hoistsFrom
	reads, seen := 0, map[*hlo.Instruction]bool{first: true}
	for queue := []*hlo.Instruction{first}; len(queue) > 0 && len(seen) <= farthest; queue = queue[1:] {
		for _, o := range queue[0].Operands {
			if o == y {
				reads++
			} else if sinkable(o) && !seen[o] {
				queue, seen[o] = append(queue, o), true
			}
		}
	}
	return reads == 1 && len(seen) <= farthest
}

// countedInDims returns a reshape of an iota, which is broadcast from its dimension.
func (w *simplifier) countedInDims(x *hlo.Instruction, dims []int64) *hlo.Instruction {
	if from := broadcastFrom(x); from != nil {
		line := counting(w, x, sizes(x.Shape.Dims, from), 0)
		if n := w.rebroadcast(broadcast(w, x, line, x.Shape.Dims, from), dims); n != nil {
			return n
		}
	}
	return reshaped(w, x, dims)
}

// joinedInDims returns a reshape of a concatenate: the concatenate of reshapes, whatever it joins, where the dimension
// along which it does is left alone (13 of 13 probes). What these become is for the next round.
func (w *simplifier) joinedInDims(x *hlo.Instruction, dims []int64) *hlo.Instruction {
	along := joinedAlong(x, dims)
	if along < 0 {
		return reshaped(w, x, dims)
	}
	var parts []*hlo.Instruction
	for _, o := range x.Operands {
		part := slices.Clone(dims)
		part[along] = o.Shape.Dims[x.Ints("dimensions")[0]]
		parts = append(parts, reshaped(w, o, part))
	}
	return concatenated(w, x, along, parts...)
}

// joinedAlong returns the dimension along which a concatenate joins in other dimensions, -1 for none.
func joinedAlong(x *hlo.Instruction, dims []int64) int {
	if x.Attr("sharding") != nil {
		return -1
	}
	for to, from := range unchanged(x.Shape.Dims, dims) {
		if from == x.Ints("dimensions")[0] {
			return to
		}
	}
	return -1
}

// inDimsOf returns a value with the shape that it has in other dimensions.
func (w *simplifier) inDimsOf(x *hlo.Instruction, dims []int64) hoist {
	return hoist{x, w.shape(x.Shape.DType, dims)}
}

// hoist is a value in the dimensions of a shape.
type hoist struct {
	in *hlo.Instruction
	to *hlo.Shape
}

// rebroadcast makes a reshape of a broadcast to other dimensions a broadcast of what is reshaped; it is nil where that
// would be all that is broadcast.
func (w *simplifier) rebroadcast(o *hlo.Instruction, dims []int64) *hlo.Instruction {
	from, to := merged(o, dims)
	if from == nil {
		return nil
	}
	var places []int
	for _, d := range o.Ints("dimensions") {
		places = append(places, slices.Index(from, d))
	}
	x := widened(w, o.Operands[0], sizes(o.Shape.Dims, from), places)
	return widened(w, reshaped(w, x, sizes(dims, to)), dims, to)
}

// withoutUnits makes a reshape of a broadcast that has dimensions of one element one of a broadcast without them, nil
// where there are none; those between dimensions that the reshape joins stay (16 of 16 probes).
func (w *simplifier) withoutUnits(o *hlo.Instruction, dims []int64) *hlo.Instruction {
	var kept []int
	a, b, k := int64(1), int64(1), 0
	for d, n := range o.Shape.Dims {
		if n != 1 || a != b {
			kept = append(kept, d)
		}
		for a *= n; b < a && k < len(dims); k++ {
			b *= dims[k]
		}
	}
	if len(kept) == o.Shape.Rank() {
		return nil
	}
	narrow, places := sizes(o.Shape.Dims, kept), among(o.Ints("dimensions"), kept)
	return reshaped(w, widened(w, reshaped(w, o.Operands[0], sizes(narrow, places)), narrow, places), dims)
}

// merged returns the dimensions of a broadcast that a reshape to others joins with those of its operand, and what they
// become; nil where these have all elements.
func merged(o *hlo.Instruction, dims []int64) (from, to []int) {
	have, places, size := o.Shape.Dims, o.Ints("dimensions"), int64(1)
	if n, ok := o.Shape.Elements(); !ok || n == 0 || o.Shape.IsDynamic() {
		return nil, nil
	}
	for i, k := 0, 0; i < len(have) || k < len(dims); {
		first, start, a, b := i, k, int64(1), int64(1)
		for i+k == first+start || a != b {
			if k == len(dims) || i < len(have) && a <= b {
				a, i = a*have[i], i+1
			} else {
				b, k = b*dims[k], k+1
			}
		}
		if slices.ContainsFunc(places, func(d int) bool { return d >= first && d < i }) {
			from, to = append(from, ascendingTo(i)[first:]...), append(to, ascendingTo(k)[start:]...)
			size *= a
		}
	}
	if n, _ := o.Shape.Elements(); size == n {
		return nil, nil
	}
	return from, to
}
