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
				Flops int64 `json:"flops"`
				Bytes int64 `json:"bytes_accessed"`
			} `json:"cost_estimate"`
		} `json:"custom_call_config"`
	}
	if json.Unmarshal([]byte(v.Text), &config) != nil {
		return e
	}
	return CostEstimate{Flops: max(0, config.Call.Cost.Flops), Bytes: max(0, config.Call.Cost.Bytes)}
}
