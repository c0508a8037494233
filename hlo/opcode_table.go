package hlo

// The opcodes, in alphabetical order. OpUnknown is an opcode that the table does not know; OpText has its name.
const (
	OpUnknown Opcode = iota
	OpAbs
	OpAcos
	OpAcosh
	OpAdd
	OpAddDependency
	OpAfterAll
	OpAllGather
	OpAllGatherDone
	OpAllGatherStart
	OpAllReduce
	OpAllReduceDone
	OpAllReduceStart
	OpAllToAll
	OpAnd
	OpAsin
	OpAsinh
	OpAsyncDone
	OpAsyncStart
	OpAsyncUpdate
	OpAtan2
	OpAtanh
	OpBatchNormGrad
	OpBatchNormInference
	OpBatchNormTraining
	OpBitcast
	OpBitcastConvert
	OpBroadcast
	OpCall
	OpCbrt
	OpCeil
	OpCholesky
	OpClamp
	OpCollectiveBroadcast
	OpCollectivePermute
	OpCollectivePermuteDone
	OpCollectivePermuteStart
	OpCompare
	OpComplex
	OpConcatenate
	OpConditional
	OpConstant
	OpConvert
	OpConvolution
	OpCopy
	OpCopyDone
	OpCopyStart
	OpCosh
	OpCosine
	OpCountLeadingZeros
	OpCustomCall
	OpDivide
	OpDomain
	OpDot
	OpDynamicReshape
	OpDynamicSlice
	OpDynamicUpdateSlice
	OpErf
	OpExponential
	OpExponentialMinusOne
	OpFft
	OpFloor
	OpFusion
	OpGather
	OpGetDimensionSize
	OpGetTupleElement
	OpImag
	OpInfeed
	OpIota
	OpIsFinite
	OpLog
	OpLogPlusOne
	OpLogistic
	OpMap
	OpMaximum
	OpMinimum
	OpMulhi
	OpMultiply
	OpNegate
	OpNot
	OpOptBarrier
	OpOr
	OpOutfeed
	OpPad
	OpParameter
	OpPartitionId
	OpPopcnt
	OpPower
	OpRaggedAllToAll
	OpRaggedDot
	OpReal
	OpRecv
	OpRecvDone
	OpReduce
	OpReducePrecision
	OpReduceScatter
	OpReduceWindow
	OpRemainder
	OpReplicaId
	OpReshape
	OpReverse
	OpRng
	OpRngBitGenerator
	OpRngGetAndUpdateState
	OpRoundNearestAfz
	OpRoundNearestEven
	OpRsqrt
	OpScaledDot
	OpScan
	OpScatter
	OpSelect
	OpSelectAndScatter
	OpSend
	OpSendDone
	OpSetDimensionSize
	OpShiftLeft
	OpShiftRightArithmetic
	OpShiftRightLogical
	OpSign
	OpSine
	OpSinh
	OpSlice
	OpSort
	OpSqrt
	OpStochasticConvert
	OpSubtract
	OpTan
	OpTanh
	OpTopk
	OpTranspose
	OpTriangularSolve
	OpTuple
	OpWhile
	OpXor
	numOpcodes
)

