package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

func relayoutCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "say what it costs to go from one layout to another",
		UsageText: "hlolayout relayout [flags] SHAPE_A SHAPE_B",
		Description: `Compares two layouts of the same elements: is going from A to B a bitcast, which moves nothing, or a
copy? Of a copy it says how many bytes are read and written, in how many contiguous runs, and gives its loops. The
dimensions may differ: then B is a reshape of A. A shape without tiles is taken as it is written; text then also says
what the pair is with the tiles of a TPU.
` + notations + `
With - the pairs are read from standard input, one a line: SHAPE_A -> SHAPE_B; the arrow may be missing.

JSON, one object a pair:
   query, from, to             the text as given, the shapes in HLO's own notation
   reshape                     whether the dimensions differ
   bitcast                     whether nothing is moved
   match                       bitcast; same addresses, but allocations of different sizes; or different
   memory_spaces_differ        whether the copy goes to another memory
   data_bytes                  of the elements alone
   bytes_read, bytes_written   of the allocations, padding included; 0 for a bitcast
   runs                        of elements that are adjacent in both; 0 for a bitcast, null where too many to count
   longest_run, shortest_run   in elements; as runs
   loops                       outermost first: count; dim, -1 for several, and step, its positions; from and to, steps
                               in elements; clipped, whether positions beyond the dimension are left out. null without
                               such loops
What cannot be answered is {"query":...,"error":...}; then the exit code is 2.

Examples:
   hlolayout relayout 'f32[64,256]{1,0:T(8,128)}' 'f32[64,256]{0,1:T(8,128)}'
   hlolayout relayout 'bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}' 'bf16[16,1280,40]{1,2,0:T(8,128)(2,1)}'
   hlolayout relayout 'f32[8,128,4]{2,1,0}' 'f32[1024,4]{1,0}'`,
		Flags: []cli.Flag{
			generationFlag("give shapes without tiles also those of this `GENERATION`"),
			formatFlag(),
		},
		Action: func(_ context.Context, c *cli.Command) error { return relayout(c, s) },
	}
}

func relayout(c *cli.Command, s streams) error {
	args := c.Args().Slice()
	switch {
	case len(args) == 1 && args[0] == "-":
	case len(args) != 2 || slices.Contains(args, "-"):
		return usage("relayout", "relayout takes two shapes, or - for pairs on standard input")
	default:
		args = []string{args[0] + " -> " + args[1]}
	}
	target, err := targetOf(c)
	if err != nil {
		return err
	}
	return s.ask(c, args, func(dst []byte, query string) ([]byte, error) {
		m, err := readMove(query)
		if err != nil {
			return nil, err
		}
		if c.String("format") == "json" {
			return m.appendJSON(dst, query), nil
		}
		return m.appendTiled(m.appendText(dst), target), nil
	})
}

// maxCounted is the largest number of elements whose runs are counted one by one: 64 MiB, and about a second.
const maxCounted = 1 << 22

// move is what it takes to go from one layout to another.
type move struct {
	from, to   *hlo.Shape
	a, b       *tiled.Array
	reshape    bool
	spaces     bool // the memory spaces differ
	match      tiled.Match
	runs       *tiled.RunCount // nil where they were not counted
	loops      []tiled.Loop    // nil for a bitcast, and with noLoops
	noLoops    string          // why there are none
	copyNeeded bool
}

