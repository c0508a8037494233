package main

import (
	"context"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

func decodeCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "say in plain words what a shape and its layout mean",
		UsageText: "hlolayout decode [flags] SHAPE...",
		Description: `Explains order, tiles, padding, bytes and memory space of each shape, gives the layout as a formula and
in JAX's notation, names the order that would take the fewest bytes, and draws where the elements lie.
` + notations + `
An instruction, as profiles and messages show it, stands for its result, other text for each shape in it.
With - the shapes are read from standard input, one a line. A tuple is explained leaf by leaf.

JSON, one object a shape:
   query, shape                the text as given, and in HLO's own notation
   jax, dtype, dims            in JAX's notation; element type; sizes in logical order
   minor_to_major              HLO's order
   major_to_minor              JAX's order
   tiles                       lists of sizes, -1 for *
   element_bits                as stored
   memory_space                the n of S(n)
   memory_space_name           null where the generation has none of that number
   elements, total_elements    without and with padding
   padded_dims                 in logical order; null where a tile joins dimensions
   data_bytes, bytes           without and with padding; bytes is what the text says, without tiles it is not the TPU's
   waste_bytes, expansion      bytes - data_bytes, bytes / data_bytes
   form, cute, steps           layout, joined (dimensions are joined first) or staged; the CuTe layout from index to
                               offset in elements, null for staged; only of staged: the steps to the memory
   tpu                         the generation that is asked
   tpu_layout, tpu_bytes       what it makes of this order at the program's boundary; null where it has no rule
   best_layout, best_bytes     what it chooses where it is free: the most compact order
Of a tuple: query, shape, bytes with what the TPU takes, table_bytes (of pointers) and leaves. Of other shapes: query,
shape. What cannot be answered is {"query":...,"error":...}; then the exit code is 2.

Examples:
   hlolayout decode 'bf16[20,300]{1,0:T(8,128)(2,1)S(1)}'
   hlolayout decode --svg tiles.svg 'F32[3,5]{1,0:(2,2)}'
   hlolayout decode 'bf16[16,1280,40] major_to_minor=(0,1,2), tiling=((8,128),(2,1))'
   hlolayout decode --format json - < shapes.txt`,
		Flags: []cli.Flag{
			generationFlag("judge for this `GENERATION`"),
			targetFileFlag(),
			&cli.BoolFlag{Name: "no-map", Usage: "leave out the drawing"},
			svgFlag(),
			formatFlag(),
		},
		Action: func(_ context.Context, c *cli.Command) error { return decode(c, s) },
	}
}

func decode(c *cli.Command, s streams) error {
	target, err := targetOf(c)
	if err != nil {
		return err
	}
	shapes := c.Args().Slice()
	if len(shapes) == 0 {
		return usage("decode", "no shape: give some, or - for those on standard input")
	}
	if c.IsSet("svg") {
		return s.writeSVG(c, shapes, svgOfShape)
	}
	return s.ask(c, shapes, func(dst []byte, query string) ([]byte, error) {
		shapes, err := readShapes(query)
		if err != nil {
			return nil, err
		}
		for i, shape := range shapes {
			if c.String("format") == "json" {
				dst, err = appendDecodedJSON(dst, query, shape, target)
			} else {
				if i > 0 {
					dst = append(dst, '\n')
				}
				dst, err = appendDecoded(dst, shape, target, !c.Bool("no-map"))
			}
			if err != nil {
				return nil, err
			}
		}
		return dst, nil
	})
}

// facts are what is known of one array.
type facts struct {
	shape  *hlo.Shape // with a layout
	array  *tiled.Array
	target *tpu.Target
	space  string // name of its memory space; "" where the target has none of that number

	// same is what the target's compiler makes of the array at the program's boundary in the same order, best in the
	// order that it chooses; nil without a rule.
	same, best *choice
}

// choice is a layout and the bytes that it takes.
type choice struct {
	layout *hlo.Layout
	bytes  int64
}

func factsOf(s *hlo.Shape, t *tpu.Target) (*facts, error) {
	a, err := tiled.New(s)
	if err != nil {
		return nil, err
	}
	if s.Layout == nil {
		s = s.WithLayout(hlo.DescendingLayout(s.Rank()))
	}
	f := &facts{shape: s, array: a, target: t}
	if m, ok := t.Space(s.Layout.MemorySpace); ok {
		f.space = m.Name
	}
	f.same = chosen(t, s, a.MinorToMajor())
	f.best = chosen(t, s, t.BoundaryOrder(s.DType, s.Dims))
	return f, nil
}

func chosen(t *tpu.Target, s *hlo.Shape, order []int) *choice {
	bytes, ok := t.Bytes(s.DType, s.Dims, order)
	if !ok {
		return nil
	}
	return &choice{t.Layout(s.DType, s.Dims, order, true), bytes}
}

