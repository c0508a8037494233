package build

import (
	"strings"

	"hlolayout/hlo"
)

// Resume prepares for reading on after an error in the body of a computation, so that one mistake does not hide the
// others: it returns the part of the text that begins with the next instruction, or the computation's end. An
// instruction that could not be read stays known by its name, and what uses it is not complained about.
func (b *Builder) Resume() (rest Text, ok bool) {
	if len(b.scopes) != 1 || b.comp == nil || b.closed || len(b.errs) == 0 || len(b.errs) >= maxErrors {
		return Text{}, false
	}
	from := max(b.failed, b.resumed, uint32(max(0, b.comp.Pos)))
	if start := strings.LastIndexByte(b.src[:from], '\n'); b.in != nil && start > int(b.in.Pos) {
		from = max(uint32(start), b.resumed) // the error may be the next instruction itself
	}
	at, ok := nextInstruction(b.src, from)
	if !ok {
		return Text{}, false
	}
	b.depth = 0
	b.resumed = at + 1
	if in := b.in; in != nil && in.Name != "" && b.named(in.Name) == nil {
		b.broken = true
		b.poison(in)
	}
	b.nests = b.nests[:0]
	return Text{at, uint32(len(b.src))}, true
}

// poison enters an instruction that could not be read.
func (b *Builder) poison(in *hlo.Instruction) {
	in.Opcode, in.Operands, in.Shape = hlo.OpUnknown, nil, nil
	b.addInstruction(in)
	b.poisoned = true
}

// nextInstruction finds the first line after an offset that begins like an instruction (`ROOT? name =`) or with the
// closing brace.
func nextInstruction(src string, from uint32) (at uint32, ok bool) {
	for i := int(from); ; {
		end := strings.IndexByte(src[min(i, len(src)):], '\n')
		if end < 0 {
			return 0, false
		}
		i += end + 1
		line := src[i:]
		if e := strings.IndexByte(line, '\n'); e >= 0 {
			line = line[:e]
		}
		body := strings.TrimLeft(line, " \t")
		if strings.HasPrefix(body, "}") {
			return uint32(i + len(line) - len(body)), true
		}
		name, _, found := strings.Cut(strings.TrimPrefix(body, "ROOT "), " =")
		if found && name != "" && !strings.ContainsAny(name, " \t,()={}[]\"") {
			return uint32(i + len(line) - len(body)), true
		}
	}
}
