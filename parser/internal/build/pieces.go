package build

import (
	"strings"
	"sync"

	"hlolayout/hlo"
)

// Reading one text by several builders at once. The text is cut in front of instructions; each builder reads its piece with
// names of its own and notes what an earlier piece must define. Join then puts the pieces together in their order. Whatever
// is not plain sailing (an error, a warning, a body in line, a shape left out) stops the piece: the text is then read once
// more by one builder, so that there is one way only to find errors, and their places and order do not depend on cuts.

// piece is what a builder knows that reads a part of a text.
type piece struct {
	end     int    // of the piece, in the source
	inside  *scope // of the computation in which the piece begins; nil for the first piece
	stopped bool   // it needs to be read with what came before

	operands []pendingOperand
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

// pendingCall is a computation that this piece does not define.
type pendingCall struct {
	in     *hlo.Instruction
	at     int
	name   string
	inside bool // in the body that the piece begins in
}

// lineBytes is how many bytes take as long to read as what every line takes beside its bytes (BenchmarkParse -cpu 2: the halves of
// gpt_L350 have 74 and 104 thousand lines).
const lineBytes = 120

// weigh returns about how long src takes to read, in bytes.
func weigh(src string) int { return len(src) + lineBytes*strings.Count(src, "\n") }

// Cut returns where to cut src[from:to] into n pieces that take about the same time to read, or fewer: beginnings of lines that look
// like an instruction behind another one. A wrong guess only costs time.
func Cut(src string, from, to, n int) []int {
	const reach, step = 1 << 18, 1 << 16
	var cuts []int
	total, passed, at := weigh(src[from:to]), 0, from
	for k := 1; k < n; k++ {
		for ; passed < total/n*k && at+step < to; at += step {
			passed += weigh(src[at : at+step])
		}
		at := at
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
			if isInstruction(before) && isInstruction(line) {
				cuts = append(cuts, at)
				break
			}
			before = line
			at += end + 1
		}
	}
	return cuts
}

// isInstruction reports whether a line looks like `ROOT? name = ...`.
func isInstruction(line string) bool {
	line = strings.TrimLeft(line, " \t")
	name, _, found := strings.Cut(strings.TrimPrefix(line, "ROOT "), " =")
	return found && name != "" && !strings.ContainsAny(name, " \t,()={}[]\"")
}

// Pieces returns a builder for each part of the source between cuts. The first reads by FirstRule, the others by InsideRule.
func Pieces(file, src string, opts Options, from, to int, cuts []int) []*Builder {
	var builders []*Builder
	lock := new(sync.Mutex)
	for i := 0; i <= len(cuts); i++ {
		b := New(file, src, opts)
		b.piece = &piece{end: to, interning: lock, module: b.m}
		if i < len(cuts) {
			b.piece.end = cuts[i]
		}
		if i > 0 {
			b.piece.module = builders[0].m
			b.pushScope()
			b.beginComputation("", Text{Off: uint32(cuts[i-1])})
			b.piece.inside = b.scope
		}
		builders = append(builders, b)
	}
	return builders
}

// Sectioned reports whether the builder reads a piece of a text.
func (b *Builder) Sectioned() bool { return b.piece != nil }

// Stopped reports whether the piece cannot be read by itself.
func (b *Builder) Stopped() bool { return b.piece.stopped || len(b.errs) > 0 }

// alone ends the reading of a piece at something that takes what came before it, or that has to be told.
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

// Join adds the next piece to those that b has read. It returns false where they do not make a module.
func (b *Builder) Join(next *Builder) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, stop := r.(Stop); !stop {
				panic(r)
			}
			ok = false
		}
	}()
	if b.scope == nil || b.closed {
		return false
	}
	var given bool
	var wait sync.WaitGroup
	wait.Go(func() { given = b.giveOperands(next) })
	apart := b.apart(next)
	wait.Wait()
	if !given || !apart || !b.giveCallees(next, true) || !b.continueBody(next) || !b.giveCallees(next, false) {
		return false
	}
	for _, c := range next.m.Computations {
		if b.compOf[c.Name] != nil {
			return false
		}
		c.Module = b.m
		b.addComputation(c)
	}
	if next.m.Entry != nil {
		if b.m.Entry != nil {
			return false
		}
		b.m.Entry = next.m.Entry
	}
	if b.scope == nil { // the next piece finished the body; perhaps it began another
		b.scope, b.scopes = next.scope, next.scopes
		if b.scope != nil {
			b.comp.Module = b.m
		}
	}
	s, t := &b.m.Style, next.m.Style
	s.Percent, s.Signatures, s.OperandShapes = s.Percent || t.Percent, s.Signatures || t.Signatures, s.OperandShapes || t.OperandShapes
	s.IndexComments = s.IndexComments && t.IndexComments
	return true
}

// giveOperands fills in the operands that the next piece lacks.
func (b *Builder) giveOperands(next *Builder) bool {
	for _, p := range next.piece.operands {
		in := b.named(p.name)
		if in == nil || p.shape != nil && p.shape != in.Shape && !p.shape.Compatible(in.Shape) {
			return false
		}
		p.in.Operands[p.at] = in
	}
	return true
}

// apart reports whether no name of the body that goes on in the next piece is known here. It goes through the table of the one
// in the order of the other, nearly: few cache misses.
func (b *Builder) apart(next *Builder) bool {
	list := next.piece.inside.list
	for _, slot := range next.piece.inside.names.slots {
		if slot.place == 0 {
			continue
		}
		if _, known := b.find(list[slot.place-1].Name, slot.hash); known {
			return false
		}
	}
	return true
}

// giveCallees fills in the computations that the next piece lacks: first those of the body it begins in, which does not know
// itself yet, then the others.
func (b *Builder) giveCallees(next *Builder, inside bool) bool {
	for _, p := range next.piece.calls {
		if p.inside != inside {
			continue
		}
		c := b.compOf[p.name]
		if c == nil {
			return false
		}
		p.in.Called[p.at] = c
	}
	return true
}

// continueBody adds the instructions of the next piece to the open computation, and closes it where the piece does.
func (b *Builder) continueBody(next *Builder) bool {
	s := next.piece.inside
	total := len(b.list) + len(s.list)
	if total > cap(b.list) {
		b.list = append(make([]*hlo.Instruction, 0, total), b.list...)
	}
	before := int32(len(b.list))
	b.list = append(b.list, s.list...)
	number := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			b.list[i].Index, b.list[i].Computation = int32(i), b.comp
		}
	}
	var wait sync.WaitGroup
	middle := (int(before) + total) / 2
	wait.Go(func() { number(int(before), middle) })
	number(middle, total)
	wait.Wait()
	b.params = append(b.params, s.params...)
	if !s.closed { // a further piece will ask for them
		b.addNames(&s.names, before)
	}
	if s.root != nil {
		if b.root != nil {
			return false
		}
		b.root = s.root
	}
	if s.closed {
		b.ComputationClose()
		b.attrs = append(b.attrs[:0], s.comp.Attrs...)
		b.ComputationEnd()
	}
	return true
}

// FinishPieces returns the module of all pieces joined, nil where the last one ends in the middle of a computation.
func (b *Builder) FinishPieces() *hlo.Module {
	if b.scope != nil {
		return nil
	}
	m, _ := b.Finish()
	return m
}
