package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/internal/flat"
	"hlolayout/tpu"
)

// The compiler's log lists the users of the first value so (v5e). What follows a name was inlined from calls.
func TestUsersOfCalls(t *testing.T) {
	for _, c := range []struct{ value, users, want string }{
		{"dot.1", "tan.0:f exp.0:f sin.0:f", "sin.0 tan.0 exp.0"},
		{"dot.1", "tan.0:f exp.0:f sin.0:f cos.1", "sin.0 cos.1 tan.0 exp.0"},
		{"dot.1", "tan.0:f exp.0:f sin.0:f cos.1 tanh.1", "sin.0 cos.1 tanh.1 tan.0 exp.0"},
		{"dot.1", "cos.0:g tan.1:g/f exp.2:g/f sin.2:g/f tanh.0:g", "tanh.0 cos.0 tan.1 exp.2 sin.2"},
		{"dot.0:f", "cos.1 sin.1 exp.1", "cos.1 sin.1 exp.1"},
		{"tan.0:f", "sin.1 exp.1 cos.0:f", "cos.0 sin.1 exp.1"},
		{"negate.1", "exp.0:f sin.0:f", "exp.0 sin.0"}, // the compiler's name
		{"main.0 dot.1", "exp.1:f sin.1:f", "exp.1 sin.1"},
		{"main.7.sunk dot.1", "exp.1:f sin.1:f", "exp.1 sin.1"},             // made anew
		{"sub.1", "square.0:_var mul.1 mul.2:_var", "mul.1 square.0 mul.2"}, // jnp.var subtracts the same
		{"sub.1", "square.0:_var/f mul.1 mul.2:_var", "mul.1 square.0 mul.2"},
		{"sub.1", "square.0:f mul.1 mul.2:f", "mul.2 mul.1 square.0"},
		{"neg.1", "square.0:_var mul.1 mul.2:_var", "mul.2 mul.1 square.0"},
		{"main.0 reshape.1", "slice.8:f slice.9:f", "slice.9 slice.8"},
		{"main.0 reshape.1", "slice.1:f slice.9:f", "slice.1 slice.9"},
		{"main.0 reshape.1", "slice.8:f sin.9:f", "slice.8 sin.9"},
	} {
		entry, defined, _ := strings.Cut(c.value, " ")
		if defined == "" {
			entry, defined = "main.7", entry
		}
		value, _, _ := strings.Cut(defined, ":")
		text := "HloModule m\n\nENTRY %" + entry + " {\n  %a = f32[8,8] parameter(0)\n" + named(defined, "%a")
		var names []string
		for _, u := range strings.Fields(c.users) {
			text += named(u, "%"+value)
			name, _, _ := strings.Cut(u, ":")
			names = append(names, "%"+name)
		}
		text += giving(names)
		assert.Equal(t, c.want, usersIn(t, text, value), c.users)
	}
}

// Where the compiler moved a transpose of the value through a call, the call's users come last, and one of them takes
// the transpose's place: the transpose has the metadata of what it stands after, in the call.
func TestUsersOfTurnedCalls(t *testing.T) {
	in := func(op string, frame int) string {
		return fmt.Sprintf(", metadata={op_name=\"jit(main)/jit(f)/%s\" stack_frame_id=%d}\n", op, frame)
	}
	for _, c := range []struct{ name, turn, want string }{
		{"transpose.9", in("neg", 2), "neg.2 neg.4 exp.3 exp.1"},
		{"transpose.9", in("transpose", 2), "neg.4 exp.1 neg.2 exp.3"}, // the program's
		{"turn.9", in("neg", 2), "neg.4 exp.1 neg.2 exp.3"},
		{"transpose.9", in("neg", 3), "neg.4 exp.1 neg.2 exp.3"},
	} {
		text := "HloModule m\n\nENTRY %main.7 {\n  %a = f32[8,8] parameter(0)\n" + named("dot.1", "%a") +
			"  %exp.1 = f32[8,8] exponential(%dot.1)" + in("exp", 2) + "  %neg.2 = f32[8,8] negate(%dot.1)" + in("neg", 2) +
			"  %tan.2 = f32[8,8] tan(%neg.2)" + in("neg", 2) +
			"  %" + c.name + " = f32[8,8] transpose(%tan.2), dimensions={1,0}" + c.turn +
			"  %exp.3 = f32[8,8] exponential(%dot.1)" + in("exp", 1) + "  %neg.4 = f32[8,8] negate(%dot.1)" + in("neg", 1) +
			"  ROOT %t = (f32[8,8], f32[8,8], f32[8,8], f32[8,8]) tuple(%exp.1, %exp.3, %neg.4, %" + c.name + ")\n}\n"
		assert.Equal(t, c.want, usersIn(t, text, "dot.1"), c.name+c.turn)
	}
}

