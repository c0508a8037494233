package memory

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
	"hlolayout/passes/check"
	"hlolayout/passes/plan"
	"hlolayout/printer"
	"hlolayout/tpu"
)

var update = flag.Bool("update", false, "write testdata/memory/placements.txt")

// crowded writes a scheduled program of seeded, random instructions on arrays of 0.5 to 24 MiB: elementwise operations,
// products, loop fusions, in-place updates, loops and conditionals, donated parameters, values that live long. It fills
// the fast space of every generation.
type crowded struct {
	*rand.Rand
	text  strings.Builder
	names int
}

func (c *crowded) name(base string) string {
	c.names++
	return fmt.Sprintf("%s.%d", base, c.names)
}

func (c *crowded) pick(list []string) string { return list[c.IntN(len(list))] }

// lines writes n instructions that read live values of a shape, and returns what is live then.
func (c *crowded) lines(out *strings.Builder, shape string, live []string, n, depth int) []string {
	for range n {
		name := c.name("v")
		line := ""
		switch k := c.IntN(12); {
		case k < 4:
			line = fmt.Sprintf("add(%%%s, %%%s)", c.pick(live), c.pick(live))
		case k < 6 && depth == 0:
			line = fmt.Sprintf("convolution(%%%s, %%weight), dim_labels=bf_io->bf", c.pick(live))
		case k < 8:
			body := c.name("fused")
			fmt.Fprintf(&c.text, "%%%s {\n  %%x.%s = %s parameter(0)\n  %%y.%s = %s parameter(1)\n  ROOT %%z.%s = %s "+
				"multiply(%%x.%s, %%y.%s)\n}\n\n",
				body, body, shape, body, shape, body, shape, body, body)
			line = fmt.Sprintf("fusion(%%%s, %%%s), kind=kLoop, calls=%%%s", c.pick(live), c.pick(live), body)
		case k < 9:
			zero := c.name("zero")
			fmt.Fprintf(out, "  %%%s = s32[]{:T(128)} constant(0)\n", zero)
			line = fmt.Sprintf("dynamic-update-slice(%%%s, %%%s, %%%s, %%%s)", live[len(live)-1], c.pick(live), zero, zero)
			live = live[:len(live)-1+min(1, max(0, 2-len(live)))]
		case depth == 0 && k < 11:
			line = c.loop(out, shape, live)
		case depth == 0:
			line = c.branch(out, shape, live)
		case c.IntN(2) == 0:
			line = fmt.Sprintf("negate(%%%s)", c.pick(live))
		default:
			fmt.Fprintf(out, "  %%start.%s = (%s, %s, u32[], u32[]) collective-permute-start(%%%s), channel_id=%d, "+
				"source_target_pairs={{0,1},{1,0}}\n",
				name, shape, shape, c.pick(live), c.names)
			for range 1 + c.IntN(5) {
				between := c.name("v")
				fmt.Fprintf(out, "  %%%s = %s add(%%%s, %%%s)\n", between, shape, c.pick(live), c.pick(live))
				live = append(live, between)
			}
			line = fmt.Sprintf("collective-permute-done(%%start.%s)", name)
		}
		fmt.Fprintf(out, "  %%%s = %s %s\n", name, shape, line)
		if live = append(live, name); len(live) > 7 {
			live = append(live[:0:0], live[c.IntN(3):]...)
		}
	}
	return live
}

