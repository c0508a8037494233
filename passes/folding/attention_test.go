package folding_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
)

// attending returns a module that multiplies values by the softmax of scores along the last of three dimensions, of
// the type of the scores; made are the lines that make them.
func attending(scores, made string, rows, columns int) string {
	s, t := fmt.Sprintf("%s[2,%d,%d]{2,1,0}", scores, rows, columns), fmt.Sprintf("%s[2,%d]{1,0}", scores, rows)
	return fmt.Sprintf(`HloModule m

most {
  p = %[1]s[] parameter(0)
  q = %[1]s[] parameter(1)
  ROOT r = %[1]s[] maximum(p, q)
}

sum {
  p = %[1]s[] parameter(0)
  q = %[1]s[] parameter(1)
  ROOT r = %[1]s[] add(p, q)
}

ENTRY e {
%[4]s  v = f32[2,%[5]d,64]{2,1,0} parameter(0)
  least = %[1]s[] constant(-inf)
  zero = %[1]s[] constant(0)
  most = %[3]s reduce(s, least), dimensions={2}, to_apply=most
  b = %[2]s broadcast(most), dimensions={0,1}
  d = %[2]s subtract(s, b)
  e = %[2]s exponential(d)
  sum = %[3]s reduce(e, zero), dimensions={2}, to_apply=sum
  w = %[2]s broadcast(sum), dimensions={0,1}
  p = %[2]s divide(e, w)
  ROOT o = f32[2,%[6]d,64]{2,1,0} dot(p, v), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, `+
		`rhs_contracting_dims={1}
}
`, scores, s, t, made, columns, rows)
}

// Kernels that libtpu 0.0.51 makes of attention.
func TestAttention(t *testing.T) {
	product := func(keys, sums string) string {
		return "  q = f32[2,256,32]{2,1,0} parameter(1)\n  k = " + keys + " parameter(2)\n  s = f32[2,256,128]{2,1,0} " +
			"dot(q, k), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={" + sums + "}\n"
	}
	given := func(scores string, rows, columns int) string {
		return fmt.Sprintf("  s = %s[2,%d,%d]{2,1,0} parameter(1)\n", scores, rows, columns)
	}
	scores := attending("f32", given("f32", 256, 128), 256, 128)
	for _, c := range []struct{ name, tpu, text, want string }{
		{"scores", "v5e", scores, "custom-call(parameter parameter)"},
		{"scores", "v4", scores, ""},
		{"scores of 128 columns", "v6e", scores, ""},
		{"scores of 128 columns", "v7x", scores, ""},
		{"scores of 128 rows", "v7x", attending("f32", given("f32", 128, 256), 128, 256), ""},
		{"scores of 256 columns", "v7x", attending("f32", given("f32", 256, 256), 256, 256),
			"custom-call(parameter parameter)"},
		{"queries and keys", "v7x", attending("f32", product("f32[2,128,32]{2,1,0}", "2"), 256, 128),
			"custom-call(parameter parameter parameter)"},
		{"queries and keys", "v5e", attending("f32", product("f32[2,128,32]{2,1,0}", "2"), 256, 128),
			"custom-call(parameter parameter parameter)"},
		{"queries and keys", "v2", attending("f32", product("f32[2,128,32]{2,1,0}", "2"), 256, 128),
			"custom-call(parameter parameter parameter)"},
		{"columns of keys", "v5e", attending("f32", product("f32[2,32,128]{2,1,0}", "1"), 256, 128),
			"custom-call(parameter transpose parameter)"},
		{"few rows", "v5e", attending("f32", given("f32", 64, 128), 64, 128), ""},
		{"columns between tiles", "v5e", attending("f32", given("f32", 256, 192), 256, 192), ""},
		{"another type", "v5e", attending("bf16", given("bf16", 256, 128), 256, 128), ""},
		{"nothing subtracted", "v5e", strings.Replace(scores, "subtract(s, b)", "add(s, b)", 1), ""},
		{"the least subtracted", "v5e", strings.Replace(scores, "maximum(p, q)", "minimum(p, q)", 1), ""},
		{"two of one", "v5e", strings.Replace(scores, "maximum(p, q)", "maximum(p, p)", 1), ""},
		{"five dimensions", "v5e", attendingRank(3), "custom-call(dot parameter)"},
		{"five dimensions", "v4", attendingRank(3), ""},
		{"four dimensions", "v4", attendingRank(2), "custom-call(parameter parameter parameter)"},
		{"no batch", "v5e", attendingRank(0), "custom-call(dot parameter)"},
		{"no batch", "v4", attendingRank(0), ""},
		{"another sum", "v5e", strings.Replace(scores, "reduce(e, zero)", "reduce(d, zero)", 1), ""},
		{"exchanged operands", "v5e", strings.Replace(scores, "subtract(s, b)", "subtract(b, s)", 1), ""},
	} {
		s := folding.Simplify(parse(t, c.text), target(t, c.tpu))
		got := ""
		for _, in := range s.Module.Entry.Instructions {
			if in.Opcode == hlo.OpCustomCall {
				var from []string
				for _, o := range in.Operands {
					from = append(from, o.Opcode.String())
				}
				got += "custom-call(" + strings.Join(from, " ") + ")"
				assert.Len(t, in.Attr("operand_layout_constraints").Elems, len(in.Operands))
			}
		}
		assert.Equal(t, c.want, got, c.name+" "+c.tpu)
		checked(t, s.Module)
	}
}

// attendingRank returns attending of queries and keys with so many batch dimensions in place of one.
func attendingRank(batches int) string {
	const keys = "  q = f32[2,256,32]{2,1,0} parameter(1)\n  k = f32[2,128,32]{2,1,0} parameter(2)\n" +
		"  s = f32[2,256,128]{2,1,0} dot(q, k), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, " +
		"rhs_contracting_dims={2}\n"
	list := func(from, to int) string {
		var out []string
		for i := from; i < to; i++ {
			out = append(out, strconv.Itoa(i))
		}
		return strings.Join(out, ",")
	}
	text := layouts.ReplaceAllString(attending("f32", keys, 256, 128), "]")
	return strings.NewReplacer("f32[2,", "f32["+strings.Repeat("2,", batches),
		"batch_dims={0}", "batch_dims={"+list(0, batches)+"}",
		"dims={1}", fmt.Sprintf("dims={%d}", batches), "dims={2}", fmt.Sprintf("dims={%d}", batches+1),
		"dimensions={2}", fmt.Sprintf("dimensions={%d}", batches+1),
		"dimensions={0,1}", "dimensions={"+list(0, batches+1)+"}").Replace(text)
}

var layouts = regexp.MustCompile(`\]\{[\d,]*\}`)
