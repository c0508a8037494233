package diff

import (
	"slices"
	"sync"

	"hlolayout/hlo"
)

// Matching pairs the computations and instructions of two modules.
type Matching struct {
	Old, New *hlo.Module
	// Computations are the pairs, the entries first, then in the order in which matched instructions call them.
	Computations []*ComputationPair
	toNew, toOld map[*hlo.Computation]*ComputationPair
	old, new     *structure
	ignore       Ignore
	// params are the numbers of Old's entry parameters for those of New, -1 where one is inserted.
	params []int
	// results are the same for the elements of the results, as far as they are known before instructions are paired.
	results []int
	entries [2]entryIDs
	loosely func() [2]*structure
	origins map[*hlo.Instruction]*hlo.Instruction // see origin
}

// ComputationPair is two computations with their instructions paired.
type ComputationPair struct {
	Old, New     *hlo.Computation
	toNew, toOld []int32 // by index, -1 for none
	a, b         *hashes
	matching     *Matching
	callers      [2]*hlo.Instruction // the pair that was the first to call them, nil where none did
	byName       []int               // of New's instructions: the one of Old with the same name, -1 for none
}

// Match pairs the instructions of two modules. Instructions with the same name, type, operands and users belong
// together; next those that are the same in all but the name (so that renumbering does not matter), those that compute
// the same or are used the same, neighbours of pairs, and at last what agrees in name or op_name. Copies, and tuples
// taken apart and built again, are looked through. The time is about linear in the size of the modules.
func Match(old, new *hlo.Module, ignore Ignore) *Matching {
	m := &Matching{Old: old, New: new, ignore: ignore, origins: map[*hlo.Instruction]*hlo.Instruction{}}
	m.pairEntries()
	m.toNew, m.toOld = map[*hlo.Computation]*ComputationPair{}, map[*hlo.Computation]*ComputationPair{}
	s := m.structures(false)
	m.old, m.new = s[0], s[1]
	m.loosely = sync.OnceValue(func() [2]*structure { return m.structures(true) })
	if old.Entry != nil && new.Entry != nil {
		m.add(old.Entry, new.Entry)
	}
	next := 0
	m.run(&next)
	m.leftovers(&next)
	return m
}

// structures hashes both modules at the same time.
func (m *Matching) structures(loose bool) (out [2]*structure) {
	done := make(chan struct{})
	go func() { out[0] = newStructure(m.Old, m.ignore, m.entries[0], loose); close(done) }()
	out[1] = newStructure(m.New, m.ignore, m.entries[1], loose)
	<-done
	return out
}

// add pairs two computations that the two callers call, which are nil for the entries and where nothing is known of
// them.
func (m *Matching) add(o, n *hlo.Computation, callers ...*hlo.Instruction) {
	if o == nil || n == nil || m.toNew[o] != nil || m.toOld[n] != nil {
		return
	}
	p := &ComputationPair{Old: o, New: n, toNew: none(len(o.Instructions)), toOld: none(len(n.Instructions)),
		a: m.old.computations[o], b: m.new.computations[n], matching: m}
	if len(callers) == 2 {
		p.callers = [2]*hlo.Instruction(callers)
	}
	m.toNew[o], m.toOld[n] = p, p
	m.Computations = append(m.Computations, p)
}

func none(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = -1
	}
	return out
}

// run pairs the instructions of the computations from next on, and the computations that pairs call.
func (m *Matching) run(next *int) {
	for ; *next < len(m.Computations); *next++ {
		p := m.Computations[*next]
		p.match()
		for i, k := range p.toNew {
			if k < 0 {
				continue
			}
			o, n := p.Old.Instructions[i], p.New.Instructions[k]
			for j := range min(len(o.Called()), len(n.Called())) {
				m.add(o.Called()[j], n.Called()[j], o, n)
			}
		}
	}
}

