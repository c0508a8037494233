package mutant

import (
	"math/rand/v2"
	"strings"
)

// attrsOfAll are attributes that XLA reads at some instruction, and some that it reads nowhere.
var attrsOfAll = []string{
	`metadata={op_name="x"}`, `metadata={op_name="x" source_line=3 source_end_line=4}`, `metadata={}`,
	`metadata={op_name="b", source_line=1}`, `metadata={source_line="1"}`,
	`metadata={op_name=b}`,
	`metadata={op_type="a" source_file="c" stack_frame_id=1 preserve_layout=true profile_type={1} ` +
		`deduplicated_name="x" scheduling_name="y"}`,
	`metadata={size_of_generated_code_in_bytes=3 size_of_memory_working_set_in_bytes=4}`,
	`sharding={replicated}`, `sharding={maximal device=0}`, `sharding={}`, `sharding={manual}`, `sharding={unknown}`,
	`sharding={devices=[1]0}`, `sharding={devices=[2,1]<=[2]}`,
	`sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}`,
	`sharding={devices=[2,2]<=[4] last_tile_dims={manual}}`, `sharding={{replicated}}`,
	`sharding={{replicated},{maximal device=1}}`, `sharding={replicated metadata={op_name="x"}}`,
	`sharding={shard_as 1}`, `sharding={replicated shard_like 2}`,
	`sharding={devices=[2,2]0,1,2,3}`, `sharding={devices=[2]0,1,2}`, `sharding={devices=[2,2]<=[2,2]T(1,0)}`,
	`frontend_attributes={a="b"}`, `frontend_attributes={a="b",c={"d":1}}`, `frontend_attributes={}`,
	`frontend_attributes={a="b" c="d"}`,
	`backend_config="x"`, `backend_config={"a":[1,2,{"b":null}]}`, `backend_config={}`, `backend_config={"a":}`,
	`backend_config={a}`,
	`control-predecessors={}`, `parameter_replication={true}`, `parameter_replication={false,true}`,
	`statistics={visualizing_index=0,stat-1=33,stat-2=44}`,
	`origin={{"v1"}}`, `origin={[synthetic_call]}`, `origin={({"a"}, {"b" {0,1}})}`,
	`result_accuracy={tolerance={atol=0.1,rtol=0.2,ulps=3}}`, `result_accuracy={mode=highest}`,
	`result_accuracy={mode=x}`, `is_scheduled=true`, `dimensions={0}`, `dimensions={0,1}`, `index=0`, `to_apply=add`,
	`channel_id=1`,
	`operand_precision={highest,default}`, `foo=bar`, `foo={1,2}`, `async_execution_thread="main"`,
	`async_execution_thread="t"`,
	`dim_labels=bf_io->bf`, `dim_labels=b0f_0io->b0f`, `window={size=3}`, `window={size=2x2 stride=2x2}`,
	`window={size=2 pad=0_1}`, `slice={[0:1]}`, `slice={[0:4:2],[0:1]}`,
	`replica_groups={{0,1}}`, `replica_groups={}`, `replica_groups=[1,2]<=[2]`, `replica_groups=[2,2]<=[2,2]T(1,0)`,
	`source_target_pairs={{0,1}}`, `source_target_pairs={{0,1},{1,0}}`,
	`custom_call_target="x"`, `api_version=API_VERSION_TYPED_FFI`, `output_to_operand_aliasing={{}: (0, {})}`,
	`custom_call_has_side_effect=true`, `kind=kLoop`,
	`calls=c`, `largest=true`, `is_stable=true`, `direction=LT`, `type=FLOAT`, `type=SIGNED`, `algorithm=rng_default`,
	`algorithm=dot_bf16_bf16_f32`, `delta=1`,
	`cross_program_prefetch_index=0`, `schedule=SCHEDULE_LATEST`, `literal=f32[] 1`, `padding_type=PADDING_SAME`,
	`feature_group_count=1`, `batch_group_count=2`,
	`exponent_bits=5`, `mantissa_bits=10`, `k=3`, `use_global_device_ids=true`, `constrain_layout=true`,
	`infeed_config="x"`, `outfeed_shape=f32[2]`, `is_host_transfer=true`,
	`lhs_contracting_dims={1}`, `rhs_contracting_dims={0}`, `lhs_batch_dims={0}`, `rhs_batch_dims={0}`,
	`dynamic_slice_sizes={1,1}`, `padding=1_1`, `padding=0_1_2x1_1`,
	`operand_layout_constraints={f32[2]{0}}`, `called_computations={add}`, `condition=c`, `body=b`,
	`true_computation=t`, `branch_computations={a,b}`,
	`lower=true`, `transpose_a=NO_TRANSPOSE`, `fft_type=FFT`, `fft_length={8}`, `iota_dimension=0`, `is_composite=true`,
	`sparsity_config={lhs={sparsity=1x4}}`,
}

