package memory_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/passes/memory"
	"hlolayout/tpu"
)

// meta is what the corpus says about one case.
type meta struct {
	SameAs string `json:"pre_msa_final_same_as"`
	Memory *struct {
		Argument int64 `json:"argument_size_in_bytes"`
		Output   int64 `json:"output_size_in_bytes"`
		Alias    int64 `json:"alias_size_in_bytes"`
		Temp     int64 `json:"temp_size_in_bytes"`
	} `json:"memory"`
}

// The bytes of the compiler's own final modules are those that it reports: arguments, outputs and aliases in every
// case, temporaries in 99 of 100.
func TestStatistics(t *testing.T) {
	corpus := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("the corpus is not there: ../shared/corpus")
	}
	total, exact := 0, 0
	for _, name := range tpu.Names() {
		tgt, err := tpu.ByName(name)
		require.NoError(t, err)
		cases, err := os.ReadDir(filepath.Join(corpus, name))
		require.NoError(t, err)
		n, right := 0, 0
		for i, c := range cases {
			if testing.Short() && i%8 != 0 {
				continue
			}
			text, err := os.ReadFile(filepath.Join(corpus, name, c.Name(), "meta.json"))
			require.NoError(t, err)
			var m meta
			require.NoError(t, json.Unmarshal(text, &m))
			from := name
			if m.SameAs != "" {
				from = m.SameAs
			}
			file := filepath.Join(corpus, from, c.Name(), "final.hlo")
			text, err = os.ReadFile(file)
			if err != nil || m.Memory == nil {
				continue
			}
			module, err := parser.Parse(file, string(text))
			require.NoError(t, err)
			s, err := memory.Statistics(module, tgt)
			require.NoError(t, err, file)
			label := name + "/" + c.Name()
			assert.Equal(t, m.Memory.Argument, s.Argument, "argument bytes of %s", label)
			assert.Equal(t, m.Memory.Output, s.Output, "output bytes of %s", label)
			assert.Equal(t, m.Memory.Alias, s.Alias, "alias bytes of %s", label)
			n++
			if s.Temp == m.Memory.Temp {
				right++
			} else if os.Getenv("ZZTEMP") != "" {
				t.Logf("%s: temporaries %d, the compiler has %d", label, s.Temp, m.Memory.Temp)
			}
		}
		t.Logf("%s: temporary bytes right in %d of %d", name, right, n)
		total, exact = total+n, exact+right
	}
	t.Logf("temporary bytes right in %d of %d", exact, total)
	assert.GreaterOrEqual(t, float64(exact), 0.99*float64(total))
}

// Modules of which the compiler says where each temporary is: gaps that nothing fits in, sorts in place, and on v5e a
// softmax that takes 13.23 and 13.38 GiB when packed in the order of time, of which the second is packed anew.
func TestPacked(t *testing.T) {
	for name, want := range map[string]int64{"v5p.reshape_gaps": 10036776960, "v5p.sort_in_place": 4175790112,
		"v5e.softmax_packed": 8439824896, "v5e.softmax_repacked": 5693538816} {
		text, err := os.ReadFile("../../testdata/memory/" + name + ".final.hlo")
		require.NoError(t, err)
		s, err := memory.Statistics(parse(t, string(text)), target(t, name[:3]))
		require.NoError(t, err)
		assert.InDelta(t, want, s.Temp, 3*16384, name)
	}
}

// What the host has counts apart, arguments, results and results in the place of donated arguments.
func TestHostStatistics(t *testing.T) {
	m := parse(t, `HloModule host, is_scheduled=true, input_output_alias={ {0}: (1, {}, may-alias), {2}: (2, {}) }

ENTRY %main {
  %a = f32[256,128]{1,0:T(8,128)S(5)} parameter(0)
  %b = f32[512,128]{1,0:T(8,128)S(5)} parameter(1)
  %c = f32[1024,128]{1,0:T(8,128)} parameter(2)
  ROOT %r = (f32[512,128]{1,0:T(8,128)S(5)}, f32[256,128]{1,0:T(8,128)S(5)}, f32[1024,128]{1,0:T(8,128)}, `+
		`f32[1024,128]{1,0:T(8,128)}) tuple(%b, %a, %c, %c)
}
`)
	const kib = 1 << 10
	s, err := memory.Statistics(m, target(t, "v5e"))
	require.NoError(t, err)
	table := target(t, "v5e").TupleTableBytes(4)
	assert.Equal(t, memory.Stats{Argument: 512 * kib, Output: 1024*kib + table, Alias: 512 * kib,
		HostArgument: 384 * kib, HostOutput: 384 * kib, HostAlias: 256 * kib}, s)
	assert.Equal(t, 1024*kib+table, s.Peak())
	m.Entry.Instructions[0].Shape = hlo.NewArray(hlo.F32, []int64{256, 128}, &hlo.Layout{MinorToMajor: []int{0}})
	_, err = memory.Statistics(m, target(t, "v5e"))
	assert.ErrorContains(t, err, "memory: instruction %a: ")
}

