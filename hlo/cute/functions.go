package cute

import (
	"slices"
	"strings"
)

// Param is one parameter of a Function.
type Param struct {
	Name     string
	Type     Type
	Optional bool // the last ones may be
	Repeated bool // the last one may be: any number of them
}

// Function is an operation that expressions can name.
type Function struct {
	Name   string
	Params []Param
	Result Type
	Doc    string // one line
	call   call
}

// Signature returns the call's form, such as "coalesce(layout[, profile]) layout".
func (f Function) Signature() string {
	var b strings.Builder
	b.WriteString(f.Name + "(")
	for i, p := range f.Params {
		text := p.Name
		if i > 0 {
			text = ", " + text
		}
		if p.Optional {
			text = "[" + text + "]"
		}
		if p.Repeated {
			text += "..."
		}
		b.WriteString(text)
	}
	b.WriteString(") " + string(f.Result))
	return b.String()
}

// Functions returns the operations that expressions can name, in this order: making, measures,
// coordinates, operations.
func Functions() []Function { return slices.Clone(functions) }

// What most functions take.
var (
	pLayout  = Param{Name: "layout", Type: TypeLayout}
	pInner   = Param{Name: "layout", Type: TypeInner}
	pTiler   = Param{Name: "tiler", Type: TypeTiler}
	pShape   = Param{Name: "shape", Type: TypeTuple}
	pCoord   = Param{Name: "coord", Type: TypeCoord}
	pA       = Param{Name: "a", Type: TypeLayout}
	pB       = Param{Name: "b", Type: TypeLayout}
	pTupleA  = Param{Name: "a", Type: TypeTuple}
	pTupleB  = Param{Name: "b", Type: TypeTuple}
	pN       = Param{Name: "n", Type: TypeInt}
	pRank    = Param{Name: "rank", Type: TypeInt}
	pMode    = Param{Name: "mode", Type: TypeInt}
	pBegin   = Param{Name: "begin", Type: TypeInt}
	pEnd     = Param{Name: "end", Type: TypeInt}
	pNumbers = Param{Name: "mode", Type: TypeInt, Repeated: true}
)

