package cute

import "strconv"

// Type is the sort of a value or parameter in expressions.
type Type string

// The types. A value of one is taken where another is wanted if it can be read as such: an integer as a tuple,
// coordinate, layout n:1 or tiler; a tuple as a coordinate, a layout with left strides or a tiler; a layout as a tiler.
const (
	TypeInt      Type = "int"
	TypeBool     Type = "bool"
	TypeWord     Type = "word"
	TypeTuple    Type = "tuple"
	TypeCoord    Type = "coord" // a tuple that may have `_` leaves
	TypeLayout   Type = "layout"
	TypeTiler    Type = "tiler"
	TypeSwizzle  Type = "swizzle"
	TypeComposed Type = "composed" // Sw<B,M,S> o offset o layout; as a parameter also a plain layout
	TypeInner    Type = "inner"    // as a parameter like TypeComposed, but the function acts on what is innermost
	TypeSlice    Type = "slice"    // a layout, perhaps none, and an offset
)

// Value is the result of an expression. Type says which of the fields holds it.
type Value struct {
	Type     Type
	Int      int64 // TypeInt; the offset of TypeSlice
	Bool     bool
	Word     string
	Tuple    IntTuple // TypeTuple, TypeCoord
	Layout   Layout   // TypeLayout; of TypeSlice, where it may be the zero Layout
	Tiler    Tiler
	Swizzle  Swizzle
	Composed Composed
}

// String returns the canonical text; a slice is "layout + offset".
func (v Value) String() string {
	switch v.Type {
	case TypeInt:
		return strconv.FormatInt(v.Int, 10)
	case TypeBool:
		return strconv.FormatBool(v.Bool)
	case TypeWord:
		return v.Word
	case TypeTuple, TypeCoord:
		return v.Tuple.String()
	case TypeLayout:
		return v.Layout.String()
	case TypeTiler:
		return v.Tiler.String()
	case TypeSwizzle:
		return v.Swizzle.String()
	case TypeComposed:
		return v.Composed.String()
	case TypeSlice:
		if v.Layout.IsZero() {
			return strconv.FormatInt(v.Int, 10)
		}
		return v.Layout.String() + " + " + strconv.FormatInt(v.Int, 10)
	}
	return ""
}

func ofInt(n int64) Value         { return Value{Type: TypeInt, Int: n} }
func ofBool(b bool) Value         { return Value{Type: TypeBool, Bool: b} }
func ofTuple(t IntTuple) Value    { return Value{Type: TypeTuple, Tuple: t} }
func ofLayout(l Layout) Value     { return Value{Type: TypeLayout, Layout: l} }
func ofComposed(c Composed) Value { return Value{Type: TypeComposed, Composed: c} }

// as reads v as another type; ok is false where that has no meaning.
func (v Value) as(want Type) (_ Value, ok bool, err error) {
	switch {
	case v.Type == want:
	case want == TypeInner && v.Type == TypeComposed:
	case want == TypeInner || want == TypeComposed:
		return v.as(TypeLayout)
	case v.Type == TypeInt && (want == TypeTuple || want == TypeCoord || want == TypeLayout || want == TypeTiler):
		return ofTuple(Int(v.Int)).as(want)
	case v.Type == TypeTuple && want == TypeCoord:
		v.Type = TypeCoord
	case v.Type == TypeTuple && want == TypeLayout:
		l, err := Left(v.Tuple)
		return ofLayout(l), true, err
	case v.Type == TypeTuple && want == TypeTiler:
		t, err := TileShape(v.Tuple)
		return Value{Type: TypeTiler, Tiler: t}, true, err
	case v.Type == TypeLayout && want == TypeTiler:
		return Value{Type: TypeTiler, Tiler: TileBy(v.Layout)}, true, nil
	case v.Type == TypeSlice && want == TypeLayout && v.Int == 0 && !v.Layout.IsZero():
		return ofLayout(v.Layout), true, nil
	default:
		return Value{}, false, nil
	}
	return v, true, nil
}
