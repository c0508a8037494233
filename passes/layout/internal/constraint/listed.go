package constraint

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

// The compiler keeps a list of its computations, callees first, while passes make new ones (XLA's online topological
// sort, after Bender et al. 2015): a new one goes to the end, and then what calls it, at any depth. The passes are
// repeated here, as names and numbers show them. What a pass made and removed again is unknown, but for the functions
// that were inlined late.

// maker is a pass that makes computations, in the order of the pipeline.
type maker uint8

const (
	program    maker = iota // not a pass: what JAX made, in the order of its numbers
	rewriter                // makes reducers, as where products become sums
	loopCopier              // simplifies loops, and copies them
	expander                // makes loops of operations such as cholesky, the condition first
	copier                  // gives each call its own computation (flatten-call-graph)
	fuser                   // makes fusions of gathers and scatters
	lastCopier              // simplifies loops once more, and copies the fusions in them
	makers
)

// born is which pass made a computation, and its place among those that the pass made, from 1; 0 where that is unknown.
type born struct {
	by     maker
	number int
}

// lister puts the computations of a module in the order of the compiler's list.
type lister struct {
	g      *flat.Graph
	list   []flat.CompID
	names  map[string]bool // of the computations
	births []born          // by computation of the module
	last   []int           // see findLast
	on     func(rule.ID) bool

	constants map[*hlo.Computation][]int // see constantNumbers
}

// listComputations lists the computations in the order of the compiler's list.
func (e *State) listComputations() {
	l := lister{g: e.G, list: make([]flat.CompID, len(e.G.Comps)), on: e.On, constants: map[*hlo.Computation][]int{}}
	for ci := range l.list {
		l.list[ci] = flat.CompID(ci)
	}
	if e.On(rule.ComputationList) {
		l.findBirths()
		for m := range makers {
			if e.off[rule.EarlyCopies] && (m == copier || m == fuser) {
				m = copier + fuser - m // the other one of the two
			}
			l.make(m)
		}
	}
	e.listed = l.list
}

// listFree lists the nodes in the order in which those that nothing reached get their defaults: by computations, in the
// order of the compiler's list.
func (e *State) listFree() {
	e.freeOrder = make([]flat.NodeID, 0, len(e.order))
	for _, ci := range e.listed {
		e.freeOrder = append(e.freeOrder, e.within(e.order, ci)...)
	}
}

// make moves what a pass made, and what calls it, to the end of the list.
func (l *lister) make(m maker) {
	l.findLast(m)
	last := func(ci flat.CompID) int { return l.last[l.g.Comps[ci].Computation.Index] }
	slices.SortStableFunc(l.list, func(a, b flat.CompID) int { return last(a) - last(b) })
}

// findLast finds, by computation of the module, the number of the last one that it is or calls of those that a pass
// made, 0 for none. The copier goes through the list, from caller to caller.
func (l *lister) findLast(m maker) {
	for i, b := range l.births {
		l.last[i] = 0
		if b.by == m {
			l.last[i] = b.number
		}
	}
	if m == copier {
		l.numberCopies()
	}
	for _, n := range l.g.Calling { // callees come first
		at := &l.last[l.g.Comps[l.g.Nodes[n].Comp].Computation.Index]
		for _, c := range l.g.Nodes[n].In.Called() {
			*at = max(*at, l.last[c.Index])
		}
	}
}

// numberCopies numbers what the copier made by the places of callers in the list, and callers of copies that are gone
// by their own.
func (l *lister) numberCopies() {
	place := make([]int, len(l.list))
	for i, ci := range l.list {
		place[ci] = 1 + i
	}
	for _, n := range l.g.Calling {
		for _, c := range l.g.Nodes[n].In.Called() {
			if l.births[c.Index].by == copier {
				l.last[c.Index] = place[l.g.Nodes[n].Comp]
			}
		}
	}
	isCopied := func(b born) bool { return b.by == loopCopier }
	if !l.on(rule.LateCalls) || l.g.Module.Simplified || !slices.ContainsFunc(l.births, isCopied) {
		return
	}
	late := l.lateCallers()
	for i, ci := range l.list {
		if c := l.g.Comps[ci].Computation; late[c.Index] {
			l.last[c.Index] = 1 + i
		}
	}
}

