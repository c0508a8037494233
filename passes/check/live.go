package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// room checks that what a scheduled module holds at one time fits each memory. It counts low rather than high: values
// that may share a buffer count once, so that a finding is certain.
func (c *checker) room() {
	if !c.m.IsScheduled() || c.m.Entry == nil {
		return
	}
	l := &lives{at: map[*hlo.Instruction]int{}, base: map[*hlo.Instruction]int{}, end: map[*hlo.Computation]int{},
		sizes: map[*hlo.Shape]int64{}}
	if !l.flatten(c.m.Entry) {
		return // a computation is called twice: the schedule says nothing
	}
	l.link(c.m)
	for _, s := range c.t.MemorySpaces {
		if s.PlacementBytes == 0 {
			continue
		}
		held, peak := l.held(s.Number, max(1, s.AlignmentBytes)), 0
		for t := range held {
			if held[t] > held[peak] {
				peak = t
			}
		}
		if len(held) > 0 && held[peak] > s.PlacementBytes {
			c.report(l.nodes[peak], "LAY134", "at this point values hold %d bytes of %s, S(%d); on %s arrays may "+
				"take %d", held[peak], s.Name, s.Number, c.t.Name, s.PlacementBytes)
			continue
		}
		for t, in := range l.nodes {
			list, _ := in.Reservations()
			for _, r := range list {
				if r.Space != s.Number || r.Size == 0 {
					continue
				}
				switch {
				case s.AlignmentBytes > 0 && r.Offset%s.AlignmentBytes != 0:
					c.report(in, "LAY135", "its own memory in %s begins at %d, which is not a multiple of %d", s.Name,
						r.Offset, s.AlignmentBytes)
				case s.CapacityBytes > 0 && (r.Offset+r.Size > s.CapacityBytes || held[t]+r.Size > s.CapacityBytes):
					c.report(in, "LAY134", "it takes %d bytes of %s at %d for itself while values hold %d; %s has %d",
						r.Size, s.Name, r.Offset, held[t], c.t.Name, s.CapacityBytes)
				}
			}
		}
	}
}

// lives says from when to when each array of a scheduled module is held. Times are places in the schedule, called
// computations before their callers; a leaf is one array of one result, numbered in that order.
type lives struct {
	nodes  []*hlo.Instruction
	at     map[*hlo.Instruction]int // time
	base   map[*hlo.Instruction]int // first leaf
	end    map[*hlo.Computation]int // last time
	leaves []*hlo.Shape
	// parent joins leaves that share a buffer; from and to are inclusive.
	parent, from, to []int
	sizes            map[*hlo.Shape]int64
}

// flatten numbers the instructions that c and what it calls run; false where one of them is missing or called twice.
func (l *lives) flatten(c *hlo.Computation) bool {
	if c == nil || c.Root == nil {
		return false
	}
	if _, seen := l.end[c]; seen {
		return false
	}
	l.end[c] = 0
	for _, in := range c.Instructions {
		for _, callee := range in.Sequential() {
			if !l.flatten(callee) {
				return false
			}
		}
		l.at[in], l.base[in] = len(l.nodes), len(l.leaves)
		l.nodes = append(l.nodes, in)
		until := l.at[in]
		if names(in.Opcode) {
			until--
		}
		in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) {
			l.parent = append(l.parent, len(l.leaves))
			l.leaves, l.from, l.to = append(l.leaves, s), append(l.from, l.at[in]), append(l.to, until)
		})
	}
	l.end[c] = len(l.nodes) - 1
	return true
}

func (l *lives) find(x int) int {
	for l.parent[x] != x {
		l.parent[x] = l.parent[l.parent[x]]
		x = l.parent[x]
	}
	return x
}

