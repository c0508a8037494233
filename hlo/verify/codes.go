package verify

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

// Code is one kind of finding.
type Code struct {
	Name    string
	Meaning string
	// Example is a text that causes it; empty where the parser refuses such text, so that only a module made by a
	// program can have it.
	Example string
}

// Codes describes every code, in order.
var Codes = []Code{
	{VER101, "the number of operands is not what the opcode takes", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] concatenate(), dimensions={0}
}`},
	{VER102, "an operand is of the wrong kind: a tuple or a token where an array belongs, or the other way round", `
ENTRY e {
  a = (f32[4], f32[4]) parameter(0)
  ROOT r = (f32[4], f32[4]) negate(a)
}`},
	{VER103, "an operand has an element type that the operation does not take, or that differs from another operand's", `
ENTRY e {
  a = f32[4] parameter(0)
  b = s32[4] parameter(1)
  ROOT r = f32[4] add(a, b)
}`},
	{VER104, "the sizes of operands, or of operands and result, do not fit each other", `
ENTRY e {
  a = f32[4,8] parameter(0)
  b = f32[9,2] parameter(1)
  ROOT r = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}`},
	{VER105, "dimension numbers are out of range, repeated, out of order, or too many or too few", `
ENTRY e {
  a = f32[4,8] parameter(0)
  ROOT r = f32[8,4] transpose(a), dimensions={1,1}
}`},
	{VER106, "a window does not fit what it slides over, or has a size, stride or dilation below 1", `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4,8] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[4,8] reduce-window(a, z), window={size=2}, to_apply=add
}`},
	{VER107, "a slice, an update or a padding leaves the bounds of its operand", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] slice(a), slice={[1:5]}
}`},
	{VER108, "the labels, groups and feature counts of a convolution do not fit its operands", `
ENTRY e {
  a = f32[1,8,8,3] parameter(0)
  k = f32[3,3,4,16] parameter(1)
  ROOT r = f32[1,6,6,16] convolution(a, k), window={size=3x3}, dim_labels=b01f_01io->b01f
}`},
	{VER109, "an attribute that the operation needs is missing or cannot be read, or a result shape is left out that cannot be inferred", `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(a), replica_groups=[4]<=[4], to_apply=add
}`},
	{VER110, "the declared result shape is not what the operands and attributes give", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[5] add(a, a)
}`},
	{VER111, "operands have different float types, which only dot, convolution and operations that pass data on may have", `
ENTRY e {
  a = f32[4] parameter(0)
  b = bf16[4] parameter(1)
  ROOT r = f32[4] add(a, b)
}`},
	{VER112, "an attribute has a value that the operation does not allow", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] reduce-precision(a), exponent_bits=0, mantissa_bits=7
}`},
	{VER113, "the result has a dimension without a bound, which no compiler backend takes", `
ENTRY e {
  a = f32[?] parameter(0)
  ROOT r = f32[?] negate(a)
}`},
	{VER201, "a called computation has another number of parameters than it is given", `
add { x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(a, z), dimensions={0}, to_apply=add
}`},
	{VER202, "a parameter of a called computation has another shape than it is given", `
f { x = f32[5] parameter(0) ROOT s = f32[5] negate(x) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[5] call(a), to_apply=f
}`},
	{VER203, "a called computation returns another shape than its caller needs", `
cond { x = f32[4] parameter(0) ROOT c = s32[] constant(1) }
body { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] while(a), condition=cond, body=body
}`},
	{VER204, "an operation calls another number of computations than it must", `
f { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[4] parameter(1)
  ROOT r = f32[4] conditional(p, a, a, a), branch_computations={f, f, f}
}`},
	{VER205, "output_to_operand_aliasing names something that is not there, or puts different shapes in one buffer", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[5] custom-call(a), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})}
}`},
	{VER206, "an async shape is not ((operands), result, state...) of what is wrapped", `
f { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }
ENTRY e {
  a = f32[4] parameter(0)
  s = ((f32[4]), f32[5], s32[]) async-start(a), calls=f
  ROOT r = f32[4] async-done(s)
}`},
	{VER207, "the body of a fusion or of an async operation is not one: shared, with unused instructions, or too long", `
f { x = f32[4] parameter(0) n = f32[4] negate(x) ROOT s = f32[4] add(x, x) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] fusion(a), kind=kLoop, calls=f
}`},
	{VER208, "a called computation runs on another thread than its caller", `
