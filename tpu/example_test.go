package tpu_test

import (
	"fmt"
	"log"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// A generation says how an array of some order is tiled, and how many bytes it takes.
func ExampleTarget_Layout() {
	v5e, err := tpu.ByName("v5e")
	if err != nil {
		log.Fatal(err)
	}
	dims, order := []int64{100, 300}, []int{1, 0}
	bytes, _ := v5e.Bytes(hlo.BF16, dims, order)
	fmt.Println(v5e.Layout(hlo.BF16, dims, order, true), bytes)
	// Output:
	// {1,0:T(8,128)(2,1)} 79872
}
