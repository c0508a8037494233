package diff

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// Report says what differs between two modules, change by change and not line by line.
type Report struct {
	Old, New *hlo.Module
	Ignore   Ignore
	// Contract is what callers of the module notice: breaking changes of the entry.
	Contract []ContractChange
	// Module are the other attributes of the first line that differ.
	Module []AttrChange
	// Values are the layouts that differ, of arrays that lie in memory, each array once. Passed are those of instructions that
	// only pass such an array on (tuples, loops, bitcasts), Inside those of values that never lie in memory: in fusions and
	// reducers.
	Values, Passed, Inside []LayoutGroup
	// Added and Removed are instructions that one side alone has; Changed those that differ in more than their layouts.
	Added, Removed []OpGroup
	Changed        []ChangeGroup
	// Pairs is the number of instructions that both sides have.
	Pairs int
	LeafCounts
	// Named is LeafCounts of the pairs whose names and computations' names are the same: what a comparison by name finds.
	Named LeafCounts
	// Noise counts what is left out, or was no difference.
	Noise Noise
}

// LeafCounts counts the array parts of pairs, tokens included.
type LeafCounts struct {
	// Leaves is their number, SameOrder how many have the same type and minor_to_major, SameLayout how many the same layout.
	Leaves, SameOrder, SameLayout int
}

func (c *LeafCounts) add(d LeafCounts) {
	c.Leaves, c.SameOrder, c.SameLayout = c.Leaves+d.Leaves, c.SameOrder+d.SameOrder, c.SameLayout+d.SameLayout
}

// Noise counts pairs that differ in what is ignored.
type Noise struct {
	// Renumbered pairs have names that differ in their numbers only, Renamed other names; Metadata, BackendConfig, Constants
	// and Layouts pairs that differ there.
	Renumbered, Renamed, Metadata, BackendConfig, Constants, Layouts int
}

// ContractChange is one change of what callers rely on.
type ContractChange struct {
	// What names it: "parameter 3{1}", "result {0}", "alias", "donor", "module name".
	What string
	// From and To are the two shapes, nil where one side has none, or where it is no matter of shapes.
	From, To *hlo.Shape
	// Old and New are the two texts, where it is no matter of shapes.
	Old, New string
}

// LayoutGroup is one change of a layout, with all the values that have it.
type LayoutGroup struct {
	From, To *hlo.Shape
	// Values are the instructions of the new module, in the order of the text; Indices which parts of them.
	Values  []*hlo.Instruction
	Indices []hlo.Index
	// OldBytes and NewBytes are the padded sizes of one array; Known is false where they are not known.
	OldBytes, NewBytes int64
	Known              bool
}

// Delta returns the change of padded bytes of all values.
func (g *LayoutGroup) Delta() int64 { return int64(len(g.Values)) * (g.NewBytes - g.OldBytes) }

// Moved reports whether the memory space differs.
func (g *LayoutGroup) Moved() bool { return memorySpace(g.From) != memorySpace(g.To) }

// OpGroup are instructions of one opcode and type.
type OpGroup struct {
	Op     string
	Shape  *hlo.Shape
	Values []*hlo.Instruction
	Bytes  int64 // padded, of all; 0 where not known
}

// ChangeGroup are pairs of one opcode that differ in the same respects, such as "operands" or "backend_config".
type ChangeGroup struct {
	Op       string
	What     []string
	Old, New []*hlo.Instruction
}

// NewReport finds what differs between two modules.
func NewReport(old, new *hlo.Module, ignore Ignore) *Report { return Match(old, new, ignore).Report() }

// Report returns what differs between the pairs.
func (m *Matching) Report() *Report {
	c := m.comparison()
	c.contract()
	c.module()
	for _, comp := range m.New.Computations {
		c.computation(comp)
	}
	c.removed()
	c.finish()
	return c.r
}

func (m *Matching) comparison() *comparison {
	c := &comparison{Matching: m, r: &Report{Old: m.Old, New: m.New, Ignore: m.ignore}, memory: map[*hlo.Computation]bool{},
		equal: map[shapePair]int{}, layouts: [3]map[shapePair]int{{}, {}, {}}, ops: [2]map[opKey]int{{}, {}}, changed: map[changeKey]int{}}
	for _, comp := range m.New.InMemory() {
		c.memory[comp] = true
	}
	return c
}

// Same reports whether nothing differs that is not ignored.
func (r *Report) Same() bool {
	return len(r.Contract)+len(r.Module)+len(r.Values)+len(r.Passed)+len(r.Inside)+len(r.Added)+len(r.Removed)+len(r.Changed) == 0
}

// Count returns the number of values in groups.
func Count(groups []LayoutGroup) (n int) {
	for i := range groups {
		n += len(groups[i].Values)
	}
	return n
}

type shapePair struct{ from, to *hlo.Shape }

type opKey struct {
	op    string
	shape *hlo.Shape
}

type changeKey struct{ op, what string }

// comparison is the work on one report.
type comparison struct {
	*Matching
	r       *Report
	memory  map[*hlo.Computation]bool
	equal   map[shapePair]int    // equal shapes, and how many leaves they have
	layouts [3]map[shapePair]int // into Values, Passed, Inside
	ops     [2]map[opKey]int     // into Added, Removed
	changed map[changeKey]int
}

func (c *comparison) groups() [3]*[]LayoutGroup {
	return [3]*[]LayoutGroup{&c.r.Values, &c.r.Passed, &c.r.Inside}
}

