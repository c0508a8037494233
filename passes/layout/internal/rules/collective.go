package rules

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func collectiveRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.RepairAllToAll: {Name: "repair-all-to-all", Stage: rule.Repair, Text: "repair: the split dimension major",
			Evidence: []string{"all_to_all", "all_to_all_first", "all_to_all_later", "all_to_all_rest"},
			Doc: "When all reshapes are valid, an all-to-all gets its split dimension most major and the others in the order " +
				"in which they take least under the tile that it carries, also where that dimension was most major (26 of 5 " +
				"programs, 100 of 100 probes).",
			Ops: hlo.Ops(hlo.OpAllToAll), Step: rule.ReduceStep, Sweep: rule.CollectiveSweep, Required: true,
			Hint: func(n flat.NodeID) *rule.Hint {
				d, present := e.along(n), e.LayoutOf(e.G.Whole(n))
				if d < 0 {
					return nil
				}
				if h := e.withMajor(n, d, present); h.Out.Order != present.Order {
					return h
				}
				return nil
			}},
		rule.RepairAllGather: {Name: "repair-all-gather", Stage: rule.Repair, Text: "repair: the gathered dimension major",
			Evidence: []string{"all_gather", "all_gather_major", "all_gather_outer"},
			Doc: "When all reshapes are valid, an all-gather gets the order of least size that has the gathered dimension " +
				"most major, where that is so already or one device's part of it is not whole tiles (44 of 9 programs, against " +
				"13 of whole tiles). The pass runs again even if nothing changes.",
			Ops: hlo.Ops(hlo.OpAllGather), Step: rule.ReduceStep, Sweep: rule.CollectiveSweep, Hint: e.repairAllGather},
		rule.RepairReduceScatter: {Name: "repair-reduce-scatter", Stage: rule.Repair,
			Text:     "repair: the order in which it scatters whole tiles",
			Evidence: []string{"reduce_scatter_packed", "reduce_scatters"},
			Doc: "A reduce-scatter whose parts are not whole tiles keeps its order, or gets the scattered dimension most " +
				"major in the place of second-minor where they are then, or are single (20 of 8 programs and 558 probes keep it, " +
				"76 move). The pass runs again even if nothing changes.",
			Ops: hlo.Ops(hlo.OpReduceScatter), Step: rule.ReduceStep, Sweep: rule.CollectiveSweep, Hint: e.repairReduceScatter},
		rule.ScatterRings: {Name: "scatter-rings", Stage: rule.Repair, Evidence: []string{"reduce_scatter_rings"},
			Doc: "Four chips are a square of two rings: where a reduce-scatter is over all of them, and its dimension most " +
				"major, each ring takes half of a part, which must be whole tiles then (15 probes on v5e, v6e and v5p, and a " +
				"program). That it is so on four chips of eight devices is not modelled, nor what 8 chips of a cube do.",
			Except: []string{"v2", "v3", "v4", "v7x"}}, // v4: a program has one ring; a device of the others is half a chip
		rule.RepairPermute: {Name: "repair-permute", Stage: rule.Repair,
			Text: "repair: the compact order of a permuted array", Evidence: []string{"permutes"},
			Doc: "A collective-permute of a larger array gets its compact order where that takes less (5 of 2 " +
				"programs and 50 probes; 300 smaller or compact ones of 22 programs keep theirs).",
			Ops: hlo.Ops(hlo.OpCollectivePermute), Step: rule.ReduceStep, Sweep: rule.CollectiveSweep, Hint: e.repairPermute},
		rule.GatherRows: {Name: "gather-rows", Stage: rule.Repair, Evidence: []string{"all_gather_rows"},
			Doc: "Or the most compact order of one device's part, where that has whole rows of the gathered dimension " +
				"second-minor and takes less (62 probes, 2 all-gathers of 2 programs)."},
	}
}

func (e *Set) repairAllGather(n flat.NodeID) *rule.Hint {
	d, part := e.along(n), e.G.ShapeOf(e.G.Operand(n, 0))
	if d < 0 || part.Rank() < 2 || e.wholeTiles(part, d, e.MinorToMajor(n)) {
		return nil
	}
	descending := e.Orders.Descending(part.Rank())
	h := e.withMajor(n, d, descending.Untiled())
	if o := e.MemoryOrder(part, descending, 0); e.wholeTiles(part, d, o) && e.On(rule.GatherRows) &&
		e.Padded(e.G.ShapeOf(n), o) < e.Padded(e.G.ShapeOf(n), h.Out.Order) {
		return gathered(o)
	}
	return h
}

