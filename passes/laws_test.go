package passes

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/internal/randhlo"
	"hlolayout/printer"
	"hlolayout/tpu"
)

// A law is a change of a module that changes no layout. Apply changes m, and returns the text to be assigned
// and the name there of each instruction, as orders has it, where that is another.
type law struct {
	name  string
	apply func(r *rand.Rand, m *hlo.Module) (text string, renamed map[string]string)
}

func key(in *hlo.Instruction) string { return in.Computation.Name + "/" + in.Name }

var laws = []law{
	{"other names", func(r *rand.Rand, m *hlo.Module) (string, map[string]string) {
		renamed := map[string]string{}
		for _, c := range m.Computations {
			for i, n := range r.Perm(len(c.Instructions)) {
				in := c.Instructions[i]
				old := key(in)
				in.Name = fmt.Sprintf("v.%d", n)
				renamed[old] = key(in)
			}
		}
		return printer.Print(m), renamed
	}},
	{"dead code", func(_ *rand.Rand, m *hlo.Module) (string, map[string]string) {
		text, p := printer.Print(m), m.Entry.Parameters()
		dead := "  dead.1 = f32[2,3] constant({...})\n  dead.2 = f32[2,3] negate(dead.1)\n"
		for i, p := range p {
			if p.Shape.IsArray() && p.Shape.DType != hlo.Pred {
				dead += fmt.Sprintf("  dead.p%d = %s copy(%s)\n", i, hlo.NewArray(p.Shape.DType, p.Shape.Dims, nil),
					p.Name)
			}
		}
		at := strings.LastIndex(text, "  ROOT ")
		return text[:at] + dead + text[at:], nil
	}},
	{"metadata", func(_ *rand.Rand, m *hlo.Module) (string, map[string]string) {
		var out strings.Builder
		for line := range strings.Lines(printer.Print(m)) {
			if strings.HasPrefix(line, "  ") && strings.Contains(line, " = ") {
				line = strings.TrimSuffix(line, "\n") +
					`, metadata={op_name="jit(f)/while/body" source_file="a.py" source_line=7}` + "\n"
			}
			out.WriteString(line)
		}
		return out.String(), nil
	}},
	{"order of independent instructions", func(r *rand.Rand, m *hlo.Module) (string, map[string]string) {
		for _, c := range m.Computations {
			for range 3 * len(c.Instructions) {
				i := r.IntN(len(c.Instructions))
				if i+1 < len(c.Instructions) && independent(c.Instructions[i], c.Instructions[i+1]) {
					c.Instructions[i], c.Instructions[i+1] = c.Instructions[i+1], c.Instructions[i]
				}
			}
		}
		return printer.Print(m), nil
	}},
	{"canonical first", func(_ *rand.Rand, m *hlo.Module) (string, map[string]string) {
		return printer.Config{Mode: printer.Canonical, Format: printer.Long}.Print(m), nil
	}},
}

// independent reports whether two neighbours can change places: neither uses the other, and no value has both
// as its users, for the order of a value's users decides some layouts, in the compiler as here.
func independent(a, b *hlo.Instruction) bool {
	if slices.Contains(b.Operands, a) || b.Opcode == hlo.OpParameter || a.Opcode == hlo.OpParameter ||
		len(a.Called())+len(b.Called()) > 0 {
		return false
	}
	return !slices.ContainsFunc(a.Operands, func(o *hlo.Instruction) bool { return slices.Contains(b.Operands, o) })
}

// TestLaws: what changes nothing that the compiler goes by changes no layout.
func TestLaws(t *testing.T) {
	names := tpu.Names()
	modules := randhlo.Module(randhlo.Options{Features: randhlo.All &^ randhlo.DeadCode, Operations: 20})
	for seed := range 80 {
		text, x := modules.Example(seed), target(t, names[seed%len(names)])
		before := orders(parse(t, text))
		assigned := func(text string) map[string][][]int {
			m := parse(t, text)
			_, err := Run(m, x, []string{Auto}, Options{}, Observer{})
			require.NoError(t, err, text)
			return orders(m)
		}
		want := assigned(text)
		maps.DeleteFunc(want, func(key string, _ [][]int) bool { return before[key] == nil }) // copies that were added
		for i, l := range laws {
			changed, renamed := l.apply(rand.New(rand.NewPCG(uint64(seed), uint64(i))), parse(t, text))
			got := assigned(changed)
			for key, order := range want {
				if other, ok := renamed[key]; ok {
					key = other
				}
				if _, ok := got[key]; !ok && l.name == "canonical first" {
					continue // a name that is in two computations
				}
				if !assert.Equal(t, order, got[key], "%s: module %d on %s: %s\n%s\nof\n%s", l.name, seed, x.Name, key,
					changed, text) {
					break
				}
			}
		}
	}
}
