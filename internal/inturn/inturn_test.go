package inturn

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Whatever the order and the goroutines in which values come, each is done once, in order, and never two at a time.
func TestQueue(t *testing.T) {
	const n = 1000
	for range 20 {
		var done []int
		q := New(func(i int) { done = append(done, i) }) // the race detector tells if two are done at a time
		numbers := rand.Perm(n)
		var wait sync.WaitGroup
		for k := range 4 {
			wait.Go(func() {
				for j := k; j < n; j += 4 {
					q.Put(numbers[j], numbers[j])
				}
			})
		}
		wait.Wait()
		for i := range n {
			if !assert.Equal(t, i, done[i]) {
				return
			}
		}
		assert.Len(t, done, n)
	}
}