// loop writes a loop that carries two live values and returns the element that follows it.
func (c *crowded) loop(out *strings.Builder, shape string, live []string) string {
	w := c.name("w")
	carry := fmt.Sprintf("(s32[]{:T(128)}, %s, %s)", shape, shape)
	element := func(to *strings.Builder, name, from string, k int) {
		fmt.Fprintf(to, "  %%%s = %s get-tuple-element(%%%s), index=%d\n", name, shape, from, k)
	}
	var body strings.Builder
	fmt.Fprintf(&body, "  %%p.%s = %s parameter(0)\n  %%i.%s = s32[]{:T(128)} get-tuple-element(%%p.%s), index=0\n", w,
		carry, w, w)
	element(&body, "a."+w, "p."+w, 1)
	element(&body, "b."+w, "p."+w, 2)
	last := c.lines(&body, shape, []string{"a." + w, "b." + w}, 2+c.IntN(3), 1)
	kept := "b." + w
	if c.IntN(2) == 0 {
		kept = c.pick(last)
	}
	fmt.Fprintf(&body, "  ROOT %%t.%s = %s tuple(%%i.%s, %%%s, %%%s)\n}\n\n", w, carry, w, last[len(last)-1], kept)
	fmt.Fprintf(&c.text, "%%c.%s {\n  %%q.%s = %s parameter(0)\n  ROOT %%r.%s = pred[]{:T(512)} "+
		"constant(false)\n}\n\n%%body.%s {\n%s", w, w, carry, w, w, body.String())
	zero := c.name("zero")
	fmt.Fprintf(out, "  %%%s = s32[]{:T(128)} constant(0)\n  %%in.%s = %s tuple(%%%s, %%%s, %%%s)\n  %%%s = %s "+
		"while(%%in.%s), condition=%%c.%s, body=%%body.%s\n",
		zero, w, carry, zero, c.pick(live), c.pick(live), w, carry, w, w, w)
	return fmt.Sprintf("get-tuple-element(%%%s), index=%d", w, 1+c.IntN(2))
}

// branch writes a conditional of two branches and returns the element that follows it.
func (c *crowded) branch(out *strings.Builder, shape string, live []string) string {
	w := c.name("if")
	pair := fmt.Sprintf("(%s, %s)", shape, shape)
	for _, side := range []string{"t", "f"} {
		n := side + "." + w
		var body strings.Builder
		fmt.Fprintf(&body, "  %%p.%s = %s parameter(0)\n  %%a.%s = %s get-tuple-element(%%p.%s), index=0\n  %%b.%s = %s "+
			"get-tuple-element(%%p.%s), index=1\n", n, pair, n, shape, n, n, shape, n)
		last := c.lines(&body, shape, []string{"a." + n, "b." + n}, 1+c.IntN(3), 1)
		fmt.Fprintf(&c.text, "%%%s {\n%s  ROOT %%r.%s = %s tuple(%%%s, %%%s)\n}\n\n", n, body.String(), n, pair,
			last[len(last)-1], c.pick(last))
	}
	fmt.Fprintf(out, "  %%in.%s = %s tuple(%%%s, %%%s)\n  %%%s = %s conditional(%%which, %%in.%s, %%in.%s), "+
		"true_computation=%%t.%s, false_computation=%%f.%s\n",
		w, pair, c.pick(live), c.pick(live), w, pair, w, w, w, w)
	return fmt.Sprintf("get-tuple-element(%%%s), index=%d", w, c.IntN(2))
}

func crowd(seed uint64) string {
	c := &crowded{Rand: rand.New(rand.NewPCG(seed, 1))}
	shape := fmt.Sprintf("f32[%d,1024]{1,0:T(8,128)}", 128<<c.IntN(4)*(1+c.IntN(6)))
	var entry strings.Builder
	live := []string{"a", "b", "c"}
	for k, p := range live {
		fmt.Fprintf(&entry, "  %%%s = %s parameter(%d)\n", p, shape, k)
	}
	fmt.Fprintf(&entry, "  %%which = pred[]{:T(512)} parameter(3)\n  %%weight = f32[1024,1024]{1,0:T(8,128)} "+
		"parameter(4)\n")
	live = c.lines(&entry, shape, live, 12+c.IntN(20), 0)
	fmt.Fprintf(&entry, "  ROOT %%out = (%s, %s) tuple(%%%s, %%%s)\n", shape, shape, live[len(live)-1], c.pick(live))
	alias := ""
	if c.IntN(2) == 0 {
		alias = ", input_output_alias={ {0}: (0, {}, may-alias) }"
	}
	return "HloModule crowded, is_scheduled=true" + alias + "\n\n" + c.text.String() + "ENTRY %main {\n" +
		entry.String() + "}\n"
}

