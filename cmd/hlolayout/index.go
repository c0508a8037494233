package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo/tiled"

	"github.com/urfave/cli/v3"
)

func indexCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "map an element to its place in memory, or a place to its element",
		UsageText: "hlolayout index [flags] SHAPE I,J,...\n       hlolayout index [flags] SHAPE --offset N",
		Description: `Takes an element's index to its place in memory: the offset in elements, the byte address, and, in a
tiled array, the tile, the sublane (row of 128 32-bit words), the lane (word of the row) and the position in the word.
With --offset, or @N in place of the index, goes back from an offset to the element.
` + notations + `
With - the questions are read from standard input, one a line: a shape and 1,2 or (1, 2), or a shape and @N.

JSON, one object a question:
   query, shape                the text as given, the shape in HLO's own notation
   index                       in logical order; null for padding
   physical_index              major to minor, after all tiles split their dimensions; null in the tail that L(n) adds
   physical_dims               the sizes it counts in
   offset, total_elements      in elements, padding included
   bit, byte                   where the element begins, counted from the array's beginning
   padding                     whether no element lies there
   tile, tile_grid             number of the tile, row-major in the grid; these and the next are null without tiles
   within_tile                 offset in the tile, in elements
   sublane, lane, packed       row of 128 32-bit words in the tile, word in the row, position in the word
What cannot be answered is {"query":...,"error":...}; then the exit code is 2.

Examples:
   hlolayout index 'bf16[20,300]{1,0:T(8,128)(2,1)}' 9,130
   hlolayout index 'bf16[20,300]{1,0:T(8,128)(2,1)}' --offset 4101
   echo 'f32[3,5]{1,0:T(2,2)} @9' | hlolayout index --format json -`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "offset", Usage: "which element is at this offset of `N` elements"},
			formatFlag(),
		},
		Action: func(_ context.Context, c *cli.Command) error { return index(c, s) },
	}
}

func index(c *cli.Command, s streams) error {
	args := c.Args().Slice()
	if c.IsSet("offset") {
		args = append(args, "@"+c.String("offset"))
	}
	switch {
	case len(args) == 1 && args[0] == "-":
	case len(args) < 2 || args[0] == "-":
		return usage("index", "index takes a shape and an index, such as 'f32[3,5]' 1,2, or --offset N")
	default:
		var queries []string
		for _, at := range args[1:] {
			queries = append(queries, args[0]+" "+at)
		}
		args = queries
	}
	var known arrays
	return s.ask(c, args, func(dst []byte, query string) ([]byte, error) {
		w, err := known.whereIs(query)
		if err != nil {
			return nil, err
		}
		if c.String("format") == "json" {
			return w.appendJSON(dst, query), nil
		}
		return w.appendText(dst), nil
	})
}

