package memory

import (
	"encoding/json"
	"strings"

	"hlolayout/hlo"
)

// collective says which part of a fusion belongs to a collective operation that runs at the same time. On v5e the
// compiler begins an all-gather in one fusion (its root calls AsyncCollectiveStart), carries it on in others, which
// compute something else meanwhile, and waits for it in a last one. Those that carry it on take its arrays and flags as
// operands and return them, after operands and results of their own; continuation_config in backend_config says which
// are their own. Each array of the collective is in one place all the time (output_to_operand_aliasing), is never
// copied, and carrying it on moves nothing. Evidence: the compiler's log of six such programs, among them
// testdata/memory/v5e.gathered, has the seconds of all 1,347 instructions; of the 2,057 leaves of five of them all are
// where the compiler puts them, 1,673 without this.
type collective struct {
	starts            bool    // the fusion begins it
	operands, results numbers // the fusion's own
}

// numbers is a range of operands or results, both inclusive.
type numbers struct{ first, last int }

func (n numbers) has(i int) bool { return n.first <= i && i <= n.last }

// collectiveOf returns the collective that a fusion starts or carries on, nil where there is none.
func collectiveOf(in *hlo.Instruction) *collective {
	if in.Opcode != hlo.OpFusion {
		return nil
	}
	if body := in.CalledBy("calls"); body != nil && body.Root != nil && customTarget(body.Root) == "AsyncCollectiveStart" {
		return &collective{starts: true, operands: numbers{0, len(in.Operands) - 1}, results: numbers{none, none}}
	}
	v := in.Attr("backend_config")
	if v == nil || !strings.Contains(v.Text, `"continuation_config"`) {
		return nil
	}
	var config struct {
		Own *struct {
			FirstOperand int `json:"operand_original_start,string"`
			LastOperand  int `json:"operand_original_end,string"`
			FirstResult  int `json:"output_tuple_original_start,string"`
			LastResult   int `json:"output_tuple_original_end,string"`
		} `json:"continuation_config"`
	}
	if json.Unmarshal([]byte(v.Text), &config) != nil || config.Own == nil {
		return nil
	}
	own := config.Own
	return &collective{operands: numbers{own.FirstOperand, own.LastOperand},
		results: numbers{own.FirstResult, own.LastResult}}
}

// inCollective reports whether leaf j of node t's result belongs to a collective that runs on after it.
func (g *graph) inCollective(t, j int32) bool {
	nd := &g.nodes[t]
	if nd.beside == nil {
		return false
	}
	at := 0
	if in := nd.in; in.Shape.IsTuple() {
		starts := g.info(in.Shape).Starts
		for at+1 < len(in.Shape.Elems) && starts[at+1] <= j {
			at++
		}
	}
	return !nd.beside.results.has(at)
}

// carriesOn reports whether node t only carries on what leaf j of its result is.
func (g *graph) carriesOn(t int32, j int) bool {
	return g.inCollective(t, int32(j)) && !g.nodes[t].beside.starts
}
