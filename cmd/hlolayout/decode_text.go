package main

import (
	"fmt"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
	"hlolayout/printer/picture"
	"hlolayout/tpu"
)

// appendDecoded appends what a shape means, in words, with a map of the tiles if drawn.
func appendDecoded(dst []byte, s *hlo.Shape, t *tpu.Target, drawn bool) ([]byte, error) {
	switch {
	case s.Kind == hlo.BufferShape:
		return appendDecoded(fmt.Appendf(dst, "%s: a buffer that is used in place; it holds\n\n", s), s.Elems[0], t,
			drawn)
	case s.Kind == hlo.TokenShape:
		return fmt.Appendf(dst, "%s: no data; it puts side effects in an order\n", s), nil
	case s.Kind == hlo.OpaqueShape:
		return fmt.Appendf(dst, "%s: data that XLA does not look into\n", s), nil
	case s.IsTuple():
		return appendDecodedTuple(dst, s, t, drawn)
	}
	f, err := factsOf(s, t)
	if err != nil {
		return nil, err
	}
	dst = fmt.Appendf(dst, "%s\n\n", s)
	p := page{out: dst}
	f.explain(&p, s.Layout == nil)
	if drawn && f.array.Elements() > 0 {
		drawing, err := picture.Tiles(f.array, picture.Terminal)
		if err != nil {
			return nil, err
		}
		p.out = drawing.AppendText(append(p.out, '\n'))
	}
	return p.out, nil
}

func appendDecodedTuple(dst []byte, s *hlo.Shape, t *tpu.Target, drawn bool) ([]byte, error) {
	total, table, err := tupleBytes(s, t)
	if err != nil {
		return nil, err
	}
	leaves := 0
	s.Leaves(func(hlo.Index, *hlo.Shape) { leaves++ })
	dst = fmt.Appendf(dst, "A tuple of %s: %d bytes", plural(leaves, "leaf", "leaves"), total)
	if table > 0 {
		dst = fmt.Appendf(dst, ", %d of them the table of pointers that %s gives it as a result of the program", table,
			t.Name)
	}
	dst = append(dst, ".\n"...)
	s.Leaves(func(at hlo.Index, leaf *hlo.Shape) {
		if err != nil {
			return
		}
		dst = fmt.Appendf(dst, "\nElement {%s}: ", list(at))
		var next []byte
		if next, err = appendDecoded(dst, leaf, t, drawn); err == nil {
			dst = next
		}
	})
	return dst, err
}

// page is text with a column of headings.
type page struct{ out []byte }

const headingWidth = 10

// line writes a line; heading is "" where it goes on with the one above.
func (p *page) line(heading, format string, args ...any) {
	p.out = append(fmt.Appendf(append(p.out, heading+strings.Repeat(" ", headingWidth-len(heading))...), format,
		args...), '\n')
}

func (f *facts) explain(p *page, defaultLayout bool) {
	a, s, l := f.array, f.shape, f.shape.Layout
	if len(a.Dims()) == 0 {
		p.line("array", "a scalar of %s", f.element())
	} else {
		p.line("array", "%s of %s, %s: %s", plural(a.Elements(), "element", "elements"), f.element(),
			plural(len(a.Dims()), "dimension", "dimensions"), listBy(a.Dims(), " x "))
	}
	if s.IsDynamic() {
		p.line("", "`<=` is a bound: the size at run time may be smaller, the room in memory is not")
	}
	f.explainOrder(p, defaultLayout)
	f.explainTiles(p)
	f.explainSize(p)
	space := f.space
	if space == "" {
		space = fmt.Sprintf("a memory that %s does not have", f.target.Name)
	} else if l.MemorySpace == 0 {
		space += ", as without S(n)"
	}
	p.line("memory", "S(%d): %s", l.MemorySpace, space)
	for _, note := range []struct {
		on   bool
		text string
	}{
		{l.TailPadding > 1, fmt.Sprintf("L(%d): the number of elements is rounded up to a multiple of %d",
			l.TailPadding, l.TailPadding)},
		{l.MetadataPrefix > 0, fmt.Sprintf("M(%d): %d bytes with the sizes at run time precede the data; they are "+
			"not counted here", l.MetadataPrefix, l.MetadataPrefix)},
		{len(l.Splits) > 0, "SC: each core holds a part of the array, cut at the indices in SC"},
		{l.DimTypes != "", "D: kinds of the dimensions, which XLA reads and ignores"},
		{l.Physical != nil, "P: another shape holds the data; XLA no longer takes that"},
	} {
		if note.on {
			p.line("also", "%s", note.text)
		}
	}
	f.explainFormula(p)
	p.line("JAX", "%s", appendJAX(nil, s))
	f.explainBest(p)
}

