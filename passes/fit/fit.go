// Package fit says whether a program fits the HBM of a device, what fills it at the peak, and what would make it
// smaller: which arguments to donate, what to recompute, a smaller batch, other element types, shapes without padding.
package fit

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/memory"
	"hlolayout/passes/padding"
	"hlolayout/tpu"
)

// Kind says what an array is to the program.
type Kind string

// The kinds of arrays. An output that takes a donated argument's place is not a holding.
const (
	Argument  Kind = "argument"
	Output    Kind = "output"
	Constant  Kind = "constant"
	Temporary Kind = "temporary"
)

// Holding is one array in HBM.
type Holding struct {
	Instruction *hlo.Instruction
	Index       hlo.Index
	Shape       *hlo.Shape
	Kind        Kind
	// Bytes is its padded size. It is foreseen to be less than that of Shape where the compiler keeps the array as bf16
	// (Narrow).
	Bytes  int64
	Narrow bool
	// From and To are the first and last time of the schedule at which it is there; all but temporaries are there all
	// the time.
	From, To int
	// Shown is the instruction that says most of it (Program.Shown), nil where nobody asked.
	Shown *hlo.Instruction
	// Leaf is the place of an argument among the arrays of its parameter, and Aliased says that it is donated.
	Leaf    hlo.Index
	Aliased bool
}

// Program is what a program holds in HBM over its schedule.
type Program struct {
	Module *hlo.Module
	Target *tpu.Target
	// Limit is how many bytes there are; 0 where that is not known.
	Limit    int64
	Holdings []Holding
	// Peak is the most that is held at a time, At that time, in bytes; Stats are the parts.
	Peak  int64
	At    int
	Stats memory.Stats
	// Foreseen says that the schedule and what is fused are predictions.
	Foreseen bool
	// rest is what Peak has in addition to the holdings: tables of pointers.
	rest int64
	// doubt is the largest array that may be in memory with a padding that the prediction leaves out (foresight.doubt).
	doubt int64
	// nodes are the instructions by time.
	nodes    []*hlo.Instruction
	uses     map[*hlo.Computation]hlo.Uses
	readers  map[*hlo.Instruction]map[int64][]hlo.Use // by element, see readersOf
	carriers map[place][]loop                         // remembers what loops found
}

// Scheduled returns what a scheduled module holds, from the account of its memories.
func Scheduled(m *hlo.Module, t *tpu.Target, r *memory.Report) *Program {
	p := newProgram(m, t)
	p.Stats, p.nodes = r.Stats, r.Schedule
	p.boundary()
	for _, c := range memory.Constants(m) {
		p.Holdings = append(p.Holdings, Holding{Instruction: c, Shape: c.Shape, Kind: Constant,
			Bytes: padding.SizeOf(c.Shape).Padded})
	}
	for _, h := range r.Held {
		if s := h.Instruction.Shape.At(h.Index); s.IsArray() {
			p.Holdings = append(p.Holdings, Holding{Instruction: h.Instruction, Index: h.Index, Shape: s, Kind: Temporary,
				Bytes: h.Bytes, From: h.From, To: h.To})
		}
	}
	p.finish(r.Stats.Peak())
	return p
}

func newProgram(m *hlo.Module, t *tpu.Target) *Program {
	p := &Program{Module: m, Target: t, uses: map[*hlo.Computation]hlo.Uses{},
		readers: map[*hlo.Instruction]map[int64][]hlo.Use{}, carriers: map[place][]loop{}}
	if s, ok := t.Space(0); ok {
		p.Limit = cmp.Or(s.PlacementBytes, s.CapacityBytes)
	}
	return p
}

// boundary adds the arguments and the outputs.
func (p *Program) boundary() {
	aliases := p.Module.Aliases()
	add := func(in *hlo.Instruction, kind Kind, aliased func(hlo.Index) bool) {
		in.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
			s := padding.SizeOf(leaf)
			if !leaf.IsArray() || s.Space != 0 {
				return
			}
			h := Holding{Shape: leaf, Kind: kind, Bytes: s.Padded, Leaf: slices.Clone(index), Aliased: aliased(index)}
			if h.Instruction, h.Index = element(in, h.Leaf); kind == Argument || !h.Aliased {
				p.Holdings = append(p.Holdings, h)
			}
		})
	}
	for n, in := range p.Module.Entry.Parameters() {
		if in != nil {
			add(in, Argument, func(index hlo.Index) bool {
				return slices.ContainsFunc(aliases, func(a hlo.Alias) bool {
					return a.Number == n && slices.Equal(a.Index,
						index)
				})
			})
		}
	}
	add(p.Module.Entry.Root, Output, func(index hlo.Index) bool {
		return slices.ContainsFunc(aliases, func(a hlo.Alias) bool { return slices.Equal(a.Output, index) })
	})
}

