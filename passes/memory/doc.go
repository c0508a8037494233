// Package memory places the values of a scheduled module: HBM, or the fast space of a generation (VMEM, CMEM), SMEM for
// scalars, sync flags for asynchronous operations. It does what XLA's memory-space assignment does. A reader who knows
// that finds its parts here, in the order of the work:
//
//	memory                         Run and Analyze, which go through all of this
//	graph, check, shapes, forward  the schedule, flattened: a node's number is its time (HloLiveRange)
//	values                         values in single-assignment form; what a loop carries unchanged is one value
//	                               (HloDataflowAnalysis)
//	sharing, sets                  which values share memory: a table of rules (HloAliasAnalysis)
//	buffers, banned                their priority, and the order in which they are placed
//	                               (MemoryBoundednessBufferIntervalComparator)
//	lifetimes, nested, postorder   what breaks ties there (HloLiveRange, HeapSimulator)
//	cost, fused, turned, gather    bytes per operand and result, seconds per instruction (CostAnalysis)
//	work, convolution              what an instruction computes
//	bundle, product                the units of a core that it keeps busy (v6e, v7x)
//	window, extent, runs           the windows that a large product is computed in (v6e, v7x)
//	feeds, trace, bounds, fed      what they read, and the scratch memory that they take
//	clock                          when a prefetch may start (CostAnalysisPrefetchIntervalPicker)
//	copies                         the bandwidth that copies share (AsynchronousCopyResource)
//	heap, piecewise                the fast space over time (GlobalDecreasingSizeBestFitHeap)
//	repack                         chunks that move to make room (MemorySpaceAssignmentBestFitRepacker)
//	unrolled                       loops that are written out, by the form of their instructions
//	                               (IdentifyAndOptimizeMemoryBoundLoops)
//	iteration, turns, pipeline     a plan for one iteration of such a loop (MemoryBoundLoopOptimizer)
//	crossprogram, activation       the parameter that stays across runs (FindCrossProgramPrefetchCandidates)
//	scoped                         scratch memory that instructions reserve
//	device                         bandwidths, clock and rates of a generation
//	engine                         what is held, copied, required and taken back (MsaAlgorithm)
//	segments, allocate             a buffer, use by use (AllocateAllocationValues)
//	decide                         the place of one use: a table of decisions (AllocateSegment)
//	stay, prefetch                 how a use gets its place (AllocateInAlternateMemoryNoCopy, Evict, Prefetch)
//	replace                        copies and slices that prefetches take the place of (GetJointProposal)
//	branches, traffic              what loops and conditionals require; copies that do not pay
//	given                          spaces that the text has already
//	spaces, mirror                 the space of every leaf, in fusion bodies too
//	settle, write, carry           copies as instructions; what cannot agree with them stays in HBM
//	offload                        programs of other units, which start before they have operands
//	collective                     fusions that carry a collective on
//	elements, rewrite              what reads them
//	stats, report, reason          what a reader asks afterwards: totals, peaks, why a value stays in HBM
//	temporaries                    how much of HBM temporaries take
//	overwrite, pack                how the temporaries of HBM share memory
//
// # Findings
//
// The compiler's own log (TPU_VMODULE with algorithm, cost_analysis and prefetch_interval_picker) has every number of
// its cost model. From it, on 39 models and five generations:
//
//   - The limits are 64 MiB (v4), 112 MiB (v5e), and 48, 96 and 64 MiB less 64 KiB (v5p, v6e, v7x).
//
//   - Bandwidth of HBM as the model has it: 457.5, 687 and 2189 GiB/s, 1638 and 3686 GB/s. Copies between the spaces
//     run at the same. The fast space is 6, 22.5, 7.7, 13 and 3.2 times as fast.
//
//   - Bytes of a fusion's parameter: slices read what they take, each for itself; broadcasts, reshapes and inner
//     fusions read for themselves; all others share one read, by other names too. Of start indices one is counted.
//     Of a gather in an inner fusion nothing is read where it is all of that, and the whole otherwise.
//     Bytes of gathers and scatters follow padded tiles (see scattered). With these rules the time of an instruction
//     that waits for memory is right to all digits that the log prints, on v4, v5e and v5p.
//
//   - Of the constants in a fusion those of more than one element are read. An array without tiles counts as one tile
//     of 4 KiB. Of a collective that a fusion carries on nothing is read or written (see collective).
//
//   - No instruction takes less than a cycle; renamings take one.
//
//   - Prefetches of one module are all timed with one size, the median of its values of more than 1 MiB, or the largest
//     result of its schedule (see medianSize); their bandwidth is still that of their own size.
//
//   - Prefetches of at least 1 MiB are cut in four (v4, v5e), or into pieces of 4 MiB (v6e, v7x). Each piece counts
//     among the 40 copies that may be under way, and is taken to need 1.8 times its bandwidth while a time is looked
//     for.
//
//   - After a loop or conditional that hands a value on, all uses of the value read it from there, whatever the input
//     reads (testdata/memory/v5e.handed_on).
//
//   - Ties are broken by how long a buffer lives in a clock that ticks with every allocation and release of the
//     compiler's heap simulator. There parameters are allocated when their computation begins, what a computation
//     returns lives on for one time after it, a value ends where the next one in its memory begins (so what a loop
//     starts with ends where the condition begins), and of values that live equally long the one that was made first
//     comes first. (In the simulator's log of 5 programs on v5e and v6e all 3,189 values that have a name here live
//     so.)
//
//   - 39 evictions may be under way at a time, and 40 prefetches.
//
//   - On v6e and v7x a fusion with a product takes the time of the unit that is busy the longest (see bundle): passes
//     of the matrix unit, two a cycle, or the vector unit's work, which adds up what all but the first of the passes
//     give. What packing, moving and turning the operands takes follows from which of their dimensions is minor (see
//     product). Of 1,156 such fusions in one window the log has the same passes for 1,148, weights for 1,154, and work
//     of either vector unit for 1,043; of 604 in 40 other programs for v7x, to which nothing was adapted, for 600, 604
//     and 522.
//
//   - A product that does not fit in its fusion's scratch memory is computed window by window (see windows). What all
//     windows have of an operand is read, and what they have of the result is written, so that an operand that comes
//     again for each window of the outputs counts as often. (Of 824 reads by 412 matrix products, in the log for v7x,
//     all are so, and 443 would be without windows; of 5,824 reads by products in 13 programs 5,552 are, and 5,473.)
//
//   - From where a program of SparseCore begins until it has its operands, copies have four fifths of the time. Giving
//     it its operands takes the time to read them, on v5p to write them, too, and a scatter's result is in the place of
//     what it updates, unless that is used later. Where it begins, and for each of its operands, the schedule has
//     separate times (see idle), and what it holds ticks in the clock that breaks ties (see statesOfOffloads).
//
//   - Where a use stays in HBM for want of room, all chunks are placed anew, those that are held longest first, and the
//     buffer is tried once more, up to four times a program. Scratch memory (v7x) moves as one, as if it were held from
//     the earliest of the times that come first in the compiler's order (see middle), and so does the parameter that is
//     kept across programs: before a program's first such move it is above the largest scratch memory, which begins at
//     0. Pieces of a prefetch come in another order then, if the lowest can come earlier.
//
//   - Copies and slices that a prefetch may do are placed with what they read. Where one of them finds none, all begins
//     anew without it. What they do together is not held against its traffic (38 of 38 in the log of 20 programs). It
//     begins as early as what they read allows, and one of them stays whose result is read twice, or whose source has
//     another name before that.
//
//   - Where pieces have a size (v6e, v7x) the compiler tries three of their orders, where they have a number (v4, v5e)
//     all: XLA's log of the former has no other than two of the three.
//
//   - Loops that are written out, of 6 iterations or more, have a plan first, on all but v4: which of their values stay
//     in the fast space, which are copied there, and when. (Of 3,195 uses that the compiler's log of 8 programs on
//     v5e, v5p, v6e and v7x plans, 3,116 have the same plan here, 37 of one program another, for the bytes of its
//     scatters, and 42 other names.)
//
//   - Pieces of a prefetch that is taken back stay among the 40 that may be under way: the compiler counts them from
//     their start, and takes them back from the time after it.
//
// # What is not known
//
// The benefits of a buffer's uses are added in the order of the compiler's list of users, which the text does not show:
// of 42,955 neighbours in its order that are equal but for the last digits, in the log of 129 programs, 93 are the
// other way round in the order of time, 78 in the order of its dataflow analysis, and 11 with its list, most of these
// for seconds that are not the log's. With its order all buffers of 12 of 16 programs that were examined are where the
// compiler has them.
//
// What windows are where no first one fits (see windows), nor what those of softmax are where there are several, what
// packing the operands of strided convolutions takes, and of images whose batch or features fill no tile. With the
// seconds, bytes and order of the log, what the rules here place was all as in the compiler on 33 of 45 programs for
// v7x when that was counted: what is wrong otherwise comes from the seconds and bytes of products.
package memory
