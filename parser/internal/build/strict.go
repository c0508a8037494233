package build

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/hlo/literal"
)

// What XLA's parser refuses beyond the grammar (hlo-text.md sections 3 to 6), for reading strictly.

// reserved words cannot be names without a `%` (hlo-text.md section 1).
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
		b.fail(t.Off, CodeName, quote(text)+" is no name for an instruction or computation", "XLA would change it")
	}
}

// hasOwnAsync are the opcodes without the short async forms: they have -start and -done opcodes of their own.
var hasOwnAsync = map[hlo.Opcode]bool{hlo.OpAllGather: true, hlo.OpAllReduce: true, hlo.OpCollectivePermute: true,
	hlo.OpCopy: true, hlo.OpRecv: true, hlo.OpSend: true}

// commonAttrs may stand at any instruction.
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
	if in.OpText == "" {
		return hlo.OpUnknown
	}
	_, op, _ := hlo.ParseAsync(in.OpText)
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

// around tells at an attribute's key that its value has errors, as XLA does beside the place in the value.
func (b *Builder) around(keyText Text, key *hlo.AttrKey, errors int) {
	if len(b.errs) > errors {
		b.failed = keyText.Off
		b.errs = append(b.errs, b.finding(keyText.Off, CodeValue, "the value of "+key.Name+" cannot be read", ""))
	}
}

