package grammar

import (
	"strings"

	"hlolayout/parser/internal/build"
)

// ruleAction is what follows when a lexer rule has matched.
type ruleAction struct {
	token int16
	op    uint8
	mode  uint8
}

const (
	opSkip = 1 << iota
	opMore
	opPop
	opPush
	opMode
)

const (
	tokenEOF   = -1
	tokenError = 0
)

// lexer runs the byte DFA compiled from HLOLexer.g4, one token ahead of the parser.
type lexer struct {
	src   string
	pos   int        // where the next token is looked for
	token int        // type of the current token: tokenEOF at the end, tokenError where no rule matches
	cur   build.Text // the current token
	prev  build.Text // the token consumed last
	kind  int        // its type
	mode  uint8
	begin uint8 // the mode in which the current token began
	stack []uint8

	inModule bool         // the text is a module's or a computation's, not the inside of a token
	comments []build.Text // of such a text, but for /*index=N*/
}

// reset makes the lexer read src[from:to] in the given mode and reads the first token.
func (l *lexer) reset(src string, from, to int, mode uint8) {
	l.src, l.pos, l.mode, l.stack = src[:to], from, mode, l.stack[:0]
	l.inModule, l.comments = mode == modeDEFAULT_MODE, l.comments[:0]
	l.prev = build.Text{Off: uint32(from), End: uint32(from)}
	l.cur, l.token = l.prev, tokenError
	l.advance()
}

// advance makes the next token the current one.
func (l *lexer) advance() {
	l.prev, l.kind = l.cur, l.token
	src := l.src
	begin, i := l.pos, l.pos
	l.begin = l.mode
	for {
		if i >= len(src) {
			if begin < i { // the end inside a token that `more` had begun
				l.stop(begin, i, tokenError)
			} else {
				l.stop(i, i, tokenEOF)
			}
			return
		}
		// what the automaton would do, without its start and end
		if (src[i] == ' ' || src[i] == '\n') && begin == i && skipsBlanks[l.mode] != 0 {
			for i++; i < len(src) && (src[i] == ' ' || src[i] == '\n'); i++ {
			}
			begin = i
			continue
		}
		accepted, end := l.match(l.mode, i)
		if accepted == 0 {
			l.stop(begin, min(end+1, len(src)), tokenError)
			return
		}
		i = end
		do := ruleDo[acceptedRule[accepted]]
		if do.op != 0 {
			switch {
			case do.op&opPop != 0:
				if n := len(l.stack); n > 0 {
					l.mode, l.stack = l.stack[n-1], l.stack[:n-1]
				}
			case do.op&opPush != 0:
				l.stack = append(l.stack, l.mode)
				l.mode = do.mode
			case do.op&opMode != 0:
				l.mode = do.mode
			}
			if do.op&opMore != 0 {
				continue
			}
			if do.op&opSkip != 0 {
				if src[begin] == '/' && l.inModule && !strings.HasPrefix(src[begin:], "/*index=") {
					l.comments = append(l.comments, build.Text{Off: uint32(begin), End: uint32(i)})
				}
				begin = i
				continue
			}
		}
		l.stop(begin, i, int(do.token))
		return
	}
}

// match returns the state in which the longest match of a rule from byte i ends, 0 for none, and where that is.
func (l *lexer) match(mode uint8, i int) (accepted dfaState, end int) {
	src := l.src
	end = i
	for s := modeStarts[mode]; i < len(src); {
		s = transitions[(int(s)<<tableShift|int(byteClass[src[i]]))&tableMask]
		if s == 0 {
			break
		}
		i++
		if loop := loopOf[s]; loop != 0 {
			stay := &loopBytes[loop]
			for i < len(src) && stay[src[i]] != 0 {
				i++
			}
		}
		if s >= firstAccept {
			accepted, end = s, i
		}
	}
	return accepted, end
}

func (l *lexer) stop(begin, end, token int) {
	l.cur, l.token, l.pos = build.Text{Off: uint32(begin), End: uint32(end)}, token, end
}
