package build

import (
	"strings"
	"sync"

	"hlolayout/hlo"
)

// form says what XLA's parser takes as the value of an attribute. Reading strictly
// refuses anything else; otherwise any value is kept.
type form struct {
	kinds []Kind
	rule  Rule   // reads the inside of a braced value
	words string // the words allowed, separated by blanks; "" for any
	fold  bool   // case of the words does not matter
}

var (
	intForm    = form{kinds: []Kind{Int}}
	boolForm   = form{kinds: []Kind{Name}, words: "true false"}
	intsForm   = form{kinds: []Kind{Braced}, rule: IntsRule}
	textForm   = form{kinds: []Kind{String}}
	bracedForm = form{kinds: []Kind{Braced}, rule: ValueRule}
)

// takes reports whether a word is one of those allowed.
func (f form) takes(word string) bool {
	for _, w := range strings.Fields(f.words) {
		if w == word || f.fold && strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

func words(list string) form { return form{kinds: []Kind{Name}, words: list} }

func folded(list string) form { return form{kinds: []Kind{Name}, words: list, fold: true} }

const dotAlgorithms = "unset dot_any_f8_any_f8_f32 dot_any_f8_any_f8_f32_fast_accum dot_f16_f16_f16 dot_f16_f16_f32 " +
	"dot_bf16_bf16_bf16 dot_bf16_bf16_f32 dot_bf16_bf16_f32_x3 dot_bf16_bf16_f32_x6 dot_bf16_bf16_f32_x9 " +
	"dot_tf32_tf32_f32 dot_tf32_tf32_f32_x3 dot_f32_f32_f32 dot_f64_f64_f64"

var forms = sync.OnceValue(func() map[string]form {
	return map[string]form{
		"alias_passthrough_params": boolForm, "is_scheduled": boolForm, "replica_count": intForm, "num_partitions": intForm,
		"input_output_alias":       {kinds: []Kind{Braced}, rule: AliasRule},
		"buffer_donor":             {kinds: []Kind{Braced}, rule: DonorRule},
		"entry_computation_layout": {kinds: []Kind{Braced}, rule: EntryLayoutRule},
		"allow_spmd_sharding_propagation_to_parameters": {kinds: []Kind{Name, Braced}, rule: WordsRule,
			words: "true false"},
		"allow_spmd_sharding_propagation_to_output": {kinds: []Kind{Name, Braced}, rule: WordsRule, words: "true false"},
		"frontend_attributes":                       {kinds: []Kind{Braced}, rule: FrontendRule},

		"replica_groups":      {kinds: []Kind{Braced, Bracketed}, rule: IntListsRule},
		"source_target_pairs": {kinds: []Kind{Braced}, rule: IntListsRule},
		"channel_id":          intForm, "constrain_layout": boolForm, "use_global_device_ids": boolForm,
		"has_dynamic_root": boolForm,
		"lhs_batch_dims":   intsForm, "lhs_contracting_dims": intsForm, "rhs_batch_dims": intsForm,
		"rhs_contracting_dims": intsForm,
		"lhs_ragged_dims":      intsForm, "rhs_group_dims": intsForm, "is_host_transfer": boolForm,
		"update_window_dims": intsForm, "inserted_window_dims": intsForm, "scatter_dims_to_operand_dims": intsForm,
		"input_batching_dims": intsForm, "scatter_indices_batching_dims": intsForm, "offset_dims": intsForm,
		"collapsed_slice_dims": intsForm, "start_index_map": intsForm, "operand_batching_dims": intsForm,
		"start_indices_batching_dims": intsForm, "index_vector_dim": intForm, "dimensions": intsForm,
		"slice_sizes": intsForm, "dynamic_slice_sizes": intsForm, "indices_are_sorted": boolForm,
		"unique_indices": boolForm,
		"num_carries":    intForm, "is_reverse": boolForm, "is_associative": boolForm, "is_stable": boolForm,
		"epsilon": {kinds: []Kind{Int, Float}}, "feature_index": intForm, "lower": boolForm,
		"direction": words("EQ NE GE GT LE LT"), "type": words("FLOAT TOTALORDER SIGNED UNSIGNED"),
		"window": {kinds: []Kind{Braced}, rule: WindowRule}, "dim_labels": {kinds: []Kind{Pattern}},
		"feature_group_count": intForm, "batch_group_count": intForm, "convolution_kind": words("fprop dgrad wgrad unset"),
		"operand_precision": {kinds: []Kind{Braced}, rule: WordsRule, words: "default high highest", fold: true},
		"padding_type":      words("PADDING_INVALID PADDING_VALID PADDING_SAME"),
		"algorithm":         folded(dotAlgorithms), "sparsity_config": bracedForm,
		"cross_program_prefetch_index": intForm, "custom_call_target": textForm,
		"operand_layout_constraints": {kinds: []Kind{Braced}, rule: ShapesRule}, "custom_call_has_side_effect": boolForm,
		"domain": bracedForm, "fft_type": words("FFT IFFT RFFT IRFFT"), "fft_length": intsForm,
		"kind": words("kLoop kInput kOutput kCustom"), "index": intForm, "infeed_config": textForm,
		"outfeed_config": textForm,
		"outfeed_shape":  {kinds: []Kind{Shape, Tuple}}, "iota_dimension": intForm, "padding": {kinds: []Kind{Pattern}},
		"exponent_bits": intForm, "mantissa_bits": intForm, "inferred_dimension": intForm,
		"distribution": folded("rng_uniform rng_normal"), "delta": intForm, "slice": {kinds: []Kind{Braced},
			rule: SliceRule},
		"k": intForm, "largest": boolForm, "left_side": boolForm, "unit_diagonal": boolForm,
		"transpose_a": words("NO_TRANSPOSE TRANSPOSE ADJOINT"), "output_to_operand_aliasing": {kinds: []Kind{Braced},
			rule: AliasRule},
		"schedule": folded("SCHEDULE_NONE SCHEDULE_LATEST SCHEDULE_EARLIEST"),
		"api_version": folded("API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING " +
			"API_VERSION_STATUS_RETURNING_UNIFIED API_VERSION_TYPED_FFI"),
		"is_composite": boolForm, "sharding": {kinds: []Kind{Braced}, rule: ShardingRule},
		"control-predecessors": {kinds: []Kind{Braced}, rule: WordsRule},
		"statistics":           bracedForm, "result_accuracy": bracedForm, "origin": bracedForm,
		"parameter_replication": {kinds: []Kind{Braced}, rule: WordsRule, words: "true false"},
		"metadata":              {kinds: []Kind{Braced}, rule: MetadataRule}, "backend_config": {kinds: []Kind{JSON,
			String}},
		"branch_computations": {kinds: []Kind{Braced}, rule: WordsRule}, "called_computations": {kinds: []Kind{Braced},
			rule: WordsRule},
		"origin_recovery_table": bracedForm, "debug_attributes": bracedForm,
		"execution_thread": textForm, "async_execution_thread": textForm,
	}
})

// formOf returns the form of the current attribute; ok is false where anything goes, and where there is none: in the
// tables of the stack frames.
func (b *Builder) formOf() (f form, ok bool) {
	if b.key == nil {
		return form{}, false
	}
	f, ok = forms()[b.key.Name]
	if b.key.Name == "algorithm" && b.scope != nil {
		f = folded(dotAlgorithms)
		if b.in.Opcode == hlo.OpRngBitGenerator {
			f = folded("rng_default rng_three_fry rng_philox")
		}
	}
	if b.key.Name == "slice_sizes" && b.scope != nil && (b.in.Opcode == hlo.OpCollectivePermute ||
		b.in.Opcode == hlo.OpCollectivePermuteStart) {
		f.rule = IntListsRule
	}
	return f, ok
}

// InsideRule is the rule that reads the inside of the current attribute's braced value.
func (b *Builder) InsideRule() Rule {
	if f, ok := b.formOf(); ok && f.rule != ModuleRule {
		return f.rule
	}
	return ValueRule
}

var kindNames = [...]string{Name: "a word", String: "a string", Int: "an integer", Float: "a number",
	Pattern: "a pattern such as 3x3",
	Braced:  "`{...}`", Bracketed: "`[...]`", JSON: "`{...}`", Shape: "a shape", Tuple: "a tuple shape"}

// checkForm refuses a value whose token, or word, the attribute cannot have.
func (b *Builder) checkForm(f form, kind Kind, t Text) {
	wanted := make([]string, 0, len(f.kinds))
	for _, k := range f.kinds {
		if k == kind {
			b.checkWord(f, kind, t)
			return
		}
		wanted = append(wanted, kindNames[k])
	}
	b.fail(t.Off, CodeValue, b.key.Name+" cannot be "+quote(b.text(t)), "expected "+orList(wanted))
	panic(Stop{})
}

func (b *Builder) checkWord(f form, kind Kind, t Text) {
	if kind != Name || f.words == "" {
		return
	}
	word, known := b.text(t), strings.Fields(f.words)
	if f.takes(word) {
		return
	}
	hint := didYouMean(word, known)
	if hint == "" && len(known) <= 6 {
		hint = "expected " + orList(known)
	}
	b.fail(t.Off, CodeValue, b.key.Name+" cannot be "+quote(word), hint)
}
