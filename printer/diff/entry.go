package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// slot is one parameter of an entry, or one element of its result: what it can be found again by.
type slot struct {
	name  string // that of its argument, "" where it has none
	shape *hlo.Shape
	dims  string // the type without layouts
	use   uint64 // of a parameter: the operations that read it and as which operand
}

// entryPairs returns, for each parameter of new's entry, the number of the parameter of old's that it is, -1 where it
// is inserted. Callers know a parameter by its argument's name, such as params['w']; a name may also be a number that
// an inserted argument shifts (args[1]), so names decide alone only after types and users are compared,
// and what is left under one name but for numbers, of one type that is there once on each side, has moved.
func entryPairs(old, new *hlo.Module) []int {
	a, b := parameterSlots(old), parameterSlots(new)
	p := newPairing(len(a), len(b))
	p.keyed(a, b, func(s *slot) slotKey { return slotKey{s.name, s.dims, s.use} }, true)
	p.aligned(a, b, func(s *slot) slotKey { return slotKey{"", s.dims, s.use} })
	p.keyed(a, b, func(s *slot) slotKey { return slotKey{s.name, s.dims, 0} }, true)
	p.keyed(a, b, func(s *slot) slotKey { return slotKey{unnumberedName(s.name), s.dims, 0} }, false)
	p.keyed(a, b, func(s *slot) slotKey { return slotKey{name: s.name} }, true)
	p.positions(a, b)
	return p.toOld
}

// unnumberedName is a name without its digits.
func unnumberedName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}

type slotKey struct {
	name, dims string
	use        uint64
}

func parameterSlots(m *hlo.Module) []slot {
	shapes, _ := entryShapes(m)
	out := make([]slot, len(shapes))
	for i, s := range shapes {
		out[i].shape = s
		if s != nil {
			out[i].dims = string(s.Append(nil, false))
		}
	}
	if m.Entry == nil {
		return out
	}
	uses := m.Entry.Uses()
	for i, in := range m.Entry.Parameters() {
		if in == nil || i >= len(out) {
			continue
		}
		out[i].name = argument(in)
		for _, u := range uses.Of(in) {
			number := uint64(u.Operand)
			if u.User.Opcode == hlo.OpFusion || commutes(u.User) {
				number = 0 // a compiler numbers the operands of fusions as it likes
			}
			if u.User.Opcode != hlo.OpTuple { // its operand number moves with what is inserted
				out[i].use += mix(mix(uint64(u.User.Opcode), number), textHash(string(u.User.Shape.Append(nil, false))))
			}
		}
	}
	return out
}

