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

// lastFirst is the list of users that took the place of a single one.
func lastFirst(users []flat.NodeID) []flat.NodeID {
	last := len(users) - 1
	return slices.Concat(users[last:], users[:last])
}

// swapped is the list of users of which two changed places.
func swapped(users []flat.NodeID, i, j int) []flat.NodeID {
	users = slices.Clone(users)
	users[i], users[j] = users[j], users[i]
	return users
}

// apart takes the users out of a list for which is holds.
func apart(users []flat.NodeID, is func(i int, u flat.NodeID) bool) (others, taken []flat.NodeID) {
	for i, u := range users {
		if is(i, u) {
			taken = append(taken, u)
		} else {
			others = append(others, u)
		}
	}
	return others, taken
}

// isMadeAnew reports whether a pass made a node's computation anew, as its name shows: users then have the order of the
// text.
func (e *Set) isMadeAnew(n flat.NodeID) bool {
	name := e.G.Comps[e.G.Nodes[n].Comp].Computation.Name
	return strings.Contains(name, "wide.") || strings.Contains(name, "sunk") || strings.Contains(name, "_spmd")
}

// source is what the name and the metadata of an instruction say, its strings as numbers: the rules compare them for
// every instruction.
type source struct {
	*inlining
	metadata *hlo.Value
	number   int
	stem     int32
	named    bool // it has the name that the program gives it: its operation's
	made     bool // the compiler made it: its name is its opcode's, and not the program's
}

// inlining is where instructions were inlined from, as all but the last part of op_name says; the zero value for
// instructions of the program itself.
type inlining struct {
	calls    []int32 // see callsIn
	function bool    // a call is one of a function
	variance bool    // a call is one of jnp.var
	forward  bool    // of a derivative, the part that keeps what the other one reads
}

// sources are those of all instructions.
type sources struct {
	of      []source // by node
	known   bool     // an instruction has an op_name
	recent  []bool   // by node: see isRecent
	numbers map[string]int32
	within  map[string]*inlining // by all of op_name but its last part
	origins map[*hlo.Value]origin
}

// mostOrigins is how many metadata are kept: where instructions share theirs, there are not so many, and where each has
// its own, they would be kept for nothing.
const mostOrigins = 4096

// origin is what op_name says.
type origin struct {
	*inlining
	operation string
}

func newSources() sources {
	return sources{numbers: map[string]int32{}, within: map[string]*inlining{}, origins: map[*hlo.Value]origin{}}
}

// number returns the number of a string, from 1.
func (s *sources) number(text string) int32 {
	n, known := s.numbers[text]
	if !known {
		n = int32(len(s.numbers) + 1)
		s.numbers[text] = n
	}
	return n
}

// readSources notes the source of every instruction.
func (e *Set) readSources() {
	e.sources = newSources()
	e.sources.of = make([]source, len(e.G.Nodes)-1)
	for n := range e.sources.of {
		e.sources.of[n] = e.sources.read(e.G.Nodes[n].In)
	}
	e.findRecent()
}

// read returns the source of an instruction.
func (s *sources) read(in *hlo.Instruction) (x source) {
	x.metadata = in.Attr("metadata")
	from, known := s.origins[x.metadata]
	if !known {
		calls, operation := x.opName()
		from = origin{s.inlinedFrom(calls), operation}
		if len(s.origins) < mostOrigins {
			s.origins[x.metadata] = from
		}
	}
	var stem string
	stem, x.number = constraint.Numbered(in.Name)
	x.inlining, x.stem, x.named = from.inlining, s.number(stem), from.operation == stem
	x.made = !x.named && stem == in.Opcode.String()
	s.known = s.known || from.operation != ""
	return x
}

// opName returns the op_name of an instruction, as it is written, in two parts, the last of which is its operation, ""
// for the only one.
func (x *source) opName() (calls, operation string) {
	v := x.metadata.Get("op_name")
	if v == nil || len(v.Text) < 2 {
		return "", ""
	}
	name := v.Text[1 : len(v.Text)-1]
	last := strings.LastIndexByte(name, '/') + 1
	if last > 0 {
		operation = name[last:]
	}
	return name[:last], operation
}

