package folding_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// custom matches a custom call: what is before its name, the name, the result, the operands and the target.
var custom = regexp.MustCompile(`(?m)^( *(?:ROOT )?)%?(\S+) = (\(.*?\)|\S+) custom-call\((.*?)\)` +
	`.*custom_call_target="(\w+)".*$`)

// customFusion matches a fusion that the CPU does not have.
var customFusion = regexp.MustCompile(`\bfusion\((.*?)\), kind=kCustom, calls=([^\s,]+)`)

// kernels are what the CPU computes in place of custom calls, by target. In braces are the operands x and y; rows m and
// columns n of the result, the lesser one k, the dimensions before as they are, batch, and as one, b; and the arrays A
// of all, F of floats and I of integers by row; M and P are whether something is so, S of as many rows as columns.
var kernels = map[string]string{
	"Cholesky":                        "  ROOT {name} = f32[{batch}{m},{n}] cholesky({x}), lower=true",
	"InvertDiagBlocksLowerTriangular": inverted,
	"InvertDiagBlocksUpperTriangular": strings.Replace(inverted, "lower=true", "lower=false", 1),
	"GatherScatterIndicesBitpacked":   "  ROOT {name} = {result} copy({x})",
	"AllocateBuffer": "  {name}.nan = f32[] constant(nan)\n  ROOT {name} = {result} broadcast({name}.nan), " +
		"dimensions={}",
	"LuDecomposition":          lus,
	"LuRealDecompositionBlock": lus,
	"Qr":                       qrs,
	"QrDecompositionBlock":     qrs,
	"CompactWyHelper":          compact,
	"ProductOfElementaryHouseholderReflectors": products,
}

const eye = `  {name}.rows = s32[{m},{m}] iota(), iota_dimension=0
  {name}.columns = s32[{m},{m}] iota(), iota_dimension=1
  {name}.same = pred[{m},{m}] compare({name}.rows, {name}.columns), direction=EQ
  {name}.one = f32[{m},{m}] convert({name}.same)
  {name}.eye = f32[{batch}{m},{m}] broadcast({name}.one), dimensions={last}
`

const inverted = eye + `  ROOT {name} = f32[{batch}{m},{m}] triangular-solve({x}, {name}.eye), left_side=true, ` +
	`lower=true, transpose_a=NO_TRANSPOSE`

// lus is an LU decomposition, a column at a time.
var lus = loop(`  {name}.v1 = {A} reshape({x})
  {name}.v2 = s32[{b},{k}] broadcast({name}.zero), dimensions={}
  {name}.v3 = {I} iota(), iota_dimension=1
`, `  size = {F} abs(column)
  from = {P} compare(rows, is), direction=GE
  none = f32[] constant(-1)
  nones = {F} broadcast(none), dimensions={}
  sizes = {F} select(from, size, nones)
  top = f32[{b}] reduce(sizes, none), dimensions={1}, to_apply={name}.largest
  tops = {F} broadcast(top), dimensions={0}
  best = {P} compare(sizes, tops), direction=EQ
  end = s32[] constant({m})
  ends = {I} broadcast(end), dimensions={}
  places = {I} select(best, rows, ends)
  at = s32[{b}] reduce(places, end), dimensions={1}, to_apply={name}.least
  ats = {I} broadcast(at), dimensions={0}
  there = {P} compare(rows, ats), direction=EQ
  back = {I} select(there, is, rows)
  moved = {I} select(here, ats, back)
  taken = s32[{b},{m},{m}] broadcast(moved), dimensions={0,1}
  others = s32[{b},{m},{m}] iota(), iota_dimension=2
  hit = pred[{b},{m},{m}] compare(taken, others), direction=EQ
  orders = s32[{b},{m},{m}] broadcast(v3), dimensions={0,2}
  zeros = s32[{b},{m},{m}] broadcast(zero), dimensions={}
  picked = s32[{b},{m},{m}] select(hit, orders, zeros)
  t3 = {I} reduce(picked, zero), dimensions={2}, to_apply={name}.add
  hits = f32[{b},{m},{m}] convert(hit)
  swapped = {A} dot(hits, v1), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, `+
	`rhs_contracting_dims={1}
  steps = s32[{b},{k}] iota(), iota_dimension=1
  step = s32[{b},{k}] broadcast(j), dimensions={}
  now = pred[{b},{k}] compare(steps, step), direction=EQ
  pivot = s32[{b},{k}] broadcast(at), dimensions={0}
  t2 = s32[{b},{k}] select(now, pivot, v2)
  row1 = f32[{b},1,{n}] dynamic-slice(swapped, zero, j, zero), dynamic_slice_sizes={{b},1,{n}}
  row2 = f32[{b},{n}] reshape(row1)
  row = {A} broadcast(row2), dimensions={0,2}
  own1 = f32[{b},{m},1] dynamic-slice(swapped, zero, zero, j), dynamic_slice_sizes={{b},{m},1}
  own2 = {F} reshape(own1)
  own = {A} broadcast(own2), dimensions={0,1}
  by1 = f32[{b},1,1] dynamic-slice(swapped, zero, j, j), dynamic_slice_sizes={{b},1,1}
  by2 = f32[{b}] reshape(by1)
  by = {A} broadcast(by2), dimensions={0}
  factor = {A} divide(own, by)
  product = {A} multiply(factor, row)
  less = {A} subtract(swapped, product)
  other = {A} select(right, less, swapped)
  new = {A} select(this, factor, other)
  t1 = {A} select(below, new, swapped)
`, "{A}", "s32[{b},{k}]", "{I}")

