package html

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/passes/plan"
	"hlolayout/passes/relayout"
)

// data is the module as columns. An instruction is known by its place in the text of the module, a row by its place
// among all leaves of all instructions.
type data struct {
	in        *Input
	first     map[*hlo.Computation]int32 // the number of a computation's first instruction
	shapes    numbered[*hlo.Shape]
	ops       numbered[string]
	sources   numbered[place]
	rules     numbered[rule]
	runs      map[*hlo.Computation]relayout.Run
	chains    *plan.Chains // of the plan, nil where there is none
	decided   []int32      // the first decision on an instruction, 1 more; 0 for none
	inserted  map[*hlo.Instruction]*plan.Reason
	names     strings.Builder
	op        []int32 // by instruction
	source    []int32
	leaves    []int32 // instruction, number of its rows: those that have another number than one
	index     map[int32]string
	shape     []int32 // by row
	was       []int32 // shape before, 1 more; 0 for none
	flags     []byte  // '1' for rows in memory
	rule      []int32 // 1 more; 0 for none
	from      []int32 // how far the instruction is that the layout comes from
	beat      [][]int32
	counts    []int32 // of operands, by instruction
	operands  []int32 // how far before its user each operand is
	calls     [][2]int32
	relayouts [][]any
}

// place is where an instruction comes from: op_name, and a line of a file.
type place struct{ name, line string }

// rule is why a layout was decided.
type rule struct {
	text      string
	priority  int
	mandatory bool
}

// numbered numbers values from 0 on in the order in which they come.
type numbered[T comparable] struct {
	list []T
	at   map[T]int32
}

func (n *numbered[T]) number(v T) int32 {
	k, ok := n.at[v]
	if !ok {
		if n.at == nil {
			n.at = map[T]int32{}
		}
		k = int32(len(n.list))
		n.at[v] = k
		n.list = append(n.list, v)
	}
	return k
}

func newData(in *Input) *data {
	d := &data{in: in, first: map[*hlo.Computation]int32{}, runs: relayout.Runs(in.Module), index: map[int32]string{}}
	n := int32(0)
	for _, c := range in.Module.Computations {
		d.first[c] = n
		n += int32(len(c.Instructions))
	}
	if p := in.Plan; p != nil {
		d.chains = p.Chains()
		d.decided = make([]int32, n)
		for i := len(p.Decisions) - 1; i >= 0; i-- {
			if k := d.number(p.Decisions[i].Instruction); k >= 0 { // the assignment took others out
				d.decided[k] = int32(i) + 1
			}
		}
		d.inserted = map[*hlo.Instruction]*plan.Reason{}
		for i := range p.Edits {
			for _, new := range p.Edits[i].New {
				d.inserted[new] = &p.Edits[i].Reason
			}
		}
	}
	return d
}

// number returns the number of an instruction, -1 for one that is not in the module.
func (d *data) number(in *hlo.Instruction) int32 {
	if in == nil {
		return -1
	}
	first, ok := d.first[in.Computation]
	if !ok || int(in.Index) >= len(in.Computation.Instructions) || in.Computation.Instructions[in.Index] != in {
		return -1
	}
	return first + in.Index
}

// collect fills the columns.
func (d *data) collect(moves []relayout.Relayout) {
	memory := map[*hlo.Computation]bool{}
	for _, c := range d.in.Module.InMemory() {
		memory[c] = true
	}
	places := newPlaces(d.in.Module)
	for _, c := range d.in.Module.Computations {
		for _, in := range c.Instructions {
			d.instruction(in, memory[c], places)
		}
	}
	for i := range moves {
		r := &moves[i]
		d.relayouts = append(d.relayouts, []any{d.number(r.Instruction), d.shapes.number(r.From), d.shapes.number(r.To),
			r.Bytes, r.Runs, r.Exact, r.Total(), clean(r.Cause())})
	}
}

