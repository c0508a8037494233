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
//	propagate.go    from a value to its operands and uses, from an operand to its definition and the result (2.6, 2.7)
//	engine.go       one round, one run, all runs (1, 2.9)
//	reshape.go      alignment (2.8), bitcasts under tiles, the selection (4.1)
//	dot.go, conv.go, gather.go    what the hardware wants (3.2, 3.3, 3.5; scans 3.6)
//	boundary.go     loops, branches, calls: values that must agree (2.9-3)
//	callees.go      what a round leaves for the next; branches that do not agree (2.9-5)
//	validity.go     what is invalid after a run and the hints that repair it (4)
//	clusters.go     elementwise operations that are moved to the compact order (5)
//	copies.go, result.go    copies, names, decisions, reasons (2.10)
//	trace.go        the events, to be held against the compiler's log
//
// # The algorithm
//
// A round collects constraints, computation by computation: what is written in the module, then what the hardware wants,
// then what custom calls ask for. They are followed depth first. Then boundaries are settled, and values that nothing
// reached get a default, one by one, each followed at once. A run is one round, or two (below). After a run,
// what does not lie as its operation needs gets a hint, and everything is run again with the hints; when nothing is invalid,
// reduces of free values and clusters of elementwise operations may ask for another run. At most four runs were seen.
// Copies stand where an operand's constraint and its value still differ after the last run.
//
// # Findings beyond the document
//
// All from the compiler's own log (libtpu 0.0.51, v5e), each first seen in the program named.
//
//   - A dfs flag that is raised alone does not queue a constraint again (conv_depthwise).
//   - A value's priority goes to its operands' constraints too (fuzz_009).
//   - A tuple-shaped sort passes nothing between operands and results; that they agree, in the order of the first operand, is left to
//     repair (fuzz_003, median).
//   - A conditional's operands and parameters are one boundary per branch; root and result are one for the largest branch only. The
//     others may disagree: then a second round runs at priority 1, in which each branch's parameters hold what the first round left
//     and the smaller branches must give the largest one's result (cond_transpose; fuzz_033, fuzz_113).
//   - Boundaries are settled computation by computation, a loop's in two batches: leaves of which more than the initial value
//     is constrained, then the others (llama_kv_decode_step); and again after every default that reaches one (fuzz_033).
//   - Parameters that nothing reaches get the compact order in every computation, not only in the entry (fuzz_033).
//   - Reduces are repaired in a run of their own, when all else is valid (fuzz_035, fuzz_054).
//   - When everything is valid, reduces of values that only a default decided ask for the compact order of their operands, and the
//     pass runs again whether or not that changes anything (cholesky_batched, fuzz_077, kmeans): copies' names count on.
//   - A reshape that reads an entry parameter without a copy is left alone when no order is cheaper (reshape_pixel_shuffle,
//     reshape_f32_5x130_to_5x130x1); reshapes of one element are not constrained (llama_kv_decode_step); no copy is made before
//     a reshape for the sake of dimensions of size 1 (fuzz_035); a reshape can be a bitcast under tiles alone
//     (moe_einsum_dispatch_fwd: f32[8,512]{1,0} is f32[8,4,128]{2,0,1}).
//   - A slice negotiates with its operand only where it is the computation's result (slice_f32_2x9x130).
//   - LayoutConstraint asks for its own written layout, not for operand_layout_constraints (layout_constraint_same).
//   - The copy of a conditional's operand is made inside of the branch when the conditional is the operand's only user
//     (cond_transpose). An element of a rebuilt tuple that is a get-tuple-element takes over the name of the one that
//     was to replace it (eigh).
//
// # Open
//
//   - Names that earlier passes of the compiler took and that the text does not show (about a dozen modules of 575).
//   - The order of computations in the compiler's module differs from the text's, so that rounds set constraints in another order: visible
//     where two constraints compete.
//   - "At-risk" concatenates: free values in the first run whose later order is not compact are tried in the compact one and
//     kept or reverted by a test of copies that is not understood (conv_grad_nhwc_3x3, fuzz_004).
//   - Cost and membership of clusters (bert_mlm_train, dlrm_train); some reshapes of small arrays that are no bitcast
//     but not repaired either (llama_gqa_prefill_bf16, mlp_mixer_train).
//   - Shapes that have more than 7 independent groups of dimensions are not searched for a reshape's cheapest orders.
package layout