// findBirths finds who made each computation of the module.
func (l *lister) findBirths() {
	all := l.g.Module.Computations
	l.births, l.last = make([]born, len(all)), make([]int, len(all))
	l.names = make(map[string]bool, len(all))
	for _, c := range all {
		l.names[c.Name] = true
	}
	for i, c := range all {
		l.births[i] = l.birth(c)
	}
	l.findLastCopies()
}

// findLastCopies finds the loops that the last pass copied: those whose instructions have higher numbers than the
// copier's or the fuser's of the same opcode, or that have copies of fusions, and those after the first of them (with
// more than adds and the copier's, two of 72 transformers in loops more come out on v7x, and one on v5e).
func (l *lister) findLastCopies() {
	all := l.g.Module.Computations
	var before numbers
	for i, c := range all {
		if b := l.births[i].by; b == copier || b == fuser {
			before.add(c)
		}
	}
	isLast := func(c *hlo.Computation) bool {
		for o, op := range numberedOps {
			if before[o] > 0 && lowest(c, op) > before[o] {
				return true
			}
		}
		return slices.ContainsFunc(c.Instructions, fusesCopy)
	}
	first := math.MaxInt
	for i, c := range all {
		if b := l.births[i]; b.by == loopCopier && b.number < first && isLast(c) {
			first = b.number
		}
	}
	for i, c := range all {
		if l.births[i].by == loopCopier && l.births[bodyOf(c).Index].number >= first {
			l.births[i].by = lastCopier
		}
	}
}

// numberedOps are opcodes of which both loops and what the copier and the fuser make have some.
var numberedOps = [...]hlo.Opcode{hlo.OpAdd, hlo.OpConstant, hlo.OpBroadcast}

// birth returns who made a computation, of the loops' copiers the first.
func (l *lister) birth(c *hlo.Computation) born {
	caller := hlo.OpUnknown
	if callers := c.Callers(); len(callers) > 0 {
		caller = callers[0].Instruction.Opcode
	}
	if l.g.Module.Simplified {
		if b, ok := bornHere(c, caller); ok {
			return b
		}
	}
	body := bodyOf(c)
	switch {
	case caller == hlo.OpFusion && !isCopy(c):
		_, k := Numbered(c.Name)
		return born{fuser, 2 + k}
	case isOfProgram(c):
		return born{program, programNumber(c)}
	case !isMade(c) && body != c:
		return born{expander, 1 + 2*int(body.Index)}
	case !isMade(c):
		return born{expander, 2 + 2*int(c.Index)}
	case isCopy(c) && caller != hlo.OpFusion &&
		(l.names[original(c.Name)] || !control.Has(caller) && !l.isNarrowed(c)):
		return born{by: copier}
	case control.Has(caller):
		return born{loopCopier, max(lowest(c, hlo.OpGetTupleElement), 1)}
	case caller != hlo.OpFusion:
		return born{rewriter, 1}
	}
	return born{}
}

// bornHere returns who made a computation of a module that was simplified here: its loops are those that the compiler
// copied, in the order of the text, the last of which have the names of copies, and its reducers, but those of the
// program, are those that it wrote (of 72 transformers in loops 64 come out, 50 before; of 321 programs 271 and 251).
func bornHere(c *hlo.Computation, caller hlo.Opcode) (b born, ok bool) {
	switch {
	case caller == hlo.OpWhile && isCopy(c):
		return born{lastCopier, 1 + int(c.Index)}, true
	case caller == hlo.OpWhile:
		return born{loopCopier, 1 + int(c.Index)}, true
	case control.Has(caller), caller == hlo.OpFusion, isOfProgram(c):
		return b, false
	}
	return born{rewriter, 1}, true
}

// isNarrowed reports whether a copy of a reducer, which is gone, was made of another type before the loop that calls it
// was copied last: the caller has no name but its opcode, and begins with a constant that was put into the loop or
// copied with it.
func (l *lister) isNarrowed(c *hlo.Computation) bool {
	in := c.Callers()[0].Instruction
	_, unnamed := Unnamed(in)
	return unnamed && l.on(rule.NarrowedReducers) && len(in.Operands) > 0 && l.isCopied(in.Operands[len(in.Operands)-1])
}

