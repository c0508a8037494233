package entry_test

import (
	"fmt"
	"testing"

	"hlolayout/hlo/stage"
	"hlolayout/parser"
	"hlolayout/passes/entry"
	"hlolayout/tpu"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each module is one that JAX made, cut down; want is the header of the module that libtpu 0.0.51 compiled it to.
func TestOf(t *testing.T) {
	const xT = "ENTRY %e {\n  %p = f32[300000,3]{1,0} parameter(0)\n  ROOT %t = f32[3,300000]{0,1} transpose(%p), " +
		"dimensions={1,0}\n}\n"
	const two = "ENTRY %e {\n  %p = f32[7,200]{1,0} parameter(0)\n  %q = f32[200,300]{1,0} parameter(1)\n" +
		"  ROOT %d = f32[7,300]{1,0} dot(%p, %q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"
	const header = ", entry_computation_layout={(f32[7,200]{1,0}, f32[200,300]{1,0})->f32[7,300]{1,0}}"
	front := func(attrs string) string { return ", frontend_attributes={" + attrs + "}" }
	for _, c := range []struct {
		name, text, tpu string
		mode            entry.Mode
		want            string // parameters and result
		sources         []entry.Source
	}{
		{"lowered: orders are placeholders",
			"HloModule m, entry_computation_layout={(f32[300000,3]{1,0})->f32[3,300000]{0,1}}\n\n" + xT, "v5e",
			entry.Auto,
			"(f32[300000,3]{0,1:T(4,128)}, f32[3,300000]{1,0:T(4,128)})",
			[]entry.Source{entry.Placeholder, entry.Placeholder}},
		{"another generation", "HloModule m, entry_computation_layout={(f32[300000,3]{1,0})->f32[3,300000]{0,1}}\n\n" +
			xT, "v2", entry.Auto,
			"(f32[300000,3]{0,1:T(4,128)}, f32[3,300000]{1,0:T(4,128)})",
			[]entry.Source{entry.Placeholder, entry.Placeholder}},
		{"without a header", "HloModule m\n\n" + xT, "v5e", entry.Auto,
			"(f32[300000,3]{0,1:T(4,128)}, f32[3,300000]{1,0:T(4,128)})",
			[]entry.Source{entry.Defaulted, entry.Defaulted}},
		{"as written", "HloModule m, entry_computation_layout={(f32[300000,3]{1,0})->f32[3,300000]{0,1}}\n\n" + xT,
			"v5e", entry.AsWritten,
			"(f32[300000,3]{1,0}, f32[3,300000]{0,1})", []entry.Source{entry.Written, entry.Written}},
		{"tiles", "HloModule m, entry_computation_layout={(f32[300000,3]{1,0:T(8,128)})->f32[3,300000]{0,1}}\n\n" + xT,
			"v5e", entry.Auto,
			"(f32[300000,3]{1,0:T(8,128)}, f32[3,300000]{0,1})", []entry.Source{entry.Written, entry.Written}},
		{"tiles, defaults asked for",
			"HloModule m, entry_computation_layout={(f32[300000,3]{1,0:T(8,128)})->f32[3,300000]{0,1}}\n\n" + xT, "v5e",
			entry.Default,
			"(f32[300000,3]{0,1:T(4,128)}, f32[3,300000]{1,0:T(4,128)})",
			[]entry.Source{entry.Defaulted, entry.Defaulted}},
		{"modes: default and pinned", "HloModule m" + header +
			front(`arg_layout_modes="{0,1};default",out_layout_modes="default"`) + "\n\n" + two, "v5e", entry.Auto,
			"(f32[7,200]{0,1:T(8,128)}, f32[200,300]{1,0:T(8,128)}, f32[7,300]{1,0:T(8,128)})",
			[]entry.Source{entry.Pinned, entry.Defaulted, entry.Defaulted}},
		{"modes: auto", "HloModule m, entry_computation_layout={(f32[7,200], f32[200,300]{1,0})->f32[7,300]}" +
			front(`arg_layout_modes="auto;default",out_layout_modes="auto"`) + "\n\n" + two, "v5e", entry.Auto,
			"(f32[7,200], f32[200,300]{1,0:T(8,128)}, f32[7,300])", []entry.Source{entry.Free, entry.Defaulted,
				entry.Free}},
		{"modes of another program", "HloModule m" + header + front(`arg_layout_modes="auto"`) + "\n\n" + two, "v5e",
			entry.Auto,
			"(f32[7,200]{1,0:T(8,128)}, f32[200,300]{1,0:T(8,128)}, f32[7,300]{1,0:T(8,128)})",
			[]entry.Source{entry.Placeholder, entry.Placeholder, entry.Placeholder}},
		{"host memory", "HloModule m" + header + front(`arg_layout_modes="default;default",arg_memory_spaces="5;0",`+
			`out_layout_modes="default",out_memory_spaces="0"`) + "\n\n" + two,
			"v5e", entry.Auto, "(f32[7,200]{1,0:T(8,128)S(5)}, f32[200,300]{1,0:T(8,128)}, f32[7,300]{1,0:T(8,128)})",
			[]entry.Source{entry.Defaulted, entry.Defaulted, entry.Defaulted}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := parser.Parse(c.name, c.text)
			require.NoError(t, err)
			target, err := tpu.ByName(c.tpu)
			require.NoError(t, err)
			iface, err := entry.Of(m, target, c.mode)
			require.NoError(t, err)
			got := "("
			var sources []entry.Source
			for _, a := range iface.Arrays {
				if len(got) > 1 {
					got += ", "
				}
				got += a.Shape.String()
				sources = append(sources, a.Source)
			}
			assert.Equal(t, c.want, got+")")
			assert.Equal(t, c.sources, sources)
			assert.Equal(t, "result", iface.Arrays[len(iface.Arrays)-1].Place())
			assert.Equal(t, int64(1), iface.Partitions)
		})
	}
}

