package memory

import (
	"cmp"
	"math"
	"slices"

	"hlolayout/hlo"
)

// granule is what a temporary in HBM takes a multiple of.
const granule = 16 << 10

// spare is how much of HBM a program leaves for others before the compiler packs its temporaries anew: on v5e 2.6850 to
// 2.6876 GB, on v6e 2.6815 to 2.6969 GB, by bisection of the batch of a softmax.
const spare = 5 << 29

// Held is one array that is in HBM for a part of the schedule: a temporary, which is not a parameter, result or
// constant of the entry.
type Held struct {
	// Instruction and Index name the value.
	Instruction *hlo.Instruction
	Index       hlo.Index
	// Bytes is its padded size; it takes a multiple of 16 KiB.
	Bytes int64
	// From and To are the first and the last time of the schedule, as in Point, at which it is there.
	From, To int
}

// tenant is a buffer in HBM and the times at which it is there.
type tenant struct {
	leaf, from, to int32 // leaf is -1 for what is not a temporary
	buffer         int32
	size           int64
	gone           bool
}

// temporaries returns the arrays and tables of pointers that HBM holds in addition to parameters, results and
// constants, and how many bytes they take. Where those are more than room, the compiler packs them anew, without gaps
// as far as it goes, and puts them in the place of results that are not there yet; what it reaches then is taken to be
// the most that is held at a time.
func (e *engine) temporaries(spaces []int64, room, table int64) ([]Held, int64) {
	tenants := e.tenants(spaces)
	e.overwrite(tenants)
	tables := e.tables(table)
	held := e.heldOf(tenants, tables)
	top := packed(held)
	if room <= 0 || top <= room {
		return held, top
	}
	tenants = e.tenants(spaces)
	e.reuse(tenants)
	e.overwrite(tenants)
	held = e.heldOf(tenants, tables)
	return held, repacked(held, len(e.g.nodes))
}

// tenants returns what each buffer holds of HBM.
func (e *engine) tenants(spaces []int64) []tenant {
	g, v := e.g, e.v
	out := make([]tenant, len(e.bufs))
	for b := range e.bufs {
		buf := &e.bufs[b]
		x := tenant{leaf: v.def[buf.first], buffer: int32(b), from: int32(len(g.nodes)), size: buf.size}
		for _, y := range buf.values {
			s, _ := v.leafShape(v.def[y])
			if !s.IsArray() || spaces[v.def[y]] != 0 || g.nodes[v.leafTime[v.def[y]]].in.Opcode == hlo.OpConstant {
				x.gone = true
			}
			from, to := e.span(y)
			x.from, x.to = min(x.from, from), max(x.to, to)
		}
		x.gone = x.gone || x.size == 0
		if buf.param || buf.result {
			x.leaf = -1
		}
		out[b] = x
	}
	return out
}

// overwrite lets results take the memory of operands that end there, where the instruction may write them over:
// operands that are arrays of their own (elements of tuples never are written over: 0 of 134 where it was possible),
// sorts aside.
func (e *engine) overwrite(tenants []tenant) {
	g, v := e.g, e.v
	into := make([]int32, len(tenants))
	for b := range into {
		into[b] = int32(b)
	}
	for t := range g.nodes {
		in := g.nodes[t].in
		for j := range g.leaf0[t+1] - g.leaf0[t] {
			b := into[e.bufOf[v.at[g.leaf0[t]+j]]]
			to := &tenants[b]
			if to.gone || to.leaf < 0 || to.from != int32(t) {
				continue
			}
			for k := range in.Operands {
				if !in.Operands[k].Shape.IsArray() {
					continue
				}
				x := v.at[g.useLeaf(g.operandUse(int32(t), k, 0))]
				a := into[e.bufOf[x]]
				from := &tenants[a]
				if a == b || from.gone || from.leaf < 0 || from.to != int32(t) || from.size != to.size ||
					in.Opcode != hlo.OpSort && g.nodes[v.leafTime[v.def[x]]].in.Shape.IsTuple() || !overwrites(in, int(j), k) {
					continue
				}
				from.to, to.gone = to.to, true
				into[b] = a
				for _, y := range e.bufs[b].values { // one that ends here is not looked up by way of b again
					into[e.bufOf[y]] = a
				}
				break
			}
		}
	}
}

