// Package cute is the layout algebra of NVIDIA's CuTe: layouts with nested modes,
// the operations on them, their notation and an evaluator for expressions.
//
// A layout is written (shape):(stride). It maps coordinates of the shape to integers: each entry of the coordinate is
// multiplied by its stride and the products are added. In
//
//	(4,8):(8,1)
//
// coordinate (i,j) goes to 8*i + j: four rows of eight, row-major. (4,8):(1,4) is the same array column-major, and a
// shape without strides means that: (4,8) is (4,8):(1,4). Entries nest. In
//
//	((8,128),(128,8)):((128,8192),(1,1024))
//
// there are two modes; the first has the extents 8 and 128, so it is 1024 long, and its number i goes to
// 128*(i%8) + 8192*(i/8): eight rows inside a tile, then the next row of tiles. The leftmost entry always counts
// fastest. Hence a layout takes any coordinate between one number for everything, (one number per mode) and one per
// leaf. Strides may be 0 (all positions share an element) or negative. `_` in a coordinate stands for "all of it" and
// slices.
//
// A tiler says how an operation goes through modes: a layout or a number acts on the whole layout, <a,b> acts with a
// on mode 0 and with b on mode 1, `_` leaves a mode alone. 128 means 128:1, and the shape (8,128) means <8,128>.
// Sw<B,M,S> is a swizzle, and `Sw<3,0,3> o 0 o (8,8):(8,1)` a layout followed by an offset and a swizzle.
//
// Composition(A,B) is the layout c -> A(B(c)); Complement is what is missing to cover an interval; the divisions split
// a layout into tiles and the products repeat one. Everything is integer arithmetic in int64: what would overflow, and
// what has no answer that is a layout, is an error with its own Kind. Values are immutable. Nothing here knows of XLA;
// package hlolayout/hlo/tiled does.
package cute
