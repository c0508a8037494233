package reasons

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/passes/plan"
)

// precisionTable is made by .ci/precision: a rule a line, with how many arrays it predicted and how many of these
// layouts were the compiler's, tabs between.
//
//go:embed precision.tsv
var precisionTable string

// Precision says how often a rule's predictions are the compiler's layouts, on programs that are not its evidence.
type Precision struct {
	Rule  string `json:"rule_name"`
	Seen  int    `json:"seen"`
	Right int    `json:"right"`
}

// Share returns the part that is right of what was measured, 0 where nothing was.
func (p Precision) Share() float64 {
	if p.Seen == 0 {
		return 0
	}
	return float64(p.Right) / float64(p.Seen)
}

// Weaker reports whether a rule is right less often than another, or as often in fewer arrays.
func (p Precision) Weaker(than Precision) bool {
	return cmp.Or(cmp.Compare(p.Share(), than.Share()), cmp.Compare(p.Seen, than.Seen)) < 0
}

var precisions = sync.OnceValue(func() map[string]Precision {
	out := map[string]Precision{}
	for _, line := range strings.Split(precisionTable, "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		seen, _ := strconv.Atoi(f[1])
		right, _ := strconv.Atoi(f[2])
		out[f[0]] = Precision{f[0], seen, right}
	}
	return out
})

// PrecisionOf returns how often a rule is right; Seen is 0 for one that was not measured.
func PrecisionOf(rule string) Precision {
	if p, ok := precisions()[rule]; ok {
		return p
	}
	return Precision{Rule: rule}
}

// Weakest returns the rule of a chain that is right least often, of several the one measured least; false where there
// is none. A caller's pin is not a prediction, nor is what the file shows: what made an array after layout assignment.
func Weakest(chain []plan.Link) (weakest Precision, ok bool) {
	for i := range chain {
		p := PrecisionOf(RuleName(chain[i].Reason.Rule))
		if p.Rule == "pin" || shown(p.Rule) {
			continue
		}
		if !ok || p.Weaker(weakest) {
			weakest, ok = p, true
		}
	}
	return weakest, ok
}

// shown reports whether a rule of that name says what the file shows.
func shown(name string) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { return r.Name == name })
}
