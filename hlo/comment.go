package hlo

// Comment is a comment of the text that a module was read from. The comments /*index=N*/ of long operand lists are
// none.
type Comment struct {
	// Text has its marks: `// ...` without the end of the line, or `/* ... */`.
	Text string
	// Place is where it is at its module, computation or instruction.
	Place CommentPlace
	// Operand is the number of the operand that it precedes or follows.
	Operand int32
	// BlankBefore and BlankAfter say that empty lines separate a comment on its own lines from what is around it.
	BlankBefore, BlankAfter bool
}

// CommentPlace is a place of a comment at what it belongs to.
type CommentPlace uint8

// The places of comments.
const (
	CommentBefore CommentPlace = iota // on its own lines, in front
	CommentBeforeOperand
	CommentBehindOperand
	CommentBehind    // at the end of the line: an instruction's, the first one of a computation or a module
	CommentBeforeEnd // on its own lines, before the closing brace of a computation; at the end of a module
	CommentBehindEnd // at the end of the line with the closing brace
)

// Line reports whether the comment ends with its line.
func (c Comment) Line() bool { return len(c.Text) > 1 && c.Text[1] == '/' }
