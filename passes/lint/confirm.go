package lint

import (
	"slices"

	"hlolayout/hlo"
)

// Confirm holds the findings in an early stage of a module against those of a later one, which comes by that name. What
// is only suspected in the early stage gets its rule's severity where the later stage has it, too, and goes where it
// has not. Other findings stay as they are.
func Confirm(early, later []Finding, name string) (out []Finding) {
	for _, f := range early {
		if !f.Doubtful {
			out = append(out, f)
			continue
		}
		if slices.ContainsFunc(later, func(l Finding) bool { return !l.Doubtful && sameCost(&f, &l) }) {
			f.Doubtful, f.Severity = false, f.Rule.Severity
			f.Details = append(f.Details[:len(f.Details)-1:len(f.Details)-1], "confirmed by "+name)
			out = append(out, f)
		}
	}
	return out
}

// families are the rules of which one may stand for another in a later stage.
var families = map[string]string{NarrowMinor: PaddingWaste, WideElements: PaddingWaste, MovesInLoop: MovesData,
	MovesParameter: MovesData}

// sameCost reports whether two findings are about one cost: rules of one family, and values with a common op_name or of
// the same dimensions. Their element types may differ: the compiler narrows operands of matrix products.
func sameCost(a, b *Finding) bool {
	family := func(f *Finding) string {
		if id, ok := families[f.Rule.ID]; ok {
			return id
		}
		return f.Rule.ID
	}
	if family(a) != family(b) {
		return false
	}
	if a.Shape != nil && b.Shape != nil && slices.Equal(wide(a.Shape), wide(b.Shape)) {
		return true
	}
	names := opNames(b)
	return slices.ContainsFunc(opNames(a), func(n string) bool { return slices.Contains(names, n) })
}

// wide returns the sizes above 1, in ascending order: layouts and reshapes change their places.
func wide(s *hlo.Shape) []int64 {
	out := slices.DeleteFunc(slices.Clone(s.Dims), func(n int64) bool { return n == 1 })
	slices.Sort(out)
	return out
}

func opNames(f *Finding) (out []string) {
	for _, in := range append(f.Same[:len(f.Same):len(f.Same)], f.Instruction) {
		if in != nil && in.MetadataOpName() != "" {
			out = append(out, in.MetadataOpName())
		}
	}
	return out
}
