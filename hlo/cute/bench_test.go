package cute

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// tiledText is f32[1024,1000]{1,0:T(8,128)}.
const tiledText = "((128,8),(8,125)):((1,1024),(128,8192))"

func BenchmarkAt(b *testing.B) {
	l, err := ParseLayout(tiledText)
	require.NoError(b, err)
	b.ReportAllocs()
	var sum int64
	for i := 0; b.Loop(); i++ {
		n, _ := l.At(int64(i & 0xfffff))
		sum += n
	}
}

func BenchmarkIndex(b *testing.B) {
	l, err := ParseLayout(tiledText)
	require.NoError(b, err)
	b.ReportAllocs()
	var sum int64
	for i := 0; b.Loop(); i++ {
		n, _ := l.Index(int64(i&1023), int64(i&511))
		sum += n
	}
}

func BenchmarkComposition(b *testing.B) {
	l, err := ParseLayout(tiledText)
	require.NoError(b, err)
	t, err := ParseLayout("(8,128):(1,1024)")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, err = Composition(l, t)
	}
	require.NoError(b, err)
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = ParseLayout(tiledText)
	}
}

func TestIndexDoesNotAllocate(t *testing.T) {
	l, err := ParseLayout(tiledText)
	require.NoError(t, err)
	c := Ints(200, 9)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = l.At(12345)
		_, _ = l.Index(200, 9)
		_, _ = l.Apply(c)
	}))
	n, err := l.Index(200, 9)
	require.NoError(t, err)
	require.Equal(t, int64(9416), n)
}
