package literal

import (
	"strconv"

	"hlolayout/hlo"
)

// String returns what AppendText appends.
func (l *Literal) String() string { return string(l.AppendText(nil)) }

// AppendText appends the literal as XLA prints it on one line when large constants are printed, without its shape:
// `{ { 1, 2 }, { 3, 4 } }`, and for a tuple `( 1.5, {1, 2} )`. An elided array is `{...}`, whatever its size; where a
// text without braces stands for more than 2^24 elements, it is printed without braces again. The text reads back as
// the same bits, but for the cases the package comment names.
func (l *Literal) AppendText(dst []byte) []byte {
	switch {
	case l.elided:
		return append(dst, "{...}"...)
	case l.shape == nil:
		return dst
	case l.shape.IsTuple():
		dst = append(dst, "( "...)
		for i, e := range l.elems {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = e.AppendText(dst)
		}
		return append(dst, " )"...)
	}
	if l.filled {
		return l.appendFilled(dst)
	}
	return l.appendArray(dst)
}

// appendFilled prints an array of which only the first element, if that, is known not to be 0.
func (l *Literal) appendFilled(dst []byte) []byte {
	if len(l.data) == 0 {
		return append(dst, ',')
	}
	return l.part.append(dst, l.load(0))
}

// appendArray prints the nested braces with one counter per dimension: an array may have a million dimensions.
func (l *Literal) appendArray(dst []byte) []byte {
	dims := l.shape.Dims
	rank := len(dims)
	if rank == 0 {
		re, im := l.Bits(0)
		return l.part.appendElement(dst, re, im)
	}
	done := make([]int64, rank) // children printed of the open brace at each level
	at := 0
	level := 0
	dst = append(dst, '{')
	if rank > 1 {
		dst = append(dst, ' ')
	}
	for level >= 0 {
		if level == rank-1 {
			dst = l.appendRow(dst, at, int(dims[level]))
			at += int(dims[level])
			level--
			continue
		}
		if done[level] == dims[level] {
			dst = append(dst, " }"...)
			done[level] = 0
			level--
			continue
		}
		if done[level] > 0 {
			dst = append(dst, ", "...)
		}
		done[level]++
		level++
		dst = append(dst, '{')
		switch {
		case level < rank-1:
			if rank > 3 {
				dst = append(strconv.AppendInt(append(dst, " /*i"...), int64(level-1), 10), '=')
				dst = append(strconv.AppendInt(dst, done[level-1]-1, 10), "*/"...)
			}
			if rank <= 3 || dims[level] > 0 {
				dst = append(dst, ' ')
			}
		case dims[level] > 1:
			dst = append(dst, ' ')
		}
	}
	return dst
}

// appendRow prints n elements from element at on, and the closing brace. Rows of several elements have blanks
// inside their braces, but in arrays of rank 1.
func (l *Literal) appendRow(dst []byte, at, n int) []byte {
	for i := range n {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if l.part.class == hlo.ClassPred {
			dst = append(dst, '0'+byte(l.load(at+i)))
			continue
		}
		re, im := l.Bits(at + i)
		dst = l.part.appendElement(dst, re, im)
	}
	if n > 1 && len(l.shape.Dims) > 1 {
		dst = append(dst, ' ')
	}
	return append(dst, '}')
}
