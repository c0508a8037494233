package hlo

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// Module is one HLO module. Computations are in the order of the text, callees before callers.
//
// Several goroutines may read a module at a time, print it, and call Intern, InternText and Position, which remember
// what they find; a module that was made without the parser has to have interned a shape first. Whoever changes a
// module has to be alone with it.
type Module struct {
	Name         string
	Attrs        []Attr
	Tables       *StackTables // nil where the text has none
	Computations []*Computation
	Entry        *Computation
	Style        Style
	// Comments are the comments of the text, by the *Module, *Computation or *Instruction that they belong to; nil for
	// none.
	Comments map[any][]Comment
	// Recovery has the modules that strings of origin_recovery_table hold, by the strings' values; nil for none.
	Recovery map[*Value]*Module
	// Forecast is what is predicted of the passes that a module has yet to go through; nil where costs are taken from
	// the text alone.
	Forecast *Forecast
	// Simplified says that the module is what package folding made of another: nothing is left to simplify.
	Simplified bool
	// Assigned says that layouts are those of package layout: passes of the compiler that follow may change them.
	Assigned bool
	// Source is the text the module was read from and its name for messages; both may be empty.
	Source, File string
	// Origin says where Source is in the file of that name; nil where it is the file's text.
	Origin *Origin
	// Cut is empty for a whole module. For one read in part it says where the text ends or what it lacks, as in "line
	// 2000: the text ends inside computation %fused_computation.12". Only what a cut module holds is known: Entry may
	// be nil, and a computation that the text ends in before its root has a nil Root.
	Cut string

	// shared is made by the first Intern or Position.
	shared *shared
}

// shared is what a module and its copies find out on request. Whoever only reads a module finds things out, too, maybe
// several at a time.
type shared struct {
	sync.Mutex
	shapes map[string]*Shape
	text   []byte  // scratch of intern
	source string  // the text that lines are of
	lines  []int32 // see LineStarts
}

func (m *Module) share() *shared {
	if m.shared == nil {
		m.shared = &shared{shapes: map[string]*Shape{}}
	}
	return m.shared
}

// Forecast predicts what later passes make of the values of a module before fusion. Costs of such a module are upper
// estimates: copies that later passes add are not in them (of 168 programs the compiled module copies more in 39, and
// by more than a quarter in 14).
type Forecast struct {
	// Unbuffered has, by computation and by instruction in it, why the compiler will not keep a value in memory, in words;
	// "" for one that it keeps.
	Unbuffered map[*Computation][]string
	// Unsure are values that the compiler may replace or divide before it assigns layouts, with the reason in words.
	Unsure map[*Instruction]string
	// Narrow are values of f32 that the compiler keeps as bf16.
	Narrow map[*Instruction]bool
	// Hoisted are copies of a pad that the compiler makes of what is padded.
	Hoisted map[*Instruction]bool
}

// Unbuffered returns why a value is predicted to have no buffer, "" where it has one or nothing is predicted.
func (m *Module) Unbuffered(in *Instruction) string {
	if m == nil || m.Forecast == nil {
		return ""
	}
	if all := m.Forecast.Unbuffered[in.Computation]; int(in.Index) < len(all) {
		return all[in.Index]
	}
	return ""
}

// Narrow reports whether the compiler is predicted to keep a value of f32 as bf16.
func (m *Module) Narrow(in *Instruction) bool {
	return m != nil && m.Forecast != nil && m.Forecast.Narrow[in]
}

// Bound says what sums of bytes are worth: "upper" where a forecast shows that the compiler has yet to fuse the module,
// else "exact".
func (m *Module) Bound() string {
	if m.Forecast != nil {
		return "upper"
	}
	return "exact"
}