// The users of a broadcast, as the compiler's log has them: t is transposed afterwards, with the metadata, n is not.
func TestUsersOfBroadcast(t *testing.T) {
	for _, c := range []struct{ shape, users, want string }{
		{"f32[]", "tntntn", "t.0 n.5 n.1 n.3 t.2 t.4"},
		{"f32[]", "ttnntn", "t.0 t.1 n.5 n.3 n.2 t.4"},
		{"f32[]", "tntt", "t.0 n.1 t.2 t.3"},
		{"f32[]", "ntn", "n.0 n.2 t.1"},
		{"f32[]", "tt", "t.0 t.1"},
		{"f32[8]", "ntn", "n.0 t.1 n.2"},
	} {
		text := "HloModule m\n\nENTRY %main {\n  %a = f32[8,8] parameter(0)\n  %c = " + c.shape + " parameter(1)\n" +
			"  %b = f32[8,8] broadcast(%c), dimensions={" + strings.Repeat("0", len(c.shape)-len("f32[]")) + "}\n"
		var names []string
		for i, kind := range strings.Split(c.users, "") {
			name := fmt.Sprintf("%%%s.%d", kind, i)
			text += "  " + name + " = f32[8,8] multiply(%a, %b)\n"
			if kind == "t" {
				text += fmt.Sprintf("  %%r.%d = f32[8,8] transpose(%s), dimensions={1,0}\n", i, name)
				name = fmt.Sprintf("%%r.%d", i)
			}
			names = append(names, name)
		}
		text += giving(names)
		assert.Equal(t, c.want, usersIn(t, text, "b"), c.users)
	}
}

// The first user is not taken for a copy of a later one, though its number is higher.
func TestFirstUserOfBroadcast(t *testing.T) {
	assert.Equal(t, "n.2 n.0 t.1", usersIn(t, `HloModule m

ENTRY %main {
  %a = f32[8,8] parameter(0)
  %c = f32[] parameter(1)
  %b = f32[8,8] broadcast(%c), dimensions={}
  %n.2 = f32[8,8] multiply(%a, %b)
  %t.1 = f32[8,8] multiply(%a, %b)
  %r.1 = f32[8,8] transpose(%t.1), dimensions={1,0}
  %n.0 = f32[8,8] multiply(%a, %b)
  ROOT %t = (f32[8,8], f32[8,8], f32[8,8]) tuple(%n.2, %r.1, %n.0)
}
`, "b"))
}

// A transpose that the compiler made of a dot is its last user only where the dot was not made with those around it.
func TestUsersOfDots(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"dot.2:solve", "dot.9:mean", "transpose.1 add.1"},
		{"dot.2:solve", "dot.9:solve", "add.1 transpose.1"},
		{"dot.9:mean", "dot.4:solve", "transpose.1 add.1"},
		{"dot.9:solve", "dot.4:mean", "add.1 transpose.1"},
	} {
		text := "HloModule m\n\nENTRY %main {\n  %a = f32[8,8] parameter(0)\n"
		for _, dot := range []string{c.before, "dot.3:solve", c.after} {
			name, op, _ := strings.Cut(dot, ":")
			text += "  %" + name + " = f32[8,8] dot(%a, %a), lhs_contracting_dims={1}, rhs_contracting_dims={0}, " +
				"metadata={op_name=\"jit(f)/" + op + "\"}\n"
		}
		before, _, _ := strings.Cut(c.before, ":")
		after, _, _ := strings.Cut(c.after, ":")
		text += "  %transpose.1 = f32[8,8] transpose(%dot.3), dimensions={1,0}, metadata={op_name=\"jit(f)/solve\"}\n" +
			"  %add.1 = f32[8,8] add(%dot.3, %transpose.1), metadata={op_name=\"jit(f)/div\"}\n" +
			"  ROOT %t = (f32[8,8], f32[8,8], f32[8,8]) tuple(%add.1, %" + before + ", %" + after + ")\n}\n"
		assert.Equal(t, c.want, usersIn(t, text, "dot.3"), c)
	}
}

// The gradients of biases, as the compiler's log has them: where the program adds dimensions of size 1 first, a reduce
// of these follows and becomes nothing; a reduce that the compiler made is read through a reshape after both users.
func TestUsersOfSquared(t *testing.T) {
	for _, c := range []struct{ reduces, want string }{
		{"reduce_sum.5 reduce_sum.6", "mul.1 pow.1"},
		{"reduce_sum.5 reduce_sum.7", "pow.1 mul.1"},
		{"reduce.5 reduce.6", "mul.1 pow.1"},
		{"reduce.5 reduce.6 reshaped", "pow.1 mul.1"},
	} {
		one, other, _ := strings.Cut(c.reduces, " ")
		other, reshaped, _ := strings.Cut(other, " ")
		text := "HloModule m\n\n" + sumOf("sum", "f32") + `ENTRY %main {
  %a = f32[8,8] parameter(0)
  %b = f32[8] parameter(1)
  %c = f32[] constant(0)
  %one = f32[8] reduce(%a, %c), dimensions={0}, to_apply=%sum
  %other = f32[8] reduce(%a, %c), dimensions={1}, to_apply=%sum
  %mul.1 = f32[8] multiply(%one, %b)
  %pow.1 = f32[8] multiply(%one, %one)
  %twice = f32[8] multiply(%mul.1, %b)
  %r.1 = f32[2,4] reshape(%twice)
  %r.2 = f32[2,4] reshape(%pow.1)
  ROOT %t = (f32[2,4], f32[2,4], f32[8]) tuple(%r.1, %r.2, %other)
}
`
		if reshaped == "" {
			text = strings.NewReplacer("f32[2,4]", "f32[8]", "reshape(", "negate(").Replace(text)
		}
		text = strings.NewReplacer("%one", "%"+one, "%other", "%"+other).Replace(text)
		assert.Equal(t, c.want, usersIn(t, text, one), c.reduces)
	}
}

