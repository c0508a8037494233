package memory

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// buffer is a set of values that share their memory: what a loop starts with, carries and returns, what is updated in
// place, what branches take and return, a donated parameter and the result that takes its place.
type buffer struct {
	values []int32
	size   int64 // padded bytes
	first  int32 // the value that stands for the buffer: the first one
	// priority orders the buffers: the benefit of the fast memory over the square root of the size.
	priority      float32
	start, end    int32 // in the clock of allocations, of the value that stands for the buffer
	lastUse       int32
	param, result bool // holds a parameter or part of the result of the program
	allowed       bool
	why           Reason
	crossProgram  bool
}

// buffers groups values.
func (e *engine) buffers() {
	v, g := e.v, e.g
	parent := make([]int32, len(v.def))
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(x int32) int32 {
		for parent[x] != x {
			parent[x] = parent[parent[x]]
			x = parent[x]
		}
		return x
	}
	join := func(a, b int32) {
		a, b = find(v.at[a]), find(v.at[b])
		parent[max(a, b)] = min(a, b)
	}
	for t := range g.nodes {
		in := g.nodes[t].in
		out, n := g.leaf0[t], g.leaf0[t+1]-g.leaf0[t]
		switch in.Opcode {
		case hlo.OpWhile:
			cond, body := &g.comps[g.compOf[in.Sequential()[0]]], &g.comps[g.compOf[in.Sequential()[1]]]
			init := g.leaf0[g.timeOf[in.Operands[0]]]
			for j := range n {
				for _, o := range []int32{init, g.leaf0[cond.params[0]], g.leaf0[body.params[0]], g.leaf0[body.root]} {
					join(out+j, o+j)
				}
			}
		case hlo.OpConditional:
			for _, callee := range in.Called {
				root := g.leaf0[g.comps[g.compOf[callee]].root]
				for j := range n {
					join(out+j, root+j)
				}
			}
		case hlo.OpDynamicUpdateSlice, hlo.OpScatter, hlo.OpFusion:
			for j := range n {
				if k := e.c.inPlace(in, int(j)); k >= 0 && len(g.info(in.Operands[k].Shape).leaves) == 1 {
					join(out+j, g.leaf0[g.timeOf[in.Operands[k]]])
				}
			}
		case hlo.OpCollectivePermuteStart:
			if len(in.Operands) == 4 && n > 1 {
				join(out+1, g.leaf0[g.timeOf[in.Operands[1]]])
			}
		}
		for _, a := range outputAliases(in) {
			if a.operand < len(in.Operands) {
				s, o := leafAt(g, in.Shape, a.output), leafAt(g, in.Operands[a.operand].Shape, a.index)
				if s >= 0 && o >= 0 {
					join(out+s, g.leaf0[g.timeOf[in.Operands[a.operand]]]+o)
				}
			}
		}
	}
	entry := &g.comps[g.compOf[g.m.Entry]]
	for _, a := range donations(g.m) {
		if a.operand < len(entry.params) && entry.params[a.operand] >= 0 {
			p := entry.params[a.operand]
			s, o := leafAt(g, g.nodes[entry.root].in.Shape, a.output), leafAt(g, g.nodes[p].in.Shape, a.index)
			if s >= 0 && o >= 0 {
				join(g.leaf0[entry.root]+s, g.leaf0[p]+o)
			}
		}
	}
	e.bufOf = make([]int32, len(v.def))
	number := map[int32]int32{}
	for x := range v.def {
		r := find(int32(x))
		b, ok := number[r]
		if !ok {
			b = int32(len(e.bufs))
			number[r] = b
			e.bufs = append(e.bufs, buffer{first: int32(x)})
		}
		e.bufOf[x] = b
		e.bufs[b].values = append(e.bufs[b].values, int32(x))
	}
	e.lifetimes()
	for b := range e.bufs {
		e.describe(int32(b))
	}
}

// alias says that an output shares the memory of a leaf of an operand (or of a parameter).
type alias struct {
	output  []int
	operand int
	index   []int
}

// outputAliases reads output_to_operand_aliasing={{0}: (1, {})}.
func outputAliases(in *hlo.Instruction) []alias {
	if in.Opcode == hlo.OpAsyncStart {
		return nil
	}
	return parseAliases(in.Attr("output_to_operand_aliasing"))
}

// donations reads the module's input_output_alias={ {0}: (1, {}, may-alias) }.
func donations(m *hlo.Module) []alias { return parseAliases(m.Attr("input_output_alias")) }

