package tiled

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// runLoops executes the loops and returns, for each element of the source in order of its index, where it went in the
// target.
func runLoops(t require.TestingT, a *Array, loops []Loop) map[int64]int64 {
	moved := map[int64]int64{}
	position := make([]int64, len(a.dims))
	var loop func(rest []Loop, from, to int64)
	loop = func(rest []Loop, from, to int64) {
		if len(rest) == 0 {
			for d, x := range position {
				if x >= a.dims[d] {
					return
				}
			}
			_, twice := moved[from]
			require.False(t, twice, "offset %d is copied twice", from)
			moved[from] = to
			return
		}
		l := rest[0]
		for i := range l.Count {
			if l.Dim >= 0 {
				position[l.Dim] += i * l.Step
			}
			loop(rest[1:], from+i*l.A, to+i*l.B)
			if l.Dim >= 0 {
				position[l.Dim] -= i * l.Step
			}
		}
	}
	loop(loops, 0, 0)
	return moved
}

func TestNestCopiesEveryElement(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		loops int
	}{
		{"f32[64,256]{1,0:T(8,128)}", "f32[64,256]{1,0:T(8,128)}", 1},
		{"f32[64,256]{1,0:T(8,128)}", "f32[64,256]{0,1:T(8,128)}", 4},
		{"f32[20,300]{1,0:T(8,128)}", "f32[20,300]{1,0:T(4,128)}", 5},
		{"f32[20,300]{1,0:T(8,128)}", "f32[20,300]{0,1:T(8,128)}", 4},
		{"bf16[20,300]{1,0:T(8,128)(2,1)}", "bf16[20,300]{1,0}", 5},
		{"f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1}", 4},
		{"f32[2,4,40,32]{2,3,1,0:T(8,128)}", "f32[2,4,40,32]{3,1,2,0:T(4,128)}", 4},
		{"f32[1000]{0:T(1024)}", "f32[1000]{0}", 1},
		{"f32[]{:T(128)}", "f32[]", 0},
		{"f32[2,3,5]{2,1,0}", "f32[2,3,5]{0,2,1}", 2},
		{"f32[7,1,9]{2,1,0:T(2,128)}", "f32[7,1,9]{0,1,2:T(1,128)}", 2},
	} {
		a, b := read(t, c.a), read(t, c.b)
		loops, err := Nest(a, b)
		require.NoError(t, err, "%s -> %s", c.a, c.b)
		assert.Len(t, loops, c.loops, "%s -> %s: %+v", c.a, c.b, loops)
		for k := 1; k < len(loops); k++ {
			assert.GreaterOrEqual(t, loops[k-1].A, loops[k].A, "the source is walked forwards")
		}
		moved := runLoops(t, a, loops)
		assert.Len(t, moved, int(a.Elements()))
		index := make([]int64, len(a.dims))
		for range a.Elements() {
			assert.Equal(t, b.at(index), moved[a.at(index)], "%s -> %s at %v", c.a, c.b, index)
			next(index, a.dims)
		}
	}
}

func TestNestOfRandomArrays(t *testing.T) {
	copied, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := genArray(t)
		b := newArray(t, same(a.dims), "b")
		loops, err := Nest(a, b)
		if err != nil {
			require.ErrorIs(t, err, ErrNoLayout)
			refused++
			return
		}
		copied++
		moved := runLoops(t, a, loops)
		require.Len(t, moved, int(a.elements))
		everyIndex(a, func(_ int64, index []int64) {
			require.Equal(t, b.at(index), moved[a.at(index)], "%s -> %s at %v: %+v", a, b, index, loops)
		})
	})
	require.Positive(t, copied)
	t.Logf("%d copies, %d refused", copied, refused)
}

func TestNestRefuses(t *testing.T) {
	_, err := Nest(read(t, "f32[4,6]"), read(t, "f32[6,4]"))
	assert.ErrorIs(t, err, ErrShape)
	_, err = Nest(read(t, "f32[30]{0:T(6)(2,1)}"), read(t, "f32[30]{0:T(4)(2,1)}"))
	assert.ErrorIs(t, err, ErrNoLayout)
	_, err = Nest(read(t, "f32[0]"), read(t, "f32[0]"))
	assert.ErrorIs(t, err, ErrNoLayout)
}
