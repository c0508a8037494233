package folding

import (
	"iter"
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// A convolution of few images is made one of more: the last spatial dimension of each is divided into splits parts,
// which join the batch, with a border of the parts next to it. What reads the result follows where it can: elementwise
// operations, reduces, windows, other convolutions and the products of images and gradients that are a kernel's
// gradient. Where something cannot, the parts are joined again. The steps and their conditions are those of XLA's
// space_to_batch_converter.cc, its controller's choices are what the compiler's dumps before and after the pass show
// (41 programs for v5e and v6e).
const (
	splits    = 8
	mostBatch = 7
	// A convolution of less than leastSize elements along the dimension does not begin.
	leastSize = 2 * splits
	// A convolution that feeds a custom call through less than farCall others, or products, does not begin.
	farCall = 3
	// How far a convolution looks for a window whose stride its parts are made for.
	farWindow = 10
)

// divided is the form of an array whose images are divided: value has the batch before the divided dimension. The other
// dimensions are the array's: its batch, the one that is divided, and where each of them is in value.
type divided struct {
	value        *hlo.Instruction
	batch, along int
	to           []int
	blank        bool // what is beyond the array's elements is zero
}

// parts and space are the places in value of the batch, which has the parts, and of the divided dimension.
func (f *divided) parts() int { return f.to[f.batch] }
func (f *divided) space() int { return f.to[f.along] }

// size returns how many elements each part has, and count how many parts there are.
func (f *divided) size() int64  { return f.value.Shape.Dims[f.space()] }
func (f *divided) count() int64 { return f.value.Shape.Dims[f.parts()] }

// dividesImages reports whether the compiler divides convolutions for a target: it does for v4 and later ones, whose
// tiles may have one row, and not for v2 and v3 (a convolution of two images compiled for all).
func dividesImages(t *tpu.Target) bool { return t.MinRows == 1 }

// divider divides the images of one computation's convolutions.
type divider struct {
	*simplifier
	users users
	forms map[*hlo.Instruction]*divided
	// done are the instructions that have a form, or a value in their place.
	done map[*hlo.Instruction]bool
	// joined are the values of forms as the arrays that they were.
	joined map[*hlo.Instruction]*hlo.Instruction
	// left are instructions that read a form and did not follow when they were asked.
	left map[*hlo.Instruction]bool
	// spreads are the broadcasts of forms' dimensions that each broadcast has become.
	spreads map[*hlo.Instruction][]*hlo.Instruction
	feeds   [farCall][]int8 // see feedsCall: by how far and number, 1 for true, -1 for false, 0 for unknown
	windows map[distance]*hlo.Instruction
}

// distance is an instruction and how much farther a search goes.
type distance struct {
	in  *hlo.Instruction
	far int
}

// make is simplifier.make. What is made may read an array that is divided later, and follows it then.
func (d *divider) make(op hlo.Opcode, like *hlo.Instruction, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	n := d.simplifier.make(op, like, dims, operands...)
	d.readsAll(n)
	return n
}

// readsAll notes an instruction as a user of its operands.
func (d *divider) readsAll(in *hlo.Instruction) {
	for i, o := range in.Operands {
		if !slices.Contains(in.Operands[:i], o) {
			d.users.add(o, in)
		}
	}
}

// users are the users of instructions, in lists that begin and end by the number of what is used: most have one user,
// for which a separate slice would be too much.
type users struct {
	first, last []int32 // 1 + places in links, 0 for none
	links       []link
}

type link struct {
	user *hlo.Instruction
	next int32 // 1 + its place, 0 for none
}

func (us *users) add(of, user *hlo.Instruction) {
	for len(us.first) <= int(of.Index) {
		us.first, us.last = append(us.first, 0), append(us.last, 0)
	}
	us.links = append(us.links, link{user: user})
	at := int32(len(us.links))
	if last := us.last[of.Index]; last != 0 {
		us.links[last-1].next = at
	} else {
		us.first[of.Index] = at
	}
	us.last[of.Index] = at
}

// of yields the users of an instruction that it has at the time, in the order in which they were added.
func (us *users) of(in *hlo.Instruction) iter.Seq[*hlo.Instruction] {
	return func(yield func(*hlo.Instruction) bool) {
		if int(in.Index) >= len(us.first) {
			return
		}
		for at, last := us.first[in.Index], us.last[in.Index]; at != 0; at = us.links[at-1].next {
			if !yield(us.links[at-1].user) || at == last {
				return
			}
		}
	}
}

// divideAll divides the images of all computations, and reports whether there are any.
func (w *simplifier) divideAll() (some bool) {
	if !dividesImages(w.target) {
		return false
	}
	for _, c := range w.Module.InMemory() {
		some = w.divideImages(c) || some
	}
	return some
}

// divideImages divides the images of a computation's convolutions, and reports whether there are any.
func (w *simplifier) divideImages(c *hlo.Computation) bool {
	begin := func(in *hlo.Instruction) bool {
		s, ok := spatialOf(in)
		return ok && s.divisible(in) && s.whole >= leastSize
	}
	if !slices.ContainsFunc(c.Instructions, begin) {
		return false
	}
	w.c, w.out = c, slices.Clone(c.Instructions)
	d := divider{simplifier: w, forms: map[*hlo.Instruction]*divided{}, done: map[*hlo.Instruction]bool{},
		joined: map[*hlo.Instruction]*hlo.Instruction{}, left: map[*hlo.Instruction]bool{},
		spreads: map[*hlo.Instruction][]*hlo.Instruction{}, windows: map[distance]*hlo.Instruction{}}
	for _, in := range c.Instructions {
		d.readsAll(in)
	}
	for _, in := range slices.Clone(c.Instructions) {
		if begin(in) && !d.done[in] && !d.feedsCall(in, farCall) {
			d.begin(in)
		}
	}
	if len(d.done) == 0 {
		return false
	}
	d.leave(slices.Clone(d.out))
	w.Applied["space-to-batch"]++
	c.Root = w.resolve(c.Root)
	c.Instructions = d.ordered(c.Root)
	return true
}

// leave joins the parts for what did not follow to the end, but for kernels' gradients that can do so now.
func (d *divider) leave(all []*hlo.Instruction) {
	for _, in := range all {
		if !d.left[in] {
			continue
		}
		if d.followsLate(in) {
			d.replace(in, d.filterGradient(in))
			continue
		}
		for _, o := range in.Operands {
			if d.forms[o] != nil {
				d.joinFor(in, o)
			}
		}
	}
}

// joinFor has an instruction read an array of joined parts in place of one with a form.
func (d *divider) joinFor(in, of *hlo.Instruction) {
	for i, o := range in.Operands {
		if o == of {
			in.Operands[i] = d.join(o)
		}
	}
}

// replace puts a value in the place of an instruction.
func (d *divider) replace(in, by *hlo.Instruction) {
	d.simplifier.replace(in, by)
	d.done[in] = true
}

// ordered returns the instructions in post-order, as the compiler lists them. All rules may fit them again.
func (d *divider) ordered(root *hlo.Instruction) (out []*hlo.Instruction) {
	read, seen := make([]bool, d.size), make([]bool, d.size) // by number
	for _, in := range d.out {
		d.resolveOperands(in)
		d.retry(in)
		for _, o := range in.Operands {
			read[o.Index] = true
		}
	}
	out = make([]*hlo.Instruction, 0, len(d.out))
	var visit func(in *hlo.Instruction)
	visit = func(in *hlo.Instruction) {
		if seen[in.Index] {
			return
		}
		seen[in.Index] = true
		for _, o := range in.Operands {
			visit(o)
		}
		out = append(out, in)
	}
	for _, in := range d.out {
		if in == root || !read[in.Index] && d.note(in).forward == 0 {
			visit(in)
		}
	}
	return out
}

// feedsCall reports whether an instruction feeds a custom call before it feeds far convolutions: then it may not be
// worth the while to begin there. (What the compiler makes a custom call of later does not count: gathers.)
func (d *divider) feedsCall(in *hlo.Instruction, far int) bool {
	if far == 0 {
		return false
	}
	for len(d.feeds[far-1]) <= int(in.Index) {
		d.feeds[far-1] = append(d.feeds[far-1], 0)
	}
	if known := d.feeds[far-1][in.Index]; known != 0 {
		return known > 0
	}
	feeds := int8(-1)
	for u := range d.users.of(in) {
		next := far
		if u.Opcode == hlo.OpConvolution || u.Opcode == hlo.OpDot {
			next--
		}
		if isCall(u.Opcode) || d.feedsCall(u, next) {
			feeds = 1
			break
		}
	}
	d.feeds[far-1][in.Index] = feeds
	return feeds > 0
}

// isCall reports whether an operation is a custom call when images are divided.
var isCall = ops(hlo.OpCustomCall, hlo.OpTopk, hlo.OpCholesky, hlo.OpTriangularSolve)

// windowOf returns the first window that a convolution feeds, nil for none.
func (d *divider) windowOf(in *hlo.Instruction, far int) *hlo.Instruction {
	if far == 0 {
		return nil
	}
	at := distance{in, far}
	if known, ok := d.windows[at]; ok {
		return known
	}
	var found *hlo.Instruction
	for u := range d.users.of(in) {
		if u.Opcode == hlo.OpReduceWindow || u.Opcode == hlo.OpSelectAndScatter {
			found = u
		} else if u.Opcode != hlo.OpConvolution && u.Opcode != hlo.OpPad && u.Opcode != hlo.OpTranspose {
			found = d.windowOf(u, far-1)
		}
		if found != nil {
			break
		}
	}
	d.windows[at] = found
	return found
}

// begin divides the images of a convolution, and has what reads it follow.
func (d *divider) begin(in *hlo.Instruction) {
	d.forms[in] = d.divideConvolution(in)
	d.done[in] = true
	delete(d.left, in)
	d.joined[in.Operands[0]] = in.Operands[0] // it is there as it was
	type step struct{ in, from *hlo.Instruction }
	for queue, first := []step{{in, nil}}, true; len(queue) > 0; first = false {
		s := queue[0]
		queue = queue[1:]
		if !first {
			if d.done[s.in] {
				continue
			}
			how, _ := followerOf(s.in)
			n, f := how.form(d, s.in, d.formFor(s.in, s.from))
			if f == nil {
				d.replace(s.in, n)
				continue
			}
			d.forms[s.in], d.done[s.in] = f, true
		}
		if s.in == d.c.Root {
			d.join(s.in)
			continue
		}
		for u := range d.users.of(s.in) {
			f := d.formFor(u, s.in)
			switch how, ok := followerOf(u); {
			case !ok || how.fits != nil && !how.fits(d, u, f):
				d.joinFor(u, s.in)
			case how.ready == nil || how.ready(d, u, f):
				delete(d.left, u)
				queue = append(queue, step{u, s.in})
			default:
				d.left[u] = true
			}
		}
	}
}

// formFor returns the form by which one follows: that of the first operand, and for what is elementwise, or has none
// there, that of the one that was asked for.
func (d *divider) formFor(in, from *hlo.Instruction) *divided {
	if f := d.forms[in.Operands[0]]; f != nil && !isElementwise(in) {
		return f
	}
	return d.forms[from]
}

// join returns a form's value as the array that it was, which it is from then on.
func (d *divider) join(in *hlo.Instruction) *hlo.Instruction {
	if x := d.joined[in]; x != nil {
		return x
	}
	f := d.forms[in]
	dims := slices.Clone(f.value.Shape.Dims)
	dims[f.parts()], dims[f.space()] = dims[f.parts()]/splits, dims[f.space()]*splits
	x := d.make(hlo.OpReshape, f.value, dims, f.value)
	if n := in.Shape.Dims[f.along]; n < dims[f.space()] {
		x = cut(d, x, f.space(), 0, n)
	}
	x = transposed(d, x, f.to)
	d.joined[in] = x
	d.simplifier.replace(in, x)
	return x
}