// compact solves t (1 - u) = d, for the diagonal d of x and what is above it, u.
const compact = eye + `  {name}.diagonal = f32[{batch}{m},{m}] multiply({x}, {name}.eye)
  {name}.less = f32[{batch}{m},{m}] negate({x})
  ROOT {name} = f32[{batch}{m},{m}] triangular-solve({name}.less, {name}.diagonal), left_side=false, lower=false, ` +
	`unit_diagonal=true, transpose_a=NO_TRANSPOSE`

// products multiplies as many reflectors as there are columns, in one step: 1 + v t v*.
var products = strings.ReplaceAll(`  {name}.rows = {A} iota(), iota_dimension=1
  {name}.columns = {A} iota(), iota_dimension=2
  {name}.a = {A} reshape({x})
  {name}.y = f32[{b},{n}] reshape({y})
  {name}.under = {M} compare({name}.rows, {name}.columns), direction=GT
  {name}.same = {M} compare({name}.rows, {name}.columns), direction=EQ
  {name}.eye = {A} convert({name}.same)
  {name}.v = {A} select({name}.under, {name}.a, {name}.eye)
  {name}.gram = {S} dot({name}.v, {name}.v), {batched}, lhs_contracting_dims={1}, rhs_contracting_dims={1}
  {name}.minus = f32[{b},{n}] negate({name}.y)
  {name}.by = {S} broadcast({name}.minus), dimensions={0,2}
  {name}.scaled = {S} multiply({name}.gram, {name}.by)
  {name}.own_rows = {S} iota(), iota_dimension=1
  {name}.own_columns = {S} iota(), iota_dimension=2
  {name}.diagonal = pred[{b},{n},{n}] compare({name}.own_rows, {name}.own_columns), direction=EQ
  {name}.none = f32[] constant(0)
  {name}.nones = {S} broadcast({name}.none), dimensions={}
  {name}.d = {S} select({name}.diagonal, {name}.by, {name}.nones)
  {name}.u = {S} negate({name}.scaled)
  {name}.t = {S} triangular-solve({name}.u, {name}.d), left_side=false, lower=false, unit_diagonal=true, `+
	`transpose_a=NO_TRANSPOSE
  {name}.tops = {S} slice({name}.v), slice={[0:{b}], [0:{n}], [0:{n}]}
  {name}.tv = {S} dot({name}.t, {name}.tops), {batched}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  {name}.vtv = {A} dot({name}.v, {name}.tv), {batched}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  {name}.q = {A} add({name}.eye, {name}.vtv)
  ROOT {name} = f32[{batch}{m},{n}] reshape({name}.q)`, "{batched}", "lhs_batch_dims={0}, rhs_batch_dims={0}")