// The gradient of a kernel, alone or as a sum, has a dimension of size 1 that reshapes of its users drop.
func TestUsersOfKernels(t *testing.T) {
	for _, c := range []struct{ kernel, sum, want string }{
		{"convolution.1", "add(%k, %k)", "exp.1 neg.1"},
		{"convolution.1", "convert(%k)", "exp.1 neg.1"},
		{"convolution-window-dilated.1", "add(%k, %a)", "exp.1 neg.1"},
		{"conv_general_dilated.1", "add(%k, %k)", "neg.1 exp.1"},
		{"convolution.1", "negate(%k)", "neg.1 exp.1"},
	} {
		text := strings.NewReplacer("%k", "%"+c.kernel).Replace(`HloModule m

ENTRY %main {
  %a = f32[1,8,8,1] parameter(0)
  %b = f32[1,1,1,1] parameter(1)
  %k = f32[1,8,8,1] convolution(%a, %b), window={size=1x1}, dim_labels=b01f_01io->b01f
  %sum = f32[1,8,8,1] ` + c.sum + `
  %neg.1 = f32[1,8,8,1] negate(%sum)
  %exp.1 = f32[1,8,8,1] exponential(%sum)
  %r.1 = f32[8,8] reshape(%neg.1)
  %r.2 = f32[8,8] reshape(%exp.1)
  ROOT %t = (f32[8,8], f32[8,8]) tuple(%r.1, %r.2)
}
`)
		assert.Equal(t, c.want, usersIn(t, text, "sum"), c.kernel+" "+c.sum)
	}
}

// What a pass left of a value's users is gone where the computation was copied since: they are numbered as in the text.
func TestUsersOfCopies(t *testing.T) {
	users := func(name string, first, second int) string {
		text := fmt.Sprintf(`HloModule m

ENTRY %%%s {
  %%a = f32[8,2] parameter(0)
  %%v = f32[8,1] slice(%%a), slice={[0:8], [0:1]}, metadata={op_name="jit(f)/v"}
  %%w = f32[8,1] negate(%%a)
  %%mul.%d = f32[8,1] multiply(%%v, %%v), metadata={op_name="jit(f)/mul"}
  %%mul.%d = f32[8,1] multiply(%%v, %%mul.%[2]d), metadata={op_name="jit(f)/mul"}
  %%mul.5 = f32[8,1] multiply(%%mul.%[3]d, %%mul.%[3]d), metadata={op_name="jit(f)/mul"}
  ROOT %%r = f32[8] reshape(%%mul.5)
}
`, name, first, second)
		return usersIn(t, text, "v")
	}
	assert.Equal(t, "mul.7 mul.6", users("main.0", 6, 7), "made after the copy")
	assert.Equal(t, "mul.3 mul.4", users("main.0", 3, 4), "copied")
	assert.Equal(t, "mul.4 mul.3", users("main.1", 3, 4), "not copied")
}

// The parts of a complex number that the compiler made are read by products in the reverse of the text, if they or the
// products were made after their computation was copied: else their numbers ascend. So are those of a program's dot.
func TestUsersOfComplexParts(t *testing.T) {
	for _, c := range []struct{ value, users, behind, want string }{
		{"subtract.1", "multiply.6 multiply.7", "multiply.5", "multiply.7 multiply.6"},
		{"subtract.3", "multiply.6 multiply.7", "multiply.8", "multiply.7 multiply.6"}, // a later part
		{"subtract.1", "multiply.6 multiply.7", "multiply.8", "multiply.6 multiply.7"},
		{"sub.1", "multiply.6 multiply.7", "multiply.5", "multiply.6 multiply.7"}, // of the program
		{"dot_general.1", "subtract.4 add.6", "multiply.5", "add.6 subtract.4"},
		{"dot_general.1", "subtract.1 add.6", "multiply.5", "subtract.1 add.6"},
		{"dot_general.1", "subtract.4 add.1", "multiply.5", "subtract.4 add.1"},
		{"dot.1", "subtract.4 add.6", "multiply.5", "subtract.4 add.6"}, // of the compiler
	} {
		text := "HloModule m\n\nENTRY %main.0 {\n  %a = f32[8,8] parameter(0)\n"
		line := func(name, operands string) {
			stem, _, _ := strings.Cut(name, ".")
			op, operation, attributes := stem, "mul", ""
			switch stem {
			case "sub":
				op, operation = "subtract", "sub"
			case "dot", "dot_general":
				op, operation, attributes = "dot", "dot_general", "lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
			}
			text += fmt.Sprintf("  %%%s = f32[8,8] %s(%s), %smetadata={op_name=\"jit(f)/%s\"}\n", name, op, operands,
				attributes, operation)
		}
		line("subtract.0", "%a, %a")
		line("add.0", "%a, %a")
		line(c.value, "%a, %a")
		users := strings.Fields(c.users)
		line(users[0], "%"+c.value+", %a")
		line(users[1], "%"+c.value+", %a")
		line(c.behind, "%"+users[0]+", %"+users[1])
		text += giving([]string{"%" + c.behind})
		assert.Equal(t, c.want, usersIn(t, text, c.value), c)
	}
}

