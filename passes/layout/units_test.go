package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/plan"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The compiler's log says "selected layout: A B" for each reshape that it gives layouts to (v5e).
func TestSelectReshape(t *testing.T) {
	for _, c := range []struct {
		dtype   hlo.DType
		in, out []int64
		a, b    []int
	}{
		{hlo.BF16, []int64{4, 128, 256}, []int64{4, 128, 8, 32}, []int{1, 2, 0}, []int{1, 3, 2, 0}},
		{hlo.F32, []int64{28, 2, 8, 4, 3}, []int64{28, 16, 4, 3, 1}, []int{0, 2, 1, 4, 3}, []int{0, 1, 3, 2, 4}},
		{hlo.F32, []int64{112, 8, 15, 8}, []int64{112, 1, 120, 8}, []int{0, 3, 2, 1}, []int{0, 3, 2, 1}},
		{hlo.F32, []int64{224, 1, 240, 3}, []int64{224, 1, 8, 30, 3}, []int{0, 1, 3, 2}, []int{0, 1, 4, 3, 2}},
		{hlo.S4, []int64{8, 128, 2}, []int64{8, 256}, []int{2, 1, 0}, []int{1, 0}},
		{hlo.F32, []int64{2, 7, 128}, []int64{14, 128}, []int{2, 1, 0}, []int{1, 0}},
		{hlo.BF16, []int64{5, 200, 64}, []int64{32, 2000}, []int{2, 1, 0}, []int{1, 0}},
		{hlo.BF16, []int64{2, 256, 4, 64}, []int64{2, 8, 32, 4, 64}, []int{3, 1, 2, 0}, []int{4, 2, 1, 3, 0}},
		{hlo.F16, []int64{70}, []int64{1, 70}, []int{0}, []int{1, 0}},
		{hlo.F32, []int64{3}, []int64{3, 1}, []int{0}, []int{0, 1}},
		{hlo.F32, []int64{4, 2, 5, 1, 1}, []int64{4, 2, 5}, []int{2, 1, 0, 4, 3}, []int{2, 1, 0}},
		{hlo.BF16, []int64{4, 2, 32}, []int64{4, 1, 2, 32}, []int{2, 0, 1}, []int{3, 0, 2, 1}},
		{hlo.F32, []int64{9, 2, 3}, []int64{9, 2, 3, 1}, []int{0, 1, 2}, []int{0, 1, 3, 2}},
		{hlo.F32, []int64{9, 3, 2}, []int64{9, 3, 2, 1}, []int{0, 2, 1}, []int{0, 2, 1, 3}},
		{hlo.F32, []int64{8, 1, 64, 2, 128}, []int64{8, 1, 64, 256}, []int{4, 3, 1, 2, 0}, []int{3, 1, 2, 0}},
		{hlo.F32, []int64{129, 2, 384}, []int64{129, 2, 3, 128}, []int{2, 0, 1}, []int{3, 2, 0, 1}},
		{hlo.F32, []int64{100, 12, 128}, []int64{100, 1536}, []int{2, 1, 0}, []int{1, 0}},
		{hlo.F32, []int64{4, 1, 5, 1, 1}, []int64{4, 5}, []int{2, 0, 4, 3, 1}, []int{1, 0}},
	} {
		e := &engine{Tiles: ordering.NewTiles(target(t, "v5e")), limits: limitsOf()}
		s := e.searchReshape(c.dtype, c.in, c.out)
		require.NotEqual(t, ordering.None, s.in, "%v to %v", c.in, c.out)
		assert.Equal(t, c.a, e.Orders.Get(s.in), "%v to %v", c.in, c.out)
		assert.Equal(t, c.b, e.Orders.Get(s.out), "%v to %v", c.in, c.out)
	}
}

func TestSelectReshapeIsBounded(t *testing.T) {
	e := &engine{Tiles: ordering.NewTiles(target(t, "v5e")), limits: limitsOf()}
	many := []int64{2, 3, 2, 3, 2, 3, 2, 3, 2, 3}
	assert.Equal(t, ordering.None, e.searchReshape(hlo.F32, many, many).in)
}

func TestBitcastUnderTiles(t *testing.T) {
	e := &engine{Tiles: ordering.NewTiles(target(t, "v5e")), limits: limitsOf()}
	for _, c := range []struct {
		in   []int64
		a    []int
		out  []int64
		b    []int
		want bool
	}{
		{[]int64{8, 512}, []int{1, 0}, []int64{8, 4, 128}, []int{2, 0, 1}, true},
		{[]int64{16, 512}, []int{1, 0}, []int64{16, 4, 128}, []int{2, 0, 1}, false},
		{[]int64{2, 8, 128}, []int{2, 1, 0}, []int64{16, 128}, []int{1, 0}, true},
		{[]int64{2, 7, 128}, []int{2, 1, 0}, []int64{14, 128}, []int{1, 0}, false}, // reshape_f32_2x7x128_to_14x128
		{[]int64{8, 128}, []int{1, 0}, []int64{1024}, []int{0}, true},
		{[]int64{4, 6}, []int{1, 0}, []int64{24}, []int{0}, false},
	} {
		assert.Equal(t, c.want, e.isBitcast(hlo.F32, c.in, c.a, c.out, c.b), "%v%v to %v%v", c.in, c.a, c.out, c.b)
	}
}