// indexQuestion is a shape, followed by an index or an offset.
var indexQuestion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*?)\s+(@\s*\S+|\([^()]*\)|\[[^\[\]]*\]|-?\d+(?:\s*,\s*-?\d+)*)$`)
})

// whereabouts are an offset and what is there.
type whereabouts struct {
	array    *tiled.Array
	offset   int64
	index    []int64 // nil for padding
	padding  bool
	physical []int64 // nil in the tail that L(n) adds
	grid     []int64 // nil without tiles
	place    tiled.Place
}

// arrays keeps what was read of the latest shapes: many questions are about few of them. It may be used by several at a
// time.
type arrays struct {
	mu sync.Mutex
	of map[string]*tiled.Array
}

func (k *arrays) read(text string) (*tiled.Array, error) {
	const most = 1024
	k.mu.Lock()
	a := k.of[text]
	k.mu.Unlock()
	if a != nil {
		return a, nil
	}
	shape, err := readArray(text)
	if err != nil {
		return nil, err
	}
	if a, err = tiled.New(shape); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || len(k.of) == most {
		k.of = make(map[string]*tiled.Array)
	}
	k.of[strings.Clone(text)] = a // text is part of a longer one
	return a, nil
}

func (k *arrays) whereIs(query string) (*whereabouts, error) {
	m := indexQuestion().FindStringSubmatch(strings.TrimSpace(query))
	if m == nil {
		return nil, fmt.Errorf("expected a shape and an index, such as f32[3,5] 1,2, or a shape and an offset, " +
			"f32[3,5] @9")
	}
	a, err := k.read(m[1])
	if err != nil {
		return nil, err
	}
	w := &whereabouts{array: a}
	if text, ok := strings.CutPrefix(m[2], "@"); ok {
		if w.offset, err = parseInt(text); err != nil {
			return nil, err
		}
		index, ok, err := a.Element([]int64{}, w.offset)
		if err != nil {
			return nil, err
		}
		w.index, w.padding = index, !ok
	} else {
		w.index = []int64{}
		if inner := strings.Trim(m[2], "()[] \t,"); inner != "" {
			for _, text := range strings.Split(inner, ",") {
				n, err := parseInt(text)
				if err != nil {
					return nil, err
				}
				w.index = append(w.index, n)
			}
		}
		if w.offset, err = a.Index(w.index...); err != nil {
			return nil, err
		}
	}
	if physical, err := a.PhysicalAt(nil, w.offset); err == nil {
		w.physical = physical
		if grid, err := a.TileGrid(); err == nil {
			w.grid = grid
			w.place, err = a.Place(w.offset)
			return w, err
		}
	}
	return w, nil
}

func parseInt(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a 64-bit integer", strings.TrimSpace(text))
	}
	return n, nil
}

// address returns the bit and the byte at which the element begins. Both are below 2^63: tiled.New allows no larger
// array.
func (w *whereabouts) address() (bit, bytes int64) {
	bit = w.offset * w.array.Bits()
	return bit, bit / 8
}

func (w *whereabouts) appendText(dst []byte) []byte {
	a := w.array
	p := page{out: fmt.Appendf(dst, "%s\n\n", a)}
	if w.padding {
		p.line("index", "none: this is padding")
	} else {
		p.line("index", "(%s)", listBy(w.index, ", "))
	}
	if len(w.physical) > 0 {
		p.line("physical", "(%s) of [%s], major to minor", listBy(w.physical, ", "), list(a.FinalDims()))
	}
	p.line("offset", "%d of %s", w.offset, plural(a.Total(), "element", "elements"))
	bit, bytes := w.address()
	if rest := bit % 8; rest != 0 {
		p.line("address", "byte %d, %s later, of %s", bytes, plural(rest, "bit", "bits"),
			plural(a.Bytes(), "byte", "bytes"))
	} else {
		p.line("address", "byte %d of %s", bytes, plural(a.Bytes(), "byte", "bytes"))
	}
	if w.grid != nil {
		p.line("tile", "%d in a grid of %s, element %d of the tile", w.place.Tile, listBy(w.grid, " x "),
			w.place.Within)
		p.line("register", "sublane %d, lane %d", w.place.Sublane, w.place.Lane)
		if packing := tiled.WordBits / a.Bits(); packing > 1 {
			p.line("packed", "position %d of the %d in a 32-bit word", w.place.Packed, packing)
		}
	}
	return p.out
}

func (w *whereabouts) appendJSON(dst []byte, query string) []byte {
	a := w.array
	o := object{b: dst}
	o.begin()
	o.str("query", query)
	o.str("shape", a.String())
	if w.padding {
		o.null("index")
	} else {
		nums(&o, "index", w.index)
	}
	if w.physical == nil && len(a.FinalDims()) > 0 {
		o.null("physical_index")
	} else {
		nums(&o, "physical_index", w.physical)
	}
	nums(&o, "physical_dims", a.FinalDims())
	o.num("offset", w.offset)
	o.num("total_elements", a.Total())
	bit, bytes := w.address()
	o.num("bit", bit)
	o.num("byte", bytes)
	o.flag("padding", w.padding)
	if w.grid == nil {
		for _, k := range []string{"tile", "tile_grid", "within_tile", "sublane", "lane", "packed"} {
			o.null(k)
		}
		return o.end()
	}
	o.num("tile", w.place.Tile)
	nums(&o, "tile_grid", w.grid)
	o.num("within_tile", w.place.Within)
	o.num("sublane", w.place.Sublane)
	o.num("lane", w.place.Lane)
	o.num("packed", w.place.Packed)
	return o.end()
}
