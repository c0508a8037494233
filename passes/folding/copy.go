package folding

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/relayout"
)

// Simplified is a simplified copy of a module.
type Simplified struct {
	Module *hlo.Module
	// copies are, by place, the copies of the instructions of each computation of the module; in the end what is left of
	// them.
	copies [][]*hlo.Instruction
	// slabs have the instructions of the copy, and notes one note for each of them, both in steps of a fixed size, so that
	// neither moves as the copy grows. Until sweep an instruction's Index is its number in them.
	slabs []*[slabSize]hlo.Instruction
	notes []*[notesSize]note
	size  int32 // how many instructions there are
	// inside holds what is made again inside of a fusion, or out of a branch or loop, by the instruction that nothing
	// reads then.
	inside map[*hlo.Instruction]*hlo.Instruction
	// remade are instructions that were made like others, of the same opcode.
	remade []*hlo.Instruction
	// bodies numbers computations of equal text.
	bodies    map[*hlo.Computation]uint32
	bodyTexts map[string]uint32
	// Applied counts the rules that were applied, by name.
	Applied map[string]int
}

// slabSize and notesSize are how many instructions of the copy and notes are allocated in one step.
const slabSize, notesSize = 64, 256

// note is what is noted of an instruction of the copy. It names others by 1 + their numbers, 0 for none: every round
// reads all notes, which are therefore small and free of pointers.
type note struct {
	forward int32 // what took its place
	// link is, while reshapes are hoisted, the reshape whose operand the reshapes read that it is computed of; later it is
	// 1 + its place in simplifier.movers, 0 where it has none.
	link int32
	uses int32 // its users as the round began
	// hash is that of its key, see simplifier.hash; 0 where that is not known. In a computation that is applied to
	// elements it is its place, see body.
	hash uint32
	// origin tells constants apart whose elements are left out, see simplifier.origin; 0 for those of the program.
	origin uint32
	live   bool // something reads it
	gate   gate // whether it is one of copier.gate
	sinks  bool // it is computed before what rearranges its operands, see findSinks
	tried  bool // the rules have been tried on it
	takes  bool // a reshape may be hoisted to it, see noteTakes, as for plain and before
	plain  bool // it is computed of reshapes and broadcasts alone
	// reshaped says that a reshape reads it, and might that a reshape may be hoisted to it if it is to the same dimensions
	reshaped, might bool
	turns           bool // it is computed of broadcasts and iotas alone
	joins           bool // a reshape is hoisted to what it joins, see joinsTaken
	inProduct       bool // a product reads it that may read what is before it, see readsTurned
	sums            bool // a product with a vector that is multiplied and added up, see staysProduct
	// region is the number of the late call that it came with, 0 for none, see simplifier.key
	region uint16
	near   int8 // reach+1 less the way to what was changed in the round, from operand to operand, or 0
}

// number adds an instruction like another one to the copy, with its note.
func (s *Simplified) number(like *hlo.Instruction) *hlo.Instruction {
	k := s.size
	if s.size%slabSize == 0 {
		s.slabs = append(s.slabs, new([slabSize]hlo.Instruction))
	}
	if s.size%notesSize == 0 {
		s.notes = append(s.notes, new([notesSize]note))
	}
	s.size++
	n := s.numbered(k)
	*n = *like
	n.Index = k
	s.note(n).near = reach + 1
	return n
}

// numbered returns the instruction of a number.
func (s *Simplified) numbered(k int32) *hlo.Instruction {
	return &s.slabs[uint32(k)/slabSize][uint32(k)%slabSize]
}

// note returns what is noted of an instruction of the copy.
func (s *Simplified) note(in *hlo.Instruction) *note {
	return &s.notes[uint32(in.Index)/notesSize][uint32(in.Index)%notesSize]
}

// replace notes what takes the place of an instruction.
func (s *Simplified) replace(in, by *hlo.Instruction) { s.note(in).forward = by.Index + 1 }

// Of returns the instruction of the copy that holds the value of an instruction of the module, nil where no value of
// those dimensions is left. Of an instruction in a computation that was called several times it is the first call's.
func (s *Simplified) Of(in *hlo.Instruction) *hlo.Instruction {
	if all := s.copies[in.Computation.Index]; all != nil {
		return all[in.Index]
	}
	return nil
}

// resolve follows forward to its end.
func (s *Simplified) resolve(in *hlo.Instruction) *hlo.Instruction {
	for next := s.note(in).forward; next != 0; next = s.note(in).forward {
		in = s.numbered(next - 1)
	}
	return in
}

// inlineLimit bounds the copy: calls are kept from the point where it would have this many times the instructions of
// the module, and inlineLeast more. Of 1,292 programs 24 have more than twice as many, a rollout of a game five times.
const inlineLimit, inlineLeast = 8, 2000

