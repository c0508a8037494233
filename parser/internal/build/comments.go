package build

import (
	"cmp"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// Divider begins a line between two modules of one text.
const Divider = "// -----"

// Comments notes the comments that were read in a text. The line that divides it from the module before is none of
// them.
func (b *Builder) Comments(in Text, list []Text) {
	if len(list) > 0 && list[0].Off == in.Off && strings.HasPrefix(b.text(list[0]), Divider) &&
		strings.TrimSpace(b.src[:in.Off]) != "" {
		list = list[1:]
	}
	b.comments = append(b.comments, list...)
}

// anchor is what comments belong to, and where it begins.
type anchor struct {
	pos  uint32
	comp *hlo.Computation
	in   *hlo.Instruction // nil where the anchor is the computation itself
}

func (a anchor) node() any {
	if a.in != nil {
		return a.in
	}
	return a.comp
}

// attachComments gives each comment to the module, computation or instruction that it belongs to: one on its
// own lines to what follows it, any other to what it follows or is in. It takes time in proportion to the text.
func (b *Builder) attachComments() {
	slices.SortFunc(b.comments, func(x, y Text) int { return cmp.Compare(x.Off, y.Off) })
	var anchors []anchor
	for _, c := range b.m.Computations {
		if !b.single {
			anchors = append(anchors, anchor{pos: uint32(c.Pos), comp: c})
		}
		for _, in := range c.Instructions {
			anchors = append(anchors, anchor{uint32(in.Pos), c, in})
		}
	}
	slices.SortStableFunc(anchors, func(x, y anchor) int { return cmp.Compare(x.pos, y.pos) })
	b.m.Comments = map[any][]hlo.Comment{}
	header := b.tokenAfter(b.comments[0].Off)
	if !strings.HasPrefix(b.src[header:], "HloModule") {
		header = 0
	}
	next := 0 // the first anchor after the comment
	var s commentScan
	for _, t := range b.comments {
		t.End -= uint32(len(b.text(t)) - len(strings.TrimRight(b.text(t), "\r\n")))
		for next < len(anchors) && anchors[next].pos < t.Off {
			s = commentScan{src: b.src, at: int(anchors[next].pos)}
			next++
		}
		node, c := b.place(t, header, anchors, next, &s)
		b.m.Comments[node] = append(b.m.Comments[node], c)
	}
}

// place says what a comment belongs to, and where it is. The word HloModule is at header, if there is one after the
// first comment; anchors[next] is the first that begins after it; s has scanned the text from the anchor before up to
// the comment before.
func (b *Builder) place(t Text, header uint32, anchors []anchor, next int, s *commentScan) (any, hlo.Comment) {
	c := hlo.Comment{Text: b.text(t)}
	before := strings.TrimRight(b.src[:t.Off], " \t\r")
	own := before == "" || before[len(before)-1] == '\n'
	c.BlankBefore = own && strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(before, "\n"), " \t\r"), "\n")
	after := b.src[t.End:]
	rest := strings.TrimLeft(after, " \t\r\n")
	c.BlankAfter = own && strings.Count(after[:len(after)-len(rest)], "\n") > 1
	if next == 0 { // around the first line
		switch {
		case own && t.Off < header:
			return b.m, c
		case !own:
			c.Place = hlo.CommentBehind
			return b.m, c
		case len(anchors) == 0: // no computation follows
			c.Place = hlo.CommentBeforeEnd
			return b.m, c
		}
		return anchors[0].node(), c
	}
	a := anchors[next-1]
	s.until(int(t.Off), int(t.End))
	switch {
	case a.in == nil && !s.opened, a.in == nil && !own: // up to the opening brace, and after it
		c.Place = hlo.CommentBehind
		return a.comp, c
	case s.closed && !own && !s.newLine:
		c.Place = hlo.CommentBehindEnd
		return a.comp, c
	case a.in != nil && s.depth > 0 && s.operands && !c.Line() && takesOperands(a.in):
		c.Place, c.Operand = hlo.CommentBeforeOperand, s.operand
		if last := int32(len(a.in.Operands)) - 1; s.inOperand || s.operand > last {
			c.Place, c.Operand = hlo.CommentBehindOperand, min(s.operand, last)
		}
		return a.in, c
	case a.in != nil && !s.closed && (!own || s.depth > 0):
		c.Place = hlo.CommentBehind
		return a.in, c
	case next < len(anchors) && (s.closed || anchors[next].comp == a.comp):
		return anchors[next].node(), c
	}
	c.Place = hlo.CommentBeforeEnd
	if s.closed || b.single {
		return b.m, c
	}
	return a.comp, c
}

// takesOperands reports whether the print of an instruction has operands.
func takesOperands(in *hlo.Instruction) bool {
	return len(in.Operands) > 0 && in.Opcode != hlo.OpParameter && in.Opcode != hlo.OpConstant
}

// commentScan goes through the text of one anchor, up to the comments in it.
type commentScan struct {
	src       string
	at        int
	depth     int
	braces    []int // the depth before each open one
	operands  bool  // in the operand list, or after it
	operand   int32 // the operand being read
	inOperand bool  // its text has begun
	opened    bool  // after the opening brace of a computation
	closed    bool  // after the closing brace
	newLine   bool  // and on a line after it
}

// until goes on to a comment, and past it.
func (s *commentScan) until(from, end int) {
	for ; s.at < from; s.at++ {
		switch c := s.src[s.at]; c {
		case ' ', '\t', '\r':
		case '\n':
			s.newLine = s.newLine || s.closed
		case '"':
			s.at = stringEnd(s.src[:from], s.at)
		case '/': // an index comment
			if end := strings.Index(s.src[s.at:from], "*/"); end >= 0 {
				s.at += end + 1
			}
		default:
			s.char(c)
		}
	}
	s.at = max(s.at, end)
	s.newLine = s.newLine || s.closed && strings.Contains(s.src[from:end], "\n")
}

func (s *commentScan) char(c byte) {
	begun := true
	switch c {
	case '(':
		if s.depth == 0 && !s.operands {
			s.operands, begun = s.opcodeBefore(), false
		}
		s.depth++
	case '{':
		s.opened = s.opened || s.depth == 0
		s.braces = append(s.braces, s.depth)
		s.depth++
	case '[':
		s.depth++
	case ')', ']': // of a value in braces only these need be pairs
		s.depth = max(s.depth-1, 0)
	case '}':
		if last := len(s.braces) - 1; last >= 0 {
			s.depth, s.braces = s.braces[last], s.braces[:last]
		} else {
			s.closed = true
		}
	case ',':
		if s.operands && s.depth == 1 {
			s.operand++
			begun = false
		}
	}
	s.inOperand = begun
}

// opcodeBefore reports whether a word precedes the parenthesis, but for the b of a buffer's shape.
func (s *commentScan) opcodeBefore() bool {
	before := strings.TrimRight(s.src[:s.at], " \t\r\n")
	word := before[len(strings.TrimRight(before, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")):]
	return word != "" && word != "b"
}

// stringEnd returns the offset of the quote that ends the string that begins at an offset; the length of text where
// none does.
func stringEnd(text string, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at
}
