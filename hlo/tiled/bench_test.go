package tiled

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var usual = []string{
	"f32[1024,1000]{1,0}",
	"f32[1024,1000]{0,1:T(8,128)}",
	"bf16[20,300]{1,0:T(8,128)(2,1)}",
	"bf16[16,1280,40]{1,2,0:T(8,128)(2,1)}",
	"f32[3,5,7]{0,2,1:T(3,4)}",
}

func benchArrays(b *testing.B, f func(b *testing.B, a *Array)) {
	for _, text := range usual {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			f(b, read(b, text))
		})
	}
}

// lasts is the last index, so that every digit counts.
func lasts(a *Array) []int64 {
	index := make([]int64, len(a.dims))
	for i, d := range a.dims {
		index[i] = d - 1
	}
	return index
}

func BenchmarkNew(b *testing.B) {
	benchArrays(b, func(b *testing.B, a *Array) {
		s := shape(b, a.String())
		for b.Loop() {
			_, _ = New(s)
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	benchArrays(b, func(b *testing.B, a *Array) {
		index := lasts(a)
		b.SetBytes(a.bits / 8) // of one element
		for b.Loop() {
			_, _ = a.Index(index...)
		}
	})
}

func BenchmarkStaged(b *testing.B) {
	benchArrays(b, func(b *testing.B, a *Array) {
		index := lasts(a)
		b.SetBytes(a.bits / 8) // of one element
		for b.Loop() {
			_ = a.staged(index)
		}
	})
}

func BenchmarkElement(b *testing.B) {
	benchArrays(b, func(b *testing.B, a *Array) {
		n, err := a.Index(lasts(a)...)
		require.NoError(b, err)
		var buf [8]int64
		b.SetBytes(a.bits / 8) // of one element
		for b.Loop() {
			_, _, _ = a.Element(buf[:0], n)
		}
	})
}

func BenchmarkBitcast(b *testing.B) {
	x, y := read(b, "bf16[20,300]{1,0:T(8,128)(2,1)}"), read(b, "bf16[20,300]{1,0:T(8,128)(2,1)}")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Bitcast(x, y)
	}
}

func BenchmarkReshape(b *testing.B) {
	x, y := read(b, "f32[4,8,128]{2,1,0:T(8,128)}"), read(b, "f32[32,128]{1,0:T(8,128)}")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = ReshapeBitcast(x, y)
	}
}

func BenchmarkRuns(b *testing.B) {
	x, y := read(b, "f32[256,200]{1,0:T(8,128)}"), read(b, "f32[256,200]{1,0}")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Runs(x, y, 1<<20)
	}
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	index := make([]int64, 0, 8)
	for _, text := range append(usual, "f32[6,16]{1,0:T(5,2)(8)(2,4,3)}") { // the last is not a layout
		a := read(t, text)
		want := lasts(a)
		require.Zero(t, testing.AllocsPerRun(50, func() {
			n, _ := a.Index(want...)
			index, _, _ = a.Element(index[:0], n)
			if len(a.tiles) > 0 {
				_, _ = a.Place(n)
			}
		}), text)
		require.Equal(t, want, index, text)
	}
	a, b := read(t, "f32[4,8,128]{2,1,0:T(8,128)}"), read(t, "f32[32,128]{1,0:T(8,128)}")
	require.Zero(t, testing.AllocsPerRun(50, func() {
		_, _ = Bitcast(a, a)
		_, _ = TransposeBitcast(a, []int{0, 1, 2}, a)
		_, _ = ReshapeBitcast(a, b)
	}))
}
