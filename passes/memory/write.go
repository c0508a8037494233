package memory

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// writer turns the copies between the memories into instructions: copy-start after the place where the copy begins,
// copy-done where it has to be done, and the uses that it serves rewritten to read it. It writes what the compiler
// writes, but for two things: a prefetch that the compiler cuts into pieces is one copy here, which starts with the
// last of them, when there is room for all, and numbers count only what is written here.
type writer struct {
	a     *Analysis
	taken map[string]bool
	next  map[string]int
	// inserts are the new instructions with their places, changes the users of values that are copied, by node and
	// operand, with what each leaf of the operand is read from.
	inserts []*insert
	changes map[operandOf]map[int32]*source
	order   []operandOf
	// space is the memory that a use reads from, where that is not its value's own.
	space map[int32]int64
	// slow is where a computation has a value in HBM, if it is written so far. What a loop carries unchanged in the fast
	// memory is read there after the loop.
	slow map[valueIn]*source
	// carriedIn are the parameters of loops' bodies that are in HBM too.
	carriedIn map[valueIn]*held
	// carries are the arrays that loops carry in addition.
	carries []plan.Carry
	// dropped are copies that a prefetch takes the place of.
	dropped []*hlo.Instruction
	// elements are the new get-tuple-elements, by leaf.
	elements map[int32]*insert
	// named are those that are there, by instruction (see names).
	named map[*hlo.Instruction]*elementNames
	// finals are the shapes that final returned, by node: an element requires all of its tuple's.
	finals map[int32]*hlo.Shape
}

type valueIn struct{ value, comp int32 }

type operandOf struct{ node, operand int32 }

// source is where a copy of a leaf can be read: in is an array, or nil for the leaf's own instruction. It is there from
// place ready of the computation on, and made, where it is not nil.
type source struct {
	leaf  int32
	in    *hlo.Instruction
	space int64
	ready int32
	made  *insert
}

// insert is a new instruction directly before instruction gap of a computation, or, a lazy one, before its first user;
// of several there, those of lower levels come first.
type insert struct {
	in               *hlo.Instruction
	comp, gap, level int32
	lazy             bool
	targets          []plan.Target
}

// newWriter makes the copies of a module.
func (a *Analysis) newWriter() *writer {
	w := &writer{a: a, next: map[string]int{}, changes: map[operandOf]map[int32]*source{},
		space: map[int32]int64{}, slow: map[valueIn]*source{}, carriedIn: map[valueIn]*held{}, elements: map[int32]*insert{},
		named:  map[*hlo.Instruction]*elementNames{},
		finals: map[int32]*hlo.Shape{}}
	w.crossProgram()
	for _, h := range a.e.placed {
		w.held(h)
	}
	return w
}

// plan adds the copies to a plan.
func (w *writer) plan(p *plan.Plan) {
	chains := w.rewrite()
	slices.SortStableFunc(w.inserts, func(x, y *insert) int {
		return cmp.Or(cmp.Compare(x.comp, y.comp), cmp.Compare(x.gap, y.gap), cmp.Compare(x.level, y.level))
	})
	p.Carries, p.Drops = w.carries, w.dropped
	w.offloads(p)
	reason := plan.Reason{Rule: "memory-space assignment: a copy between the memories"}
	for _, i := range w.inserts {
		c := w.a.g.comps[i.comp].c
		edit := plan.Edit{Computation: c, New: []*hlo.Instruction{i.in}, Targets: i.targets, Reason: reason}
		if !i.lazy {
			edit.After = c.Instructions[i.gap-1]
		}
		p.Edits = append(p.Edits, edit)
	}
	for _, e := range chains {
		e.Reason = reason
		p.Edits = append(p.Edits, e)
	}
}

// name returns a name that nothing in the module has: base, base.1, base.2...
func (w *writer) name(base string) string {
	if w.taken == nil {
		w.taken = map[string]bool{}
		for _, c := range w.a.m.Computations {
			for _, in := range c.Instructions {
				w.taken[in.Name] = true
			}
		}
	}
	for {
		name := base
		if n := w.next[base]; n > 0 {
			name += "." + strconv.Itoa(n)
		}
		w.next[base]++
		if !w.taken[name] {
			w.taken[name] = true
			return name
		}
	}
}

// gapBehind returns the place after the last instruction of a computation that runs at a time or before, gapBefore the
// place before the first that runs then or later.
func (w *writer) gapBehind(comp, time int32) int32 {
	list, g := w.a.g.comps[comp].c.Instructions, w.a.g
	return int32(sort.Search(len(list), func(i int) bool { return g.timeOf(list[i]) > time }))
}

func (w *writer) gapBefore(comp, time int32) int32 { return w.gapBehind(comp, time-1) }

func (w *writer) insert(in *hlo.Instruction, comp, gap, level int32) *insert {
	i := &insert{in: in, comp: comp, gap: gap, level: level}
	w.inserts = append(w.inserts, i)
	return i
}

