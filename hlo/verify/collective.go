package verify

import (
	"slices"

	"hlolayout/hlo"
)

var collectiveRules = []rule{
	hlo.OpAllGather: allGather, hlo.OpAllGatherStart: allGather, hlo.OpAllGatherDone: elementOne,
	hlo.OpAllReduce: allReduce, hlo.OpAllReduceStart: allReduce, hlo.OpAllReduceDone: operandShape,
	hlo.OpReduceScatter: reduceScatter, hlo.OpAllToAll: allToAll, hlo.OpRaggedAllToAll: raggedAllToAll,
	hlo.OpCollectiveBroadcast: collectiveBroadcast,
	hlo.OpCollectivePermute:   collectivePermute, hlo.OpCollectivePermuteStart: collectivePermute,
	hlo.OpCollectivePermuteDone: elementOne,
	hlo.OpPartitionId:           deviceID, hlo.OpReplicaId: deviceID,
}

func deviceID(*hlo.Instruction) (*hlo.Shape, error) { return newArray(hlo.U32, nil, nil), nil }

// elementOne is the rule of the done half of an operation whose start half holds its result as tuple element 1.
func elementOne(in *hlo.Instruction) (*hlo.Shape, error) {
	if s := in.Operands[0].Shape.At(hlo.Index{1}); s != nil {
		return s, nil
	}
	return nil, fail(VER102, "operand 0 is %s; it must be a tuple whose element 1 is the result",
		bare(in.Operands[0].Shape))
}

// parts returns the array that belongs to each operand: s itself for one operand, the elements of the tuple s for more.
func parts(in *hlo.Instruction, s *hlo.Shape) ([]*hlo.Shape, error) {
	if len(in.Operands) == 1 && s.IsArray() {
		return []*hlo.Shape{s}, nil
	}
	if !s.IsTuple() || len(s.Elems) != len(in.Operands) {
		return nil, fail(VER110, "it is declared %s; it needs one array for each of its %s", bare(in.Shape),
			plural(len(in.Operands), "operand"))
	}
	for _, e := range s.Elems {
		if !e.IsArray() {
			return nil, fail(VER110, "it is declared %s; all parts must be arrays", bare(in.Shape))
		}
	}
	return s.Elems, nil
}

// sharded reads what all-gather and reduce-scatter share: the dimension, and how many times larger the result (or the
// operand) is than the other there, which must be the size of a replica group where that is known. No shards (0) stand
// for sizes that tell nothing.
func sharded(in *hlo.Instruction, results []*hlo.Shape, gathers bool) (dim int, shards int64, err error) {
	mode, err := groupMode(in, true)
	if err != nil {
		return 0, 0, err
	}
	g, err := replicaGroups(in, mode, true)
	if err != nil {
		return 0, 0, err
	}
	if dim, err = oneInt(in, "dimensions"); err != nil {
		return 0, 0, err
	}
	for i, o := range in.Operands {
		for _, s := range []*hlo.Shape{o.Shape, results[i]} {
			if dim < 0 || dim >= s.Rank() {
				return 0, 0, outOfRange("dimensions", dim, s.Rank())
			}
		}
	}
	small, large := in.Operands[0].Shape.Dims[dim], results[0].Dims[dim]
	if !gathers {
		small, large = large, small
	}
	if small <= 0 || large <= 0 {
		return dim, 0, nil
	}
	shards = ceilDiv(large, small)
	if n := g.subgroup(in, mode); n != 1 && n != shards {
		return 0, 0, fail(VER604, "dimension %d goes from size %d to %d, but a replica group has %s", dim,
			in.Operands[0].Shape.Dims[dim], results[0].Dims[dim], plural(int(n), "member"))
	}
	return dim, shards, nil
}

func allGather(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := collectiveOperands(in)
	if err != nil {
		return nil, err
	}
	start := in.Opcode == hlo.OpAllGatherStart
	if start {
		if s = s.At(hlo.Index{1}); s == nil {
			return nil, fail(VER110, "it is declared %s; it must be a tuple of what goes in and what comes out",
				bare(in.Shape))
		}
	}
	results, err := parts(in, s)
	if err != nil {
		return nil, err
	}
	dim, shards, err := sharded(in, results, true)
	if err != nil || shards == 0 {
		return in.Shape, err
	}
	out := make([]*hlo.Shape, len(results))
	for i, o := range in.Operands {
		if out[i], err = resized(o.Shape, dim, shards, 1); err != nil {
			return nil, err
		}
	}
	if start {
		return hlo.NewTuple(tupleOf(operands(in, 0)), tupleOf(out)), nil
	}
	return likeDeclared(in, out), nil
}

