package verify

import (
	"strconv"

	"hlolayout/hlo"
)

var controlRules = []rule{
	hlo.OpTuple: tuple, hlo.OpGetTupleElement: getTupleElement,
	hlo.OpWhile: while, hlo.OpConditional: conditional, hlo.OpCall: call, hlo.OpFusion: fusion,
	hlo.OpCustomCall: customCall,
}

func tuple(in *hlo.Instruction) (*hlo.Shape, error) { return hlo.NewTuple(operands(in, 0)...), nil }

func getTupleElement(in *hlo.Instruction) (*hlo.Shape, error) {
	i, err := needNumber(in, "index")
	if err != nil {
		return nil, err
	}
	s := in.Operands[0].Shape
	if !s.IsTuple() {
		return nil, fail(VER102, "operand 0 is %s; it must be a tuple", bare(s))
	}
	if i < 0 || i >= int64(len(s.Elems)) {
		return nil, fail(VER105, "index is %d, but operand 0 is a tuple of %d", i, len(s.Elems))
	}
	return s.Elems[i], nil
}

// takesOperands fails unless the computation's parameters are the given operands, one by one.
func (s signature) takesOperands(shapes []*hlo.Shape, first int) error {
	if err := s.takesParams(len(shapes)); err != nil {
		return err
	}
	for i, o := range shapes {
		if !s.same(o, s.params[i]) {
			given, taken := texts(o, s.params[i])
			return fail(unlike(VER202, o, s.params[i]), "operand %d is %s, but parameter %d of computation %%%s is %s",
				first+i, given, i, s.comp.Name, taken)
		}
	}
	return nil
}

func while(in *hlo.Instruction) (*hlo.Shape, error) {
	body, err := callee(in, "body")
	if err != nil {
		return nil, err
	}
	cond, err := callee(in, "condition")
	if err != nil {
		return nil, err
	}
	state := operands(in, 0)
	if err := body.takesOperands(state, 0); err != nil {
		return nil, err
	}
	if err := cond.takesOperands(state, 0); err != nil {
		return nil, err
	}
	if err := cond.givesPred(); err != nil {
		return nil, err
	}
	if !body.same(body.result, state[0]) {
		out, want := texts(body.result, state[0])
		return nil, fail(unlike(VER203, body.result, state[0]), "computation %%%s returns %s; it must return what it "+
			"takes, %s", body.comp.Name, out, want)
	}
	return state[0], nil
}

func conditional(in *hlo.Instruction) (*hlo.Shape, error) {
	selector, branches := in.Operands[0].Shape, in.Branches()
	var wrong error
	switch {
	case len(branches) == 0:
		return nil, fail(VER204, "it has no branch computations")
	case isScalarOf(selector, hlo.Pred):
		if len(branches) != 2 {
			return nil, fail(VER204, "operand 0 is pred[]; it has %s and must have 2",
				plural(len(branches), "branch computation"))
		}
	case isScalarOf(selector, hlo.S32):
	default: // the rest comes first: passes rely on it
		wrong = fail(VER103, "operand 0 is %s; it must be pred[] or s32[]", bare(selector))
	}
	if len(in.Operands) != len(branches)+1 {
		return nil, fail(VER101, "it has %s; it takes the selector and one for each of %s",
			plural(len(in.Operands), "operand"), plural(len(branches), "branch computation"))
	}
	var first signature
	for i, b := range branches {
		s, err := signatureOf(b)
		if err != nil {
			return nil, err
		}
		if err := s.takesOperands(operands(in, i+1)[:1], i+1); err != nil {
			return nil, err
		}
		if i == 0 {
			first = s
		} else if !s.same(s.result, first.result) {
			out, other := texts(first.result, s.result)
			return nil, fail(unlike(VER203, first.result, s.result), "computation %%%s returns %s, computation %%%s "+
				"%s; all branches must return the same", first.comp.Name, out, b.Name, other)
		}
	}
	if wrong != nil {
		return nil, wrong
	}
	return first.result, nil
}

func call(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := callee(in, "to_apply")
	if err != nil {
		return nil, err
	}
	if err := s.takesOperands(operands(in, 0), 0); err != nil {
		return nil, err
	}
	if in.Attr("is_composite").Bool() {
		if err := composite(in); err != nil {
			return nil, err
		}
	}
	return s.result, nil
}

// composite checks the frontend attributes of a composite call.
func composite(in *hlo.Instruction) error {
	f := in.Attr("frontend_attributes")
	if name := f.Get("composite.name"); name == nil || unquote(name) == "" {
		return fail(VER112, "a composite call needs a frontend attribute composite.name")
	}
	if a := f.Get("composite.attributes"); a != nil && unquote(a) == "" {
		return fail(VER112, "the frontend attribute composite.attributes is empty")
	}
	if v := f.Get("composite.version"); v != nil {
		if n, err := strconv.ParseInt(unquote(v), 10, 64); err != nil || n < 0 {
			return fail(VER112, "the frontend attribute composite.version is %s; it must be a number from 0 on", v.Text)
		}
	}
	return nil
}

