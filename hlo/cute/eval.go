package cute

import (
	"strconv"
	"strings"
)

// MaxText is the longest expression that Eval reads, in bytes.
const MaxText = 1 << 16

// Eval evaluates an expression of the algebra: a function of Functions applied to arguments, each in the notation of
// its type or another call, such as `composition((4,8):(8,1),<2,4>)` or `size(complement(2:4,64))`; or a layout or
// swizzled layout alone. Every error is an *Error with its place in expr.
func Eval(expr string) (Value, error) {
	p := &parser{text: expr}
	if len(expr) > MaxText {
		return Value{}, p.fail(ErrLimit, 0, "expression of "+strconv.Itoa(len(expr))+" bytes; at most "+
			strconv.Itoa(MaxText)+" are accepted")
	}
	p.call = func(depth int) (Layout, error) {
		start := p.pos
		v, err := p.callValue(depth)
		if err != nil {
			return Layout{}, err
		}
		if v, err = p.as(v, TypeLayout, start); err != nil {
			return Layout{}, err
		}
		return v.Layout, nil
	}
	v, err := p.whole()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

// whole reads the expression: a call, or a literal; ` o ` after either makes a composed layout.
func (p *parser) whole() (Value, error) {
	if p.isSwizzle() {
		s, err := p.swizzle()
		if err != nil || p.peek() == 0 {
			return Value{Type: TypeSwizzle, Swizzle: s}, err
		}
		c, err := p.after(Composed{Outer: s}, 0)
		return ofComposed(c), err
	}
	start := p.pos
	var v Value
	var err error
	if letter(p.peek()) {
		v, err = p.callValue(0)
	} else {
		v.Type = TypeLayout
		v.Layout, err = p.layout(0)
	}
	if err != nil || p.peek() != 'o' {
		return v, err
	}
	if v, err = p.as(v, TypeLayout, start); err != nil {
		return Value{}, err
	}
	c, err := p.after(Composed{Outer: v.Layout}, 0)
	return ofComposed(c), err
}

// callValue reads name(argument,...) and evaluates it; p.text[p.pos] is a letter.
func (p *parser) callValue(depth int) (Value, error) {
	start := p.pos
	name := p.word()
	f := lookup(name)
	if f == nil {
		msg := "unknown function " + brief(name)
		if near := nearest(name); near != "" {
			msg += "; did you mean " + near + "?"
		}
		return Value{}, p.fail(ErrArgument, start, msg)
	}
	if err := p.deep(depth + 1); err != nil {
		return Value{}, err
	}
	if !p.eat('(') {
		return Value{}, p.expected("'(' after " + name + ": " + f.Signature())
	}
	var args []Value
	for !p.eat(')') {
		k := len(args)
		if k > 0 && !p.eat(',') {
			return Value{}, p.expected("',' or ')'")
		}
		if n := len(f.Params); k >= n && (n == 0 || !f.Params[n-1].Repeated) {
			return Value{}, p.fail(ErrArgument, p.pos, "too many arguments; the form is "+f.Signature())
		}
		v, err := p.argument(f.Params[min(k, len(f.Params)-1)].Type, depth+1)
		if err != nil {
			return Value{}, err
		}
		args = append(args, v)
	}
	for k := len(args); k < len(f.Params); k++ {
		if !f.Params[k].Optional && !f.Params[k].Repeated {
			return Value{}, p.fail(ErrArgument, p.pos-1, "argument "+f.Params[k].Name+" is missing; the form is "+
				f.Signature())
		}
	}
	v, err := f.apply(args)
	if err != nil {
		return Value{}, within(err, name, start)
	}
	return v, nil
}

// apply calls the function; a Composed first argument of a domain-side operation is worked on inside.
func (f *Function) apply(args []Value) (Value, error) {
	if f.Params[0].Type != TypeInner || args[0].Type != TypeComposed {
		return f.call(args)
	}
	c := args[0].Composed
	args[0] = ofLayout(c.Inner)
	v, err := f.call(args)
	if err != nil {
		return Value{}, err
	}
	switch v.Type {
	case TypeLayout:
		return ofComposed(Composed{c.Outer, c.Offset, v.Layout}), nil
	case TypeSlice:
		offset, ok := Add(c.Offset, v.Int)
		if !ok {
			return Value{}, fail(ErrOverflow, "the offset does not fit int64")
		}
		if v.Layout.IsZero() {
			offset, err = c.Outer.At(offset)
			return ofInt(offset), err
		}
		return ofComposed(Composed{c.Outer, offset, v.Layout}), nil
	}
	return v, nil
}

// argument reads one argument of the given type, or a call that gives it.
func (p *parser) argument(t Type, depth int) (v Value, err error) {
	start := p.pos
	v.Type = t
	if letter(p.peek()) && !p.isSwizzle() && t != TypeWord {
		start = p.pos
		if v, err = p.callValue(depth); err != nil {
			return Value{}, err
		}
		if (t == TypeInner || t == TypeComposed) && p.peek() == 'o' {
			return p.restOfComposed(v, start, depth)
		}
		return p.as(v, t, start)
	}
	switch t {
	case TypeInt:
		v.Int, err = p.integer()
	case TypeWord:
		v.Word = p.word()
		if v.Word == "" {
			err = p.expected("a word")
		}
	case TypeTuple:
		v.Tuple, err = p.tuple(0, false)
	case TypeCoord:
		v.Tuple, err = p.tuple(0, true)
	case TypeTiler:
		v.Tiler, err = p.tiler(depth)
	case TypeSwizzle:
		v.Swizzle, err = p.swizzle()
	case TypeComposed, TypeInner:
		if p.isSwizzle() {
			v.Type = TypeComposed
			v.Composed, err = p.composed(depth)
			return v, err
		}
		v.Type = TypeLayout
		if v.Layout, err = p.layout(depth); err == nil && p.peek() == 'o' {
			return p.restOfComposed(v, start, depth)
		}
	default:
		v.Layout, err = p.layout(depth)
	}
	return v, err
}

// restOfComposed reads ` o offset o layout` after a layout.
func (p *parser) restOfComposed(v Value, start, depth int) (Value, error) {
	v, err := p.as(v, TypeLayout, start)
	if err != nil {
		return Value{}, err
	}
	c, err := p.after(Composed{Outer: v.Layout}, depth)
	return ofComposed(c), err
}

// as reads a value as another type, or says that it is not one.
func (p *parser) as(v Value, t Type, pos int) (Value, error) {
	w, ok, err := v.as(t)
	if !ok {
		if t == TypeInner || t == TypeComposed {
			t = TypeLayout
		}
		return Value{}, p.fail(ErrArgument, pos, "this is of type "+string(v.Type)+"; "+string(t)+" is wanted")
	}
	return w, p.at(err, pos)
}

// word takes letters, digits and underscores.
func (p *parser) word() string {
	p.peek()
	start := p.pos
	for p.pos < len(p.text) && (letter(p.text[p.pos]) || digit(p.text[p.pos]) || p.text[p.pos] == '_') {
		p.pos++
	}
	return p.text[start:p.pos]
}

func lookup(name string) *Function {
	for i := range functions {
		if functions[i].Name == name {
			return &functions[i]
		}
	}
	return nil
}

// nearest returns the function whose name shares most of its pairs of letters with name, "" if none shares half.
func nearest(name string) string {
	best, score := "", 0.5
	for _, f := range functions {
		common := 0
		for i := 0; i+2 <= len(f.Name); i++ {
			if strings.Contains(name, f.Name[i:i+2]) {
				common++
			}
		}
		if s := float64(common) / float64(max(len(name), len(f.Name))-1); s >= score {
			best, score = f.Name, s
		}
	}
	return best
}
