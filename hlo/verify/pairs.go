package verify

import (
	"slices"
	"strings"

	"hlolayout/hlo"
)

// half says what is allowed at the other end of an operation that comes in two halves. users lists the opcodes that
// may use a start, of which there must be exactly one; operands lists what a done may take.
type half struct{ users, operands []hlo.Opcode }

// halfTable is HloVerifier's VerifyAsynchronousInstructionPairs as a table.
var halfTable = [256]half{
	hlo.OpAsyncStart: {users: []hlo.Opcode{hlo.OpAsyncUpdate, hlo.OpAsyncDone}},
	hlo.OpAsyncUpdate: {users: []hlo.Opcode{hlo.OpAsyncUpdate, hlo.OpAsyncDone},
		operands: []hlo.Opcode{hlo.OpAsyncStart, hlo.OpAsyncUpdate}},
	hlo.OpAsyncDone:              {operands: []hlo.Opcode{hlo.OpAsyncStart, hlo.OpAsyncUpdate}},
	hlo.OpAllReduceStart:         {users: []hlo.Opcode{hlo.OpAllReduceDone}},
	hlo.OpAllReduceDone:          {operands: []hlo.Opcode{hlo.OpAllReduceStart}},
	hlo.OpCopyStart:              {users: []hlo.Opcode{hlo.OpCopyDone}},
	hlo.OpCopyDone:               {operands: []hlo.Opcode{hlo.OpCopyStart}},
	hlo.OpCollectivePermuteStart: {users: []hlo.Opcode{hlo.OpCollectivePermuteDone}},
	hlo.OpCollectivePermuteDone:  {operands: []hlo.Opcode{hlo.OpCollectivePermuteStart}},
	hlo.OpSend:                   {users: []hlo.Opcode{hlo.OpSendDone, hlo.OpTuple}},
	hlo.OpSendDone:               {operands: []hlo.Opcode{hlo.OpSend, hlo.OpGetTupleElement}},
	hlo.OpRecv:                   {users: []hlo.Opcode{hlo.OpRecvDone, hlo.OpTuple}},
	hlo.OpRecvDone:               {operands: []hlo.Opcode{hlo.OpRecv, hlo.OpGetTupleElement}},
}

// pairs checks that the two halves of copies, transfers and collectives belong together.
func (c *checker) pairs(in *hlo.Instruction, uses hlo.Uses) {
	h := halfTable[in.Opcode]
	if len(h.operands) > 0 && len(in.Operands) > 0 && !slices.Contains(h.operands, in.Operands[0].Opcode) {
		c.add(in, VER502, "operand 0 is the %s %%%s; it must be %s", in.Operands[0].OpName(), in.Operands[0].Name,
			names(h.operands))
	}
	if len(h.users) > 0 && !(in.IsRoot() && c.wrapped(in.Computation)) {
		users := 0
		var user *hlo.Instruction
		for _, u := range uses.Of(in) {
			if u.User != user {
				users++
			}
			user = u.User
		}
		switch {
		case users != 1:
			c.add(in, VER501, "it has %s; it must have 1: %s", plural(users, "user"), names(h.users))
		case !slices.Contains(h.users, user.Opcode):
			c.add(in, VER501, "its user is the %s %%%s; it must be %s", user.OpName(), user.Name, names(h.users))
		}
	}
	if len(in.Operands) == 0 {
		return
	}
	start := in.Operands[0]
	switch in.Opcode {
	case hlo.OpSendDone, hlo.OpRecvDone:
		c.sameChannel(in, start)
	case hlo.OpAsyncUpdate, hlo.OpAsyncDone:
		c.sameChain(in, chainStart(in))
	}
}

// wrapped reports whether comp is what an async operation wraps: its root then has no user.
func (c *checker) wrapped(comp *hlo.Computation) bool {
	return slices.ContainsFunc(c.callers[comp], func(in *hlo.Instruction) bool { return startsIt(in, comp) })
}

// sameChannel fails unless both halves of a send or recv have one channel and one kind of transfer.
func (c *checker) sameChannel(done, start *hlo.Instruction) {
	if start.Opcode != hlo.OpSend && start.Opcode != hlo.OpRecv || start.Attr("channel_id") == nil {
		return
	}
	if a, b := word(done, "channel_id"), word(start, "channel_id"); a != b {
		c.add(done, VER503, "its channel_id is %q, that of %%%s %q", a, start.Name, b)
	}
	if done.Attr("is_host_transfer").Bool() != start.Attr("is_host_transfer").Bool() {
		c.add(done, VER503, "only one of it and %%%s has is_host_transfer=true", start.Name)
	}
}

// sameChain fails unless an async update or done names the operation, computation and thread of the chain, where it
// names one.
func (c *checker) sameChain(in, start *hlo.Instruction) {
	if start == nil {
		return
	}
	if a, ok := wrappedOpcode(in); ok {
		if b, ok := wrappedOpcode(start); ok && a != b {
			c.add(in, VER504, "it ends a %s, but %%%s begins a %s", a, start.Name, b)
		}
	}
	if a, b := in.CalledBy("calls"), start.CalledBy("calls"); a != nil && b != nil && a != b {
		c.add(in, VER504, "it calls computation %%%s, but %%%s calls %%%s", a.Name, start.Name, b.Name)
	}
	if v := in.Attr("async_execution_thread"); v != nil && thread(v) != thread(start.Attr("async_execution_thread")) {
		c.add(in, VER504, "it runs on thread %q, but %%%s on %q", thread(v), start.Name,
			thread(start.Attr("async_execution_thread")))
	}
}

// names joins opcodes for messages.
func names(ops []hlo.Opcode) string {
	var out []string
	for _, op := range ops {
		out = append(out, op.String())
	}
	return strings.Join(out, " or ")
}
