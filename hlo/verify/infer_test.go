package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
)

// prelude declares what the instructions of the tables below work on.
const prelude = `
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
gt { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = pred[] compare(x, y), direction=GT }
gt2 { x = f32[] parameter(0) y = f32[] parameter(1) a = s32[] parameter(2) b = s32[] parameter(3)
  ROOT s = pred[] compare(x, y), direction=GT }
both { x = f32[] parameter(0) i = s32[] parameter(1) y = f32[] parameter(2) j = s32[] parameter(3)
  ROOT t = (f32[], s32[]) tuple(x, i) }
neg { x = f32[4,8] parameter(0) ROOT s = f32[4,8] negate(x) }
same { x = f32[4,8] parameter(0) ROOT s = f32[4,8] copy(x) }
yes { x = f32[4,8] parameter(0) ROOT s = pred[] constant(true) }
step { x = f32[8] parameter(0) c = f32[8] parameter(1) s = f32[8] add(x, c) ROOT t = (f32[8], f32[8]) tuple(s, s) }
ENTRY e {
  f = f32[4,8]{0,1} parameter(0)
  g = f32[4,8] parameter(1)
  b = bf16[4,8] parameter(2)
  i = s32[4,8] parameter(3)
  u = u32[4,8] parameter(4)
  p = pred[4,8] parameter(5)
  c = c64[4,8] parameter(6)
  v = f32[8] parameter(7)
  m = f32[8,16] parameter(8)
  sq = f32[3,5,5] parameter(9)
  sb = f32[3,5,2] parameter(10)
  img = f32[2,9,9,3] parameter(11)
  ker = f32[3,3,3,16] parameter(12)
  idx = s32[7,2] parameter(13)
  upd = f32[7] parameter(14)
  tok = token[] parameter(15)
  tup = (f32[4,8]{0,1}, s32[]) parameter(16)
  dyn = f32[<=4,8] parameter(17)
  n = s32[] parameter(18)
  z = f32[] parameter(19)
  q = pred[] parameter(20)
  gs = s32[2] parameter(21)
  rg = f32[2,8,16] parameter(22)
  s4 = s32[4] parameter(23)
  d = f64[4,8] parameter(24)
  unb = f32[?,8] parameter(25)
  sc = f32[4,2] parameter(26)
  sm = f32[2,16] parameter(27)
  nib = s4[4,8]{0,1:T(8,128)E(4)} parameter(28)
  bit = pred[4,8]{0,1:E(1)S(1)} parameter(29)
  wide = f32[4,8]{0,1:E(64)S(1)} parameter(30)
  cw = c64[4,8]{0,1:E(128)S(1)} parameter(31)
  nib0 = s4[4,8] parameter(32)
`

