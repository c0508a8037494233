package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// Size is a dimension, or an element type, that became another one in many shapes: another batch size, another
// precision.
type Size struct {
	// From and To are numbers of elements, or the names of the types.
	From, To string
	// Dimension says that it is a dimension.
	Dimension bool
	// Shapes is the number of arrays of pairs in which it did.
	Shapes int
}

// difference is a pair with the respects in which it differs.
type difference struct {
	old, new *hlo.Instruction
	what     []string
}

// minShapes is how many arrays a size changes in before it is said once for all of them.
const minShapes = 3

type sizeKey struct {
	from, to  string
	dimension bool
}

// resized counts which sizes changed, and takes from the pairs that differ what these explain: their types, and the
// numbers in their attributes. What is left of a pair has changed.
func (c *comparison) resized() {
	tally, entry := map[sizeKey]int{}, map[sizeKey]bool{}
	for _, d := range c.pending {
		if slices.Contains(d.what, "type") {
			for k, n := range sizesOf(d.old.Shape, d.new.Shape) {
				tally[k] += n
			}
		}
	}
	for _, x := range c.r.Contract {
		if x.Kind == Retyped {
			for k, n := range sizesOf(x.From, x.To) {
				entry[k] = true
				if c.New.Entry == nil { // else the parameters are among the pairs
					tally[k] += n
				}
			}
		}
	}
	kept := c.keptSizes(tally)
	for k, n := range tally {
		if n >= minShapes && (entry[k] || n*keptShare >= kept[k.from]) {
			c.r.Sizes = append(c.r.Sizes, Size{k.from, k.to, k.dimension, n})
		} else {
			delete(tally, k)
		}
	}
	slices.SortFunc(c.r.Sizes, func(a, b Size) int {
		return cmp.Or(cmp.Compare(b.Shapes, a.Shapes), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	for _, l := range c.resizedLayouts {
		if explains(tally, leafSizes(l.old, l.new)) {
			c.layout(l.in, l.index, l.old, l.new)
		}
	}
	for _, d := range c.pending {
		if len(tally) > 0 {
			left := slices.DeleteFunc(slices.Clone(d.what), func(w string) bool { return explained(d, w, tally) })
			if len(left) == 0 {
				c.r.Resized++
				continue
			}
			d.what = left
		}
		c.changedPair(d)
	}
}

// keptShare: a size that no parameter of the entry has changed in is said to have changed where it did in one array for
// this many that kept it, at least. Pairs of instructions that are not the same after all differ in sizes that the rest
// keeps.
const keptShare = 4

// keptSizes returns in how many arrays of pairs each of the sizes that changed somewhere stayed.
func (c *comparison) keptSizes(changed map[sizeKey]int) map[string]int {
	out := map[string]int{}
	if len(changed) == 0 {
		return out
	}
	dims, types := map[int64]bool{}, map[string]bool{}
	for k := range changed {
		if n, err := strconv.ParseInt(k.from, 10, 64); k.dimension && err == nil {
			dims[n] = true
		} else {
			types[k.from] = true
		}
	}
	for _, p := range c.Computations {
		for n, o := range p.toOld {
			if o < 0 {
				continue
			}
			was, is := p.Old.Instructions[o].Shape, p.New.Instructions[n].Shape
			if !was.IsArray() || !is.IsArray() || len(was.Dims) != len(is.Dims) {
				continue
			}
			if was.DType == is.DType && types[was.DType.String()] {
				out[was.DType.String()]++
			}
			for i, d := range was.Dims {
				if d == is.Dims[i] && dims[d] {
					out[strconv.FormatInt(d, 10)]++
				}
			}
		}
	}
	return out
}

// sizesOf returns the sizes in which the arrays of two shapes differ, each with the number of arrays; nil where they
// differ in more.
func sizesOf(old, new *hlo.Shape) map[sizeKey]int {
	out := map[sizeKey]int{}
	same := old != nil && new != nil
	if same {
		new.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
			was := old.At(index)
			switch {
			case was == nil || was.IsArray() != leaf.IsArray() || was.IsArray() && len(was.Dims) != len(leaf.Dims),
				Transposed(was, leaf):
				same = false
			case leaf.IsArray():
				for k := range leafSizes(was, leaf) {
					out[k]++
				}
			}
		})
	}
	if !same {
		return nil
	}
	return out
}

// Transposed reports whether two arrays have the same dimensions in another order: no size of theirs changed.
func Transposed(old, new *hlo.Shape) bool {
	if !old.IsArray() || !new.IsArray() || slices.Equal(old.Dims, new.Dims) {
		return false
	}
	return slices.Equal(slices.Sorted(slices.Values(old.Dims)), slices.Sorted(slices.Values(new.Dims)))
}

// leafSizes returns the sizes in which two arrays of the same rank differ.
func leafSizes(old, new *hlo.Shape) map[sizeKey]bool {
	out := map[sizeKey]bool{}
	if old.DType != new.DType {
		out[sizeKey{old.DType.String(), new.DType.String(), false}] = true
	}
	for i, d := range new.Dims {
		if was := old.Dims[i]; was != d {
			out[sizeKey{strconv.FormatInt(was, 10), strconv.FormatInt(d, 10), true}] = true
		}
	}
	return out
}

// resizedOnly reports whether two arrays of different types have the same rank, so that their layouts can be compared.
func resizedOnly(old, new *hlo.Shape) bool {
	return old.IsArray() && new.IsArray() && len(old.Dims) == len(new.Dims)
}

// placement is what of a layout does not follow from the sizes and the element type: its order and memory space.
func placement(l *hlo.Layout) *hlo.Layout {
	if l == nil {
		return nil
	}
	return &hlo.Layout{MinorToMajor: l.MinorToMajor, MemorySpace: l.MemorySpace}
}

// explained reports whether a difference of a pair follows from changed sizes.
func explained(d difference, what string, sizes map[sizeKey]int) bool {
	if what == "type" {
		return explains(sizes, sizesOf(d.old.Shape, d.new.Shape))
	}
	a, b := value(d.old.Attrs, what), value(d.new.Attrs, what)
	return a != nil && b != nil && sameBesidesSizes(a.Text, b.Text, sizes)
}

// explains reports whether all of the sizes that changed are among those that changed everywhere.
func explains[V any](sizes map[sizeKey]int, changed map[sizeKey]V) bool {
	for k := range changed {
		if sizes[k] == 0 {
			return false
		}
	}
	return len(changed) > 0
}

// sameBesidesSizes compares two texts whose numbers may differ as sizes do.
func sameBesidesSizes(a, b string, sizes map[sizeKey]int) bool {
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		switch {
		case m == 0 && n == 0:
			if a[0] != b[0] {
				return false
			}
			a, b = a[1:], b[1:]
			continue
		case m == 0 || n == 0, a[:m] != b[:n] && sizes[sizeKey{a[:m], b[:n], true}] == 0:
			return false
		}
		a, b = a[m:], b[n:]
	}
	return a == b
}

// digits returns the length of the number that a text begins with.
func digits(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }
