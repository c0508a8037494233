package hlo

import "strconv"

// SliceStarts returns the index at which a slice begins in each dimension; ok is false for one that leaves out elements
// in between, or has no such attribute.
func (in *Instruction) SliceStarts() (first []int64, ok bool) {
	v := in.Attr("slice")
	if v == nil || len(v.Elems) != in.Shape.Rank() {
		return nil, false
	}
	for d, e := range v.Elems {
		n, err := strconv.ParseInt(e.Elems[0].Text, 10, 64)
		if err != nil {
			return nil, false
		}
		first = append(first, n)
		if e.Text != "["+e.Elems[0].Text+":"+strconv.FormatInt(n+in.Shape.Dims[d], 10)+"]" {
			return nil, false
		}
	}
	return first, true
}