// Programs that are to be partitioned: defaults are chosen for what one device holds.
func TestOfSharded(t *testing.T) {
	const text = `HloModule m, entry_computation_layout={(f32[16,200]{1,0}, f32[200,36]{1,0})->(f32[16,36]{1,0},
	    f32[200,16]{1,0}, f32[16,36]{1,0})}

ENTRY %e {
  %p = f32[16,200]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}
  %q = f32[200,36]{1,0} parameter(1), sharding={replicated}
  %d = f32[16,36]{1,0} dot(%p, %q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %t = f32[200,16]{0,1} transpose(%p), dimensions={1,0}
  %n = f32[16,36]{1,0} negate(%d)
  ROOT %r = (f32[16,36]{1,0}, f32[200,16]{1,0}, f32[16,36]{1,0}) tuple(%d, %t, %n), sharding={{devices=[4,1]<=[4]},
      {devices=[1,4]<=[4]}, {unknown}}
}
`
	m, err := parser.Parse("m", text)
	require.NoError(t, err)
	require.Equal(t, stage.Lowered, stage.Of(m))
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	iface, err := entry.Of(m, target, entry.Auto)
	require.NoError(t, err)
	assert.Equal(t, int64(4), iface.Partitions)
	for i, want := range []struct {
		place, shape, device string
		known                bool
	}{
		{"parameter 0", "f32[16,200]{1,0:T(4,128)}", "f32[4,200]{1,0:T(4,128)}", true},
		{"parameter 1", "f32[200,36]{0,1:T(8,128)}", "f32[200,36]{0,1:T(8,128)}", true},
		{"result{0}", "f32[16,36]{1,0:T(4,128)}", "f32[4,36]{1,0:T(4,128)}", true},
		{"result{1}", "f32[200,16]{0,1:T(4,128)}", "f32[200,4]{0,1:T(4,128)}", true},
		{"result{2}", "f32[16,36]{1,0:T(8,128)}", "f32[16,36]{1,0:T(8,128)}", false},
	} {
		a := iface.Arrays[i]
		assert.Equal(t, want.place, a.Place())
		assert.Equal(t, want.shape, a.Shape.String(), want.place)
		assert.Equal(t, want.device, a.Device.String(), want.place)
		assert.Equal(t, want.known, a.Known, want.place)
		assert.Equal(t, entry.Placeholder, a.Source)
	}
}

// A part of the result that takes a parameter's memory is divided as that is, where the text does not say it.
func TestOfShardedAlias(t *testing.T) {
	const text = `HloModule m, input_output_alias={ {1}: (1, {0}, may-alias), {2}: (0, {}, may-alias), {0}: (9, {}) }

ENTRY %e {
  %p = f32[16,200]{1,0} parameter(0), sharding={devices=[1,4]<=[4]}
  %q = (f32[16,200]{1,0}, f32[8]{0}) parameter(1), sharding={{devices=[4,1]<=[4]}, {replicated}}
  %g = f32[16,200]{1,0} get-tuple-element(%q), index=0
  %a = f32[16,200]{1,0} add(%p, %g)
  ROOT %r = (f32[16,200]{1,0}, f32[16,200]{1,0}, f32[16,200]{1,0}) tuple(%a, %a, %a), sharding={{unknown}, {unknown},
      {devices=[2,2]<=[4]}}
}
`
	m, err := parser.Parse("m", text)
	require.NoError(t, err)
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	iface, err := entry.Of(m, target, entry.Auto)
	require.NoError(t, err)
	for i, want := range []string{"result{0}: f32[16,200]{1,0:T(8,128)} false",
		"result{1}: f32[4,200]{1,0:T(4,128)} true", "result{2}: f32[8,100]{1,0:T(8,128)} true"} {
		a := iface.Arrays[3+i]
		assert.Equal(t, want, fmt.Sprintf("%s: %s %v", a.Place(), a.Device, a.Known))
	}
}

func TestOfRefuses(t *testing.T) {
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	for header, want := range map[string]string{
		"(f32[2,3]{1,0}, f32[])->f32[2,3]{1,0}": "2 parameters",
		"(f32[3,2]{1,0})->f32[2,3]{1,0}":        "parameter 0",
		"(f32[2,3]{1,0})->f32[3,2]{1,0}":        "the result",
	} {
		m, err := parser.Parse("m", "HloModule m, entry_computation_layout={"+header+"}\n\nENTRY %e {\n  ROOT %p = "+
			"f32[2,3]{1,0} parameter(0)\n}\n")
		require.NoError(t, err)
		_, err = entry.Of(m, target, entry.Auto)
		assert.ErrorContains(t, err, want)
	}
}