// 2.4: what is added with dfs goes to the front one by one; the rest goes behind, higher priorities first.
func TestQueueDiscipline(t *testing.T) {
	e := &engine{bufferC: []bufferConstraint{
		{dfs: true}, {dfs: true}, {priority: 1}, {priority: 3}, {priority: 3}, {priority: 2, dfs: true},
	}}
	drain := func() (out []item) {
		e.drain()
		for e.work.size > 0 {
			out = append(out, e.work.popFront())
		}
		return out
	}
	for _, i := range []item{0, 1, 2} {
		e.queue(i)
	}
	assert.Equal(t, []item{1, 0, 2}, drain())
	for _, i := range []item{2, 3, 4} {
		e.queue(i)
	}
	assert.Equal(t, []item{3, 4, 2}, drain(), "a higher priority overtakes, an equal one does not")
	for _, i := range []item{2, 3} {
		e.queue(i)
	}
	e.drain()
	e.queue(5)
	assert.Equal(t, []item{5, 3, 2}, drain(), "depth first overtakes what waits")
}

func TestDeque(t *testing.T) {
	var q deque
	for i := range item(200) {
		if i%2 == 0 {
			q.pushBack(i)
		} else {
			q.pushFront(i)
		}
	}
	require.Equal(t, 200, q.size)
	for want := item(199); want > 0; want -= 2 {
		assert.Equal(t, want, q.popFront())
	}
	for want := item(0); want < 200; want += 2 {
		assert.Equal(t, want, q.popFront())
	}
	assert.Zero(t, q.size)
}

func TestPairUp(t *testing.T) {
	for _, c := range []struct {
		in, out         []int64
		want            []pairing
		inOnes, outOnes []int
	}{
		{[]int64{100, 64, 3, 1}, []int64{6400, 3, 1}, []pairing{{[]int{3}, []int{2}}, {[]int{0, 1}, []int{0}}, {[]int{2}, []int{1}}}, nil, nil},
		{[]int64{9, 1, 9}, []int64{9, 3, 3, 1}, []pairing{{[]int{0}, []int{0}}, {[]int{2}, []int{1, 2}}}, []int{1}, []int{3}},
		{[]int64{2, 1, 4}, []int64{8}, []pairing{{[]int{0, 2}, []int{0}}}, []int{1}, nil},
		{[]int64{1, 1}, []int64{1}, []pairing{{[]int{0}, []int{0}}}, []int{1}, nil},
	} {
		all, inOnes, outOnes := pairUp(c.in, c.out)
		assert.Equal(t, c.want, all, "%v to %v", c.in, c.out)
		assert.Equal(t, c.inOnes, inOnes)
		assert.Equal(t, c.outOnes, outOnes)
	}
}

func TestMajorOnes(t *testing.T) {
	dims := []int64{1, 6, 1, 4, 5}
	assert.Equal(t, []int{4, 3, 1, 2, 0}, majorOnes(dims, []int{4, 3, 1, 0, 2}))
	assert.Equal(t, []int{4, 2, 3, 1, 0}, majorOnes(dims, []int{4, 2, 3, 1, 0}))
}

// The batch of a group's dot stands in its operands as in the result: f32[2,2,64,8]{2,3,0,1}.
func TestDotFollowsBatch(t *testing.T) {
	d := dotDims{lhsBatch: []int{0, 1}, rhsBatch: []int{0, 2}}
	d.follow([]int{2, 3, 0, 1})
	assert.Equal(t, [][]int{{1, 0}, {1, 0}, {2, 0}}, [][]int{d.batch, d.lhsBatch, d.rhsBatch})
}

// A kernel's gradient of a depthwise convolution explores its second operand first; the log: "operand 1 : ...
// mandatory = true; dfs = true".
func TestBatchGroupsExploreTheSecondOperand(t *testing.T) {
	m := parse(t, `HloModule kernel_gradient

ENTRY main {
  x = f32[2,128,8] parameter(0)
  g = f32[2,128,8] parameter(1)
  e = f32[2,128,8] exponential(g)
  ROOT c = f32[4,1,8] convolution(x, e), window={size=128 pad=3_0}, dim_labels=f0b_i0o->0bf, batch_group_count=8
}
`)
	found := map[int]bool{}
	require.NoError(t, Trace(m, target(t, "v5e"), plan.Options{}, func(e Event) {
		if e.Instruction.Name == "c" && e.Operand >= 0 {
			found[e.Operand] = e.DFS
		}
	}))
	assert.Equal(t, map[int]bool{0: false, 1: true}, found)
}
