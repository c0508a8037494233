package folding

import (
	"slices"

	"hlolayout/hlo"
)

// Kernels that work on many small matrices have one of them in each lane: the largest dimension of the batch is minor.
// Those of long columns have the rows in lanes. The limits are those of 110 probes on v5e, and of 30 on v7x.
const (
	leastInverted = 32  // matrices, for InvertDiagBlocks
	mostInverted  = 100 // their rows
	leastQR       = 33  // matrices, for QrDecompositionBlock
	mostQR        = 64  // their rows
	longColumns   = 512 // rows of one matrix that are in lanes
)

// lanes returns the largest dimension of the batch, the first of those, if it has so many elements; it is empty
// otherwise.
func (l linear) lanes(least int64) []int {
	if len(l.batch) == 0 || slices.Max(l.batch) < least {
		return nil
	}
	return []int{slices.Index(l.batch, slices.Max(l.batch))}
}

// invertible returns the layouts that matrices have for the kernel that inverts them, and that it gives: there rows are
// minor to columns.
func (s solve) invertible(x *hlo.Shape) (operand, result *hlo.Shape) {
	n := x.Rank()
	var b []int
	if x.Dims[n-1] <= mostInverted {
		b = s.lanes(leastInverted)
	}
	return s.laidOut(x, b...), s.laidOut(x, append(b, n-2, n-1)...)
}

// decomposable returns the layouts that matrices and their factors have for the kernel of QR decompositions.
func (l linear) decomposable(matrix, factors *hlo.Shape) (m, f *hlo.Shape) {
	rows := matrix.Dims[l.rows()]
	if rows >= longColumns {
		return l.laidOut(matrix, l.rows(), l.columns()), factors
	}
	b := l.lanes(leastQR)
	if rows > mostQR || len(b) == 0 {
		return matrix, factors
	}
	return l.laidOut(matrix, b[0], l.rows(), l.columns()), l.laidOut(factors, b[0], l.rows())
}

// laidOut returns a shape whose layout has some dimensions minor, the first of them most, and the others descending.
func (w *simplifier) laidOut(s *hlo.Shape, minor ...int) *hlo.Shape {
	others := hlo.OtherDims(s.Rank(), minor)
	slices.Reverse(others)
	return w.Module.Intern(&hlo.Shape{Kind: s.Kind, DType: s.DType, Dims: s.Dims,
		Layout: &hlo.Layout{MinorToMajor: slices.Concat(minor, others)}})
}
