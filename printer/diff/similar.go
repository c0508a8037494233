package diff

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// commonFeature is how many owners a feature may have to be looked up by: what is everywhere finds nothing.
const commonFeature = 64

// similar pairs the items of two lists that share most of their features, the most alike first, as long as they share
// the part least of them: twice the shared ones by the sum of both. A feature may occur several times. It returns for
// each new item the old one, -1 for none, and how alike they are. The time is linear in the number of features, those
// that many have aside.
func similar(old, new [][]uint64, least float64) (toOld []int, alike []float64) {
	olds, news := counted(old), counted(new)
	owners := map[uint64][]int{}
	for o, features := range olds {
		for _, f := range features {
			owners[f] = append(owners[f], o)
		}
	}
	type candidate struct {
		score float64
		o, n  int
	}
	var list []candidate
	for n, features := range news {
		seen := map[int]bool{}
		for _, f := range features {
			if len(owners[f]) > commonFeature {
				continue
			}
			for _, o := range owners[f] {
				if seen[o] {
					continue
				}
				seen[o] = true
				score := 2 * float64(shared(olds[o], features)) / float64(len(olds[o])+len(features))
				if score >= least {
					list = append(list, candidate{score, o, n})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.n, b.n), cmp.Compare(a.o, b.o))
	})
	toOld, alike = make([]int, len(new)), make([]float64, len(new))
	for n := range toOld {
		toOld[n] = -1
	}
	taken := make([]bool, len(old))
	for _, c := range list {
		if toOld[c.n] < 0 && !taken[c.o] {
			toOld[c.n], alike[c.n], taken[c.o] = c.o, c.score, true
		}
	}
	return toOld, alike
}

// counted returns sorted lists of features in which those that occur several times differ by their number.
func counted(list [][]uint64) [][]uint64 {
	out := make([][]uint64, len(list))
	for i, features := range list {
		out[i] = numberRuns(slices.Sorted(slices.Values(features)))
	}
	return out
}

// numberRuns mixes into each item of a sorted list how many equal ones precede it, and sorts again.
func numberRuns(sorted []uint64) []uint64 {
	out := make([]uint64, len(sorted))
	run := uint64(0)
	for i, f := range sorted {
		if i > 0 && sorted[i-1] == f {
			run++
		} else {
			run = 0
		}
		out[i] = mix(f, run)
	}
	slices.Sort(out)
	return out
}

// shared counts the items that two sorted lists without equal items have in common.
func shared(a, b []uint64) (n int) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] < b[k]:
			i++
		case a[i] > b[k]:
			k++
		default:
			n, i, k = n+1, i+1, k+1
		}
	}
	return n
}

// PairModules pairs modules that compute much the same: half of their operations, alone and with their operands, are
// the same with or without sizes. It returns for each new module the place of the old one, -1 for none, and the share
// that is the same. A nil module has no partner.
func PairModules(old, new []*hlo.Module) (toOld []int, alike []float64) {
	return similar(moduleFeatures(old), moduleFeatures(new), alikeEnough)
}

func moduleFeatures(list []*hlo.Module) [][]uint64 {
	out := make([][]uint64, len(list))
	for i, m := range list {
		if m == nil {
			continue
		}
		for _, loose := range []bool{false, true} {
			s := newStructure(m, DefaultIgnore, entryIDs{}, loose)
			for _, features := range s.features(m.Computations) {
				out[i] = append(out[i], features...)
			}
		}
	}
	return out
}
