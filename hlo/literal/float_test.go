package literal_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/literal"
)

// floats are the float types of at most 16 bits.
func floats() (ds []hlo.DType) {
	for _, d := range hlo.DTypes() {
		if d.Class() == hlo.ClassFloat && d.Bits() <= 16 {
			ds = append(ds, d)
		}
	}
	return ds
}

func array(d hlo.DType, n int) *hlo.Shape { return hlo.NewArray(d, []int64{int64(n)}, nil) }

// TestPatterns reads the value of each pattern of the small types, as another implementation gives it, and wants the
// pattern back; TestXLA compares what is printed for them.
func TestPatterns(t *testing.T) {
	f, err := os.Open(filepath.Join(testdata, "patterns.tsv"))
	require.NoError(t, err)
	defer f.Close()
	types := 0
	for lines := bufio.NewScanner(f); lines.Scan(); types++ {
		row := strings.Split(lines.Text(), "\t")
		s := shape(t, row[0])
		l, err := literal.Parse(s, row[1])
		require.NoError(t, err, row[0])
		require.Equal(t, 1<<s.DType.Bits(), l.Len())
		for i, text := range strings.Split(strings.Trim(row[1], "{}"), ", ") {
			b, _ := l.Bits(i)
			want := uint64(i)
			if text == "-0.0" && strings.HasSuffix(s.DType.String(), "uz") {
				want = 0
			}
			assert.Equal(t, want, b, "%s: %s", s, text)
			if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(v) {
				assert.Equal(t, v, l.Float64(i), "%s: pattern %#x", s, i)
			}
		}
	}
	assert.Equal(t, len(floats())-2, types, "all types but f16 and bf16")
}

// TestPatterns16 compares f16 and bf16 with the definition of their values.
func TestPatterns16(t *testing.T) {
	for b := range uint64(1 << 16) {
		want := float64(math.Float32frombits(uint32(b) << 16))
		assertValue(t, hlo.BF16, b, want)
		exp, man := int(b>>10&31), float64(b&1023)
		switch {
		case exp == 31 && man == 0:
			want = math.Inf(1)
		case exp == 31:
			want = math.NaN()
		case exp == 0:
			want = math.Ldexp(man, -24)
		default:
			want = math.Ldexp(1024+man, exp-25)
		}
		if b>>15 == 1 {
			want = -want
		}
		assertValue(t, hlo.F16, b, want)
	}
}

func assertValue(t *testing.T, d hlo.DType, bits uint64, want float64) {
	v := literal.Element{DType: d, Bits: bits}.Float64()
	if v != want && !(math.IsNaN(v) && math.IsNaN(want)) || math.Signbit(v) != math.Signbit(want) && !math.IsNaN(v) {
		t.Errorf("%s %#x is %v, not %v", d, bits, v, want)
	}
}

// TestRoundTrip prints every pattern of every float type of at most 16 bits and reads it again. What XLA itself does
// not read back is the list of exceptions, checked to be exactly that.
func TestRoundTrip(t *testing.T) {
	for _, d := range floats() {
		n := 1 << d.Bits()
		all := make([]uint64, n)
		for i := range all {
			all[i] = uint64(i)
		}
		s := array(d, n)
		made, err := literal.FromBits(s, all)
		require.NoError(t, err)
		l, err := literal.Parse(s, made.String())
		require.NoError(t, err)
		require.Equal(t, n, l.Len())
		lost := 0
		for i := range n {
			b, _ := l.Bits(i)
			text := made.At(i).String()
			want := uint64(i)
			switch {
			case text == "-0":
				want = 0
			case d == hlo.F8E8M0FNU && i == 0: // 5.9e-39 reads as 2^-126
				want = 1
			}
			if want != uint64(i) {
				lost++
			}
			if b != want {
				t.Errorf("%s %#x prints as %s, which reads as %#x", d, i, text, b)
			}
		}
		want := 1
		if strings.HasSuffix(d.String(), "fnuz") { // they have no -0
			want = 0
		}
		assert.Equal(t, want, lost, "%s: patterns that do not survive", d)
	}
}

// TestNearest looks at the midpoint of each two neighbours, and closely below and above it.
func TestNearest(t *testing.T) {
	for _, d := range floats() {
		if d == hlo.F8E8M0FNU {
			continue // its rule is another below 2^-126: see TestXLA
		}
		next := math.Nextafter
		if d.Bits() == 16 { // these round to f32 first
			next = func(x, to float64) float64 { return float64(math.Nextafter32(float32(x), float32(to))) }
		}
		var values []float64
		var want []uint64
		for b := range uint64(1)<<(d.Bits()-1) - 1 {
			low, high := literal.Element{DType: d, Bits: b}.Float64(), literal.Element{DType: d, Bits: b + 1}.Float64()
			if math.IsNaN(high) || math.IsInf(high, 0) {
				break
			}
			mid := (low + high) / 2
			sign := uint64(1) << (d.Bits() - 1)
			minus := sign | b
			if b == 0 && strings.HasSuffix(d.String(), "fnuz") {
				minus = 0
			}
			values = append(values, next(mid, 0), mid, next(mid, high), -next(mid, 0))
			want = append(want, b, b+b&1, b+1, minus)
		}
		require.Greater(t, len(values), 4, d.String())
		l, err := literal.FromFloats(array(d, len(values)), values)
		require.NoError(t, err)
		for i := range values {
			if b, _ := l.Bits(i); b != want[i] {
				t.Fatalf("%v as %s is %#x, not %#x", values[i], d, b, want[i])
			}
		}
	}
}

// TestPrintLikeC compares the print of f32 and f64 with XLA's rule, as fmt has it: the first
// precision that reads back.
func TestPrintLikeC(t *testing.T) {
	for i := range 20000 {
		bits := uint64(i+1) * 0x9e3779b97f4a7c15
		wide := math.Float64frombits(bits)
		narrow := math.Float32frombits(uint32(bits >> 32))
		if !math.IsNaN(wide) {
			text := fmt.Sprintf("%.15g", wide)
			if v, _ := strconv.ParseFloat(text, 64); v != wide {
				text = fmt.Sprintf("%.17g", wide)
			}
			require.Equal(t, strings.TrimPrefix(text, "+"), literal.Element{DType: hlo.F64, Bits: bits}.String())
		}
		if narrow == narrow {
			text := fmt.Sprintf("%.6g", narrow)
			if v, _ := strconv.ParseFloat(text, 32); float32(v) != narrow {
				text = fmt.Sprintf("%.9g", narrow)
			}
			require.Equal(t, strings.TrimPrefix(text, "+"), literal.Element{DType: hlo.F32, Bits: bits >> 32}.String())
		}
	}
}
