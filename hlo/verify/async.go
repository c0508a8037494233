package verify

import (
	"hlolayout/hlo"
)

var asyncRules = []rule{hlo.OpAsyncStart: asyncStart, hlo.OpAsyncUpdate: asyncUpdate,
	hlo.OpAsyncDone: asyncDone}

// asyncParts splits the shape of an async start or update: the tuple of operands and the result.
func asyncParts(s *hlo.Shape) (args []*hlo.Shape, result *hlo.Shape, err error) {
	a, result := s.At(hlo.Index{0}), s.At(hlo.Index{1})
	if a == nil || result == nil || !a.IsTuple() {
		return nil, nil, fail(VER206, "the async shape is %s; it must be a tuple of the operands' tuple, the result "+
			"and any state", bare(s))
	}
	return a.Elems, result, nil
}

// asyncStart checks ((operands), result, state...) against the operands and what is wrapped: the computation of
// calls=, or the operation of a short form such as slice-start.
func asyncStart(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	args, result, err := asyncParts(s)
	if err != nil {
		return nil, err
	}
	same := agreementIn(in.Computation)
	if err := bound(args, operands(in, 0), 0, same); err != nil {
		return nil, err
	}
	op, short := wrappedOpcode(in)
	if comp := wrappedComputation(in); comp != nil {
		if err := wraps(comp, args, result); err != nil {
			return nil, err
		}
	} else if short && !(result.IsTuple() && len(result.Elems) == 0) { // a result of () is bound later
		inner := *in
		inner.Opcode, inner.Shape = op, result
		inner.SetOpText("")
		want, err := infer(&inner)
		if err != nil {
			return nil, err
		}
		if want != nil && !compatible(want, result) {
			return nil, fail(VER206, "its operands and attributes give %s, but the async shape has the result %s",
				bare(want), bare(result))
		}
	}
	if op == hlo.OpCustomCall || op == hlo.OpFusion {
		return s, nil // the aliasing is that of the wrapped operation
	}
	return s, aliasing(in, same)
}

// wrappedComputation returns the computation that an async operation runs: that of calls=, or of the call that a
// call-start stands for; nil if it has none.
func wrappedComputation(in *hlo.Instruction) *hlo.Computation {
	if op, ok := wrappedOpcode(in); ok && op == hlo.OpCall {
		return in.CalledBy("to_apply")
	} else if ok {
		return nil
	}
	return in.CalledBy("calls")
}

// bound fails unless args are the shapes of the operands, of which the first has the given number.
func bound(args, operands []*hlo.Shape, first int, same agreement) error {
	if len(args) != len(operands) {
		return fail(VER206, "the async shape has %s, but it is given %d", plural(len(args), "operand"), len(operands))
	}
	for i, o := range operands {
		if !same(o, args[i]) {
			given, taken := texts(o, args[i])
			return fail(unlike(VER206, o, args[i]), "operand %d is %s, but the async shape has %s for it", first+i,
				given, taken)
		}
	}
	return nil
}

// wraps fails unless the operands and the result of an async shape are those of the computation. A start may bind only
// the first operands and results; updates bind the rest, and a done returns all results.
func wraps(comp *hlo.Computation, args []*hlo.Shape, result *hlo.Shape) error {
	sig, err := signatureOf(comp)
	if err != nil {
		return err
	}
	if len(args) > len(sig.params) {
		return sig.takesParams(len(args))
	}
	for i, a := range args {
		if !sig.same(a, sig.params[i]) {
			given, taken := texts(a, sig.params[i])
			return fail(unlike(VER206, a, sig.params[i]), "the async shape has %s for operand %d, but parameter %d "+
				"of computation %%%s is %s", given, i, i, comp.Name, taken)
		}
	}
	if sig.same(result, sig.result) {
		return nil
	}
	results := []*hlo.Shape{sig.result}
	if sig.result.IsTuple() {
		results = sig.result.Elems
	}
	if result.IsTuple() && len(result.Elems) <= len(results) &&
		sig.same(result, hlo.NewTuple(results[:len(result.Elems)]...)) {
		return nil
	}
	has, returns := texts(result, sig.result)
	return fail(unlike(VER206, result, sig.result),
		"the async shape has the result %s, but computation %%%s returns %s", has, comp.Name, returns)
}

// wrappedOpcode returns the operation that a short async form stands for.
func wrappedOpcode(in *hlo.Instruction) (hlo.Opcode, bool) {
	if in.OpText() == "" {
		return hlo.OpUnknown, false
	}
	_, wrapped, ok := hlo.ParseAsync(in.OpText())
	return wrapped, ok
}

// chainStart returns the async-start that an update or done belongs to, nil if there is none.
func chainStart(in *hlo.Instruction) *hlo.Instruction {
	for i := 0; in.Opcode == hlo.OpAsyncUpdate || in.Opcode == hlo.OpAsyncDone; i++ {
		if len(in.Operands) == 0 || i > 1<<16 {
			return nil
		}
		in = in.Operands[0]
	}
	if in.Opcode != hlo.OpAsyncStart {
		return nil
	}
	return in
}

// asyncUpdate passes its operand's shape on; further operands are bound after those that are bound already.
func asyncUpdate(in *hlo.Instruction) (*hlo.Shape, error) {
	before := in.Operands[0].Shape
	args, _, err := asyncParts(before)
	if err != nil || len(in.Operands) == 1 {
		return before, err
	}
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	all, result, err := asyncParts(s)
	if err != nil {
		return nil, err
	}
	if err := bound(all, append(args[:len(args):len(args)], operands(in, 1)...), 1-len(args),
		agreementIn(in.Computation)); err != nil {
		return nil, err
	}
	if start := chainStart(in); start != nil {
		if comp := wrappedComputation(start); comp != nil {
			return s, wraps(comp, all, result)
		}
	}
	return s, nil
}

// asyncDone returns what the chain computes, which the async shape may hold only in part.
func asyncDone(in *hlo.Instruction) (*hlo.Shape, error) {
	_, result, err := asyncParts(in.Operands[0].Shape)
	if err != nil {
		return nil, err
	}
	if start := chainStart(in); start != nil {
		if comp := wrappedComputation(start); comp != nil {
			sig, err := signatureOf(comp)
			return sig.result, err
		}
	}
	return result, nil
}
