package printer

import (
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
	lists[0] = make([]span, 0, len(m.Computations)/n+1)
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

// share returns how many instructions a module has and how many goroutines are to print them, no more than GOMAXPROCS.
func share(m *hlo.Module) (instructions, goroutines int) {
	for _, c := range m.Computations {
		instructions += len(c.Instructions)
	}
	return instructions, max(1, min(runtime.GOMAXPROCS(0), instructions/pieceInstructions))
}

// computations prints all computations, in several goroutines where there are many instructions. The text does not
// depend on their number.
func (p *printer) computations(m *hlo.Module) {
	instructions, n := share(m)
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
			parts[i] = printer{out: rooms[i], style: p.style, comments: p.comments}
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

// rooms divides the free room after out in an empty slice for each list, about where its part of the text will stand:
// moving the parts together then costs less than memory of their own, which would be new (.ci/speed, second core). A
// part that is longer than its room moves out by itself.
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

// place is where the span begins, or its last instruction, in the text that the module was read from; -1 where it does
// not.
func place(s span, last bool) int32 {
	switch {
	case s.from == s.to:
		return s.c.Pos
	case last:
		return s.c.Instructions[s.to-1].Pos
	}
	return s.c.Instructions[s.from].Pos
}

func (p *printer) spans(list []span) {
	for _, s := range list {
		if s.from == 0 {
			p.head(s.c)
		}
		for _, in := range s.c.Instructions[s.from:s.to] {
			if p.comments != nil && p.comments[in] != nil {
				p.commented(in)
				continue
			}
			p.out = append(p.out, "  "...)
			p.instruction(in)
			p.out = append(p.out, '\n')
		}
		if s.to == len(s.c.Instructions) && s.c.Root != nil { // the text ends in one without a root
			p.commentLines(p.comments[s.c], hlo.CommentBeforeEnd, "  ")
			p.text("}")
			p.attributes(s.c.Attrs, nil)
			p.commentsBehind(p.comments[s.c], hlo.CommentBehindEnd)
			p.text("\n\n")
		}
	}
}
