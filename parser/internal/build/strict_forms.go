package build

import (
	"strings"

	"hlolayout/hlo"
)

// What XLA's parser refuses when it has read an instruction, for some opcodes: a check an opcode.

// instructionChecks return what is wrong with an instruction, "" if nothing is.
var instructionChecks = map[hlo.Opcode]func(in *hlo.Instruction) string{
	hlo.OpAsyncStart: checkAsyncStart, hlo.OpAsyncUpdate: checkAsyncPart, hlo.OpAsyncDone: checkAsyncPart,
	hlo.OpBroadcast: checkBroadcast, hlo.OpCustomCall: checkConstraints,
	hlo.OpAllReduce: checkDeviceIDs, hlo.OpAllReduceStart: checkDeviceIDs, hlo.OpAllGather: checkDeviceIDs,
	hlo.OpAllGatherStart: checkDeviceIDs, hlo.OpReduceScatter: checkDeviceIDs,
	hlo.OpReduce: func(in *hlo.Instruction) string {
		return unless(len(in.Operands)%2 == 0, "it takes as many initial values as operands")
	},
	hlo.OpScatter: func(in *hlo.Instruction) string {
		return unless(len(in.Operands)%2 == 1, "it takes as many updates as operands, and the indices")
	},
	hlo.OpInfeed: func(in *hlo.Instruction) string {
		return unless(in.Shape == nil || in.Shape.IsTuple() && len(in.Shape.Elems) > 0,
			"its shape is not a tuple of the data and a token")
	},
}

func unless(good bool, msg string) string {
	if good {
		return ""
	}
	return msg
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
	if msg != "" {
		b.fail(b.tokenAfter(max(b.operandsEnd, b.attrEnd)), CodeValue, in.OpName()+" "+in.Name+": "+msg, "")
	}
	if v := in.Attr("control-predecessors"); v != nil {
		for i := range v.Elems {
			if name := strings.TrimPrefix(v.Elems[i].Text, "%"); b.named(name) == nil {
				b.fail(b.keyText.Off, CodeOperand, "no instruction "+quote(name), "")
			}
		}
	}
}

func checkAsyncStart(in *hlo.Instruction) string {
	s := in.Shape
	return unless(s == nil || s.IsTuple() && len(s.Elems) >= 2 && s.Elems[0].IsTuple(),
		"its shape is not of the form ((operands), result, state)")
}

// checkAsyncPart refuses an update or done that does not continue an async operation, or runs on another thread.
func checkAsyncPart(in *hlo.Instruction) string {
	if len(in.Operands) == 0 || in.Operands[0].Opcode != hlo.OpAsyncStart &&
		in.Operands[0].Opcode != hlo.OpAsyncUpdate {
		return "its first operand must be an async operation"
	}
	if in.OpText == "" || in.Attr("async_execution_thread") == nil {
		return ""
	}
	return unless(threadOf(in) == threadOf(in.Operands[0]), "it runs on another thread than what it continues")
}

// threadOf returns the thread of an async operation: its own attribute, that of what it continues, or main.
func threadOf(in *hlo.Instruction) string {
	for ; ; in = in.Operands[0] {
		if v := in.Attr("async_execution_thread"); v != nil {
			return v.Text
		}
		if in.Opcode == hlo.OpAsyncStart || len(in.Operands) == 0 {
			return `"main"`
		}
	}
}

func checkBroadcast(in *hlo.Instruction) string {
	return unless(in.Attr("dimensions") != nil || len(in.Operands) != 1 || in.Operands[0].Shape == nil ||
		in.Operands[0].Shape.IsScalar(), "it lacks the attribute dimensions")
}

func checkConstraints(in *hlo.Instruction) string {
	v := in.Attr("operand_layout_constraints")
	if v == nil {
		return ""
	}
	if len(v.Elems) != len(in.Operands) {
		return "operand_layout_constraints has " + plural(len(v.Elems), "shape") + " for " +
			plural(len(in.Operands), "operand")
	}
	for i := range v.Elems {
		if c, o := v.Elems[i].Shape, in.Operands[i].Shape; c != nil && o != nil && !c.Compatible(o) {
			return "operand_layout_constraints has " + c.String() + " for an operand of shape " + o.String()
		}
	}
	return ""
}

func checkDeviceIDs(in *hlo.Instruction) string {
	return unless(!in.Attr("use_global_device_ids").Bool() || in.Attr("channel_id") != nil,
		"use_global_device_ids takes a channel_id")
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
			b.fail(uint32(b.m.Entry.Pos), CodeValue, "input_output_alias: the result has no part "+e.Text, "")
		}
	}
}