// element names the element type and its widths.
func (f *facts) element() string {
	d, bits := f.shape.DType, f.array.Bits()
	text := fmt.Sprintf("%s, %s", d, plural(bits, "bit each", "bits each"))
	if f.shape.Layout.ElementBits > 0 {
		return fmt.Sprintf("%s as E(%d) says", text, f.shape.Layout.ElementBits)
	}
	if int64(d.Bits()) != bits {
		text += fmt.Sprintf(" (%d used; without E(%d) each takes a byte)", d.Bits(), d.Bits())
	}
	return text
}

func (f *facts) explainOrder(p *page, defaultLayout bool) {
	a := f.array
	order := a.MinorToMajor()
	rank := len(order)
	if rank < 2 {
		if rank == 1 {
			p.line("order", "there is only one: {0}, in JAX (0,)")
		}
		return
	}
	layout := "{" + list(order) + "}"
	if defaultLayout {
		layout += ", the default, since none is written"
	}
	p.line("order", "HLO, minor_to_major: %s", layout)
	p.line("", "JAX, major_to_minor: %s, the same read from the other end",
		appendTuple(nil, rank, func(dst []byte, i int) []byte {
			return strconv.AppendInt(dst, int64(order[rank-1-i]), 10)
		}))
	lanes, sublanes := "", ""
	if t := a.Tiles(); len(t) > 0 && len(t[0]) == 2 && t[0][1] == tiled.Lanes && t[0][0] != hlo.Combined {
		lanes, sublanes = " and runs along the lanes", " and runs along the sublanes"
	}
	p.line("", "dimension %d (size %d) is minor: it varies fastest%s", order[0], a.Dims()[order[0]], lanes)
	p.line("", "dimension %d (size %d) is second-minor: it comes next%s", order[1], a.Dims()[order[1]], sublanes)
	if rank > 2 {
		p.line("", "dimension %d (size %d) is major: it varies slowest", order[rank-1], a.Dims()[order[rank-1]])
	}
}

func (f *facts) explainTiles(p *page) {
	a := f.array
	for i, t := range a.Tiles() {
		heading, text := "", tileText(t)
		if i == 0 {
			heading = "tiles"
		}
		stars := ""
		if strings.Contains(text, "*") {
			stars = "; * joins a dimension to the next more minor one"
		}
		switch {
		case i == 0:
			size := int64(1)
			for _, n := range t {
				if n != hlo.Combined {
					size *= n
				}
			}
			p.line(heading, "T%s: memory is cut into tiles of %s = %s%s", text,
				strings.ReplaceAll(strings.Trim(text, "()"), ",", " x "), plural(size, "element", "elements"), stars)
		case len(t) == 2 && t[1] == 1 && t[0]*a.Bits() == tiled.WordBits:
			p.line(heading, "%s: inside, %d rows are interleaved, so that %d elements of a column share a 32-bit word",
				text, t[0], t[0])
		default:
			p.line(heading, "%s: inside, the tile is cut into tiles of %s%s", text,
				strings.ReplaceAll(strings.Trim(text, "()"), ",", " x "), stars)
		}
	}
	if len(a.Tiles()) == 0 {
		p.line("tiles", "none: elements follow each other without a gap")
		return
	}
	if grid, err := a.TileGrid(); err == nil {
		n := int64(1)
		for _, g := range grid {
			n *= g
		}
		p.line("", "%s in a grid of %s, row-major", plural(n, "tile", "tiles"), listBy(grid, " x "))
	}
}

func tileText(t hlo.Tile) string {
	parts := make([]string, len(t))
	for i, n := range t {
		if parts[i] = strconv.FormatInt(n, 10); n == hlo.Combined {
			parts[i] = "*"
		}
	}
	return "(" + strings.Join(parts, ",") + ")"
}

