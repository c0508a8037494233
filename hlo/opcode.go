package hlo

import (
	"iter"
	"math/bits"
	"strings"
)

// Opcode is the operation of an instruction. What is true of an opcode is one row of opcodeTable.
type Opcode uint8

// Flow says how layouts pass through an instruction during layout assignment.
type Flow uint8

// The kinds of flow. A FlowKeep instruction has the same layout on all operands and results of equal rank; a
// FlowForward one defines no buffer: its results are its operands' buffers; any other may change the layout.
const (
	FlowFree Flow = iota
	FlowKeep
	FlowForward
)

const variadic = -1

type opcodeRow struct {
	name                     string
	minOperands, maxOperands int // maxOperands is variadic where there is no limit
	flow                     Flow
	elementwise              bool
	inferable                bool // the text may leave out the result shape
	attrs                    string
}

var opcodeByName = func() map[string]Opcode {
	m := make(map[string]Opcode, numOpcodes)
	for op := OpUnknown + 1; op < numOpcodes; op++ {
		m[opcodeTable[op].name] = op
	}
	return m
}()

// ParseOpcode returns the opcode of that name; ok is false for a name that is not in the table.
func ParseOpcode(name string) (op Opcode, ok bool) {
	op, ok = opcodeByName[name]
	return op, ok
}

// IsOpcode reports whether name is in the table.
func IsOpcode(name string) bool { return opcodeByName[name] != OpUnknown }

// asyncSuffixes are the short forms of async instructions: slice-start stands for an async-start around a slice.
var asyncSuffixes = []struct {
	suffix string
	op     Opcode
}{{"-start", OpAsyncStart}, {"-update", OpAsyncUpdate}, {"-done", OpAsyncDone}}

// ParseAsync returns the async opcode and the wrapped opcode that a short async form stands for.
func ParseAsync(name string) (op, wrapped Opcode, ok bool) {
	for _, a := range asyncSuffixes {
		if base, found := strings.CutSuffix(name, a.suffix); found {
			wrapped, ok = ParseOpcode(base)
			return a.op, wrapped, ok
		}
	}
	return OpUnknown, OpUnknown, false
}

// OpSet is a set of opcodes. The zero value is empty.
type OpSet [4]uint64

// Ops returns the set of some opcodes.
func Ops(list ...Opcode) (s OpSet) {
	for _, op := range list {
		s[op/64] |= 1 << (op % 64)
	}
	return s
}

// Has reports whether an opcode is in the set.
func (s *OpSet) Has(op Opcode) bool { return s[op/64]&(1<<(op%64)) != 0 }

// All yields the opcodes of a set, in their order.
func (s OpSet) All() iter.Seq[Opcode] {
	return func(yield func(Opcode) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(Opcode(64*i + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// Opcodes returns all opcodes of the table.
func Opcodes() []Opcode {
	var out []Opcode
	for op := OpUnknown + 1; op < numOpcodes; op++ {
		out = append(out, op)
	}
	return out
}

func (op Opcode) known() Opcode {
	if op >= numOpcodes {
		return OpUnknown
	}
	return op
}

func (op Opcode) row() *opcodeRow { return &opcodeTable[op.known()] }

// String returns the opcode's name in HLO text.
func (op Opcode) String() string { return op.row().name }

// Arity returns the least and the greatest number of operands; the latter is -1 without a limit.
func (op Opcode) Arity() (minOperands, maxOperands int) {
	r := op.row()
	return r.minOperands, r.maxOperands
}

// Flow returns how layouts pass through the instruction.
func (op Opcode) Flow() Flow { return op.row().flow }

// Elementwise reports whether each result element depends on the operand elements of the same index only.
func (op Opcode) Elementwise() bool { return op.row().elementwise }

// Inferable reports whether the text may leave out the result shape.
func (op Opcode) Inferable() bool { return op.row().inferable }

// Attrs returns the attributes particular to the opcode, and which the text must have.
func (op Opcode) Attrs() (names []string, required map[string]bool) {
	required = map[string]bool{}
	for _, n := range strings.Fields(op.row().attrs) {
		name, must := strings.CutSuffix(n, "!")
		names = append(names, name)
		if must {
			required[name] = true
		}
	}
	return names, required
}
