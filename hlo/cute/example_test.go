package cute_test

import (
	"fmt"

	"hlolayout/hlo/cute"
)

// A 4x8 row-major array: the index of element (3,5), its tiles of 2x4, and more.
func Example() {
	for _, expr := range []string{
		"(4,8)",
		"crd2idx((4,8):(8,1),(3,5))",
		"zipped_divide((4,8):(8,1),<2,4>)",
		"composition((4,8):(8,1),<2,4>)",
		"complement(4:2,32)",
		"slice((4,(2,4)):(2,(1,8)),(_,(1,_)))",
		"composition((4,3):(1,100),(3,2):(1,3))",
	} {
		v, err := cute.Eval(expr)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(v)
	}
	// Output:
	// (4,8):(1,4)
	// 29
	// ((2,4),(2,2)):((8,1),(16,4))
	// (2,4):(8,1)
	// (2,4):(1,8)
	// (4,4):(2,8) + 1
	// column 1: composition: (3,2):(1,3) takes digit 5 of leaf 4:1 of (4,3):(1,100), so the sum carries [carry]
}
