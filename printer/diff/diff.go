// Package diff compares two HLO modules by name. A line diff of a module before and after layout assignment is the
// whole text twice, for nearly every line changes; paired by (computation, instruction name), each change is one word
// of one pair.
package diff

import "hlolayout/hlo"

// Diff is what differs between two modules. Positions in the text, metadata and the tables of source positions
// are not compared: they say where an instruction comes from, not what it does.
type Diff struct {
	Old, New *hlo.Module
	// Module lists the attributes of the first line that differ, in print order.
	Module []AttrChange
	// Computations are those with changes, in New's order, one that only Old has after its predecessor there.
	Computations []Computation
	// Inserted are the copy instructions that only New has, in New's order.
	Inserted []Copy
	Summary

	// matching holds the pairs where they are not those of equal names.
	matching *Matching
}

// Summary counts what Diff lists.
type Summary struct {
	// Arrays is the number of arrays that both modules have: non-tuple parts of the results of paired instructions.
	Arrays int
	// Reordered counts the arrays with another minor_to_major; Moved, of the others, those in another memory
	// space; Retiled those whose layouts differ in tiles or any other property only.
	Reordered, Moved, Retiled int
	// Added and Removed count instructions (inserted copies are among Added); Changed those that differ in more
	// than layouts: opcode, type, operands, literal, attributes. A user of an inserted copy is one of them.
	Added, Removed, Changed int
	// Copies is the number of inserted copies, CopyBytes the sum of their Bytes.
	Copies    int
	CopyBytes int64
}

// RelaidOut returns the number of arrays whose layouts differ.
func (s Summary) RelaidOut() int { return s.Reordered + s.Moved + s.Retiled }

// Computation is one computation with changes. Old or New is nil where only one module has it; all its
// instructions are changes then.
type Computation struct {
	Old, New *hlo.Computation
	Changes  []Change
}

// Change is one pair of instructions that differ. Old is nil for an added instruction, New for a removed one.
type Change struct {
	Old, New *hlo.Instruction
	// Arrays are the arrays whose layouts differ. It is empty for added and removed instructions, and where the
	// types themselves differ.
	Arrays []Array
	// Attrs are the attributes that differ, in print order.
	Attrs []AttrChange
}

// Array is one array whose layout differs. Index says which part of the instruction's result it is.
type Array struct {
	Index    hlo.Index
	Old, New *hlo.Shape
}

// AttrChange is one attribute that differs; Old or New is nil where it is absent.
type AttrChange struct {
	Name     string
	Old, New *hlo.Value
}

// Copy is an inserted copy: From is its operand's shape, To its own. Bytes is the size of To in memory, padding
// included; 0 where it has no array shape or the size overflows.
type Copy struct {
	Instruction *hlo.Instruction
	From, To    *hlo.Shape
	Bytes       int64
}

// Same reports whether nothing differs.
func (d *Diff) Same() bool {
	return len(d.Module) == 0 && len(d.Computations) == 0 && d.Old.Name == d.New.Name && d.sameEntry()
}

func (d *Diff) sameEntry() bool {
	return entryName(d.Old) == entryName(d.New)
}

func entryName(m *hlo.Module) string {
	if m.Entry == nil {
		return ""
	}
	return m.Entry.Name
}
