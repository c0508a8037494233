package layout

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"hlolayout/hlo"
	"hlolayout/internal/randhlo"
	"hlolayout/internal/testfiles"
	"hlolayout/parser"
	"hlolayout/passes/check"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

type tester interface {
	require.TestingT
	Helper()
}

// arrays are the places of a module that a pin can name and that have more than one order.
func arrays(m *hlo.Module) (out []plan.Pin) {
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			in.Shape.Leaves(func(index hlo.Index, s *hlo.Shape) {
				if s.IsArray() && s.Rank() > 1 {
					out = append(out, plan.Pin{Name: in.Name, Index: slices.Clone(index), MinorToMajor: hlo.Descending(s.Rank())})
				}
			})
		}
	}
	return out
}

// pinned assigns a module with pins. A pin is refused with a code, or it holds and the module is legal.
func pinned(t tester, name, text string, target *tpu.Target, pins []plan.Pin) (refused string) {
	m := mustParse(t, text)
	p, err := Run(m, target, plan.Options{Pins: pins})
	if err != nil {
		code := refusal(t, err, "%s %v", name, pins).Code
		require.Contains(t, code, "PIN", "%s %v: %v", name, pins, err)
		return code
	}
	require.NoError(t, p.Apply(m), "%s %v", name, pins)
	for _, pin := range pins {
		for _, d := range p.Decisions {
			if original(d.Instruction, p) == pin.Name && slices.Equal(d.Index, pin.Index) {
				assert.Equal(t, pin.MinorToMajor, d.Layout.MinorToMajor, "%s %v: %s", name, pins, d.Instruction.Name)
			}
		}
	}
	if found := check.Module(m, target); len(found) > 0 {
		plain := mustParse(t, text)
		p, err := Run(plain, target, plan.Options{})
		require.NoError(t, err)
		require.NoError(t, p.Apply(plain))
		assert.Equal(t, codesOf(check.Module(plain, target)), codesOf(found), "%s %v: %v", name, pins, found)
	}
	return ""
}

// refusal returns the first error of a list, as Run gives it for pins.
func refusal(t tester, err error, about ...any) *hlo.Error {
	t.Helper()
	var list hlo.ErrorList
	require.ErrorAs(t, err, &list, about...)
	return list[0]
}

// Random modules have what few real ones have: loops in loops, calls from several places, branches of one computation.
func TestPinsHoldOnRandomModules(t *testing.T) {
	modules := randhlo.Module(randhlo.Options{Features: randhlo.All &^ randhlo.DeadCode, Operations: 20})
	target := target(t, "v5e")
	count := map[string]int{}
	for seed := range randomModules {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		text := modules.Example(seed)
		places := arrays(mustParse(t, text))
		for n := range min(3, len(places)) {
			var pins []plan.Pin
			for range n + 1 {
				p := places[random.IntN(len(places))]
				p.MinorToMajor = random.Perm(len(p.MinorToMajor))
				pins = append(pins, p)
			}
			count[pinned(t, text, text, target, pins)]++
		}
	}
	t.Log("outcomes by code: ", count)
	assert.Greater(t, count[""], count["PIN108"]*20)
}

// randomModules is how many of them are tried.
const randomModules = 200

func codesOf(list hlo.ErrorList) map[string]int {
	out := map[string]int{}
	for _, e := range list {
		out[e.Code]++
	}
	return out
}

func original(in *hlo.Instruction, p *plan.Plan) string {
	for _, c := range p.Changes {
		if c.Instruction == in {
			return "" // it goes by another name now
		}
	}
	return in.Name
}

// Whatever is pinned, in whatever order: the pin is refused, or it holds and the checker accepts the module.
func TestPinsHold(t *testing.T) {
	count := map[string]int{}
	for _, file := range testfiles.Modules(t, "testdata/*.hlo", "../../testdata/corpus/*/*/before.hlo") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		places := arrays(mustParse(t, string(text)))
		if len(places) == 0 {
			continue
		}
		generation := "v5e"
		if strings.HasSuffix(file, "before.hlo") {
			generation = filepath.Base(filepath.Dir(filepath.Dir(file)))
		}
		tpu := target(t, generation)
		t.Run(strings.TrimSuffix(file, ".hlo"), rapid.MakeCheck(func(t *rapid.T) {
			var pins []plan.Pin
			for range rapid.IntRange(1, 4).Draw(t, "pins") {
				p := rapid.SampledFrom(places).Draw(t, "place")
				p.MinorToMajor = rapid.Permutation(p.MinorToMajor).Draw(t, "order")
				pins = append(pins, p)
			}
			count[pinned(t, file, string(text), tpu, pins)]++
		}))
	}
	t.Log("outcomes by code, \"\" for a pin that holds: ", count)
	assert.Greater(t, count[""], count["PIN108"]*20, "pins hold, or are refused for a reason that can be reported")
}

// One pin at every place of the corpus, where it is at hand.
func TestPinsHoldOnCorpus(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/corpus/*/*/before.hlo")
	if len(files) == 0 || testing.Short() {
		t.Skip("needs ../shared/corpus, and time")
	}
	random := rand.New(rand.NewPCG(7, 9))
	count := map[string]int{}
	for range 300 {
		file := files[random.IntN(len(files))]
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if len(text) > 100_000 {
			continue
		}
		places := arrays(mustParse(t, string(text)))
		for range min(4, len(places)) {
			p := places[random.IntN(len(places))]
			random.Shuffle(len(p.MinorToMajor), func(i, j int) {
				p.MinorToMajor[i], p.MinorToMajor[j] = p.MinorToMajor[j],
					p.MinorToMajor[i]
			})
			generation := filepath.Base(filepath.Dir(filepath.Dir(file)))
			count[pinned(t, file, string(text), target(t, generation), []plan.Pin{p})]++
		}
	}
	t.Log("outcomes by code: ", count)
	assert.Greater(t, count[""], count["PIN108"]*20)
}

func mustParse(t require.TestingT, text string) *hlo.Module {
	m, err := parser.Parse("test.hlo", text)
	require.NoError(t, err)
	return m
}

// Whatever soft pins request, the module is legal, also where the others fit in; those that are possible alone hold.
func TestSoftPins(t *testing.T) {
	modules := randhlo.Module(randhlo.Options{Features: randhlo.All &^ randhlo.DeadCode, Operations: 20})
	target := target(t, "v5e")
	asked, held := 0, 0
	for seed := range randomModules {
		random := rand.New(rand.NewPCG(uint64(seed), 2))
		text := modules.Example(seed)
		m := mustParse(t, text)
		pins := arrays(m)
		for i := range pins {
			in, _ := m.Find(pins[i].Name)
			pins[i].Value, pins[i].Because, pins[i].MinorToMajor = in, &plan.Reason{Rule: "asked"},
				random.Perm(len(pins[i].MinorToMajor))
		}
		p, err := Run(m, target, plan.Options{Pins: pins, Fit: seed%2 > 0})
		require.NoError(t, err, text)
		for _, pin := range pins {
			asked++
			for _, d := range p.Decisions {
				if d.Instruction == pin.Value && slices.Equal(d.Index, pin.Index) &&
					slices.Equal(d.Layout.MinorToMajor, pin.MinorToMajor) {
					held++
				}
			}
		}
		require.NoError(t, p.Apply(m), text)
		assert.Empty(t, check.Module(m, target), text)
	}
	t.Log("of", asked, "orders", held, "are given")
	assert.Greater(t, held*2, asked)
}

