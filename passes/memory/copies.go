package memory

import "slices"

// copyQueue is the bandwidth that copies in one direction share. A copy runs from just after one time to just before
// another, in the order of their starts; each takes the time of the instructions that it overlaps, until its own time
// is up. Amounts are seconds times 2^40.
type copyQueue struct {
	free  []int64 // what each time offers
	delay []int64 // what earlier copies still need at each time
	// first has the copies that may begin at each time, the one after their start, in the order in which they came.
	first [][]copySpan
	undo  []delayChange
	// journal and pending are the changes of delay and the copies since the last commit.
	journal []delayChange
	pending []copySpan
}

type copySpan struct {
	after, before int32
	need          int64
}

type delayChange struct {
	time int32
	old  int64
}

const copyScale = 1 << 40

func newCopyQueue(elapsed []float32) *copyQueue {
	q := &copyQueue{free: make([]int64, len(elapsed)), delay: make([]int64, len(elapsed)), first: make([][]copySpan,
		len(elapsed)+1)}
	for t, e := range elapsed {
		q.free[t] = scaled(e)
	}
	return q
}

func scaled(seconds float32) int64 { return int64(min(float64(seconds), 4096) * copyScale) }

// consume lets a copy take its time and pushes back those after it; it reports whether all of them still finish.
// Changes are recorded in undo.
func (q *copyQueue) consume(after, before int32, need int64) bool {
	if need != 0 {
		need += q.delay[after+1]
	}
	place := len(q.first[after+1]) // among those that start with it, after which no other comes
	for need != 0 {
		var behind *copySpan // the next copy, which has what this one leaves
		var left int64
		at := 0
		for t := after + 1; t < before && need != 0; t++ {
			used := min(need, q.free[t])
			from := 0
			if t == after+1 {
				from = place
			}
			if behind == nil && from < len(q.first[t]) {
				behind, at, left = &q.first[t][from], from+1, need
			}
			if behind == nil {
				q.undo = append(q.undo, delayChange{t, q.delay[t]})
				q.delay[t] = need
			}
			need -= used
		}
		if need > 0 {
			return false
		}
		if behind == nil {
			return true
		}
		after, before, need, place = behind.after, behind.before, left+behind.need, at
	}
	return true
}

// rewind takes back the changes since mark.
func (q *copyQueue) rewind(mark int) {
	for i := len(q.undo) - 1; i >= mark; i-- {
		q.delay[q.undo[i].time] = q.undo[i].old
	}
	q.undo = q.undo[:mark]
}

// fits reports whether copies could be added, one after the other.
func (q *copyQueue) fits(copies ...copySpan) bool {
	q.undo = q.undo[:0]
	defer func() { q.rewind(0) }()
	return !slices.ContainsFunc(copies, func(c copySpan) bool { return !q.consume(c.after, c.before, c.need) })
}

// add adds a copy that fits. Until commit is called, rollback takes it back.
func (q *copyQueue) add(c copySpan) {
	q.undo = q.undo[:0]
	q.consume(c.after, c.before, c.need)
	q.journal = append(q.journal, q.undo...)
	q.first[c.after+1] = append(q.first[c.after+1], c)
	q.pending = append(q.pending, c)
}

func (q *copyQueue) commit() { q.journal, q.pending = q.journal[:0], q.pending[:0] }

func (q *copyQueue) rollback() {
	for i := len(q.journal) - 1; i >= 0; i-- {
		q.delay[q.journal[i].time] = q.journal[i].old
	}
	for _, c := range q.pending {
		list := q.first[c.after+1]
		for i, e := range slices.Backward(list) {
			if e == c {
				q.first[c.after+1] = slices.Delete(list, i, i+1)
				break
			}
		}
	}
	q.commit()
}

// inFlight counts the intervals, inclusive at both ends, that meet another one: two Fenwick trees over starts and ends.
type inFlight struct {
	starts, ends []int32
	times        map[[2]int32]int32 // how often each interval is there
}

func newInFlight(times int) *inFlight {
	return &inFlight{make([]int32, times+3), make([]int32, times+3), map[[2]int32]int32{}}
}

func fenwick(tree []int32, t, by int32) {
	for i := t + 2; int(i) < len(tree); i += i & -i {
		tree[i] += by
	}
}

func prefix(tree []int32, t int32) (n int32) {
	for i := min(t+2, int32(len(tree))-1); i > 0; i -= i & -i {
		n += tree[i]
	}
	return n
}

func (f *inFlight) add(start, end int32) { f.change(start, end, 1) }

// remove takes an interval away; one that is not there changes nothing.
func (f *inFlight) remove(start, end int32) {
	if f.times[[2]int32{start, end}] > 0 {
		f.change(start, end, -1)
	}
}

func (f *inFlight) change(start, end, by int32) {
	f.times[[2]int32{start, end}] += by
	fenwick(f.starts, start, by)
	fenwick(f.ends, end, by)
}

// meeting counts the intervals that share a time with [start, end].
func (f *inFlight) meeting(start, end int32) int32 {
	return prefix(f.starts, end) - prefix(f.ends, start-1)
}
