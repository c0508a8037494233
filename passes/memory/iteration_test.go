package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rounds is an unrolled loop of seven iterations: each multiplies what the one before made with another parameter,
// takes the sine of that and adds a parameter that all of them read.
func rounds() string {
	const array = "f32[256,128]{1,0:T(8,128)}"
	var b strings.Builder
	fmt.Fprintf(&b, "HloModule m, is_scheduled=true\n\nENTRY %%main {\n  %%x = %s parameter(0)\n  %%c = %s parameter(1)\n",
		array, array)
	for i := range 7 {
		fmt.Fprintf(&b, "  %%w.%d = %s parameter(%d)\n", i, array, i+2)
	}
	last := "x"
	for i := range 7 {
		fmt.Fprintf(&b, "  %%m.%d = %s multiply(%%%s, %%w.%d)\n  %%s.%d = %s sine(%%m.%d)\n  %%t.%d = %s tanh(%%s.%d)\n"+
			"  %%a.%d = %s add(%%t.%d, %%c)\n", i, array, last, i, i, array, i, i, array, i, i, array, i)
		last = fmt.Sprintf("a.%d", i)
	}
	fmt.Fprintf(&b, "  ROOT %%r = %s abs(%%%s)\n}\n", array, last)
	return b.String()
}

// planned returns the wishes of an engine by instruction and operand, with the times at which prefetches start.
func planned(e *engine) map[string]wish {
	out := map[string]wish{}
	for u, w := range e.wishes {
		out[fmt.Sprintf("%s %d", e.g.nodes[e.g.useTime[u]].in.Name, e.g.useOperand[u])] = w
	}
	return out
}

// In an unrolled loop, what an iteration makes and what all of them read stays in the fast space, and what one alone
// reads is copied there while the one before runs; what finds no room is in HBM. v4 has no plan.
func TestUnrolledLoopsArePlanned(t *testing.T) {
	e := engineOf(t, rounds(), "v5e")
	require.Equal(t, []unrolled{{9, 36, 4}}, e.g.unrolledLoops())
	got := planned(e)
	for i := range 7 {
		at := int32(9 + 4*i)
		for name, want := range map[string]wish{"m.%d 0": {kind: staying}, "m.%d 1": {copied, at - 4},
			"s.%d 0": {kind: staying}, "t.%d 0": {kind: staying}, "a.%d 0": {kind: staying}, "a.%d 1": {kind: staying}} {
			assert.Equal(t, want, got[fmt.Sprintf(name, i)], name, i)
		}
	}
	assert.Empty(t, planned(engineOf(t, rounds(), "v4")))

	e.dev.limit = 3 * 256 * 128 * 4
	e.planLoops()
	got = planned(e)
	kinds := map[wishKind]int{}
	for _, w := range got {
		kinds[w.kind]++
	}
	assert.Len(t, got, 42)
	assert.NotZero(t, kinds[inHBM])
	assert.NotZero(t, kinds[staying])
}

// What is carried on for more than an iteration, or made before the loop and read at different places in two
// iterations, is not planned.
func TestWhatBecomesOfALoopsValues(t *testing.T) {
	at := func(times ...int32) (list []loopLeaf) {
		for _, t := range times {
			list = append(list, loopLeaf{time: t})
		}
		return list
	}
	for _, c := range []struct {
		v    loopValue
		want loopKind
	}{
		{loopValue{made: at(1), reads: at(2)}, temporary},
		{loopValue{made: at(1), next: at(0)}, temporary},
		{loopValue{made: at(1), reads: at(2), next: at(1)}, unsupported},
		{loopValue{made: at(1)}, unsupported},
		{loopValue{header: true, reads: at(2), next: at(2)}, pinned},
		{loopValue{header: true, reads: at(2), next: at(3)}, unsupported},
		{loopValue{header: true, reads: at(2, 3), next: at(2)}, unsupported},
		{loopValue{header: true, reads: at(2)}, fetched},
		{loopValue{header: true, reads: at(2), next: at(1)}, fetched},
		{loopValue{header: true, next: at(1)}, unsupported},
		{loopValue{reads: at(2)}, unsupported},
	} {
		assert.Equal(t, c.want, c.v.kindOf(), "%+v", c.v)
	}
}

