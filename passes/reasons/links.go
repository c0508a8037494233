package reasons

import (
	"slices"

	"hlolayout/hlo"
)

// When a link is followed: a later phase begins when the earlier ones have nothing more to follow.
const (
	within  = iota // inside of a computation, and of its fusions
	between        // from a computation to its callers and callees
	hardly         // from fewer dimensions to more, which says too little
	phases
)

// Names of rules of passes/layout that links have.
const (
	ruleFromOperand = "from-operand"
	ruleFromUser    = "from-user"
	ruleBoundary    = "boundary"
)

// connect links the operands of an instruction with its result, as far as the file's orders agree with how layouts pass
// through it.
func (g *graph) connect(in *hlo.Instruction) {
	if f := connections[in.Opcode]; f != nil {
		f(g, in)
		return
	}
	g.keep(in)
}

// connections are the opcodes that do more than keep an order.
var connections = map[hlo.Opcode]func(*graph, *hlo.Instruction){
	hlo.OpTuple:                  (*graph).tuple,
	hlo.OpGetTupleElement:        (*graph).element,
	hlo.OpOptBarrier:             func(g *graph, in *hlo.Instruction) { g.forward(in, rulePart) },
	hlo.OpAddDependency:          func(g *graph, in *hlo.Instruction) { g.forward(in, rulePart) },
	hlo.OpDomain:                 func(g *graph, in *hlo.Instruction) { g.forward(in, rulePart) },
	hlo.OpBitcast:                (*graph).bitcast,
	hlo.OpReshape:                (*graph).reshape,
	hlo.OpTranspose:              (*graph).transpose,
	hlo.OpBroadcast:              (*graph).broadcast,
	hlo.OpReduce:                 (*graph).reduce,
	hlo.OpFusion:                 (*graph).fusion,
	hlo.OpWhile:                  (*graph).while,
	hlo.OpConditional:            (*graph).conditional,
	hlo.OpCall:                   (*graph).call,
	hlo.OpCopyStart:              (*graph).copyStart,
	hlo.OpCopyDone:               (*graph).done,
	hlo.OpAsyncStart:             (*graph).asyncStart,
	hlo.OpAsyncUpdate:            func(g *graph, in *hlo.Instruction) { g.forward(in, ruleAsync) },
	hlo.OpAsyncDone:              (*graph).done,
	hlo.OpAllGatherStart:         (*graph).asyncStart,
	hlo.OpAllGatherDone:          (*graph).done,
	hlo.OpAllReduceDone:          func(g *graph, in *hlo.Instruction) { g.forward(in, ruleAsync) },
	hlo.OpCollectivePermuteStart: (*graph).asyncStart,
	hlo.OpCollectivePermuteDone:  (*graph).done,
	hlo.OpDot:                    nothing,
	hlo.OpConvolution:            nothing,
	hlo.OpCustomCall:             nothing,
	hlo.OpInfeed:                 nothing,
	hlo.OpRecv:                   nothing,
}

func nothing(*graph, *hlo.Instruction) {}

// tie links two arrays in both directions: down from at to to, and up.
func (g *graph) tie(at, to array, down, up string) {
	if chosen(g.shapes[at]) && chosen(g.shapes[to]) {
		phase := uint8(within)
		if down == ruleBoundary {
			phase = between
		}
		g.links = append(g.links, link{at, to, down, phase}, link{to, at, up, phase})
	}
}

// match ties n arrays with others, each with the one at its place, where they have one order.
func (g *graph) match(a, b array, n int, down, up string) {
	for k := range array(n) {
		if s, t := g.shapes[a+k], g.shapes[b+k]; s.IsArray() && t.IsArray() && sameOrder(s, t) {
			g.tie(a+k, b+k, down, up)
		}
	}
}

// pass says that n arrays from b on are those from a on, where they have one order.
func (g *graph) pass(a, b array, n int, rule string) {
	for k := range array(n) {
		s, t := g.shapes[a+k], g.shapes[b+k]
		if s.IsArray() && t.IsArray() && sameOrder(s, t) && g.same[b+k].of == noArray && g.source(a+k) != b+k {
			g.same[b+k] = alias{a + k, rule}
		}
	}
}