// overwrites reports whether an instruction may write leaf j of its result over operand k.
func overwrites(in *hlo.Instruction, j, k int) bool {
	same := func(a, b *hlo.Shape) bool {
		return slices.Equal(a.Dims, b.Dims) && slices.Equal(a.MinorToMajor(), b.MinorToMajor())
	}
	switch {
	case in.Opcode == hlo.OpSort:
		return j == k
	case in.Opcode.Elementwise():
		return same(in.Operands[k].Shape, in.Shape)
	case in.Opcode != hlo.OpFusion:
		return false
	}
	if len(in.Called) != 1 || in.Called[0].Root == nil || k >= len(in.Called[0].Parameters()) {
		return false
	}
	body := in.Called[0]
	out := body.Root
	if out.Opcode == hlo.OpTuple {
		if j >= len(out.Operands) {
			return false
		}
		out = out.Operands[j]
	}
	// Every user of the parameter, and of what is made from it, works elementwise, and the result is one of them.
	made := map[*hlo.Instruction]bool{body.Parameters()[k]: true}
	for _, x := range body.Instructions {
		for _, o := range x.Operands {
			switch {
			case !made[o] || x.Opcode == hlo.OpTuple && x == body.Root:
			case x.Opcode == hlo.OpReduce && o.Opcode != hlo.OpParameter:
			case !x.Opcode.Elementwise() || !same(x.Shape, o.Shape):
				return false
			default:
				made[x] = true
			}
		}
	}
	return made[out] && out.Opcode != hlo.OpParameter
}

// reuse puts temporaries in the place of results of the program while those are not there, the largest first, each in
// the smallest that holds it. The compiler does so only where the program would not fit otherwise.
func (e *engine) reuse(tenants []tenant) {
	type lodging struct {
		size   int64
		guests []*tenant
	}
	var places []lodging
	var guests []*tenant
	for b := range tenants {
		switch x := &tenants[b]; {
		case x.gone:
		case x.leaf >= 0:
			guests = append(guests, x)
		case e.bufs[b].result && !e.bufs[b].param:
			places = append(places, lodging{x.size, []*tenant{x}})
		}
	}
	slices.SortStableFunc(guests, func(a, b *tenant) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.from,
			b.from))
	})
	slices.SortStableFunc(places, func(a, b lodging) int { return cmp.Compare(a.size, b.size) })
	const most = 1 << 22 // comparisons: beyond, what is left stays where it is
	tries := 0
	for _, x := range guests {
		for i := range places {
			p := &places[i]
			if p.size < x.size {
				continue
			}
			if tries += len(p.guests); tries > most {
				return
			}
			if !slices.ContainsFunc(p.guests, func(y *tenant) bool {
				return x.from <= y.to && y.from <= x.to && !e.follows(x,
					y) && !e.follows(y, x)
			}) {
				p.guests, x.gone = append(p.guests, x), true
				break
			}
		}
	}
}

// follows reports whether a begins in the instruction where b ends, which may write it over b.
func (e *engine) follows(a, b *tenant) bool {
	if a.from != b.to || a.size != b.size {
		return false
	}
	g, v := e.g, e.v
	in := g.nodes[a.from].in
	for j := range g.leaf0[a.from+1] - g.leaf0[a.from] {
		for k, o := range in.Operands {
			if !o.Shape.IsArray() {
				continue
			}
			x := v.at[g.useLeaf(g.operandUse(a.from, k, 0))]
			if e.bufOf[x] == b.buffer && e.bufOf[v.at[g.leaf0[a.from]+j]] == a.buffer && overwrites(in, int(j), k) {
				return true
			}
		}
	}
	return false
}

// tables returns the tables of pointers of tuples.
func (e *engine) tables(table int64) (held []Held) {
	g := e.g
	n := int32(len(g.nodes))
	last := make([]int32, n)
	for t := range g.nodes {
		for _, o := range g.nodes[t].in.Operands {
			last[g.timeOf[o]] = int32(t)
		}
	}
	for t := int32(0); t < n; t++ {
		in := g.nodes[t].in
		if !in.Shape.IsTuple() || in.Opcode == hlo.OpParameter || in.Opcode == hlo.OpGetTupleElement ||
			in.Opcode == hlo.OpBitcast {
			continue
		}
		count := int64(1)
		switch in.Opcode {
		case hlo.OpAsyncStart:
			count = 2
		case hlo.OpTuple, hlo.OpWhile, hlo.OpConditional:
			if g.nodes[t].root {
				continue
			}
		}
		held = append(held, Held{Instruction: in, Bytes: (count-1)*granule + table, From: int(t), To: int(max(t, last[t]))})
	}
	return held
}

// heldOf returns the temporaries with the tables, which count only next to arrays (measured: programs without an array
// in HBM report 0).
func (e *engine) heldOf(tenants []tenant, tables []Held) (held []Held) {
	g, v := e.g, e.v
	arrays := false
	for i := range tenants {
		x := &tenants[i]
		if x.gone || x.leaf < 0 {
			continue
		}
		t := v.leafTime[x.leaf]
		held = append(held, Held{Instruction: g.nodes[t].in, Index: indexOfLeaf(g.nodes[t].in.Shape, x.leaf-g.leaf0[t]),
			Bytes: x.size, From: int(x.from), To: int(x.to)})
		shape, _ := v.leafShape(x.leaf)
		arrays = arrays || !single(shape)
	}
	if !arrays {
		return nil
	}
	return append(held, tables...)
}

