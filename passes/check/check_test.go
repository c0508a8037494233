package check

import (
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

// Each code has a module that causes it.
func TestFindings(t *testing.T) {
	p := "%p = " + ab + " parameter(0)\n"
	for _, c := range []struct{ code, head, body string }{
		{"LAY101", "", entry("ROOT %p = f32[16,256] parameter(0)")},
		{"LAY103", "", entry("ROOT %p = f32[16,256]{1,0:T(4,128)} parameter(0)")},
		{"LAY104", "", entry("ROOT %p = f32[16,256]{1,0:T(8,128)S(3)} parameter(0)")},
		{"LAY110", "", entry(p + "ROOT %n = " + ba + " negate(%p)")},
		{"LAY111", "", entry(p + "ROOT %n = f32[16,256,8]{0,1,2:T(8,128)} broadcast(%p), dimensions={0,1}")},
		{"LAY112", "", entry(p + "ROOT %n = f32[256,16]{1,0:T(8,128)} transpose(%p), dimensions={1,0}")},
		{"LAY113", "", entry(p + "ROOT %n = f32[16,2,128]{2,0,1:T(8,128)} reshape(%p)")},
		{"LAY114", "", "%add {\n%a = f32[]{:T(128)} parameter(0)\n%b = f32[]{:T(128)} parameter(1)\nROOT %s = f32[]{:T(128)} add(%a, %b)\n}\n\n" +
			entry("%p = f32[4,16,256]{2,1,0:T(8,128)} parameter(0)\n%z = f32[]{:T(128)} constant(0)\nROOT %r = "+ba+" reduce(%p, %z), dimensions={0}, to_apply=%add")},
		{"LAY120", "", entry(p + "ROOT %t = (" + ba + ") tuple(%p)")},
		{"LAY122", "", "%f {\n%a = " + ba + " parameter(0)\nROOT %n = " + ba + " negate(%a)\n}\n\n" + entry(p+"ROOT %c = "+ba+" call(%p), to_apply=%f")},
		{"LAY123", "", entry(p + "ROOT %c = " + ab + " custom-call(%p), custom_call_target=\"x\", operand_layout_constraints={f32[16,256]{0,1}}")},
		{"LAY124", ", entry_computation_layout={(" + ba + ")->" + ab + "}", entry("ROOT " + p)},
	} {
		t.Run(c.code, func(t *testing.T) {
			list := findings(t, c.head, c.body)
			require.NotEmpty(t, list)
			for _, e := range list {
				assert.Equal(t, c.code, e.Code, e.Error())
			}
		})
	}
}

func TestLoop(t *testing.T) {
	loop := func(body string) string {
		return "%cond {\n%a = (" + ab + ") parameter(0)\nROOT %c = pred[]{:T(512)} constant(true)\n}\n\n%body {\nROOT %b = (" + body + ") parameter(0)\n}\n\n" +
			entry("%p = ("+ab+") parameter(0)\nROOT %w = ("+ab+") while(%p), condition=%cond, body=%body")
	}
	assert.Empty(t, findings(t, "", loop(ab)))
	list := findings(t, "", loop(ba))
	require.NotEmpty(t, list)
	assert.Equal(t, "LAY121", list[0].Code)
}

func TestLegal(t *testing.T) {
	for name, body := range map[string]string{
		"large tile":       entry("ROOT %p = s8[64,256]{1,0:T(32,128)(4,1)} parameter(0)"),
		"small tile":       entry("ROOT %p = s8[64,256]{1,0:T(8,128)(4,1)} parameter(0)"),
		"sub-byte":         entry("ROOT %p = s4[64,256]{1,0:T(8,128)(8,1)E(4)} parameter(0)"),
		"empty array":      entry("ROOT %p = f32[0,256]{1,0} parameter(0)"),
		"transpose":        entry("%p = " + ab + " parameter(0)\nROOT %n = f32[256,16]{0,1:T(8,128)} transpose(%p), dimensions={1,0}"),
		"reshape":          entry("%p = " + ab + " parameter(0)\nROOT %n = f32[2,8,256]{2,1,0:T(8,128)} reshape(%p)"),
		"reshape by tiles": entry("%p = f32[8,512]{1,0:T(8,128)} parameter(0)\nROOT %n = f32[8,4,128]{2,0,1:T(8,128)} reshape(%p)"),
		"copy":             entry("%p = " + ab + " parameter(0)\nROOT %n = " + ba + " copy(%p)"),
	} {
		assert.Empty(t, findings(t, "", body), name)
	}
}

// Codes documents every code once.
func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Codes {
		assert.False(t, seen[c.Name], c.Name)
		seen[c.Name] = true
		assert.NotEmpty(t, c.Meaning)
	}
	assert.True(t, seen["LAY102"]) // no text can cause it: parsing refuses such a layout
}