var functions = []Function{
	{"make_layout", []Param{pShape, {Name: "left|right", Type: TypeWord, Optional: true}}, TypeLayout,
		"the shape with column-major (left) or row-major (right) strides", callMake},
	{"ordered_layout", []Param{pShape, {Name: "order", Type: TypeTuple}}, TypeLayout,
		"the shape with compact strides, the leaf of smallest order first",
		func(a []Value) (Value, error) { return layoutOr(Ordered(a[0].Tuple, a[1].Tuple)) }},
	{"concat", []Param{{Name: "layout", Type: TypeLayout, Repeated: true}}, TypeLayout,
		"a layout whose modes are the arguments",
		func(a []Value) (Value, error) {
			modes := make([]Layout, len(a))
			for i := range a {
				modes[i] = a[i].Layout
			}
			return layoutOr(Concat(modes...))
		}},
	{"parse", []Param{pLayout}, TypeLayout, "the layout in canonical text",
		unary(func(l Layout) (Layout, error) { return l, nil })},
	{"compact", []Param{pLayout}, TypeLayout, "the shape with compact strides in the order of the layout's strides",
		unary(Compact)},
	{"sort", []Param{pInner}, TypeLayout, "the leaves in ascending order of stride", unary(Sort)},
	{"flatten", []Param{pInner}, TypeLayout, "the leaves as one flat list", unary(noError(Flatten))},
	{"reverse", []Param{pInner}, TypeLayout, "the modes in reverse order", unary(noError(Reverse))},
	{"get", []Param{pInner, pNumbers}, TypeLayout, "the part at a path of mode numbers", numbers(Get)},
	{"select", []Param{pInner, pNumbers}, TypeLayout, "the modes with the given numbers", numbers(Select)},
	{"take", []Param{pInner, pBegin, pEnd}, TypeLayout, "the modes begin <= i < end",
		numbers(func(l Layout, n ...int) (Layout, error) { return Take(l, n[0], n[1]) })},
	{"group", []Param{pInner, pBegin, pEnd}, TypeLayout, "the modes begin <= i < end made one mode",
		numbers(func(l Layout, n ...int) (Layout, error) { return Group(l, n[0], n[1]) })},
	{"append", []Param{pInner, pRank}, TypeLayout, "padded on the right with modes 1:0",
		numbers(func(l Layout, n ...int) (Layout, error) { return Append(l, n[0]) })},
	{"prepend", []Param{pInner, pRank}, TypeLayout, "padded on the left with modes 1:0",
		numbers(func(l Layout, n ...int) (Layout, error) { return Prepend(l, n[0]) })},
	{"replace", []Param{pInner, pMode, pLayout}, TypeLayout, "one mode replaced",
		func(a []Value) (Value, error) { return layoutOr(Replace(a[0].Layout, modeNumber(a[1]), a[2].Layout)) }},

	{"shape", []Param{pInner}, TypeTuple, "the shape", func(a []Value) (Value, error) {
		return ofTuple(a[0].Layout.Shape()), nil
	}},
	{"stride", []Param{pLayout}, TypeTuple, "the strides", func(a []Value) (Value, error) {
		return ofTuple(a[0].Layout.Stride()), nil
	}},
	{"rank", []Param{pInner}, TypeInt, "the number of modes", func(a []Value) (Value, error) {
		return ofInt(int64(a[0].Layout.Rank())), nil
	}},
	{"depth", []Param{pInner}, TypeInt, "levels of nesting, 0 for a leaf", func(a []Value) (Value, error) {
		return ofInt(int64(a[0].Layout.Depth())), nil
	}},
	{"size", []Param{pInner}, TypeInt, "the number of coordinates", measure(Layout.Size)},
	{"cosize", []Param{pLayout}, TypeInt, "the length of the interval of the indices", measure(Layout.Cosize)},
	{"coshape", []Param{pLayout}, TypeInt, "the shape of the codomain: the cosize", measure(Layout.Cosize)},
	{"range", []Param{pLayout}, TypeTuple, "the smallest and the largest index",
		func(a []Value) (Value, error) {
			lo, hi, err := a[0].Layout.Range()
			return ofTuple(Ints(lo, hi)), err
		}},
	{"injective", []Param{pLayout}, TypeWord, "whether different coordinates have different indices: yes, no or " +
		"unknown", answer(Injective)},
	{"bijective", []Param{pLayout}, TypeWord, "whether the indices are each of [0,size) once: yes, no or unknown",
		answer(Bijective)},
	{"congruent", []Param{pTupleA, pTupleB}, TypeBool, "whether two tuples nest the same way", relation(Congruent)},
	{"weakly_congruent", []Param{pTupleA, pTupleB}, TypeBool, "whether a's nesting is a pruning of b's",
		relation(WeaklyCongruent)},
	{"compatible", []Param{pTupleA, pTupleB}, TypeBool, "whether every coordinate of shape a is one of shape b",
		relation(Compatible)},
	{"equivalent", []Param{pA, pB}, TypeBool, "whether two layouts have one size and are the same function",
		func(a []Value) (Value, error) {
			same, err := Equivalent(a[0].Layout, a[1].Layout)
			return ofBool(same), err
		}},

	{"crd2idx", []Param{{Name: "layout", Type: TypeComposed}, pCoord}, TypeInt, "the index of a coordinate", callApply},
	{"composed", []Param{{Name: "layout", Type: TypeComposed}, pCoord}, TypeInt, "the index of a coordinate of a " +
		"swizzled layout", callApply},
	{"idx2crd", []Param{{Name: "index", Type: TypeCoord}, pShape}, TypeTuple, "the natural coordinate of a 1-D one",
		func(a []Value) (Value, error) { return tupleOr(Idx2Crd(a[0].Tuple, a[1].Tuple)) }},
	{"crd2crd", []Param{pCoord, {Name: "src", Type: TypeTuple}, {Name: "dst", Type: TypeTuple}}, TypeTuple,
		"the same 1-D number in another shape",
		func(a []Value) (Value, error) { return tupleOr(Crd2Crd(a[0].Tuple, a[1].Tuple, a[2].Tuple)) }},
	{"preimage", []Param{{Name: "index", Type: TypeInt}, pLayout}, TypeTuple, "the coordinate that a compact layout " +
		"maps to the index", func(a []Value) (Value, error) { return tupleOr(Preimage(a[0].Int, a[1].Layout)) }},
	{"slice", []Param{pInner, pCoord}, TypeSlice, "the part that faces the underscores, and the offset of the rest",
		func(a []Value) (Value, error) {
			kept, offset, err := Slice(a[1].Tuple, a[0].Layout)
			return Value{Type: TypeSlice, Layout: kept, Int: offset}, err
		}},
	{"dice", []Param{pInner, pCoord}, TypeLayout, "the part that faces the integers",
		func(a []Value) (Value, error) { return layoutOr(Dice(a[1].Tuple, a[0].Layout)) }},
	{"swizzle", []Param{{Name: "swizzle", Type: TypeSwizzle}, {Name: "index", Type: TypeInt}}, TypeInt,
		"the swizzled index",
		func(a []Value) (Value, error) {
			n, err := a[0].Swizzle.At(a[1].Int)
			return ofInt(n), err
		}},

	{"coalesce", []Param{pInner, {Name: "profile", Type: TypeTuple, Optional: true}}, TypeLayout,
		"the shortest layout with the same indices, or one per leaf of profile", callCoalesce},
	{"filter_zeros", []Param{pLayout}, TypeLayout, "extent 1 wherever the stride is 0", unary(noError(FilterZeros))},
	{"filter", []Param{pLayout}, TypeLayout, "the coalesced leaves with a stride other than 0", unary(Filter)},
	{"composition", []Param{pInner, pTiler}, TypeLayout, "c -> a(b(c)); a list composes mode by mode",
		withTiler(Compose)},
	{"complement", []Param{pLayout, {Name: "cotarget", Type: TypeTuple, Optional: true}}, TypeLayout,
		"what fills the gaps and repeats up to the cotarget", callComplement},
	{"right_inverse", []Param{pLayout}, TypeLayout, "R with L(R(i)) = i", unary(RightInverse)},
	{"left_inverse", []Param{pLayout}, TypeLayout, "R with R(L(i)) = i", unary(LeftInverse)},
	{"logical_divide", []Param{pInner, pTiler}, TypeLayout, "(tile, rest), in each mode for a list",
		withTiler(LogicalDivide)},
	{"zipped_divide", []Param{pInner, pTiler}, TypeLayout, "((tiles),(rests))", withTiler(ZippedDivide)},
	{"tiled_divide", []Param{pInner, pTiler}, TypeLayout, "((tiles),rest,...)", withTiler(TiledDivide)},
	{"flat_divide", []Param{pInner, pTiler}, TypeLayout, "(tile,...,rest,...)", withTiler(FlatDivide)},
	{"logical_product", []Param{pInner, pTiler}, TypeLayout, "(layout, repetitions), in each mode for a list",
		withTiler(LogicalProduct)},
	{"zipped_product", []Param{pInner, pTiler}, TypeLayout, "((layouts),(repetitions))", withTiler(ZippedProduct)},
	{"tiled_product", []Param{pInner, pTiler}, TypeLayout, "((layouts),repetition,...)", withTiler(TiledProduct)},
	{"flat_product", []Param{pInner, pTiler}, TypeLayout, "(layout,...,repetition,...)", withTiler(FlatProduct)},
	{"blocked_product", []Param{pA, pB}, TypeLayout, "copies of a side by side as b says", binary(BlockedProduct)},
	{"raked_product", []Param{pA, pB}, TypeLayout, "copies of a interleaved as b says", binary(RakedProduct)},
	{"max_common_vector", []Param{pA, pB}, TypeInt, "how many elements both layouts hold consecutively from 0 on",
		func(a []Value) (Value, error) { return intOr(MaxCommonVector(a[0].Layout, a[1].Layout)) }},
	{"max_common_layout", []Param{pA, pB}, TypeLayout, "the coordinates of those elements", binary(MaxCommonLayout)},
	{"nullspace", []Param{pLayout}, TypeLayout, "the coordinates that strides of 0 send to 0", unary(Nullspace)},
	{"upcast", []Param{pLayout, pN}, TypeLayout, "n elements taken as one", factor(Upcast)},
	{"downcast", []Param{pLayout, pN}, TypeLayout, "each element cut into n", factor(Downcast)},
	{"recast", []Param{pLayout, {Name: "old_bits", Type: TypeInt}, {Name: "new_bits", Type: TypeInt}}, TypeLayout,
		"elements of another width",
		func(a []Value) (Value, error) { return layoutOr(Recast(a[0].Layout, a[1].Int, a[2].Int)) }},
}

