package main

import (
	"fmt"
	"strconv"
	"strings"
)

// Transition kinds and lexer actions of ANTLR's serialised automaton, version 4 (ATNSerializer of the tool).
const (
	epsilon = 1
	rangeOf = 2
	rule    = 3
	atom    = 5
	action  = 6
	set     = 7
	notSet  = 8
	anyChar = 9

	ruleStop = 7 // state kind

	actMode, actMore, actPop, actPush, actSkip, actType = 2, 3, 4, 5, 6, 7
)

type transition struct{ to, kind, a, b, c int }

type interval struct{ lo, hi int }

// automaton is a lexer's network of states as the tool writes it.
type automaton struct {
	ruleNames, symbols []string
	stateKind          []int
	stateRule          []int
	edges              [][]transition
	ruleStart          []int
	ruleToken          []int
	modeStart          []int
	modeNames          []string
	sets               [][]interval
	actions            [][3]int
}

// readInterp reads the .interp file that the tool writes beside a lexer.
func readInterp(text string) (*automaton, error) {
	section := map[string][]string{}
	var name string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, "'") {
			name = strings.TrimSuffix(line, ":")
		} else if line != "" {
			section[name] = append(section[name], line)
		}
	}
	a := &automaton{ruleNames: section["rule names"], symbols: section["token symbolic names"], modeNames: section["mode names"]}
	var ns []int
	for _, f := range strings.Split(strings.Trim(strings.Join(section["atn"], ""), "[]"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil {
			return nil, fmt.Errorf("automaton: %w", err)
		}
		ns = append(ns, n)
	}
	next := func() int { n := ns[0]; ns = ns[1:]; return n }
	if v := next(); v != 4 {
		return nil, fmt.Errorf("automaton of version %d, want 4", v)
	}
	next() // grammar kind
	next() // highest token type
	for n := next(); n > 0; n-- {
		kind, r := next(), -1
		if kind != 0 {
			r = next()
			if kind == 12 || kind == 3 || kind == 4 || kind == 5 { // loop end, block starts: the matching state
				next()
			}
		}
		a.stateKind, a.stateRule = append(a.stateKind, kind), append(a.stateRule, r)
	}
	if n := next(); n > 0 {
		return nil, fmt.Errorf("%d non-greedy decisions cannot be compiled", n)
	}
	for n := next(); n > 0; n-- { // precedence states
		next()
	}
	for n := next(); n > 0; n-- {
		a.ruleStart, a.ruleToken = append(a.ruleStart, next()), append(a.ruleToken, next())
	}
	for n := next(); n > 0; n-- {
		a.modeStart = append(a.modeStart, next())
	}
	for n := next(); n > 0; n-- {
		count := next()
		next() // contains EOF
		var s []interval
		for ; count > 0; count-- {
			s = append(s, interval{next(), next()})
		}
		a.sets = append(a.sets, s)
	}
	a.edges = make([][]transition, len(a.stateKind))
	for n := next(); n > 0; n-- {
		from, to := next(), next()
		a.edges[from] = append(a.edges[from], transition{to, next(), next(), next(), next()})
	}
	for n := next(); n > 0; n-- { // decisions
		next()
	}
	for n := next(); n > 0; n-- {
		a.actions = append(a.actions, [3]int{next(), next(), next()})
	}
	return a, nil
}