// secondShape is where a shape begins after another one.
var secondShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s[A-Za-z][A-Za-z0-9_]*\s*\[`) })

func readMove(query string) (*move, error) {
	from, to, ok := strings.Cut(query, "->")
	if !ok {
		at := secondShape().FindStringIndex(strings.TrimSpace(query))
		if at == nil {
			return nil, fmt.Errorf("expected two shapes, as in f32[3,5]{1,0} -> f32[3,5]{0,1}")
		}
		query = strings.TrimSpace(query)
		from, to = query[:at[0]], query[at[0]:]
	}
	m := &move{}
	for _, side := range []struct {
		text  string
		shape **hlo.Shape
		array **tiled.Array
	}{{from, &m.from, &m.a}, {to, &m.to, &m.b}} {
		s, err := readArray(strings.TrimSpace(side.text))
		if err != nil {
			return nil, err
		}
		if *side.array, err = tiled.New(s); err != nil {
			return nil, err
		}
		*side.shape = s
	}
	return m, m.compare()
}

// compare finds out whether to copy, and how.
func (m *move) compare() error {
	if err := m.decide(); err != nil || !m.copyNeeded {
		return err
	}
	if runs, err := tiled.Runs(m.a, m.b, maxCounted); err == nil {
		m.runs = &runs
	} else if !errors.Is(err, tiled.ErrLimit) {
		return err
	}
	if m.reshape {
		m.noLoops = "the dimensions differ"
		return nil
	}
	var err error
	if m.loops, err = tiled.Nest(m.a, m.b); err != nil {
		m.noLoops = oneLine(err)
	}
	return nil
}

// decide finds out whether to copy.
func (m *move) decide() (err error) {
	a, b := m.a, m.b
	switch {
	case a.DType() != b.DType():
		return fmt.Errorf("%s and %s have different element types: that is a conversion, no change of layout", a, b)
	case a.Elements() != b.Elements():
		return fmt.Errorf("%s has %s, %s has %d: neither a change of layout nor a reshape", a,
			plural(a.Elements(), "element", "elements"), b, b.Elements())
	}
	m.spaces = spaceOf(m.from) != spaceOf(m.to)
	if m.reshape = !slices.Equal(a.Dims(), b.Dims()); m.reshape {
		m.match, err = tiled.ReshapeBitcast(a, b)
	} else if a.Bits() == b.Bits() {
		m.match, err = tiled.Bitcast(a, b)
	}
	if m.copyNeeded = m.match != tiled.SameBytes || m.spaces; !m.copyNeeded {
		m.runs = &tiled.RunCount{}
	}
	return err
}

func spaceOf(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.MemorySpace
}

func (m *move) appendText(dst []byte) []byte {
	p := page{out: fmt.Appendf(dst, "%s -> %s\n\n", m.from, m.to)}
	switch {
	case !m.copyNeeded:
		p.line("verdict", "bitcast: every element keeps its address, and nothing is moved")
		return p.out
	case m.match == tiled.SameBytes:
		p.line("verdict", "copy from memory space S(%d) to S(%d): the layouts agree, the memories do not",
			spaceOf(m.from), spaceOf(m.to))
	case m.match == tiled.SameAddresses:
		p.line("verdict", "copy: every element has the same address, but %s are allocated for one and %s for the other",
			bytesText(m.a.Bytes()), bytesText(m.b.Bytes()))
	default:
		p.line("verdict", "copy: elements change their addresses")
	}
	p.line("moved", "reads %s, writes %s, with padding; the data are %s", bytesText(m.a.Bytes()),
		bytesText(m.b.Bytes()), bytesText(m.a.LogicalBytes()))
	if r := m.runs; r == nil {
		p.line("runs", "not counted: more than %d elements, and the paddings or dimensions differ", maxCounted)
	} else if r.Longest == r.Shortest {
		p.line("runs", "%s of %s that stay together", plural(r.Runs, "run", "runs"),
			plural(r.Longest, "element", "elements"))
	} else {
		p.line("runs", "%s of %d to %d elements that stay together", plural(r.Runs, "run", "runs"), r.Shortest,
			r.Longest)
	}
	if m.noLoops != "" {
		p.line("loops", "none: %s", m.noLoops)
		return p.out
	}
	p.line("loops", "%s", "outermost first; steps in elements")
	clipped := false
	loops, together := m.loops, int64(1)
	if k := len(loops) - 1; k >= 0 && loops[k].A == 1 && loops[k].B == 1 && !loops[k].Clipped {
		loops, together = loops[:k], loops[k].Count
	}
	for k, l := range loops {
		over := "several dimensions"
		if l.Dim >= 0 {
			over = fmt.Sprintf("dimension %d by %d", l.Dim, l.Step)
			if l.Clipped {
				over += " (*)"
			}
		}
		clipped = clipped || l.Clipped
		p.line("", "%sfor %d times: from += %d, to += %d, %s", strings.Repeat("  ", k), l.Count, l.A, l.B, over)
	}
	p.line("", "%smove %s", strings.Repeat("  ", len(loops)), plural(together, "element", "elements"))
	if clipped {
		p.line("", "(*) positions beyond the dimension's size are left out")
	}
	return p.out
}

// appendTiled appends what the move is with a target's tiles, where a shape has none and the target gives it some.
func (m *move) appendTiled(dst []byte, t *tpu.Target) []byte {
	on := &move{}
	bare := false
	for _, side := range []struct {
		written *hlo.Shape
		shape   **hlo.Shape
		array   **tiled.Array
	}{{m.from, &on.from, &on.a}, {m.to, &on.to, &on.b}} {
		f, err := factsOf(side.written, t)
		if err != nil {
			return dst
		}
		*side.shape, *side.array = f.shape, f.array
		if !f.bare() {
			continue
		}
		bare = true
		l := *f.same.layout
		l.MemorySpace = f.shape.Layout.MemorySpace
		*side.shape = f.shape.WithLayout(&l)
		if *side.array, err = tiled.New(*side.shape); err != nil {
			return dst
		}
	}
	if !bare || on.decide() != nil {
		return dst
	}
	verdict := "bitcast"
	if on.copyNeeded {
		verdict = "copy"
	}
	p := page{out: dst}
	p.line("tiles", "not written: with those of %s, %s -> %s is a %s", t.Name, on.from, on.to, verdict)
	return p.out
}

func (m *move) appendJSON(dst []byte, query string) []byte {
	o := object{b: dst}
	o.begin()
	o.str("query", query)
	o.str("from", m.from.String())
	o.str("to", m.to.String())
	o.flag("reshape", m.reshape)
	o.flag("bitcast", !m.copyNeeded)
	o.str("match", m.match.String())
	o.flag("memory_spaces_differ", m.spaces)
	o.num("data_bytes", m.a.LogicalBytes())
	read, written := m.a.Bytes(), m.b.Bytes()
	if !m.copyNeeded {
		read, written = 0, 0
	}
	o.num("bytes_read", read)
	o.num("bytes_written", written)
	if m.runs == nil {
		o.null("runs")
		o.null("longest_run")
		o.null("shortest_run")
	} else {
		o.num("runs", m.runs.Runs)
		o.num("longest_run", m.runs.Longest)
		o.num("shortest_run", m.runs.Shortest)
	}
	if m.noLoops != "" {
		o.null("loops")
		return o.end()
	}
	o.list("loops", len(m.loops), func(i int) {
		l := m.loops[i]
		o.begin()
		o.num("count", l.Count)
		o.num("dim", int64(l.Dim))
		o.num("step", l.Step)
		o.num("from", l.A)
		o.num("to", l.B)
		o.flag("clipped", l.Clipped)
		o.close()
	})
	return o.end()
}