// bare says that the shape has no tiles where the target would give it some.
func (f *facts) bare() bool {
	return len(f.array.Tiles()) == 0 && f.same != nil && len(f.same.layout.Tiles) > 0
}

// allocated returns the bytes that the array takes on the target.
func (f *facts) allocated() int64 {
	if f.bare() {
		return f.same.bytes
	}
	return f.array.Bytes()
}

// form names the shortest form that the index map has, and gives it: a CuTe layout, one over joined dimensions, or,
// where there is none, the steps.
func (f *facts) form() (name, layout string, joined *tiled.Joined) {
	if l, err := f.array.Layout(); err == nil {
		return "layout", l.String(), nil
	}
	if j, err := f.array.Joined(); err == nil {
		return "joined", j.Layout.String(), j
	}
	return "staged", "", nil
}

// tupleBytes returns what a tuple takes: its leaves, and the table of pointers to them.
func tupleBytes(s *hlo.Shape, t *tpu.Target) (total, table int64, err error) {
	leaves := 0
	s.Leaves(func(_ hlo.Index, leaf *hlo.Shape) {
		if leaves++; err != nil || !leaf.IsArray() {
			return
		}
		var f *facts
		if f, err = factsOf(leaf, t); err == nil {
			if total += f.allocated(); total < 0 {
				err = &tiled.Error{Kind: tiled.ErrOverflow, Msg: "the leaves take more than 2^63 bytes"}
			}
		}
	})
	table = t.TupleTableBytes(leaves)
	return total + table, table, err
}

func appendDecodedJSON(dst []byte, query string, s *hlo.Shape, t *tpu.Target) ([]byte, error) {
	o := object{b: dst}
	o.begin()
	o.str("query", query)
	if err := o.decoded(s, t); err != nil {
		return nil, err
	}
	return o.end(), nil
}

func (o *object) decoded(s *hlo.Shape, t *tpu.Target) error {
	if s.Kind == hlo.BufferShape {
		s = s.Elems[0]
	}
	o.str("shape", s.String())
	if s.IsTuple() {
		total, table, err := tupleBytes(s, t)
		if err != nil {
			return err
		}
		o.num("bytes", total)
		o.num("table_bytes", table)
		var leaves []*hlo.Shape
		s.Leaves(func(_ hlo.Index, leaf *hlo.Shape) { leaves = append(leaves, leaf) })
		o.list("leaves", len(leaves), func(i int) {
			o.begin()
			if leafErr := o.decoded(leaves[i], t); leafErr != nil && err == nil {
				err = leafErr
			}
			o.close()
		})
		return err
	}
	if !s.IsArray() {
		return nil
	}
	f, err := factsOf(s, t)
	if err != nil {
		return err
	}
	a := f.array
	o.str("jax", string(appendJAX(nil, f.shape)))
	o.str("dtype", s.DType.String())
	nums(o, "dims", a.Dims())
	nums(o, "minor_to_major", a.MinorToMajor())
	nums(o, "major_to_minor", reversed(a.MinorToMajor()))
	o.list("tiles", len(a.Tiles()), func(i int) { o.b = appendNums(o.b, a.Tiles()[i]) })
	o.num("element_bits", a.Bits())
	o.num("memory_space", f.shape.Layout.MemorySpace)
	o.strOrNull("memory_space_name", f.space)
	o.num("elements", a.Elements())
	if dims, ok := a.PaddedDims(); ok {
		nums(o, "padded_dims", dims)
	} else {
		o.null("padded_dims")
	}
	o.num("total_elements", a.Total())
	o.num("data_bytes", a.LogicalBytes())
	o.num("bytes", a.Bytes())
	o.num("waste_bytes", a.Waste())
	o.float("expansion", a.Expansion())
	name, layout, _ := f.form()
	o.str("form", name)
	o.strOrNull("cute", layout)
	if name == "staged" {
		steps := a.Recipe()
		o.list("steps", len(steps), func(i int) { o.b = appendQuoted(o.b, steps[i].String()) })
	}
	o.str("tpu", t.Name)
	for _, c := range []struct {
		key string
		*choice
	}{{"tpu", f.same}, {"best", f.best}} {
		if c.choice == nil {
			o.null(c.key + "_layout")
			o.null(c.key + "_bytes")
			continue
		}
		o.str(c.key+"_layout", c.layout.String())
		o.num(c.key+"_bytes", c.bytes)
	}
	return nil
}

func (o *object) strOrNull(k, v string) {
	if v == "" {
		o.null(k)
	} else {
		o.str(k, v)
	}
}

func reversed(order []int) []int {
	out := make([]int, len(order))
	for i, d := range order {
		out[len(order)-1-i] = d
	}
	return out
}