f { x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }, execution_thread="other"
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] call(a), to_apply=f
}`},
	{VER209, "a buffer is used where none may be, or written twice, or not aliased once by a custom call", `
ENTRY e {
  a = f32[4] parameter(0)
  b = b(f32[4]) custom-call(a), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}
  ROOT r = (f32[4]) custom-call(b), custom_call_target="reader"
}`},
	{VER301, "a layout does not list each dimension of its shape once", ""},
	{VER302, "a layout has a property that no layout can have", `
ENTRY e {
  a = f32[4,8]{1,0:SC(2:3)} parameter(0)
  ROOT r = f32[4,8] negate(a)
}`},
	{VER303, "operand_layout_constraints are not shapes of the operands", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] custom-call(a), custom_call_target="f", operand_layout_constraints={f32[5]{0}}
}`},
	{VER401, "entry_computation_layout has another number of parameters than the entry computation", `
HloModule m, entry_computation_layout={()->f32[4]{0}}
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}`},
	{VER402, "entry_computation_layout has another shape than the entry computation", `
HloModule m, entry_computation_layout={(f32[5]{0})->f32[4]{0}}
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}`},
	{VER403, "a loop or conditional is sharded otherwise than what it calls", `
f { x = f32[4] parameter(0) ROOT s = f32[4] negate(x), sharding={replicated} }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[4] parameter(1)
  ROOT r = f32[4] conditional(p, a, a), true_computation=f, false_computation=f, sharding={maximal device=0}
}`},
	{VER404, "input_output_alias names something that is not there, or twice, or different shapes that must share memory", `
HloModule m, input_output_alias={ {}: (1, {}, may-alias) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}`},
	{VER405, "buffer_donor names something that is not there or is aliased", `
HloModule m, buffer_donor={ (0, {1}) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}`},
	{VER406, "the parameters of a computation do not have the numbers 0, 1, 2 and so on", ""},
	{VER407, "two computations, or two instructions of one, have the same name", ""},
	{VER408, "the module has no entry computation that can be one, or a computation has no root", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}
f {
  a = f32[4] parameter(0)
  ROOT r = f32[4] fusion(a), kind=kLoop, calls=e
}`},
	{VER409, "an operand or control predecessor stands behind its user or in another computation", ""},
	{VER410, "an origin does not have the tuple structure of its instruction's shape", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a), origin={({"x"}, {"y"})}
}`},
	{VER501, "the first half of an operation in two halves does not have its second half as its one user", `
ENTRY e {
  a = f32[4] parameter(0)
  s = (f32[4], f32[4], u32[]) copy-start(a)
  d = f32[4] copy-done(s)
  ROOT r = f32[4] copy-done(s)
}`},
	{VER502, "the second half of an operation in two halves does not take the first", `
ENTRY e {
  a = (f32[4], f32[4], u32[]) parameter(0)
  ROOT r = f32[4] copy-done(a)
}`},
	{VER503, "the halves of a send or recv differ in channel or in kind", `
ENTRY e {
  t = token[] parameter(0)
  s = (f32[4], u32[], token[]) recv(t), channel_id=1
  ROOT r = (f32[4], token[]) recv-done(s), channel_id=2
}`},
	{VER504, "the halves of an async operation differ in what they run", ""},
	{VER601, "replica_groups do not name each device once, in groups of one size", `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(a), replica_groups={{0,1},{1,2}}, to_apply=add
}`},
	{VER602, "use_global_device_ids stands without a channel_id", `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(a), replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
}`},
	{VER603, "a device sends or receives twice in source_target_pairs, or is none of the module's", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] collective-permute(a), source_target_pairs={{0,1},{2,1}}
}`},
	{VER604, "a size does not grow or shrink by the number of devices in a replica group", `
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[12] all-gather(a), replica_groups={{0,1}}, dimensions={0}
}`},
	{VER605, "the channel_id of an all-reduce is not positive", `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(a), channel_id=0, replica_groups={}, to_apply=add
}`},
	{VER606, "some all-reduces of the module have constrain_layout, some do not", `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] all-reduce(a), replica_groups={}, constrain_layout=true, to_apply=add
  ROOT r = f32[4] all-reduce(b), replica_groups={}, to_apply=add
}`},
}