// wholeTiles reports whether the parts of a gathered dimension share no tile and are not most major: they are whole
// tiles of the two minor dimensions, or runs between other dimensions.
func (e *Set) wholeTiles(part *hlo.Shape, d int, o ordering.Order) bool {
	mm := e.Orders.Get(o)
	switch k := slices.Index(mm, d); k {
	case 0:
		return part.Dims[d]%e.Target.Lanes == 0
	case 1:
		return part.Dims[d]%e.Target.Sublanes == 0
	default:
		return slices.ContainsFunc(mm[k+1:], func(k int) bool { return part.Dims[k] > 1 })
	}
}

func (e *Set) repairReduceScatter(n flat.NodeID) *rule.Hint {
	d, part, present := e.along(n), e.G.ShapeOf(n), e.MinorToMajor(n)
	if d < 0 || e.scattersTiles(n, d, present) {
		return nil
	}
	mm := slices.Clone(e.Orders.Get(present))
	if k := slices.Index(mm, d); k == 1 && part.Dims[d]%e.Target.Sublanes != 0 {
		major := e.Orders.Of(append(slices.Delete(mm, k, k+1), d))
		if part.Dims[d] == 1 || e.scattersTiles(n, d, major) {
			return gathered(major)
		}
	}
	return gathered(present)
}

// scattersTiles reports whether the parts of a scattered dimension are whole tiles: an even number of them, for both
// directions of each ring, where it is most major.
func (e *Set) scattersTiles(n flat.NodeID, d int, o ordering.Order) bool {
	part := e.G.ShapeOf(n)
	mm, packed := e.Orders.Get(o), int64(max(1, 32/part.DType.Bits()))
	lanes, rows := e.Target.Lanes, e.Target.Sublanes
	switch k := slices.Index(mm, d); {
	case k == len(mm)-1:
		rings := e.rings(n, d)
		whole := k > 1 && part.Dims[mm[1]] > rows/2 && part.Dims[d]%rings == 0 || k == 1 && part.Dims[d]%(rings*rows) == 0
		return whole && e.Padded(part, o)%(2*rings*rows*lanes) == 0
	case k == 0:
		return part.Dims[d]%(lanes*packed) == 0
	default:
		return k == 1 && part.Dims[d]%(rows*packed) == 0
	}
}

// rings returns how many rings a reduce-scatter along dimension d works on.
func (e *Set) rings(n flat.NodeID, d int) int64 {
	replicas, partitions := e.G.Module.DeviceCounts()
	devices := replicas * partitions
	all := e.G.ShapeOf(e.G.Operand(n, 0)).Dims[d] == devices*e.G.ShapeOf(n).Dims[d]
	if e.On(rule.ScatterRings) && devices == 4 && all {
		return 2
	}
	return 1
}

func (e *Set) repairPermute(n flat.NodeID) *rule.Hint {
	s := e.G.ShapeOf(n)
	if e.G.Nodes[n].Tuple || s.Rank() < 2 {
		return nil
	}
	o, size := e.MemoryOrder(s, e.Orders.Descending(s.Rank()), 0), e.Padded(s, e.MinorToMajor(n))
	if ordering.Times(size, int64(s.DType.Bits()))/8 <= e.Limit(rule.PermutedBytes) || e.Padded(s, o) >= size {
		return nil
	}
	return gathered(o)
}

// gathered wants an order of a collective's operand and result.
func gathered(o ordering.Order) *rule.Hint {
	return &rule.Hint{Operands: 1, In: o.Untiled(), First: true, Out: o.Untiled()}
}

// withMajor wants dimension d most major and the others in the order in which they take least under the rows of the
// present layout's tile, in the present order among equals: full tiles do not decide (bf16[200,100] keeps {0,1}).
func (e *Set) withMajor(n flat.NodeID, d int, present ordering.Tiled) *rule.Hint {
	s, rows := e.G.ShapeOf(n), int64(present.Rows)
	others := e.Orders.Natural(present.Order, []int{d})
	if s.Rank() > 2 {
		rest := e.G.Module.Intern(hlo.NewArray(s.DType, slices.Delete(slices.Clone(s.Dims), d, d+1), nil))
		if o := e.MemoryOrder(rest, others, rows); e.PaddedRows(rest, o, rows) < e.PaddedRows(rest, others, rows) {
			others = o
		}
	}
	mm := slices.Clone(e.Orders.Get(others))
	for i, k := range mm {
		if k >= d {
			mm[i]++
		}
	}
	return gathered(e.Orders.Of(append(mm, d)))
}
