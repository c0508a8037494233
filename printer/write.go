package printer

import (
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"hlolayout/hlo"
	"hlolayout/internal/inturn"
)

// A part that is written has about writeInstructions instructions, and mostly less than usualRoom bytes: its text stays
// in a core's cache, and the buffers are few pages of new memory, which costs more than to print into it. Parts that
// are longer by far, the signature of a training step, are printed first, as long as they take no more than mostAhead
// bytes: the others would wait for them (.ci/speed, second core).
const (
	writeInstructions = 1024
	usualRoom         = 256 << 10
	mostAhead         = 4 << 20
)

// write writes what is printed so far and then all computations, part by part, in one order. As many goroutines print
// as for computations, the caller's one of them; whoever has printed the part that is due writes it, and those after it
// that wait.
func (p *printer) write(w io.Writer, m *hlo.Module) error {
	if _, err := w.Write(p.out); err != nil {
		return err
	}
	instructions, n := share(m)
	lists := pieces(m, instructions, max(1, instructions/writeInstructions))
	sizes := make([]int, len(lists))
	var long, usual []int // parts
	ahead := 0
	for i := range lists {
		sizes[i] = length(m, lists[i])
		if size := sizes[i]; n > 1 && size > 2*usualRoom && ahead+size <= mostAhead {
			long, ahead = append(long, i), ahead+size
		} else {
			usual = append(usual, i)
		}
	}
	buffers := 1
	if n > 1 {
		buffers = 2 * n
	}
	free := make(chan []byte, buffers+len(long))
	free <- p.out
	for range buffers - 1 {
		free <- nil
	}
	var failed atomic.Bool
	var err error
	printed := inturn.New(func(part []byte) {
		if err == nil {
			_, err = w.Write(part)
			failed.Store(err != nil)
		}
		free <- part
	})
	var nextLong, nextUsual atomic.Int64
	work := func() {
		q := printer{style: p.style, comments: p.comments}
		for i := int(nextLong.Add(1)) - 1; i < len(long); i = int(nextLong.Add(1)) - 1 {
			q.part(nil, lists[long[i]], sizes[long[i]])
			printed.Put(long[i], q.out)
		}
		for !failed.Load() {
			buffer := <-free // first a buffer, then a part: the usual part that is due always has one
			i := int(nextUsual.Add(1)) - 1
			if i >= len(usual) {
				free <- buffer
				return
			}
			q.part(buffer, lists[usual[i]], sizes[usual[i]])
			printed.Put(usual[i], q.out)
		}
	}
	var wait sync.WaitGroup
	for range n - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	return err
}

// length is about how many bytes a list takes, which is how many it took in the text that the module was read from, up
// to the end of the line of its last instruction; 0 where it was not read from a text, or in another order.
func length(m *hlo.Module, list []span) int {
	if len(list) == 0 {
		return 0
	}
	from, to := int(place(list[0], false)), int(place(list[len(list)-1], true))
	if from < 0 || to < from || to > len(m.Source) {
		return 0
	}
	return to - from + max(0, strings.IndexByte(m.Source[to:], '\n'))
}

// part prints a list of about so many bytes into the buffer, or into a new one where it needs more room.
func (p *printer) part(buffer []byte, list []span, size int) {
	if room := max(usualRoom, size+size/8); cap(buffer) < room { // what is not used costs nothing
		buffer = make([]byte, 0, room)
	}
	p.out = buffer[:0]
	p.spans(list)
}
