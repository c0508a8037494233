package tiled

import (
	"fmt"
	"slices"
	"strings"
)

// Step is one operation of a Recipe.
type Step struct {
	Op   string  // "transpose", "reshape" or "pad" (at the high end)
	Dims []int64 // the dimensions after it
	// of a transpose, as HLO's dimensions={...}: dimension i of the result is dimension Perm[i] of the operand
	Perm []int
}

// String returns the step as text, such as "transpose {1,0} -> [1000,1024]".
func (s Step) String() string {
	perm := ""
	if s.Perm != nil {
		perm = " {" + join(s.Perm) + "}"
	}
	return s.Op + perm + " -> [" + join(s.Dims) + "]"
}

func join[T any](list []T) string {
	text := make([]string, len(list))
	for i, x := range list {
		text[i] = fmt.Sprint(x)
	}
	return strings.Join(text, ",")
}

// Recipe returns the steps that turn the row-major array into the sequence of its elements in memory: transpose to the
// physical order, then for each tile join, pad, split and transpose, at last flatten. Steps that change
// nothing are left out.
func (a *Array) Recipe() []Step {
	r := recipe{dims: a.dims}
	perm := slices.Clone(a.order)
	slices.Reverse(perm)
	r.transpose(perm)
	for _, lv := range a.levels {
		joined := slices.Clone(r.dims[:max(lv.lead, 0)])
		padded := slices.Clone(joined)
		split := slices.Clone(joined)
		perm := make([]int, 0, lv.lead+2*len(lv.groups))
		for i := range lv.lead {
			perm = append(perm, i)
		}
		for i, g := range lv.groups {
			joined = append(joined, g.joined)
			padded = append(padded, g.tiles*g.tile)
			split = append(split, g.tiles, g.tile)
			perm = append(perm, lv.lead+2*i)
		}
		for i := range lv.groups {
			perm = append(perm, lv.lead+2*i+1)
		}
		r.step("reshape", joined)
		r.step("pad", padded)
		r.step("reshape", split)
		r.transpose(perm)
	}
	n, _ := product(r.dims...)
	r.step("reshape", []int64{n})
	r.step("pad", []int64{a.total})
	return r.steps
}

type recipe struct {
	dims  []int64
	steps []Step
}

func (r *recipe) step(op string, dims []int64) {
	if !slices.Equal(dims, r.dims) {
		r.steps = append(r.steps, Step{Op: op, Dims: dims})
		r.dims = dims
	}
}

func (r *recipe) transpose(perm []int) {
	dims := make([]int64, len(perm))
	for i, p := range perm {
		dims[i] = r.dims[p]
	}
	if !slices.IsSorted(perm) {
		r.steps = append(r.steps, Step{"transpose", dims, perm})
	}
	r.dims = dims
}