// resized returns s with one dimension times mulBy over divBy.
func resized(s *hlo.Shape, dim int, mulBy, divBy int64) (*hlo.Shape, error) {
	if s.Dims[dim] == hlo.Unbounded {
		return s, nil
	}
	n, ok := mul(s.Dims[dim], mulBy)
	if !ok || n%divBy != 0 {
		return nil, fail(VER604, "dimension %d of %s cannot be cut into %s", dim, bare(s),
			plural(int(divBy), "equal part"))
	}
	c := s.WithLayout(s.Layout)
	c.Dims = slices.Clone(s.Dims)
	c.Dims[dim] = n / divBy
	return c, nil
}

// likeDeclared returns one result, or the tuple of several, or of one where the text declares that.
func likeDeclared(in *hlo.Instruction, out []*hlo.Shape) *hlo.Shape {
	if in.Shape != nil && in.Shape.IsTuple() {
		return hlo.NewTuple(out...)
	}
	return tupleOf(out)
}

// collectiveOperands checks what all collectives need: array operands, and a declared result to compare with.
func collectiveOperands(in *hlo.Instruction) (*hlo.Shape, error) {
	if len(in.Operands) == 0 {
		return nil, fail(VER101, "it has no operands")
	}
	if err := allArrays(in); err != nil {
		return nil, err
	}
	return declared(in)
}

func allReduce(in *hlo.Instruction) (*hlo.Shape, error) {
	if _, err := collectiveOperands(in); err != nil {
		return nil, err
	}
	mode, err := groupMode(in, true)
	if err != nil {
		return nil, err
	}
	if _, err := replicaGroups(in, mode, false); err != nil {
		return nil, err
	}
	if id, err := number(in, "channel_id", 1); err != nil || id < 1 && in.Opcode == hlo.OpAllReduce {
		return nil, fail(VER605, "channel_id is %d; it must be positive", id)
	}
	return tupleOf(operands(in, 0)), nil
}

func reduceScatter(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := collectiveOperands(in)
	if err != nil {
		return nil, err
	}
	results, err := parts(in, s)
	if err != nil {
		return nil, err
	}
	dim, shards, err := sharded(in, results, false)
	if err != nil || shards == 0 {
		return in.Shape, err
	}
	out := make([]*hlo.Shape, len(results))
	for i, o := range in.Operands {
		if out[i], err = resized(o.Shape, dim, 1, shards); err != nil {
			return nil, err
		}
	}
	return likeDeclared(in, out), nil
}

func allToAll(in *hlo.Instruction) (*hlo.Shape, error) {
	if _, err := collectiveOperands(in); err != nil {
		return nil, err
	}
	mode, err := groupMode(in, false)
	if err != nil {
		return nil, err
	}
	g, err := replicaGroups(in, mode, true)
	if err != nil {
		return nil, err
	}
	n := g.subgroup(in, mode)
	if dims, err := ints(in, "dimensions"); err != nil {
		return nil, err
	} else if len(dims) > 0 {
		s := in.Operands[0].Shape
		if len(in.Operands) != 1 {
			return nil, fail(VER101, "it has %s; with dimensions it takes 1", plural(len(in.Operands), "operand"))
		}
		if err := unique("dimensions", dims, s.Rank()); err != nil {
			return nil, err
		}
		if d := s.Dims[dims[0]]; d != hlo.Unbounded && n > 0 && d%n != 0 {
			return nil, fail(VER604, "dimension %d of %s cannot be cut into %s", dims[0], bare(s),
				plural(int(n), "equal part"))
		}
		return s, nil
	}
	if int64(len(in.Operands)) != n {
		return nil, fail(VER604, "it has %s, but a replica group has %s", plural(len(in.Operands), "operand"),
			plural(int(n), "member"))
	}
	shapes := operands(in, 0)
	for i, s := range shapes {
		if !compatible(s, shapes[0]) {
			return nil, fail(VER104, "operand %d is %s, operand 0 %s; they must be the same", i, bare(s),
				bare(shapes[0]))
		}
	}
	return hlo.NewTuple(shapes...), nil
}

