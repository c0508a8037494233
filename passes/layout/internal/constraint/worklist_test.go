package constraint

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// 2.4: what is added with dfs goes to the front one by one; the rest goes to the back, higher priorities first.
func TestQueueDiscipline(t *testing.T) {
	e := &State{constraints: constraints{bufferC: []bufferConstraint{
		{dfs: true}, {dfs: true}, {Priority: 1}, {Priority: 3}, {Priority: 3}, {Priority: 2, dfs: true},
	}}}
	flush := func() (out []item) {
		e.flush()
		for e.work.queue.size > 0 {
			out = append(out, e.work.queue.popFront())
		}
		return out
	}
	for _, i := range []item{0, 1, 2} {
		e.enqueue(i)
	}
	assert.Equal(t, []item{1, 0, 2}, flush())
	for _, i := range []item{2, 3, 4} {
		e.enqueue(i)
	}
	assert.Equal(t, []item{3, 4, 2}, flush(), "a higher priority overtakes, an equal one does not")
	for _, i := range []item{2, 3} {
		e.enqueue(i)
	}
	e.flush()
	e.enqueue(5)
	assert.Equal(t, []item{5, 3, 2}, flush(), "depth first overtakes what waits")
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
