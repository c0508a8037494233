package memory_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/passes/check"
)

// schedule returns a scheduled module around the entry's lines.
func schedule(computations string, lines ...string) string {
	return "HloModule m, is_scheduled=true\n\n" + computations + "ENTRY %main {\n  " + strings.Join(lines, "\n  ") +
		"\n}\n"
}

// spacesOf assigns spaces and returns S(n) of the results named, one digit for each array of a result: "0" for HBM.
func spacesOf(t *testing.T, generation, text string, names ...string) (out []string) {
	t.Helper()
	m := parse(t, text)
	assign(t, m, target(t, generation))
	require.Empty(t, verify.Module(m))
	for _, e := range check.Module(m, target(t, generation)) {
		require.Equal(t, "LAY103", e.Code, e.Msg) // the texts have the tiles of v4 and later
	}
	for _, name := range names {
		digits := ""
		for _, c := range m.Computations {
			for _, in := range c.Instructions {
				if in.Name == name {
					in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) {
						if s.IsArray() {
							digits += string(rune('0' + space(s)))
						}
					})
				}
			}
		}
		out = append(out, digits)
	}
	return out
}

const comparator = `%greater {
  %a = s32[]{:T(128)} parameter(0)
  %b = s32[]{:T(128)} parameter(1)
  %unused.1 = s32[]{:T(128)} parameter(2)
  %unused.2 = s32[]{:T(128)} parameter(3)
  %one = s32[]{:T(128)} constant(1)
  %x = s32[]{:T(128)} xor(%a, %one)
  %dead = s32[]{:T(128)} xor(%b, %one)
  %cast = s32[1]{0:T(128)} bitcast(%x)
  %y = s32[]{:T(128)} xor(%b, %one)
  %w = s32[8]{0:T(128)} broadcast(%y), dimensions={}
  ROOT %r = pred[]{:T(512)} compare(%y, %b), direction=GT
}

`

