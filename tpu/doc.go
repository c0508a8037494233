// Package tpu says, per TPU generation, how an array is laid out in memory: which tiles a shape gets, which order of
// dimensions the compiler picks where it is free, how many bytes that takes, and which memories there are.
//
// # Tiles
//
// A vector register holds 8 sublanes of 128 lanes, each a word of 32 bits. An array in memory is cut into tiles that
// fill registers: the minor dimension is padded to 128 lanes, the second-minor one to the rows of a tile. Elements of
// fewer than 32 bits share a word with those of the rows below, p = 32/bits of them, which the second tile (p,1)
// says. Only the two minor dimensions decide the tiles. Dimensions of size 1 count like any other.
//
//   - No tile where a dimension is 0.
//   - Rank 0: one tile of G*p elements, T(128) for f32, T(256) for bf16.
//   - Rank 1, n elements: T(N)(128)(p,1), N the power of two that holds n, at least G*p and at most 1024 (128*p for
//     types under 8 bits).
//   - Rank 2 and above: T(R,128)(p,1), R the power of two that holds the second-minor size, at least M*p and at most 8
//     (p for types under 8 bits). A parameter or result of the program whose type has at most 8 bits and whose
//     second-minor size is a multiple of 8*p has R = 8*p: T(32,128)(4,1) for s8. Inside of the module, this pass never
//     writes such large tiles; a later one does.
//
// With p = 1 the second tile is left out. G is 128 words, and 256 on v2 and v3; M is 1, and 2 on v2 and v3. These
// store each element of fewer than 8 bits in a byte; later generations pack them and write E(bits) after the tiles. A
// type of 64 or 128 bits has the tiles of a 32-bit one.
//
//	second-minor size     1   2  3-4  5 and more  multiple of 8p, at the boundary
//	R: f32, s32, c64      1   2   4       8
//	   bf16, f16, s16     2   2   4       8
//	   s8, u8, f8, pred   4   4   4       8       32
//	   s4, u4             8   8   8       8       64
//	   s2, u2            16  16  16      16      128
//
// On v2 and v3, R is at least 2 for 32 bits, 4 for 16, 8 for 8 and 4, 16 for 2 bits, and never larger than 8 or 16.
//
// # Sizes
//
// An array takes its padded elements in stored bits, with no further rounding: every tile is a multiple of the
// allocator's granule. A result of several leaves has a table of pointers besides: 4 bytes each, rounded up to 512
// bytes (v4, v5e), 32 (v5p, v6e, v7x) or 1024 (v2, v3).
//
// # Orders
//
// Where nothing requires an order, the one with the least padded size wins. Every pair of dimensions is tried as minor
// and second-minor; the others follow, the last dimension first. At the boundary (BoundaryOrder) the first tie goes to
// a pair without padding, inside of the module (FreeOrder) to the pair whose minor and second-minor sizes fill lanes
// and sublanes best; then the highest minor dimension wins, then the highest second-minor one. f32[288,16,2] is
// {0,2,1:T(2,128)} at the boundary and {0,1,2:T(8,128)} inside.
//
// # Evidence
//
// The compiler's own answers (libtpu 0.0.51, compiled ahead of time for each generation): default layouts of random and
// adversarial shapes of 30 types, ranks 0 to 9, about 670,000 of them, sizes of allocations for 19,000, all equal;
// layouts of free values, about 2,000. testdata/tpu holds samples, which the package's tests compare. XLA's page on
// tiled layouts agrees in outline; it names neither tiles of one row nor large ones.
//
// Arrays of 1 bit cannot be compiled alone, so their sizes are the formula's.
package tpu