type call = func(a []Value) (Value, error)

func layoutOr(l Layout, err error) (Value, error)  { return ofLayout(l), err }
func tupleOr(t IntTuple, err error) (Value, error) { return ofTuple(t), err }
func intOr(n int64, err error) (Value, error)      { return ofInt(n), err }

func noError(f func(Layout) Layout) func(Layout) (Layout, error) {
	return func(l Layout) (Layout, error) { return f(l), nil }
}

func unary(f func(Layout) (Layout, error)) call {
	return func(a []Value) (Value, error) { return layoutOr(f(a[0].Layout)) }
}

func binary(f func(a, b Layout) (Layout, error)) call {
	return func(a []Value) (Value, error) { return layoutOr(f(a[0].Layout, a[1].Layout)) }
}

func withTiler(f func(Layout, Tiler) (Layout, error)) call {
	return func(a []Value) (Value, error) { return layoutOr(f(a[0].Layout, a[1].Tiler)) }
}

func factor(f func(Layout, int64) (Layout, error)) call {
	return func(a []Value) (Value, error) { return layoutOr(f(a[0].Layout, a[1].Int)) }
}

func numbers(f func(Layout, ...int) (Layout, error)) call {
	return func(a []Value) (Value, error) {
		n := make([]int, len(a)-1)
		for i := range n {
			n[i] = modeNumber(a[i+1])
		}
		return layoutOr(f(a[0].Layout, n...))
	}
}

