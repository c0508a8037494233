package printer

import (
	"slices"
	"strconv"

	"hlolayout/hlo"
	"hlolayout/hlo/literal"
)

// canonical prints one module. It reads the module and writes to its own tables only.
type canonical struct {
	out       []byte
	format    Format
	m         *hlo.Module
	scheduled bool

	bodies   []*body // as XLA defines them
	of       map[*hlo.Computation]*body
	wrappers map[*hlo.Instruction]*hlo.Computation // of short async-starts
	given    map[*hlo.Instruction]map[string]*hlo.Value
	starts   map[*hlo.Instruction]*hlo.Instruction // of async-updates and async-dones
	threads  map[*hlo.Instruction]string           // of async-starts
	byName   map[*hlo.Computation]map[string]*hlo.Instruction

	shapes  map[*hlo.Shape]*fullShape
	results map[*hlo.Instruction]*fullShape
	frames  *frames
	shown   []shown // metadata printed lately, by its value; a power of two
}

func appendCanonical(dst []byte, m *hlo.Module, format Format) []byte {
	p := &canonical{out: dst, format: format, m: m, scheduled: m.IsScheduled(),
		of: map[*hlo.Computation]*body{}, wrappers: map[*hlo.Instruction]*hlo.Computation{},
		given: map[*hlo.Instruction]map[string]*hlo.Value{}, threads: map[*hlo.Instruction]string{},
		starts: map[*hlo.Instruction]*hlo.Instruction{},
		byName: map[*hlo.Computation]map[string]*hlo.Instruction{},
		shapes: map[*hlo.Shape]*fullShape{}, results: map[*hlo.Instruction]*fullShape{},
		shown: newShown(len(m.Source))}
	p.out = slices.Grow(dst, len(m.Source)+len(m.Source)/8)
	p.findBodies()
	p.frames = p.internFrames()
	p.text("HloModule ")
	p.text(m.Name)
	p.moduleAttributes()
	if p.format != Short {
		p.frames.print(p)
	}
	p.text("\n\n")
	for _, b := range p.computationOrder() {
		if !b.hidden {
			p.computation(b)
		}
	}
	return p.out
}

func (p *canonical) text(s string)  { p.out = append(p.out, s...) }
func (p *canonical) number(n int64) { p.out = strconv.AppendInt(p.out, n, 10) }

func (p *canonical) percent() {
	if p.format != Short {
		p.out = append(p.out, '%')
	}
}

// instructionName prints the name of an instruction as it is used or defined.
func (p *canonical) instructionName(in *hlo.Instruction) {
	p.percent()
	if b := p.of[in.Computation]; b != nil && int(in.Index) < len(b.names) {
		p.text(b.names[in.Index])
	} else {
		p.text(in.Name)
	}
}

func (p *canonical) computationName(c *hlo.Computation) {
	p.percent()
	if b := p.of[c]; b != nil {
		p.text(b.name)
	} else {
		p.text(c.Name)
	}
}

func (p *canonical) computation(b *body) {
	if b.IsEntry() {
		p.text("ENTRY ")
	}
	p.percent()
	p.text(b.name)
	p.text(" ")
	switch {
	case b.Root == nil:
		p.text(declared(b.Computation))
	case p.format != Short:
		p.signature(b)
		p.text("{")
	default:
		p.text("{")
	}
	p.text("\n")
	for _, in := range p.instructionOrder(b) {
		p.text("  ")
		p.instruction(b, in)
		p.text("\n")
	}
	if b.Root == nil { // the text ends here
		return
	}
	p.text("}")
	if b.thread != mainThread {
		p.text(`, execution_thread="`)
		p.text(b.thread)
		p.text(`"`)
	}
	p.text("\n\n")
}

func (p *canonical) signature(b *body) {
	p.text("(")
	for i, in := range b.Parameters() {
		if i > 0 {
			p.text(", ")
		}
		if in != nil {
			p.text(b.names[in.Index])
			p.text(": ")
			p.text(p.resultShape(in).bare)
		}
	}
	p.text(") -> ")
	p.text(p.resultShape(b.Root).bare)
	p.text(" ")
}

func (p *canonical) instruction(b *body, in *hlo.Instruction) {
	if in == b.Root {
		p.text("ROOT ")
	}
	p.percent()
	p.text(b.names[in.Index])
	p.text(" = ")
	p.text(p.resultShape(in).text)
	p.text(" ")
	operation := p.folded(in)
	if operation != nil {
		p.text(operation.OpName())
		p.text(asyncSuffix[in.Opcode])
	} else if asyncSuffix[in.Opcode] != "" && in.OpText() != "" {
		p.text(in.Opcode.String())
	} else {
		p.text(in.OpName())
	}
	p.text("(")
	p.operands(b, in)
	p.text(")")
	frame := int64(0)
	if b.frames != nil {
		frame = b.frames[in.Index]
	}
	p.attributes(in, operation, frame)
}

