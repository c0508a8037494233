package folding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
	"hlolayout/printer"
)

// Layouts that the kernels have in what libtpu 0.0.51 makes of decompositions, for v5e and v7x.
func TestLanes(t *testing.T) {
	for _, c := range []struct{ text, operand, result string }{
		{solving("64,64", "64,3", leftLower), "{2,1,0}", "{1,2,0}"},
		{solving("31,4,4", "31,4,3", leftLower), "{3,2,1,0}", "{2,3,1,0}"},
		{solving("32,4,4", "32,4,3", leftLower), "{0,3,2,1}", "{0,2,3,1}"},
		{solving("40,100,100", "40,100,3", leftLower), "{0,3,2,1}", "{0,2,3,1}"},
		{solving("40,101,101", "40,101,3", leftLower), "{3,2,1,0}", "{2,3,1,0}"},
		{solving("40,50,5,5", "40,50,5,3", leftLower), "{1,4,3,2,0}", "{1,3,4,2,0}"},
		{solving("50,40,5,5", "50,40,5,3", leftLower), "{0,4,3,2,1}", "{0,3,4,2,1}"},
		{solving("40,40,5,5", "40,40,5,3", leftLower), "{0,4,3,2,1}", "{0,3,4,2,1}"},
		{qr("32,4,4", "32,4"), "{2,1,0}", "{2,1,0}, f32[32,4]{1,0}"},
		{qr("33,4,4", "33,4"), "{0,1,2}", "{0,1,2}, f32[33,4]{0,1}"},
		{qr("64,64,64", "64,64"), "{0,1,2}", "{0,1,2}, f32[64,64]{0,1}"},
		{qr("64,65,4", "64,4"), "{2,1,0}", "{2,1,0}, f32[64,4]{1,0}"},
		{qr("2,50,5,5", "2,50,5"), "{1,2,3,0}", "{1,2,3,0}, f32[2,50,5]{1,2,0}"},
		{qr("50,2,5,5", "50,2,5"), "{0,2,3,1}", "{0,2,3,1}, f32[50,2,5]{0,2,1}"},
		{qr("511,16", "16"), "{1,0}", "{1,0}, f32[16]{0}"},
		{qr("512,16", "16"), "{0,1}", "{0,1}, f32[16]{0}"},
		{qr("600,640,4", "600,4"), "{1,2,0}", "{1,2,0}, f32[600,4]{1,0}"},
	} {
		s := folding.Simplify(parse(t, c.text), target(t, "v5e"))
		text := printer.Print(s.Module)
		assert.Regexp(t, `operand_layout_constraints=\{f32\[[\d,]+\]\Q`+c.operand+"}", text, c.text)
		assert.Regexp(t, `f32\[[\d,]+\]\Q`+c.result+`\E\)? custom-call\(`, text, c.text)
	}
}
