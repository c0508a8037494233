package build

import (
	"sync"
	"sync/atomic"

	"hlolayout/hlo"
	"hlolayout/internal/inturn"
)

// Whole puts the pieces of one text together. Its builder stands where the pieces joined so far end.
type Whole struct {
	*Builder
	file      string
	from, to  int
	cuts      []int
	interning sync.Mutex
	spare     sync.Pool // of *scope: where pieces begin; their tables are large
	failed    atomic.Bool
	parts     *inturn.Queue[*Part]
}

// Part is what a builder made of one piece.
type Part struct {
	*piece
	m      *hlo.Module // what is new; for the first piece the module of all
	open   *scope      // of the computation that the piece does not end; nil where there is none
	scopes []*scope
	// comments are those that were read
	comments []Text
}

// NewWhole returns a Whole for the pieces of src[from:to] between the cuts.
func NewWhole(file, src string, opts Options, from, to int, cuts []int) *Whole {
	w := &Whole{Builder: New(file, src, opts), file: file, from: from, to: to, cuts: cuts}
	w.parts = inturn.New(func(p *Part) {
		if !w.Failed() && !w.join(p) {
			w.Fail()
		}
	})
	w.piece = &piece{end: to, interning: &w.interning, module: w.m}
	return w
}

// Reader returns a builder for pieces. What it remembers of texts serves for all that it reads.
func (w *Whole) Reader() *Builder { return New(w.file, w.src, w.opts) }

// Begin prepares a builder for piece i, and returns how to read it.
func (w *Whole) Begin(b *Builder, i int) (Rule, Text) {
	b.piece = &piece{end: w.to, interning: &w.interning, module: w.m}
	if i < len(w.cuts) {
		b.piece.end = w.cuts[i]
	}
	b.compOf, b.scopes, b.scope, b.comments = map[string]*hlo.Computation{}, nil, nil, nil
	if i == 0 {
		b.m = w.m
		return FirstRule, Text{Off: uint32(w.from), End: uint32(b.piece.end)}
	}
	b.m = &hlo.Module{File: w.file, Source: w.src, Origin: w.opts.Origin, Style: hlo.Style{IndexComments: true}}
	if s, ok := w.spare.Get().(*scope); ok {
		b.scopes = []*scope{s}[:0]
	}
	b.pushScope()
	b.beginComputation("", Text{Off: uint32(w.cuts[i-1])})
	b.piece.inside = b.scope
	return FurtherRule, Text{Off: uint32(w.cuts[i-1]), End: uint32(b.piece.end)}
}

// Part returns what the builder made of the piece that it has read.
func (b *Builder) Part() *Part { return &Part{b.piece, b.m, b.scope, b.scopes, b.comments} }

// Fail says that the text cannot be read in pieces.
func (w *Whole) Fail() { w.failed.Store(true) }

// Failed reports whether Fail was called.
func (w *Whole) Failed() bool { return w.failed.Load() }

// Join takes piece i, and joins those that are due.
func (w *Whole) Join(i int, p *Part) { w.parts.Put(i, p) }

// Finish returns the module of all pieces, nil where they cannot be joined or the last one ends in the middle of a
// computation.
func (w *Whole) Finish() *hlo.Module {
	if w.Failed() || w.scope != nil {
		return nil
	}
	m, _ := w.Builder.Finish()
	return m
}

// join adds the next piece. It returns false where it does not make a module with those before.
func (w *Whole) join(p *Part) (ok bool) {
	defer func() {
		ok = recover() == nil && ok // a bug shows when the text is read as a whole
	}()
	w.comments = append(w.comments, p.comments...)
	if p.inside == nil { // the first
		for _, c := range w.m.Computations {
			w.compOf[c.Name] = c
		}
		w.scope, w.scopes = p.open, p.scopes
		return true
	}
	if w.scope == nil || w.closed || !w.giveOperands(p) || !w.giveCallees(p, true) || !w.continueBody(p) ||
		!w.giveCallees(p, false) {
		return false
	}
	for _, c := range p.m.Computations {
		if w.compOf[c.Name] != nil {
			return false
		}
		c.Module = w.m
		w.addComputation(c)
	}
	if p.m.Entry != nil {
		if w.m.Entry != nil {
			return false
		}
		w.m.Entry = p.m.Entry
	}
	if w.scope == nil { // the piece finished the body; perhaps it began another
		w.scope, w.scopes = p.open, p.scopes
		if w.scope != nil {
			w.comp.Module = w.m
		}
	}
	w.spare.Put(p.inside)
	s, t := &w.m.Style, p.m.Style
	s.Percent, s.Signatures, s.OperandShapes = s.Percent || t.Percent, s.Signatures || t.Signatures, s.OperandShapes ||
		t.OperandShapes
	s.IndexComments = s.IndexComments && t.IndexComments
	return true
}

// giveOperands fills in the operands that the piece lacks.
func (w *Whole) giveOperands(p *Part) bool {
	for _, block := range p.operands {
		for _, o := range block {
			in := w.named(o.name)
			if in == nil || o.shape != nil && o.shape != in.Shape && !o.shape.Compatible(in.Shape) {
				return false
			}
			o.in.Operands[o.at] = in
		}
	}
	return true
}

// giveCallees fills in the computations that the piece lacks: first those of the body it begins in, which does not know
// itself yet, then the others.
func (w *Whole) giveCallees(p *Part, inside bool) bool {
	for _, call := range p.calls {
		if call.inside != inside {
			continue
		}
		c := w.compOf[call.name]
		if c == nil {
			return false
		}
		call.in.Called()[call.at] = c
	}
	return true
}

// continueBody adds the instructions of the piece to the open computation, and closes it where the piece does.
func (w *Whole) continueBody(p *Part) bool {
	s := p.inside
	if !w.addNames(p) {
		return false
	}
	before := len(w.list)
	if total := before + len(s.list); total > cap(w.list) {
		w.list = append(make([]*hlo.Instruction, 0, foreseen(total, int(w.comp.Pos), p.end, w.to)), w.list...)
	}
	w.list = append(w.list, s.list...)
	for i, in := range s.list {
		in.Index, in.Computation = int32(before+i), w.comp
	}
	w.params = append(w.params, s.params...)
	if s.root != nil {
		if w.root != nil {
			return false
		}
		w.root = s.root
	}
	if s.closed {
		w.ComputationClose()
		w.attrs = append(w.attrs[:0], s.comp.Attrs...)
		w.ComputationEnd()
	}
	return true
}

// addNames adds the names of the body in which a piece begins. It returns false where one is known already. Where the
// piece ends the body, nothing will read them.
func (w *Whole) addNames(p *Part) bool {
	t, other := &w.names, &p.inside.names
	if total := t.count + other.count; !p.inside.closed && total*4 >= len(t.slots)*3 {
		t.grow(foreseen(total, int(w.comp.Pos), p.end, w.to))
	}
	before := int32(len(w.list))
	for _, e := range other.slots {
		if e.place == 0 {
			continue
		}
		slot, known := w.find(p.inside.list[e.place-1].Name, e.hash)
		if known {
			return false
		}
		if !p.inside.closed {
			e.place += before
			*slot = e
			t.count++
		}
	}
	return true
}