// Constants are in HBM for the whole run, once each, in loops, too; a single number and what is inside of a fusion
// count nothing. libtpu 0.0.51 allocates 4,096,000, 12,288 and 30,720 bytes for such ones.
func TestConstants(t *testing.T) {
	m := parse(t, `HloModule constants, is_scheduled=true

%fused {
  %k = f32[8,128]{1,0:T(8,128)} constant({...})
  %q = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[8,128]{1,0:T(8,128)} add(%k, %q)
}

%body {
  %c = f32[8,128]{1,0:T(8,128)} parameter(0)
  %w = f32[1024,1000]{0,1:T(8,128)} constant({...})
  %i = s32[3000]{0:T(1024)} constant({...})
  ROOT %f = f32[8,128]{1,0:T(8,128)} fusion(%c), kind=kLoop, calls=%fused
}

%condition {
  %d = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT %t = pred[]{:T(512)} constant(true)
}

ENTRY %main {
  %x = f32[8,128]{1,0:T(8,128)} parameter(0)
  %mask = pred[300,77]{0,1:T(8,128)(4,1)} constant({...})
  ROOT %loop = f32[8,128]{1,0:T(8,128)} while(%x), condition=%condition, body=%body
}
`)
	s, err := memory.Statistics(m, target(t, "v5e"))
	require.NoError(t, err)
	assert.EqualValues(t, 4096000+12288+30720, s.Constant)
	assert.Equal(t, s.Argument+s.Output+s.Constant+s.Temp, s.Peak())
}

// Tuples take a table of pointers from beginning to end, asynchronous operations two, where arrays are held at all.
func TestTables(t *testing.T) {
	const text = `HloModule tables, is_scheduled=true

%wrapped {
  %q = f32[256,128]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[256,128]{1,0:T(8,128)} negate(%q)
}

ENTRY %main {
  %p = f32[256,128]{1,0:T(8,128)} parameter(0)
  %x = f32[256,128]{1,0:T(8,128)} sine(%p)
  %pair = (f32[256,128]{1,0:T(8,128)}, f32[256,128]{1,0:T(8,128)}) tuple(%x, %p)
  %start = ((f32[256,128]{1,0:T(8,128)}), f32[256,128]{1,0:T(8,128)}, s32[]) async-start(%x), calls=%wrapped
  %g = f32[256,128]{1,0:T(8,128)} get-tuple-element(%pair), index=0
  %done = f32[256,128]{1,0:T(8,128)} async-done(%start)
  ROOT %r = f32[256,128]{1,0:T(8,128)} add(%g, %done)
}
`
	a, err := memory.Analyze(parse(t, text), target(t, "v2"))
	require.NoError(t, err)
	var got []string
	for _, h := range a.Report().Held {
		got = append(got, fmt.Sprintf("%s %d %d-%d", h.Instruction.Name, h.Bytes, h.From, h.To))
	}
	table := target(t, "v2").TupleTableBytes(2)
	assert.Equal(t, []string{"x 131072 1-6", "start 131072 3-6", fmt.Sprintf("pair %d 0-6", table),
		fmt.Sprintf("start %d 0-6", 16384+table)}, got)
	none := strings.NewReplacer("256,128", "", "{1,0:T(8,128)}", "{:T(128)}").Replace(text)
	a, err = memory.Analyze(parse(t, none), target(t, "v2"))
	require.NoError(t, err)
	assert.Empty(t, a.Report().Held, "single elements do not count")
}

// A loop has one table. A number that is made of an array counts as one, and so does a broadcast; one that is made of
// numbers does not, nor do the tables of programs that have nothing else.
func TestTablesOfNumbers(t *testing.T) {
	const text = `HloModule numbers, is_scheduled=true

%add {
  %x = f32[]{:T(128)} parameter(0)
  %y = f32[]{:T(128)} parameter(1)
  ROOT %z = f32[]{:T(128)} add(%x, %y)
}

%less {
  %s = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)S(1)}) parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%s), index=0
  %c = s32[]{:T(128)} constant(3)
  ROOT %l = pred[]{:T(512)} compare(%i, %c), direction=LT
}

%body {
  %s.1 = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)S(1)}) parameter(0)
  %i.1 = s32[]{:T(128)} get-tuple-element(%s.1), index=0
  %a = f32[8,128]{1,0:T(8,128)S(1)} get-tuple-element(%s.1), index=1
  %one = s32[]{:T(128)} constant(1)
  %j = s32[]{:T(128)} add(%i.1, %one)
  ROOT %t.1 = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)S(1)}) tuple(%j, %a)
}

ENTRY %main {
  %p = f32[8,128]{1,0:T(8,128)} parameter(0)
  %x.2 = f32[8,128]{1,0:T(8,128)S(1)} sine(%p)
  %zero = s32[]{:T(128)} constant(0)
  %n = s32[]{:T(128)} copy(%zero)
  %t = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)S(1)}) tuple(%n, %x.2)
  %w = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)S(1)}) while(%t), condition=%less, body=%body
  %g = f32[8,128]{1,0:T(8,128)S(1)} get-tuple-element(%w), index=1
  %f = f32[]{:T(128)} constant(0)
  %number = f32[]{:T(128)} NUMBER
  %cos = f32[]{:T(128)} cosine(%number)
  %b = f32[8,128]{1,0:T(8,128)S(1)} broadcast(%cos), dimensions={}
  ROOT %r = f32[8,128]{1,0:T(8,128)} add(%b, %g)
}
`
	for number, tables := range map[string]int{"reduce(%g, %f), dimensions={0,1}, to_apply=%add": 1,
		"broadcast(%f), dimensions={}": 1, "copy(%f)": 0} {
		a, err := memory.Analyze(parse(t, strings.Replace(text, "NUMBER", number, 1)), target(t, "v5e"))
		require.NoError(t, err)
		got := 0
		for _, h := range a.Report().Held {
			if h.Instruction.Shape.IsTuple() && len(h.Index) == 0 {
				got++
				assert.Equal(t, "t", h.Instruction.Name)
			}
		}
		assert.Equal(t, tables, got, number)
	}
}
