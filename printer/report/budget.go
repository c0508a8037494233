package report

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/fit"
	"hlolayout/passes/lint"
)

// Budget is how a module stands to what it may take of one memory.
type Budget struct {
	// Space is the memory's name, Bytes the budget.
	Space string `json:"space"`
	Bytes int64  `json:"budget_bytes"`
	// Verdict is within, exceeds or unknown; Why says why nothing is known of the use, "" where something is.
	Verdict string `json:"verdict"`
	Why     string `json:"why,omitempty"`
	// Peak is what the memory holds at most, at least Least and at most Most.
	Peak  int64 `json:"peak_bytes"`
	Least int64 `json:"least_bytes"`
	Most  int64 `json:"most_bytes"`
	// Changes are what the memory holds at its peak against the golden, or all of it without one; empty where the budget
	// is kept.
	Golden  bool           `json:"has_golden"`
	Changes []BudgetChange `json:"changes"`
}

// BudgetChange are arrays of one kind and shape: how many there were and are at the peak, and what they take.
type BudgetChange struct {
	Kind     string `json:"kind"`
	Opcode   string `json:"opcode"`
	Shape    string `json:"shape,omitempty"`
	Was      int    `json:"was"`
	Now      int    `json:"now"`
	WasBytes int64  `json:"was_bytes"`
	NowBytes int64  `json:"now_bytes"`
	Value    string `json:"value,omitempty"`
	OpName   string `json:"op_name,omitempty"`
	Source   string `json:"source,omitempty"`
}

// NewBudget holds a use against a budget in bytes; nil is a use of which nothing is known, why says why.
func NewBudget(space string, bytes int64, u *fit.Use, why string) Budget {
	b := Budget{Space: space, Bytes: bytes, Verdict: "unknown", Why: why, Changes: []BudgetChange{}}
	if u != nil {
		b.Verdict, b.Peak, b.Least, b.Most = u.Against(bytes), u.Peak, u.Least, u.Most
	}
	return b
}

// Compose fills in what the memory holds at its peak: against was, where golden says that there is a golden.
func (b *Budget) Compose(was, now []fit.Holding, golden bool) {
	b.Golden = golden
	for _, c := range fit.Changes(was, now) {
		x := BudgetChange{Kind: string(c.Kind), Opcode: c.Opcode.String(), Was: c.Was, Now: c.Now, WasBytes: c.WasBytes,
			NowBytes: c.NowBytes}
		if c.Shape != nil {
			x.Shape = c.Shape.String()
		}
		if h := c.Example; h != nil {
			x.Value = "%" + h.Instruction.Name + h.Index.String()
			x.OpName, x.Source = h.Shown.MetadataOpName(), h.Shown.SourceLine().String()
		}
		b.Changes = append(b.Changes, x)
	}
}

// String says in a line how the module stands to the budget.
func (b *Budget) String() string {
	text := b.Space + ": "
	switch {
	case b.Why != "":
		return text + "whether the budget of " + Bytes(b.Bytes) + " is kept is unknown: " + b.Why
	case b.Verdict == "unknown" && b.Peak == 0:
		return text + fmt.Sprintf("arrays are placed there once the module is scheduled: whether the budget of %s is "+
			"kept is known of the compiled module only", Bytes(b.Bytes))
	case b.Verdict == "unknown":
		return text + fmt.Sprintf("about %s at the peak (%s to %s in every program measured): whether the budget of "+
			"%s is kept is known of the compiled module only", Bytes(b.Peak), Bytes(b.Least), Bytes(b.Most), Bytes(b.Bytes))
	case b.Verdict == "exceeds" && b.Least < b.Most:
		return text + fmt.Sprintf("arguments and results alone take %s, %s over the budget of %s", Bytes(b.Least),
			Bytes(b.Least-b.Bytes), Bytes(b.Bytes))
	case b.Verdict == "exceeds":
		return text + fmt.Sprintf("%s at the peak, %s over the budget of %s", Bytes(b.Peak), Bytes(b.Peak-b.Bytes),
			Bytes(b.Bytes))
	case b.Least < b.Most:
		return text + fmt.Sprintf("at most %s at the peak, within the budget of %s", Bytes(b.Most), Bytes(b.Bytes))
	}
	return text + fmt.Sprintf("%s at the peak, within the budget of %s", Bytes(b.Peak), Bytes(b.Bytes))
}

// Lines say what the memory holds at its peak, a line a change, the first top of them.
func (b *Budget) Lines(top int) []string {
	if len(b.Changes) == 0 {
		if b.Golden {
			return []string{"at the peak it holds what it held in the golden"}
		}
		return nil
	}
	lines := []string{"held at the peak, no golden to compare with:"}
	if b.Golden {
		lines[0] = "held at the peak, compared with the golden:"
	}
	for i, c := range b.Changes {
		if i == top {
			return append(lines, fmt.Sprintf("  ... and %d more", len(b.Changes)-i))
		}
		lines = append(lines, "  "+c.line(b.Golden))
	}
	return lines
}

func (c *BudgetChange) line(golden bool) string {
	number := fmt.Sprint(c.Now)
	bytes := Bytes(c.NowBytes)
	if golden {
		number, bytes = fmt.Sprintf("%d -> %d", c.Was, c.Now), Signed(c.NowBytes-c.WasBytes)
	}
	text := fmt.Sprintf("%10s  %s x %s, %s", bytes, number, c.Shape, c.Kind)
	if c.Shape == "" {
		text = fmt.Sprintf("%10s  %s x %s", bytes, number, c.Kind)
	}
	if c.Kind != string(fit.Argument) {
		text += " of " + c.Opcode
	}
	if c.Value == "" {
		return text
	}
	return text + " (" + strings.Join(strings.Fields(c.Value+" "+c.Source), ", ") + ")"
}

// Finding is the result of a budget that is exceeded or may be; ok is false for one that is kept.
func (b *Budget) Finding(rules []lint.Rule, file string) (x Result, ok bool) {
	rule, known := map[string]string{"exceeds": "budget", "unknown": "budget-unknown"}[b.Verdict]
	if !known {
		return Result{}, false
	}
	const top = 20
	x = RuleOf(rules, rule)
	x.File, x.Message, x.Bytes, x.Details = file, b.String(), b.Peak, append(x.Details, b.Lines(top)...)
	return x, true
}

// AppendText appends a budget as text: the verdict, and what the memory holds.
func (b *Budget) AppendText(dst []byte, file string) []byte {
	const top = 20
	dst = fmt.Appendf(dst, "%s: %s\n", hlo.Visible(file), hlo.Visible(b.String()))
	for _, l := range visible(b.Lines(top)) {
		dst = fmt.Appendf(dst, "  %s\n", l)
	}
	return dst
}