// Spaces that do not depend on room: the sync flags of what runs asynchronously, and what the scalar unit computes.
func TestColours(t *testing.T) {
	topk := schedule(comparator, "%p = s32[2,100]{1,0:T(2,128)} parameter(0)", "%q = s32[2,100]{1,0:T(2,128)} negate(%p)",
		`ROOT %k = (s32[2,8]{1,0:T(2,128)}, s32[2,8]{1,0:T(2,128)}) custom-call(%p, %q), `+
			`custom_call_target="TopK", called_computations={%greater}`)
	callback := schedule("", "%token = token[] after-all()", "%p = s32[]{:T(128)} parameter(0)",
		"%send = (s32[]{:T(128)}, u32[]{:T(128)}, token[]) send(%p, %token), channel_id=1, is_host_transfer=true",
		"%sent = token[] send-done(%send), channel_id=1, is_host_transfer=true",
		"%recv = (s32[]{:T(128)}, u32[]{:T(128)}, token[]) recv(%sent), channel_id=2, is_host_transfer=true",
		"%got = (s32[]{:T(128)}, token[]) recv-done(%recv), channel_id=2, is_host_transfer=true",
		"ROOT %r = s32[]{:T(128)} get-tuple-element(%got), index=0")
	permute := schedule("", "%p = f32[16,128]{1,0:T(8,128)} parameter(0)",
		"%start = (f32[16,128]{1,0:T(8,128)}, f32[16,128]{1,0:T(8,128)}, u32[], u32[]) collective-permute-start(%p), "+
			"channel_id=1, source_target_pairs={{0,1}}",
		"ROOT %done = f32[16,128]{1,0:T(8,128)} collective-permute-done(%start)")
	scalars := schedule("", "%p = s32[]{:T(128)} parameter(0)", "%v = s32[4]{0:T(128)} parameter(1)",
		"%one = s32[]{:T(128)} constant(1)",
		"%read = s32[]{:T(128)} add(%p, %one)", "%named = s32[]{:T(128)} add(%read, %one)", "%bitcast = s32[1]{0:T(128)} "+
			"bitcast(%named)", "%plain = s32[] constant(3)", "%tiled = s32[]{:T(128)} reshape(%plain)",
		"%cut = s32[1]{0:T(128)} slice(%v), slice={[0:1]}", "%vector = s32[4]{0:T(128)} broadcast(%read), dimensions={}",
		"%given = s32[]{:T(128)} add(%read, %tiled)", "%last = s32[]{:T(128)} add(%given, %read)", "%use = s32[1]{0:T(128)} "+
			"add(%bitcast, %cut)",
		"ROOT %t = (s32[]{:T(128)}, s32[4]{0:T(128)}, s32[1]{0:T(128)}) tuple(%last, %vector, %use)")
	updated := schedule("", "%p = s32[1]{0:T(128)} parameter(0)", "%i = s32[]{:T(128)} parameter(1)",
		"%table = s32[1]{0:T(128)} negate(%p)", "%update = s32[1]{0:T(128)} negate(%p)",
		"%set = s32[1]{0:T(128)} dynamic-update-slice(%table, %update, %i)",
		"%x = s32[1]{0:T(128)} negate(%p)", "%cut = s32[1]{0:T(128)} slice(%x), slice={[0:1]}",
		"%sum = s32[1]{0:T(128)} add(%cut, %cut)",
		"ROOT %t = (s32[1]{0:T(128)}, s32[1]{0:T(128)}) tuple(%set, %sum)")
	reduced := schedule("%sum {\n  %q = f32[] parameter(0)\n  %z = f32[] parameter(1)\n  ROOT %s = f32[] add(%q, %z)\n"+
		"}\n\n",
		"%p = f32[256,1024]{1,0:T(8,128)} parameter(0)", "%zero = f32[]{:T(128)} constant(0)",
		"%n = f32[256,1024]{1,0:T(8,128)} negate(%p)",
		"ROOT %r = f32[256]{0:T(256)} reduce(%n, %zero), dimensions={1}, to_apply=%sum")
	for _, c := range []struct {
		name, generation, text string
		names                  []string
		want                   []string
	}{
		{"a comparator's scalars are in SMEM but for its parameters, its result, what a bitcast renames and what nothing " +
			"reads", "v5e", topk,
			[]string{"a", "x", "y", "dead", "cast", "w", "r"}, []string{"0", "0", "6", "0", "0", "0", "0"}},
		{"so on a generation without a fast space", "v2", topk, []string{"x", "y"}, []string{"0", "6"}},
		{"contexts of send and recv are sync flags", "v5e", callback, []string{"send", "recv", "got"}, []string{"02", "02",
			"0"}},
		{"not without a fast space", "v2", callback, []string{"send", "recv"}, []string{"00", "00"}},
		{"contexts of a start are sync flags", "v5e", permute, []string{"start", "done"}, []string{"0022", "0"}},
		{"a single element that the scalar unit makes and reads", "v5e", scalars, []string{"p", "one", "read", "named",
			"bitcast", "cut", "tiled", "given", "last", "use"},
			[]string{"0", "0", "6", "0", "0", "0", "6", "6", "0", "0"}},
		{"an update, but neither what it is written into nor a slice", "v5e", updated, []string{"table", "update", "set", "x",
			"cut"}, []string{"0", "6", "0", "6", "0"}},
		{"the parameters of a reduction have no space", "v5e", reduced, []string{"n", "q", "z", "s"},
			[]string{"1", "0", "0", "0"}},
	} {
		assert.Equal(t, c.want, spacesOf(t, c.generation, c.text, c.names...), c.name)
	}
}

// A collective permute reads all of its operand, which a prefetch is worth: on v5p, where copies give in HBM.
func TestPrefetchForPermute(t *testing.T) {
	array := "f32[16,128]{1,0:T(8,128)}"
	got := spacesOf(t, "v5p", schedule("",
		"%p = f32[16,128]{0,1:T(8,128)} parameter(0)", "%q = f32[1024,1024]{1,0:T(8,128)} parameter(1)",
		"%c = "+array+" copy(%p)", "%n = f32[1024,1024]{1,0:T(8,128)} negate(%q)",
		"%start = ("+array+", "+array+", u32[], u32[]) collective-permute-start(%c), channel_id=1, "+
			"source_target_pairs={{0,1}}",
		"%done = "+array+" collective-permute-done(%start)",
		"ROOT %t = ("+array+", f32[1024,1024]{1,0:T(8,128)}) tuple(%done, %n)"), "c", "start")
	assert.Equal(t, []string{"0", "1022"}, got)
}