// What the compiler reshaped for users shows that a reshape of the value was moved after them, unless it is a constant,
// which has no place in the order.
func TestUsersOfSlices(t *testing.T) {
	for _, c := range []struct{ value, beside, want string }{
		{"slice(%a), slice={[0:8], [0:8], [0:1]}", "reshape.1", "mul.2 mul.1"},
		{"slice(%a), slice={[0:8], [0:8], [0:1]}", "stack.1", "mul.1 mul.2"},
		{"constant({...})", "reshape.1", "mul.1 mul.2"},
	} {
		text := strings.ReplaceAll(`HloModule m

ENTRY %main {
  %a = f32[8,8,2] parameter(0)
  %b = f32[8,8] parameter(1)
  %v = f32[8,8,1] `+c.value+`
  %r = f32[8,8,1] reshape(%b), metadata={op_name="jit(f)/stack"}
  %mul.1 = f32[8,8,1] multiply(%v, %r)
  %neg.1 = f32[8,8,1] negate(%mul.1)
  %mul.2 = f32[8,8,1] multiply(%r, %v)
  ROOT %t = (f32[8,8,1], f32[8,8,1]) tuple(%neg.1, %mul.2)
}
`, "%r", "%"+c.beside)
		assert.Equal(t, c.want, usersIn(t, text, "v"), c.value+c.beside)
	}
}

// A call of the forward pass that also gives what the backward pass reads gave a tuple, which the last user replaced.
func TestUsersOfSeveral(t *testing.T) {
	in := func(name string) string { return `, metadata={op_name="jit(f)/` + name + `"}` }
	text := `HloModule m

ENTRY %main {
  %x = f32[9,8] parameter(0)
  %logistic.1 = f32[9,8] logistic(%x)` + in("jvp(jit(silu))/logistic") + `
  %mul.1 = f32[9,8] multiply(%x, %logistic.1)` + in("jvp(jit(silu))/mul") + `
  %tanh.1 = f32[9,8] tanh(%mul.1)` + in("jvp()/tanh") + `
  %exp.1 = f32[9,8] exponential(%mul.1)` + in("jvp()/exp") + `
  %mul.2 = f32[9,8] multiply(%tanh.1, %exp.1)` + in("jvp()/mul") + `
  ROOT %mul.3 = f32[9,8] multiply(%logistic.1, %mul.2)` + in("transpose(jvp(jit(silu)))/mul") + `
}
`
	assert.Equal(t, "exp.1 tanh.1", usersIn(t, text, "mul.1"))
	one := strings.ReplaceAll(text, "multiply(%logistic.1, %mul.2)", "multiply(%x, %mul.2)")
	assert.Equal(t, "tanh.1 exp.1", usersIn(t, one, "mul.1"))
}

// What the body of a loop carries was read by a call of the body's function alone, which the last user replaced.
func TestUsersOfCarried(t *testing.T) {
	in := func(name string) string { return `, metadata={op_name="jit(f)/while/body/closed_call/` + name + `"}` }
	text := `HloModule m

%region_0.3 {
  %arg_tuple.1 = (s32[], f32[9,8]) parameter(0)
  %get-tuple-element.2 = s32[] get-tuple-element(%arg_tuple.1), index=0
  %get-tuple-element.3 = f32[9,8] get-tuple-element(%arg_tuple.1), index=1
  %mul.1 = f32[9,8] multiply(%get-tuple-element.3, %get-tuple-element.3)` + in("mul") + `
  %slice.4 = f32[1,8] slice(%get-tuple-element.3), slice={[8:9], [0:8]}` + in("jit(_roll_static)/slice") + `
  %slice.5 = f32[8,8] slice(%get-tuple-element.3), slice={[0:8], [0:8]}` + in("jit(_roll_static)/slice") + `
  %concatenate.1 = f32[9,8] concatenate(%slice.4, %slice.5), dimensions={0}` + in("jit(_roll_static)/concatenate") + `
  %add.1 = f32[9,8] add(%mul.1, %concatenate.1)` + in("add") + `
  ROOT %tuple.1 = (s32[], f32[9,8]) tuple(%get-tuple-element.2, %add.1)
}

%region_1.4 {
  %arg_tuple.2 = (s32[], f32[9,8]) parameter(0)
  %get-tuple-element.4 = s32[] get-tuple-element(%arg_tuple.2), index=0
  %constant.1 = s32[] constant(4)
  ROOT %lt.1 = pred[] compare(%get-tuple-element.4, %constant.1), direction=LT
}

ENTRY %main {
  %a = (s32[], f32[9,8]) parameter(0)
  ROOT %while.1 = (s32[], f32[9,8]) while(%a), condition=%region_1.4, body=%region_0.3
}
`
	assert.Equal(t, "slice.5 mul.1 slice.4", usersIn(t, text, "get-tuple-element.3"))
	anew := strings.ReplaceAll(text, "region_0.3", "region_0.3.sunk.clone")
	assert.Equal(t, "mul.1 slice.4 slice.5", usersIn(t, anew, "get-tuple-element.3"))
}

