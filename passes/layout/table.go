package layout

import (
	"hlolayout/hlo"
)

// The rules, in the order of the table.
const (
	ruleNone rule = iota

	rulePin
	ruleEntryParameter
	ruleEntryResult
	ruleInfeed
	ruleHostTransfer
	ruleCollective
	ruleCustomCall

	ruleSmallReshape
	ruleGather
	ruleScatter
	ruleGatherEarly
	ruleScatterEarly
	ruleWindowPlaced
	ruleTurnTable
	ruleKeepTable
	ruleElementScatter
	ruleScan
	ruleLinalg
	ruleDot
	ruleDotGroup
	ruleDotGroupBatch
	ruleDotWide
	ruleDotContracted
	ruleDotGathered
	ruleExploreCut
	rulePaddedSize
	ruleFirstSlice
	ruleShortM
	ruleVotes
	ruleReduces
	ruleConvolution
	ruleConvBatchFour
	ruleConvSingleFeature
	ruleConvBatchGroups

	ruleUsersReshape
	ruleUsersMade
	ruleUsersCall
	ruleFromUser
	ruleFromOperand
	ruleSibling
	ruleBackEdge
	ruleThroughReshape
	ruleThroughTranspose
	ruleThroughGather
	ruleThroughScatter
	ruleThroughBroadcast
	ruleThroughBitcastConvert
	ruleThroughAllReduce
	ruleTileAligned
	ruleSingleRow
	ruleOnesStay
	ruleWindowStays
	ruleConcatenateLargest
	ruleLateIndex
	ruleLateReshape
	ruleVariadicReduce
	ruleNegotiateOperand
	ruleNegotiateValue

	ruleBoundary
	ruleInitialWaits
	ruleLoopTakesInitial
	ruleOverrideUses
	ruleLargestBranch
	ruleResultLast
	ruleBodyDecides
	ruleBranchMismatch

	ruleLiteral
	ruleLoopParameter
	ruleParameterDefault
	ruleFree

	ruleRepairWindow
	ruleElementGather
	ruleElementGatherErased
	ruleRepairReshape
	ruleReshapeStays
	ruleBitcastUnderTiles
	ruleRepairSort
	ruleRepairAllToAll
	ruleRepairSelectAndScatter
	ruleRepairReduce
	ruleRepairDot
	ruleDotTakesFree
	ruleDotTakesContracted
	ruleRefit
	ruleAtRisk

	ruleDropPins
	ruleCompactReduce
	ruleTupleNotFree
	ruleLargestFree
	ruleCluster

	ruleReadOnes
	ruleReadSwapped
	ruleCopyInBranch
	ruleLegal
	ruleFusedWritten
	ruleFusedFree
	ruleFusedBoundary
	ruleGivenTile

	numRules
)

