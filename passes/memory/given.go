package memory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// checkGiven looks at the spaces that a module has already: whether a value other than a parameter is in the fast
// space, and as notes, with the codes of package check, those that the target does not have. They stay: the module may
// be the compiler's own.
func checkGiven(m *hlo.Module, t *tpu.Target, fast int64) (placed bool, notes []string) {
	wrong := map[int64]int{}
	var order []int64
	first := map[int64]string{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			entry := in.Computation.IsEntry() && in.Opcode == hlo.OpParameter
			in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) {
				n := spaceOf(s)
				if n == 0 {
					return
				}
				placed = placed || n == fast && fast != 0 && !entry
				if wrong[n]++; wrong[n] == 1 {
					order, first[n] = append(order, n), in.Name
				}
			})
		}
	}
	slices.Sort(order)
	for _, n := range order {
		if msg := legal(t, n); msg != "" {
			notes = append(notes, fmt.Sprintf("%s: %s in all, the first is %%%s; they stay there [LAY104]", msg,
				counted(wrong[n], "array"), first[n]))
		}
	}
	return placed, notes
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// holdGiven takes the room of the values that are in the fast space already. A note names the first that does not fit:
// with the offsets that the compiler gave them they may, where results took the place of operands.
func (e *engine) holdGiven() (notes []string) {
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
		if used+buf.size > e.dev.limit && len(notes) == 0 {
			notes = append(notes, fmt.Sprintf("%%%s takes %d bytes of S(%d) where %d of %d are taken already; its space is "+
				"given and stays [LAY134]",
				g.nodes[v.leafTime[v.def[buf.first]]].in.Name, buf.size, e.dev.space, used, e.dev.limit))
		}
		off, ok := e.h.find(from, to, size, none)
		if !ok {
			off = max(0, e.dev.limit-size) // it fits by its size; where the compiler has put it is not known
		}
		for _, s := range spans {
			e.hold(int32(b), chunk{s.from, s.to, off, size})
		}
		e.commit()
	}
	return notes
}

// concatenates is the target of a custom call that makes the pieces of a sliced prefetch one array where they are.
const concatenates = "ConcatBitcast"

// writesOver reports whether node t writes a result in the fast space over operand k.
func (e *engine) writesOver(t, k int32) bool {
	g, in := e.g, e.g.nodes[t].in
	for _, l := range e.onePlace(t) {
		if !slices.Contains(l.Indices, strconv.Itoa(int(k))) {
			continue
		}
		for _, i := range l.Indices {
			n, err := strconv.Atoi(i)
			if j := n - len(in.Operands); err == nil && j >= 0 && j < int(g.leaf0[t+1]-g.leaf0[t]) {
				if s, _ := e.v.leafShape(g.leaf0[t] + int32(j)); spaceOf(s) == e.dev.space {
					return true
				}
			}
		}
	}
	return false
}

// indexList holds operands and then results of an instruction, numbered on, which have one place.
type indexList struct {
	Indices []string `json:"indices"`
}

// onePlace returns what the compiler's final modules say of node t in aliasing_operands, nil where they say nothing.
func (e *engine) onePlace(t int32) []indexList {
	v := e.g.nodes[t].in.Attr("backend_config")
	if v == nil || !strings.Contains(v.Text, `"aliasing_operands":{"lists":[{`) {
		return nil
	}
	if lists, ok := e.places[t]; ok {
		return lists
	}
	var config struct {
		Aliasing struct {
			Lists []indexList `json:"lists"`
		} `json:"aliasing_operands"`
	}
	if json.Unmarshal([]byte(v.Text), &config) != nil {
		config.Aliasing.Lists = nil
	}
	if e.places == nil {
		e.places = map[int32][]indexList{}
	}
	e.places[t] = config.Aliasing.Lists
	return config.Aliasing.Lists
}

// timeSpan is inclusive at both ends.
type timeSpan struct{ from, to int32 }

// givenSpans returns the times, apart from each other and ascending, at which a buffer holds a value that is in the
// fast space already. What only names a value does not hold it, and a branch's operand is not held in the branches
// before that one.
func (e *engine) givenSpans(b int32) []timeSpan {
	v, g := e.v, e.g
	var list []timeSpan
	for _, h := range e.helds(b) {
		if s, _ := v.leafShape(h.leaf); spaceOf(s) != e.dev.space {
			continue
		}
		s := timeSpan{h.time, h.time}
		for _, u := range h.uses {
			switch nd := &g.nodes[u.node]; {
			case customTarget(nd.in) == concatenates || e.writesOver(u.node, g.useOperand[u.use]):
				s.to = max(s.to, u.time-1)
			case nd.root || !trivial(nd.in.Opcode):
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