// part returns the leaves of the part of an instruction's result at an index: the first and how many; 0 of them where
// there is none.
func (l *lives) part(in *hlo.Instruction, index ...int) (first, n int) {
	if _, ok := l.base[in]; !ok {
		return 0, 0
	}
	first = l.base[in]
	s := in.Shape
	for _, k := range index {
		if !s.IsTuple() || k < 0 || k >= len(s.Elems) {
			return 0, 0
		}
		for _, e := range s.Elems[:k] {
			first += countLeaves(e)
		}
		s = s.Elems[k]
	}
	return first, countLeaves(s)
}

func countLeaves(s *hlo.Shape) (n int) {
	s.Leaves(func(hlo.Index, *hlo.Shape) { n++ })
	return n
}

// join makes two parts of results share their buffers.
func (l *lives) join(a, n, b, m int) {
	for k := range min(n, m) {
		l.parent[l.find(a+k)] = l.find(b + k)
	}
}

// link finds out which leaves share a buffer, and until when each is held.
func (l *lives) link(m *hlo.Module) {
	for t, in := range l.nodes {
		for k := range in.Operands {
			l.read(in, k, t)
		}
		l.linkCalled(in)
		l.linkOperands(in)
		l.written(in)
	}
	l.hold(m.Entry.Root, len(l.nodes)-1)
	l.named()
	for _, p := range m.Entry.Parameters() {
		if p != nil {
			l.hold(p, len(l.nodes)-1)
			a, n := l.part(p)
			for k := a; k < a+n; k++ {
				l.from[k] = 0
			}
		}
	}
	for _, s := range sharings(m.Attr("input_output_alias")) {
		if ps := m.Entry.Parameters(); s.operand < len(ps) && ps[s.operand] != nil {
			a, n := l.part(m.Entry.Root, s.output...)
			b, k := l.part(ps[s.operand], s.index...)
			l.join(a, n, b, k)
		}
	}
	l.reused()
}

// hold keeps an instruction's arrays at least until time t.
func (l *lives) hold(in *hlo.Instruction, t int) {
	first, n := l.part(in)
	for k := first; k < first+n; k++ {
		l.to[k] = max(l.to[k], t)
	}
}

// with makes a result share the buffers of an operand, or of the part of it with that index.
func (l *lives) with(in, o *hlo.Instruction, index ...int) {
	a, n := l.part(in)
	b, m := l.part(o, index...)
	l.join(a, n, b, m)
}

// read holds operand k of the instruction at time t until it is read. What a called computation takes lives on as its
// parameter.
func (l *lives) read(in *hlo.Instruction, k, t int) {
	o, callee := in.Operands[k], in.Sequential()
	branches := callee
	switch {
	case names(in.Opcode):
		return
	case in.Opcode == hlo.OpWhile:
		callee = callee[1:]
	case in.Opcode == hlo.OpConditional && k > 0 && k <= len(callee):
		callee = callee[k-1 : k]
	case in.Opcode == hlo.OpConditional:
		l.hold(o, t)
		return
	}
	if len(callee) != 1 {
		if target := in.Attr("custom_call_target"); target != nil && target.Text == `"ConcatBitcast"` {
			t-- // the pieces of a sliced prefetch become one array where they are
		}
		l.hold(o, t)
		return
	}
	j := 0
	if in.Opcode == hlo.OpCall {
		j = k
	}
	if ps := callee[0].Parameters(); j < len(ps) && ps[j] != nil {
		begin := ps[j]
		if in.Opcode == hlo.OpConditional {
			begin = branches[0].Instructions[0] // where another branch runs, it is not needed
		}
		l.hold(o, l.at[begin])
		l.with(ps[j], o)
	}
}

// linkCalled makes the result of a call share the buffers of what it calls, and a loop's condition those of the loop.
func (l *lives) linkCalled(in *hlo.Instruction) {
	for i, callee := range in.Sequential() {
		l.hold(callee.Root, l.end[callee])
		if in.Opcode != hlo.OpWhile || i > 0 {
			l.with(in, callee.Root)
		} else if ps := callee.Parameters(); len(ps) == 1 && ps[0] != nil {
			l.with(ps[0], in)
		}
	}
}

