package literal

import (
	"fmt"
	"math"
	"strconv"

	"hlolayout/hlo"
)

// array reads one array: braces as deep as its rank, with the elements in the innermost ones.
type array struct {
	*parser
	part   part
	dims   []int64
	level  int     // braces that are open
	braces bool    // some were
	seen   []int64 // by dimension: elements or rows seen in the open brace
	size   int64   // elements of the shape
	read   int64   // elements seen
	out    *Literal
}

func (p *parser) array(s *hlo.Shape, part part) (*Literal, *Error) {
	a := array{parser: p, part: part, dims: s.Dims, seen: make([]int64, len(s.Dims))}
	n, ok := s.Elements()
	if a.size = n; !ok { // too many to count, or not known: no text has them all
		a.size = math.MaxInt64
	}
	room := min(a.size, int64(len(p.src)-p.at)/2+1) // every element but the last is followed by something
	a.out = &Literal{shape: s, part: part, data: make([]byte, 0, int(room)*part.size())}
	start := p.at
	for {
		if err := a.step(); err != nil {
			return nil, err
		}
		if a.level == 0 {
			return a.out, a.finish(start)
		}
	}
}

// step takes one token, for a complex element all of its tokens.
func (a *array) step() *Error {
	switch a.kind {
	case tokenComma: // white space, in effect
	case tokenBrace:
		if a.level == len(a.dims) {
			return a.fail(a.at, "a brace too many", a.rank())
		}
		a.braces = true
		if a.level++; a.level > 1 {
			k := a.level - 2
			if a.seen[k]++; a.seen[k] > a.dims[k] {
				return a.miscount(k, "there are more")
			}
		}
	case tokenCloseBrace:
		if a.level == 0 {
			return a.unexpected(a.values())
		}
		k := a.level - 1
		if a.seen[k] != a.dims[k] {
			return a.miscount(k, "there are "+strconv.FormatInt(a.seen[k], 10))
		}
		a.seen[k] = 0
		a.level = k
	case tokenDots:
		if a.level != 1 {
			return a.fail(a.at, fmt.Sprintf("`...` inside %s", count(int64(a.level), "brace")),
				"it must be the only entry, directly inside the outermost braces of an array")
		}
		a.out.elided = true
		a.seen[0] = a.dims[0]
	case tokenParen:
		if a.part.parts != 2 {
			return a.fail(a.at, "unexpected `(`", "only complex elements and tuples have parentheses")
		}
		return a.complex()
	case tokenInt, tokenDecimal, tokenInf, tokenTrue, tokenFalse:
		return a.number()
	default:
		return a.unexpected(a.values())
	}
	a.next()
	return nil
}

// number takes an element that is one token. XLA passes over one at the wrong place; the count of the elements tells in
// the end, but not where one number stands for a whole array.
func (a *array) number() *Error {
	if err := a.place(); err != nil {
		a.note(err)
	}
	if a.part.parts == 2 {
		return a.unexpected("a pair such as (1, 0.5)")
	}
	var b uint64
	why := fine
	switch a.kind {
	case tokenTrue, tokenFalse:
		if a.part.class != hlo.ClassPred {
			return a.unexpected("a number")
		}
		b = a.bits
	case tokenInt:
		b, why = a.part.fromInt(int64(a.bits))
	case tokenDecimal:
		if a.part.float != nil && a.overflows() {
			why = outOfRange
			break
		}
		fallthrough
	case tokenInf:
		b, why = a.part.fromFloat(a.bits)
	}
	if why != fine {
		return a.refuse(a.at, a.text(), why)
	}
	if err := a.add(b, 0); err != nil {
		return err
	}
	a.next()
	return nil
}

