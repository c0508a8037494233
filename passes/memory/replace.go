package memory

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// replace has copies and slices that read a buffer in HBM done by prefetches, where their results have not been placed
// before: the results are placed now, without a definition in the fast space. Where a use of one would read HBM, the
// instruction stays, and its result waits for its turn. (XLA: enable_sync_copy_replacement and
// enable_sync_slice_replacement, whose log calls the values processed jointly; v5p.split_scan.) What is written of a
// slice is the slice, in HBM, and a copy of it, where the compiler has one asynchronous slice.
func (e *engine) replace(b int32) {
	for _, u := range e.replaceables(b) {
		if to, leaf := e.madeBy(u); !e.fastUse[u] && !e.bufs[to].done {
			e.placeCopied(to, leaf)
		}
	}
}

// replaceables returns the uses of a buffer by copies and slices that prefetches may do, whose results have no place
// yet, in order of time.
func (e *engine) replaceables(b int32) (uses []int32) {
	v, g := e.v, e.g
	for _, x := range e.bufs[b].values {
		for _, u := range v.uses[x] {
			t := g.useTime[u]
			if !e.replaceable(t) || !e.keptUntilLater(g.useLeaf[u], t) {
				continue
			}
			to, leaf := e.madeBy(u)
			if to != b && e.bufs[to].allowed && !e.bufs[to].done && v.def[v.at[leaf]] == leaf && !e.returned(leaf) {
				uses = append(uses, u)
			}
		}
	}
	slices.SortFunc(uses, func(x, y int32) int { return cmp.Compare(g.useTime[x], g.useTime[y]) })
	return uses
}

// madeBy returns the buffer and the leaf of the result of what a use is by.
func (e *engine) madeBy(use int32) (buffer, leaf int32) {
	leaf = e.g.leaf0[e.g.useTime[use]]
	return e.bufOf[e.v.at[leaf]], leaf
}

// placeJointly places a buffer that is in the fast space where slices and copies read it, together with their results:
// it is evicted, and prefetches do what they do, from what was evicted. Where one of them would read HBM, or reads the
// value by another name, nothing is placed. (The compiler's log of 6 programs, on v4 to v7x, has 25 slices that it
// replaces, most of them so. With the log's times and order the same are here, and one more on v7x, where other things
// differ before.)
func (e *engine) placeJointly(b int32) bool {
	uses := e.replaceables(b)
	if len(uses) == 0 || len(e.bufs[b].values) > 1 || slices.ContainsFunc(uses, func(u int32) bool {
		in := e.g.nodes[e.g.useTime[u]].in
		return in.Opcode != hlo.OpSlice || trivial(in.Operands[0].Opcode)
	}) {
		return false
	}
	e.retry, e.full = 0, false
	var later []int32
	for _, u := range uses {
		for _, w := range e.v.uses[e.v.at[e.g.leaf0[e.g.useTime[u]]]] {
			later = append(later, e.useTime(w))
		}
	}
	size := e.bufs[b].size
	hs := e.helds(b)
	e.branchResults(hs)
	ok := !e.allocate(hs, size, later...).failed && len(e.inefficient(hs, size)) == 0
	var results [][]*held
	for _, u := range uses {
		if ok {
			var list []*held
			list, ok = e.sliced(hs, u, size, later)
			results = append(results, list)
		}
	}
	if !ok {
		e.rollback()
		return false
	}
	for _, list := range results {
		to := e.bufOf[list[0].value]
		e.bufs[to].done = true
		e.finish(to, list)
	}
	e.finish(b, hs)
	return true
}

// sliced places the result of a slice or copy that reads a buffer with a use; the buffer has been in the fast space
// alone, and is evicted.
func (e *engine) sliced(hs []*held, use int32, size int64, later []int32) ([]*held, bool) {
	i := slices.IndexFunc(hs, func(h *held) bool {
		return slices.ContainsFunc(h.uses, func(u heldUse) bool { return u.use == use })
	})
	if i < 0 || len(hs[i].list) == 0 || len(later) == 0 {
		return nil, false
	}
	h, time := hs[i], e.g.useTime[use]
	from := lastSlow(h.list)
	if from == nil {
		end := slices.Min(later)
		if h.list[len(h.list)-1].copied || e.evict(&request{h: h, size: size, end: end, latest: end}) != ReasonNone {
			return nil, false
		}
		from = h.list[len(h.list)-1]
	} else if a := liveAt(h.list, time); a == nil || !a.fast {
		return nil, false
	}
	to, leaf := e.madeBy(use)
	list := e.copiedFrom(to, leaf, from.ready)
	if len(list) == 0 || e.allocate(list, e.bufs[to].size).failed || slices.ContainsFunc(list, readsHBM) {
		return nil, false
	}
	return list, true
}

