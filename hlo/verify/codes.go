package verify

import "hlolayout/hlo"

// The codes of the findings. VER1xx: an operation and its operands; VER2xx: called computations; VER3xx: layouts;
// VER4xx: the module and its computations; VER5xx: operations in two halves; VER6xx: collectives.
const (
	VER101 = "VER101"
	VER102 = "VER102"
	VER103 = "VER103"
	VER104 = "VER104"
	VER105 = "VER105"
	VER106 = "VER106"
	VER107 = "VER107"
	VER108 = "VER108"
	VER109 = "VER109"
	VER110 = "VER110"
	VER111 = "VER111"
	VER112 = "VER112"
	VER113 = "VER113"
	VER201 = "VER201"
	VER202 = "VER202"
	VER203 = "VER203"
	VER204 = "VER204"
	VER205 = "VER205"
	VER206 = "VER206"
	VER207 = "VER207"
	VER208 = "VER208"
	VER209 = "VER209"
	VER301 = "VER301"
	VER302 = "VER302"
	VER303 = "VER303"
	VER304 = "VER304"
	VER401 = "VER401"
	VER402 = "VER402"
	VER403 = "VER403"
	VER404 = "VER404"
	VER405 = "VER405"
	VER406 = "VER406"
	VER407 = "VER407"
	VER408 = "VER408"
	VER409 = "VER409"
	VER410 = "VER410"
	VER501 = "VER501"
	VER502 = "VER502"
	VER503 = "VER503"
	VER504 = "VER504"
	VER601 = "VER601"
	VER602 = "VER602"
	VER603 = "VER603"
	VER604 = "VER604"
	VER605 = "VER605"
	VER606 = "VER606"
)

// Codes describes every code, in order. An example is missing where the parser refuses such text, so that only a module
// made by a program can have the finding.
var Codes = []hlo.Code{
	{Name: VER101, Meaning: "the number of operands is not what the opcode takes", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] concatenate(), dimensions={0}
}`},
	{Name: VER102, Meaning: "an operand is of the wrong kind: a tuple or a token where an array belongs, or the " +
		"other way round", Example: `
ENTRY e {
  a = (f32[4], f32[4]) parameter(0)
  ROOT r = (f32[4], f32[4]) negate(a)
}`},
	{Name: VER103, Meaning: "an operand has an element type that the operation does not take, or that differs from " +
		"another operand's", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  b = s32[4] parameter(1)
  ROOT r = f32[4] add(a, b)
}`},
	{Name: VER104, Meaning: "the sizes of operands, or of operands and result, do not fit each other", Example: `
ENTRY e {
  a = f32[4,8] parameter(0)
  b = f32[9,2] parameter(1)
  ROOT r = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}`},
	{Name: VER105, Meaning: "dimension numbers are out of range, repeated, out of order, or too many or too few",
		Example: `
ENTRY e {
  a = f32[4,8] parameter(0)
  ROOT r = f32[8,4] transpose(a), dimensions={1,1}
}`},
	{Name: VER106, Meaning: "a window does not fit what it slides over, or has a size, stride or dilation below 1",
		Example: `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4,8] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[4,8] reduce-window(a, z), window={size=2}, to_apply=add
}`},
	{Name: VER107, Meaning: "a slice, an update or a padding leaves the bounds of its operand", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] slice(a), slice={[1:5]}
}`},
	{Name: VER108, Meaning: "the labels, groups and feature counts of a convolution do not fit its operands", Example: `
