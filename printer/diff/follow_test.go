package diff

import (
	"testing"

	"hlolayout/parser"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFollow(t *testing.T) {
	const head = "HloModule m, entry_computation_layout={(f32[4,8]{1,0})->f32[8,4]{1,0}}\n\n"
	const old = head + `ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  twice = f32[4,8]{1,0} add(x, x), metadata={op_name="f/add"}
  cube = f32[4,8]{1,0} multiply(twice, x), metadata={op_name="f/mul"}
  ROOT turned = f32[8,4]{1,0} transpose(cube), dimensions={1,0}
}
`
	for name, c := range map[string]struct {
		text  string
		value string
		want  string // the name of the instruction found, "" for none
		how   Followed
	}{
		"the name is kept": {`ENTRY main { x = f32[4,8]{1,0} parameter(0)
			twice = f32[4,8]{0,1} add(x, x)
			ROOT turned = f32[8,4]{1,0} transpose(twice), dimensions={1,0} }`, "twice", "twice", SameName},
		"the name is another value's now": {`ENTRY main { x = f32[4,8]{1,0} parameter(0)
			add.7 = f32[4,8]{0,1} add(x, x)
			cube = f32[4,8]{1,0} multiply(add.7, x)
			turned = f32[8,4]{1,0} transpose(cube), dimensions={1,0}
			ROOT twice = f32[8,4]{1,0} negate(turned) }`, "twice", "add.7", Renamed},
		"replaced": {`ENTRY main { x = f32[4,8]{1,0} parameter(0)
			two = f32[4,8]{1,0} constant({...})
			product = f32[4,8]{1,0} multiply(x, two)
			cube = f32[4,8]{1,0} multiply(product, x)
			ROOT turned = f32[8,4]{1,0} transpose(cube), dimensions={1,0} }`, "twice", "product", Replaced},
		"replaced with its user": {`ENTRY main { x = f32[4,8]{1,0} parameter(0)
			product = f32[4,8]{1,0} power(x, x)
			ROOT bitcast = f32[8,4]{0,1} bitcast(product) }`, "cube", "product", Replaced},
		"into a fusion": {`fused { a = f32[4,8]{1,0} parameter(0)
			sum = f32[4,8]{1,0} add(a, a), metadata={op_name="f/add"}
			ROOT product = f32[4,8]{1,0} multiply(sum, a), metadata={op_name="f/mul"} }
			ENTRY main { x = f32[4,8]{1,0} parameter(0)
			fusion = f32[4,8]{1,0} fusion(x), kind=kLoop, calls=fused
			ROOT turned = f32[8,4]{1,0} transpose(fusion), dimensions={1,0} }`, "twice", "sum", Fused},
		"gone": {`ENTRY main { x = f32[4,8]{1,0} parameter(0)
			flat = f32[32]{0} reshape(x)
			ROOT turned = f32[8,4]{1,0} reshape(flat) }`, "twice", "", Lost},
	} {
		from, err := parser.Parse("old", old)
		require.NoError(t, err)
		in, err := parser.Parse("new", head+c.text)
		require.NoError(t, err, name)
		to, how := Follow(from, in, from.Entry.Instruction(c.value))
		assert.Equal(t, c.how, how, name)
		got := ""
		if to != nil {
			got = to.Name
		}
		assert.Equal(t, c.want, got, name)
	}
	m, err := parser.Parse("old", old)
	require.NoError(t, err)
	for _, in := range m.Entry.Instructions {
		to, how := Follow(m, m, in)
		assert.Equal(t, []any{in, SameName}, []any{to, how})
	}
}
