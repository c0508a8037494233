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
	// Values are the layouts that differ, of arrays in memory, each array once. Passed are those of instructions that
	// only pass such an array on (tuples, loops, bitcasts), Inside those of values that are never in memory: in fusions
	// and reducers.
	Values, Passed, Inside []LayoutGroup
	// Added and Removed are instructions that one side alone has; Changed those that differ in more than their layouts
	// and Sizes.
	Added, Removed []OpGroup
	Changed        []ChangeGroup
	// Sizes are dimensions and element types that became others all over the program, and Resized how many pairs of
	// instructions differ in nothing else.
	Sizes   []Size
	Resized int
	// Bodies are the pairs of computations of fusions, reducers and the like that differ, with counts of what is in the
	// lists above. The bodies of instructions that one side alone has are not among them.
	Bodies []*Body
	// Kernels are the pairs of custom calls whose kernels differ, or may.
	Kernels []KernelChange
	// Uncompared are computations of a cut text without a partner, which may follow after the other text's end.
	Uncompared [2]int
	// Pairs is the number of instructions that both sides have.
	Pairs int
	LeafCounts
	// Named is LeafCounts of the pairs whose names and computations' names are the same: what a comparison by name
	// finds.
	Named LeafCounts
	// Noise counts what is left out, or was no difference.
	Noise Noise
}

// LeafCounts counts the array parts of pairs, tokens included.
type LeafCounts struct {
	// Leaves is their number, SameOrder how many have the same type and minor_to_major, SameLayout how many the same
	// layout.
	Leaves, SameOrder, SameLayout int
}

func (c *LeafCounts) add(d LeafCounts) {
	c.Leaves, c.SameOrder, c.SameLayout = c.Leaves+d.Leaves, c.SameOrder+d.SameOrder, c.SameLayout+d.SameLayout
}

// Noise counts pairs that differ in what is ignored.
type Noise struct {
	// Renumbered pairs have names that differ in their numbers only, Renamed other names; Metadata, BackendConfig,
	// Constants and Layouts pairs that differ there. Commuted pairs have their operands exchanged, where that computes
	// the same; Kernels differ in where the source of their kernels is only.
	Renumbered, Renamed, Metadata, BackendConfig, Constants, Layouts, Commuted, Kernels int
}

// ContractChange is one change of what callers rely on.
type ContractChange struct {
	Kind ContractKind
	// What names it: "parameter 3{1}", "result {0}", by the numbers of New, of Old where New has none; "alias",
	// "donor".
	What string
	// Name is that of a parameter's argument, such as params['w'], "" where the module does not say.
	Name string
	// From and To are the two shapes, nil where one side has none, or if shapes do not matter.
	From, To *hlo.Shape
	// Old and New are the two texts, if shapes do not matter, and the two places of what is Reordered.
	Old, New string
}

// ContractKind is what happened to a parameter, a result or an alias.
type ContractKind uint8

// What can happen: it has another layout, another type, another place among those that both sides have, or only one
// side has it.
const (
	Relaid ContractKind = iota
	Retyped
	Reordered
	Inserted
	Removed
)

// String returns "layout", "type", "moved", "inserted" or "removed".
func (k ContractKind) String() string {
	return [...]string{"layout", "type", "moved", "inserted", "removed"}[k]
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

// OpGroup are instructions of one opcode and type, all in memory or all Inside of fusions, reducers and the like.
type OpGroup struct {
	Op     string
	Shape  *hlo.Shape
	Values []*hlo.Instruction
	Bytes  int64 // padded, of all; 0 where not known
	Inside bool
}

// ChangeGroup are pairs of one opcode that differ in the same respects, such as "operands" or "backend_config".
type ChangeGroup struct {
	Op   string
	What []string
	// Settings are the keys of backend_config that differ, where What has it.
	Settings []string
	Old, New []*hlo.Instruction
	Inside   bool
}

// Compiled reports whether only backend_config differs: what the compiler chose for the instruction, not what it
// computes.
func (g *ChangeGroup) Compiled() bool { return len(g.What) == 1 && g.What[0] == "backend_config" }

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
	c.resized()
	c.finish()
	return c.r
}

func (m *Matching) comparison() *comparison {
	c := &comparison{Matching: m, r: &Report{Old: m.Old, New: m.New, Ignore: m.ignore},
		memory: map[*hlo.Computation]bool{},
		bodies: map[*ComputationPair]*Body{}, equal: map[shapePair]int{}, layouts: [3]map[shapePair]int{{}, {}, {}},
		ops: [2]map[opKey]int{{}, {}}, changed: map[changeKey]int{}}
	for _, module := range []*hlo.Module{m.Old, m.New} {
		for _, comp := range module.InMemory() {
			c.memory[comp] = true
		}
	}
	return c
}

// Same reports whether nothing differs that is not ignored.
func (r *Report) Same() bool {
	return len(r.Contract)+len(r.Module)+len(r.Values)+len(r.Passed)+len(r.Inside)+len(r.Added)+len(r.Removed)+
		len(r.Changed)+len(r.Sizes)+len(r.Kernels) == 0
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
	op     string
	shape  *hlo.Shape
	inside bool
}

type changeKey struct {
	op, what string
	inside   bool
}

// comparison is the work on one report.
type comparison struct {
	*Matching
	r              *Report
	memory         map[*hlo.Computation]bool // of both modules
	bodies         map[*ComputationPair]*Body
	pending        []difference // that resized looks at, as it does at these
	resizedLayouts []resizedLayout
	equal          map[shapePair]int    // equal shapes, and how many leaves they have
	layouts        [3]map[shapePair]int // into Values, Passed, Inside
	ops            [2]map[opKey]int     // into Added, Removed
	changed        map[changeKey]int
}

func (c *comparison) groups() [3]*[]LayoutGroup {
	return [3]*[]LayoutGroup{&c.r.Values, &c.r.Passed, &c.r.Inside}
}

// finish sizes and sorts the groups: what changes most bytes first.
func (c *comparison) finish() {
	for _, list := range c.groups() {
		slices.SortStableFunc(*list, func(a, b LayoutGroup) int {
			return cmp.Or(cmp.Compare(abs(b.Delta()), abs(a.Delta())), cmp.Compare(b.NewBytes*int64(len(b.Values)),
				a.NewBytes*int64(len(a.Values))))
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
	slices.SortStableFunc(c.r.Bodies, func(a, b *Body) int { return cmp.Compare(b.size(), a.size()) })
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// paddedBytes returns the size of an array in memory, in bytes: with its tiles filled up to their whole size. ok is
// false where package tiled cannot tell.
func paddedBytes(s *hlo.Shape) (n int64, ok bool) {
	a, err := tiled.New(s)
	if err != nil {
		return 0, false
	}
	return a.Bytes(), true
}