// element returns what makes the value at an index of a result: it looks into tuples and through bitcasts.
func element(in *hlo.Instruction, index hlo.Index) (*hlo.Instruction, hlo.Index) {
	for {
		switch {
		case in.Opcode == hlo.OpTuple && len(index) > 0 && int(index[0]) < len(in.Operands):
			in, index = in.Operands[index[0]], index[1:]
		case in.Opcode == hlo.OpBitcast && len(in.Operands) == 1:
			in = in.Operands[0]
		default:
			return in, index
		}
	}
}

// finish notes the peak, and sorts the holdings: those of the peak first, the largest first.
func (p *Program) finish(peak int64) {
	sum, at := p.total(p.Holdings)
	p.Peak, p.At, p.rest = peak, at, peak-sum
	slices.SortStableFunc(p.Holdings, func(a, b Holding) int {
		if x, y := p.atPeak(&a), p.atPeak(&b); x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return cmp.Compare(b.Bytes, a.Bytes)
	})
}

func (p *Program) atPeak(h *Holding) bool {
	return h.Kind != Temporary || h.From <= p.At && p.At <= h.To
}

// Bound returns by how many bytes a prediction may be wrong: by a hundredth of the temporaries and 64 MiB of code and
// constants, which held for four programs in five, and by what may be padded many times; 0 for a scheduled module.
func (p *Program) Bound() int64 {
	if !p.Foreseen {
		return 0
	}
	return p.Stats.Temp/100 + 64<<20 + p.doubt
}

// Verdict says whether the program fits: fits, does not fit, or unknown, where the bound of the prediction does not
// decide it, or the limit is not known.
func (p *Program) Verdict() string {
	least := p.Peak
	if p.Foreseen {
		least = p.Least()
	}
	switch {
	case p.Limit == 0:
		return "unknown"
	case least+p.Bound() <= p.Limit:
		return "fits"
	case least-p.Bound() > p.Limit:
		return "does not fit"
	}
	return "unknown"
}

// AtPeak returns what is held at the peak, the largest first.
func (p *Program) AtPeak() []Holding {
	n := slices.IndexFunc(p.Holdings, func(h Holding) bool { return !p.atPeak(&h) })
	if n < 0 {
		n = len(p.Holdings)
	}
	return p.Holdings[:n]
}

// total returns the most that holdings take at a time, and that time.
func (p *Program) total(hs []Holding) (peak int64, at int) {
	end := 0
	for i := range hs {
		end = max(end, hs[i].To)
	}
	change := make([]int64, end+2)
	fixed := int64(0)
	for i := range hs {
		h := &hs[i]
		if h.Kind != Temporary {
			fixed += h.Bytes
			continue
		}
		change[h.From] += h.Bytes
		change[h.To+1] -= h.Bytes
	}
	now := int64(0)
	for t, n := range change {
		if now += n; now > peak {
			peak, at = now, t
		}
	}
	return fixed + peak, at
}

// Shown returns the instruction that says most of a holding: of a buffer that a loop fills, what fills it; of what has
// no line of the program, the nearest of what it is made from.
func (p *Program) Shown(h *Holding) *hlo.Instruction {
	if h.Kind == Argument || known(h.Instruction) {
		return h.Instruction
	}
	for _, l := range p.loops(h) {
		if l.written != nil && known(l.written) {
			return l.written
		}
	}
	const most = 16 // instructions that are examined
	near := []*hlo.Instruction{h.Instruction}
	for i := 0; i < len(near) && i < most; i++ {
		in := near[i]
		if known(in) {
			return in
		}
		if in.Opcode == hlo.OpFusion && len(in.Called()) == 1 && in.Called()[0].Root != nil {
			near = append(near, in.Called()[0].Root)
		}
		near = append(near, in.Operands[:min(most, len(in.Operands))]...)
	}
	return h.Instruction
}