ENTRY e {
  a = f32[1,8,8,3] parameter(0)
  k = f32[3,3,4,16] parameter(1)
  ROOT r = f32[1,6,6,16] convolution(a, k), window={size=3x3}, dim_labels=b01f_01io->b01f
}`},
	{Name: VER109, Meaning: "an attribute that the operation needs is missing or cannot be read, or a result shape " +
		"is left out that cannot be inferred", Example: `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(a), replica_groups=[4]<=[4], to_apply=add
}`},
	{Name: VER110, Meaning: "the declared result shape is not what the operands and attributes give", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[5] add(a, a)
}`},
	{Name: VER111, Meaning: "operands have different float types, which only dot, convolution and operations that " +
		"pass data on may have", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  b = bf16[4] parameter(1)
  ROOT r = f32[4] add(a, b)
}`},
	{Name: VER112, Meaning: "an attribute has a value that the operation does not allow", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] reduce-precision(a), exponent_bits=0, mantissa_bits=7
}`},
	{Name: VER113, Meaning: "the result has a dimension without a bound, which no compiler backend takes", Example: `
ENTRY e {
  a = f32[?] parameter(0)
  ROOT r = f32[?] negate(a)
}`},
	{Name: VER201, Meaning: "a called computation has another number of parameters than it is given", Example: `
add { x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(a, z), dimensions={0}, to_apply=add
}`},
	{Name: VER202, Meaning: "a parameter of a called computation has another shape than it is given", Example: `
f { x = f32[5] parameter(0) ROOT s = f32[5] negate(x) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[5] call(a), to_apply=f
}`},
	{Name: VER203, Meaning: "a called computation returns another shape than its caller needs", Example: `
cond { x = f32[4] parameter(0) ROOT c = s32[] constant(1) }
body { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] while(a), condition=cond, body=body
}`},
	{Name: VER204, Meaning: "an operation calls another number of computations than it must", Example: `
f { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[4] parameter(1)
  ROOT r = f32[4] conditional(p, a, a, a), branch_computations={f, f, f}
}`},
	{Name: VER205, Meaning: "output_to_operand_aliasing names something that is not there, or puts different shapes " +
		"in one buffer", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[5] custom-call(a), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})}
}`},
	{Name: VER206, Meaning: "an async shape is not ((operands), result, state...) of what is wrapped", Example: `
f { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }
ENTRY e {
  a = f32[4] parameter(0)
  s = ((f32[4]), f32[5], s32[]) async-start(a), calls=f
  ROOT r = f32[4] async-done(s)
}`},
	{Name: VER207, Meaning: "the body of a fusion or of an async operation is not one: shared, with unused " +
		"instructions, or too long", Example: `
f { x = f32[4] parameter(0) n = f32[4] negate(x) ROOT s = f32[4] add(x, x) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] fusion(a), kind=kLoop, calls=f
}`},
	{Name: VER208, Meaning: "a called computation runs on another thread than its caller", Example: `
f { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }, execution_thread="other"
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] call(a), to_apply=f
}`},
	{Name: VER209, Meaning: "a buffer is used where none may be, or written twice, or not aliased once by a custom " +
		"call", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  b = b(f32[4]) custom-call(a), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}
  ROOT r = (f32[4]) custom-call(b), custom_call_target="reader"
}`},
	{Name: VER301, Meaning: "a layout does not list each dimension of its shape once"},
	{Name: VER302, Meaning: "a layout has a property that no layout can have", Example: `
ENTRY e {
  a = f32[4,8]{1,0:SC(2:3)} parameter(0)
  ROOT r = f32[4,8] negate(a)
}`},
	{Name: VER303, Meaning: "operand_layout_constraints are not shapes of the operands", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] custom-call(a), custom_call_target="f", operand_layout_constraints={f32[5]{0}}
}`},
	{Name: VER304, Meaning: "a value is passed on under another layout in a scheduled module: to a computation, from " +
		"one, or into a shared buffer", Example: `
HloModule m, is_scheduled=true
c {
  x = f32[4,8]{0,1} parameter(0)
  ROOT n = f32[4,8]{0,1} negate(x)
}
ENTRY e {
  a = f32[4,8]{1,0} parameter(0)
  ROOT r = f32[4,8]{0,1} call(a), to_apply=c
}`},
	{Name: VER401, Meaning: "entry_computation_layout has another number of parameters than the entry computation",
		Example: `
