package memory

import (
	"cmp"
	"math"
	"slices"
)

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
		best := none
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
			c.offset, _ = h.find(c.start, c.end, c.size, none)
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
