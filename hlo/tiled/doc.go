// Package tiled is the arithmetic of one XLA layout: where the elements of an array are.
//
// An Array is made of an hlo.Shape. Three kinds of positions are distinguished, all counted in elements:
//
//   - the logical index, one number per dimension of the shape, in the order of the shape's text;
//   - the physical index, one number per final physical dimension, major to minor: the logical dimensions in reverse
//     minor_to_major order, after every tile has split its dimensions into (count of tiles...,
//     position in the tile...);
//   - the offset: the row-major number of the physical index.
//
// For bf16[20,300]{1,0:T(8,128)(2,1)} the final physical dimensions are [3,3,4,128,2,1]: the first tile makes
// [3,3,8,128], the second splits the 8 rows of a tile into 4 pairs. Element (9,130) has the physical index
// (1,1,0,2,1,0) and the offset 4101 = 3072 + 1024 + 5.
//
// Sizes come in elements (Elements, Total, ArraySize, Padding) and in bytes (Bytes, ArrayBytes, LogicalBytes). The same
// layouts are functions of package cute where one exists: Layout gives it, FromCute goes back. Bitcast, ReshapeBitcast,
// TransposeBitcast, Relayout and Runs compare two arrays.
//
// Sizes are those of package tpu; the older vocabulary (padded
// dimensions, true rank, axis names) is that of XLA's page "Shapes and layout".
package tiled
