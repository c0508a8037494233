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
// products, fusions of one and two results, in-place updates, slices, sums, sorts, calls, loops and conditionals,
// donated parameters, values that live long. It fills the fast space of every generation.
type crowded struct {
	*rand.Rand
	text        strings.Builder
	names       int
	shape, half string
}

func (c *crowded) name(base string) string {
	c.names++
	return fmt.Sprintf("%s.%d", base, c.names)
}

func (c *crowded) pick(list []string) string { return list[c.IntN(len(list))] }

// lines writes n instructions that read live values, and returns what is live then.
func (c *crowded) lines(out *strings.Builder, live []string, n, depth int) []string {
	shape := c.shape
	for range n {
		name := c.name("v")
		line := ""
		switch k := c.IntN(15); {
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
		case k >= 12:
			line = c.other(out, name, live)
		case depth == 0 && k < 11 || depth == 1 && k == 9:
			line = c.loop(out, live, depth)
		case depth == 0:
			line = c.branch(out, live)
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

// other writes what an instruction of a rarer kind needs, and returns it.
func (c *crowded) other(out *strings.Builder, name string, live []string) string {
	line := func(to *strings.Builder, format string, args ...any) { fmt.Fprintf(to, "  "+format+"\n", args...) }
	a, b, shape, half := c.pick(live), c.pick(live), c.shape, c.half
	pair := fmt.Sprintf("(%s, %s)", shape, shape)
	element := func(of string) string {
		return fmt.Sprintf("get-tuple-element(%%%s.%s), index=%d", of, name, c.IntN(2))
	}
	switch c.IntN(8) {
	case 0:
		return fmt.Sprintf("copy(%%%s)", a)
	case 1:
		line(out, "%%half.%s = %s slice(%%%s), slice={[0:%d], [0:1024]}", name, half, a, c.rows()/2)
		return fmt.Sprintf("concatenate(%%half.%s, %%half.%s), dimensions={0}", name, name)
	case 2:
		line(out, "%%half.%s = %s slice(%%%s), slice={[0:%d], [0:1024]}", name, half, a, c.rows()/2)
		line(out, "%%more.%s = %s negate(%%half.%s)", name, half, name)
		line(out, "%%zero.%s = s32[]{:T(128)} constant(0)", name)
		return fmt.Sprintf("dynamic-update-slice(%%%s, %%more.%s, %%zero.%s, %%zero.%s)", b, name, name, name)
	case 3:
		line(out, "%%zero.%s = f32[]{:T(128)} constant(0)", name)
		line(out, "%%sum.%s = f32[1024]{0:T(1024)} reduce(%%%s, %%zero.%s), dimensions={0}, to_apply=%%sum", name, a, name)
		return fmt.Sprintf("broadcast(%%sum.%s), dimensions={1}", name)
	case 4:
		return fmt.Sprintf("sort(%%%s), dimensions={1}, to_apply=%%less", a)
	case 5:
		line(out, "%%in.%s = %s tuple(%%%s, %%%s)", name, pair, a, b)
		line(out, "%%held.%s = %s opt-barrier(%%in.%s)", name, pair, name)
		return element("held")
	case 6:
		fmt.Fprintf(&c.text, "%%called.%s {\n  %%x.%s = %s parameter(0)\n  ROOT %%y.%s = %s sine(%%x.%s)\n}\n\n", name, name,
			shape, name, shape, name)
		return fmt.Sprintf("call(%%%s), to_apply=%%called.%s", a, name)
	}
	fmt.Fprintf(&c.text, "%%two.%s {\n", name)
	line(&c.text, "%%x.%s = %s parameter(0)", name, shape)
	line(&c.text, "%%y.%s = %s parameter(1)", name, shape)
	line(&c.text, "%%p.%s = %s multiply(%%x.%s, %%y.%s)", name, shape, name, name)
	line(&c.text, "%%q.%s = %s sine(%%y.%s)", name, shape, name)
	fmt.Fprintf(&c.text, "  ROOT %%r.%s = %s tuple(%%p.%s, %%q.%s)\n}\n\n", name, pair, name, name)
	line(out, "%%both.%s = %s fusion(%%%s, %%%s), kind=kLoop, calls=%%two.%s", name, pair, a, b, name)
	return element("both")
}

func (c *crowded) rows() (n int) {
	fmt.Sscanf(c.shape, "f32[%d,", &n)
	return n
}

// loop writes a loop that carries two live values, one in an inner tuple, and returns the element that follows it.
func (c *crowded) loop(out *strings.Builder, live []string, depth int) string {
	w, shape := c.name("w"), c.shape
	inner := fmt.Sprintf("(s32[]{:T(128)}, %s)", shape)
	carry := fmt.Sprintf("(%s, %s)", shape, inner)
	last := func(to *strings.Builder, name, from string) {
		fmt.Fprintf(to, "  %%%s.in = %s get-tuple-element(%%%s), index=1\n", name, inner, from)
		fmt.Fprintf(to, "  %%%s = %s get-tuple-element(%%%s.in), index=1\n", name, shape, name)
	}
	var body strings.Builder
	fmt.Fprintf(&body, "  %%p.%s = %s parameter(0)\n  %%a.%s = %s get-tuple-element(%%p.%s), index=0\n", w, carry, w,
		shape, w)
	last(&body, "b."+w, "p."+w)
	fmt.Fprintf(&body, "  %%i.%s = s32[]{:T(128)} get-tuple-element(%%b.%s.in), index=0\n", w, w)
	made := c.lines(&body, []string{"a." + w, "b." + w}, 2+c.IntN(3), depth+1)
	results := []string{made[len(made)-1], "b." + w}
	if c.IntN(2) == 0 {
		results[1] = c.pick(made)
	}
	c.Shuffle(2, func(i, j int) { results[i], results[j] = results[j], results[i] })
	fmt.Fprintf(&body, "  %%n.%s = %s tuple(%%i.%s, %%%s)\n  ROOT %%t.%s = %s tuple(%%%s, %%n.%s)\n}\n\n", w, inner, w,
		results[1], w, carry, results[0], w)
	fmt.Fprintf(&c.text, "%%c.%s {\n  %%q.%s = %s parameter(0)\n  ROOT %%r.%s = pred[]{:T(512)} "+
		"constant(false)\n}\n\n%%body.%s {\n%s", w, w, carry, w, w, body.String())
	fmt.Fprintf(out, "  %%zero.%s = s32[]{:T(128)} constant(0)\n  %%first.%s = %s tuple(%%zero.%s, %%%s)\n", w, w,
		inner, w, c.pick(live))
	fmt.Fprintf(out, "  %%in.%s = %s tuple(%%%s, %%first.%s)\n  %%%s = %s while(%%in.%s), condition=%%c.%s, "+
		"body=%%body.%s\n", w, carry, c.pick(live), w, w, carry, w, w, w)
	if c.IntN(2) == 0 {
		return fmt.Sprintf("get-tuple-element(%%%s), index=0", w)
	}
	last(out, "e."+w, w)
	return fmt.Sprintf("negate(%%e.%s)", w)
}

// branch writes a conditional of two branches and returns the element that follows it.
func (c *crowded) branch(out *strings.Builder, live []string) string {
	w, shape := c.name("if"), c.shape
	pair := fmt.Sprintf("(%s, %s)", shape, shape)
	for _, side := range []string{"t", "f"} {
		n := side + "." + w
		var body strings.Builder
		fmt.Fprintf(&body, "  %%p.%s = %s parameter(0)\n  %%a.%s = %s get-tuple-element(%%p.%s), index=0\n  %%b.%s = %s "+
			"get-tuple-element(%%p.%s), index=1\n", n, pair, n, shape, n, n, shape, n)
		last := c.lines(&body, []string{"a." + n, "b." + n}, 1+c.IntN(3), 1)
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
	rows := 128 << c.IntN(4) * (1 + c.IntN(6))
	shape := fmt.Sprintf("f32[%d,1024]{1,0:T(8,128)}", rows)
	c.shape, c.half = shape, fmt.Sprintf("f32[%d,1024]{1,0:T(8,128)}", rows/2)
	c.text.WriteString("%sum {\n  %sum.x = f32[] parameter(0)\n  %sum.y = f32[] parameter(1)\n  ROOT %sum.z = f32[] " +
		"add(%sum.x, %sum.y)\n}\n\n%less {\n  %less.x = f32[] parameter(0)\n  %less.y = f32[] parameter(1)\n  ROOT " +
		"%less.z = pred[] compare(%less.x, %less.y), direction=LT\n}\n\n")
	var entry strings.Builder
	live := []string{"a", "b", "c"}
	for k, p := range live {
		fmt.Fprintf(&entry, "  %%%s = %s parameter(%d)\n", p, shape, k)
	}
	fmt.Fprintf(&entry, "  %%which = pred[]{:T(512)} parameter(3)\n  %%weight = f32[1024,1024]{1,0:T(8,128)} "+
		"parameter(4)\n")
	live = c.lines(&entry, live, 12+c.IntN(20), 0)
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

// place returns the text of a module with its spaces, which has no fault that it did not have before, and what the pass
// says of them.
func place(t *testing.T, name, text string, tgt *tpu.Target, opt plan.Options) (placed, says string) {
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
	var said strings.Builder
	fmt.Fprintln(&said, p.Notes)
	for _, f := range p.Facts {
		fmt.Fprintln(&said, f.Instruction.Name, f.Index, f.Text)
	}
	for _, d := range p.Decisions {
		fmt.Fprintln(&said, d.Instruction.Name, d.Index, d.Reason.Rule)
	}
	return string(printer.Append(nil, m)), said.String()
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

// What the pass makes of the programs, with copies and without, and what it says of it, as fingerprints in a file:
// whatever changes a decision changes some. -update writes the file; the commit says why. Every result is legal, and
// the pass leaves it as it is.
func TestPlacements(t *testing.T) {
	const file = "../../testdata/memory/placements.txt"
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	var out strings.Builder
	names, texts := programs(t)
	for _, name := range names {
		for _, generation := range tpu.Names() {
			tgt, err := tpu.ByName(generation)
			require.NoError(t, err)
			placed, says := place(t, name, texts[name], tgt, plan.Options{})
			again, _ := place(t, name, placed, tgt, plan.Options{})
			require.Equal(t, placed, again, "%s on %s", name, generation)
			short, _ := place(t, name, texts[name], tgt, plan.Options{SpacesOnly: true})
			fmt.Fprintf(&out, "%s on %s: %d copies,", name, generation, strings.Count(placed, " copy-start("))
			for _, text := range []string{placed, says, short} {
				h := fnv.New32a()
				h.Write([]byte(text))
				fmt.Fprintf(&out, " %08x", h.Sum32())
			}
			out.WriteByte('\n')
		}
		require.True(t, *update || strings.HasPrefix(string(want), out.String()), "%s is not as in %s", name, file)
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
		return
	}
	assert.Equal(t, string(want), out.String())
}

// A tuple is made anew only where it reads something else than before.
func TestTuplesAreNotRepeated(t *testing.T) {
	_, texts := programs(t)
	tgt, err := tpu.ByName("v5e")
	require.NoError(t, err)
	made := 0
	for name, text := range texts {
		m, err := parser.Parse("program.hlo", text)
		require.NoError(t, err)
		p, err := Run(m, tgt, plan.Options{})
		require.NoError(t, err)
		for _, e := range p.Edits {
			for _, in := range e.New {
				if in.Opcode != hlo.OpTuple {
					continue
				}
				made++
				for _, old := range e.Computation.Instructions {
					require.False(t, old.Opcode == hlo.OpTuple && slices.Equal(old.Operands, in.Operands), "%s: %s", name, old.Name)
				}
			}
		}
	}
	assert.Positive(t, made)
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
