package main

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/passes"
	"hlolayout/passes/folding"
	"hlolayout/passes/layout"
	"hlolayout/tpu"
)

// logConstraints lists the constraints that layout assignment sets on a module, in order and in the words of the
// compiler's log (TPU_VMODULE=layout_assignment=5), so that the two can be held side by side; the rule of each is ours.
// Like the compiler's, the log of a lowered or unoptimized module is of its simplified form, unless values of the text
// are pinned; it begins with the simplifications.
func (j *job) logConstraints(m *hlo.Module, t *tpu.Target, opt passes.Options) error {
	run := 0
	if len(opt.Pins) == 0 {
		s := folding.Prepare(m, stage.Of(m), t)
		j.log, m = appendApplied(j.log, s), s.Module
	}
	return layout.Trace(m, t, opt, func(e layout.Event) {
		if e.Run != run {
			run = e.Run
			j.log = fmt.Appendf(j.log, "RUNNING LAYOUT ASSIGNMENT PASS %d\n", run-1)
		}
		where := "SetBufferLayout: " + hlo.ValueName(e.Instruction, e.Index)
		if e.Operand >= 0 {
			where = fmt.Sprintf("SetOperandLayout: %s operand %d", hlo.ValueName(e.Instruction, nil), e.Operand)
		}
		j.log = fmt.Appendf(j.log, "%s : {%s} priority %d mandatory: %t dfs: %t (%s)\n",
			where, orderText(e.MinorToMajor), e.Priority, e.Mandatory, e.DFS, e.Rule)
	})
}

// appendApplied appends how often each simplification was applied to a module, in the order of folding.Rules.
func appendApplied(dst []byte, s *folding.Simplified) []byte {
	for _, r := range folding.Rules() {
		if n := s.Applied[r.Name]; n > 0 {
			dst = fmt.Appendf(dst, "SIMPLIFIED: %d by %s: %s\n", n, r.Name, r.Doc)
		}
	}
	return dst
}