// linkOperands makes a result share the buffers of the operands that it is, or that it has as parts.
func (l *lives) linkOperands(in *hlo.Instruction) {
	if len(in.Operands) == 0 {
		return
	}
	o := in.Operands[0]
	switch in.Opcode {
	case hlo.OpWhile, hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain, hlo.OpDynamicUpdateSlice,
		hlo.OpAllReduceDone, hlo.OpAsyncUpdate, hlo.OpAllReduceStart, hlo.OpSend, hlo.OpRecvDone, hlo.OpSendDone:
		l.with(in, o)
	case hlo.OpGetTupleElement:
		if k, ok := in.Attr("index").Int(); ok {
			l.with(in, o, int(k))
		}
	case hlo.OpTuple:
		x, n := l.part(in)
		l.joinAll(x, n, in.Operands)
	case hlo.OpCopyDone:
		l.with(in, o, 0)
	case hlo.OpCopyStart:
		x, m := l.part(in, 1)
		l.joinAll(x, m, in.Operands[:1])
	case hlo.OpAsyncStart, hlo.OpCollectivePermuteStart, hlo.OpAllGatherStart:
		x, m := l.part(in, 0)
		l.joinAll(x, m, in.Operands)
	case hlo.OpAsyncDone, hlo.OpCollectivePermuteDone, hlo.OpAllGatherDone:
		if o.Shape.IsTuple() && len(o.Shape.Elems) > 1 {
			l.with(in, o, 1)
		} else {
			l.with(in, o)
		}
	}
}

// joinAll makes the n leaves from x on share the buffers of the operands, one after the other.
func (l *lives) joinAll(x, n int, operands []*hlo.Instruction) {
	for _, o := range operands {
		if n <= 0 {
			return
		}
		b, m := l.part(o)
		l.join(x, min(n, m), b, m)
		x, n = x+m, n-m
	}
}

// names reports whether an operation holds nothing itself: its results are what its operands are.
func names(op hlo.Opcode) bool {
	switch op {
	case hlo.OpTuple, hlo.OpGetTupleElement, hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain:
		return true
	}
	return false
}

// named holds what is read by another name, a part of a tuple, say, until it gets that name; what nothing reads by it
// is not held for it.
func (l *lives) named() {
	for t, in := range slices.Backward(l.nodes) {
		if !names(in.Opcode) {
			continue
		}
		x, n := l.part(in)
		for k, o := range in.Operands {
			if k > 0 && in.Opcode != hlo.OpTuple {
				break
			}
			b, m := l.part(o)
			if i, ok := in.Attr("index").Int(); ok && in.Opcode == hlo.OpGetTupleElement {
				b, m = l.part(o, int(i))
			}
			for j := range min(m, n) {
				if l.to[x+j] >= t {
					l.to[b+j] = max(l.to[b+j], t)
				}
			}
			x, n = x+m, n-m
		}
	}
}

// written joins the results of an instruction with the operands that they may be written over.
func (l *lives) written(in *hlo.Instruction) {
	for _, s := range sharings(in.Attr("output_to_operand_aliasing")) {
		if s.operand < len(in.Operands) {
			a, n := l.part(in, s.output...)
			b, k := l.part(in.Operands[s.operand], s.index...)
			l.join(a, n, b, k)
		}
	}
	if in.Opcode != hlo.OpScatter &&
		!(in.Opcode == hlo.OpFusion && updates(in.CalledBy("calls"), map[*hlo.Computation]bool{})) {
		return
	}
	a, n := l.part(in)
	taken := map[int]bool{}
	for x := a; x < a+n; x++ {
		for _, o := range in.Operands {
			b, m := l.part(o)
			if m == 1 && !taken[b] && l.leaves[b].Equal(l.leaves[x]) {
				taken[b] = true
				l.join(x, 1, b, 1)
				break
			}
		}
	}
}

