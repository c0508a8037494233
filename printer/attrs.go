package printer

import (
	"regexp"
	"strings"
	"sync"

	"hlolayout/hlo"
)

// A form appends one attribute's value in XLA's way.
type form func(p *canonical, v *hlo.Value) verdict

// verdict is what a form made of a value.
type verdict uint8

const (
	printed verdict = iota
	dropped         // XLA does not print this value: it is the default
	foreign         // the value is not of the attribute's form: it prints as it was read
)

// attribute prints `, key=value`; nothing for a missing value.
func (p *canonical) attribute(key string, f form, v *hlo.Value) {
	if v == nil || f == nil {
		return
	}
	start := len(p.out)
	p.text(", ")
	p.text(key)
	p.text("=")
	value := len(p.out)
	switch f(p, v) {
	case dropped:
		p.out = p.out[:start]
	case foreign:
		p.out = append(p.out[:value], v.Text...)
	}
}

// rule says how an attribute prints.
type rule struct {
	form form
	// absent is what XLA prints where the text has no such attribute; nothing if it is empty.
	absent string
	// of, where set, chooses the form by the instruction; nil prints nothing.
	of func(in *hlo.Instruction) form
}

// rules are the attributes of single opcodes. Their order is in the opcode table.
var rules = map[string]rule{
	"parameter_replication": {form: words},

	"channel_id": {form: integer}, "replica_groups": {form: replicaGroupsForm, absent: "{}"},
	"source_target_pairs": {form: nestedIntegers}, "constrain_layout": {form: whenTrue},
	"use_global_device_ids": {form: whenTrue}, "has_dynamic_root": {form: asWritten}, "mode": {form: never},
	"is_host_transfer": {form: whenTrue},

	"lhs_batch_dims": {form: someIntegers}, "lhs_contracting_dims": {form: integers, absent: "{}"},
	"rhs_batch_dims": {form: someIntegers}, "rhs_contracting_dims": {form: integers, absent: "{}"},
	"lhs_ragged_dims": {form: someIntegers}, "rhs_group_dims": {form: someIntegers},

	"update_window_dims": {form: integers}, "inserted_window_dims": {form: integers},
	"scatter_dims_to_operand_dims": {form: integers}, "input_batching_dims": {form: someIntegers},
	"scatter_indices_batching_dims": {form: someIntegers},
	"offset_dims":                   {form: integers}, "collapsed_slice_dims": {form: integers},
	"start_index_map": {form: integers}, "operand_batching_dims": {form: someIntegers},
	"start_indices_batching_dims": {form: someIntegers}, "index_vector_dim": {form: integer},
	"slice_sizes": {form: nestedIntegers}, "dynamic_slice_sizes": {form: integers},
	"indices_are_sorted": {form: whenTrue}, "unique_indices": {form: whenTrue},

	"dimensions": {form: integers}, "num_carries": {form: integer}, "is_reverse": {form: whenTrue},
	"is_associative": {form: asWritten, absent: "false"}, "is_stable": {form: whenTrue}, "k": {form: integer},
	"largest": {form: asWritten, absent: "true"},

	"window": {form: windowForm}, "dim_labels": {form: dimLabelsForm},
	"feature_group_count": {form: not("1", integer)}, "batch_group_count": {form: not("1", integer)},
	"convolution_kind": {form: not("unset", asWritten)}, "operand_precision": {form: precisionForm},
	"padding_type": {form: not("PADDING_INVALID", asWritten)}, "algorithm": {form: not("unset", lower)},
	"sparsity_config": {form: sparsityForm},

	"custom_call_target": {form: quoted}, "operand_layout_constraints": {form: layoutConstraintsForm},
	"custom_call_has_side_effect": {form: whenTrue}, "literal": {form: literalForm},
	"output_to_operand_aliasing": {form: aliasingForm}, "schedule": {form: not("SCHEDULE_NONE", upper)},
	"api_version": {form: not("API_VERSION_ORIGINAL", upper)},

	"epsilon": {form: single}, "feature_index": {form: integer},
	"fft_type": {form: asWritten}, "fft_length": {form: integers}, "kind": {form: asWritten}, "index": {form: integer},
	"lower": {form: whenTrue}, "left_side": {form: whenTrue}, "unit_diagonal": {form: whenTrue},
	"transpose_a": {form: not("TRANSPOSE_INVALID", asWritten)},
	"direction":   {form: asWritten}, "type": {of: comparisonType},
	"cross_program_prefetch_index": {form: integer}, "domain": {form: domainForm},
	"infeed_config": {form: someQuoted}, "outfeed_config": {form: someQuoted}, "outfeed_shape": {form: shapeForm},
	"iota_dimension": {form: integer}, "padding": {form: paddingForm}, "slice": {form: sliceForm},
	"exponent_bits": {form: integer}, "mantissa_bits": {form: integer},
	"inferred_dimension": {form: not("-1", integer)},
	"distribution":       {form: lower}, "delta": {form: integer},
}