var headerAttrs = []string{`is_scheduled=true`, `is_scheduled=false`, `is_scheduled=1`,
	`alias_passthrough_params=true`, `input_output_alias={ {}: (0, {}, may-alias) }`,
	`input_output_alias={ {0}: (0, {}, must-alias) }`, `input_output_alias={ {}: 0 }`, `input_output_alias={}`,
	`buffer_donor={ (0, {}) }`, `buffer_donor={ (9, {}) }`,
	`entry_computation_layout={()->f32[]}`, `entry_computation_layout={}`,
	`entry_computation_layout={(f32[2]{0})->f32[2]{0}}`, `replica_count=2`, `num_partitions=4`,
	`replica_count=-1`, `allow_spmd_sharding_propagation_to_output={true}`,
	`allow_spmd_sharding_propagation_to_parameters={true,false}`, `frontend_attributes={a="b"}`, `foo=1`}

// atInstruction inserts at the end of an instruction.
func atInstruction(make func(r *rand.Rand, text string) string) func(*rand.Rand, string) string {
	return func(r *rand.Rand, text string) string {
		lines := instructions(text)
		if len(lines) == 0 {
			return text
		}
		end := pick(r, lines).to
		return span{end, end}.replaced(text, make(r, text))
	}
}

// foundAttr returns an attribute of the text with the comma in front of it.
func foundAttr(r *rand.Rand, text string) string {
	if found := spans(attrPattern, 0, text); len(found) > 0 {
		return pick(r, found).of(text)
	}
	return ""
}

// attrOperators change attributes.
var attrOperators = []Operator{
	{"attribute deleted", replaceOne(attrPattern, 0, func(*rand.Rand, string) string { return "" })},
	{"attribute doubled", replaceOne(attrPattern, 0, func(_ *rand.Rand, old string) string { return old + old })},
	{"attribute moved", atInstruction(foundAttr)},
	{"attribute added", atInstruction(func(r *rand.Rand, _ string) string { return ", " + pick(r, attrsOfAll) })},
	{"attribute renamed", replaceOne(attrPattern, 1, func(r *rand.Rand, _ string) string {
		key, _, _ := strings.Cut(pick(r, attrsOfAll), "=")
		return key
	})},
	{"attribute value", replaceOne(attrPattern, 2, func(r *rand.Rand, _ string) string {
		_, value, _ := strings.Cut(pick(r, attrsOfAll), "=")
		return value
	})},
	{"value of the same attribute", func(r *rand.Rand, text string) string {
		matches := attrPattern.FindAllStringSubmatchIndex(text, -1)
		if len(matches) == 0 {
			return text
		}
		m := pick(r, matches)
		var same []string
		for _, a := range attrsOfAll {
			if value, ok := strings.CutPrefix(a, text[m[2]:m[3]]+"="); ok {
				same = append(same, value)
			}
		}
		if len(same) == 0 {
			return text
		}
		return span{m[4], m[5]}.replaced(text, pick(r, same))
	}},
	{"part of a list", replaceOne(attrPattern, 2, func(r *rand.Rand, old string) string {
		parts := tokens(old)
		if len(parts) == 0 {
			return old
		}
		s := pick(r, parts)
		switch r.IntN(3) {
		case 0:
			return s.replaced(old, "")
		case 1:
			return s.replaced(old, s.of(old)+","+s.of(old))
		}
		return s.replaced(old, pick(r, parts).of(old))
	})},
	{"attributes shuffled", func(r *rand.Rand, text string) string {
		lines := instructions(text)
		if len(lines) == 0 {
			return text
		}
		line := pick(r, lines)
		old := line.of(text)
		found := spans(attrPattern, 0, old)
		if len(found) < 2 {
			return text
		}
		made, end := "", 0
		for i, from := range r.Perm(len(found)) {
			made += old[end:found[i].from] + found[from].of(old)
			end = found[i].to
		}
		return line.replaced(text, made+old[end:])
	}},
	{"header", func(r *rand.Rand, text string) string {
		found := spans(modulePattern, 1, text)
		if len(found) == 0 {
			return text
		}
		if r.IntN(8) == 0 {
			return found[0].replaced(text, pick(r, words))
		}
		return found[0].replaced(text, found[0].of(text)+", "+pick(r, headerAttrs))
	}},
}
