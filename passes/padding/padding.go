// Package padding lists the arrays of a module that are in memory, with their sizes: the data itself, and what the
// compiler allocates for it.
package padding

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// Value is one array in memory: the whole result of an instruction, or the part of a tuple at Index. A value that is
// predicted to be kept as bf16 has the size of that (hlo.Forecast).
type Value struct {
	Instruction *hlo.Instruction
	Index       hlo.Index
	Shape       *hlo.Shape
	Size
}

// Size is the size of one array in bytes. Known is false, and all else 0, where the array has no bound or is larger
// than int64 counts.
type Size struct {
	Logical int64 // of the data itself
	Padded  int64 // with the padding of tiles, and elements as wide as they are stored: what the compiler allocates
	Space   int64 // memory space, 0 for HBM
	Known   bool
}

// Waste returns Padded - Logical, in bytes.
func (s Size) Waste() int64 { return s.Padded - s.Logical }

// Factor returns Padded/Logical, which the compiler prints as "32.0x expansion"; 1 for an array without elements.
func (s Size) Factor() float64 {
	if s.Logical == 0 {
		return 1
	}
	return float64(s.Padded) / float64(s.Logical)
}

// SizeOf returns the size of an array shape.
func SizeOf(s *hlo.Shape) Size {
	a, err := tiled.New(s)
	if err != nil {
		return Size{}
	}
	out := Size{Logical: a.LogicalBytes(), Padded: a.Bytes(), Known: true}
	if s.Layout != nil {
		out.Space = s.Layout.MemorySpace
	}
	return out
}

// Sizes is SizeOf with a memory; it is made for the interned shapes of a module.
type Sizes map[*hlo.Shape]Size

// Of returns the size of an array shape.
func (t Sizes) Of(s *hlo.Shape) Size {
	size, ok := t[s]
	if !ok {
		size = SizeOf(s)
		t[s] = size
	}
	return size
}

// In returns the size of a leaf of an instruction's result: half of it where it is predicted to be kept as bf16.
func (t Sizes) In(in *hlo.Instruction, leaf *hlo.Shape, m *hlo.Module) Size {
	size := t.Of(leaf)
	if m.Narrow(in) {
		size.Logical, size.Padded = size.Logical/2, size.Padded/2
	}
	return size
}

// Values returns the arrays of a module that are in memory, each once, in the order of the text: what instructions own
// (hlo.Instruction.OwnsBuffer) in the computations that are in memory (hlo.Module.InMemory).
//
// The sum over all values is not a peak of memory: values live at different times, and the compiler lets some share a
// buffer.
func Values(m *hlo.Module) []Value { return list(m, (*hlo.Instruction).OwnsBuffer) }

// Fused returns the arrays that Values leaves out because the module's forecast says that they have no buffer.
func Fused(m *hlo.Module) []Value { return list(m, (*hlo.Instruction).LosesBuffer) }

func list(m *hlo.Module, has func(*hlo.Instruction, hlo.Index) bool) []Value {
	var out []Value
	each(m, has, func(v *Value) {
		c := *v
		c.Index = slices.Clone(v.Index)
		out = append(out, c)
	})
	return out
}

// Each calls f for each of Values. The value, and its Index, are valid during the call only.
func Each(m *hlo.Module, f func(v *Value)) { each(m, (*hlo.Instruction).OwnsBuffer, f) }

func each(m *hlo.Module, has func(*hlo.Instruction, hlo.Index) bool, f func(v *Value)) {
	sizes := Sizes{}
	for _, c := range m.InMemory() {
		for _, in := range c.Instructions {
			in.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
				if leaf.IsArray() && has(in, index) {
					f(&Value{in, index, leaf, sizes.In(in, leaf, m)})
				}
			})
		}
	}
}

// Totals are sums over values.
type Totals struct {
	Values          int
	Logical, Padded int64
}

// Add adds one value. Sums saturate at the largest int64.
func (t *Totals) Add(s Size) {
	t.Values++
	t.Logical = add(t.Logical, s.Logical)
	t.Padded = add(t.Padded, s.Padded)
}

func add(a, b int64) int64 {
	if s := a + b; s >= a {
		return s
	}
	return math.MaxInt64
}

// Countable returns an error where the bytes of a module's arrays cannot be added up: an array has no bound, or they
// are more than int64 counts.
func Countable(m *hlo.Module) (err error) {
	var sum Totals
	Each(m, func(v *Value) {
		if sum.Add(v.Size); err == nil && !v.Known {
			_, err = tiled.New(v.Shape)
			err = fmt.Errorf("the size of %s is not known: %w", hlo.ValueName(v.Instruction, v.Index), err)
		}
	})
	if err == nil && sum.Padded == math.MaxInt64 {
		err = errors.New("its arrays take more than 2^63 bytes")
	}
	return err
}

// Sum adds up values by a key, such as their memory space.
func Sum[K comparable](values []Value, key func(*Value) K) map[K]*Totals {
	out := map[K]*Totals{}
	for i := range values {
		k := key(&values[i])
		if out[k] == nil {
			out[k] = &Totals{}
		}
		out[k].Add(values[i].Size)
	}
	return out
}
