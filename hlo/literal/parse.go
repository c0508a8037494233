package literal

import (
	"fmt"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// maxDepth limits the nesting of tuples, as the parser of modules does; XLA's own limit is 8192 levels.
const maxDepth = 1000

// Error says what is wrong with the text of a constant.
type Error struct {
	Offset int    // byte offset into the text
	Msg    string // what is wrong
	Hint   string // what was expected; may be empty
}

// Error returns the message, the hint and the offset.
func (e *Error) Error() string {
	hint := ""
	if e.Hint != "" {
		hint = "; " + e.Hint
	}
	return fmt.Sprintf("offset %d: %s%s", e.Offset, e.Msg, hint)
}

// Parse reads the constant of shape s from text, which is what stands between the parentheses of `constant(...)`. It
// accepts what XLA accepts, the cases where XLA crashes excepted: true for a number, values of a token. A non-nil error
// is an *Error, whose offset is that of XLA's first message (of a number followed by `_`: always the number's).
//
// Time and memory are linear in the text, whatever the shape: `{...}` is not expanded. Beyond XLA's rules, tuples more
// than 1000 levels deep are refused.
func Parse(s *hlo.Shape, text string) (*Literal, error) {
	p := parser{scanner: scanner{src: text}}
	p.next()
	l, err := p.literal(s, 0)
	if err == nil && p.kind != tokenEnd {
		err = p.unexpected("the end of the constant")
	}
	if err != nil {
		if p.noted != nil {
			err = p.noted
		}
		return nil, err
	}
	return l, nil
}

// parser follows XLA's ParseLiteral, token by token. What XLA only notes and passes over is in noted: it is the error
// to report where a later one makes the text invalid.
type parser struct {
	scanner
	noted *Error
}

func (p *parser) fail(at int, msg, hint string) *Error { return &Error{at, msg, hint} }

func (p *parser) note(err *Error) {
	if p.noted == nil {
		p.noted = err
	}
}

// unexpected is the error at an unexpected token.
func (p *parser) unexpected(want string) *Error {
	if p.kind == tokenEnd {
		return p.fail(p.at, "the constant ends too early", "expected "+want)
	}
	text := p.src[p.at:p.end]
	if p.kind == tokenOther { // what the reader sees may be longer than the token
		if n := strings.IndexAny(p.src[p.end:], " \t\r\n,{}()"); n >= 0 {
			text = p.src[p.at : p.end+n]
		} else {
			text = p.src[p.at:]
		}
		if strings.Trim(text, "-0123456789") == "" && text != "-" {
			return p.fail(p.at, short(text)+" does not fit into 64 bits", "-2^63 to 2^64-1, or a decimal such as 1e20")
		}
	}
	return p.fail(p.at, "unexpected `"+short(text)+"`", "expected "+want)
}

// short cuts a text for a message.
func short(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// count returns "1 part", "2 parts".
func count(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.FormatInt(n, 10) + " " + what
}

func (p *parser) literal(s *hlo.Shape, depth int) (*Literal, *Error) {
	switch {
	case s == nil:
		return nil, p.fail(p.at, "a constant needs a shape", "")
	case depth > maxDepth:
		return nil, p.fail(p.at, fmt.Sprintf("tuples nested more than %d levels deep", maxDepth), "")
	case s.Kind == hlo.TupleShape:
		return p.tuple(s, depth)
	case s.Kind == hlo.BufferShape && len(s.Elems) == 1:
		return p.literal(s.Elems[0], depth+1)
	}
	part, ok := partOf(s.DType)
	if s.Kind != hlo.ArrayShape || !ok {
		return nil, p.fail(p.at, "a "+s.String()+" has no values", "only arrays and tuples of arrays can be constants")
	}
	return p.array(s, part)
}

func (p *parser) tuple(s *hlo.Shape, depth int) (*Literal, *Error) {
	if p.kind != tokenParen {
		return nil, p.unexpected("`(` before the parts of a tuple")
	}
	p.next()
	l := &Literal{shape: s, elems: make([]*Literal, len(s.Elems))}
	if p.kind == tokenCloseParen {
		for i := range l.elems {
			l.elems[i] = Tuple()
		}
		p.next()
		return Tuple(l.elems...), nil
	}
	for i, e := range s.Elems {
		if i > 0 {
			if p.kind == tokenComma {
				p.next()
			} else {
				p.note(p.unexpected("`,` between the parts of a tuple"))
			}
		}
		var err *Error
		if l.elems[i], err = p.literal(e, depth+1); err != nil {
			return nil, err
		}
	}
	if p.kind != tokenCloseParen {
		return nil, p.unexpected("`)` after " + count(int64(len(s.Elems)), "part") + " of a tuple")
	}
	p.next()
	return l, nil
}
