package constraint

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/internal/flat"
	"hlolayout/passes/layout/internal/rule"
	"hlolayout/tpu"
)

// Computations of the program come by their numbers, then what passes made, in the order of the pipeline, each followed
// by what calls it. A case has computations of the form "NAME: what it does, what it does then", and the names of those
// with layouts in the order of the list.
func TestListed(t *testing.T) {
	for _, c := range []struct{ name, computations, want string }{
		{"second numbers decide", "region_5.2; region_0.4; region_7.3; main: call 5.2, call 0.4, call 7.3", "5.2 7.3 0.4"},
		{"first ones, where those are 0", "region_5.0; region_10.0; region_7.0; main: call 5.0, call 10.0, call 7.0",
			"5.0 7.0 10.0"},
		{"what calls a later one has been changed", "region_8.9; region_1.2: call 8.9; region_3.4; main: call 1.2, call 3.4",
			"3.4 8.9 1.2"},
		{"a pass made a reducer", "add_computation: add 1; region_1.2: reduce add_computation; region_3.4; " +
			"main: call 1.2, call 3.4", "3.4 1.2"},
		{"a pass made a loop, the condition first", "while_body; while_cond: test; region_3.4; " +
			"region_1.2.clone: element 5; main: while while_cond while_body, call 3.4, call 1.2.clone",
			"3.4 1.2.clone while_cond while_body"},
		{"elements of copied loops have numbers", "region_1.2.clone: element 9; wide.region_3.4: element 7; " +
			"region_5.6: call 1.2.clone; main: call wide.region_3.4, call 5.6", "wide.3.4 1.2.clone 5.6"},
		{"a copy comes just before its caller", "region_1.2; region_1.2.clone.1; region_3.4: call 1.2.clone.1; " +
			"region_5.6.clone: element 5; main: call 1.2, call 3.4, call 5.6.clone", "1.2 5.6.clone 1.2.clone.1 3.4"},
		{"fusions have numbers", "fused_computation; fused_computation.1; fused_computation.2; " +
			"region_1.2: fuse fused_computation, fuse fused_computation.2; region_3.4: fuse fused_computation.1; " +
			"region_5.6; main: call 1.2, call 3.4, call 5.6", "5.6 3.4 1.2"},
		{"copies before fusions", "fused_computation; add.clone: add 1; region_1.2: fuse fused_computation; " +
			"region_3.4: reduce add.clone; main: call 1.2, call 3.4", "3.4 1.2"},
		{"the last copies after fusions", "fused_computation; fused_computation.1.clone; region_1.2.clone: element 20, " +
			"fuse fused_computation.1.clone; region_3.4.clone: element 21; region_7.8.clone: element 19; " +
			"region_5.6: fuse fused_computation; main: call 1.2.clone, call 3.4.clone, call 5.6, call 7.8.clone",
			"7.8.clone 5.6 1.2.clone 3.4.clone"},
		{"adds tell the last copies, too", "add.clone: add 30; fused_computation; region_1.2.clone: element 20, add 31; " +
			"region_3.4.clone: element 19, add 29; region_5.6: fuse fused_computation, reduce add.clone; " +
			"main: call 1.2.clone, call 3.4.clone, call 5.6", "3.4.clone 5.6 1.2.clone"},
		{"and constants", "fused_computation: constant 30; region_1.2.clone: element 20, constant 31; " +
			"region_3.4.clone: element 19, constant 29; region_5.6: fuse fused_computation; " +
			"main: call 1.2.clone, call 3.4.clone, call 5.6", "3.4.clone 5.6 1.2.clone"},
		{"a reducer narrowed before loops are copied, whose constant is put into the loop", narrowed(".1..sunk.2"),
			"1.2.clone 3.4.clone"},
		{"or copied with the others", narrowed(".31"), "1.2.clone 3.4.clone"},
		{"as the last of them", narrowed(".33"), "1.2.clone 3.4.clone"},
		{"a reducer narrowed thereafter, whose constant is older", narrowed(".29"), "3.4.clone 1.2.clone"},
		{"or made with it", narrowed(".34"), "3.4.clone 1.2.clone"},
		{"a loop that calls a copy of a function", inliningLoop("inline f 61 20, inline f 81 20"), "3.4.clone 1.2.clone"},
		{"its first call is not of a copy", inliningLoop("inline f 61 20"), "1.2.clone 3.4.clone"},
		{"nor is a function of less instructions", inliningLoop("inline f 61 19, inline f 81 19"), "1.2.clone 3.4.clone"},
		{"nor one of other arrays", inliningLoop("inline f 61 20, inline f 81 20 16"), "1.2.clone 3.4.clone"},
		{"nor another one", inliningLoop("inline f 61 20, inline g 81 20"), "1.2.clone 3.4.clone"},
		{"nor what was there before loops were copied", inliningLoop("inline f 1 20, inline f 21 20"), "1.2.clone 3.4.clone"},
		{"the entry calls first", inliningLoop("inline f 61 20") + ", inline f 81 20", "3.4.clone 1.2.clone"},
		{"then what was copied first", "region_7.8.clone: element 6, inline f 81 20; region_1.2.clone: element 5, " +
			"inline f 61 20; region_3.4.clone: element 7, add 60; main: call 7.8.clone, call 1.2.clone, call 3.4.clone",
			"1.2.clone 3.4.clone 7.8.clone"},
		{"loops of the program are not copied",
			strings.ReplaceAll(inliningLoop("inline f 61 20, inline f 81 20"), "1.2.clone", "1.2"), "3.4.clone 1.2"},
		{"nor do their numbers count", "region_1.2: inline f 61 20, inline f 81 20; region_3.4: element 2, " +
			"add 60; region_5.6.clone: element 5; main: call 1.2, call 3.4, call 5.6.clone", "1.2 3.4 5.6.clone"},
		{"one whose original is there is a copy", "region_8.9: add 2; " + narrowed(".31") + ", reduce region_8.9",
			"3.4.clone 1.2.clone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, listed(t, c.computations, true, false))
		})
	}
	const late = "fused_computation; add.clone: add 1; region_3.4: reduce add.clone; " +
		"region_1.2: fuse fused_computation; main: call 1.2, call 3.4"
	assert.Equal(t, "1.2 3.4", listed(t, late, false, false))

	// Loops of a program that was simplified here have the order of the text, whatever they call, copies last.
	const loops = "largest.maximum: add 1; region_3.15: test; region_0.14: reduce largest.maximum; region_14.42: test; " +
		"region_11.41; main: while region_3.15 region_0.14, while region_14.42 region_11.41"
	assert.Equal(t, "3.15 0.14 14.42 11.41", listed(t, loops, true, true))
	assert.Equal(t, "3.15 11.41 14.42 0.14", listed(t, loops, true, false))
	twice := inliningLoop("inline f 61 20, inline f 81 20")
	assert.Equal(t, "1.2.clone 3.4.clone", listed(t, twice, true, true))
	copied := strings.NewReplacer("3.15", "3.15.clone", "0.14", "0.14.clone").Replace(loops)
	assert.Equal(t, "14.42 11.41 3.15.clone 0.14.clone", listed(t, copied, true, true))
}

