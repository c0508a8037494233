package build

import (
	"hash/maphash"
	"math/bits"
)

// hashKey differs from process to process, so that no text can be made to fill a table with names of one hash.
var hashKey = maphash.String(maphash.MakeSeed(), "")

// hash is a hash of a name or of another text. It mixes eight bytes at a time, as wyhash does. maphash took 4 % of a
// parse, this takes 2.5 % (alphafold3).
func hash(s string) uint32 {
	h := hashKey ^ uint64(len(s))
	switch n := len(s); {
	case n >= 8:
		for i := 0; i < n-8; i += 8 {
			h = mix(h ^ word(s[i:]))
		}
		h = mix(h ^ word(s[n-8:]))
	case n >= 4:
		h = mix(h ^ (half(s) | half(s[n-4:])<<32))
	case n > 0:
		h = mix(h ^ (uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16))
	}
	return uint32(h)
}

func mix(a uint64) uint64 {
	high, low := bits.Mul64(a, 0x9E3779B97F4A7C15)
	return high ^ low
}

// word and half are the first eight and four bytes of s as a number.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func half(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}
