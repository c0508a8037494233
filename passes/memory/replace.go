package memory

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// joint is what is placed together: a buffer, and those that copies and slices make of it, or it of them, where a
// prefetch may do what they do (XLA: enable_sync_copy_replacement and enable_sync_slice_replacement, whose log calls
// the values processed jointly; v5p.split_scan, v5p.copied). What is written of a slice is the slice, in HBM, and a
// copy of it, where the compiler has one asynchronous slice.
type joint struct {
	bufs []int32
	hs   []*held
	// moves are the parts that are made by those copies and slices, by the use of their source.
	moves map[int32]*held
}

// mostStay is how many copies and slices may turn out to stay before all do: each has all begin anew.
const mostStay = 32

// ofPart is a use of a part.
type ofPart struct {
	h *held
	u *heldUse
}

// jointly returns what is placed together with a buffer, but for what leaves are made by that stay: sources come
// before what is made of them.
func (e *engine) jointly(b int32, stay map[int32]bool) *joint {
	v := e.v
	j := &joint{bufs: []int32{b}, moves: map[int32]*held{}}
	by := map[int32]int32{} // the use of the source, by the leaf that is made of it
	in := map[int32]bool{b: true}
	add := func(use, leaf, other int32) {
		if stay[leaf] || len(stay) > mostStay {
			return
		}
		by[leaf] = use
		if !in[other] {
			in[other] = true
			j.bufs = append(j.bufs, other)
		}
	}
	for i := 0; i < len(j.bufs); i++ {
		for _, x := range e.bufs[j.bufs[i]].values {
			for _, u := range v.uses[x] {
				if e.replaceable(u) {
					to, leaf := e.madeBy(u)
					add(u, leaf, to)
				}
			}
			t := v.leafTime[v.def[x]]
			if u := e.g.use0[t]; u < e.g.use0[t+1] && e.replaceable(u) {
				add(u, v.def[x], e.bufOf[v.at[v.g.useLeaf[u]]])
			}
		}
	}
	slices.SortStableFunc(j.bufs, func(a, b int32) int {
		return cmp.Compare(v.leafTime[v.def[e.bufs[a].first]], v.leafTime[v.def[e.bufs[b].first]])
	})
	for _, o := range j.bufs {
		j.hs = append(j.hs, e.helds(o)...)
	}
	if len(by) == 0 {
		return j
	}
	seen := map[int32]bool{}
	for _, h := range j.hs {
		for _, u := range h.uses {
			seen[u.use] = true
		}
	}
	for _, h := range j.hs {
		if u, ok := by[h.leaf]; ok && seen[u] {
			h.replaced = true
			j.moves[u] = h
		}
	}
	return j
}

// worklist returns the uses of a part, and of what is made of it by copies and slices that move, in order of time, and
// of operands. Of a part that has to be in HBM only those are examined.
func (e *engine) worklist(j *joint, h *held) (list []ofPart) {
	for i := range h.uses {
		list = append(list, ofPart{h, &h.uses[i]})
	}
	for i := 0; i < len(list); i++ {
		if made := j.moves[list[i].u.use]; made != nil {
			for k := range made.uses {
				list = append(list, ofPart{made, &made.uses[k]})
			}
		}
	}
	if !e.mayBeFast(e.bufOf[h.value]) {
		list = list[len(h.uses):]
	}
	slices.SortStableFunc(list, func(a, b ofPart) int {
		return cmp.Or(cmp.Compare(a.u.time, b.u.time), cmp.Compare(a.u.use, b.u.use))
	})
	return list
}

// beginsFrom gives what a moved copy or slice makes its piece in HBM, that of the source, which is evicted where it is
// in the fast space alone; false where it cannot be. A prefetch may begin as early as the source's could, before the
// copy (27 of 27 in the logs of five programs whose sources are there earlier).
func (e *engine) beginsFrom(h, source *held, u *heldUse) bool {
	from := lastSlow(source.list)
	switch {
	case from != nil:
	case !e.mayBeFast(e.bufOf[source.value]):
		from = &allocation{ready: source.time}
	default:
		n := len(source.list)
		if n == 0 || source.list[n-1].copied || e.evict(&request{h: source, size: e.bufs[e.bufOf[source.value]].size,
			end: u.time, latest: u.time}) != ReasonNone {
			return false
		}
		from = source.list[n]
	}
	h.list = append(h.list, &allocation{start: h.time, end: h.time, ready: from.ready, def: h.leaf})
	return true
}

