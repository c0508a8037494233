// Package relayout finds the instructions that move an array into another physical order, and says what each costs and
// which two sides could not agree.
package relayout

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
	"hlolayout/passes/padding"
)

// Relayout is one copy or transpose whose result is in memory in another order than its operand.
type Relayout struct {
	// Instruction is the copy or transpose, or a fusion of nothing else.
	Instruction *hlo.Instruction
	From, To    *hlo.Shape
	// Bytes is the padded size of the result: what one run writes. A value that is predicted to be kept as bf16 counts
	// so (hlo.Forecast).
	Bytes int64
	// Runs is how often the instruction runs per run of the module. Loops of unknown length count once: InLoop is then
	// true and Exact false.
	Runs   int64
	InLoop bool
	Exact  bool
	// Origin is the instruction that made what is moved, looked up through bitcasts, tuples and moves between memories.
	Origin *hlo.Instruction
	// Parameter is the parameter of the entry that Origin is, or that loops carry there unchanged; nil where it is
	// none. It is then moved on each call of the module.
	Parameter *hlo.Instruction
	// Reader is the first other instruction that reads what is moved in its layout before; nil if none does.
	Reader *hlo.Instruction
	// User is the first instruction that reads the result, through bitcasts and tuples; nil where it is the root's
	// result.
	User *hlo.Instruction
	// UserOperand is the place of the result among User's operands, or in what a loop carries.
	UserOperand int
	// Only says that nothing else reads what is moved: whoever makes it could make it as it is wanted.
	Only bool
}

// Total returns Bytes times Runs, at most the largest int64.
func (r *Relayout) Total() int64 {
	if r.Bytes > 0 && r.Runs > (1<<63-1)/r.Bytes {
		return 1<<63 - 1
	}
	return r.Bytes * r.Runs
}

// Find returns the relayouts of a module, the most bytes first, equal ones in the order of the text. Computations that
// are never in memory have none, and a copy whose result has no buffer (hlo.Forecast) is part of what reads it.
func Find(m *hlo.Module) []Relayout { return find(m, false) }

// Fused returns what Find leaves out: the relayouts that are predicted to become part of what reads them.
func Fused(m *hlo.Module) []Relayout { return find(m, true) }

func find(m *hlo.Module, fused bool) []Relayout {
	f := finder{memo: map[pair]bool{}, sizes: padding.Sizes{}}
	runs := Runs(m)
	var out []Relayout
	for _, c := range m.InMemory() {
		var uses *hlo.Uses
		for _, in := range c.Instructions {
			from, to := f.moved(in)
			if from == nil || (m.Unbuffered(in) != "") != fused || f.made(m, in) {
				continue
			}
			if uses == nil {
				u := c.Uses()
				uses = &u
			}
			source := in.Operands[0]
			if m.Forecast != nil && m.Forecast.Hoisted[in] {
				source = source.Operands[0]
				from, to = source.Shape, source.Shape.WithLayout(to.Layout)
			}
			r := Relayout{Instruction: in, From: from, To: to, Bytes: f.sizes.In(in, to, m).Padded,
				Runs: runs[c].Times, InLoop: runs[c].InLoop, Exact: runs[c].Exact}
			r.explain(*uses, source)
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b Relayout) int { return cmp.Compare(b.Total(), a.Total()) })
	return out
}

// Sum returns the bytes that all relayouts move in one run of the module, at most the largest int64.
func Sum(list []Relayout) int64 {
	var n int64
	for i := range list {
		if n += list[i].Total(); n < 0 {
			return 1<<63 - 1
		}
	}
	return n
}

type pair struct {
	from, to    *hlo.Shape
	permutation *hlo.Value
}

type finder struct {
	memo  map[pair]bool
	sizes padding.Sizes
}

// made reports whether a copy is of a product that is not in memory: the product is made as the copy has it.
func (f *finder) made(m *hlo.Module, in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpCopy && in.Operands[0].Opcode == hlo.OpDot && m.Unbuffered(in.Operands[0]) != ""
}

// moved returns the array that an instruction reads and the one it writes where their physical orders differ, else nil.
func (f *finder) moved(in *hlo.Instruction) (from, to *hlo.Shape) {
	if len(in.Operands) == 0 {
		return nil, nil
	}
	from, to = in.Operands[0].Shape, in.Shape
	switch in.Opcode {
	case hlo.OpCopy, hlo.OpTranspose:
	case hlo.OpCopyStart:
		to = in.Shape.At(hlo.Index{0})
	case hlo.OpFusion:
		if !f.onlyMoves(in) {
			return nil, nil
		}
		return from, to
	default:
		return nil, nil
	}
	if from == nil || to == nil || !from.IsArray() || !to.IsArray() || !f.differs(in, from, to) {
		return nil, nil
	}
	return from, to
}

// onlyMoves says whether a fusion of one array holds nothing but copies, transposes and bitcasts, and moves the
// elements.
func (f *finder) onlyMoves(in *hlo.Instruction) bool {
	if len(in.Operands) != 1 || len(in.Called()) != 1 || !in.Shape.IsArray() || !in.Operands[0].Shape.IsArray() {
		return false
	}
	moves := false
	for _, k := range in.Called()[0].Instructions {
		switch k.Opcode {
		case hlo.OpParameter, hlo.OpBitcast:
		case hlo.OpCopy, hlo.OpTranspose:
			moves = moves || f.differs(k, k.Operands[0].Shape, k.Shape)
		default:
			return false
		}
	}
	return moves
}

// differs says whether a copy or transpose moves elements. What package tiled cannot decide counts as a move.
func (f *finder) differs(in *hlo.Instruction, from, to *hlo.Shape) bool {
	key := pair{from, to, in.Attr("dimensions")}
	d, ok := f.memo[key]
	if !ok {
		d = differs(in, from, to)
		f.memo[key] = d
	}
	return d
}

func differs(in *hlo.Instruction, from, to *hlo.Shape) bool {
	if !from.IsArray() || !to.IsArray() {
		return false
	}
	a, err := tiled.New(from)
	if err != nil {
		return false
	}
	b, err := tiled.New(to)
	if err != nil {
		return false
	}
	if a.Elements() == 0 {
		return false // nothing to move
	}
	if a.Bits() != b.Bits() { // a copy that converts, too; of tiles that differ in width alone nothing is known
		return in.Opcode == hlo.OpCopy && !slices.Equal(from.WideOrder(), to.WideOrder())
	}
	var match tiled.Match
	if in.Opcode == hlo.OpTranspose {
		match, err = tiled.TransposeBitcast(a, in.Ints("dimensions"), b)
	} else {
		match, err = tiled.Bitcast(a, b)
	}
	return err != nil || match == tiled.Different
}
