package memory

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
)

// Temporaries are packed anew in three orders, and the best counts: by size, by the length of their lives, by both.
// Bytes here are in units of 16 KiB; a row has the size, the first and the last time.
func TestRepacked(t *testing.T) {
	for _, c := range []struct {
		name           string
		rows           [][3]int
		packed, wanted int64
	}{} {
		var held []Held
		times := 0
		for _, r := range c.rows {
			held = append(held, Held{Bytes: int64(r[0]) * granule, From: r[1], To: r[2]})
			times = max(times, r[2]+1)
		}
		assert.Equal(t, c.packed*granule, packed(held), c.name)
		assert.Equal(t, c.wanted*granule, repacked(held, times), c.name)
	}
}

// Where a program does not fit, temporaries take the place of results that are not there yet: next to each other in
// time, or where the next one may be written over the one before.
func TestReuse(t *testing.T) {
	const text = `HloModule reuse, is_scheduled=true

ENTRY %main {
  %p = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  %a = f32[1024,1024]{1,0:T(8,128)} sine(%p)
  %b = f32[1024,1024]{1,0:T(8,128)} negate(%a)
  %s = f32[512,1024]{1,0:T(8,128)} slice(%p), slice={[0:512], [0:1024]}
  %r = f32[1024,1024]{1,0:T(8,128)} cosine(%b)
  %q = f32[512,1024]{1,0:T(8,128)} negate(%s)
  ROOT %out = (f32[1024,1024]{1,0:T(8,128)}, f32[512,1024]{1,0:T(8,128)}) tuple(%r, %q)
}
`
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"cosine(%b)", "reverse(%b), dimensions={0}", "b"},
		{"negate(%a)", "reverse(%a), dimensions={0}", "b"},
		{"cosine(%b)", "add(%b, %a)", "b"},
		{"tuple(%r, %q)", "tuple(%p, %q)", "a"}, // %r, which nothing reads, is over %b, and that over %a
		{"negate(%s)", "reverse(%s), dimensions={0}", "s"},
		{"negate(%s)", "slice(%b), slice={[0:512], [0:1024]}", "b"},
	} {
		m, err := parser.Parse("reuse.hlo", strings.Replace(text, c.old, c.new, 1))
		require.NoError(t, err)
		g, err := newGraph(m)
		require.NoError(t, err)
		v := newValues(g)
		held, bytes := slowEngine(v).temporaries(make([]int64, len(v.at)), 1, 0)
		var names []string
		most := int64(0)
		for _, h := range held {
			if h.Bytes > 0 {
				names, most = append(names, h.Instruction.Name), max(most, h.Bytes)
			}
		}
		assert.Equal(t, c.want, strings.Join(names, " "), "%s", c.new)
		assert.Equal(t, most, bytes, "%s", c.new)
	}
}
