package printer

import (
	"math"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// intOf returns the number of an integer: what does not fit in an int64 but in a uint64 keeps its bits, as in XLA.
func intOf(v *hlo.Value) (n int64, ok bool) {
	if v == nil || v.Kind != hlo.IntValue {
		return 0, false
	}
	if c := v.Text; len(c) == 1 && c[0] >= '0' && c[0] <= '9' { // most numbers are dimensions
		return int64(c[0] - '0'), true
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if err != nil {
		u, err := strconv.ParseUint(v.Text, 10, 64)
		return int64(u), err == nil
	}
	return n, true
}

// intsOf returns the numbers of a flat list.
func intsOf(v *hlo.Value) (ns []int64, ok bool) {
	if v == nil || v.Kind != hlo.ListValue {
		return nil, false
	}
	ns = make([]int64, len(v.Elems))
	for i := range v.Elems {
		if ns[i], ok = intOf(&v.Elems[i]); !ok {
			return nil, false
		}
	}
	return ns, true
}

// floatOf returns the number of an integer or a decimal, nan and infinities included.
func floatOf(v *hlo.Value) (f float64, ok bool) {
	if n, ok := intOf(v); ok {
		return float64(n), true
	}
	if v == nil || v.Kind != hlo.FloatValue && v.Text != "inf" {
		return 0, false
	}
	text := strings.TrimPrefix(v.Text, "-")
	if strings.HasPrefix(text, "nan") {
		return math.NaN(), true
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// appendFloat appends f as C's %g does: six significant digits.
func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	return strconv.AppendFloat(dst, f, 'g', 6, 64)
}

// appendList appends numbers with commas between them.
func appendList[T int | int64](dst []byte, ns []T) []byte {
	for i, n := range ns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return dst
}