// in returns a shape of one array in a memory.
func (w *writer) in(s *hlo.Shape, space int64) *hlo.Shape {
	l := *hlo.DescendingLayout(s.Rank())
	if s.Layout != nil {
		l = *s.Layout
	}
	l.MemorySpace = space
	return w.a.m.Intern(s.WithLayout(&l))
}

// held writes the copies of one value in one computation.
func (w *writer) held(h *held) {
	own := &source{leaf: h.leaf, space: w.a.spaces[h.leaf]}
	if in := w.a.g.nodes[h.time].in; h.replaced && in.Opcode == hlo.OpCopy {
		own = w.copied(h)
		w.dropped = append(w.dropped, in)
	}
	tr := &trail{h: h, own: own, slow: own, at: own}
	for _, x := range h.list {
		w.keepBoth(tr, x)
		w.step(tr, x)
		if tr.at == nil || tr.slow == nil {
			return
		}
		if tr.slow.space == 0 {
			w.slow[valueIn{h.value, h.comp}] = tr.slow
		}
		for _, u := range x.uses {
			w.use(u, w.readAt(tr, u))
		}
	}
}

// copied returns where a prefetch finds what the copy that it takes the place of reads: in HBM, evicted or not.
func (w *writer) copied(h *held) *source {
	operand, v := w.a.g.nodes[h.time].in.Operands[0], w.a.v
	s := &source{in: operand, ready: operand.Index + 1}
	if leaf := v.g.useLeaf[v.g.use0[h.time]]; w.a.spaces[leaf] != 0 {
		if slow := w.inHBM(valueIn{v.at[leaf], h.comp}); slow != nil {
			*s = *slow
		}
	}
	s.leaf, s.space = h.leaf, 0
	return s
}

// trail is where a value can be read while its pieces are written one after the other.
type trail struct {
	h *held
	// own is the value as it is defined, slow where it is in HBM (own while nothing else is written), and at where the
	// uses of the last piece read it.
	own, slow, at *source
	// element names the value where a loop or conditional has handed it on.
	element *source
	// both says that the value is in HBM besides the fast memory.
	both bool
}

// keepBoth makes sure of a place in HBM for a piece that needs one, where the value is there besides the fast memory.
func (w *writer) keepBoth(tr *trail, x *allocation) {
	h := tr.h
	if tr.own.space == w.a.e.dev.space && !x.fast && !x.copied && x.mirror {
		tr.both = true
		w.both(h)
	}
	reads := x.copied == x.fast && (x.copied || len(x.uses) > 0) // a prefetch, or uses in HBM
	if !tr.both || tr.slow != tr.own || !reads {
		return
	}
	if tr.slow = w.inHBM(valueIn{h.value, h.comp}); tr.slow == nil {
		tr.slow = w.copy(tr.own, h.comp, h.time, w.firstUse(x.uses), 0, none, nil)
	}
}

// step writes the copy that a piece begins with, if any.
func (w *writer) step(tr *trail, x *allocation) {
	switch comp := tr.h.comp; {
	case x.copied && !x.fast:
		tr.at = w.copy(tr.own, comp, x.after, x.ready, 0, none, nil)
		tr.slow = tr.at
	case x.copied:
		tr.at = w.copy(tr.slow, comp, x.whole, x.ready, w.a.e.dev.space, w.firstUse(x.uses), nil)
	case x.fast:
		tr.at = tr.own
	case tr.slow != tr.own || tr.own.space == 0:
		tr.at = tr.slow
	}
}

// readAt returns where a use of the last piece reads the value.
func (w *writer) readAt(tr *trail, u int32) *source {
	if tr.at != tr.own || !w.readsAround(u, tr.h) {
		return tr.at
	}
	if tr.element == nil {
		tr.element = w.element(tr.own, tr.h.comp)
	}
	return tr.element
}

// readsAround reports whether the text reads a value itself where a loop or conditional before has handed it on. There
// it is read instead if it was in the fast memory none: all uses of such a value read the last position before them
// (the compiler's own text: testdata/memory/v5e.handed_on.final.hlo).
func (w *writer) readsAround(u int32, h *held) bool {
	leaf, fast := w.origin(w.a.v.g.useLeaf[u]), w.a.e.dev.space
	return leaf != h.leaf && (w.a.spaces[h.leaf] == fast || w.a.spaces[leaf] == fast) || w.readsOther(u, h)
}

// readsOther reports whether a use reads an element of a tuple other than the one that all uses share (see names).
func (w *writer) readsOther(u int32, h *held) bool {
	g, v := w.a.g, w.a.v
	for leaf := g.useLeaf[u]; leaf != h.leaf; {
		t := v.leafTime[leaf]
		from := g.forward(t, leaf-g.leaf0[t])
		if from < 0 {
			return false
		}
		if in := g.nodes[t].in; from == h.leaf && in.Opcode == hlo.OpGetTupleElement && in.Shape.IsArray() {
			n := w.names(in.Operands[0])
			return n.shared && n.elements[elementIndex(in)] != in
		}
		leaf = from
	}
	return false
}

