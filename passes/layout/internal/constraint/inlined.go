package constraint

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
)

// leastInlined is how many instructions of one call there are at least where it was inlined late: with calls of less,
// one of 8,318 modules comes out worse (a Gaussian process on v7x), and the compiler's dumps show none of less than 20.
const leastInlined = 20

// A Call is where the program calls a function: the beginning of op_name that ends in it, as it is written, and the
// stack frame.
type Call struct{ Path, Frame string }

// SourceOf returns the whole op_name of an instruction and its stack frame.
func SourceOf(in *hlo.Instruction) (c Call) {
	metadata := in.Attr("metadata")
	if v := metadata.Get("op_name"); v != nil {
		c.Path = v.Text
	}
	if v := metadata.Get("stack_frame_id"); v != nil {
		c.Frame = v.Text
	}
	return c
}

// inlined is what came of one call.
type inlined struct {
	function string // its name, and the shape of most of the arrays
	size     int    // its instructions
	late     bool   // some have numbers that were given after a loop was copied
	shapes   map[*hlo.Shape]int
}

// lateCallers returns, by computation of the module, whether it called a copy of a function. A function that several
// places call is inlined after loops were copied, and each call but the first gets a copy of it before that
// (late-calls). The first one is in what was made first: in the program, then in loops in the order of their copies.
func (l *lister) lateCallers() []bool {
	made := slices.Clone(l.list)
	born := func(ci flat.CompID) born {
		if ci == l.g.Entry {
			return born{program, math.MaxInt}
		}
		return l.births[l.g.Comps[ci].Computation.Index]
	}
	slices.SortStableFunc(made, func(a, b flat.CompID) int {
		x, y := born(a), born(b)
		return cmp.Or(cmp.Compare(x.by, y.by), cmp.Compare(x.number, y.number))
	})
	late, calls := map[string]bool{}, make([][]*inlined, len(made))
	var after numbers // in loops that were copied after what comes now
	for i, ci := range slices.Backward(made) {
		c := l.g.Comps[ci].Computation
		calls[i] = inlinedInto(c, &after)
		for _, f := range calls[i] {
			late[f.function] = late[f.function] || f.late
		}
		if born(ci).by == loopCopier {
			after.add(c)
		}
	}
	callers, called := make([]bool, len(l.births)), map[string]bool{}
	for i, ci := range made {
		calls := slices.DeleteFunc(calls[i], func(f *inlined) bool { return f.size < leastInlined || !late[f.function] })
		for _, f := range calls {
			at := &callers[l.g.Comps[ci].Computation.Index]
			*at = *at || called[f.function]
			called[f.function] = true
		}
	}
	return callers
}

// inlinedInto returns the calls that the instructions of a computation were inlined from.
func inlinedInto(c *hlo.Computation, after *numbers) (list []*inlined) {
	at := map[Call]*inlined{}
	for _, in := range c.Instructions {
		call := SourceOf(in)
		path, function := firstFunction(call.Path)
		if function == "" {
			continue
		}
		call.Path = path
		f := at[call]
		if f == nil {
			f = &inlined{function: function, shapes: map[*hlo.Shape]int{}}
			at[call], list = f, append(list, f)
		}
		f.size++
		f.shapes[in.Shape]++
		if o := slices.Index(numberedOps[:], in.Opcode); o >= 0 && after[o] > 0 {
			k, unnamed := Unnamed(in)
			f.late = f.late || unnamed && k > after[o]
		}
	}
	for _, f := range list {
		f.function += f.mostShapes()
	}
	return list
}

// mostShapes writes the shape of most of the arrays.
func (f *inlined) mostShapes() (shape string) {
	most := 0
	for s, n := range f.shapes {
		if n < most || !s.IsArray() || s.IsScalar() {
			continue
		}
		if text := fmt.Sprint(s.DType, s.Dims); n > most || n == most && text < shape {
			most, shape = n, text
		}
	}
	return shape
}

// numbers are the lowest in names of numberedOps, 0 where there are none.
type numbers [len(numberedOps)]int

// add takes those of a computation into account.
func (n *numbers) add(c *hlo.Computation) {
	for o, op := range numberedOps {
		if k := lowest(c, op); k > 0 && (n[o] == 0 || k < n[o]) {
			n[o] = k
		}
	}
}

// firstFunction returns the first function in an op_name: the beginning that ends in it, and its part there, "" for
// what is of the program itself.
func firstFunction(name string) (path, function string) {
	for path, part := range Parts(name) {
		if strings.HasPrefix(part, "jit(") {
			return path, part
		}
	}
	return "", ""
}

// Parts yields the parts of an op_name between the first, which is the program, and the last, which is the operation,
// each after the beginning that ends in it. A slash in parentheses is of a part.
func Parts(name string) iter.Seq2[string, string] {
	return func(yield func(path, part string) bool) {
		depth, start := 0, 0
		for i := range len(name) {
			switch c := name[i]; {
			case c == '(':
				depth++
			case c == ')':
				depth--
			case c == '/' && depth <= 0:
				if start > 0 && !yield(name[:i], name[start:i]) {
					return
				}
				start = i + 1
			}
		}
	}
}