// What is in the fast space for more than an iteration has two places, in turn, and nothing is above the limit.
func TestPlacesInTurn(t *testing.T) {
	offsets := func(r *turns) (list []int64) {
		for _, h := range r.held {
			list = append(list, h.offset)
		}
		return list
	}
	v := &loopValue{size: 4096}
	r := &turns{limit: 3 * 4096, size: 4}
	require.True(t, r.place(v, 0, 3, 0, 1, 2, 3))
	assert.Equal(t, []int64{0, 0, 0, 0}, offsets(r))
	long := &loopValue{size: 4096}
	require.True(t, r.alternate(long, -1, 3))
	assert.Equal(t, []int64{4096, 4096, 8192, 8192}, offsets(r)[4:])
	other := &loopValue{size: 1}
	assert.False(t, r.alternate(other, 3, 3), "one iteration's and the next one's leave no room")
	assert.Len(t, r.held, 8)
	require.True(t, r.alternate(other, 1, 2))
	assert.Equal(t, int64(4096), offsetOf(r, other, 1), "the long one is at the other place then")
	assert.Equal(t, int64(8192), offsetOf(r, other, 5))
	r.drop(other)
	r.drop(long)
	assert.Equal(t, []int64{0, 0, 0, 0}, offsets(r))
	require.True(t, r.alternate(other, 1, 2))
	assert.Equal(t, []int64{4096, 4096, 4096, 4096}, offsets(r)[4:], "within an iteration one place is enough")
}

// offsetOf returns the offset of a value that is held from a time on, -1 where there is none.
func offsetOf(r *turns, v *loopValue, start int32) int64 {
	for _, h := range r.held {
		if h.of == v && h.start == start {
			return h.offset
		}
	}
	return none
}

// fetching is an iteration of four instructions with idle seconds for prefetches, in which a byte takes a second.
func fetching(limit int64, idle ...float32) *iteration {
	e := &engine{dev: &device{bandwidth: 1}}
	return &iteration{e: e, size: int32(len(idle)), idle: idle, room: turns{limit: limit, size: int32(len(idle))}}
}

// A prefetch starts as late as enough seconds are idle until the use, at the earliest after the last use in the
// iteration before, where it starts in any case. Where there is no room for so early a start, seven tenths of the
// seconds are enough. What it takes is no longer idle.
func TestPrefetchesInAnIteration(t *testing.T) {
	const page = 4096
	read := func(time int32) *loopValue { return &loopValue{size: page, reads: []loopLeaf{{time: time}}} }
	it := fetching(4*page, 0, page, page, 0)
	v := read(3)
	it.prefetch(v, nil)
	assert.Equal(t, copied, v.decided)
	assert.Equal(t, int32(2), v.from)
	assert.Equal(t, []float32{0, page, 0, 0}, it.idle)
	assert.Equal(t, int32(1), v.effective(4))

	w := read(1)
	it.prefetch(w, []*loopValue{v})
	assert.Equal(t, int32(-3), w.from, "the only idle instruction is the one that reads it")
	assert.Equal(t, []float32{0, 0, 0, 0}, it.idle)
	assert.Equal(t, int32(1), v.from, "the one that would start after it, before it is done, starts with it")
	assert.Equal(t, int32(-4), w.effective(4))
	assert.Equal(t, int32(0), v.effective(4))

	for enough, start := range map[float32]int32{.75 * page: 2, .65 * page: 0} {
		it := fetching(2*page, 0, 0, enough, 0)
		first := &loopValue{size: page}
		require.True(t, it.room.place(first, 0, 1, 0, 1, 2, 3))
		other := &loopValue{size: page}
		require.True(t, it.room.place(other, 0, 1, 0, 1, 2, 3))
		v := read(3)
		it.prefetch(v, nil)
		if start == 0 {
			assert.NotEqual(t, copied, v.decided, "%v seconds", enough)
			continue
		}
		assert.Equal(t, copied, v.decided, "%v seconds", enough)
		assert.Equal(t, start, v.from)
	}

	it = fetching(2*page, 0, 0, 0, 0)
	v = read(0)
	it.prefetch(v, nil)
	assert.Equal(t, int32(-4), v.from)
	assert.Equal(t, int32(-4), v.effective(4), "a whole iteration before")
	it = fetching(page, page, page, page, page)
	v = &loopValue{size: 2 * page, reads: []loopLeaf{{time: 1}}}
	it.prefetch(v, nil)
	assert.NotEqual(t, copied, v.decided, "it is larger than the space")
}