HloModule m, entry_computation_layout={()->f32[4]{0}}
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}`},
	{Name: VER402, Meaning: "entry_computation_layout has another shape than the entry computation", Example: `
HloModule m, entry_computation_layout={(f32[5]{0})->f32[4]{0}}
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}`},
	{Name: VER403, Meaning: "a loop or conditional is sharded otherwise than what it calls", Example: `
f { x = f32[4] parameter(0) ROOT s = f32[4] negate(x), sharding={replicated} }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[4] parameter(1)
  ROOT r = f32[4] conditional(p, a, a), true_computation=f, false_computation=f, sharding={maximal device=0}
}`},
	{Name: VER404, Meaning: "input_output_alias names something that is not there, or twice, or different shapes " +
		"that must share memory", Example: `
HloModule m, input_output_alias={ {}: (1, {}, may-alias) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}`},
	{Name: VER405, Meaning: "buffer_donor names something that is not there or is aliased", Example: `
HloModule m, buffer_donor={ (0, {1}) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}`},
	{Name: VER406, Meaning: "the parameters of a computation do not have the numbers 0, 1, 2 and so on"},
	{Name: VER407, Meaning: "two computations, or two instructions of one, have the same name"},
	{Name: VER408, Meaning: "the module has no entry computation that can be one, or a computation has no root",
		Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}
f {
  a = f32[4] parameter(0)
  ROOT r = f32[4] fusion(a), kind=kLoop, calls=e
}`},
	{Name: VER409, Meaning: "an operand or control predecessor is defined after its use or in another computation"},
	{Name: VER410, Meaning: "an origin does not have the tuple structure of its instruction's shape", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a), origin={({"x"}, {"y"})}
}`},
	{Name: VER501, Meaning: "the first half of an operation in two halves does not have its second half as its one " +
		"user", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  s = (f32[4], f32[4], u32[]) copy-start(a)
  d = f32[4] copy-done(s)
  ROOT r = f32[4] copy-done(s)
}`},
	{Name: VER502, Meaning: "the second half of an operation in two halves does not take the first", Example: `
ENTRY e {
  a = (f32[4], f32[4], u32[]) parameter(0)
  ROOT r = f32[4] copy-done(a)
}`},
	{Name: VER503, Meaning: "the halves of a send or recv differ in channel or in kind", Example: `
ENTRY e {
  t = token[] parameter(0)
  s = (f32[4], u32[], token[]) recv(t), channel_id=1
  ROOT r = (f32[4], token[]) recv-done(s), channel_id=2
}`},
	{Name: VER504, Meaning: "the halves of an async operation differ in what they run"},
	{Name: VER601, Meaning: "replica_groups do not name each device once, in groups of one size", Example: `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(a), replica_groups={{0,1},{1,2}}, to_apply=add
}`},
	{Name: VER602, Meaning: "use_global_device_ids stands without a channel_id", Example: `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(a), replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
}`},
	{Name: VER603, Meaning: "a device sends or receives twice in source_target_pairs, or is none of the module's",
		Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] collective-permute(a), source_target_pairs={{0,1},{2,1}}
}`},
	{Name: VER604, Meaning: "a size does not grow or shrink by the number of devices in a replica group", Example: `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[12] all-gather(a), replica_groups={{0,1}}, dimensions={0}
}`},
	{Name: VER605, Meaning: "the channel_id of an all-reduce is not positive", Example: `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(a), channel_id=0, replica_groups={}, to_apply=add
}`},
	{Name: VER606, Meaning: "some all-reduces of the module have constrain_layout, some do not", Example: `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] all-reduce(a), replica_groups={}, constrain_layout=true, to_apply=add
  ROOT r = f32[4] all-reduce(b), replica_groups={}, to_apply=add
}`},
}
