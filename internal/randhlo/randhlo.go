// Package randhlo makes random HLO modules for tests. Every module is one that XLA's verifier accepts (hlo/verify, and
// libtpu where it was tried), so that what a test finds in it is an error of ours.
package randhlo

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"

	"pgregory.net/rapid"
)

// Feature is a set of what may appear in a module besides parameters, constants and elementwise operations.
type Feature uint32

// The features.
const (
	// broadcast, transpose, reshape, slice, pad, concatenate, reverse, iota, bitcast-convert
	Shapes          Feature = 1 << iota
	Dots                    // dot with any number of batch, contracted and free dimensions
	Convolutions            // convolution with one or two spatial dimensions in any order of dimensions
	Reduces                 // reduce of one or two arrays, reduce-window
	Sorts                   // sort of one or two arrays
	Gathers                 // gather, scatter
	DynamicSlices           // dynamic-slice, dynamic-update-slice
	Loops                   // while
	Conditionals            // conditional with a predicate or an index
	Calls                   // call
	Fusions                 // fusion of elementwise operations and Shapes
	Tuples                  // nested tuples, opt-barrier
	TupleParameters         // parameters that are tuples of tuples
	Collectives             // all-reduce, all-gather, reduce-scatter, all-to-all, collective-permute over four replicas
	CustomCalls             // custom-call with and without layouts that it requires
	Layouts                 // entry_computation_layout with random orders
	EmptyArrays             // dimensions of size 0
	DeadCode                // instructions in called computations that nothing uses
	end

	// All is every feature.
	All = end - 1
	// Compiled is what libtpu takes as a program and has in its layout assignment: it drops dead code before, makes
	// fusions itself, knows the targets only of the custom calls that it makes, and takes arrays as parameters.
	Compiled = All &^ (Fusions | CustomCalls | TupleParameters | EmptyArrays | DeadCode)
)

// Options say what a module is made of. The zero value is a small module of elementwise operations.
type Options struct {
	Features Feature
	// DTypes are the element types of parameters; nil is DefaultDTypes.
	DTypes []hlo.DType
	// MaxRank is the greatest number of dimensions, 4 where it is 0.
	MaxRank int
	// Operations is the greatest number of operations that the entry draws, 12 where it is 0. One operation can be
	// several instructions.
	Operations int
}

// DefaultDTypes are the element types that every generation of TPUs computes with.
var DefaultDTypes = []hlo.DType{hlo.F32, hlo.BF16, hlo.S32, hlo.Pred, hlo.U8, hlo.S8, hlo.U32}

// maxElements is the greatest number of elements of one array: 16 MB of f32.
const maxElements = 1 << 22

// Module makes modules as text without instruction layouts, in XLA's print without signatures. The same draws give the
// same text.
func Module(o Options) *rapid.Generator[string] {
	if o.DTypes == nil {
		o.DTypes = DefaultDTypes
	}
	if o.MaxRank == 0 {
		o.MaxRank = 4
	}
	if o.Operations == 0 {
		o.Operations = 12
	}
	return rapid.Custom(func(t *rapid.T) string {
		g := &gen{t: t, o: o, regions: map[string]string{}}
		return g.module()
	})
}

// gen is one module under construction.
type gen struct {
	t        *rapid.T
	o        Options
	out      strings.Builder   // the finished computations
	regions  map[string]string // computations of two scalars by what they do
	names    int
	replicas bool // it has collectives
}

// value is one array that an instruction gives.
type value struct {
	name     string
	shape    *hlo.Shape
	text     string // of the instruction
	operands []*value
	used     bool
}

// comp is one computation under construction.
type comp struct {
	*gen
	name   string
	all    []*value // the instructions
	values []*value // the arrays to choose operands from
	params []*hlo.Shape
	open   bool // parameters can be added: it is the entry
	depth  int  // of calls
	fused  bool
}

func (g *gen) int(lo, hi int) int                 { return rapid.IntRange(lo, hi).Draw(g.t, "n") }
func (g *gen) bool() bool                         { return rapid.Bool().Draw(g.t, "b") }
func (g *gen) has(f Feature) bool                 { return g.o.Features&f != 0 }
func (g *gen) fresh(prefix string) string         { g.names++; return fmt.Sprintf("%s.%d", prefix, g.names) }
func pick[T any](g *gen, of ...T) T               { return of[g.int(0, len(of)-1)] }
func array(d hlo.DType, dims ...int64) *hlo.Shape { return hlo.NewArray(d, dims, nil) }

