package build

import (
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser/internal/lines"
)

// Reading one text by several builders in parallel. The text is cut in front of instructions; each builder reads its
// piece with its own names and notes what an earlier piece must define. Join then concatenates the pieces in their
// order. Whatever is not plain sailing (an error, a warning, a body in line, a shape left out) stops the piece: the
// text is then read once more by one builder, so that there is one way only to find errors, and their places and order
// do not depend on cuts.

// piece is what a builder knows that reads a part of a text.
type piece struct {
	end     int    // of the piece, in the source
	inside  *scope // of the computation in which the piece begins; nil for the first piece
	stopped bool   // it needs to be read with what came before

	operands [][]pendingOperand // in blocks: there are many, and a list that grows copies them and leaves garbage
	calls    []pendingCall

	interning *sync.Mutex // of the module that all pieces belong to
	module    *hlo.Module
}

// pendingOperand is an operand that the inside computation does not define in this piece.
type pendingOperand struct {
	in    *hlo.Instruction
	at    int
	name  string
	shape *hlo.Shape // written in front of it, nil where there is none
}

// pend notes an operand.
func (p *piece) pend(o pendingOperand) {
	var block []pendingOperand
	last := len(p.operands) - 1
	if last >= 0 {
		block = p.operands[last]
	}
	if len(block) == cap(block) {
		block = make([]pendingOperand, 0, grow(cap(block), 1))
		p.operands = append(p.operands, nil)
		last++
	}
	p.operands[last] = append(block, o)
}

// lastPending is the operand that was noted last.
func (p *piece) lastPending() *pendingOperand {
	block := p.operands[len(p.operands)-1]
	return &block[len(block)-1]
}

// pendingCall is a computation that this piece does not define.
type pendingCall struct {
	in     *hlo.Instruction
	at     int
	name   string
	inside bool // in the body that the piece begins in
}

// Cut returns where to cut src[from:to] into n pieces of about the same length, or fewer: beginnings of lines that look
// like an instruction after another one. A wrong guess only costs time.
func Cut(src string, from, to, n int) []int {
	const reach = 1 << 18
	var cuts []int
	for k := 1; k < n; k++ {
		at := from + (to-from)/n*k
		if len(cuts) > 0 {
			at = max(at, cuts[len(cuts)-1]+1)
		}
		limit := min(at+reach, to)
		before := "{" // what the line before is, is not known
		for at < limit {
			end := strings.IndexByte(src[at:limit], '\n')
			if end < 0 {
				break
			}
			line := src[at : at+end]
			if lines.Instruction(before) && lines.Instruction(line) {
				cuts = append(cuts, at)
				break
			}
			before = line
			at += end + 1
		}
	}
	return cuts
}

// Sectioned reports whether the builder reads a piece of a text.
func (b *Builder) Sectioned() bool { return b.piece != nil }

// Stopped reports whether the piece cannot be read by itself.
func (b *Builder) Stopped() bool { return b.piece.stopped || len(b.errs) > 0 }

// alone ends the reading of a piece at something that takes what came before it, or that must be reported.
func (b *Builder) alone() {
	if b.piece != nil {
		b.piece.stopped = true
		panic(Stop{})
	}
}

// begun reports whether the computation being read began in an earlier piece.
func (b *Builder) begun() bool { return b.piece != nil && b.piece.inside == b.scope && b.scope != nil }

func (b *Builder) intern(s *hlo.Shape) *hlo.Shape {
	if b.piece == nil {
		return b.m.Intern(s)
	}
	b.piece.interning.Lock()
	defer b.piece.interning.Unlock()
	return b.piece.module.Intern(s)
}