// opcodeTable says what is true of each opcode (XLA's hlo_parser.cc; the flow column layout_assignment.cc).
// In the attribute column a `!` marks what the text must have; attributes that all opcodes may have are not repeated.
var opcodeTable = [numOpcodes]opcodeRow{
	OpUnknown: {name: "unknown", most: variadic},
	OpAbs:     {name: "abs", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpAcos: {name: "acos", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpAcosh: {name: "acosh", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpAdd:           {name: "add", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpAddDependency: {name: "add-dependency", least: 2, most: 2, flow: FlowForward, inferable: true},
	OpAfterAll:      {name: "after-all", most: variadic, inferable: true},
	OpAllGather: {name: "all-gather", most: variadic, flow: FlowKeep, attrs: "channel_id replica_groups " +
		"constrain_layout dimensions! use_global_device_ids"},
	OpAllGatherDone: {name: "all-gather-done", least: 1, most: 1, flow: FlowKeep},
	OpAllGatherStart: {name: "all-gather-start", most: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout dimensions! use_global_device_ids"},
	OpAllReduce: {name: "all-reduce", most: variadic, flow: FlowKeep, attrs: "channel_id replica_groups " +
		"constrain_layout use_global_device_ids to_apply! mode"},
	OpAllReduceDone: {name: "all-reduce-done", least: 1, most: 1, flow: FlowKeep},
	OpAllReduceStart: {name: "all-reduce-start", most: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout use_global_device_ids to_apply! mode"},
	OpAllToAll: {name: "all-to-all", most: variadic, flow: FlowKeep, attrs: "channel_id replica_groups " +
		"constrain_layout dimensions"},
	OpAnd: {name: "and", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpAsin: {name: "asin", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpAsinh: {name: "asinh", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpAsyncDone: {name: "async-done", least: 1, most: 1, attrs: "async_execution_thread calls"},
	OpAsyncStart: {name: "async-start", most: variadic,
		attrs: "async_execution_thread output_to_operand_aliasing calls!"},
	OpAsyncUpdate: {name: "async-update", least: 1, most: variadic,
		attrs: "async_execution_thread output_to_operand_aliasing calls"},
	OpAtan2: {name: "atan2", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpAtanh: {name: "atanh", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpBatchNormGrad: {name: "batch-norm-grad", least: 5, most: 5, inferable: true,
		attrs: "epsilon! feature_index!"},
	OpBatchNormInference: {name: "batch-norm-inference", least: 5, most: 5, inferable: true,
		attrs: "epsilon! feature_index!"},
	OpBatchNormTraining: {name: "batch-norm-training", least: 3, most: 3, inferable: true,
		attrs: "epsilon! feature_index!"},
	OpBitcast:        {name: "bitcast", least: 1, most: 1, flow: FlowForward},
	OpBitcastConvert: {name: "bitcast-convert", least: 1, most: 1, flow: FlowKeep},
	OpBroadcast:      {name: "broadcast", least: 1, most: 1, inferable: true, attrs: "dimensions"},
	OpCall:           {name: "call", most: variadic, inferable: true, attrs: "to_apply! is_composite"},
	OpCbrt: {name: "cbrt", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpCeil:     {name: "ceil", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpCholesky: {name: "cholesky", least: 1, most: 1, flow: FlowKeep, inferable: true, attrs: "lower"},
	OpClamp:    {name: "clamp", least: 3, most: 3, flow: FlowKeep, elementwise: true, inferable: true},
	OpCollectiveBroadcast: {name: "collective-broadcast", most: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout has_dynamic_root"},
	OpCollectivePermute: {name: "collective-permute", most: variadic, flow: FlowKeep,
		attrs: "channel_id source_target_pairs! slice_sizes"},
	OpCollectivePermuteDone: {name: "collective-permute-done", least: 1, most: 1},
	OpCollectivePermuteStart: {name: "collective-permute-start", most: variadic,
		attrs: "channel_id source_target_pairs! slice_sizes"},
	OpCompare: {name: "compare", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "direction! type"},
	OpComplex: {name: "complex", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpConcatenate: {name: "concatenate", most: variadic, flow: FlowKeep, inferable: true,
		attrs: "dimensions!"},
	OpConditional: {name: "conditional", least: 1, most: variadic, inferable: true,
		attrs: "true_computation false_computation branch_computations"},
	OpConstant: {name: "constant"},
	OpConvert:  {name: "convert", least: 1, most: 1, flow: FlowKeep, elementwise: true},
	OpConvolution: {name: "convolution", least: 2, most: variadic, inferable: true,
		attrs: "window dim_labels! feature_group_count batch_group_count convolution_kind operand_precision " +
			"algorithm sparsity_config"},
	OpCopy:      {name: "copy", least: 1, most: 1, inferable: true},
	OpCopyDone:  {name: "copy-done", least: 1, most: 1},
	OpCopyStart: {name: "copy-start", least: 1, most: 1, attrs: "cross_program_prefetch_index"},
	OpCosh: {name: "cosh", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpCosine: {name: "cosine", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpCountLeadingZeros: {name: "count-leading-zeros", least: 1, most: 1, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpCustomCall: {name: "custom-call", most: variadic, attrs: "window dim_labels feature_group_count " +
		"batch_group_count operand_precision padding_type custom_call_target! operand_layout_constraints " +
		"custom_call_has_side_effect literal output_to_operand_aliasing schedule api_version called_computations " +
		"to_apply"},
	OpDivide: {name: "divide", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpDomain: {name: "domain", least: 1, most: 1, flow: FlowForward, inferable: true, attrs: "domain!"},
	OpDot: {name: "dot", least: 2, most: 2, inferable: true,
		attrs: "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims operand_precision algorithm"},
	OpDynamicReshape: {name: "dynamic-reshape", least: 1, most: variadic},
	OpDynamicSlice: {name: "dynamic-slice", least: 1, most: variadic, flow: FlowKeep,
		attrs: "dynamic_slice_sizes!"},
	OpDynamicUpdateSlice: {name: "dynamic-update-slice", least: 2, most: variadic, flow: FlowKeep},
	OpErf: {name: "erf", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpExponential: {name: "exponential", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpExponentialMinusOne: {name: "exponential-minus-one", least: 1, most: 1, flow: FlowKeep, elementwise: true,
		inferable: true, attrs: "result_accuracy"},
	OpFft: {name: "fft", least: 1, most: 1, flow: FlowKeep, inferable: true,
		attrs: "fft_type! fft_length!"},
	OpFloor:  {name: "floor", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpFusion: {name: "fusion", most: variadic, attrs: "kind! output_to_operand_aliasing calls!"},
	OpGather: {name: "gather", least: 2, most: 2, inferable: true,
		attrs: "offset_dims! collapsed_slice_dims! start_index_map! operand_batching_dims " +
			"start_indices_batching_dims index_vector_dim! slice_sizes! indices_are_sorted"},
	OpGetDimensionSize: {name: "get-dimension-size", least: 1, most: 1, inferable: true, attrs: "dimensions!"},
	OpGetTupleElement: {name: "get-tuple-element", least: 1, most: 1, flow: FlowForward, inferable: true,
		attrs: "index!"},
	OpImag:     {name: "imag", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpInfeed:   {name: "infeed", least: 1, most: 1, attrs: "infeed_config"},
	OpIota:     {name: "iota", attrs: "iota_dimension!"},
	OpIsFinite: {name: "is-finite", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpLog: {name: "log", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpLogPlusOne: {name: "log-plus-one", least: 1, most: 1, flow: FlowKeep, elementwise: true,
		inferable: true, attrs: "result_accuracy"},
	OpLogistic: {name: "logistic", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpMap: {name: "map", most: variadic, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "dimensions to_apply!"},
	OpMaximum:     {name: "maximum", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpMinimum:     {name: "minimum", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpMulhi:       {name: "mulhi", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpMultiply:    {name: "multiply", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpNegate:      {name: "negate", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpNot:         {name: "not", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpOptBarrier:  {name: "opt-barrier", least: 1, most: 1, flow: FlowForward, inferable: true},
	OpOr:          {name: "or", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpOutfeed:     {name: "outfeed", least: 2, most: 2, attrs: "outfeed_shape outfeed_config"},
	OpPad:         {name: "pad", least: 2, most: 2, flow: FlowKeep, inferable: true, attrs: "padding!"},
	OpParameter:   {name: "parameter", attrs: "parameter_replication"},
	OpPartitionId: {name: "partition-id", inferable: true},
	OpPopcnt:      {name: "popcnt", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpPower:       {name: "power", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpRaggedAllToAll: {name: "ragged-all-to-all", most: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout dimensions"},
	OpRaggedDot: {name: "ragged-dot", least: 3, most: 3, inferable: true,
		attrs: "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims lhs_ragged_dims " +
			"rhs_group_dims operand_precision"},
	OpReal:     {name: "real", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpRecv:     {name: "recv", least: 1, most: 1, attrs: "channel_id is_host_transfer"},
	OpRecvDone: {name: "recv-done", least: 1, most: 1, attrs: "channel_id is_host_transfer"},
	OpReduce:   {name: "reduce", least: 2, most: variadic, inferable: true, attrs: "dimensions! to_apply!"},
	OpReducePrecision: {name: "reduce-precision", least: 1, most: 1, flow: FlowKeep, elementwise: true,
		attrs: "exponent_bits! mantissa_bits!"},
	OpReduceScatter: {name: "reduce-scatter", most: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout use_global_device_ids dimensions! to_apply! mode"},
	OpReduceWindow: {name: "reduce-window", least: 2, most: variadic, flow: FlowKeep, inferable: true,
		attrs: "window to_apply!"},
	OpRemainder:            {name: "remainder", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpReplicaId:            {name: "replica-id", inferable: true},
	OpReshape:              {name: "reshape", least: 1, most: 1, attrs: "inferred_dimension"},
	OpReverse:              {name: "reverse", least: 1, most: 1, flow: FlowKeep, inferable: true, attrs: "dimensions!"},
	OpRng:                  {name: "rng", most: variadic, attrs: "distribution!"},
	OpRngBitGenerator:      {name: "rng-bit-generator", least: 1, most: 1, attrs: "algorithm!"},
	OpRngGetAndUpdateState: {name: "rng-get-and-update-state", attrs: "delta!"},
	OpRoundNearestAfz: {name: "round-nearest-afz", least: 1, most: 1, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpRoundNearestEven: {name: "round-nearest-even", least: 1, most: 1, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpRsqrt: {name: "rsqrt", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpScaledDot: {name: "scaled-dot", least: 4, most: 4, inferable: true,
		attrs: "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims operand_precision algorithm"},
	OpScan: {name: "scan", most: variadic, flow: FlowKeep, inferable: true,
		attrs: "dimensions! num_carries! is_reverse is_associative to_apply!"},
	OpScatter: {name: "scatter", least: 3, most: variadic, flow: FlowKeep, inferable: true,
		attrs: "update_window_dims! inserted_window_dims! scatter_dims_to_operand_dims! input_batching_dims " +
			"scatter_indices_batching_dims index_vector_dim! indices_are_sorted unique_indices to_apply!"},
	OpSelect: {name: "select", least: 3, most: 3, flow: FlowKeep, elementwise: true, inferable: true},
	OpSelectAndScatter: {name: "select-and-scatter", least: 3, most: 3, flow: FlowKeep, inferable: true,
		attrs: "window select! scatter!"},
	OpSend:     {name: "send", least: 2, most: 2, attrs: "channel_id is_host_transfer"},
	OpSendDone: {name: "send-done", least: 1, most: 1, attrs: "channel_id is_host_transfer"},
	OpSetDimensionSize: {name: "set-dimension-size", least: 2, most: 2, flow: FlowKeep, inferable: true,
		attrs: "dimensions!"},
	OpShiftLeft: {name: "shift-left", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpShiftRightArithmetic: {name: "shift-right-arithmetic", least: 2, most: 2, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpShiftRightLogical: {name: "shift-right-logical", least: 2, most: 2, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpSign: {name: "sign", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpSine: {name: "sine", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpSinh: {name: "sinh", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpSlice: {name: "slice", least: 1, most: 1, flow: FlowKeep, attrs: "slice!"},
	OpSort: {name: "sort", least: 1, most: variadic, flow: FlowKeep, inferable: true,
		attrs: "dimensions! is_stable to_apply!"},
	OpSqrt: {name: "sqrt", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpStochasticConvert: {name: "stochastic-convert", least: 2, most: 2, flow: FlowKeep, elementwise: true},
	OpSubtract:          {name: "subtract", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpTan: {name: "tan", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpTanh: {name: "tanh", least: 1, most: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpTopk: {name: "topk", least: 1, most: 1, flow: FlowKeep, inferable: true,
		attrs: "k! largest is_stable"},
	OpTranspose: {name: "transpose", least: 1, most: 1, inferable: true, attrs: "dimensions!"},
	OpTriangularSolve: {name: "triangular-solve", least: 2, most: 2, flow: FlowKeep, inferable: true,
		attrs: "left_side lower unit_diagonal transpose_a"},
	OpTuple: {name: "tuple", most: variadic, flow: FlowForward, inferable: true},
	OpWhile: {name: "while", least: 1, most: 1, flow: FlowKeep, inferable: true, attrs: "condition! body!"},
	OpXor:   {name: "xor", least: 2, most: 2, flow: FlowKeep, elementwise: true, inferable: true},
}
