package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/passes"
	"hlolayout/passes/entry"
	"hlolayout/passes/folding"
	"hlolayout/passes/relayout"
	"hlolayout/tpu"
)

// DefaultRuns is how many runs of layout assignment a sweep may take for each generation by default.
const DefaultRuns = 200

// Row is one choice of entry layouts and what it costs.
type Row struct {
	Target string `json:"tpu"`
	Cost
	// Entries are the arrays of the interface that have another layout than given.
	Entries []Entry `json:"-"`
	// Given says that it is the module as it stands, Pareto that no other row is better.
	Given  bool `json:"given"`
	Pareto bool `json:"pareto"`
}

// errorShare: the bytes that relayouts are estimated to copy are within a quarter of the compiled module's in 85 % of
// programs (.ci/worth/README.md).
const errorShare = 4

// Swept is the outcome of a sweep for one target.
type Swept struct {
	// Rows are the Pareto list, the least padded bytes first, and the module as it stands where it is not on it. On
	// it is what is not worse than a choice with a smaller interface, and no other of these is as good in padded and
	// copied bytes and better in one.
	Rows []Row
	// Runs is how many choices were tried; Choices how many there are, math.MaxInt64 for more.
	Runs, Arrays int
	Choices      int64
}

// Sweep tries orders of the parameters and results of a module and returns the Pareto list of padded bytes against
// bytes copied: those of passes.Costed, estimates where the compiler has yet to simplify or to fuse the module. The
// module, which has no layouts, is in the end as it was; mode says where its entry layouts come from. each is called
// after every run with what is found so far.
//
// For each array of rank 2 and more the candidates are: the order given, the one that the pass gives when the interface
// is left to it, the target's default, the descending order, the given one with its two minor dimensions swapped, and
// those of the copies that stand between it and what reads or makes it. A parameter and the part of the result that
// shares its memory (input_output_alias) are one array. If all combinations are at most runs, each is tried. Otherwise,
// after the combinations that take one kind of candidate for every array, three greedy searches share the rest equally:
// for the least sum of padded and copied bytes, the least bytes copied, and the least padded bytes. Each starts from
// the best one so far and goes through the arrays, those first whose copies and padding are the most bytes, keeping
// each change that is an improvement, until a whole round has none. Only layout assignment runs. What is tried does not
// depend on time or chance.
func Sweep(m *hlo.Module, t *tpu.Target, mode entry.Mode, runs int, each func(soFar *Swept)) (*Swept, error) {
	if err := passes.Check(m); err != nil {
		return nil, err
	}
	at := stage.Of(m)
	m = folding.Prepare(m, at, t).Module
	s := &sweep{m: m, stage: at, asGiven: save(m), t: t, mode: mode, limit: max(1, runs), known: map[string]*trial{},
		each: each}
	defer s.asGiven.restore()
	if err := s.candidates(); err != nil {
		return nil, err
	}
	if err := s.search(); err != nil {
		return nil, err
	}
	return s.result(), nil
}

// array is one array of the interface with the orders to try, the given one first (nil where it is left to the pass);
// kinds[k] is the number of the candidate of kind k.
type array struct {
	place  Entry   // without an order
	with   []Entry // parts of the result that share its memory
	shape  *hlo.Shape
	orders [][]int
	kinds  [numKinds]int
	gain   int64 // bytes that another order may save: of its copies, and of padding
}

// The kinds of candidates.
const (
	free = iota
	standard
	descending
	swapped
	wanted
	numKinds
)

// trial is one combination: for each array the number of its order.
type trial struct {
	choice  []int
	changes int
	cost    Cost
}

type sweep struct {
	m       *hlo.Module
	stage   stage.Stage // before simplification
	asGiven *saved
	t       *tpu.Target
	mode    entry.Mode
	limit   int
	arrays  []array
	known   map[string]*trial
	trials  []*trial
	each    func(soFar *Swept)
}

