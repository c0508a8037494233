package fit

import (
	"fmt"
	"slices"
)

// batches looks for the size that arguments share but no weight has, and makes it smaller until the program fits.
func (p *Program) batches() (out []change) {
	leading, weights := p.sizes()
	most := int64(0)
	for _, d := range leading {
		if weights[d] {
			continue
		}
		c := p.smaller(d, 2, weights)
		w := p.weigh(c)
		if w.Saves <= most {
			continue
		}
		most = w.Saves
		for k := int64(4); !w.Fits && d/k >= 1 && k <= 1<<20; k *= 2 {
			c = p.smaller(d, k, weights)
			w = p.weigh(c)
		}
		out = []change{c}
	}
	return out
}

// sizes returns the leading sizes of arguments that are not weights, in the order of the text, and the sizes that are
// not the batch: those of weights, and of inner dimensions.
func (p *Program) sizes() (leading []int64, weights map[int64]bool) {
	outputs := 0
	for i := range p.Holdings {
		if p.Holdings[i].Kind == Output {
			outputs++
		}
	}
	weights = map[int64]bool{}
	for i := range p.Holdings {
		a := &p.Holdings[i]
		if a.Kind != Argument {
			continue
		}
		weight := a.Aliased || outputs > 1 && slices.ContainsFunc(p.Holdings, func(o Holding) bool {
			return o.Kind == Output && o.Shape.Equal(a.Shape)
		})
		for k, d := range a.Shape.Dims {
			switch {
			case weight || k > 0 && (len(a.Shape.Dims) < 3 || k > 1):
				weights[d] = true
			case d > 1 && !slices.Contains(leading, d):
				leading = append(leading, d)
			}
		}
	}
	return leading, weights
}

// smaller divides a size by k wherever arrays have it: itself, or as a factor of a size that is none of the weights'.
func (p *Program) smaller(d, k int64, weights map[int64]bool) change {
	to := (d + k - 1) / k
	where := ""
	for i := range p.Holdings {
		if a := &p.Holdings[i]; a.Kind == Argument && slices.Contains(a.Shape.Dims, d) {
			where = fmt.Sprintf(" (dimension %d of %s)", slices.Index(a.Shape.Dims, d), name(a))
			break
		}
	}
	return change{way: Way{Kind: "batch", Size: d, To: to,
		Text: fmt.Sprintf("take %d in place of %d%s at a time: %d steps, gradients added up or results joined", to, d,
			where, k)},
		does: func(h Holding) Holding {
			dims := slices.Clone(h.Shape.Dims)
			if slices.Contains(dims, d) {
				for i := range dims {
					if dims[i] == d {
						dims[i] = to
					}
				}
				return p.resized(h, h.Shape.DType, dims)
			}
			for i, n := range dims {
				if n > d && n%d == 0 && !weights[n] {
					dims[i] = n / d * to
					return p.resized(h, h.Shape.DType, dims)
				}
			}
			return h
		}}
}
