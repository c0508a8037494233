package rules

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
)

// A slice is within what reshapes read if some other slice that a reshape reads contains it, in all dimensions.
func TestReshapedParts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var b strings.Builder
		b.WriteString("HloModule m\n\nENTRY %e {\n  %p = f32[4,9,12] parameter(0)\n")
		var roots []string
		for i := range 40 {
			var dims, cuts []string
			elements := 1
			for _, n := range []int{4, 9, 12} {
				size := 1 + random.IntN(n)
				first := random.IntN(n - size + 1)
				dims, cuts = append(dims, fmt.Sprint(size)), append(cuts, fmt.Sprintf("[%d:%d]", first, first+size))
				elements *= size
			}
			fmt.Fprintf(&b, "  %%s%d = f32[%s] slice(%%p), slice={%s}\n", i, strings.Join(dims, ","), strings.Join(cuts, ", "))
			if i%3 == 0 {
				fmt.Fprintf(&b, "  %%r%d = f32[%d] custom-call(%%s%d), custom_call_target=\"x\"\n", i, elements, i)
			} else {
				fmt.Fprintf(&b, "  %%r%d = f32[%d] reshape(%%s%d)\n", i, elements, i)
			}
			roots = append(roots, fmt.Sprintf("%%r%d", i))
		}
		text := b.String() + giving(roots)
		e := setOf(t, "test.hlo", text)
		in, _ := e.G.Module.Find("p")
		var users []flat.NodeID
		for _, u := range e.G.Users(e.G.Node(in)) {
			users = append(users, u.Node)
		}
		assert.Len(t, users, 40)
		around := e.reshapedOf(users)
		some, none := false, false
		for _, slice := range users {
			want := false
			for _, u := range users {
				want = want || u != slice && e.G.IsReadBy(u, hlo.OpReshape) && contains(e.G, u, slice)
			}
			assert.Equal(t, want, around.has(e.G, slice), e.G.Nodes[slice].In.Name)
			some, none = some || want, none || !want
		}
		assert.True(t, some && none)
	}
}

// contains reports whether a slice has all of another one of the same value.
func contains(g *flat.Graph, outer, inner flat.NodeID) bool {
	from, _ := g.Nodes[outer].In.SliceStarts()
	to, _ := g.Nodes[inner].In.SliceStarts()
	for d, size := range g.ShapeOf(outer).Dims {
		if to[d] < from[d] || to[d]+g.ShapeOf(inner).Dims[d] > from[d]+size {
			return false
		}
	}
	return true
}
