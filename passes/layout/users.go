package layout

import (
	"hlolayout/hlo"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/ordering"
	"slices"
	"strings"
)

// orderUses puts the users of each value in the order of the compiler's list. The list is in the order in which users
// were made; where one is removed, the last one takes its place. Where an earlier pass replaced the only user by
// several, appended after it, the last of them is therefore first: [old] becomes [old, a, b, c], then [c, a, b].
func (e *engine) orderUses() {
	for n := range int32(len(e.g.Nodes) - 1) {
		us := e.g.Users(n)
		if len(us) > 1 && us[0].Node != us[len(us)-1].Node && e.replacedUser(n, us) {
			last := slices.IndexFunc(us, func(u flat.Use) bool { return u.Node == us[len(us)-1].Node })
			rotated := slices.Concat(us[last:], us[:last])
			copy(us, rotated)
		}
	}
}

// replacedUser reports whether the text shows that the users of a value stand for a single one that is gone.
func (e *engine) replacedUser(n int32, us []flat.Use) bool {
	return e.on(ruleUsersReshape) && e.reshapedAlike(n, us) || e.on(ruleUsersMade) && madeByCompiler(e.g.Nodes[n].In) ||
		e.on(ruleUsersCall) && e.calledAlike(n, us)
}

// reshapedAlike reports whether all users lead, through elementwise single users, to reshapes to one shape that only
// add or drop dimensions of size 1.
func (e *engine) reshapedAlike(n int32, us []flat.Use) bool {
	s := e.g.ShapeOf(n)
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
func (e *engine) reshapedTo(n int32, s *hlo.Shape) *hlo.Shape {
	for ; n >= 0; n = e.g.SingleUser(n) {
		switch nd := &e.g.Nodes[n]; {
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
func madeByCompiler(in *hlo.Instruction) bool {
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
func (e *engine) calledAlike(n int32, us []flat.Use) bool {
	in := e.g.Nodes[n].In
	o := opName(in)
	base, _, _ := strings.Cut(stem(in.Name), "-")
	if o == "" || o[strings.LastIndexByte(o, '/')+1:] != base {
		return false
	}
	own := callsIn(o)
	call := ""
	for _, u := range us {
		calls := callsIn(opName(e.g.Nodes[u.Node].In))
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

// callsIn lists the calls of an op_name, each as the beginning of op_name that ends in it; the first part is the
// program and is no call.
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
			if start > 0 && (part == "closed_call" || slices.ContainsFunc(callParts, func(p string) bool { return strings.Contains(part, p) })) {
				out = append(out, o[:i])
			}
			start = i + 1
		}
	}
	return out
}
