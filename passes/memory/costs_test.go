package memory

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/tpu"
)

// account says of every instruction what it takes (seconds of work, bytes moved, seconds in all, the bytes of its
// scratch memory, what its operands and results gain in the fast memory), and then what the report says.
func account(t *testing.T, text, generation string) string {
	t.Helper()
	m, err := parser.Parse("m.hlo", text)
	require.NoError(t, err)
	tgt, err := tpu.ByName(generation)
	require.NoError(t, err)
	a, err := Analyze(m, tgt)
	require.NoError(t, err)
	var out strings.Builder
	if e := a.e; e != nil {
		for k := range e.g.nodes {
			at, in := int32(k), e.g.nodes[k].in
			fmt.Fprintf(&out, "%s %s: %.4g s, %.0f bytes, %.4g s", in.OpName(), in.Name, e.c.compute[k], e.c.total[k],
				e.c.elapsed[k])
			fmt.Fprintf(&out, ", scratch %d, gains %.4g\n", e.scratch(at), e.c.benefit(at, e.c.total[k]/2))
		}
	}
	r := a.Report()
	fmt.Fprintf(&out, "%+v\n", r.Stats)
	for _, s := range r.Spaces {
		fmt.Fprintln(&out, s.Number, s.Name, s.Limit, s.Peak, s.At.Name)
		for _, b := range s.Residents {
			fmt.Fprintln(&out, "  at the peak", b.Instruction.Name, b.Index, b.Scratch, b.Bytes, b.Offset, b.From.Name,
				b.To.Name)
		}
		for _, p := range s.Timeline {
			fmt.Fprintln(&out, "  from", p.Time, p.Bytes)
		}
	}
	for _, k := range r.Kept {
		fmt.Fprintln(&out, "kept", k.Instruction.Name, k.Index, k.Bytes, k.Reason)
	}
	for _, c := range r.Copies {
		fmt.Fprintln(&out, "copy", c.Instruction.Name, c.Index, c.Bytes, c.Text)
	}
	for _, in := range r.Schedule {
		fmt.Fprint(&out, " ", in.Name)
	}
	for _, h := range r.Held {
		fmt.Fprintln(&out, "held", h.Instruction.Name, h.Index, h.Bytes, h.From, h.To)
	}
	return out.String()
}

// programs returns the scheduled modules whose costs, reports and placements files hold, with their names in order: the
// compiler's own of testdata, modules of one thing each, and random ones.
func programs(t *testing.T) (names []string, texts map[string]string) {
	t.Helper()
	texts = map[string]string{}
	for seed := range uint64(seeds) {
		name := fmt.Sprint("random ", seed)
		texts[name], names = crowd(seed), append(names, name)
		name = fmt.Sprint("uneven ", seed)
		texts[name], names = uneven(seed), append(names, name)
	}
	for _, pattern := range []string{"memory/*.pre_msa.hlo", "corpus/*/*/pre_msa.hlo", "memory/costs.hlo"} {
		files, err := filepath.Glob("../../testdata/" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			name := strings.TrimPrefix(filepath.ToSlash(f), "../../testdata/")
			texts[name], names = string(text), append(names, name)
		}
	}
	for _, name := range []string{"permute", "aliasing"} {
		texts[name], names = inPlace[name], append(names, name)
	}
	return names, texts
}

// TestAccounts holds what each kind of instruction costs, on each generation, and the reports of small modules, against
// testdata/memory/costs.txt: costs.hlo in words, the others as fingerprints. -update writes the file; the commit says
// why.
func TestAccounts(t *testing.T) {
	const file = "../../testdata/memory/costs.txt"
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	names, texts := programs(t)
	var out strings.Builder
	for _, name := range names {
		for _, generation := range tpu.Names() {
			says := account(t, texts[name], generation)
			if name == "memory/costs.hlo" {
				fmt.Fprintf(&out, "-- costs.hlo on %s --\n%s-- --\n", generation, says)
				continue
			}
			h := fnv.New32a()
			h.Write([]byte(says))
			fmt.Fprintf(&out, "%s on %s: %08x\n", name, generation, h.Sum32())
		}
		require.True(t, *update || strings.HasPrefix(string(want), out.String()), "%s is not as in %s", name, file)
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
		return
	}
	assert.Equal(t, string(want), out.String())
}

// A convolution multiplies where a position of the window meets an element of the input: neither padding nor the holes
// of a dilation.
func TestValidPositions(t *testing.T) {
	for _, inputs := range []int64{1, 3, 7} {
		for _, size := range []int64{1, 2, 5} {
			for _, stride := range []int64{1, 2, 3} {
				for _, pad := range []int64{-9, -1, 0, 1, 4, 9} {
					for _, hole := range []int64{1, 2, 3} {
						for _, gap := range []int64{1, 2} {
							const outputs = 6
							want := 0
							for o := int64(0); o < outputs; o++ {
								for k := int64(0); k < size; k++ {
									at := o*stride + k*gap - pad
									if at >= 0 && at%hole == 0 && at/hole < inputs {
										want++
									}
								}
							}
							got := validPositions(outputs, inputs, size, stride, pad, hole, gap)
							require.Equal(t, float64(want), got, "%d inputs, window of %d, stride %d, padding %d, dilations %d and %d",
								inputs, size, stride, pad, hole, gap)
						}
					}
				}
			}
		}
	}
	// The positions of long windows are counted in part.
	assert.InEpsilon(t, validPositions(1, 1<<14, 1<<14, 1, 0, 1, 1), 1<<14, .001)
	// Where positions repeat after thousands, their share is counted: here one in 5003.
	assert.InEpsilon(t, float64(1<<20)/5003, validPositions(1<<20, 1<<20, 1, 1, 0, 5003, 1), .01)
	assert.Zero(t, validPositions(1<<20, 1<<20, 1, 10, 1, 50000, 1), "never a multiple")
	assert.Zero(t, validPositions(6, 3, 2, 0, 0, 1, 1))
	assert.Zero(t, validPositions(6, 3, 2, 1, 0, 1, 0))
}

// A convolution without labels, or with fewer operands or dimensions than they say, counts nothing.
func TestConvolutionsThatDoNotFit(t *testing.T) {
	e := engineOf(t, `HloModule conv, is_scheduled=true

ENTRY %main {
  %x = f32[64,128]{1,0:T(8,128)} parameter(0)
  %k = f32[128,32]{1,0:T(8,128)} parameter(1)
  ROOT %y = f32[64,32]{1,0:T(8,128)} convolution(%x, %k), dim_labels=bf_io->bf
}
`, "v5e")
	y := e.g.m.Entry.Root
	convolutionFlops := func(in *hlo.Instruction) float64 { return e.c.work(in).matrix }
	assert.EqualValues(t, 2*64*128*32, convolutionFlops(y))
	for _, labels := range []string{"bf", "bf_io", "b_io->bf", "bf_i->bf", "bf_io->b", "bf_io->0f", "bf_xo->bf",
		"b_i->b"} {
		y.Attrs = []hlo.Attr{{Key: y.Attrs[0].Key, Value: hlo.WordOf(labels)}}
		assert.Zero(t, convolutionFlops(y), labels)
	}
	y.Attrs = []hlo.Attr{{Key: y.Attrs[0].Key, Value: hlo.WordOf("bf_io->bf")}}
	assert.NotZero(t, convolutionFlops(y))
	y.Operands = y.Operands[:1]
	assert.Zero(t, convolutionFlops(y))
	y.Attrs = nil
	assert.Zero(t, convolutionFlops(y))
}