// The former state of a widened loop was first read by a tuple, which the last user replaced; what came with the
// widening was not.
func TestUsersOfWidened(t *testing.T) {
	const text = `HloModule m

%wide.region_0.3.sunk.clone {
  %arg_tuple.1 = (s32[], f32[9,8], f32[9,8]) parameter(0)
  %get-tuple-element.2 = s32[] get-tuple-element(%arg_tuple.1), index=0
  %get-tuple-element.3 = f32[9,8] get-tuple-element(%arg_tuple.1), index=1
  %get-tuple-element.4 = f32[9,8] get-tuple-element(%arg_tuple.1), index=2
  %mul.1 = f32[9,8] multiply(%get-tuple-element.3, %get-tuple-element.4)
  %add.1 = f32[9,8] add(%mul.1, %get-tuple-element.4)
  %sub.1 = f32[9,8] subtract(%add.1, %get-tuple-element.3)
  ROOT %tuple.1 = (s32[], f32[9,8], f32[9,8]) tuple(%get-tuple-element.2, %sub.1, %get-tuple-element.4)
}

%region_1.4 {
  %arg_tuple.2 = (s32[], f32[9,8], f32[9,8]) parameter(0)
  %get-tuple-element.5 = s32[] get-tuple-element(%arg_tuple.2), index=0
  %constant.1 = s32[] constant(4)
  ROOT %lt.1 = pred[] compare(%get-tuple-element.5, %constant.1), direction=LT
}

ENTRY %main {
  %a = (s32[], f32[9,8], f32[9,8]) parameter(0)
  ROOT %while.1 = (s32[], f32[9,8], f32[9,8]) while(%a), condition=%region_1.4, body=%wide.region_0.3.sunk.clone
}
`
	assert.Equal(t, "sub.1 mul.1", usersIn(t, text, "get-tuple-element.3"))
	assert.Equal(t, "mul.1 add.1 tuple.1", usersIn(t, text, "get-tuple-element.4"))
	const first = "%select.1 = f32[9,8] select(%p, %zeros, %get-tuple-element.3)"
	selected := strings.NewReplacer(
		"%mul.1 =", "%p = pred[9,8] constant({...})\n  %zeros = f32[9,8] constant({...})\n  "+first+"\n  %mul.1 =",
		"multiply(%get-tuple-element.3,", "multiply(%select.1,",
		"subtract(%add.1, %get-tuple-element.3)", "subtract(%add.1, %select.1)").Replace(text)
	assert.Equal(t, "sub.1 mul.1", usersIn(t, selected, "select.1"))
}

// The indices of a scatter are compared with two bounds and multiplied, the last of which the compiler's log has first;
// the program's own comparisons are in the order of the text.
func TestUsersOfIndices(t *testing.T) {
	const text = `HloModule m

ENTRY %main {
  %a = s32[9,1] parameter(0)
  %b = s32[9,1] parameter(1)
  %v = s32[9,2] concatenate(%a, %b), dimensions={1}
  %s = s32[9,2] broadcast(%b), dimensions={0,1}
  %compare.1 = pred[9,2] compare(%s, %v), direction=LE
  %compare.2 = pred[9,2] compare(%s, %v), direction=GT
  %multiply.1 = s32[9,2] multiply(%v, %s)
  ROOT %t = (pred[9,2], pred[9,2], s32[9,2]) tuple(%compare.1, %compare.2, %multiply.1)
}
`
	assert.Equal(t, "compare.2 multiply.1 compare.1", usersIn(t, text, "v"))
	converted := strings.Replace(text, "concatenate(%a, %b), dimensions={1}", "convert(%w)", 1)
	converted = strings.Replace(converted, "  %v", "  %w = u32[9,2] parameter(2)\n  %v", 1)
	assert.Equal(t, "multiply.1 compare.1 compare.2", usersIn(t, converted, "v"))
	own := strings.Replace(text, "direction=LE", `direction=LE, metadata={op_name="jit(m)/le"}`, 1)
	assert.Equal(t, "compare.1 compare.2 multiply.1", usersIn(t, own, "v"))
	sum := strings.ReplaceAll(strings.Replace(text, "multiply(", "add(", 1), "multiply.1", "add.1")
	assert.Equal(t, "compare.1 compare.2 add.1", usersIn(t, sum, "v"))
}

// Of the columns that the compiler cuts out of the indices of a gather the last is the first user, but not of others.
func TestUsersOfColumns(t *testing.T) {
	for operation, want := range map[string]string{"gather": "slice.3 slice.1 slice.2",
		"stack": "slice.1 slice.2 slice.3"} {
		cut := func(k int) string {
			return fmt.Sprintf("  %%slice.%d = s32[9,1] slice(%%v), slice={[0:9], [%d:%d]}, "+
				"metadata={op_name=\"jit(m)/%s\"}\n", k, k-1, k, operation)
		}
		text := "HloModule m\n\nENTRY %main {\n  %a = s32[9,3] parameter(0)\n  %v = s32[9,3] negate(%a), " +
			"metadata={op_name=\"jit(m)/" + operation + "\"}\n" + cut(1) + cut(2) + cut(3) +
			giving([]string{"%slice.1", "%slice.2", "%slice.3"})
		assert.Equal(t, want, usersIn(t, text, "v"))
	}
}

// A parameter was read by the call, and a tuple that reads it does not hide its calls.
func TestUsersOfParameters(t *testing.T) {
	text := "HloModule m\n\nENTRY %main.7 {\n  %a = f32[8,8] parameter(0)\n" + named("exp.1:f", "%a") +
		named("tan.1:f", "%a") + "  ROOT %t = (f32[8,8], f32[8,8], f32[8,8]) tuple(%exp.1, %tan.1, %a)\n}\n"
	assert.Equal(t, "tan.1 t exp.1", usersIn(t, text, "a"))
}

