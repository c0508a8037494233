package printer

import (
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"hlolayout/hlo"
)

// pieceInstructions is the least number of instructions that is worth a goroutine (BenchmarkPrint with -cpu 1,2).
const pieceInstructions = 4096

// span is a part of a computation's text: the instructions [from, to), the head with the first, the end with the last.
type span struct {
	c        *hlo.Computation
	from, to int
}

func whole(c *hlo.Computation) span { return span{c, 0, len(c.Instructions)} }

// pieces divides the module's computations into n lists of spans with about the same number of instructions.
func pieces(m *hlo.Module, instructions, n int) [][]span {
	lists := make([][]span, n)
	seen := 0
	for _, c := range m.Computations {
		for rest := whole(c); ; {
			k := seen * n / max(instructions, 1) // the list that this place belongs to
			k = min(k, n-1)
			part := rest
			if end := (k+1)*instructions/n + 1; k < n-1 && seen+rest.to-rest.from > end {
				part.to = rest.from + end - seen
			}
			lists[k] = append(lists[k], part)
			seen += part.to - part.from
			if rest.from = part.to; rest.from == rest.to {
				break
			}
		}
	}
	return lists
}

// computations prints all computations, in several goroutines where there are many instructions, no more than GOMAXPROCS.
// The text does not depend on their number.
func (p *printer) computations(m *hlo.Module) {
	instructions := 0
	for _, c := range m.Computations {
		instructions += len(c.Instructions)
	}
	n := max(1, min(runtime.GOMAXPROCS(0), instructions/pieceInstructions))
	if n == 1 {
		p.spans(pieces(m, instructions, n)[0])
		return
	}
	lists := pieces(m, instructions, n)
	parts := make([]printer, n)
	p.out = slices.Grow(p.out, len(m.Source)+len(m.Source)/16)
	rooms := rooms(p.out, lists)
	var wait sync.WaitGroup
	for i := range parts {
		wait.Go(func() {
			parts[i] = printer{out: rooms[i], style: p.style}
			parts[i].spans(lists[i])
		})
	}
	wait.Wait()
	fit, size := true, len(p.out)
	for i := range parts {
		fit, size = fit && len(parts[i].out) <= cap(rooms[i]), size+len(parts[i].out)
	}
	if !fit { // what moves to the right would fall on what is still to be moved
		p.out = append(make([]byte, 0, size), p.out...)
	}
	for i := range parts {
		p.out = append(p.out, parts[i].out...)
	}
}

// rooms divides the free room behind out in an empty slice for each list, about where its part of the text will stand: moving the
// parts together then costs less than memory of their own, which would be new (.ci/speed, second core). A part that is longer
// than its room moves out by itself.
func rooms(out []byte, lists [][]span) [][]byte {
	from, to := place(lists[0][0], false), place(lists[len(lists)-1][len(lists[len(lists)-1])-1], true)
	free, at := cap(out)-len(out), len(out)
	rooms := make([][]byte, len(lists))
	for i := range lists {
		end := cap(out)
		if i+1 < len(lists) {
			share := float64(place(lists[i+1][0], false)-from) / float64(max(to-from, 1))
			end = min(max(at, len(out)+int(share*float64(free))), cap(out))
		}
		rooms[i] = out[at:at:end]
		at = end
	}
	return rooms
}

// place is where the span begins, or its last instruction, in the text that the module was read from; -1 where it does not.
func place(s span, last bool) int32 {
	switch {
	case s.from == s.to:
		return s.c.Pos
	case last:
		return s.c.Instructions[s.to-1].Pos
	}
	return s.c.Instructions[s.from].Pos
}

// writeInstructions is how many instructions are printed before they are written: their text stays in a core's cache, and the
// buffers are few pages of new memory, which costs more than to print into it (.ci/speed, second core).
const writeInstructions = 1024

// write writes what is printed so far and then all computations, part by part, in one order. As many goroutines print as for
// computations, the caller's one of them; whoever has printed the part that is due writes it, and those behind it that wait.
func (p *printer) write(w io.Writer, m *hlo.Module) error {
	if _, err := w.Write(p.out); err != nil {
		return err
	}
	instructions := 0
	for _, c := range m.Computations {
		instructions += len(c.Instructions)
	}
	lists := pieces(m, instructions, max(1, instructions/writeInstructions))
	n := max(1, min(runtime.GOMAXPROCS(0), instructions/pieceInstructions))
	o := ordered{w: w, printed: make([][]byte, len(lists)), free: make(chan []byte, 2*n)}
	o.free <- p.out
	for range cap(o.free) - 1 {
		o.free <- nil
	}
	var next atomic.Int64
	work := func() {
		q := printer{style: p.style}
		for !o.failed() {
			buffer := <-o.free // first a buffer, then a part: the part that is due always has one
			i := int(next.Add(1)) - 1
			if i >= len(lists) {
				return
			}
			q.part(buffer, m, lists[i])
			o.put(i, q.out)
		}
	}
	var wait sync.WaitGroup
	for range n - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	return o.err
}

// ordered writes parts in their order, one at a time.
type ordered struct {
	w    io.Writer
	free chan []byte // buffers

	turn    sync.Mutex
	printed [][]byte // what waits for its turn
	due     int
	writing bool
	err     error
}

func (o *ordered) failed() bool {
	o.turn.Lock()
	defer o.turn.Unlock()
	return o.err != nil
}

// put takes part i. It returns at once where another goroutine is writing, which then writes this part, too, in its turn.
func (o *ordered) put(i int, part []byte) {
	o.turn.Lock()
	defer o.turn.Unlock()
	o.printed[i] = part
	if o.writing {
		return
	}
	o.writing = true
	for o.due < len(o.printed) && o.printed[o.due] != nil {
		part, err := o.printed[o.due], o.err
		o.printed[o.due] = nil
		o.turn.Unlock()
		if err == nil {
			_, err = o.w.Write(part)
		}
		o.free <- part
		o.turn.Lock()
		o.err = err
		o.due++
	}
	o.writing = false
}

// part prints the list into the buffer, or into a new one if the list took more room in the text that the module was read from.
func (p *printer) part(buffer []byte, m *hlo.Module, list []span) {
	if p.out = buffer[:0]; len(list) == 0 {
		return
	}
	room, from := 256<<10, int(place(list[0], false)) // most lists fit: a buffer serves for many, and what is not used costs nothing
	if long := int(place(list[len(list)-1], true)) - from; from >= 0 {
		room = max(room, min(long+long/8, len(m.Source)))
	}
	if cap(buffer) < room {
		p.out = make([]byte, 0, room)
	}
	p.spans(list)
}

func (p *printer) spans(list []span) {
	for _, s := range list {
		if s.from == 0 {
			p.head(s.c)
		}
		for _, in := range s.c.Instructions[s.from:s.to] {
			p.out = append(p.out, "  "...)
			p.instruction(in)
			p.out = append(p.out, '\n')
		}
		if s.to == len(s.c.Instructions) {
			p.text("}")
			p.attributes(s.c.Attrs, nil)
			p.text("\n\n")
		}
	}
}
