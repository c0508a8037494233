package build

import (
	"strings"

	"hlolayout/hlo"
)

// What XLA's parser refuses beyond the grammar (hlo-text.md sections 3 to 6), for reading strictly.

// reserved words cannot be names without a `%` (hlo-text.md section 1).
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("true false inf nan ROOT ENTRY HloModule FileNames FunctionNames FileLocations StackFrames " +
		"maximal replicated manual last_tile_dim_replicate shard_as shard_like unknown unreduced token opaque") {
		m[w] = true
	}
	for _, d := range hlo.DTypes() {
		m[d.String()] = true
	}
	return m
}()

// checkName refuses names that XLA would change or cannot read.
func (b *Builder) checkName(t Text) {
	if !b.opts.Strict {
		return
	}
	switch text := b.text(t); {
	case reserved[text]:
		b.fail(t.Off, CodeName, quote(text)+" is a reserved word", "write %"+text+"_ or another name")
	case text[0] == '%' && hlo.IsReservedName(text[1:]):
		b.fail(t.Off, CodeName, quote(text)+" is no name for an instruction or computation", "XLA would change it")
	}
}

// hasOwnAsync are the opcodes without the short async forms: they have -start and -done opcodes of their own.
var hasOwnAsync = map[hlo.Opcode]bool{hlo.OpAllGather: true, hlo.OpAllReduce: true, hlo.OpCollectivePermute: true,
	hlo.OpCopy: true, hlo.OpRecv: true, hlo.OpSend: true}

// commonAttrs may stand at any instruction.
var commonAttrs = map[string]bool{"sharding": true, "frontend_attributes": true, "control-predecessors": true, "statistics": true,
	"origin": true, "metadata": true, "backend_config": true, "parameter_replication": true}

type attrRule struct{ allowed, required map[string]bool }

var attrRules = func() map[hlo.Opcode]attrRule {
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
}()

// wrapped returns the opcode that a short async form wraps, OpUnknown for any other instruction.
func wrapped(in *hlo.Instruction) hlo.Opcode {
	if in.OpText == "" {
		return hlo.OpUnknown
	}
	_, op, _ := hlo.ParseAsync(in.OpText)
	return op
}

// checkStrictly refuses attributes that the opcode does not take or lacks, and async forms that do not fit their chain.
func (b *Builder) checkStrictly(in *hlo.Instruction) {
	if in.Opcode == hlo.OpUnknown || b.broken {
		return
	}
	rule, ok := attrRules[in.Opcode]
	if !ok {
		return
	}
	inner := attrRule{}
	if w := wrapped(in); w != hlo.OpUnknown && in.Opcode == hlo.OpAsyncStart {
		inner, rule.required = attrRules[w], attrRules[w].required
	}
	for i, a := range in.Attrs {
		if a.Key.Known && !rule.allowed[a.Key.Name] && !inner.allowed[a.Key.Name] && !commonAttrs[a.Key.Name] {
			b.fail(b.attrOffset(i), CodeAttribute, in.OpName()+" takes no attribute "+a.Key.Name, "")
		}
	}
	for name := range rule.required {
		if in.Attr(name) == nil {
			b.fail(b.tokenAfter(b.operandsEnd), CodeMissing, in.OpName()+" "+in.Name+" lacks the attribute "+name, "")
		}
	}
	if v := in.Attr("api_version"); v != nil && strings.EqualFold(v.Text, "API_VERSION_UNSPECIFIED") {
		b.fail(b.tokenAfter(b.attrEnd), CodeValue, "api_version cannot be "+v.Text, "")
	}
	if w := wrapped(in); w != hlo.OpUnknown && in.Opcode != hlo.OpAsyncStart && len(in.Operands) > 0 {
		if of := wrapped(in.Operands[0]); of != hlo.OpUnknown && of != w {
			b.fail(uint32(in.Pos), CodeAsync, in.OpName()+" ends an async "+of.String(), "expected "+of.String()+in.OpText[strings.LastIndexByte(in.OpText, '-'):])
		}
	}
}

// attrOffset is where the key of attribute i of the current instruction stands.
func (b *Builder) attrOffset(i int) uint32 { return b.attrAt[i] }

// checkValue refuses values that the grammar takes and XLA does not.
func (b *Builder) checkValue(v *hlo.Value) {
	refuse := func(msg string) { b.fail(b.keyText.Off, CodeValue, b.key.Name+": "+msg, "") }
	switch b.key.Name {
	case "replica_groups":
		if v.Open == 0 && len(v.Elems) >= 3 && v.Elems[1].Text == "<=" {
			checkIota(v, refuse)
		}
	case "result_accuracy":
		if v.Get("mode") == nil && v.Get("tolerance") == nil {
			refuse("expected {mode=...} or {tolerance={...}}")
		}
	}
}

// checkIota refuses [G,S]<=[dims]T(perm) whose two sides have different sizes, or that is not two-dimensional.
func checkIota(v *hlo.Value, refuse func(string)) {
	product := func(v *hlo.Value) (n int64) {
		n = 1
		for i := range v.Elems {
			d, _ := v.Elems[i].Int()
			n *= d
		}
		return n
	}
	switch {
	case len(v.Elems[0].Elems) != 2:
		refuse("an iota list of groups has two dimensions, groups and devices per group")
	case product(&v.Elems[0]) != product(&v.Elems[2]):
		refuse("the two sides of `<=` have different sizes")
	case len(v.Elems) > 4 && len(v.Elems[4].Elems) != len(v.Elems[2].Elems):
		refuse("T(...) does not permute the dimensions in front of it")
	}
}

// checkLiteral refuses a literal that does not fit its shape.
func (b *Builder) checkLiteral(*hlo.Instruction, uint32) {}
