// Package lint turns what packages padding, relayout and contract find into findings: rules with ids, severities and
// thresholds, what each finding costs, and what would help where that is certain.
package lint

import "hlolayout/hlo"

// Severity says how much a finding matters.
type Severity int

// The severities. Off switches a rule off.
const (
	Off Severity = iota
	Note
	Warning
	Error
)

var severityNames = [...]string{Off: "off", Note: "note", Warning: "warning", Error: "error"}

// String returns the name: off, note, warning or error.
func (s Severity) String() string { return severityNames[s] }

// ParseSeverity returns the severity of that name.
func ParseSeverity(name string) (Severity, bool) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), true
		}
	}
	return Off, false
}

// SeverityNames returns the names of all severities, the least first.
func SeverityNames() []string { return severityNames[:] }

// Rule is one row of the table of rules.
type Rule struct {
	// ID is stable, such as "TPL001"; Name says the same in words.
	ID, Name string
	// Doc is one line, Page the text that explains the rule: what it means, an example, what helps, how to set it.
	Doc, Page string
	Severity  Severity
	// MinBytes is the least cost in bytes that is reported; MinFactor the least padded size in terms of the data's own,
	// for the rules about padding.
	MinBytes  int64
	MinFactor float64
}

// The ids of the rules.
const (
	PaddingWaste     = "TPL001"
	NarrowMinor      = "TPL002"
	WideElements     = "TPL003"
	MovesData        = "TPL004"
	MovesInLoop      = "TPL005"
	MovesParameter   = "TPL006"
	DonationLost     = "TPL007"
	CustomCallLayout = "TPL008"
	HostOutput       = "TPL009"
	ParameterLayout  = "TPL010"
	PaddingBudget    = "TPL011"
	RelayoutBudget   = "TPL012"
)

const mib = 1 << 20

// rules is the table; Page is filled in from pages.
var rules = []Rule{
	{ID: PaddingWaste, Name: "padding", Severity: Warning, MinBytes: mib, MinFactor: 2,
		Doc: "an array takes far more memory than its data, because its two minor dimensions are filled up to whole " +
			"tiles"},
	{ID: NarrowMinor, Name: "narrow-minor-dimension", Severity: Warning, MinBytes: mib, MinFactor: 2,
		Doc: "the minor dimension has one or two elements, of which a tile takes 128"},
	{ID: WideElements, Name: "wide-elements", Severity: Warning, MinBytes: mib, MinFactor: 2,
		Doc: "elements are stored wider than their type, such as a mask of 32 bits an element"},
	{ID: MovesData, Name: "relayout", Severity: Warning, MinBytes: mib,
		Doc: "a copy or transpose does nothing but move an array into another order"},
	{ID: MovesInLoop, Name: "relayout-in-loop", Severity: Warning, MinBytes: mib,
		Doc: "a copy or transpose inside of a loop moves an array into another order each time round"},
	{ID: MovesParameter, Name: "parameter-relayout", Severity: Warning, MinBytes: mib,
		Doc: "a parameter is copied into another order on every call"},
	{ID: DonationLost, Name: "donation", Severity: Error,
		Doc: "a donated parameter and its output have different layouts, so that the buffer cannot be used again"},
	{ID: CustomCallLayout, Name: "custom-call-layout", Severity: Error,
		Doc: "an operand of a custom call does not have the layout that the call requires"},
	{ID: HostOutput, Name: "host-output", Severity: Error,
		Doc: "an output that is meant for host memory is not placed there"},
	{ID: ParameterLayout, Name: "parameter-layout", Severity: Note,
		Doc: "a parameter does not have the default layout, so that callers have to match it"},
	{ID: PaddingBudget, Name: "padding-budget", Severity: Error,
		Doc: "the padding of the whole module is above --max-padding"},
	{ID: RelayoutBudget, Name: "relayout-budget", Severity: Error,
		Doc: "the relayouts of one run move more bytes than --max-relayout-bytes"},
}

// Rules returns the rules with their defaults and pages, by id.
func Rules() []Rule {
	out := make([]Rule, len(rules))
	for i, r := range rules {
		r.Page = pages[r.ID]
		out[i] = r
	}
	return out
}

// Finding is one place where a rule is broken.
type Finding struct {
	Rule     *Rule
	Severity Severity
	// Doubtful says that the compiled module may not have it; the last of Details says why.
	Doubtful bool
	// Uncounted says that totals leave it out: its value is predicted to have no buffer (hlo.Forecast).
	Uncounted bool
	// Instruction is nil for findings about the whole module.
	Instruction *hlo.Instruction
	Index       hlo.Index
	// Shape is the array that the finding is about, nil for the whole module.
	Shape *hlo.Shape
	// Message says what is found, Details more of it, a line each.
	Message string
	Details []string
	// Bytes is what it costs: padding, bytes moved per run of the module, or the size of the buffer.
	Bytes int64
	// Suggestion says what helps where that is certain, Saves how many bytes; both empty otherwise, as where it is
	// Uncounted.
	Suggestion string
	Saves      int64
	// Same are further values with the same finding: the same rule, shape, message and details.
	Same []*hlo.Instruction
}

// Count returns how many values the finding is about.
func (f *Finding) Count() int { return 1 + len(f.Same) }
