package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo/verify"
)

// scheduledCases are modules whose verdict depends on the schedule: the codes without it and with it. libtpu gives the
// same verdicts on the first four.
var scheduledCases = []struct{ name, text, before, after string }{
	{"float types of operands", `
ENTRY e {
  a = f32[8,128]{1,0} parameter(0)
  b = bf16[8,128]{1,0} parameter(1)
  ROOT c = f32[8,128]{1,0} add(a, b)
}`, verify.VER111, ""},
	{"float type of a result", `
ENTRY e {
  a = f32[128]{0} parameter(0)
  ROOT b = bf16[8,128]{1,0} broadcast(a), dimensions={1}
}`, verify.VER110, ""},
	{"sizes of a result", `
ENTRY e {
  a = f32[128]{0} parameter(0)
  ROOT b = bf16[8,64]{1,0} broadcast(a), dimensions={1}
}`, verify.VER104, verify.VER104},
	{"layout of a tuple's element", `
ENTRY e {
  a = f32[8,128]{1,0} parameter(0)
  ROOT b = (f32[8,128]{0,1}) tuple(a)
}`, "", verify.VER110},
	{"memory space of a fusion's parameter", `
f { x = f32[8,128]{1,0:T(8,128)S(1)} parameter(0) ROOT n = f32[8,128]{1,0:T(8,128)} negate(x) }
ENTRY e {
  a = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT b = f32[8,128]{1,0:T(8,128)} fusion(a), kind=kLoop, calls=f
}`, "", verify.VER304},
	{"no layout is the descending one", `
f { x = f32[8,128]{1,0} parameter(0) ROOT n = f32[8,128] negate(x) }
ENTRY e {
  a = f32[8,128] parameter(0)
  ROOT b = f32[8,128]{1,0} fusion(a), kind=kLoop, calls=f
}`, "", ""},
	{"tiles of a scalar", `
f { p = f32[]{:T(128)} parameter(0) ROOT r = f32[]{:T(128)} negate(p) }
ENTRY e {
  a = f32[] parameter(0)
  ROOT b = f32[] fusion(a), kind=kLoop, calls=f
}`, "", ""},
	{"dynamic dimensions", `
f { p = f32[<=8,128]{1,0} parameter(0) ROOT r = f32[<=8,128]{1,0} negate(p) }
ENTRY e {
  a = f32[8,128]{1,0} parameter(0)
  ROOT b = f32[<=8,128]{1,0} fusion(a), kind=kLoop, calls=f
}`, "", verify.VER304},
	{"order of an entry parameter", `
HloModule m, entry_computation_layout={(f32[8,128]{0,1})->f32[8,128]{1,0}}
ENTRY e {
  a = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT b = f32[8,128]{1,0:T(8,128)} negate(a)
}`, "", verify.VER402},
	{"order of a copy", `
ENTRY e {
  a = f32[8,128]{1,0} parameter(0)
  s = (f32[8,128]{1,0:S(1)}, f32[8,128]{1,0}, u32[]) copy-start(a)
  ROOT d = f32[8,128]{1,0:S(1)} copy-done(s)
}`, "", ""},
}

func TestScheduledModules(t *testing.T) {
	for _, c := range scheduledCases {
		t.Run(c.name, func(t *testing.T) {
			_, list := found(t, c.text)
			assert.Equal(t, c.before, codesOf(list), "%v", list)
			text := strings.TrimLeft(c.text, "\n")
			if strings.HasPrefix(text, "HloModule m") {
				text = strings.Replace(text, "HloModule m", "HloModule m, is_scheduled=true", 1)
			} else {
				text = "HloModule m, is_scheduled=true\n" + text
			}
			_, list = found(t, text)
			assert.Equal(t, c.after, codesOf(list), "%v", list)
		})
	}
}

func TestFindingsHavePlaces(t *testing.T) {
	_, list := found(t, "ENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[5] negate(a)\n  ROOT r = f32[4] add(a, "+
		"b)\n}\n")
	require.Len(t, list, 2)
	assert.Equal(t, "example.hlo:3:3: negate %b: its operands and attributes give f32[4], but it is declared f32[5] "+
		"[VER110]", list[0].Error())
	assert.Equal(t, 4, list[1].Line)
	assert.Equal(t, "  ROOT r = f32[4] add(a, b)", list[1].Source)
}
