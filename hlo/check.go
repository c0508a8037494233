package hlo

import (
	"hash/maphash"
	"strconv"
)

// Codes of Check's findings.
const (
	CodeStructure  = "HLO050" // the IR contradicts itself: an error in a pass, not in a text
	CodeBadLayout  = "HLO051" // a layout that orders the dimensions wrongly, or a tile without sizes
	CodeRecursion  = "HLO052" // a computation that calls itself
	CodeEntryShape = "HLO053" // entry_computation_layout does not fit the entry computation
)

// CheckCodes describes the codes of Check.
var CheckCodes = []Code{
	{CodeStructure, "the module contradicts itself: an error in a pass or a program that made it, not in a text", ""},
	{CodeBadLayout, "a layout does not name each dimension once: XLA reads such text, and no pass can work with it", `
ENTRY e {
  p = f32[2,3]{1,1} parameter(0)
}`},
	{CodeRecursion, "a computation is called before its definition", ""},
	{CodeEntryShape, "entry_computation_layout names other shapes than the entry computation has", `
HloModule m, entry_computation_layout={(f32[3])->f32[3]}
ENTRY e {
  p = f32[2] parameter(0)
}`},
}

// Check returns what is structurally wrong with a module: dangling or misplaced operands, names used twice, wrong
// indices, calls of later or missing computations, layouts that are not a permutation. The driver of the passes runs it
// before and after each pass. Whether shapes fit their operations is asked of package verify.
func Check(m *Module) ErrorList { return check(checker{m: m, named: true}) }

// CheckEdited is Check after edits that are known to have kept names apart: looking at names takes most of its time.
func CheckEdited(m *Module) ErrorList { return check(checker{m: m}) }

func check(c checker) ErrorList {
	m := c.m
	if m.Entry == nil {
		c.add(-1, CodeStructure, "the module has no entry computation")
		return c.list
	}
	if !c.has(m.Entry) {
		c.add(-1, CodeStructure, "the entry computation "+m.Entry.Name+" is not among the module's computations")
	}
	names := make(map[string]bool, len(m.Computations))
	for i, comp := range m.Computations {
		if names[comp.Name] {
			c.add(comp.Pos, CodeStructure, "two computations are named "+comp.Name)
		}
		names[comp.Name] = true
		c.computation(comp, i)
	}
	c.entry()
	c.list.Sort()
	return c.list
}

type checker struct {
	m      *Module
	named  bool // names are to be checked
	names  nameSet
	list   ErrorList
	shapes map[*Shape]bool // already checked
}

func (c *checker) add(pos int32, code, msg string) {
	line, col := 0, 0
	if c.m.Source != "" {
		line, col = c.m.Position(pos)
	}
	c.list = append(c.list, &Error{File: c.m.File, Line: line, Col: col, Code: code, Msg: msg})
}

// has reports whether the module holds a computation where its index says.
func (c *checker) has(comp *Computation) bool {
	all := c.m.Computations
	return comp != nil && comp.Index >= 0 && int(comp.Index) < len(all) && all[comp.Index] == comp
}

func (c *checker) computation(comp *Computation, place int) {
	if comp.Module != c.m || int(comp.Index) != place || len(comp.Instructions) == 0 {
		c.add(comp.Pos, CodeStructure, "computation "+comp.Name+" is empty, is not numbered or belongs to another module")
		return
	}
	if c.named {
		c.names.reset(len(comp.Instructions))
	}
	rootSeen := false
	for i, in := range comp.Instructions {
		if in.Index != int32(i) || in.Computation != comp {
			c.add(in.Pos, CodeStructure, whatIn(in, comp)+" has a wrong index or computation")
		}
		if c.named && !c.names.add(comp, i) {
			c.add(in.Pos, CodeStructure, "two instructions in "+comp.Name+" are named "+in.Name)
		}
		rootSeen = rootSeen || in == comp.Root
		for _, o := range in.Operands {
			if o == nil || o.Computation != comp || o.Index < 0 || o.Index >= int32(i) ||
				comp.Instructions[o.Index] != o {
				c.add(in.Pos, CodeStructure, whatIn(in, comp)+" has an operand that is not defined before it in the computation")
				break
			}
		}
		for _, callee := range in.Called() {
			switch {
			case !c.has(callee):
				c.add(in.Pos, CodeStructure, whatIn(in, comp)+" calls a computation that is not in the module")
			case int(callee.Index) >= place:
				c.add(in.Pos, CodeRecursion, whatIn(in, comp)+" calls "+callee.Name+", which is not defined before it")
			}
		}
		if in.Shape == nil {
			c.add(in.Pos, CodeStructure, whatIn(in, comp)+" has no shape")
			continue
		}
		if !c.shapes[in.Shape] {
			c.shape(in.Pos, func() string { return whatIn(in, comp) }, in.Shape)
		}
	}
	if !rootSeen {
		c.add(comp.Pos, CodeStructure, "the root of "+comp.Name+" is not among its instructions")
	}
}