// seeds is how many random programs the tests place on each generation.
const seeds = 24

// place returns the text of a module with its spaces, which has no fault that it did not have before.
func place(t *testing.T, name, text string, tgt *tpu.Target, opt plan.Options) string {
	t.Helper()
	m, err := parser.Parse("program.hlo", text)
	require.NoError(t, err)
	malformed, illegal := len(verify.Module(m)), faults(m, tgt)
	p, err := Run(m, tgt, opt)
	require.NoError(t, err)
	require.NoError(t, p.Apply(m))
	require.NoError(t, hlo.Check(m).Err(), text)
	require.Len(t, verify.Module(m), malformed, text)
	require.Equal(t, illegal, faults(m, tgt), "%s on %s", name, tgt.Name)
	return string(printer.Append(nil, m))
}

// faults returns the codes of what is illegal on a target, in order, once each; LAY103 is about tiles.
func faults(m *hlo.Module, tgt *tpu.Target) (codes []string) {
	for _, e := range check.Module(m, tgt) {
		if e.Code != "LAY103" {
			codes = append(codes, e.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// What the pass makes of the programs, with copies and without, and of its own result when it is asked again, as
// fingerprints in a file: whatever changes a decision changes some. -update writes the file; the commit says why. Every
// result is legal.
func TestPlacements(t *testing.T) {
	const file = "../../testdata/memory/placements.txt"
	var out strings.Builder
	names, texts := programs(t)
	for _, name := range names {
		for _, generation := range tpu.Names() {
			tgt, err := tpu.ByName(generation)
			require.NoError(t, err)
			placed := place(t, name, texts[name], tgt, plan.Options{})
			fmt.Fprintf(&out, "%s on %s: %d copies,", name, generation, strings.Count(placed, " copy-start("))
			for _, text := range []string{
				placed,
				place(t, name, texts[name], tgt, plan.Options{SpacesOnly: true}),
				place(t, name, placed, tgt, plan.Options{Reassign: true}),
			} {
				h := fnv.New32a()
				h.Write([]byte(text))
				fmt.Fprintf(&out, " %08x", h.Sum32())
			}
			out.WriteByte('\n')
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
}

// Each decision has an effect: without it some random program is placed otherwise.
func TestDecisions(t *testing.T) {
	const failed = "the pass fails"
	attempt := func(text, generation string) (out string) {
		defer func() {
			if recover() != nil {
				out = failed
			}
		}()
		m, err := parser.Parse("crowded.hlo", text)
		require.NoError(t, err)
		tgt, err := tpu.ByName(generation)
		require.NoError(t, err)
		a, err := Analyze(m, tgt)
		require.NoError(t, err)
		return fmt.Sprint(a.spaces, a.e.copies)
	}
	for i, d := range decisions {
		assert.NotEmpty(t, d.Doc, d.Name)
		assert.NotEmpty(t, d.Evidence, d.Name)
		apply, differs := d.apply, false
		for seed := uint64(0); seed < 40*seeds && !differs; seed++ {
			text := crowd(seed)
			for _, generation := range []string{"v5e", "v5p", "v7x"} {
				with := attempt(text, generation)
				decisions[i].apply = func(_ *engine, s *step) outcome {
					if d.Name == "evict" && s.slow == nil {
						s.begin() // later decisions need a piece in HBM
					}
					return undecided
				}
				without := attempt(text, generation)
				differs = differs || without != with && without != failed
				decisions[i].apply = apply
			}
		}
		assert.True(t, differs, "%s has no effect", d.Name)
	}
}