// What puts a scatter's result in place is gone, and its last user comes first, if no call reads it.
func TestUsersOfPlacedScatters(t *testing.T) {
	for _, c := range []struct{ users, want string }{
		{"tan.1 exp.1 sin.1", "sin.1 tan.1 exp.1"},
		{"tan.1 exp.1:f sin.1", "tan.1 exp.1 sin.1"},
	} {
		text := "HloModule m\n\n" + sumOf("sum", "f32") + `%fused {
  %p = f32[8,8] parameter(0)
  %q = s32[4,1] parameter(1)
  %u = f32[4,8] parameter(2)
  ROOT %s = f32[8,8] scatter(%p, %q, %u), update_window_dims={1}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%sum
}

ENTRY %main.7 {
  %a = f32[8,8] parameter(0)
  %b = s32[4,1] parameter(1)
  %c = f32[4,8] parameter(2)
  %fusion.1 = f32[8,8] fusion(%a, %b, %c), kind=kCustom, calls=%fused
  %transpose.1 = f32[8,8] transpose(%fusion.1), dimensions={1,0}, metadata={op_name="jit(m)/scatter-add"}
`
		for _, u := range strings.Fields(c.users) {
			text += named(u, "%transpose.1")
		}
		text += "  ROOT %t = (f32[8,8], f32[8,8], f32[8,8]) tuple(%tan.1, %exp.1, %sin.1)\n}\n"
		assert.Equal(t, c.want, usersIn(t, text, "transpose.1"), c.users)
	}
}

// Of a program's own comparisons with bounds the gather, which they guard, comes first, or what reshapes its indices.
func TestUsersOfBounds(t *testing.T) {
	for _, c := range []struct{ last, want string }{
		{"reshape(%v)", "last ge.1 le.1 tan.1"},
		{`negate(%v), metadata={op_name="jit(m)/gather"}`, "last ge.1 le.1 tan.1"},
		{"negate(%v)", "tan.1 ge.1 le.1 last"},
	} {
		assert.Equal(t, c.want, usersIn(t, `HloModule m

ENTRY %main {
  %a = s32[9,1] parameter(0)
  %v = s32[9,1] negate(%a)
  %tan.1 = s32[9,1] negate(%v)
  %ge.1 = pred[9,1] compare(%v, %a), direction=GE, metadata={op_name="jit(m)/ge"}
  %le.1 = pred[9,1] compare(%v, %a), direction=LE, metadata={op_name="jit(m)/le"}
  %last = s32[9,1] `+c.last+`
  ROOT %t = (s32[9,1], pred[9,1], pred[9,1], s32[9,1]) tuple(%tan.1, %ge.1, %le.1, %last)
}
`, "v"), c.last)
	}
}

// named is an elementwise instruction with the program's name for it, after the colon the calls that it is in.
func named(name, operand string) string {
	name, calls, _ := strings.Cut(name, ":")
	kind, _, _ := strings.Cut(name, ".")
	path := "jit(m)"
	for _, call := range strings.FieldsFunc(calls, func(r rune) bool { return r == '/' }) {
		path += "/jit(" + call + ")"
	}
	op := map[string]string{"exp": "exponential", "sin": "sine", "cos": "cosine", "dot": "cholesky", "sub": "subtract",
		"square": "multiply", "mul": "multiply", "neg": "negate"}[kind]
	if op == "" {
		op = kind
	}
	if (op == "subtract" || op == "multiply") && !strings.Contains(operand, ",") {
		operand += ", %a"
	}
	bounds := map[string]string{"slice": ", slice={[0:8], [0:8]}"}[op]
	return fmt.Sprintf("  %%%s = f32[8,8] %s(%s)%s, metadata={op_name=\"%s/%s\"}\n", name, op, operand, bounds, path,
		strings.Replace(kind, "negate", "neg", 1))
}

// The first of the three dots of a product of complex numbers, as the compiler's log has its users (v7x). What is made
// twice, transposed, reads a transpose of it.
func TestUsersOfFourier(t *testing.T) {
	for _, c := range []struct{ before, dot, behind, users, want string }{
		{"add.9 dot.8", "dot.12", "dot.13", "add.7 subtract.4", "subtract.4 add.7"},
		{"add.5 dot.11", "dot.12", "dot.13", "add.7 subtract.4", "add.7 subtract.4"}, // inlined: the numbers ascend
		{"add.9 dot.8", "dot.24", "dot.10", "subtract.4 add.7 transpose.3", "transpose.3 subtract.4 add.7"},
		{"add.9 dot.58", "dot.59", "dot.60", "subtract.4 add.7 transpose.3", "subtract.4 add.7 transpose.3"}, // inlined
		{"add.9 dot.8", "dot.12", "dot.20", "transpose.3 add.7 subtract.4", "subtract.4 add.7 transpose.3"},
		{"add.9 dot.60", "dot.58", "dot.59", "transpose.3 add.7 subtract.4", "transpose.3 subtract.4 add.7"},
		{"add.9 dot.8", "dot_general.12", "dot.20", "add.7 subtract.4", "add.7 subtract.4"}, // the program's name
	} {
		const contract = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
		text := "HloModule m\n\nENTRY %main {\n  %a = f32[8,8] parameter(0)\n"
		line := func(name, operands, attributes string) {
			op, _, _ := strings.Cut(strings.ReplaceAll(name, "_general", ""), ".")
			text += fmt.Sprintf("  %%%s = f32[8,8] %s(%s), %smetadata={op_name=\"jit(f)/jit(fft)\"}\n", name, op, operands,
				attributes)
		}
		sum, first, _ := strings.Cut(c.before, " ")
		line(sum, "%a, %a", "")
		line(first, "%a, %a", contract+", ")
		line(c.dot, "%a, %a", contract+", ")
		line(c.behind, "%a, %a", contract+", ")
		var names []string
		for _, u := range strings.Fields(c.users) {
			if strings.HasPrefix(u, "transpose") {
				line(u, "%"+c.dot, "dimensions={1,0}, ")
				text += "  %r1 = f32[8,8] add(%" + u + ", %a)\n  %r2 = f32[8,8] subtract(%" + u + ", %a)\n"
			} else {
				line(u, "%"+c.dot+", %a", "")
			}
			names = append(names, "%"+u)
		}
		text += giving(names)
		assert.Equal(t, c.want, usersIn(t, text, c.dot), c.dot+": "+c.users)
	}
}

