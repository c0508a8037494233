package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/forms"
)

// notations is the part of help texts that says how a SHAPE may be written.
const notations = `A SHAPE is written as in HLO text, bf16[16,1280,40]{2,1,0:T(8,128)(2,1)S(1)}, in old dumps' notation,
F32[3,5]{1,0:(2,2)}, or with JAX's layout behind type and dimensions, in the reverse order:
'bf16[16,1280,40] major_to_minor=(0,1,2), tiling=((8,128),(2,1))'; a Layout(...) as JAX prints it will do, too.
Quote it: shells have their own use for braces.`

// readShape reads a shape in any of the notations.
func readShape(text string) (*hlo.Shape, error) {
	if at := jaxLayout().FindStringIndex(text); at != nil {
		return readJAX(text, at[0])
	}
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("no shape: write one as bf16[20,300]{1,0:T(8,128)(2,1)}")
	}
	return parser.ParseShape(pythonTypes(text))
}

// shapeInText is a shape among other words.
var shapeInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b[a-z][a-z0-9]*\[[0-9,<=?]*\](?:\{[^{}\s]*\})?`)
})

// readShapes reads a shape, or an instruction, which stands for its result, or the shapes in other text.
func readShapes(text string) ([]*hlo.Shape, error) {
	s, err := readShape(text)
	if err == nil {
		return []*hlo.Shape{s}, nil
	}
	if forms.HasLines(text) {
		in, failed := forms.ParseLines(parser.Config{}, "", text)
		if failed != nil {
			return nil, failed
		}
		root := in.Modules[0].Entry.Root
		return []*hlo.Shape{root.Shape}, nil
	}
	var shapes []*hlo.Shape
	for _, found := range shapeInText().FindAllString(text, -1) {
		if found == strings.TrimSpace(text) {
			break // its own error says more
		}
		if s, failed := readShape(found); failed == nil {
			shapes = append(shapes, s)
		}
	}
	if len(shapes) > 0 && strings.Contains(strings.TrimSpace(text), " ") {
		return shapes, nil
	}
	return nil, err
}

// readArray is readShape for arrays alone.
func readArray(text string) (*hlo.Shape, error) {
	s, err := readShape(text)
	if err == nil && s.Kind == hlo.BufferShape {
		s = s.Elems[0]
	}
	if err == nil && !s.IsArray() {
		return nil, fmt.Errorf("%s is not an array: only arrays have a layout", s)
	}
	return s, err
}

// jaxLayout is where the layout begins in JAX's notation (jax 0.10.2, jax/_src/layout.py; the longer names are those of
// older versions).
var jaxLayout = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?:\b(?:Format|(?:DeviceLocal)?Layout)\s*\(|\b_?(?:major_to_minor|tiling|sub_byte_element_size_in_bits)\s*=)`)
})

var (
	jaxKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^_?(major_to_minor|tiling|sub_byte_element_size_in_bits)\s*=\s*`)
	})
	jaxWrapper = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:Format|(?:DeviceLocal)?Layout)\s*\(|^layout\s*=\s*`)
	})
)

// readJAX reads type and dimensions as HLO has them, then JAX's Layout, which begins at the given offset: its
// arguments, with or without Layout( ) around them.
func readJAX(text string, at int) (*hlo.Shape, error) {
	before := strings.TrimRight(text[:at], " \t,")
	if before == "" {
		return nil, fmt.Errorf("type and dimensions are missing before JAX's layout: write them as in bf16[20,300] %s",
			text[at:])
	}
	s, err := parser.ParseShape(pythonTypes(before))
	if err != nil {
		return nil, err
	}
	if !s.IsArray() || s.Layout != nil {
		return nil, fmt.Errorf("%s precedes JAX's layout: only type and dimensions can, as in bf16[20,300]", s)
	}
	l := hlo.DescendingLayout(s.Rank())
	r := pythonReader{text, at}
	open := 0
	for r.skip(); r.at < len(text); r.skip() {
		if m := jaxWrapper().FindString(text[r.at:]); m != "" {
			open += strings.Count(m, "(")
			r.at += len(m)
			continue
		}
		if open > 0 && text[r.at] == ')' {
			open--
			r.at++
			continue
		}
		if strings.HasPrefix(text[r.at:], "sharding") { // what follows the layout in Format
			break
		}
		m := jaxKey().FindStringSubmatch(text[r.at:])
		if m == nil {
			return nil, r.fail("expected major_to_minor=, tiling= or sub_byte_element_size_in_bits=")
		}
		start := r.at + len(m[0])
		r.at = start
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		wrong := func(want string) error {
			r.at = start
			return r.fail(m[1] + " takes " + want)
		}
		switch m[1] {
		case "major_to_minor":
			order, ok := v.ints()
			if !ok {
				return nil, wrong("the dimension numbers from the slowest-varying to the fastest, as in (0,1,2)")
			}
			l.MinorToMajor = nil
			for _, d := range slices.Backward(order) {
				l.MinorToMajor = append(l.MinorToMajor, int(d))
			}
		case "tiling":
			if l.Tiles = nil; v.list == nil && v.none {
				continue
			}
			for _, t := range v.list {
				tile, ok := t.ints()
				if !ok {
					return nil, wrong("tiles in a tuple, as in ((8,128),(2,1))")
				}
				l.Tiles = append(l.Tiles, tile)
			}
			if !v.isList {
				return nil, wrong("tiles in a tuple, as in ((8,128),(2,1)); ((8,128),) has one tile")
			}
		default:
			if v.isList || v.none {
				return nil, wrong("a number")
			}
			l.ElementBits = v.n
		}
	}
	if bits := int64(s.DType.Bits()); l.ElementBits == 0 && bits < 8 && l.Tiles != nil &&
		(s.DType.Class() == hlo.ClassSigned || s.DType.Class() == hlo.ClassUnsigned) {
		l.ElementBits = bits // as jax.Layout does when XLA has it
	}
	return s.WithLayout(l), nil
}

