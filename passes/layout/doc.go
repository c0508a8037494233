// Package layout is the TPU compiler's layout-assignment pass on HLO text: it gives every array a dimension order and tiles,
// and says which copies that takes. Numbers in comments, such as 2.6 or 3.2, are sections of docs/layout-assignment.md; names in
// parentheses are the programs that show a rule, of the public corpus or of testdata, whose event lists are the compiler's own log.
//
// # Files
//
//	layout.go       Run: from a module to a plan
//	graph.go        the module with dense numbers: nodes, operand slots, leaves, values; what shows which value
//	input.go        what is refused: recursion, shapes and attributes that do not fit
//	orders.go       interned dimension orders
//	constraints.go  constraints on values and operands, and the work list (2.2 to 2.4)
//	negotiate.go    operands that give way to another layout
//	propagate.go    from a value to its operands and uses, from an operand to its definition and the result (2.6, 2.7)
//	engine.go       one round, one run, all runs (1, 2.9)
//	reshape.go      alignment (2.8), bitcasts under tiles
//	select.go       the orders that a reshape is repaired to (4.1)
//	dot.go, conv.go, gather.go    what the hardware wants (3.2, 3.3, 3.5; scans 3.6)
//	dottaken.go     dots that take an operand as it lies
//	fused.go        a gather or scatter inside of a custom fusion: its operands and dimensions outside
//	boundary.go     loops, branches, calls: values that must agree (2.9-3)
//	callees.go      what a round leaves for the next; branches that do not agree (2.9-5)
//	validity.go     what is invalid after a run and the hints that repair it (4)
//	atrisk.go       values that lie wastefully and are pinned to the compact order
//	clusters.go     elementwise operations that are moved to the compact order
//	copies.go, result.go    copies, names, decisions, reasons (2.10)
//	held.go, fit.go         what the caller pins: layouts that no rule changes, and which of them an operation can have
//	trace.go        the events, to be held against the compiler's log
//
// # The algorithm
//
// A round collects constraints, computation by computation: what is written in the module, then what the hardware wants,
// then what custom calls ask for. They are followed depth first. Then boundaries are settled, and values that nothing
// reached get a default, one by one, each followed at once. A run is one round, or two (below). After a run,
// what does not lie as its operation needs gets a hint, and everything is run again with the hints. The steps after a run, of which the first
// that finds anything starts the next run: reshapes, sorts, gathers and the like (validity.go); reduces, and concatenates that waste memory
// (atrisk.go); concatenates pinned in vain, reduces of free values, the largest free value; clusters of elementwise operations, once.
// At most five runs were seen.
// Copies stand where an operand's constraint and its value still differ after the last run.
//
// # Findings beyond the document
//
// All from the compiler's own log (libtpu 0.0.51, v5e), each first seen in the program named.
//
//   - A dfs flag that is raised alone does not queue a constraint again (conv_depthwise).
//   - A value's priority goes to its operands' constraints too (fuzz_009).
//   - A sort passes nothing between operands and results (of one array, too: 9 of 9, topk_bf16); that they agree, in the order of the first
//     operand, is left to repair (fuzz_003, median).
//   - A conditional's operand and its branch's parameter take each other's layout if one has none; where both have one they may differ. The
//     largest branch's result decides the conditional's (fuzz_071, switch_tuple; 0 of 9 and 12 of 12 in the log). The
//     others may disagree: then a second round runs at priority 1, in which each branch's parameters hold what the first round left
//     and the smaller branches must give the largest one's result (cond_transpose; fuzz_033, fuzz_113). What was recorded keeps its tiles
//     (scan_switch).
//   - Boundaries are settled one call or loop after the other, each followed at once: outward, callees first, what is constrained
//     inside (of a loop, leaves of which more than the initial value is constrained: llama_kv_decode_step); then inward, callers first,
//     loops before
//     branches (cky, fuzz_013); a result decides its branch's only when nothing else is left to do (fuzz_071). All that again until nothing
//     changes, and after every default that reaches a boundary (fuzz_033).
//   - Parameters that nothing reaches get the compact order in every computation, not only in the entry (fuzz_033); but for those of loops,
//     which lie descending (fuzz_068).
//   - Each loop has boundaries of its own: where one loop hands a value to another, behind or inside of it, the two may differ
//     (uct_tree, ilqr, tcn_birnn_g).
//   - A loop lies as its body's parameter does where the two disagree, whatever is mandatory around it (beam, viterbi_bt, springs; 40 of 40 in the log).
//     What gives way tells those users at once that keep layouts (slices, adds, concatenates), unless they both must read it and must give
//     what they give otherwise (155 of 155 against 0 of 68; ctc_forward, tcn_birnn, uct_tree, alpha_mcts).
//   - At the end of a round the body's result decides: where it lies otherwise than a parameter, of body or condition, the parameter is set to
//     it at priority 2; then initial values and the loop's result follow, loop by loop (mcts, beam_rnn, viterbi_bt).
//   - The hardware's constraints come kind by kind, each against the order of the text: pins, reshapes, sorts, reduces, gathers and scatters,
//     scans, dots and convolutions, clusters (all sequences of 115 logs; inertia).
//   - The group of a dot is found through whatever has a single user, but reshapes (1174 walks, no exception).
//   - A dot's or convolution's operand is explored first where it is, behind reshapes, transposes and conversions, a constant, cut or put
//     together (1573 operands, one exception; converted: 6 of 6, scatter_slices). Contracting dimensions that are not minor lie inside of
//     the free
//     ones (llama_train_f32). Of a result, reduces are found at any distance, behind slices, pads, concatenates, transposes and reshapes
//     that add or drop dimensions of size 1 (vit_g,
//     gatv2_pool_g); a slice of one row counts as one (dh_chain). A matrix that a gather reads, too, is not asked
//     for (maxtext, bert_mlm_train).
//   - Layouts pass through gathers and scatters: from a table to the result, and from a scatter's result to table and updates (mpnn, gat,
//     unet_nchw; about 200 fusions). Gathers of single elements are repaired once, with the table as it lies (22 of 22; resnet18_train_f32 runs
//     again for nothing else), scatters of single elements ask for the compact order (mcts). A gather's window is looked for in what its
//     fusion gives, behind transposes and reshapes
//     (gather_transposed). Where keeping the table of a single-element gather costs a copy, it is told the table's own order instead, once
//     ("element gather erases proposed layout", gather_diagonal; one log).
//   - Of three or more dimensions in a gather's or scatter's window the two that pad least are minor (slicePair in gather.go;
//     scatter_slices); a parameter is kept as it is when its minor dimension is in the window but not all of them are; a gather that
//     slices all dimensions is constrained from the start (3.5 is superseded: gather.go;
//     all 74 gathers and scatters with windows of a synthetic batch, slices).
//   - A scatter with a window is asked for in the first run only if the text's own layouts are invalid for it, or the entry gives its table
//     with the window minor (all 131 in the logs; dlrm_train, joints, unet_nchw_g). In later runs the updates count as they lay after the last
//     run, before the copies that it took (scatter_later: one of four scatters).
//   - M is chosen by lanes and rows where K or N is 128 or more, outside of groups (3.2's multiple of 128 is superseded: lastUnlessWorse in dot.go;
//     all 440 dots of a synthetic batch; nerf_train; that groups
//     are exempt rests on two dots, of pointnet2_train and a random graph). In a group the batch keeps the order that the result has (gqa_window).
//   - When all else is valid, a dot that would copy an operand only for another second-minor dimension takes it as it lies (dottaken.go); the log
//     runs again without listing it (701 of 701 free dimensions of left operands; swin_block, gqa_window; for contracting
//     dimensions, most of 34, the bounds are a guess). For right operands this is open.
//   - A dot without a free dimension on each side asks for nothing (v7x, which alone keeps them: 0 of 81).
//   - A convolution's features are minor unless that takes more (413 of 414 sizes; convolutions).
//   - A convolution with batch groups explores its second operand first, whatever it is (8 of 8; convnext_train).
//   - A convolution reads an input whose two minor dimensions are swapped without a copy (vae_train, conv_1d_nwc).
//   - Any reduce-window with a window of 16 or more is constrained, not only a scan (3.6 is superseded: scan in conv.go; 792 shapes). A sort's
//     repair lets the sorted dimension change places with the one that stands where it belongs (188 shapes); the others keep theirs.
//   - Reduces are repaired in a run of their own, when all else is valid (fuzz_035, fuzz_054).
//   - When everything is valid, reduces of values that only a default decided ask for the compact order of their operands, and the
//     pass runs again whether or not that changes anything (cholesky_batched, fuzz_077, kmeans): copies' names count on.
//     A reduce of a free value is never repaired before that, even where its result does not follow (rigid_step). "Free" values are
//     the log's "Has constraint" list; the one that wastes most, if that is much, is pinned with them ("Bytes saveable").
//   - "At-risk" concatenates are those that take more than twice their compact size, when all but reduces is valid; gather and scatter
//     indices are exempt. They are dropped again when both an operand and a user is copied (ssm_assoc: 15 of 15, 16 of 16 others stay).
//   - Layouts that come from the entry's carry their tiles along, through operations that keep layouts, and sizes are compared under
//     these tiles: T(8,128) on f32[2,5] wastes nothing (logcumsum_assoc). A broadcast's operand inherits the tile, too
//     (layernorm); what passes through a reshape or transpose has none.
//   - What a later run asks for carries the tile of the layout that it was made of: the operands and results of sorts (189 of 189), the
//     operands of reduces (111 of 111), pinned concatenates, clusters, tables that gathers keep; a reduce's result has none (sort_tiled,
//     pin_tiled, bitcast_moves).
//   - Clusters (section 5 of the document is superseded; all 475 decisions in 181 runs of the log come out: gain, cost and counts).
//     In the text's order each operation that is in none yet starts one, if it is elementwise (bitcast-converts are:
//     bitcast_moves) but no select, copy or result of its computation, or a constant, or a trivial broadcast (operand of rank 0 or 1).
//     Members are what operands and users lead to:
//     the same sizes, the same order, any type. A trivial broadcast that is not the first is a member but leads nowhere, and may
//     therefore be missing in a second cluster that reads it, without counting there (gat_g, ddpm_unet).
//   - Around a cluster count, once per side and instruction (select that is read and reads: unet_nchw): tuples and
//     get-tuple-elements 5, selects that read it 5, dots, convolutions and reshapes 2, copies -1 (each edge has its own), all
//     else 1, also the computation's result and what lies otherwise (clusters_users, clusters_operands);
//     a result that is copied is none (root_copied). Operands of rank 0 or 1 count
//     nothing. The cost is that sum times both sizes; the gain the difference of sizes for each member but trivial broadcasts.
//     A reduce-window on either side forbids the move (dlrm_train, clusters_users).
//   - The sizes are those of the first member's type and carried tile, as 32-bit words: 8 rows where no tile is carried; smaller types
//     take 1, 2, 4 or 8 rows as they need (vit). The order is the one of the least real size, then of the least under 8 rows, then
//     the present one, then the highest minor and second-minor dimension (1063 shapes).
//   - A cluster's order is told to its first value in the text only, behind all other constraints (joints, mlp_mixer_train).
//   - An operand's layout gives way to another one ("NEGOTIATING operand layout", negotiate.go) where the user, its other operands and
//     most of its users take part and its own size, in words, shrinks to 1/(6n), n being its users and its other operands. Part
//     take slices, add, subtract, multiply, divide, select, compare, convert, bitcast-converts, shifts to the right, broadcasts
//     and reduces of rank 2 and more that no tuple takes, no repair holds, no reshape or pad reads; whose operand in question is no
//     reshape, dot or custom call; and whose
//     other operand is no reshape or parameter and reads no pad (affine_assoc, crowd). Broadcasts among operands do not count; other operands
//     have a single user; of two or more users of its own at most one does not take part (126 of 126; unwilling_users). Where nobody reads the
//     result, it need not shrink at all (slice_f32_2x9x130). Reduces always agree.
//     A value likewise takes the order that a user asks for ("NEGOTIATING layout"; value_negotiates, ray_tri), be it mandatory: n are then
//     its other
//     users and its operands but broadcasts; neither may it read a parameter, nor the user be a reshape, dot, broadcast or pad.
//   - The third and later runs constrain every dot, also those of a group (151 of 160 against 0 of 42 runs).
//   - An initial value decides a loop's layout only if the loop does nothing but cut slices from it, and what reads a slice need not have it
//     otherwise but for dimensions of size 1 (63 of 63: gru, gather_slices, ilqr, edit_distance: no; lqr, lstm_bf16, rotary_chunked: yes).
//   - An aligned reshape that moves data is left alone when each side by itself lies as compactly as it can, under the tile that it carries
//     (469 of 471: heads, maf); reshapes of one element are not constrained (llama_kv_decode_step); no copy is made before
//     a reshape for the sake of dimensions of size 1 (fuzz_035); a reshape can be a bitcast under tiles alone
//     (moe_einsum_dispatch_fwd: f32[8,512]{1,0} is f32[8,4,128]{2,0,1}).
//   - What a reshape is repaired to depends on its type and shapes alone; searchReshape has the rule (1247 of 1257 selections; reshapes),
//     and when its operand is explored first. What
//     passes through a reshape does not move dimensions of size 1 of a result that is aligned already.
//   - Past a reshape to finer dimensions goes the order that lies alike under tiles, where the aligned one does not: f32[512,10,8,8]{0,3,2,1}
//     from [2,256,2,5,8,8]{1,5,0,4,3,2}, f32[8,256]{1,0} to [8,2,128]{2,0,1} (tile_aligned); to coarser ones nothing goes
//     without alignment (moe_einsum_dispatch_fwd). Likewise a dimension of size 1 that is second-minor stays so: f32[6,22,1]{1,2,0} goes to
//     [1,6,22]{2,0,1} (dual_quat_skin, single_row).
//   - LayoutConstraint asks for its own written layout, not for operand_layout_constraints (layout_constraint_same).
//   - The copy of a conditional's operand is made inside of the branch when the conditional is the operand's only user
//     (cond_transpose); nothing is renamed then (cky). An element of a rebuilt tuple that is a get-tuple-element takes over the name of
//     the one that
//     was to replace it (eigh).
//
// # Open
//
//   - Names that earlier passes of the compiler took and that the text does not show (about 30 modules of 575, in names alone).
//   - The order in which a value's users are told: the compiler's keeps traces of users that earlier passes took away (the last one stands in
//     the place of the one removed), which the text does not show. 19 % of the 3219 values with several users differ; with the log's order put
//     in its place, one leaf of 22,900 came out otherwise: it hardly matters.
//   - The order of computations in the compiler's module differs from the text's: visible where two constraints compete (egnn).
//   - Where a reshape's selection puts a new dimension of size 1: f32[10,5,2,5]{0,2,3,1} to
//     [10,5,2,5,1]{0,2,4,3,1}; f32[72,6,7,11] to [72,3,2,1,7,11]{0,4,5,3,2,1}. A selection that is a bitcast under tiles alone is not
//     looked for: f32[7,384]{1,0} to [7,3,128]{2,0,1}.
//   - Repairs are looked at again where a reshape stays invalid: retention runs three times more with the same list.
//   - Which of several equally wasteful free values is pinned follows the compiler's own order of instructions, which the text does not
//     show; how much waste is enough is known only to lie between 1015808 and 7536640 bytes.
//   - Shapes that have more than 7 independent groups of dimensions are not searched for a reshape's cheapest orders.
package layout
