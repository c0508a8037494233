package hlo

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOpSet(t *testing.T) {
	set := Ops(OpTuple, OpAdd, OpWhile, OpAdd)
	list := slices.Collect(set.All())
	assert.ElementsMatch(t, []Opcode{OpAdd, OpTuple, OpWhile}, list)
	assert.True(t, slices.IsSorted(list))
	assert.Equal(t, set, Ops(list...))
	assert.Equal(t, Opcodes(), slices.Collect(Ops(Opcodes()...).All()))
	for op := range set.All() {
		assert.True(t, set.Has(op))
		break
	}
}