// isOf reports whether an instruction is of one of the program's operations of these names.
func (x *source) isOf(operations ...string) bool {
	_, own := x.opName()
	return slices.Contains(operations, own)
}

func (e *Set) isMade(n flat.NodeID) bool { return e.sources.of[n].made }

// isComputedAnew reports whether the compiler computed a node's computation anew after calls were inlined, so that its
// name has the number 0.
func (e *Set) isComputedAnew(n flat.NodeID) bool {
	_, number := constraint.Numbered(e.G.Comps[e.G.Nodes[n].Comp].Computation.Name)
	return number == 0
}

// isOld reports whether an instruction was copied with its computation, as the name shows, and not made since.
func (e *Set) isOld(n flat.NodeID) bool {
	return (e.isComputedAnew(n) || e.isMadeAnew(n)) && !e.isRecent(n)
}

// isRecent reports whether an instruction may have been made after its computation was copied, which numbers each kind
// of instruction in the order of the text: one after it has a smaller number, or it is the last one and its number does
// not follow.
func (e *Set) isRecent(n flat.NodeID) bool { return e.sources.recent[n] }

func (e *Set) findRecent() {
	type kind struct { // the instructions of one stem that come after the present one in its computation
		least int
		last  flat.NodeID
		comp  int // 1 + its number
	}
	of := e.sources.of
	recent, kinds := make([]bool, len(of)), make([]kind, len(e.sources.numbers)+1)
	for ci, c := range e.G.Comps {
		for n := c.End - 1; n >= c.First; n-- {
			k := &kinds[of[n].stem]
			after := k.comp == ci+1
			if recent[n] = !after || of[n].number > k.least; recent[n] && after {
				continue
			}
			if !after {
				k.last, k.comp = n, ci+1
			} else if k.least == of[k.last].number {
				recent[k.last] = of[k.last].number != of[n].number+1
			}
			k.least = of[n].number
		}
	}
	e.sources.recent = recent
}

// inlinedFrom returns what the first part of an op_name says.
func (s *sources) inlinedFrom(calls string) *inlining {
	x := s.within[calls]
	if x != nil {
		return x
	}
	x = &inlining{}
	s.within[calls] = x
	for _, call := range callsIn(calls) {
		x.calls = append(x.calls, s.number(call))
		x.function = x.function || strings.Contains(call[strings.LastIndexByte(call, '/')+1:], "jit(")
		x.variance = x.variance || strings.HasSuffix(strings.TrimRight(call, ")"), "jit(_var")
	}
	inLoop := calls[strings.LastIndex(calls, "/while/")+1:]
	x.forward = strings.Contains(inLoop, "jvp(") && !strings.Contains(inLoop, "transpose(")
	return x
}

// frame returns the stack frame of an instruction that was inlined from a function, "" for none.
func (x *source) frame() string {
	if frame := x.metadata.Get("stack_frame_id"); frame != nil && x.function {
		return frame.Text
	}
	return ""
}

// line returns the number of the stack frame of an instruction, 0 for none.
func (x *source) line() int64 {
	k, _ := x.metadata.Get("stack_frame_id").Int()
	return k
}

// callsIn lists the calls of an op_name in the innermost loop or branch, each as the beginning of op_name that ends in
// it; the first part is the program and is not a call.
func callsIn(o string) (out []string) {
	depth, start := 0, 0
	for i := range len(o) {
		switch c := o[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '/' && depth <= 0:
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

// clampsApart takes the clamps that the compiler made of a max and a min from a list of users, where the max is still
// there: they read what the max reads since then.
func (e *Set) clampsApart(users []flat.NodeID) (others, clamps []flat.NodeID) {
	if !slices.ContainsFunc(users, func(u flat.NodeID) bool {
		return e.G.Nodes[u].Op == hlo.OpMaximum || e.G.Nodes[u].Op == hlo.OpMinimum
	}) {
		return users, nil
	}
	return apart(users, func(_ int, u flat.NodeID) bool {
		return e.G.Nodes[u].Op == hlo.OpClamp && e.sources.of[u].isOf("min", "max")
	})
}