// pythonValue is an integer, None, or a tuple.
type pythonValue struct {
	n            int64
	none, isList bool
	list         []pythonValue
}

func (v pythonValue) ints() (out []int64, ok bool) {
	for _, x := range v.list {
		if x.isList || x.none {
			return nil, false
		}
		out = append(out, x.n)
	}
	return out, v.isList
}

type pythonReader struct {
	text string
	at   int
}

// skip skips blanks and commas.
func (r *pythonReader) skip() {
	for r.at < len(r.text) && strings.IndexByte(" \t,", r.text[r.at]) >= 0 {
		r.at++
	}
}

func (r *pythonReader) fail(msg string) error {
	return &snippet{r.text, r.at + 1, fmt.Sprintf("column %d: %s", r.at+1, msg)}
}

func (r *pythonReader) value() (pythonValue, error) { return r.nested(0) }

func (r *pythonReader) nested(depth int) (v pythonValue, err error) {
	rest := r.text[r.at:]
	switch {
	case strings.HasPrefix(rest, "None"):
		r.at += len("None")
		return pythonValue{none: true}, nil
	case rest != "" && (rest[0] == '(' || rest[0] == '[') && depth < 2:
		closing := map[byte]byte{'(': ')', '[': ']'}[rest[0]]
		v.isList = true
		r.at++
		for r.skip(); r.at < len(r.text) && r.text[r.at] != closing; r.skip() {
			x, err := r.nested(depth + 1)
			if err != nil {
				return v, err
			}
			v.list = append(v.list, x)
		}
		if r.at == len(r.text) {
			return v, r.fail("a closing " + string(closing) + " is missing")
		}
		r.at++
		return v, nil
	}
	end := 0
	for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || end == 0 && rest[end] == '-') {
		end++
	}
	n, err := strconv.ParseInt(rest[:end], 10, 64)
	if err != nil {
		return v, r.fail("expected an integer, None or a tuple")
	}
	r.at += end
	return pythonValue{n: n}, nil
}

// appendJAX appends an array's shape and layout as JAX writes them.
func appendJAX(dst []byte, s *hlo.Shape) []byte {
	dst = s.Append(dst, false)
	dst = append(dst, " Layout(major_to_minor="...)
	dst = appendTuple(dst, len(s.Dims), func(dst []byte, i int) []byte {
		return strconv.AppendInt(dst, int64(s.MinorToMajor()[len(s.Dims)-1-i]), 10)
	})
	dst = append(dst, ", tiling="...)
	if !s.IsTiled() {
		dst = append(dst, "None"...)
	} else {
		dst = appendTuple(dst, len(s.Layout.Tiles), func(dst []byte, i int) []byte {
			tile := s.Layout.Tiles[i]
			return appendTuple(dst, len(tile), func(dst []byte, k int) []byte {
				return strconv.AppendInt(dst, tile[k], 10)
			})
		})
	}
	if s.Layout != nil && s.Layout.ElementBits != 0 {
		dst = strconv.AppendInt(append(dst, ", sub_byte_element_size_in_bits="...), s.Layout.ElementBits, 10)
	}
	return append(dst, ')')
}

// appendTuple appends a Python tuple of n values.
func appendTuple(dst []byte, n int, value func(dst []byte, i int) []byte) []byte {
	dst = append(dst, '(')
	for i := range n {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = value(dst, i)
	}
	if n == 1 {
		dst = append(dst, ',')
	}
	return append(dst, ')')
}

// pythonTypes writes an element type that begins a text as HLO has it, where it is NumPy's name: bfloat16 is bf16.
func pythonTypes(text string) string {
	trimmed := strings.TrimLeft(text, " \t")
	name := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "abcdefghijklmnopqrstuvwxyz0123456789_"))]
	if d, ok := parsePythonType(name); ok {
		return d.String() + trimmed[len(name):]
	}
	return text
}

// parsePythonType returns the element type that JAX and NumPy call so: bfloat16, int8, float8_e4m3fn, bool.
func parsePythonType(name string) (hlo.DType, bool) {
	if name == "bool" {
		return hlo.Pred, true
	}
	for _, t := range [...]struct{ python, hlo string }{{"bfloat", "bf"}, {"float", "f"}, {"uint", "u"}, {"int", "s"},
		{"complex", "c"}} {
		if rest, ok := strings.CutPrefix(name, t.python); ok && rest != "" {
			return hlo.ParseDType(t.hlo + strings.ReplaceAll(rest, "_", ""))
		}
	}
	return hlo.DTypeInvalid, false
}

// readType returns the element type with HLO's or NumPy's name.
func readType(name string) (hlo.DType, error) {
	d, ok := hlo.ParseDType(name)
	if !ok {
		d, ok = parsePythonType(name)
	}
	if ok && d.IsArray() {
		return d, nil
	}
	var known []string
	for _, d := range hlo.DTypes() {
		known = append(known, d.String())
	}
	return d, fmt.Errorf("unknown element type %q: %s", name, didYouMean(name, known))
}