// inferred are instructions without a shape, and the shape they get.
var inferred = []struct{ text, want string }{
	{"abs(f)", "f32[4,8]{0,1}"}, {"abs(c)", "f32[4,8]{1,0}"}, {"acos(f)", "f32[4,8]{0,1}"},
	{"acosh(f)", "f32[4,8]{0,1}"},
	{"asin(f)", "f32[4,8]{0,1}"}, {"asinh(f)", "f32[4,8]{0,1}"}, {"atanh(f)", "f32[4,8]{0,1}"},
	{"cbrt(f)", "f32[4,8]{0,1}"},
	{"ceil(f)", "f32[4,8]{0,1}"}, {"cosh(f)", "f32[4,8]{0,1}"}, {"cosine(c)", "c64[4,8]{1,0}"},
	{"erf(f)", "f32[4,8]{0,1}"},
	{"exponential(b)", "bf16[4,8]{1,0}"}, {"exponential-minus-one(f)", "f32[4,8]{0,1}"}, {"floor(f)", "f32[4,8]{0,1}"},
	{"imag(c)", "f32[4,8]{1,0}"}, {"real(c)", "f32[4,8]{1,0}"}, {"is-finite(f)", "pred[4,8]{0,1}"},
	{"log(f)", "f32[4,8]{0,1}"},
	{"log-plus-one(f)", "f32[4,8]{0,1}"}, {"logistic(f)", "f32[4,8]{0,1}"}, {"negate(i)", "s32[4,8]{1,0}"},
	{"not(p)", "pred[4,8]{1,0}"}, {"popcnt(u)", "u32[4,8]{1,0}"}, {"count-leading-zeros(u)", "u32[4,8]{1,0}"},
	{"round-nearest-afz(f)", "f32[4,8]{0,1}"}, {"round-nearest-even(f)", "f32[4,8]{0,1}"},
	{"rsqrt(f)", "f32[4,8]{0,1}"},
	{"sign(i)", "s32[4,8]{1,0}"}, {"sine(f)", "f32[4,8]{0,1}"}, {"sinh(f)", "f32[4,8]{0,1}"},
	{"sqrt(f)", "f32[4,8]{0,1}"},
	{"tan(f)", "f32[4,8]{0,1}"}, {"tanh(dyn)", "f32[<=4,8]{1,0}"}, {"copy(tup)", "(f32[4,8]{0,1}, s32[])"},
	{"opt-barrier(tup)", "(f32[4,8]{0,1}, s32[])"},
	{`domain(f), domain={kind="sharding", entry={replicated}, exit={replicated}}`, "f32[4,8]{0,1}"},
	{"add(f, g)", "f32[4,8]{0,1}"}, {"add(b, f)", "f32[4,8]{1,0}"}, {"add(f, dyn)", "f32[<=4,8]{0,1}"},
	{"add(f, z)", "f32[4,8]{1,0}"},
	{"and(p, p)", "pred[4,8]{1,0}"}, {"atan2(f, g)", "f32[4,8]{0,1}"}, {"complex(f, g)", "c64[4,8]{0,1}"},
	{"complex(d, d)", "c128[4,8]{1,0}"},
	{"compare(i, i), direction=LT", "pred[4,8]{1,0}"}, {"divide(f, g)", "f32[4,8]{0,1}"},
	{"maximum(f, g)", "f32[4,8]{0,1}"},
	{"minimum(f, g)", "f32[4,8]{0,1}"}, {"mulhi(u, u)", "u32[4,8]{1,0}"}, {"multiply(f, g)", "f32[4,8]{0,1}"},
	{"or(u, u)", "u32[4,8]{1,0}"},
	{"power(f, g)", "f32[4,8]{0,1}"}, {"remainder(i, i)", "s32[4,8]{1,0}"}, {"shift-left(u, u)", "u32[4,8]{1,0}"},
	{"shift-right-arithmetic(i, i)", "s32[4,8]{1,0}"}, {"shift-right-logical(u, u)", "u32[4,8]{1,0}"},
	{"subtract(f, g)", "f32[4,8]{0,1}"},
	{"xor(u, u)", "u32[4,8]{1,0}"}, {"clamp(z, f, z)", "f32[4,8]{0,1}"}, {"select(p, f, g)", "f32[4,8]{1,0}"},
	{"select(q, f, g)", "f32[4,8]{0,1}"},
	// E(n): kept with the shape, dropped with the element type unless the new one is less than a byte; a select has the
	// bits of its second operand. (jaxlib 0.10.2 prints these.)
	{"select(p, nib, nib)", "s4[4,8]{1,0:E(4)}"}, {"select(bit, nib, nib0)", "s4[4,8]{0,1:E(4)S(1)}"},
	{"select(bit, nib0, nib)", "s4[4,8]{0,1:S(1)}"}, {"select(q, nib, nib0)", "s4[4,8]{0,1:T(8,128)E(4)}"},
	{"select(bit, f, wide)", "f32[4,8]{0,1:S(1)}"}, {"select(p, wide, f)", "f32[4,8]{1,0:E(64)}"},
	{"add(nib, nib0)", "s4[4,8]{0,1:T(8,128)E(4)}"}, {"add(wide, f)", "f32[4,8]{0,1:S(1)}"},
	{"and(bit, p)", "pred[4,8]{0,1:S(1)}"},
	{"abs(wide)", "f32[4,8]{0,1:E(64)S(1)}"}, {"abs(cw)", "f32[4,8]{0,1:S(1)}"}, {"real(cw)", "f32[4,8]{0,1:S(1)}"},
	{"compare(nib, nib), direction=LT", "pred[4,8]{0,1:T(8,128)}"}, {"is-finite(wide)", "pred[4,8]{0,1:S(1)}"},
	{"add-dependency(f, tok)", "f32[4,8]{0,1}"}, {"after-all(tok, tok)", "token[]"}, {"after-all()", "token[]"},
	{"partition-id()", "u32[]"}, {"replica-id()", "u32[]"},
	{"tuple(f, tup)", "(f32[4,8]{0,1}, (f32[4,8]{0,1}, s32[]))"}, {"get-tuple-element(tup), index=0", "f32[4,8]{0,1}"},
	{"dot(f, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[4,16]{1,0}"},
	{"dot(b, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[4,16]{1,0}"},
	{"dot(dyn, f), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}",
		"f32[<=4]{0}"},
	{"scaled-dot(f, m, sc, sm), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[4,16]{1,0}"},
	{"ragged-dot(f, rg, gs), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, " +
		"rhs_group_dims={0}", "f32[4,16]{1,0}"},
	{"ragged-dot(f, m, gs), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}",
		"f32[2,4,16]{2,1,0}"},
	{"convolution(img, ker), window={size=3x3}, dim_labels=b01f_01io->b01f", "f32[2,7,7,16]{3,2,1,0}"},
	{"convolution(img, ker), window={size=3x3 stride=2x1 pad=1_1x0_2 rhs_dilate=1x2}, dim_labels=b01f_01io->fb01",
		"f32[16,2,5,7]{3,2,1,0}"},
	{"fft(c), fft_type=FFT, fft_length={8}", "c64[4,8]{1,0}"}, {"fft(f), fft_type=RFFT, fft_length={4,8}",
		"c64[4,5]{0,1}"},
	{"fft(c), fft_type=IRFFT, fft_length={14}", "f32[4,14]{1,0}"},
	{"cholesky(sq), lower=true", "f32[3,5,5]{2,1,0}"},
	{"triangular-solve(sq, sb), left_side=true, transpose_a=NO_TRANSPOSE", "f32[3,5,2]{2,1,0}"},
	{"topk(f), k=3, largest=true", "(f32[4,3]{1,0}, s32[4,3]{1,0})"},
	{"batch-norm-training(f, v, v), epsilon=0.001, feature_index=1", "(f32[4,8]{0,1}, f32[8]{0}, f32[8]{0})"},
	{"batch-norm-inference(f, v, v, v, v), epsilon=0.001, feature_index=1", "f32[4,8]{0,1}"},
	{"batch-norm-grad(f, v, v, v, g), epsilon=0.001, feature_index=1", "(f32[4,8]{0,1}, f32[8]{0}, f32[8]{0})"},
	{"broadcast(z), dimensions={}", "f32[]"}, {"concatenate(f, g, dyn), dimensions={1}", "f32[<=4,24]{1,0}"},
	{"concatenate(f, unb), dimensions={0}", "f32[?,8]{1,0}"},
	{"pad(f, z), padding=0_1x2_-1_1", "f32[5,16]{1,0}"}, {"reverse(f), dimensions={0}", "f32[4,8]{0,1}"},
	{"transpose(f), dimensions={1,0}", "f32[8,4]{1,0}"}, {"transpose(sb), dimensions={2,0,1}", "f32[2,3,5]{0,2,1}"},
	{"get-dimension-size(dyn), dimensions={0}", "s32[]"}, {"set-dimension-size(f, n), dimensions={0}",
		"f32[<=4,8]{0,1}"},
	{"gather(f, idx), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, " +
		"slice_sizes={1,1}", "f32[7]{0}"},
	{"gather(f, s4), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, " +
		"slice_sizes={1,8}", "f32[4,8]{1,0}"},
	{"gather(f, s4), offset_dims={1}, collapsed_slice_dims={}, start_index_map={1}, operand_batching_dims={0}, " +
		"start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,3}", "f32[4,3]{1,0}"},
	{"scatter(f, idx, upd), update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, " +
		"index_vector_dim=1, to_apply=add", "f32[4,8]{0,1}"},
	{"map(f, g), to_apply=add", "f32[4,8]{1,0}"}, {"reduce(f, z), dimensions={0}, to_apply=add", "f32[8]{0}"},
	{"reduce(f, i, z, n), dimensions={1}, to_apply=both", "(f32[4]{0}, s32[4]{0})"},
	{"reduce-window(f, z), window={size=2x3 stride=2x1 pad=0_0x1_1}, to_apply=add", "f32[2,8]{1,0}"},
	{"select-and-scatter(f, v, z), window={size=4x1 stride=4x1}, select=gt, scatter=add", ""},
	{"sort(f), dimensions={1}, to_apply=gt", "f32[4,8]{0,1}"}, {"sort(f, i), dimensions={1}, to_apply=gt2",
		"(f32[4,8]{0,1}, s32[4,8]{1,0})"},
	{"scan(f, v), dimensions={0}, num_carries=1, is_associative=false, to_apply=step", "(f32[4,8]{1,0}, f32[8]{0})"},
	{"call(f), to_apply=neg", "f32[4,8]{1,0}"}, {"while(g), condition=yes, body=neg", "f32[4,8]{1,0}"},
	{"conditional(q, f, g), true_computation=neg, false_computation=same", "f32[4,8]{1,0}"},
	{"conditional(n, f), branch_computations={neg}", "f32[4,8]{1,0}"},
}

