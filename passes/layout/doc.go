// Package layout is the TPU compiler's layout-assignment pass on HLO text: it gives every array a dimension order and
// tiles, and lists the copies that this requires. Sources: XLA's open LayoutAssignment (openxla/xla, xla/service) for
// the generic algorithm; for the TPU, the compiler's own log and modules before and after its pass (libtpu 0.0.51).
// Names in parentheses are modules of testdata, whose event lists are that log.
//
// # How layout assignment works
//
// A value is an array that an instruction defines. A constraint gives the order of a value (SetBufferLayout), or the
// order in which an instruction reads an operand (SetOperandLayout). It is mandatory or not, is followed depth first or
// not, and has a priority.
//
// A round collects constraints, computation by computation, callees first: layouts that are written in the module;
// then, in sweeps over each computation against the order of the text, what the hardware requires; then what custom
// calls carry. A work list follows them: from a value to the operands of its definition and to its uses, from an
// operand to its definition, to the other operands and to the result. What is followed depth first goes to the front of
// the list, the rest to the back, higher priorities first. A value keeps its first layout unless a mandatory
// constraint, a higher priority or a negotiation replaces it.
//
// When the list is empty, boundaries are settled: what a loop, branch or call shares gets one layout. Values that no
// constraint reached get a default one by one, each propagated before the next. If the branches of a conditional
// disagree, a second round holds them to the largest one. A copy goes wherever an operand's constraint and its value
// differ in the end.
//
// # Versions of the compiler
//
// The text is about libtpu 0.0.51. From 0.0.52 on, fewer users are overridden (override-given). Up to 0.0.50.1, the
// pass solves every computation by itself, callees first, as the open pass does (separate): loops, branches and calls
// take what their computations came to, and a second round holds all computations to the first. A rule's row says with
// Since and Until which versions it holds for; the target names the version (tpu.Target.LibTPU).
//
// # What the TPU adds
//
// The pass runs again as long as it finds work: operands that an operation cannot read (Repair), and arrays that take
// more memory than they need (Improve). A finding is a hint that holds in all later runs, which start afresh with it.
// The steps look in order, and the first one that finds anything starts the next run: gathers, scatters, reshapes and
// sorts; reduces, dots and wasteful concatenates; what only a default decided; clusters of elementwise operations,
// once. Up to 35 runs were seen.
//
// The hardware's constraints follow from its tiles: the minor dimension is padded to lanes of 128, the second-minor
// one to rows of 8 or fewer. A dot has two of M, N and K in these places, a gather its window, a sort the sorted
// dimension, and a wide reduce-window neither of its windowed dimensions. Among orders that an operation can use, the
// one of the least padded size wins, of equals the one that the compiler's rounding prefers (scatter_tie). A layout
// that comes from the entry carries the rows of its tile along, through operations that keep layouts and into the
// hints of later runs; sizes are then compared under that tile (sort_tiled, pin_tiled). What passes through a reshape
// or a transpose carries none.
//
// # The rules
//
// Every decision is a row in the file of its operation (internal/rules): name, documentation and its evidence, stage,
// and the modules of testdata whose result changes without it (TestEveryRuleIsNeeded switches each off). The order of
// the rows is that of internal/rule/ids.go. Thresholds are rows of internal/rule/limits.go, with the range that is
// known (TestEveryLimitIsNeeded moves each). `hlolayout explain RULE` prints a row, and the chains of `hlolayout
// explain FILE VALUE` name rows.
//
// # Packages, each of which imports only those after it
//
//	layout                Run, Trace, Rules; this text
//	internal/result       copies, their names, the layout of every array, reasons
//	internal/rules        the rules, one file for each operation; families in table.go lists the files
//	internal/constraint   constraints, the work list, propagation, boundaries, rounds and runs
//	internal/rule         what a row is; the order of the rules; thresholds
//	internal/ordering     orders, their sizes under tiles, what a reshape between them moves
//	passes/internal/flat  the module with dense numbers, and what is refused
//
// To add a rule: a number in ids.go, a row and its function in the file of the operation, a module in testdata that
// changes without it. To remove a file of rules: delete it and its entry in families
// (TestEveryFileOfRulesCanBeDeleted).
//
// # Open
//
//   - Names that earlier passes of the compiler took and that the text does not show (32 modules of 575, in names
//     alone): of tuples that passes took apart, of more than one element that a loop lost.
//   - The order of users keeps more traces of users that earlier passes took away than its rules know: calls that
//     were inlined, transposes that were moved, products of complex numbers. Of 1,300 programs 8 differ for it.
//   - The compiler's list of computations where passes made and removed some that names and numbers do not show: of
//     functions that were inlined late, those whose instructions were mostly merged with others (late-calls).
//   - Tables of gathers whose window has several dimensions and that had one of it minor, and in the rows another one
//     that does not fill a tile: bf16[4,33,4,40,10]{3,2,4,1,0}, taken along 2, goes to {3,1,4,0,2}, and
//     f32[100,64,128,2]{2,3,1,0}, taken along 0, to {2,1,3,0}.
//   - Which slices of three dimensions have their two largest minor, where a gather's table had a dimension outside of
//     the window minor: [13,7,17], [12,7,19] and [40,7,7] have, but [12,8,16], [13,8,15], [14,8,14] and others of 1,000
//     to 1,568 elements have the two of the least size under tiles of 8 rows (48 probes; 11 come out wrong).
//   - Operands that a loop's state and a slice compete for: what the compiler's negotiation refuses.
//   - Which of several equally wasteful free values is pinned follows the compiler's own order of instructions,
//     which the text does not show: the first of the text is pinned (of 2,475 modules 3 differ for it).
//   - Shapes that have more than 7 independent groups of dimensions are not searched for a reshape's cheapest orders.
package layout
