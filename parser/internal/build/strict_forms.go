package build

import (
	"hlolayout/hlo"
)

// What XLA's parser refuses of an instruction, for some opcodes: a check an opcode. XLA makes some checks when it has
// read the operands, the others when it has read the whole instruction, and names the token that comes next.

// operandChecks return what is wrong with an instruction of which the operands are read, "" if nothing is.
var operandChecks = map[hlo.Opcode]func(in *hlo.Instruction) string{
	hlo.OpAsyncStart: checkAsyncStart, hlo.OpAsyncUpdate: checkAsyncOperand, hlo.OpAsyncDone: checkAsyncOperand,
	hlo.OpConditional: func(in *hlo.Instruction) string {
		s := (*hlo.Shape)(nil)
		if len(in.Operands) > 0 {
			s = in.Operands[0].Shape
		}
		return unless(s != nil && s.IsScalar() && (s.DType == hlo.Pred || s.DType == hlo.S32),
			"its first operand is not a scalar of pred or s32")
	},
}

// instructionChecks return what is wrong with an instruction of which all is read.
var instructionChecks = map[hlo.Opcode]func(in *hlo.Instruction) string{
	hlo.OpAsyncUpdate: checkAsyncChain, hlo.OpAsyncDone: checkAsyncChain,
	hlo.OpCustomCall: checkConstraints,
	hlo.OpReduce:     evenOperands, hlo.OpReduceWindow: evenOperands,
	hlo.OpScatter: func(in *hlo.Instruction) string {
		return unless(len(in.Operands)%2 == 1, "it takes as many updates as operands, and the indices")
	},
	hlo.OpInfeed: func(in *hlo.Instruction) string {
		return unless(in.Shape == nil || in.Shape.IsTuple() && len(in.Shape.Elems) > 0,
			"its shape is not a tuple of the data and a token")
	},
	hlo.OpConcatenate: oneDimension, hlo.OpSort: oneDimension,
	hlo.OpAllToAll: func(in *hlo.Instruction) string {
		return unless(in.Attr("dimensions") == nil || len(in.Attr("dimensions").Elems) <= 1,
			"it takes one dimension or none")
	},
	hlo.OpAllGather: someDimension, hlo.OpAllGatherStart: someDimension, hlo.OpReduceScatter: someDimension,
	hlo.OpGetDimensionSize: someDimension, hlo.OpSetDimensionSize: someDimension,
	hlo.OpCollectivePermute: checkPairs, hlo.OpCollectivePermuteStart: checkPairs,
	hlo.OpSendDone: checkChannel, hlo.OpRecvDone: checkChannel,
	hlo.OpConditional:  checkBranches,
	hlo.OpDynamicSlice: startIndices(1), hlo.OpDynamicUpdateSlice: startIndices(2),
	hlo.OpScan: func(in *hlo.Instruction) string {
		if len(in.Called()) == 1 && in.Called()[0] != nil && len(in.Called()[0].Parameters()) != len(in.Operands) {
			return "it has " + plural(len(in.Operands), "operand") + ", its computation " +
				plural(len(in.Called()[0].Parameters()), "parameter")
		}
		return oneDimension(in)
	},
}

func unless(good bool, msg string) string {
	if good {
		return ""
	}
	return msg
}

// checkOperands refuses an instruction for its operands; t is the parenthesis after them.
func (b *Builder) checkOperands(t Text) {
	in := *b.in
	in.Operands = b.ops
	least, most := in.Opcode.Arity()
	switch in.Opcode {
	case hlo.OpConvolution:
		most = least
	case hlo.OpDot, hlo.OpRngBitGenerator: // counted at the end, if at all
		most = -1
	}
	if least == most && len(b.ops) != least && in.Opcode != hlo.OpAsyncUpdate && in.Opcode != hlo.OpAsyncDone {
		b.fail(b.tokenAfter(b.opText.End), CodeArity, in.OpName()+" "+in.Name+" has "+plural(len(b.ops), "operand"),
			"it takes "+plural(least, "operand"))
		panic(Stop{})
	}
	if check := operandChecks[in.Opcode]; check != nil {
		if msg := check(&in); msg != "" {
			b.fail(b.tokenAfter(t.End), CodeValue, in.OpName()+" "+in.Name+": "+msg, "")
			panic(Stop{})
		}
	}
}

