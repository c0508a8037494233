package folding

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/tpu"
)

// sums is how many values of a link are read twice each, which would be computed 2^sums times if not once.
const sums = 3

// chained returns a module in which links of a transpose and elementwise operations follow each other, each transpose
// in the next of some orders.
func chained(t *testing.T, links int, orders ...[]int) *hlo.Module {
	dims := []int{8, 64, 128}
	var b strings.Builder
	shape := func() string {
		return "f32[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(dims), " ", ","), "[]") + "]"
	}
	fmt.Fprintf(&b, "HloModule m\n\nENTRY %%e {\n  %%p = %s parameter(0)\n  %%n0 = %s negate(%%p)\n", shape(), shape())
	for i := range links {
		order := orders[i%len(orders)]
		dims = sizes(dims, order)
		list := strings.Trim(strings.ReplaceAll(fmt.Sprint(order), " ", ","), "[]")
		fmt.Fprintf(&b, "  %%t%d = %s transpose(%%n%d), dimensions={%s}\n", i, shape(), i, list)
		before := fmt.Sprintf("t%d", i)
		for k := range sums {
			fmt.Fprintf(&b, "  %%s%d_%d = %s add(%%%s, %%%s)\n", i, k, shape(), before, before)
			before = fmt.Sprintf("s%d_%d", i, k)
		}
		fmt.Fprintf(&b, "  %%n%d = %s tanh(%%%s)\n", i+1, shape(), before)
	}
	fmt.Fprintf(&b, "  ROOT %%r = %s copy(%%n%d)\n}\n", shape(), links)
	m, err := parser.Parse("chain.hlo", b.String())
	require.NoError(t, err)
	return m
}

// Along a chain of transposes each value is computed once in each order: the instructions that are made grow with the
// chain, not with its square, and no transpose is left of those that come to nothing.
func TestValuesAreTurnedOnce(t *testing.T) {
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	for _, orders := range [][][]int{
		{{1, 0, 2}}, {{1, 2, 0}}, {{1, 2, 0}, {1, 0, 2}}, {{0, 2, 1}, {1, 0, 2}}, {{2, 1, 0}, {1, 2, 0}, {0, 2, 1}},
	} {
		const links = 360 // a multiple of what each list takes to come back to where it began
		s := Simplify(chained(t, links, orders...), v5e)
		assert.Less(t, int(s.size), 6*(sums+2)*links, orders)
		for _, in := range s.Module.Entry.Instructions {
			assert.NotEqual(t, hlo.OpTranspose, in.Opcode, "%v: %s", orders, in.Name)
			for _, o := range in.Operands {
				assert.True(t, slices.Equal(o.Shape.Dims, in.Shape.Dims), "%v: %s", orders, in.Name)
			}
		}
	}
}
