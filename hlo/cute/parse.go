package cute

import (
	"strconv"
)

// parser reads the notation. Positions are byte offsets in text.
type parser struct {
	text   string
	pos    int
	leaves int
	// call, where set, reads a function call in place of a layout; the next byte is a letter.
	call func(depth int) (Layout, error)
}

func parse[T any](text string, read func(*parser) (T, error)) (T, error) {
	p := &parser{text: text}
	v, err := read(p)
	if err == nil {
		err = p.end()
	}
	if err != nil {
		var none T
		return none, err
	}
	return v, nil
}

// ParseLayout reads a layout, shape:stride; a shape alone gets column-major strides. Blanks are free, [ ] stand for (
// ), _4 for 4. Errors carry a position: ErrParse, ErrCongruent, ErrExtent, ErrOverflow, ErrLimit.
func ParseLayout(text string) (Layout, error) {
	return parse(text, func(p *parser) (Layout, error) { return p.layout(0) })
}

// ParseTuple reads a shape, stride, order or profile: integers and lists.
func ParseTuple(text string) (IntTuple, error) {
	return parse(text, func(p *parser) (IntTuple, error) { return p.wholeTuple(false) })
}

// ParseCoord reads a coordinate, which may have `_` leaves.
func ParseCoord(text string) (IntTuple, error) {
	return parse(text, func(p *parser) (IntTuple, error) { return p.wholeTuple(true) })
}

// ParseTiler reads a tiler: a layout, an integer, `_` or <tiler,...>; a shape is the list of its entries.
func ParseTiler(text string) (Tiler, error) {
	return parse(text, func(p *parser) (Tiler, error) { return p.tiler(0) })
}

// ParseSwizzle reads Sw<B,M,S>.
func ParseSwizzle(text string) (Swizzle, error) { return parse(text, (*parser).swizzle) }

// ParseComposed reads `Sw<B,M,S> o offset o layout`; a layout may replace the swizzle.
func ParseComposed(text string) (Composed, error) {
	return parse(text, func(p *parser) (Composed, error) { return p.composed(0) })
}

func (p *parser) fail(k Kind, at int, msg string) error { return &Error{Kind: k, Pos: at, Msg: msg} }

// at puts a position on an error of the algebra.
func (p *parser) at(err error, pos int) error {
	if e, ok := err.(*Error); ok && e.Pos < 0 {
		return &Error{Kind: e.Kind, Pos: pos, Msg: e.Msg}
	}
	return err
}

// expected says what was expected at the current place and what is there.
func (p *parser) expected(what string) error {
	found := "the end of the text"
	if p.pos < len(p.text) {
		found = strconv.QuoteRune([]rune(p.text[p.pos:min(p.pos+4, len(p.text))])[0])
	}
	return p.fail(ErrParse, p.pos, "expected "+what+", found "+found)
}

// peek returns the next byte that is not a blank, 0 at the end.
func (p *parser) peek() byte {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return p.text[p.pos]
		}
	}
	return 0
}

