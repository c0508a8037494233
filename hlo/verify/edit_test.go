package verify_test

import (
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
)

const base = `
f { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }
g { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  s = ((f32[4]), f32[4], s32[]) async-start(a), calls=f
  d = f32[4] async-done(s), calls=f
  n = f32[4] add(a, b)
  c = f32[4] call(n), to_apply=g
  ROOT r = (f32[4], f32[4]) tuple(d, c)
}`

// edits makes, of a sound module, one that no text can say, by the code it must cause.
var edits = map[string]func(m *hlo.Module, in func(name string) *hlo.Instruction){
	verify.VER301: func(_ *hlo.Module, in func(string) *hlo.Instruction) {
		in("n").Shape = in("n").Shape.WithLayout(&hlo.Layout{MinorToMajor: []int{1}})
	},
	verify.VER406: func(_ *hlo.Module, in func(string) *hlo.Instruction) { in("b").Parameter = 0 },
	verify.VER407: func(_ *hlo.Module, in func(string) *hlo.Instruction) { in("n").Name = "c" },
	verify.VER409: func(m *hlo.Module, _ func(string) *hlo.Instruction) {
		l := m.Entry.Instructions
		l[4], l[5] = l[5], l[4]
		m.Entry.Renumber()
	},
	verify.VER504: func(m *hlo.Module, in func(string) *hlo.Instruction) {
		in("d").Called()[0] = m.Computation("g")
	},
}

func TestModulesThatNoTextSays(t *testing.T) {
	for code, edit := range edits {
		t.Run(code, func(t *testing.T) {
			m, err := parser.Parse("", base)
			require.NoError(t, err)
			require.Empty(t, verify.Module(m))
			edit(m, m.Entry.Instruction)
			list := verify.Module(m)
			require.NotEmpty(t, list)
			assert.Equal(t, code, list[0].Code)
		})
	}
}

func TestOperandsOfAnotherComputation(t *testing.T) {
	m, err := parser.Parse("", base)
	require.NoError(t, err)
	m.Entry.Instruction("c").Operands[0] = m.Computation("g").Root
	list := verify.Module(m)
	require.Len(t, list, 1)
	assert.Equal(t, verify.VER409, list[0].Code)
	m.Entry.Instruction("c").Operands[0] = nil
	assert.NotEmpty(t, verify.Module(m))
}

// TestAnythingIsAnswered edits sound modules at random: whatever comes out, Module and InferShape answer.
func TestAnythingIsAnswered(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "verify", "*", "*.hlo"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	r := rand.New(rand.NewSource(1))
	findings := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for round := 0; round < 20; round++ {
			m, err := parser.Parse(path, string(text))
			require.NoError(t, err)
			var all []*hlo.Instruction
			for _, c := range m.Computations {
				all = append(all, c.Instructions...)
			}
			for i := 0; i < 1+len(all)/10; i++ {
				spoil(r, all[r.Intn(len(all))], all[r.Intn(len(all))])
			}
			findings += len(verify.Module(m))
			for _, in := range all {
				_, _ = verify.InferShape(in)
			}
		}
	}
	assert.Greater(t, findings, 10*len(files))
}

// spoil changes one thing of in, taking what it needs from another instruction.
func spoil(r *rand.Rand, in, other *hlo.Instruction) {
	in.Operands, in.Attrs = append([]*hlo.Instruction(nil), in.Operands...), append([]hlo.Attr(nil), in.Attrs...)
	switch r.Intn(9) {
	case 0:
		in.Shape = other.Shape
	case 1:
		in.Opcode = other.Opcode
	case 2:
		in.Attrs = other.Attrs
	case 3:
		if len(in.Operands) > 0 {
			in.Operands = in.Operands[1:]
		}
	case 4:
		if len(in.Operands) > 0 && in.Computation == other.Computation {
			in.Operands[r.Intn(len(in.Operands))] = other
		}
	case 5:
		in.Operands = append(in.Operands, in.Operands...)
	case 6:
		if len(in.Attrs) > 0 {
			in.Attrs = in.Attrs[1:]
		}
	case 7:
		for i := range in.Attrs {
			in.Attrs[i].Value = []*hlo.Value{hlo.WordOf("x"), hlo.IntsOf(nil), hlo.IntsOf([]int{-1, 1 << 62}),
				{Kind: hlo.IntValue, Text: "-9"},
				{Kind: hlo.ListValue, Open: '{', Elems: []hlo.Value{{Kind: hlo.ListValue, Open: '('}}}, {}}[r.Intn(6)]
		}
	case 8:
		in.SetCalled(other.Called())
	}
}