// isCopied reports whether a constant was put into a loop, or copied with the others of its computation: its number is
// between theirs, or the next.
func (l *lister) isCopied(constant *hlo.Instruction) bool {
	if strings.Contains(constant.Name, "..sunk") {
		return true
	}
	number, unnamed := Unnamed(constant)
	if !unnamed || constant.Opcode != hlo.OpConstant {
		return false
	}
	c := constant.Computation
	all := ordering.Memo(l.constants, c, func() []int { return constantNumbers(c) })
	i, _ := slices.BinarySearch(all, number)
	return i > 0 && (i < len(all)-1 || number == all[i-1]+1)
}

// constantNumbers returns the numbers of a computation's constants that have no name but their opcode, in ascending
// order.
func constantNumbers(c *hlo.Computation) []int {
	var numbers []int
	for _, in := range c.Instructions {
		if in.Opcode != hlo.OpConstant {
			continue
		}
		if k, unnamed := Unnamed(in); unnamed {
			numbers = append(numbers, k)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// Unnamed reports whether an instruction has no name but its opcode's, with or without a number, and returns that, -1
// for none.
func Unnamed(in *hlo.Instruction) (number int, unnamed bool) {
	stem, number := Numbered(in.Name)
	return number, stem == in.Opcode.String()
}

var control = hlo.Ops(hlo.OpWhile, hlo.OpConditional, hlo.OpCall)

// programNumber returns 1 and the number that JAX gave a computation in its name, 0 for none: the second one there is
// in the order in which it made them, the first one where that is 0.
func programNumber(c *hlo.Computation) int {
	name, ok := strings.CutPrefix(c.Name, "region_")
	if !ok {
		return 0
	}
	first, second, _ := strings.Cut(name, ".")
	number, _ := strconv.Atoi(first)
	if k, _ := strconv.Atoi(second); k > 0 {
		number = k
	}
	return 1 + number
}

// isOfProgram reports whether JAX made a computation, and no pass changed it.
func isOfProgram(c *hlo.Computation) bool {
	return !isMade(c) && programNumber(c) > 0 && !callsLater(c)
}

// callsLater reports whether a computation calls one of the program with a higher second number: a pass made equal ones
// one.
func callsLater(c *hlo.Computation) bool {
	later := func(k *hlo.Computation) bool { return programNumber(k) > programNumber(c) && !isMade(k) }
	return !strings.HasSuffix(c.Name, ".0") && slices.ContainsFunc(c.Instructions, func(in *hlo.Instruction) bool {
		return slices.ContainsFunc(in.Called(), later)
	})
}

// lowest returns the lowest number in the names of instructions of an opcode that have no other name, 0 for none. A
// pass that copies a computation gives them new ones.
func lowest(c *hlo.Computation, op hlo.Opcode) int {
	lowest := 0
	for _, in := range c.Instructions {
		if in.Opcode != op {
			continue
		}
		if k, unnamed := Unnamed(in); unnamed && k > 0 && (lowest == 0 || k < lowest) {
			lowest = k
		}
	}
	return lowest
}

// original returns the name of what a copy was made of.
func original(name string) string {
	stem, _ := Numbered(name)
	return strings.TrimSuffix(stem, ".clone")
}

func fusesCopy(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpFusion && slices.ContainsFunc(in.Called(), isCopy)
}

// bodyOf returns the body of the loop that a computation is the condition of, or the computation.
func bodyOf(c *hlo.Computation) *hlo.Computation {
	for _, caller := range c.Callers() {
		if in := caller.Instruction; in.Opcode == hlo.OpWhile && in.CalledBy("condition") == c {
			return in.CalledBy("body")
		}
	}
	return c
}

// isMade reports whether a name is one that the compiler gives: to copies, to fusions and reducers, to comparisons.
func isMade(c *hlo.Computation) bool {
	return HasPart(c.Name, "clone", "sunk", "wide.", "computation", "compare-")
}

func isCopy(c *hlo.Computation) bool { return strings.Contains(c.Name, "clone") }

// HasPart reports whether one of some parts is in a name.
func HasPart(name string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
}
