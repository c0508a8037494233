package memory

import (
	"slices"
	"sort"

	"hlolayout/hlo"
)

// clock answers how much time passes between two places of the schedule, and with it when a copy should start
// (XLA's CostAnalysisPrefetchIntervalPicker).
type clock struct {
	c     *cost
	sum   []float32 // seconds up to and with each time, loops weighted
	loops []int32
	depth []int32
	drop  []int32 // the latest earlier time with fewer loops around it, -1
	level []int32 // the earliest time from which on all have as many loops and computations around them
	// override is the size that every value is taken to have when it is timed; 0 for its own.
	override int64
	longest  float32
}

func newClock(c *cost) *clock {
	g := c.v.g
	n := len(g.nodes)
	k := &clock{c: c, sum: make([]float32, n+1), loops: make([]int32, n+1), depth: make([]int32, n+1),
		drop: make([]int32, n+1), level: make([]int32, n+1)}
	k.longest = c.dev.seconds(float32(c.dev.limit)) * 8
	k.override = medianSize(c.v)
	var sum float32
	for t := range n {
		cp := &g.comps[g.nodes[t].comp]
		k.loops[t], k.depth[t] = cp.loops, cp.depth
		if g.nodes[t].inner {
			k.depth[t]++
		}
		if op := g.nodes[t].in.Opcode; op != hlo.OpWhile && op != hlo.OpConditional {
			sum += c.elapsed[t] * power5(cp.loops)
		}
		k.sum[t] = sum
	}
	k.sum[n] = sum
	for t := range k.loops {
		before := int32(t) - 1
		for before >= 0 && k.loops[before] >= k.loops[t] {
			before = k.drop[before]
		}
		k.drop[t] = before
		if k.level[t] = int32(t); t > 0 && k.loops[t] == k.loops[t-1] && k.depth[t] == k.depth[t-1] {
			k.level[t] = k.level[t-1]
		}
	}
	return k
}

// medianSize returns the median of the sizes of all values of the module, inside of fusions too, that are larger than
// 1 MiB, but no more than the largest result of the schedule; 0 where there is none. The compiler times every prefetch
// of a module with this one size (its log has it for 95 programs on five generations: all are so). What a loop carries
// counts where it changes, three times.
func medianSize(v *values) int64 {
	var sizes []int64
	note := func(b int64) {
		if b > mib {
			sizes = append(sizes, b)
		}
	}
	for _, l := range v.def {
		_, b := v.leafShape(l)
		note(b)
	}
	g := v.g
	apart := g.calledApart()
	for _, c := range g.m.Computations {
		if _, scheduled := g.compOf[c]; scheduled {
			continue
		}
		for _, in := range c.Instructions {
			for _, b := range defined(in, g.info(in.Shape).bytes, apart[c]) {
				note(b)
			}
		}
	}
	if len(sizes) == 0 {
		return 0
	}
	slices.Sort(sizes)
	return min(sizes[len(sizes)/2], g.largestResult())
}

// calledApart returns the computations that other units run, and what those call: their parameters are their callers'
// values, as those of a loop are.
func (g *graph) calledApart() map[*hlo.Computation]bool {
	apart := map[*hlo.Computation]bool{}
	for _, c := range g.m.Computations {
		for _, in := range c.Instructions {
			callees := in.Sequential()
			if in.Opcode == hlo.OpAsyncStart {
				callees = in.Called()
			}
			for _, callee := range callees {
				apart[callee] = true
			}
		}
	}
	return apart
}

// defined returns those of the sizes of an instruction's leaves that are of its own values, where it has no place in
// the schedule. (That what a program of another unit makes counts once more where one starts another is one program's,
// on v6e and v7x.)
func defined(in *hlo.Instruction, leaves []int64, apart bool) []int64 {
	_, done := asyncKind(in.Opcode)
	switch {
	case trivial(in.Opcode), done, in.Opcode == hlo.OpAsyncUpdate, len(in.Sequential()) > 0,
		apart && in.Opcode == hlo.OpParameter:
		return nil
	case in.Opcode == hlo.OpAsyncStart:
		n := min(len(in.Operands), len(leaves))
		return leaves[n:min(n+1, len(leaves))]
	}
	return leaves
}

// largestResult returns the size of the largest result of the schedule.
func (g *graph) largestResult() (largest int64) {
	for t := range g.nodes {
		if in := g.nodes[t].in; !trivial(in.Opcode) {
			for _, b := range g.info(in.Shape).bytes {
				largest = max(largest, b)
			}
		}
	}
	return largest
}

// copyTime returns the seconds that a copy of so many bytes is timed with.
func (k *clock) copyTime(bytes int64) float32 {
	if k.override > 0 {
		bytes = k.override
	}
	return k.c.dev.seconds(float32(bytes))
}

// between returns the seconds between two times, both exclusive, for one run of the innermost loop that holds all of
// them.
func (k *clock) between(start, end int32) float32 {
	if start >= end {
		return 0
	}
	start = max(start, 0)
	level := min(k.loops[start], k.loops[end])
	for i := k.drop[end]; i >= start; i = k.drop[i] {
		level = min(level, k.loops[i])
	}
	return (k.sum[max(end-1, 0)] - k.sum[start]) / power5(level)
}