// checkForms runs the check of the opcode, and those of attributes that go by the shape.
func (b *Builder) checkForms(in *hlo.Instruction) {
	msg := ""
	if check := instructionChecks[in.Opcode]; check != nil {
		msg = check(in)
	}
	if v := in.Attr("parameter_replication"); v != nil && in.Shape != nil && msg == "" {
		leaves := 0
		in.Shape.Leaves(func(hlo.Index, *hlo.Shape) { leaves++ })
		if len(v.Elems) != leaves {
			msg = "parameter_replication has " + plural(len(v.Elems), "element") + " for " + plural(leaves, "part")
		}
	}
	at := b.tokenAfter(max(b.operandsEnd, b.attrEnd))
	switch in.Opcode {
	case hlo.OpAllReduce, hlo.OpAllReduceStart, hlo.OpReduceScatter:
		if in.Attr("use_global_device_ids").Bool() && in.Attr("channel_id") == nil {
			msg, at = "use_global_device_ids takes a channel_id", b.tokenAfter(b.opText.End)
		}
	case hlo.OpBroadcast:
		if msg = checkBroadcast(in); msg != "" {
			at = b.tokenAfter(b.operandsEnd)
		}
	}
	code := CodeValue
	if in.Opcode == hlo.OpAsyncUpdate || in.Opcode == hlo.OpAsyncDone {
		code = CodeAsync
	}
	if msg != "" {
		b.fail(at, code, in.OpName()+" "+in.Name+": "+msg, "")
	}
	for name := range in.Attr("control-predecessors").Names() {
		if b.named(name) == nil {
			b.fail(b.keyText.Off, CodeOperand, "no instruction "+quote(name), "")
		}
	}
}

func evenOperands(in *hlo.Instruction) string {
	return unless(len(in.Operands)%2 == 0, "it takes as many initial values as operands")
}

func oneDimension(in *hlo.Instruction) string {
	return unless(in.Attr("dimensions") == nil || len(in.Attr("dimensions").Elems) == 1, "it takes one dimension")
}

// someDimension: XLA takes the first dimension and does not look at others; without any it fails.
func someDimension(in *hlo.Instruction) string {
	return unless(in.Attr("dimensions") == nil || len(in.Attr("dimensions").Elems) > 0, "it takes one dimension")
}

func checkPairs(in *hlo.Instruction) string {
	if v := in.Attr("source_target_pairs"); v != nil {
		for i := range v.Elems {
			if len(v.Elems[i].Elems) != 2 {
				return "source_target_pairs lists something that is not a pair"
			}
		}
	}
	return ""
}

// startIndices checks the operands of a dynamic slice after the first ones: one vector of indices, or a scalar a
// dimension.
func startIndices(first int) func(in *hlo.Instruction) string {
	return func(in *hlo.Instruction) string {
		n := len(in.Operands) - first
		if n < 0 {
			return "it takes at least " + plural(first, "operand")
		}
		rank := in.Operands[0].Shape.Rank()
		return unless(n == rank || n == 1 && in.Operands[first].Shape.Rank() == 1, "it has "+plural(n,
			"start index")+" for "+plural(rank, "dimension"))
	}
}

// checkChannel refuses the end of a transfer whose channel is not that of its start.
func checkChannel(in *hlo.Instruction) string {
	if len(in.Operands) == 0 || in.Operands[0].Opcode != hlo.OpSend && in.Operands[0].Opcode != hlo.OpRecv {
		return "" // it is started in a tuple, such as a loop's
	}
	channel := func(in *hlo.Instruction) int64 {
		n, _ := in.Attr("channel_id").Int()
		return n
	}
	return unless(channel(in) == channel(in.Operands[0]), "its channel is not that of "+in.Operands[0].Name)
}

