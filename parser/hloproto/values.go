package hloproto

import (
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// values prints the value of each attribute that belongs to single opcodes, and reports whether the instruction has it.
// Which attributes an opcode has, and in which order they print, is said by the opcode's row in package hlo; the
// function says when it prints.
var (
	values     map[string]func(w *writer, in *instruction) bool
	needValues sync.Once
)

func valueOf(attribute string) func(w *writer, in *instruction) bool {
	needValues.Do(fillValues)
	return values[attribute]
}

func fillValues() {
	values = map[string]func(w *writer, in *instruction) bool{
		"parameter_replication": (*writer).parameterReplication,
		"async_execution_thread": func(w *writer, in *instruction) bool {
			w.plain(in.AsyncExecutionThread)
			return in.AsyncExecutionThread != "" && in.AsyncExecutionThread != "main"
		},

		"channel_id":            (*writer).channelID,
		"replica_groups":        (*writer).replicaGroups,
		"source_target_pairs":   (*writer).sourceTargetPairs,
		"constrain_layout":      flag(func(in *instruction) bool { return in.ConstrainLayout }),
		"use_global_device_ids": flag(func(in *instruction) bool { return in.UseGlobalDeviceIds }),
		"has_dynamic_root":      flag(func(in *instruction) bool { return in.HasDynamicRoot }),
		"is_host_transfer":      flag(func(in *instruction) bool { return in.IsHostTransfer }),

		"lhs_batch_dims":       nonEmpty(func(in *instruction) []int64 { return in.dot().GetLhsBatchDimensions() }),
		"lhs_contracting_dims": always(func(in *instruction) []int64 { return in.dot().GetLhsContractingDimensions() }),
		"rhs_batch_dims":       nonEmpty(func(in *instruction) []int64 { return in.dot().GetRhsBatchDimensions() }),
		"rhs_contracting_dims": always(func(in *instruction) []int64 { return in.dot().GetRhsContractingDimensions() }),
		"lhs_ragged_dims": always(func(in *instruction) []int64 {
			return in.RaggedDotDimensionNumbers.GetLhsRaggedDimensions()
		}),
		"rhs_group_dims": nonEmpty(func(in *instruction) []int64 {
			return in.RaggedDotDimensionNumbers.GetRhsGroupDimensions()
		}),
		"operand_precision": (*writer).operandPrecision,
		"algorithm":         (*writer).algorithm,
		"sparsity_config":   (*writer).sparsityConfig,

		"update_window_dims": always(func(in *instruction) []int64 {
			return in.ScatterDimensionNumbers.GetUpdateWindowDims()
		}),
		"inserted_window_dims": always(func(in *instruction) []int64 {
			return in.ScatterDimensionNumbers.GetInsertedWindowDims()
		}),
		"scatter_dims_to_operand_dims": always(func(in *instruction) []int64 {
			return in.ScatterDimensionNumbers.GetScatterDimsToOperandDims()
		}),
		"input_batching_dims": nonEmpty(func(in *instruction) []int64 {
			return in.ScatterDimensionNumbers.GetInputBatchingDims()
		}),
		"scatter_indices_batching_dims": nonEmpty(func(in *instruction) []int64 {
			return in.ScatterDimensionNumbers.GetScatterIndicesBatchingDims()
		}),
		"offset_dims": always(func(in *instruction) []int64 {
			return in.GatherDimensionNumbers.GetOffsetDims()
		}),
		"collapsed_slice_dims": always(func(in *instruction) []int64 {
			return in.GatherDimensionNumbers.GetCollapsedSliceDims()
		}),
		"start_index_map": always(func(in *instruction) []int64 {
			return in.GatherDimensionNumbers.GetStartIndexMap()
		}),
		"operand_batching_dims": nonEmpty(func(in *instruction) []int64 {
			return in.GatherDimensionNumbers.GetOperandBatchingDims()
		}),
		"start_indices_batching_dims": nonEmpty(func(in *instruction) []int64 {
			return in.GatherDimensionNumbers.GetStartIndicesBatchingDims()
		}),
		"index_vector_dim": number(func(in *instruction) int64 {
			if in.ScatterDimensionNumbers != nil {
				return in.ScatterDimensionNumbers.IndexVectorDim
			}
			return in.GatherDimensionNumbers.GetIndexVectorDim()
		}),
		"slice_sizes":        (*writer).sliceSizes,
		"indices_are_sorted": flag(func(in *instruction) bool { return in.IndicesAreSorted }),
		"unique_indices":     flag(func(in *instruction) bool { return in.UniqueIndices }),

		"dimensions":          (*writer).dimensions,
		"dynamic_slice_sizes": always(func(in *instruction) []int64 { return in.DynamicSliceSizes }),
		"iota_dimension":      (*writer).firstDimension,
		"inferred_dimension":  (*writer).firstDimension,
		"slice":               (*writer).slice,
		"padding":             (*writer).padding,
		"index":               number(func(in *instruction) int64 { return in.TupleIndex }),

		"num_carries":    number(func(in *instruction) int64 { return in.NumCarries }),
		"is_reverse":     flag(func(in *instruction) bool { return in.IsReverse }),
		"is_associative": (*writer).isAssociative,
		"epsilon":        func(w *writer, in *instruction) bool { w.float(float64(in.Epsilon)); return true },
		"feature_index":  number(func(in *instruction) int64 { return in.FeatureIndex }),

		"direction": word(func(in *instruction) string { return in.ComparisonDirection }),
		"type":      (*writer).comparisonType,
		"lower": flag(func(in *instruction) bool {
			return in.TriangularSolveOptions.GetLower() || in.CholeskyOptions.GetLower()
		}),
		"left_side":   flag(func(in *instruction) bool { return in.TriangularSolveOptions.GetLeftSide() }),
		"transpose_a": word(func(in *instruction) string { return in.TriangularSolveOptions.GetTransposeA().String() }),
		"unit_diagonal": flag(func(in *instruction) bool {
			return in.TriangularSolveOptions.GetUnitDiagonal()
		}),

		"window":              (*writer).window,
		"dim_labels":          (*writer).dimLabels,
		"feature_group_count": count(func(in *instruction) int64 { return in.FeatureGroupCount }),
		"batch_group_count":   count(func(in *instruction) int64 { return in.BatchGroupCount }),
		"convolution_kind":    (*writer).convolutionKind,
		"padding_type": func(w *writer, in *instruction) bool {
			w.text(in.PaddingType.String())
			return in.PaddingType != hlopb.PaddingType_PADDING_INVALID
		},

		"cross_program_prefetch_index": (*writer).prefetchIndex,
		"custom_call_target": func(w *writer, in *instruction) bool {
			w.quote(in.CustomCallTarget)
			return true
		},
		"operand_layout_constraints":  (*writer).operandLayouts,
		"custom_call_has_side_effect": flag(func(in *instruction) bool { return in.CustomCallHasSideEffect }),
		"literal":                     (*writer).literalAttribute,
		"output_to_operand_aliasing":  (*writer).outputAliasing,
		"schedule": func(w *writer, in *instruction) bool {
			w.text(in.CustomCallSchedule.String())
			return in.CustomCallSchedule != hlopb.CustomCallSchedule_SCHEDULE_NONE
		},
		"api_version": func(w *writer, in *instruction) bool {
			w.text(in.CustomCallApiVersion.String())
			return in.CustomCallApiVersion != hlopb.CustomCallApiVersion_API_VERSION_ORIGINAL
		},

		"domain":     (*writer).domain,
		"fft_type":   word(func(in *instruction) string { return in.FftType.String() }),
		"fft_length": always(func(in *instruction) []int64 { return in.FftLength }),
		"kind":       word(func(in *instruction) string { return in.FusionKind }),
		"infeed_config": func(w *writer, in *instruction) bool {
			w.quote(string(in.InfeedConfig))
			return len(in.InfeedConfig) > 0
		},
		"outfeed_config": func(w *writer, in *instruction) bool {
			w.quote(string(in.OutfeedConfig))
			return len(in.OutfeedConfig) > 0
		},
		"outfeed_shape": func(w *writer, in *instruction) bool {
			w.out = w.shape(in.OutfeedShape, spot{in, "outfeed_shape", -1}).Append(w.out, true)
			return true
		},
		"exponent_bits": number(func(in *instruction) int64 { return int64(in.ExponentBits) }),
		"mantissa_bits": number(func(in *instruction) int64 { return int64(in.MantissaBits) }),
		"distribution":  word(func(in *instruction) string { return strings.ToLower(in.Distribution.String()) }),
		"delta":         number(func(in *instruction) int64 { return in.Delta }),
		"k":             number(func(in *instruction) int64 { return in.K }),
		"largest": func(w *writer, in *instruction) bool {
			w.text(boolText(in.Largest))
			return true
		},
		"is_stable": flag(func(in *instruction) bool { return in.IsStable }),

		"condition": callee(1),
		"body":      callee(0),
		"select":    callee(0),
		"scatter":   callee(1),
		"to_apply": func(w *writer, in *instruction) bool {
			return in.Opcode != "custom-call" && callee(0)(w, in)
		},
		"calls":               (*writer).calls,
		"called_computations": (*writer).callees,
		"true_computation":    branch(0),
		"false_computation":   branch(1),
		"branch_computations": func(w *writer, in *instruction) bool { return !in.picksByPred() && w.callees(in) },
		"is_composite":        flag(func(in *instruction) bool { return in.IsComposite }),
	}
}

func boolText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// flag prints true, or nothing.
func flag(get func(*instruction) bool) func(*writer, *instruction) bool {
	return func(w *writer, in *instruction) bool { w.text("true"); return get(in) }
}

func number(get func(*instruction) int64) func(*writer, *instruction) bool {
	return func(w *writer, in *instruction) bool { w.int(get(in)); return true }
}

// count prints a number that is 1 where it is not said.
func count(get func(*instruction) int64) func(*writer, *instruction) bool {
	return func(w *writer, in *instruction) bool { n := get(in); w.int(n); return n > 1 }
}

func always(get func(*instruction) []int64) func(*writer, *instruction) bool {
	return func(w *writer, in *instruction) bool { w.ints(get(in)); return true }
}

func nonEmpty(get func(*instruction) []int64) func(*writer, *instruction) bool {
	return func(w *writer, in *instruction) bool { ns := get(in); w.ints(ns); return len(ns) > 0 }
}

// word prints a word that the message holds as a string.
func word(get func(*instruction) string) func(*writer, *instruction) bool {
	return func(w *writer, in *instruction) bool {
		s := get(in)
		if !isWord([]byte(s)) {
			failf(in.path(), "%q is not a word of HLO text", s)
		}
		w.text(s)
		return s != ""
	}
}

func callee(i int) func(*writer, *instruction) bool {
	return func(w *writer, in *instruction) bool {
		if i >= len(in.called) {
			failf(in.path()+".called_computation_ids", "%s calls %d computations, and the message has %d", in.Opcode,
				i+1, len(in.called))
		}
		w.text("%")
		w.text(in.called[i].name)
		return true
	}
}

// picksByPred reports whether a conditional chooses by a pred: then it has a true and a false computation.
func (in *instruction) picksByPred() bool {
	return len(in.operands) > 0 && in.comp.list[in.operands[0]].Shape.GetElementType() == hlopb.PrimitiveType_PRED
}

func branch(i int) func(*writer, *instruction) bool {
	name := callee(i)
	return func(w *writer, in *instruction) bool { return in.picksByPred() && name(w, in) }
}

// calls prints one computation; an opcode that is not known may have none, or a list.
func (w *writer) calls(in *instruction) bool {
	if _, known := hlo.ParseOpcode(in.Opcode); known || len(in.called) == 1 {
		return callee(0)(w, in)
	}
	return w.callees(in)
}

func (w *writer) callees(in *instruction) bool {
	w.text("{")
	w.list(len(in.called), ", ", func(i int) {
		w.text("%")
		w.text(in.called[i].name)
	})
	w.text("}")
	return len(in.called) > 0
}
