package literal

import (
	"math"
	"strconv"
	"strings"
)

// tokenKind is what a token can be in a constant; whatever else XLA's lexer knows is tokenOther.
type tokenKind uint8

const (
	tokenOther tokenKind = iota
	tokenEnd
	tokenBrace
	tokenCloseBrace
	tokenParen
	tokenCloseParen
	tokenComma
	tokenDots
	tokenInt     // bits are an int64
	tokenDecimal // bits are a double's; so are those of inf and nan
	tokenInf
	tokenTrue
	tokenFalse
)

// token is one token of src: its place and the number it stands for.
type token struct {
	kind    tokenKind
	at, end int
	bits    uint64
}

// scanner reads tokens as XLA's hlo_lexer.cc does.
type scanner struct {
	src string
	pos int
	token
}

// next reads the next token.
func (s *scanner) next() {
	s.blanks()
	s.token = token{at: s.pos, end: s.pos}
	if s.pos == len(s.src) {
		s.kind = tokenEnd
		return
	}
	s.end++
	switch c := s.src[s.pos]; {
	case c == ',':
		s.kind = tokenComma
	case isDigit(c) || c == '-':
		s.number()
	case c == '{':
		s.kind = tokenBrace
	case c == '}':
		s.kind = tokenCloseBrace
	case c == '(':
		s.kind = tokenParen
	case c == ')':
		s.kind = tokenCloseParen
	case isLetter(c):
		s.name()
	case strings.HasPrefix(s.src[s.pos:], "..."):
		s.kind, s.end = tokenDots, s.pos+3
	}
	s.pos = s.end
}

// blanks skips white space and comments; an unterminated comment is left as a separate token.
func (s *scanner) blanks() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
			continue
		case '/':
			if n := commentLen(s.src[s.pos:]); n > 0 {
				s.pos += n
				continue
			}
		}
		return
	}
}

// commentLen returns the length of the comment that text begins with, 0 where there is none. A NUL byte ends no
// comment.
func commentLen(text string) int {
	var n int
	switch {
	case strings.HasPrefix(text, "/*"):
		end := strings.Index(text[2:], "*/")
		if end < 0 {
			return 0
		}
		n = end + 4
	case strings.HasPrefix(text, "//"):
		if n = strings.IndexAny(text, "\r\n"); n < 0 {
			n = len(text)
		}
	}
	if strings.IndexByte(text[:n], 0) >= 0 {
		return 0
	}
	return n
}

func isDigit(c byte) bool  { return c-'0' <= 9 }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// digits returns the end of the run of digits that begins at p.
func (s *scanner) digits(p int) int {
	for p < len(s.src) && isDigit(s.src[p]) {
		p++
	}
	return p
}

// peek returns the byte at p, 0 after the end.
func (s *scanner) peek(p int) byte {
	if p < len(s.src) {
		return s.src[p]
	}
	return 0
}

// number reads what begins with a digit or a minus. The patterns of other places that XLA's lexer prefers to an integer
// are not numbers.
func (s *scanner) number() {
	start := s.pos
	first := start
	if s.src[start] == '-' {
		first++
	}
	p := s.digits(first)
	found, decimal := p > first, false
	if s.peek(p) == '.' {
		if q := s.digits(p + 1); found || q > p+1 {
			p, found, decimal = q, true, true
		}
	}
	if !found {
		s.minusWord(first)
		return
	}
	if s.peek(p)|0x20 == 'e' {
		q := p + 1
		if c := s.peek(q); c == '+' || c == '-' {
			q++
		}
		if end := s.digits(q); end > q {
			p, decimal = end, true
		}
	}
	s.end = p
	if decimal {
		v, _ := strconv.ParseFloat(s.src[start:p], 64) // beyond the range it is an infinity, which the caller refuses
		s.kind, s.bits = tokenDecimal, math.Float64bits(v)
		return
	}
	switch c := s.peek(p); { // patterns of other places: 1_0, 01_io->bf, 1x2
	case c == '_':
		s.end++
		return
	case c == 'x' && first == start && s.digits(p+1) > p+1:
		s.end = s.digits(p + 1)
		return
	}
	s.integer(first, p)
}

// integer reads the digits from first to end: up to 2^64-1, kept as the bits of an int64, and down to -2^63.
func (s *scanner) integer(first, end int) {
	top, v := uint64(math.MaxUint64), uint64(0)
	negative := first > s.pos
	if negative {
		top = 1 << 63
	}
	for _, c := range s.src[first:end] {
		d := uint64(c - '0')
		if v > top/10 || v*10 > top-d {
			return
		}
		v = v*10 + d
	}
	if negative {
		v = -v
	}
	s.kind, s.bits = tokenInt, v
}

// minusWord reads what follows a minus without digits: -inf or -nan, which need no end of word.
func (s *scanner) minusWord(p int) {
	switch {
	case strings.HasPrefix(s.src[p:], "inf"):
		s.end, s.kind, s.bits = p+3, tokenInf, double.sign()|double.infinity()
	case strings.HasPrefix(s.src[p:], "nan"):
		s.end = p + 3
		s.nan(double.sign())
	}
}

// nan reads the payload, if there is one, after the word at s.end.
func (s *scanner) nan(sign uint64) {
	payload := double.quiet()
	if s.peek(s.end) == '(' {
		if !strings.HasPrefix(s.src[s.end:], "(0x") {
			return
		}
		p := s.end + 3
		for payload = 0; p < len(s.src); p++ {
			d := strings.IndexByte("0123456789abcdef", s.src[p]|0x20)
			if s.src[p] < '0' || d < 0 {
				break
			}
			payload = payload*16 + uint64(d)
			if payload > double.payloads() {
				return
			}
		}
		if payload == 0 || s.peek(p) != ')' {
			return
		}
		s.end = p + 1
	}
	s.kind, s.bits = tokenDecimal, sign|double.infinity()|payload
}

func (s *scanner) name() {
	p := s.pos
	for p < len(s.src) && (isDigit(s.src[p]) || isLetter(s.src[p]) || s.src[p] == '.' || s.src[p] == '-') {
		p++
	}
	s.end = p
	if c := s.peek(p); c == ':' || c == '=' {
		s.end++
		return
	}
	switch s.src[s.pos:p] {
	case "inf":
		s.kind, s.bits = tokenInf, double.infinity()
	case "nan":
		s.nan(0)
	case "true":
		s.kind, s.bits = tokenTrue, 1
	case "false":
		s.kind = tokenFalse
	}
}