// eat takes the next byte if it is c.
func (p *parser) eat(c byte) bool {
	if p.peek() == c && p.pos < len(p.text) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) end() error {
	if p.peek() != 0 || p.pos < len(p.text) {
		return p.expected("the end")
	}
	return nil
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// integer reads ["-"] digits or "_" digits.
func (p *parser) integer() (int64, error) {
	c := p.peek()
	start := p.pos
	if c == '-' || c == '_' {
		p.pos++
	}
	from := p.pos
	for p.pos < len(p.text) && digit(p.text[p.pos]) {
		p.pos++
	}
	if p.pos == from {
		if c == '_' {
			p.pos = start // `_` where no underscore can stand
		}
		return 0, p.expected("a number")
	}
	if c == '_' {
		start = from
	}
	n, err := strconv.ParseInt(p.text[start:p.pos], 10, 64)
	if err != nil {
		return 0, p.fail(ErrParse, start, "number "+brief(p.text[start:p.pos])+" does not fit int64")
	}
	return n, nil
}

// under takes an underscore that no digit follows.
func (p *parser) under() bool {
	if p.peek() != '_' || p.pos+1 < len(p.text) && digit(p.text[p.pos+1]) {
		return false
	}
	p.pos++
	return true
}

// leaf counts one more leaf.
func (p *parser) leaf() error {
	if p.leaves++; p.leaves > 2*MaxLeaves { // a layout has each leaf twice
		return p.fail(ErrLimit, p.pos, "more than "+strconv.Itoa(MaxLeaves)+" leaves")
	}
	return nil
}

func (p *parser) deep(depth int) error {
	if depth > MaxDepth {
		return p.fail(ErrLimit, p.pos, "more than "+strconv.Itoa(MaxDepth)+" levels of nesting")
	}
	return nil
}

var closing = map[byte]byte{'(': ')', '[': ']', '<': '>'}

// tuple reads an integer or a list; coord allows `_`.
func (p *parser) tuple(depth int, coord bool) (IntTuple, error) {
	open := p.peek()
	if open != '(' && open != '[' {
		if err := p.leaf(); err != nil {
			return IntTuple{}, err
		}
		if coord && p.under() {
			return Underscore(), nil
		}
		n, err := p.integer()
		return Int(n), err
	}
	if err := p.deep(depth + 1); err != nil {
		return IntTuple{}, err
	}
	p.pos++
	var list []IntTuple
	for {
		t, err := p.tuple(depth+1, coord)
		if err != nil {
			return IntTuple{}, err
		}
		list = append(list, t)
		comma := p.eat(',')
		if p.eat(closing[open]) {
			return IntTuple{list: list}, nil
		}
		if !comma {
			return IntTuple{}, p.expected("',' or '" + string(closing[open]) + "'")
		}
	}
}

// wholeTuple is a whole text that is a tuple.
func (p *parser) wholeTuple(coord bool) (IntTuple, error) {
	p.peek()
	start := p.pos
	t, err := p.tuple(0, coord)
	if err != nil {
		return IntTuple{}, err
	}
	return t, p.at(limited(t.count()), start)
}

// layout reads a tuple with an optional stride, or a call.
func (p *parser) layout(depth int) (Layout, error) {
	if p.call != nil && letter(p.peek()) {
		return p.call(depth)
	}
	p.peek()
	start := p.pos
	shape, err := p.tuple(0, false)
	if err != nil {
		return Layout{}, err
	}
	return p.strides(shape, start)
}

// strides reads what follows a shape and makes the layout.
func (p *parser) strides(shape IntTuple, start int) (Layout, error) {
	if !p.eat(':') {
		l, err := Left(shape)
		return l, p.at(err, start)
	}
	stride, err := p.tuple(0, false)
	if err != nil {
		return Layout{}, err
	}
	l, err := New(shape, stride)
	return l, p.at(err, start)
}

func (p *parser) tiler(depth int) (Tiler, error) {
	switch c := p.peek(); {
	case c == '<':
		if err := p.deep(depth + 1); err != nil {
			return Tiler{}, err
		}
		p.pos++
		var list []Tiler
		for {
			t, err := p.tiler(depth + 1)
			if err != nil {
				return Tiler{}, err
			}
			list = append(list, t)
			if p.eat('>') {
				return Tiler{list: list}, nil
			}
			if !p.eat(',') {
				return Tiler{}, p.expected("',' or '>'")
			}
		}
	case p.under():
		return Keep(), p.leaf()
	case p.call != nil && letter(c):
		l, err := p.call(depth)
		return TileBy(l), err
	}
	start := p.pos
	shape, err := p.tuple(depth, false)
	if err != nil {
		return Tiler{}, err
	}
	if p.peek() != ':' {
		t, err := TileShape(shape)
		return t, p.at(err, start)
	}
	l, err := p.strides(shape, start)
	return TileBy(l), err
}

func (p *parser) swizzle() (Swizzle, error) {
	p.peek()
	start := p.pos
	if len(p.text)-p.pos < 3 || p.text[p.pos:p.pos+3] != "Sw<" {
		return Swizzle{}, p.expected("Sw<B,M,S>")
	}
	p.pos += 3
	var n [3]int64
	for i := range n {
		var err error
		if n[i], err = p.integer(); err != nil {
			return Swizzle{}, err
		}
		if want := ",,>"[i]; !p.eat(want) {
			return Swizzle{}, p.expected("'" + string(want) + "'")
		}
	}
	s, err := NewSwizzle(n[0], n[1], n[2])
	return s, p.at(err, start)
}

// isSwizzle tells whether a swizzle starts here.
func (p *parser) isSwizzle() bool {
	return p.peek() == 'S' && p.pos+1 < len(p.text) && p.text[p.pos+1] == 'w'
}

func (p *parser) composed(depth int) (c Composed, err error) {
	if p.isSwizzle() {
		c.Outer, err = p.swizzle()
	} else {
		c.Outer, err = p.layout(depth)
	}
	if err != nil {
		return Composed{}, err
	}
	return p.after(c, depth)
}

// after reads ` o offset o layout`.
func (p *parser) after(c Composed, depth int) (_ Composed, err error) {
	if !p.eat('o') {
		return Composed{}, p.expected("'o'")
	}
	if c.Offset, err = p.integer(); err != nil {
		return Composed{}, err
	}
	if !p.eat('o') {
		return Composed{}, p.expected("'o'")
	}
	c.Inner, err = p.layout(depth)
	return c, err
}
