package folding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/passes/folding"
)

// What dumps that entered layout assignment have of selects and of other operations on predicates.
func TestPredicates(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"select(p, t, f)", "transpose{1,0}"},
		{"select(p, f, t)", "not transpose{1,0}"},
		{"select(p, q, f)", "broadcast select transpose{1,0}"},
		{"select(p, t, q)", "broadcast select transpose{1,0}"},
		{"select(p, q, q)", "transpose{1,0}"},
		{"select(p, f, q)", "broadcast select transpose{1,0}"},
		{"select(p, q, t)", "broadcast select transpose{1,0}"},
		{"select(s, f, t)", "not broadcast"},
		{"select(n, p, q)", "select transpose{1,0}"},
		{"not(n)", "transpose{1,0}"},
		{"not(p)", "not transpose{1,0}"},
		{"not(c)", "compare not transpose{1,0}"},
		{"and(p, t)", "transpose{1,0}"},
		{"and(f, p)", "broadcast"},
		{"and(p, p)", "and transpose{1,0}"},
		{"or(p, t)", "broadcast"},
		{"or(f, p)", "transpose{1,0}"},
	} {
		s := folding.Survivors(parse(t, entry("p = pred[4,8]{1,0} parameter(0)", "q = pred[4,8]{1,0} parameter(1)",
			"x = f32[4,8]{1,0} parameter(2)", "s = pred[] parameter(3)", "n = pred[4,8]{1,0} not(p)",
			"c = pred[4,8]{1,0} compare(x, x), direction=LT", "one = pred[] constant(true)",
			"none = pred[] constant(false)", "t = pred[4,8]{1,0} broadcast(one), dimensions={}",
			"f = pred[4,8]{1,0} broadcast(none), dimensions={}", "u = pred[4,8]{1,0} "+c.text,
			"ROOT r = pred[8,4]{1,0} transpose(u), dimensions={1,0}")), target(t, "v5e"))
		assert.Equal(t, c.want, opcodes(s.Module), c.text)
		checked(t, s.Module)
	}
}

// The arrays that a select takes change places where it loses a not.
func TestExchangedChoice(t *testing.T) {
	s := folding.Survivors(parse(t, entry("p = pred[4]{0} parameter(0)", "x = s32[4]{0} parameter(1)",
		"y = s32[4]{0} parameter(2)", "n = pred[4]{0} not(p)", "m = s32[4]{0} not(y)", "z = s32[4]{0} not(m)",
		"ROOT r = s32[4]{0} select(n, x, z)")), target(t, "v5e"))
	var names []string
	for _, o := range s.Module.Entry.Root.Operands {
		names = append(names, o.Name)
	}
	assert.Equal(t, []string{"p", "y", "x"}, names)
}

// What would take the place of an array of other dimensions does not.
func TestUnevenPredicates(t *testing.T) {
	for _, text := range []string{"select(p, t, f)", "select(p, f, t)", "select(q, p, p)", "and(p, t)", "or(u, p)"} {
		s := folding.Survivors(parse(t, entry("p = pred[4,8]{1,0} parameter(0)", "q = pred[4,6]{1,0} parameter(1)",
			"one = pred[] constant(true)",
			"none = pred[] constant(false)", "t = pred[4,6]{1,0} broadcast(one), dimensions={}",
			"u = pred[4,8]{1,0} broadcast(one), dimensions={}", "f = pred[4,6]{1,0} broadcast(none), dimensions={}",
			"ROOT r = pred[4,6]{1,0} "+text)), target(t, "v5e"))
		assert.Equal(t, text[:2], s.Module.Entry.Root.Opcode.String()[:2], text)
	}
}
