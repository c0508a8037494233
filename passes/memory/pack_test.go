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
	}{
		{"by size", [][3]int{{3, 7, 7}, {2, 0, 5}, {1, 4, 8}, {5, 3, 7}}, 11, 9},
		{"by size, others worse", [][3]int{{4, 7, 12}, {5, 3, 5}, {3, 3, 8}, {2, 6, 9}}, 12, 10},
		{"by length", [][3]int{{4, 4, 7}, {2, 1, 4}, {4, 7, 12}, {4, 2, 3}}, 10, 8},
		{"by both", [][3]int{{3, 6, 9}, {3, 4, 8}, {4, 5, 5}, {2, 6, 11}, {1, 5, 6}}, 10, 9},
		{"by both, far better", [][3]int{{5, 6, 10}, {2, 5, 10}, {3, 1, 5}, {4, 4, 4}}, 10, 7},
		{"by size or length", [][3]int{{2, 5, 10}, {2, 3, 5}, {1, 3, 7}, {4, 7, 7}}, 9, 7},
		{"in the order of time", [][3]int{{5, 3, 5}, {3, 6, 8}, {1, 5, 6}, {3, 7, 10}, {2, 5, 6}, {3, 6, 7}}, 11, 11},
		{"in the order of time, without gaps", [][3]int{{5, 5, 6}, {5, 3, 4}, {5, 2, 3}, {3, 4, 5}}, 10, 10},
	} {
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
		all, top := slowEngine(v).temporaries(make([]int64, len(v.at)), 0, 0)
		fits, _ := slowEngine(v).temporaries(make([]int64, len(v.at)), top, 0)
		assert.Equal(t, all, fits, "where there is room, nothing is packed anew")
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
