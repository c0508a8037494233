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
	OpUnknown: {name: "unknown", maxOperands: variadic},
	OpAbs:     {name: "abs", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpAcos: {name: "acos", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpAcosh: {name: "acosh", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpAdd:           {name: "add", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpAddDependency: {name: "add-dependency", minOperands: 2, maxOperands: 2, flow: FlowForward, inferable: true},
	OpAfterAll:      {name: "after-all", maxOperands: variadic, inferable: true},
	OpAllGather: {name: "all-gather", maxOperands: variadic, flow: FlowKeep, attrs: "channel_id replica_groups " +
		"constrain_layout dimensions! use_global_device_ids"},
	OpAllGatherDone: {name: "all-gather-done", minOperands: 1, maxOperands: 1, flow: FlowKeep},
	OpAllGatherStart: {name: "all-gather-start", maxOperands: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout dimensions! use_global_device_ids"},
	OpAllReduce: {name: "all-reduce", maxOperands: variadic, flow: FlowKeep, attrs: "channel_id replica_groups " +
		"constrain_layout use_global_device_ids to_apply! mode"},
	OpAllReduceDone: {name: "all-reduce-done", minOperands: 1, maxOperands: 1, flow: FlowKeep},
	OpAllReduceStart: {name: "all-reduce-start", maxOperands: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout use_global_device_ids to_apply! mode"},
	OpAllToAll: {name: "all-to-all", maxOperands: variadic, flow: FlowKeep, attrs: "channel_id replica_groups " +
		"constrain_layout dimensions"},
	OpAnd: {name: "and", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpAsin: {name: "asin", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpAsinh: {name: "asinh", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpAsyncDone: {name: "async-done", minOperands: 1, maxOperands: 1, attrs: "async_execution_thread calls"},
	OpAsyncStart: {name: "async-start", maxOperands: variadic,
		attrs: "async_execution_thread output_to_operand_aliasing calls!"},
	OpAsyncUpdate: {name: "async-update", minOperands: 1, maxOperands: variadic,
		attrs: "async_execution_thread output_to_operand_aliasing calls"},
	OpAtan2: {name: "atan2", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpAtanh: {name: "atanh", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpBatchNormGrad: {name: "batch-norm-grad", minOperands: 5, maxOperands: 5, inferable: true,
		attrs: "epsilon! feature_index!"},
	OpBatchNormInference: {name: "batch-norm-inference", minOperands: 5, maxOperands: 5, inferable: true,
		attrs: "epsilon! feature_index!"},
	OpBatchNormTraining: {name: "batch-norm-training", minOperands: 3, maxOperands: 3, inferable: true,
		attrs: "epsilon! feature_index!"},
	OpBitcast:        {name: "bitcast", minOperands: 1, maxOperands: 1, flow: FlowForward},
	OpBitcastConvert: {name: "bitcast-convert", minOperands: 1, maxOperands: 1, flow: FlowKeep},
	OpBroadcast:      {name: "broadcast", minOperands: 1, maxOperands: 1, inferable: true, attrs: "dimensions"},
	OpCall:           {name: "call", maxOperands: variadic, inferable: true, attrs: "to_apply! is_composite"},
	OpCbrt: {name: "cbrt", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpCeil:     {name: "ceil", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpCholesky: {name: "cholesky", minOperands: 1, maxOperands: 1, flow: FlowKeep, inferable: true, attrs: "lower"},
	OpClamp:    {name: "clamp", minOperands: 3, maxOperands: 3, flow: FlowKeep, elementwise: true, inferable: true},
	OpCollectiveBroadcast: {name: "collective-broadcast", maxOperands: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout has_dynamic_root"},
	OpCollectivePermute: {name: "collective-permute", maxOperands: variadic, flow: FlowKeep,
		attrs: "channel_id source_target_pairs! slice_sizes"},
	OpCollectivePermuteDone: {name: "collective-permute-done", minOperands: 1, maxOperands: 1},
	OpCollectivePermuteStart: {name: "collective-permute-start", maxOperands: variadic,
		attrs: "channel_id source_target_pairs! slice_sizes"},
	OpCompare: {name: "compare", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "direction! type"},
	OpComplex: {name: "complex", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpConcatenate: {name: "concatenate", maxOperands: variadic, flow: FlowKeep, inferable: true,
		attrs: "dimensions!"},
	OpConditional: {name: "conditional", minOperands: 1, maxOperands: variadic, inferable: true,
		attrs: "true_computation false_computation branch_computations"},
	OpConstant: {name: "constant"},
	OpConvert:  {name: "convert", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true},
	OpConvolution: {name: "convolution", minOperands: 2, maxOperands: variadic, inferable: true,
		attrs: "window dim_labels! feature_group_count batch_group_count convolution_kind operand_precision " +
			"algorithm sparsity_config"},
	OpCopy:      {name: "copy", minOperands: 1, maxOperands: 1, inferable: true},
	OpCopyDone:  {name: "copy-done", minOperands: 1, maxOperands: 1},
	OpCopyStart: {name: "copy-start", minOperands: 1, maxOperands: 1, attrs: "cross_program_prefetch_index"},
	OpCosh: {name: "cosh", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpCosine: {name: "cosine", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpCountLeadingZeros: {name: "count-leading-zeros", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpCustomCall: {name: "custom-call", maxOperands: variadic, attrs: "window dim_labels feature_group_count " +
		"batch_group_count operand_precision padding_type custom_call_target! operand_layout_constraints " +
		"custom_call_has_side_effect literal output_to_operand_aliasing schedule api_version called_computations " +
		"to_apply"},
	OpDivide: {name: "divide", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpDomain: {name: "domain", minOperands: 1, maxOperands: 1, flow: FlowForward, inferable: true, attrs: "domain!"},
	OpDot: {name: "dot", minOperands: 2, maxOperands: 2, inferable: true,
		attrs: "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims operand_precision algorithm"},
	OpDynamicReshape: {name: "dynamic-reshape", minOperands: 1, maxOperands: variadic},
	OpDynamicSlice: {name: "dynamic-slice", minOperands: 1, maxOperands: variadic, flow: FlowKeep,
		attrs: "dynamic_slice_sizes!"},
	OpDynamicUpdateSlice: {name: "dynamic-update-slice", minOperands: 2, maxOperands: variadic, flow: FlowKeep},
	OpErf: {name: "erf", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpExponential: {name: "exponential", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true,
		inferable: true,
		attrs:     "result_accuracy"},
	OpExponentialMinusOne: {name: "exponential-minus-one", minOperands: 1, maxOperands: 1, flow: FlowKeep,
		elementwise: true,
		inferable:   true, attrs: "result_accuracy"},
	OpFft: {name: "fft", minOperands: 1, maxOperands: 1, flow: FlowKeep, inferable: true,
		attrs: "fft_type! fft_length!"},
	OpFloor:  {name: "floor", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpFusion: {name: "fusion", maxOperands: variadic, attrs: "kind! output_to_operand_aliasing calls!"},
	OpGather: {name: "gather", minOperands: 2, maxOperands: 2, inferable: true,
		attrs: "offset_dims! collapsed_slice_dims! start_index_map! operand_batching_dims " +
			"start_indices_batching_dims index_vector_dim! slice_sizes! indices_are_sorted"},
	OpGetDimensionSize: {name: "get-dimension-size", minOperands: 1, maxOperands: 1, inferable: true,
		attrs: "dimensions!"},
	OpGetTupleElement: {name: "get-tuple-element", minOperands: 1, maxOperands: 1, flow: FlowForward, inferable: true,
		attrs: "index!"},
	OpImag:     {name: "imag", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpInfeed:   {name: "infeed", minOperands: 1, maxOperands: 1, attrs: "infeed_config"},
	OpIota:     {name: "iota", attrs: "iota_dimension!"},
	OpIsFinite: {name: "is-finite", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpLog: {name: "log", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpLogPlusOne: {name: "log-plus-one", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true,
		inferable: true, attrs: "result_accuracy"},
	OpLogistic: {name: "logistic", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpMap: {name: "map", maxOperands: variadic, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "dimensions to_apply!"},
	OpMaximum:     {name: "maximum", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpMinimum:     {name: "minimum", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpMulhi:       {name: "mulhi", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpMultiply:    {name: "multiply", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpNegate:      {name: "negate", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpNot:         {name: "not", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpOptBarrier:  {name: "opt-barrier", minOperands: 1, maxOperands: 1, flow: FlowForward, inferable: true},
	OpOr:          {name: "or", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpOutfeed:     {name: "outfeed", minOperands: 2, maxOperands: 2, attrs: "outfeed_shape outfeed_config"},
	OpPad:         {name: "pad", minOperands: 2, maxOperands: 2, flow: FlowKeep, inferable: true, attrs: "padding!"},
	OpParameter:   {name: "parameter", attrs: "parameter_replication"},
	OpPartitionId: {name: "partition-id", inferable: true},
	OpPopcnt:      {name: "popcnt", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpPower:       {name: "power", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpRaggedAllToAll: {name: "ragged-all-to-all", maxOperands: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout dimensions"},
	OpRaggedDot: {name: "ragged-dot", minOperands: 3, maxOperands: 3, inferable: true,
		attrs: "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims lhs_ragged_dims " +
			"rhs_group_dims operand_precision"},
	OpReal:     {name: "real", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpRecv:     {name: "recv", minOperands: 1, maxOperands: 1, attrs: "channel_id is_host_transfer"},
	OpRecvDone: {name: "recv-done", minOperands: 1, maxOperands: 1, attrs: "channel_id is_host_transfer"},
	OpReduce:   {name: "reduce", minOperands: 2, maxOperands: variadic, inferable: true, attrs: "dimensions! to_apply!"},
	OpReducePrecision: {name: "reduce-precision", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true,
		attrs: "exponent_bits! mantissa_bits!"},
	OpReduceScatter: {name: "reduce-scatter", maxOperands: variadic, flow: FlowKeep,
		attrs: "channel_id replica_groups constrain_layout use_global_device_ids dimensions! to_apply! mode"},
	OpReduceWindow: {name: "reduce-window", minOperands: 2, maxOperands: variadic, flow: FlowKeep, inferable: true,
		attrs: "window to_apply!"},
	OpRemainder: {name: "remainder", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpReplicaId: {name: "replica-id", inferable: true},
	OpReshape:   {name: "reshape", minOperands: 1, maxOperands: 1, attrs: "inferred_dimension"},
	OpReverse: {name: "reverse", minOperands: 1, maxOperands: 1, flow: FlowKeep, inferable: true,
		attrs: "dimensions!"},
	OpRng:                  {name: "rng", maxOperands: variadic, attrs: "distribution!"},
	OpRngBitGenerator:      {name: "rng-bit-generator", minOperands: 1, maxOperands: 1, attrs: "algorithm!"},
	OpRngGetAndUpdateState: {name: "rng-get-and-update-state", attrs: "delta!"},
	OpRoundNearestAfz: {name: "round-nearest-afz", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpRoundNearestEven: {name: "round-nearest-even", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpRsqrt: {name: "rsqrt", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpScaledDot: {name: "scaled-dot", minOperands: 4, maxOperands: 4, inferable: true,
		attrs: "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims operand_precision algorithm"},
	OpScan: {name: "scan", maxOperands: variadic, flow: FlowKeep, inferable: true,
		attrs: "dimensions! num_carries! is_reverse is_associative to_apply!"},
	OpScatter: {name: "scatter", minOperands: 3, maxOperands: variadic, flow: FlowKeep, inferable: true,
		attrs: "update_window_dims! inserted_window_dims! scatter_dims_to_operand_dims! input_batching_dims " +
			"scatter_indices_batching_dims index_vector_dim! indices_are_sorted unique_indices to_apply!"},
	OpSelect: {name: "select", minOperands: 3, maxOperands: 3, flow: FlowKeep, elementwise: true, inferable: true},
	OpSelectAndScatter: {name: "select-and-scatter", minOperands: 3, maxOperands: 3, flow: FlowKeep, inferable: true,
		attrs: "window select! scatter!"},
	OpSend:     {name: "send", minOperands: 2, maxOperands: 2, attrs: "channel_id is_host_transfer"},
	OpSendDone: {name: "send-done", minOperands: 1, maxOperands: 1, attrs: "channel_id is_host_transfer"},
	OpSetDimensionSize: {name: "set-dimension-size", minOperands: 2, maxOperands: 2, flow: FlowKeep, inferable: true,
		attrs: "dimensions!"},
	OpShiftLeft: {name: "shift-left", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
	OpShiftRightArithmetic: {name: "shift-right-arithmetic", minOperands: 2, maxOperands: 2, flow: FlowKeep,
		elementwise: true,
		inferable:   true},
	OpShiftRightLogical: {name: "shift-right-logical", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpSign: {name: "sign", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true},
	OpSine: {name: "sine", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpSinh: {name: "sinh", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpSlice: {name: "slice", minOperands: 1, maxOperands: 1, flow: FlowKeep, attrs: "slice!"},
	OpSort: {name: "sort", minOperands: 1, maxOperands: variadic, flow: FlowKeep, inferable: true,
		attrs: "dimensions! is_stable to_apply!"},
	OpSqrt: {name: "sqrt", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpStochasticConvert: {name: "stochastic-convert", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true},
	OpSubtract: {name: "subtract", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true,
		inferable: true},
	OpTan: {name: "tan", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpTanh: {name: "tanh", minOperands: 1, maxOperands: 1, flow: FlowKeep, elementwise: true, inferable: true,
		attrs: "result_accuracy"},
	OpTopk: {name: "topk", minOperands: 1, maxOperands: 1, flow: FlowKeep, inferable: true,
		attrs: "k! largest is_stable"},
	OpTranspose: {name: "transpose", minOperands: 1, maxOperands: 1, inferable: true, attrs: "dimensions!"},
	OpTriangularSolve: {name: "triangular-solve", minOperands: 2, maxOperands: 2, flow: FlowKeep, inferable: true,
		attrs: "left_side lower unit_diagonal transpose_a"},
	OpTuple: {name: "tuple", maxOperands: variadic, flow: FlowForward, inferable: true},
	OpWhile: {name: "while", minOperands: 1, maxOperands: 1, flow: FlowKeep, inferable: true, attrs: "condition! body!"},
	OpXor:   {name: "xor", minOperands: 2, maxOperands: 2, flow: FlowKeep, elementwise: true, inferable: true},
}
