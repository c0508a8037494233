package fit

import (
	"slices"

	"hlolayout/hlo"
)

// recomputed is the part of what waits at the peak that the compiler gets rid of where a program would not fit
// otherwise: it computes it again, or keeps it in another layout. A guess: 0.25 to 0.45 in training steps of dense
// layers, attention and convolutions.
const recomputed = 0.3

// Least returns what the program takes where the compiler has to make it smaller: each result that is not there yet at
// the peak gives its place to a temporary, and of what waits outside of loops a part is computed again.
func (p *Program) Least() int64 {
	var waits, lodged int64
	var later []int64 // descending, as the holdings are
	for i := range p.Holdings {
		if h := &p.Holdings[i]; h.Kind == Output && h.From > p.At {
			later = append(later, h.Bytes)
		}
	}
	for _, h := range p.AtPeak() {
		if h.Kind != Temporary {
			continue
		}
		if i := slices.IndexFunc(later, func(n int64) bool { return n >= h.Bytes }); i >= 0 {
			later = slices.Delete(later, i, i+1)
			lodged += h.Bytes
		}
		if h.From < p.At && h.To > p.At+1 && h.Bytes < p.Peak/4 && h.Instruction.Computation.IsEntry() &&
			len(p.loops(&h)) == 0 && !p.barred(&h) {
			waits += h.Bytes
		}
	}
	return p.Peak - max(lodged, int64(recomputed*float64(waits)))
}

// barred reports whether a value goes through a barrier, as what jax.checkpoint keeps does: it is not computed again.
func (p *Program) barred(h *Holding) bool {
	for _, u := range p.usesOf(h.Instruction) {
		if u.User.Opcode == hlo.OpOptBarrier {
			return true
		}
		for _, v := range p.usesOf(u.User) {
			if u.User.Opcode == hlo.OpTuple && v.User.Opcode == hlo.OpOptBarrier {
				return true
			}
		}
	}
	return false
}
