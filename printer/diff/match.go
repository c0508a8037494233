package diff

import (
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
}

// ComputationPair is two computations with their instructions paired.
type ComputationPair struct {
	Old, New     *hlo.Computation
	toNew, toOld []int32 // by index, -1 for none
	a, b         *hashes
	byName       []int // of New's instructions: the one of Old with the same name, -1 for none
}

// Match pairs the instructions of two modules. Instructions with the same name, type, operands and users belong together;
// next those that are the same in all but the name (so that renumbering does not matter), those that compute the same or are
// used the same, neighbours of pairs, and at last what agrees in name or op_name. Copies, and tuples taken apart and put
// together again, are looked through. The time is about linear in the size of the modules.
func Match(old, new *hlo.Module, ignore Ignore) *Matching {
	m := &Matching{Old: old, New: new, ignore: ignore,
		toNew: map[*hlo.Computation]*ComputationPair{}, toOld: map[*hlo.Computation]*ComputationPair{}}
	done := make(chan struct{})
	go func() { m.old = newStructure(old, ignore); close(done) }()
	m.new = newStructure(new, ignore)
	<-done
	if old.Entry != nil && new.Entry != nil {
		m.add(old.Entry, new.Entry)
	}
	next := 0
	m.run(&next)
	m.leftovers(&next)
	return m
}

func (m *Matching) add(o, n *hlo.Computation) {
	if o == nil || n == nil || m.toNew[o] != nil || m.toOld[n] != nil {
		return
	}
	p := &ComputationPair{Old: o, New: n, toNew: none(len(o.Instructions)), toOld: none(len(n.Instructions)),
		a: m.old.computations[o], b: m.new.computations[n]}
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
			for j := range min(len(o.Called), len(n.Called)) {
				m.add(o.Called[j], n.Called[j])
			}
		}
	}
}

// leftovers pairs computations that no pair calls: by name, then by what they compute, in the order of the text.
func (m *Matching) leftovers(next *int) {
	names := map[string]*hlo.Computation{}
	for _, c := range m.Old.Computations {
		if m.toNew[c] == nil {
			names[c.Name] = c
		}
	}
	for _, c := range m.New.Computations {
		if o := names[c.Name]; o != nil && m.toOld[c] == nil && m.old.computations[o].whole == m.new.computations[c].whole {
			m.add(o, c)
			m.run(next)
		}
	}
	whole := map[uint64][]*hlo.Computation{}
	for _, c := range m.Old.Computations {
		if m.toNew[c] == nil {
			h := m.old.computations[c].whole
			whole[h] = append(whole[h], c)
		}
	}
	for _, c := range m.New.Computations {
		h := m.new.computations[c].whole
		for m.toOld[c] == nil && len(whole[h]) > 0 {
			m.add(whole[h][0], c)
			whole[h] = whole[h][1:]
			m.run(next)
		}
		if o := names[c.Name]; m.toOld[c] == nil && o != nil {
			m.add(o, c)
			m.run(next)
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
	if trusted := byName >= byPlace; trusted {
		p.named(func(o, n int) bool { return p.a.local[o] == p.b.local[n] })
		p.named(p.sameKind)
		p.neighbours()
	} else {
		p.neighbours()
		p.named(func(o, n int) bool { return p.a.local[o] == p.b.local[n] })
	}
	if p.complete() {
		return
	}
	p.alike()
	p.named(func(o, n int) bool { return p.sameKind(o, n) || p.sameType(o, n) })
	if r, s := p.Old.Root, p.New.Root; r != nil && s != nil {
		if o, n := int(r.Index), int(s.Index); p.free(o, n) && (p.sameKind(o, n) || p.sameType(o, n)) {
			p.pair(o, n)
		}
	}
}

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

func (p *ComputationPair) parameters() {
	olds, news := p.Old.Parameters(), p.New.Parameters()
	for i := range min(len(olds), len(news)) {
		if olds[i] != nil && news[i] != nil {
			p.pair(int(olds[i].Index), int(news[i].Index))
		}
	}
}

func (p *ComputationPair) sameKind(o, n int) bool {
	a, b := p.Old.Instructions[o], p.New.Instructions[n]
	return a.Opcode == b.Opcode && a.OpName() == b.OpName()
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

// grouped pairs instructions of the same key in the order of the text, and returns how many. With even only groups that have as
// many on both sides.
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
		if even && sizes[h] != len(g) || taken[h] >= len(g) {
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
		if p.free(o, n) && p.a.local[o] == p.b.local[n] {
			p.pair(o, n)
			queue = append(queue, o)
		}
	}
	for len(queue) > 0 {
		a := p.Old.Instructions[queue[0]]
		b := p.New.Instructions[p.toNew[queue[0]]]
		queue = queue[1:]
		for i := range min(len(a.Operands), len(b.Operands)) {
			try(a.Operands[i], b.Operands[i])
			try(origin(a.Operands[i]), origin(b.Operands[i]))
		}
		listA, listB := usesA.Of(a), usesB.Of(b)
		if len(listA) > maxUsers || len(listB) > maxUsers {
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

// only returns the one unpaired user that has the hash and uses the value as that operand, nil where there are none or several.
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

// alike pairs what is left by opcode, type, name without numbers and op_name; then without the name; in the order of the text.
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
			if g := groups[h]; len(g) > 0 && h != (key{}) {
				p.pair(g[0], i)
				groups[h] = g[1:]
			}
		}
	}
}

func source(in *hlo.Instruction) string {
	if v := in.Attr("metadata").Get("op_name"); v != nil {
		return v.Text
	}
	return ""
}
