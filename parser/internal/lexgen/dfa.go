package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"hlolayout/parser/internal/automaton"
)

// config is a place in the automaton: which lexer rule is being tried, the state, and the return states of the
// fragments being read.
type config struct {
	rule, state int
	stack       string // return states as text, so that configs compare
}

func push(stack string, state int) string { return fmt.Sprintf("%d,%s", state, stack) }

func pop(stack string) (state int, rest string) {
	head, rest, _ := strings.Cut(stack, ",")
	fmt.Sscan(head, &state)
	return state, rest
}

type byteSet [256]bool

// compiler builds a DFA over bytes by subset construction. Characters above ASCII only ever occur in negated sets,
// where every byte of their UTF-8 form is in the set too, so that bytes and characters need not be distinguished.
type compiler struct {
	*automaton.ATN
	*automaton.Interp
	ruleActions map[int][]int
	ids         map[string]int
	trans       [][256]int
	accept      []int // rule + 1, 0 for none
	work        [][]config
	err         error
}

func (c *compiler) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *compiler) bytes(ranges []automaton.Interval, negated bool) byteSet {
	var s byteSet
	for _, r := range ranges {
		if r.Hi > 127 && !negated {
			c.fail("a set with characters above ASCII")
		}
		for b := max(r.Lo, 0); b <= min(r.Hi, 255); b++ {
			s[b] = true
		}
	}
	if negated {
		for b := range s {
			s[b] = !s[b]
		}
	}
	return s
}

func (c *compiler) closure(start []config) []config {
	seen := map[config]bool{}
	var out []config
	todo := slices.Clone(start)
	slices.Reverse(todo)
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		out = append(out, at)
		if c.StateKind[at.state] == automaton.RuleStop {
			if at.stack != "" {
				state, rest := pop(at.stack)
				todo = append(todo, config{at.rule, state, rest})
			}
			continue
		}
		for _, t := range c.Edges[at.state] {
			switch t.Kind {
			case automaton.Epsilon:
				todo = append(todo, config{at.rule, t.To, at.stack})
			case automaton.Rule: // a fragment
				if strings.Count(at.stack, ",") > 20 {
					c.fail("lexer rule %s is recursive", c.RuleNames[t.B])
					return nil
				}
				todo = append(todo, config{at.rule, t.A, push(at.stack, t.To)})
			case automaton.Action:
				if !slices.Contains(c.ruleActions[at.rule], t.B) {
					c.ruleActions[at.rule] = append(c.ruleActions[at.rule], t.B)
				}
				todo = append(todo, config{at.rule, t.To, at.stack})
			case automaton.RangeOf, automaton.Atom, automaton.Set, automaton.NotSet, automaton.AnyChar:
			default:
				c.fail("transition of kind %d (a predicate?) cannot be compiled", t.Kind)
			}
		}
	}
	return out
}

func (c *compiler) state(cs []config) int {
	if len(cs) == 0 {
		return 0
	}
	names := make([]string, len(cs))
	for i, x := range cs {
		names[i] = fmt.Sprint(x)
	}
	slices.Sort(names)
	key := strings.Join(names, ";")
	if id, ok := c.ids[key]; ok {
		return id
	}
	id := len(c.trans)
	c.ids[key] = id
	c.trans = append(c.trans, [256]int{})
	best := 0
	for _, x := range cs {
		if c.StateKind[x.state] == automaton.RuleStop && x.stack == "" && (best == 0 || x.rule+1 < best) {
			best = x.rule + 1
		}
	}
	c.accept = append(c.accept, best)
	c.work = append(c.work, cs)
	return id
}