// whatIn names an instruction in messages.
func whatIn(in *Instruction, comp *Computation) string {
	return in.OpName() + " " + in.Name + " in " + comp.Name
}

func (c *checker) shape(pos int32, what func() string, s *Shape) {
	if c.shapes[s] {
		return
	}
	if c.shapes == nil {
		c.shapes = map[*Shape]bool{}
	}
	good := true
	s.Leaves(func(_ Index, leaf *Shape) {
		if msg := badLayout(leaf); msg != "" {
			good = false
			c.add(pos, CodeBadLayout, what()+": "+leaf.String()+": "+msg)
		}
	})
	c.shapes[s] = good
}

// maxTile is how many elements a tile may have; sizes that are rounded up to it do not overflow.
const maxTile = 1 << 31

// badLayout says what makes the layout of an array impossible, "" if nothing does.
func badLayout(s *Shape) string {
	if !s.IsArray() || s.Layout == nil {
		return ""
	}
	if len(s.Layout.MinorToMajor) != len(s.Dims) {
		return "the layout orders " + strconv.Itoa(len(s.Layout.MinorToMajor)) + " of " + strconv.Itoa(len(s.Dims)) +
			" dimensions"
	}
	if !IsPermutation(s.Layout.MinorToMajor) {
		return "the layout does not name each dimension once"
	}
	for _, t := range s.Layout.Tiles {
		elements := int64(1)
		for _, n := range t {
			if n != Combined && n <= 0 {
				return "a tile size must be positive or `*`"
			}
			if elements *= max(n, 1); n > maxTile || elements > maxTile {
				return "a tile has more than 2^31 elements"
			}
		}
	}
	return ""
}

// entry compares entry_computation_layout with the entry computation.
func (c *checker) entry() {
	params, result, ok := c.m.EntryLayout()
	if !ok {
		return
	}
	own := c.m.Entry.Parameters()
	if len(params) != len(own) {
		c.add(c.m.Entry.Pos, CodeEntryShape, "entry_computation_layout has "+strconv.Itoa(len(params))+" parameters, "+
			c.m.Entry.Name+" has "+strconv.Itoa(len(own)))
		return
	}
	for i, p := range own {
		if p == nil {
			continue
		}
		if !params[i].Compatible(p.Shape) {
			c.add(p.Pos, CodeEntryShape, "entry_computation_layout says "+params[i].String()+" for parameter "+p.Name+
				" of shape "+p.Shape.String())
		}
		c.shape(p.Pos, func() string { return "entry_computation_layout, parameter " + p.Name }, params[i])
	}
	if root := c.m.Entry.Root; root != nil && root.Shape != nil {
		if !result.Compatible(root.Shape) {
			c.add(root.Pos, CodeEntryShape, "entry_computation_layout says "+result.String()+" for the result "+
				root.Name+" of shape "+root.Shape.String())
		}
		c.shape(root.Pos, func() string { return "entry_computation_layout, result" }, result)
	}
}

// nameSet is a set of the instruction names of one computation: an open hash table of places in it. A map for 200,000
// names takes several times the time and memory (BenchmarkCheck).
type nameSet struct {
	seed  maphash.Seed
	slots []nameSlot
}

type nameSlot struct {
	hash  uint32
	place int32 // from 1; 0 is an empty slot
}

// reset empties the set and makes room for n names.
func (s *nameSet) reset(n int) {
	size := 16
	for size < n+n/4 {
		size *= 2
	}
	if s.slots == nil {
		s.seed = maphash.MakeSeed()
	}
	if cap(s.slots) < size {
		s.slots = make([]nameSlot, size)
		return
	}
	s.slots = s.slots[:size]
	clear(s.slots)
}

// add adds the name of an instruction; it returns false if an earlier one has it.
func (s *nameSet) add(c *Computation, at int) bool {
	name, mask := c.Instructions[at].Name, uint32(len(s.slots)-1)
	h := uint32(maphash.String(s.seed, name))
	for i := h & mask; ; i = (i + 1) & mask {
		e := &s.slots[i]
		if e.place == 0 {
			*e = nameSlot{h, int32(at) + 1}
			return true
		}
		if e.hash == h && c.Instructions[e.place-1].Name == name {
			return false
		}
	}
}
