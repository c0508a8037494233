package picture

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"unicode/utf8"
)

// Sizes in pixels. A character of the 12-pixel monospace font is about 7.2 wide; 7.5 leaves room for wider fonts.
const (
	margin    = 16
	lineStep  = 18
	cellLine  = 22 // the height of an element's cell
	blockLine = 56 // of a tile's
	gapSize   = 26
	panelStep = 22 // between panels
)

func textWidth(n int) int { return (n*15 + 1) / 2 }

// style has the colours for light and dark. All of it is bound to the class of the picture: in an HTML page it touches
// nothing else.
const style = `<style>
.hlolayout{--paper:#ffffff;--ink:#1f2328;--soft:#57606a;` +
	`--data:#ddf4ff;--pad:#eaeef2;--hatch:#afb8c1;--line:#afb8c1;--edge:#0550ae}
@media (prefers-color-scheme:dark){.hlolayout{--paper:#0d1117;--ink:#e6edf3;--soft:#9198a1;` +
	`--data:#0c2d6b;--pad:#21262d;--hatch:#484f58;` +
	`--line:#484f58;--edge:#79c0ff}}
.hlolayout text{font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink)}
.hlolayout .title{font-size:14px;font-weight:bold}
.hlolayout .soft{fill:var(--soft)}
.hlolayout .end{text-anchor:end}
.hlolayout .mid{text-anchor:middle}
.hlolayout .paper{fill:var(--paper)}
.hlolayout .data{fill:var(--data);stroke:var(--line)}
.hlolayout .pad{fill:var(--pad);stroke:var(--line)}
.hlolayout .hatch{stroke:var(--hatch)}
.hlolayout .edge{fill:none;stroke:var(--edge);stroke-width:2}
</style>
`

// AppendSVG appends the picture as an SVG document. It follows the reader's choice of light or dark
// (prefers-color-scheme); the title and the text are its <title> and <desc>.
func (p *Picture) AppendSVG(dst []byte) []byte {
	body := svg{width: textWidth(len(p.Title))*14/12 + 2*margin, y: margin + 14}
	body.text(margin, body.y, "title", p.Title)
	padded := false
	for i := range p.Panels {
		body.y += panelStep
		body.panel(&p.Panels[i])
		padded = padded || p.Panels[i].padded()
	}
	if padded {
		body.y += lineStep
		body.rect(margin, body.y, 24, 14, "pad")
		body.hatch(margin, body.y, 24, 14)
		body.text(margin+32, body.y+11, "", "padding: memory that holds no element")
		body.y += 14
	}
	return body.append(dst, p.Title, p.Text)
}

// svg is a document under construction; y is how far down it has come.
type svg struct {
	out      []byte
	width, y int
}

// append appends the whole document: its head, the title and the text for those who cannot see it, the style, and what
// was drawn.
func (s *svg) append(dst []byte, title, text string) []byte {
	width, height := strconv.Itoa(s.width), strconv.Itoa(s.y+margin)
	dst = append(dst, `<svg xmlns="http://www.w3.org/2000/svg" class="hlolayout" role="img" width="`+width+`" height="`+
		height+`" viewBox="0 0 `+width+" "+height+`">`+"\n"...)
	dst = append(append(append(dst, "<title>"...), escape(title)...), "</title>\n<desc>"...)
	dst = append(append(append(dst, escape(text)...), "</desc>\n"...), style...)
	dst = append(dst, `<rect class="paper" width="100%" height="100%"/>`+"\n"...)
	dst = append(dst, s.out...)
	return append(dst, "</svg>\n"...)
}

func (s *svg) panel(p *Panel) {
	s.text(margin, s.y+12, "", p.Caption)
	s.y += lineStep
	if names := p.axisNames("↓ ", "→ "); names != "" {
		s.text(margin, s.y+12, "soft", names)
		s.y += lineStep
	}
	label := 0
	for _, m := range p.Rows.Marks {
		label = max(label, len(m.text()))
	}
	cell, line := textWidth(p.cellSize()-1)+4, cellLine
	if p.Blocks {
		cell, line = max(cell, 100), blockLine
	}
	xs := places(p.Cols.Marks, margin+textWidth(label)+8, cell)
	top := s.y + lineStep
	ys := places(p.Rows.Marks, top, line)
	for k, m := range p.Cols.Marks {
		if p.Blocks && !m.Gap {
			s.text(xs[k], top-5, "soft", m.text())
		} else {
			s.text((xs[k]+xs[k+1])/2, top-5, "soft mid", m.text())
		}
	}
	for i, m := range p.Rows.Marks {
		y := ys[i] + 15
		s.text(xs[0]-8, y, "soft end", m.text())
		for k, column := range p.Cols.Marks {
			w, h := xs[k+1]-xs[k], ys[i+1]-ys[i]
			switch {
			case m.Gap:
			case column.Gap:
				s.text(xs[k]+w/2, y, "soft mid", gapText)
			default:
				s.cell(&p.Cells[i][k], xs[k], ys[i], w, h, p.Blocks)
			}
		}
	}
	s.edges(p, xs, ys)
	s.width, s.y = max(s.width, xs[len(xs)-1]+margin), ys[len(ys)-1]
}