// candidates lists the arrays of the interface and the orders to try.
func (s *sweep) candidates() error {
	m := s.m
	iface, err := interfaceOf(m, s.t, s.mode)
	if err != nil {
		return err
	}
	params, result := iface.Params, iface.Result
	for k, p := range params {
		s.addArrays(k, p)
	}
	s.addArrays(Result, result)
	s.joinAliases(m)
	if len(s.arrays) == 0 {
		return nil
	}
	for i := range params {
		params[i] = withoutLayouts(params[i])
	}
	m.SetEntryLayout(params, withoutLayouts(result))
	if err := s.assign(m); err != nil {
		return err
	}
	params, result, _ = m.EntryLayout()
	s.asGiven.restore()
	if err := SetEntry(m, s.t, s.mode, nil); err != nil {
		return err
	}
	if err := s.assign(m); err != nil {
		return err
	}
	behind := askedOrders(m)
	for i := range s.arrays {
		a := &s.arrays[i]
		chosen := result
		if a.place.Parameter != Result {
			chosen = params[a.place.Parameter]
		}
		own := chosen.At(a.place.Index).MinorToMajor()
		a.kinds[free] = a.add(own)
		if a.orders[0] != nil {
			own = a.orders[0]
		}
		a.kinds[standard] = a.add(s.t.BoundaryOrder(a.shape.DType, a.shape.Dims))
		a.kinds[descending] = a.add(hlo.Descending(a.shape.Rank()))
		other := slices.Clone(own)
		other[0], other[1] = other[1], other[0]
		a.kinds[swapped] = a.add(other)
		for _, place := range append([]Entry{a.place}, a.with...) {
			for k, o := range behind[place.String()] {
				if n := a.add(o.order); k == 0 {
					a.kinds[wanted] = n
				}
				a.gain = saturating(a.gain, o.bytes)
			}
		}
		a.gain = saturating(a.gain, s.padding(a))
	}
	return nil
}

// addArrays adds the arrays of one parameter, or of the result, that have more than one order.
func (s *sweep) addArrays(parameter int, shape *hlo.Shape) {
	shape.Leaves(func(index hlo.Index, l *hlo.Shape) {
		if l.IsArray() && l.Rank() > 1 && !slices.Contains(l.Dims, 0) {
			a := array{place: Entry{Parameter: parameter, Index: slices.Clone(index)}, shape: l, orders: [][]int{nil}}
			if l.Layout != nil {
				a.orders[0] = l.Layout.MinorToMajor
			}
			s.arrays = append(s.arrays, a)
		}
	})
}

// joinAliases makes one array of a parameter and what of the result shares its memory: in different layouts they could
// not.
func (s *sweep) joinAliases(m *hlo.Module) {
	at := map[string]int{}
	for i := range s.arrays {
		at[s.arrays[i].place.String()] = i
	}
	joined := map[int]bool{}
	for _, a := range m.Aliases() {
		p, ok1 := at[Entry{Parameter: a.Number, Index: a.Index}.String()]
		r, ok2 := at[Entry{Parameter: Result, Index: a.Output}.String()]
		if ok1 && ok2 && !joined[r] && s.arrays[p].shape.Compatible(s.arrays[r].shape) {
			s.arrays[p].with = append(s.arrays[p].with, s.arrays[r].place)
			joined[r] = true
		}
	}
	kept := s.arrays[:0]
	for i, a := range s.arrays {
		if !joined[i] {
			kept = append(kept, a)
		}
	}
	s.arrays = kept
}

// add adds an order, unless it is there, and returns its number.
func (a *array) add(order []int) int {
	if len(order) != a.shape.Rank() {
		return 0
	}
	for i, o := range a.orders {
		if slices.Equal(o, order) {
			return i
		}
	}
	a.orders = append(a.orders, slices.Clone(order))
	return len(a.orders) - 1
}

func withoutLayouts(s *hlo.Shape) *hlo.Shape {
	return s.WithLeaves(func(_ hlo.Index, l *hlo.Shape) *hlo.Shape {
		if !l.IsArray() || l.Rank() < 2 {
			return l
		}
		return l.WithLayout(nil)
	})
}

// padding returns how many bytes smaller than the given order, or the one that the pass chose, the smallest of an
// array's orders is.
func (s *sweep) padding(a *array) int64 {
	own := a.orders[0]
	if own == nil {
		own = a.orders[a.kinds[free]]
	}
	size, _ := s.t.Bytes(a.shape.DType, a.shape.Dims, own)
	least := size
	for _, o := range a.orders {
		if o != nil {
			n, _ := s.t.Bytes(a.shape.DType, a.shape.Dims, o)
			least = min(least, n)
		}
	}
	return size - least
}

