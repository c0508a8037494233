package build

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/hlo/literal"
)

// What XLA's parser refuses beyond the grammar, for reading strictly.

// reserved words cannot be names without a `%`.
var reserved = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("true false inf nan ROOT ENTRY HloModule FileNames FunctionNames FileLocations " +
		"StackFrames " +
		"maximal replicated manual last_tile_dim_replicate shard_as shard_like unknown unreduced token opaque") {
		m[w] = true
	}
	for _, d := range hlo.DTypes() {
		m[d.String()] = true
	}
	return m
})

// checkName refuses names that XLA would change or cannot read.
func (b *Builder) checkName(t Text) {
	if !b.opts.Strict {
		return
	}
	switch text := b.text(t); {
	case reserved()[text]:
		b.fail(t.Off, CodeName, quote(text)+" is a reserved word", "write %"+text+"_ or another name")
	case text[0] == '%' && hlo.IsReservedName(text[1:]):
		b.fail(t.Off, CodeName, quote(text)+" is not a name for an instruction or computation", "XLA would change it")
	}
}

// hasOwnAsync are the opcodes without the short async forms: they have -start and -done opcodes of their own.
var hasOwnAsync = map[hlo.Opcode]bool{hlo.OpAllGather: true, hlo.OpAllReduce: true, hlo.OpCollectivePermute: true,
	hlo.OpCopy: true, hlo.OpRecv: true, hlo.OpSend: true}

// commonAttrs may be on any instruction.
var commonAttrs = map[string]bool{"sharding": true, "frontend_attributes": true, "control-predecessors": true,
	"statistics": true, "origin": true, "metadata": true, "backend_config": true, "parameter_replication": true}

type attrRule struct{ allowed, required map[string]bool }

var attrRules = sync.OnceValue(func() map[hlo.Opcode]attrRule {
	rules := map[hlo.Opcode]attrRule{}
	for _, op := range hlo.Opcodes() {
		names, required := op.Attrs()
		r := attrRule{map[string]bool{}, required}
		for _, n := range names {
			r.allowed[n] = true
		}
		rules[op] = r
	}
	return rules
})

// wrapped returns the opcode that a short async form wraps, OpUnknown for any other instruction.
func wrapped(in *hlo.Instruction) hlo.Opcode {
	if in.OpText() == "" {
		return hlo.OpUnknown
	}
	_, op, _ := hlo.ParseAsync(in.OpText())
	return op
}

// takes reports whether the current instruction may have an attribute.
func (b *Builder) takes(name string) bool {
	in := b.in
	if in.Opcode == hlo.OpUnknown || commonAttrs[name] || attrRules()[in.Opcode].allowed[name] {
		return true
	}
	w := wrapped(in)
	return w != hlo.OpUnknown && (in.Opcode == hlo.OpAsyncStart || name == "to_apply") && attrRules()[w].allowed[name]
}

// around tells at an attribute's key that its value has errors, as XLA does in addition to the place in the value.
func (b *Builder) around(keyText Text, key *hlo.AttrKey, errors int) {
	if len(b.errs) > errors {
		b.failed = keyText.Off
		b.errs = append(b.errs, b.finding(keyText.Off, CodeValue, "the value of "+key.Name+" cannot be read", ""))
	}
}

// UnfinishedValue tells that the value of the current attribute has no end.
func (b *Builder) UnfinishedValue() {
	if b.opts.Strict && b.key != nil { // the rows of the tables have none
		b.around(b.keyText, b.key, 0)
	}
}

// checkStrictly refuses an instruction that lacks an attribute, and async forms that do not fit their chain.
func (b *Builder) checkStrictly(in *hlo.Instruction) {
	if in.Opcode == hlo.OpUnknown || b.broken {
		return
	}
	required := attrRules()[in.Opcode].required
	w := wrapped(in)
	if w != hlo.OpUnknown && in.Opcode == hlo.OpAsyncStart {
		required = attrRules()[w].required
	}
	names := make([]string, 0, len(required))
	for name := range required {
		if in.Attr(name) == nil {
			names = append(names, name)
		}
	}
	if in.Opcode == hlo.OpConditional {
		names = append(names, lacksBranches(in)...)
	}
	slices.Sort(names)
	if len(names) > 0 {
		b.fail(b.tokenAfter(b.operandsEnd), CodeMissing, in.OpName()+" "+in.Name+" lacks the attribute "+
			strings.Join(names, ", "), "")
	}
	if v := in.Attr("api_version"); v != nil && strings.EqualFold(v.Text, "API_VERSION_UNSPECIFIED") {
		b.fail(b.tokenAfter(b.attrEnd), CodeValue, "api_version cannot be "+v.Text, "")
	}
	b.checkForms(in)
	if in.Opcode == hlo.OpTuple && in.Shape != nil && (!in.Shape.IsTuple() || len(in.Shape.Elems) != len(in.Operands)) {
		b.fail(b.tokenAfter(b.opText.End), CodeArity, "tuple "+in.Name+" has "+plural(len(in.Operands), "operand")+
			", its shape "+
			plural(len(in.Shape.Elems), "element"), "")
	}
}

// checkLiteral refuses a literal that does not fit its shape; text is where it stands, with the closing parenthesis.
func (b *Builder) checkLiteral(in *hlo.Instruction, text Text) {
	if in.Shape == nil {
		return
	}
	_, err := literal.Parse(in.Shape, strings.TrimSuffix(b.text(text), ")"))
	var at *literal.Error
	if errors.As(err, &at) {
		b.fail(text.Off+uint32(at.Offset), CodeLiteral, at.Msg, at.Hint)
	}
}

// checkNestedLiteral refuses the literal of a constant in an operand list that begins at an offset.
func (b *Builder) checkNestedLiteral(in *hlo.Instruction, at uint32) {
	if in.Shape == nil {
		return
	}
	if _, err := literal.Parse(in.Shape, in.Literal()); err != nil {
		b.fail(at, CodeLiteral, "the literal "+quote(in.Literal())+" does not fit "+in.Shape.String(), "")
	}
}

// UnfinishedLiteral tells where a literal without a closing parenthesis goes wrong; false if that is unknown.
func (b *Builder) UnfinishedLiteral(text Text) bool {
	before := len(b.errs)
	b.checkLiteral(b.in, text)
	return len(b.errs) > before
}