// exceptions are the opcodes that print an attribute differently from the others.
var exceptions = map[hlo.Opcode]map[string]rule{
	hlo.OpAllGather: {"dimensions": {form: firstInteger}}, hlo.OpAllGatherStart: {"dimensions": {form: firstInteger}},
	hlo.OpReduceScatter:    {"dimensions": {form: firstInteger}},
	hlo.OpGetDimensionSize: {"dimensions": {form: firstInteger}},
	hlo.OpSetDimensionSize: {"dimensions": {form: firstInteger}},
	hlo.OpBroadcast:        {"dimensions": {form: integers, absent: "{}"}},
	hlo.OpMap:              {"dimensions": {of: allDimensions}},
	hlo.OpRaggedAllToAll:   {"dimensions": {form: never}},
	hlo.OpCustomCall:       {"window": {form: emptyWindowForm}},
	hlo.OpRngBitGenerator:  {"algorithm": {form: lower}},
	hlo.OpTopk:             {"is_stable": {form: asWritten}},
	hlo.OpOutfeed:          {"outfeed_shape": {of: outfeedShape}},
}

// ownRule is a rule at its place in an opcode's print.
type ownRule struct {
	key *hlo.AttrKey
	rule
}

// keyTable has what is known of keys.
type keyTable struct {
	// own lists each opcode's attributes in the order of the print, without those that all opcodes print at one place.
	own      [256][]ownRule
	common   [256]bool // by the number of a key: those that all opcodes print at one place
	metadata *hlo.AttrKey
}

// isCommon reports whether all opcodes print the key at one place.
func (t *keyTable) isCommon(key *hlo.AttrKey) bool {
	n := key.PrintOrder()
	return n < len(t.common) && t.common[n]
}

var keys = sync.OnceValue(func() *keyTable {
	t := &keyTable{metadata: hlo.InstructionAttr("metadata")}
	for name := range common {
		t.common[hlo.InstructionAttr(name).PrintOrder()] = true
	}
	for _, op := range hlo.Opcodes() {
		names, _ := op.Attrs()
		for _, name := range names {
			key := hlo.InstructionAttr(name)
			if key.Called || common[name] {
				continue
			}
			r, ok := exceptions[op][name]
			if !ok {
				r = rules[name]
			}
			t.own[op] = append(t.own[op], ownRule{key, r})
		}
	}
	return t
})

// valueOf is Instruction.Attr for a key that is known.
func valueOf(in *hlo.Instruction, key *hlo.AttrKey) *hlo.Value {
	for i := range in.Attrs {
		if in.Attrs[i].Key == key {
			return in.Attrs[i].Value
		}
	}
	return nil
}

// onlyOwn reports whether nothing but an opcode's own attributes and metadata is to be printed, as of most
// instructions: looking for each of the others takes a tenth of the print.
func (p *canonical) onlyOwn(in *hlo.Instruction) bool {
	if len(p.given) > 0 || asyncSuffix[in.Opcode] != "" || in.Opcode == hlo.OpGetTupleElement {
		return false
	}
	t := keys()
	for i := range in.Attrs {
		if key := in.Attrs[i].Key; key != t.metadata && t.isCommon(key) {
			return false
		}
	}
	return true
}

// common are the attributes that print after an opcode's own.
var common = map[string]bool{"is_composite": true, "sharding": true, "frontend_attributes": true,
	"control-predecessors": true,
	"statistics":           true, "result_accuracy": true, "origin": true, "metadata": true, "backend_config": true}

// ownAttributes prints an opcode's own attributes, and after them those that XLA does not know there.
func (p *canonical) ownAttributes(in *hlo.Instruction) {
	t := keys()
	rules := t.own[in.Opcode]
	for i := range rules {
		r := &rules[i]
		f := r.form
		if r.of != nil {
			f = r.of(in)
		}
		v := valueOf(in, r.key)
		switch {
		case v != nil:
			p.attribute(r.key.Name, f, v)
		case r.of != nil:
			p.attribute(r.key.Name, f, absent)
		case r.absent != "":
			p.text(", " + r.key.Name + "=" + r.absent)
		}
	}
	for i := range in.Attrs {
		if a := &in.Attrs[i]; !a.Key.Called && !t.isCommon(a.Key) && !hasRule(rules, a.Key) {
			p.attribute(a.Key.Name, asRead, a.Value)
		}
	}
}

// absent stands for a missing value where the form depends on the instruction.
var absent = &hlo.Value{}

func hasRule(rules []ownRule, key *hlo.AttrKey) bool {
	for i := range rules {
		if rules[i].key == key {
			return true
		}
	}
	return false
}

// ---- words, numbers, lists
// --------------------------------------------------------------------------------------------

func never(*canonical, *hlo.Value) verdict { return dropped }

func asRead(*canonical, *hlo.Value) verdict { return foreign }

func asWritten(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.WordValue {
		return foreign
	}
	p.text(v.Text)
	return printed
}

