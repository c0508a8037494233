package hlo_test

import (
	"fmt"
	"log"

	"hlolayout/parser"
)

// A module's instructions are walked, with what each reads and what reads it.
func ExampleModule() {
	m, err := parser.Parse("add.hlo", `HloModule m

ENTRY %e {
  %p = (f32[8,128]{1,0:T(8,128)}, s32[4]{0:T(128)}) parameter(0)
  %x = f32[8,128]{1,0:T(8,128)} get-tuple-element(%p), index=0
  ROOT %r = f32[8,128]{1,0:T(8,128)} add(%x, %x)
}
`)
	if err != nil {
		log.Fatal(err)
	}
	uses := m.Entry.Uses()
	for _, in := range m.Entry.Instructions {
		fmt.Printf("%%%s %s %s, read %d times\n", in.Name, in.Opcode, in.Shape, len(uses.Of(in)))
	}
	// Output:
	// %p parameter (f32[8,128]{1,0:T(8,128)}, s32[4]{0:T(128)}), read 1 times
	// %x get-tuple-element f32[8,128]{1,0:T(8,128)}, read 2 times
	// %r add f32[8,128]{1,0:T(8,128)}, read 0 times
}
