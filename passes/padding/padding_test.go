package padding_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/padding"
)

func parse(t *testing.T, text string) *hlo.Module {
	t.Helper()
	m, err := parser.Parse("test", text)
	require.NoError(t, err)
	return m
}

// Sizes and factors that TPU compilers printed in public issues.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		shape           string
		logical, padded int64
		factor          float64
	}{
		{"s32[8388608,8,4]{2,1,0:T(8,128)}", 1 << 30, 32 << 30, 32},
		{"u32[12582912,1]{1,0:T(8,128)}", 48 << 20, 6 << 30, 128},
		{"bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", 1 << 30, 4 << 30, 4},
		{"pred[64,512,2048]{2,1,0:T(8,128)E(32)}", 64 << 20, 256 << 20, 4},
		{"bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}", 1638400, 5242880, 3.2},
		{"f32[0,8]{1,0:T(8,128)}", 0, 0, 1},
	} {
		m := parse(t, "ENTRY main {\n  ROOT p = "+c.shape+" parameter(0)\n}\n")
		values := padding.Values(m)
		require.Len(t, values, 1)
		v := values[0]
		assert.Equal(t, padding.Size{Logical: c.logical, Padded: c.padded, Known: true}, v.Size, c.shape)
		assert.InDelta(t, c.factor, v.Factor(), 1e-9, c.shape)
		assert.Equal(t, c.padded-c.logical, v.Waste())
	}
}

// A value that is predicted to be kept as bf16 takes half of what it takes as f32.
func TestNarrow(t *testing.T) {
	m := parse(t, "ENTRY main {\n  ROOT p = f32[8,64]{1,0:T(8,128)} parameter(0)\n}\n")
	m.Forecast = &hlo.Forecast{Narrow: map[*hlo.Instruction]bool{m.Entry.Root: true}}
	assert.Equal(t, padding.Size{Logical: 1024, Padded: 2048, Known: true}, padding.Values(m)[0].Size)
}

// What the compiler allocated for its default layouts.
func TestAsCompiled(t *testing.T) {
	f, err := os.Open("../../testdata/tpu/default_layouts.csv")
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 100)
	for _, r := range rows[1:] { // tpu, dtype, dims, layout, padded_bytes
		if r[4] == "" {
			continue
		}
		m := parse(t, "ENTRY main {\n  ROOT p = "+r[1]+"["+strings.ReplaceAll(r[2], " ", ",")+"]"+r[3]+
			" parameter(0)\n}\n")
		require.Equal(t, r[4], strconv.FormatInt(padding.SizeOf(m.Entry.Root.Shape).Padded, 10), r)
	}
}

// Each array counts once, where it is made; what is never in memory does not count.
func TestValues(t *testing.T) {
	m := parse(t, `HloModule m

%fused (p: f32[8,128]) -> f32[8,128] {
  %p = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[8,128]{1,0:T(8,128)} negate(%p)
}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[]{:T(128)} parameter(0)
  %b = f32[]{:T(128)} parameter(1)
  ROOT %sum = f32[]{:T(128)} add(%a, %b)
}

%body (c: (s32[], f32[8,128])) -> (s32[], f32[8,128]) {
  %c = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}) parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%c), index=0
  %v = f32[8,128]{1,0:T(8,128)} get-tuple-element(%c), index=1
  %exp = f32[8,128]{1,0:T(8,128)} exponential(%v)
  ROOT %t = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}) tuple(%i, %exp)
}

%cond (d: (s32[], f32[8,128])) -> pred[] {
  %d = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}) parameter(0)
  ROOT %stop = pred[]{:T(512)} constant(false)
}

ENTRY %main (x: f32[8,128]) -> f32[] {
  %x = f32[8,128]{1,0:T(8,128)} parameter(0)
  %fusion = f32[8,128]{1,0:T(8,128)} fusion(%x), kind=kLoop, calls=%fused
  %start = (f32[8,128]{1,0:T(8,128)S(1)}, f32[8,128]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(%fusion)
  %done = f32[8,128]{1,0:T(8,128)S(1)} copy-done(%start)
  %zero = s32[]{:T(128)} constant(0)
  %init = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}) tuple(%zero, %x)
  %while = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}) while(%init), condition=%cond, body=%body
  %none = f32[]{:T(128)} constant(0)
  ROOT %reduce = f32[]{:T(128)} reduce(%done, %none), dimensions={0,1}, to_apply=%add
}

`)
	var got []string
	for _, v := range padding.Values(m) {
		got = append(got, v.Instruction.Name)
	}
	assert.Equal(t, []string{"exp", "stop", "x", "fusion", "start", "zero", "none", "reduce"}, got)
	spaces := padding.Sum(padding.Values(m), func(v *padding.Value) int64 { return v.Space })
	assert.Equal(t, &padding.Totals{Values: 1, Logical: 4096, Padded: 4096}, spaces[1])
	assert.Equal(t, 7, spaces[0].Values)
}

// Arrays whose bytes, or their sum, are more than int64 counts cannot be added up.
func TestCountable(t *testing.T) {
	of := func(shape string, n int) *hlo.Module {
		text := "ENTRY main {\n"
		for i := range n {
			text += "  %p." + strconv.Itoa(i) + " = " + shape + " parameter(" + strconv.Itoa(i) + ")\n"
		}
		return parse(t, text+"  ROOT %r = f32[] constant(0)\n}\n")
	}
	assert.NoError(t, padding.Countable(of("f32[268435456,536870912]{1,0}", 15)))
	assert.EqualError(t, padding.Countable(of("f32[268435456,536870912]{1,0}", 16)),
		"its arrays take more than 2^63 bytes")
	assert.ErrorContains(t, padding.Countable(of("f32[4294967296,4294967296]{1,0}", 1)),
		"the size of %p.0 is not known: f32[4294967296,4294967296]{1,0} needs more than 2^63 bits")
}