// A use that is planned to be in HBM gets no prefetch and does not stay; one that is planned to stay does so however
// long that is; one that is planned to be copied is so from that time on, unless that is too late.
func TestPlansAreFollowed(t *testing.T) {
	e := engineOf(t, rounds(), "v5e")
	h := e.placed[slices.IndexFunc(e.placed, func(h *held) bool { return e.g.nodes[h.time].in.Name == "s.3" })]
	q := func(w wish) *request {
		other := *h
		other.list = nil
		return &request{h: &other, use: &h.uses[0], start: h.time, end: h.uses[0].time, latest: h.uses[0].time, size: 4096,
			noCopyAllowed: true, earliest: none, wish: w}
	}
	e.k.longest = 0
	ok, why := e.stay(q(wish{}))
	assert.False(t, ok)
	assert.Equal(t, ReasonTooLong, why)
	ok, _ = e.stay(q(wish{kind: staying}))
	assert.True(t, ok)
	assert.Equal(t, undecided, e.prefetched(&step{q: q(wish{kind: inHBM})}))

	for kind, want := range map[wishKind]bool{inHBM: false, copied: true, staying: true, unplanned: true} {
		e.wishes[h.uses[0].use] = wish{kind: kind}
		got := e.request(h, &h.uses[0], nil, h.time, nil, nil, nil)
		assert.Equal(t, want, got.noCopyAllowed, kind)
		assert.Equal(t, kind, got.wish.kind)
	}

	long := engineOf(t, chain(slices.Repeat([]string{"n"}, 60)), "v5e")
	first := func(w wish) int32 { return long.k.starts(2, 50, 4096, 0, w).next() }
	free := first(wish{})
	assert.NotEqual(t, int32(20), free)
	assert.Equal(t, int32(20), first(wish{copied, 20}))
	assert.Equal(t, free, first(wish{staying, 20}))
	assert.Equal(t, free, first(wish{copied, 50}))
	assert.Equal(t, int32(2), first(wish{copied, -9}))
}

// The bytes that a value spares are those of its uses and of what makes it, less its size where it comes from before
// the loop, and where it is read after it; over its size. What the iteration before makes is left out, and of values
// for which there is no room those stay that spare most.
func TestWhatAPlanSpares(t *testing.T) {
	const size = 256 * 128 * 4
	e := engineOf(t, strings.Replace(rounds(), "abs(%a.6)", "add(%a.6, %s.1)", 1), "v5e")
	plan := func(limit int64) (*iteration, map[string]*loopValue) {
		it := &iteration{e: e, start: 13, size: 4, room: turns{limit: limit, size: 4}, fast: make([]float32, 4)}
		it.list()
		it.allocate()
		byName := map[string]*loopValue{}
		for _, v := range it.values {
			byName[e.g.nodes[e.v.leafTime[e.v.def[e.bufs[v.buffer].first]]].in.Name] = v
		}
		return it, byName
	}
	it, values := plan(e.dev.limit)
	gains := map[string]float32{}
	for name, v := range values {
		gains[name] = v.gain
	}
	assert.Equal(t, map[string]float32{"w.1": 0, "c": 1, "m.1": 2, "s.1": 1, "t.1": 2, "a.1": 2}, gains)
	assert.Zero(t, it.idle[0], "the prefetch of w.1 takes all")
	assert.Equal(t, []float32{3 * size, 2 * size, 2 * size, 3 * size}, it.fast)

	_, values = plan(size)
	assert.Equal(t, staying, values["m.1"].decided)
	assert.Equal(t, inHBM, values["s.1"].decided)

	at := func(time int32) []loopLeaf { return []loopLeaf{{time: time}} }
	it.values = []*loopValue{{buffer: values["c"].buffer, size: size, kind: pinned, reads: at(3)}}
	it.allocate()
	assert.Equal(t, inHBM, it.values[0].decided, "it spares nothing")
	b := values["t.1"].buffer
	it.values = []*loopValue{{buffer: b, size: size, kind: temporary, made: at(2), reads: at(3)}}
	it.allocate()
	assert.Equal(t, staying, it.values[0].decided)
	e.bufs[b].values = append(e.bufs[b].values, e.bufs[b].first)
	it.allocate()
	assert.Equal(t, inHBM, it.values[0].decided, "it is several values")

	late, soon := &loopValue{size: size, reads: at(3)}, &loopValue{size: size, reads: at(1)}
	list := []*loopValue{soon, late}
	it.fetch(list)
	assert.Equal(t, []*loopValue{late, soon}, list)
	around := &loopValue{decided: copied, from: -1, reads: at(1)}
	got, left := it.startingAt(2, []*loopValue{around})
	assert.Empty(t, got, "it starts in the iteration before already")
	assert.Len(t, left, 1)
}

// Where the plan has a value in HBM, what the next iteration reads at the same place is left out; scratch memory is
// held in all iterations.
func TestPlansSpread(t *testing.T) {
	e := engineOf(t, rounds(), "v7x")
	it := &iteration{e: e, start: 13, size: 4, room: turns{limit: e.dev.limit, size: 4}}
	it.reserve()
	assert.Len(t, it.room.held, 4*4)
	assert.Contains(t, planned(e), "s.1 0")
	e.dev.limit = e.scratch(14)
	e.planLoops()
	assert.Equal(t, inHBM, planned(e)["s.1 0"].kind, "scratch memory takes all")
	for decided, want := range map[wishKind]int{inHBM: 7, staying: 14} {
		clear(e.wishes)
		v := &loopValue{kind: temporary, decided: decided, reads: []loopLeaf{{3, 0}}, next: []loopLeaf{{3, 1}}}
		it.spread(unrolled{9, 36, 4}, v)
		assert.Len(t, e.wishes, want, "of seven iterations")
	}
}