func (f *facts) explainSize(p *page) {
	a := f.array
	if dims, ok := a.PaddedDims(); !ok {
		p.line("padding", "joined, the dimensions take %s, major to minor", listBy(a.PaddedPhysical(), " x "))
	} else if len(dims) > 0 && a.Elements() > 0 {
		var padded []string
		for d, n := range dims {
			if size := a.Dims()[d]; n != size {
				padded = append(padded, fmt.Sprintf("dimension %d from %d to %d", d, size, n))
			}
		}
		if len(padded) == 0 {
			padded = []string{"no dimension"}
		}
		p.line("padding", "%s", strings.Join(padded, ", "))
	}
	if f.bare() {
		p.line("size", "%s as written", bytesText(a.Bytes()))
	} else {
		p.line("size", "%s allocated", bytesText(a.Bytes()))
	}
	if a.Waste() != 0 { // in the words of XLA's out-of-memory message
		p.line("", "Unpadded size: %s", bytesText(a.LogicalBytes()))
		p.line("", "Extra memory due to padding: %s (%.1fx expansion)", bytesText(a.Waste()), a.Expansion())
	}
	if f.same != nil && f.bare() {
		p.line("", "%s on %s, which tiles it %s", bytesText(f.same.bytes), f.target.Name, f.same.layout)
	}
}

func (f *facts) explainFormula(p *page) {
	switch name, layout, joined := f.form(); name {
	case "layout":
		p.line("formula", "%s", layout)
		p.line("", "the CuTe layout (sizes):(steps) from the index to the offset, in elements, one entry for each "+
			"dimension")
	case "joined":
		var groups []string
		for _, g := range joined.Groups {
			groups = append(groups, "("+list(g)+")")
		}
		p.line("formula", "%s", layout)
		p.line("", "the CuTe layout from the index to the offset, in elements, over the dimensions %s, each made one "+
			"row-major", strings.Join(groups, " "))
	default:
		if f.array.Elements() == 0 {
			p.line("formula", "none: the array is empty")
			return
		}
		p.line("formula", "no single CuTe layout; from the row-major array the memory comes by")
		for _, step := range f.array.Recipe() {
			p.line("", "%s", step)
		}
	}
}

func (f *facts) explainBest(p *page) {
	switch {
	case f.best == nil:
		p.line("best", "%s has no rule for this array", f.target.Name)
	case f.same == nil || len(f.shape.Dims) < 2 || f.array.Elements() == 0:
	case f.best.bytes < f.same.bytes:
		p.line("best", "%s chooses %s where it is free: %s, %s less than in this order", f.target.Name, f.best.layout,
			bytesText(f.best.bytes), bytesText(f.same.bytes-f.best.bytes))
	case !equalOrder(f.best.layout, f.array):
		p.line("best", "this order is as compact as any; %s chooses %s where it is free", f.target.Name, f.best.layout)
	default:
		p.line("best", "this order is the most compact one, and the one that %s chooses where it is free",
			f.target.Name)
	}
	if f.same != nil && len(f.array.Tiles()) > 0 && f.array.Bytes() != f.same.bytes {
		p.line("", "with its own tiles %s needs %s for this order: %s", f.target.Name, bytesText(f.same.bytes),
			f.same.layout)
	}
}

func equalOrder(l *hlo.Layout, a *tiled.Array) bool {
	return list(l.MinorToMajor) == list(a.MinorToMajor())
}

// bytesText writes bytes as a number, and in a larger unit where that is easier to read.
func bytesText(n int64) string {
	text := plural(n, "byte", "bytes")
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	x := float64(n)
	unit := ""
	for k := 0; k < len(units) && x >= 1024; k++ {
		x /= 1024
		unit = units[k]
	}
	if unit == "" {
		return text
	}
	return fmt.Sprintf("%s (%s %s)", text, strconv.FormatFloat(x, 'f', 1, 64), unit)
}

func plural[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func list[T int | int64](v []T) string { return listBy(v, ",") }

func listBy[T int | int64](v []T, between string) string {
	parts := make([]string, len(v))
	for i, n := range v {
		parts[i] = strconv.FormatInt(int64(n), 10)
	}
	return strings.Join(parts, between)
}
