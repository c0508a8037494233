package folding

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/tpu"
)

// rounds bounds how often all rules are tried in a phase, which needs two or three.
const rounds = 16

// Simplify returns a copy of a module that has not been through layout assignment as the compiler's simplifications
// for a target leave it.
func Simplify(m *hlo.Module, t *tpu.Target) *Simplified {
	at := stage.Of(m)
	return simplify(m, t, at.BeforeSimplification(), true)
}

// Survivors is Simplify of a lowered or unoptimized module, where nobody reads the copy's names: they may repeat.
func Survivors(m *hlo.Module, t *tpu.Target) *Simplified { return simplify(m, t, true, false) }

func simplify(m *hlo.Module, t *tpu.Target, lowered, numbered bool) *Simplified {
	s := copyOf(m, numbered, lowered)
	w := simplifier{Simplified: s, target: t, whole: lowered, origins: map[string]uint32{},
		shapes: map[uint64]*hlo.Shape{}}
	if lowered {
		w.halveIntegers()
		w.narrowProducts()
		w.merge()
	} else {
		w.phase = sinking // the rest is what came about since
	}
	all := s.Module.InMemory()
	for left := rounds; left > 0; left-- {
		changed, waits := false, false
		for _, c := range all {
			at := w.atWork(c)
			if at.settled {
				continue
			}
			some, removed := w.round(c, at)
			changed, waits, at.settled = changed || some, waits || w.waits, !some && !removed && !w.waits
		}
		if w.addBodies() {
			all = s.Module.InMemory()
		}
		if changed && left > 1 {
			continue
		}
		if !w.goOn(waits) {
			break
		}
		left, all = rounds+1, s.Module.InMemory()
		for i := range w.work {
			w.work[i].settled = false
		}
	}
	if lowered {
		if keepsCalls(t) {
			w.openAll()
		}
		w.sinkIntoLoops()
		w.passTuples()
		w.takeApart()
	}
	s.sweep()
	s.Module.Simplified = true
	return s
}

// mostHoistings is how often reshapes are hoisted from a computation: the compiler's simplification-1 ends after four
// rounds (of 2 programs). What is hoisted there and back then is as it was.
const mostHoistings = 4

// work is what the rounds note of a computation.
type work struct {
	settled   bool  // another round would not change it
	hoisted   bool  // it had nothing to hoist since it was changed
	hoistings uint8 // how often reshapes were hoisted from it
}

// atWork returns what is noted of a computation of the copy, which rounds add to.
func (w *simplifier) atWork(c *hlo.Computation) *work {
	if more := int(c.Index) + 1 - len(w.work); more > 0 {
		w.work = append(w.work, make([]work, more)...)
	}
	return &w.work[c.Index]
}

// round tries all rules on a computation, and hoists what is left to be.
func (w *simplifier) round(c *hlo.Computation, at *work) (some, removed bool) {
	w.waits, w.early = false, w.phase == hoisting && at.hoistings == 0
	some, removed = w.computation(c)
	some = some || w.early && w.waits
	if w.phase == hoisting && (some || removed || !at.hoisted) {
		at.hoisted = at.hoistings >= mostHoistings || !w.hoist(c)
		at.hoistings++
		some = some || !at.hoisted
	}
	return some, removed
}

// phase is what the compiler's passes have come to: each begins where nothing fits any more.
type phase uint8

const (
	hoisting phase = iota // reshapes are hoisted, see hoist.go
	sinking               // elementwise comes before reshapes and transposes; gathers and scatters are fusions
	apart                 // the parts of complex arrays are computed apart; concatenates with one number are pads
)

// goOn goes to the next phase where nothing fits any more, and reports whether that may change anything: images are
// divided while elementwise comes before reshapes, and the last phase is for what waits for it.
func (w *simplifier) goOn(waits bool) bool {
	if w.phase == hoisting && !w.lean {
		w.sinkConstants()
		w.lean = true
		if w.hoistOutOfLoops() {
			return true
		}
	}
	if w.phase == sinking && w.whole {
		w.whole = false
		opened := !keepsCalls(w.target) && w.open(false)
		attends := w.attendAll()
		divided := w.divideAll()
		if !keepsCalls(w.target) && w.open(true) || opened || attends || divided {
			return true
		}
	}
	if w.phase == sinking && w.shareInLoops() {
		return true
	}
	if w.phase > hoisting && !waits {
		return false
	}
	w.phase++
	return true
}