// NewOf returns the partner of an instruction of Old, nil where it has none.
func (m *Matching) NewOf(in *hlo.Instruction) *hlo.Instruction {
	p := m.toNew[in.Computation]
	if p == nil || p.toNew[in.Index] < 0 {
		return nil
	}
	return p.New.Instructions[p.toNew[in.Index]]
}

// OldOf returns the partner of an instruction of New, nil where it has none.
func (m *Matching) OldOf(in *hlo.Instruction) *hlo.Instruction {
	p := m.toOld[in.Computation]
	if p == nil || p.toOld[in.Index] < 0 {
		return nil
	}
	return p.Old.Instructions[p.toOld[in.Index]]
}

func (p *ComputationPair) pair(o, n int) {
	p.toNew[o], p.toOld[n] = int32(n), int32(o)
}

func (p *ComputationPair) free(o, n int) bool { return p.toNew[o] < 0 && p.toOld[n] < 0 }

// match runs the steps from the surest to the least sure. Each pairs only what the ones before left.
func (p *ComputationPair) match() {
	p.byName = pair(p.Old.Instructions, p.New.Instructions, func(in *hlo.Instruction) string { return in.Name })
	p.parameters()
	byName := p.named(func(o, n int) bool {
		return p.a.local[o] == p.b.local[n] && p.a.up[o] == p.b.up[n] && p.a.down[o] == p.b.down[n]
	})
	if p.complete() {
		return
	}
	byPlace := p.grouped(false, func(h *hashes, i int) uint64 { return mix(mix(h.local[i], h.up[i]), h.down[i]) })
	p.named(func(o, n int) bool {
		return p.a.local[o] == p.b.local[n] && (p.a.up[o] == p.b.up[n] || p.a.down[o] == p.b.down[n])
	})
	p.grouped(true, func(h *hashes, i int) uint64 { return mix(h.local[i], h.up[i]) })
	p.grouped(true, func(h *hashes, i int) uint64 { return mix(h.local[i], h.down[i]+1) })
	// Names that few instructions keep, or fewer than are the same without them, are numbers that came out equal.
	if byName >= byPlace && trustedShare*byName >= len(p.byName) {
		p.named(func(o, n int) bool { return p.a.local[o] == p.b.local[n] && p.handsOnSame(o, n) })
		p.named(p.sameKind)
		p.neighbours()
	} else {
		p.neighbours()
		p.loosely()
		p.named(func(o, n int) bool { return p.a.local[o] == p.b.local[n] && p.handsOnSame(o, n) })
	}
	if p.complete() {
		return
	}
	p.loosely()
	p.spread(func(o, n int) bool { return p.a.local[o] == p.b.local[n] || p.sameOp(o, n) && p.sameType(o, n) }, false)
	p.alike()
	p.named(func(o, n int) bool { return p.handsOnSame(o, n) && (p.sameOp(o, n) || p.sameType(o, n)) })
	if r, s := p.Old.Root, p.New.Root; r != nil && s != nil {
		if o, n := int(r.Index), int(s.Index); p.free(o, n) && (p.sameKind(o, n) || p.sameType(o, n)) {
			p.pair(o, n)
		}
	}
}

// trustedShare: of so many instructions one at least keeps its name and all that it computes where names are trusted.
const trustedShare = 8

// complete says that one side has nothing left.
func (p *ComputationPair) complete() bool {
	left := func(list []int32) bool {
		for _, k := range list {
			if k < 0 {
				return true
			}
		}
		return false
	}
	return !left(p.toNew) || !left(p.toOld)
}

