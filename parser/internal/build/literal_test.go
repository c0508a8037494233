package build

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLiteralText(t *testing.T) {
	for in, want := range map[string]string{
		" 0 ":                           "0",
		"0//\n":                         "0",
		"{1, // the first\n 2}//":       "{1, \n 2}",
		"{ /*i0=0*/ {1}, /* // */ {2}}": "{ /*i0=0*/ {1}, /* // */ {2}}",
		"1 / 2 // halves":               "1 / 2",
		"{1} /* // open":                "{1} /* // open",
		"// only":                       "",
	} {
		assert.Equal(t, want, literalText(in), "%q", in)
	}
}