// raggedAllToAll takes input and output, then the offsets and sizes of both, four arrays of one shape of rank 1 or 2.
func raggedAllToAll(in *hlo.Instruction) (*hlo.Shape, error) {
	if _, err := collectiveOperands(in); err != nil {
		return nil, err
	}
	if n := len(in.Operands); n < 6 {
		return nil, fail(VER101, "it has %s, but takes 6", plural(n, "operand"))
	}
	mode, err := groupMode(in, false)
	if err != nil {
		return nil, err
	}
	if _, err := replicaGroups(in, mode, true); err != nil {
		return nil, err
	}
	first := in.Operands[2].Shape
	for i, s := range operands(in, 2) {
		if r := s.Rank(); r != 1 && r != 2 || !compatible(s, first) {
			return nil, fail(VER104, "operand %d is %s; operands 2 to 5 must have one shape of rank 1 or 2", i+2,
				bare(s))
		}
	}
	return in.Operands[1].Shape, nil
}

func collectiveBroadcast(in *hlo.Instruction) (*hlo.Shape, error) {
	if _, err := collectiveOperands(in); err != nil {
		return nil, err
	}
	shapes := operands(in, 0)
	if !in.Attr("has_dynamic_root").Bool() {
		return shapes[0], nil
	}
	last := len(shapes) - 1
	root := shapes[last]
	if last < 1 || root.DType != hlo.S32 || root.Rank() != 1 || root.Dims[0] != int64(last) {
		return nil, fail(VER104, "operand %d, the root, is %s; it must be s32[%d]", last, bare(root), last)
	}
	return tupleOf(shapes[:last]), nil
}

func collectivePermute(in *hlo.Instruction) (*hlo.Shape, error) {
	if len(in.Operands) == 0 {
		return nil, fail(VER101, "it has no operands")
	}
	inPlace := in.Attr("slice_sizes") != nil
	times := 1
	if inPlace {
		if len(in.Operands) != 4 {
			return nil, fail(VER101, "it has %s; with slice_sizes it takes 4", plural(len(in.Operands), "operand"))
		}
		var err error
		if times, err = inPlaceOperands(in); err != nil {
			return nil, err
		}
	} else if err := allArrays(in); err != nil {
		return nil, err
	}
	if err := sourceTargetPairs(in, times); err != nil {
		return nil, err
	}
	from, to := tupleOf(operands(in, 0)), tupleOf(operands(in, 0))
	if inPlace {
		from, to = in.Operands[0].Shape, in.Operands[1].Shape
	}
	if in.Opcode == hlo.OpCollectivePermute {
		return to, nil
	}
	out := []*hlo.Shape{from, to}
	if in.Shape != nil && in.Shape.IsTuple() && len(in.Shape.Elems) > 2 {
		out = append(out, in.Shape.Elems[2:]...) // whatever state the backend keeps
	}
	return hlo.NewTuple(out...), nil
}

// inPlaceOperands checks input, output and their offsets: a tuple of scalars per array, one for each dimension, or a
// tuple of such tuples for several transfers. It returns how many transfers there are.
func inPlaceOperands(in *hlo.Instruction) (times int, err error) {
	offsets := func(i int, buffer, at *hlo.Shape) error {
		entries := []*hlo.Shape{at}
		if at.IsTuple() && len(at.Elems) > 0 && at.Elems[0].IsTuple() {
			entries = at.Elems
		}
		for _, e := range entries {
			if !e.IsTuple() || len(e.Elems) != buffer.Rank() {
				return fail(VER104, "operand %d is %s; it must have one offset for each dimension of %s", i, bare(at),
					bare(buffer))
			}
		}
		return nil
	}
	times = 1
	for side := 0; side < 2; side++ {
		buffer, at := in.Operands[side].Shape, in.Operands[side+2].Shape
		if in.Operands[0].Shape.IsArray() != buffer.IsArray() {
			return 0, fail(VER104, "its operands 0 and 1 are %s and %s; both must be arrays or both tuples",
				bare(in.Operands[0].Shape), bare(buffer))
		}
		if buffer.IsArray() {
			err = offsets(side+2, buffer, at)
		} else if !at.IsTuple() || len(at.Elems) != len(buffer.Elems) ||
			len(buffer.Elems) != len(in.Operands[0].Shape.Elems) {
			err = fail(VER104, "operand %d is %s; it must have one entry for each part of %s", side+2, bare(at),
				bare(buffer))
		} else {
			for i, b := range buffer.Elems {
				if err = offsets(side+2, b, at.Elems[i]); err != nil {
					break
				}
			}
		}
		if err != nil {
			return 0, err
		}
	}
	at := in.Operands[2].Shape
	if !in.Operands[0].Shape.IsArray() && len(at.Elems) > 0 {
		at = at.Elems[0]
	}
	// XLA allows each device as many times as the (outer) tuple of offsets has elements, even one of plain scalars.
	return max(1, len(at.Elems)), nil
}
