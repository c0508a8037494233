package rules

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// dotRepairRules are what dots take otherwise than they asked for, once all else is valid.
func dotRepairRules(e *Set) rule.Rows {
	d := e.dots
	return rule.Rows{
		rule.RepairDot: {Name: "repair-dot", Stage: rule.Repair, Evidence: []string{"dots_free"},
			Doc: "When all else is valid, a dot that would copy its left operand for another second-minor " +
				"dimension alone reads it in its existing layout; group-lanes says whether the pass runs again for it.",
			Step: rule.ReduceStep, Find: d.repairDots},
		rule.DotGroupFree: {Name: "dot-group-free", Stage: rule.Constrain,
			Evidence: []string{"dct_jpeg_blocks", "dot_group_copied"},
			Doc: "What dot-takes-free says of dots holds for those of a group before they request anything (70 dots " +
				"of a probe, 3 of 2 programs); so does what dot-takes-copied says, and M of the result is that dimension " +
				"there, too (2 of 2 programs). Neither holds where the result has M and N minor by default, or otherwise and is " +
				"not less than half as large as the operand (10 of 10 dots before resizes of images, and 2 of 2). A reader " +
				"that requests nothing reads such a dot's result as it was.",
			Ran: func() { d.takeResults(false) }},
		rule.DotTakesFree: {Name: "dot-takes-free", Stage: rule.Repair, Evidence: []string{"dots_free", "dots_third_run",
			"dot_group_taken", "dot_group_taken_result", "dot_takes_free_early"},
			Doc: "A dot reads its left operand as it is where K is minor there, another free dimension is second-minor, and " +
				"the operand is more than twice as large as the result (701 of 701). From the third run on, that dimension is M " +
				"of the result, too (5 dots of a probe, whose results stay in a second run, and 8 of 4 programs). A dot of a " +
				"group whose result is larger takes it for that alone, where it requests another M of the operand (2 probes and " +
				"2 dots of a program). Where a third run or a later one comes for another reason, the operand may be copied now " +
				"(dots of 3 programs with attention in windows and of 2 probes).", Again: func() { d.takeResults(true) }},
		rule.LooseGroup: {Name: "loose-group", Since: "0.0.51", Stage: rule.Repair, Evidence: []string{"dct_jpeg_blocks",
			"dot_group_batch_rows", "dot_group_free", "dot_group_rows", "dot_group_kept", "dot_group_contracted",
			"dot_group_same_pair", "dot_group_taken_result", "dot_group_kept_early", "dot_group_kept_read"},
			Doc: "When all else is valid, the pass runs again if an operand of a dot of a group has other dimensions minor " +
				"than the two that the dot requests, unless dot-takes-free or dot-takes-copied lets the dot take it. The log " +
				"lists nothing (720 probes of all orders of both operands, and 11 programs).",
			Step: rule.ReduceStep, Find: d.looseGroups},
		rule.GroupLanes: {Name: "group-lanes", Since: "0.0.51", Stage: rule.Repair, Evidence: []string{"dot_group_lanes",
			"dot_group_lanes_left", "dot_group_turned", "dot_group_result", "dot_lanes"},
			Doc: "The pass does not run again for a dot of a group if two of the operands and the result have another " +
				"dimension in the lanes than it requests: it then works in other dimensions (the same 720 probes; 218 run " +
				"again). Nor does it run again, in the first two runs, for another dot that would take its left operand, where " +
				"two of them turn; a result that stays turns where another dimension is M than that in its lanes (the number of " +
				"runs of 160 of 160 gradients of attention; 142 without)."},
		rule.DotTakesCopied: {Name: "dot-takes-copied", Stage: rule.Repair, Evidence: []string{"rfft_power"},
			Doc: "A dot reads its left operand in the layout that it has, with another free dimension second-minor, where " +
				"every user reads the result with other minor dimensions anyway, whatever the operand's size (27 of 27 dots of 3 " +
				"programs); the result stays as it is in all runs (19 of 19 dots of 4 programs)."},
		rule.DotTakesLanes: {Name: "dot-takes-lanes", Stage: rule.Repair,
			Evidence: []string{"dot_takes_lanes", "dot_takes_lanes_result", "dot_takes_lanes_free"},
			Doc: "What dot-takes-free and dot-takes-copied say of a left operand with K minor and another free dimension " +
				"next to it holds with the two swapped (10 of 10 dots of 3 programs). The dot requests K and that dimension in " +
				"the order that it would choose (250 of 250 probes, 232 without this; 160 of 160 gradients of attention). So " +
				"does what dot-takes-readers says where N is minor in the result (2 of 3 dots)."},
		rule.DotTakesReaders: {Name: "dot-takes-readers", Stage: rule.Repair, Evidence: []string{"dot_takes_readers",
			"dot_takes_readers_n", "dot_takes_readers_rows", "dot_takes_readers_wide"},
			Doc: "Where K is minor in the left operand and every reader copies the result, the free dimension that they want " +
				"next to N becomes M of the operand, if it is not less than half as long, or fills whole tiles of the result (35 " +
				"of 35 feed-forward layers before or after convolutions), and the operand as it is not more than twice as large " +
				"as what the readers take (16 dots of 3 programs, 18 of 6 with triangle attention; 342 of 345 dots of probes; 18 " +
				"of vision transformers that it is for stay). The result stays. A dot whose readers want the M that it has does " +
				"not take what dot-takes-copied says."},
		rule.DotTakesTurned: {Name: "dot-takes-turned", Stage: rule.Repair,
			Evidence: []string{"dot_takes_turned", "dot_takes_turned_m", "dot_takes_turned_lanes"},
			Doc: "From the third run on, where a transpose with a single user is the only reader of a dot's result and asks " +
				"for another order with the same two dimensions minor, or with the M that dot-takes-readers finds, the result " +
				"has that order, and the operands' other dimensions follow it (7 dots of 3 programs and 24 of 24 probes; with " +
				"less runs 0 of 33). The pass does not run again for it.",
			Ran: d.takeTurned},
		rule.DotTakesRest: {Name: "dot-takes-rest", Stage: rule.Repair,
			Evidence: []string{"dot_takes_rest", "dot_takes_rest_right", "dot_takes_rest_swapped", "dot_takes_rest_repaired",
				"dot_takes_rest_free", "dot_takes_rest_back", "dot_takes_rest_result"},
			Doc: "From the third run on, a dot with several contracting dimensions sorts those of its left operand that are " +
				"not minor, where the two minor ones are those asked for, in either order; with less runs, where another rule " +
				"changed M or K. Contracting ones count by their place in the operand, others by theirs in the result (8 dots " +
				"of 3 programs and 9 probes; of right operands 0 of 22; with a batch and two free dimensions 0 of 24; 11 of 11 " +
				"dots with a batch). Where a contracting one is the most major and no batch is there, free ones count from the " +
				"other end, and the result follows from the third run on (14 of 14 dots of gradients of attention; one of a " +
				"vision transformer does otherwise). With more than three contracting dimensions, or more than two free ones " +
				"where none comes from the other end, nothing is sorted (5 kernels of 4 gradients of windows, all dots of a " +
				"program). The right operand follows with its other dimensions, a free one by its " +
				"place in the result (9 dots of 2 programs and 2 probes).",
			Ran: func() {
				for _, x := range d.late() {
					d.keepRest(x)
				}
			}},
		rule.DotMatrix: {Name: "dot-matrix", Stage: rule.Repair, Evidence: []string{"dot_matrix", "decoder_cache"},
			Doc: "A dot of matrices and vectors in batches, which requests nothing, has the matrices' free and contracting " +
				"dimensions minor from the run on after one that had a batch dimension or no free one there (66 dots of 22 " +
				"programs on v7x). It does so when all else is valid, and the pass runs again for it (4 logs). Such a dot is not " +
				"of a group: it does not wait, nor keep the order of its result's batch (10 of 10 decoders with caches).",
			Step: rule.ReduceStep, Find: d.askMatrices},
		rule.DotMatrixBatch: {Name: "dot-matrix-batch", Stage: rule.Repair, Evidence: []string{"dot_matrix_batch"},
			Doc: "A dot of matrices and vectors leaves the matrices as they are where a batch dimension is minor in the " +
				"matrices and in the vectors or the result, or where these have nothing but batch dimensions in the two minor " +
				"ones (46 dots of 14 programs, on v7x)."},
		rule.DotMatrixLanes: {Name: "dot-matrix-lanes", Stage: rule.Repair, Evidence: []string{"dot_matrix_lanes"},
			Doc: "A dot of matrices and vectors leaves the matrices as they are where another dimension would come to the " +
				"lanes and the vectors or the result that have it are minor in the batch dimension which is second-minor in the " +
				"matrices (6 dots of 4 programs stay, against 11 otherwise, on v7x)."},
		rule.DotTakesContracted: {Name: "dot-takes-contracted", Stage: rule.Repair, Evidence: []string{"dots_contracted",
			"dot_copied_stays", "dot_contracted_turned", "dot_contracted_minor", "dot_contracted_rest",
			"dot_contracted_swapped", "dot_contracted_unmerged", "dot_contracted_right", "dot_contracted_copied"},
			Doc: "A dot reads its left operand as it is where another contracting dimension and M are minor there; that " +
				"dimension then is K, if it is not less than half as long or fills whole tiles (most of 34 dots; 18 dots of 4 " +
				"programs, 14 of 14 of windows; the bounds are a guess). Where the left operand has neither this nor K next to " +
				"M, the right one's N and contracting dimension decide (7 of 7 gradients of attention; a recommender's 6 dots " +
				"stay, whose K is next to M)."},
		rule.DotTakesSource: {Name: "dot-takes-source", Stage: rule.Repair,
			Evidence: []string{"dot_takes_source", "dot_takes_source_result", "dot_contracted_source"},
			Doc: "The order in which a left operand is without copies is the one that passes through a transpose (6 of 6 " +
				"dots) or a reshape unmoved. Where a repair copies what the reshape reads, the dot requests the order before " +
				"that copy, and the operand is copied twice; M of the result stays (8 of 8 probes and 2 programs). Such an " +
				"order counts for K, too (60 of 60 probes of windows). Where none passes through a reshape that merges M, or " +
				"the minor dimension, of several, as of heads, neither dot-takes-contracted nor dot-takes-copied applies (34 " +
				"of 34); where one passes from the copy that the reshape reads, the right operand decides K, if it is not a " +
				"reshape (5 of 5 vision transformers; 1 of 1 with a reshape stays)."},
		rule.DotTakesMerged: {Name: "dot-takes-merged", Stage: rule.Repair,
			Evidence: []string{"dot_takes_merged", "dot_takes_split"},
			Doc: "Where K, which is in the lanes, comes from a reshape that merges it of several dimensions and leaves M " +
				"alone, and through which no order passes, dot-takes-free does not apply (5 of 5 probes; 3 dots of 2 programs " +
				"whose M is not left alone are taken). Nor does dot-takes-readers where a reader is such a reshape, which " +
				"splits N in the lanes (6 of 6)."},
		rule.DotReadersThrough: {Name: "dot-readers-through", Stage: rule.Repair, Evidence: []string{"dot_readers_through"},
			Doc: "A transpose or a reshape of a dot's result that has a single user is not a reader of it, but that user is " +
				"(3 dots of a program with shifted windows, whose other 3 stay, and a dot of another program). Where all read " +
				"one order, the operand's other dimensions follow it (2 of 2 probes and those 3 dots)."},
	}
}