// reused joins the results of fusions and elementwise operations with the operands of the same shape that nothing reads
// afterwards: the compiler may write a result over such an operand (its final modules list those in aliasing_operands;
// an optimizer's step and what a loop carries are the usual cases).
func (l *lives) reused() {
	last := make([]int, len(l.leaves)) // of each buffer
	for x := range l.leaves {
		r := l.find(x)
		last[r] = max(last[r], l.to[x])
	}
	for t, in := range l.nodes {
		if in.Opcode != hlo.OpFusion && in.Opcode != hlo.OpCopy && !in.Opcode.Elementwise() {
			continue
		}
		a, n := l.part(in)
		for x := a; x < a+n; x++ {
			for _, o := range in.Operands {
				b, m := l.part(o)
				from, to := l.find(b), l.find(x)
				if m == 1 && from != to && last[from] == t && l.leaves[b].Equal(l.leaves[x]) {
					end := last[to]
					l.join(x, 1, b, 1)
					last[l.find(x)] = end
					break
				}
			}
		}
	}
}

// updates reports whether a body writes into an array that it is given; seen are the bodies that were looked into.
func updates(c *hlo.Computation, seen map[*hlo.Computation]bool) bool {
	if c == nil || seen[c] {
		return false
	}
	seen[c] = true
	return slices.ContainsFunc(c.Instructions, func(in *hlo.Instruction) bool {
		return in.Opcode == hlo.OpDynamicUpdateSlice || in.Opcode == hlo.OpScatter || in.Opcode == hlo.OpFusion &&
			updates(in.CalledBy("calls"), seen)
	})
}

// sharing says that an output has the buffer of a part of an operand.
type sharing struct {
	output  []int
	operand int
	index   []int
}

var sharingText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{([\d,\s]*)\}\s*:\s*\((\d+),\s*\{([\d,\s]*)\}`)
})

// sharings reads {{0}: (1, {})}.
func sharings(v *hlo.Value) (out []sharing) {
	if v == nil {
		return nil
	}
	ints := func(text string) (ns []int) {
		for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
			n, err := strconv.Atoi(f)
			if err != nil {
				n = -1
			}
			ns = append(ns, n)
		}
		return ns
	}
	for _, m := range sharingText().FindAllStringSubmatch(v.Text, -1) {
		out = append(out, sharing{ints(m[1]), ints(m[2])[0], ints(m[3])})
	}
	return slices.DeleteFunc(out, func(s sharing) bool { return s.operand < 0 })
}

// held returns the bytes of a memory that are held at each time, every buffer rounded up to the alignment.
func (l *lives) held(number, alignment int64) []int64 {
	var mine []int
	for x, s := range l.leaves {
		if s.IsArray() && space(s) == number {
			mine = append(mine, x)
		}
	}
	if len(mine) == 0 {
		return make([]int64, len(l.nodes))
	}
	slices.SortStableFunc(mine, func(a, b int) int {
		if x, y := l.find(a), l.find(b); x != y {
			return x - y
		}
		return l.from[a] - l.from[b]
	})
	change := make([]int64, len(l.nodes)+1)
	for i := 0; i < len(mine); {
		j, size := i, int64(0)
		for ; j < len(mine) && l.find(mine[j]) == l.find(mine[i]); j++ {
			size = max(size, l.size(l.leaves[mine[j]]))
		}
		size = (size + alignment - 1) / alignment * alignment
		for end := -1; i < j; i++ {
			// Neighbours that overlap or touch are held once.
			if from, to := max(l.from[mine[i]], end+1), l.to[mine[i]]; from <= to {
				change[from] += size
				change[to+1] -= size
				end = to
			}
		}
	}
	for t := 1; t < len(change); t++ {
		change[t] += change[t-1]
	}
	return change[:len(l.nodes)]
}

// size is the padded size of an array in bytes, 0 where it is unknown.
func (l *lives) size(s *hlo.Shape) int64 {
	n, ok := l.sizes[s]
	if !ok {
		if a, err := tiled.New(s); err == nil {
			n = min(a.Bytes(), 1<<50)
		}
		l.sizes[s] = n
	}
	return n
}
