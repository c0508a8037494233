// Package automaton reads the networks of states (ATN) that the ANTLR tool serialises for a grammar.
package automaton

import (
	"fmt"
	"strconv"
	"strings"
)

// Kinds of transitions, the state kind RuleStop and the lexer actions of version 4 of the format (ATNSerializer of the
// tool).
const (
	Epsilon = 1
	RangeOf = 2
	Rule    = 3
	Atom    = 5
	Action  = 6
	Set     = 7
	NotSet  = 8
	AnyChar = 9

	RuleStop = 7

	ActMode, ActMore, ActPop, ActPush, ActSkip, ActType = 2, 3, 4, 5, 6, 7
)

// Transition leads to the state To. A Rule transition enters the rule B at its start state A and goes on at To; an
// Action runs action B; an Atom consumes A, or the end of the text if C is 1; a RangeOf consumes A to B; a Set and a
// NotSet name set A.
type Transition struct{ To, Kind, A, B, C int }

// Interval is a range of characters or token types, both ends included.
type Interval struct{ Lo, Hi int }

// ATN is the network of a lexer or of a parser.
type ATN struct {
	StateKind []int
	StateRule []int // the rule that a state belongs to, -1 for none
	Edges     [][]Transition
	RuleStart []int
	RuleToken []int // of a lexer: the token type that a rule makes
	ModeStart []int // of a lexer
	Sets      [][]Interval
	Actions   [][3]int // of a lexer
}

// Interp is the content of an .interp file, which the tool writes for each grammar.
type Interp struct {
	RuleNames, Symbols, ModeNames []string
	Serialized                    []int32
}

// ReadInterp reads an .interp file.
func ReadInterp(text string) (*Interp, error) {
	section := map[string][]string{}
	var name string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, "'") {
			name = strings.TrimSuffix(line, ":")
		} else if line != "" {
			section[name] = append(section[name], line)
		}
	}
	in := &Interp{
		RuleNames: section["rule names"], Symbols: section["token symbolic names"], ModeNames: section["mode names"],
	}
	for _, f := range strings.Split(strings.Trim(strings.Join(section["atn"], ""), "[]"), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(f), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("automaton: %w", err)
		}
		in.Serialized = append(in.Serialized, int32(n))
	}
	return in, nil
}

// Read reads a serialised network.
func Read(serialized []int32) (*ATN, error) {
	a, ns := &ATN{}, serialized
	next := func() int { n := ns[0]; ns = ns[1:]; return int(n) }
	if v := next(); v != 4 {
		return nil, fmt.Errorf("automaton of version %d, want 4", v)
	}
	lexer := next() == 0
	next() // highest token type
	for n := next(); n > 0; n-- {
		kind, r := next(), -1
		if kind != 0 {
			r = next()
			if kind == 12 || kind == 3 || kind == 4 || kind == 5 { // loop end, block starts: the matching state
				next()
			}
		}
		a.StateKind, a.StateRule = append(a.StateKind, kind), append(a.StateRule, r)
	}
	if n := next(); n > 0 {
		return nil, fmt.Errorf("%d non-greedy decisions cannot be compiled", n)
	}
	for n := next(); n > 0; n-- { // precedence states
		next()
	}
	for n := next(); n > 0; n-- {
		a.RuleStart = append(a.RuleStart, next())
		if lexer {
			a.RuleToken = append(a.RuleToken, next())
		}
	}
	for n := next(); n > 0; n-- {
		a.ModeStart = append(a.ModeStart, next())
	}
	for n := next(); n > 0; n-- {
		count, end := next(), next()
		var s []Interval
		if end == 1 { // the set contains the end of the text
			s = append(s, Interval{-1, -1})
		}
		for ; count > 0; count-- {
			s = append(s, Interval{next(), next()})
		}
		a.Sets = append(a.Sets, s)
	}
	a.Edges = make([][]Transition, len(a.StateKind))
	for n := next(); n > 0; n-- {
		from, to := next(), next()
		a.Edges[from] = append(a.Edges[from], Transition{to, next(), next(), next(), next()})
	}
	for n := next(); n > 0; n-- { // decisions
		next()
	}
	if lexer {
		for n := next(); n > 0; n-- {
			a.Actions = append(a.Actions, [3]int{next(), next(), next()})
		}
	}
	return a, nil
}
