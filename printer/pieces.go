package printer

import (
	"io"
	"runtime"
	"slices"
	"sync"

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
	lists := pieces(m, instructions, n)
	others := make([]printer, n)
	var wait sync.WaitGroup
	for i := 1; i < n; i++ {
		wait.Go(func() {
			others[i] = printer{out: make([]byte, 0, len(m.Source)/n+len(m.Source)/16), style: p.style}
			others[i].spans(lists[i])
		})
	}
	p.spans(lists[0])
	wait.Wait()
	for i := 1; i < n; i++ {
		p.out = append(slices.Grow(p.out, len(others[i].out)), others[i].out...)
	}
}

// write writes what is printed so far and all computations, as many pieces at a time as computations prints.
func (p *printer) write(w io.Writer, m *hlo.Module) error {
	if _, err := w.Write(p.out); err != nil {
		return err
	}
	instructions := 0
	for _, c := range m.Computations {
		instructions += len(c.Instructions)
	}
	lists := pieces(m, instructions, max(1, instructions/pieceInstructions))
	together := make([]printer, min(runtime.GOMAXPROCS(0), len(lists)))
	for len(lists) > 0 {
		together = together[:min(len(together), len(lists))]
		var wait sync.WaitGroup
		for i := range together {
			q := &together[i]
			q.style, q.out = p.style, q.out[:0]
			if i > 0 {
				wait.Go(func() { q.spans(lists[i]) })
			}
		}
		together[0].spans(lists[0])
		wait.Wait()
		for i := range together {
			if _, err := w.Write(together[i].out); err != nil {
				return err
			}
		}
		lists = lists[len(together):]
	}
	return nil
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