func (p *canonical) operands(b *body, in *hlo.Instruction) {
	switch in.Opcode {
	case hlo.OpConstant:
		p.literal(in)
		return
	case hlo.OpParameter:
		p.number(int64(in.Parameter))
		return
	}
	for i, o := range in.Operands {
		if i > 0 {
			p.text(", ")
			if p.format != Short {
				p.out = hlo.AppendIndexComment(p.out, i)
			}
		}
		if p.format == Long {
			p.text(p.resultShape(o).text)
			p.text(" ")
		}
		if o.Computation == b.Computation {
			p.percent()
			p.text(b.names[o.Index])
		} else {
			p.instructionName(o)
		}
	}
}

// maxShown is the greatest number of elements of a constant that the default print shows.
const maxShown = 10

func (p *canonical) literal(in *hlo.Instruction) {
	if p.format == Default {
		n, ok := int64(0), false
		if in.Shape != nil && in.Shape.IsArray() {
			n, ok = in.Shape.Elements()
		}
		if !ok || n > maxShown {
			p.text("{...}")
			return
		}
	}
	p.literalText(in.Shape, in.Literal())
}

// literalText prints the literal of a shape as XLA does; a text that is not a literal of the shape verbatim.
func (p *canonical) literalText(s *hlo.Shape, text string) {
	if l, err := literal.Parse(s, text); err == nil {
		p.out = l.AppendText(p.out)
	} else {
		p.text(text)
	}
}

// attributes prints what follows the operands, in XLA's order. For an async instruction that is printed in short,
// operation is what it runs. Frame is the number of the instruction's stack frame, 0 for none.
func (p *canonical) attributes(in, operation *hlo.Instruction, frame int64) {
	if p.onlyOwn(in) {
		p.ownAttributes(in)
		p.calls(in)
		if p.format != Short {
			p.instructionMetadata(valueOf(in, keys().metadata), frame)
		}
		return
	}
	p.extra(in, operation, nil)
	p.attribute("origin", originForm, p.origin(in))
	if p.format != Short {
		p.instructionMetadata(p.attr(in, "metadata"), frame)
	}
	p.attribute("backend_config", backendConfigForm, p.attr(in, "backend_config"))
}

// extra prints the attributes of an instruction from its own ones to result_accuracy. For the operation that an
// async-start says in short, start is the async-start, otherwise nil.
func (p *canonical) extra(in, operation, start *hlo.Instruction) {
	if suffix := asyncSuffix[in.Opcode]; suffix != "" && start == nil {
		p.asyncAttributes(in, operation)
	} else {
		p.ownAttributes(in)
		p.calls(in)
	}
	p.attribute("is_composite", whenTrue, in.Attr("is_composite"))
	if v := in.Attr("sharding"); v != nil {
		p.attribute("sharding", shardingOf(in), v)
	}
	if frontend := p.attr(in, "frontend_attributes"); start == nil || !hasEntries(start.Attr("frontend_attributes")) {
		p.attribute("frontend_attributes", frontendForm, frontend)
	}
	if p.format != Short {
		p.control(in)
	}
	p.attribute("statistics", statisticsForm, p.attr(in, "statistics"))
	p.attribute("result_accuracy", accuracyForm, p.attr(in, "result_accuracy"))
}

// asyncAttributes prints the thread of an async-start and the attributes of what it runs.
func (p *canonical) asyncAttributes(in, operation *hlo.Instruction) {
	if in.Opcode == hlo.OpAsyncStart {
		if thread, ok := p.threads[in]; ok && thread != mainThread {
			p.text(`, async_execution_thread="`)
			p.text(thread)
			p.text(`"`)
		}
		if operation != nil {
			p.extra(operation, nil, in)
		}
	}
	p.attribute("output_to_operand_aliasing", aliasingForm, p.attr(in, "output_to_operand_aliasing"))
	if in.Opcode == hlo.OpAsyncStart && operation == nil {
		if c := p.wrapped(in); c != nil {
			p.text(", calls=")
			p.computationName(c)
		}
	}
}

func (p *canonical) control(in *hlo.Instruction) {
	before := p.controlPredecessors(in)
	if len(before) == 0 {
		return
	}
	p.text(", control-predecessors={")
	for i, b := range before {
		if i > 0 {
			p.text(", ")
		}
		p.instructionName(b)
	}
	p.text("}")
}