// lacksBranches returns the attributes for its branches that a conditional lacks.
func lacksBranches(in *hlo.Instruction) (names []string) {
	keys := []string{"branch_computations"}
	if len(in.Operands) > 0 && in.Operands[0].Shape != nil && in.Operands[0].Shape.DType == hlo.Pred {
		keys = []string{"true_computation", "false_computation"}
	}
	for _, key := range keys {
		if in.Attr(key) == nil {
			names = append(names, key)
		}
	}
	return names
}

func checkBranches(in *hlo.Instruction) string {
	return unless(len(in.Called()) == len(in.Operands)-1, "it has "+plural(len(in.Called()),
		"branch")+" for "+plural(len(in.Operands)-1, "operand"))
}

func checkAsyncStart(in *hlo.Instruction) string {
	s := in.Shape
	return unless(s == nil || s.IsTuple() && len(s.Elems) >= 2 && s.Elems[0].IsTuple(),
		"its shape is not of the form ((operands), result, state)")
}

// checkAsyncOperand refuses an update or done that does not continue an async operation.
func checkAsyncOperand(in *hlo.Instruction) string {
	return unless(len(in.Operands) == 1 && (in.Operands[0].Opcode == hlo.OpAsyncStart ||
		in.Operands[0].Opcode == hlo.OpAsyncUpdate),
		"its operand must be one async operation")
}

// checkAsyncChain refuses an update or done that is of another operation, thread, computation or shape than what it
// continues.
func checkAsyncChain(in *hlo.Instruction) string {
	if len(in.Operands) != 1 {
		return ""
	}
	start := in.Operands[0]
	for start.Opcode == hlo.OpAsyncUpdate && len(start.Operands) > 0 {
		start = start.Operands[0]
	}
	sugar, thread := wrapped(in) != hlo.OpUnknown, in.Attr("async_execution_thread")
	switch op := wrapped(start); {
	case in.Opcode == hlo.OpAsyncUpdate && in.Shape != nil && !in.Shape.Equal(in.Operands[0].Shape):
		return "its shape is not that of its operand"
	case sugar && op != hlo.OpUnknown && op != wrapped(in):
		return "it continues an async " + op.String()
	case thread != nil && threadOf(start) != thread.Text:
		return "it runs on another thread than what it continues"
	case len(in.Called()) > 0 && in.Called()[0] != nil && len(start.Called()) > 0 && op == hlo.OpUnknown &&
		in.Called()[0] != start.Called()[0]:
		return "it calls another computation than what it continues"
	}
	return ""
}

// threadOf returns the thread of an async operation: its own attribute, or main.
func threadOf(in *hlo.Instruction) string {
	if v := in.Attr("async_execution_thread"); v != nil {
		return v.Text
	}
	return `"main"`
}

func checkBroadcast(in *hlo.Instruction) string {
	return unless(in.Attr("dimensions") != nil || len(in.Operands) != 1 || in.Operands[0].Shape == nil ||
		in.Operands[0].Shape.IsScalar(),
		"it lacks the attribute dimensions")
}

func checkConstraints(in *hlo.Instruction) string {
	v := in.Attr("operand_layout_constraints")
	if v == nil {
		return ""
	}
	if len(v.Elems) != len(in.Operands) {
		return "operand_layout_constraints has " + plural(len(v.Elems), "shape") + " for " + plural(len(in.Operands),
			"operand")
	}
	for i := range v.Elems {
		if c, o := v.Elems[i].Shape, in.Operands[i].Shape; c != nil && o != nil && !c.Compatible(o) {
			return "operand_layout_constraints has " + c.String() + " for an operand of shape " + o.String()
		}
	}
	return ""
}

// checkAliases refuses an input_output_alias of a result that is not there.
func (b *Builder) checkAliases() {
	v := b.m.Attr("input_output_alias")
	if v == nil || b.m.Entry == nil || b.m.Entry.Root == nil || b.m.Entry.Root.Shape == nil {
		return
	}
	for i := range v.Elems {
		e := &v.Elems[i]
		if e.Kind != hlo.ListValue || e.Open != '{' {
			continue
		}
		if at, ok := e.Ints(); ok && b.m.Entry.Root.Shape.At(hlo.Index(at)) == nil {
			b.fail(b.tokenAfter(uint32(len(b.src))), CodeValue, "input_output_alias: the result has no part "+e.Text,
				"")
		}
	}
}