// simplifier works on one computation after the other.
type simplifier struct {
	*Simplified
	target *tpu.Target
	next   [256][]uint8 // by opcode, see nextRule
	c      *hlo.Computation
	// out are the instructions so far, operands first.
	out []*hlo.Instruction
	// seen is a hash table of those with a key, of a power of two's size: a map that one large computation has made large
	// would be cleared whole for each small one. It is asked in no order, so its entries are small.
	seen   []keyed
	text   [2][]byte                  // scratch of key
	movers []mover                    // of the present computation, see findSinks
	ready  []int32                    // those that wait for nothing
	hoists map[hoist]*hlo.Instruction // in the present computation, see inDims
	// hoistsFrom is what the reshape that is hoisted reads.
	hoistsFrom *hlo.Instruction
	// reshapes are those that there are, in the present computation, and reshaped the set of them, see isReshaped
	reshapes []hoist
	reshaped map[hoist]bool
	// turned are the values in another order of dimensions, in the present computation, see inOrder; unturned what
	// each of these was before
	turned   map[string]*turned
	unturned map[*hlo.Instruction]unturned
	work     []work                                // by the computations' indices
	lines    map[*hlo.Instruction]*hlo.Instruction // in the present round of a computation, see line
	made     []madeBody                            // in the present round
	// of shape: the one that it looks up, the descending layouts by rank, and by hash the last shape that had it
	wanted  hlo.Shape
	layouts []*hlo.Layout
	shapes  map[uint64]*hlo.Shape
	phase   phase
	origins map[string]uint32 // numbers of what is constant, see origin
	folds   int               // elements that were computed, see sized
	selects int64             // elements of tables that are selected, see smallTable
	lean    bool              // hoistOutOfLoops was called
	opened  bool              // gates were
	whole   bool              // images are still to be divided, and gates to be opened
	early   bool              // nothing was hoisted from the present computation yet
	waits   bool              // something in the present computation waits for a later phase, or for hoists
	still   bool              // nothing was changed in the present round: operands are what they were
}

// waitsFor reports whether an instruction is to wait for a phase, and has it tried again then.
func (w *simplifier) waitsFor(p phase, in *hlo.Instruction) bool {
	if w.phase >= p {
		return false
	}
	w.waits, w.note(in).tried = true, false
	return true
}

// waitsForHoists reports whether an instruction is to wait until reshapes were hoisted from its computation once,
// and has it tried again then.
func (w *simplifier) waitsForHoists(in *hlo.Instruction) bool {
	if w.early {
		w.waits, w.note(in).tried = true, false
	}
	return w.early
}

// keyed is an instruction with the hash of its key; the zero value is a free entry.
type keyed struct {
	hash  uint32
	place int32 // 1 + its place in simplifier.out
}

// computation tries all rules on each instruction, operands first, and reports whether one was applied, and whether
// instructions were removed that nothing reads.
func (w *simplifier) computation(c *hlo.Computation) (changed, removed bool) {
	w.c, w.out, w.seen = c, slices.Grow(w.out[:0], withRoom(len(c.Instructions))), w.seen[:0]
	w.movers, w.ready, w.lines = w.movers[:0], w.ready[:0], nil
	for _, in := range c.Instructions {
		w.begin(in)
	}
	w.findSinks()
	w.still = true
	for _, in := range c.Instructions {
		if !w.still {
			w.resolveOperands(in)
		}
		changed = w.instruction(in) || changed
	}
	c.Instructions = append(c.Instructions[:0], w.out...)
	c.Root = w.resolve(c.Root)
	return changed, w.removeDead(c)
}

// withRoom is how much room a round needs for a list of so many instructions: most rules make few.
func withRoom(n int) int { return n + n/8 }

// resolveOperands has an instruction read what took the place of its operands, and notes how near the changes of the
// round are.
func (w *simplifier) resolveOperands(in *hlo.Instruction) {
	n := w.note(in)
	for i, o := range in.Operands {
		x := w.note(o)
		if x.forward != 0 {
			o = w.resolve(o)
			in.Operands[i], x = o, w.note(o)
			w.changed(in)
		}
		n.near = max(n.near, x.near-1)
	}
}

