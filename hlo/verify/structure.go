package verify

import (
	"slices"

	"hlolayout/hlo"
)

// structure checks the instructions of a computation as a list: names, parameter numbers, order. It is false if the
// operands are not all instructions of comp, so that use lists cannot be made.
func (c *checker) structure(comp *hlo.Computation) (usable bool) {
	usable = true
	if comp.Root == nil {
		c.addAt(comp.Pos, VER408, "computation %%%s has no root", comp.Name)
	}
	byName := make(map[string]*hlo.Instruction, len(comp.Instructions))
	var params []*hlo.Instruction
	for _, in := range comp.Instructions {
		if byName[in.Name] != nil {
			c.add(in, VER407, "computation %%%s has two instructions of this name", comp.Name)
		}
		byName[in.Name] = in
		if in.Opcode == hlo.OpParameter {
			params = append(params, in)
		}
	}
	c.parameterNumbers(comp, params)
	for _, in := range comp.Instructions {
		for i, o := range in.Operands {
			switch {
			case o == nil:
				usable = false
			case o.Computation != comp || int(o.Index) >= len(comp.Instructions) || comp.Instructions[o.Index] != o:
				usable = false
				c.add(in, VER409, "operand %d, %%%s, is not an instruction of this computation", i, o.Name)
			case o.Index >= in.Index:
				c.add(in, VER409, "operand %d, %%%s, is defined after it", i, o.Name)
			}
		}
		for name := range in.Attr("control-predecessors").Names() {
			switch p := byName[name]; {
			case p == nil:
				c.add(in, VER409, "its control predecessor %%%s is not in the computation", name)
			case p.Index >= in.Index:
				c.add(in, VER409, "its control predecessor %%%s is defined after it", name)
			}
		}
	}
	return usable
}

// parameterNumbers fails unless the parameters have the numbers 0, 1, 2 ... each once.
func (c *checker) parameterNumbers(comp *hlo.Computation, params []*hlo.Instruction) {
	seen := make([]bool, len(params))
	for _, p := range params {
		switch n := int(p.Parameter); {
		case n < 0 || n >= len(params):
			c.add(p, VER406, "it has number %d, but computation %%%s has %s", n, comp.Name,
				plural(len(params), "parameter"))
		case seen[n]:
			c.add(p, VER406, "computation %%%s has two parameters with number %d", comp.Name, n)
		default:
			seen[n] = true
		}
	}
}

// role checks a computation against what calls it: a fusion or an async operation.
func (c *checker) role(comp *hlo.Computation, uses hlo.Uses) {
	fusions, starts := 0, 0
	for _, in := range c.callers[comp] {
		switch in.Opcode {
		case hlo.OpFusion:
			if fusions++; fusions > 1 {
				c.add(in, VER207, "computation %%%s is the body of another fusion too", comp.Name)
			}
		case hlo.OpAsyncStart:
			if startsIt(in, comp) {
				starts++
			}
		}
	}
	if fusions > 0 && comp.Root != nil {
		for _, in := range comp.Instructions {
			switch used := len(uses.Of(in)) > 0; {
			case in == comp.Root && used:
				c.add(in, VER207, "it is the root of the fusion computation %%%s and has users", comp.Name)
			case in != comp.Root && !used && !sideEffect(in):
				c.add(in, VER207, "nothing in the fusion computation %%%s uses it", comp.Name)
			}
		}
	}
	// libtpu looks into the main thread only: other cores' programs may be long.
	if starts > 0 && thread(comp.Attr("execution_thread")) == mainThread && !c.asyncBody(comp) {
		c.addAt(comp.Pos, VER207, "the async computation %%%s holds more than its root and parameters", comp.Name)
	}
}

// fused reports whether comp is the body of a fusion.
func (c *checker) fused(comp *hlo.Computation) bool {
	return slices.ContainsFunc(c.callers[comp], func(in *hlo.Instruction) bool { return in.Opcode == hlo.OpFusion })
}

// startsIt reports whether comp is what the async-start wraps. A call-start wraps the call, not what that calls.
func startsIt(in *hlo.Instruction, comp *hlo.Computation) bool {
	return in.Opcode == hlo.OpAsyncStart && in.OpText() == "" && in.CalledBy("calls") == comp
}

// sideEffect reports whether an instruction does something even if nobody uses its result (HasSideEffectNoRecurse).
func sideEffect(in *hlo.Instruction) bool {
	switch in.Opcode {
	case hlo.OpSend, hlo.OpSendDone, hlo.OpRecv, hlo.OpRecvDone, hlo.OpRng, hlo.OpRngGetAndUpdateState, hlo.OpInfeed,
		hlo.OpOutfeed, hlo.OpAllReduceStart, hlo.OpAllReduceDone, hlo.OpAllGatherStart, hlo.OpAllGatherDone,
		hlo.OpCollectivePermuteStart, hlo.OpCollectivePermuteDone, hlo.OpSetDimensionSize, hlo.OpUnknown:
		return true
	case hlo.OpCustomCall:
		return in.Attr("custom_call_has_side_effect").Bool()
	}
	return in.Attr("constrain_layout").Bool()
}

// asyncBody reports whether comp may be wrapped in an async operation: parameters and a root, nothing but transfers,
// nothing but tuple elements, or a group of collectives.
func (c *checker) asyncBody(comp *hlo.Computation) bool {
	for _, in := range c.callers[comp] {
		if in.Attr("frontend_attributes").Get("_collectives_group") != nil {
			return true
		}
	}
	others := slices.DeleteFunc(slices.Clone(comp.Instructions), func(in *hlo.Instruction) bool {
		return in == comp.Root || in.Opcode == hlo.OpParameter
	})
	only := func(ops ...hlo.Opcode) bool {
		return !slices.ContainsFunc(others, func(in *hlo.Instruction) bool { return !slices.Contains(ops, in.Opcode) })
	}
	return only() || only(hlo.OpGetTupleElement) ||
		only(hlo.OpSend, hlo.OpRecv, hlo.OpSendDone, hlo.OpRecvDone, hlo.OpTuple, hlo.OpAfterAll, hlo.OpGetTupleElement)
}

// threads fails unless the computations that in calls run on in's own thread; those of an async operation on its
// async_execution_thread. As libtpu, it looks into the main thread only.
func (c *checker) threads(in *hlo.Instruction) {
	own := mainThread
	switch {
	case len(in.Called()) == 0 || in.OpText() != "" || thread(in.Computation.Attr("execution_thread")) != mainThread:
		return
	case in.Opcode == hlo.OpAsyncUpdate || in.Opcode == hlo.OpAsyncDone:
		return
	case in.Opcode == hlo.OpAsyncStart:
		own = thread(in.Attr("async_execution_thread"))
	}
	for _, comp := range in.Called() {
		if t := thread(comp.Attr("execution_thread")); t != own {
			c.add(in, VER208, "computation %%%s runs on thread %q, it on %q", comp.Name, t, own)
			return
		}
	}
}

const mainThread = "main"

// thread returns the name of an execution thread; the main one where the text names none.
func thread(v *hlo.Value) string {
	if v == nil {
		return mainThread
	}
	return unquote(v)
}