func fusion(in *hlo.Instruction) (*hlo.Shape, error) {
	if len(in.Called()) != 1 {
		return nil, fail(VER204, "it calls %s; a fusion calls 1", plural(len(in.Called()), "computation"))
	}
	s, err := signatureOf(in.Called()[0])
	if err != nil {
		return nil, err
	}
	if len(s.params) > len(in.Operands) {
		return nil, fail(VER201, "computation %%%s has %s, the fusion only %s", s.comp.Name,
			plural(len(s.params), "parameter"), plural(len(in.Operands), "operand"))
	}
	if err := s.takesOperands(operands(in, 0)[:len(s.params)], 0); err != nil {
		return nil, err
	}
	if in.Shape != nil && !s.same(in.Shape, s.result) {
		out, want := texts(s.result, in.Shape)
		return nil, fail(unlike(VER203, s.result, in.Shape), "computation %%%s returns %s, but the fusion is "+
			"declared %s", s.comp.Name, out, want)
	}
	same := agreementIn(in.Computation)
	if in.Computation != nil && in.Computation.IsFused() {
		same = compatible // inside a fusion tiles and spaces need not be those of the buffer
	}
	return s.result, aliasing(in, same)
}

// aliasing checks output_to_operand_aliasing: the indices exist and their shapes are the same.
func aliasing(in *hlo.Instruction, same agreement) error {
	v := in.Attr("output_to_operand_aliasing")
	if v == nil || in.Shape == nil {
		return nil
	}
	pairs, ok := v.Aliases()
	if !ok {
		return fail(VER109, "output_to_operand_aliasing=%s is not of the form {{0}: (0, {})}", v.Text)
	}
	for _, p := range pairs {
		if p.Number >= len(in.Operands) {
			return fail(VER205, "output_to_operand_aliasing=%s names operand %d, but it has %s", v.Text, p.Number,
				plural(len(in.Operands), "operand"))
		}
		from, to := in.Operands[p.Number].Shape.At(p.Index), in.Shape.At(p.Output)
		if from == nil || to == nil {
			return fail(VER205, "output_to_operand_aliasing=%s names a tuple element that is not there", v.Text)
		}
		if !same(from, to) {
			x, y := texts(from, to)
			return fail(unlike(VER205, from, to), "output_to_operand_aliasing=%s puts %s and %s in one buffer", v.Text,
				x, y)
		}
	}
	return nil
}

func customCall(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	target := unquote(in.Attr("custom_call_target"))
	if err := layoutConstraints(in); err != nil {
		return nil, err
	}
	if f := in.Attr("frontend_attributes"); f.Get("xla_skip_custom_call_alias_shape_check") != nil {
		return s, nil
	}
	same := customAliases(agreementIn(in.Computation))
	if target == pinTarget || target == unpinTarget {
		same = func(a, b *hlo.Shape) bool { return compatible(unbuffered(a), unbuffered(b)) }
	}
	return s, aliasing(in, same)
}

// layoutConstraints fails unless operand_layout_constraints has a sound shape like each operand.
func layoutConstraints(in *hlo.Instruction) error {
	v := in.Attr("operand_layout_constraints")
	if v == nil {
		return nil
	}
	if len(v.Elems) != len(in.Operands) {
		return fail(VER303, "operand_layout_constraints has %s for %s", plural(len(v.Elems), "shape"),
			plural(len(in.Operands), "operand"))
	}
	for i := range v.Elems {
		c := v.Elems[i].Shape
		if c == nil || !compatible(c, in.Operands[i].Shape) {
			return fail(VER303, "operand_layout_constraints has %s for operand %d, which is %s", v.Elems[i].Text, i,
				bare(in.Operands[i].Shape))
		}
		if err := layoutError(c); err != nil && unquote(in.Attr("custom_call_target")) != "LayoutConstraint" {
			return err
		}
	}
	return nil
}

// customAliases compares the ends of a custom call's alias: one element may change its memory space.
func customAliases(same agreement) agreement {
	return func(a, b *hlo.Shape) bool {
		if n, ok := a.Elements(); a.IsArray() && ok && n == 1 {
			return compatible(a, b)
		}
		return same(a, b)
	}
}

// unbuffered returns the array of a buffer, any other shape as it is.
func unbuffered(s *hlo.Shape) *hlo.Shape {
	if s.Kind == hlo.BufferShape && len(s.Elems) == 1 {
		return s.Elems[0]
	}
	return s
}
