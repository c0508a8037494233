package diff

import "unicode/utf8"

// beside writes a pair as two columns with a sign between them: | for a change, < and > for a line that one side alone
// has. What is longer than a column goes on below.
func (r *renderer) beside(old, new string) {
	column := max((r.Width-3)/2, 20)
	sign := byte('|')
	var o, n []span
	switch {
	case old == "":
		sign, n = '>', []span{{new, false}}
	case new == "":
		sign, o = '<', []span{{old, false}}
	default:
		o, n = highlight(old, new)
	}
	if !r.Whole {
		o, n = shorten(o, maxLine), shorten(n, maxLine)
	}
	left, right := r.wrap('-', o, column), r.wrap('+', n, column)
	for i := range max(len(left), len(right)) {
		width := 0
		if i < len(left) {
			r.half(ansiRed, '-', left[i], sign == '<')
			width = r.width('-', left[i])
		}
		for ; width < column; width++ {
			r.dst = append(r.dst, ' ')
		}
		r.dst = append(r.dst, ' ', sign)
		if i < len(right) {
			r.dst = append(r.dst, ' ')
			r.half(ansiGreen, '+', right[i], sign == '>')
		}
		r.dst = append(r.dst, '\n')
	}
}

// half writes one column's line; whole colours all of it.
func (r *renderer) half(color string, sign byte, spans []span, whole bool) {
	colored := r.Color && len(spans) > 0
	for _, s := range spans {
		whole = whole || s.Changed
	}
	if colored && whole {
		r.dst = append(r.dst, color...)
	}
	r.spans(sign, spans)
	if colored && whole {
		r.dst = append(r.dst, ansiReset...)
	}
}

// width is the number of columns that a line takes, with its marks.
func (r *renderer) width(sign byte, spans []span) int {
	n := 0
	for _, s := range spans {
		n += utf8.RuneCountInString(s.Text)
		if s.Changed {
			n += r.markWidth(sign)
		}
	}
	return n
}

func (r *renderer) markWidth(sign byte) int {
	if r.Color {
		return 0
	}
	open, shut := r.marks(sign)
	return len(open) + len(shut)
}

// wrap cuts a line into pieces of at most column columns.
func (r *renderer) wrap(sign byte, spans []span, column int) [][]span {
	var out [][]span
	var line []span
	room := column
	for _, s := range spans {
		for s.Text != "" {
			marks := 0
			if s.Changed {
				marks = r.markWidth(sign)
			}
			if room <= marks {
				out, line, room = append(out, line), nil, column
			}
			cut, width := 0, marks
			for cut < len(s.Text) && width < room {
				_, n := utf8.DecodeRuneInString(s.Text[cut:])
				cut, width = cut+n, width+1
			}
			line = append(line, span{s.Text[:cut], s.Changed})
			room -= width
			s.Text = s.Text[cut:]
		}
	}
	if line != nil {
		out = append(out, line)
	}
	return out
}
