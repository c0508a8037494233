package main

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"text/tabwriter"

	"hlolayout/hlo"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

func tableCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "list the layouts that the TPU generations would choose",
		UsageText: "hlolayout table [flags] DTYPE DIMS",
		Description: `Lists, for each generation, the layout it would choose for an array where it is free: for a parameter or
result of the program (boundary), and for a value inside that nothing else constrains (internal), with the bytes each
takes, padding included. DIMS are separated by commas, blanks or x, and may stand in brackets; a scalar has none.
NumPy's names of types will do, too.
With - the arrays are read from standard input, one a line: a million take seconds.

JSON, one object an array:
   query, dtype, dims          the text as given, the element type, the sizes
   data_bytes                  of the elements alone
   layouts                     an object by generation: boundary, boundary_bytes, internal and internal_bytes
What cannot be answered is {"query":...,"error":...}; then the exit code is 2.

Examples:
   hlolayout table bf16 16,1280,40
   hlolayout table --tpu v3,v5e 'f32[3,5]'
   hlolayout table - --format json < shapes.txt`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "tpu", Value: "all", Usage: "the `GENERATIONS`, separated by commas, or all: " +
				strings.Join(tpu.Names(), ", ")},
			targetFileFlag(),
			formatFlag(),
		},
		Action: func(_ context.Context, c *cli.Command) error { return table(c, s) },
	}
}

func table(c *cli.Command, s streams) error {
	args := c.Args().Slice()
	if len(args) == 0 {
		return usage("table", "no array: give its type and dimensions, as in bf16 16,1280,40, or - for those on "+
			"standard input")
	}
	if len(args) != 1 || args[0] != "-" {
		args = []string{strings.Join(args, " ")}
	}
	t, err := newLayoutTable(c)
	if err != nil {
		return err
	}
	answer := t.appendText
	if c.String("format") == "json" {
		answer = t.appendJSON
	}
	return s.ask(c, args, answer)
}

// layoutTable knows the targets to compare. Those that choose the same layouts are asked once.
type layoutTable struct {
	names []string
	rules []int         // of each name, where in asked its target stands
	asked []*tpu.Target // with different rules
}

func newLayoutTable(c *cli.Command) (*layoutTable, error) {
	if err := alone(c, "tpu", "target-file"); err != nil {
		return nil, err
	}
	var targets []*tpu.Target
	if file := c.String("target-file"); file != "" {
		t, err := readTarget(file)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	} else {
		names := strings.Split(c.String("tpu"), ",")
		if c.String("tpu") == "all" {
			names = tpu.Names()
		}
		for _, name := range names {
			t, err := tpu.ByName(strings.TrimSpace(name))
			if err != nil {
				return nil, err
			}
			targets = append(targets, t)
		}
	}
	table := &layoutTable{}
	type rules struct {
		lanes, sublanes, granule, rows int64
		packed, large                  bool
		options                        tpu.Options
	}
	known := map[rules]int{}
	for _, t := range targets {
		r := rules{t.Lanes, t.Sublanes, t.GranuleWords, t.MinRows, t.PackSubByte, t.LargeTiles, t.Options}
		at, ok := known[r]
		if !ok {
			at = len(table.asked)
			known[r] = at
			table.asked = append(table.asked, t)
		}
		table.names, table.rules = append(table.names, t.Name), append(table.rules, at)
	}
	return table, nil
}

// typedDims are an element type and dimensions; room spares small arrays an allocation.
type typedDims struct {
	dtype hlo.DType
	dims  []int64
	bytes int64 // of the data, without padding
	room  [8]int64
}

// read reads `bf16 16,1280,40`, `bf16[16,1280,40]` and the like.
func (d *typedDims) read(text string) (err error) {
	text = strings.TrimSpace(text)
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' ||
		text[end] == '_') {
		end++
	}
	if d.dtype, err = readType(text[:end]); err != nil {
		return err
	}
	rest := strings.TrimSpace(text[end:])
	for _, b := range [...]string{"[]", "()"} {
		if n := len(rest); n >= 2 && rest[0] == b[0] && rest[n-1] == b[1] {
			rest = strings.TrimSpace(rest[1 : n-1])
			break
		}
	}
	d.dims = d.room[:0]
	wrong := func() error {
		return fmt.Errorf("%q is not a list of dimension sizes: write them as 16,1280,40",
			strings.TrimSpace(text[end:]))
	}
	for i := 0; i < len(rest); {
		start, n := i, int64(0)
		for ; i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
			digit := int64(rest[i] - '0')
			if n > (1<<63-1-digit)/10 {
				return fmt.Errorf("a dimension size in %q does not fit in 64 bits", strings.TrimSpace(text[end:]))
			}
			n = 10*n + digit
		}
		if i == start {
			return wrong()
		}
		d.dims = append(d.dims, n)
		before := i
		i = skipBlanks(rest, i)
		switch {
		case i == len(rest):
		case rest[i] == ',':
			i = skipBlanks(rest, i+1) // the last one may have a comma, too, as Python writes (5,)
		case rest[i] == 'x':
			if i = skipBlanks(rest, i+1); i == len(rest) {
				return wrong()
			}
		case i == before: // nothing stands between it and what follows
			return wrong()
		}
	}
	return d.measure()
}