// argument returns the name of an entry parameter's argument: its op_name, which JAX sets to params['layer']['w'], or
// the instruction's name, which is the same with _ in place of signs (params__layer____w__.1). Both forms become the
// latter.
func argument(in *hlo.Instruction) string {
	name := source(in)
	if name == "" {
		return hlo.BaseName(in.Name)
	}
	if text, ok := hlo.Unquote(name); ok {
		name = text
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// entryIDs are numbers of the parameters and of the elements of the result of one side's entry: equal for those that
// are the same on both sides.
type entryIDs struct {
	parameters map[*hlo.Instruction]uint64
	root       *hlo.Instruction
	results    []uint64
}

// pairEntries pairs the entries' parameters and results and numbers them.
func (m *Matching) pairEntries() {
	m.params = entryPairs(m.Old, m.New)
	oldShapes, oldResult := entryShapes(m.Old)
	_, newResult := entryShapes(m.New)
	olds, counts := len(oldShapes), 0
	if oldResult != nil && newResult != nil && oldResult.IsTuple() && newResult.IsTuple() {
		counts = len(oldResult.Elems)
		m.results = m.resultPairs(oldResult.Elems, newResult.Elems)
	}
	m.entries[0] = numberEntry(m.Old.Entry, func(i int) int { return i }, func(i int) int { return i })
	m.entries[1] = numberEntry(m.New.Entry, func(i int) int { return known(m.params, i, olds) },
		func(i int) int { return known(m.results, i, counts) })
}

// known returns the partner of i, or a number from olds on where it has none.
func known(toOld []int, i, olds int) int {
	if i < len(toOld) && toOld[i] >= 0 {
		return toOld[i]
	}
	return olds + i
}

func numberEntry(c *hlo.Computation, parameter, result func(i int) int) (out entryIDs) {
	out.parameters = map[*hlo.Instruction]uint64{}
	if c == nil {
		return out
	}
	for i, in := range c.Parameters() {
		if in != nil {
			out.parameters[in] = uint64(parameter(i))
		}
	}
	if c.Root != nil && c.Root.Opcode == hlo.OpTuple {
		out.root = c.Root
		for i := range c.Root.Operands {
			out.results = append(out.results, uint64(result(i)))
		}
	}
	return out
}

// pairing is a one-to-one relation between two lists, by index; -1 for none.
type pairing struct{ toNew, toOld []int }

func newPairing(old, new int) *pairing {
	p := &pairing{make([]int, old), make([]int, new)}
	for i := range p.toNew {
		p.toNew[i] = -1
	}
	for i := range p.toOld {
		p.toOld[i] = -1
	}
	return p
}

func (p *pairing) pair(o, n int) { p.toNew[o], p.toOld[n] = n, o }

// free returns the indices of a side that have no partner.
func free(to []int) (out []int) {
	for i, k := range to {
		if k < 0 {
			out = append(out, i)
		}
	}
	return out
}

// keyed pairs the slots that are left whose keys, named ones only if asked for, are equal and occur once on each side.
func (p *pairing) keyed(a, b []slot, key func(*slot) slotKey, named bool) {
	index := func(list []slot, to []int) map[slotKey]int {
		out := map[slotKey]int{}
		for _, i := range free(to) {
			if named && list[i].name == "" {
				continue
			}
			k := key(&list[i])
			if _, twice := out[k]; twice {
				out[k] = -1
				continue
			}
			out[k] = i
		}
		return out
	}
	olds := index(a, p.toNew)
	for k, n := range index(b, p.toOld) {
		if o, ok := olds[k]; ok && o >= 0 && n >= 0 {
			p.pair(o, n)
		}
	}
}

// aligned pairs the slots that are left and have equal keys in the same order on both sides.
func (p *pairing) aligned(a, b []slot, key func(*slot) slotKey) {
	olds, news := free(p.toNew), free(p.toOld)
	keys := func(list []slot, at []int) (out []slotKey) {
		for _, i := range at {
			out = append(out, key(&list[i]))
		}
		return out
	}
	for _, m := range align(keys(a, olds), keys(b, news)) {
		p.pair(olds[m[0]], news[m[1]])
	}
}

// positions pairs what is left and has no name on one side at least: by type and order, then what stands between the
// same neighbours where it is as many on both sides.
func (p *pairing) positions(a, b []slot) {
	if slices.ContainsFunc(free(p.toNew), func(i int) bool { return a[i].name == "" }) ||
		slices.ContainsFunc(free(p.toOld), func(i int) bool { return b[i].name == "" }) {
		p.aligned(a, b, func(s *slot) slotKey { return slotKey{dims: s.dims} })
	}
	fits := func(o, n int) bool { return a[o].name == "" || b[n].name == "" || rank(a[o].shape) == rank(b[n].shape) }
	p.gaps(fits)
	if sizes := p.sizes(a, b); len(sizes) > 0 { // the same sizes changed in what is left
		p.aligned(a, b, func(s *slot) slotKey {
			if s.name != "" {
				return slotKey{name: s.name}
			}
			return slotKey{dims: resizedText(s.shape, sizes)}
		})
		p.gaps(fits)
	}
}

// sizes returns the dimensions that pairs have changed, with those that they became.
func (p *pairing) sizes(a, b []slot) map[int64]int64 {
	out := map[int64]int64{}
	for n, o := range p.toOld {
		if o < 0 || rank(a[o].shape) < 0 || rank(a[o].shape) != rank(b[n].shape) {
			continue
		}
		for i, d := range b[n].shape.Dims {
			if was := a[o].shape.Dims[i]; was != d {
				out[was] = d
			}
		}
	}
	return out
}

// resizedText is the type of an array with each dimension as what it became.
func resizedText(s *hlo.Shape, sizes map[int64]int64) string {
	if rank(s) < 0 {
		return s.String()
	}
	text := s.DType.String()
	for _, d := range s.Dims {
		if to, ok := sizes[d]; ok {
			d = to
		}
		text += fmt.Sprint(",", d)
	}
	return text
}

func rank(s *hlo.Shape) int {
	if s == nil || !s.IsArray() {
		return -1
	}
	return len(s.Dims)
}

// gaps pairs the runs without partners that stand between the same neighbours and have the same length, if all of them
// fit.
func (p *pairing) gaps(fits func(o, n int) bool) {
	for n := 0; n < len(p.toOld); n++ {
		if p.toOld[n] >= 0 {
			continue
		}
		end := n
		for end < len(p.toOld) && p.toOld[end] < 0 {
			end++
		}
		o := 0
		if n > 0 {
			o = p.toOld[n-1] + 1
		}
		count := 0
		for o+count < len(p.toNew) && p.toNew[o+count] < 0 {
			count++
		}
		last := o+count == len(p.toNew) && end == len(p.toOld)
		if count == end-n && (last || end < len(p.toOld) && p.toOld[end] == o+count) {
			ok := true
			for k := range count {
				ok = ok && fits(o+k, n+k)
			}
			for k := 0; ok && k < count; k++ {
				p.pair(o+k, n+k)
			}
		}
		n = end
	}
}

// resultPairs returns the same for the elements of the results, which have no names: by the parameters that they are
// aliased with, by the values that they are once instructions are paired, by types and order, by place.
func (m *Matching) resultPairs(old, new []*hlo.Shape) []int {
	p := newPairing(len(old), len(new))
	// reading the aliases of 10,000 parameters takes longer
	if m.sameAliases() && slices.EqualFunc(old, new, (*hlo.Shape).Compatible) {
		for i := range new {
			p.pair(i, i)
		}
		return p.toOld
	}
	m.aliasedResults(p)
	a, b := slotsOf(old), slotsOf(new)
	if x, y := results(m.Old, len(old)), results(m.New, len(new)); x != nil && y != nil && m.toOld != nil {
		at := map[*hlo.Instruction]int{}
		for i, in := range x {
			if _, twice := at[m.origin(in)]; twice {
				at[m.origin(in)] = -1
				continue
			}
			at[m.origin(in)] = i
		}
		for n, in := range y {
			of := m.OldOf(m.origin(in))
			if of == nil {
				continue
			}
			if o, ok := at[of]; ok && o >= 0 && p.toNew[o] < 0 && p.toOld[n] < 0 && a[o].dims == b[n].dims {
				p.pair(o, n)
			}
		}
	}
	p.positions(a, b)
	return p.toOld
}

// sameAliases reports whether both entries have the same parameters in the same order, and the same aliases.
func (m *Matching) sameAliases() bool {
	return isIdentity(m.params) && equalValue(m.Old.Attr("input_output_alias"), m.New.Attr("input_output_alias"))
}

func isIdentity(toOld []int) bool {
	for n, o := range toOld {
		if n != o {
			return false
		}
	}
	return true
}

// aliasedResults pairs the results that are aliased with the same parameter.
func (m *Matching) aliasedResults(p *pairing) {
	aliased := map[int]int{} // the parameter of Old to its result
	for _, a := range m.Old.Aliases() {
		if len(a.Output) == 1 && len(a.Index) == 0 && a.Output[0] < len(p.toNew) {
			aliased[a.Number] = a.Output[0]
		}
	}
	for _, a := range m.New.Aliases() {
		if len(a.Output) != 1 || len(a.Index) != 0 || a.Output[0] >= len(p.toOld) || a.Number >= len(m.params) {
			continue
		}
		if o, ok := aliased[m.params[a.Number]]; ok && p.toNew[o] < 0 && p.toOld[a.Output[0]] < 0 {
			p.pair(o, a.Output[0])
		}
	}
}

func slotsOf(shapes []*hlo.Shape) []slot {
	out := make([]slot, len(shapes))
	for i, s := range shapes {
		out[i] = slot{shape: s, dims: string(s.Append(nil, false))}
	}
	return out
}

// results returns the values of an entry's result, nil where its root is not a tuple of n elements.
func results(m *hlo.Module, n int) []*hlo.Instruction {
	if m.Entry == nil || m.Entry.Root == nil || m.Entry.Root.Opcode != hlo.OpTuple || len(m.Entry.Root.Operands) != n {
		return nil
	}
	return m.Entry.Root.Operands
}

// moved returns which of the pairs changed their order: those outside of a longest run of pairs that kept it.
func moved(toOld []int) map[int]bool {
	var tails []int // of the runs of each length, the place of the least last element
	before := make([]int, len(toOld))
	for n, o := range toOld {
		if o < 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(tails, o, func(t, o int) int { return cmp.Compare(toOld[t], o) })
		before[n] = -1
		if k > 0 {
			before[n] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, n)
		}
		tails[k] = n
	}
	kept := map[int]bool{}
	if len(tails) > 0 {
		for n := tails[len(tails)-1]; n >= 0; n = before[n] {
			kept[n] = true
		}
	}
	out := map[int]bool{}
	for n, o := range toOld {
		if o >= 0 && !kept[n] {
			out[n] = true
		}
	}
	return out
}
