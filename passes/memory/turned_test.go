package memory

import (
	"fmt"
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
  ROOT %c = bf16[4,77,384]{2,1,0:T(8,128)(2,1)} copy(%p)
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

// A copy counts with the numbers and the padding of what it makes, whatever the order of the dimensions, as of kernels
// of one position in tiles of one row; a conversion reads its parameter as it is, whatever dimensions its result gets.
func TestBytesOfConvertedOperands(t *testing.T) {
	reads, _, _ := readsOf(t, `%turn {
  %p = f32[1280,480,1,1]{0,3,2,1:T(1,128)} parameter(0)
  ROOT %c = bf16[1280,480,1,1]{0,1,3,2:T(8,128)(2,1)} copy(%p)
}

%f {
  %x = f32[6,480,1,1]{1,0,3,2:T(8,128)} parameter(0)
  %k = f32[1280,480,1,1]{0,3,2,1:T(1,128)} parameter(1)
  %r = bf16[1280,480,1,1]{0,1,3,2:T(8,128)(2,1)} fusion(%k), kind=kLoop, calls=%turn
  ROOT %y = f32[6,1280,1,1]{1,0,3,2:T(8,128)} convolution(%x, %r), window={size=1x1}, dim_labels=bf01_oi01->bf01
}
`, `  %x = f32[6,480,1,1]{1,0,3,2:T(8,128)} parameter(0)
  %k = f32[1280,480,1,1]{0,3,2,1:T(1,128)} parameter(1)
  ROOT %y = f32[6,1280,1,1]{1,0,3,2:T(8,128)} fusion(%x, %k)`)
	assert.Equal(t, float32(1280*480*2), reads[1])
	reads, _, _ = readsOf(t, `%convert {
  %p = f32[64,64]{1,0:T(8,128)} parameter(0)
  %c = bf16[64,64]{1,0:T(8,128)(2,1)} convert(%p)
  ROOT %b = bf16[8,8,64,1]{2,1,0,3:T(8,128)(2,1)} bitcast(%c)
}

%f {
  %x = bf16[2,1024,64,1]{1,2,3,0:T(8,128)(2,1)} parameter(0)
  %k = f32[64,64]{1,0:T(8,128)} parameter(1)
  %r = bf16[8,8,64,1]{2,1,0,3:T(8,128)(2,1)} fusion(%k), kind=kLoop, calls=%convert
  ROOT %y = bf16[2,1024,8,8]{1,3,2,0:T(8,128)(2,1)} convolution(%x, %r), `+
		`window={size=1x8 pad=0_0x7_7 rhs_reversal=0x1}, dim_labels=0bf1_1oi0->0b1f
}
`, `  %x = bf16[2,1024,64,1]{1,2,3,0:T(8,128)(2,1)} parameter(0)
  %k = f32[64,64]{1,0:T(8,128)} parameter(1)
  ROOT %y = bf16[2,1024,8,8]{1,3,2,0:T(8,128)(2,1)} fusion(%x, %k)`)
	assert.Equal(t, float32(64*128*4), reads[1])
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
	reads, c, f := readsOf(t, `%halves {
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

	cut := c.v.g.m.Entry.Root.CalledBy("calls").Instruction("r").CalledBy("calls")
	plain := *c.dev
	plain.bundles = false
	c.dev = &plain
	assert.EqualValues(t, 384*128*2, c.takenBy(cut.Instruction("s"), cut.Instruction("p")), "on v5e")
}

// A slice that makes narrower numbers reads as many bytes as it makes where its fusion is not an inner one.
func TestNarrowSlices(t *testing.T) {
	reads, _, _ := readsOf(t, `%f {
  %p = f32[4,256,640]{1,2,0:T(8,128)} parameter(0)
  %s = bf16[4,256,64]{1,2,0:T(8,128)(2,1)} slice(%p), slice={[0:4], [0:256], [512:576]}
  %r = bf16[4,256,64]{1,2,0:T(8,128)(2,1)} slice(%p), slice={[0:4], [0:256], [576:640]}
  ROOT %t = (bf16[4,256,64]{1,2,0:T(8,128)(2,1)}, bf16[4,256,64]{1,2,0:T(8,128)(2,1)}) tuple(%s, %r)
}
`, `  %p = f32[4,256,640]{1,2,0:T(8,128)} parameter(0)
  ROOT %y = (bf16[4,256,64]{1,2,0:T(8,128)(2,1)}, bf16[4,256,64]{1,2,0:T(8,128)(2,1)}) fusion(%p)`)
	assert.Equal(t, []float32{2 * 4 * 256 * 64 * 2}, reads)
}

// What an operand is made of and others use, too, is read once, but for other inner fusions and for what is padded.
// (So the log has 223 of 229 such parameters.)
func TestOperandsThatOthersUse(t *testing.T) {
	const x = "f32[4,80,384]{2,1,0:T(8,128)}"
	for _, c := range []struct {
		name, first, other string
		want               float32
	}{
		{"once", "ROOT %n = " + x + " negate(%p)", x + " tanh(%x)", 1},
		{"what is cut", "ROOT %n = " + x + " negate(%p)", x + " slice(%x), slice={[0:4], [0:80], [0:384]}", 1},
		{"another fusion", "ROOT %n = " + x + " negate(%p)", x + " fusion(%x), kind=kLoop, calls=%i", 2},
		{"padding", "%z = f32[]{:T(128)} constant(0)\n  ROOT %n = " + x + " pad(%p, %z), padding=0_0x0_0x0_0",
			x + " tanh(%x)", 2},
	} {
		reads, _, _ := readsOf(t, "%i {\n  %p = "+x+" parameter(0)\n  "+c.first+"\n}\n\n%f {\n  %x = "+x+
			" parameter(0)\n  %k = f32[384,384,1]{1,0,2:T(8,128)} parameter(1)\n  %l = "+x+
			" fusion(%x), kind=kLoop, calls=%i\n  %o = "+c.other+"\n  %y = "+x+
			" convolution(%l, %k), window={size=1}, dim_labels=0bf_io0->0bf\n  ROOT %s = "+x+" add(%y, %o)\n}\n",
			"  %x = "+x+" parameter(0)\n  %k = f32[384,384,1]{1,0,2:T(8,128)} parameter(1)\n  ROOT %y = "+x+
				" fusion(%x, %k)")
		assert.Equal(t, c.want*4*80*384*4, reads[0], c.name)
	}
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

// Sums are written once, and what is padded is read once, however many windows there are: the last ones of the batch
// have less than the others.
func TestOnceForAllWindows(t *testing.T) {
	reads, c, _ := readsOf(t, `%pad {
  %p = f32[450,64]{1,0:T(8,128)} parameter(0)
  %z = f32[]{:T(128)} constant(0)
  ROOT %w = f32[450,128]{1,0:T(8,128)} pad(%p, %z), padding=0_0x0_64
}

%f {
  %x = f32[450,64]{1,0:T(8,128)} parameter(0)
  %k = f32[128,11008]{1,0:T(8,128)} parameter(1)
  %l = f32[450,128]{1,0:T(8,128)} fusion(%x), kind=kLoop, calls=%pad
  %y = f32[450,11008]{1,0:T(8,128)} convolution(%l, %k), dim_labels=bf_io->bf
  %z = f32[]{:T(128)} constant(0)
  %s = f32[450]{0:T(512)} reduce(%y, %z), dimensions={1}, to_apply=%max
  ROOT %t = (f32[450]{0:T(512)}, f32[450,11008]{1,0:T(8,128)}) tuple(%s, %y)
}
`, `  %x = f32[450,64]{1,0:T(8,128)} parameter(0)
  %k = f32[128,11008]{1,0:T(8,128)} parameter(1)
  ROOT %y = (f32[450]{0:T(512)}, f32[450,11008]{1,0:T(8,128)}) fusion(%x, %k)`)
	assert.EqualValues(t, 456*128*4, reads[0])
	leaf := c.v.g.leaf0[len(c.v.g.nodes)-1]
	assert.Equal(t, []float32{2048, 512 * 11008 * 4}, c.wrote[leaf:leaf+2])
}

// A large result without tiles is written whole.
func TestLargeResultsWithoutTiles(t *testing.T) {
	const y = "bf16[4,384,320]{1,2,0}"
	c, _ := cyclesOf(t, fused("window={size=4 stride=4 pad=3_3 lhs_dilate=3 rhs_reversal=1}, dim_labels=0fb_0io->0fb", y,
		"  ROOT %z = "+y+" negate(%y)", "bf16[4,128,320]{1,2,0:T(8,128)(2,1)}", "bf16[4,128,384]{2,1,0:T(8,128)(2,1)}", 0))
	assert.EqualValues(t, 4*384*320*2, c.wrote[c.v.g.leaf0[len(c.v.g.nodes)-1]])
}

// Numbers that become flags take two operations, and those whose bits are taken for another type one. Integers are
// multiplied and divided by the units that do it for others. (So the log has one small product for each of these, for
// v6e and for v7x.)
func TestOperationsByType(t *testing.T) {
	const y = "f32[256,384]{1,0:T(8,128)}"
	c, body := bodyOf(t, fused("dim_labels=bf_io->bf", y, `  %u = u32[256,384]{1,0:T(8,128)} convert(%y)
  %b = pred[256,384]{1,0:T(8,128)(4,1)} convert(%u)
  %l = pred[256,384]{1,0:T(8,128)(4,1)} compare(%u, %u), direction=LT
  %e = pred[256,384]{1,0:T(8,128)(4,1)} compare(%u, %u), direction=EQ
  %g = pred[256,384]{1,0:T(8,128)(4,1)} compare(%y, %y), direction=GT
  %c = u32[256,384]{1,0:T(8,128)} bitcast-convert(%y)
  %n = pred[256,384]{1,0:T(8,128)(4,1)} is-finite(%y)
  %a = u32[256,384]{1,0:T(8,128)} add(%u, %u)
  %m = u32[256,384]{1,0:T(8,128)} multiply(%u, %u)
  %d = u32[256,384]{1,0:T(8,128)} divide(%u, %u)
  ROOT %z = `+y+" add(%y, %y)", "f32[256,128]{1,0:T(8,128)}", "f32[128,384]{1,0:T(8,128)}", 0))
	for name, want := range map[string]bundle{"u": {}, "b": {either: 2}, "l": {either: 1}, "e": {either: 1},
		"g": {either: 1}, "c": {either: 1}, "n": {second: 1, either: 2}, "a": {either: 1}, "m": {first: 1},
		"d": {first: 3, second: 2, either: 9, special: 1}} {
		assert.Equal(t, want.times(96), c.work(body.Instruction(name)).bundle, name)
	}
}

// What is spread along lanes that become rows is turned whole, sixteen registers of one, and along those that become
// neither rows nor lanes element by element. (So the log has all of 14 small products, for v6e.)
func TestSpreadElementByElement(t *testing.T) {
	const y = "f32[5,16,384]{2,1,0:T(8,128)}"
	for _, x := range []struct {
		p, dims string
		want    bundle
	}{
		{"f32[384]{0:T(512)}", "2", bundle{}},
		{"f32[16]{0:T(128)}", "1", bundle{either: 16, turns: 32}},
		{"f32[5]{0:T(128)}", "0", bundle{turns: 10}},
		{"f32[5,16]{1,0:T(8,128)}", "0,1", bundle{either: 16, turns: 32}},
		{"f32[5,384]{1,0:T(8,128)}", "0,2", bundle{}},
	} {
		c, body := bodyOf(t, fused("window={size=1}, dim_labels=0bf_0io->0bf", y, `  %w = `+x.p+` constant({...})
  %s = `+y+` broadcast(%w), dimensions={`+x.dims+`}
  ROOT %z = `+y+" add(%y, %s)", "f32[5,16,128]{2,1,0:T(8,128)}", "f32[1,128,384]{2,1,0:T(8,128)}", 0))
		assert.Equal(t, x.want, c.work(body.Instruction("s")).bundle, x.p)
	}
}

// A slice takes an operation for each row that it moves in registers. (So the log has it of 18 small products, for
// v6e.)
func TestSlicesMoveRows(t *testing.T) {
	const y = "f32[32,384]{1,0:T(8,128)}"
	for first, want := range map[int]float64{0: 1, 1: 2, 3: 4, 6: 7, 8: 1, 12: 5} {
		after := fmt.Sprintf(`  %%s = f32[16,384]{1,0:T(8,128)} slice(%%y), slice={[%d:%d], [0:384]}
  ROOT %%z = f32[16,384]{1,0:T(8,128)} add(%%s, %%s)`, first, first+16)
		c, body := bodyOf(t, fused("dim_labels=bf_io->bf", y, after, "f32[32,128]{1,0:T(8,128)}",
			"f32[128,384]{1,0:T(8,128)}", 0))
		assert.Equal(t, bundle{either: 6 * want}, c.work(body.Instruction("s")).bundle, first)
	}
}

// Halves of registers are not counted. (So the log of a product of 200 rows has it, for v6e, and 61 seconds of the 99
// modules are right by it.)
func TestHalfRegisters(t *testing.T) {
	const y = "bf16[200,384]{1,0:T(8,128)(2,1)}"
	c, body := bodyOf(t, fused("dim_labels=bf_io->bf", y, "  ROOT %z = "+y+" add(%y, %y)", y,
		"bf16[384,384]{1,0:T(8,128)(2,1)}", 0))
	assert.Equal(t, bundle{stores: 37, either: 37}, c.writing(body))
	v, ok := convolutionOf(body.Instruction("y"))
	assert.True(t, ok)
	b := c.product(&v, &v)
	assert.Equal(t, []float64{37, 112.5, 150}, []float64{b.either, b.passes, b.second})
}

// Rows of what is broadcast that windows have a part of are turned with the tiles that they are in: of 16 rows, four in
// each of four windows, all are in each. (The cycles are those of the log of a program for v6e.)
func TestRowsOfWindowsThatAreSpread(t *testing.T) {
	_, c, _ := readsOf(t, `%soft {
  %s = bf16[16,1024,1024]{2,1,0:T(8,128)(2,1)} parameter(0)
  %m = bf16[16,1024]{1,0:T(8,128)(2,1)} parameter(1)
  %n = bf16[16,1024]{1,0:T(8,128)(2,1)} parameter(2)
  %a = f32[16,1024,1024]{2,1,0:T(8,128)} convert(%s)
  %b = bf16[16,1024,1024]{2,1,0:T(8,128)(2,1)} broadcast(%m), dimensions={0,1}
  %c = f32[16,1024,1024]{2,1,0:T(8,128)} convert(%b)
  %d = f32[16,1024,1024]{2,1,0:T(8,128)} subtract(%a, %c)
  %e = f32[16,1024,1024]{2,1,0:T(8,128)} exponential(%d)
  %g = bf16[16,1024,1024]{2,1,0:T(8,128)(2,1)} broadcast(%n), dimensions={0,1}
  %h = f32[16,1024,1024]{2,1,0:T(8,128)} convert(%g)
  %i = f32[16,1024,1024]{2,1,0:T(8,128)} divide(%e, %h)
  ROOT %j = bf16[16,1024,1024]{2,1,0:T(8,128)(2,1)} convert(%i)
}

%f {
  %v = bf16[16,1024,8]{1,2,0:T(8,128)(2,1)} parameter(0)
  %s = bf16[16,1024,1024]{2,1,0:T(8,128)(2,1)} parameter(1)
  %m = bf16[16,1024]{1,0:T(8,128)(2,1)} parameter(2)
  %n = bf16[16,1024]{1,0:T(8,128)(2,1)} parameter(3)
  %p = bf16[16,1024,1024]{2,1,0:T(8,128)(2,1)} fusion(%s, %m, %n), kind=kLoop, calls=%soft
  ROOT %y = bf16[16,1024,8]{1,2,0:T(8,128)(2,1)} convolution(%p, %v), `+
		`window={size=16 stride=15 lhs_dilate=16}, dim_labels=0fb_0io->0bf
}
`, `  %v = bf16[16,1024,8]{1,2,0:T(8,128)(2,1)} parameter(0)
  %s = bf16[16,1024,1024]{2,1,0:T(8,128)(2,1)} parameter(1)
  %m = bf16[16,1024]{1,0:T(8,128)(2,1)} parameter(2)
  %n = bf16[16,1024]{1,0:T(8,128)(2,1)} parameter(3)
  ROOT %y = bf16[16,1024,8]{1,2,0:T(8,128)(2,1)} fusion(%v, %s, %m, %n)`)
	assert.InDelta(t, 151072, c.timed(c.v.g.m.Entry.Root).seconds*c.dev.clock, 1)
}
