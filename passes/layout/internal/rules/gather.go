package rules

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
	"hlolayout/passes/layout/internal/rule"
)

func gatherRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.Gather: {Name: "gather", Stage: rule.Constrain,
			Text: "window dimensions minor for a gather", Evidence: []string{"gather_clip"},
			Doc: "A gather reads its table with the two minor dimensions inside of the window, and gives the window minor, so " +
				"that a slice is whole tiles. Of a window of several dimensions the two that take least are minor, or " +
				"the two largest if it has all dimensions of the table (80 gathers; all 74 gathers and scatters of slices). " +
				"turn-table and keep-table may replace that order.",
			Ops: hlo.Ops(hlo.OpGather, hlo.OpFusion), Sweep: rule.WindowSweep, Constrain: e.constrainGather},
		rule.WindowLargest: {Name: "window-largest", Stage: rule.Constrain, Evidence: []string{"gather_window_largest",
			"gather_pair_large", "gather_pair_placed", "gather_window_sizes", "gather_window_whole"},
			Doc: "The two largest dimensions of the window are minor where the indices place one of them (157 of 157 probes), " +
				"and where the table had a dimension outside of the window minor when the gather was found invalid, and a slice " +
				"is large (9 of 9 gathers against 3 of small slices; 122 of 122 probes of two dimensions, large and small); what " +
				"is outside is most major then. The others are as an exchange of the largest with the last ones leaves them."},
		rule.GatherEarly: {Name: "gather-early", Stage: rule.Constrain,
			Evidence: []string{"gather_rows_bf16", "gather_written_apart", "gather_window_given"},
			Doc: "A gather is constrained in the first run if it has a single window dimension, or its indices place a " +
				"dimension of the window, as they do where that has all dimensions of the table (164 of 164 against 0 of 167; " +
				"8 of 8 in 6 programs, 12 of 12 probes); others only when a run left them invalid."},
		rule.WindowPlaced: {Name: "window-placed", Stage: rule.Constrain, Evidence: []string{"gather_window_placed",
			"gather_placed_wide"},
			Doc: "With a single window dimension, the second-minor one is chosen by padded size, but not where the indices " +
				"say where the window is in that dimension, too: then the others stay descending (114 of 114 against 0 of 97), " +
				"and the table is not turned, however large it is (6 of 6 probes)."},
		rule.WindowCut: {Name: "window-cut", Stage: rule.Constrain,
			Evidence: []string{"gather_window_cut", "gather_window_outside", "gather_cut_order"},
			Doc: "A dimension of which a slice is a part that the indices place counts as outside of the window and is most " +
				"major in the table, unless the window has no other one (21 of 21 probes, 8 without; 70 of 70 others). The " +
				"slices then have the order of the table (106 of 106 probes, 35 with the others descending)."},
		rule.TurnTable: {Name: "turn-table", Stage: rule.Constrain, Evidence: []string{"table_turned"},
			Doc: "A table is turned, with a dimension outside of the window minor and one of the window second-minor, where " +
				"that takes less than half and saves more than 128 MiB; slices are then side by side in the lanes (83 tables, 7 " +
				"scatters). A scatter's has to waste 240 times what its updates take, too (86 of 86 probes); one into which the " +
				"indices place its single window dimension stays (window-placed)."},
		rule.KeepTable: {Name: "keep-table", Stage: rule.Constrain, Evidence: []string{"slices", "gather_large_tile"},
			Doc: "A table that is a parameter keeps its order, and its tile, when its minor dimension is in the window but " +
				"not every dimension is (10 of 10; tiles 35 of 35), and the indices place none of the window (0 of 4). One that " +
				"enters under a tile of more rows than arrays have inside, such as T(32,128)(4,1) of bytes, does not (18 of 18)."},
		rule.SlicesExact: {Name: "slices-exact", Stage: rule.Repair,
			Evidence: []string{"gather_slices_exact", "gather_slices_tiled"},
			Doc: "A gather is invalid, too, where its slices have an order that through-gather would not give them, or the " +
				"tile of an entry layout that came from their users: in ragged attention over pages, the dot decides the order " +
				"of the slices before that of the table is known (180 of 184 probes, 118 without)."},
		rule.ThroughGather: {Name: "through-gather", Stage: rule.Propagate, Evidence: []string{"gather_mid", "gather_major"},
			Doc: "A gather's result has the window's dimensions in the order of its table, and the slices most " +
				"major; but where the table's first dimension outside of the window is, if that is one of the two " +
				"minor ones (about 250 fusions).",
			Ops: hlo.Ops(hlo.OpGather), Down: e.windowDown, First: always},
		rule.GatherSpread: {Name: "gather-spread", Stage: rule.Propagate, Evidence: []string{"gather_spread"},
			Doc: "A gather whose indices have several dimensions takes no order from a table whose two minor dimensions are " +
				"both outside of the window (48 of 48 probes; one that has either in the window is followed, 28 of 28)."},
		rule.ElementGather: {Name: "element-gather", Stage: rule.Repair, Evidence: []string{"gather_diagonal"},
			Doc: "A gather of single elements is constrained once, to the order that its table has (22 of 22)."},
		rule.ElementGatherErased: {Name: "element-gather-erased", Stage: rule.Repair, Evidence: []string{"gather_diagonal"},
			Doc: "Where keeping the table of a single-element gather costs a copy, it gets the table's own " +
				"order instead, once (one log)."},
		rule.RepairWindow: {Name: "repair-window", Stage: rule.Repair, Evidence: []string{"scatter_set_rows"},
			Doc: "A gather or scatter whose window is not minor where it must be is constrained in the following " +
				"runs.", Step: rule.InvalidStep, Find: e.repairWindows, Required: true},
	}
}

// constrainGather constrains a gather, or the custom fusion around it.
func (e *Set) constrainGather(n flat.NodeID) {
	w := e.asksWindow(n, hlo.OpGather)
	if w == nil {
		return
	}
	why := constraint.Because(rule.Gather, n)
	table, _ := w.asked()
	if len(w.window) == 0 {
		table = w.kept
	}
	e.SetOperand(n, w.table, table, constraint.Must, why)
	if !e.G.Nodes[n].Tuple {
		e.SetInstruction(n, w.gathered().Untiled(), constraint.Must, why)
	}
}

// repairWindows finds invalid gathers and scatters. Where values fit in between others, one of elements that has the
// order it would request already is none.
func (e *Set) repairWindows() (found bool) {
	for _, w := range e.windows {
		if !w.forced && !w.valid() {
			w.forced, found = true, found || !e.Fit || !w.isElements() || e.MinorToMajor(w.node) != w.gathered()
			w.kept = e.TakenTiled(w.node, w.table)
			mm := e.Orders.Get(e.MinorToMajor(e.G.Operand(w.node, w.table)))
			w.outside = w.isTurned(mm) && w.op.Opcode == hlo.OpGather
		} else if w.forced && !w.erased && w.isElements() && e.On(rule.ElementGatherErased) {
			if have := e.LayoutOf(e.G.Whole(e.G.Operand(w.node, w.table))); have.Order != w.kept.Order {
				w.kept, w.erased, found = have, true, true
			}
		}
	}
	return found
}