// asked is an order on the other side of a copy, and the bytes that the copy writes.
type asked struct {
	order []int
	bytes int64
}

// askedOrders returns, by the place in the interface, the copies that follow a parameter or precede the result.
func askedOrders(m *hlo.Module) map[string][]asked {
	out := map[string][]asked{}
	for _, r := range relayout.Find(m) {
		if p := r.Parameter; p != nil && p.Shape.IsArray() && slices.Equal(p.Shape.Dims, r.To.Dims) {
			k := Entry{Parameter: int(p.Parameter)}.String()
			out[k] = append(out[k], asked{r.To.MinorToMajor(), r.Total()})
		}
		if index, ok := resultAt(m.Entry.Root, r.Instruction, nil); ok && slices.Equal(r.From.Dims, r.To.Dims) {
			k := Entry{Parameter: Result, Index: index}.String()
			out[k] = append(out[k], asked{r.From.MinorToMajor(), r.Total()})
		}
	}
	return out
}

// resultAt returns where in the result of root the instruction stands.
func resultAt(root, in *hlo.Instruction, at hlo.Index) (hlo.Index, bool) {
	if root == in {
		return at, true
	}
	if root.Opcode != hlo.OpTuple {
		return nil, false
	}
	for k, o := range root.Operands {
		if index, ok := resultAt(o, in, append(slices.Clone(at), k)); ok {
			return index, true
		}
	}
	return nil, false
}

// assign gives the module its layouts, and the forecast that its bytes are counted by.
func (s *sweep) assign(m *hlo.Module) error {
	_, err := passes.Run(m, s.t, []string{"layout"}, passes.Options{EntryLayouts: entry.AsWritten, Checked: true},
		passes.Observer{})
	folding.Predict(m, s.stage)
	return err
}

// try runs one combination, unless it was run before; nil when the limit is reached.
func (s *sweep) try(choice []int) (*trial, error) {
	key := fmt.Sprint(choice)
	if x := s.known[key]; x != nil {
		return x, nil
	}
	if len(s.trials) >= s.limit {
		return nil, nil
	}
	s.asGiven.restore()
	x := &trial{choice: slices.Clone(choice)}
	entries := s.entries(choice)
	if err := SetEntry(s.m, s.t, s.mode, entries); err != nil {
		return nil, err
	}
	if err := s.assign(s.m); err != nil {
		return nil, err
	}
	x.cost, x.changes = CostOf(s.m), len(entries)
	s.known[key] = x
	s.trials = append(s.trials, x)
	s.each(s.result())
	return x, nil
}

// entries returns what a combination requests beyond what is given.
func (s *sweep) entries(choice []int) (out []Entry) {
	for i, k := range choice {
		if k > 0 {
			for _, e := range append([]Entry{s.arrays[i].place}, s.arrays[i].with...) {
				e.MinorToMajor = s.arrays[i].orders[k]
				out = append(out, e)
			}
		}
	}
	return out
}

// choices returns how many combinations there are, at most math.MaxInt64.
func (s *sweep) choices() int64 {
	n := int64(1)
	for i := range s.arrays {
		k := int64(len(s.arrays[i].orders))
		if n > math.MaxInt64/k {
			return math.MaxInt64
		}
		n *= k
	}
	return n
}

func (s *sweep) search() error {
	choice := make([]int, len(s.arrays))
	if _, err := s.try(choice); err != nil {
		return err
	}
	if s.choices() <= int64(s.limit) {
		return s.all(choice, 0)
	}
	for kind := range numKinds {
		for i := range s.arrays {
			choice[i] = s.arrays[i].kinds[kind]
		}
		if _, err := s.try(choice); err != nil {
			return err
		}
	}
	goals := [...]func(Cost) (int64, int64){
		func(c Cost) (int64, int64) { return saturating(c.PaddedBytes, c.CopiedBytes), c.CopiedBytes },
		func(c Cost) (int64, int64) { return c.CopiedBytes, c.PaddedBytes },
		func(c Cost) (int64, int64) { return c.PaddedBytes, c.CopiedBytes },
	}
	limit := s.limit
	for i, goal := range goals {
		s.limit = len(s.trials) + (limit-len(s.trials))/(len(goals)-i)
		if err := s.greedy(goal); err != nil {
			return err
		}
	}
	return nil
}

