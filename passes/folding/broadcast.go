package folding

import (
	"slices"

	"hlolayout/hlo"
)

// sunkBroadcast computes what is elementwise of arrays that are broadcast along the same dimensions, and of scalars,
// before the broadcast. An iota is broadcast from its dimension (23 of 23 probes; 4 of other dimensions stay). Of what
// comes about later only one array may be broadcast, and so of what reads three arrays (8 of 8 probes). What reads one
// array that is not an iota and nothing else waits until reshapes have been hoisted to it (7 of 7 probes, and the
// gradients of 5 group norms).
func sunkBroadcast(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !sinkable(in) {
		return nil
	}
	dims, first, ok := w.spreadAlong(in)
	if !ok {
		return nil
	}
	if in.Shape.Rank() == 0 || len(in.Operands) == 0 || len(in.Operands) == 1 && len(dims) > 0 &&
		first.Opcode == hlo.OpBroadcast && w.waitsForHoists(in) {
		return nil
	}
	narrow := sizes(in.Shape.Dims, dims) // of scalars alone, those of a scalar
	for i, o := range in.Operands {
		if o.Opcode == hlo.OpIota {
			in.Operands[i] = broadcast(w, o, w.line(o, narrow), o.Shape.Dims, dims)
		}
	}
	computeBefore(w, in, hlo.OpBroadcast, narrow, func(o *hlo.Instruction) bool { return !spread(o) })
	set(in, "dimensions", dims)
	return in
}

// spreadAlong returns the dimensions along which the operands of an instruction are broadcast, and one of them; ok is
// false where they are not broadcast before it.
func (w *simplifier) spreadAlong(in *hlo.Instruction) (dims []int, first *hlo.Instruction, ok bool) {
	later := w.phase > hoisting
	for _, o := range in.Operands {
		if spread(o) {
			continue
		}
		from, others := broadcastFrom(o), first != nil && o != first
		if from == nil || dims != nil && !slices.Equal(from, dims) || o.Shape.Rank() != in.Shape.Rank() ||
			later && o.Opcode == hlo.OpIota || others && (later || len(in.Operands) > 2) {
			return nil, nil, false
		}
		dims, first = from, o
	}
	return dims, first, true
}

// line returns the iota of one dimension that an iota is broadcast from: one for all that reads it.
func (w *simplifier) line(iota *hlo.Instruction, dims []int64) *hlo.Instruction {
	if w.lines == nil {
		w.lines = map[*hlo.Instruction]*hlo.Instruction{}
	}
	if w.lines[iota] == nil {
		w.lines[iota] = counting(w, iota, dims, 0)
	}
	return w.lines[iota]
}

// broadcastFrom returns the dimensions along which an array is not the same everywhere: those of a broadcast's operand,
// or of an iota; nil where it is no such array.
func broadcastFrom(in *hlo.Instruction) []int {
	switch n, ok := in.Attr("iota_dimension").Int(); {
	case in.Opcode == hlo.OpBroadcast:
		return in.Ints("dimensions")
	case in.Opcode == hlo.OpIota && ok && in.Shape.Rank() > 1 && !in.Shape.IsDynamic():
		return []int{int(n)}
	}
	return nil
}

