package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A product's operand that is laid out anew counts with the padding, and the size of element, that it gets; one that is
// converted in its own layout counts as before; one tile is counted of the rows of a softmax.
func TestBytesOfTurnedOperands(t *testing.T) {
	e := engineOf(t, `HloModule turned, is_scheduled=true

%max {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] maximum(%a, %b)
}

%turn {
  %p = f32[4,77,384]{2,0,1:T(4,128)} parameter(0)
  %c = f32[4,77,384]{2,1,0:T(8,128)} copy(%p)
  ROOT %n = bf16[4,77,384]{2,1,0:T(8,128)(2,1)} convert(%c)
}

%convert {
  %p = f32[384,128]{1,0:T(8,128)} parameter(0)
  %b = f32[384,128,1]{1,0,2:T(8,128)} bitcast(%p)
  ROOT %n = bf16[384,128,1]{1,0,2:T(8,128)(2,1)} convert(%b)
}

%rows {
  %p = f32[4,77,384]{2,1,0:T(8,128)} parameter(0)
  %least = f32[] constant(-inf)
  %m = f32[4,77,384]{2,1,0:T(8,128)} reduce-window(%p, %least), window={size=1x1x767 pad=0_0x0_0x383_383}, to_apply=%max
  ROOT %s = f32[4,77,384]{2,1,0:T(8,128)} subtract(%p, %m)
}

%body {
  %x = f32[4,77,384]{2,0,1:T(4,128)} parameter(0)
  %k = f32[384,128]{1,0:T(8,128)} parameter(1)
  %l = bf16[4,77,384]{2,1,0:T(8,128)(2,1)} fusion(%x), kind=kLoop, calls=%turn
  %r = bf16[384,128,1]{1,0,2:T(8,128)(2,1)} fusion(%k), kind=kLoop, calls=%convert
  ROOT %y = bf16[4,77,128]{2,1,0:T(8,128)(2,1)} convolution(%l, %r), window={size=1}, dim_labels=0bf_io0->0bf
}

%softmax {
  %x = f32[4,77,384]{2,1,0:T(8,128)} parameter(0)
  %k = f32[384,128,1]{1,0,2:T(8,128)} parameter(1)
  %l = f32[4,77,384]{2,1,0:T(8,128)} fusion(%x), kind=kOutput, calls=%rows
  ROOT %y = f32[4,77,128]{2,1,0:T(8,128)} convolution(%l, %k), window={size=1}, dim_labels=0bf_io0->0bf
}

ENTRY %main {
  %x = f32[4,77,384]{2,0,1:T(4,128)} parameter(0)
  %k = f32[384,128]{1,0:T(8,128)} parameter(1)
  %z = f32[4,77,384]{2,1,0:T(8,128)} parameter(2)
  %w = f32[384,128,1]{1,0,2:T(8,128)} parameter(3)
  %y = bf16[4,77,128]{2,1,0:T(8,128)(2,1)} fusion(%x, %k), kind=kOutput, calls=%body
  ROOT %s = f32[4,77,128]{2,1,0:T(8,128)} fusion(%z, %w), kind=kOutput, calls=%softmax
}
`, "v7x")
	read, _ := bytesOf(t, e, "y")
	assert.Equal(t, []float32{4 * 80 * 384 * 2, 384 * 128 * 4}, read)
	read, _ = bytesOf(t, e, "s")
	assert.Equal(t, []float32{4 * 8 * 384 * 4, 384 * 128 * 4}, read)
}

// readsOf returns the bytes that the root of a module of a product reads of its operands, and what makes these takes.
func readsOf(t *testing.T, body, arguments string) ([]float32, *cost, *fusedCost) {
	t.Helper()
	c, _ := cyclesOf(t, `HloModule reads, is_scheduled=true

%max {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] maximum(%a, %b)
}

`+body+`
ENTRY %main {
`+arguments+`, kind=kOutput, calls=%f, backend_config={"scoped_memory_configs":[{"memory_space":"1","offset":"0",`+
		`"size":"33554432"}]}
}
`)
	g := c.v.g
	at := len(g.nodes) - 1
	return c.read[g.use0[at]:g.use0[at+1]], c, c.fusion(g.m.Entry.Root)
}

