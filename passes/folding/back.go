package folding

import (
	"slices"

	"hlolayout/hlo"
)

// comesBack notes that what is elementwise between reshapes and a reshape back to the dimensions before them is
// computed in these dimensions, where all else that it reads are broadcasts of less, as in the gradient of a group norm
// (gone in 76 places of 7 programs compiled for v5e, 11 more are not decided; 11 of 11 probes of dimensions of one
// element). The compiler does so where the first reshape has other users, too (8 of 8 probes), which are left as they
// are here: with them, fewer orders come out where convolutions divide images. What else may be read is a guess: four
// reshapes with other operands, none of them clear, are all there is to compare with.
func (w *simplifier) comesBack(back *hlo.Instruction) {
	if !rearranges(back) {
		return
	}
	between, widens := []*hlo.Instruction{back.Operands[0]}, false
	for i := 0; i < len(between); i++ {
		in, joined := between[i], false
		if !sinkable(in) || w.notes[in.Index].uses != 1 || w.notes[in.Index].sinks {
			return
		}
		for _, o := range in.Operands {
			switch {
			case spread(o):
			case o.Opcode == hlo.OpBroadcast:
				if from, _ := merged(o, back.Shape.Dims); from == nil {
					return
				}
				widens = true
			case rearranges(o):
				if o.Opcode != hlo.OpReshape || w.notes[o.Index].uses != 1 ||
					!slices.Equal(o.Operands[0].Shape.Dims, back.Shape.Dims) {
					return
				}
				joined = true
			default:
				between, joined = append(between, o), true
			}
		}
		if !joined {
			return
		}
	}
	if !widens {
		return
	}
	if w.back == nil {
		w.back = map[*hlo.Instruction][]int64{}
	}
	for _, in := range between {
		w.notes[in.Index].sinks, w.back[in] = true, back.Shape.Dims
	}
}

// rearrangementIn returns what an operand of an instruction rearranges, nil for nothing. A broadcast may be taken for a
// reshape of another one where the instruction is between two reshapes.
func (w *simplifier) rearrangementIn(in *hlo.Instruction) func(o *hlo.Instruction) *rearranged {
	back, ok := w.back[in]
	if !ok {
		return rearrangement
	}
	return func(o *hlo.Instruction) *rearranged {
		if o.Opcode == hlo.OpBroadcast {
			if from, _ := merged(o, back); from != nil {
				return &rearranged{op: hlo.OpReshape, dims: back}
			}
		}
		return rearrangement(o)
	}
}

// rebroadcast makes a reshape of a broadcast to other dimensions a broadcast of what is reshaped.
func (w *simplifier) rebroadcast(o *hlo.Instruction, dims []int64) *hlo.Instruction {
	from, to := merged(o, dims)
	var places []int
	for _, d := range o.Ints("dimensions") {
		places = append(places, slices.Index(from, d))
	}
	at := func(dims []int64, places []int) (out []int64) {
		for _, d := range places {
			out = append(out, dims[d])
		}
		return out
	}
	x := widened(w, o.Operands[0], at(o.Shape.Dims, from), places)
	return widened(w, reshaped(w, x, at(dims, to)), dims, to)
}

// merged returns the dimensions of a broadcast that a reshape to others joins with those of its operand, and what they
// become; nil where these have all elements.
func merged(o *hlo.Instruction, dims []int64) (from, to []int) {
	have, places, size := o.Shape.Dims, o.Ints("dimensions"), int64(1)
	if n, ok := o.Shape.Elements(); !ok || n == 0 || o.Shape.IsDynamic() {
		return nil, nil
	}
	for i, k := 0, 0; i < len(have) || k < len(dims); {
		first, start, a, b := i, k, int64(1), int64(1)
		for i+k == first+start || a != b {
			if k == len(dims) || i < len(have) && a <= b {
				a, i = a*have[i], i+1
			} else {
				b, k = b*dims[k], k+1
			}
		}
		if slices.ContainsFunc(places, func(d int) bool { return d >= first && d < i }) {
			from, to = append(from, ascendingTo(i)[first:]...), append(to, ascendingTo(k)[start:]...)
			size *= a
		}
	}
	if n, _ := o.Shape.Elements(); size == n {
		return nil, nil
	}
	return from, to
}