// keeps reports whether a value may stay in the fast space between two uses.
func (k *clock) keeps(start, end int32) bool { return k.longest > k.between(start, end) }

// evictedBy returns when the copy back of a value that is defined at start should be done.
func (k *clock) evictedBy(start, latest int32, bytes int64, retry int) int32 {
	want := (1 + 2*float32(retry)) * 2 * k.copyTime(bytes)
	end := start
	for end <= latest && k.between(start, end) < want {
		end++
	}
	return end
}

// starts proposes when a prefetch may start, the best time first, then later and earlier ones in turn. All times are
// exclusive.
type starts struct {
	k                *clock
	end              int32
	earliest, latest int32
	up, down         int32
	goUp             bool
}

// starts lists times for a copy that has to be done by end, its value being there after start. saved is the time that
// the use gains.
func (k *clock) starts(start, end int32, bytes int64, saved float32, planned wish) *starts {
	s := &starts{k: k, end: end, goUp: true}
	copyTime := k.copyTime(bytes)
	depth := k.depth[end]
	if k.level[end] <= max(start, 0) {
		s.search(start, copyTime, saved, planned)
		return s
	}
	s.latest = end - 1
	for s.latest >= start && (k.depth[s.latest] != depth || copyTime > k.between(s.latest, end)+saved) {
		s.latest--
	}
	s.earliest = start
	for s.earliest < s.latest && (k.depth[max(s.earliest, 0)] != depth || k.longest < k.between(s.earliest, end)) {
		s.earliest++
	}
	if s.earliest > s.latest {
		s.up, s.down = s.earliest, s.latest
		return s
	}
	best, preferred := s.earliest, 2*copyTime
	gap := abs(preferred - k.between(s.earliest, end))
	for t := s.earliest + 1; t <= s.latest; t++ {
		if k.depth[t] == depth {
			if d := abs(preferred - k.between(t, end)); d < gap {
				gap, best = d, t
			}
		}
	}
	s.begin(best, planned)
	return s
}

// search finds the times on one level, where the time left is less the later a copy starts.
func (s *starts) search(start int32, copyTime, saved float32, planned wish) {
	k, end := s.k, s.end
	left := func(t int32) float32 { return k.between(t, end) }
	s.latest = firstTime(start, end, func(t int32) bool { return copyTime > left(t)+saved }) - 1
	s.earliest = max(start, min(s.latest, firstTime(start, end, func(t int32) bool { return k.longest >= left(t) })))
	if s.earliest > s.latest {
		s.up, s.down = s.earliest, s.latest
		return
	}
	preferred := 2 * copyTime
	best := firstTime(s.earliest, s.latest, func(t int32) bool { return left(t) <= preferred })
	if best > s.earliest && left(best-1)-preferred <= abs(preferred-left(best)) {
		best = firstTime(s.earliest, best-1, func(t int32) bool { return left(t) <= left(best-1) })
	}
	s.begin(best, planned)
}

// begin begins with the time that is planned, if it is none of the too late ones, else with the best one. (That the
// earliest stands for one that is earlier still is a guess.)
func (s *starts) begin(best int32, planned wish) {
	if planned.kind == copied && planned.after <= s.latest {
		best = max(planned.after, s.earliest)
	}
	s.up, s.down = best, best
	s.next()
}

// firstTime returns the first of the times from lo on at which f holds, hi if it does at none before; where f holds it
// holds at all later ones.
func firstTime(lo, hi int32, f func(int32) bool) int32 {
	return lo + int32(sort.Search(int(max(hi-lo, 0)), func(i int) bool { return f(lo + int32(i)) }))
}

func abs(x float32) float32 {
	if x < 0 {
		return -x
	}
	return x
}

func (s *starts) done() bool { return s.up > s.latest && s.down < s.earliest }

// next returns the next time to try. When only earlier ones are left it skips to keep their number at a hundred.
func (s *starts) next() int32 {
	depth := s.k.depth[s.end]
	at := func(t int32) int32 { return s.k.depth[max(t, 0)] }
	if s.goUp {
		t := s.up
		s.up++
		for s.up <= s.latest && at(s.up) != depth {
			s.up++
		}
		if s.down >= s.earliest {
			s.goUp = false
		}
		return t
	}
	t := s.down
	s.down--
	target := float32(0)
	if s.up > s.latest {
		target = s.k.between(t, s.end) + s.k.between(s.earliest, s.end)/100
	}
	if s.k.level[s.end] <= max(s.earliest, 0) {
		s.down = firstTime(s.earliest, s.down+1, func(t int32) bool { return s.k.between(t, s.end) < target }) - 1
	}
	for s.down >= s.earliest && (at(s.down) != depth || s.k.between(s.down, s.end) < target) {
		s.down--
	}
	if s.up <= s.latest {
		s.goUp = true
	}
	return t
}