// What an operation can give and cannot, by pins on it.
func TestPinsFollowOperations(t *testing.T) {
	selected := "%c = f32[] constant(0)\n%x = f32[8,4,6,128] parameter(0)\n%s = f32[8,2,3,128] parameter(1)\n" +
		"ROOT %v = f32[8,4,6,128] select-and-scatter(%x, %s, %c), window={size=1x2x2x1 stride=1x2x2x1}, select=%ge, " +
		"scatter=%add"
	const exchanged = "%x = f32[8,6,128] parameter(0)\nROOT %v = f32[8,6,128] all-to-all(%x), replica_groups={{0,1}}, " +
		"dimensions={1}"
	computations := "%ge {\n%a = f32[] parameter(0)\n%b = f32[] parameter(1)\nROOT %r = pred[] compare(%a, %b), " +
		"direction=GE\n}\n\n" +
		"%add {\n%a.1 = f32[] parameter(0)\n%b.1 = f32[] parameter(1)\nROOT %r.1 = f32[] add(%a.1, %b.1)\n}\n\n"
	for _, c := range []struct {
		name, body string
		order      []int
		code       string // "" where the pin holds
	}{
		{"windowed dimensions major", selected, []int{3, 0, 2, 1}, ""},
		{"windowed dimensions minor", selected, []int{2, 3, 0, 1}, "PIN105"},
		{"a reshape of one dimension", "%x = f32[1,6] parameter(0)\nROOT %v = f32[6,1] reshape(%x)", []int{0, 1}, ""},
		{"a reshape that splits", "%x = f32[24] parameter(0)\nROOT %v = f32[4,6] reshape(%x)", []int{0, 1}, "PIN105"},
		{"a reshape that is a bitcast under tiles", "%x = f32[8,512] parameter(0)\nROOT %v = f32[8,4,128] reshape(%x)",
			[]int{2, 0, 1}, ""},
		{"a reshape of six dimensions that is one", "%x = f32[1,2,3,2,8,512] parameter(0)\n" +
			"ROOT %v = f32[1,2,3,2,8,4,128] reshape(%x)", []int{6, 4, 5, 3, 2, 1, 0}, ""},
		{"a sort along the minor dimension", "%x = f32[8,300] parameter(0)\nROOT %v = f32[8,300] sort(%x), " +
			"dimensions={1}, to_apply=%ge",
			[]int{1, 0}, ""},
		{"a sort along the major dimension", "%x = f32[8,300] parameter(0)\nROOT %v = f32[8,300] sort(%x), " +
			"dimensions={1}, to_apply=%ge",
			[]int{0, 1}, "PIN105"},
		{"an all-to-all with the split dimension major", exchanged, []int{0, 2, 1}, ""},
		{"an all-to-all with the split dimension elsewhere", exchanged, []int{2, 1, 0}, "PIN105"},
		{"an all-to-all with the split dimension minor", exchanged, []int{1, 0, 2}, "PIN105"},
		{"an all-to-all of tuples", "%x = f32[8,128] parameter(0)\n%y = f32[8,128] parameter(1)\n%t = (f32[8,128], " +
			"f32[8,128]) " +
			"all-to-all(%x, %y), replica_groups={{0,1}}\nROOT %v = f32[8,128] get-tuple-element(%t), index=0", []int{0, 1}, ""},
		{"a factor in descending order", "%x = f32[4,32,32] parameter(0)\nROOT %v = f32[4,32,32] cholesky(%x), lower=true",
			[]int{2, 1, 0}, ""},
		{"a factor in another order", "%x = f32[4,32,32] parameter(0)\nROOT %v = f32[4,32,32] cholesky(%x), lower=true",
			[]int{1, 2, 0}, "PIN105"},
		{"a transpose", "%x = f32[8,300] parameter(0)\nROOT %v = f32[300,8] transpose(%x), dimensions={1,0}", []int{1, 0},
			""},
		{"a broadcast", "%x = f32[8,300] parameter(0)\nROOT %v = f32[8,4,300] broadcast(%x), dimensions={0,2}",
			[]int{0, 1, 2}, ""},
		{"a vector, which has one order", "ROOT %v = f32[8] parameter(0)", []int{0}, ""},
		{"a bitcast", "%x = f32[8,300] parameter(0)\nROOT %v = f32[300,8] bitcast(%x)", []int{1, 0}, "PIN104"},
		{"what a bitcast reads", "%x = f32[8,300] parameter(0)\n%v = f32[8,300] negate(%x)\n" +
			"ROOT %w = f32[300,8] bitcast(%v)", []int{1, 0}, "PIN104"},
		{"an order of another rank", "%x = f32[8,300] parameter(0)\nROOT %v = f32[8,300] negate(%x)", []int{0, 1, 2},
			"PIN102"},
		{"a dimension twice", "%x = f32[8,300] parameter(0)\nROOT %v = f32[8,300] negate(%x)", []int{1, 1}, "PIN102"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parse(t, "HloModule m\n\n"+computations+"ENTRY %main {\n"+c.body+"\n}\n")
			p, err := Run(m, target(t, "v5e"), plan.Options{Pins: []plan.Pin{{Name: "v", MinorToMajor: c.order}}})
			if c.code != "" {
				refused := refusal(t, err)
				assert.Equal(t, c.code, refused.Code)
				if c.code == "PIN102" {
					assert.Equal(t, "an order names each of 0 to 1 once, the minor dimension first", refused.Hint)
				}
				return
			}
			require.NoError(t, err)
			for _, d := range p.Decisions {
				if d.Instruction.Name == "v" {
					assert.Equal(t, c.order, d.Layout.MinorToMajor)
				}
			}
		})
	}
}