// What a transpose with a value's metadata shows, as the compiler's log has it: it was made last, unless an instruction
// reads it before the value, or the compiler made the value, too.
func TestUsersOfTurnedBack(t *testing.T) {
	const dot = "dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
	for _, c := range []struct{ value, expression, transpose, sum, want string }{
		{"sub.1", "subtract(%a, %b)", "sub", "%sub.1, %transpose.2", "add.3 transpose.2"},
		{"sub.1", "subtract(%a, %b)", "sub", "%transpose.2, %sub.1", "transpose.2 add.3"},
		{"sub.1", "subtract(%a, %b)", "transpose", "%sub.1, %transpose.2", "transpose.2 add.3"},
		{"subtract.1", "subtract(%a, %b)", "sub", "%subtract.1, %transpose.2", "transpose.2 add.3"},
		{"dot_general.1", dot, "dot_general", "%transpose.2, %dot_general.1", "add.3 transpose.2"},
	} {
		value, _, _ := strings.Cut(c.value, ".")
		value = strings.Replace(value, "subtract", "sub", 1)
		text := fmt.Sprintf(`HloModule m

ENTRY %%main {
  %%a = f32[8,8] parameter(0)
  %%b = f32[8,8] parameter(1)
  %%%s = f32[8,8] %s, metadata={op_name="jit(f)/%s"}
  %%transpose.2 = f32[8,8] transpose(%%%s), dimensions={1,0}, metadata={op_name="jit(f)/%s"}
  ROOT %%add.3 = f32[8,8] add(%s)
}
`, c.value, c.expression, value, c.value, c.transpose, c.sum)
		assert.Equal(t, c.want, usersIn(t, text, c.value), c)
	}
}

// A dot's transpose that the program has comes before a multiply with the dot's metadata, which was a dot.
func TestUsersOfScaled(t *testing.T) {
	for _, c := range []struct{ multiply, second, attributes, want string }{
		{"dot_general", "transpose", ", dimensions={1,0}", "transpose.3 multiply.2"},
		{"mul", "transpose", ", dimensions={1,0}", "multiply.2 transpose.3"},
		{"dot_general", "negate", "", "multiply.2 negate.3"},
	} {
		text := fmt.Sprintf(`HloModule m

ENTRY %%main {
  %%a = f32[8,8] parameter(0)
  %%dot_general.1 = f32[8,8] dot(%%a, %%a), lhs_contracting_dims={1}, rhs_contracting_dims={0},
      metadata={op_name="jit(f)/dot_general"}
  %%multiply.2 = f32[8,8] multiply(%%dot_general.1, %%a), metadata={op_name="jit(f)/%s"}
  %%%s.3 = f32[8,8] %[2]s(%%dot_general.1)%s, metadata={op_name="jit(f)/%[2]s"}
  ROOT %%t = (f32[8,8], f32[8,8]) tuple(%%multiply.2, %%%[2]s.3)
}
`, c.multiply, c.second, c.attributes)
		assert.Equal(t, c.want, usersIn(t, text, "dot_general.1"), c)
	}
}

// A product with the transpose that was a dot, as its sum's computation shows, comes first, the transpose last.
func TestUsersOfSummed(t *testing.T) {
	users := func(sum string) string {
		return usersIn(t, "HloModule m\n\n"+sumOf(sum, "f32")+`ENTRY %main {
  %a = f32[8,8] parameter(0)
  %zero = f32[] constant(0)
  %v = f32[8,8] sine(%a)
  %transpose.1 = f32[8,8] transpose(%v), dimensions={1,0}
  %other.2 = f32[8,8] cosine(%v)
  %product.3 = f32[8,8] multiply(%v, %transpose.1)
  %sum.4 = f32[8] reduce(%product.3, %zero), dimensions={1}, to_apply=%`+sum+`
  ROOT %t = (f32[8,8], f32[8]) tuple(%other.2, %sum.4)
}
`, "v")
	}
	assert.Equal(t, "product.3 other.2 transpose.1", users("scalar_add_computation.1"))
	assert.Equal(t, "transpose.1 other.2 product.3", users("region_0.1"), "of the program")
}

