package verify

import (
	"hlolayout/hlo"
)

var transferRules = []rule{
	hlo.OpAfterAll: token, hlo.OpAddDependency: addDependency, hlo.OpInfeed: infeed, hlo.OpOutfeed: outfeed,
	hlo.OpCopyStart: copyStart, hlo.OpCopyDone: copyDone,
	hlo.OpSend: send, hlo.OpSendDone: token, hlo.OpRecv: recv, hlo.OpRecvDone: recvDone,
}

var (
	tokenShape = &hlo.Shape{Kind: hlo.TokenShape}
	u32Shape   = hlo.NewArray(hlo.U32, nil, nil)
)

func token(*hlo.Instruction) (*hlo.Shape, error) { return tokenShape, nil }

// takesToken fails unless operand i is a token.
func takesToken(in *hlo.Instruction, i int) error {
	if s := in.Operands[i].Shape; s.Kind != hlo.TokenShape {
		return fail(VER102, "operand %d is %s; it must be a token", i, bare(s))
	}
	return nil
}

func addDependency(in *hlo.Instruction) (*hlo.Shape, error) {
	return in.Operands[0].Shape, takesToken(in, 1)
}

// first returns element 0 of a tuple shape.
func first(s *hlo.Shape, what string) (*hlo.Shape, error) {
	if e := s.At(hlo.Index{0}); e != nil {
		return e, nil
	}
	return nil, fail(VER102, "%s is %s; it must be a tuple", what, bare(s))
}

func infeed(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := takesToken(in, 0); err != nil {
		return nil, err
	}
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	data, err := first(s, "the result")
	if err != nil {
		return nil, err
	}
	return hlo.NewTuple(data, tokenShape), nil
}

func outfeed(in *hlo.Instruction) (*hlo.Shape, error) {
	if err := takesToken(in, 1); err != nil {
		return nil, err
	}
	data := in.Operands[0].Shape
	if v := in.Attr("outfeed_shape"); v != nil && v.Shape != nil && !compatible(v.Shape, data) {
		return nil, fail(VER104, "outfeed_shape is %s, but operand 0 is %s", bare(v.Shape), bare(data))
	}
	return tokenShape, nil
}

// copyStart gives (destination, source, context); the layouts of the first two may differ.
func copyStart(in *hlo.Instruction) (*hlo.Shape, error) {
	s := in.Operands[0].Shape
	return hlo.NewTuple(s, s, u32Shape), nil
}

func copyDone(in *hlo.Instruction) (*hlo.Shape, error) {
	s := in.Operands[0].Shape
	to, from := s.At(hlo.Index{0}), s.At(hlo.Index{1})
	if to == nil || from == nil {
		return nil, fail(VER102, "operand 0 is %s; it must be the tuple of a copy-start", bare(s))
	}
	if !compatible(to, from) {
		return nil, fail(VER104, "operand 0 is %s; destination and source must be the same", bare(s))
	}
	return to, nil
}

func send(in *hlo.Instruction) (*hlo.Shape, error) {
	return hlo.NewTuple(in.Operands[0].Shape, u32Shape, tokenShape), nil
}

func recv(in *hlo.Instruction) (*hlo.Shape, error) {
	s, err := declared(in)
	if err != nil {
		return nil, err
	}
	data, err := first(s, "the result")
	if err != nil {
		return nil, err
	}
	return hlo.NewTuple(data, u32Shape, tokenShape), nil
}

func recvDone(in *hlo.Instruction) (*hlo.Shape, error) {
	data, err := first(in.Operands[0].Shape, "operand 0")
	if err != nil {
		return nil, err
	}
	return hlo.NewTuple(data, tokenShape), nil
}
