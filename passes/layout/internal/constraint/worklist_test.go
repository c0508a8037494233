package constraint

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// 2.4: what is added with dfs goes to the front one by one; the rest goes to the back, higher priorities first.
func TestQueueDiscipline(t *testing.T) {
	e := &State{}
	for _, c := range []Constraint{{DFS: true}, {DFS: true}, {Priority: 1}, {Priority: 3}, {Priority: 3},
		{Priority: 2, DFS: true}} {
		e.bufferC = append(e.bufferC, bufferConstraint{Constraint: c})
	}
	flush := func() (out []item) {
		e.flush()
		for !e.queue.empty() {
			out = append(out, e.queue.pop())
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
			q.back = append(q.back, i)
		} else {
			q.front = append(q.front, i)
		}
	}
	for want := item(199); want > 0; want -= 2 {
		assert.Equal(t, want, q.pop())
	}
	for want := item(0); want < 200; want += 2 {
		assert.False(t, q.empty())
		assert.Equal(t, want, q.pop())
	}
	assert.True(t, q.empty())
}
