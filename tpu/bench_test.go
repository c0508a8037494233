package tpu_test

import (
	"testing"

	"hlolayout/hlo"
)

var shapes = []struct {
	d    hlo.DType
	dims []int64
}{
	{hlo.F32, nil},
	{hlo.BF16, []int64{4096}},
	{hlo.BF16, []int64{1024, 1000}},
	{hlo.S8, []int64{8, 512, 256}},
	{hlo.F32, []int64{16, 128, 12, 64}},
	{hlo.Pred, []int64{2, 8, 33, 5, 7}},
}

func BenchmarkLayout(b *testing.B) {
	tgt := target(b, "v6e")
	orders := make([][]int, len(shapes))
	for k, s := range shapes {
		orders[k] = tgt.BoundaryOrder(s.d, s.dims)
	}
	b.ReportAllocs()
	for k := 0; b.Loop(); k++ {
		s := shapes[k%len(shapes)]
		tgt.Layout(s.d, s.dims, orders[k%len(shapes)], true)
	}
}

func BenchmarkBoundaryOrder(b *testing.B) {
	tgt := target(b, "v6e")
	b.ReportAllocs()
	for k := 0; b.Loop(); k++ {
		s := shapes[k%len(shapes)]
		tgt.BoundaryOrder(s.d, s.dims)
	}
}

func BenchmarkFreeOrder(b *testing.B) {
	tgt := target(b, "v6e")
	b.ReportAllocs()
	for k := 0; b.Loop(); k++ {
		s := shapes[k%len(shapes)]
		tgt.FreeOrder(s.d, s.dims)
	}
}