// loosely pairs what is left by hashes without sizes and element types.
func (p *ComputationPair) loosely() {
	s := p.matching.loosely()
	a, b := p.a, p.b
	p.a, p.b = s[0].computations[p.Old], s[1].computations[p.New]
	defer func() { p.a, p.b = a, b }()
	p.named(func(o, n int) bool {
		return p.a.local[o] == p.b.local[n] && (p.a.up[o] == p.b.up[n] || p.a.down[o] == p.b.down[n])
	})
	p.grouped(true, func(h *hashes, i int) uint64 { return mix(mix(h.local[i], h.up[i]), h.down[i]) })
	p.grouped(true, func(h *hashes, i int) uint64 { return mix(h.local[i], h.up[i]) })
	p.grouped(true, func(h *hashes, i int) uint64 { return mix(h.local[i], h.down[i]+1) })
	p.neighbours()
}

func (p *ComputationPair) sameOp(o, n int) bool {
	a, b := p.Old.Instructions[o], p.New.Instructions[n]
	return a.Opcode == b.Opcode && a.OpName() == b.OpName()
}

// sameKind is sameOp for instructions that compute something. One that hands on its operand (a copy, a bitcast, an
// element of a tuple) is what that is: it belongs to no other operand's.
func (p *ComputationPair) sameKind(o, n int) bool { return p.sameOp(o, n) && p.handsOnSame(o, n) }

// handsOnSame is false for two instructions that hand on operands of which one is known to be another value's partner.
func (p *ComputationPair) handsOnSame(o, n int) bool {
	a, b := p.Old.Instructions[o], p.New.Instructions[n]
	if !handsOn(a) || !handsOn(b) {
		return true
	}
	m := p.matching
	x, y := m.origin(a.Operands[0]), m.origin(b.Operands[0])
	return m.NewOf(x) == y || m.NewOf(x) == nil && m.OldOf(y) == nil
}

func handsOn(in *hlo.Instruction) bool {
	return len(in.Operands) == 1 && (isCopy(in) || in.Opcode == hlo.OpCopyDone || in.Opcode.Flow() == hlo.FlowForward)
}

func (p *ComputationPair) sameType(o, n int) bool {
	return p.Old.Instructions[o].Shape.Compatible(p.New.Instructions[n].Shape)
}

// named pairs instructions of the same name that fit, and returns how many.
func (p *ComputationPair) named(fits func(o, n int) bool) (count int) {
	for n, o := range p.byName {
		if o >= 0 && p.free(o, n) && fits(o, n) {
			p.pair(o, n)
			count++
		}
	}
	return count
}

// grouped pairs instructions of the same key in the order of the text, and returns how many. With even only groups that
// have as many on both sides.
func (p *ComputationPair) grouped(even bool, key func(h *hashes, i int) uint64) (count int) {
	groups := map[uint64][]int32{}
	for i, k := range p.toNew {
		if k < 0 {
			h := key(p.a, i)
			groups[h] = append(groups[h], int32(i))
		}
	}
	if len(groups) == 0 {
		return 0
	}
	var sizes map[uint64]int
	if even {
		sizes = map[uint64]int{}
		for i, k := range p.toOld {
			if k < 0 {
				sizes[key(p.b, i)]++
			}
		}
	}
	taken := map[uint64]int{}
	for i, k := range p.toOld {
		if k >= 0 {
			continue
		}
		h := key(p.b, i)
		g := groups[h]
		if even && sizes[h] != len(g) || taken[h] >= len(g) || !p.handsOnSame(int(g[taken[h]]), i) {
			continue
		}
		p.pair(int(g[taken[h]]), i)
		taken[h]++
		count++
	}
	return count
}

// neighbours pairs the operands of pairs, by their place, and their only users of one kind, as long as that finds any.
func (p *ComputationPair) neighbours() {
	p.spread(func(o, n int) bool { return p.a.local[o] == p.b.local[n] }, true)
}

