package tpu_test

import (
	"testing"

	"hlolayout/tpu"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOtherNames(t *testing.T) {
	for name, want := range map[string]string{
		"v5e": "v5e", "V5E": "v5e", "v5litepod": "v5e", "v5litepod-16": "v5e", "v5lite": "v5e", "TPU v5 lite": "v5e",
		"TPU v5e": "v5e", "v5e:2x2": "v5e",
		"tpu-v5-lite-podslice": "v5e", "ct5lp-hightpu-4t": "v5e",
		"TPU v5p": "v5p", "TPU v5": "v5p", "v5p-128": "v5p", "tpu-v5p-slice": "v5p", "ct5p-hightpu-4t": "v5p",
		"TPU v6 lite": "v6e", "v6litepod": "v6e", "v6litepod-8": "v6e", "v6e-8": "v6e", "tpu-v6e-slice": "v6e",
		"ct6e-standard-4t": "v6e",
		"tpu7x":            "v7x", "TPU7x": "v7x", "tpu7x:2x2x1": "v7x", "tpu7x-standard-4t": "v7x", "TPU v7x": "v7x",
		"TPU v4": "v4", "v4-8": "v4", "tpu-v4-podslice": "v4", "TPU v3": "v3", "v2:2x2": "v2",
	} {
		target, err := tpu.ByName(name)
		require.NoError(t, err, name)
		assert.Equal(t, want, target.Name, name)
	}
	for _, name := range []string{"", "tpu", "v1", "v8x", "gpu", "v5x"} {
		_, err := tpu.ByName(name)
		assert.ErrorContains(t, err, "v5e", name)
	}
}

// The texts are what libtpu 0.0.51 writes next to a dump, cut down.
func TestDescribed(t *testing.T) {
	for text, want := range map[string]string{
		"tpu_topology_args {\n  version: TPU_VERSION_VIPERFISH\n  variant: " +
			"\"lite\"\n}\n": "v5e",
		"tpu_topology_args {\n  version: TPU_VERSION_VIPERFISH\n  platform_type: " +
			"TPU_PLATFORM_TYPE_HARDWARE\n}\n": "v5p",
		"tpu_topology_args {\n  version: TPU_VERSION_GHOSTLITE\n}\n": "v6e",
		"  version: TPU_VERSION_6acc60406\n":                         "v7x",
		"  version: TPU_VERSION_cc8675309\n":                         "v6e",
		"  version: TPU_VERSION_2093c6a02\n  variant: \"lite\"\n":    "v5e",
		"  version: TPU_VERSION_PUFFERFISH\n":                        "v4",
		"  version: TPU_VERSION_DRAGONFISH\n":                        "v3",
		"  version: TPU_VERSION_JELLYFISH\n":                         "v2",
		"platform_name: \"tpu\"\nplatform_version: \"TFRT TPU v5 lite\\nBuilt on Oct 21 2026 06:24:49 " +
			"cl/1003875606\"\n": "v5e",
		"platform_version: \"TFRT TPU7x\\nBuilt on\"\n": "v7x",
		"version: TPU_VERSION_UNHEARDOF\n":              "",
		"platform_version: \"CUDA 12\"\n":               "",
		"routing_strategy: ROUTING_MESH\n":              "",
	} {
		got, ok := tpu.Described(text)
		assert.Equal(t, want, got, text)
		assert.Equal(t, want != "", ok, text)
	}
}