// rewrite puts what instead returns in the place of each instruction of a computation for which it is not nil, operands
// first, and returns how many there are.
func (w *simplifier) rewrite(c *hlo.Computation, instead func(*hlo.Instruction) *hlo.Instruction) (count int) {
	w.c, w.out = c, slices.Grow(w.out[:0], withRoom(len(c.Instructions)))
	for _, in := range c.Instructions {
		w.resolveOperands(in)
		if n := instead(in); n != nil {
			w.replace(in, n)
			count++
			continue
		}
		w.add(in)
	}
	c.Instructions, c.Root = append(c.Instructions[:0], w.out...), w.resolve(c.Root)
	return count
}

// begin notes of an instruction what a round needs to know before it begins, all in one pass: each waits for the memory
// of large modules.
func (w *simplifier) begin(in *hlo.Instruction) {
	n := w.note(in)
	n.uses, n.near, n.live, n.sinks, n.link, n.inProduct = 0, 0, false, false, 0, false
	for i, o := range in.Operands {
		of := w.note(o)
		of.uses++
		of.inProduct = of.inProduct || readsTurned(in, i)
	}
	if w.phase > hoisting {
		w.addCandidate(in)
	}
}

// nextRule is rulesOf, once for each opcode that there is.
func (w *simplifier) nextRule(op hlo.Opcode) []uint8 {
	if w.next[op] == nil {
		w.next[op] = rulesOf(op)
	}
	return w.next[op]
}

// instruction applies rules until none fits, and keeps what is left of the instruction.
func (w *simplifier) instruction(in *hlo.Instruction) bool {
	changed := false
	for again := w.untried(in); again; {
		again = false
		next := w.nextRule(in.Opcode)
		for i := next[0]; int(i) < len(rules); i = next[i+1] {
			r := &rules[i]
			n := r.apply(w, in)
			if n == nil {
				continue
			}
			next = w.nextRule(in.Opcode) // it may be another one now
			w.Applied[r.name]++
			changed, again = true, true
			w.changed(in)
			if n != in {
				w.replace(in, n)
				return true
			}
		}
	}
	if was := w.common(in); was != nil {
		w.Applied["common"]++
		w.still = false
		w.replace(in, was)
		return true
	}
	w.add(in)
	return changed
}

// reach is how far from an instruction the rules look, from operand to operand: no farther than to the number that is
// broadcast to the indices of a gather.
const reach = 4

// changed notes that an instruction was changed in this round.
func (w *simplifier) changed(in *hlo.Instruction) {
	n := w.note(in)
	n.hash, n.near, w.still = 0, reach+1, false
}

// retry has all rules tried on an instruction again.
func (w *simplifier) retry(in *hlo.Instruction) {
	n := w.note(in)
	n.tried, n.hash = false, 0
}

// readsAlone reports whether nothing but an instruction reads its operand. Where something does, that may be removed:
// the rules are tried on the instruction again.
func (w *simplifier) readsAlone(in, operand *hlo.Instruction) bool {
	alone := w.note(operand).uses == 1
	if !alone {
		w.note(in).tried = false
	}
	return alone
}

// untried reports whether a rule may fit an instruction that did not fit before: most stay as they are from round to
// round, and so does what the rules read of them. What rules ask of users is whether they may sink, and, of a
// transpose and of a quotient, how many an operand has. Gathers and scatters wait for their phase.
func (w *simplifier) untried(in *hlo.Instruction) bool {
	n := w.note(in)
	untried := !n.tried || n.near > 0 || n.sinks || alwaysTried(in.Opcode)
	n.tried = true
	return untried
}

var alwaysTried = ops(hlo.OpTranspose, hlo.OpGather, hlo.OpScatter, hlo.OpDivide)

// common returns an earlier instruction of the same value, nil where there is none: the caller then adds this one.
// Until one has changed all differ, as they did in the round before.
func (w *simplifier) common(in *hlo.Instruction) *hlo.Instruction {
	if len(w.seen) == 0 {
		if w.note(in).hash != 0 {
			return nil
		}
		w.index()
	}
	h := w.hash(in)
	if h == neverCommon {
		return nil
	}
	for at := w.after(h - 1); ; at = w.after(at) {
		x := &w.seen[at]
		if x.place == 0 {
			*x = keyed{h, int32(len(w.out) + 1)}
			return nil
		}
		if x.hash != h {
			continue
		}
		was := w.out[x.place-1]
		w.text[0], _ = w.key(w.text[0][:0], in)
		if w.text[1], _ = w.key(w.text[1][:0], was); bytes.Equal(w.text[0], w.text[1]) {
			return was
		}
	}
}