// lower and upper print words that XLA reads in any case.
func lower(p *canonical, v *hlo.Value) verdict { return cased(p, v, strings.ToLower) }
func upper(p *canonical, v *hlo.Value) verdict { return cased(p, v, strings.ToUpper) }

func cased(p *canonical, v *hlo.Value, to func(string) string) verdict {
	if v.Kind != hlo.WordValue {
		return foreign
	}
	p.text(to(v.Text))
	return printed
}

// not drops the value that f prints as the given default.
func not(standard string, f form) form {
	return func(p *canonical, v *hlo.Value) verdict {
		start := len(p.out)
		result := f(p, v)
		if result == printed && string(p.out[start:]) == standard {
			return dropped
		}
		return result
	}
}

// whenTrue prints a flag that is set.
func whenTrue(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.WordValue {
		return foreign
	}
	if v.Text != "true" {
		return dropped
	}
	p.text("true")
	return printed
}

// words prints {true,false}; an empty list, XLA leaves out.
func words(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	if len(v.Elems) == 0 {
		return dropped
	}
	p.text("{")
	for i := range v.Elems {
		if i > 0 {
			p.text(",")
		}
		p.text(v.Elems[i].Text)
	}
	p.text("}")
	return printed
}

func integer(p *canonical, v *hlo.Value) verdict {
	n, ok := intOf(v)
	if !ok {
		return foreign
	}
	p.number(n)
	return printed
}

// single prints a float that XLA keeps in 32 bits.
func single(p *canonical, v *hlo.Value) verdict {
	f, ok := floatOf(v)
	if !ok {
		return foreign
	}
	p.out = appendFloat(p.out, float64(float32(f)))
	return printed
}

// firstInteger prints a list of one, the first of those that are written: XLA keeps no other.
func firstInteger(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue || len(v.Elems) < 2 {
		return integers(p, v)
	}
	one := *v
	one.Elems = v.Elems[:1]
	return integers(p, &one)
}

func integers(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue {
		return foreign
	}
	p.text("{")
	for i := range v.Elems {
		n, ok := intOf(&v.Elems[i])
		if !ok {
			return foreign
		}
		if i > 0 {
			p.text(",")
		}
		p.number(n)
	}
	p.text("}")
	return printed
}

// someIntegers leaves out an empty list.
func someIntegers(p *canonical, v *hlo.Value) verdict {
	if v.Kind == hlo.ListValue && len(v.Elems) == 0 {
		return dropped
	}
	return integers(p, v)
}

// nestedIntegers prints a list of lists of numbers, or a plain list.
func nestedIntegers(p *canonical, v *hlo.Value) verdict {
	if v.Kind != hlo.ListValue || len(v.Elems) == 0 || v.Elems[0].Kind != hlo.ListValue {
		return integers(p, v)
	}
	p.text("{")
	for i := range v.Elems {
		if i > 0 {
			p.text(",")
		}
		if integers(p, &v.Elems[i]) != printed {
			return foreign
		}
	}
	p.text("}")
	return printed
}

// ---- strings
// ----------------------------------------------------------------------------------------------------------

func quoted(p *canonical, v *hlo.Value) verdict {
	if v.Kind == hlo.StringValue && hlo.IsQuoted(v.Text) {
		p.text(v.Text)
		return printed
	}
	s, ok := unquote(v)
	if !ok {
		return foreign
	}
	p.out = hlo.AppendQuoted(p.out, s)
	return printed
}

// someQuoted leaves out an empty string.
func someQuoted(p *canonical, v *hlo.Value) verdict {
	if v.Kind == hlo.StringValue && (v.Text == `""` || v.Text == "''") {
		return dropped
	}
	return quoted(p, v)
}

// configForm prints a byte string bare where it lexes as a dictionary.
func configForm(p *canonical, v *hlo.Value) verdict {
	if v.Kind == hlo.RawValue {
		p.text(v.Text)
		return printed
	}
	s, ok := unquote(v)
	if !ok {
		return foreign
	}
	return p.config(s)
}

func (p *canonical) config(s string) verdict {
	switch {
	case s == "":
		return dropped
	case isJSON(s):
		p.text(s)
	default:
		p.out = hlo.AppendQuoted(p.out, s)
	}
	return printed
}

// noQueues is what XLA takes out of a backend_config, wherever it is in it: a field of old GPU dumps. (No document
// says so; XLA's parser was asked.)
var noQueues = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"wait_on_operation_queues"\s*:\s*\[\s*\]\s*,`)
})

func backendConfigForm(p *canonical, v *hlo.Value) verdict {
	if !strings.Contains(v.Text, "wait_on_operation_queues") {
		return configForm(p, v)
	}
	s, ok := unquote(v)
	if v.Kind == hlo.RawValue {
		s, ok = v.Text, true
	}
	if !ok {
		return foreign
	}
	return p.config(noQueues().ReplaceAllLiteralString(s, ""))
}