// UnfinishedValue tells that the value of the current attribute has no end.
func (b *Builder) UnfinishedValue() {
	if b.opts.Strict {
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
	slices.Sort(names)
	if len(names) > 0 {
		b.fail(b.tokenAfter(b.operandsEnd), CodeMissing, in.OpName()+" "+in.Name+" lacks the attribute "+
			strings.Join(names, ", "), "")
	}
	if v := in.Attr("api_version"); v != nil && strings.EqualFold(v.Text, "API_VERSION_UNSPECIFIED") {
		b.fail(b.tokenAfter(b.attrEnd), CodeValue, "api_version cannot be "+v.Text, "")
	}
	if v := in.Attr("source_target_pairs"); v != nil {
		for i := range v.Elems {
			if len(v.Elems[i].Elems) != 2 {
				b.fail(b.tokenAfter(b.attrEnd), CodeValue, "source_target_pairs lists something that is no pair", "")
				break
			}
		}
	}
	if fixed := map[hlo.Opcode]int{hlo.OpDynamicSlice: 1, hlo.OpDynamicUpdateSlice: 2}[in.Opcode]; fixed > 0 {
		n := len(in.Operands) - fixed // the start indices: one vector, or a scalar a dimension
		if rank := in.Operands[0].Shape.Rank(); n != rank && !(n == 1 && in.Operands[fixed].Shape.Rank() == 1) {
			b.fail(b.tokenAfter(max(b.operandsEnd, b.attrEnd)), CodeArity, in.OpName()+" "+in.Name+" has "+
				plural(n, "start index")+
				" for "+plural(rank, "dimension"), "")
		}
	}
	b.checkForms(in)
	if in.Opcode == hlo.OpTuple && in.Shape != nil && (!in.Shape.IsTuple() || len(in.Shape.Elems) != len(in.Operands)) {
		b.fail(b.tokenAfter(b.opText.End), CodeArity, "tuple "+in.Name+" has "+plural(len(in.Operands), "operand")+
			", its shape "+
			plural(len(in.Shape.Elems), "element"), "")
	}
	if w != hlo.OpUnknown && in.Opcode != hlo.OpAsyncStart && len(in.Operands) > 0 {
		if of := wrapped(in.Operands[0]); of != hlo.OpUnknown && of != w {
			b.fail(uint32(in.Pos), CodeAsync, in.OpName()+" ends an async "+of.String(), "expected "+of.String()+
				in.OpText[strings.LastIndexByte(in.OpText, '-'):])
		}
	}
}

// checkIota refuses [dims]<=[dims]T(perm) whose two sides have different sizes, or whose T is no permutation; groups of
// devices have two dimensions.
func checkIota(items []hlo.Value, refuse func(string)) {
	product := func(v *hlo.Value) (n int64) {
		n = 1
		for i := range v.Elems {
			d, _ := v.Elems[i].Int()
			n *= d
		}
		return n
	}
	if len(items[0].Elems) != 2 {
		refuse("an iota list of groups has two dimensions, groups and devices per group")
	} else if product(&items[0]) != product(&items[2]) {
		refuse("the two sides of `<=` have different sizes")
	}
	checkPermutation(items[2:], refuse)
}

// checkPermutation refuses [dims]T(perm) whose T(...) is no permutation of the dimensions; items begins with the
// dimensions.
func checkPermutation(items []hlo.Value, refuse func(string)) {
	if len(items) > 2 && items[1].Text == "T" {
		if perm, ok := items[2].Ints(); !ok || len(perm) != len(items[0].Elems) || !hlo.IsPermutation(perm) {
			refuse("T(...) does not permute the dimensions in front of it")
		}
	}
}

// shardingWords are the flags of a sharding (hlo-text.md 6.4).
var shardingWords = map[string]bool{"replicated": true, "manual": true, "unknown": true, "unreduced": true,
	"maximal": true, "last_tile_dim_replicate": true, "shard_as": true, "shard_like": true}

// checkSharding looks at the flags of a sharding: its words, and the list of devices.
func checkSharding(v *hlo.Value, depth int, refuse func(string)) {
	kind := len(v.Elems) == 0 // what it is: one of its words, its devices, or a tuple
	if len(v.Elems) == 2 && (v.Elems[0].Text == "shard_as" || v.Elems[0].Text == "shard_like") {
		refuse("a non-maximal sharding has tile dimensions")
	}
	defer func() {
		if !kind {
			refuse("it has no devices, and is neither replicated nor manual")
		}
	}()
	for i := range v.Elems {
		e := &v.Elems[i]
		kind = kind || e.Kind == hlo.ListValue || shardingWords[e.Text] && e.Kind == hlo.WordValue ||
			e.Text == "devices" || e.Text == "mesh" || e.Text == "maximal_mesh"
		switch {
		case i == 0 && e.Kind == hlo.WordValue && (e.Text == "mesh" || e.Text == "maximal_mesh"):
			return // the named form
		case e.Kind == hlo.ListValue && e.Open == '{':
			if depth > 0 {
				refuse("a sharding of a tuple has one level of braces")
			}
			checkSharding(e, depth+1, refuse)
		case e.Kind == hlo.WordValue && !shardingWords[e.Text] && e.Text != "T":
			refuse(quote(e.Text) + " is no word of a sharding")
		case e.Kind == hlo.PairValue && e.Text == "devices":
			if e.Elems[0].Kind != hlo.ListValue || e.Elems[0].Open != '[' {
				refuse("devices= begins with the tile dimensions, such as [2,1]")
				continue
			}
			if _, ok := e.Elems[0].Ints(); !ok {
				refuse("the tile dimensions are integers")
			}
			if tiles, _ := e.Elems[0].Ints(); len(tiles) > 0 &&
				!slices.ContainsFunc(tiles, func(n int) bool { return n != 1 }) {
				refuse("a non-maximal sharding has more than one device")
			}
			if i+2 < len(v.Elems) && v.Elems[i+1].Text == "<=" {
				checkPermutation(v.Elems[i+2:], refuse)
			}
		}
	}
}

// checkDimLabels refuses labels of a convolution whose three parts have different numbers of dimensions.
func checkDimLabels(text string, refuse func(string)) {
	// `?` is a dimension that is not there
	lhs, rest, ok1 := strings.Cut(strings.NewReplacer(`"`, "", "?", "").Replace(text), "_")
	rhs, out, ok2 := strings.Cut(rest, "->")
	if !ok1 || !ok2 || len(lhs) != len(rhs) || len(lhs) != len(out) {
		refuse("the input, the kernel and the output have different numbers of dimensions")
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

// UnfinishedLiteral tells where a literal without a closing parenthesis goes wrong; false if that cannot be told.
func (b *Builder) UnfinishedLiteral(text Text) bool {
	before := len(b.errs)
	b.checkLiteral(b.in, text)
	return len(b.errs) > before
}