// What a collective permute reads stays in the fast space also where another instruction reads it until later.
func TestPermuteAndRead(t *testing.T) {
	array := "f32[64,128]{1,0:T(8,128)}"
	got := spacesOf(t, "v5e", schedule("", "%p = "+array+" parameter(0)", "%y = "+array+" tanh(%p)",
		"%start = ("+array+", "+array+", u32[], u32[]) collective-permute-start(%y), channel_id=1, "+
			"source_target_pairs={{0,1}}",
		"%n = "+array+" negate(%y)",
		"%done = "+array+" collective-permute-done(%start)", "%s = "+array+" add(%done, %n)",
		"ROOT %r = "+array+" add(%s, %s)"), "y", "start", "n")
	assert.Equal(t, []string{"1", "1122", "1"}, got)
}

// What another unit reads is in the fast space until then.
func TestOffloadedLater(t *testing.T) {
	array := "f32[256,128]{1,0:T(8,128)}"
	got := spacesOf(t, "v6e", schedule("%f {\n  %q = "+array+" parameter(0)\n  ROOT %e = "+array+" exponential(%q)\n}\n\n",
		"%p = "+array+" parameter(0)", "%y = "+array+" tanh(%p)", "%n = "+array+" negate(%y)", "%m = "+array+" sine(%n)",
		"%start = (("+array+"), "+array+", u32[]) async-start(%y), calls=%f",
		"%done = "+array+" async-done(%start)", "ROOT %r = "+array+" add(%done, %m)"), "y", "n", "start")
	assert.Equal(t, []string{"1", "1", "002"}, got)
}

// A single element that a scatter updates, in a fusion or on another unit, is in HBM; what it reads besides is in SMEM.
func TestUpdatedElement(t *testing.T) {
	one, ints := "f32[1]{0:T(128)}", "s32[1]{0:T(128)}"
	scatter := " scatter(%q, %j, %v), update_window_dims={}, inserted_window_dims={0}, " +
		"scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add"
	body := func(name string) string {
		return "%" + name + " {\n  %q = " + one + " parameter(0)\n  %j = " + ints + " parameter(1)\n  %v = " + one +
			" parameter(2)\n  ROOT %s = " + one + scatter + "\n}\n\n"
	}
	got := spacesOf(t, "v6e", schedule("%add {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %c = f32[] "+
		"add(%a, %b)\n}\n\n"+body("f")+body("g"), "%p = "+one+" parameter(0)", "%i = "+ints+" parameter(1)",
		"%x = "+one+" sine(%p)", "%y = "+one+" tanh(%p)", "%z = "+one+" negate(%p)",
		"%u = "+one+" fusion(%x, %i, %z), kind=kCustom, calls=%f",
		"%start = (("+one+", "+ints+", "+one+"), "+one+", u32[]) async-start(%y, %i, %u), calls=%g",
		"%done = "+one+" async-done(%start)", "ROOT %r = "+one+" add(%done, %u)"), "x", "y", "z")
	assert.Equal(t, []string{"0", "0", "6"}, got)
}

// What another unit makes is in HBM, and is prefetched where it is read much later.
func TestOffloadedEarlier(t *testing.T) {
	array := "f32[256,128]{1,0:T(8,128)}"
	lines := []string{"%p = " + array + " parameter(0)",
		"%start = ((" + array + "), " + array + ", u32[]) async-start(%p), calls=%f",
		"%done = " + array + " async-done(%start)", "%n0 = f32[4096,1024]{1,0:T(8,128)} parameter(1)",
		"%n = f32[4096,1024]{1,0:T(8,128)} negate(%n0)", "%m = " + array + " sine(%done)",
		"ROOT %r = (" + array + ", f32[4096,1024]{1,0:T(8,128)}) tuple(%m, %n)"}
	m := parse(t, schedule("%f {\n  %q = "+array+" parameter(0)\n  ROOT %e = "+array+" exponential(%q)\n}\n\n", lines...))
	ours := write(t, m, target(t, "v6e"))
	assert.Contains(t, ours, "copy-start(%done)")
	assert.Contains(t, ours, "%done = "+array+" async-done(")
}

