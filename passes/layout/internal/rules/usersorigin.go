package rules

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
)

// callParts are what the parts of an op_name contain that stand for inlined calls.
var callParts = []string{"jit(", "checkpoint", "custom_jvp_call", "custom_vjp_call", "closed_call"}

// isNamed reports whether an instruction has the name that the program gives it: its operation's.
func isNamed(in *hlo.Instruction) bool {
	kind, _ := constraint.Numbered(in.Name)
	return strings.HasSuffix(in.MetadataOpName(), "/"+kind)
}

// lastFirst is the list of users that took the place of a single one.
func lastFirst(users []flat.NodeID) []flat.NodeID {
	last := len(users) - 1
	return slices.Concat(users[last:], users[:last])
}

// origin is where an instruction was inlined from, as its metadata says: the calls, the outermost function,
// and the place where that is called; the zero value for an instruction of the program itself.
type origin struct {
	calls    []string // see callsIn
	function string
	place    place
}

// place is a call: an op_name that ends in it, and the stack frame.
type place struct{ call, frame string }

// originOf returns where an instruction was inlined from. Many instructions have the same metadata.
func (e *Set) originOf(in *hlo.Instruction) origin {
	metadata := in.Attr("metadata")
	from, known := e.origins[metadata]
	if known {
		return from
	}
	from.calls = callsIn(in.MetadataOpName())
	for _, call := range from.calls {
		if part := call[strings.LastIndexByte(call, '/')+1:]; strings.Contains(part, "jit(") {
			from.function, from.place.call = part, call
			if frame := metadata.Get("stack_frame_id"); frame != nil {
				from.place.frame = frame.Text
			}
			break
		}
	}
	e.origins[metadata] = from
	return from
}

// callsIn lists the calls of an op_name in the innermost loop or branch, each as the beginning of op_name that ends in
// it; the first part is the program and is not a call.
func callsIn(o string) (out []string) {
	depth, start := 0, 0
	for i := range len(o) {
		switch o[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '/':
			if depth > 0 {
				continue
			}
			part := o[start:i]
			if part == "body" || part == "cond" || strings.HasPrefix(part, "branch_") {
				out = out[:0]
			} else if start > 0 && slices.ContainsFunc(callParts, func(p string) bool { return strings.Contains(part, p) }) {
				out = append(out, o[:i])
			}
			start = i + 1
		}
	}
	return out
}