// step fills in the transitions of the DFA state that stands for cs.
func (c *compiler) step(id int, cs []config) {
	var sets []byteSet
	var to []config
	for _, x := range cs {
		for _, t := range c.Edges[x.state] {
			var s byteSet
			switch t.Kind {
			case automaton.Atom:
				s = c.bytes([]automaton.Interval{{Lo: t.A, Hi: t.A}}, false)
			case automaton.RangeOf:
				s = c.bytes([]automaton.Interval{{Lo: t.A, Hi: t.B}}, false)
			case automaton.Set:
				s = c.bytes(c.Sets[t.A], false)
			case automaton.NotSet:
				s = c.bytes(c.Sets[t.A], true)
			case automaton.AnyChar:
				s = c.bytes(nil, true)
			default:
				continue
			}
			sets, to = append(sets, s), append(to, config{x.rule, t.To, x.stack})
		}
	}
	known := map[string]int{}
	for b := 0; b < 256; b++ {
		var next []config
		var key strings.Builder
		for i := range sets {
			if sets[i][b] {
				next = append(next, to[i])
				fmt.Fprint(&key, i, " ")
			}
		}
		if len(next) == 0 {
			continue
		}
		n, ok := known[key.String()]
		if !ok {
			n = c.state(c.closure(next))
			known[key.String()] = n
		}
		c.trans[id][b] = n
	}
}

// minimise merges equivalent states (Moore); it returns the class of each state, class numbers in order of first
// occurrence.
func minimise(trans [][256]int, accept []int) []int {
	class := slices.Clone(accept)
	for count := 0; ; {
		ids := map[string]int{"dead": 0}
		next := make([]int, len(trans))
		for i := 1; i < len(trans); i++ {
			var key strings.Builder
			fmt.Fprint(&key, class[i])
			for _, t := range trans[i] {
				fmt.Fprint(&key, " ", class[t])
			}
			id, ok := ids[key.String()]
			if !ok {
				id = len(ids)
				ids[key.String()] = id
			}
			next[i] = id
		}
		class = next
		if len(ids) == count {
			return class
		}
		count = len(ids)
	}
}

// compile returns the Go source of the tables for the automaton in an .interp file.
func compile(interp string) ([]byte, error) {
	in, err := automaton.ReadInterp(interp)
	if err != nil {
		return nil, err
	}
	a, err := automaton.Read(in.Serialized)
	if err != nil {
		return nil, err
	}
	c := &compiler{ATN: a, Interp: in, ruleActions: map[int][]int{}, ids: map[string]int{}}
	c.trans, c.accept = make([][256]int, 1), make([]int, 1) // state 0: no match
	var starts []int
	for _, m := range a.ModeStart {
		var first []config
		for _, t := range a.Edges[m] {
			r := a.StateRule[t.To]
			first = append(first, config{r, a.RuleStart[r], ""})
		}
		starts = append(starts, c.state(c.closure(first)))
	}
	for done := 0; done < len(c.work); done++ {
		c.step(done+1, c.work[done])
		if c.err != nil {
			return nil, c.err
		}
	}
	class := minimise(c.trans, c.accept)
	n := slices.Max(class) + 1
	// accepting states last, so that one comparison tells them
	repr := make([]int, n)
	for i := len(class) - 1; i >= 0; i-- {
		repr[class[i]] = i
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		ax, ay := c.accept[repr[x]] != 0, c.accept[repr[y]] != 0
		switch {
		case ax == ay:
			return x - y
		case ay:
			return -1
		}
		return 1
	})
	number := make([]int, n)
	for i, x := range order {
		number[x] = i
	}
	rows, accept := make([][256]int, n), make([]int, n)
	for i, x := range order {
		for b, t := range c.trans[repr[x]] {
			rows[i][b] = number[class[t]]
		}
		accept[i] = c.accept[repr[x]]
	}
	for i := range starts {
		starts[i] = number[class[starts[i]]]
	}
	return emit(c, rows, accept, starts)
}

