package check

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/tpu"
)

func findings(t *testing.T, head, body string) hlo.ErrorList {
	t.Helper()
	m, err := parser.Parse("test.hlo", "HloModule m"+head+"\n\n"+body)
	require.NoError(t, err)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	return Module(m, target)
}

func entry(body string) string { return "ENTRY %main {\n" + body + "\n}\n" }

const (
	ab = "f32[16,256]{1,0:T(8,128)}"
	ba = "f32[16,256]{0,1:T(8,128)}"
)

// A module contradicts the generations whose memories and tiles are others.
func TestContradiction(t *testing.T) {
	all := tpu.Names()
	for _, c := range []struct {
		shape string
		fits  []string
	}{
		{"f32[16,256]{1,0}", all},
		{"f32[16,256]{1,0:T(8,128)}", all},
		{"f32[16,256]{1,0:T(8,128)S(1)}", []string{"v5e", "v5p", "v6e", "v7x"}},
		{"f32[16,256]{1,0:T(8,128)S(3)}", []string{"v4"}},
		{"s32[16]{0:T(128)S(8)}", []string{"v5p", "v6e", "v7x"}},
		{"f32[]{:T(256)}", []string{"v2", "v3"}},
		{"f32[]{:T(128)}", all[2:]},
		{"f32[1,256]{1,0:T(1,128)}", all[2:]},
		{"f32[1,256]{1,0:T(2,128)}", []string{"v2", "v3"}},
		{"f32[16,256]{1,0:T(3,128)}", nil},
	} {
		m, err := parser.Parse("test.hlo", "HloModule m\n\n"+entry("ROOT %p = "+c.shape+" parameter(0)"))
		require.NoError(t, err)
		var fits []string
		for _, name := range all {
			target, err := tpu.ByName(name)
			require.NoError(t, err)
			if Contradiction(m, target) == "" {
				fits = append(fits, name)
			}
		}
		assert.Equal(t, c.fits, fits, c.shape)
	}
}

// Each code is there once, in order, and its example causes it and nothing else.
func TestCodes(t *testing.T) {
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	for i, c := range Codes {
		t.Run(c.Name, func(t *testing.T) {
			assert.NotEmpty(t, c.Meaning)
			if i > 0 {
				assert.Less(t, Codes[i-1].Name, c.Name)
			}
			if c.Example == "" {
				assert.Equal(t, "LAY102", c.Name) // parsing refuses such a layout
				return
			}
			m, err := parser.Parse("test.hlo", c.Example)
			require.NoError(t, err)
			list := Module(m, target)
			require.NotEmpty(t, list)
			for _, e := range list {
				assert.Equal(t, c.Name, e.Code, e.Error())
				assert.Positive(t, e.Line)
			}
		})
	}
}

func TestLoop(t *testing.T) {
	loop := func(body string) string {
		return "%cond {\n%a = (" + ab + ") parameter(0)\nROOT %c = pred[]{:T(512)} constant(true)\n}\n\n%body " +
			"{\nROOT %b = (" + body + ") parameter(0)\n}\n\n" +
			entry("%p = ("+ab+") parameter(0)\nROOT %w = ("+ab+") while(%p), condition=%cond, body=%body")
	}
	assert.Empty(t, findings(t, "", loop(ab)))
	list := findings(t, "", loop(ba))
	require.NotEmpty(t, list)
	assert.Equal(t, "LAY121", list[0].Code)
}

// An asynchronous computation takes what its start is given and gives what the start shows, unless that binds the first
// results only.
func TestAsync(t *testing.T) {
	start := func(operand, root, result string) hlo.ErrorList {
		return findings(t, "", "%f {\n%p = "+ab+" parameter(0)\nROOT %n = "+root+"\n}\n\n"+
			entry("%a = "+operand+" parameter(0)\n%s = (("+operand+"), "+result+", u32[]) async-start(%a), calls=%f\n"+
				"ROOT %d = "+result+" async-done(%s)"))
	}
	assert.Empty(t, start(ab, ab+" negate(%p)", ab))
	assert.Empty(t, start(ab, "("+ab+", "+ab+") tuple(%p, %p)", ab))
	for _, list := range []hlo.ErrorList{start(ba, ab+" negate(%p)", ab), start(ab, ab+" negate(%p)", ba)} {
		require.Len(t, list, 1)
		assert.Equal(t, "LAY122", list[0].Code)
	}
}

func TestLegal(t *testing.T) {
	for name, body := range map[string]string{
		"large tile":  entry("ROOT %p = s8[64,256]{1,0:T(32,128)(4,1)} parameter(0)"),
		"small tile":  entry("ROOT %p = s8[64,256]{1,0:T(8,128)(4,1)} parameter(0)"),
		"sub-byte":    entry("ROOT %p = s4[64,256]{1,0:T(8,128)(8,1)E(4)} parameter(0)"),
		"empty array": entry("ROOT %p = f32[0,256]{1,0} parameter(0)"),
		"transpose": entry("%p = " + ab + " parameter(0)\nROOT %n = f32[256,16]{0,1:T(8,128)} transpose(%p), " +
			"dimensions={1,0}"),
		"reshape": entry("%p = " + ab + " parameter(0)\nROOT %n = f32[2,8,256]{2,1,0:T(8,128)} reshape(%p)"),
		"reshape by tiles": entry("%p = f32[8,512]{1,0:T(8,128)} parameter(0)\nROOT %n = " +
			"f32[8,4,128]{2,0,1:T(8,128)} reshape(%p)"),
		"copy": entry("%p = " + ab + " parameter(0)\nROOT %n = " + ba + " copy(%p)"),
	} {
		assert.Empty(t, findings(t, "", body), name)
	}
}

// What the host runs has no tiles; all else has.
func TestOnHost(t *testing.T) {
	const body = "%%f {\n%%p = f32[300,700]{1,0} parameter(0)\nROOT %%c = f32[300,700]{1,0} copy(%%p)\n}%s\n\n" +
		"ENTRY %%main {\n%%p = f32[]{:T(128)} parameter(0)\nROOT %%n = f32[]{:T(128)} negate(%%p)\n}\n"
	assert.Empty(t, findings(t, "", fmt.Sprintf(body, `, execution_thread="host"`)))
	assert.Len(t, findings(t, "", fmt.Sprintf(body, `, execution_thread="sparsecore"`)), 1)
}

// What a fusion gives may have no tile in a scheduled module, what other operations give may not.
func TestUntiledResults(t *testing.T) {
	const bare = "f32[16,256]{1,0:S(1)}"
	fused := "%fused {\n%q = " + ab + " parameter(0)\n%m = " + bare + " negate(%q)\nROOT %r = (" + ab + ", " + bare +
		") tuple(%q, %m)\n}\n\n"
	body := fused + entry("%p = "+ab+" parameter(0)\n%f = ("+ab+", "+bare+") fusion(%p), kind=kLoop, calls=%fused\n"+
		"%g = "+bare+" get-tuple-element(%f), index=1\nROOT %n = "+ab+" negate(%g)")
	assert.Empty(t, findings(t, ", is_scheduled=true", body))
	assert.NotEmpty(t, findings(t, "", body))
	list := findings(t, ", is_scheduled=true", entry("%p = "+ab+" parameter(0)\nROOT %n = "+bare+" negate(%p)"))
	require.NotEmpty(t, list)
	assert.Equal(t, "LAY103", list[0].Code)
}