func skipBlanks(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

// measure sets the bytes of the data.
func (d *typedDims) measure() error {
	n, ok := (&hlo.Shape{Dims: d.dims}).Elements()
	high, low := bits.Mul64(uint64(n), uint64(d.dtype.Bits()))
	if !ok || high > 0 || low > 1<<63-8 {
		return fmt.Errorf("%s[%s] has more than 2^63 bits", d.dtype, list(d.dims))
	}
	d.bytes = int64((low + 7) / 8)
	return nil
}

// answer is what targets with the same rules choose.
type answer struct {
	layouts [2]*hlo.Layout // boundary and internal
	bytes   [2]int64
}

func (t *layoutTable) ask(dst []answer, d *typedDims) ([]answer, error) {
	for _, target := range t.asked {
		var a answer
		for k, order := range [2][]int{target.BoundaryOrder(d.dtype, d.dims), target.FreeOrder(d.dtype, d.dims)} {
			var ok bool
			if a.bytes[k], ok = target.Bytes(d.dtype, d.dims, order); !ok {
				return nil, fmt.Errorf("%s[%s] takes more than 2^63 bytes on %s", d.dtype, list(d.dims), target.Name)
			}
			a.layouts[k] = target.Layout(d.dtype, d.dims, order, k == 0)
		}
		dst = append(dst, a)
	}
	return dst, nil
}

func (t *layoutTable) appendJSON(dst []byte, query string) ([]byte, error) {
	var d typedDims
	if err := d.read(query); err != nil {
		return nil, err
	}
	var room [4]answer
	answers, err := t.ask(room[:0], &d)
	if err != nil {
		return nil, err
	}
	o := object{b: dst}
	o.begin()
	o.str("query", query)
	o.str("dtype", d.dtype.String())
	nums(&o, "dims", d.dims)
	o.num("data_bytes", d.bytes)
	o.key("layouts")
	o.begin()
	var from, to [4]int // in o.b, of what was written for each answer
	for i, name := range t.names {
		o.name(name)
		at := t.rules[i]
		if at < len(from) && to[at] > 0 {
			o.b = append(o.b, o.b[from[at]:to[at]]...)
			continue
		}
		a, start := &answers[at], len(o.b)
		o.begin()
		o.layout("boundary", a.layouts[0])
		o.num("boundary_bytes", a.bytes[0])
		o.layout("internal", a.layouts[1])
		o.num("internal_bytes", a.bytes[1])
		o.close()
		if at < len(from) {
			from[at], to[at] = start, len(o.b)
		}
	}
	o.close()
	return o.end(), nil
}

// name is key for a text that comes from outside.
func (o *object) name(k string) {
	if o.comma {
		o.b = append(o.b, ',')
	}
	o.comma = true
	o.b = append(appendQuoted(o.b, k), ':')
}

// layout writes a layout as a string; its text has nothing to escape.
func (o *object) layout(k string, l *hlo.Layout) {
	o.key(k)
	o.b = append(l.Append(append(o.b, '"')), '"')
}

func (t *layoutTable) appendText(dst []byte, query string) ([]byte, error) {
	var d typedDims
	if err := d.read(query); err != nil {
		return nil, err
	}
	answers, err := t.ask(nil, &d)
	if err != nil {
		return nil, err
	}
	dst = fmt.Appendf(dst, "%s[%s]: %s of data\n\n", d.dtype, list(d.dims), bytesText(d.bytes))
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "tpu\tboundary\tbytes\texpansion\tinternal\tbytes\texpansion")
	for i, name := range t.names {
		a := &answers[t.rules[i]]
		fmt.Fprint(w, name)
		for k, l := range a.layouts {
			expansion := "-"
			if d.bytes > 0 {
				expansion = strconv.FormatFloat(float64(a.bytes[k])/float64(d.bytes), 'f', 1, 64) + "x"
			}
			layout := l.String()
			if layout == "" {
				layout = "{}"
			}
			fmt.Fprintf(w, "\t%s\t%d\t%s", layout, a.bytes[k], expansion)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return append(dst, b.Bytes()...), nil
}
