package printer

import (
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"hlolayout/hlo"
)

// A part that is written has about writeInstructions instructions, and mostly less than usualRoom bytes: its text stays in a core's cache, and
// the buffers are few pages of new memory, which costs more than to print into it. Parts that are longer by far, the signature of a
// training step, are printed first, as long as they take no more than mostAhead bytes: the others would wait for them (.ci/speed, second core).
const (
	writeInstructions = 1024
	usualRoom         = 256 << 10
	mostAhead         = 4 << 20
)

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
	var long, usual []int // parts
	ahead := 0
	for i := range lists {
		if size := length(m, lists, i); n > 1 && size > 2*usualRoom && ahead+size <= mostAhead {
			long, ahead = append(long, i), ahead+size
		} else {
			usual = append(usual, i)
		}
	}
	buffers := 1
	if n > 1 {
		buffers = 2 * n
	}
	o := ordered{w: w, printed: make([][]byte, len(lists)), free: make(chan []byte, buffers+len(long))}
	o.free <- p.out
	for range buffers - 1 {
		o.free <- nil
	}
	var nextLong, nextUsual atomic.Int64
	work := func() {
		q := printer{style: p.style}
		for i := int(nextLong.Add(1)) - 1; i < len(long); i = int(nextLong.Add(1)) - 1 {
			q.part(nil, m, lists, long[i])
			o.put(long[i], q.out)
		}
		for !o.failed() {
			buffer := <-o.free // first a buffer, then a part: the usual part that is due always has one
			i := int(nextUsual.Add(1)) - 1
			if i >= len(usual) {
				o.free <- buffer
				return
			}
			q.part(buffer, m, lists, usual[i])
			o.put(usual[i], q.out)
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

// length is about how many bytes list i takes, which is how many it took in the text that the module was read from, up to the end of the
// line of its last instruction.
func length(m *hlo.Module, lists [][]span, i int) int {
	if len(lists[i]) == 0 {
		return 0
	}
	from, to := int(place(lists[i][0], false)), int(place(lists[i][len(lists[i])-1], true))
	if from < 0 || to < from || to > len(m.Source) { // not read from a text, or in another order
		return 0
	}
	return to - from + max(0, strings.IndexByte(m.Source[to:], '\n'))
}

// part prints list i into the buffer, or into a new one where it needs more room.
func (p *printer) part(buffer []byte, m *hlo.Module, lists [][]span, i int) {
	size := length(m, lists, i)
	if room := max(usualRoom, size+size/8); cap(buffer) < room { // what is not used costs nothing
		buffer = make([]byte, 0, room)
	}
	p.out = buffer[:0]
	p.spans(lists[i])
}