// packed returns how many bytes the temporaries take when each is placed, as it begins, in the smallest gap that holds
// it, or else at the end: the heap of the compiler, which has gaps. Sizes and offsets are multiples of 16 KiB.
func packed(held []Held) (end int64) {
	top := int64(0)
	type gap struct{ offset, size int64 }
	var gaps []gap // ascending by offset, never adjacent
	free := func(g gap) {
		i, _ := slices.BinarySearchFunc(gaps, g.offset, func(x gap, at int64) int { return cmp.Compare(x.offset, at) })
		if i < len(gaps) && g.offset+g.size == gaps[i].offset {
			gaps[i] = gap{g.offset, g.size + gaps[i].size}
		} else {
			gaps = slices.Insert(gaps, i, g)
		}
		if i > 0 && gaps[i-1].offset+gaps[i-1].size == gaps[i].offset {
			gaps[i-1].size += gaps[i].size
			gaps = slices.Delete(gaps, i, i+1)
		}
	}
	take := func(size int64) int64 {
		best := -1
		for i := range gaps {
			if gaps[i].size >= size && (best < 0 || gaps[i].size < gaps[best].size) {
				best = i
			}
		}
		if best < 0 {
			at := top
			if n := len(gaps); n > 0 && gaps[n-1].offset+gaps[n-1].size == top {
				at = gaps[n-1].offset
				gaps = gaps[:n-1]
			}
			top = at + size
			return at
		}
		at := gaps[best].offset
		if gaps[best].size -= size; gaps[best].size == 0 {
			gaps = slices.Delete(gaps, best, best+1)
		} else {
			gaps[best].offset += size
		}
		return at
	}
	begin, ends := make([]int32, len(held)), make([]int32, len(held))
	for i := range held {
		begin[i], ends[i] = int32(i), int32(i)
	}
	slices.SortStableFunc(begin, func(a, b int32) int { return cmp.Compare(held[a].From, held[b].From) })
	slices.SortStableFunc(ends, func(a, b int32) int { return cmp.Compare(held[a].To, held[b].To) })
	offsets := make([]int64, len(held))
	for _, i := range begin {
		for len(ends) > 0 && held[ends[0]].To < held[i].From {
			x := ends[0]
			free(gap{offsets[x], rounded(held[x].Bytes)})
			ends = ends[1:]
		}
		offsets[i] = take(rounded(held[i].Bytes))
		end = max(end, offsets[i]+held[i].Bytes)
	}
	return end
}

// repacked returns how many bytes the temporaries take at least when they are placed one by one, each in the smallest
// gap that is free as long as it is there: by size, by the length of their lives, or by both.
func repacked(held []Held, times int) int64 {
	const most = 1 << 13 // temporaries: for more, gaps are left out of account
	least := packed(held)
	bound := slices.Max(occupancy(held, times))
	if len(held) > most {
		return bound
	}
	size := func(a, b Held) int { return cmp.Compare(b.Bytes, a.Bytes) }
	length := func(a, b Held) int { return cmp.Compare(b.To-b.From, a.To-a.From) }
	area := func(a, b Held) int {
		return cmp.Compare(float64(b.Bytes)*float64(b.To-b.From+1), float64(a.Bytes)*float64(a.To-a.From+1))
	}
	for _, order := range []func(a, b Held) int{size, length, area} {
		if least == bound {
			break
		}
		held = slices.Clone(held)
		slices.SortStableFunc(held, func(a, b Held) int {
			return cmp.Or(order(a, b), size(a, b), length(a, b),
				cmp.Compare(a.From, b.From))
		})
		h, top := newHeap(math.MaxInt64/2, times), int64(0)
		for _, x := range held {
			c := chunk{start: int32(x.From), end: int32(x.To), size: rounded(x.Bytes)}
			c.offset, _ = h.find(c.start, c.end, c.size, -1)
			h.add(c)
			top = max(top, c.offset+x.Bytes)
		}
		least = min(least, top)
	}
	return least
}

func rounded(n int64) int64 { return (n + granule - 1) / granule * granule }

// occupancy adds up what is held at each of n times.
func occupancy(held []Held, n int) []int64 {
	sum := make([]int64, n+1)
	for _, h := range held {
		bytes := rounded(h.Bytes)
		sum[h.From] += bytes
		sum[h.To+1] -= bytes
	}
	for t := 1; t < n; t++ {
		sum[t] += sum[t-1]
	}
	return sum[:n]
}

// span returns the first and last time that a value is held.
func (e *engine) span(x int32) (from, to int32) {
	g, v := e.g, e.v
	from = v.leafTime[v.def[x]]
	to = from
	for _, u := range v.uses[x] {
		to = max(to, v.g.useTime[u])
	}
	for _, l := range v.positions[x] {
		nd := &g.nodes[v.leafTime[l]]
		if nd.root {
			to = max(to, g.comps[nd.comp].end)
		}
		to = max(to, v.leafTime[l])
	}
	return from, to
}