func known(in *hlo.Instruction) bool {
	return in.Opcode != hlo.OpParameter && in.MetadataOpName() != "" && in.SourceLine().String() != ""
}

// loop is a loop that carries a holding.
type loop struct {
	while *hlo.Instruction
	at    int64
	// written is what the body puts in its place, nil where the loop leaves it as it is.
	written *hlo.Instruction
}

// place is a value, or an element of a tuple.
type place struct {
	in    *hlo.Instruction
	index int64
}

// whole is the index of what is not an element of a tuple.
const whole = -1

func placeOf(h *Holding) place {
	if len(h.Index) > 0 {
		return place{h.Instruction, int64(h.Index[0])}
	}
	return place{h.Instruction, whole}
}

// next returns where what is at a place goes as it is: tuples, elements of them, results of loops.
func (p *Program) next(x place) (out []place) {
	for _, u := range p.readersOf(x) {
		switch user := u.User; {
		case user.Opcode == hlo.OpTuple && x.index < 0:
			out = append(out, place{user, int64(u.Operand)})
		case user.Opcode == hlo.OpGetTupleElement && x.index >= 0:
			out = append(out, place{user, whole})
		case user.Opcode == hlo.OpWhile && x.index >= 0:
			out = append(out, place{user, x.index})
		case user.Opcode == hlo.OpBitcast && x.index < 0:
			out = append(out, place{user, whole})
		}
	}
	return out
}

// loops returns the loops that carry a holding, as they run.
func (p *Program) loops(h *Holding) (out []loop) {
	at := placeOf(h)
	if out, known := p.carriers[at]; known {
		return out
	}
	work, seen := []place{at}, map[place]bool{}
	for len(work) > 0 {
		x := work[0]
		work = work[1:]
		if seen[x] {
			continue
		}
		seen[x] = true
		for _, y := range p.next(x) {
			if y.in.Opcode == hlo.OpWhile {
				out = append(out, loop{y.in, y.index, carried(y.in, y.index)})
			}
			work = append(work, y)
		}
	}
	p.carriers[at] = out
	return out
}

func (p *Program) usesOf(in *hlo.Instruction) []hlo.Use {
	c := in.Computation
	if _, ok := p.uses[c]; !ok {
		p.uses[c] = c.Uses()
	}
	return p.uses[c].Of(in)
}

// readersOf returns the uses of what is at a place, in the order of the text: of an element of a tuple those that take
// it out, and those that take no element.
func (p *Program) readersOf(x place) []hlo.Use {
	if x.index < 0 {
		return p.usesOf(x.in)
	}
	readers, known := p.readers[x.in]
	if !known {
		readers = map[int64][]hlo.Use{}
		for _, u := range p.usesOf(x.in) {
			k := int64(whole)
			if n, ok := u.User.Attr("index").Int(); ok && u.User.Opcode == hlo.OpGetTupleElement {
				k = n
			}
			readers[k] = append(readers[k], u)
		}
		p.readers[x.in] = readers
	}
	if len(readers[whole]) == 0 {
		return readers[x.index]
	}
	list := slices.Concat(readers[x.index], readers[whole])
	slices.SortStableFunc(list, func(a, b hlo.Use) int { return cmp.Compare(a.User.Index, b.User.Index) })
	return list
}

// parameter returns the one parameter of a loop's body or a branch.
func parameter(body *hlo.Computation) *hlo.Instruction {
	isParameter := func(in *hlo.Instruction) bool { return in.Opcode == hlo.OpParameter }
	return body.Instructions[slices.IndexFunc(body.Instructions, isParameter)]
}

// carried returns what the body of a loop puts at a place of what it carries; nil where it leaves it as it is.
func carried(while *hlo.Instruction, at int64) *hlo.Instruction {
	body := while.CalledBy("body")
	if body == nil || body.Root == nil || body.Root.Opcode != hlo.OpTuple || int(at) >= len(body.Root.Operands) {
		return nil
	}
	in := body.Root.Operands[at]
	for in.Opcode == hlo.OpGetTupleElement || in.Opcode == hlo.OpBitcast || in.Opcode == hlo.OpCopy {
		if k, ok := in.Attr("index").Int(); ok && in.Operands[0].Opcode == hlo.OpParameter && k == at {
			return nil
		}
		in = in.Operands[0]
	}
	return in
}
