// Package hlo is the IR: modules, computations, instructions, shapes, layouts and the table of opcodes.
//
// # Terms
//
//   - array, leaf: a value without a tuple; a leaf is an array inside a tuple shape, in the order of the shape's text.
//   - minor-to-major: the order of an array's dimensions in memory, the fastest varying first, as in {1,0}. The minor
//     dimension is its first entry, the second-minor its second. JAX writes the same order major to minor.
//   - tile: a block of elements that is contiguous in memory, as in T(8,128). The two minor dimensions are padded to
//     whole tiles. A second tile, as in T(8,128)(2,1), divides the first; for bf16 it packs two rows in 32-bit words.
//   - lane, sublane: the column and the row of a TPU vector register of 32-bit words; 128 lanes, 8 sublanes.
//   - padding: what tiles add to an array, in elements or bytes that hold no data.
//   - memory space: S(n) in a layout; none is HBM, S(1) is VMEM, S(5) host memory.
//   - relayout: a copy or transpose whose result has another order of dimensions in memory than its operand.
//   - bitcast: an instruction that names the bytes of its operand by another shape or layout and moves nothing.
//   - slot: the place of one array of a computation in the numbering of a pass.
//   - boundary: the parameters and results of the entry, whose layouts are the caller's; also those of a computation.
//   - placeholder: a value that a text mentions without its computation, such as an operand of a cut excerpt.
//   - scheduled: the instructions of a computation are in the order in which the device runs them.
//   - stage: how far the compiler is with a module: lowered, unoptimized, pre-layout, laid out, scheduled.
//   - golden: a file with an expected result that is kept with the code.
package hlo