// madeBy returns the buffer and the leaf of the result of what a use is by.
func (e *engine) madeBy(use int32) (buffer, leaf int32) {
	leaf = e.g.leaf0[e.g.useTime[use]]
	return e.bufOf[e.v.at[leaf]], leaf
}

// renamed reports whether a value that a copy or slice reads has another name before what that makes is used. Then the
// compiler's log has a prefetch that has to be done before the value has the name, and that none was found, and the
// copy or slice stays. (So it is of 21 of 21 in the logs of 51 programs that have the name before the copy, and of 4
// of 4 that have it between the copy and the use; where there is no other name the time of the use is what counts. The
// result of a loop that hands the value on is another name, too: 3 of 3 copies after such a loop.)
func (e *engine) renamed(source *held, u *heldUse) bool {
	made, end := e.v.leafTime[e.v.def[source.value]], e.g.latest(u.node)
	return slices.ContainsFunc(e.v.positions[source.value], func(l int32) bool {
		t := e.v.leafTime[l]
		return t > made && t < end
	})
}

// usedBefore reports whether what a copy or slice makes was used before. Then the compiler's log has another prefetch
// for the later use, which is none for the first one, and the copy or slice stays. (So it is of all 11 that have a
// place for the first use in the logs of 90 programs.)
func usedBefore(previous, u *heldUse) bool { return previous != nil && previous.time < u.time }

// replaceable reports whether a prefetch can do what a use is by: a copy or a slice that one instruction reads and none
// awaits, of a value and into one that have no place yet and stand for their buffers.
func (e *engine) replaceable(u int32) bool {
	v, g := e.v, e.g
	t := g.useTime[u]
	if in := g.nodes[t].in; !transferred(in) || len(e.usesOf(in)) != 1 || in.Attr("control-predecessors") != nil ||
		e.awaits(in) {
		return false
	}
	to, leaf := e.madeBy(u)
	source := v.at[g.useLeaf[u]]
	from := e.bufOf[source]
	return to != from && e.bufs[from].first == source && e.bufs[to].first == v.at[leaf] && v.def[v.at[leaf]] == leaf &&
		!e.bufs[from].done && !e.bufs[from].crossProgram && !e.bufs[to].done && e.mayBeFast(to) && !e.returned(leaf) &&
		e.inTime(t, leaf)
}

// inTime reports whether a prefetch that starts where a copy or slice is can be done before its result is read first.
func (e *engine) inTime(t, leaf int32) bool {
	g, v := e.g, e.v
	_, bytes := v.leafShape(leaf)
	for _, u := range v.uses[v.at[leaf]] {
		if at := g.useTime[u]; g.nodes[at].comp == g.nodes[t].comp && !trivial(g.nodes[at].in.Opcode) {
			end := g.latest(at)
			return t-1 < end && !e.k.starts(t-1, end, bytes, e.c.saved(at, e.c.read[u]), wish{}).done()
		}
	}
	return true
}

// mayBeFast reports whether a buffer may be in the fast space.
func (e *engine) mayBeFast(b int32) bool { return e.bufs[b].allowed && e.bufs[b].size <= e.dev.limit }

// awaits reports whether an instruction names another one among its control-predecessors.
func (e *engine) awaits(in *hlo.Instruction) bool {
	if e.awaited == nil {
		e.awaited = map[string]bool{}
		for t := range e.g.nodes {
			for name := range e.g.nodes[t].in.Attr("control-predecessors").Names() {
				e.awaited[name] = true
			}
		}
	}
	return e.awaited[in.Name]
}

// returned reports whether the computation that defines the value of a leaf returns it.
func (e *engine) returned(leaf int32) bool {
	comp := e.g.nodes[e.v.leafTime[leaf]].comp
	return slices.ContainsFunc(e.v.positions[e.v.at[leaf]], func(l int32) bool {
		nd := &e.g.nodes[e.v.leafTime[l]]
		return nd.root && nd.comp == comp
	})
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