func parseAliases(v *hlo.Value) []alias {
	if v == nil {
		return nil
	}
	text := strings.TrimSpace(v.Text)
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	var out []alias
	for {
		var a alias
		var ok bool
		if a.output, text, ok = cutIndex(text); !ok {
			return out
		}
		_, rest, found := strings.Cut(text, "(")
		if !found {
			return out
		}
		i := 0
		for rest = strings.TrimLeft(rest, " "); i < len(rest) && rest[i] >= '0' && rest[i] <= '9' && a.operand < 1<<30; i++ {
			a.operand = 10*a.operand + int(rest[i]-'0')
		}
		if a.index, text, ok = cutIndex(rest[i:]); !ok {
			return out
		}
		_, text, _ = strings.Cut(text, ")")
		out = append(out, a)
	}
}

// cutIndex reads the next {1,0} of text.
func cutIndex(text string) (index []int, rest string, ok bool) {
	_, text, ok = strings.Cut(text, "{")
	if !ok {
		return nil, "", false
	}
	inside, rest, ok := strings.Cut(text, "}")
	if !ok {
		return nil, "", false
	}
	for _, part := range strings.Split(inside, ",") {
		n, digits := 0, false
		for _, r := range part {
			if r >= '0' && r <= '9' && n < 1<<30 {
				n, digits = 10*n+int(r-'0'), true
			}
		}
		if digits {
			index = append(index, n)
		}
	}
	return index, rest, true
}

// leafAt returns the number of the leaf at an index, -1 where there is none.
func leafAt(g *graph, s *hlo.Shape, index []int) int32 {
	at := int32(0)
	for _, k := range index {
		if !s.IsTuple() || k >= len(s.Elems) {
			return -1
		}
		at += g.info(s).elem0[k]
		s = s.Elems[k]
	}
	if s.IsTuple() {
		return -1
	}
	return at
}

// lifetimes works out when each value is allocated and freed, in a clock that ticks with every allocation and every
// release, as the compiler's heap simulator does. It breaks ties between buffers.
func (e *engine) lifetimes() {
	v, g := e.v, e.g
	n := len(g.nodes)
	e.from, e.to = make([]int32, len(v.def)), make([]int32, len(v.def))
	until := make([]int32, len(v.def))
	entry := &g.comps[g.compOf[g.m.Entry]]
	donated := map[int32]bool{}
	for _, a := range donations(g.m) {
		if a.operand < len(entry.params) {
			donated[entry.params[a.operand]] = true
		}
	}
	made, freed := make([][]int32, n+1), make([][]int32, n+1)
	tuples := make([]int32, n+1)
	for x := range v.def {
		start := v.leafTime[v.def[x]]
		end := start
		for _, u := range v.uses[x] {
			t := v.g.useTime[u]
			if g.nodes[t].in.Opcode == hlo.OpWhile {
				t = g.comps[g.compOf[g.nodes[t].in.Sequential()[1]]].params[0]
			}
			end = max(end, t)
		}
		for _, l := range v.positions[x] {
			nd := &g.nodes[v.leafTime[l]]
			if nd.root {
				end = max(end, g.comps[nd.comp].end)
			}
			if nd.in.Opcode == hlo.OpParameter && g.comps[nd.comp].caller < 0 && !donated[v.leafTime[l]] {
				end = int32(n)
			}
		}
		until[x] = end
		if g.nodes[start].in.Opcode != hlo.OpConstant {
			made[start], freed[end] = append(made[start], int32(x)), append(freed[end], int32(x))
		}
	}
	// Tuples are values too; all that is needed of them is that they tick.
	for t := range g.nodes {
		in := g.nodes[t].in
		if !in.Shape.IsTuple() || in.Opcode == hlo.OpGetTupleElement || in.Opcode == hlo.OpParameter {
			continue
		}
		tuples[t]++
	}
	last := make([]int32, n)
	for t := range g.nodes {
		for _, o := range g.nodes[t].in.Operands {
			last[g.timeOf[o]] = int32(t)
		}
	}
	tupleEnds := make([]int32, n+1)
	for t := range g.nodes {
		if tuples[t] > 0 {
			tupleEnds[max(last[t], int32(t))]++
		}
	}
	tick := int32(0)
	for t := range n + 1 {
		tick += tuples[t]
		for _, x := range made[t] {
			tick++
			e.from[x] = tick
		}
		for _, x := range freed[t] {
			tick++
			e.to[x] = tick
		}
		tick += tupleEnds[t]
	}
}

