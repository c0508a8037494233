package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/tpu"
)

// The vector work around a product adds to it on v6e: 16 operations on 1024 x 1024 results, a division and a sum take
// what the compiler's log says, in cycles per register of the result.
func TestProductsWithVectorWork(t *testing.T) {
	const array = "f32[1024,1024]{1,0:T(8,128)}"
	for _, c := range []struct {
		inputs, operations int
		last               string
		want               float64
	}{
		{256, 16, "", 9}, {512, 16, "", 11}, {1024, 16, "", 15}, {256, 16, "divide(%y16, %y15)", 16},
		{256, 16, "tanh(%y16)", 9.5},
	} {
		var b strings.Builder
		in := fmt.Sprintf("bf16[1024,%d]{1,0:T(8,128)(2,1)}", c.inputs)
		out := fmt.Sprintf("bf16[%d,1024]{1,0:T(8,128)(2,1)}", c.inputs)
		fmt.Fprintf(&b, "HloModule m, is_scheduled=true\n\n%%f {\n  %%p = %s parameter(0)\n  %%q = %s parameter(1)\n"+
			"  %%y0 = %s convolution(%%p, %%q), dim_labels=bf_io->bf\n", in, out, array)
		for i := range c.operations {
			fmt.Fprintf(&b, "  %%y%d = %s multiply(%%y%d, %%y%d)\n", i+1, array, i, i)
		}
		last := c.last
		if last == "" {
			last = fmt.Sprintf("bitcast(%%y%d)", c.operations)
		}
		fmt.Fprintf(&b, "  ROOT %%z = %s %s\n}\n\nENTRY %%main {\n  %%a = %s parameter(0)\n  %%b = %s parameter(1)\n"+
			"  ROOT %%r = %s fusion(%%a, %%b), kind=kOutput, calls=%%f\n}\n", array, last, in, out, array)
		m, err := parser.Parse("m.hlo", b.String())
		require.NoError(t, err)
		target, err := tpu.ByName("v6e")
		require.NoError(t, err)
		a, err := Analyze(m, target)
		require.NoError(t, err)
		registers := 1024.0 * 1024 * 4 / register
		assert.InDelta(t, c.want, a.e.c.seconds(m.Entry.Root)*a.e.dev.clock/registers, 0.01, c.last)
	}
}