// replaceable reports whether a prefetch can do what a node does: a copy or a slice that one instruction reads; of a
// copy, with another instruction to overlap in between. (Two slices without one are prefetches in the compiler's
// modules, and three copies without one are not.)
func (e *engine) replaceable(t int32) bool {
	in := e.g.nodes[t].in
	uses := e.usesOf(in)
	return transferred(in) && len(uses) == 1 && (in.Opcode == hlo.OpSlice || e.overlaps(in, uses[0].User))
}

// returned reports whether the computation that defines the value of a leaf returns it.
func (e *engine) returned(leaf int32) bool {
	comp := e.g.nodes[e.v.leafTime[leaf]].comp
	return slices.ContainsFunc(e.v.positions[e.v.at[leaf]], func(l int32) bool {
		nd := &e.g.nodes[e.v.leafTime[l]]
		return nd.root && nd.comp == comp
	})
}

// keptUntilLater reports whether nothing writes over a value after a time: it is alone in its buffer, or not used
// later. What an asynchronous operation before that works on counts as written over (7 of 7 copies of what a
// collective-permute sends, too, v5e: the log has their prefetches end before it).
func (e *engine) keptUntilLater(leaf, time int32) bool {
	v := e.v
	for _, l := range v.positions[v.at[leaf]] {
		if e.g.nodes[v.leafTime[l]].async && v.leafTime[l] < time {
			return false
		}
	}
	if len(e.bufs[e.bufOf[v.at[leaf]]].values) == 1 {
		return true
	}
	for _, u := range v.uses[v.at[leaf]] {
		if v.g.useTime[u] > time {
			return false
		}
	}
	return true
}

// placeCopied places a buffer whose first value, that of a leaf, is only copied to the fast space.
func (e *engine) placeCopied(b, leaf int32) {
	hs := e.copiedFrom(b, leaf, none)
	r := e.allocate(hs, e.bufs[b].size)
	if r.failed || slices.ContainsFunc(hs, readsHBM) {
		e.rollback()
		return
	}
	e.bufs[b].done = true
	e.finish(b, hs)
}

// copiedFrom lists the parts of a buffer whose first value, that of a leaf, is copied from what is in HBM from a time
// on.
func (e *engine) copiedFrom(b, leaf, ready int32) []*held {
	hs := e.helds(b)
	e.branchResults(hs)
	for _, h := range hs {
		if h.leaf == leaf {
			h.replaced = true
			h.list = append(h.list, &allocation{start: h.time, end: h.time, ready: max(h.time-1, ready), def: leaf})
		}
	}
	return hs
}

// readsHBM reports whether a use reads a piece in HBM, or one is copied there.
func readsHBM(h *held) bool {
	return slices.ContainsFunc(h.list, func(a *allocation) bool { return !a.fast && (len(a.uses) > 0 || a.copied) })
}

// transferred reports whether a transfer can do what a copy or a slice does: all but the memory stays, or one dimension
// is cut, which begins with a tile where it is tiled. (The compiler's logs of 60 programs name 60 such slices that it
// takes and 90 others that it does not. That one row cut out of a tile is not taken is a guess from one of these.)
func transferred(in *hlo.Instruction) bool {
	if in.Opcode != hlo.OpCopy && in.Opcode != hlo.OpSlice || !in.Shape.IsArray() {
		return false
	}
	from, to := in.Operands[0].Shape, in.Shape
	if in.Opcode == hlo.OpCopy {
		return from.Equal(to)
	}
	first, ok := in.SliceStarts()
	if !ok || from.DType != to.DType || from.Layout == nil || to.Layout == nil || len(from.Layout.Tiles) == 0 ||
		len(to.Layout.Tiles) == 0 || !slices.Equal(from.MinorToMajor(), to.MinorToMajor()) {
		return false
	}
	cut, tile := 0, from.Layout.Tiles[0]
	for k, d := range from.MinorToMajor() {
		if from.Dims[d] == to.Dims[d] {
			continue
		}
		cut++
		if k < len(tile) {
			if size := tile[len(tile)-1-k]; size <= 0 || first[d]%size != 0 {
				return false
			}
		}
	}
	rows := to.Layout.Tiles[0]
	return cut == 1 && (slices.Equal(rows, tile) || len(rows) > 0 && rows[0] > 1)
}

// overlaps reports whether an instruction that takes time runs between two of a computation.
func (e *engine) overlaps(from, to *hlo.Instruction) bool {
	for to.Opcode == hlo.OpTuple || to.Opcode == hlo.OpBitcast {
		uses := e.usesOf(to)
		if len(uses) != 1 {
			break
		}
		to = uses[0].User
	}
	for i := from.Index + 1; i < to.Index; i++ {
		if in := from.Computation.Instructions[i]; !trivial(in.Opcode) && in.Opcode != hlo.OpConstant &&
			in.Opcode != hlo.OpParameter {
			return true
		}
	}
	return false
}