// spread pairs the neighbours of pairs that fit, with users too or operands only.
func (p *ComputationPair) spread(fits func(o, n int) bool, users bool) {
	usesA, usesB := p.Old.Uses(), p.New.Uses()
	var queue []int
	for o, n := range p.toNew {
		if n >= 0 {
			queue = append(queue, o)
		}
	}
	try := func(a, b *hlo.Instruction) {
		if a.Computation != p.Old || b.Computation != p.New {
			return
		}
		o, n := int(a.Index), int(b.Index)
		if p.free(o, n) && fits(o, n) && p.handsOnSame(o, n) {
			p.pair(o, n)
			queue = append(queue, o)
		}
	}
	for len(queue) > 0 {
		a := p.Old.Instructions[queue[0]]
		b := p.New.Instructions[p.toNew[queue[0]]]
		queue = queue[1:]
		results := p.matching.entries[1].root == b && p.matching.results != nil
		for i, n := range b.Operands {
			k := i
			if results {
				k = p.matching.results[i]
			}
			if k >= 0 && k < len(a.Operands) {
				try(a.Operands[k], n)
				try(p.matching.origin(a.Operands[k]), p.matching.origin(n))
			}
		}
		listA, listB := usesA.Of(a), usesB.Of(b)
		if !users || len(listA) > maxUsers || len(listB) > maxUsers {
			continue
		}
		for _, u := range listA {
			if p.toNew[u.User.Index] >= 0 {
				continue
			}
			local := p.a.local[u.User.Index]
			if only(listA, u.Operand, local, p.a, p.toNew) == nil {
				continue
			}
			if v := only(listB, u.Operand, local, p.b, p.toOld); v != nil {
				try(u.User, v)
			}
		}
	}
}

// maxUsers is the number of users above which they are not paired one by one: the search is quadratic in it.
const maxUsers = 64

// only returns the one unpaired user that has the hash and uses the value as that operand, nil where there are none or
// several.
func only(uses []hlo.Use, operand int32, local uint64, h *hashes, to []int32) *hlo.Instruction {
	var found *hlo.Instruction
	for _, u := range uses {
		if u.Operand != operand || to[u.User.Index] >= 0 || h.local[u.User.Index] != local {
			continue
		}
		if found != nil && found != u.User {
			return nil
		}
		found = u.User
	}
	return found
}

// alike pairs what is left by opcode, type, name without numbers and op_name; then without the name; in the order of
// the text.
func (p *ComputationPair) alike() {
	type key struct {
		op, shape, name, source string
	}
	for _, k := range []func(in *hlo.Instruction) key{
		func(in *hlo.Instruction) key {
			return key{in.OpName(), string(in.Shape.Append(nil, false)), hlo.BaseName(in.Name), source(in)}
		},
		func(in *hlo.Instruction) key {
			return key{op: in.OpName(), shape: string(in.Shape.Append(nil, false)), source: source(in)}
		},
		func(in *hlo.Instruction) key {
			if s := source(in); s != "" {
				return key{op: in.OpName(), source: s}
			}
			return key{}
		},
	} {
		groups := map[key][]int{}
		for i, n := range p.toNew {
			if n < 0 {
				in := p.Old.Instructions[i]
				groups[k(in)] = append(groups[k(in)], i)
			}
		}
		for i, o := range p.toOld {
			if o >= 0 {
				continue
			}
			h := k(p.New.Instructions[i])
			g := groups[h]
			if len(g) == 0 || h == (key{}) {
				continue
			}
			at := slices.IndexFunc(g[:min(len(g), maxUsers)], func(o int) bool { return p.handsOnSame(o, i) })
			if at < 0 {
				continue
			}
			p.pair(g[at], i)
			if at > 0 {
				g = slices.Clone(g)
				g[at] = g[0]
			}
			groups[h] = g[1:]
		}
	}
}

func isCopy(in *hlo.Instruction) bool {
	return (in.Opcode == hlo.OpCopy || in.Opcode == hlo.OpCopyStart) && len(in.Operands) == 1
}

func source(in *hlo.Instruction) string {
	if v := in.Attr("metadata").Get("op_name"); v != nil {
		return v.Text
	}
	return ""
}