// index fills seen with the instructions so far that were there in the round before.
func (w *simplifier) index() {
	size := 1 << bits.Len(uint(len(w.c.Instructions)*5/4)) // at most four fifths full
	w.seen = slices.Grow(w.seen, size)[:size]
	clear(w.seen)
	for i, in := range w.out {
		h := w.note(in).hash
		if h == 0 {
			continue
		}
		at := w.after(h - 1)
		for w.seen[at].place != 0 {
			at = w.after(at)
		}
		w.seen[at] = keyed{h, int32(i + 1)}
	}
}

// after returns the place in seen that follows another one.
func (w *simplifier) after(at uint32) uint32 { return (at + 1) & uint32(len(w.seen)-1) }

// neverCommon is the hash of an instruction without a key.
const neverCommon = 1

// hash returns the hash of an instruction's key. It is noted: most instructions stay as they are from round to round.
func (w *simplifier) hash(in *hlo.Instruction) uint32 {
	h := &w.note(in).hash
	if *h == 0 {
		key, ok := w.key(w.text[0][:0], in)
		if w.text[0], *h = key, neverCommon; ok {
			*h = uint32(hash(key)) | 2
		}
	}
	return *h
}

// hash is FNV-1a of words in place of bytes, mixed: the same in every run.
func hash(key []byte) uint64 {
	h := uint64(14695981039346656037)
	for ; len(key) >= 8; key = key[8:] {
		h = mixed(h, binary.LittleEndian.Uint64(key))
	}
	for _, b := range key {
		h = mixed(h, uint64(b))
	}
	return h
}

// mixed is a hash of one word more.
func mixed(h, word uint64) uint64 {
	h = (h ^ word) * 1099511628211
	return h ^ h>>29
}

func (w *simplifier) add(in *hlo.Instruction) { w.out = append(w.out, in) }

// make adds an instruction before the present one, of the element type and with the metadata of like.
func (w *simplifier) make(op hlo.Opcode, like *hlo.Instruction, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	n := w.instructionLike(op, like, dims, operands)
	n.Name = nameLike(like.Name, n)
	w.add(n)
	return n
}

// typed is make for another element type than that of like.
func (w *simplifier) typed(op hlo.Opcode, like *hlo.Instruction, t hlo.DType, dims []int64,
	operands ...*hlo.Instruction) *hlo.Instruction {
	n := w.make(op, like, dims, operands...)
	n.Shape = w.shape(t, dims)
	return n
}

// nameLike returns a name for an instruction that is made next to another one: the name of that, without what it got
// when it was made itself, and the number and opcode of the new one.
func nameLike(like string, n *hlo.Instruction) string {
	name := make([]byte, 0, 64)
	name = append(strconv.AppendInt(append(append(name, stemOf(like)...), '.'), int64(n.Index), 10), '.')
	return string(append(name, n.Opcode.String()...))
}

// stemOf returns a name without what nameLike adds to one.
func stemOf(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && hlo.IsOpcode(name[dot+1:]) {
		if stem, numbered := strings.CutSuffix(strings.TrimRight(name[:dot], "0123456789"), "."); numbered {
			return stem
		}
	}
	return name
}

// instructionLike returns an instruction without a name, of the element type and with the metadata of like; a
// comparison is of pred.
func (w *simplifier) instructionLike(op hlo.Opcode, like *hlo.Instruction, dims []int64,
	operands []*hlo.Instruction) *hlo.Instruction {
	t := like.Shape.DType
	if op == hlo.OpCompare {
		t = hlo.Pred
	}
	n := w.number(&hlo.Instruction{Opcode: op, Operands: operands, Pos: like.Pos, Computation: w.c,
		Shape: w.shape(t, dims)})
	w.note(n).region = w.note(like).region
	for i, a := range like.Attrs {
		if a.Key.Name == "metadata" {
			n.Attrs = like.Attrs[i : i+1 : i+1]
		}
	}
	if op == like.Opcode {
		w.remade = append(w.remade, n)
	}
	return n
}

