package passes_test

import (
	"fmt"
	"log"

	"hlolayout/parser"
	"hlolayout/passes"
	"hlolayout/passes/reasons"
	"hlolayout/printer"
	"hlolayout/tpu"
)

const mergeHeads = `HloModule m, entry_computation_layout={(f32[2,4,40,32]{3,2,1,0})->f32[2,40,128]{2,1,0}}

ENTRY %main {
  %x = f32[2,4,40,32]{3,2,1,0} parameter(0)
  %t = f32[2,40,4,32]{3,1,2,0} transpose(%x), dimensions={0,2,1,3}
  ROOT %r = f32[2,40,128]{2,1,0} reshape(%t)
}
`

// Text is parsed, given the layouts that the compiler would give it, and printed.
func Example() {
	m, err := parser.Parse("merge_heads.hlo", mergeHeads)
	if err != nil {
		log.Fatal(err)
	}
	v5e, err := tpu.ByName("v5e")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := passes.Run(m, v5e, []string{passes.Auto}, passes.Options{}, passes.Observer{}); err != nil {
		log.Fatal(err)
	}
	fmt.Print(printer.Print(m))
	// Output:
	// HloModule m, entry_computation_layout={(f32[2,4,40,32]{2,3,1,0:T(8,128)})->f32[2,40,128]{2,1,0:T(8,128)}}
	//
	// ENTRY %main {
	//   %x = f32[2,4,40,32]{2,3,1,0:T(8,128)} parameter(0)
	//   %t = f32[2,40,4,32]{1,3,2,0:T(8,128)} transpose(%x), dimensions={0,2,1,3}
	//   %copy.1 = f32[2,40,4,32]{3,2,1,0:T(4,128)} copy(%t)
	//   ROOT %r = f32[2,40,128]{2,1,0:T(8,128)} reshape(%copy.1)
	// }
}

// A plan says what each array gets, and a chain of reasons why.
func ExampleLayouts() {
	m, err := parser.Parse("merge_heads.hlo", mergeHeads)
	if err != nil {
		log.Fatal(err)
	}
	v5e, err := tpu.ByName("v5e")
	if err != nil {
		log.Fatal(err)
	}
	p, err := passes.Layouts(m, v5e, passes.Options{})
	if err != nil {
		log.Fatal(err)
	}
	in, _ := m.Find("t")
	for _, l := range p.Chain(in, nil) {
		fmt.Printf("%%%s: %s [%s]\n", l.Instruction.Name, l.Reason.Rule, reasons.RuleName(l.Reason.Rule))
	}
	// Output:
	// %t: follows its operand [from-operand]
	// %x: the target's default layout of a parameter [entry-parameter]
}
