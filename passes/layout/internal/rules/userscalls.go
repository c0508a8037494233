package rules

import (
	"iter"
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

// origin is where an instruction was inlined from, as its metadata says: the outermost call, the outermost function,
// and the place where that is called; the zero value for an instruction of the program itself.
type origin struct {
	call, function string
	place          place
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
	for call := range callsIn(opName(in)) {
		if from.call == "" {
			from.call = call
		}
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

// callsIn yields the calls of an op_name, each as the beginning of op_name that ends in it; the first part is the
// program and is not a call.
func callsIn(o string) iter.Seq[string] {
	return func(yield func(string) bool) {
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
				if start > 0 && slices.ContainsFunc(callParts, func(p string) bool { return strings.Contains(part, p) }) &&
					!yield(o[:i]) {
					return
				}
				start = i + 1
			}
		}
	}
}