func (d *data) instruction(in *hlo.Instruction, inMemory bool, places *places) {
	me := d.number(in)
	if me > 0 {
		d.names.WriteByte('\n')
	}
	d.names.WriteString(clean(in.Name))
	d.op = append(d.op, d.ops.number(in.OpName()))
	d.source = append(d.source, d.sources.number(places.of(in)))
	d.counts = append(d.counts, int32(len(in.Operands)))
	for _, o := range in.Operands {
		d.operands = append(d.operands, me-d.number(o))
	}
	for _, c := range in.Called() {
		d.calls = append(d.calls, [2]int32{me, d.first[c]})
	}
	var before *hlo.Shape
	if d.in.Before != nil {
		before = d.in.Before(in)
	}
	var reasons []plan.Decision // those on in stand first, in the order of its leaves
	if d.decided != nil && d.decided[me] > 0 {
		reasons = d.in.Plan.Decisions[d.decided[me]-1:]
	}
	rows := int32(0)
	in.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		if len(index) > 1 {
			d.index[int32(len(d.shape))] = index.String()
		}
		rows++
		d.shape = append(d.shape, d.shapes.number(leaf))
		if d.in.Before != nil {
			was := int32(0)
			if before != nil {
				if s := before.At(index); s != nil {
					was = d.shapes.number(s) + 1
				}
			}
			d.was = append(d.was, was)
		}
		if inMemory && leaf.IsArray() && in.OwnsBuffer(index) {
			d.flags = append(d.flags, '1')
		} else {
			d.flags = append(d.flags, '0')
		}
		if d.in.Plan == nil {
			return
		}
		if len(reasons) > 0 && reasons[0].Instruction == in && slices.Equal(reasons[0].Index, index) {
			d.reason(in, reasons[0].Reason)
			reasons = reasons[1:]
			return
		}
		d.reason(in, d.inserted[in])
	})
	if rows != 1 {
		d.leaves = append(d.leaves, me, rows)
	}
}

// reason adds the reason for the layout of a row, nil for none.
func (d *data) reason(in *hlo.Instruction, r *plan.Reason) {
	if r == nil {
		d.rule, d.from = append(d.rule, 0), append(d.from, 0)
		return
	}
	row := int32(len(d.rule))
	d.rule = append(d.rule, d.rules.number(rule{r.Rule, int(r.Priority), r.Mandatory})+1)
	me, from := d.number(in), int32(0)
	if s := d.number(r.Source); s >= 0 {
		from = me - s
	}
	d.from = append(d.from, from)
	for _, b := range r.Beat() {
		s := d.number(b.Source)
		if b.Source == in {
			s = -1
		}
		// the order is that of a layout without more: a separate shape is not needed to write it
		d.beat = append(d.beat, append([]int32{row, d.rules.number(rule{text: b.Rule}), s}, ints(b.MinorToMajor)...))
	}
}

func ints(order []int) []int32 {
	out := make([]int32, len(order))
	for i, n := range order {
		out[i] = int32(n)
	}
	return out
}

// values is what the tables show.
func (d *data) values() string {
	var o object
	o.value("names", d.names.String())
	var computations [][]any
	for _, c := range d.in.Module.Computations {
		run := d.runs[c]
		computations = append(computations, []any{clean(c.Name), d.first[c], run.Times, run.Exact})
	}
	o.value("computations", list(computations))
	o.value("ops", list(d.ops.list))
	o.ints("op", d.op)
	var sources [][2]string
	for _, p := range d.sources.list {
		sources = append(sources, [2]string{clean(p.name), clean(p.line)})
	}
	o.value("sources", list(sources))
	o.ints("source", d.source)
	o.ints("leaves", d.leaves)
	o.value("index", d.index)
	o.value("shapes", d.shapeRows())
	o.ints("shape", d.shape)
	o.ints("was", d.was)
	o.value("flags", string(d.flags))
	o.value("relayouts", list(d.relayouts))
	o.value("memory", d.memory())
	return o.end()
}

// details is what is shown of one value.
func (d *data) details() string {
	var o object
	o.ints("counts", d.counts)
	o.ints("operands", d.operands)
	o.value("calls", list(d.calls))
	var rules [][]any
	for _, r := range d.rules.list {
		rules = append(rules, []any{clean(r.text), r.priority, r.mandatory})
	}
	o.value("rules", list(rules))
	o.ints("rule", d.rule)
	o.ints("from", d.from)
	o.value("beat", list(d.beat))
	return o.end()
}

// list is never null in JSON.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// size is what an array takes.
func (d *data) size(s *hlo.Shape) padding.Size {
	if !s.IsArray() {
		return padding.Size{}
	}
	return padding.SizeOf(s)
}
