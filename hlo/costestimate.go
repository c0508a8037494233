package hlo

import (
	"encoding/json"
	"strings"
)

// CostEstimate is what a kernel says of itself: operations, and bytes that it reads and writes.
type CostEstimate struct{ Flops, Bytes int64 }

// CostEstimate returns the cost_estimate of the instruction's backend_config, which Pallas writes; zero where it has
// none that can be read.
func (in *Instruction) CostEstimate() (e CostEstimate) {
	v := in.Attr("backend_config")
	if v == nil || !strings.Contains(v.Text, `"cost_estimate"`) {
		return e
	}
	var config struct {
		Call struct {
			Cost struct {
				Flops json.Number `json:"flops"`
				Bytes json.Number `json:"bytes_accessed"`
			} `json:"cost_estimate"`
		} `json:"custom_call_config"`
	}
	if json.Unmarshal([]byte(v.Text), &config) != nil {
		return e
	}
	return CostEstimate{Flops: count(config.Call.Cost.Flops), Bytes: count(config.Call.Cost.Bytes)}
}

// count returns a number that JAX writes as one and the compiler in quotes; zero where it is none, or negative.
func count(n json.Number) int64 {
	x, err := n.Int64()
	if err != nil {
		return 0
	}
	return max(0, x)
}