// Of slices that an operand is made of the largest is read, in numbers as they are in memory. (114 products of 135
// programs have the log's bytes by it.)
func TestSlicedOperands(t *testing.T) {
	reads, _, f := readsOf(t, `%halves {
  %p = bf16[4,80,768]{2,1,0:T(8,128)(2,1)} parameter(0)
  %s = bf16[4,80,384]{2,1,0:T(8,128)(2,1)} slice(%p), slice={[0:4], [0:80], [0:384]}
  %t = bf16[4,80,384]{2,1,0:T(8,128)(2,1)} slice(%p), slice={[0:4], [0:80], [384:768]}
  ROOT %m = bf16[4,80,384]{2,1,0:T(8,128)(2,1)} multiply(%s, %t)
}

%cut {
  %p = f32[2,384,128]{2,1,0:T(8,128)} parameter(0)
  %s = bf16[1,384,128]{2,1,0:T(8,128)(2,1)} slice(%p), slice={[1:2], [0:384], [0:128]}
  ROOT %b = bf16[384,128,1]{1,0,2:T(8,128)(2,1)} bitcast(%s)
}

%f {
  %x = bf16[4,80,768]{2,1,0:T(8,128)(2,1)} parameter(0)
  %k = f32[2,384,128]{2,1,0:T(8,128)} parameter(1)
  %l = bf16[4,80,384]{2,1,0:T(8,128)(2,1)} fusion(%x), kind=kLoop, calls=%halves
  %r = bf16[384,128,1]{1,0,2:T(8,128)(2,1)} fusion(%k), kind=kLoop, calls=%cut
  ROOT %y = f32[4,80,128]{2,1,0:T(8,128)} convolution(%l, %r), window={size=1}, dim_labels=0bf_io0->0bf
}
`, `  %x = bf16[4,80,768]{2,1,0:T(8,128)(2,1)} parameter(0)
  %k = f32[2,384,128]{2,1,0:T(8,128)} parameter(1)
  ROOT %y = f32[4,80,128]{2,1,0:T(8,128)} fusion(%x, %k)`)
	assert.Equal(t, []float32{4 * 80 * 384 * 2, 384 * 128 * 4}, reads)
	assert.EqualValues(t, []float64{120, 48}, []float64{f.inputs[leftOf].loads, f.inputs[rightOf].loads})
}

// Of what feeds the rows of a softmax one tile of rows counts, of what is spread over them, too. (24 products have the
// log's time or bytes by it.)
func TestRowsOfSoftmax(t *testing.T) {
	reads, _, f := readsOf(t, `%add {
  %p = f32[4,80,384]{2,1,0:T(8,128)} parameter(0)
  %q = f32[80,384]{1,0:T(8,128)} parameter(1)
  %b = f32[4,80,384]{2,1,0:T(8,128)} broadcast(%q), dimensions={1,2}
  ROOT %s = f32[4,80,384]{2,1,0:T(8,128)} add(%p, %b)
}

%rows {
  %p = f32[4,80,384]{2,1,0:T(8,128)} parameter(0)
  %q = f32[80,384]{1,0:T(8,128)} parameter(1)
  %s = f32[4,80,384]{2,1,0:T(8,128)} fusion(%p, %q), kind=kLoop, calls=%add
  %least = f32[] constant(-inf)
  %m = f32[4,80,384]{2,1,0:T(8,128)} reduce-window(%s, %least), window={size=1x1x767 pad=0_0x0_0x383_383}, to_apply=%max
  ROOT %d = f32[4,80,384]{2,1,0:T(8,128)} subtract(%s, %m)
}

%f {
  %x = f32[4,80,384]{2,1,0:T(8,128)} parameter(0)
  %q = f32[80,384]{1,0:T(8,128)} parameter(1)
  %k = f32[384,128,1]{1,0,2:T(8,128)} parameter(2)
  %l = f32[4,80,384]{2,1,0:T(8,128)} fusion(%x, %q), kind=kOutput, calls=%rows
  ROOT %y = f32[4,80,128]{2,1,0:T(8,128)} convolution(%l, %k), window={size=1}, dim_labels=0bf_io0->0bf
}
`, `  %x = f32[4,80,384]{2,1,0:T(8,128)} parameter(0)
  %q = f32[80,384]{1,0:T(8,128)} parameter(1)
  %k = f32[384,128,1]{1,0,2:T(8,128)} parameter(2)
  ROOT %y = f32[4,80,128]{2,1,0:T(8,128)} fusion(%x, %q, %k)`)
	assert.Equal(t, []float32{4 * 8 * 384 * 4, 8 * 384 * 4, 384 * 128 * 4}, reads)
	assert.InDelta(t, 132, f.inputs[leftOf].second, 1e-9)
}

// Numbers that become flags, and unsigned ones that are compared by size, take two operations: 108 products have the
// log's time by it.
func TestFlagsOfNumbers(t *testing.T) {
	const y = "f32[256,384]{1,0:T(8,128)}"
	c, body := bodyOf(t, fused("dim_labels=bf_io->bf", y, `  %u = u32[256,384]{1,0:T(8,128)} convert(%y)
  %b = pred[256,384]{1,0:T(8,128)(4,1)} convert(%u)
  %l = pred[256,384]{1,0:T(8,128)(4,1)} compare(%u, %u), direction=LT
  %e = pred[256,384]{1,0:T(8,128)(4,1)} compare(%u, %u), direction=EQ
  %g = pred[256,384]{1,0:T(8,128)(4,1)} compare(%y, %y), direction=GT
  ROOT %z = `+y+" add(%y, %y)", "f32[256,128]{1,0:T(8,128)}", "f32[128,384]{1,0:T(8,128)}", 0))
	for name, want := range map[string]float64{"u": 0, "b": 192, "l": 192, "e": 96, "g": 96} {
		assert.Equal(t, want, c.work(body.Instruction(name)).bundle.either, name)
	}
}
