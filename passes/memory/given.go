package memory

import (
	"cmp"
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// legal says what is wrong with S(n) on a target, "" if nothing is.
func legal(t *tpu.Target, n int64) string {
	s, ok := t.Space(n)
	if !ok {
		return fmt.Sprintf("S(%d) is no memory space of %s; it has %s", n, t.Name, spaceList(t))
	}
	if (n == 1 || n == 3) && s.PlacementBytes == 0 {
		return fmt.Sprintf("on %s no array may be placed in %s, S(%d)", t.Name, s.Name, n)
	}
	return ""
}

func spaceList(t *tpu.Target) string {
	text := ""
	for i, s := range t.MemorySpaces {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("S(%d) %s", s.Number, s.Name)
	}
	return text
}

// checkGiven refuses the spaces of a module that its target does not have. It returns whether a value other than a parameter is in the fast space already.
func checkGiven(m *hlo.Module, t *tpu.Target, fast int64) (placed bool, err error) {
	var list hlo.ErrorList
	seen := map[*hlo.Shape]string{}
	entry := func(in *hlo.Instruction) bool { return in.Computation.IsEntry() && in.Opcode == hlo.OpParameter }
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			msg, known := seen[in.Shape]
			in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) {
				n := spaceOf(s)
				if n == 0 {
					return
				}
				placed = placed || n == fast && fast != 0 && !entry(in)
				if !known && msg == "" {
					msg = legal(t, n)
				}
			})
			seen[in.Shape] = msg
			if msg != "" {
				e := &hlo.Error{File: m.File, Msg: "%" + in.Name + ": " + msg}
				e.Line, e.Col = m.Position(in.Pos)
				list = append(list, e)
			}
		}
	}
	list.Sort()
	return placed, list.Err()
}

// holdGiven takes the room of the values that are in the fast space already. The error names the first that does not fit and what it meets.
func (e *engine) holdGiven() error {
	v, g := e.v, e.g
	for b := range e.bufs {
		buf := &e.bufs[b]
		if buf.why != ReasonGiven {
			continue
		}
		spans := e.givenSpans(int32(b))
		if len(spans) == 0 {
			continue
		}
		size := aligned(buf.size)
		used, from, to := int64(0), spans[0].from, spans[0].to
		for _, s := range spans {
			from, to = min(from, s.from), max(to, s.to)
			for t := s.from; t <= s.to; t++ {
				used = max(used, e.h.usage[t])
			}
		}
		if used+buf.size > e.dev.limit {
			t := v.leafTime[v.def[buf.first]]
			err := &hlo.Error{File: g.m.File, Msg: fmt.Sprintf("%%%s takes %d bytes of S(%d) where %d of %d are taken already", g.nodes[t].in.Name, buf.size, e.dev.space,
				used, e.dev.limit), Hint: "its space is given; take it away, or that of another value"}
			err.Line, err.Col = g.m.Position(g.nodes[t].in.Pos)
			return err
		}
		off, ok := e.h.find(from, to, size, -1)
		if !ok {
			off = max(0, e.dev.limit-size) // it fits by its size; where the compiler has put it is not known
		}
		for _, s := range spans {
			e.hold(chunk{s.from, s.to, off, size})
		}
		e.commit(int32(b))
	}
	return nil
}

// timeSpan is inclusive at both ends.
type timeSpan struct{ from, to int32 }

// givenSpans returns the times, apart from each other and ascending, at which a buffer holds a value that is in the fast space already. What only names a
// value does not hold it, and a branch's operand is not held in the branches before that one.
func (e *engine) givenSpans(b int32) []timeSpan {
	v, g := e.v, e.g
	var list []timeSpan
	for _, h := range e.helds(b) {
		if s, _ := v.leafShape(h.leaf); spaceOf(s) != e.dev.space {
			continue
		}
		s := timeSpan{h.time, h.time}
		for _, u := range h.uses {
			if nd := &g.nodes[u.node]; nd.root || !trivial(nd.in.Opcode) {
				s.to = max(s.to, u.time)
			}
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y timeSpan) int { return cmp.Compare(x.from, y.from) })
	out := list[:0]
	for _, s := range list {
		if n := len(out) - 1; n >= 0 && s.from <= out[n].to {
			out[n].to = max(out[n].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}
