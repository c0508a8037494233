package folding_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
	"hlolayout/printer"
)

// algebra are what rules of arithmetic and of dimensions fit, with what is left of them, and what they leave as it is.
var algebra = []struct{ rule, entry, want string }{
	{"unit-product", `
  a = f32[4,1,8]{2,1,0} parameter(0)
  b = f32[8,1,16]{2,1,0} parameter(1)
  ROOT d = f32[4,1,1,16]{3,2,1,0} dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}`,
		"reshape reshape dot{1}{0} reshape"},
	{"unit-product", `
  a = f32[4,1,8]{2,1,0} parameter(0)
  b = f32[1,8,16]{2,1,0} parameter(1)
  ROOT d = f32[4,16]{1,0} dot(a, b), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}`,
		"reshape reshape dot{1}{0}"},
	{"vector-product", `
  a = f32[4,8]{1,0} parameter(0)
  b = f32[4]{0} parameter(1)
  ROOT d = f32[8]{0} dot(b, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}`,
		"broadcast{0} multiply reduce{0}"},
	{"vector-product", `
  a = f32[4,8]{1,0} parameter(0)
  t = f32[8,4]{1,0} transpose(a), dimensions={1,0}
  b = f32[4]{0} parameter(1)
  ROOT d = f32[8]{0} dot(t, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}`,
		"broadcast{0} multiply reduce{0}"},
	{"vector-product", `
  a = f32[3,4,5]{2,1,0} parameter(0)
  b = f32[5,3]{1,0} parameter(1)
  ROOT d = f32[3,4]{1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, ` +
		`rhs_contracting_dims={0}`, "transpose{1,0} broadcast{0,2} multiply reduce{2}"},
	{"vector-product", `
  a = f32[3,2,5]{2,1,0} parameter(0)
  k = f32[3,4,5]{2,1,0} parameter(1)
  b = f32[3,4,2,5]{3,2,1,0} broadcast(k), dimensions={0,1,3}
  ROOT d = f32[3,2,4]{2,1,0} dot(a, b), lhs_batch_dims={0,1}, lhs_contracting_dims={2}, rhs_batch_dims={0,2}, ` +
		`rhs_contracting_dims={3}`, "broadcast{0,2,3} broadcast{0,1,3} multiply reduce{3}"}, // keys that heads share
	{"vector-product", `
  k = f32[3,4,5]{2,1,0} parameter(0)
  b = f32[3,4,1,2,5]{4,3,2,1,0} broadcast(k), dimensions={0,1,4}
  r = f32[3,4,2,5]{3,2,1,0} reshape(b)
  a = f32[3,2,4]{2,1,0} parameter(1)
  ROOT d = f32[3,2,5]{2,1,0} dot(r, a), lhs_batch_dims={0,2}, lhs_contracting_dims={1}, rhs_batch_dims={0,1}, ` +
		`rhs_contracting_dims={2}`, "broadcast{0,1,3} transpose{0,2,3,1} broadcast{0,1,3} multiply reduce{3}"},
	{"vector-product", `
  q = f32[3,64]{1,0} parameter(0)
  a = f32[3,1,64]{2,1,0} reshape(q)
  k = f32[3,64,64]{2,1,0} parameter(1)
  ROOT d = f32[3,1,64]{2,1,0} dot(a, k), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={2}`,
		"broadcast{0,2} multiply reduce{2} reshape"}, // of a reshape that is not there any more
	{"vector-product", `
  a = s32[4,8]{1,0} parameter(0)
  b = s32[8]{0} parameter(1)
  ROOT d = s32[4]{0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}`,
		"broadcast{1} multiply reduce{1}"},
	{"vector-product", `
  a = f32[4,3,5]{2,1,0} parameter(0)
  b = f32[3,5]{1,0} parameter(1)
  ROOT d = f32[3,4]{1,0} dot(a, b), lhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}`, "broadcast{1,2} multiply reduce{2} transpose{1,0}"}, // in the order of the matrix
	{"vector-product", `
  a = f32[2,3,5]{2,1,0} parameter(0)
  b = f32[5,2]{1,0} parameter(1)
  ROOT d = f32[5,3]{1,0} dot(a, b), lhs_batch_dims={2}, lhs_contracting_dims={0}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}`, "transpose{2,1,0} broadcast{0,2} multiply reduce{2}"}, // the vector has its order
	{"vector-product", `
  a = f32[2,3,5]{2,1,0} parameter(0)
  b = f32[2]{0} parameter(1)
  ROOT d = f32[3,5]{1,0} dot(b, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}`,
		"broadcast{0} multiply reduce{0}"}, // as a vector of one dimension does in any
	{"vector-product", `
  a = f32[2,3,5]{2,1,0} parameter(0)
  b = f32[3,2]{1,0} parameter(1)
  ROOT d = f32[5]{0} dot(b, a), lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}`,
		"transpose{2,1,0} broadcast{1,2} multiply reduce{1,2}"}, // of two dimensions
	{"vector-product", `
  a = bf16[4,8]{1,0} parameter(0)
  b = bf16[8]{0} parameter(1)
  ROOT d = f32[4]{0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}`, // in the type of the result
		"convert convert broadcast{1} multiply reduce{1}"},
	{"", `
  a = f32[3,64,64]{2,1,0} parameter(0)
  b = f32[3,64]{1,0} parameter(1)
  ROOT d = f32[3,64]{1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}`, "dot{2}{1}"}, // large ones of a batch
	{"vector-product", `
  a = f32[3,64,64]{2,1,0} parameter(0)
  c = f32[192]{0} parameter(1)
  b = f32[3,64]{1,0} reshape(c)
  ROOT d = f32[3,64]{1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}`, "reshape broadcast{0,2} multiply reduce{2}"}, // of what is reshaped
	{"vector-product", `
  a = f32[3,64,64]{2,1,0} parameter(0)
  c = f32[192]{0} parameter(1)
  e = f32[3,64]{1,0} reshape(c)
  b = f32[3,64]{1,0} reverse(e), dimensions={1}
  ROOT d = f32[3,64]{1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}`, "reshape reverse{1} broadcast{0,2} multiply reduce{2}"}, // or was before
	{"vector-product", `
  a = f32[3,63,64]{2,1,0} parameter(0)
  b = f32[3,64]{1,0} parameter(1)
  ROOT d = f32[3,63]{1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}`, "broadcast{0,2} multiply reduce{2}"},
	{"sliced-broadcast", `
  a = f32[6]{0} parameter(0)
  b = f32[100,6]{1,0} broadcast(a), dimensions={1}
  ROOT s = f32[50,6]{1,0} slice(b), slice={[0:100:2], [0:6]}`, "broadcast{1}"},
	{"sliced-broadcast", `
  a = f32[100]{0} parameter(0)
  b = f32[100,6]{1,0} broadcast(a), dimensions={0}
  ROOT s = f32[50,6]{1,0} slice(b), slice={[0:100:2], [0:6]}`, "slice broadcast{0}"},
	{"sliced-parts", `
  a = f32[8,100]{1,0} parameter(0)
  b = f32[8,100]{1,0} parameter(1)
  c = f32[8,100]{1,0} parameter(2)
  k = f32[8,300]{1,0} concatenate(a, b, c), dimensions={1}
  s = f32[8,200]{1,0} slice(k), slice={[0:8], [100:300]}
  ROOT t = (f32[8,300]{1,0}, f32[8,200]{1,0}) tuple(k, s)`, "concatenate{1} concatenate{1} tuple"},
	{"sliced-parts", `
  a = f32[8,100]{1,0} parameter(0)
  b = f32[8,100]{1,0} parameter(1)
  c = f32[8,100]{1,0} parameter(2)
  k = f32[8,300]{1,0} concatenate(a, b, c), dimensions={1}
  ROOT s = f32[4,150]{1,0} slice(k), slice={[0:4], [100:250]}`, "concatenate{1} slice"},
	{"narrowed-product", `
  a = bf16[32,64]{1,0} parameter(0)
  b = s8[4,8,16]{2,1,0} parameter(1)
  x = f32[32,64]{1,0} convert(a)
  t = f32[64,32]{1,0} transpose(x), dimensions={1,0}
  y = f32[4,8,16]{2,1,0} convert(b)
  r = f32[32,16]{1,0} reshape(y)
  ROOT d = f32[64,16]{1,0} dot(t, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}`, "reshape dot{0}{0}"},
	{"", `
  a = s32[64,32]{1,0} parameter(0)
  b = f32[32,16]{1,0} parameter(1)
  x = f32[64,32]{1,0} convert(a)
  ROOT d = f32[64,16]{1,0} dot(x, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}`,
		"convert dot{1}{0}"}, // 24 bits of 31
	{"outer-product", `
  a = bf16[64]{0} parameter(0)
  b = f32[32]{0} parameter(1)
  x = f32[64]{0} convert(a)
  ROOT d = f32[64,32]{1,0} dot(x, b), lhs_contracting_dims={}, rhs_contracting_dims={}`,
		"convert broadcast{0} broadcast{1} multiply"},
	{"outer-product", `
  a = f32[3,4]{1,0} parameter(0)
  b = f32[5,3]{1,0} parameter(1)
  ROOT d = f32[3,4,5]{2,1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={}, rhs_batch_dims={1}, ` +
		`rhs_contracting_dims={}`, "broadcast{0,1} transpose{1,0} broadcast{0,2} multiply"},
	{"unit-sum", `
  a = f32[4,1]{1,0} parameter(0)
  z = f32[] constant(0)
  ROOT s = f32[4]{0} reduce(a, z), dimensions={1}, to_apply=add`, "reshape"},
	{"", `
  a = f32[4,1]{1,0} parameter(0)
  z = f32[] constant(1)
  ROOT s = f32[4]{0} reduce(a, z), dimensions={1}, to_apply=add`, "reduce{1}"},
	{"narrowed-parts", `
  a = f32[4,5]{1,0} parameter(0)
  b = f32[4,6]{1,0} parameter(1)
  n = f32[4,5]{1,0} negate(a)
  c = f32[4,11]{1,0} concatenate(n, b), dimensions={1}
  ROOT w = bf16[4,11]{1,0} convert(c)`, "negate convert convert concatenate{1}"},
	{"narrowed-parts", `
  a = f32[4,5]{1,0} parameter(0)
  z = f32[] constant(1)
  p = f32[4,6]{1,0} pad(a, z), padding=0_0x0_1
  ROOT w = bf16[4,6]{1,0} convert(p)`, "convert pad"},
	{"", `
  a = f32[4,5]{1,0} parameter(0)
  z = f32[] constant(1)
  p = f32[4,6]{1,0} pad(a, z), padding=0_0x0_1
  w = bf16[4,6]{1,0} convert(p)
  ROOT t = (f32[4,6]{1,0}, bf16[4,6]{1,0}) tuple(p, w)`, "pad convert tuple"},
	{"", `
  a = bf16[4,5]{1,0} parameter(0)
  b = bf16[4,6]{1,0} parameter(1)
  c = bf16[4,11]{1,0} concatenate(a, b), dimensions={1}
  ROOT w = f32[4,11]{1,0} convert(c)`, "concatenate{1} convert"},
	{"widened-whole", `
  a = bf16[4,5]{1,0} parameter(0)
  x = f32[4,5]{1,0} convert(a)
  z = f32[] constant(0)
  p = f32[4,6]{1,0} pad(x, z), padding=0_0x0_1
  ROOT n = f32[4,6]{1,0} negate(p)`, "pad convert negate"},
	{"widened-whole", `
  a = bf16[4,5]{1,0} parameter(0)
  x = f32[4,5]{1,0} convert(a)
  b = bf16[4,5]{1,0} parameter(1)
  y = f32[4,5]{1,0} convert(b)
  ROOT c = f32[8,5]{1,0} concatenate(x, y), dimensions={0}`, "concatenate{0} convert"},
	{"", `
  a = bf16[4,5]{1,0} parameter(0)
  x = f32[4,5]{1,0} convert(a)
  b = f32[4,5]{1,0} parameter(1)
  ROOT c = f32[8,5]{1,0} concatenate(x, b), dimensions={0}`, "convert concatenate{0}"},
	{"", `
  a = f32[4,5]{1,0} parameter(0)
  x = s64[4,5]{1,0} convert(a)
  ROOT s = s64[2,5]{1,0} slice(x), slice={[0:2], [0:5]}`, "convert slice"}, // not all values are kept
	{"", `
  a = s32[4,5]{1,0} parameter(0)
  x = f32[4,5]{1,0} convert(a)
  ROOT s = f32[2,5]{1,0} slice(x), slice={[0:2], [0:5]}`, "convert slice"},
	{"joined-sum", `
  a = f32[4,5,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  r = f32[4,6]{1,0} reduce(a, z), dimensions={1}, to_apply=add
  ROOT s = f32[4]{0} reduce(r, z), dimensions={1}, to_apply=add`, "reduce{1,2}"},
	{"", `
  a = f32[4,5,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  i = f32[] constant(-inf)
  r = f32[4,6]{1,0} reduce(a, z), dimensions={1}, to_apply=add
  ROOT s = f32[4]{0} reduce(r, i), dimensions={1}, to_apply=most`, "reduce{1} reduce{1}"},
	{"transposed-sum", `
  a = f32[4,5,6]{2,1,0} parameter(0)
  t = f32[6,4,5]{2,1,0} transpose(a), dimensions={2,0,1}
  z = f32[] constant(0)
  ROOT s = f32[4]{0} reduce(t, z), dimensions={0,2}, to_apply=add`, "reduce{1,2}"},
	{"reshaped-sum", `
  a = f32[4,5,6]{2,1,0} parameter(0)
  r = f32[4,30]{1,0} reshape(a)
  z = f32[] constant(0)
  ROOT s = f32[4]{0} reduce(r, z), dimensions={1}, to_apply=add`, "reduce{1,2}"},
	{"reshaped-sum", `
  a = f32[4,5,12]{2,1,0} parameter(0)
  r = f32[4,5,3,4]{3,2,1,0} reshape(a)
  z = f32[] constant(0)
  ROOT s = f32[4,3]{1,0} reduce(r, z), dimensions={1,3}, to_apply=add`, "reduce{1} reshape reduce{2}"},
	{"reshaped-sum", `
  a = f32[4,5]{1,0} parameter(0)
  r = f32[4,1,5]{2,1,0} reshape(a)
  z = f32[] constant(0)
  ROOT s = f32[4,1]{1,0} reduce(r, z), dimensions={2}, to_apply=add`, "reduce{1} reshape"},
	{"", `
  a = f32[4,30]{1,0} parameter(0)
  r = f32[4,5,6]{2,1,0} reshape(a)
  z = f32[] constant(0)
  ROOT s = f32[4,5]{1,0} reduce(r, z), dimensions={2}, to_apply=add`, "reshape reduce{2}"},
	{"summed-batches", `
  a = f32[4,6,7,5]{3,2,1,0} parameter(0)
  b = f32[4,5,6,3]{3,2,1,0} parameter(1)
  d = f32[4,6,7,3]{3,2,1,0} dot(a, b), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,2}, ` +
		`rhs_contracting_dims={1}
  z = f32[] constant(0)
  ROOT s = f32[4,7,3]{2,1,0} reduce(d, z), dimensions={1}, to_apply=add`, "dot{3,1}{1,2}"},
	{"summed-batches", `
  a = f32[3,4,8,5]{3,2,1,0} parameter(0)
  b = f32[4,3,5,6]{3,2,1,0} parameter(1)
  d = f32[3,4,8,6]{3,2,1,0} dot(a, b), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={1,0}, ` +
		`rhs_contracting_dims={2}
  z = f32[] constant(0)
  ROOT s = f32[6]{0} reduce(d, z), dimensions={2,1,0}, to_apply=add`, "dot{3,0,1}{2,1,0} reduce{0}"}, // and the rest
	{"summed-batches", `
  a = f32[40,6]{1,0} parameter(0)
  b = f32[40,5]{1,0} parameter(1)
  d = f32[40,6,5]{2,1,0} dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}
  z = f32[] constant(0)
  ROOT s = f32[6,5]{1,0} reduce(d, z), dimensions={0}, to_apply=add`, "dot{0}{0}"}, // before it is multiplied out
	{"", `
  a = f32[4,8,5]{2,1,0} parameter(0)
  b = f32[4,5,6]{2,1,0} parameter(1)
  d = f32[4,8,6]{2,1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}
  z = f32[] constant(0)
  s = f32[8,6]{1,0} reduce(d, z), dimensions={0}, to_apply=add
  ROOT t = (f32[4,8,6]{2,1,0}, f32[8,6]{1,0}) tuple(d, s)`, "dot{2}{1} reduce{0} tuple"}, // something else reads it
	{"", `
  a = f32[4,8,5]{2,1,0} parameter(0)
  b = f32[4,5,6]{2,1,0} parameter(1)
  d = f32[4,8,6]{2,1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}
  z = f32[] constant(-inf)
  ROOT s = f32[8,6]{1,0} reduce(d, z), dimensions={0}, to_apply=most`, "dot{2}{1} reduce{0}"}, // does not add
	{"", `
  a = f32[4,8,5]{2,1,0} parameter(0)
  b = f32[4,5,6]{2,1,0} parameter(1)
  d = f32[4,8,6]{2,1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}
  z = f32[] constant(1)
  ROOT s = f32[8,6]{1,0} reduce(d, z), dimensions={0}, to_apply=add`, "dot{2}{1} reduce{0}"}, // begins with 1
	{"", `
  a = f32[64,2,64]{2,1,0} parameter(0)
  b = f32[2,64]{1,0} parameter(1)
  ROOT d = f32[64]{0} dot(a, b), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}`, "dot{1,2}{0,1}"},
	{"vector-product", `
  a = f32[64,2,63]{2,1,0} parameter(0)
  b = f32[2,63]{1,0} parameter(1)
  ROOT d = f32[64]{0} dot(a, b), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}`,
		"broadcast{1,2} multiply reduce{1,2}"},
	{"", `
  a = f32[3,64,24,64]{3,2,1,0} parameter(0)
  b = f32[3,64]{1,0} parameter(1)
  ROOT d = f32[3,64,24]{2,1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}`, "dot{3}{1}"}, // the first dimension that stays is large
	{"vector-product", `
  a = f32[3,24,64,64]{3,2,1,0} parameter(0)
  b = f32[3,64]{1,0} parameter(1)
  ROOT d = f32[3,24,64]{2,1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}`, "broadcast{0,3} multiply reduce{3}"},
	{"one-number", `
  a = s32[] parameter(0)
  n = s32[] constant(6)
  o = s32[] constant(1)
  s = s32[] subtract(n, a)
  ROOT r = s32[] subtract(s, o)`, "subtract"}, // the place in a scan that goes backwards
	{"", `
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  o = s32[] constant(1)
  s = s32[] subtract(a, b)
  ROOT r = s32[] add(s, o)`, "subtract add"},
	{"one-number", `
  a = u32[] parameter(0)
  n = u32[] constant(6)
  o = u32[] constant(4294967295)
  s = u32[] subtract(n, a)
  ROOT r = u32[] add(o, s)`, "subtract"},
	{"transposed-operand", `
  a = f32[64,32]{1,0} parameter(0)
  b = f32[32,48]{1,0} parameter(1)
  c = f32[64,16]{1,0} parameter(2)
  d = f32[64,48]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[48,64]{0,1} transpose(d), dimensions={1,0}
  ROOT e = f32[48,16]{1,0} dot(t, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}`,
		"dot{1}{0} dot{0}{0}"}, // and not the transpose of the first one
	{"transposed-product", `
  a = f32[64,32]{1,0} parameter(0)
  b = f32[32,48]{1,0} parameter(1)
  d = f32[64,48]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[48,64]{0,1} transpose(d), dimensions={1,0}
  ROOT n = f32[48,64]{1,0} sine(t)`, "dot{0}{1} sine"},
	{"chain", turnedTwice + `
  ROOT n = f32[4,48,64]{2,1,0} sine(u)`, "dot{1}{2} sine"},
	{"chain", turnedTwice + `
  n = f32[4,48,64]{2,1,0} sine(u)
  ROOT r = (f32[64,4,48]{2,1,0}, f32[4,48,64]{2,1,0}) tuple(t, n)`,
		"dot{2}{1} transpose{1,0,2} sine transpose{0,2,1} tuple"}, // the dot has two readers then
	{"earlier-slice", dynamicSliceOf("f32[9]", "broadcast", "f32[9,14]", "dimensions={0}", "2,3"),
		"dynamic-slice broadcast{0}"},
	{"earlier-slice", dynamicSliceOf("f32[14]", "broadcast", "f32[9,14]", "dimensions={1}", "2,14"), "broadcast{1}"},
	{"earlier-slice", dynamicSliceOf("f32[14,9]", "transpose", "f32[9,14]", "dimensions={1,0}", "2,3"),
		"dynamic-slice transpose{1,0}"},
	{"earlier-slice", `
  a = f32[8,9,14]{2,1,0} parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  t = f32[9,14,8]{1,0,2} transpose(a), dimensions={1,2,0}
  ROOT s = f32[2,3,4] dynamic-slice(t, i, j, i), dynamic_slice_sizes={2,3,4}`, "dynamic-slice transpose{1,2,0}"},
	{"earlier-slice", dynamicSliceOf("f32[9,1,14,1]", "reshape", "f32[9,14]", "", "2,3"), "dynamic-slice reshape"},
	{"", dynamicSliceOf("f32[3,3,14]", "reshape", "f32[9,14]", "", "2,3"), "reshape dynamic-slice"},
	{"slice-of-slice", `
  a = f32[9,14]{1,0} parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  z = s32[] constant(0)
  s = f32[5,14]{1,0} dynamic-slice(a, i, z), dynamic_slice_sizes={5,14}
  ROOT r = f32[2,3]{1,0} dynamic-slice(s, j, i), dynamic_slice_sizes={2,3}`,
		"clamp clamp add clamp dynamic-slice"},
	{"update-of-update", `
  a = f32[9,14]{1,0} parameter(0)
  u = f32[1,3]{1,0} parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  z = s32[] constant(0)
  s = f32[2,14]{1,0} dynamic-slice(a, i, z), dynamic_slice_sizes={2,14}
  d = f32[2,14]{1,0} dynamic-update-slice(s, u, j, z)
  ROOT r = f32[9,14]{1,0} dynamic-update-slice(a, d, i, z)`, "clamp clamp add dynamic-update-slice"},
	{"", `
  a = f32[9,14]{1,0} parameter(0)
  u = f32[1,3]{1,0} parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  z = s32[] constant(0)
  s = f32[2,14]{1,0} dynamic-slice(a, j, z), dynamic_slice_sizes={2,14}
  d = f32[2,14]{1,0} dynamic-update-slice(s, u, j, z)
  ROOT r = f32[9,14]{1,0} dynamic-update-slice(a, d, i, z)`,
		"dynamic-slice dynamic-update-slice dynamic-update-slice"}, // to another place
	{"", `
  a = f32[9,14]{1,0} parameter(0)
  u = f32[1,3]{1,0} parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  c = f32[9,14]{1,0} parameter(4)
  z = s32[] constant(0)
  s = f32[2,14]{1,0} dynamic-slice(c, i, z), dynamic_slice_sizes={2,14}
  d = f32[2,14]{1,0} dynamic-update-slice(s, u, j, z)
  ROOT r = f32[9,14]{1,0} dynamic-update-slice(a, d, i, z)`,
		"dynamic-slice dynamic-update-slice dynamic-update-slice"}, // of another array
	{"", `
  a = s32[] parameter(0)
  n = s32[] constant(6)
  o = s32[] constant(2)
  s = s32[] subtract(n, a)
  ROOT r = s32[] multiply(s, o)`, "subtract multiply"},
	{"", `
  a = u32[] parameter(0)
  n = u32[] constant(6)
  o = u32[] constant(2)
  s = u32[] subtract(a, n)
  ROOT r = u32[] add(s, o)`, "subtract add"},
	{"added-units", `
  a = f32[] parameter(0)
  n = f32[] negate(a)
  ROOT b = f32[1,1]{1,0} broadcast(n), dimensions={}`, "negate reshape"},
	{"negated-sum", `
  a = f32[4,5]{1,0} parameter(0)
  n = f32[4,5]{1,0} negate(a)
  z = f32[] constant(0)
  ROOT s = f32[4]{0} reduce(n, z), dimensions={1}, to_apply=add`, "reduce{1} negate"},
	{"quotient", `
  a = f32[4]{0} parameter(0)
  c = f32[] constant(3)
  b = f32[4]{0} broadcast(c), dimensions={}
  ROOT d = f32[4]{0} divide(a, b)`, "broadcast multiply"},
	{"quotient", `
  a = f32[4]{0} parameter(0)
  b = f32[4]{0} parameter(1)
  c = f32[4]{0} parameter(2)
  d = f32[4]{0} divide(a, b)
  ROOT e = f32[4]{0} divide(d, c)`, "multiply divide"},
	{"quotient", `
  a = f32[4]{0} parameter(0)
  b = f32[4]{0} parameter(1)
  c = f32[4]{0} parameter(2)
  d = f32[4]{0} divide(a, b)
  ROOT e = f32[4]{0} divide(c, d)`, "multiply divide"},
	{"", `
  a = s32[4]{0} parameter(0)
  c = s32[] constant(3)
  b = s32[4]{0} broadcast(c), dimensions={}
  ROOT d = s32[4]{0} divide(a, b)`, "broadcast divide"},
	{"", `
  a = f32[4]{0} parameter(0)
  c = f32[] constant(0)
  b = f32[4]{0} broadcast(c), dimensions={}
  ROOT d = f32[4]{0} divide(a, b)`, "broadcast divide"},
	{"difference", `
  a = s32[4]{0} parameter(0)
  c = s32[] constant(-3)
  b = s32[4]{0} broadcast(c), dimensions={}
  ROOT d = s32[4]{0} subtract(a, b)`, "broadcast add"},
	{"", `
  a = s32[4]{0} parameter(0)
  c = s32[] constant(-2147483648)
  b = s32[4]{0} broadcast(c), dimensions={}
  ROOT d = s32[4]{0} subtract(a, b)`, "broadcast subtract"},
	{"clamp", `
  a = f32[4]{0} parameter(0)
  l = f32[] constant(-0.5)
  low = f32[4]{0} broadcast(l), dimensions={}
  h = f32[] constant(0.5)
  high = f32[4]{0} broadcast(h), dimensions={}
  m = f32[4]{0} maximum(low, a)
  ROOT n = f32[4]{0} minimum(high, m)`, "broadcast broadcast clamp"},
	{"mask", `
  a = f32[4]{0} parameter(0)
  p = pred[4]{0} parameter(1)
  c = f32[4]{0} convert(p)
  ROOT m = f32[4]{0} multiply(a, c)`, "broadcast select"},
	{"comparison", `
  a = s32[] constant(3)
  b = s32[] constant(4)
  c = pred[] compare(a, b), direction=LT
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} parameter(1)
  d = pred[4]{0} broadcast(c), dimensions={}
  s = f32[4]{0} select(d, x, y)
  ROOT n = f32[4]{0} negate(s)`, "negate"},
	{"number", `
  a = f32[4]{0} parameter(0)
  z = f32[] constant(0)
  o = f32[] constant(3)
  x = f32[4]{0} broadcast(z), dimensions={}
  y = f32[4]{0} broadcast(o), dimensions={}
  m = f32[4]{0} multiply(x, y)
  ROOT n = f32[4]{0} add(a, m)`, ""},
	{"number", `
  a = f32[4]{0} parameter(0)
  x = f32[] constant(0.1)
  y = f32[] constant(0.7)
  s = f32[] subtract(x, y)
  b = f32[4]{0} broadcast(s), dimensions={}
  ROOT n = f32[4]{0} multiply(a, b)`, "broadcast multiply"},
	{"number", `
  a = s32[4]{0} parameter(0)
  x = s32[] constant(-7)
  y = s32[] constant(2147483647)
  s = s32[] add(x, y)
  b = s32[4]{0} broadcast(s), dimensions={}
  ROOT n = s32[4]{0} multiply(a, b)`, "broadcast multiply"},
	{"number", `
  a = s32[4]{0} parameter(0)
  l = s32[] constant(0)
  x = s32[] constant(-7)
  h = s32[] constant(5)
  c = s32[] clamp(l, x, h)
  d = s32[] shift-left(c, h)
  b = s32[4]{0} broadcast(d), dimensions={}
  ROOT n = s32[4]{0} or(a, b)`, ""},
	{"number", `
  a = s32[4]{0} parameter(0)
  l = s32[] constant(-9)
  x = s32[] constant(-7)
  h = s32[] constant(-8)
  c = s32[] clamp(l, x, h)
  k = s32[] constant(29)
  d = s32[] shift-left(c, k)
  b = s32[4]{0} broadcast(d), dimensions={}
  m = s32[] constant(2147483647)
  f = s32[] minimum(c, m)
  g = s32[] maximum(f, m)
  e = s32[4]{0} broadcast(g), dimensions={}
  p = s32[4]{0} multiply(a, e)
  ROOT n = s32[4]{0} or(p, b)`, "broadcast multiply"},
	{"", `
  x = s32[] constant(7)
  y = s32[] constant(2147483647)
  ROOT s = s32[] add(x, y)`, "add"}, // out of range
	{"", `
  x = f32[] constant(3e38)
  y = f32[] constant(2e38)
  ROOT s = f32[] add(x, y)`, "add"}, // not finite
	{"transposed-product", `
  a = c64[4,8]{1,0} parameter(0)
  b = c64[8,5]{1,0} parameter(1)
  d = c64[4,5]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = c64[5,4]{1,0} transpose(d), dimensions={1,0}`,
		// before the parts are apart
		"real imag real imag add dot{0}{1} subtract dot{0}{1} add dot{0}{1} subtract add complex"},
	{"transposed-product", `
  a = c64[4,8]{1,0} parameter(0)
  b = c64[8,5]{1,0} parameter(1)
  r = c64[4,8]{1,0} reshape(a)
  d = c64[4,5]{1,0} dot(r, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  unread = c64[4,5]{1,0} negate(d)
  ROOT t = c64[5,4]{1,0} transpose(d), dimensions={1,0}`,
		// in the second round
		"real imag real imag add dot{0}{1} subtract dot{0}{1} add dot{0}{1} subtract add complex"},
	{"split-iota", `
  i = s32[140]{0} iota(), iota_dimension=0
  r = s32[4,5,7]{2,1,0} reshape(i)
  a = s32[4,5,7]{2,1,0} parameter(0)
  ROOT s = s32[4,5,7]{2,1,0} add(r, a)`,
		"iota2 iota1 broadcast multiply add iota0 broadcast multiply add add"},
	{"split-iota", `
  i = bf16[12,7]{1,0} iota(), iota_dimension=0
  r = bf16[3,1,4,7]{3,2,1,0} reshape(i)
  a = bf16[3,2,4,7]{3,2,1,0} parameter(0)
  b = bf16[3,1,4,7]{3,2,1,0} slice(a), slice={[0:3], [0:1], [0:4], [0:7]}
  ROOT s = bf16[3,1,4,7]{3,2,1,0} add(r, b)`,
		"iota2 iota0 broadcast multiply add slice add"},
	{"", `
  i = s32[7,12]{1,0} iota(), iota_dimension=1
  r = s32[84]{0} reshape(i)
  a = s32[84]{0} parameter(0)
  ROOT s = s32[84]{0} add(r, a)`, "iota1 reshape add"},
	{"", `
  i = u8[200]{0} iota(), iota_dimension=0
  r = u8[20,10]{1,0} reshape(i)
  a = u8[20,10]{1,0} parameter(0)
  ROOT s = u8[20,10]{1,0} add(r, a)`, "iota0 reshape add"}, // numbers of eight bits, with a sign or without
	{"bitcast", `
  a = f32[3,5]{1,0} parameter(0)
  ROOT b = s8[3,5,4]{2,1,0} bitcast-convert(a)`,
		"bitcast-convert iota0 broadcast multiply broadcast{2} broadcast{0,1} shift-right-logical broadcast and " +
			"convert bitcast-convert"},
	{"bitcast", `
  a = u16[3,5,2]{2,1,0} parameter(0)
  b = f32[3,5]{1,0} bitcast-convert(a)
  ROOT c = u32[3,5]{1,0} bitcast-convert(b)`,
		"reshape slice convert slice convert broadcast shift-left or bitcast-convert bitcast-convert"},
	{"bitcast", `
  a = u8[4]{0} parameter(0)
  ROOT b = s32[] bitcast-convert(a)`,
		"slice reshape convert slice reshape convert shift-left or slice reshape convert shift-left or " +
			"slice reshape convert shift-left or bitcast-convert"},
	{"hoisted", `
  a = s8[16,32]{1,0} parameter(0)
  b = s4[16,32,2]{2,1,0} bitcast-convert(a)
  r = s4[16,64]{1,0} reshape(b)
  ROOT c = s32[16,64]{1,0} convert(r)`,
		"bitcast-convert broadcast{0,1} reshape iota1 broadcast multiply reshape broadcast{1} shift-right-logical " +
			"broadcast and convert bitcast-convert convert"}, // as the compiler's dump has it
	{"rearranged", `
  a = u32[6,4]{1,0} parameter(0)
  r = u32[3,2,4]{2,1,0} reshape(a)
  b = f32[3,2,4]{2,1,0} bitcast-convert(r)
  ROOT c = f32[3,2,4]{2,1,0} negate(b)`,
		"bitcast-convert negate reshape"},
	{"sunk-broadcast", `
  a = u32[4]{0} parameter(0)
  r = u32[3,4]{1,0} broadcast(a), dimensions={1}
  b = f32[3,4]{1,0} bitcast-convert(r)
  ROOT c = f32[3,4]{1,0} negate(b)`,
		"bitcast-convert negate broadcast{1}"},
	{"topk", `
  a = f32[7,5]{1,0} parameter(0)
  t = (f32[7,2]{1,0}, s32[7,2]{1,0}) topk(a), k=2, largest=true, is_stable=true
  v = f32[7,2]{1,0} get-tuple-element(t), index=0
  i = s32[7,2]{1,0} get-tuple-element(t), index=1
  c = f32[7,2]{1,0} convert(i)
  ROOT r = f32[7,2]{1,0} subtract(v, c)`,
		"iota1 sort{1} get-tuple-element slice get-tuple-element slice convert subtract"},
	{"topk", `
  a = s32[3,40,6]{2,1,0} parameter(0)
  r = s32[3,40,6]{2,1,0} remainder(a, a)
  t = (s32[3,40,1]{2,1,0}, s32[3,40,1]{2,1,0}) topk(r), k=1, largest=true, is_stable=true
  ROOT i = s32[3,40,1]{2,1,0} get-tuple-element(t), index=1`,
		"remainder iota2 sort{2} get-tuple-element slice"},
	{"topk", `
  a = bf16[7,500]{1,0} parameter(0)
  t = (bf16[7,2]{1,0}, s32[7,2]{1,0}) topk(a), k=2, largest=true
  v = bf16[7,2]{1,0} get-tuple-element(t), index=0
  i = s32[7,2]{1,0} get-tuple-element(t), index=1
  c = bf16[7,2]{1,0} convert(i)
  ROOT r = bf16[7,2]{1,0} subtract(v, c)`,
		"convert bitcast-convert broadcast and broadcast shift-right-arithmetic xor broadcast or iota1 xor sort{1} slice " +
			"broadcast and broadcast shift-right-arithmetic xor broadcast and bitcast-convert convert " +
			"broadcast xor and convert subtract"},
	{"topk", `
  a = bf16[8,500]{1,0} parameter(0)
  t = (bf16[8,2]{1,0}, s32[8,2]{1,0}) topk(a), k=2, largest=true
  ROOT i = s32[8,2]{1,0} get-tuple-element(t), index=1`,
		"convert bitcast-convert broadcast and broadcast shift-right-arithmetic xor broadcast or iota1 xor custom-call " +
			"broadcast xor and"}, // a kernel for eight rows and more
	{"topk", `
  a = bf16[8,128]{1,0} parameter(0)
  t = (bf16[8,2]{1,0}, s32[8,2]{1,0}) topk(a), k=2, largest=true
  ROOT i = s32[8,2]{1,0} get-tuple-element(t), index=1`,
		"convert bitcast-convert broadcast and broadcast shift-right-arithmetic xor broadcast or iota1 xor sort{1} slice " +
			"broadcast xor and"},
	{"", `
  a = bf16[7,65537]{1,0} parameter(0)
  t = (bf16[7,2]{1,0}, s32[7,2]{1,0}) topk(a), k=2, largest=true, is_stable=true
  ROOT v = bf16[7,2]{1,0} get-tuple-element(t), index=0`,
		"topk get-tuple-element"}, // more places than 16 bits have
	{"topk", `
  a = f32[7,190]{1,0} parameter(0)
  t = (f32[7,3]{1,0}, s32[7,3]{1,0}) topk(a), k=3, largest=true, is_stable=true
  ROOT v = f32[7,3]{1,0} get-tuple-element(t), index=0`,
		"iota1 sort{1} get-tuple-element slice"},
	{"", `
  a = f32[7,190]{1,0} parameter(0)
  t = (f32[7,2]{1,0}, s32[7,2]{1,0}) topk(a), k=2, largest=true, is_stable=true
  ROOT v = f32[7,2]{1,0} get-tuple-element(t), index=0`,
		"topk get-tuple-element"},
	{"", `
  a = f32[7,500]{1,0} parameter(0)
  t = (f32[7,2]{1,0}, s32[7,2]{1,0}) topk(a), k=2, largest=true, is_stable=true
  ROOT v = f32[7,2]{1,0} get-tuple-element(t), index=0`,
		"topk get-tuple-element"}, // the compiler calls its own
	{"slice", `
  a = f32[8,6]{1,0} parameter(0)
  s = f32[5,6]{1,0} slice(a), slice={[2:7], [0:6]}
  ROOT t = f32[2,3]{1,0} slice(s), slice={[1:3], [2:5]}`, "slice"},
	{"slice", `
  a = f32[4,2]{1,0} parameter(0)
  b = f32[4,3]{1,0} parameter(1)
  c = f32[4,5]{1,0} concatenate(a, b), dimensions={1}
  s = f32[4,3]{1,0} slice(c), slice={[0:4], [2:5]}
  ROOT n = f32[4,3]{1,0} negate(s)`, "negate"},
	{"", `
  a = f32[4,2]{1,0} parameter(0)
  b = f32[4,3]{1,0} parameter(1)
  c = f32[4,5]{1,0} concatenate(a, b), dimensions={1}
  ROOT s = f32[4,3]{1,0} slice(c), slice={[0:4], [1:4]}`, "concatenate{1} slice"},
	{"", `
  a = f32[8,6]{1,0} parameter(0)
  s = f32[4,6]{1,0} slice(a), slice={[0:8:2], [0:6]}
  ROOT t = f32[2,3]{1,0} slice(s), slice={[1:3], [2:5]}`, "slice slice"},
	{"reversed-kernel", `
  a = f32[9,16,16,4]{3,2,1,0} parameter(0)
  k = f32[3,2,5,4]{3,2,1,0} parameter(1)
  r = f32[3,2,5,4]{3,2,1,0} reverse(k), dimensions={0}
  ROOT c = f32[9,14,15,5]{3,2,1,0} convolution(a, r), window={size=3x2}, dim_labels=b01f_01oi->b01f`,
		"convolution"},
	{"", `
  a = f32[9,16,16,4]{3,2,1,0} parameter(0)
  k = f32[3,2,5,4]{3,2,1,0} parameter(1)
  r = f32[3,2,5,4]{3,2,1,0} reverse(k), dimensions={0,2}
  ROOT c = f32[9,14,15,5]{3,2,1,0} convolution(a, r), window={size=3x2}, dim_labels=b01f_01oi->b01f`,
		"reverse{0,2} convolution"},
	{"ungrouped", `
  a = f32[9,16,12]{2,1,0} parameter(0)
  k = f32[5,3,8]{2,1,0} parameter(1)
  ROOT c = f32[9,16,8]{2,1,0} convolution(a, k), window={size=5 pad=2_2}, dim_labels=b0f_0io->b0f, ` +
		`feature_group_count=4`, "reshape reshape convolution reshape"},
	{"ungrouped", `
  a = f32[9,12,10,11]{3,2,1,0} parameter(0)
  k = f32[3,2,4,6]{3,2,1,0} parameter(1)
  ROOT c = f32[9,5,11,4]{3,2,1,0} convolution(a, k), window={size=3x2 stride=2x1 pad=1_1x1_0 rhs_dilate=1x1}, ` +
		`dim_labels=bf01_01oi->b01f, feature_group_count=2`, "reshape reshape convolution reshape"},
	{"ungrouped", `
  a = f32[6,16,9]{2,1,0} parameter(0)
  k = f32[9,16,12]{2,1,0} parameter(1)
  ROOT c = f32[5,2,12]{2,1,0} convolution(a, k), window={size=16 pad=2_2}, dim_labels=b0f_i0o->0bf, ` +
		`batch_group_count=3`, "reshape reshape convolution reshape"}, // a gradient
	{"", `
  a = f32[12,16,9]{2,1,0} parameter(0)
  k = f32[9,16,12]{2,1,0} parameter(1)
  ROOT c = f32[5,1,12]{2,1,0} convolution(a, k), window={size=16 pad=2_2}, dim_labels=b0f_i0o->0bf, ` +
		`batch_group_count=12`, "convolution"}, // of one image each
	{"", `
  a = f32[9,16,12]{2,1,0} parameter(0)
  k = f32[5,1,12]{2,1,0} parameter(1)
  ROOT c = f32[9,16,12]{2,1,0} convolution(a, k), window={size=5 pad=2_2}, dim_labels=b0f_0io->b0f, ` +
		`feature_group_count=12`, "convolution"},
	{"padded-image", `
  a = f32[9,14,15,4]{3,2,1,0} parameter(0)
  k = f32[3,2,4,5]{3,2,1,0} parameter(1)
  z = f32[] constant(0)
  p = f32[9,16,18,4]{3,2,1,0} pad(a, z), padding=0_0x2_0x1_2x0_0
  ROOT c = f32[9,15,19,5]{3,2,1,0} convolution(p, k), window={size=3x2 pad=1_0x1_1}, dim_labels=b01f_01io->b01f`,
		"convolution"},
	{"", `
  a = f32[9,14,15,4]{3,2,1,0} parameter(0)
  k = f32[3,2,4,5]{3,2,1,0} parameter(1)
  z = f32[] constant(1)
  p = f32[9,16,18,4]{3,2,1,0} pad(a, z), padding=0_0x2_0x1_2x0_0
  ROOT c = f32[9,14,17,5]{3,2,1,0} convolution(p, k), window={size=3x2}, dim_labels=b01f_01io->b01f`,
		"pad convolution"}, // not of zeros
	{"", `
  a = f32[9,14,15,4]{3,2,1,0} parameter(0)
  k = f32[3,2,5,5]{3,2,1,0} parameter(1)
  z = f32[] constant(0)
  p = f32[9,14,15,5]{3,2,1,0} pad(a, z), padding=0_0x0_0x0_0x0_1
  ROOT c = f32[9,12,14,5]{3,2,1,0} convolution(p, k), window={size=3x2}, dim_labels=b01f_01io->b01f`,
		"pad convolution"}, // of features
	{"", `
  a = f32[9,14,15,4]{3,2,1,0} parameter(0)
  k = f32[3,2,4,5]{3,2,1,0} parameter(1)
  z = f32[] constant(0)
  p = f32[9,27,15,4]{3,2,1,0} pad(a, z), padding=0_0x0_0_1x0_0x0_0
  ROOT c = f32[9,25,14,5]{3,2,1,0} convolution(p, k), window={size=3x2}, dim_labels=b01f_01io->b01f`,
		"pad convolution"}, // between elements
	{"exchanged-image", `
  a = f32[2,4,5,3]{3,2,1,0} parameter(0)
  k = f32[2,9,11,6]{3,2,1,0} parameter(1)
  ROOT c = f32[5,6,3,6]{3,2,1,0} convolution(a, k), window={size=9x11 pad=3_3x3_4 lhs_dilate=2x2}, ` +
		`dim_labels=f01b_i01o->01bf`, "reverse{1,2} convolution"},
	{"exchanged-image", `
  a = f32[2,9,3]{2,1,0} parameter(0)
  k = f32[2,12,6]{2,1,0} parameter(1)
  ROOT c = f32[4,3,6]{2,1,0} convolution(a, k), window={size=12 pad=9_8 rhs_dilate=2}, ` +
		`dim_labels=f0b_i0o->0bf`, "reverse{1} convolution"},
	{"", `
  a = f32[2,9,3]{2,1,0} parameter(0)
  k = f32[2,9,6]{2,1,0} parameter(1)
  ROOT c = f32[3,3,6]{2,1,0} convolution(a, k), window={size=9 pad=1_1}, dim_labels=f0b_i0o->0bf`,
		"convolution"}, // as large
	{"transposed-image", `
  a = f32[9,4,14,15]{3,2,1,0} parameter(0)
  k = f32[5,4,3,2]{3,2,1,0} parameter(1)
  s = f32[9,14,15,4]{3,2,1,0} transpose(a), dimensions={0,2,3,1}
  t = f32[3,2,4,5]{3,2,1,0} transpose(k), dimensions={2,3,1,0}
  ROOT c = f32[9,12,14,5]{3,2,1,0} convolution(s, t), window={size=3x2}, dim_labels=b01f_01io->b01f`,
		"convolution"},
	{"transposed-convolution", `
  a = f32[9,14,15,4]{3,2,1,0} parameter(0)
  k = f32[3,2,4,5]{3,2,1,0} parameter(1)
  c = f32[9,12,14,5]{3,2,1,0} convolution(a, k), window={size=3x2}, dim_labels=b01f_01io->b01f
  ROOT t = f32[9,5,12,14]{3,2,1,0} transpose(c), dimensions={0,3,1,2}`, "convolution"},
	{"", `
  a = f32[9,14,15,4]{3,2,1,0} parameter(0)
  k = f32[3,2,4,5]{3,2,1,0} parameter(1)
  c = f32[9,12,14,5]{3,2,1,0} convolution(a, k), window={size=3x2}, dim_labels=b01f_01io->b01f
  t = f32[9,5,12,14]{3,2,1,0} transpose(c), dimensions={0,3,1,2}
  ROOT r = (f32[9,12,14,5]{3,2,1,0}, f32[9,5,12,14]{3,2,1,0}) tuple(c, t)`,
		"convolution transpose{0,3,1,2} tuple"}, // others read it
	{"sliced-convolution", `
  a = f32[5,9,9,4]{3,2,1,0} parameter(0)
  k = f32[3,3,4,6]{3,2,1,0} parameter(1)
  c = f32[5,11,11,6]{3,2,1,0} convolution(a, k), window={size=3x3 pad=2_2x2_2}, dim_labels=b01f_01io->b01f
  ROOT s = f32[5,9,8,6]{3,2,1,0} slice(c), slice={[0:5], [1:10], [3:11], [0:6]}`, "convolution"},
	{"sliced-convolution", `
  a = f32[5,9,4]{2,1,0} parameter(0)
  k = f32[3,4,6]{2,1,0} parameter(1)
  c = f32[5,6,6]{2,1,0} convolution(a, k), window={size=3 stride=2 pad=2_2}, dim_labels=b0f_0io->b0f
  ROOT s = f32[3,4,2]{2,1,0} slice(c), slice={[1:4], [1:5], [2:4]}`,
		"slice slice convolution"}, // images and features
	{"", `
  a = f32[5,9,4]{2,1,0} parameter(0)
  k = f32[3,4,6]{2,1,0} parameter(1)
  c = f32[5,11,6]{2,1,0} convolution(a, k), window={size=3 pad=2_2}, dim_labels=b0f_0io->b0f
  s = f32[5,9,6]{2,1,0} slice(c), slice={[0:5], [1:10], [0:6]}
  ROOT t = (f32[5,9,6]{2,1,0}, f32[5,11,6]{2,1,0}) tuple(s, c)`, "convolution slice tuple"}, // others read it
	{"sliced-convolution", `
  a = f32[5,9,4]{2,1,0} parameter(0)
  k = f32[3,1,4]{2,1,0} parameter(1)
  c = f32[5,11,4]{2,1,0} convolution(a, k), window={size=3 pad=2_2}, dim_labels=b0f_0io->b0f, feature_group_count=4
  ROOT s = f32[4,9,4]{2,1,0} slice(c), slice={[0:4], [1:10], [0:4]}`, "slice convolution"},
	{"", `
  a = f32[5,9,4]{2,1,0} parameter(0)
  k = f32[3,1,4]{2,1,0} parameter(1)
  c = f32[5,11,4]{2,1,0} convolution(a, k), window={size=3 pad=2_2}, dim_labels=b0f_0io->b0f, feature_group_count=4
  ROOT s = f32[5,9,2]{2,1,0} slice(c), slice={[0:5], [1:10], [0:2]}`,
		"convolution slice"}, // features of groups
	{"padded-window", `
  a = f32[5,1,1,6]{3,2,1,0} parameter(0)
  z = f32[] constant(0)
  p = f32[5,7,7,6]{3,2,1,0} pad(a, z), padding=0_0x3_3_3x3_3_3x0_0
  ROOT r = f32[5,4,4,6]{3,2,1,0} reduce-window(p, z), window={size=1x4x4x1}, to_apply=add`, // one element
		"reshape broadcast{0,3}"},
	{"padded-window", `
  a = f32[5,1,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  p = f32[5,7,6]{2,1,0} pad(a, z), padding=0_0x3_3x0_0
  ROOT r = f32[5,5,6]{2,1,0} reduce-window(p, z), window={size=1x3x1}, to_apply=add`,
		"reduce-window"}, // not in each
	{"padded-window", `
  a = f32[5,1,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  p = f32[5,7,6]{2,1,0} pad(a, z), padding=0_0x3_3x0_0
  ROOT r = f32[5,2,6]{2,1,0} reduce-window(p, z), window={size=1x4x1 stride=1x2x1}, to_apply=add`, // by two
		"reduce-window"},
	{"padded-window", `
  a = f32[5,1,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  p = f32[5,6,6]{2,1,0} pad(a, z), padding=0_0x3_2x0_0
  ROOT r = f32[5,3,6]{2,1,0} reduce-window(p, z), window={size=1x4x1}, to_apply=add`,
		"reduce-window"}, // uneven
	{"padded-window", `
  a = f32[5,1,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  p = f32[5,7,6]{2,1,0} pad(a, z), padding=0_0x3_3x0_0
  ROOT r = f32[5,4,5]{2,1,0} reduce-window(p, z), window={size=1x4x2}, to_apply=add`, // two of others
		"reduce-window"},
	{"padded-window", `
  a = f32[5,2,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  y = f32[] constant(0)
  p = f32[5,9,6]{2,1,0} pad(a, z), padding=0_0x3_3_1x0_0
  ROOT r = f32[5,6,6]{2,1,0} reduce-window(p, y), window={size=1x4x1}, to_apply=add`, "reduce-window"},
	{"", `
  a = f32[5,2,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  y = f32[] constant(1)
  p = f32[5,8,6]{2,1,0} pad(a, y), padding=0_0x3_3x0_0
  ROOT r = f32[5,5,6]{2,1,0} reduce-window(p, z), window={size=1x4x1}, to_apply=add`,
		"pad reduce-window"}, // of ones
	{"", `
  a = f32[5,2,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  p = f32[5,5,6]{2,1,0} pad(a, z), padding=0_0x1_1_1x0_0
  ROOT r = f32[5,3,6]{2,1,0} reduce-window(p, z), window={size=1x7x1 lhs_dilate=1x2x1}, to_apply=add`, // apart already
		"pad reduce-window"},
	{"pad-back", `
  a = f32[4,8]{1,0} parameter(0)
  s = f32[4,6]{1,0} slice(a), slice={[0:4], [0:6]}
  v = f32[] parameter(1)
  ROOT p = f32[4,8]{1,0} pad(s, v), padding=0_0x0_2`, "broadcast broadcast{1} select"},
	{"pad-back", `
  a = f32[4,8]{1,0} parameter(0)
  s = f32[3,8]{1,0} slice(a), slice={[0:3], [0:8]}
  z = f32[] constant(1)
  p = f32[4,8]{1,0} pad(s, z), padding=0_1x0_0
  ROOT r = (f32[4,8]{1,0}, f32[3,8]{1,0}) tuple(p, s)`, "slice broadcast broadcast{0} select tuple"},
	{"pad-back", `
  a = f32[4,8]{1,0} parameter(0)
  s = f32[4,5]{1,0} slice(a), slice={[0:4], [0:5]}
  z = f32[] constant(0)
  ROOT p = f32[4,7]{1,0} pad(s, z), padding=0_0x0_2`,
		"broadcast broadcast{1} slice select"}, // fewer than it took
	{"", `
  a = f32[4,8]{1,0} parameter(0)
  s = f32[4,6]{1,0} slice(a), slice={[0:4], [0:6]}
  z = f32[] constant(0)
  ROOT p = f32[4,9]{1,0} pad(s, z), padding=0_0x0_3`, "slice pad"}, // more
	{"", `
  a = f32[4,8]{1,0} parameter(0)
  s = f32[4,6]{1,0} slice(a), slice={[0:4], [2:8]}
  z = f32[] constant(0)
  ROOT p = f32[4,8]{1,0} pad(s, z), padding=0_0x2_0`, "slice pad"}, // before
	{"", `
  a = f32[4,8]{1,0} parameter(0)
  s = f32[4,6]{1,0} slice(a), slice={[0:4], [0:6]}
  z = f32[] constant(0)
  ROOT p = f32[4,8]{1,0} pad(s, z), padding=0_0x2_0`, "slice pad"}, // moved
	{"", `
  a = f32[4,8]{1,0} parameter(0)
  s = f32[3,6]{1,0} slice(a), slice={[0:3], [0:6]}
  z = f32[] constant(0)
  ROOT p = f32[4,8]{1,0} pad(s, z), padding=0_1x0_2`, "slice pad"}, // of two dimensions
	{"negative-pad", `
  a = f32[9,14]{1,0} parameter(0)
  z = f32[] parameter(1)
  ROOT p = f32[7,12]{1,0} pad(a, z), padding=-2_0x0_-2`, "slice"},
	{"negative-pad", `
  a = f32[9,14]{1,0} parameter(0)
  z = f32[] parameter(1)
  ROOT p = f32[11,27]{1,0} pad(a, z), padding=-1_3x-1_1_1`, "pad slice"},
	{"joined-number", `
  a = f32[9,14]{1,0} parameter(0)
  z = f32[] constant(3)
  b = f32[9,2]{1,0} broadcast(z), dimensions={}
  ROOT c = f32[9,16]{1,0} concatenate(a, b), dimensions={1}`, "pad"},
	{"", `
  a = f32[9,14]{1,0} parameter(0)
  z = f32[] constant(3)
  b = f32[9,2]{1,0} broadcast(z), dimensions={}
  ROOT c = f32[9,30]{1,0} concatenate(a, b, a), dimensions={1}`, "broadcast concatenate{1}"}, // three
	{"placed", writtenAt("constant(9)", everywhere3), "pad"},
	{"", writtenAt("constant(10)", everywhere3), "broadcast dynamic-update-slice"}, // not inside
	{"", writtenAt("constant(-1)", everywhere3), "broadcast dynamic-update-slice"},
	{"", writtenAt("parameter(1)", everywhere3), "broadcast dynamic-update-slice"},
	{"", writtenAt("constant(9)", "parameter(1)"), "dynamic-update-slice"},
	{"slice", sliceOfUpdate("constant(4)", "[4:8], [5:9]"), "slice"}, // of a slice
	{"slice", sliceOfUpdate("constant(4)", "[3:12], [4:12]"), "slice"},
	{"", sliceOfUpdate("constant(4)", "[2:8], [4:9]"), "slice dynamic-update-slice slice"},
	{"", sliceOfUpdate("constant(4)", "[4:8], [5:13]"), "slice dynamic-update-slice slice"},
	{"", sliceOfUpdate("parameter(1)", "[4:8], [5:9]"), "slice dynamic-update-slice slice"},
	{"slice", sliceOfPad("3_4x0_5", "[5:13], [2:12]"), "slice"},
	{"", sliceOfPad("3_4x0_5", "[5:14], [2:13]"), "pad slice"},
	{"", sliceOfPad("3_4x0_5", "[2:13], [2:12]"), "pad slice"},
	{"", sliceOfPad("3_4x0_5_1", "[5:13], [2:12]"), "pad slice"},
	{"sliced-broadcast", sliceOfBroadcast("[1:3], [2:9], [3:5]"), "slice broadcast{2,0}"},
	{"sliced-broadcast", sliceOfBroadcast("[0:4], [2:9], [0:8]"), "broadcast{2,0}"},
	{"known-slice", dynamicSlice("constant(3)", "constant(11)"), "slice"},
	{"", dynamicSlice("constant(3)", "constant(12)"), "dynamic-slice"}, // not inside
	{"", dynamicSlice("constant(3)", "parameter(1)"), "dynamic-slice"},
	{"joined-place", writtenInto("f32[7,10]", "0_0x0_5", "7,5", "0, 10"), "concatenate{1}"},
	{"joined-place", writtenInto("f32[7,10]", "0_0x5_0", "7,5", "0, 0"), "concatenate{1}"},
	{"", writtenInto("f32[7,10]", "0_0x5_5", "7,5", "0, 0"), "pad dynamic-update-slice"},
	{"", writtenInto("f32[7,10]", "0_0x0_5", "6,5", "0, 10"), "pad dynamic-update-slice"},
	{"", writtenInto("f32[7,10]", "0_0x0_5", "7,4", "0, 10"), "pad dynamic-update-slice"},
	{"", writtenInto("f32[7,10]", "0_0x0_5", "7,5", "0, 9"), "pad dynamic-update-slice"},
	{"", writtenInto("f32[7,2]", "0_0x0_5_4", "7,5", "0, 6"), "pad dynamic-update-slice"},
	{"", writtenInto("f32[7,10]", "0_7x0_5", "7,5", "7, 10"), "pad dynamic-update-slice"},
	{"accumulated", `
  t = f32[9,8]{1,0} parameter(0)
  i = s32[3,1]{1,0} parameter(1)
  u = f32[3,8]{1,0} parameter(2)
  z = f32[] constant(0)
  b = f32[9,8]{1,0} broadcast(z), dimensions={}` +
		addsRows("s = f32[9,8]", "b, i, u", 1) + `
  ROOT c = f32[9,8]{1,0} add(s, t)`, "reshape fusion"},
	{"accumulated", `
  t = f32[9,8]{1,0} parameter(0)
  i = s32[3,1]{1,0} parameter(1)
  u = f32[3,8]{1,0} parameter(2)
  b = f32[9,8]{1,0} parameter(3)` +
		addsRows("s = f32[9,8]", "b, i, u", 1) + `
  ROOT c = f32[9,8]{1,0} add(s, t)`, "add reshape fusion"},
	{"accumulated", `
  t = f32[9,8]{1,0} parameter(0)
  i = s32[3,1]{1,0} parameter(1)
  u = f32[3,8]{1,0} parameter(2)
  b = f32[9,8]{1,0} parameter(3)
  e = f32[9,8]{1,0} exponential(b)` +
		addsRows("s = f32[9,8]", "e, i, u", 1) + `
  ROOT c = f32[9,8]{1,0} add(t, s)`, "exponential add reshape fusion"}, // whose table is read in the sum
	{"accumulated", `
  t = f32[9,8]{1,0} parameter(0)
  i = s32[3,1]{1,0} parameter(1)
  u = f32[3,8]{1,0} parameter(2)
  b = f32[9,8]{1,0} parameter(3)` +
		addsRows("s = f32[9,8]", "b, i, u", 1) + addsRows("x = f32[9,8]", "t, i, u", 1) + `
  ROOT c = f32[9,8]{1,0} add(s, x)`, "add concatenate{0} concatenate{0} reshape fusion"},
	{"", `
  i = s32[3,1]{1,0} parameter(0)
  u = f32[3,8]{1,0} parameter(1)
  z = f32[] constant(0)
  b = f32[9,8]{1,0} broadcast(z), dimensions={}` +
		addsRows("s = f32[9,8]", "b, i, u", 1) + `
  ROOT c = f32[9,8]{1,0} add(s, s)`, "broadcast reshape fusion add"}, // read twice
	{"accumulated", `
  i = s32[2,3,1]{2,1,0} parameter(0)
  u = f32[2,3,8]{2,1,0} parameter(1)
  k = s32[2,1,1]{2,1,0} parameter(2)
  v = f32[2,1,8]{2,1,0} parameter(3)
  z = f32[] constant(0)
  b = f32[9,8]{1,0} broadcast(z), dimensions={}` +
		addsRows("s = f32[9,8]", "b, i, u", 2) + addsRows("t = f32[9,8]", "b, k, v", 2) + `
  ROOT c = f32[9,8]{1,0} add(s, t)`, "broadcast concatenate{1} concatenate{1} reshape reshape fusion"},
	{"", `
  i = s32[5,1]{1,0} parameter(0)
  u = f32[5,8]{1,0} parameter(1)
  k = s32[4,1]{1,0} parameter(2)
  v = f32[4,8]{1,0} parameter(3)
  z = f32[] constant(0)
  b = f32[9,8]{1,0} broadcast(z), dimensions={}` +
		addsRows("s = f32[9,8]", "b, i, u", 1) + addsRows("t = f32[9,8]", "b, k, v", 1) + `
  ROOT c = f32[9,8]{1,0} add(s, t)`, "broadcast reshape fusion reshape fusion add"}, // as much as the table has
	{"", `
  i = s32[2,3,1]{2,1,0} parameter(0)
  u = f32[2,3,8]{2,1,0} parameter(1)
  k = s32[1,2,1]{2,1,0} parameter(2)
  v = f32[1,2,8]{2,1,0} parameter(3)
  z = f32[] constant(0)
  b = f32[29,8]{1,0} broadcast(z), dimensions={}` +
		addsRows("s = f32[29,8]", "b, i, u", 2) + addsRows("t = f32[29,8]", "b, k, v", 2) + `
  ROOT c = f32[29,8]{1,0} add(s, t)`,
		"broadcast reshape reshape fusion reshape reshape fusion add"}, // differ twice
	{"accumulation", `
  a = f32[4,300]{1,0} parameter(0)
  z = f32[] constant(0)
  ROOT c = f32[4,300]{1,0} reduce-window(a, z), window={size=1x300 pad=0_0x299_0}, to_apply=add`,
		"pad reshape reduce-window slice reshape reduce-window slice broadcast{0,1} add reshape slice"},
	{"accumulation", `
  a = f32[256,4]{1,0} parameter(0)
  z = f32[] constant(0)
  ROOT c = f32[256,4]{1,0} reduce-window(a, z), window={size=256x1 pad=0_255x0_0}, to_apply=add`,
		"transpose{1,0} reshape reduce-window slice reshape reduce-window slice broadcast{0,1} add reshape transpose{1,0}"},
	{"accumulation", `
  a = f32[129]{0} parameter(0)
  z = f32[] constant(0)
  ROOT c = f32[129]{0} reduce-window(a, z), window={size=129 pad=128_0}, to_apply=add`,
		"pad reshape reduce-window slice reduce-window slice reshape broadcast{0} add reshape slice"},
	{"accumulation", `
  a = f32[300,3,2]{2,1,0} parameter(0)
  z = f32[] constant(0)
  ROOT c = f32[300,3,2]{2,1,0} reduce-window(a, z), window={size=300x1x1 pad=299_0x0_0x0_0}, to_apply=add`,
		"transpose{2,1,0} pad reshape reduce-window slice reshape reduce-window slice broadcast{0,1,2} add reshape " +
			"transpose{2,1,0} slice"},
	{"accumulation", `
  a = f32[17000]{0} parameter(0)
  z = f32[] constant(-inf)
  ROOT c = f32[17000]{0} reduce-window(a, z), window={size=17000 pad=16999_0}, to_apply=most`,
		"pad reshape reduce-window slice reshape pad reshape reduce-window slice reduce-window slice reshape broadcast{0} " +
			"maximum reshape slice pad slice broadcast{0} maximum reshape slice"},
	{"accumulation", `
  a = f32[2,17000]{1,0} parameter(0)
  z = f32[] constant(-inf)
  ROOT c = f32[2,17000]{1,0} reduce-window(a, z), window={size=1x17000 pad=0_0x0_16999}, to_apply=most`,
		"pad reshape reduce-window slice reshape pad reshape reduce-window slice reshape reduce-window slice " +
			"broadcast{0,1} maximum reshape broadcast broadcast{1} slice select slice broadcast{0,1} maximum reshape slice"},
	{"", `
  a = f32[4,128]{1,0} parameter(0)
  z = f32[] constant(0)
  ROOT c = f32[4,128]{1,0} reduce-window(a, z), window={size=1x128 pad=0_0x127_0}, to_apply=add`,
		"reduce-window"}, // one block
	{"", `
  a = f32[4,300]{1,0} parameter(0)
  z = f32[] constant(0)
  ROOT c = f32[4,300]{1,0} reduce-window(a, z), window={size=1x299 pad=0_0x298_0}, to_apply=add`,
		"reduce-window"}, // not of all
	{"transposed-sum", `
  a = f32[4,5,6]{2,1,0} parameter(0)
  t = f32[6,4,5]{2,1,0} transpose(a), dimensions={2,0,1}
  z = f32[] constant(0)
  ROOT s = f32[6,5]{1,0} reduce(t, z), dimensions={1}, to_apply=add`, "reduce{0} transpose{1,0}"},
	{"", `
  a = f32[4,5,6]{2,1,0} parameter(0)
  t = f32[6,4,5]{2,1,0} transpose(a), dimensions={2,0,1}
  z = f32[] constant(0)
  s = f32[6,5]{1,0} reduce(t, z), dimensions={1}, to_apply=add
  ROOT r = (f32[6,4,5]{2,1,0}, f32[6,5]{1,0}) tuple(t, s)`,
		"transpose{2,0,1} reduce{1} tuple"}, // others read it
	{"", `
  x = f32[5,8]{1,0} parameter(0)
  y = f32[2,8]{1,0} parameter(1)
  r = f32[1,5,8]{2,1,0} reshape(x)
  s = f32[1,2,8]{2,1,0} reshape(y)
  e = f32[1,2,8]{2,1,0} sine(s)
  c = f32[1,7,8]{2,1,0} concatenate(r, e), dimensions={1}
  u = f32[7,8]{1,0} reshape(c)
  ROOT t = f32[8,7]{1,0} transpose(u), dimensions={1,0}`,
		"reshape sine reshape concatenate{1} reshape transpose{1,0}"},
	{"", `
  x = c64[4,6]{1,0} parameter(0)
  y = c64[4,8]{1,0} parameter(1)
  ROOT d = c64[4,6,8]{2,1,0} dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={}, ` +
		`rhs_contracting_dims={}`, "real imag real imag add broadcast{0,1} broadcast{0,2} multiply " +
		"subtract broadcast{0,1} broadcast{0,2} multiply add broadcast{0,1} broadcast{0,2} multiply subtract add complex"},
	{"outer-product", `
  x = pred[4,6]{1,0} parameter(0)
  y = pred[4,8]{1,0} parameter(1)
  ROOT d = pred[4,6,8]{2,1,0} dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={}, ` +
		`rhs_contracting_dims={}`, "broadcast{0,1} broadcast{0,2} multiply"},
	{"plain-constant", timesConstant("s32", "{0, -2, -4, -6}"), "iota0 broadcast multiply multiply"},
	{"plain-constant", timesConstant("u32", "{0, 3, 6, 9}"), "iota0 broadcast multiply multiply"},
	{"plain-constant", timesConstant("s32", "{0, 1, 2, 3}"), "iota0 multiply"},
	{"", timesConstant("s32", "{0, 2, 4, 5}"), "multiply"},
	{"", timesConstant("f32", "{0, 2, 4, 6}"), "multiply"},
	{"iota", `
  i = s32[4,2,8]{2,1,0} iota(), iota_dimension=2
  ROOT r = s32[8,8]{1,0} reshape(i)`, "iota1"},
	{"", `
  i = s32[4,2,8]{2,1,0} iota(), iota_dimension=1
  ROOT r = s32[8,8]{1,0} reshape(i)`, "iota1 reshape"},
	{"iota", `
  i = s32[4,2,8]{2,1,0} iota(), iota_dimension=2
  ROOT r = s32[8,4,2]{2,1,0} transpose(i), dimensions={2,0,1}`, "iota0"},
	{"joined-slices", `
  a = f32[6,9]{1,0} parameter(0)
  s = f32[6,2]{1,0} slice(a), slice={[0:6], [1:3]}
  u = f32[6,4]{1,0} slice(a), slice={[0:6], [3:7]}
  e = f32[6,2]{1,0} exponential(s)
  ROOT c = f32[6,8]{1,0} concatenate(s, u, e), dimensions={1}`, "slice exponential slice concatenate{1}"},
	{"", `
  a = f32[6,9]{1,0} parameter(0)
  s = f32[6,2]{1,0} slice(a), slice={[0:6], [1:3]}
  u = f32[6,4]{1,0} slice(a), slice={[0:6], [4:8]}
  ROOT c = f32[6,6]{1,0} concatenate(s, u), dimensions={1}`, "slice slice concatenate{1}"}, // one is left out
	{"narrow-maximum", `
  a = bf16[4,8]{1,0} parameter(0)
  c = f32[4,8]{1,0} convert(a)
  z = f32[] constant(-inf)
  ROOT m = f32[4]{0} reduce(c, z), dimensions={1}, to_apply=most`, "reduce{1} convert"},
	{"", `
  a = bf16[4,8]{1,0} parameter(0)
  c = f32[4,8]{1,0} convert(a)
  z = f32[] constant(0)
  ROOT m = f32[4]{0} reduce(c, z), dimensions={1}, to_apply=most`, "convert reduce{1}"}, // not less than 0
	{"narrow-maximum", `
  a = bf16[4,8]{1,0} parameter(0)
  c = f32[4,8]{1,0} convert(a)
  z = f32[] constant(inf)
  ROOT m = f32[4]{0} reduce(c, z), dimensions={1}, to_apply=least`, "reduce{1} convert"},
	{"narrowed-sum", `
  a = bf16[4,8]{1,0} parameter(0)
  c = f32[4,8]{1,0} convert(a)
  z = f32[] constant(0)
  m = f32[4]{0} reduce(c, z), dimensions={1}, to_apply=add
  ROOT r = bf16[4]{0} convert(m)`, "reduce{1}"},
	{"", `
  a = bf16[4,8]{1,0} parameter(0)
  c = f32[4,8]{1,0} convert(a)
  z = f32[] constant(0)
  m = f32[4]{0} reduce(c, z), dimensions={1}, to_apply=add
  b = bf16[4]{0} convert(m)
  ROOT r = (bf16[4]{0}, f32[4]{0}) tuple(b, m)`, "convert reduce{1} convert tuple"}, // others read it
	{"hoisted", `
  a = f32[4,10,6]{2,1,0} parameter(0)
  b = f32[4,10,2,3]{3,2,1,0} reshape(a)
  m = f32[4,2]{1,0} parameter(1)
  c = f32[4,10,2,3]{3,2,1,0} broadcast(m), dimensions={0,2}
  d = f32[4,10,2,3]{3,2,1,0} subtract(b, c)
  z = f32[] constant(0)
  ROOT s = f32[4,2]{1,0} reduce(d, z), dimensions={1,3}, to_apply=add`, // of groups of features
		"broadcast{0,1} reshape broadcast{0,2} subtract reduce{1} reshape reduce{2}"},
	{"", `
  a = f32[4,10,6]{2,1,0} parameter(0)
  b = f32[4,10,2,3]{3,2,1,0} reshape(a)
  m = f32[4,2]{1,0} parameter(1)
  c = f32[4,10,2,3]{3,2,1,0} broadcast(m), dimensions={0,2}
  d = f32[4,10,2,3]{3,2,1,0} subtract(b, c)
  z = f32[] constant(0)
  ROOT s = f32[4,10,2]{2,1,0} reduce(d, z), dimensions={3}, to_apply=add`, // nothing is left alone that is reduced
		"reshape broadcast{0,2} subtract reduce{3}"},
	{"hoisted", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[2,3,4]{2,1,0} parameter(1)
  i = f32[2,3,8]{2,1,0} iota(), iota_dimension=1
  c = f32[2,3,8]{2,1,0} concatenate(b, b), dimensions={2}
  r = f32[2,3,8]{2,1,0} reshape(a)
  d = f32[2,3,8]{2,1,0} subtract(r, i)
  m = f32[2,3,8]{2,1,0} multiply(d, c)
  z = f32[] constant(0)
  ROOT s = f32[2,3]{1,0} reduce(m, z), dimensions={2}, to_apply=add`, // of what takes a reshape and has none, too
		"iota1 reshape broadcast{0} subtract reshape concatenate{1} multiply reduce{1} reshape"},
	{"", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[2,3,8]{2,1,0} parameter(1)
  r = f32[2,3,8]{2,1,0} reshape(a)
  m = f32[2,3,8]{2,1,0} multiply(r, b)
  z = f32[] constant(0)
  ROOT s = f32[2,3]{1,0} reduce(m, z), dimensions={2}, to_apply=add`, "reshape multiply reduce{2}"},
	{"", `
  b = f32[2,3,4]{2,1,0} parameter(0)
  c = f32[2,3,8]{2,1,0} concatenate(b, b), dimensions={2}
  e = f32[2,3,8]{2,1,0} exponential(c)
  z = f32[] constant(0)
  ROOT s = f32[2,3]{1,0} reduce(e, z), dimensions={2}, to_apply=add`, "concatenate{2} exponential reduce{2}"},
	{"reshaped-sum", `
  a = f32[6,32,8,5]{3,2,1,0} parameter(0)
  b = f32[6,4,64,5]{3,2,1,0} reshape(a)
  z = f32[] constant(0)
  ROOT s = f32[4,5]{1,0} reduce(b, z), dimensions={0,2}, to_apply=add`,
		"reduce{0,2} reshape reduce{1}"}, // parts first
	{"hoisted", `
  a = f32[2,4,6]{2,1,0} parameter(0)
  f = f32[8,6]{1,0} reshape(a)
  m = f32[8]{0} parameter(1)
  b = f32[8,6]{1,0} broadcast(m), dimensions={0}
  d = f32[8,6]{1,0} subtract(f, b)
  g = f32[2,4,6]{2,1,0} reshape(d)
  z = f32[] constant(0)
  s = f32[6]{0} reduce(g, z), dimensions={0,1}, to_apply=add
  ROOT r = (f32[6]{0}, f32[2,4,6]{2,1,0}) tuple(s, g)`, // hoisted before the sum reads what the reshape reads
		"reshape broadcast{0,1} subtract reduce{0,1} tuple"},
	{"reshaped-sum", `
  a = f32[8,6]{1,0} parameter(0)
  e = f32[8,6]{1,0} exponential(a)
  g = f32[2,4,6]{2,1,0} reshape(e)
  z = f32[] constant(0)
  s = f32[6]{0} reduce(g, z), dimensions={0,1}, to_apply=add
  ROOT r = (f32[6]{0}, f32[2,4,6]{2,1,0}) tuple(s, g)`, "exponential reshape reduce{0} tuple"}, // not hoisted
	{"hoisted", `
  a = f32[4,3]{1,0} parameter(0)
  b = f32[8,3]{1,0} parameter(1)
  x = f32[4,2,3]{2,1,0} broadcast(a), dimensions={0,2}
  y = f32[4,2,3]{2,1,0} tanh(x)
  u = f32[4,2,3]{2,1,0} reshape(b)
  c = f32[4,2,6]{2,1,0} concatenate(y, u), dimensions={2}
  ROOT r = f32[8,6]{1,0} reshape(c)`,
		"tanh broadcast{0,2} reshape concatenate{1}"}, // all of it takes a reshape
	{"hoisted", `
  a = f32[4,3]{1,0} parameter(0)
  b = f32[4,3]{1,0} parameter(1)
  x = f32[4,2,3]{2,1,0} broadcast(a), dimensions={0,2}
  y = f32[4,2,3]{2,1,0} tanh(x)
  u = f32[4,2,3]{2,1,0} broadcast(b), dimensions={0,2}
  v = f32[4,2,3]{2,1,0} sine(u)
  c = f32[4,2,6]{2,1,0} concatenate(y, v), dimensions={2}
  ROOT r = f32[8,6]{1,0} reshape(c)`, // before what is elementwise of a broadcast is computed before it
		"tanh broadcast{0,2} sine broadcast{0,2} reshape reshape concatenate{1}"},
	{"", `
  a = f32[4,3]{1,0} parameter(0)
  b = f32[4,2,3]{2,1,0} parameter(1)
  x = f32[4,2,3]{2,1,0} broadcast(a), dimensions={0,2}
  y = f32[4,2,3]{2,1,0} tanh(x)
  c = f32[4,2,6]{2,1,0} concatenate(y, b), dimensions={2}
  d = f32[4,2,9]{2,1,0} concatenate(c, y), dimensions={2}
  r = f32[8,9]{1,0} reshape(d)
  ROOT t = (f32[8,9]{1,0}, f32[4,2,6]{2,1,0}) tuple(r, c)`, // nor is a concatenate with a parameter
		"tanh broadcast{0,2} concatenate{2} concatenate{2} reshape tuple"},
	{"", `
  a = f32[4,3]{1,0} parameter(0)
  b = f32[4,3]{1,0} parameter(1)
  x = f32[4,2,3]{2,1,0} broadcast(a), dimensions={0,2}
  u = f32[4,2,3]{2,1,0} broadcast(b), dimensions={0,2}
  c = f32[4,2,6]{2,1,0} concatenate(x, u), dimensions={2}
  ROOT r = f32[8,6]{1,0} reshape(c)`,
		"broadcast{0,2} broadcast{0,2} concatenate{2} reshape"}, // nothing but broadcasts
	{"", `
  a = f32[4,3]{1,0} parameter(0)
  b = f32[4,2,3]{2,1,0} parameter(1)
  x = f32[4,2,3]{2,1,0} broadcast(a), dimensions={0,2}
  y = f32[4,2,3]{2,1,0} tanh(x)
  c = f32[4,2,6]{2,1,0} concatenate(y, b), dimensions={2}
  ROOT r = f32[8,6]{1,0} reshape(c)`, "tanh broadcast{0,2} concatenate{2} reshape"}, // a parameter takes none
	{"", `
  a = f32[4,3]{1,0} parameter(0)
  x = f32[4,2,3]{2,1,0} broadcast(a), dimensions={0,2}
  y = f32[4,2,3]{2,1,0} tanh(x)
  u = f32[4,2,3]{2,1,0} negate(x)
  c = f32[4,4,3]{2,1,0} concatenate(y, u), dimensions={1}
  ROOT r = f32[16,3]{1,0} reshape(c)`, // along what is not left alone
		"tanh broadcast{0,2} negate broadcast{0,2} concatenate{1} reshape"},
	{"unit-transpose", `
  a = f32[6,1,5]{2,1,0} parameter(0)
  e = f32[6,1,5]{2,1,0} exponential(a)
  ROOT t = f32[1,6,5]{2,1,0} transpose(e), dimensions={1,0,2}`, "exponential reshape"},
	{"hoisted", `
  a = f32[5,4]{1,0} parameter(0)
  b = f32[4,6]{1,0} parameter(1)
  d = f32[5,6]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  i = f32[5,6]{1,0} iota(), iota_dimension=1
  s = f32[5,6]{1,0} add(d, i)
  t = f32[6,5]{1,0} transpose(s), dimensions={1,0}
  ROOT r = (f32[6,5]{1,0}, f32[5,6]{1,0}, f32[5,6]{1,0}) tuple(t, s, d)`,
		"dot{1}{0} iota1 add transpose{1,0} iota0 add tuple"}, // a product that others read is transposed
	{"hoisted", `
  a = f32[5,4]{1,0} parameter(0)
  b = f32[4,6]{1,0} parameter(1)
  d = f32[5,6]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[5,6]{1,0} exponential(d)
  ROOT t = f32[6,5]{1,0} transpose(e), dimensions={1,0}`, "dot{0}{1} exponential"},
	{"hoisted", `
  a = f32[5,5]{1,0} parameter(0)
  z = f32[] constant(0)
  d = f32[5]{0} reduce(a, z), dimensions={0}, to_apply=add
  b = f32[5,5]{1,0} broadcast(d), dimensions={0}
  i = f32[5,5]{1,0} iota(), iota_dimension=0
  j = f32[5,5]{1,0} iota(), iota_dimension=1
  s = f32[5,5]{1,0} subtract(i, j)
  m = f32[5,5]{1,0} multiply(b, s)
  t = f32[5,5]{1,0} transpose(m), dimensions={1,0}
  ROOT r = f32[5,5]{1,0} add(t, s)`, // an iota that was hoisted to is another one
		"reduce{0} iota0 iota1 subtract broadcast{1} iota1 iota0 subtract multiply add"},
	{"", `
  a = f32[5,6]{1,0} parameter(0)
  i = f32[5,6]{1,0} iota(), iota_dimension=1
  s = f32[5,6]{1,0} add(a, i)
  ROOT t = f32[6,5]{1,0} transpose(s), dimensions={1,0}`, "iota1 add transpose{1,0}"},
	{"rearranged", `
  a = f32[3,4,5]{2,1,0} parameter(0)
  b = f32[4,5]{1,0} parameter(1)
  t = f32[4,3,5]{2,1,0} transpose(a), dimensions={1,0,2}
  v = f32[4,3,5]{2,1,0} broadcast(b), dimensions={0,2}
  ROOT s = f32[4,3,5]{2,1,0} add(t, v)`, "broadcast{1,2} add transpose{1,0,2}"},
	{"", `
  a = f32[3,4,5]{2,1,0} parameter(0)
  b = f32[4,3]{1,0} parameter(1)
  t = f32[4,3,5]{2,1,0} transpose(a), dimensions={1,0,2}
  v = f32[4,3,5]{2,1,0} broadcast(b), dimensions={0,1}
  ROOT s = f32[4,3,5]{2,1,0} add(t, v)`,
		"transpose{1,0,2} broadcast{0,1} add"}, // its dimensions would change places
	{"hoisted", `
  a = f32[4,5]{1,0} parameter(0)
  b = f32[4,5,6]{2,1,0} broadcast(a), dimensions={0,1}
  i = f32[4,5,6]{2,1,0} iota(), iota_dimension=2
  s = f32[4,5,6]{2,1,0} power(b, i)
  e = f32[4,5,6]{2,1,0} exponential(s)
  ROOT t = f32[5,6,4]{2,1,0} transpose(e), dimensions={1,2,0}`,
		"transpose{1,0} broadcast{0,2} iota1 power exponential"},
	{"", `
  a = f32[4,5]{1,0} parameter(0)
  b = f32[4,5,6]{2,1,0} broadcast(a), dimensions={0,1}
  c = f32[4,5,6]{2,1,0} parameter(1)
  s = f32[4,5,6]{2,1,0} add(b, c)
  ROOT t = f32[5,6,4]{2,1,0} transpose(s), dimensions={1,2,0}`, "broadcast{0,1} add transpose{1,2,0}"},
	{"one-hot", `
  z = f32[] constant(0)
  a = f32[3,4,5]{2,1,0} broadcast(z), dimensions={}
  i = s32[3,4,1,1]{3,2,1,0} parameter(0)
  u = f32[3,4,1]{2,1,0} parameter(1)
  ROOT s = f32[3,4,5]{2,1,0} scatter(a, i, u), update_window_dims={}, inserted_window_dims={2}, ` +
		`scatter_dims_to_operand_dims={2}, input_batching_dims={0,1}, scatter_indices_batching_dims={0,1}, ` +
		`index_vector_dim=3, to_apply=add`,
		"broadcast reshape broadcast{0,1} iota2 reshape broadcast{0,1} compare select"},
	{"custom-scatter", `
  a = f32[3,5]{1,0} parameter(0)
  i = s32[3,1]{1,0} parameter(1)
  u = f32[3]{0} parameter(2)
  ROOT s = f32[3,5]{1,0} scatter(a, i, u), update_window_dims={}, inserted_window_dims={1}, ` +
		`scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, ` +
		`index_vector_dim=1, to_apply=add`, "iota0 broadcast broadcast clamp compare shift-left broadcast clamp compare or " +
		"shift-left or broadcast select reshape fusion"},
	{"custom-scatter", `
  a = f32[6,9,4]{2,1,0} parameter(0)
  i = s32[5,1]{1,0} parameter(1)
  u = f32[6,5,4]{2,1,0} parameter(2)
  ROOT s = f32[6,9,4]{2,1,0} scatter(a, i, u), update_window_dims={0,2}, inserted_window_dims={1}, ` +
		`scatter_dims_to_operand_dims={1}, index_vector_dim=1, to_apply=add`, "reshape transpose{1,0,2} fusion"},
	{"custom-scatter", `
  a = f32[4,300,8]{2,1,0} parameter(0)
  i = s32[1024,2]{1,0} parameter(1)
  u = f32[1024,8]{1,0} parameter(2)
  ROOT s = f32[4,300,8]{2,1,0} scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0,1}, ` +
		`scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add`, "broadcast compare broadcast{1} compare " +
		"and reduce{1} broadcast{1} multiply reduce{1} broadcast select reshape fusion reshape"},
	{"custom-scatter", `
  a = f32[4,300,8]{2,1,0} parameter(0)
  i = s32[4,300]{1,0} parameter(1)
  u = f32[4,300,8]{2,1,0} parameter(2)
  ROOT s = f32[4,300,8]{2,1,0} scatter(a, i, u), update_window_dims={2}, inserted_window_dims={1}, ` +
		`scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, ` +
		`index_vector_dim=2, to_apply=add`, "reshape iota0 concatenate{2} broadcast compare broadcast{2} compare and " +
		"reduce{2} broadcast{2} multiply reduce{2} broadcast select reshape reshape reshape fusion reshape"},
	{"custom-scatter", `
  a = f32[300,8]{1,0} parameter(0)
  i = s32[1024,2]{1,0} parameter(1)
  u = f32[1024]{0} parameter(2)
  ROOT s = f32[300,8]{1,0} scatter(a, i, u), update_window_dims={}, inserted_window_dims={0,1}, ` +
		`scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add`, // in the most compact order
		"broadcast compare broadcast{1} compare and reduce{1} broadcast{1} multiply reduce{1} broadcast select " +
			"transpose{1,0} reshape fusion reshape transpose{1,0}"},
	{"custom-scatter", `
  a = f32[300,8]{1,0} parameter(0)
  i = u32[1024,2]{1,0} parameter(1)
  u = f32[1024]{0} parameter(2)
  ROOT s = f32[300,8]{1,0} scatter(a, i, u), update_window_dims={}, inserted_window_dims={0,1}, ` +
		`scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add`, // of numbers with signs
		"convert broadcast compare broadcast{1} compare and reduce{1} broadcast{1} multiply reduce{1} broadcast " +
			"select transpose{1,0} reshape fusion reshape transpose{1,0}"},
	{"custom-scatter", `
  a = f32[13,200,64]{2,1,0} parameter(0)
  i = s32[1024,2]{1,0} parameter(1)
  u = f32[13,1024]{1,0} parameter(2)
  ROOT s = f32[13,200,64]{2,1,0} scatter(a, i, u), update_window_dims={0}, inserted_window_dims={1,2}, ` +
		`scatter_dims_to_operand_dims={1,2}, index_vector_dim=1, to_apply=add`, // of a window, too
		"broadcast compare broadcast{1} compare and reduce{1} broadcast{1} multiply reduce{1} broadcast select " +
			"transpose{0,2,1} reshape transpose{1,0} fusion reshape transpose{0,2,1}"},
	{"custom-scatter", `
  a = f32[200,64,13]{2,1,0} parameter(0)
  i = s32[1024,2]{1,0} parameter(1)
  u = f32[1024,64]{1,0} parameter(2)
  ROOT s = f32[200,64,13]{2,1,0} scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0,2}, ` +
		`scatter_dims_to_operand_dims={0,2}, index_vector_dim=1, to_apply=add`, // which has another dimension between them
		"broadcast compare broadcast{1} compare and reduce{1} broadcast{1} multiply reduce{1} broadcast select " +
			"transpose{0,2,1} reshape fusion reshape transpose{0,2,1}"},
	{"small-table", `
  a = f32[3]{0} parameter(0)
  i = s32[15]{0} parameter(1)
  ROOT g = f32[15]{0} gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, ` +
		`index_vector_dim=1, slice_sizes={1}`,
		"slice reshape broadcast slice reshape broadcast broadcast compare select slice reshape broadcast broadcast " +
			"compare select"},
	{"small-table", `
  a = f32[2]{0} parameter(0)
  i = s32[1,10,3,1]{3,2,1,0} parameter(1)
  ROOT g = f32[1,10,3]{2,1,0} gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, ` +
		`index_vector_dim=3, slice_sizes={1}`,
		"slice reshape slice reshape broadcast compare broadcast broadcast select reshape"},
	{"custom-gather", `
  a = f32[3]{0} parameter(0)
  i = s32[14]{0} parameter(1)
  ROOT g = f32[14]{0} gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, ` +
		`index_vector_dim=1, slice_sizes={1}`, "fusion"}, // too few
	{"custom-gather", `
  a = f32[2]{0} parameter(0)
  i = s32[3,10]{1,0} parameter(1)
  ROOT g = f32[3,10]{1,0} gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, ` +
		`index_vector_dim=2, slice_sizes={1}`, "reshape fusion reshape"},
	{"custom-gather", `
  a = f32[65]{0} parameter(0)
  i = s32[400]{0} parameter(1)
  ROOT g = f32[400]{0} gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, ` +
		`index_vector_dim=1, slice_sizes={1}`, "fusion"}, // too large a table
	{"custom-scatter", `
  a = f32[5,1,8]{2,1,0} parameter(0)
  i = s32[3,1]{1,0} parameter(1)
  u = f32[3,1,8]{2,1,0} parameter(2)
  ROOT s = f32[5,1,8]{2,1,0} scatter(a, i, u), update_window_dims={1,2}, inserted_window_dims={0}, ` +
		`scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add`, // windows have no dimensions of one element
		"reshape reshape reshape fusion reshape"},
	{"custom-scatter", `
  a = f32[1,7,5,8]{3,2,1,0} parameter(0)
  i = s32[7,3,1]{2,1,0} parameter(1)
  u = f32[7,1,8,3]{3,2,1,0} parameter(2)
  ROOT s = f32[1,7,5,8]{3,2,1,0} scatter(a, i, u), update_window_dims={1,2}, inserted_window_dims={2}, ` +
		`input_batching_dims={1}, scatter_indices_batching_dims={0}, scatter_dims_to_operand_dims={2}, ` +
		`index_vector_dim=2, to_apply=add`,
		"reshape reshape iota0 broadcast broadcast clamp compare shift-left broadcast clamp compare or broadcast " +
			"shift-left or broadcast select reshape transpose{0,2,1} reshape fusion reshape"},
	{"custom-gather", `
  a = f32[4,8,6]{2,1,0} parameter(0)
  b = s32[3,1,5,1]{3,2,1,0} parameter(1)
  c = s32[3,1,5,1]{3,2,1,0} negate(b)
  i = s32[3,1,5,2]{3,2,1,0} concatenate(b, c), dimensions={3}
  ROOT g = f32[6,3,1,5]{3,2,1,0} gather(a, i), offset_dims={0}, collapsed_slice_dims={0,1}, start_index_map={0,1}, ` +
		`index_vector_dim=3, slice_sizes={1,1,6}`, // indices have no dimensions of one element
		"negate concatenate{3} reshape slice slice broadcast broadcast clamp shift-left broadcast clamp broadcast " +
			"shift-left or reshape fusion reshape transpose{2,0,1} reshape"},
	{"custom-gather", `
  a = f32[5,8]{1,0} parameter(0)
  i = s32[5,1]{1,0} parameter(1)
  ROOT g = f32[5,1]{1,0} gather(a, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, ` +
		`operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}`,
		"reshape iota0 concatenate{2} reshape slice slice broadcast broadcast clamp shift-left broadcast clamp broadcast " +
			"shift-left or reshape fusion reshape"}, // nor have those of batches
	{"custom-gather", `
  a = f32[4,8]{1,0} parameter(0)
  i = s32[3,1]{1,0} parameter(1)
  ROOT g = f32[3,1,8]{2,1,0} gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, ` +
		`index_vector_dim=1, slice_sizes={1,8}`, "reshape fusion reshape"},
	{"rearranged", `
  a = f32[4,8]{1,0} parameter(0)
  b = f32[4,8]{1,0} parameter(1)
  s = f32[32]{0} reshape(a)
  t = f32[32]{0} reshape(b)
  c = f32[32]{0} add(s, t)
  ROOT e = f32[32]{0} exponential(c)`, "add exponential reshape"},
	{"rearranged", `
  a = f32[4,8]{1,0} parameter(0)
  s = f32[8,4]{1,0} transpose(a), dimensions={1,0}
  z = f32[] constant(2)
  b = f32[8,4]{1,0} broadcast(z), dimensions={}
  ROOT c = f32[8,4]{1,0} maximum(s, b)`, "broadcast maximum transpose{1,0}"},
	{"hoisted", `
  a = f32[12]{0} parameter(0)
  p = pred[3,4]{1,0} parameter(1)
  s = f32[3,4,1]{2,1,0} reshape(a)
  t = pred[3,4,1]{2,1,0} reshape(p)
  z = f32[] constant(0)
  b = f32[3,4,1]{2,1,0} broadcast(z), dimensions={}
  c = f32[3,4,1]{2,1,0} select(t, s, b)
  ROOT e = f32[3,4]{1,0} reshape(c)`, "reshape broadcast select"},
	{"hoisted", `
  a = f32[3,5,8]{2,1,0} parameter(0)
  b = f32[3,4]{1,0} parameter(1)
  r = f32[3,5,4,2]{3,2,1,0} reshape(a)
  s = f32[3,5,4,2]{3,2,1,0} broadcast(b), dimensions={0,2}
  m = f32[3,5,4,2]{3,2,1,0} multiply(r, s)
  p = f32[3,5,4,2]{3,2,1,0} add(s, m)
  ROOT e = f32[3,5,8]{2,1,0} reshape(p)`, "broadcast{0,1} reshape broadcast{0,2} multiply add"},
	{"hoisted", `
  a = f32[3,5,8]{2,1,0} parameter(0)
  b = f32[3,5,4]{2,1,0} parameter(1)
  r = f32[3,5,4,2]{3,2,1,0} reshape(a)
  s = f32[3,5,4,2]{3,2,1,0} broadcast(b), dimensions={0,1,2}
  m = f32[3,5,4,2]{3,2,1,0} multiply(r, s)
  p = f32[3,5,4,2]{3,2,1,0} add(s, m)
  ROOT e = f32[3,5,8]{2,1,0} reshape(p)`,
		"broadcast{0,1,2} reshape multiply add"}, // b has all that the reshape joins
	{"hoisted", `
  a = f32[3,5,8]{2,1,0} parameter(0)
  b = f32[3,4]{1,0} parameter(1)
  r = f32[3,5,4,2]{3,2,1,0} reshape(a)
  s = f32[3,5,4,2]{3,2,1,0} broadcast(b), dimensions={0,2}
  m = f32[3,5,4,2]{3,2,1,0} multiply(r, s)
  e = f32[3,5,8]{2,1,0} reshape(m)
  ROOT all = (f32[3,5,8]{2,1,0}, f32[3,5,4,2]{3,2,1,0}) tuple(e, m)`,
		"reshape broadcast{0,2} multiply broadcast{0,1} reshape broadcast{0,2} multiply tuple"}, // in both dimensions
	{"hoisted", `
  a = f32[3,5,8]{2,1,0} parameter(0)
  b = f32[3,4]{1,0} parameter(1)
  r = f32[3,5,4,2]{3,2,1,0} reshape(a)
  s = f32[3,5,4,2]{3,2,1,0} broadcast(b), dimensions={0,2}
  m = f32[3,5,4,2]{3,2,1,0} multiply(r, s)
  e = f32[3,5,8]{2,1,0} reshape(m)
  ROOT all = (f32[3,5,8]{2,1,0}, f32[3,5,4,2]{3,2,1,0}) tuple(e, r)`,
		"reshape broadcast{0,1} reshape broadcast{0,2} multiply tuple"}, // the first reshape stays for the other user
	{"hoisted", `
  a = f32[2,3,8,5]{3,2,1,0} parameter(0)
  b = f32[48]{0} parameter(1)
  z = f32[] constant(0)
  s = f32[2,3,8]{2,1,0} reduce(a, z), dimensions={3}, to_apply=add
  r = f32[2,3,8]{2,1,0} reshape(b)
  m = f32[2,3,8]{2,1,0} multiply(s, r)
  ROOT e = f32[3,2,8]{2,1,0} reshape(m)`, "reduce{3} reshape reshape multiply"},
	{"hoisted", `
  a = f32[3]{0} parameter(0)
  b = f32[2,3,8]{2,1,0} broadcast(a), dimensions={1}
  ROOT e = f32[6,8]{1,0} reshape(b)`, "broadcast{1} reshape broadcast{0}"},
	{"", `
  a = f32[2,3,8]{2,1,0} parameter(0)
  b = f32[8]{0} parameter(1)
  c = f32[2,3,8]{2,1,0} broadcast(b), dimensions={2}
  m = f32[2,3,8]{2,1,0} multiply(a, c)
  ROOT e = f32[6,8]{1,0} reshape(m)`, "broadcast{2} multiply reshape"}, // a takes no reshape
	{"", `
  a = f32[48]{0} parameter(0)
  b = f32[8]{0} parameter(1)
  r = f32[6,8]{1,0} reshape(a)
  c = f32[6,8]{1,0} broadcast(b), dimensions={1}
  m = f32[6,8]{1,0} multiply(r, c)
  ROOT e = f32[6,1,8]{2,1,0} reshape(m)`,
		"reshape broadcast{1} multiply reshape"}, // a dimension of one element more
	{"rearranged", `
  a = f32[2,3,8,5]{3,2,1,0} parameter(0)
  z = f32[] constant(0)
  s = f32[2,3,8]{2,1,0} reduce(a, z), dimensions={3}, to_apply=add
  e = f32[2,3,8]{2,1,0} exponential(s)
  ROOT r = f32[6,8]{1,0} reshape(e)`, "reduce{3} exponential reshape"}, // hoisted, and computed before it again
	{"hoisted", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[8]{0} parameter(1)
  w = f32[8,15]{1,0} parameter(2)
  r = f32[2,3,8]{2,1,0} reshape(a)
  c = f32[2,3,8]{2,1,0} broadcast(b), dimensions={2}
  m = f32[2,3,8]{2,1,0} multiply(r, c)
  d = f32[2,3,15]{2,1,0} dot(m, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT s = f32[2,3,3,5]{3,2,1,0} reshape(d)`, "broadcast{1} multiply reshape transpose{1,0} reshape dot{2}{2}"},
	{"", `
  a = f32[2,3,8,5]{3,2,1,0} parameter(0)
  b = f32[8]{0} parameter(1)
  w = f32[8,15]{1,0} parameter(2)
  z = f32[] constant(0)
  r = f32[2,3,8]{2,1,0} reduce(a, z), dimensions={3}, to_apply=add
  c = f32[2,3,8]{2,1,0} broadcast(b), dimensions={2}
  m = f32[2,3,8]{2,1,0} multiply(r, c)
  d = f32[2,3,15]{2,1,0} dot(m, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT s = f32[6,15]{1,0} reshape(d)`,
		"reduce{3} broadcast{2} multiply dot{2}{0} reshape"}, // m is of no reshape
	{"hoisted", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[8]{0} parameter(1)
  z = f32[] constant(0)
  r = f32[2,3,8]{2,1,0} reshape(a)
  c = f32[2,3,8]{2,1,0} broadcast(b), dimensions={2}
  m = f32[2,3,8]{2,1,0} multiply(r, c)
  ROOT s = f32[2,3]{1,0} reduce(m, z), dimensions={2}, to_apply=add`,
		"broadcast{1} multiply reduce{1} reshape"},
	{"hoisted", `
  a = f32[4,6,8]{2,1,0} parameter(0)
  b = f32[8]{0} parameter(1)
  z = f32[] constant(0)
  r = f32[1,4,6,8]{3,2,1,0} reshape(a)
  c = f32[1,4,6,8]{3,2,1,0} broadcast(b), dimensions={3}
  m = f32[1,4,6,8]{3,2,1,0} multiply(r, c)
  ROOT s = f32[1,4,6]{2,1,0} reduce(m, z), dimensions={3}, to_apply=add`,
		"broadcast{2} multiply reduce{2} reshape"},
	{"", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[8]{0} parameter(1)
  z = f32[] constant(0)
  r = f32[2,3,8]{2,1,0} reshape(a)
  c = f32[2,3,8]{2,1,0} broadcast(b), dimensions={2}
  m = f32[2,3,8]{2,1,0} multiply(r, c)
  ROOT s = f32[2,8]{1,0} reduce(m, z), dimensions={1}, to_apply=add`,
		"reshape broadcast{2} multiply reduce{1}"}, // 3 is not of a alone
	{"quotient", `
  a = f32[4]{0} parameter(0)
  b = f32[4]{0} parameter(1)
  c = f32[4]{0} exponential(b)
  s = f32[4]{0} sqrt(c)
  ROOT d = f32[4]{0} divide(a, s)`, "exponential rsqrt multiply"},
	{"", `
  a = f32[4]{0} parameter(0)
  b = f32[4]{0} parameter(1)
  c = f32[4]{0} exponential(b)
  s = f32[4]{0} sqrt(c)
  t = f32[4]{0} sqrt(c)
  d = f32[4]{0} divide(a, s)
  ROOT all = (f32[4]{0}, f32[4]{0}) tuple(d, t)`, "exponential sqrt divide tuple"}, // the root is read, too
	{"hoisted", `
  a = f32[2,3]{1,0} parameter(0)
  b = f32[2,3,1]{2,1,0} reshape(a)
  c = f32[2,3,1]{2,1,0} exponential(b)
  s = f32[2,3,1]{2,1,0} sqrt(c)
  r = f32[2,3]{1,0} reshape(s)
  d = f32[2,3,1]{2,1,0} divide(b, s)
  e = f32[2,3]{1,0} reshape(d)
  ROOT all = (f32[2,3]{1,0}, f32[2,3]{1,0}) tuple(r, e)`, "exponential sqrt rsqrt multiply tuple"}, // as of norms
	{"hoisted", `
  a = f32[2,3]{1,0} parameter(0)
  b = f32[2,3,1]{2,1,0} reshape(a)
  c = f32[2,3,1]{2,1,0} exponential(b)
  s = f32[2,3,1]{2,1,0} sqrt(c)
  d = f32[2,3,1]{2,1,0} divide(b, s)
  m = f32[2,3,1]{2,1,0} multiply(d, s)
  e = f32[2,3]{1,0} reshape(m)
  ROOT all = (f32[2,3]{1,0}) tuple(e)`, "exponential sqrt divide multiply tuple"}, // the root is read, too
	{"unsigned", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  n = f32[5]{0} negate(a)
  m = f32[5]{0} negate(b)
  ROOT p = f32[5]{0} multiply(n, m)`, "multiply"},
	{"", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  n = f32[5]{0} negate(a)
  ROOT p = f32[5]{0} multiply(n, b)`, "negate multiply"}, // one sign stays
	{"unsigned", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  n = f32[5]{0} abs(a)
  ROOT p = f32[5]{0} multiply(n, n)`, "multiply"},
	{"unsigned", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  z = f32[] constant(0)
  c = f32[5]{0} broadcast(z), dimensions={}
  n = f32[5]{0} maximum(a, c)
  s = f32[5]{0} sqrt(n)
  ROOT p = f32[5]{0} multiply(s, s)`, "broadcast maximum"},
	{"", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  s = f32[5]{0} sqrt(a)
  ROOT p = f32[5]{0} multiply(s, s)`, "sqrt multiply"}, // a may be negative
	{"unsigned", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  e = f32[5]{0} exponential(a)
  f = f32[5]{0} abs(b)
  n = f32[5]{0} minimum(e, f)
  s = f32[5]{0} rsqrt(n)
  ROOT p = f32[5]{0} multiply(s, s)`, "exponential abs minimum broadcast divide"},
	{"", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  e = f32[5]{0} exponential(a)
  n = f32[5]{0} minimum(e, b)
  s = f32[5]{0} sqrt(n)
  ROOT p = f32[5]{0} multiply(s, s)`, "exponential minimum sqrt multiply"}, // b may be
	{"itself", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  m = f32[5]{0} multiply(a, a)
  p = pred[5]{0} compare(a, b), direction=LT
  e = f32[5]{0} exponential(b)
  s = f32[5]{0} select(p, m, e)
  ROOT n = f32[5]{0} abs(s)`, "multiply compare exponential select"},
	{"log-of-root", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  e = f32[5]{0} exponential(a)
  s = f32[5]{0} sqrt(e)
  ROOT l = f32[5]{0} log(s)`, "exponential log broadcast multiply"},
	{"clamp", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  z = f32[] constant(0)
  c = f32[5]{0} broadcast(z), dimensions={}
  t = f32[] constant(2)
  d = f32[5]{0} broadcast(t), dimensions={}
  m = f32[5]{0} minimum(a, d)
  ROOT n = f32[5]{0} maximum(m, c)`, "broadcast broadcast clamp"},
	{"", `
  a = f32[] parameter(0)
  z = f32[] constant(0)
  t = f32[] constant(2)
  m = f32[] maximum(a, z)
  ROOT n = f32[] minimum(m, t)`, "maximum minimum"}, // of one number both stay
	{"itself", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  z = f32[] constant(0)
  c = f32[5]{0} broadcast(z), dimensions={}
  m = f32[5]{0} maximum(a, c)
  ROOT n = f32[5]{0} maximum(m, c)`, "broadcast maximum"},
	{"hoisted", `
  a = f32[4,64,96]{2,1,0} parameter(0)
  b = f32[1,4,2,64,1,96]{5,4,3,2,1,0} broadcast(a), dimensions={1,3,5}
  ROOT r = f32[4,128,96]{2,1,0} reshape(b)`, "broadcast{0,2,3} reshape"}, // as of jnp.tile
	{"", `
  a = f32[4,96]{1,0} parameter(0)
  b = f32[4,1,2,96]{3,2,1,0} broadcast(a), dimensions={0,3}
  ROOT r = f32[8,96]{1,0} reshape(b)`, "broadcast{0,3} reshape"}, // it is between what is joined
	{"", `
  a = s32[5]{0} parameter(0)
  m = s32[5]{0} multiply(a, a)
  ROOT n = s32[5]{0} abs(m)`, "multiply abs"}, // a product of integers overflows
	{"identity", `
  a = bf16[5]{0} parameter(0)
  e = bf16[5]{0} exponential(a)
  f = f32[5]{0} convert(e)
  b = bf16[5]{0} convert(f)
  ROOT n = bf16[5]{0} negate(b)`, "exponential negate"},
	{"", `
  a = f32[5]{0} parameter(0)
  e = f32[5]{0} exponential(a)
  b = bf16[5]{0} convert(e)
  f = f32[5]{0} convert(b)
  ROOT n = f32[5]{0} negate(f)`, "exponential convert convert negate"}, // it is rounded
	{"identity", `
  a = f32[5]{0} parameter(0)
  e = f32[5]{0} exponential(a)
  z = f32[] constant(0)
  p = f32[5]{0} pad(e, z), padding=0_0
  ROOT n = f32[5]{0} negate(p)`, "exponential negate"},
	{"", `
  a = f32[5]{0} parameter(0)
  z = f32[] constant(0)
  p = f32[5]{0} pad(a, z), padding=1_-1
  ROOT n = f32[5]{0} negate(p)`, "pad slice negate"}, // it is moved
	{"sunk-broadcast", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  c = f32[7,5]{1,0} broadcast(a), dimensions={1}
  d = f32[7,5]{1,0} broadcast(b), dimensions={1}
  e = f32[7,5]{1,0} exponential(c)
  l = f32[7,5]{1,0} log(d)
  ROOT q = f32[7,5]{1,0} divide(e, l)`, "exponential log divide broadcast{1}"},
	{"", `
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} parameter(1)
  p = pred[5]{0} parameter(2)
  c = f32[7,5]{1,0} broadcast(a), dimensions={1}
  d = f32[7,5]{1,0} broadcast(b), dimensions={1}
  e = pred[7,5]{1,0} broadcast(p), dimensions={1}
  ROOT s = f32[7,5]{1,0} select(e, c, d)`, "broadcast{1} broadcast{1} broadcast{1} select"}, // three arrays
	{"hoisted", `
  a = f32[2,16,6]{2,1,0} parameter(0)
  b = f32[2,96]{1,0} parameter(1)
  z = f32[] constant(0)
  c = f32[2,1,96]{2,1,0} reshape(a)
  d = f32[2,1,96]{2,1,0} reshape(b)
  e = f32[2,1,96]{2,1,0} sine(d)
  m = f32[2,1,96]{2,1,0} multiply(c, e)
  ROOT s = f32[1,96]{1,0} reduce(m, z), dimensions={0}, to_apply=add`,
		"sine reshape multiply reduce{0} reshape"}, // in the dimensions of a, the nearest
	{"halved", `
  i = u64[5]{0} iota(), iota_dimension=0
  b = u64[5,7]{1,0} broadcast(i), dimensions={0}
  n = u64[] constant(1000000007)
  c = u64[5,7]{1,0} broadcast(n), dimensions={}
  m = u64[5,7]{1,0} multiply(b, c)
  j = u64[5,7]{1,0} iota(), iota_dimension=1
  s = u64[5,7]{1,0} add(m, j)
  w = u64[] constant(32)
  v = u64[5,7]{1,0} broadcast(w), dimensions={}
  h = u64[5,7]{1,0} shift-right-logical(s, v)
  x = u32[5,7]{1,0} convert(h)
  y = u32[5,7]{1,0} convert(s)
  ROOT r = (u32[5,7]{1,0}, u32[5,7]{1,0}) tuple(x, y)`, "broadcast iota0 broadcast and broadcast " +
		"shift-right-logical broadcast multiply multiply shift-right-logical add broadcast multiply and add multiply " +
		"shift-right-logical add shift-right-logical add broadcast{0} and shift-left or broadcast{0} iota1 add compare " +
		"broadcast add broadcast{0} select shift-right-logical tuple"}, // the high bits, and the low ones
	{"halved", `
  i = u64[9]{0} iota(), iota_dimension=0
  n = u64[] constant(12884901889)
  c = u64[9]{0} broadcast(n), dimensions={}
  m = u64[9]{0} multiply(i, c)
  w = u64[] constant(5)
  v = u64[9]{0} broadcast(w), dimensions={}
  h = u64[9]{0} shift-right-logical(m, v)
  ROOT x = u32[9]{0} convert(h)`, "iota0 broadcast broadcast and broadcast shift-right-logical shift-right-logical " +
		"add and shift-right-logical shift-right-logical add multiply add and shift-left or broadcast shift-left broadcast " +
		"shift-right-logical or"}, // by fewer bits
	{"", `
  i = u64[9]{0} iota(), iota_dimension=0
  w = u64[] constant(64)
  v = u64[9]{0} broadcast(w), dimensions={}
  h = u64[9]{0} shift-right-logical(i, v)
  ROOT x = u32[9]{0} convert(h)`, "iota0 broadcast shift-right-logical convert"}, // by all of them
	{"", `
  i = u64[9]{0} iota(), iota_dimension=0
  h = u64[9]{0} shift-right-logical(i, i)
  ROOT x = u32[9]{0} convert(h)`, "iota0 shift-right-logical convert"}, // by as many as each says
	{"halved", `
  i = u64[9]{0} iota(), iota_dimension=0
  w = u64[] constant(0)
  v = u64[9]{0} broadcast(w), dimensions={}
  h = u64[9]{0} shift-right-logical(i, v)
  ROOT x = u32[9]{0} convert(h)`, "iota0 broadcast shift-right-logical"}, // by none
	{"", `
  p = s32[9]{0} parameter(0)
  a = u64[9]{0} convert(p)
  i = u64[9]{0} iota(), iota_dimension=0
  s = u64[9]{0} add(a, i)
  ROOT x = u32[9]{0} convert(s)`, "convert iota0 add convert"}, // of numbers with signs
	{"", `
  i = u64[9]{0} iota(), iota_dimension=0
  s = u64[9]{0} add(i, i)
  ROOT x = f32[9]{0} convert(s)`, "iota0 add convert"},
	{"absorbing", `
  a = s32[9]{0} parameter(0)
  z = s32[] constant(0)
  b = s32[9]{0} broadcast(z), dimensions={}
  ROOT m = s32[9]{0} multiply(a, b)`, "broadcast"},
	{"", `
  a = f32[9]{0} parameter(0)
  z = f32[] constant(0)
  b = f32[9]{0} broadcast(z), dimensions={}
  ROOT m = f32[9]{0} multiply(a, b)`, "broadcast multiply"}, // what is not a number stays so
	{"number", `
  a = u32[] constant(4294967295)
  b = u32[] constant(3)
  s = u32[] add(a, b)
  c = u32[] shift-right-logical(a, b)
  ROOT x = u32[] xor(s, c)`, ""}, // as the device does, without the highest bits
	{"hoisted", `
  a = f32[24,9]{1,0} parameter(0)
  b = f32[6]{0} parameter(1)
  r = f32[4,6,9]{2,1,0} reshape(a)
  c = f32[4,6,9]{2,1,0} broadcast(b), dimensions={1}
  d = f32[4,6,9]{2,1,0} add(r, c)
  z = f32[] constant(0)
  s = f32[4,6]{1,0} reduce(d, z), dimensions={2}, to_apply=add
  ROOT o = f32[4,6,1]{2,1,0} reshape(s)`,
		"broadcast{1} reshape broadcast{0} add reduce{1} reshape"}, // one is left
	{"joined-heads", `
  a = f32[2,9,4]{2,1,0} parameter(0)
  b = f32[2,9,2,2]{3,2,1,0} reshape(a)
  c = f32[2,2,9,2]{3,2,1,0} transpose(b), dimensions={0,2,1,3}
  ROOT d = f32[4,9,2]{2,1,0} reshape(c)`, "slice slice concatenate{1} reshape"}, // two
	{"joined-heads", `
  a = f32[2,9,10]{2,1,0} parameter(0)
  b = f32[2,9,5,2]{3,2,1,0} reshape(a)
  c = f32[2,5,9,2]{3,2,1,0} transpose(b), dimensions={0,2,1,3}
  ROOT d = f32[10,9,2]{2,1,0} reshape(c)`, "slice slice slice slice slice concatenate{1} reshape"}, // to five
	{"joined-heads", `
  a = f32[2,9,8]{2,1,0} parameter(0)
  b = f32[2,9,4,2]{3,2,1,0} reshape(a)
  c = f32[2,4,9,2]{3,2,1,0} transpose(b), dimensions={0,2,1,3}
  ROOT d = f32[8,9,2]{2,1,0} reshape(c)`, "slice slice slice slice concatenate{1} reshape"},
	{"", `
  a = f32[2,9,12]{2,1,0} parameter(0)
  b = f32[2,9,6,2]{3,2,1,0} reshape(a)
  c = f32[2,6,9,2]{3,2,1,0} transpose(b), dimensions={0,2,1,3}
  ROOT d = f32[12,9,2]{2,1,0} reshape(c)`, "reshape transpose{0,2,1,3} reshape"}, // too many
	{"", `
  a = f32[2,9,8]{2,1,0} parameter(0)
  b = f32[2,9,4,2]{3,2,1,0} reshape(a)
  c = f32[2,4,9,2]{3,2,1,0} transpose(b), dimensions={0,2,1,3}
  ROOT d = f32[8,18]{1,0} reshape(c)`, "reshape transpose{0,2,1,3} reshape"}, // to other dimensions
	{"sunk-broadcast", `
  i = s32[2,8,3]{2,1,0} iota(), iota_dimension=1
  ROOT c = f32[2,8,3]{2,1,0} convert(i)`, "iota0 convert broadcast{1}"},
	{"", `
  i = f32[2,8,3]{2,1,0} iota(), iota_dimension=1
  j = f32[2,8,3]{2,1,0} iota(), iota_dimension=2
  ROOT m = f32[2,8,3]{2,1,0} multiply(i, j)`, "iota1 iota2 multiply"},
	{"sunk-broadcast", `
  a = f32[8]{0} parameter(0)
  b = f32[8]{0} parameter(1)
  i = f32[2,8]{1,0} iota(), iota_dimension=1
  c = f32[2,8]{1,0} broadcast(a), dimensions={1}
  d = f32[2,8]{1,0} broadcast(b), dimensions={1}
  m = f32[2,8]{1,0} multiply(c, d)
  ROOT s = f32[2,8]{1,0} add(m, i)`, "multiply iota0 add broadcast{1}"},
	{"", `
  a = f32[8]{0} parameter(0)
  b = f32[2]{0} parameter(1)
  c = f32[2,8]{1,0} broadcast(a), dimensions={1}
  d = f32[2,8]{1,0} broadcast(b), dimensions={0}
  ROOT m = f32[2,8]{1,0} multiply(c, d)`, "broadcast{1} broadcast{0} multiply"}, // of other dimensions
	{"sunk-broadcast", `
  a = f32[2]{0} parameter(0)
  x = s32[] constant(1)
  y = s32[] constant(2)
  c = s32[2]{0} broadcast(x), dimensions={}
  d = s32[2]{0} broadcast(y), dimensions={}
  p = pred[2]{0} compare(c, d), direction=LT
  n = f32[2]{0} negate(a)
  ROOT s = f32[2]{0} select(p, n, a)`, "negate"},
	{"outer-product", `
  a = f32[4,3]{1,0} parameter(0)
  one = s32[] constant(1)
  b = s32[4]{0} broadcast(one), dimensions={}
  ROOT d = f32[4,3]{1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={}`, ""},
	{"outer-product", `
  a = f32[2,3]{1,0} parameter(0)
  b = f32[5]{0} parameter(1)
  d = f32[2,3,5]{2,1,0} dot(a, b), lhs_contracting_dims={}, rhs_contracting_dims={}
  r = f32[6,5]{1,0} reshape(d)
  ROOT n = f32[6,5]{1,0} negate(r)`,
		"broadcast{0,1} broadcast{2} multiply negate reshape"}, // none before the product
	{"", `
  a = f32[1,4,8]{2,1,0} parameter(0)
  v = f32[8]{0} parameter(1)
  x = f32[4,8]{1,0} reshape(a)
  b = f32[4,8]{1,0} broadcast(v), dimensions={1}
  y = f32[4,8]{1,0} multiply(x, b)
  z = f32[] constant(0)
  ROOT s = f32[4]{0} reduce(y, z), dimensions={1}, to_apply=add`, "reshape broadcast{1} multiply reduce{1}"},
	{"hoisted", `
  a = f32[6,5]{1,0} parameter(0)
  b = f32[6,3]{1,0} parameter(1)
  e = f32[6,3]{1,0} exponential(b)
  k = f32[6,8]{1,0} concatenate(a, e), dimensions={1}
  n = f32[6,8]{1,0} negate(k)
  ROOT r = f32[2,3,8]{2,1,0} reshape(n)`,
		"exponential reshape reshape concatenate{2} negate"}, // whatever is joined
	{"hoisted", `
  a = f32[8,1,16,1]{3,2,1,0} parameter(0)
  b = f32[8,16]{1,0} parameter(1)
  r = f32[8,1,16]{2,1,0} reshape(a)
  t = f32[8,1,16]{2,1,0} reshape(b)
  c = f32[8,1,16]{2,1,0} cosine(t)
  m = f32[8,1,16]{2,1,0} multiply(r, c)
  k = f32[8,1,16,1]{3,2,1,0} parameter(2)
  e = f32[8,1,16,1]{3,2,1,0} reshape(m)
  ROOT j = f32[8,1,16,2]{3,2,1,0} concatenate(e, k), dimensions={3}`, // one more dimension of one element
		"cosine reshape multiply concatenate{3}"},
	{"", `
  a = f32[8,16,1]{2,1,0} parameter(0)
  b = f32[16,8]{1,0} parameter(1)
  r = f32[8,16]{1,0} reshape(a)
  t = f32[8,16]{1,0} transpose(b), dimensions={1,0}
  m = f32[8,16]{1,0} power(r, t)
  k = f32[8,16,1]{2,1,0} parameter(2)
  e = f32[8,16,1]{2,1,0} reshape(m)
  ROOT j = f32[8,16,2]{2,1,0} concatenate(e, k), dimensions={2}`, // the first one
		"reshape transpose{1,0} power reshape concatenate{2}"},
	{"hoisted", `
  a = f32[48]{0} parameter(0)
  z = f32[] constant(0)
  o = f32[] constant(1)
  r = f32[6,8]{1,0} reshape(a)
  c = f32[6,8]{1,0} clamp(z, r, o)
  e = f32[6,8]{1,0} exponential(c)
  ROOT s = f32[2,3,8]{2,1,0} reshape(e)`, "clamp exponential reshape"}, // the bounds are of no dimensions
	{"hoisted", `
  a = f32[2,3,8,5]{3,2,1,0} parameter(0)
  w = f32[8,15]{1,0} parameter(1)
  z = f32[] constant(0)
  r = f32[2,3,8]{2,1,0} reduce(a, z), dimensions={3}, to_apply=add
  d = f32[2,3,15]{2,1,0} dot(r, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT s = f32[6,15]{1,0} reshape(d)`, "reduce{3} reshape dot{1}{0}"},
	{"hoisted", `
  a = f32[1,3,8]{2,1,0} parameter(0)
  b = f32[1,3,8]{2,1,0} parameter(1)
  v = f32[8]{0} parameter(2)
  c = f32[2,3,8]{2,1,0} concatenate(a, b), dimensions={0}
  w = f32[2,3,8]{2,1,0} broadcast(v), dimensions={2}
  m = f32[2,3,8]{2,1,0} multiply(c, w)
  ROOT s = f32[6,8]{1,0} reshape(m)`, "concatenate{0} reshape broadcast{1} multiply"},
	{"hoisted", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[2,3,8,5]{3,2,1,0} parameter(1)
  w = f32[8,15]{1,0} parameter(2)
  z = f32[] constant(0)
  r = f32[2,3,8]{2,1,0} reshape(a)
  c = f32[2,3,8]{2,1,0} reduce(b, z), dimensions={3}, to_apply=add
  m = f32[2,3,8]{2,1,0} multiply(r, c)
  d = f32[2,3,15]{2,1,0} dot(m, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT s = f32[6,15]{1,0} reshape(d)`, "reduce{3} reshape multiply dot{1}{0}"}, // what takes a reshape has one
	{"", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[48]{0} parameter(1)
  w = f32[8,15]{1,0} parameter(2)
  r = f32[2,3,8]{2,1,0} reshape(a)
  c = f32[2,3,8]{2,1,0} reshape(b)
  m = f32[2,3,8]{2,1,0} multiply(r, c)
  d = f32[2,3,15]{2,1,0} dot(m, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT s = f32[6,15]{1,0} reshape(d)`, "reshape reshape multiply dot{2}{0} reshape"}, // a guess, too
	{"", `
  a = f32[12]{0} parameter(0)
  b = f32[2,3,15]{2,1,0} parameter(1)
  r = f32[2,2,3]{2,1,0} reshape(a)
  d = f32[2,2,15]{2,1,0} dot(r, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}
  ROOT s = f32[2,2,3,5]{3,2,1,0} reshape(d)`,
		"reshape dot{2}{1} reshape"}, // a batch of as many products as rows
	{"", `
  a = f32[24]{0} parameter(0)
  w = f32[8,10]{1,0} parameter(1)
  r = f32[3,8]{1,0} reshape(a)
  d = f32[3,10]{1,0} dot(r, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[2,15]{1,0} reshape(d)`, "reshape dot{1}{0} reshape"}, // 15 is of both
	{"narrow-sum", `
  a = f32[1,6,8]{2,1,0} parameter(0)
  z = f32[] constant(0)
  ROOT s = f32[1,6]{1,0} reduce(a, z), dimensions={2}, to_apply=add`, "reduce{0,2} reshape"},
	{"rearranged", `
  a = f32[8,2,3]{2,1,0} parameter(0)
  b = f32[8]{0} parameter(1)
  t = f32[2,3,8]{2,1,0} transpose(a), dimensions={1,2,0}
  c = f32[2,3,8]{2,1,0} broadcast(b), dimensions={2}
  ROOT m = f32[2,3,8]{2,1,0} multiply(t, c)`, "broadcast{0} multiply transpose{1,2,0}"},
	{"", `
  a = f32[8,2,3]{2,1,0} parameter(0)
  b = f32[3,8]{1,0} parameter(1)
  t = f32[2,3,8]{2,1,0} transpose(a), dimensions={1,2,0}
  c = f32[2,3,8]{2,1,0} broadcast(b), dimensions={1,2}
  ROOT m = f32[2,3,8]{2,1,0} multiply(t, c)`, "transpose{1,2,0} broadcast{1,2} multiply"}, // no vector
	{"hoisted", `
  a = f32[3,8]{1,0} parameter(0)
  b = f32[3]{0} parameter(1)
  r = f32[3,1,8]{2,1,0} reshape(a)
  s = f32[3,1,8]{2,1,0} broadcast(b), dimensions={0}
  m = f32[3,1,8]{2,1,0} multiply(r, s)
  ROOT e = f32[3,8]{1,0} reshape(m)`, "broadcast{0} multiply"},
	{"reshaped-slice", `
  a = f32[6,8,2]{2,1,0} parameter(0)
  r = f32[6,16]{1,0} reshape(a)
  ROOT s = f32[3,16]{1,0} slice(r), slice={[2:5], [0:16]}`, "slice reshape"},
	{"reshaped-slice", `
  a = f32[1,2,3,16]{3,2,1,0} parameter(0)
  r = f32[6,16]{1,0} reshape(a)
  ROOT s = f32[3,16]{1,0} slice(r), slice={[3:6], [0:16]}`, "slice reshape"},
	{"", `
  a = f32[2,3,16]{2,1,0} parameter(0)
  r = f32[6,16]{1,0} reshape(a)
  ROOT s = f32[3,16]{1,0} slice(r), slice={[1:4], [0:16]}`, "reshape slice"}, // parts of two
	{"", `
  a = f32[6,8,2]{2,1,0} parameter(0)
  r = f32[6,16]{1,0} reshape(a)
  ROOT s = f32[6,8]{1,0} slice(r), slice={[0:6], [0:8]}`, "reshape slice"}, // another dimension
	{"", `
  a = f32[6,8,2]{2,1,0} parameter(0)
  r = f32[6,16]{1,0} reshape(a)
  ROOT s = f32[3,16]{1,0} slice(r), slice={[0:6:2], [0:16]}`, "reshape slice"}, // every second
	{"identity", `
  a = f32[4,8]{1,0} parameter(0)
  i = s32[] parameter(1)
  d = f32[4,8]{1,0} dynamic-slice(a, i, i), dynamic_slice_sizes={4,8}
  b = f32[4,8]{1,0} negate(d)
  ROOT u = f32[4,8]{1,0} dynamic-update-slice(a, b, i, i)`, "negate"},
	{"number", `
  a = f32[4]{0} parameter(0)
  i = s32[] constant(3)
  c = f32[] convert(i)
  p = pred[] constant(true)
  q = s32[] convert(p)
  r = bf16[] convert(q)
  f = f32[] convert(r)
  s = f32[] subtract(c, f)
  b = f32[4]{0} broadcast(s), dimensions={}
  ROOT m = f32[4]{0} multiply(a, b)`, "broadcast multiply"},
	{"", `
  a = s32[4]{0} parameter(0)
  x = f32[] constant(1.5)
  c = s32[] convert(x)
  b = s32[4]{0} broadcast(c), dimensions={}
  ROOT m = s32[4]{0} multiply(a, b)`, "convert broadcast multiply"}, // it is rounded
	{"transposed-product", `
  a = f32[4,8]{1,0} parameter(0)
  b = f32[8,16]{1,0} parameter(1)
  d = f32[4,16]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[16,4]{1,0} transpose(d), dimensions={1,0}
  u = f32[16,4]{1,0} transpose(d), dimensions={1,0}
  ROOT all = (f32[16,4]{1,0}, f32[16,4]{1,0}) tuple(t, u)`,
		"dot{0}{1} tuple"}, // two transposes, until they are one
	{"transposed-product", `
  a = f32[9,2,3,4]{3,2,1,0} parameter(0)
  b = f32[9,4,5]{2,1,0} parameter(1)
  d = f32[9,2,3,5]{3,2,1,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}
  ROOT t = f32[9,5,2,3]{3,2,1,0} transpose(d), dimensions={0,3,1,2}`, "dot{1}{3}"},
	{"", `
  a = f32[2,3,4]{2,1,0} parameter(0)
  b = f32[4,5]{1,0} parameter(1)
  d = f32[2,3,5]{2,1,0} dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT t = f32[5,3,2]{2,1,0} transpose(d), dimensions={2,1,0}`,
		"dot{2}{0} transpose{2,1,0}"}, // those of the left operand change places, too
	{"hoisted", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[8,15]{1,0} parameter(1)
  r = f32[2,3,8]{2,1,0} reshape(a)
  d = f32[2,3,15]{2,1,0} dot(r, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT s = f32[2,3,3,5]{3,2,1,0} reshape(d)`, "reshape transpose{1,0} reshape dot{2}{2}"},
	{"hoisted", `
  a = f32[2,3,20]{2,1,0} parameter(0)
  b = f32[4,5,12]{2,1,0} parameter(1)
  r = f32[2,3,4,5]{3,2,1,0} reshape(a)
  d = f32[2,3,12]{2,1,0} dot(r, b), lhs_contracting_dims={3,2}, rhs_contracting_dims={1,0}
  ROOT s = f32[6,1,3,4]{3,2,1,0} reshape(d)`,
		"reshape transpose{0,1,3,2} reshape transpose{2,1,0} reshape dot{1,2}{2,3} reshape"},
	{"hoisted", `
  a = f32[7,8]{1,0} parameter(0)
  b = f32[2,4,15]{2,1,0} parameter(1)
  r = f32[8,15]{1,0} reshape(b)
  d = f32[7,15]{1,0} dot(a, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[7,3,5]{2,1,0} reshape(d)`, "reshape transpose{1,0} reshape dot{1}{2}"},
	{"", `
  a = f32[7,8]{1,0} parameter(0)
  b = f32[8,15]{1,0} parameter(1)
  d = f32[7,15]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[7,3,5]{2,1,0} reshape(d)`, "dot{1}{0} reshape"}, // no operand is a reshape
	{"", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[8,15]{1,0} parameter(1)
  r = f32[2,3,8]{2,1,0} reshape(a)
  d = f32[2,3,15]{2,1,0} dot(r, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  n = f32[2,3,15]{2,1,0} sine(d)
  s = f32[2,3,3,5]{3,2,1,0} reshape(d)
  ROOT t = (f32[2,3,15]{2,1,0}, f32[2,3,3,5]{3,2,1,0}) tuple(n, s)`,
		"reshape dot{2}{0} sine reshape tuple"}, // sine reads it, too
	{"", `
  a = f32[4,24]{1,0} parameter(0)
  b = f32[4,3,15]{2,1,0} parameter(1)
  r = f32[4,8,3]{2,1,0} reshape(a)
  d = f32[4,8,15]{2,1,0} dot(r, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, ` +
		`rhs_contracting_dims={1}
  ROOT s = f32[4,8,3,5]{3,2,1,0} reshape(d)`, "reshape dot{2}{1} reshape"}, // a batch of products
	{"", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[8,3,5]{2,1,0} parameter(1)
  r = f32[48]{0} reshape(a)
  q = f32[2,3,8]{2,1,0} reshape(r)
  d = f32[2,3,3,5]{3,2,1,0} dot(q, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT s = f32[2,9,5]{2,1,0} reshape(d)`, "reshape dot{2}{0} reshape"}, // 9 is of both
	{"", `
  a = f32[6,8]{1,0} parameter(0)
  b = f32[8,15]{1,0} parameter(1)
  r = f32[2,3,8]{2,1,0} reshape(a)
  d = f32[2,3,15]{2,1,0} dot(r, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT s = f32[2,3,1,15]{3,2,1,0} reshape(d)`, "reshape dot{2}{0} reshape"}, // dimensions of one element only
	{"", `
  a = f32[4,8]{1,0} parameter(0)
  s = f32[32]{0} reshape(a)
  c = f32[32]{0} floor(s)
  ROOT e = f32[32]{0} subtract(s, c)`, "reshape floor subtract"}, // subtract reads what is not a reshape
	{"", `
  a = f32[4,8]{1,0} parameter(0)
  b = f32[4,8]{1,0} parameter(1)
  x = f32[32]{0} parameter(2)
  s = f32[32]{0} reshape(a)
  t = f32[32]{0} reshape(b)
  c = f32[32]{0} add(s, t)
  d = f32[32]{0} floor(s)
  e = f32[32]{0} subtract(t, x)
  ROOT all = (f32[32]{0}, f32[32]{0}, f32[32]{0}) tuple(c, d, e)`,
		"reshape reshape add floor subtract tuple"}, // as subtract does: t stays for it, so s does for add
	{"hoisted", `
  p = f32[8,6]{1,0} parameter(0)
  k = f32[6,8]{1,0} parameter(1)
  b = f32[8]{0} parameter(2)
  q = f32[2,4,8]{2,1,0} parameter(3)
  x = f32[2,4,6]{2,1,0} reshape(p)
  d = f32[2,4,8]{2,1,0} dot(x, k), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  r = f32[8,8]{1,0} reshape(d)
  bb = f32[8,8]{1,0} broadcast(b), dimensions={1}
  z = f32[8,8]{1,0} subtract(r, bb)
  u = f32[2,4,8]{2,1,0} reshape(z)
  ROOT v = f32[2,4,8]{2,1,0} add(u, q)`,
		"dot{1}{0} broadcast{1} subtract reshape add"}, // a product takes the reshape, and the other one stays
	{"hoisted", `
  a = f32[8,6]{1,0} parameter(0)
  b = f32[6]{0} parameter(1)
  c = f32[2,4,6]{2,1,0} reshape(a)
  d = f32[2,4,6]{2,1,0} sine(c)
  bb = f32[8,6]{1,0} broadcast(b), dimensions={1}
  e = f32[8,6]{1,0} subtract(a, bb)
  f = f32[2,4,6]{2,1,0} reshape(e)
  ROOT o = (f32[2,4,6]{2,1,0}, f32[2,4,6]{2,1,0}) tuple(d, f)`,
		"reshape sine broadcast{2} subtract tuple"}, // another reshape to these dimensions reads what takes none
	{"hoisted", `
  a = f32[8,6]{1,0} parameter(0)
  b = f32[4,6]{1,0} parameter(1)
  two = f32[] constant(2)
  twos = f32[8,6]{1,0} broadcast(two), dimensions={}
  w = f32[2,4,6]{2,1,0} broadcast(b), dimensions={1,2}
  r = f32[8,6]{1,0} reshape(w)
  c = f32[2,4,6]{2,1,0} reshape(a)
  m = f32[8,6]{1,0} multiply(a, twos)
  t = f32[8,6]{1,0} add(m, r)
  z = f32[] constant(0)
  s = f32[8]{0} reduce(t, z), dimensions={1}, to_apply=add
  e = f32[8]{0} exponential(s)
  ROOT o = (f32[8]{0}, f32[2,4,6]{2,1,0}) tuple(e, c)`,
		"broadcast{1,2} reshape broadcast multiply reshape add reduce{1} exponential tuple"}, // the same of a sum
	{"", `
  a = f32[8,6]{1,0} parameter(0)
  b = f32[4,6]{1,0} parameter(1)
  w = f32[2,4,6]{2,1,0} broadcast(b), dimensions={1,2}
  r = f32[8,6]{1,0} reshape(w)
  c = f32[2,4,6]{2,1,0} reshape(a)
  t = f32[8,6]{1,0} add(a, r)
  z = f32[] constant(0)
  s = f32[8]{0} reduce(t, z), dimensions={1}, to_apply=add
  ROOT o = (f32[8]{0}, f32[2,4,6]{2,1,0}) tuple(s, c)`,
		"broadcast{1,2} reshape reshape add reduce{1} tuple"}, // the sum comes to it before it knows the dimensions
	{"hoisted", `
  a = f32[4,49,8,48]{3,2,1,0} parameter(0)
  w = f32[384]{0} parameter(1)
  k = f32[8,48,256]{2,1,0} parameter(2)
  x = f32[4,49,384]{2,1,0} reshape(a)
  b = f32[4,49,384]{2,1,0} broadcast(w), dimensions={2}
  m = f32[4,49,384]{2,1,0} multiply(x, b)
  y = f32[384,256]{1,0} reshape(k)
  ROOT d = f32[4,49,256]{2,1,0} dot(m, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}`,
		"reshape broadcast{2,3} multiply dot{2,3}{0,1}"}, // a product of what comes before reshapes
	{"hoisted", `
  a = f32[4,9,6,8]{3,2,1,0} parameter(0)
  w = f32[48]{0} parameter(1)
  c = f32[36,16]{1,0} parameter(2)
  x = f32[4,9,48]{2,1,0} reshape(a)
  b = f32[4,9,48]{2,1,0} broadcast(w), dimensions={2}
  m = f32[4,9,48]{2,1,0} multiply(x, b)
  y = f32[4,9,16]{2,1,0} reshape(c)
  ROOT d = f32[48,16]{1,0} dot(m, y), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}`,
		"reshape reshape broadcast{2,3} multiply reshape dot{0,1}{0,1}"}, // what is summed up is not the same
	{"", `
  a = f32[4,9,6,8]{3,2,1,0} parameter(0)
  w = f32[48]{0} parameter(1)
  c = f32[4,9,16]{2,1,0} parameter(2)
  x = f32[4,9,48]{2,1,0} reshape(a)
  b = f32[4,9,48]{2,1,0} broadcast(w), dimensions={2}
  m = f32[4,9,48]{2,1,0} multiply(x, b)
  ROOT d = f32[48,16]{1,0} dot(m, c), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}`,
		"reshape broadcast{2} multiply dot{0,1}{0,1}"},
	{"hoisted", `
  a = f32[36,48]{1,0} parameter(0)
  c = f32[36,16]{1,0} parameter(1)
  x = f32[4,9,48]{2,1,0} reshape(a)
  y = f32[4,9,16]{2,1,0} reshape(c)
  ROOT d = f32[48,16]{1,0} dot(x, y), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}`, "dot{0}{0}"},
	{"sum-of-parts", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,3]{1,0} parameter(1)
  c = f32[4,9]{1,0} concatenate(a, b), dimensions={1}
  z = f32[] constant(0)
  s = f32[4]{0} reduce(c, z), dimensions={1}, to_apply=add
  ROOT r = (f32[4]{0}, f32[4,9]{1,0}) tuple(s, c)`, "concatenate{1} reduce{1} reduce{1} add tuple"},
	{"sum-of-parts", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,3]{1,0} parameter(1)
  c = f32[4,15]{1,0} concatenate(a, b, a), dimensions={1}
  z = f32[] constant(-inf)
  ROOT s = f32[4]{0} reduce(c, z), dimensions={1}, to_apply=most`, "reduce{1} reduce{1} maximum maximum"},
	{"", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,3]{1,0} parameter(1)
  c = f32[4,9]{1,0} concatenate(a, b), dimensions={1}
  z = f32[] constant(0)
  ROOT s = f32[9]{0} reduce(c, z), dimensions={0}, to_apply=add`,
		"concatenate{1} reduce{0}"}, // along what is kept
	{"joined-again", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,3]{1,0} parameter(1)
  c = f32[4,9]{1,0} concatenate(a, b), dimensions={1}
  d = f32[4,12]{1,0} concatenate(b, c), dimensions={1}
  ROOT r = (f32[4,9]{1,0}, f32[4,12]{1,0}) tuple(c, d)`, "concatenate{1} concatenate{1} tuple"},
	{"joined-copies", `
  a = f32[4,1,6]{2,1,0} parameter(0)
  ROOT c = f32[4,3,6]{2,1,0} concatenate(a, a, a), dimensions={1}`, "reshape broadcast{0,2}"},
	{"", `
  a = f32[4,1,6]{2,1,0} parameter(0)
  ROOT c = f32[4,2,6]{2,1,0} concatenate(a, a), dimensions={1}`, "concatenate{1}"}, // two copies
	{"accumulated-number", `
  o = f32[] constant(3)
  x = f32[4,20,20]{2,1,0} broadcast(o), dimensions={}
  z = f32[] constant(0)
  ROOT w = f32[4,20,20]{2,1,0} reduce-window(x, z), window={size=1x20x1 pad=0_0x19_0x0_0}, to_apply=add`,
		"iota0 broadcast add convert broadcast multiply broadcast{1}"},
	{"", `
  o = f32[] parameter(0)
  x = f32[4,20]{1,0} broadcast(o), dimensions={}
  z = f32[] constant(0)
  ROOT w = f32[4,20]{1,0} reduce-window(x, z), window={size=1x20 pad=0_0x19_0}, to_apply=add`,
		"broadcast reduce-window"}, // of what is not known
	{"shifted", `
  a = s32[4,6]{1,0} parameter(0)
  f = s32[] constant(4)
  g = s32[4,6]{1,0} broadcast(f), dimensions={}
  ROOT d = s32[4,6]{1,0} divide(a, g)`,
		"broadcast compare negate select broadcast shift-right-logical negate select"},
	{"shifted", `
  a = s32[4,6]{1,0} parameter(0)
  f = s32[] constant(4)
  g = s32[4,6]{1,0} broadcast(f), dimensions={}
  ROOT d = s32[4,6]{1,0} remainder(a, g)`, "broadcast compare negate select broadcast and negate select"},
	{"shifted", `
  a = u32[4,6]{1,0} parameter(0)
  f = u32[] constant(8)
  g = u32[4,6]{1,0} broadcast(f), dimensions={}
  d = u32[4,6]{1,0} remainder(a, g)
  e = u32[4,6]{1,0} divide(a, g)
  ROOT r = (u32[4,6]{1,0}, u32[4,6]{1,0}) tuple(d, e)`, "broadcast and broadcast shift-right-logical tuple"},
	{"", `
  a = s32[4,6]{1,0} parameter(0)
  f = s32[] constant(6)
  g = s32[4,6]{1,0} broadcast(f), dimensions={}
  ROOT d = s32[4,6]{1,0} divide(a, g)`, "broadcast divide"}, // by no power of two
	{"power", `
  a = f32[4,6]{1,0} parameter(0)
  t = f32[] constant(2)
  u = f32[4,6]{1,0} broadcast(t), dimensions={}
  b = f32[4,6]{1,0} power(a, u)
  m = f32[] constant(-1)
  n = f32[4,6]{1,0} broadcast(m), dimensions={}
  c = f32[4,6]{1,0} power(a, n)
  h = f32[] constant(3)
  i = f32[4,6]{1,0} broadcast(h), dimensions={}
  d = f32[4,6]{1,0} power(a, i)
  ROOT r = (f32[4,6]{1,0}, f32[4,6]{1,0}, f32[4,6]{1,0}) tuple(b, c, d)`,
		"multiply broadcast divide multiply tuple"},
	{"", `
  a = f32[4,6]{1,0} parameter(0)
  h = f32[] constant(0.5)
  i = f32[4,6]{1,0} broadcast(h), dimensions={}
  ROOT d = f32[4,6]{1,0} power(a, i)`, "broadcast power"},
	{"quotient", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,6]{1,0} parameter(1)
  c = f32[4,6]{1,0} parameter(2)
  p = f32[4,6]{1,0} power(b, c)
  ROOT d = f32[4,6]{1,0} divide(a, p)`, "negate power multiply"},
	{"itself", `
  a = f32[4,6]{1,0} parameter(0)
  e = f32[4,6]{1,0} sine(a)
  b = f32[4,6]{1,0} negate(e)
  c = f32[4,6]{1,0} negate(b)
  d = f32[4,6]{1,0} maximum(c, e)
  f = f32[4,6]{1,0} abs(d)
  ROOT g = f32[4,6]{1,0} abs(f)`, "sine abs"},
	{"itself", `
  a = s32[4,6]{1,0} parameter(0)
  b = s32[4,6]{1,0} subtract(a, a)
  c = pred[4,6]{1,0} compare(a, a), direction=GE
  ROOT r = (s32[4,6]{1,0}, pred[4,6]{1,0}) tuple(b, c)`, "broadcast broadcast tuple"},
	{"", `
  a = f32[4,6]{1,0} parameter(0)
  c = pred[4,6]{1,0} compare(a, a), direction=EQ
  b = f32[4,6]{1,0} subtract(a, a)
  ROOT r = (f32[4,6]{1,0}, pred[4,6]{1,0}) tuple(b, c)`, "compare subtract tuple"}, // may be not a number
	{"itself", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,6]{1,0} reverse(a), dimensions={1}
  c = f32[4,6]{1,0} reverse(b), dimensions={1}
  d = f32[4,6]{1,0} reverse(c), dimensions={0}
  ROOT e = f32[4,6]{1,0} exponential(d)`, "reverse{0} exponential"},
	{"predicate", `
  a = pred[4,6]{1,0} parameter(0)
  t = pred[] constant(true)
  u = pred[4,6]{1,0} broadcast(t), dimensions={}
  f = pred[] constant(false)
  g = pred[4,6]{1,0} broadcast(f), dimensions={}
  b = pred[4,6]{1,0} compare(a, u), direction=EQ
  c = pred[4,6]{1,0} compare(g, b), direction=NE
  d = pred[4,6]{1,0} xor(c, g)
  ROOT e = pred[4,6]{1,0} compare(d, u), direction=NE`, "broadcast compare"},
	{"counted", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,6]{1,0} abs(a)
  z = f32[] constant(0)
  y = f32[4,6]{1,0} broadcast(z), dimensions={}
  ROOT c = pred[4,6]{1,0} compare(b, y), direction=LT`, "broadcast"},
	{"", `
  a = f32[4,6]{1,0} parameter(0)
  z = f32[] constant(0)
  y = f32[4,6]{1,0} broadcast(z), dimensions={}
  ROOT c = pred[4,6]{1,0} compare(a, y), direction=LT`, "broadcast compare"},
	{"counted", `
  a = u32[4,6]{1,0} parameter(0)
  z = u32[] constant(0)
  y = u32[4,6]{1,0} broadcast(z), dimensions={}
  b = pred[4,6]{1,0} compare(a, y), direction=LT
  c = pred[4,6]{1,0} compare(y, a), direction=LE
  ROOT r = (pred[4,6]{1,0}, pred[4,6]{1,0}) tuple(b, c)`, "broadcast broadcast tuple"},
	{"sum-of-broadcast", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,5,6]{2,1,0} broadcast(a), dimensions={0,2}
  z = f32[] constant(0)
  ROOT s = f32[4,6]{1,0} reduce(b, z), dimensions={1}, to_apply=add`, "broadcast multiply"},
	{"sum-of-broadcast", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,5,6]{2,1,0} broadcast(a), dimensions={0,2}
  z = f32[] constant(-inf)
  ROOT s = f32[4,5]{1,0} reduce(b, z), dimensions={2}, to_apply=most`, "reduce{1} broadcast{0}"},
	{"", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,5,6]{2,1,0} broadcast(a), dimensions={0,2}
  z = f32[] constant(0)
  ROOT s = f32[4]{0} reduce(b, z), dimensions={1,2}, to_apply=add`,
		"broadcast{0,2} reduce{1,2}"}, // some that it has and some that it has not
	{"", `
  a = f32[4,6]{1,0} parameter(0)
  b = f32[4,5,6]{2,1,0} broadcast(a), dimensions={0,2}
  z = f32[] constant(-inf)
  ROOT s = f32[4,6]{1,0} reduce(b, z), dimensions={1}, to_apply=most`,
		"broadcast{0,2} reduce{1}"}, // a maximum of what is the same
	{"unit-broadcast", `
  a = f32[3,1,4]{2,1,0} parameter(0)
  c = f32[5,3,1,4]{3,2,1,0} parameter(1)
  b = f32[5,3,1,4]{3,2,1,0} broadcast(a), dimensions={1,2,3}
  ROOT m = f32[5,3,1,4]{3,2,1,0} multiply(b, c)`, "reshape broadcast{1,3} multiply"},
	{"number", `
  a = f32[4,6]{1,0} parameter(0)
  x = f32[] constant(-2.5)
  y = f32[] floor(x)
  i = f32[] sign(y)
  e = f32[] exponential(i)
  n = f32[] constant(2)
  p = f32[] power(e, n)
  k = pred[] is-finite(p)
  j = pred[] not(k)
  g = f32[] select(j, x, p)
  b = f32[4,6]{1,0} broadcast(g), dimensions={}
  ROOT m = f32[4,6]{1,0} multiply(a, b)`, "broadcast multiply"},
	{"number", `
  a = s32[4,6]{1,0} parameter(0)
  x = s32[] constant(-7)
  y = s32[] constant(2)
  q = s32[] divide(x, y)
  r = s32[] remainder(x, y)
  s = s32[] add(q, r)
  b = s32[4,6]{1,0} broadcast(s), dimensions={}
  ROOT m = s32[4,6]{1,0} multiply(a, b)`, "broadcast multiply"},
	{"one-number", `
  a = s32[4,6]{1,0} parameter(0)
  x = s32[] constant(2)
  y = s32[] constant(5)
  b = s32[4,6]{1,0} broadcast(x), dimensions={}
  c = s32[4,6]{1,0} broadcast(y), dimensions={}
  d = s32[4,6]{1,0} subtract(a, b)
  e = s32[4,6]{1,0} add(c, d)
  f = s32[4,6]{1,0} multiply(e, c)
  ROOT g = s32[4,6]{1,0} multiply(b, f)`, "broadcast add broadcast multiply"},
	{"", `
  a = f32[4,6]{1,0} parameter(0)
  x = f32[] constant(2)
  y = f32[] constant(5)
  b = f32[4,6]{1,0} broadcast(x), dimensions={}
  c = f32[4,6]{1,0} broadcast(y), dimensions={}
  d = f32[4,6]{1,0} add(a, b)
  ROOT e = f32[4,6]{1,0} add(c, d)`, "broadcast broadcast add add"},
	{"hoisted", `
  p = f32[8,6]{1,0} parameter(0)
  k = f32[6,10]{1,0} parameter(1)
  v = f32[10,8]{1,0} parameter(2)
  d = f32[8,10]{1,0} dot(p, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[8,10]{1,0} exponential(d)
  t = f32[10,8]{1,0} transpose(e), dimensions={1,0}
  n = f32[10,8]{1,0} sine(t)
  u = f32[8,10]{1,0} transpose(n), dimensions={1,0}
  w = f32[10,8]{1,0} multiply(n, v)
  ROOT r = (f32[8,10]{1,0}, f32[10,8]{1,0}) tuple(u, w)`,
		"dot{1}{0} exponential sine transpose{1,0} multiply tuple"},
	{"exchanged-image", `
  a = f32[7,2,20]{2,1,0} parameter(0)
  b = f32[7,3,40]{2,1,0} parameter(1)
  ROOT c = f32[2,3,6]{2,1,0} convolution(a, b), window={size=40 stride=4 pad=20_20}, dim_labels=fb0_io0->bf0`,
		"reverse{2} convolution"},
}

const everywhere3 = "broadcast(z), dimensions={}"

// writtenAt returns an entry that writes an array into another one, at row 2 and a column.
func writtenAt(column, into string) string {
	return `
  a = f32[4,5]{1,0} parameter(0)
  z = f32[] constant(3)
  b = f32[9,14]{1,0} ` + into + `
  i = s32[] constant(2)
  j = s32[] ` + column + `
  ROOT u = f32[9,14]{1,0} dynamic-update-slice(b, a, i, j)`
}

// sliceOfUpdate returns an entry that slices what it has written into an array at row 3 and a column.
func sliceOfUpdate(column, slice string) string {
	return fmt.Sprintf(`
  a = f32[20,20]{1,0} parameter(0)
  u = f32[9,8]{1,0} slice(a), slice={[0:9], [0:8]}
  i = s32[] constant(3)
  j = s32[] %s
  d = f32[20,20]{1,0} dynamic-update-slice(a, u, i, j)
  ROOT s = f32[%s]{1,0} slice(d), slice={%s}`, column, sizesOf(slice), slice)
}

// sliceOfPad returns an entry that slices a padded array.
func sliceOfPad(padding, slice string) string {
	between := strings.Count(padding, "_") - 2 // of the columns
	return fmt.Sprintf(`
  a = f32[10,12]{1,0} parameter(0)
  z = f32[] constant(0)
  p = f32[17,%d]{1,0} pad(a, z), padding=%s
  ROOT s = f32[%s]{1,0} slice(p), slice={%s}`, 17+11*between, padding, sizesOf(slice), slice)
}

// sliceOfBroadcast returns an entry that slices a broadcast of a matrix.
func sliceOfBroadcast(slice string) string {
	return fmt.Sprintf(`
  a = f32[8,4]{1,0} parameter(0)
  b = f32[4,10,8]{2,1,0} broadcast(a), dimensions={2,0}
  ROOT s = f32[%s]{2,1,0} slice(b), slice={%s}`, sizesOf(slice), slice)
}

// sizesOf returns the dimensions of a slice.
func sizesOf(slice string) string {
	var sizes []string
	for _, r := range strings.Split(slice, ", ") {
		var from, to int
		_, _ = fmt.Sscanf(r, "[%d:%d]", &from, &to)
		sizes = append(sizes, fmt.Sprint(to-from))
	}
	return strings.Join(sizes, ",")
}

// dynamicSlice returns an entry that slices an array at a row and a column.
func dynamicSlice(row, column string) string {
	return `
  a = f32[9,14]{1,0} parameter(0)
  i = s32[] ` + row + `
  j = s32[] ` + column + `
  ROOT s = f32[2,3]{1,0} dynamic-slice(a, i, j), dynamic_slice_sizes={2,3}`
}

// dynamicSliceOf returns an entry that slices what an operation makes of an array, at a row and a column.
func dynamicSliceOf(from, opcode, array, attribute, sizes string) string {
	if attribute != "" {
		attribute = ", " + attribute
	}
	return fmt.Sprintf(`
  a = %s parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  b = %s %s(a)%s
  ROOT s = f32[%s] dynamic-slice(b, i, j), dynamic_slice_sizes={%[5]s}`, from, array, opcode, attribute, sizes)
}

// addsRows returns a scatter that adds rows of 8 numbers, the result and the operands given; the window is the last
// dimension of the updates, and so is the index of a row that of the indices.
func addsRows(result, operands string, last int) string {
	return fmt.Sprintf("\n  %s{1,0} scatter(%s), update_window_dims={%d}, inserted_window_dims={0}, "+
		"scatter_dims_to_operand_dims={0}, index_vector_dim=%[3]d, to_apply=add", result, operands, last)
}

// writtenInto returns an entry that pads an array and writes one of dims into it at a place.
func writtenInto(array, padding, dims, place string) string {
	var rows, columns int
	_, _ = fmt.Sscanf(array, "f32[%d,%d]", &rows, &columns)
	var low, high, left, right, between int
	_, _ = fmt.Sscanf(padding, "%d_%dx%d_%d_%d", &low, &high, &left, &right, &between)
	row, column, _ := strings.Cut(place, ", ")
	return fmt.Sprintf(`
  a = %s parameter(0)
  z = f32[] constant(0)
  p = f32[%d,%d]{1,0} pad(a, z), padding=%s
  u = f32[%s]{1,0} parameter(1)
  i = s32[] constant(%s)
  j = s32[] constant(%s)
  ROOT d = f32[%[2]d,%[3]d]{1,0} dynamic-update-slice(p, u, i, j)`, array, rows+low+high,
		columns+left+right+between*(columns-1), padding, dims, row, column)
}

// program returns a module with the computations that the entries call.
func program(entry string) string {
	return combinations + `most {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT m = f32[] maximum(x, y)
}

least {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT m = f32[] minimum(x, y)
}

ENTRY main {` + entry + "\n}\n"
}

// turnedTwice is a product of batches that two transposes turn: together they exchange the dimensions of its operands.
const turnedTwice = `
  a = f32[4,64,32]{2,1,0} parameter(0)
  b = f32[4,32,48]{2,1,0} parameter(1)
  d = f32[4,64,48]{2,1,0} dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, ` +
	`rhs_contracting_dims={1}
  t = f32[64,4,48]{2,0,1} transpose(d), dimensions={1,0,2}
  u = f32[4,48,64]{1,0,2} transpose(t), dimensions={1,2,0}`

// timesConstant returns the product of a parameter and four elements.
func timesConstant(t, elements string) string {
	return fmt.Sprintf(`
  x = %[1]s[4]{0} parameter(0)
  c = %[1]s[4]{0} constant(%[2]s)
  ROOT m = %[1]s[4]{0} multiply(x, c)`, t, elements)
}

func TestAlgebra(t *testing.T) {
	for _, c := range algebra {
		s := folding.Simplify(parse(t, program(c.entry)), target(t, "v5e"))
		assert.Equal(t, c.want, opcodes(s.Module), c.entry)
		assert.True(t, c.rule == "" || s.Applied[c.rule] > 0, "%s %v", c.rule, s.Applied)
		assert.Subset(t, named(), slices.Collect(maps.Keys(s.Applied)))
		checked(t, s.Module)
	}
}

// A product is multiplied before its transpose is hoisted where all dimensions of one factor are the other's, on v7x
// after that.
func TestOuterProductBeforeTransposes(t *testing.T) {
	const text = `
  x = f32[8,4]{1,0} parameter(0)
  y = f32[4,8,64]{2,1,0} parameter(1)
  b = f32[8,4,64]{2,1,0} broadcast(x), dimensions={0,1}
  e = f32[8,4,64]{2,1,0} exponential(b)
  ROOT d = f32[4,8,64]{2,1,0} dot(e, y), lhs_batch_dims={1,0,2}, rhs_batch_dims={0,1,2}, lhs_contracting_dims={}, ` +
		`rhs_contracting_dims={}`
	const hoisted, later = "exponential transpose{1,0} broadcast{0,1} multiply",
		"exponential broadcast{0,1} transpose{1,0,2} multiply"
	for generation, want := range map[string]string{"v5e": hoisted, "v6e": hoisted, "v7x": later} {
		s := folding.Simplify(parse(t, program(text)), target(t, generation))
		checked(t, s.Module)
		assert.Equal(t, want, opcodes(s.Module), generation)
	}
}

// A rule that asks whether an operand has other users is tried again where it had one that is gone: the softmax of bf16
// numbers converts a sum in f32 once its reshape has been hoisted, as in the compiler's dump.
func TestTriedAgain(t *testing.T) {
	s := folding.Survivors(parse(t, program(`
  a = bf16[4,8]{1,0} parameter(0)
  c = f32[4,8]{1,0} convert(a)
  z = f32[] constant(0)
  m = f32[4]{0} reduce(c, z), dimensions={1}, to_apply=add
  b = f32[4,1]{1,0} reshape(m)
  n = bf16[4,1]{1,0} convert(b)
  d = bf16[4]{0} reshape(n)
  w = bf16[4,8]{1,0} broadcast(d), dimensions={0}
  ROOT r = bf16[4,8]{1,0} divide(a, w)`)), target(t, "v5e"))
	assert.Equal(t, "reduce{1} broadcast{0} divide", opcodes(s.Module))
}

// All that may be computed before a reshape is so in one round, in a chain as well as side by side: there are fewer
// rounds than that.
func TestSinksInOneRound(t *testing.T) {
	const n = 20
	entry, results, shapes := `
  a = f32[4,8]{1,0} parameter(0)
  b = f32[4,8]{1,0} parameter(1)
  c0 = f32[32]{0} reshape(a)
  s = f32[32]{0} reshape(b)`, "", ""
	for i := range n {
		entry += fmt.Sprintf(`
  c%d = f32[32]{0} sine(c%d)
  x%[2]d = f32[] parameter(%[3]d)
  y%[2]d = f32[32]{0} broadcast(x%[2]d), dimensions={}
  p%[2]d = f32[32]{0} power(s, y%[2]d)`, i+1, i, i+2)
		results += fmt.Sprintf("p%d, ", i)
		shapes += "f32[32]{0}, "
	}
	entry += fmt.Sprintf("\n  ROOT all = (%sf32[32]{0}) tuple(%sc%d)", shapes, results, n)
	m := folding.Simplify(parse(t, program(entry)), target(t, "v5e")).Module
	reshapes := 0
	for _, in := range m.Entry.Instructions {
		if in.Opcode == hlo.OpReshape {
			reshapes++
			assert.Contains(t, []hlo.Opcode{hlo.OpSine, hlo.OpPower}, in.Operands[0].Opcode)
		}
	}
	assert.Equal(t, n+1, reshapes)
	checked(t, m)
}

// A slice of a slice is where the two are, each moved to be within what it slices.
func TestPlacesOfSlices(t *testing.T) {
	i := slices.IndexFunc(algebra, func(c struct{ rule, entry, want string }) bool { return c.rule == "slice-of-slice" })
	m := folding.Simplify(parse(t, program(algebra[i].entry)), target(t, "v5e")).Module
	var last []string
	for _, in := range m.Entry.Instructions {
		if in.Opcode == hlo.OpClamp {
			last = append(last, in.Operands[0].Literal()+".."+in.Operands[2].Literal())
		}
	}
	assert.Equal(t, []string{"0..4", "0..3", "0..11"}, last) // of 9 rows 5, of these 2; of 14 columns 3
}

// A product whose batches are all added up, or of one element, has no empty list of them.
func TestNoEmptyBatches(t *testing.T) {
	for _, c := range algebra {
		s := folding.Simplify(parse(t, program(c.entry)), target(t, "v5e"))
		assert.NotContains(t, printer.Print(s.Module), "batch_dims={}", c.entry)
	}
}

// A window is inside of a table of 9 rows and 14 columns where its place is within what it leaves of them.
func TestBoundsOfWindows(t *testing.T) {
	s := folding.Simplify(parse(t, program(`
  a = f32[9,14]{1,0} parameter(0)
  i = s32[1]{0} parameter(1)
  u = f32[14]{0} parameter(2)
  ROOT s = f32[9,14]{1,0} scatter(a, i, u), update_window_dims={0}, inserted_window_dims={0}, `+
		`scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=add`)), target(t, "v5e"))
	checked(t, s.Module)
	assert.Contains(t, printer.Print(s.Module), "constant({8, 0})")
}

// Slices whose place is a vector, as XLA once had them, stay.
func TestSlicesAtVectors(t *testing.T) {
	m := folding.Simplify(parse(t, program(`
  a = f32[9,14]{1,0} parameter(0)
  i = s32[2]{0} parameter(1)
  j = s32[2]{0} parameter(2)
  s = f32[5,14]{1,0} dynamic-slice(a, i), dynamic_slice_sizes={5,14}
  ROOT r = f32[2,3]{1,0} dynamic-slice(s, j), dynamic_slice_sizes={2,3}`)), target(t, "v5e")).Module
	assert.Equal(t, "dynamic-slice dynamic-slice", opcodes(m))
}

// A slice of a convolution leaves the padding that its elements read.
func TestSlicedConvolution(t *testing.T) {
	for slice, want := range map[string]string{
		"[0:11]": "{size=3 stride=2 pad=2_2}", "[1:11]": "{size=3 stride=2 pad=0_2}", "[2:9]": "{size=3 stride=2 pad=-2_-2}",
	} {
		var first, end int64
		_, err := fmt.Sscanf(slice, "[%d:%d]", &first, &end)
		assert.NoError(t, err)
		s := folding.Simplify(parse(t, program(fmt.Sprintf(`
  a = f32[16,19,4]{2,1,0} parameter(0)
  k = f32[3,4,6]{2,1,0} parameter(1)
  c = f32[16,11,6]{2,1,0} convolution(a, k), window={size=3 stride=2 pad=2_2}, dim_labels=b0f_0io->b0f
  ROOT s = f32[16,%d,6]{2,1,0} slice(c), slice={[0:16], %s, [0:6]}`, end-first, slice))), target(t, "v5e"))
		assert.Equal(t, want, s.Module.Entry.Root.Attr("window").Text, slice)
		checked(t, s.Module)
	}
}

// Products with vectors stay on v7x.
func TestVectorsOfGenerations(t *testing.T) {
	for name, want := range map[string]string{"v7x": "dot{0}{0}", "v6e": "broadcast{0} multiply reduce{0}"} {
		i := slices.IndexFunc(algebra, func(c struct{ rule, entry, want string }) bool { return c.rule == "vector-product" })
		s := folding.Simplify(parse(t, program(algebra[i].entry)), target(t, name))
		assert.Equal(t, want, opcodes(s.Module), name)
	}
}

// TestAlgebraComputesTheSame runs them, and random products, on XLA's CPU backend before and after. It skips without
// XLA.
func TestAlgebraComputesTheSame(t *testing.T) {
	programs := map[string]string{}
	for i, c := range algebra {
		programs[fmt.Sprint(i)] = program(c.entry)
	}
	products := 0
	for seed := range uint64(60) {
		text := program(randomProduct(rand.New(rand.NewPCG(seed, 1))))
		programs[fmt.Sprint("random_", seed)] = text
		if s := folding.Simplify(parse(t, text), target(t, "v5e")); !strings.Contains(opcodes(s.Module), "dot") {
			products++
		}
	}
	assert.GreaterOrEqual(t, products, 20)
	out := semantics(t, programs, "1e-5")
	topk := 7 // XLA does not parse is_stable of topk, and has no kernel for it on CPU
	assert.Equal(t, len(programs)-topk, strings.Count(out, " equal\n"), "%s", out)
}

// A window over one padded element is a broadcast of it only where each window holds it and starts with zero. XLA makes
// these broadcasts, too: its CPU backend answers a_i for the sums 0 and 1 + a_i, so it cannot be compared with.
func TestWindowsThatXLAMiscompiles(t *testing.T) {
	for _, c := range []struct{ entry, window string }{
		{`
  a = f32[5,1,6]{2,1,0} parameter(0)
  z = f32[] constant(0)
  p = f32[5,7,6]{2,1,0} pad(a, z), padding=0_0x3_3x0_0
  ROOT r = f32[5,6,6]{2,1,0} reduce-window(p, z), window={size=1x4x1 pad=0_0x1_1x0_0}, to_apply=add`,
			"size=1x4x1 pad=0_0x4_4x0_0"},
		{`
  a = f32[5,1,6]{2,1,0} parameter(0)
  z = f32[] constant(1)
  p = f32[5,7,6]{2,1,0} pad(a, z), padding=0_0x3_3x0_0
  ROOT r = f32[5,4,6]{2,1,0} reduce-window(p, z), window={size=1x4x1}, to_apply=add`,
			"size=1x4x1 pad=0_0x3_3x0_0"},
	} {
		s := folding.Simplify(parse(t, program(c.entry)), target(t, "v5e"))
		assert.Contains(t, printer.Print(s.Module), "reduce-window(a, z), window={"+c.window+"}, to_apply=add")
	}
}

// randomProduct returns an entry with a product of random dimensions in a random order.
func randomProduct(r *rand.Rand) string {
	kinds := "bbkklrr"[r.IntN(3):] // batch, contracting, of the left and of the right operand
	var dims [2][]string
	var batch, contracting [2][]int
	type dim struct {
		kind byte
		size int
		id   int
	}
	var all []dim
	for i := range r.IntN(5) {
		all = append(all, dim{kinds[r.IntN(len(kinds))], 1 + r.IntN(4), i})
	}
	at := [2]map[int]int{{}, {}}
	for side, other := range []byte{'r', 'l'} {
		for _, k := range r.Perm(len(all)) {
			if d := all[k]; d.kind != other {
				at[side][d.id] = len(dims[side])
				dims[side] = append(dims[side], fmt.Sprint(d.size))
			}
		}
	}
	var result [3][]string
	for _, d := range all {
		for side := range 2 {
			switch d.kind {
			case 'b':
				batch[side] = append(batch[side], at[side][d.id])
			case 'k':
				contracting[side] = append(contracting[side], at[side][d.id])
			}
		}
		if d.kind == 'b' {
			result[0] = append(result[0], fmt.Sprint(d.size))
		}
	}
	for side := range 2 {
		for d, size := range dims[side] {
			if !slices.Contains(batch[side], d) && !slices.Contains(contracting[side], d) {
				result[side+1] = append(result[side+1], size)
			}
		}
	}
	list := func(ns []int) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(ns), "[]"), " ", ",") }
	return fmt.Sprintf("\n  a = f32[%s] parameter(0)\n  b = f32[%s] parameter(1)\n  ROOT d = f32[%s] dot(a, b), "+
		"lhs_batch_dims={%s}, rhs_batch_dims={%s}, lhs_contracting_dims={%s}, rhs_contracting_dims={%s}",
		strings.Join(dims[0], ","), strings.Join(dims[1], ","), strings.Join(slices.Concat(result[:]...), ","),
		list(batch[0]), list(batch[1]), list(contracting[0]), list(contracting[1]))
}

// A sum that calls more than an addition stays.
func TestSumsThatStay(t *testing.T) {
	sum := slices.IndexFunc(algebra, func(c struct{ rule, entry, want string }) bool { return c.rule == "unit-sum" })
	text := strings.Replace(program(algebra[sum].entry), "add(x, y)", "subtract(x, y)", 1)
	s := folding.Simplify(parse(t, text), target(t, "v5e"))
	assert.Equal(t, hlo.OpReduce, s.Module.Entry.Root.Opcode)
}

// On v6e and v7x what is elementwise has no dimensions of one element that reshapes add.
func TestUnitsOfGenerations(t *testing.T) {
	const before = `
  y = s32[256]{0} parameter(0)
  z = s32[] constant(0)
  n = s32[] constant(128)
  r = s32[256,1]{1,0} reshape(y)
  zs = s32[256,1]{1,0} broadcast(z), dimensions={}
  ns = s32[256,1]{1,0} broadcast(n), dimensions={}`
	for _, c := range []struct{ entry, v5e, v6e string }{
		{before + `
  l = pred[256,1]{1,0} compare(r, zs), direction=LT
  a = s32[256,1]{1,0} add(r, ns)
  ROOT s = s32[256,1]{1,0} select(l, a, r)`, "reshape broadcast broadcast compare add select",
			"broadcast compare broadcast add select reshape"},
		{before + `
  x = s32[256,1]{1,0} parameter(1)
  m = s32[256,1]{1,0} multiply(r, x)
  ROOT a = s32[256,1]{1,0} add(m, r)`, "reshape multiply add", "reshape multiply add"}, // not of what no reshape adds
		{`
  q = f32[4,8,32]{2,1,0} parameter(0)
  k = f32[4,8]{1,0} parameter(1)
  r = f32[4,8,1,32]{3,2,1,0} reshape(q)
  b = f32[4,8,1,32]{3,2,1,0} broadcast(k), dimensions={0,1}
  s = f32[4,8,1,32]{3,2,1,0} subtract(r, b)
  ROOT m = f32[4,8,1,32]{3,2,1,0} multiply(s, r)`, "reshape broadcast{0,1} subtract multiply",
			"broadcast{0,1} subtract multiply reshape"},
		{`
  q = f32[4,8,32]{2,1,0} parameter(0)
  k = f32[1,32]{1,0} parameter(1)
  r = f32[4,8,1,32]{3,2,1,0} reshape(q)
  b = f32[4,8,1,32]{3,2,1,0} broadcast(k), dimensions={2,3}
  s = f32[4,8,1,32]{3,2,1,0} subtract(r, b)
  ROOT m = f32[4,8,1,32]{3,2,1,0} multiply(s, r)`, "reshape reshape broadcast{3} subtract multiply",
			"reshape broadcast{2} subtract multiply reshape"}, // once it is along no such dimension
		{`
  q = f32[1024]{0} parameter(0)
  r = f32[4,8,1,32]{3,2,1,0} reshape(q)
  ROOT m = f32[4,8,1,32]{3,2,1,0} multiply(r, r)`, "multiply reshape", "multiply reshape"},
		{`
  q = f32[1,4,64]{2,1,0} parameter(0)
  k = f32[128]{0} parameter(1)
  r = f32[1,2,128]{2,1,0} reshape(q)
  b = f32[1,2,128]{2,1,0} broadcast(k), dimensions={2}
  s = f32[1,2,128]{2,1,0} subtract(r, b)
  ROOT m = f32[1,2,128]{2,1,0} multiply(s, r)`, "reshape broadcast{2} subtract multiply",
			"reshape broadcast{1} subtract multiply reshape"},
		{`
  p = f32[1,2,128]{2,1,0} parameter(0)
  k = f32[256]{0} parameter(1)
  s = f32[1,2,128]{2,1,0} sine(p)
  c = f32[1,2,128]{2,1,0} cosine(p)
  j = f32[1,2,256]{2,1,0} concatenate(s, c), dimensions={2}
  b = f32[1,2,256]{2,1,0} broadcast(k), dimensions={2}
  ROOT a = f32[1,2,256]{2,1,0} add(j, b)`, "sine cosine concatenate{2} broadcast{2} add",
			"sine cosine reshape reshape concatenate{1} broadcast{1} add reshape"},
		{`
  p = f32[1,8]{1,0} parameter(0)
  q = f32[0,8]{1,0} parameter(1)
  j = f32[1,8]{1,0} concatenate(p, q), dimensions={0}
  ROOT n = f32[1,8]{1,0} sine(j)`, "concatenate{0} sine", "concatenate{0} sine"},
	} {
		for generation, want := range map[string]string{"v5e": c.v5e, "v6e": c.v6e, "v7x": c.v6e} {
			s := folding.Simplify(parse(t, program(c.entry)), target(t, generation))
			assert.Equal(t, want, opcodes(s.Module), "%s %s", generation, c.entry)
			checked(t, s.Module)
		}
	}
}