func saturating(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// all tries every combination of the arrays from the given one on.
func (s *sweep) all(choice []int, from int) error {
	if from == len(choice) {
		_, err := s.try(choice)
		return err
	}
	for k := range s.arrays[from].orders {
		choice[from] = k
		if err := s.all(choice, from+1); err != nil {
			return err
		}
	}
	choice[from] = 0
	return nil
}

// greedy improves the best trial so far, array by array, until nothing is gained or the limit is reached.
func (s *sweep) greedy(goal func(Cost) (int64, int64)) error {
	better := func(a, b *trial) bool {
		a1, a2 := goal(a.cost)
		b1, b2 := goal(b.cost)
		return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2), cmp.Compare(a.changes, b.changes)) < 0
	}
	best := s.trials[0]
	for _, x := range s.trials {
		if better(x, best) && !s.worse(x, s.trials[0]) {
			best = x
		}
	}
	order := make([]int, len(s.arrays))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(s.arrays[b].gain, s.arrays[a].gain)
	})
	for improved := true; improved; {
		improved = false
		for _, i := range order {
			for k := range s.arrays[i].orders {
				choice := slices.Clone(best.choice)
				choice[i] = k
				x, err := s.try(choice)
				if err != nil || x == nil {
					return err
				}
				if better(x, best) && !s.worse(x, s.trials[0]) {
					best, improved = x, true
				}
			}
		}
	}
	return nil
}

// worse reports whether a trial has a larger interface than another, and saves too little for that. What an interface
// takes is exact, what is saved is an estimate. Padded bytes that fall although the interface grows are not what the
// compiler makes: of six programs compiled with such an interface five took more. Copies are, where what they save is
// more than the interface grows by, by a margin. To give the result of a loop the order in which the loop writes it
// saves nothing: the compiler moves the copy after the loop into it, piece by piece (TestSweepKeepsSmallInterfaces).
func (s *sweep) worse(x, than *trial) bool {
	growth := x.cost.InterfaceBytes - than.cost.InterfaceBytes
	copied := than.cost.CopiedBytes - x.cost.CopiedBytes
	return growth > 0 && (growth > than.cost.InterfaceBytes/errorShare || growth >= copied/errorShare)
}

// result returns the Pareto list; of equal costs the combination with the fewest changes, the first one tried among
// these.
func (s *sweep) result() *Swept {
	out := &Swept{Runs: len(s.trials), Arrays: len(s.arrays), Choices: s.choices()}
	given := s.trials[0]
	sorted := slices.Clone(s.trials)
	slices.SortStableFunc(sorted, func(a, b *trial) int {
		return cmp.Or(cmp.Compare(a.cost.InterfaceBytes, b.cost.InterfaceBytes), a.cost.compare(&b.cost),
			cmp.Compare(a.changes, b.changes))
	})
	var kept []*trial
	for _, x := range sorted {
		if !slices.ContainsFunc(kept, func(k *trial) bool { return s.worse(x, k) }) {
			kept = append(kept, x)
		}
	}
	slices.SortStableFunc(kept, func(a, b *trial) int { return a.cost.compare(&b.cost) })
	least := int64(math.MaxInt64)
	row := func(x *trial, pareto bool) {
		out.Rows = append(out.Rows, Row{Target: s.t.Name, Cost: x.cost, Entries: s.entries(x.choice), Given: x == given,
			Pareto: pareto})
	}
	for i, x := range kept {
		if pareto := i == 0 || x.cost.CopiedBytes < least; pareto {
			least = x.cost.CopiedBytes
			row(x, true)
		}
	}
	if !slices.ContainsFunc(out.Rows, func(r Row) bool { return r.Given }) {
		row(given, false)
		slices.SortStableFunc(out.Rows, func(a, b Row) int { return a.compare(&b.Cost) })
	}
	return out
}