func (e *dots) looseGroups() (found bool) {
	for _, x := range e.list {
		if !e.isEarly(x) {
			continue
		}
		d := *cmp.Or(x.settled, e.dims(x))
		e.keepPair(x.node, &d)
		free, had := dot{node: x.node, dims: &d, asks: e.orders(x, d)}, e.MinorToMajor(e.G.Operand(x.node, 0))
		e.keepPlaces(&free)
		asks := free.asks
		for k := range 2 {
			if x.early.operands[k].order == ordering.None && e.isLoose(x.node, k, &asks) &&
				(k > 0 || !e.groupTakes(&free, had, false)) {
				x.early.operands[k], found = asks.operands[k], true
			}
		}
	}
	return found
}

// isLoose reports whether operand k of a dot has not the two minor dimensions that the dot requests (loose-group).
func (e *dots) isLoose(n flat.NodeID, k int, asks *dotOrders) bool {
	wanted := asks.operands[k].order
	if wanted == ordering.None {
		return false
	}
	have, pair := e.Orders.Get(e.Taken(n, k))[:2], e.Orders.Get(wanted)[:2]
	if ordering.Covers(have, pair) {
		return false
	}
	is := dotOrders{out: e.MinorToMajor(n)}
	for i := range is.operands {
		is.operands[i].order = e.Taken(n, i)
	}
	return e.turnedLanes(asks, &is) < 2 || !e.On(rule.GroupLanes)
}