// computation compares the pairs of one computation of New, or adds all of it.
func (c *comparison) computation(comp *hlo.Computation) {
	p := c.toOld[comp]
	for i, n := range comp.Instructions {
		if p == nil || p.toOld[i] < 0 {
			c.alone(0, n)
			continue
		}
		c.pair(p.Old.Instructions[p.toOld[i]], n)
	}
}

func (c *comparison) removed() {
	for _, comp := range c.Old.Computations {
		p := c.toNew[comp]
		for i, o := range comp.Instructions {
			if p == nil || p.toNew[i] < 0 {
				c.alone(1, o)
			}
		}
	}
}

// alone notes an instruction that one side (0 new, 1 old) has.
func (c *comparison) alone(side int, in *hlo.Instruction) {
	list := [2]*[]OpGroup{&c.r.Added, &c.r.Removed}[side]
	k := opKey{in.OpName(), in.Shape}
	at, ok := c.ops[side][k]
	if !ok {
		at = len(*list)
		c.ops[side][k] = at
		*list = append(*list, OpGroup{Op: k.op, Shape: in.Shape})
	}
	(*list)[at].Values = append((*list)[at].Values, in)
}

func (c *comparison) pair(o, n *hlo.Instruction) {
	c.r.Pairs++
	c.names(o, n)
	c.leaves(o, n)
	if what := c.differences(o, n); len(what) > 0 {
		text := ""
		for _, w := range what {
			text += w + ","
		}
		k := changeKey{n.OpName(), text}
		at, ok := c.changed[k]
		if !ok {
			at = len(c.r.Changed)
			c.changed[k] = at
			c.r.Changed = append(c.r.Changed, ChangeGroup{Op: k.op, What: what})
		}
		g := &c.r.Changed[at]
		g.Old, g.New = append(g.Old, o), append(g.New, n)
	}
}

func (c *comparison) names(o, n *hlo.Instruction) {
	switch {
	case o.Name == n.Name:
	case hlo.BaseName(o.Name) == hlo.BaseName(n.Name):
		c.r.Noise.Renumbered++
	default:
		c.r.Noise.Renamed++
	}
}

// leaves compares the layouts of one pair.
func (c *comparison) leaves(o, n *hlo.Instruction) {
	before := c.r.LeafCounts
	c.compareLeaves(o, n)
	if o.Name == n.Name && o.Computation.Name == n.Computation.Name {
		c.r.Named.add(LeafCounts{c.r.Leaves - before.Leaves, c.r.SameOrder - before.SameOrder, c.r.SameLayout - before.SameLayout})
	}
}

func (c *comparison) compareLeaves(o, n *hlo.Instruction) {
	k := shapePair{o.Shape, n.Shape}
	count, same := c.equal[k]
	if !same && o.Shape.Equal(n.Shape) {
		n.Shape.Leaves(func(hlo.Index, *hlo.Shape) { count++ })
		c.equal[k], same = count, true
	}
	if same { // most pairs
		c.r.add(LeafCounts{count, count, count})
		return
	}
	n.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		c.r.Leaves++
		was := o.Shape.At(index)
		if was == nil || !was.Compatible(leaf) {
			return
		}
		if !leaf.IsArray() || slices.Equal(was.MinorToMajor(), leaf.MinorToMajor()) {
			c.r.SameOrder++
		}
		if !leaf.IsArray() || was.Layout.Equal(leaf.Layout) {
			c.r.SameLayout++
			return
		}
		if c.ignore.equal(was.Layout, leaf.Layout) {
			c.r.Noise.Layouts++
			return
		}
		class := 0
		switch {
		case !c.memory[n.Computation]:
			class = 2
		case !n.OwnsBuffer(index):
			class = 1
		}
		list, k := c.groups()[class], shapePair{was, leaf}
		at, ok := c.layouts[class][k]
		if !ok {
			at = len(*list)
			c.layouts[class][k] = at
			g := LayoutGroup{From: was, To: leaf}
			a, okA := paddedBytes(was)
			b, okB := paddedBytes(leaf)
			if g.Known = okA && okB; g.Known {
				g.OldBytes, g.NewBytes = a, b
			}
			*list = append(*list, g)
		}
		g := &(*list)[at]
		g.Values = append(g.Values, n)
		g.Indices = append(g.Indices, slices.Clone(index))
	})
}

// finish sizes and sorts the groups: what changes most bytes first.
func (c *comparison) finish() {
	for _, list := range c.groups() {
		slices.SortStableFunc(*list, func(a, b LayoutGroup) int {
			return cmp.Or(cmp.Compare(abs(b.Delta()), abs(a.Delta())), cmp.Compare(b.NewBytes*int64(len(b.Values)), a.NewBytes*int64(len(a.Values))))
		})
	}
	for _, list := range [][]OpGroup{c.r.Added, c.r.Removed} {
		for i := range list {
			if n, ok := paddedBytes(list[i].Shape); ok {
				list[i].Bytes = n * int64(len(list[i].Values))
			}
		}
		slices.SortStableFunc(list, func(a, b OpGroup) int { return cmp.Compare(b.Bytes, a.Bytes) })
	}
	slices.SortStableFunc(c.r.Changed, func(a, b ChangeGroup) int { return cmp.Compare(len(b.New), len(a.New)) })
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// paddedBytes returns the size of an array in memory, in bytes: with its tiles filled up to their whole size. ok is false where
// package tiled cannot tell.
func paddedBytes(s *hlo.Shape) (n int64, ok bool) {
	a, err := tiled.New(s)
	if err != nil {
		return 0, false
	}
	return a.Bytes(), true
}