// shape returns the module's shape of an array with its dimensions in descending order. It is asked for again and
// again: interning one prints it.
func (w *simplifier) shape(t hlo.DType, dims []int64) *hlo.Shape {
	hash := shapeHash(t, dims)
	s := w.shapes[hash]
	if s == nil || s.DType != t || !slices.Equal(s.Dims, dims) {
		s = w.interned(t, dims)
		w.shapes[hash] = s
	}
	return s
}

func shapeHash(t hlo.DType, dims []int64) uint64 {
	hash := uint64(t)
	for _, d := range dims {
		hash = mixed(hash, uint64(d))
	}
	return hash
}

func (w *simplifier) interned(t hlo.DType, dims []int64) *hlo.Shape {
	for len(w.layouts) <= len(dims) {
		w.layouts = append(w.layouts, hlo.DescendingLayout(len(w.layouts)))
	}
	w.wanted = hlo.Shape{Kind: hlo.ArrayShape, DType: t, Dims: dims, Layout: w.layouts[len(dims)]}
	return w.Module.Intern(&w.wanted)
}

// set replaces the number list of an attribute, adding it where it is absent.
func set(in *hlo.Instruction, name string, ns []int) { setValue(in, name, intsOf(ns)) }

// intsOf is hlo.IntsOf, with one value for each of the short lists of dimensions, which most are.
func intsOf(ns []int) *hlo.Value {
	at := 1 // the list's place in shortLists: its digits, in base shortBase, after a one
	for _, n := range ns {
		if n < 0 || n >= shortBase || at >= len(shortLists)/shortBase {
			return hlo.IntsOf(ns)
		}
		at = at*shortBase + n
	}
	v := shortLists[at].Load()
	if v == nil {
		v = hlo.IntsOf(ns)
		shortLists[at].Store(v)
	}
	return v
}

const shortBase = 6

// shortLists are the lists of up to four of the numbers below shortBase, made as they are asked for.
var shortLists [2 * shortBase * shortBase * shortBase * shortBase]atomic.Pointer[hlo.Value]

// setValue is set of any value.
func setValue(in *hlo.Instruction, name string, v *hlo.Value) {
	at := slices.IndexFunc(in.Attrs, func(a hlo.Attr) bool { return a.Key.Name == name })
	if at < 0 {
		attribute(in, name, v)
		return
	}
	in.Attrs = slices.Clone(in.Attrs)
	in.Attrs[at].Value = v
}

// unequal are the opcodes of which two with the same operands are not the same.
var unequal = [256]bool{
	hlo.OpParameter: true, hlo.OpWhile: true, hlo.OpConditional: true, hlo.OpCall: true, hlo.OpCustomCall: true,
	hlo.OpRng: true, hlo.OpRngBitGenerator: true, hlo.OpInfeed: true, hlo.OpOutfeed: true, hlo.OpSend: true,
	hlo.OpRecv: true, hlo.OpAfterAll: true, hlo.OpOptBarrier: true, hlo.OpUnknown: true, hlo.OpTuple: true,
	hlo.OpIota: true,
}

// elided is the literal of a constant that its text leaves out: two of them may have different elements, such as the
// sines and cosines of places.
const elided = "{...}"

// unnamed reports whether an attribute does not tell two instructions apart.
func unnamed(name string) bool {
	switch name {
	case "metadata", "frontend_attributes", "backend_config", "to_apply":
		return true
	}
	return false
}

// key appends what two instructions of the same value have in common; ok is false for what is never common.
func (w *simplifier) key(b []byte, in *hlo.Instruction) (key []byte, ok bool) {
	if unequal[in.Opcode] || !in.Shape.IsArray() {
		return b, false
	}
	for _, a := range in.Attrs {
		switch a.Key.Name {
		case "channel_id", "sharding", "control-predecessors":
			return b, false
		}
	}
	b = append(b, byte(in.Opcode), byte(in.Shape.DType))
	for _, d := range in.Shape.Dims {
		b = binary.AppendVarint(b, d)
	}
	if region := w.note(in).region; region != 0 && !w.opened {
		b = binary.AppendUvarint(append(b, '@'), uint64(region)) // what is simplified by itself does not see others
	}
	b = append(b, '(')
	b = operandsKey(b, in)
	for _, k := range in.Called() {
		b = binary.AppendUvarint(append(b, '/'), uint64(w.body(k)))
	}
	for _, a := range in.Attrs {
		if !unnamed(a.Key.Name) {
			b = append(append(b, a.Key.Name...), a.Value.Text...)
		}
	}
	literal, origin := in.Literal(), w.note(in).origin
	if literal == elided && origin != 0 {
		return binary.AppendUvarint(append(b, '~'), uint64(origin)), true
	}
	return append(append(b, '='), literal...), literal != elided
}