// Equal constants are merged in each function and, once its calls are inlined, in the program: in the order of the
// compiler's log, the users of a call follow each other. What is left of a max is read before the clamp that the
// compiler made of it.
func TestUsersOfConstants(t *testing.T) {
	for _, c := range []struct{ users, want string }{
		{"gt.1 max.0:relu gt.2", "gt.1 gt.2 max.0"},
		{"max.0:relu gt.1 gt.2", "max.0 gt.1 gt.2"},
		{"add.0:f mul.0:f add.1:f mul.1:f", "add.0 mul.0 add.1 mul.1"},
		{"add.0:f add.1:f mul.1:f mul.0:f", "add.0 mul.0 add.1 mul.1"}, // two calls
		{"add.0:f add.1:g mul.0:f mul.1:g", "add.0 mul.0 add.1 mul.1"},
		{"exp.4:f mul.5:f mul.3:f", "exp.4 mul.3 mul.5"}, // one call, whose instructions are numbered in its order
		{"clamp.0:clip max.1:clip", "max.1 clamp.0"},
		{"clamp.0:clip abs.1:clip", "clamp.0 abs.1"},
	} {
		text := "HloModule m\n\nENTRY %main {\n  %a = f32[8,8] parameter(0)\n  %c = f32[] constant(1)\n" +
			"  %ones = f32[8,8] broadcast(%c), dimensions={}\n"
		var names []string
		for _, u := range strings.Fields(c.users) {
			operands := "%ones, %a"
			switch u[:3] {
			case "cla":
				operands = "%ones, %a, %a"
			case "exp", "abs":
				operands = "%ones"
			}
			line := named(u, operands)
			line = strings.NewReplacer(" mul(", " multiply(", " max(", " maximum(", " gt(", " compare(", "/clamp\"",
				"/min\"").Replace(line)
			if strings.HasPrefix(u, "gt") {
				line = strings.NewReplacer("f32[8,8]", "pred[8,8]", "%a), ", "%a), direction=GT, ").Replace(line)
			}
			text += line
			name, _, _ := strings.Cut(u, ":")
			names = append(names, "%"+name)
		}
		text += giving(names)
		assert.Equal(t, c.want, usersIn(t, text, "ones"), c.users)
	}
}

// Where a product with the transpose, or a sum with it, comes of what the compiler made, it is the first user and the
// transpose the last: the product of a dot of a matrix with itself, and the sum that makes a matrix symmetric for a
// factorization.
func TestUsersWithTranspose(t *testing.T) {
	const sum = "  %s = f32[8] reduce(%m, %c), dimensions={0}, to_apply=%scalar_add_computation\n"
	const half = "  %h = f32[8,8] multiply(%m, %a)\n"
	for _, c := range []struct{ op, after, want string }{
		{"multiply", sum, "m e t"},
		{"multiply", strings.Replace(sum, "%scalar_add_computation", "%region_0.1", 1), "e t m"},
		{"multiply", "  %v = f64[8,8] convert(%m)\n" + strings.NewReplacer("f32", "f64", "%m", "%v", "%c", "%d",
			"computation", "computation.1").Replace(sum), "m e t"},
		{"multiply", "  %s = f32[8,8] negate(%m)\n", "e t m"},
		{"multiply", sum + "  %n = f32[8,8] negate(%m)\n", "e t m"},
		{"subtract", sum, "e t m"},
		{"add", half + "  %s = f32[8,8] custom-call(%h), custom_call_target=\"x\"\n", "m e t"},
		{"add", half + "  %s = f32[8,8] abs(%h)\n", "m e t"},
		{"add", half + "  %g = f32[8,8] select(%p, %h, %a)\n  %s = f32[8,8] abs(%g)\n", "m e t"},
		{"add", half + "  %g = f32[8,8] select(%p, %h, %a)\n  %s = f32[8,8] negate(%g)\n", "e t m"},
		{"add", half + "  %g = f32[8,8] add(%h, %a)\n  %s = f32[8,8] abs(%g)\n", "e t m"},
		{"add", strings.Replace(half, "multiply", "divide", 1) + "  %s = f32[8,8] abs(%h)\n", "e t m"},
		{"add", half + "  %n = f32[8,8] negate(%m)\n  %s = f32[8,8] abs(%h)\n", "e t m"},
	} {
		text := "HloModule m\n\n" + sumOf("scalar_add_computation", "f32") + sumOf("scalar_add_computation.1", "f64") +
			sumOf("region_0.1", "f32")
		text += "ENTRY %main.7 {\n  %a = f32[8,8] parameter(0)\n  %p = pred[8,8] parameter(1)\n  %c = f32[] constant(0)\n" +
			"  %d = f64[] constant(0)\n  %v.1 = f32[8,8] cholesky(%a), lower=true\n  %e = f32[8,8] exponential(%v.1)\n" +
			"  %t = f32[8,8] transpose(%v.1), dimensions={1,0}\n  %m = f32[8,8] " + c.op + "(%v.1, %t)\n" + c.after +
			"  ROOT %r = (f32[8,8]) tuple(%e)\n}\n"
		assert.Equal(t, c.want, usersIn(t, text, "v.1"), c.op+c.after)
	}
}

// usersIn returns the names of a value's users as the rules list them.
func usersIn(t *testing.T, text, value string) string {
	t.Helper()
	e := setOf(t, "test.hlo", text)
	e.orderUsers()
	in, _ := e.G.Module.Find(value)
	return userNames(e.G, e.G.Node(in))
}

// userNames returns the names of a node's users in the order of its list.
func userNames(g *flat.Graph, n flat.NodeID) string {
	var names []string
	for _, u := range g.Users(n) {
		names = append(names, g.Nodes[u.Node].In.Name)
	}
	return strings.Join(slices.Compact(names), " ")
}

// setOf is the rules of a module on v5e.
func setOf(t *testing.T, file, text string) *Set {
	t.Helper()
	m, err := parser.Parse(file, text)
	require.NoError(t, err)
	g, err := flat.New(m, flat.Decided)
	require.NoError(t, err)
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	return New(g, v5e, nil)
}

// sumOf is a computation that adds two numbers of a type.
func sumOf(name, dtype string) string {
	return "%" + name + " {\n  %x = " + dtype + "[] parameter(0)\n  %y = " + dtype + "[] parameter(1)\n  ROOT %z = " +
		dtype + "[] add(%x, %y)\n}\n\n"
}

// giving ends a computation that gives values of these names.
func giving(names []string) string {
	return "  ROOT %t = tuple(" + strings.Join(names, ", ") + ")\n}\n"
}
