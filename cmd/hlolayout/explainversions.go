package main

import (
	"hlolayout/hlo"
	"hlolayout/passes"
	"hlolayout/passes/layout"
	"hlolayout/passes/plan"
)

// version is a span of releases of the compiler, and what it would assign to a module.
type version struct {
	layout.Era
	place int // among the spans, which the target's own parts
	reassigned
}

// otherVersions asks layout assignment, for each span of releases that has other rules than the target's, about a
// module that has no layouts yet.
func otherVersions(m *hlo.Module, d *judged, opt passes.Options) (out []version) {
	eras, own := layout.Eras(d.target.Target)
	for i, era := range eras {
		if i == own {
			continue
		}
		t, err := d.target.WithLibTPU(era.Last)
		if err != nil {
			continue
		}
		p, err := passes.Layouts(m, t, opt)
		if err != nil {
			continue // the target's own version says what is wrong
		}
		out = append(out, version{era, i, reassigned{t, p, p.Chains()}})
	}
	return out
}

// otherVersion is what a span of releases gives an array that has another order.
type otherVersion struct {
	First string `json:"first"`
	Last  string `json:"last"`
	alternative
}

// otherVersionsOf lists the versions that give the array that a chain begins with another order than the leaf's, those
// that follow each other and give it the same one together.
func (x *explained) otherVersionsOf(chain []plan.Link, leaf *hlo.Shape) (out []otherVersion) {
	last := -1 // the place of the last one in the list
	for i := range x.others {
		v := &x.others[i]
		a := v.of(chain, leaf)
		switch {
		case a == nil:
			continue
		case last >= 0 && last == v.place-1 && out[len(out)-1].Shape == a.Shape:
			out[len(out)-1].Last = v.Last
		default:
			out = append(out, otherVersion{v.First, v.Last, *a})
		}
		last = v.place
	}
	return out
}
