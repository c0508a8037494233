package layout

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/internal/testfiles"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/plan"
	"hlolayout/printer"
	"hlolayout/tpu"
)

// TestRecord holds against testdata/record.txt, by module, what no answer of the compiler shows: what v2 and v7x get,
// the reasons of decisions, what becomes of pins, and which are refused. A line that differs says that the pass decides
// something else now, not that it is wrong: look at it, then renew the record with
//
//	go test ./passes/layout -run Record -update
func TestRecord(t *testing.T) {
	var got strings.Builder
	fmt.Fprintln(&got, "# module, and sums of what it is on v5e with reasons, on v2, on v7x, with pins, with soft pins")
	// those of record are cuts out of programs, for what else they show
	for _, file := range testfiles.Modules(t, "testdata/*.hlo", "testdata/record/*.hlo") {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		text, v5e := string(b), target(t, "v5e")
		fmt.Fprint(&got, strings.TrimSuffix(filepath.Base(file), ".hlo"))
		for _, s := range []string{decided(t, text, v5e, plan.Options{}) + asPins(t, text, v5e),
			decided(t, text, target(t, "v2"), plan.Options{NoReasons: true}),
			decided(t, text, target(t, "v7x"), plan.Options{NoReasons: true}), eachPinned(t, text, v5e),
			allPinned(t, text, v5e)} {
			fmt.Fprintf(&got, " %.6x", sha256.Sum256([]byte(s)))
		}
		fmt.Fprintln(&got)
	}
	assert.Equal(t, testfiles.Record(t, "testdata/record.txt", got.String()), got.String())
}

// decided is the module that the pass makes of a text, and why, or the error.
func decided(t *testing.T, text string, x *tpu.Target, opt plan.Options) string {
	t.Helper()
	m := parse(t, text)
	p, err := Run(m, x, opt)
	if err != nil {
		return fmt.Sprintf("%#v", refusal(t, err))
	}
	var out strings.Builder
	for _, d := range p.Decisions {
		fmt.Fprintln(&out, d.Instruction.Name, d.Index, d.Layout)
		if d.Reason != nil {
			fmt.Fprintln(&out, reasonText(d.Reason))
		}
	}
	for i := range p.Edits {
		fmt.Fprintln(&out, reasonText(&p.Edits[i].Reason))
	}
	require.NoError(t, p.Apply(m))
	return out.String() + printer.Print(m)
}

func reasonText(r *plan.Reason) string {
	name := func(in *hlo.Instruction) string {
		if in == nil {
			return "nothing"
		}
		return in.Name
	}
	s := fmt.Sprint(r.Rule, name(r.Source), r.Array, r.Priority, r.Mandatory, ChosenBy(r))
	if r.Lost != nil {
		for _, l := range slices.Concat(r.Lost.Beat, []plan.Overridden{{}}, r.Lost.Refused) {
			s += fmt.Sprint(" lost ", l.MinorToMajor, l.Rule, name(l.Source))
		}
	}
	return s
}

// eachPinned is decided with one pin at a time, of a few values in the reverse of the order that they would have.
func eachPinned(t *testing.T, text string, x *tpu.Target) (out string) {
	places := arrays(parse(t, text))
	for i := range places {
		if i%(len(places)/4+1) == 0 {
			slices.Reverse(places[i].MinorToMajor)
			out += decided(t, text, x, plan.Options{Pins: places[i : i+1]})
		}
	}
	return out
}

// allPinned is decided with soft pins of every third value, where others fit in.
func allPinned(t *testing.T, text string, x *tpu.Target) string {
	var pins []plan.Pin
	for i, p := range arrays(parse(t, text)) {
		if i%3 == 0 {
			slices.Reverse(p.MinorToMajor)
			p.Because = &plan.Reason{Rule: "asked"}
			pins = append(pins, p)
		}
	}
	return decided(t, text, x, plan.Options{Pins: pins, Fit: true})
}

// asPins is what the pass decides as pins of the same values.
func asPins(t *testing.T, text string, x *tpu.Target) (out string) {
	m := parse(t, text)
	r, err := Decide(m, x, plan.Options{})
	require.NoError(t, err)
	if r == nil {
		return ""
	}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			for _, p := range r.Pins(nil, in, in) {
				index, order := flat.NewShape(in.Shape).Indices[p.Leaf], r.Orders.All()[p.Order]
				out += fmt.Sprint(in.Name, index, order, reasonText(p.Because))
			}
		}
	}
	return out + fmt.Sprint(r.Arrays())
}