// table is the pass: its rules, in the order in which it comes to them.
var table = [numRules]Rule{
	rulePin: {Name: "pin", Stage: Given, Text: "pinned by the caller", Evidence: []string{"pinned"},
		TextByDefault: "the order that the value has in the simplified program",
		Doc: "A layout that the caller asks for holds against every rule; what a rule wanted in its place is " +
			"noted. In a lowered or unoptimized module the values that survive simplification are pinned where " +
			"that is possible."},
	ruleEntryParameter: {Name: "entry-parameter", Stage: Given, Text: "the entry layout of the parameter",
		TextByDefault: "the target's default layout of a parameter", Evidence: []string{"bitcast_moves"},
		Doc: "A parameter of the entry has the layout that entry_computation_layout gives it, else the " +
			"device's default. It is mandatory, and its tile goes along."},
	ruleEntryResult: {Name: "entry-result", Stage: Given, Text: "the entry layout of the result",
		TextByDefault: "the target's default layout of a result", Evidence: []string{"bitcast_moves"},
		Doc: "The entry's result asks its definitions for the layout that entry_computation_layout gives it, " +
			"at priority 3; it is not mandatory."},
	ruleInfeed: {Name: "infeed", Stage: Given, Text: "the layout of infeed or outfeed", Evidence: []string{"infeed"},
		Doc: "Infeed and outfeed have the layout that is written in their shapes, descending where none is. " +
			"It is mandatory."},
	ruleHostTransfer: {Name: "host-transfer", Stage: Given, Text: "the device default of an array that the host sends or receives",
		Evidence: []string{"callback"},
		Doc: "An array that the host sends or receives has the device's default order, whatever its users want. It is " +
			"mandatory (recv: 15 of 15)."},
	ruleCollective: {Name: "collective", Stage: Given,
		Text: "the collective's own layouts", Evidence: []string{"collective"},
		Doc: "A collective with constrain_layout has the layouts that are written in its operands and " +
			"result. They are mandatory."},
	ruleCustomCall: {Name: "custom-call", Stage: Given,
		Text: "the custom call's own layouts", Evidence: []string{"layout_constraint_same"},
		Doc: "A custom call with operand_layout_constraints reads its operands in these layouts and gives " +
			"the one written in its shape. LayoutConstraint asks for its own written layout instead " +
			"(layout_constraint_same)."},

	ruleSmallReshape: {Name: "small-reshape", Stage: Constrain,
		Text: "the cheapest order of a small reshape", Evidence: []string{"dot_row_slice_and_reduce"},
		Doc: "A reshape of 2 to 128 elements has the cheapest pair of orders in every run, not only when it " +
			"moves data. The search is that of repair-reshape.",
		ops: ops(hlo.OpReshape), sweep: reshapeSweep, constrain: (*engine).smallReshape},
	ruleGather: {Name: "gather", Stage: Constrain,
		Text: "window dimensions minor for a gather", Evidence: []string{"gather_clip"},
		Doc: "A gather reads its table with the two minor dimensions inside of the window, and gives the " +
			"window minor, so that a slice is whole tiles. Of three or more dimensions the two that pad " +
			"least are minor (23 gathers; all 74 gathers and scatters of slices).",
		ops: ops(hlo.OpGather, hlo.OpFusion), sweep: windowSweep, constrain: (*engine).constrainGather},
	ruleScatter: {Name: "scatter", Stage: Constrain,
		Text: "window dimensions minor for a scatter", Evidence: []string{"scatter_set_rows"},
		Doc: "A scatter reads table and updates with the window minor and gives the table's order.",
		ops: ops(hlo.OpScatter, hlo.OpFusion), sweep: windowSweep, constrain: (*engine).constrainScatter},
	ruleGatherEarly: {Name: "gather-early", Stage: Constrain, Evidence: []string{"gather_rows_bf16"},
		Doc: "A gather with a single window dimension, or whose window has all dimensions of the table, is " +
			"constrained in the first run; others only when a run left them invalid (164 of 164 against 0 " +
			"of 167)."},
	ruleScatterEarly: {Name: "scatter-early", Stage: Constrain, Evidence: []string{"scatter_set_rows"},
		Doc: "A scatter with a window is constrained in the first run only if the layouts of the text are " +
			"invalid for it, or the entry gives its table with the window minor (131 of 131). In later runs " +
			"its updates count as the last run left them, before copies (scatter_later)."},
	ruleWindowPlaced: {Name: "window-placed", Stage: Constrain, Evidence: []string{"gather_window_placed"},
		Doc: "With a single window dimension, the second-minor one is chosen by padded size, but not where " +
			"the indices say where the window is in that dimension, too: then the others stay descending " +
			"(114 of 114 against 0 of 97). That scatters do alike is a guess."},
	ruleTurnTable: {Name: "turn-table", Stage: Constrain, Evidence: []string{"table_turned"},
		Doc: "A table is turned, with a dimension outside of the window minor and one of the window " +
			"second-minor, where that takes less than half and saves more than 128 MiB; slices then lie " +
			"side by side in the lanes (83 tables, 7 scatters)."},
	ruleKeepTable: {Name: "keep-table", Stage: Constrain, Evidence: []string{"slices"},
		Doc: "A table that is a parameter keeps its order, and its tile, when its minor dimension is in the " +
			"window but not every dimension is (10 of 10; tiles 35 of 35)."},
	ruleElementScatter: {Name: "element-scatter", Stage: Constrain, Evidence: []string{"scatter_elem"},
		Doc: "A scatter of single elements asks for the compact order of its table."},
	ruleScan: {Name: "scan", Stage: Constrain,
		Text: "the order for a scan along one dimension", Evidence: []string{"cumprod_mid"},
		Doc: "A reduce-window with a window of 16 or more is descending, but the minor and then the " +
			"second-minor place each go to the nearest dimension that no window, stride or dilation touches " +
			"and that fills the lanes or rows, where the one there does not (792 shapes).",
		ops: ops(hlo.OpReduceWindow), sweep: scanSweep, constrain: (*engine).scan},
	ruleLinalg: {Name: "linalg", Stage: Constrain,
		Text: "the descending order of a linear algebra operation", Evidence: []string{"linalg"},
		Doc: "Fft, cholesky and triangular-solve work in the descending order.",
		ops: ops(hlo.OpFft, hlo.OpCholesky, hlo.OpTriangularSolve), sweep: scanSweep, constrain: (*engine).linalg},
	ruleDot: {Name: "dot", Stage: Constrain,
		Text: "the matrix unit's order for a dot", Evidence: []string{"layout_auto_matmul"},
		Doc: "A dot gives M and N minor, and reads operands of more than a matrix with the contracting and " +
			"one free dimension minor. M, N and K are the dimensions that waste least when they are padded " +
			"to whole lanes. A dot without a free dimension on each side asks for nothing (0 of 81).",
		ops: ops(hlo.OpDot), sweep: dotSweep, constrain: (*engine).dot},
	ruleDotGroup: {Name: "dot-group", Stage: Constrain, Evidence: []string{"mpnn"},
		Doc: "A dot whose chain of single users, of whatever operation but reshape, ends in another dot asks " +
			"for nothing in the first two runs (1174 walks; 151 of 160 and 0 of 42 runs)."},
	ruleDotGroupBatch: {Name: "dot-group-batch", Stage: Constrain, Evidence: []string{"dot_group_batch"},
		Doc: "From the third run on, a dot of a group keeps its batch dimensions in the order that the " +
			"result had after the second (5 dots)."},
	ruleDotWide: {Name: "dot-wide", Stage: Constrain, Evidence: []string{"dots_free"},
		Doc: "Where K or N spans the lanes, M is the last free dimension of the left that fills whole lanes, " +
			"else the last one that none before it beats in lanes and in rows (440 dots). Dots of a group " +
			"are exempt, a guess from two."},
	ruleDotContracted: {Name: "dot-contracted", Stage: Constrain, Evidence: []string{"dot_contracted"},
		Doc: "Contracting dimensions that are not minor are more minor than free ones."},
	ruleDotGathered: {Name: "dot-gathered", Stage: Constrain, Evidence: []string{"dot_gathered"},
		Doc: "A dot does not ask for the order of a matrix that a gather reads as its table."},
	ruleExploreCut: {Name: "explore-cut", Stage: Constrain, Evidence: []string{"conv_depthwise"},
		Doc: "A dot's or convolution's operand is explored depth first where it is, before reshapes, " +
			"transposes and conversions, a constant, a part of an array or put together from several (1573 " +
			"operands, one exception)."},
	rulePaddedSize: {Name: "dot-padded-size", Stage: Constrain, Evidence: []string{"dot_slices"},
		Doc: "Of M and N, in the result of a dot, and batch and feature, in that of a convolution, the one " +
			"is minor with which the result takes less.",
		decide: (*engine).bySize},
	ruleFirstSlice: {Name: "dot-first-slice", Stage: Constrain, Evidence: []string{"dot_slices"},
		Doc: "Where a chain of single elementwise users leads to a slice, the sizes that dot-padded-size " +
			"compares are those of the first slice.",
		decide: undecided},
	ruleShortM: {Name: "dot-short-m", Stage: Constrain, Evidence: []string{"dot_slices"},
		Doc:    "Where both orders pad alike and M is shorter than N, N is minor, whatever reads the result.",
		decide: (*engine).byLength},
	ruleVotes: {Name: "dot-votes", Stage: Constrain, Evidence: []string{"dot_row_slice_and_reduce"},
		Doc: "Then every reader of other sizes, at any distance through elementwise operations, transposes " +
			"and reshapes that add or drop ones, votes for the order in which it takes less itself: slices, " +
			"pads, concatenates and updates. The votes are counted, not weighed (352 dots, 59 " +
			"convolutions).",
		decide: (*engine).byVotes},
	ruleReduces: {Name: "dot-reduces", Stage: Constrain, Evidence: []string{"attention_tiny"},
		Doc: "Then M is minor where more reduces, at any distance, are over N than over M: the reduced " +
			"dimension goes to the rows.",
		decide: (*engine).byReduces},
	ruleConvolution: {Name: "convolution", Stage: Constrain,
		Text: "the matrix unit's order for a convolution", Evidence: []string{"conv_dilated"},
		Doc: "A convolution is a dot: batch is M, input feature K, output feature N; spatial dimensions are " +
			"major (413 of 414 sizes).",
		ops: ops(hlo.OpConvolution), sweep: dotSweep, constrain: (*engine).convolution},
	ruleConvBatchFour: {Name: "conv-batch-four", Stage: Constrain, Evidence: []string{"conv_batch_four"},
		Doc: "A convolution of 32 bits with batch 4 and 3 output features has the batch minor, the one pair " +
			"of sizes that padding does not explain (11 of 11, against 254 others; v2 and v3 follow the " +
			"padded size). Why is not known.",
		Except: []string{"v2", "v3"}},
	ruleConvSingleFeature: {Name: "conv-single-feature", Stage: Constrain, Evidence: []string{"convolutions"},
		Doc: "A single output feature stays minor where the batch fills the rows, and only there."},
	ruleConvBatchGroups: {Name: "conv-batch-groups", Stage: Constrain, Evidence: []string{"conv_grad_depthwise"},
		Doc: "A convolution with batch groups explores its second operand depth first, whatever it is (8 of " +
			"8)."},

	ruleUsersReshape: {Name: "users-reshape", Stage: Propagate, Evidence: []string{"users_reshape"},
		Doc: "The users of a value are told in the order of the compiler's list, and the last one told is " +
			"followed first. Where all of them lead to reshapes to one shape that only add or drop ones, an " +
			"earlier pass moved the reshape after them, and the last user stands first (111 arrays of 5 " +
			"programs)."},
	ruleUsersMade: {Name: "users-made", Stage: Propagate, Evidence: []string{"attn_b1_h1_d256_grad"},
		Doc: "The same holds for the users of a convolution or reduce that the compiler made, which its name " +
			"shows (24 of 29 and 58 of 63, against 0 of 94 convolutions that the program names). A sign, " +
			"not a mechanism."},
	ruleUsersCall: {Name: "users-call", Stage: Propagate, Evidence: []string{"sym_call"},
		Doc: "And where all users were inlined from one call that the value is not part of, which op_name " +
			"shows (75 of 89 pairs; convolutions 32 of 32)."},
	ruleFromUser: {Name: "from-user", Stage: Propagate,
		Text: "what its user wants", Evidence: []string{"bitcast_moves"},
		Doc: "The layout that an operand must have goes to the value that it is, and from a result to the " +
			"operands of an operation that keeps layouts."},
	ruleFromOperand: {Name: "from-operand", Stage: Propagate,
		Text: "follows its operand", Evidence: []string{"bitcast_moves"},
		Doc: "The layout of a value goes to the operands that use it, and from an operand to the result."},
	ruleSibling: {Name: "sibling", Stage: Propagate,
		Text: "follows another operand of the same instruction", Evidence: []string{"fuzz_018"},
		Doc: "The layout of an operand goes to the other operands of the same rank, in operations that keep " +
			"layouts and in reduces."},
	ruleBackEdge: {Name: "back-edge", Stage: Propagate,
		Text: "the loop's body gives it back in this layout", Evidence: []string{"gather_slices"},
		Doc: "The layout of what a loop's body returns goes to the body's parameter; it is not mandatory."},
	ruleThroughReshape: {Name: "through-reshape", Stage: Propagate, Evidence: []string{"reshape_f32_2x7x128_to_14x128"},
		Doc: "Through a reshape goes the order with which it moves nothing, if there is one. It is followed " +
			"depth first where only dimensions of size 1 come or go.",
		ops: ops(hlo.OpReshape), down: (*engine).reshapeDown, up: (*engine).reshapeUp, first: (*engine).addsOnes},
	ruleThroughTranspose: {Name: "through-transpose", Stage: Propagate, Evidence: []string{"reshape_pixel_shuffle"},
		Doc: "Through a transpose goes the order with its dimensions renamed, so that nothing moves. It is " +
			"mandatory and followed depth first.",
		ops: ops(hlo.OpTranspose), down: (*engine).transposeDown, up: (*engine).transposeUp, first: always, mandatory: true},
	ruleThroughGather: {Name: "through-gather", Stage: Propagate, Evidence: []string{"gather_mid"},
		Doc: "A gather's result has the window's dimensions in the order of its table, and the slices where " +
			"the table's first dimension outside of the window is (about 200 fusions).",
		ops: ops(hlo.OpGather), down: (*engine).windowDown, first: always},
	ruleThroughScatter: {Name: "through-scatter", Stage: Propagate, Evidence: []string{"scatter_set_rows"},
		Doc: "A scatter's table and result have one order; the updates have its two minor dimensions (about " +
			"200 fusions).",
		ops: ops(hlo.OpScatter), down: (*engine).windowDown, up: (*engine).windowUp, first: always},
	ruleThroughBroadcast: {Name: "through-broadcast", Stage: Propagate, Evidence: []string{"layernorm"},
		Doc: "A broadcast's operand has the order, and the tile, of the result, of its own dimensions only."},
	ruleThroughBitcastConvert: {Name: "through-bitcast-convert", Stage: Propagate, Evidence: []string{"bitcast_ranks"},
		Doc: "Between ranks a bitcast-convert drops its last dimension, or adds it as the minor one."},
	ruleThroughAllReduce: {Name: "through-all-reduce", Stage: Propagate, Evidence: []string{"coll_psum_tuple"},
		Doc: "An all-reduce of several arrays gives each the layout of its own operand."},
	ruleTileAligned: {Name: "tile-aligned", Stage: Propagate, Evidence: []string{"tile_aligned"},
		Doc: "Where the order that aligns moves data under tiles, a reshape to finer dimensions has the one " +
			"with the same runs of elements under full tiles, if there is one: f32[8,256]{1,0} goes to " +
			"[8,2,128]{2,0,1}."},
	ruleSingleRow: {Name: "single-row", Stage: Propagate, Evidence: []string{"single_row"},
		Doc: "A dimension of size 1 that is second-minor on one side of a reshape is so on the other: " +
			"f32[6,22,1]{1,2,0} goes to [1,6,22]{2,0,1}."},
	ruleOnesStay: {Name: "ones-stay", Stage: Propagate, Evidence: []string{"reshapes"},
		Doc: "What passes through a reshape does not move dimensions of size 1 of a result that is aligned " +
			"already."},
	ruleWindowStays: {Name: "window-stays", Stage: Propagate, Evidence: []string{"image_resize_nearest"},
		Doc: "What a gather or scatter must give does not follow its table."},
	ruleConcatenateLargest: {Name: "concatenate-largest", Stage: Propagate, Evidence: []string{"unwilling_users"},
		Doc: "Through a concatenate goes only the layout of an operand that no other is larger than."},
	ruleLateIndex: {Name: "late-index", Stage: Propagate, Evidence: []string{"fuzz_095"},
		Doc: "What a dynamic-update-slice wants of its update is followed last, at one priority less."},
	ruleLateReshape: {Name: "late-reshape", Stage: Propagate, Evidence: []string{"gather_scalar"},
		Doc: "What a reshape of a dynamic-slice wants of it is followed last, at one priority less."},
	ruleVariadicReduce: {Name: "variadic-reduce", Stage: Propagate, Evidence: []string{"fuzz_115"},
		Doc: "A reduce of several arrays takes no layout from its users."},
	ruleNegotiateOperand: {Name: "negotiate-operand", Stage: Propagate, Evidence: []string{"slice_f32_2x9x130"},
		Doc: "An operand's layout gives way to another one where the user, its other operands and most of " +
			"its users can follow and the array shrinks to 1/(6n), n counting users and other operands (421 " +
			"of 424). Reduces always agree."},
	ruleNegotiateValue: {Name: "negotiate-value", Stage: Propagate, Evidence: []string{"value_negotiates"},
		Doc: "A value takes the layout that one of its users asks for, though it has another one, under the " +
			"same conditions (216 of 218)."},

	ruleBoundary: {Name: "boundary", Stage: Boundary,
		Text: "one layout on both sides of a while, conditional or call", Evidence: []string{"cond_transpose"},
		Doc: "What is one array to control flow has one layout: a loop's initial value, parameters and " +
			"result; a call's operands and parameters. First what is constrained inside goes outward, " +
			"callees first, then inward, callers first, until nothing changes."},
	ruleInitialWaits: {Name: "initial-waits", Stage: Boundary, Evidence: []string{"kmeans"},
		Doc: "Of a loop those leaves come first of which more than the initial value is constrained."},
	ruleLoopTakesInitial: {Name: "loop-takes-initial", Stage: Boundary, Evidence: []string{"gather_slices"},
		Doc: "An initial value decides a loop's layout against its parameter only if the loop does nothing " +
			"but cut slices from it, and no user must have a slice otherwise but for dimensions of size 1 " +
			"(63 of 63)."},
	ruleOverrideUses: {Name: "override-uses", Stage: Boundary, Evidence: []string{"sort_tiled"},
		Doc: "What gives way to a boundary tells those users at once that keep layouts, past their own " +
			"constraints, unless they must read it otherwise and must give what they give (155 of 155 " +
			"against 0 of 68)."},
	ruleLargestBranch: {Name: "largest-branch", Stage: Boundary, Evidence: []string{"cond_transpose"},
		Doc: "The result of a conditional is that of the branch with the most instructions among those that " +
			"take an operand (12 of 12)."},
	ruleResultLast: {Name: "result-last", Stage: Boundary, Evidence: []string{"fuzz_071"},
		Doc: "A result decides its branch's root only when nothing else is left to do."},
	ruleBodyDecides: {Name: "body-decides", Stage: Boundary, Evidence: []string{"gmm_em"},
		Doc: "At the end of a round the body's result decides: where a parameter of body or condition " +
			"differs, it is set to that at priority 2."},
	ruleBranchMismatch: {Name: "branch-mismatch", Stage: Boundary, Evidence: []string{"cond_transpose"},
		Doc: "Where a branch gives another layout than the largest one, a second round runs at priority 1: " +
			"parameters hold what the first left, and every branch must give the largest one's result."},

	ruleLiteral: {Name: "literal", Stage: Default, Text: "the literal's own layout", Evidence: []string{"literal"},
		Doc: "A constant that nothing constrains has the layout of its literal.", initial: (*engine).literalOrder},
	ruleLoopParameter: {Name: "loop-parameter", Stage: Default,
		Text: "the compact order of a loop's parameter", Evidence: []string{"loop_minimal"},
		Doc: "A parameter of a loop that nothing constrains has the compact order if its last dimension " +
			"takes less than a quarter of the lanes (336 of 336 on v5e, 102 of 102 on v6e and v7x); else it " +
			"is descending.",
		initial: (*engine).loopParameterOrder},
	ruleParameterDefault: {Name: "parameter-default", Stage: Default,
		Text: "the device default of an entry parameter", Evidence: []string{"layout_auto_matmul"},
		Doc: "A parameter that nothing constrains has the compact order, in every computation but those of " +
			"loops.",
		initial: (*engine).parameterOrder},
	ruleFree: {Name: "descending", Stage: Default,
		Text: "nothing constrains it: descending", Evidence: []string{"soft_raster"},
		Doc: "Everything else that nothing constrains is descending.", initial: (*engine).descendingOrder},

	ruleRepairWindow: {Name: "repair-window", Stage: Repair, Evidence: []string{"scatter_set_rows"},
		Doc: "A gather or scatter whose window is not minor where it must be is constrained in the following " +
			"runs.", step: invalidStep, find: (*engine).repairWindows},
	ruleElementGather: {Name: "element-gather", Stage: Repair, Evidence: []string{"gather_diagonal"},
		Doc: "A gather of single elements is constrained once, to the order that its table has (22 of 22)."},
	ruleElementGatherErased: {Name: "element-gather-erased", Stage: Repair, Evidence: []string{"gather_diagonal"},
		Doc: "Where keeping the table of a single-element gather costs a copy, it is told the table's own " +
			"order instead, once (one log)."},
	ruleRepairReshape: {Name: "repair-reshape", Stage: Repair,
		Text: "repair: the cheapest order of a reshape that was no bitcast", Evidence: []string{"reshape_f32_2x7x128_to_14x128"},
		Doc: "A reshape that moves data has the cheapest pair of orders in the following runs: the least " +
			"padded size of both sides, a pair that moves data and tiles of few rows costing a share more " +
			"(1247 of 1257 selections).",
		ops: ops(hlo.OpReshape), step: invalidStep, sweep: reshapeSweep, hint: (*engine).repairReshape},
	ruleReshapeStays: {Name: "reshape-stays", Stage: Repair, Evidence: []string{"reshape_f32_5x130_to_5x1x130"},
		Doc: "A reshape that moves data is left alone where its sides align and each is as compact as it can " +
			"be, under the tile that it carries (469 of 471)."},
	ruleBitcastUnderTiles: {Name: "bitcast-under-tiles", Stage: Repair, Evidence: []string{"tile_aligned"},
		Doc: "A reshape moves nothing where both sides are the same runs of elements under tiles, though no " +
			"order aligns: f32[8,512]{1,0} is f32[8,4,128]{2,0,1}."},
	ruleRepairSort: {Name: "repair-sort", Stage: Repair,
		Text: "repair: the sorted dimension minor", Evidence: []string{"topk_bf16"},
		Doc: "A sort has one order for all operands and results, the first operand's: the sorted dimension " +
			"changes places with the minor one, or with the second-minor one where it has less than 128 " +
			"elements (188 shapes).",
		ops: ops(hlo.OpSort), step: invalidStep, sweep: sortSweep, hint: (*engine).repairSort},
	ruleRepairAllToAll: {Name: "repair-all-to-all", Stage: Repair,
		Text: "repair: the split dimension major", Evidence: []string{"all_to_all"},
		Doc: "An all-to-all has its split dimension most major.",
		ops: ops(hlo.OpAllToAll), step: invalidStep, sweep: reshapeSweep, hint: (*engine).repairAllToAll},
	ruleRepairSelectAndScatter: {Name: "repair-select-and-scatter", Stage: Repair,
		Text: "repair: windowed dimensions major", Evidence: []string{"maxpool_grad_bf16"},
		Doc: "A select-and-scatter has the dimensions of its window major.",
		ops: ops(hlo.OpSelectAndScatter), step: invalidStep, sweep: reshapeSweep, hint: (*engine).repairSelectAndScatter},
	ruleRepairReduce: {Name: "repair-reduce", Stage: Repair,
		Text: "repair: the natural order of a reduce's result", Evidence: []string{"layernorm"},
		Doc: "When all else is valid, a reduce gives its result in the order of its operand, which keeps its " +
			"tile (111 of 111).",
		ops: ops(hlo.OpReduce), step: reduceStep, sweep: reduceSweep, hint: (*engine).repairReduce},
	ruleRepairDot: {Name: "repair-dot", Stage: Repair, Evidence: []string{"dots_free"},
		Doc: "When all else is valid, a dot that would copy its left operand for another second-minor " +
			"dimension alone reads it in its existing layout.",
		step: reduceStep, find: (*engine).repairDots},
	ruleDotTakesFree: {Name: "dot-takes-free", Stage: Repair, Evidence: []string{"dots_free"},
		Doc: "It does for another free dimension where K is minor and the operand is more than twice as " +
			"large as the result (701 of 701)."},
	ruleDotTakesContracted: {Name: "dot-takes-contracted", Stage: Repair, Evidence: []string{"dots_contracted"},
		Doc: "It does for another contracting dimension, which then is K, where an operand has it " +
			"second-minor (most of 34 dots; the bounds are a guess)."},
	ruleRefit: {Name: "refit", Stage: Repair, Evidence: []string{"pinned_reduce"},
		Doc: "In a module with pins, operands from which an operation cannot make its pinned result are read " +
			"in the order that it asks for.",
		step: heldStep, find: (*engine).refit},
	ruleAtRisk: {Name: "at-risk", Stage: Improve,
		Text: "the compact order for a concatenate that wastes memory", Evidence: []string{"conv_small_batch_1"},
		Doc: "A concatenate that takes more than twice its compact size asks for the compact order; the " +
			"indices of gathers and scatters are exempt (92 listings).",
		step: reduceStep, find: (*engine).pinConcatenates},

	ruleDropPins: {Name: "drop-pins", Stage: Improve, Evidence: []string{"conv_small_batch_1"},
		Doc: "A concatenate that was pinned to the compact order and is copied on both sides is freed again " +
			"(15 of 15 against 0 of 16).",
		step: freeStep, find: (*engine).dropPins},
	ruleCompactReduce: {Name: "compact-reduce", Stage: Improve,
		Text: "the compact order for a reduce whose operand is free", Evidence: []string{"cholesky_batched"},
		Doc: "When everything is valid, a reduce of an array that only a default decided asks for its " +
			"compact order, and the pass runs again whether or not that changes anything (25 reduces of 20 " +
			"programs).",
		ops: ops(hlo.OpReduce), step: freeStep, sweep: reduceSweep, hint: (*engine).compactReduce},
	ruleTupleNotFree: {Name: "tuple-not-free", Stage: Improve, Evidence: []string{"loop_minimal"},
		Doc: "An element of a tuple, such as a loop's result, never counts as one that only a default " +
			"decided."},
	ruleLargestFree: {Name: "largest-free", Stage: Improve,
		Text: "the compact order for the array that wastes most", Evidence: []string{"tsne_step_grad"},
		Doc: "The array that only a default decided and that wastes most, the first of equals, asks for the " +
			"compact order where that saves much.",
		step: freeStep, find: (*engine).pinLargest},
	ruleCluster: {Name: "cluster", Stage: Improve,
		Text: "the compact order pays for a group of elementwise operations", Evidence: []string{"bitcast_moves"},
		Doc: "Elementwise operations that hang together and have one order move to the compact one together " +
			"where that gains more memory than the copies around them would cost (475 decisions in 181 " +
			"runs).",
		step: clusterStep, find: (*engine).moveClusters},

	ruleReadOnes: {Name: "read-ones", Stage: Copy, Evidence: []string{"single_row"},
		Doc: "A reshape reads an operand without a copy whose order differs from the one asked for in the " +
			"place of dimensions of size 1 only."},
	ruleReadSwapped: {Name: "read-swapped", Stage: Copy, Evidence: []string{"conv_1d_nwc"},
		Doc: "A convolution reads an input without a copy whose two minor dimensions are swapped (6 of 6)."},
	ruleCopyInBranch: {Name: "copy-in-branch", Stage: Copy, Evidence: []string{"cond_transpose"},
		Doc: "The copy of a conditional's operand stands inside of the branch where the conditional is the " +
			"operand's only user."},
	ruleLegal: {Name: "legal", Stage: Copy, Evidence: []string{"legal"},
		Doc: "An operand is copied where an operation cannot make its result from it, though no constraint " +
			"asks for another layout. No log shows this; it keeps random modules legal."},
	ruleFusedWritten: {Name: "fused-written", Stage: Copy,
		Text: "inside of a fusion: as written", Evidence: []string{"fused_written"},
		Doc: "Inside of a fusion nothing is assigned: a value keeps the order that is written (2342 of " +
			"2342)."},
	ruleFusedFree: {Name: "fused-descending", Stage: Copy,
		Text: "inside of a fusion: descending", Evidence: []string{"fused_plain"},
		Doc: "Inside of a fusion a value without a written order is descending."},
	ruleFusedBoundary: {Name: "fused-boundary", Stage: Copy,
		Text: "as outside of the fusion", Evidence: []string{"gather_transposed"},
		Doc: "A fusion's parameters and result have the layouts that its operands and result have outside."},
	ruleGivenTile: {Name: "given-tile", Stage: Copy, Evidence: []string{"given_tile"},
		Doc: "A tile that the entry layout gives a parameter, and that is not the device's, stays on it and " +
			"on the elementwise operations that read it without a copy."},
}
