package hloproto

import (
	"slices"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// Update returns the dump data with its module changed to m: m is the module that Parse read from data, with other
// layouts, operands, order of instructions, and with instructions added or removed. Everything else of the dump stays
// as it is, fields that this package does not know included; the buffer assignment, which no longer fits, is dropped.
//
// What is added can be a copy, a bitcast, a tuple, a get-tuple-element, a copy-start or a copy-done, with attributes
// that other instructions of the dump have. For any other change the error, an hlo.ErrorList, says what cannot be
// written.
func Update(data []byte, m *hlo.Module) ([]byte, error) {
	out, err := update(data, m)
	if err != nil {
		return nil, findings(m.File, err)
	}
	return out, nil
}

func update(data []byte, m *hlo.Module) ([]byte, error) {
	dump, err := readDump(data)
	if err != nil {
		return nil, err
	}
	before, err := Parse(m.File, data)
	if err != nil {
		return nil, err
	}
	u := updater{m: m, p: dump.module, before: map[string]*hlo.Instruction{}, donors: map[string]donor{}}
	if err := u.run(before); err != nil {
		return nil, err
	}
	switch msg := dump.msg.(type) {
	case *hlopb.HloProto:
		msg.BufferAssignment = nil
	case *hlopb.HloSnapshot:
		msg.Hlo.BufferAssignment = nil
	}
	if dump.kind.Text {
		return prototext.MarshalOptions{Multiline: true, EmitUnknown: true}.Marshal(dump.msg)
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(dump.msg)
}

// updater carries a module's changes over to its message.
type updater struct {
	m      *hlo.Module
	p      *hlopb.HloModuleProto
	before map[string]*hlo.Instruction // the instructions as they were read, by computation and name
	// donors has what the message says for each attribute that an instruction of it has, by its text.
	donors map[string]donor
	comps  map[string]*hlopb.HloComputationProto
}

type donor struct {
	value   protoreflect.Value
	payload *hlopb.Payload
}

func key(in *hlo.Instruction) string { return in.Computation.Name + " " + in.Name }

func attrText(a hlo.Attr) string { return a.Key.Name + "=" + a.Value.Text }

func (u *updater) run(before *hlo.Module) (err error) {
	defer catch(&err)
	u.comps = map[string]*hlopb.HloComputationProto{}
	byID := map[int64]*hlopb.HloComputationProto{}
	for _, c := range u.p.Computations {
		u.comps[sanitize(c.Name, "")] = c
		byID[c.Id] = c
	}
	for _, c := range before.Computations {
		protos := instructionsByName(u.comps[c.Name])
		for _, in := range c.Instructions {
			u.before[key(in)] = in
			for _, a := range in.Attrs {
				if field, ok := attrFields[a.Key.Name]; ok {
					p := protos[in.Name]
					u.donors[attrText(a)] = donor{get(p, field), p.BackendConfigPayload}
				}
			}
		}
	}
	for _, c := range u.m.Computations {
		p := u.comps[c.Name]
		if p == nil || before.Computation(c.Name) == nil {
			failf(c.Name, "the computation is not in the dump, and new ones cannot be written as a protobuf; write "+
				"text")
		}
		u.computation(c, p)
	}
	for _, c := range u.p.Computations {
		if u.m.Computation(sanitize(c.Name, "")) == nil && before.Computation(sanitize(c.Name, "")) != nil {
			failf(c.Name, "the computation is in the dump and no longer in the module; write text")
		}
		for _, in := range c.Instructions {
			if in.Opcode == "async-start" && len(in.CalledComputationIds) == 1 {
				if body := byID[in.CalledComputationIds[0]]; before.Computation(sanitize(body.Name, "")) == nil {
					u.asyncBody(in, body)
				}
			}
		}
	}
	if params, result, ok := u.m.EntryLayout(); ok {
		if u.p.HostProgramShape == nil {
			u.p.HostProgramShape = &hlopb.ProgramShapeProto{}
		}
		setProgramShape(u.p.HostProgramShape, params, result)
	}
	return nil
}

func instructionsByName(c *hlopb.HloComputationProto) map[string]*hlopb.HloInstructionProto {
	m := make(map[string]*hlopb.HloInstructionProto, len(c.Instructions))
	for _, in := range c.Instructions {
		m[sanitize(in.Name, "")] = in
	}
	return m
}

func (u *updater) computation(c *hlo.Computation, p *hlopb.HloComputationProto) {
	old := instructionsByName(p)
	next := int64(0)
	for _, in := range p.Instructions {
		next = max(next, in.Id+1)
	}
	list := make([]*hlopb.HloInstructionProto, len(c.Instructions))
	ids := make([]int64, len(c.Instructions))
	for i, in := range c.Instructions {
		q := old[in.Name]
		if q == nil {
			q = u.add(in, next)
			next++
		} else {
			u.change(in, q)
		}
		setShape(&q.Shape, in.Shape)
		q.OperandIds = make([]int64, len(in.Operands))
		for k, o := range in.Operands {
			q.OperandIds[k] = ids[o.Index]
		}
		list[i], ids[i] = q, q.Id
	}
	p.Instructions = list
	p.RootId = ids[c.Root.Index]
	if p.ProgramShape != nil {
		var params []*hlo.Shape
		for _, in := range c.Parameters() {
			params = append(params, in.Shape)
		}
		setProgramShape(p.ProgramShape, params, c.Root.Shape)
	}
	if s := u.p.GetSchedule().GetSequences()[p.Id]; s != nil {
		s.InstructionIds = ids
	}
}

// additions are the opcodes that can be added to a dump: all that is said of them is what setAttr can set.
var additions = []hlo.Opcode{hlo.OpCopy, hlo.OpBitcast, hlo.OpTuple, hlo.OpGetTupleElement, hlo.OpCopyStart,
	hlo.OpCopyDone}

func (u *updater) add(in *hlo.Instruction, id int64) *hlopb.HloInstructionProto {
	if !slices.Contains(additions, in.Opcode) {
		failf(in.Name, "a new %s cannot be written as a protobuf; write text", in.OpName())
	}
	q := &hlopb.HloInstructionProto{Name: in.Name, Opcode: in.Opcode.String(), Id: id}
	for _, a := range in.Attrs {
		u.setAttr(in, q, a)
	}
	return q
}

// change carries over the attributes that differ from those read, and a constant's order of elements.
func (u *updater) change(in *hlo.Instruction, q *hlopb.HloInstructionProto) {
	was := u.before[key(in)]
	if was.OpName() != in.OpName() {
		failf(in.Name, "it was a %s and is a %s, which cannot be written as a protobuf; write text", was.OpName(),
			in.OpName())
	}
	for _, a := range in.Attrs {
		if v := was.Attr(a.Key.Name); v == nil || v.Text != a.Value.Text {
			u.setAttr(in, q, a)
		}
	}
	for _, a := range was.Attrs {
		if in.Attr(a.Key.Name) == nil {
			field, ok := attrFields[a.Key.Name]
			if !ok {
				failf(in.Name, "it has no %s any more, which cannot be written as a protobuf; write text", a.Key.Name)
			}
			clearField(q, field)
		}
	}
	if in.Opcode == hlo.OpConstant && q.Literal != nil {
		setLiteralLayout(q.Literal, in.Shape, spot{nil, in.Name + ".literal", -1})
	}
}

// attrFields holds the attributes that can be set or taken away, and the fields they are in.
var attrFields = map[string]protoreflect.Name{
	"sharding": "sharding", "frontend_attributes": "frontend_attributes", "origin": "original_value",
	"metadata":       "metadata",
	"backend_config": "backend_config", "statistics": "statistics_viz",
	"control-predecessors": "control_predecessor_ids",
}

// setAttr sets an attribute to a value that some instruction of the dump has.
func (u *updater) setAttr(in *hlo.Instruction, q *hlopb.HloInstructionProto, a hlo.Attr) {
	if a.Key.Name == "index" {
		n, ok := a.Value.Int()
		if !ok {
			failf(in.Name, "the index %s is not a number", a.Value.Text)
		}
		q.TupleIndex = n
		return
	}
	field := attrFields[a.Key.Name]
	from, ok := u.donors[attrText(a)]
	if !ok || a.Key.Name == "control-predecessors" {
		failf(in.Name, "the attribute %.200s cannot be written as a protobuf, as no instruction of the dump has it; "+
			"write text", attrText(a))
	}
	q.ProtoReflect().Set(fieldOf(field), from.value)
	if field == "backend_config" {
		q.BackendConfigPayload = from.payload
	}
}

func fieldOf(name protoreflect.Name) protoreflect.FieldDescriptor {
	return (*hlopb.HloInstructionProto)(nil).ProtoReflect().Descriptor().Fields().ByName(name)
}

func get(q *hlopb.HloInstructionProto, field protoreflect.Name) protoreflect.Value {
	return q.ProtoReflect().Get(fieldOf(field))
}

func clearField(q *hlopb.HloInstructionProto, field protoreflect.Name) {
	q.ProtoReflect().Clear(fieldOf(field))
	if field == "backend_config" {
		q.BackendConfigPayload = nil
	}
}

// asyncBody gives the computation that a short async form stands for the layouts of its start: the operands' to the
// parameters, element 1 of the result to the root.
func (u *updater) asyncBody(start *hlopb.HloInstructionProto, body *hlopb.HloComputationProto) {
	parts := start.Shape.GetTupleShapes()
	if len(parts) < 2 {
		return
	}
	operands := parts[0].GetTupleShapes()
	for _, in := range body.Instructions {
		switch {
		case in.Opcode == "parameter" && in.ParameterNumber >= 0 && in.ParameterNumber < int64(len(operands)):
			in.Shape = operands[in.ParameterNumber]
		case in.Id == body.RootId:
			in.Shape = parts[1]
		}
	}
	if s := body.ProgramShape; s != nil {
		s.Result = parts[1]
		for i := range s.Parameters {
			if i < len(operands) {
				s.Parameters[i] = operands[i]
			}
		}
	}
}

func setProgramShape(p *hlopb.ProgramShapeProto, params []*hlo.Shape, result *hlo.Shape) {
	old := p.Parameters
	p.Parameters = make([]*hlopb.ShapeProto, len(params))
	for i, s := range params {
		if i < len(old) {
			p.Parameters[i] = old[i]
		}
		setShape(&p.Parameters[i], s)
	}
	setShape(&p.Result, result)
}
