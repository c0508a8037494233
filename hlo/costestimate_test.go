package hlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// What cannot be read is not an estimate.
func TestCostEstimate(t *testing.T) {
	const quoted, large = `{"flops":"7","bytes_accessed":"12"}`, `{"flops":1e99,"bytes_accessed":"12"}`
	for config, want := range map[string]hlo.CostEstimate{
		`, backend_config={"custom_call_config":{"cost_estimate":` + quoted + `}}`:                  {Flops: 7, Bytes: 12},
		`, backend_config={"custom_call_config":{"cost_estimate":` + large + `}}`:                   {Bytes: 12},
		`, backend_config={"custom_call_config":{"cost_estimate":{"flops":7,"bytes_accessed":12}}}`: {Flops: 7, Bytes: 12},
		`, backend_config={"custom_call_config":{"cost_estimate":{"flops":-7}}}`:                    {},
		`, backend_config={"custom_call_config":{"cost_estimate":{"flops":"many"}}}`:                {},
		`, backend_config={"custom_call_config":{}}`:                                                {},
		"": {},
	} {
		m, err := parser.Parse("m.hlo", "HloModule m\n\nENTRY %e {\n  ROOT %r = f32[] custom-call(), "+
			"custom_call_target=\"k\""+config+"\n}\n")
		require.NoError(t, err, config)
		assert.Equal(t, want, m.Entry.Root.CostEstimate(), config)
	}
}
