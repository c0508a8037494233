// Package layout is the TPU compiler's layout-assignment pass on HLO text: it gives every array a dimension order and
// tiles, and says which copies that takes. What is not in XLA's open source comes from the compiler's own log and
// from modules before and after its pass (libtpu 0.0.51). Names in parentheses are modules of testdata, whose event
// lists are that log.
//
// # How layout assignment works
//
// A constraint says which order a value has, or which order an operand is read in; it is mandatory or not, is
// followed depth first or not, and has a priority. A round collects constraints: first what is written in the module,
// then, in sweeps over each computation against the order of the text, what the hardware wants, then what custom
// calls carry. A work list follows them: from a value to the operands of its definition and to its uses, from an
// operand to its definition, to the other operands and to the result. Constraints that are followed depth first go to
// the front of the list, others to the back, higher priorities first. Then boundaries are settled: what a loop,
// branch or call ties together takes one order. What nothing reached gets a default, value by value, each followed at
// once. Copies stand where an operand's constraint and its value differ in the end.
//
// # What the TPU adds
//
// The pass runs again as long as it finds work: what an operation cannot read as it is (Repair), and what takes more
// memory than it needs (Improve). Each finding leaves a hint, a pin or a cluster for the following runs, which start
// afresh with it. The steps look in order, and the first one that finds anything starts the next run: gathers,
// scatters, reshapes and sorts; reduces, dots and wasteful concatenates; what only a default decided; clusters of
// elementwise operations, once. At most five runs were seen.
//
// Sizes are compared with padding: the minor dimension fills lanes of 128, the second-minor one rows of 8 or fewer. A
// layout that comes from the entry carries the rows of its tile along, through operations that keep layouts and into
// what later runs ask for; sizes are then compared under that tile (sort_tiled, pin_tiled). What passes through a
// reshape or a transpose carries none.
//
// # The rules
//
// Every decision is a row beside its functions (internal/rules), in the order in which the pass comes to it: its name,
// what it does and what
// that is known from, its stage, and the modules of testdata that come out otherwise without it
// (TestEveryRuleIsNeeded switches each off). Thresholds are rows of internal/rule/limits.go, with the range that is
// known
// (TestEveryLimitIsNeeded moves each). `hlolayout explain RULE` prints a row, and the chains of `hlolayout explain
// FILE VALUE` name rows.
//
// # Packages, each of which imports only those below it
//
//	layout                Run, Trace, Rules; this text; versions of the rules
//	internal/result       copies, their names, the layout of every array, reasons
//	internal/rules        the rules, one file for each family of operations; table.go lists the files
//
// internal/constraint   constraints and the work list; how they are followed; loops, branches and calls; rounds and
// runs
//
//	internal/rule         what a row is; the order of the rules (ids.go); thresholds (limits.go)
//	internal/ordering     orders, their sizes under tiles, what a reshape between them moves
//	passes/internal/flat  the module with dense numbers, and what is refused
//
// # Open
//
//   - Names that earlier passes of the compiler took and that the text does not show (about 30 modules of 575, in
//     names alone).
//   - The order of users keeps more traces of users that earlier passes took away than the users- rules know (17 % of
//     4786 values).
//   - The order of computations in the compiler's module differs from the text's: visible where two constraints
//     compete (egnn).
//   - Where a reshape's selection puts a new dimension of size 1: f32[10,5,2,5]{0,2,3,1} to [10,5,2,5,1]{0,2,4,3,1};
//     f32[72,6,7,11] to [72,3,2,1,7,11]{0,4,5,3,2,1}. A selection that is a bitcast under tiles alone is not looked
//     for: f32[7,384]{1,0} to [7,3,128]{2,0,1}.
//   - Tables of gathers whose window has several dimensions and that are asked for after the first run.
//   - Operands that a loop's state and a slice compete for: what the compiler's negotiation refuses.
//   - Which of several equally wasteful free values is pinned follows the compiler's own order of instructions, which
//     the text does not show.
//   - Shapes that have more than 7 independent groups of dimensions are not searched for a reshape's cheapest orders.
package layout
