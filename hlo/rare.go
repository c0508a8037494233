package hlo

// rare is what few instructions have: one of L350 in 24, one of mixtral in 13. It is never modified, for copies of an
// instruction share it.
type rare struct {
	called          []*Computation
	literal, opText string
}

// rarely returns what an instruction has of it.
func (in *Instruction) rarely() (r rare) {
	if in.rare != nil {
		r = *in.rare
	}
	return r
}

// Called returns the computations that the attributes name, in the order of the attributes.
func (in *Instruction) Called() []*Computation {
	if in.rare == nil {
		return nil
	}
	return in.rare.called
}

// SetCalled sets what Called returns.
func (in *Instruction) SetCalled(cs []*Computation) {
	if len(cs) > 0 || in.rare != nil {
		r := in.rarely()
		r.called = cs
		in.rare = &r
	}
}

// Literal returns the text between the parentheses of a constant.
func (in *Instruction) Literal() string {
	if in.rare == nil {
		return ""
	}
	return in.rare.literal
}

// SetLiteral sets what Literal returns.
func (in *Instruction) SetLiteral(text string) {
	if text != "" || in.rare != nil {
		r := in.rarely()
		r.literal = text
		in.rare = &r
	}
}

// OpText returns the opcode as written where that is not Opcode's name: unknown opcodes and the short async forms
// (slice-start).
func (in *Instruction) OpText() string {
	if in.rare == nil {
		return ""
	}
	return in.rare.opText
}

// SetOpText sets what OpText returns.
func (in *Instruction) SetOpText(name string) {
	if name != "" || in.rare != nil {
		r := in.rarely()
		r.opText = name
		in.rare = &r
	}
}
