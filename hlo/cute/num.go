package cute

import (
	"math"
	"math/bits"
)

// Mul returns a*b and whether it fits int64.
func Mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	hi -= uint64(a>>63&b) + uint64(b>>63&a) // from the unsigned to the signed high word
	return int64(lo), int64(hi) == int64(lo)>>63
}

// Add returns a+b and whether it fits int64.
func Add(a, b int64) (int64, bool) {
	c := a + b
	return c, (a^c)&(b^c) >= 0
}

// addMul returns sum + a*b and whether all of it fits int64.
func addMul(sum, a, b int64) (int64, bool) {
	p, ok := Mul(a, b)
	if !ok {
		return 0, false
	}
	return Add(sum, p)
}

// abs returns |a|; the smallest int64 has none.
func abs(a int64) (int64, bool) {
	if a < 0 {
		return -a, a != math.MinInt64
	}
	return a, true
}

// ceilDiv rounds a/b up, a >= 0, b > 0.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 {
		q++
	}
	return q
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
