// Package folding predicts what the compiler's passes before and after layout assignment leave of a module. Simplify
// does what the passes before it always do. Predict says which values of a module with layouts fusion then keeps out of
// memory.
//
// A rule is here only if the compiler applies it always, for a target, so that a module in which the compiler has been
// through is not changed: TestCompiled counts what Simplify still finds in dumps that entered layout assignment.
// Evidence is in the comment of a rule: probes whose dumps before and after a pass of the compiler were compared, or
// counts of what remains in modules that entered layout assignment. Names in parentheses are those of the compiler's
// passes.
//
// # How a module is simplified
//
// Simplify works on a copy, in which calls are replaced by what they call, and loops that run once by their
// bodies. Of lowered text, integers of 64 bits become two of 32, operands of products are narrowed and equal
// values merged first, once. Then the rules of the table in rules.go are tried on each instruction, operands
// before users, until nothing fits: a rule returns what takes the instruction's place. An instruction is tried
// again where something changed at most reach operands away. Three phases follow each other, each of which
// begins when nothing fits in the one before (type phase): reshapes are hoisted; elementwise operations are
// computed before reshapes and transposes, and gathers and scatters are replaced; parts of complex arrays come
// apart. At the end of the first phase, once, loops read numbers as constants and carry once what is alike, and
// what stays the same in them is computed before them. At the end of the second one, once, late calls are
// replaced (on v7x after all phases), whose instructions are merged with no others until then, attention becomes
// kernels, and images are divided; then loops carry once what has become alike. Last, loops take in what is
// computed of numbers alone, and conditionals take and give tuples. Text that has been optimized begins in the
// second phase.
//
// Where a rule of one phase would take away what one of another needs, it waits (waitsFor, waitsForHoists): the order
// of the compiler's passes is in these calls and in the order of the table.
//
// # Files
//
// The work:
//
//	copy, calls, conditional       the copy, its notes; calls, loops that run once and branches in place; tuples
//	                               (flatten-call-graph, simplify-while-loops, conditional-canonicalizer)
//	simplify, rules                phases and rounds; the table, and the rules of few lines
//	make, body                     how instructions and computations are made
//	common, upcast                 equal values (cse); narrow operands of products (convert_operand_folding), and
//	                               converts before or after what moves numbers (convert_mover)
//	integers                       integers of 64 bits as two of 32 (x64-rewriter)
//
// Rules of algebra (algsimp):
//
//	array, numbers                 elements of constants that are known; operations on two numbers
//	fold, foldelements, foldmoves  what is computed of constants (constant-folding)
//	arithmetic, powers             quotients, differences, masks; powers, shifts, what is computed of one value twice
//	signs                          products and roots of what is known not to be negative
//	predicate, joins               what is computed of predicates; concatenates
//	broadcast, slice, pad, pool    broadcasts, slices and pads; pads of windows, as gradients of pooling have
//	dynamicslice                   slices and updates at places that are not known
//	product, exchange              products with vectors, transposed operands; operands exchanged
//	sum                            reduces (tpu-reduce-rewriter)
//	accumulate, onehot             sums with scatters; scatters that select
//	convolution, groups            labels and padding of convolutions; groups as a spatial dimension
//
// Reshapes and transposes:
//
//	hoist, factors                 hoisted to where they come to nothing (tpu-broadcast-rewriter); products before them
//	sink, sinks                    elementwise operations before them (reshape-mover)
//	remade                         what was made of an operation there and has its value
//
// Operations that others take the place of:
//
//	gather, elements, flat         gathers and scatters as custom fusions, slices, or loops (gather-expander,
//	windows, windowloop            scatter-expander)
//	smalltable                     gathers as selects
//	topk, stablesort               sorts; what they compare (stable-sort-expander, comparison_expander)
//	cumulative                     cumulative sums by blocks (tpu-reduce-window-rewriter)
//	bitcast                        bitcasts between types of other widths (bitcast_dtypes_expander)
//	fft                            products with sines and cosines
//	linear, decompose, reflect     Cholesky, triangular solves, LU and QR by blocks (tpu_cholesky_expander and others)
//	lanes                          the layouts that the kernels of these have
//	complex, complexmath           parts of complex arrays; their quotients, absolute values and sums
//	attention                      kernels (flash_attention)
//	loops, loopstart, loophoist    what loops take in, what they start with, and what is computed before them
//	                               (while-loop-fusible-sinking, while-loop-constant-sinking,
//	                               while-loop-invariant-code-motion)
//
// Images that are divided into more of smaller size (space-to-batch):
//
//	spacetobatch, divide           which convolutions begin it, and how an array is divided
//	spatial, gradient, follow      the divided dimension; gradients of kernels; what follows a divided array
//
// What fusion does after layout assignment (Predict):
//
//	buffers, apart                 which values are nowhere in memory
//	moves                          how a copy moves elements, and what is fused with it
//	sorted                         which sorts are turned, and which copies go with it
//	narrow                         which are stored as bf16
//	devices                        which are parts on several devices
package folding