// body returns a number that equal computations, such as two that add their parameters, have in common.
func (s *Simplified) body(c *hlo.Computation) uint32 {
	if n, ok := s.bodies[c]; ok {
		return n
	}
	text := []byte{'{'}
	for place, in := range c.Instructions {
		s.note(in).hash = uint32(place)
		text = append(text, in.Opcode.String()...)
		text = in.Shape.Append(text, false)
		text = strconv.AppendInt(append(text, in.Literal()...), int64(in.Parameter), 10)
		for _, o := range in.Operands {
			text = strconv.AppendInt(append(text, ','), int64(s.note(o).hash), 10)
		}
		for _, k := range in.Called() {
			text = strconv.AppendInt(append(text, '/'), int64(s.body(k)), 10)
		}
		for _, a := range in.Attrs {
			if !unnamed(a.Key.Name) && !a.Key.Called {
				text = append(append(text, a.Key.Name...), a.Value.Text...)
			}
		}
	}
	text = strconv.AppendInt(text, int64(s.note(c.Root).hash), 10)
	n, ok := s.bodyTexts[string(text)]
	if !ok {
		n = uint32(len(s.bodyTexts) + 1)
		s.bodyTexts[string(text)] = n
	}
	s.bodies[c] = n
	return n
}

// effects are the opcodes that stay although nothing reads them.
var effects = [256]bool{
	hlo.OpParameter: true, hlo.OpCustomCall: true, hlo.OpInfeed: true, hlo.OpOutfeed: true, hlo.OpSend: true,
	hlo.OpRecv: true, hlo.OpSendDone: true, hlo.OpRecvDone: true, hlo.OpAfterAll: true, hlo.OpWhile: true,
	hlo.OpConditional: true, hlo.OpCall: true, hlo.OpUnknown: true,
}

// removeDead removes what nothing reads and reports whether there was any.
func (s *Simplified) removeDead(c *hlo.Computation) (some bool) {
	s.note(c.Root).live = true
	first := len(c.Instructions) // of those that stay, which go to the end
	for _, in := range slices.Backward(c.Instructions) {
		n := s.note(in)
		n.live = n.live || effects[in.Opcode] || in.Attr("control-predecessors") != nil
		if !n.live {
			continue
		}
		first--
		c.Instructions[first] = in
		for _, o := range in.Operands {
			s.note(o).live = true
		}
	}
	c.Instructions = slices.Delete(c.Instructions, 0, first)
	return first > 0
}

// sweep removes computations that nothing calls, notes what is left of each instruction, and numbers by place.
func (s *Simplified) sweep() {
	for _, notes := range s.notes {
		for i := range notes {
			notes[i].live = false
		}
	}
	reached := make([]bool, len(s.Module.Computations))
	reached[s.Module.Entry.Index] = true
	for _, c := range slices.Backward(s.Module.Computations) { // callers follow their callees
		if !reached[c.Index] {
			continue
		}
		for _, in := range c.Instructions {
			s.note(in).live = true
			for _, k := range in.Called() {
				reached[k.Index] = true
			}
		}
	}
	s.Module.Computations = slices.DeleteFunc(s.Module.Computations, func(c *hlo.Computation) bool {
		return !reached[c.Index]
	})
	remade := s.liveRemade()
	for _, all := range s.copies {
		for i, n := range all {
			if all[i] = s.left(n); all[i] == nil && n != nil && len(remade) > 0 {
				all[i] = remade[likenessOf(n)]
			}
		}
	}
	for _, c := range s.Module.Computations {
		c.Renumber()
	}
	s.slabs, s.notes, s.remade = nil, nil, nil
	s.Module.LinkCallers()
}

// left returns what is left of an instruction of the copy, nil for nothing.
func (s *Simplified) left(in *hlo.Instruction) *hlo.Instruction {
	if in == nil {
		return nil
	}
	out := s.resolve(in)
	if s.note(out).live {
		return out
	}
	if out = s.inside[out]; out == nil {
		return nil
	}
	if out = s.resolve(out); !s.note(out).live {
		return nil
	}
	return out
}