// qrs is a QR decomposition, a column at a time.
var qrs = loop(`  {name}.v1 = {A} reshape({x})
  {name}.none = f32[] constant(0)
  {name}.v2 = f32[{b},{k}] broadcast({name}.none), dimensions={}
`, `  one_f = f32[] constant(1)
  none = f32[] constant(0)
  nones = {F} broadcast(none), dimensions={}
  under = {P} compare(rows, is), direction=GT
  rest = {F} select(under, column, nones)
  squares = {F} multiply(rest, rest)
  sigma = f32[{b}] reduce(squares, none), dimensions={1}, to_apply={name}.sum
  own = {F} select(here, column, nones)
  alpha = f32[{b}] reduce(own, none), dimensions={1}, to_apply={name}.sum
  square = f32[{b}] multiply(alpha, alpha)
  length2 = f32[{b}] add(square, sigma)
  length = f32[{b}] sqrt(length2)
  less = f32[{b}] negate(length)
  zeros = f32[{b}] broadcast(none), dimensions={}
  positive = pred[{b}] compare(alpha, zeros), direction=GE
  signed = f32[{b}] select(positive, less, length)
  last = pred[{b}] compare(sigma, zeros), direction=EQ
  beta = f32[{b}] select(last, alpha, signed)
  change = f32[{b}] subtract(beta, alpha)
  tau = f32[{b}] divide(change, beta)
  back = f32[{b}] subtract(alpha, signed)
  backs = {F} broadcast(back), dimensions={0}
  ratio = {F} divide(rest, backs)
  ones = {F} broadcast(one_f), dimensions={}
  v = {F} select(here, ones, ratio)
`+reflected+`  kept = {A} select(right, reflected, v1)
  betas = {A} broadcast(beta), dimensions={0}
  new = {A} select(below, vs, betas)
  at_or_below1 = pred[{b},{m},{n}] compare(all_rows, all_is), direction=GE
  replaced = pred[{b},{m},{n}] and(this, at_or_below1)
  t1 = {A} select(replaced, new, kept)
  steps = s32[{b},{k}] iota(), iota_dimension=1
  step = s32[{b},{k}] broadcast(j), dimensions={}
  now = pred[{b},{k}] compare(steps, step), direction=EQ
  factor = f32[{b},{k}] broadcast(tau), dimensions={0}
  t2 = f32[{b},{k}] select(now, factor, v2)
`, "{A}", "f32[{b},{k}]")

// reflected is v1 reflected at v, with the factor tau.
const reflected = `  along = f32[{b},{n}] dot(v, v1), lhs_batch_dims={0}, rhs_batch_dims={0}, ` +
	`lhs_contracting_dims={1}, rhs_contracting_dims={1}
  vs = {A} broadcast(v), dimensions={0,1}
  alongs = {A} broadcast(along), dimensions={0,2}
  parts = {A} multiply(vs, alongs)
  taus = {A} broadcast(tau), dimensions={0}
  part = {A} multiply(parts, taus)
  reflected = {A} subtract(v1, part)
`