// copier makes the copy, with calls replaced by what they call.
type copier struct {
	from, to     *hlo.Module
	out          *Simplified
	computations []*hlo.Computation
	names        map[string]int32   // that were taken, and the last number that was added to each
	numbered     bool               // where a name is taken
	callers      map[string]*caller // by op_name
	budget       int
	gated        bool                     // calls that are replaced late have gates
	region       uint16                   // the number of the present one of these, 0 for none
	regions      uint16                   // how many there were
	sizes        map[*hlo.Computation]int // see sizeOf
	values       []hlo.Value              // the next parts of metadata
	attrs        []hlo.Attr               // the next attributes with those
	operands     []*hlo.Instruction       // and their operands
	spare        [][]*hlo.Instruction     // room for the copies of calls after the first
}

// copyOf returns a copy of a module without calls, gated where that is asked for. The instructions of the copy have the
// names of the module's, with numbers where several would have one: where that is asked for, and those of gathers and
// scatters, which name fusions.
func copyOf(m *hlo.Module, numbered, gated bool) *Simplified {
	module := *m // shapes stay interned together, see hlo.Module.Intern
	to := &module
	to.Attrs, to.Computations = slices.Clone(m.Attrs), nil
	size := 0
	for _, k := range m.Computations {
		size += len(k.Instructions)
	}
	c := copier{from: m, to: to, computations: make([]*hlo.Computation, len(m.Computations)),
		names: map[string]int32{}, numbered: numbered, gated: gated, sizes: map[*hlo.Computation]int{},
		callers: map[string]*caller{}, budget: size * inlineLimit,
		out: &Simplified{Module: to, copies: make([][]*hlo.Instruction, len(m.Computations)),
			inside: map[*hlo.Instruction]*hlo.Instruction{}, bodies: map[*hlo.Computation]uint32{},
			bodyTexts: map[string]uint32{}, Applied: map[string]int{}}}
	c.budget += inlineLeast
	to.Entry = c.computation(m.Entry)
	for i, k := range to.Computations { // their callers are linked by sweep
		k.Index = int32(i)
	}
	return c.out
}

// computation copies a computation and what it calls; callees come first.
func (c *copier) computation(from *hlo.Computation) *hlo.Computation {
	if to := c.computations[from.Index]; to != nil {
		return to
	}
	to := &hlo.Computation{Name: from.Name, Module: c.to, Attrs: from.Attrs, Pos: from.Pos,
		Instructions: make([]*hlo.Instruction, 0, len(from.Instructions))}
	c.computations[from.Index] = to
	to.Root = c.body(to, from, nil, nil)
	c.to.Computations = append(c.to.Computations, to)
	return to
}

// body appends the instructions of a computation to `to` and returns the copy of its root. args stand for the
// parameters of a computation that is inlined; by is its call.
func (c *copier) body(to, from *hlo.Computation, args []*hlo.Instruction, by *caller) *hlo.Instruction {
	var here []*hlo.Instruction // a computation calls what is before it: every place is written before it is read
	if c.out.copies[from.Index] == nil {
		here = make([]*hlo.Instruction, len(from.Instructions))
		c.out.copies[from.Index] = here // of the first call
	} else {
		here = c.room(len(from.Instructions))
		defer func() { c.spare = append(c.spare, here) }()
	}
	c.budget -= len(from.Instructions)
	for at, in := range from.Instructions {
		var n *hlo.Instruction
		switch {
		case args != nil && in.Opcode == hlo.OpParameter && int(in.Parameter) < len(args):
			n = args[in.Parameter]
		case c.inlines(in):
			n = c.inlined(to, in, here, by)
			c.out.Applied["call"]++
		default:
			n = c.instruction(in, here)
			n.Computation = to
			n.Attrs = c.within(n.Attrs, by)
			to.Instructions = append(to.Instructions, n)
		}
		here[at] = n
	}
	return here[from.Root.Index]
}

// inlined appends what a call calls, or the body of a loop, and returns its value.
func (c *copier) inlined(to *hlo.Computation, in *hlo.Instruction, here []*hlo.Instruction,
	by *caller) *hlo.Instruction {
	if in.Opcode == hlo.OpWhile { // op_name in the body has the loop already
		return c.body(to, in.CalledBy("body"), []*hlo.Instruction{here[in.Operands[0].Index]}, by)
	}
	operands, late := make([]*hlo.Instruction, len(in.Operands)), c.isLate(in.Called()[0])
	for i, o := range in.Operands {
		if operands[i] = here[o.Index]; late {
			operands[i] = c.gate(to, operands[i], gateIn)
		}
	}
	around := c.region
	if late && c.regions < math.MaxUint16 {
		c.regions++
		c.region = c.regions
	}
	n := c.body(to, in.Called()[0], operands, c.callerOf(by, in))
	c.region = around
	if late {
		n = c.gate(to, n, gateOut)
	}
	return n
}

// room returns room for the copies of a computation, to be given back to spare.
func (c *copier) room(size int) []*hlo.Instruction {
	if last := len(c.spare) - 1; last >= 0 && cap(c.spare[last]) >= size {
		room := c.spare[last][:size]
		c.spare = c.spare[:last]
		return room
	}
	return make([]*hlo.Instruction, size)
}

