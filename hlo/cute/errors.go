package cute

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is a class of errors. Kinds are errors themselves, so errors.Is(err, ErrOverflow) tests for one.
type Kind string

// Error returns the kind's name.
func (k Kind) Error() string { return string(k) }

// The kinds of errors. Kinds lists them with what they mean.
const (
	ErrParse              Kind = "parse"
	ErrCongruent          Kind = "congruent"
	ErrExtent             Kind = "extent"
	ErrOverflow           Kind = "overflow"
	ErrRange              Kind = "range"
	ErrRank               Kind = "rank"
	ErrStrideDivisibility Kind = "stride_divisibility"
	ErrShapeDivisibility  Kind = "shape_divisibility"
	ErrCarry              Kind = "carry"
	ErrMixedSign          Kind = "mixed_sign"
	ErrNotInjective       Kind = "not_injective"
	ErrNegativeStride     Kind = "negative_stride"
	ErrNoUnitStride       Kind = "no_unit_stride"
	ErrSize               Kind = "size"
	ErrOrder              Kind = "order"
	ErrEmpty              Kind = "empty"
	ErrLimit              Kind = "limit"
	ErrArgument           Kind = "argument"
)

// KindInfo describes a kind of errors for help texts.
type KindInfo struct {
	Kind    Kind
	Doc     string
	Example string // an expression that fails with it; a test evaluates each
}

// Kinds returns every kind of errors, in a fixed order.
func Kinds() []KindInfo {
	return []KindInfo{
		{ErrParse, "the text is not in the notation, or a number does not fit int64", "(4,8):(8,1"},
		{ErrCongruent, "shape and stride (or order) nest differently", "(2,3):1"},
		{ErrExtent, "an extent of a shape is below 1", "(2,0):(1,2)"},
		{ErrOverflow, "a size, an index or a stride does not fit int64", "size((4294967296,4294967296):(0,0))"},
		{ErrRange, "a number or coordinate is outside the shape", "idx2crd(32,(4,8))"},
		{ErrRank, "a coordinate, tiler or profile has more entries or deeper nesting than what it meets",
			"crd2idx(6:1,(2,0))"},
		{ErrStrideDivisibility, "a stride and an extent that should divide each other do not",
			"composition((4,3):(3,1),3:3)"},
		{ErrShapeDivisibility, "an extent does not split evenly where it must", "composition((4,3):(3,1),6:1)"},
		{ErrCarry, "digits of a composition would carry into the next leaf, so no layout is the answer",
			"composition((4,3):(1,100),(3,2):(1,3))"},
		{ErrMixedSign, "strides of both signs in the right side of a composition whose left side has several leaves",
			"composition((4,4):(4,1),(2,2):(1,-2))"},
		{ErrNotInjective, "two coordinates share an index where the operation needs them apart",
			"complement((4,4):(1,2),16)"},
		{ErrNegativeStride, "a negative stride where the operation has no meaning for it", "left_inverse(4:-1)"},
		{ErrNoUnitStride, "no stride of 1 or -1 to cut finer", "downcast(4:2,2)"},
		{ErrSize, "two shapes that must have one size have different ones", "crd2crd(1,8,(3,3))"},
		{ErrOrder, "an order repeats a number", "ordered_layout((2,3),(1,1))"},
		{ErrEmpty, "the operation would leave nothing", "take((2,3):(1,2),1,1)"},
		{ErrLimit, "more nesting, leaves or text than is accepted",
			strings.Repeat("(", 66) + "2" + strings.Repeat(")", 66)},
		{ErrArgument, "unknown function, or an argument of the wrong sort", "compliment(4:1,8)"},
	}
}

// Error is a failed operation or a text that does not read.
type Error struct {
	Kind Kind
	Pos  int // byte offset in the text that was read, -1 without a text
	Msg  string
}

// Error returns "column N: message [kind]"; columns count bytes from 1 and are given only for a text.
func (e *Error) Error() string {
	if e.Pos < 0 {
		return fmt.Sprintf("%s [%s]", e.Msg, e.Kind)
	}
	return fmt.Sprintf("column %d: %s [%s]", e.Pos+1, e.Msg, e.Kind)
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

func fail(k Kind, format string, args ...any) error {
	return &Error{Kind: k, Pos: -1, Msg: fmt.Sprintf(format, args...)}
}

// within puts a function's name and its place in the text on an error that has none yet.
func within(err error, name string, pos int) error {
	var e *Error
	if errors.As(err, &e) && e.Pos < 0 {
		return &Error{Kind: e.Kind, Pos: pos, Msg: name + ": " + e.Msg}
	}
	return err
}
