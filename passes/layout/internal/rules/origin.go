package rules

import (
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/constraint"
)

// isMade reports whether the compiler made an instruction: its name is its opcode's, and not the one that the program
// gives it, which is the last part of op_name.
func (e *Set) isMade(n flat.NodeID) bool {
	in := e.G.Nodes[n].In
	stem, _ := constraint.Numbered(in.Name)
	return stem == in.Opcode.String() && !strings.HasSuffix(in.MetadataOpName(), "/"+stem)
}

// isMadeAnew reports whether a pass made a computation anew, as its name shows: a widened loop, what it took in, a
// partition. Users have the order of the text then.
func isMadeAnew(c *hlo.Computation) bool { return constraint.HasPart(c.Name, "wide.", "sunk", "_spmd") }

// call is one that was inlined: the beginning of op_name that ends in it, and the stack frame, by which two calls of
// one function differ; the zero value is the program.
type call struct{ path, frame string }

// callOf returns the innermost call that an instruction was inlined from.
func (e *Set) callOf(n flat.NodeID) (c call) {
	metadata := e.G.Nodes[n].In.Attr("metadata")
	if v := metadata.Get("op_name"); v != nil {
		c.path = innermostCall(v.Text)
	}
	if frame := metadata.Get("stack_frame_id"); c.path != "" && frame != nil {
		c.frame = frame.Text
	}
	return c
}

// innermostCall returns the beginning of an op_name that ends in the last call of the innermost loop or branch, ""
// where there is none; the first part is the program and is not a call.
func innermostCall(name string) (path string) {
	depth, start := 0, 0
	for i := range len(name) {
		switch c := name[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '/' && depth <= 0:
			part := name[start:i]
			if part == "body" || part == "cond" || strings.HasPrefix(part, "branch_") {
				path = ""
			} else if start > 0 && constraint.HasPart(part, callParts...) {
				path = name[:i]
			}
			start = i + 1
		}
	}
	return path
}

// callParts are what the parts of an op_name contain that stand for inlined calls.
var callParts = []string{"jit(", "checkpoint", "custom_jvp_call", "custom_vjp_call", "closed_call"}