// describe fills in what is known of a buffer before anything is placed.
func (e *engine) describe(b int32) {
	v, g := e.v, e.g
	buf := &e.bufs[b]
	buf.allowed = true
	var benefit float32
	first := v.def[buf.first]
	t := v.leafTime[first]
	benefit = e.c.benefit(t, e.c.wrote[first])
	for _, x := range buf.values {
		_, bytes := v.leafShape(v.def[x])
		buf.size = max(buf.size, bytes)
		if why := e.banned(x); why != ReasonNone {
			buf.allowed, buf.why = false, why
		}
		for _, u := range v.uses[x] {
			op := g.nodes[v.g.useTime[u]].in.Opcode
			if op == hlo.OpWhile || op == hlo.OpConditional {
				continue
			}
			more := e.c.benefit(v.g.useTime[u], e.c.read[u])
			if benefit > 0 && more > 0 {
				benefit += more
			} else {
				benefit = max(benefit, more)
			}
		}
		for _, l := range v.positions[x] {
			nd := &g.nodes[v.leafTime[l]]
			if g.comps[nd.comp].caller < 0 {
				buf.param = buf.param || nd.in.Opcode == hlo.OpParameter
				buf.result = buf.result || nd.root
			}
		}
	}
	buf.priority = float32(float64(benefit) / math.Sqrt(float64(max(buf.size, 1))))
	buf.start, buf.end = e.from[buf.first], e.to[buf.first]
	for _, u := range v.uses[buf.first] {
		buf.lastUse = max(buf.lastUse, v.g.useTime[u])
	}
}

// banned says why a value may never be in the fast space: it is not an array, has a single element, carries a space
// already, or is what the compiler keeps out (XLA's IsValueAllowedInAlternateMemory). What a call takes and gives stays
// in HBM, which is a choice of ours: the compiler puts the bodies of calls in their place before it schedules.
func (e *engine) banned(x int32) Reason {
	v, g := e.v, e.g
	s, _ := v.leafShape(v.def[x])
	if !s.IsArray() {
		return ReasonNoArray
	}
	if n, ok := s.Elements(); ok && n <= 1 { // of no elements: the compiler makes it a constant before
		return ReasonScalar
	}
	for _, l := range v.positions[x] {
		if s, _ := v.leafShape(l); s.Layout != nil && s.Layout.MemorySpace != 0 {
			return ReasonGiven
		}
	}
	for _, u := range v.uses[x] {
		if g.nodes[v.g.useTime[u]].in.Opcode == hlo.OpCall {
			return ReasonLoop
		}
		if e.offloaded(v.g.useTime[u]) {
			return ReasonOpcode
		}
	}
	for _, l := range v.positions[x] {
		if g.nodes[v.leafTime[l]].in.Opcode == hlo.OpCall {
			return ReasonLoop
		}
	}
	if e.offloaded(v.leafTime[v.def[x]]) {
		return ReasonOpcode
	}
	switch in := g.nodes[v.leafTime[v.def[x]]].in; in.Opcode {
	case hlo.OpSend, hlo.OpRecv, hlo.OpSendDone, hlo.OpRecvDone, hlo.OpInfeed, hlo.OpOutfeed, hlo.OpRngGetAndUpdateState,
		hlo.OpPartitionId, hlo.OpReplicaId:
		return ReasonOpcode
	}
	return ReasonNone
}

// offloaded reports whether an instruction starts work elsewhere: a copy from or to the host, or a computation on
// another unit.
func (e *engine) offloaded(t int32) bool {
	in := e.g.nodes[t].in
	switch in.Opcode {
	case hlo.OpAsyncStart:
		return true
	case hlo.OpCopyStart:
		for _, s := range append(e.g.info(in.Shape).leaves, in.Operands[0].Shape) {
			if s.Layout != nil && s.Layout.MemorySpace == spaceHost {
				return true
			}
		}
	}
	return false
}

// order returns the buffers in the order in which they are placed.
func (e *engine) order() []int32 {
	ids := make([]int32, 0, len(e.bufs))
	for b := range e.bufs {
		ids = append(ids, int32(b))
	}
	slices.SortStableFunc(ids, func(i, j int32) int {
		a, b := &e.bufs[i], &e.bufs[j]
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(b.size, a.size), cmp.Compare(b.end-b.start,
			a.end-a.start),
			cmp.Compare(a.lastUse, b.lastUse), e.byNumber(i, j), cmp.Compare(a.start, b.start), cmp.Compare(a.first, b.first))
	})
	return ids
}