// emit writes the tables: byte classes, transitions, self loops, and what to do when a rule has matched.
func emit(c *compiler, rows [][256]int, accept, starts []int) ([]byte, error) {
	column := map[string]int{}
	var classes [256]int
	var columns [][]int
	for b := 0; b < 256; b++ {
		col := make([]int, len(rows))
		for i := range rows {
			col[i] = rows[i][b]
		}
		key := fmt.Sprint(col)
		id, ok := column[key]
		if !ok {
			id = len(column)
			column[key] = id
			columns = append(columns, col)
		}
		classes[b] = id
	}
	shift := 0
	for 1<<shift < len(columns) {
		shift++
	}
	size := 1
	for size < len(rows)<<shift {
		size *= 2
	}
	table := make([]int, size)
	for i := range rows {
		for id, col := range columns {
			table[i<<shift|id] = col[i]
		}
	}
	firstAccept := slices.IndexFunc(accept, func(x int) bool { return x != 0 })
	var loops []string
	loopOf := make([]int, len(rows))
	for i := 1; i < len(rows); i++ {
		var t [256]int
		count := 0
		for b := range t {
			if rows[i][b] == i {
				t[b] = 1
				count++
			}
		}
		if count < 10 {
			continue
		}
		text := fmt.Sprint(t)
		id := slices.Index(loops, text)
		if id < 0 {
			id = len(loops)
			loops = append(loops, text)
		}
		loopOf[i] = id + 1
	}
	skipsBlanks := make([]int, len(starts)) // a blank is a token to skip, and nothing but more blanks makes it longer
	for m, start := range starts {
		blank := rows[start][' ']
		if accept[blank] != 0 && rows[blank][' '] == blank && rows[start]['\n'] == blank &&
			rows[blank]['\n'] == blank &&
			!slices.ContainsFunc(rows[blank][:], func(to int) bool { return to != 0 && to != blank }) &&
			slices.ContainsFunc(c.ruleActions[accept[blank]-1], func(i int) bool {
				return c.Actions[i][0] == automaton.ActSkip
			}) {
			skipsBlanks[m] = 1
		}
	}
	kind := "uint8"
	if len(rows) > 256 {
		kind = "uint16"
	}
	list := func(ns []int) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(ns), "[]"), " ", ", ") }
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated from HLOLexer.g4 by lexgen; DO NOT EDIT.\n\npackage grammar\n\n")
	fmt.Fprintf(&b, "// Modes of the lexer.\nconst (\n")
	for i, m := range c.ModeNames {
		fmt.Fprintf(&b, "mode%s = %d\n", m, i)
	}
	fmt.Fprintf(&b, ")\n\nconst (\n\ttableShift = %d\n\ttableMask = %d\n\tfirstAccept = %d\n)\n\n", shift, size-1,
		firstAccept)
	fmt.Fprintf(&b, "type dfaState = %s\n\n", kind)
	fmt.Fprintf(&b, "var byteClass = [256]uint8{%s}\n\n", list(classes[:]))
	fmt.Fprintf(&b, "var transitions = [%d]dfaState{%s}\n\n", size, list(table))
	fmt.Fprintf(&b, "var modeStarts = [...]dfaState{%s}\n\n", list(starts))
	fmt.Fprintf(&b, "// skipsBlanks tells the modes in which blanks between tokens are skipped.\nvar skipsBlanks = "+
		"[...]uint8{%s}\n\n", list(skipsBlanks))
	fmt.Fprintf(&b, "// acceptedRule is the lexer rule (from 1) that a state completes.\nvar acceptedRule = "+
		"[...]uint8{%s}\n\n", list(accept))
	fmt.Fprintf(&b, "// loopOf tells the states that stay where they are for many bytes, loopBytes for which.\nvar "+
		"loopOf = [...]uint8{%s}\n\n", list(loopOf))
	fmt.Fprintf(&b, "var loopBytes = [...][256]uint8{{},\n")
	for _, l := range loops {
		fmt.Fprintf(&b, "{%s},\n", strings.ReplaceAll(strings.Trim(l, "[]"), " ", ", "))
	}
	fmt.Fprintf(&b, "}\n\n// ruleDo says what follows when a rule has matched: its token type, commands, and the "+
		"mode they name.\nvar ruleDo = [...]ruleAction{{},\n")
	for r := range c.RuleNames {
		a := struct{ token, op, mode int }{token: c.RuleToken[r]}
		for _, i := range c.ruleActions[r] {
			switch act := c.Actions[i]; act[0] {
			case automaton.ActSkip:
				a.op |= 1
			case automaton.ActMore:
				a.op |= 2
			case automaton.ActPop:
				a.op |= 4
			case automaton.ActPush:
				a.op, a.mode = a.op|8, act[1]
			case automaton.ActMode:
				a.op, a.mode = a.op|16, act[1]
			case automaton.ActType:
				a.token = act[1]
			default:
				return nil, fmt.Errorf("lexer action %d of %s cannot be compiled", act[0], c.RuleNames[r])
			}
		}
		fmt.Fprintf(&b, "{%d, %d, %d}, // %s\n", a.token, a.op, a.mode, c.RuleNames[r])
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}
