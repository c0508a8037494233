package printer

import "hlolayout/hlo"

// commented prints the line of an instruction that has comments, and those on lines of their own in front of it.
func (p *printer) commented(in *hlo.Instruction) {
	comments := p.comments[in]
	p.commentLines(comments, hlo.CommentBefore, "  ")
	p.text("  ")
	p.inside = comments
	p.instruction(in)
	p.inside = nil
	p.commentsBehind(comments, hlo.CommentBehind)
	p.text("\n")
}

// commentLines prints the comments of a place on lines of their own. The printer's own empty lines are in front of
// those that are not indented.
func (p *printer) commentLines(comments []hlo.Comment, place hlo.CommentPlace, indent string) {
	blank := indent == ""
	var last hlo.Comment
	for _, c := range comments {
		if c.Place != place {
			continue
		}
		if c.BlankBefore && !blank {
			p.text("\n")
		}
		p.text(indent)
		p.text(c.Text)
		p.text("\n")
		blank, last = false, c
	}
	if last.BlankAfter && place == hlo.CommentBefore {
		p.text("\n")
	}
}

// commentsBehind prints the comments of a place at the end of a line: those that end with it after the others.
func (p *printer) commentsBehind(comments []hlo.Comment, place hlo.CommentPlace) {
	for _, line := range []bool{false, true} {
		for _, c := range comments {
			if c.Place == place && c.Line() == line {
				p.text(" ")
				p.text(c.Text)
			}
		}
	}
}

// appendInside prints the comments before or after an operand.
func (p *printer) appendInside(out []byte, operand int, place hlo.CommentPlace) []byte {
	for _, c := range p.inside {
		switch {
		case c.Place != place || int(c.Operand) != operand:
		case place == hlo.CommentBehindOperand:
			out = append(append(out, ' '), c.Text...)
		default:
			out = append(append(out, c.Text...), ' ')
		}
	}
	return out
}