// Style says how the text was written, so that the preserving print writes it the same way.
type Style struct {
	// Percent: names carry a `%`. Signatures: computations have one. OperandShapes: operands carry their shapes.
	Percent, Signatures, OperandShapes bool
	// IndexComments: long operand lists carry /*index=N*/.
	IndexComments bool
	// EmptyTables: a second empty line follows the first line, as newer XLA prints a module without stack-frame tables.
	EmptyTables bool
	// Single: the text is one instruction, without a computation or a module around it.
	Single bool
}

// DefaultStyle is the style of XLA's default print.
var DefaultStyle = Style{Percent: true, Signatures: true, IndexComments: true}

// Attr returns the value of a module attribute, nil where it is absent.
func (m *Module) Attr(name string) *Value { return find(m.Attrs, name) }

// IsScheduled reports whether the order of the text is a schedule.
func (m *Module) IsScheduled() bool { return m.Attr("is_scheduled").Bool() }

// Computation returns the computation of that name (without `%`), nil if there is none.
func (m *Module) Computation(name string) *Computation {
	for _, c := range m.Computations {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// DeviceCounts returns replica_count and num_partitions, 1 where the module says nothing.
func (m *Module) DeviceCounts() (replicas, partitions int64) {
	count := func(key string) int64 {
		if n, ok := m.Attr(key).Int(); ok {
			return n
		}
		return 1
	}
	return count("replica_count"), count("num_partitions")
}

// Intern returns the module's one Shape that prints as s does.
func (m *Module) Intern(s *Shape) *Shape {
	if s == nil {
		return nil
	}
	t := m.share()
	t.Lock()
	s = t.intern(s)
	t.Unlock()
	return s
}

func (t *shared) intern(s *Shape) *Shape {
	if s.text != "" && t.shapes[s.text] == s {
		return s
	}
	if s.IsTuple() { // each element is interned once: tuples nest, and twice would be 2^n times
		var elems []*Shape
		for i, e := range s.Elems {
			n := e
			if e != nil {
				n = t.intern(e)
			}
			if n != e && elems == nil {
				elems = slices.Clone(s.Elems)
			}
			if elems != nil {
				elems[i] = n
			}
		}
		if elems != nil {
			s = NewTuple(elems...)
		}
	}
	t.text = s.Append(t.text[:0], true)
	if known := t.shapes[string(t.text)]; known != nil {
		return known
	}
	c, text, bare := *s, string(t.text), 0
	if !c.IsTuple() { // a tuple's text is built from its elements'
		t.text = c.Append(t.text[:0], false)
		if bare = len(t.text); !strings.HasPrefix(text, string(t.text)) { // not only a layout after it
			c.bare, bare = string(t.text), 0
		}
	}
	return t.internText(&c, text, bare)
}

// InternText is Intern for a new shape that prints as text does, and without layouts as its first bare bytes, 0 where
// that is another text. The module keeps the shape and the text.
func (m *Module) InternText(s *Shape, text string, bare int) *Shape {
	t := m.share()
	t.Lock()
	s = t.internText(s, text, bare)
	t.Unlock()
	return s
}

func (t *shared) internText(s *Shape, text string, bare int) *Shape {
	if known := t.shapes[text]; known != nil {
		return known
	}
	s.text = text
	if bare > 0 {
		s.bare = text[:bare]
	}
	t.shapes[text] = s
	return s
}

// Position returns the 1-based line and column (in bytes) of a byte offset of Source in the file; 0, 0 for a negative
// one.
func (m *Module) Position(offset int32) (line, col int) {
	if offset < 0 {
		return 0, 0
	}
	if m.Origin != nil {
		line, col, _ = m.Origin.Position(offset)
		return line, col
	}
	t := m.share()
	t.Lock()
	defer t.Unlock()
	if t.lines == nil || t.source != m.Source {
		t.source, t.lines = m.Source, LineStarts(m.Source)
	}
	return lineCol(t.lines, offset)
}

// LineStarts returns the byte offset at which each line of text begins.
func LineStarts(text string) []int32 {
	starts := []int32{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			starts = append(starts, int32(i+1))
		}
	}
	return starts
}

func lineCol(starts []int32, offset int32) (line, col int) {
	i := sort.Search(len(starts), func(i int) bool { return starts[i] > offset }) - 1
	return i + 1, int(offset-starts[i]) + 1
}

// StackTables are the four tables of source positions in front of the computations.
// Rows keep the number they were written with; instructions refer to StackFrames by stack_frame_id.
type StackTables struct {
	FileNames     []TableString
	FunctionNames []TableString
	FileLocations []FileLocation
	StackFrames   []StackFrame
}

// TableString is one row of FileNames or FunctionNames; Text has its quotes.
type TableString struct {
	Number int64
	Text   string
}

// FileLocation is one row of FileLocations.
type FileLocation struct {
	Number                                                       int64
	FileNameID, FunctionNameID, Line, EndLine, Column, EndColumn int32
}

// StackFrame is one row of StackFrames. ParentFrameID is one more than the parent's number: 1 means no parent.
type StackFrame struct {
	Number                        int64
	FileLocationID, ParentFrameID int32
}

// Computation is a list of instructions with one root.
type Computation struct {
	Name         string
	Module       *Module
	Instructions []*Instruction // in the order of the text; each one's Index is its place here
	Root         *Instruction
	Attrs        []Attr
	// Pos is the byte offset of the name in Module.Source, -1 without a text.
	Pos int32
	// Index numbers the computations of a module, each once: their places in Computations when LinkCallers was called.
	Index int32

	callers []Caller
}

// Caller is one reference to a computation: the instruction and its attribute.
type Caller struct {
	Instruction *Instruction
	Key         *AttrKey
}

// IsEntry reports whether c is its module's entry computation.
func (c *Computation) IsEntry() bool { return c.Module != nil && c.Module.Entry == c }

// Attr returns the value of a computation attribute, nil where it is absent.
func (c *Computation) Attr(name string) *Value { return find(c.Attrs, name) }

// Parameters returns the parameter instructions by parameter number; nil entries for numbers that no
// instruction has.
func (c *Computation) Parameters() []*Instruction { return c.AppendParameters(nil) }

// AppendParameters appends what Parameters returns to ps.
func (c *Computation) AppendParameters(ps []*Instruction) []*Instruction {
	before := len(ps)
	for _, in := range c.Instructions {
		if in.Opcode != OpParameter || in.Parameter < 0 || int(in.Parameter) >= len(c.Instructions) {
			continue
		}
		for len(ps) <= before+int(in.Parameter) {
			ps = append(ps, nil)
		}
		ps[before+int(in.Parameter)] = in
	}
	return ps
}

// Instruction returns the instruction of that name (without `%`), nil if there is none.
func (c *Computation) Instruction(name string) *Instruction {
	for _, in := range c.Instructions {
		if in.Name == name {
			return in
		}
	}
	return nil
}

// Renumber sets every instruction's Index and Computation; call it after Instructions was changed.
func (c *Computation) Renumber() {
	for i, in := range c.Instructions {
		in.Index, in.Computation = int32(i), c
	}
}

// Instruction is one operation. One type serves all opcodes; what is true of an opcode is a row of the opcode table.
type Instruction struct {
	Operands []*Instruction
	Shape    *Shape
	// Index is the place in Computation.Instructions.
	Index int32
	// Pos is the byte offset of the instruction's first token in Module.Source, -1 for instructions made by a pass.
	Pos int32
	// Parameter is the number of a parameter.
	Parameter   int32
	Opcode      Opcode
	Attrs       []Attr
	Computation *Computation
	Name        string // without `%`
	rare        *rare  // nil for none
}

// Attr returns the value of an attribute, nil where it is absent.
func (in *Instruction) Attr(name string) *Value { return find(in.Attrs, name) }

// Ints returns the numbers of an attribute such as dimensions={0,1}; nil where it is absent or no such list.
func (in *Instruction) Ints(name string) []int {
	ns, _ := in.Attr(name).Ints()
	return ns
}

// IsRoot reports whether in is its computation's root.
func (in *Instruction) IsRoot() bool { return in.Computation != nil && in.Computation.Root == in }

// OpName returns the opcode as it is printed.
func (in *Instruction) OpName() string {
	if in.OpText() != "" {
		return in.OpText()
	}
	return in.Opcode.String()
}

// MetadataOpName returns the op_name of the metadata, unquoted; "" where there is none.
func (in *Instruction) MetadataOpName() string {
	if v := in.Attr("metadata").Get("op_name"); v != nil {
		name, _ := Unquote(v.Text)
		return name
	}
	return ""
}

// Sequential returns the computations that an instruction runs in its own place of the schedule, in the order of their
// times; nil for what runs none so (a fusion, a reduce).
func (in *Instruction) Sequential() []*Computation {
	switch in.Opcode {
	case OpWhile:
		return []*Computation{in.CalledBy("condition"), in.CalledBy("body")}
	case OpConditional, OpCall:
		return in.Called()
	}
	return nil
}

// CalledBy returns the computation that the attribute names, nil where there is none (or several).
func (in *Instruction) CalledBy(key string) *Computation {
	at := 0
	for _, a := range in.Attrs {
		if !a.Key.Called {
			continue
		}
		n := a.Value.CalledCount()
		if a.Key.Name == key {
			if n == 1 && at < len(in.Called()) {
				return in.Called()[at]
			}
			return nil
		}
		at += n
	}
	return nil
}

// Branches returns the computations a conditional chooses from, in branch order.
func (in *Instruction) Branches() []*Computation {
	if in.Opcode != OpConditional {
		return nil
	}
	return in.Called()
}

// CalledCount returns how many computations the value of a calling attribute names: one for a name or an
// inline computation, as many as its items for a list of names.
func (v *Value) CalledCount() int {
	if v == nil {
		return 0
	}
	if v.Kind == ListValue {
		return len(v.Elems)
	}
	return 1
}

// EntryLayout returns the parameter shapes and the result shape of entry_computation_layout; ok is false where the
// module has none.
func (m *Module) EntryLayout() (params []*Shape, result *Shape, ok bool) {
	v := m.Attr("entry_computation_layout")
	if v == nil || len(v.Elems) != 2 || v.Elems[0].Kind != ShapeValue || v.Elems[1].Kind != ShapeValue {
		return nil, nil, false
	}
	return v.Elems[0].Shape.Elems, v.Elems[1].Shape, true
}

// SetEntryLayout sets entry_computation_layout, adding the attribute at its place in print order.
func (m *Module) SetEntryLayout(params []*Shape, result *Shape) {
	tuple := m.Intern(NewTuple(params...))
	result = m.Intern(result)
	v := &Value{Kind: ListValue, Open: '{', Text: "{" + tuple.String() + "->" + result.String() + "}", Elems: []Value{
		{Kind: ShapeValue, Text: tuple.String(), Shape: tuple}, {Kind: ShapeValue, Text: result.String(),
			Shape: result}}}
	key := ModuleAttr("entry_computation_layout")
	at := len(m.Attrs)
	for i, a := range m.Attrs {
		if a.Key == key {
			m.Attrs[i].Value = v
			return
		}
		if at == len(m.Attrs) && a.Key.PrintOrder() > key.PrintOrder() {
			at = i
		}
	}
	m.Attrs = append(m.Attrs[:at:at], append([]Attr{{key, v}}, m.Attrs[at:]...)...)
}

// HasTiles reports whether some array of the module has a tile: the module then comes from a stage after layout
// assignment.
func (m *Module) HasTiles() (found bool) {
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			in.Shape.Leaves(func(_ Index, s *Shape) {
				found = found || s.IsTiled()
			})
			if found {
				return true
			}
		}
	}
	return false
}