// inlines reports whether a call is replaced by what it calls, or a loop by its body, which runs once
// (simplify-while-loops: in the dumps of a program its two such loops are gone before the first simplification).
func (c *copier) inlines(in *hlo.Instruction) bool {
	if in.Opcode == hlo.OpWhile && c.gated {
		n, known := relayout.TripCount(in)
		body := in.CalledBy("body")
		return known && n == 1 && body != nil && len(in.Operands) == 1 && parameterOf(body) != nil &&
			c.budget > len(body.Instructions)
	}
	return in.Opcode == hlo.OpCall && len(in.Called()) == 1 && len(in.Operands) == len(in.Called()[0].Parameters()) &&
		c.budget > len(in.Called()[0].Instructions)
}

// take returns the next n of a slab, of which at least size are allocated in one step.
func take[T any](slab *[]T, n, size int) []T {
	if len(*slab) < n {
		*slab = make([]T, max(n, size))
	}
	out := (*slab)[:n:n]
	*slab = (*slab)[n:]
	return out
}

func (c *copier) instruction(in *hlo.Instruction, here []*hlo.Instruction) *hlo.Instruction {
	n := c.out.number(in)
	c.out.note(n).region = c.region
	if c.numbered || in.Opcode == hlo.OpGather || in.Opcode == hlo.OpScatter {
		n.Name = c.free(in.Name)
	}
	n.Operands = take(&c.operands, len(in.Operands), 4*slabSize)
	for i, o := range in.Operands {
		n.Operands[i] = here[o.Index]
	}
	if len(in.Called()) > 0 {
		called := make([]*hlo.Computation, len(in.Called()))
		for i, k := range in.Called() {
			called[i] = c.computation(k)
		}
		n.SetCalled(called)
	}
	return n
}

// free returns a name, with a number where it is taken.
func (c *copier) free(name string) string {
	last, taken := c.names[name]
	if !taken {
		c.names[name] = 0
		return name
	}
	for {
		last++
		c.names[name] = last
		numbered := name + "." + strconv.Itoa(int(last))
		if _, taken := c.names[numbered]; !taken {
			c.names[numbered] = 0
			return numbered
		}
	}
}

// caller is the calls that an instruction is inlined from.
type caller struct {
	name     string                    // their op_name, as XLA prints it
	metadata map[*hlo.Value]*hlo.Value // with that before its own
}

// callerOf returns what a call that is inlined itself is to its instructions, nil where it has no op_name.
func (c *copier) callerOf(by *caller, call *hlo.Instruction) *caller {
	own := call.Attr("metadata").Get("op_name")
	if own == nil {
		return by
	}
	name := by.joined(own)
	name = name[1 : len(name)-1]
	if name == "" {
		return nil
	}
	k := c.callers[name]
	if k == nil {
		k = &caller{name, map[*hlo.Value]*hlo.Value{}}
		c.callers[name] = k
	}
	return k
}

// joined returns the op_name of an inlined instruction as XLA writes it, with its quotes: the calls' before its own.
func (k *caller) joined(own *hlo.Value) string {
	text := own.Text
	if !hlo.IsQuoted(text) {
		name, _ := hlo.Unquote(text)
		text = string(hlo.AppendQuoted(nil, name))
	}
	switch {
	case k == nil:
		return text
	case text == `""`:
		return `"` + k.name + `"`
	}
	return `"` + k.name + "/" + text[1:]
}

// within returns attributes with the op_name of an instruction that was inlined.
func (c *copier) within(attrs []hlo.Attr, by *caller) []hlo.Attr {
	if by == nil {
		return attrs
	}
	at := slices.IndexFunc(attrs, func(a hlo.Attr) bool { return a.Key.Name == "metadata" })
	if at < 0 {
		return attrs
	}
	metadata := attrs[at].Value
	v := by.metadata[metadata]
	if v == nil {
		v = c.joinedMetadata(metadata, by)
		by.metadata[metadata] = v
	}
	if v == metadata {
		return attrs
	}
	out := take(&c.attrs, len(attrs), 4*slabSize)
	copy(out, attrs)
	out[at].Value = v
	return out
}

// joinedMetadata returns metadata with the caller's op_name before its own, itself where it has none. Only what is to
// be printed gets the text of that.
func (c *copier) joinedMetadata(metadata *hlo.Value, by *caller) *hlo.Value {
	own := metadata.Get("op_name")
	if own == nil {
		return metadata
	}
	v, name := &take(&c.values, 1, 4*slabSize)[0], take(&c.values, 1, 4*slabSize)
	name[0] = hlo.Value{Kind: hlo.StringValue, Text: by.joined(own)}
	*v = *metadata
	v.Elems = take(&c.values, len(metadata.Elems), 4*slabSize)
	for i, e := range metadata.Elems {
		if e.Text == "op_name" {
			e.Elems = name
		}
		v.Elems[i] = e
	}
	if c.numbered {
		v.Text = strings.Replace(v.Text, "op_name="+own.Text, "op_name="+name[0].Text, 1)
	}
	return v
}
