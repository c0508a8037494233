package parser_test

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/printer"
)

// A module is read, walked, changed and printed.
func Example() {
	m, err := parser.Parse("dump.hlo", `HloModule example

ENTRY %main (x: f32[8,128]) -> f32[8,128] {
  %x = f32[8,128]{1,0} parameter(0)
  ROOT %n = f32[8,128]{1,0} negate(%x)
}
`)
	if err != nil {
		fmt.Println(err) // file:line:col: what is wrong
		return
	}
	for _, in := range m.Entry.Instructions {
		fmt.Println(in.Name, in.Opcode, in.Shape)
		in.Shape = m.Intern(in.Shape.WithLayout(&hlo.Layout{MinorToMajor: []int{0, 1}, Tiles: []hlo.Tile{{8, 128}}}))
	}
	fmt.Print(printer.Print(m))
	// Output:
	// x parameter f32[8,128]{1,0}
	// n negate f32[8,128]{1,0}
	// HloModule example
	//
	// ENTRY %main (x: f32[8,128]) -> f32[8,128] {
	//   %x = f32[8,128]{0,1:T(8,128)} parameter(0)
	//   ROOT %n = f32[8,128]{0,1:T(8,128)} negate(%x)
	// }
}

// Every error of a text is found, each with its place and a code.
func ExampleParse_errors() {
	_, err := parser.Parse("dump.hlo", `HloModule example

ENTRY main {
  x = f32[8,128] parameter(0)
  y = f32[8,128] negate(z)
  ROOT n = f33[8,128] negate(x)
}
`)
	for _, e := range err.(hlo.ErrorList) {
		fmt.Println(e)
		fmt.Print(e.Snippet())
	}
	// Output:
	// dump.hlo:5:25: no instruction "z"; an instruction is defined before its use, in the same computation [HLO010]
	//       y = f32[8,128] negate(z)
	//                             ^
	// dump.hlo:6:12: "f33" is not an element type; did you mean f32? [HLO030]
	//       ROOT n = f33[8,128] negate(x)
	//                ^
}
