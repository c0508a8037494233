package tiled_test

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// bf16[20,300]{1,0:T(8,128)(2,1)}: sizes, the place of element (9,130), and what follows it.
func Example() {
	a, err := tiled.New(hlo.NewArray(hlo.BF16, []int64{20, 300}, &hlo.Layout{
		MinorToMajor: []int{1, 0},
		Tiles:        []hlo.Tile{{8, 128}, {2, 1}},
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a, a.FinalDims(), a.Total(), "elements", a.Bytes(), "bytes")
	physical, _ := a.Physical(nil, 9, 130)
	offset, _ := a.Index(9, 130)
	place, _ := a.Place(offset)
	fmt.Println(physical, offset, fmt.Sprintf("%+v", place))
	for _, n := range []int64{offset + 1, offset + 1024} {
		index, ok, _ := a.Element(nil, n)
		fmt.Println(n, index, ok)
	}
	layout, _ := a.Layout()
	fmt.Println(layout)
	// Output:
	// bf16[20,300]{1,0:T(8,128)(2,1)} [3 3 4 128 2 1] 9216 elements 18432 bytes
	// [1 1 0 2 1 0] 4101 {Tile:4 Within:5 Sublane:0 Lane:2 Packed:1}
	// 4102 [8 131] true
	// 5125 [9 258] true
	// ((2,4,3),(128,3)):((1,256,3072),(2,1024))
}