// complex takes an element in parentheses. All of its errors but those of its syntax are at the parenthesis.
func (a *array) complex() *Error {
	open := a.at
	if err := a.place(); err != nil {
		return err
	}
	var v, b [2]uint64
	var why [2]problem
	var text [2]string
	for i, behind := range [2]tokenKind{tokenComma, tokenCloseParen} {
		a.next()
		switch a.kind {
		case tokenInt:
			v[i] = math.Float64bits(float64(int64(a.bits)))
		case tokenDecimal, tokenInf:
			if v[i] = a.bits; a.kind == tokenDecimal && a.overflows() {
				return a.refuse(a.at, a.text(), outOfRange)
			}
		default:
			return a.unexpected("a number")
		}
		text[i] = a.text()
		if a.next(); a.kind != behind {
			return a.unexpected([2]string{"`,` after the real part", "`)` after the imaginary part"}[i])
		}
		// XLA compares with the limits before it rounds, other than for numbers that are not complex.
		if m := math.Float64frombits(v[i] & double.magnitude()); !math.IsInf(m, 0) &&
			m > a.part.float.value(a.part.float.largest()) {
			why[i] = outOfRange
		}
	}
	f := a.part.float
	for i := range v {
		if why[i] != fine {
			return a.refuse(open, text[i], why[i])
		}
	}
	var p problem
	if b[0], p = f.fromDouble(v[0]); p != fine {
		return a.refuse(open, text[0], p)
	}
	switch {
	case double.isNaN(v[0]): // XLA looks at the real part twice
		b[1] = b[0]
	case double.isNaN(v[1]):
		b[1] = f.castNaN(v[1])
	default:
		b[1], _ = f.round(v[1])
	}
	if err := a.add(b[0], b[1]); err != nil {
		return err
	}
	a.next()
	return nil
}

// overflows reports whether a decimal is beyond the range of a double.
func (a *array) overflows() bool { return a.bits&double.magnitude() == double.infinity() }

// add stores an element.
func (a *array) add(re, im uint64) *Error {
	if a.read >= a.size {
		return a.fail(a.at, "an element too many", "the shape has "+count(a.size, "element"))
	}
	a.read++
	a.out.add(re)
	if a.part.parts == 2 {
		a.out.add(im)
	}
	for a.level > 0 && a.pos < len(a.src) && (a.src[a.pos] == ',' || a.src[a.pos] == ' ') {
		a.pos++ // what step would pass over, only faster
	}
	return nil
}

// place counts an element, or says why it is not allowed here.
func (a *array) place() *Error {
	last := len(a.dims) - 1
	if last < 0 {
		return nil
	}
	if a.level <= last {
		return a.fail(a.at, "an element inside "+count(int64(a.level), "brace"), a.rank())
	}
	if a.seen[last]++; a.seen[last] > a.dims[last] {
		return a.miscount(last, "there are more")
	}
	return nil
}

// finish completes an array whose braces are closed, or which has none: XLA takes what is not there as zeros.
func (a *array) finish(start int) *Error {
	switch {
	case a.out.elided:
		a.out.data = nil
		return nil
	case a.size > math.MaxInt/16: // not known, or more than memory could hold
		return a.fail(start, "the shape has no number of elements that an array can have",
			"only {...} can stand for them")
	}
	a.out.n = int(a.size)
	a.out.filled = !a.braces && nodes(a.dims) > maxFill
	return nil
}

// ---- messages -------------------------------------------------------------------------------------------------------

func (a *array) text() string { return short(a.src[a.at:a.end]) }

func (a *array) refuse(at int, text string, why problem) *Error {
	msg, hint := a.part.explain(text, why)
	return a.fail(at, msg, hint)
}

// rank says how deep the elements stand.
func (a *array) rank() string {
	return "the shape has " + count(int64(len(a.dims)), "dimension") + ", so its elements are inside as many braces"
}

// values says what values the array can have.
func (a *array) values() string {
	switch {
	case a.part.parts == 2:
		return "a pair such as (1, 0.5) or a brace"
	case a.part.class == hlo.ClassPred:
		return "true, false, an integer or a brace"
	case a.part.float == nil:
		return "an integer or a brace"
	}
	return "a number such as 1, -0.5, 1e-05, inf, nan, or a brace"
}

// miscount says that the open brace of dimension k does not hold as many elements or rows as the shape says.
func (a *array) miscount(k int, found string) *Error {
	if a.dims[k] < 0 {
		return a.fail(a.at, "dimension "+strconv.Itoa(k)+" is unbounded", "only {...} can stand for its elements")
	}
	what := "row"
	if k == len(a.dims)-1 {
		what = "element"
	}
	where := ""
	if k > 0 && k <= 8 {
		for i := range k {
			where += strconv.FormatInt(a.seen[i]-1, 10) + ","
		}
		where = " at [" + where[:len(where)-1] + "]"
	}
	return a.fail(a.at, fmt.Sprintf("the shape has %s in dimension %d, in these braces%s %s", count(a.dims[k], what), k,
		where, found), "")
}
