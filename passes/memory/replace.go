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
	v, g := e.v, e.g
	var uses []int32
	for _, x := range e.bufs[b].values {
		for _, u := range v.uses[x] {
			if t := g.useTime[u]; !e.fastUse[u] && e.replaceable(t) && e.keptUntilLater(g.useLeaf[u], t) {
				uses = append(uses, u)
			}
		}
	}
	slices.SortFunc(uses, func(x, y int32) int { return cmp.Compare(g.useTime[x], g.useTime[y]) })
	for _, u := range uses {
		leaf := g.leaf0[g.useTime[u]]
		to := e.bufOf[v.at[leaf]]
		if to != b && e.bufs[to].allowed && !e.bufs[to].done && v.def[v.at[leaf]] == leaf && !e.returned(leaf) {
			e.placeCopied(to, leaf)
		}
	}
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
	hs := e.helds(b)
	e.branchResults(hs)
	for _, h := range hs {
		if h.leaf == leaf {
			h.replaced = true
			h.list = append(h.list, &allocation{start: h.time, end: h.time, ready: h.time - 1, def: leaf})
		}
	}
	r := e.allocate(hs, e.bufs[b].size)
	if r.failed || slices.ContainsFunc(hs, readsHBM) {
		e.rollback()
		return
	}
	e.bufs[b].done = true
	e.finish(b, hs)
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
