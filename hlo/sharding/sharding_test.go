package sharding_test

import (
	"testing"

	"hlolayout/hlo"
	"hlolayout/hlo/sharding"
	"hlolayout/parser"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func annotation(t *testing.T, text string) *hlo.Value {
	m, err := parser.Parse("t", "HloModule m\n\nENTRY %e {\n  ROOT %p = f32[18,8] parameter(0), sharding="+text+"\n}\n")
	require.NoError(t, err, text)
	return m.Entry.Root.Attr("sharding")
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int64 // nil: it does not say
	}{
		{"{devices=[4,1]<=[4]}", []int64{4, 1}},
		{"{devices=[2,2]0,1,2,3}", []int64{2, 2}},
		{"{devices=[2,1,2]<=[4] last_tile_dim_replicate}", []int64{2, 1}},
		{"{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}", []int64{1, 2}},
		{"{replicated}", []int64{1, 1}},
		{"{maximal device=3}", []int64{1, 1}},
		{"{manual}", []int64{1, 1}},
		{"{unknown}", nil},
		{"{devices=[4]<=[4]}", nil},
		{"{mesh['a'=2,'b'=4], [{'a','b'}, {}]}", []int64{8, 1}},
		{"{mesh['a'=2,'b'=4], [{'a'}, {'b':(2)2}]}", []int64{2, 2}},
		{"{mesh['a'=2,'b'=4], [{'a'}, {?}]}", nil},
		{"{mesh['a'=2,'b'=4], replicated}", []int64{1, 1}},
	} {
		got, ok := sharding.Parts(annotation(t, c.text), 2)
		assert.Equal(t, c.want != nil, ok, c.text)
		if c.want != nil {
			assert.Equal(t, c.want, got, c.text)
		}
	}
	_, ok := sharding.Parts(nil, 2)
	assert.False(t, ok)
}

func TestLeafAndDevice(t *testing.T) {
	v := annotation(t, "{{replicated}, {devices=[4,1]<=[4]}}")
	parts, ok := sharding.Parts(sharding.Leaf(v, 1), 2)
	require.True(t, ok)
	s := hlo.NewArray(hlo.F32, []int64{18, 8}, nil)
	assert.Equal(t, "f32[5,8]", sharding.Device(s, parts).String())
	assert.Nil(t, sharding.Leaf(v, 2))
	parts, ok = sharding.Parts(sharding.Leaf(v, 0), 2)
	assert.True(t, ok)
	assert.Same(t, s, sharding.Device(s, parts))
	one := annotation(t, "{devices=[2,1]<=[2]}")
	assert.Same(t, one, sharding.Leaf(one, 7))
}