func TestInferShape(t *testing.T) {
	covered := map[hlo.Opcode]bool{hlo.OpSelectAndScatter: true}
	for _, c := range inferred {
		op, ok := hlo.ParseOpcode(c.text[:strings.IndexByte(c.text, '(')])
		require.True(t, ok, c.text)
		covered[op] = true
		if c.want == "" {
			continue
		}
		m, err := parser.Parse("", prelude+"  ROOT r = "+c.text+"\n}\n")
		if assert.NoError(t, err, c.text) {
			assert.Equal(t, c.want, m.Entry.Root.Shape.String(), c.text)
		}
	}
	for _, op := range hlo.Opcodes() {
		if op.Inferable() {
			assert.True(t, covered[op], "no example of %s", op)
		}
	}
}

// An instruction of which operands do not fit says which one, and what is wrong with it.
func TestInferShapeRefuses(t *testing.T) {
	const more = "  vb = s32[8] parameter(33)\n  l3 = f32[3,4,8] parameter(34)\n  r3 = f32[3,2,8,16] parameter(35)\n" +
		"  g3 = s32[3,2] parameter(36)\n  g4 = s32[4,2] parameter(37)\n"
	const ragged = "ragged-dot(l3, r3, %s), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, " +
		"rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={1}"
	for _, c := range []struct{ text, want string }{
		{"batch-norm-training(f, vb, v), epsilon=0.001, feature_index=1", "operand 1 is s32[8], operand 0 f32[4,8]"},
		{"batch-norm-training(f, v, vb), epsilon=0.001, feature_index=1", "operand 2 is s32[8], operand 0 f32[4,8]"},
		{"reduce-window(f, z), window={size=2x3}, to_apply=gt", "gt"},
		{"reduce-window(f, z), window={size=2x3}", "to_apply"},
		{strings.Replace(ragged, "%s", "g3", 1), ""},
		{strings.Replace(ragged, "%s", "g4", 1), "dimension 0 of the group sizes s32[4,2] must be 3"},
	} {
		_, err := parser.Parse("", prelude+more+"  ROOT r = "+c.text+"\n}\n")
		if c.want == "" {
			assert.NoError(t, err, c.text)
			continue
		}
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

// A Fourier transform makes an unbounded last dimension static, and leaves its operand as it is.
func TestInferShapeKeepsOperands(t *testing.T) {
	m, err := parser.Parse("", "ENTRY e { x = f32[?,?] parameter(0) ROOT r = fft(x), fft_type=RFFT, fft_length={8} }")
	require.NoError(t, err)
	assert.Equal(t, "c64[?,5]{1,0}", m.Entry.Root.Shape.String())
	assert.Equal(t, []bool{true, true}, m.Entry.Root.Operands[0].Shape.Dynamic)
}

func TestInferSelectAndScatter(t *testing.T) {
	m, err := parser.Parse("", prelude+"  src = f32[1,8] parameter(33)\n  ROOT r = select-and-scatter(f, src, z), "+
		"window={size=4x1 stride=4x1}, select=gt, scatter=add\n}\n")
	require.NoError(t, err)
	assert.Equal(t, "f32[4,8]{0,1}", m.Entry.Root.Shape.String())
}

// declaredShapes are instructions of the opcodes whose shape must be written, with a sound one.
var declaredShapes = []string{
	"bf16[4,8] convert(f)", "u32[4,8] bitcast-convert(f)", "u16[4,8,2] bitcast-convert(f)", "f32[32] bitcast(f)",
	"f32[32] reshape(f)",
	"f32[4,3,8] broadcast(f), dimensions={0,2}", "s32[3,4] iota(), iota_dimension=1",
	"f32[4,8] reduce-precision(f), exponent_bits=5, mantissa_bits=10",
	"bf16[4,8] stochastic-convert(f, u)", "f32[2,3] slice(f), slice={[0:2], [1:8:3]}",
	"f32[1,8] dynamic-slice(f, n, n), dynamic_slice_sizes={1,8}",
	"f32[4,8] dynamic-update-slice(f, sc, n, n)", "f32[<=8,4] dynamic-reshape(f, n, n)",
	"f32[3] rng(z, z), distribution=rng_uniform",
	"(u64[2], u32[3]) rng-bit-generator(st), algorithm=rng_default", "u64[2] rng-get-and-update-state(), delta=1",
	"f32[4,8] all-reduce(f), replica_groups={}, to_apply=add", "(f32[4,8], f32[8]) all-reduce(f, v), " +
		"replica_groups={}, to_apply=add",
	"f32[8,8] all-gather(f), replica_groups={{0,1}}, dimensions={0}",
	"f32[2,8] reduce-scatter(f), replica_groups=[1,2]<=[2], dimensions={0}, to_apply=add",
	"f32[4,8] all-to-all(f), replica_groups={{0,1}}, dimensions={0}", "(f32[8], f32[8]) all-to-all(v, v), " +
		"replica_groups={{0,1}}",
	"f32[4,8] collective-permute(f), source_target_pairs={{0,1},{1,0}}", "f32[4,8] collective-broadcast(f), " +
		"replica_groups={{0,1}}",
	"f32[8,8] all-gather(f), channel_id=1, replica_groups=mesh['x'=2,'y'=2] {'x'}, dimensions={0}, " +
		"use_global_device_ids=true",
	"f32[9,8] ragged-all-to-all(f, o9, s4, s4, s4, s4), replica_groups={{0,1}}",
	"f32[4,8] fusion(f), kind=kLoop, calls=neg", `f32[3] custom-call(f, tok), custom_call_target="any"`,
	"(f32[3], token[]) infeed(tok)", "token[] outfeed(f, tok), outfeed_shape=f32[4,8]",
}

func TestDeclaredShapes(t *testing.T) {
	for _, text := range declaredShapes {
		m, err := parser.Parse("", prelude+"  st = u64[2] parameter(33)\n  o9 = f32[9,8] parameter(34)\n  ROOT r = "+
			text+"\n}\n")
		if !assert.NoError(t, err, text) {
			continue
		}
		in := m.Entry.Root
		s, err := verify.InferShape(in)
		if assert.NoError(t, err, text) {
			assert.True(t, s.Compatible(in.Shape), "%s gives %s", text, s)
		}
		for _, e := range verify.Module(m) {
			if e.Code != verify.VER113 { // the prelude has an unbounded parameter
				assert.Fail(t, e.Error(), text)
			}
		}
	}
}

func TestEveryOpcodeIsLookedAt(t *testing.T) {
	free := map[hlo.Opcode]string{hlo.OpParameter: "any shape", hlo.OpConstant: "the literal's, which the parser reads",
		hlo.OpAllGatherDone: "", hlo.OpAllGatherStart: "", hlo.OpAllReduceDone: "", hlo.OpAllReduceStart: "",
		hlo.OpAsyncDone:  "",
		hlo.OpAsyncStart: "", hlo.OpAsyncUpdate: "", hlo.OpCollectivePermuteDone: "", hlo.OpCollectivePermuteStart: "",
		hlo.OpCopyDone: "", hlo.OpCopyStart: "", hlo.OpRecv: "", hlo.OpRecvDone: "", hlo.OpSend: "", hlo.OpSendDone: ""}
	text := strings.Join(declaredShapes, "\n")
	for _, c := range inferred {
		text += "\n " + c.text
	}
	for _, op := range hlo.Opcodes() {
		if _, ok := free[op]; !ok {
			assert.Contains(t, text, " "+op.String()+"(", "no example of %s", op)
		}
	}
}