func (e *dots) askMatrices() (found bool) {
	for _, x := range e.list {
		k, a, vectors := 0, e.dims(x).left, e.dims(x).right
		if a.mn == -1 {
			k, a, vectors = 1, vectors, a
		}
		if a.mn == -1 || vectors.mn != -1 || a.k == -1 {
			continue
		}
		s, mm := e.G.ShapeOf(e.G.Operand(x.node, k)), e.Orders.Get(e.Taken(x.node, k))[:2]
		pair := e.MinorPair(multiplied, s.Dims, a.k, a.mn, false)
		if len(a.batch) == 0 || ordering.Misses(mm, a.batch) && !ordering.Misses(mm, a.free) ||
			e.On(rule.DotMatrixBatch) && e.worksInBatches(x.node, k, e.dims(x)) ||
			e.On(rule.DotMatrixLanes) && e.keepsLanes(x.node, k, pair[0], &a, &vectors) {
			continue
		}
		asks, o := &x.asks.operands[k], e.Orders.Of(ordering.WithMinor(s.Rank(), pair, a.batch))
		found = found || o != asks.order
		asks.order, asks.dfs = o, e.isSliceLike(e.G.Operand(x.node, k))
	}
	return found
}

// worksInBatches reports whether a dot takes its matrices, operand k, as they are for their batch (dot-matrix-batch).
func (e *dots) worksInBatches(n flat.NodeID, k int, d *dotDims) bool {
	sides := [...]*side{&d.left, &d.right}
	of, batch := sides[k].batch, sides[1-k].batch
	minor := slices.Contains(of, e.Orders.Get(e.Taken(n, k))[0])
	works := func(o ordering.Order, batch []int) bool {
		mm := e.Orders.Get(o)
		return slices.Contains(batch, mm[0]) && (minor || slices.Contains(batch, mm[1]))
	}
	return works(e.Taken(n, 1-k), batch) || works(e.MinorToMajor(n), hlo.Descending(len(batch)))
}

// keepsLanes reports whether a dot leaves the lanes of its matrices, operand k, alone (dot-matrix-lanes).
func (e *dots) keepsLanes(n flat.NodeID, k, to int, matrices, vectors *side) bool {
	mm := e.Orders.Get(e.Taken(n, k))
	i := slices.Index(matrices.batch, mm[1])
	return i >= 0 && to != mm[0] && (to == matrices.k && e.Orders.Get(e.Taken(n, 1-k))[0] == vectors.batch[i] ||
		to == matrices.mn && e.Orders.Get(e.MinorToMajor(n))[0] == i)
}