// unitless computes what is elementwise of reshapes, of what is joined along another dimension and of broadcasts along
// other dimensions without dimensions of one element, whatever else reads these: before the reshapes, and of parts that
// are reshaped (29 of 30 probes on v6e and on v7x of reshapes that add such dimensions, 25 without; 13 of 13 on v7x of
// others, 5 without). Once elementwise comes before reshapes, that goes for reshapes that add such dimensions alone.
func unitless(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !LeavesOutUnits(w.target) || !sinkable(in) || !slices.Contains(in.Shape.Dims, 1) {
		return nil
	}
	at, narrow := wide(in.Shape)
	adds := func(o *hlo.Instruction) bool {
		return o.Opcode == hlo.OpReshape && slices.Equal(o.Operands[0].Shape.Dims, narrow)
	}
	reads := false
	for _, o := range in.Operands {
		switch {
		case spread(o), o.Opcode == hlo.OpBroadcast: // along none of one element, see unitBroadcast
		case adds(o), w.phase == hoisting && (o.Opcode == hlo.OpReshape ||
			o.Opcode == hlo.OpConcatenate && in.Shape.Dims[o.Ints("dimensions")[0]] != 1):
			reads = true
		default:
			return nil
		}
	}
	if !reads {
		return nil
	}
	for i, o := range in.Operands {
		var x *hlo.Instruction
		switch {
		case spread(o), adds(o):
			continue
		case o.Opcode == hlo.OpBroadcast:
			x = broadcast(w, o, o.Operands[0], narrow, among(o.Ints("dimensions"), at))
		case o.Opcode == hlo.OpReshape:
			x = reshaped(w, o.Operands[0], narrow)
		default:
			var parts []*hlo.Instruction
			for _, y := range o.Operands {
				parts = append(parts, reshaped(w, y, sizes(y.Shape.Dims, at)))
			}
			x = concatenated(w, o, slices.Index(at, o.Ints("dimensions")[0]), parts...)
		}
		in.Operands[i] = w.make(hlo.OpReshape, o, in.Shape.Dims, x)
	}
	computeBefore(w, in, hlo.OpReshape, narrow, func(o *hlo.Instruction) bool { return !spread(o) })
	return in
}

// computeBefore makes an elementwise operation one on arrays of dimensions narrow, and in what widens its result. The
// operands for which widened holds are read before they were; the others are scalars, alone or broadcast.
func computeBefore(w *simplifier, in *hlo.Instruction, widen hlo.Opcode, narrow []int64,
	widened func(*hlo.Instruction) bool) {
	operands := make([]*hlo.Instruction, len(in.Operands))
	for i, o := range in.Operands {
		switch {
		case widened(o):
			operands[i] = o.Operands[0]
		case o.Shape.IsScalar():
			operands[i] = o
		default:
			operands[i] = broadcast(w, o, o.Operands[0], narrow, nil)
		}
	}
	n := likewise(w, in, narrow, operands...)
	n.Name, in.Name = in.Name, n.Name
	become(w, in, widen, n)
}

// spread reports whether a value is a scalar, or one that is broadcast.
func spread(in *hlo.Instruction) bool {
	return in.Shape.IsScalar() || in.Opcode == hlo.OpBroadcast && in.Operands[0].Shape.IsScalar()
}

// sumOfBroadcast reduces what is broadcast, before it is, where all dimensions that are reduced are of that; where none
// is, it is multiplied by how often it would be added up (16 of 16 probes; of some dimensions of it and others it
// stays, and so does a maximum of what is the same).
func sumOfBroadcast(w *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, dims := in.Operands[0], in.Ints("dimensions")
	if x.Opcode != hlo.OpBroadcast || !in.Shape.IsArray() || len(in.Operands) != 2 || in.Attr("sharding") != nil ||
		x.Attr("sharding") != nil || x.Shape.IsDynamic() || len(dims) == 0 {
		return nil
	}
	var reduced, places []int
	left := hlo.OtherDims(x.Shape.Rank(), dims)
	for i, d := range x.Ints("dimensions") {
		if at := slices.Index(left, d); at >= 0 {
			places = append(places, at)
		} else {
			reduced = append(reduced, i)
		}
	}
	y := x.Operands[0]
	switch {
	case len(reduced) == len(dims):
		y = sumLike(w, in, y, reduced)
	case len(reduced) > 0 || in.Called()[0].Root.Opcode != hlo.OpAdd || !startsNothing(in):
		return nil
	default:
		times := int64(1)
		for _, n := range sizes(x.Shape.Dims, dims) {
			times *= n
		}
		y = w.make(hlo.OpMultiply, in, y.Shape.Dims, y, filled(w, in, y.Shape.Dims, times))
	}
	return broadcast(w, in, y, in.Shape.Dims, places)
}
