package printer_test

import (
	"fmt"
	"log"

	"hlolayout/parser"
	"hlolayout/printer"
)

// A module is printed as it was written, or as XLA prints it.
func ExampleConfig() {
	m, err := parser.Parse("add.hlo", "HloModule add\nENTRY e { p = f32[8] parameter(0) ROOT s = f32[8] add(p, p) }\n")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(printer.Config{Mode: printer.Canonical}.Print(m))
	// Output:
	// HloModule add, entry_computation_layout={(f32[8]{0})->f32[8]{0}}
	//
	// ENTRY %e (p: f32[8]) -> f32[8] {
	//   %p = f32[8]{0} parameter(0)
	//   ROOT %s = f32[8]{0} add(%p, %p)
	// }
}