// What is sent to the host stays in HBM, whatever else reads it, and a scalar does too.
func TestSent(t *testing.T) {
	array := "f32[256,128]{1,0:T(8,128)}"
	got := spacesOf(t, "v5e", schedule("", "%p = "+array+" parameter(0)", "%s = f32[]{:T(128)} parameter(1)",
		"%y = "+array+" tanh(%p)", "%n = "+array+" negate(%y)", "%e = f32[]{:T(128)} exponential(%s)",
		"%tok = token[] after-all()", "%a = ("+array+", u32[], token[]) send(%y, %tok), channel_id=1, is_host_transfer=true",
		"%a.done = token[] send-done(%a), channel_id=1, is_host_transfer=true",
		"%b = (f32[]{:T(128)}, u32[], token[]) send(%e, %a.done), channel_id=2, is_host_transfer=true",
		"%b.done = token[] send-done(%b), channel_id=2, is_host_transfer=true",
		"ROOT %r = "+array+" add(%n, %n)"), "y", "n", "e", "a", "b")
	assert.Equal(t, []string{"0", "1", "0", "02", "02"}, got)
}

// A fusion that returns an operand as it is reads it from HBM and leaves its result there, for the shapes of its body
// cannot name two spaces.
func TestFusionReturnsParameter(t *testing.T) {
	got := spacesOf(t, "v5p", schedule(`%f {
  ROOT %q = f32[5,1000]{1,0:T(8,128)} parameter(0)
}

`,
		"%p = f32[5,1000]{1,0:T(8,128)} parameter(0)",
		"ROOT %r = f32[5,1000]{1,0:T(8,128)} fusion(%p), kind=kLoop, calls=%f"), "q", "r")
	assert.Equal(t, []string{"0", "0"}, got)
	got = spacesOf(t, "v6e", schedule(`%f {
  ROOT %q = f32[64,512]{1,0:T(8,128)} parameter(0)
}

`,
		"%p = f32[64,512]{1,0:T(8,128)} parameter(0)",
		"%r = f32[64,512]{1,0:T(8,128)} fusion(%p), kind=kLoop, calls=%f",
		"ROOT %n = f32[64,512]{1,0:T(8,128)} negate(%r)"), "q", "r")
	assert.Equal(t, []string{"0", "0"}, got)
}

// It does not where the result is in the operand's place, and no other's.
func TestFusionReturnsParameterInPlace(t *testing.T) {
	for aliases, want := range map[string]string{
		"{0}: (0, {}), {1}: (1, {})": "11", "{0}: (1, {}), {1}: (0, {})": "00", "{0}: (0, {})": "00",
	} {
		got := spacesOf(t, "v6e", schedule(`%f {
  %a = f32[64,512]{1,0:T(8,128)} parameter(0)
  %b = f32[64,512]{1,0:T(8,128)} parameter(1)
  ROOT %both = (f32[64,512]{1,0:T(8,128)}, f32[64,512]{1,0:T(8,128)}) tuple(%a, %b)
}

`,
			"%p = f32[64,512]{1,0:T(8,128)} parameter(0)",
			"%x = f32[64,512]{1,0:T(8,128)} negate(%p)",
			"%y = f32[64,512]{1,0:T(8,128)} cosine(%p)",
			"%r = (f32[64,512]{1,0:T(8,128)}, f32[64,512]{1,0:T(8,128)}) fusion(%x, %y), kind=kLoop, "+
				"output_to_operand_aliasing={"+aliases+"}, calls=%f",
			"%v = f32[64,512]{1,0:T(8,128)} get-tuple-element(%r), index=0",
			"%w = f32[64,512]{1,0:T(8,128)} get-tuple-element(%r), index=1",
			"ROOT %n = f32[64,512]{1,0:T(8,128)} add(%v, %w)"), "r")
		assert.Equal(t, []string{want}, got, aliases)
	}
}