// permutation draws an order of the numbers below n.
func (g *gen) permutation(n int) []int {
	order := hlo.Descending(n)
	slices.Reverse(order)
	return rapid.Permutation(order).Draw(g.t, "order")
}

func (g *gen) module() string {
	c := &comp{gen: g, name: "main", open: true}
	for range g.int(1, 3) {
		c.parameter(g.shape())
	}
	if g.has(TupleParameters) && g.bool() {
		c.tupleParameter()
	}
	c.operations(g.int(1, g.o.Operations))
	root := c.root(true)
	c.finish("ENTRY ", root)
	head := "HloModule random"
	if g.has(Layouts) && g.bool() {
		var params []string
		for _, p := range c.params {
			params = append(params, g.ordered(p))
		}
		head += ", entry_computation_layout={(" + strings.Join(params, ", ") + ")->" + g.ordered(root.shape) + "}"
	}
	if g.replicas {
		head += ", replica_count=4"
	}
	return head + "\n\n" + g.out.String()
}

// ordered returns the text of a shape with an order drawn for each array.
func (g *gen) ordered(s *hlo.Shape) string {
	return s.WithLeaves(func(_ hlo.Index, leaf *hlo.Shape) *hlo.Shape {
		return leaf.WithLayout(&hlo.Layout{MinorToMajor: g.permutation(leaf.Rank())})
	}).String()
}

// sizes are the dimension sizes: around the sizes of lanes, sublanes and their halves.
var sizes = []int64{2, 8, 128, 1, 3, 4, 7, 16, 32, 64, 100, 127, 129, 256, 300}

func (g *gen) shape() *hlo.Shape {
	dims := make([]int64, g.int(0, g.o.MaxRank))
	n := int64(1)
	for i := range dims {
		dims[i] = g.size(n)
		n *= dims[i]
	}
	if g.has(EmptyArrays) && len(dims) > 0 && g.int(0, 30) == 0 {
		dims[g.int(0, len(dims)-1)] = 0
	}
	return array(pick(g, g.o.DTypes...), dims...)
}

// size draws a dimension size for an array that has n elements without it.
func (g *gen) size(n int64) int64 {
	if d := pick(g, sizes...); n*d <= maxElements/16 {
		return d
	}
	return 1
}

// instruction adds an instruction; its operands count as used. Arrays are there to be chosen from afterwards, tuples
// are not.
func (c *comp) instruction(s *hlo.Shape, opcode string, operands []*value, attrs ...string) *value {
	names := make([]string, len(operands))
	for i, o := range operands {
		names[i] = "%" + o.name
		o.used = true
	}
	v := c.literal(s, opcode, strings.Join(names, ", "), attrs...)
	v.operands = operands
	return v
}

// literal is instruction with the text between the parentheses.
func (c *comp) literal(s *hlo.Shape, opcode, inside string, attrs ...string) *value {
	v := &value{name: c.gen.fresh(opcode), shape: s}
	v.text = "%" + v.name + " = " + s.String() + " " + opcode + "(" + inside + ")" +
		strings.Join(append([]string{""}, attrs...), ", ")
	c.all = append(c.all, v)
	if s.IsArray() {
		c.values = append(c.values, v)
	}
	return v
}

func (c *comp) parameter(s *hlo.Shape) *value {
	c.params = append(c.params, s)
	return c.literal(s, "parameter", fmt.Sprint(len(c.params)-1))
}

// supply returns a new value of a shape: a parameter where that can be, else a constant or what is made of one.
func (c *comp) supply(s *hlo.Shape) *value {
	switch {
	case c.open && c.bool():
		return c.parameter(s)
	case s.IsScalar():
		return c.constant(s.DType, "1")
	case s.DType != hlo.Pred && s.DType.Class() != hlo.ClassComplex && c.bool():
		return c.literal(s, "iota", "", fmt.Sprintf("iota_dimension=%d", c.int(0, s.Rank()-1)))
	}
	return c.instruction(s, "broadcast", []*value{c.constant(s.DType, "1")}, "dimensions={}")
}

// constant returns a scalar; number is 0 or 1.
func (c *comp) constant(d hlo.DType, number string) *value {
	switch d.Class() {
	case hlo.ClassPred:
		number = map[string]string{"0": "false", "1": "true"}[number]
	case hlo.ClassComplex:
		number = "(" + number + ", 0)"
	}
	return c.literal(array(d), "constant", number)
}