// forward says that an instruction passes on the whole of an operand.
func (g *graph) forward(in *hlo.Instruction, rule string) {
	a, n := g.arrays(in.Operands[0])
	b, k := g.arrays(in)
	g.pass(a, b, min(n, k), rule)
}

// bound ties the whole results of two instructions on the two sides of a boundary.
func (g *graph) bound(a, b *hlo.Instruction) {
	x, n := g.arrays(a)
	y, k := g.arrays(b)
	g.match(x, y, min(n, k), ruleBoundary, ruleBoundary)
}

// keep ties the results of an instruction with its operands: one result with all of its rank, several results each with
// the operand at its place.
func (g *graph) keep(in *hlo.Instruction) {
	b, n := g.arrays(in)
	for k, o := range in.Operands {
		a, _ := g.arrays(o)
		switch {
		case n == 1 && o.Shape.Rank() == in.Shape.Rank():
			g.match(a, b, 1, ruleFromOperand, ruleFromUser)
		case n > 1 && k < n && o.Shape.IsArray():
			g.match(a, b+array(k), 1, ruleFromOperand, ruleFromUser)
		}
	}
}

func (g *graph) tuple(in *hlo.Instruction) {
	for k, o := range in.Operands {
		a, n := g.arrays(o)
		b, _ := g.part(in, k)
		g.pass(a, b, n, rulePart)
	}
}

func (g *graph) element(in *hlo.Instruction) {
	k, _ := in.Attr("index").Int()
	a, n := g.part(in.Operands[0], int(k))
	b, _ := g.arrays(in)
	g.pass(a, b, n, rulePart)
}

func (g *graph) bitcast(in *hlo.Instruction) {
	a, _ := g.arrays(in.Operands[0])
	b, _ := g.arrays(in)
	g.tie(a, b, ruleBitcast, ruleBitcast)
}

func (g *graph) reshape(in *hlo.Instruction) {
	a, _ := g.arrays(in.Operands[0])
	b, _ := g.arrays(in)
	if s, t := g.shapes[a], g.shapes[b]; chosen(s) && chosen(t) && g.reshaped(s, t) {
		g.tie(a, b, ruleFromOperand, ruleFromUser)
	}
}

func (g *graph) transpose(in *hlo.Instruction) {
	a, _ := g.arrays(in.Operands[0])
	b, _ := g.arrays(in)
	if s, t := g.shapes[a], g.shapes[b]; chosen(s) && chosen(t) && renamed(s, t, in.Ints("dimensions")) {
		g.tie(a, b, ruleFromOperand, ruleFromUser)
	}
}

// renamed reports whether the order of b is that of a, dimension by dimension: dims[i] of a for i of b, those of a that
// b lacks left out.
func renamed(a, b *hlo.Shape, dims []int) bool {
	var of []int
	for _, d := range a.Layout.MinorToMajor {
		if k := slices.Index(dims, d); k >= 0 {
			of = append(of, k)
		}
	}
	return slices.Equal(of, b.Layout.MinorToMajor)
}

// broadcast links a result of more dimensions to its operand; an operand says too little of the result.
func (g *graph) broadcast(in *hlo.Instruction) {
	a, _ := g.arrays(in.Operands[0])
	b, _ := g.arrays(in)
	s, t := g.shapes[a], g.shapes[b]
	if !chosen(s) || !chosen(t) || !renamed(t, s, in.Ints("dimensions")) {
		return
	}
	g.links = append(g.links, link{b, a, ruleFromUser, within}, link{a, b, ruleFromOperand, hardly})
}

func (g *graph) reduce(in *hlo.Instruction) {
	b, n := g.arrays(in)
	for k, o := range in.Operands[:min(n, len(in.Operands))] {
		a, _ := g.arrays(o)
		s, t := g.shapes[a], g.shapes[b+array(k)]
		if !chosen(s) || !chosen(t) {
			continue
		}
		var kept []int
		for d := range s.Dims {
			if !slices.Contains(in.Ints("dimensions"), d) {
				kept = append(kept, d)
			}
		}
		if renamed(s, t, kept) {
			g.links = append(g.links, link{a, b + array(k), ruleFromOperand, within},
				link{b + array(k), a, ruleFromUser, hardly})
		}
	}
}

