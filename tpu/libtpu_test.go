package tpu_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/tpu"
)

func TestReleases(t *testing.T) {
	list := tpu.Releases()
	require.NotEmpty(t, list)
	for i, r := range list {
		if i > 0 {
			assert.Negative(t, tpu.CompareVersions(list[i-1].Version, r.Version), r.Version)
		}
	}
	assert.Equal(t, list[len(list)-1].Version, tpu.NewestLibTPU())
	assert.True(t, slices.ContainsFunc(list, func(r tpu.Release) bool { return r.Version == tpu.DefaultLibTPU }))
}

func TestBuiltBy(t *testing.T) {
	for text, want := range map[string]struct {
		version string
		exact   bool
	}{
		"module_0000.jit_f.cl_1003875606.after_optimizations.txt":  {"0.0.51", true},
		"1795266366730077.module_0000.jit_f.cl_970057490.0018.txt": {"0.0.43.2", true},
		"Built on Nov 5 2026 01:07:28 (1793869648) cl/1014260217":  {"0.0.52", true},
		// A release of an old branch has a higher number than the next branch's first one.
		"cl/1004524046": {"0.0.50.1", true},
		"cl/1004524047": {"0.0.51", false},
		"cl/1000000":    {"0.0.24", false},
		"jit_cl_1000":   {},
		"before.hlo":    {},
	} {
		r, exact, ok := tpu.BuiltBy(text)
		assert.Equal(t, want.version != "", ok, text)
		assert.Equal(t, want.version, r.Version, text)
		assert.Equal(t, want.exact, exact, text)
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		version, since, until string
		want                  bool
	}{
		{"", "", "", true},
		{"", "0.0.51", "", true},
		{"", "", "0.0.50.1", false},
		{"0.0.50.1", "", "0.0.50.1", true},
		{"0.0.50.1", "0.0.51", "", false},
		{"0.0.9", "", "0.0.50.1", true},
		{"0.0.43.2", "0.0.43", "0.0.43.10", true},
		{"1.0", "0.0.51", "", true},
	} {
		x, err := tpu.ByName("v5e")
		require.NoError(t, err)
		x, err = x.WithLibTPU(c.version)
		require.NoError(t, err)
		assert.Equal(t, c.want, x.Within(c.since, c.until), "%+v", c)
	}
	for _, version := range []string{"v0.0.52", "0.0.52.dev20250801+nightly", "0.0.52.dev1", "0.0.52rc1"} {
		x, err := tpu.ByName("v5e")
		require.NoError(t, err)
		x, err = x.WithLibTPU(version)
		require.NoError(t, err)
		assert.True(t, x.Within("0.0.52", "0.0.52"), version)
	}
	x, err := tpu.ByName("v5e")
	require.NoError(t, err)
	for _, version := range []string{"new", "51", "0.0.x", "0..1", "-1.0", "0.0.99999999999", "vv0.0.51", "0.0.51.devx"} {
		_, err := x.WithLibTPU(version)
		assert.ErrorContains(t, err, "is not a version; expected one such as", version)
	}
}
