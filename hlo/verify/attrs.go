package verify

import (
	"fmt"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func arityText(least, most int) string {
	switch {
	case most < 0:
		return fmt.Sprintf("at least %d", least)
	case least == most:
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// ints returns the numbers of a list attribute; nil where it is absent.
func ints(in *hlo.Instruction, key string) ([]int, error) {
	v := in.Attr(key)
	if v == nil {
		return nil, nil
	}
	ns, ok := v.Ints()
	if !ok {
		return nil, fail(VER109, "%s=%s is not a list of numbers such as {0,1}", key, v.Text)
	}
	return ns, nil
}

// needInts is ints for an attribute that must be there.
func needInts(in *hlo.Instruction, key string) ([]int, error) {
	if in.Attr(key) == nil {
		return nil, fail(VER109, "it has no %s", key)
	}
	return ints(in, key)
}

// oneInt returns the number of a list attribute that has one item, such as dimensions={1}.
func oneInt(in *hlo.Instruction, key string) (int, error) {
	ns, err := needInts(in, key)
	if err != nil {
		return 0, err
	}
	if len(ns) != 1 {
		return 0, fail(VER109, "%s must name one number, not %d", key, len(ns))
	}
	return ns[0], nil
}

// number returns a number attribute, or the default where it is absent.
func number(in *hlo.Instruction, key string, missing int64) (int64, error) {
	v := in.Attr(key)
	if v == nil {
		return missing, nil
	}
	n, ok := v.Int()
	if !ok {
		return 0, fail(VER109, "%s=%s is not a number", key, v.Text)
	}
	return n, nil
}

// needNumber is number for an attribute that must be there.
func needNumber(in *hlo.Instruction, key string) (int64, error) {
	if in.Attr(key) == nil {
		return 0, fail(VER109, "it has no %s", key)
	}
	return number(in, key, 0)
}

// word returns the word of an attribute such as fft_type=RFFT, "" where it is absent.
func word(in *hlo.Instruction, key string) string {
	if v := in.Attr(key); v != nil {
		return v.Text
	}
	return ""
}

// unquote returns the text of a string value without its quotes (escapes are left alone).
func unquote(v *hlo.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(v.Text, `"'`)
}

// windowDim is one dimension of a window; sizes and paddings in elements.
type windowDim struct {
	size, stride, low, high, baseDilation, windowDilation int64
}

// window returns the window attribute; no dimensions where it is absent.
func window(in *hlo.Instruction) ([]windowDim, error) {
	v := in.Attr("window")
	if v == nil {
		return nil, nil
	}
	sizes, ok := pattern(v.Get("size"), 1)
	if !ok {
		return nil, fail(VER109, "window=%s has no size", v.Text)
	}
	dims := make([]windowDim, len(sizes))
	for i, n := range sizes {
		dims[i] = windowDim{size: n[0], stride: 1, baseDilation: 1, windowDilation: 1}
	}
	for _, part := range []struct {
		key  string
		many int
		set  func(*windowDim, []int64)
	}{
		{"stride", 1, func(d *windowDim, n []int64) { d.stride = n[0] }},
		{"pad", 2, func(d *windowDim, n []int64) { d.low, d.high = n[0], n[1] }},
		{"lhs_dilate", 1, func(d *windowDim, n []int64) { d.baseDilation = n[0] }},
		{"rhs_dilate", 1, func(d *windowDim, n []int64) { d.windowDilation = n[0] }},
	} {
		value := v.Get(part.key)
		if value == nil {
			continue
		}
		ns, ok := pattern(value, part.many)
		if !ok || len(ns) != len(dims) {
			return nil, fail(VER106, "window %s=%s does not have one entry for each of the %d dimensions of size=%s",
				part.key, value.Text, len(dims), v.Get("size").Text)
		}
		for i := range ns {
			part.set(&dims[i], ns[i])
		}
	}
	return dims, nil
}

// pattern splits 3x3 or 0_1x2_3 into one list of numbers a dimension, each of at least `many` numbers.
func pattern(v *hlo.Value, many int) (dims [][]int64, ok bool) {
	if v == nil {
		return nil, false
	}
	for _, dim := range strings.Split(v.Text, "x") {
		var ns []int64
		for _, t := range strings.Split(dim, "_") {
			n, err := strconv.ParseInt(t, 10, 64)
			if err != nil {
				return nil, false
			}
			ns = append(ns, n)
		}
		if len(ns) < many {
			return nil, false
		}
		dims = append(dims, ns)
	}
	return dims, true
}

// numbers returns all the numbers in a value, left to right, keys of pairs included.
func numbers(v *hlo.Value) []int64 {
	var out []int64
	var walk func(v *hlo.Value)
	walk = func(v *hlo.Value) {
		if v.Kind == hlo.IntValue || v.Kind == hlo.PairValue {
			if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
				out = append(out, n)
			}
		}
		for i := range v.Elems {
			walk(&v.Elems[i])
		}
	}
	walk(v)
	return out
}

// sortedUnique fails unless dims ascend without repeats and are in [0, rank).
func sortedUnique(key string, dims []int, rank int) error {
	for i, d := range dims {
		if d < 0 || d >= rank {
			return outOfRange(key, d, rank)
		}
		if i > 0 && d <= dims[i-1] {
			return fail(VER105, "%s has %d after %d; the dimensions must ascend without repeats", key, d, dims[i-1])
		}
	}
	return nil
}

// unique fails unless dims are in [0, rank), each once.
func unique(key string, dims []int, rank int) error {
	seen := make([]bool, max(rank, 0))
	for _, d := range dims {
		if d < 0 || d >= rank {
			return outOfRange(key, d, rank)
		}
		if seen[d] {
			return fail(VER105, "%s names dimension %d twice", key, d)
		}
		seen[d] = true
	}
	return nil
}

func outOfRange(key string, d, rank int) error {
	if rank == 0 {
		return fail(VER105, "%s names dimension %d of a scalar", key, d)
	}
	return fail(VER105, "%s names dimension %d, but the dimensions are 0 to %d", key, d, rank-1)
}