// firstUse returns the time of the first of some uses, which ascend in time; none where there are none.
func (w *writer) firstUse(uses []int32) int32 {
	if len(uses) == 0 {
		return none
	}
	return w.a.g.useTime[uses[0]]
}

func (w *writer) use(u int32, s *source) {
	v := w.a.v
	if s == nil || s.in == nil || w.a.g.nodes[v.g.useTime[u]].done {
		return
	}
	k := operandOf{v.g.useTime[u], v.g.useOperand[u]}
	if w.changes[k] == nil {
		w.changes[k] = map[int32]*source{}
		w.order = append(w.order, k)
	}
	w.changes[k][v.g.useLeaf[u]] = s
	w.space[u] = s.space
}

// copy writes a copy of a leaf to another memory: it starts after one time and is done before another, and before the
// node that reads it first, unless that is -1. index is the program's cross_program_prefetch_index, or nil.
func (w *writer) copy(from *source, comp, after, before int32, to int64, user int32, index *hlo.Value) *source {
	g := w.a.g
	defined := g.nodes[w.a.v.leafTime[from.leaf]].in
	gap := max(w.gapBehind(comp, after), defined.Index+1)
	level := int32(2)
	if to == 0 {
		level = 1
	}
	if from.in == nil {
		if from = w.element(from, comp); from == nil {
			return nil
		}
	}
	if from.made != nil && from.made.gap >= gap {
		gap, level = from.made.gap, max(level, from.made.level+1)
	}
	gap = max(gap, from.ready)
	operand := from.in
	here, dest := w.in(operand.Shape, from.space), w.in(operand.Shape, to)
	attrs := []hlo.Attr{{Key: hlo.InstructionAttr("backend_config"), Value: copyConfig}}
	if index != nil {
		attrs = append([]hlo.Attr{{Key: hlo.InstructionAttr("cross_program_prefetch_index"), Value: index}}, attrs...)
	}
	start := &hlo.Instruction{Name: w.name("copy-start"), Opcode: hlo.OpCopyStart, Operands: []*hlo.Instruction{operand},
		Attrs: attrs, Pos: none,
		Shape: w.a.m.Intern(hlo.NewTuple(dest, here, w.a.m.Intern(hlo.NewArray(hlo.U32, nil,
			&hlo.Layout{MemorySpace: spaceSyncFlag}))))}
	begin := w.insert(start, comp, gap, level)
	done := &hlo.Instruction{Name: w.name("copy-done"), Opcode: hlo.OpCopyDone, Operands: []*hlo.Instruction{start},
		Attrs: attrs[len(attrs)-1:], Pos: none, Shape: dest}
	end := max(w.gapBefore(comp, before), gap)
	if user >= 0 {
		end = min(max(end, gap), w.gapBefore(comp, user))
	}
	level = 0
	if end <= gap {
		end, level = gap, begin.level+1
	}
	return &source{leaf: from.leaf, in: done, space: to, made: w.insert(done, comp, end, level)}
}

// copyConfig is what the compiler writes of its copies.
var copyConfig = &hlo.Value{Kind: hlo.RawValue, Text: `{"dma_priority":1,"flag_configs":[],` +
	`"scoped_memory_configs":[],"used_scoped_memory_configs":[]}`}

// crossProgram writes the copy of the parameter that stays across runs of the program, and the one for the next run,
// whose result nothing reads.
func (w *writer) crossProgram() {
	g, v := w.a.g, w.a.v
	comp := g.compOf[g.m.Entry]
	zero := &hlo.Value{Kind: hlo.IntValue, Text: "0"}
	for _, c := range w.a.e.copies {
		if !c.CrossProgram {
			continue
		}
		own := &source{leaf: c.leaf, space: w.a.spaces[c.leaf]}
		if c.after >= 0 {
			root := int32(len(g.comps[comp].c.Instructions)) - 1
			s := w.copy(own, comp, c.after, g.comps[comp].root, w.a.e.dev.space, none, zero)
			s.made.gap = min(s.made.gap, max(root, 1))
			continue
		}
		at := w.copy(own, comp, c.after, c.before, w.a.e.dev.space, min(c.before, g.comps[comp].root), zero)
		for _, x := range w.a.e.bufs[c.buffer].values {
			for _, u := range v.uses[x] {
				if t := v.g.useTime[u]; w.a.e.fastUse[u] && g.nodes[t].comp == comp && (!trivial(g.nodes[t].in.Opcode) ||
					g.nodes[t].root) {
					w.use(u, at)
				}
			}
		}
	}
}
