package rules

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// stem is a name without its number.
func stem(name string) string {
	base, _, _ := strings.Cut(name, ".")
	return base
}

// opName is the op_name of an instruction's metadata: the program's calls, outermost first, and the operation.
func opName(in *hlo.Instruction) string {
	v := in.Attr("metadata").Get("op_name")
	if v == nil {
		return ""
	}
	return strings.Trim(v.Text, `"`)
}

// callParts are what the parts of an op_name contain that stand for inlined calls. The call that JAX
// names in a loop's body is none: the order of users shows one in 18 of 226 lists.
var callParts = []string{"jit(", "checkpoint", "custom_jvp_call", "custom_vjp_call"}

// callsOf is callsIn of an instruction's op_name, noted for each metadata: many instructions have one.
func (e *Set) callsOf(in *hlo.Instruction) []string {
	metadata := in.Attr("metadata")
	calls, known := e.calls[metadata]
	if !known {
		calls = callsIn(opName(in))
		e.calls[metadata] = calls
	}
	return calls
}

// callsIn lists the calls of an op_name, each as the beginning of op_name that ends in it; the first part is the
// program and is not a call.
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
			if start > 0 && slices.ContainsFunc(callParts, func(p string) bool { return strings.Contains(part, p) }) {
				out = append(out, o[:i])
			}
			start = i + 1
		}
	}
	return out
}