// loop returns the lines of a loop over k steps, which go on from v1 and so on to t1. The results are all of them.
func loop(before, step string, state ...string) string {
	all := "(s32[], " + strings.Join(state, ", ") + ")"
	var text, body, results, first, next, last strings.Builder
	for i, s := range state {
		result := strings.NewReplacer("{A}", "f32[{batch}{m},{n}]", "{I}", "s32[{batch}{m}]", "{b},", "{batch}").Replace(s)
		fmt.Fprintf(&first, ", {name}.v%d", i+1)
		fmt.Fprintf(&next, ", t%d", i+1)
		fmt.Fprintf(&last, ", {name}.r%d", i+1)
		fmt.Fprintf(&results, ", %s", result)
		fmt.Fprintf(&body, "  v%d = %s get-tuple-element(p), index=%[1]d\n", i+1, s)
		fmt.Fprintf(&text, "  {name}.e%d = %s get-tuple-element({name}.all), index=%[1]d\n", i+1, s)
		fmt.Fprintf(&text, "  {name}.r%d = %s reshape({name}.e%[1]d)\n", i+1, result)
	}
	return "  {name}.zero = s32[] constant(0)\n" + before +
		"  {name}.first = " + all + " tuple({name}.zero" + first.String() + ")\n" +
		"  {name}.all = " + all + " while({name}.first), condition={name}.more, body={name}.step\n" + text.String() +
		"  ROOT {name} = (" + results.String()[2:] + ") tuple(" + last.String()[2:] + ")\n" +
		combined("largest", "f32", "maximum") + combined("least", "s32", "minimum") + combined("add", "s32", "add") +
		combined("sum", "f32", "add") + "{name}.more {\n  p = " + all + ` parameter(0)
  i = s32[] get-tuple-element(p), index=0
  k = s32[] constant({k})
  ROOT c = pred[] compare(i, k), direction=LT
}
{name}.step {
` + "  p = " + all + ` parameter(0)
  i = s32[] get-tuple-element(p), index=0
` + body.String() + `  zero = s32[] constant(0)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  j = s32[] add(i, zero)
  column1 = f32[{b},{m},1] dynamic-slice(v1, zero, zero, j), dynamic_slice_sizes={{b},{m},1}
  column = {F} reshape(column1)
  rows = {I} iota(), iota_dimension=1
  is = {I} broadcast(j), dimensions={}
  here = {P} compare(rows, is), direction=EQ
  all_rows = s32[{b},{m},{n}] iota(), iota_dimension=1
  all_columns = s32[{b},{m},{n}] iota(), iota_dimension=2
  all_is = s32[{b},{m},{n}] broadcast(j), dimensions={}
  below = pred[{b},{m},{n}] compare(all_rows, all_is), direction=GT
  right = pred[{b},{m},{n}] compare(all_columns, all_is), direction=GT
  this = pred[{b},{m},{n}] compare(all_columns, all_is), direction=EQ
` + step + "  ROOT r = " + all + " tuple(next" + next.String() + ")\n}\n"
}

// combined returns a computation that combines two numbers.
func combined(name, t, op string) string {
	return fmt.Sprintf(`{name}.%s {
  x = %[2]s[] parameter(0)
  y = %[2]s[] parameter(1)
  ROOT r = %[2]s[] %[3]s(x, y)
}
`, name, t, op)
}

// takenApart matches the custom calls that take complex numbers apart: operands and target.
var takenApart = regexp.MustCompile(`custom-call(\([^)]*\)), custom_call_target=("X64\w+")`)

// onCPU replaces custom calls by operations that compute the same, which the CPU has.
func onCPU(text string) string {
	called := ""
	text = custom.ReplaceAllStringFunc(text, func(line string) string {
		m := custom.FindStringSubmatch(line)
		if kernels[m[5]] == "" {
			return line
		}
		lines, loops, _ := strings.Cut(written(kernels[m[5]], m[2], m[3], m[4]), "\n"+m[2]+".")
		if loops != "" {
			called = m[2] + "." + loops + called
		}
		return strings.Replace(lines, "  ROOT ", m[1], 1)
	})
	text = customFusion.ReplaceAllString(text, "call($1), to_apply=$2")
	text = takenApart.ReplaceAllStringFunc(text, func(call string) string {
		m := takenApart.FindStringSubmatch(call)
		return taken[m[2]] + m[1]
	})
	header, rest, _ := strings.Cut(text, "\n")
	return header + "\n" + called + rest
}

// written returns the text of a kernel with what is in braces.
func written(kernel, name, result, operands string) string {
	dims := strings.Split(regexp.MustCompile(`\[([\d,]+)\]`).FindStringSubmatch(result)[1], ",")
	rank, b, batch := len(dims), 1, ""
	size := func(d int) int { n, _ := strconv.Atoi(dims[d]); return n }
	for d := range rank - 2 {
		b, batch = b*size(d), batch+dims[d]+","
	}
	x, y, _ := strings.Cut(operands, ", ")
	arrays := strings.NewReplacer("{A}", "f32[{b},{m},{n}]", "{F}", "f32[{b},{m}]", "{I}", "s32[{b},{m}]",
		"{P}", "pred[{b},{m}]",
		"{S}", "f32[{b},{n},{n}]", "{M}", "pred[{b},{m},{n}]").Replace(kernel)
	return strings.NewReplacer("{name}", name, "{result}", result, "{x}", x, "{y}", y, "{batch}", batch,
		"{b}", fmt.Sprint(b),
		"{m}", dims[rank-2], "{n}", dims[rank-1], "{k}", fmt.Sprint(min(size(rank-2), size(rank-1))),
		"{last}", fmt.Sprintf("{%d,%d}", rank-2, rank-1)).Replace(arrays)
}