// fusion says that a fusion passes on its operands to the parameters of its body, and the root as its result.
func (g *graph) fusion(in *hlo.Instruction) {
	if len(in.Called()) == 0 || in.Called()[0].Root == nil {
		return
	}
	c := in.Called()[0]
	for k, p := range c.Parameters() {
		if p != nil && k < len(in.Operands) {
			a, n := g.arrays(in.Operands[k])
			b, m := g.arrays(p)
			g.pass(a, b, min(n, m), ruleFused)
		}
	}
	a, n := g.arrays(c.Root)
	b, m := g.arrays(in)
	g.pass(a, b, min(n, m), ruleFusion)
}

func (g *graph) call(in *hlo.Instruction) {
	for _, c := range in.Called()[:min(1, len(in.Called()))] {
		for k, p := range c.Parameters() {
			if p != nil && k < len(in.Operands) {
				g.bound(in.Operands[k], p)
			}
		}
		if c.Root != nil {
			g.bound(in, c.Root)
		}
	}
}

func (g *graph) conditional(in *hlo.Instruction) {
	for k, c := range in.Branches() {
		if c == nil || k+1 >= len(in.Operands) {
			continue
		}
		for _, p := range c.Parameters()[:min(1, len(c.Parameters()))] {
			if p != nil {
				g.bound(p, in.Operands[k+1])
			}
		}
		if c.Root != nil {
			g.bound(in, c.Root)
		}
	}
}

func (g *graph) while(in *hlo.Instruction) {
	g.bound(in, in.Operands[0])
	for _, key := range []string{"body", "condition"} {
		c := in.CalledBy(key)
		if c == nil {
			continue
		}
		for _, p := range c.Parameters() {
			if p != nil {
				g.bound(in, p)
			}
		}
		if key == "body" && c.Root != nil {
			g.bound(in, c.Root)
		}
	}
}

// copyStart passes on its operand as the target and as its alias in the result: (target, source, context).
func (g *graph) copyStart(in *hlo.Instruction) {
	a, n := g.arrays(in.Operands[0])
	for k := range 2 {
		b, m := g.part(in, k)
		g.pass(a, b, min(n, m), rulePrefetch)
	}
}

// asyncStart passes on its operands to its result and to what it calls, and from there the result of the operation.
func (g *graph) asyncStart(in *hlo.Instruction) {
	rule := halves(in)
	result, results := g.part(in, 1)
	at, aliases := g.part(in, 0)
	c := in.CalledBy("calls")
	for k, o := range in.Operands {
		a, n := g.arrays(o)
		n = min(n, aliases)
		g.pass(a, at, n, rule)
		switch {
		case c != nil:
			if ps := c.Parameters(); k < len(ps) && ps[k] != nil {
				b, m := g.arrays(ps[k])
				g.pass(a, b, min(n, m), rule)
			}
		case n == 1 && results == 1 && o.Shape.Rank() == g.shapes[result].Rank():
			g.pass(a, result, 1, rule)
		}
		at, aliases = at+array(n), aliases-n
	}
	if c != nil && c.Root != nil {
		a, n := g.arrays(c.Root)
		g.pass(a, result, min(n, results), rule)
	}
}

// halves returns the rule of a start or done: that of a move between memories, or that of any other operation.
func halves(in *hlo.Instruction) string {
	for in.Opcode == hlo.OpAsyncDone || in.Opcode == hlo.OpAsyncUpdate || in.Opcode == hlo.OpCopyDone {
		in = in.Operands[0]
	}
	if in.Opcode == hlo.OpCopyStart {
		return rulePrefetch
	}
	c := in.CalledBy("calls")
	if c == nil || c.Root == nil {
		if in.OpText() != "" {
			return rulePrefetch
		}
		return ruleAsync
	}
	switch c.Root.Opcode {
	case hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpCopy:
		return rulePrefetch
	}
	return ruleAsync
}

// done ties the end of an operation in two halves with its start's result.
func (g *graph) done(in *hlo.Instruction) {
	k, rule := 1, halves(in)
	if in.Opcode == hlo.OpCopyDone {
		k = 0
	}
	a, n := g.part(in.Operands[0], k)
	b, m := g.arrays(in)
	g.pass(a, b, min(n, m), rule)
}
