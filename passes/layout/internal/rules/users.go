package rules

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"hlolayout/passes/layout/internal/rule"
)

func usersRules(e *Set) rule.Rows {
	return rule.Rows{
		rule.UsersReshape: {Name: "users-reshape", Stage: rule.Propagate, Evidence: []string{"users_reshape"},
			Doc: "The users of a value are followed in the order of the compiler's list, and the last one is " +
				"followed first. Where all of them lead to reshapes to one shape that only add or drop ones, an " +
				"earlier pass moved the reshape after them, and the last user is first (111 arrays of 5 " +
				"programs).", Replaced: e.reshapedAlike},
		rule.UsersMade: {Name: "users-made", Stage: rule.Propagate, Evidence: []string{"attn_b1_h1_d256_grad"},
			Doc: "The same holds for the users of a convolution or reduce that the compiler made, which its name " +
				"shows (24 of 29 and 58 of 63, against 0 of 94 convolutions that the program names). A sign, " +
				"not a mechanism.", Replaced: e.madeByCompiler},
		rule.UsersCall: {Name: "users-call", Stage: rule.Propagate, Evidence: []string{"sym_call"},
			Doc: "And where all users were inlined from one call that the value is not part of, which op_name " +
				"shows (75 of 89 pairs; convolutions 32 of 32).", Replaced: e.calledAlike},
	}
}

// reshapedAlike reports whether all users lead, through elementwise single users, to reshapes to one shape that only
// add or drop dimensions of size 1.
func (e *Set) reshapedAlike(n flat.NodeID, us []flat.Use) bool {
	s := e.G.ShapeOf(n)
	if !s.IsArray() {
		return false
	}
	var to []int64
	for _, u := range us {
		x := e.reshapedTo(u.Node, s)
		if x == nil || to != nil && !slices.Equal(x.Dims, to) {
			return false
		}
		to = x.Dims
	}
	return true
}

// reshapedTo returns the shape of the reshape that a chain of elementwise single users of one size leads to, n being
// the first of them.
func (e *Set) reshapedTo(n flat.NodeID, s *hlo.Shape) *hlo.Shape {
	for ; n >= 0; n = e.G.SingleUser(n) {
		switch nd := &e.G.Nodes[n]; {
		case nd.Op == hlo.OpReshape && ordering.SameSizes(nd.In.Shape.Dims, s.Dims):
			return nd.In.Shape
		case !nd.Elemwise || nd.Tuple || !slices.Equal(nd.In.Shape.Dims, s.Dims):
			return nil
		}
	}
	return nil
}

// madeByCompiler reports whether the name of a convolution or reduce shows that the compiler made it: it is the
// opcode's, and not what the program's own name for the operation, in op_name, ends in.
func (e *Set) madeByCompiler(n flat.NodeID, _ []flat.Use) bool {
	in := e.G.Nodes[n].In
	if in.Opcode != hlo.OpReduce && in.Opcode != hlo.OpConvolution {
		return false
	}
	base := stem(in.Name)
	if base != in.Opcode.String() && !strings.HasPrefix(base, in.Opcode.String()+"-") {
		return false
	}
	o := opName(in)
	return o == "" || o[strings.LastIndexByte(o, '/')+1:] != base
}

// calledAlike reports whether all users were inlined from one call that the value is not part of.
func (e *Set) calledAlike(n flat.NodeID, us []flat.Use) bool {
	in := e.G.Nodes[n].In
	o := opName(in)
	base, _, _ := strings.Cut(stem(in.Name), "-")
	if o == "" || o[strings.LastIndexByte(o, '/')+1:] != base {
		return false
	}
	own := e.callsOf(o)
	call := ""
	for _, u := range us {
		calls := e.callsOf(opName(e.G.Nodes[u.Node].In))
		k := slices.IndexFunc(calls, func(c string) bool { return !slices.Contains(own, c) })
		if k < 0 || call != "" && calls[k] != call {
			return false
		}
		call = calls[k]
	}
	return true
}

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

// callParts are what the parts of an op_name contain that stand for inlined calls.
var callParts = []string{"jit(", "checkpoint", "custom_jvp_call", "custom_vjp_call"}

// callsOf is callsIn, noted for each name: many instructions have one.
func (e *Set) callsOf(o string) []string {
	calls, known := e.calls[o]
	if !known {
		calls = callsIn(o)
		e.calls[o] = calls
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
			if start > 0 && (part == "closed_call" ||
				slices.ContainsFunc(callParts, func(p string) bool { return strings.Contains(part, p) })) {
				out = append(out, o[:i])
			}
			start = i + 1
		}
	}
	return out
}