// choose returns one of the arrays for which ok is true, nil where there is none.
func (c *comp) choose(ok func(*hlo.Shape) bool) *value {
	var from []*value
	for _, v := range c.values {
		if ok(v.shape) {
			from = append(from, v)
		}
	}
	if len(from) == 0 {
		return nil
	}
	return from[c.int(0, len(from)-1)]
}

// like returns another array of v's dimensions and of the element type d.
func (c *comp) like(v *value, d hlo.DType) *value {
	s := array(d, v.shape.Dims...)
	if o := c.choose(func(x *hlo.Shape) bool { return x.Equal(s) }); o != nil {
		return o
	}
	return c.supply(s)
}

// operations adds n operations, drawn from those of the features.
func (c *comp) operations(n int) {
	var from []op
	for _, o := range ops() {
		if (o.feature == 0 || c.has(o.feature)) && (!c.fused || o.inFusion) && (c.depth < 2 || !o.nests) {
			for range o.weight {
				from = append(from, o)
			}
		}
	}
	for range n {
		from[c.int(0, len(from)-1)].make(c)
	}
}

// root returns the root: the only array without use, or the tuple of them all. Entry roots are tuples or arrays, as
// asked.
func (c *comp) root(tuple bool) *value {
	var unused []*value
	for _, v := range c.values {
		if !v.used {
			unused = append(unused, v)
		}
	}
	if len(unused) == 0 {
		unused = c.values[len(c.values)-1:]
	}
	if len(unused) == 1 && (!tuple || c.bool()) {
		return unused[0]
	}
	return c.tuple(unused...)
}

func (c *comp) tuple(of ...*value) *value {
	shapes := make([]*hlo.Shape, len(of))
	for i, v := range of {
		shapes[i] = v.shape
	}
	return c.instruction(hlo.NewTuple(shapes...), "tuple", of)
}

// elements takes a tuple apart, down to its arrays, and returns them.
func (c *comp) elements(v *value) []*value {
	if v.shape.IsArray() {
		return []*value{v}
	}
	var out []*value
	for i, e := range v.shape.Elems {
		out = append(out, c.elements(c.instruction(e, "get-tuple-element", []*value{v}, fmt.Sprintf("index=%d", i)))...)
	}
	return out
}

// finish writes the computation: its parameters and what the root needs, and the rest where there is dead code.
func (c *comp) finish(prefix string, root *value) {
	live := map[*value]bool{root: true}
	for _, v := range slices.Backward(c.all) {
		if live[v] || c.has(DeadCode) {
			for _, o := range v.operands {
				live[o] = true
			}
		}
	}
	c.out.WriteString(prefix + "%" + c.name + " {\n")
	for _, v := range c.all {
		switch {
		case v == root:
			c.out.WriteString("ROOT ")
		case !live[v] && !c.has(DeadCode) && !strings.Contains(v.text, " parameter("):
			continue
		}
		c.out.WriteString(v.text + "\n")
	}
	c.out.WriteString("}\n\n")
}

// inner begins a computation that one of c calls.
func (c *comp) inner(name string) *comp {
	return &comp{gen: c.gen, name: c.gen.fresh(name), depth: c.depth + 1}
}

// region returns the name of a computation that applies an operation to two scalars.
func (g *gen) region(opcode string, d hlo.DType) string {
	key := opcode + " " + d.String()
	if g.regions[key] == "" {
		c := &comp{gen: g, name: g.fresh("region")}
		s := array(d)
		a, b := c.parameter(s), c.parameter(s)
		c.finish("", c.instruction(s, opcode, []*value{a, b}))
		g.regions[key] = c.name
	}
	return "%" + g.regions[key]
}

// list writes numbers as {0,1}.
func list[T any](ns []T) string {
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = fmt.Sprint(n)
	}
	return "{" + strings.Join(words, ",") + "}"
}

// subset draws some of the numbers below n, in ascending order.
func (g *gen) subset(n int) []int {
	var out []int
	for i := range n {
		if g.bool() {
			out = append(out, i)
		}
	}
	return out
}

// without returns dims without the numbered ones.
func without(dims []int64, drop []int) []int64 {
	out := []int64{}
	for i, d := range dims {
		if !slices.Contains(drop, i) {
			out = append(out, d)
		}
	}
	return out
}

func elements(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}