// narrowed is of two copied loops; the first has constants 30 and 32, and calls a reducer from another constant.
func narrowed(constant string) string {
	return "region_8.9.clone: add 1; region_1.2.clone: element 5, constant 30, constant 32, narrow region_8.9.clone " +
		constant + "; region_3.4.clone: element 6; main: call 1.2.clone, call 3.4.clone"
}

// inliningLoop is of two copied loops, the first of which has something that was inlined.
func inliningLoop(calls string) string {
	return "region_1.2.clone: element 5, " + calls + "; region_3.4.clone: element 6, add 60; " +
		"main: call 1.2.clone, call 3.4.clone"
}

// listed returns the list of computations but for the entry, without "region_".
func listed(t *testing.T, computations string, earlyCopies, simplified bool) string {
	t.Helper()
	m, err := parser.Parse("m.hlo", moduleOf(computations))
	require.NoError(t, err)
	m.Simplified = simplified
	g, err := flat.New(m, flat.Decided)
	require.NoError(t, err)
	v5e, err := tpu.ByName("v5e")
	require.NoError(t, err)
	e := NewState(g, v5e)
	e.off[rule.EarlyCopies] = !earlyCopies
	e.listComputations()
	var names []string
	for _, ci := range e.listed[:len(e.listed)-1] {
		names = append(names, strings.Replace(g.Comps[ci].Computation.Name, "region_", "", 1))
	}
	return strings.Join(names, " ")
}

