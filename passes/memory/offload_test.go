package memory

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Programs of another unit have times of their own: one where they begin, and, before they have their operands, one for
// each and one more, with their scratch memory. A prefetch does not start there.
func TestOffloadTimes(t *testing.T) {
	text := inPlace["offload"]
	text = strings.Replace(text, "%start =", "%first = ((f32[256,1024]{1,0:T(8,128)}), f32[256,1024]{1,0:T(8,128)}) "+
		"async-start(%into), async_execution_thread=\"sparsecore\", calls=%other, backend_config={\"scoped_memory_configs\":"+
		"[{\"memory_space\":\"1\",\"offset\":\"0\",\"size\":\"12288\"}]}\n  %end = f32[256,1024]{1,0:T(8,128)} "+
		"async-done(%first)\n  %start =", 1)
	text = strings.Replace(text, "ENTRY", "%other {\n  %a = f32[256,1024]{1,0:T(8,128)} parameter(0)\n"+
		"  ROOT %e = f32[256,1024]{1,0:T(8,128)} exponential(%a)\n}\n\nENTRY", 1)
	e := engineOf(t, text, "v7x")
	var names []string
	for i := range e.g.nodes {
		n := &e.g.nodes[i]
		names = append(names, n.shown().Name)
		if n.program != nil {
			names[i] += "*"
			assert.Zero(t, e.c.elapsed[i])
		}
		depth := int32(0)
		if n.inner {
			depth++
		}
		assert.Equal(t, depth, e.k.depth[i])
		if n.shown().Name == "first" {
			assert.Equal(t, int64(12288), e.scratch(int32(i)))
		}
	}
	assert.Equal(t, "a i u first* into first* first* first start* end start* start* start* start* start done out",
		strings.Join(names, " "))
}

// A program begins after the parameters, wherever constants are, or after what called the one before.
func TestOffloadBegins(t *testing.T) {
	const start = "  %s = ((f32[1024]{0:T(1024)}), f32[1024]{0:T(1024)}) async-start(%a), " +
		"async_execution_thread=\"sparsecore\", calls=%e.x\n  %d = f32[1024]{0:T(1024)} async-done(%s)\n"
	program := func(name string) string {
		return "%e." + name + " {\n  %a = f32[1024]{0:T(1024)} parameter(0)\n  ROOT %e = f32[1024]{0:T(1024)} " +
			"exponential(%a)\n}\n\n"
	}
	e := engineOf(t, "HloModule begins, is_scheduled=true\n\n"+program("x")+program("y")+
		"%inner {\n  %a = f32[1024]{0:T(1024)} parameter(0)\n  %k = f32[] constant(1)\n"+
		strings.ReplaceAll(start, "%e.x", "%e.y")+"  ROOT %n = f32[1024]{0:T(1024)} negate(%d)\n}\n\n"+
		"ENTRY %main {\n  %b = f32[1024]{0:T(1024)} parameter(0)\n  %k = f32[] constant(2)\n"+
		"  %a = f32[1024]{0:T(1024)} parameter(1)\n  %w = f32[1024]{0:T(1024)} call(%b), "+
		"to_apply=%inner\n"+start+"  ROOT %r = f32[1024]{0:T(1024)} add(%w, %d)\n}\n", "v7x")
	var names []string
	for i := range e.g.nodes {
		if n := &e.g.nodes[i]; n.program == nil {
			names = append(names, n.in.Name)
		} else {
			names = append(names, n.program.Name+"*")
		}
	}
	assert.Equal(t, "b k a a s* k s* s* s d n w s* s* s* s d r", strings.Join(names, " "))
}