// modeNumber brings a number into the range of int on every machine; what is cut is out of range before and after.
func modeNumber(v Value) int { return int(min(max(v.Int, -1), MaxLeaves+1)) }

func measure(f func(Layout) (int64, error)) call {
	return func(a []Value) (Value, error) { return intOr(f(a[0].Layout)) }
}

func answer(f func(Layout) Answer) call {
	return func(a []Value) (Value, error) { return Value{Type: TypeWord, Word: f(a[0].Layout).String()}, nil }
}

func relation(f func(a, b IntTuple) bool) call {
	return func(a []Value) (Value, error) { return ofBool(f(a[0].Tuple, a[1].Tuple)), nil }
}

func callMake(a []Value) (Value, error) {
	if len(a) == 1 {
		return layoutOr(Left(a[0].Tuple))
	}
	switch a[1].Word {
	case "left":
		return layoutOr(Left(a[0].Tuple))
	case "right":
		return layoutOr(Right(a[0].Tuple))
	}
	return Value{}, fail(ErrArgument, "strides are left or right, not %s", brief(a[1].Word))
}

func callApply(a []Value) (Value, error) {
	if a[0].Type == TypeComposed {
		return intOr(a[0].Composed.Apply(a[1].Tuple))
	}
	return intOr(a[0].Layout.Apply(a[1].Tuple))
}

func callCoalesce(a []Value) (Value, error) {
	if len(a) == 1 {
		return layoutOr(Coalesce(a[0].Layout))
	}
	return layoutOr(CoalesceBy(a[0].Layout, a[1].Tuple))
}

func callComplement(a []Value) (Value, error) {
	cotarget := int64(1)
	if len(a) > 1 {
		var err error
		if cotarget, err = a[1].Tuple.Size(); err != nil {
			return Value{}, err
		}
	}
	l, _, err := Complement(a[0].Layout, cotarget)
	return ofLayout(l), err
}