// moduleOf writes computations in short form as a module; the last one is the entry.
func moduleOf(computations string) string {
	full := func(name string) string {
		if name[0] >= '0' && name[0] <= '9' {
			return "region_" + name
		}
		return name
	}
	text := "HloModule m\n"
	list := strings.Split(computations, "; ")
	for i, c := range list {
		name, does, _ := strings.Cut(c, ": ")
		if i == len(list)-1 {
			text += "ENTRY "
		}
		scalar := strings.HasPrefix(does, "add ") && !strings.Contains(does, ",") // a reducer
		if scalar {
			text += fmt.Sprintf("%%%s {\n%%p = f32[] parameter(0)\n%%q = f32[] parameter(1)\n", name)
		} else {
			text += fmt.Sprintf("%%%s {\n%%p = f32[8] parameter(0)\n", name)
		}
		var lines []string
		for k, what := range strings.Split(does, ", ") {
			words := append(strings.Fields(what), "", "", "", "")
			switch words[0] {
			case "call":
				lines = append(lines, fmt.Sprintf("%%c%d = f32[8] call(%%p), to_apply=%%%s", k, full(words[1])))
			case "fuse":
				lines = append(lines, fmt.Sprintf("%%c%d = f32[8] fusion(%%p), kind=kCustom, calls=%%%s", k, words[1]))
			case "while":
				lines = append(lines, fmt.Sprintf("%%c%d = f32[8] while(%%p), condition=%%%s, body=%%%s", k, words[1], words[2]))
			case "reduce":
				lines = append(lines, fmt.Sprintf("%%z%d = f32[] constant(0)", k),
					fmt.Sprintf("%%c%d = f32[] reduce(%%p, %%z%d), dimensions={0}, to_apply=%%%s", k, k, words[1]))
			case "constant":
				lines = append(lines, fmt.Sprintf("%%constant.%s = f32[] constant(1)", words[1]))
			case "narrow":
				lines = append(lines, fmt.Sprintf("%%constant%s = f32[] constant(0)", words[2]),
					fmt.Sprintf("%%reduce.%d = f32[] reduce(%%p, %%constant%s), dimensions={0}, to_apply=%%%s", k, words[2], words[1]))
			case "element":
				lines = append(lines, fmt.Sprintf("%%t%d = (f32[8]) tuple(%%p)", k),
					fmt.Sprintf("%%get-tuple-element.%s = f32[8] get-tuple-element(%%t%d), index=0", words[1], k))
			case "add":
				if scalar {
					lines = append(lines, fmt.Sprintf("ROOT %%add.%s = f32[] add(%%p, %%q)", words[1]))
				} else {
					lines = append(lines, fmt.Sprintf("%%add.%s = f32[8] add(%%p, %%p)", words[1]))
				}
			case "inline":
				size := cmp.Or(words[4], "8")
				at, _ := strconv.Atoi(words[2])
				count, _ := strconv.Atoi(words[3])
				lines = append(lines, fmt.Sprintf("%%i%d = f32[%s] constant({...})", k, size))
				for i := range count {
					lines = append(lines, fmt.Sprintf(`%%add.%d = f32[%s] add(%%i%d, %%i%d), `+
						`metadata={op_name="jit(m)/while/body/jit(%s)/add" stack_frame_id=%d}`, at+i, size, k, k, words[1], k))
				}
			case "test":
				lines = append(lines, "ROOT %true = pred[] constant(true)")
			}
		}
		if !strings.Contains(strings.Join(lines, ""), "ROOT") {
			lines = append(lines, "ROOT %result = f32[8] negate(%p)")
		}
		text += strings.Join(lines, "\n") + "\n}\n"
	}
	return text
}
