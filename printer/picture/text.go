package picture

import (
	"bytes"
	"math"
	"strings"
)

const gapText = "..."

// AppendText appends the panels as plain ASCII, without the title: `|` and `-` are where tiles begin, `.` and `:` is
// padding.
func (p *Picture) AppendText(dst []byte) []byte {
	for i := range p.Panels {
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = p.Panels[i].appendText(dst)
	}
	return dst
}

func (p *Panel) appendText(dst []byte) []byte {
	dst = append(dst, p.Caption...)
	if sign := p.paddingSign(); sign != "" {
		dst = append(dst, "; "+sign+" is padding"...)
	}
	dst = append(dst, '\n')
	if names := p.axisNames("down: ", "right: "); names != "" {
		dst = append(append(dst, names...), '\n')
	}
	label := 0
	for _, m := range p.Rows.Marks {
		label = max(label, len(m.text()))
	}
	width, height := p.cellSize(), 1
	if p.Blocks {
		height = 3
	}
	line := func(left string, part func(k int) string, edge, other string) {
		dst = append(dst, strings.Repeat(" ", label-len(left))+left+" "...)
		for k, m := range p.Cols.Marks {
			if k == 0 || m.Edge {
				dst = append(dst, edge...)
			}
			text, w := part(k), width
			if m.Gap {
				w = len(gapText) + 2
			}
			if p.Blocks && edge != "+" {
				dst = append(append(dst, text...), strings.Repeat(other, w-len(text))...)
			} else {
				dst = append(append(dst, strings.Repeat(other, w-len(text))...), text...)
			}
		}
		dst = append(bytes.TrimRight(append(dst, edge...), " "), '\n')
	}
	rule := func() { line("", func(int) string { return "" }, "+", "-") }
	if len(p.Cols.Marks) > 1 || p.Cols.Name != "" {
		line("", func(k int) string { return p.pad(p.Cols.Marks[k].text()) }, " ", " ")
	}
	for i, m := range p.Rows.Marks {
		if i == 0 || m.Edge {
			rule()
		}
		if m.Gap {
			line(gapText, func(int) string { return "" }, "|", " ")
			continue
		}
		for y := range height {
			left := ""
			if y == 0 {
				left = m.Label
			}
			line(left, func(k int) string {
				if p.Cols.Marks[k].Gap {
					if y > 0 {
						return ""
					}
					return p.pad(gapText)
				}
				if p.Blocks {
					return block(&p.Cells[i][k], y, width, height)
				}
				if p.Cells[i][k].Width == 0 {
					return ". "
				}
				return p.pad(p.Cells[i][k].Lines[0])
			}, "|", " ")
		}
	}
	rule()
	return dst
}

// pad puts a blank on the side of a cell's text that it is at.
func (p *Panel) pad(text string) string {
	if p.Blocks {
		return " " + text
	}
	return text + " "
}

func (m Mark) text() string {
	if m.Gap {
		return gapText
	}
	return m.Label
}

// cellSize returns the width of a cell in characters.
func (p *Panel) cellSize() int {
	width := 1
	for _, m := range p.Cols.Marks {
		width = max(width, len(m.Label))
	}
	for _, row := range p.Cells {
		for _, c := range row {
			for _, text := range c.Lines {
				width = max(width, len(text))
			}
		}
	}
	if p.Blocks {
		return max(width+3, 10)
	}
	return width + 2
}

// block returns line y of the cell of a tile.
func block(c *Cell, y, width, height int) string {
	data := part(width, c.Width)
	if y >= part(height, c.Height) {
		data = 0
	}
	b := []byte(strings.Repeat(" ", data) + strings.Repeat(":", width-data))
	if y < len(c.Lines) {
		copy(b[1:], c.Lines[y])
	}
	return string(b)
}

// part returns how much of n a share is: neither nothing nor everything where it is in between.
func part(n int, share float64) int {
	if share >= 1 {
		return n
	}
	return min(max(int(math.Round(float64(n)*share)), 1), n-1)
}

// paddingSign returns the character that stands for padding; "" where there is none in the panel.
func (p *Panel) paddingSign() string {
	switch {
	case !p.padded():
		return ""
	case p.Blocks:
		return ":"
	}
	return "."
}

func (p *Panel) padded() bool {
	for _, row := range p.Cells {
		for _, c := range row {
			if c.Lines != nil && c.Width*c.Height < 1 {
				return true
			}
		}
	}
	return false
}

// axisNames returns the names of the axes, each after a word for its direction.
func (p *Panel) axisNames(down, right string) string {
	var names []string
	if p.Rows.Name != "" {
		names = append(names, down+p.Rows.Name)
	}
	if p.Cols.Name != "" {
		names = append(names, right+p.Cols.Name)
	}
	return strings.Join(names, ", ")
}