// places returns where each mark begins, and where the last one ends.
func places(marks []Mark, from, size int) []int {
	out := []int{from}
	for _, m := range marks {
		if m.Gap {
			from += gapSize
		} else {
			from += size
		}
		out = append(out, from)
	}
	return out
}

func (s *svg) cell(c *Cell, x, y, w, h int, isBlock bool) {
	dataW, dataH := part(w, c.Width), part(h, c.Height)
	if c.Width == 0 || c.Height == 0 {
		dataW, dataH = 0, 0
	}
	if dataW < w || dataH < h {
		s.rect(x, y, w, h, "pad")
		s.hatch(x, y, w, h)
	}
	if dataW > 0 {
		s.rect(x, y, dataW, dataH, "data")
	}
	for n, text := range c.Lines {
		switch {
		case isBlock:
			s.text(x+8, y+18+n*lineStep, "", text)
		case dataW == 0:
			s.text(x+w-5, y+15, "soft end", text)
		default:
			s.text(x+w-5, y+15, "end", text)
		}
	}
}

// edges draws the frame, and a line where a tile begins.
func (s *svg) edges(p *Panel, xs, ys []int) {
	left, top, right, bottom := xs[0], ys[0], xs[len(xs)-1], ys[len(ys)-1]
	s.out = append(s.out, `<path class="edge" d="`...)
	s.coords("M", left, top)
	s.coords("H", right)
	s.coords("V", bottom)
	s.coords("H", left)
	s.coords("Z")
	for k, m := range p.Cols.Marks {
		if k > 0 && m.Edge {
			s.coords("M", xs[k], top)
			s.coords("V", bottom)
		}
	}
	for i, m := range p.Rows.Marks {
		if i > 0 && m.Edge {
			s.coords("M", left, ys[i])
			s.coords("H", right)
		}
	}
	s.out = append(s.out, "\"/>\n"...)
}

// hatch draws the diagonals of a field of padding: shading that does not depend on colour alone.
func (s *svg) hatch(x, y, w, h int) {
	const step = 8
	s.out = append(s.out, `<path class="hatch" d="`...)
	for d := step; d < w+h; d += step { // the line from the left or lower border to the upper or right one
		fromX, fromY := x+max(d-h, 0), y+min(d, h)
		toX, toY := x+min(d, w), y+max(d-w, 0)
		s.coords("M", fromX, fromY)
		s.coords("L", toX, toY)
	}
	s.out = append(s.out, "\"/>\n"...)
}

func (s *svg) coords(command string, numbers ...int) {
	s.out = append(s.out, command...)
	for i, n := range numbers {
		if i > 0 {
			s.out = append(s.out, ' ')
		}
		s.out = strconv.AppendInt(s.out, int64(n), 10)
	}
}

func (s *svg) rect(x, y, w, h int, class string) {
	s.out = append(s.out, `<rect class="`+class+`"`...)
	s.attr("x", x)
	s.attr("y", y)
	s.attr("width", w)
	s.attr("height", h)
	s.out = append(s.out, "/>\n"...)
}

func (s *svg) text(x, y int, class, text string) {
	s.width = max(s.width, x+textWidth(utf8.RuneCountInString(text))+margin)
	s.out = append(s.out, "<text"...)
	if class != "" {
		s.out = append(s.out, ` class="`+class+`"`...)
	}
	s.attr("x", x)
	s.attr("y", y)
	s.out = append(append(append(s.out, '>'), escape(text)...), "</text>\n"...)
}

func (s *svg) attr(name string, n int) {
	s.out = append(strconv.AppendInt(append(s.out, " "+name+`="`...), int64(n), 10), '"')
}

// escape returns text for XML; characters that XML cannot have become U+FFFD.
func escape(text string) []byte {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a Buffer takes everything
	}
	return b.Bytes()
}
