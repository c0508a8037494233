package kernel

import (
	"encoding/binary"
	"math/bits"
)

// reader takes numbers and sections from bytes.
type reader struct {
	data []byte
	at   int
}

func (r *reader) empty() bool { return r.at >= len(r.data) }

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.data)-r.at {
		fail("ends too early")
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *reader) byte() byte { return r.take(1)[0] }

// varint reads a number: as many zero bits as bytes follow the first one, a one, then the value's bits.
func (r *reader) varint() uint64 {
	first := r.byte()
	if first == 0 {
		return binary.LittleEndian.Uint64(r.take(8))
	}
	n := bits.TrailingZeros8(first) + 1
	r.at--
	var word [8]byte
	copy(word[:], r.take(n))
	return binary.LittleEndian.Uint64(word[:]) >> n
}

// flagged reads a number with a flag in its lowest bit.
func (r *reader) flagged() (uint64, bool) {
	n := r.varint()
	return n >> 1, n&1 != 0
}

// count reads how many things follow, each of which takes a byte at least.
func (r *reader) count() int {
	n := r.varint()
	if n > uint64(len(r.data)-r.at) {
		fail("%d things in %d bytes", n, len(r.data)-r.at)
	}
	return int(n)
}

// section reads a section with its number. Padding, of bytes 0xCB, comes before one that is aligned.
func (r *reader) section() (id int, body []byte) {
	first := r.byte()
	length := r.varint()
	if first&0x80 != 0 {
		r.varint() // the alignment
		for !r.empty() && r.data[r.at] == 0xcb {
			r.at++
		}
	}
	if length > uint64(len(r.data)-r.at) {
		fail("a section of %d bytes", length)
	}
	return int(first & 0x7f), r.take(int(length))
}
