package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
	"hlolayout/parser/forms"
	"hlolayout/parser/hloproto"
	"hlolayout/passes"
	"hlolayout/passes/check"
	"hlolayout/passes/folding"
	"hlolayout/passes/layout"
	"hlolayout/passes/lint"
	"hlolayout/passes/plan"
	"hlolayout/passes/reasons"
	"hlolayout/printer/report"
	"hlolayout/tpu"

	"github.com/urfave/cli/v2"
)

func explainCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "explain a value's layout, or a code of a message",
		UsageText: "hlolayout explain [flags] FILE VALUE\n       hlolayout explain [CODE | RULE]\n       hlolayout explain --rules",
		Description: `With a file and the name of a value: prints why the value has its layout, back to the entry layout, the operation or the
default that forced it. A module without layouts gets those that the pass assigns, and the chain says what each replaced on the way. In
a module that has its layouts (laid out, scheduled) the chain is what ties the file's layouts together; fusions, moves between memories
and bitcasts say what made them. VALUE is %name, or %name{1,0} for a part of a tuple.
With a code: what the code means, with a text that causes it. Without arguments: every code, a line each.
With a rule of the layout pass, as the chain of a value names it in brackets: what it does, and the modules that change without it.
With --rules: every rule, a line each, in the order in which the pass comes to them.

Keys of --format json: value, computation, shape, bytes (allocated, padding included), copy_of (value and shape of what a copy
copies), orders (minor_to_major and bytes of other orders), chain: a list of value, shape, rule, rule_name, source, priority, mandatory, beat (minor_to_major, rule, source of what it replaced), refused
(the same, of what a pin kept out).

Examples:
   hlolayout explain attention.hlo %copy         why there is a copy
   hlolayout explain --tpu v7x attention.hlo %dot_general.2
   hlolayout explain --pin '%div.7={3,2,1,0}' attention.hlo %div.7
   hlolayout explain dumps %copy.3 --module 3    of a folder of --xla_dump_to
   hlolayout explain HLO010                      an operand that is not there
   hlolayout explain dot-votes                   which dimension of a dot is minor`,
		Flags: append(append(targetFlags(), folderFlags()...),
			pinFlag(), entryFlag(),
			&cli.BoolFlag{Name: "simplify", DisableDefaultText: true, Usage: "explain a value of the module that costs are taken from: " +
				"a lowered or unoptimized one as the compiler's simplifications leave it"},
			&cli.BoolFlag{Name: "rules", Usage: "list the rules of the layout pass"},
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, json"}, "text", "json"),
		),
		Action: func(c *cli.Context) error {
			switch args := c.Args().Slice(); len(args) {
			case 0:
				if c.Bool("rules") {
					return listRules(s)
				}
				return listCodes(s)
			case 1:
				return explainName(s, args[0])
			case 2:
				return explainValue(c, s, args[0], args[1])
			}
			return usage("explain", "explain takes a code or a rule, or a file and a value")
		},
	}
}

// codes returns every code of a message, those of reading first.
func codes() []hlo.Code {
	list := slices.Concat(parser.Codes(), hloproto.Codes, forms.Codes, verify.Codes, check.Codes, layout.Codes)
	for _, command := range []string{"check", "diff"} {
		for _, r := range report.Rules(command) {
			list = append(list, hlo.Code{Name: r.ID, Meaning: r.Name + ": " + r.Doc})
		}
	}
	return list
}

func listCodes(s streams) error {
	for _, code := range codes() {
		if _, err := fmt.Fprintf(s.out, "%s  %s\n", code.Name, code.Meaning); err != nil {
			return fmt.Errorf("standard output: %v", reason(err))
		}
	}
	for _, r := range lint.Rules() {
		if _, err := fmt.Fprintf(s.out, "%s  %s: %s\n", r.ID, r.Name, r.Doc); err != nil {
			return fmt.Errorf("standard output: %v", reason(err))
		}
	}
	return nil
}

// listRules lists the rules of the layout pass, and of modules that have their layouts: name, stage, and what the rule does.
func listRules(s streams) error {
	for _, r := range layout.Rules() {
		if _, err := fmt.Fprintf(s.out, "%-26s %-10s %s\n", r.Name, r.Stage, r.Doc); err != nil {
			return fmt.Errorf("standard output: %v", reason(err))
		}
	}
	for _, r := range reasons.Rules() {
		if _, err := fmt.Fprintf(s.out, "%-26s %-10s %s\n", r.Name, "file", r.Doc); err != nil {
			return fmt.Errorf("standard output: %v", reason(err))
		}
	}
	return nil
}

// explainName explains a code, or a rule of the layout pass.
func explainName(s streams, name string) error {
	for _, r := range layout.Rules() {
		if r.Name != strings.ToLower(name) {
			continue
		}
		fmt.Fprintf(s.out, "%s (%s): %s\n", r.Name, r.Stage, r.Doc)
		if r.Text != "" {
			fmt.Fprintf(s.out, "As a reason: %s.\n", r.Text)
		}
		if len(r.Except) > 0 {
			fmt.Fprintf(s.out, "It does not hold for %s.\n", strings.Join(r.Except, ", "))
		}
		for _, l := range r.Limits {
			fmt.Fprintf(s.out, "Threshold: %s, %d%s.\n", l.Name, l.Value, l.Range())
		}
		fmt.Fprintf(s.out, "Evidence, in passes/layout/testdata: %s.\n", strings.Join(r.Evidence, ", "))
		return nil
	}
	for _, r := range reasons.Rules() {
		if r.Name == strings.ToLower(name) {
			_, err := fmt.Fprintf(s.out, "%s (in modules that have their layouts): %s\nAs a reason: %s.\n", r.Name, r.Doc, r.Text)
			return err
		}
	}
	if !strings.Contains(name, "-") {
		name = strings.ToUpper(name) // a code
	}
	return explainCode(s, name)
}

func explainCode(s streams, name string) error {
	if page, ok := lint.Page(name); ok {
		_, err := fmt.Fprintln(s.out, strings.TrimRight(page, "\n"))
		return err
	}
	var names []string
	for _, code := range codes() {
		names = append(names, code.Name)
		if code.Name != name {
			continue
		}
		fmt.Fprintf(s.out, "%s: %s.\n", code.Name, strings.TrimSuffix(code.Meaning, "."))
		if code.Example != "" {
			fmt.Fprintf(s.out, "\nExample:\n\n%s\n", indent(strings.TrimSpace(code.Example)))
		}
		return nil
	}
	for _, r := range layout.Rules() {
		names = append(names, r.Name)
	}
	for _, r := range reasons.Rules() {
		names = append(names, r.Name)
	}
	return usage("explain", "unknown code or rule %s: %s", name, didYouMean(name, names))
}

// indent puts four blanks before each line.
func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

// valueName is %name, with the index of a part of a tuple behind it.
var valueName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^%?([\w.\-]+)(?:\{([\d,]*)\})?$`) })

func explainValue(c *cli.Context, s streams, file, value string) error {
	ts, err := targetsOf(c)
	if err != nil {
		return err
	}
	asked, err := wishesOf(c)
	if err != nil {
		return err
	}
	parts := valueName().FindStringSubmatch(value)
	if parts == nil {
		return usage("explain", "%q is no value: write %%name or %%name{0}", value)
	}
	inputs, err := s.oneInput(c, file)
	if err != nil {
		return err
	}
	return s.each(inputs, func(j *job) error {
		m, err := j.read(false)
		if err != nil {
			return err
		}
		d, err := j.judge(c, ts, m)
		if err != nil {
			return err
		}
		if c.Bool("simplify") {
			m = folding.Prepare(m, d.stage)
		}
		p, err := j.reasons(d, m, &asked)
		if err != nil {
			return err
		}
		in, err := findValue(m, parts[1])
		if err != nil {
			return j.errorf("%v", err)
		}
		var index hlo.Index
		for _, n := range strings.FieldsFunc(parts[2], func(r rune) bool { return r == ',' }) {
			k, _ := strconv.Atoi(n)
			index = append(index, k)
		}
		part := in.Shape.At(index)
		if part == nil {
			return j.errorf("%%%s has no part {%s}: its shape is %s", in.Name, parts[2], in.Shape)
		}
		part.Leaves(func(more hlo.Index, leaf *hlo.Shape) {
			if !leaf.IsArray() {
				return
			}
			at := slices.Concat(index, more)
			e := explanationOf(in, at, leaf, d.target.Target, p)
			e.Origin = d.origin()
			if c.String("format") == "json" {
				line, _ := json.Marshal(e) // plain values cannot fail
				j.out = append(append(j.out, line...), '\n')
			} else {
				j.out = e.append(j.out)
			}
		})
		return nil
	})
}

// reasons returns why the arrays of a module have their layouts: a module without layouts gets those that the pass assigns.
func (j *job) reasons(d *judged, m *hlo.Module, asked *wishes) (*plan.Plan, error) {
	target, options := d.target.Target, passes.Options{Pins: asked.pins, EntryLayouts: d.entry, Checked: true}
	if err := asked.prepare(m, target, &options); err != nil {
		return nil, err
	}
	if d.hasLayouts() && len(options.Pins) == 0 {
		return reasons.Of(m, target), nil
	}
	result, err := passes.Run(m, target, []string{"layout"}, options, passes.Observer{})
	if err != nil {
		if list := (hlo.ErrorList{}); errors.As(err, &list) {
			return nil, list
		}
		return nil, j.errorf("%v", err)
	}
	return result.Passes[0].Plan, nil
}

// findValue returns the instruction of that name.
func findValue(m *hlo.Module, name string) (*hlo.Instruction, error) {
	in, near := m.Find(name)
	if in != nil {
		return in, nil
	}
	hint := ""
	if near != "" {
		hint = "; did you mean %" + near + "?"
	}
	return nil, fmt.Errorf("no value %%%s after layout assignment%s", name, hint)
}

// explanation is what is told about one array.
type explanation struct {
	Value       string  `json:"value"`
	Computation string  `json:"computation"`
	Shape       string  `json:"shape"`
	Bytes       int64   `json:"bytes"`
	CopyOf      *source `json:"copy_of,omitempty"`
	Orders      []order `json:"orders"`
	Chain       []link  `json:"chain"`
	report.Origin
}

// source is what a copy copies.
type source struct {
	Value string `json:"value"`
	Shape string `json:"shape"`
}

type order struct {
	MinorToMajor []int `json:"minor_to_major"`
	Bytes        int64 `json:"bytes"`
}

type link struct {
	Value     string   `json:"value"`
	Shape     string   `json:"shape"`
	Rule      string   `json:"rule"`
	RuleName  string   `json:"rule_name"`
	Source    string   `json:"source,omitempty"`
	Priority  int      `json:"priority"`
	Mandatory bool     `json:"mandatory"`
	Beat      []beaten `json:"beat,omitempty"`
	Refused   []beaten `json:"refused,omitempty"`
}

type beaten struct {
	MinorToMajor []int  `json:"minor_to_major"`
	Rule         string `json:"rule"`
	Source       string `json:"source,omitempty"`
}

func explanationOf(in *hlo.Instruction, index hlo.Index, leaf *hlo.Shape, t *tpu.Target, p *plan.Plan) *explanation {
	e := &explanation{Value: hlo.ValueName(in, index), Computation: in.Computation.Name, Shape: leaf.String(), Orders: []order{}, Chain: []link{}}
	if in.Opcode == hlo.OpCopy {
		e.CopyOf = &source{hlo.ValueName(in.Operands[0], nil), in.Operands[0].Shape.String()}
	}
	bytes := func(order []int) int64 {
		n, _ := t.Bytes(leaf.DType, leaf.Dims, order)
		return n
	}
	e.Bytes = bytes(leaf.MinorToMajor())
	for _, o := range [][]int{t.BoundaryOrder(leaf.DType, leaf.Dims), hlo.Descending(leaf.Rank())} {
		if !slices.Equal(o, leaf.MinorToMajor()) && !slices.ContainsFunc(e.Orders, func(x order) bool { return slices.Equal(x.MinorToMajor, o) }) {
			e.Orders = append(e.Orders, order{o, bytes(o)})
		}
	}
	for _, l := range p.Chain(in, index) {
		step := link{Value: hlo.ValueName(l.Instruction, l.Index), Rule: l.Reason.Rule, RuleName: reasons.RuleName(l.Reason.Rule), Priority: int(l.Reason.Priority), Mandatory: l.Reason.Mandatory}
		if s := l.Instruction.Shape.At(l.Index); s != nil {
			step.Shape = s.String()
		}
		if l.Reason.Source != nil {
			step.Source = hlo.ValueName(l.Reason.Source, nil)
		}
		step.Beat, step.Refused = beatenOf(l.Reason.Beat()), beatenOf(l.Reason.Refused())
		e.Chain = append(e.Chain, step)
	}
	return e
}

func beatenOf(list []plan.Beaten) (out []beaten) {
	for _, b := range list {
		x := beaten{MinorToMajor: b.MinorToMajor, Rule: b.Rule}
		if b.Source != nil {
			x.Source = hlo.ValueName(b.Source, nil)
		}
		out = append(out, x)
	}
	return out
}

func orderText(order []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(order)), " ", ","), "[]")
}

// append writes the explanation for a person.
func (e *explanation) append(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%s in %%%s: %s, %d bytes\n", e.Value, e.Computation, e.Shape, e.Bytes)
	if e.CopyOf != nil {
		dst = fmt.Appendf(dst, "  a copy of %s: %s\n", e.CopyOf.Value, e.CopyOf.Shape)
	}
	for _, o := range e.Orders {
		dst = fmt.Appendf(dst, "  in order {%s} it would take %d bytes\n", orderText(o.MinorToMajor), o.Bytes)
	}
	if len(e.Chain) == 0 {
		return append(dst, "  the pass left it as it was written\n"...)
	}
	for i, l := range e.Chain {
		if i > 0 {
			dst = fmt.Appendf(dst, "  %s: %s\n", l.Value, l.Shape)
		}
		dst = fmt.Appendf(dst, "    because: %s [%s]%s%s\n", l.Rule, l.RuleName, from(l.Source, l.Value), strength(l.Priority, l.Mandatory))
		for _, b := range l.Beat {
			dst = fmt.Appendf(dst, "    it replaced {%s}: %s%s\n", orderText(b.MinorToMajor), b.Rule, from(b.Source, l.Value))
		}
		for _, b := range l.Refused {
			dst = fmt.Appendf(dst, "    it held against {%s}: %s%s\n", orderText(b.MinorToMajor), b.Rule, from(b.Source, l.Value))
		}
	}
	return dst
}

func from(source, value string) string {
	if source == "" || source == value {
		return ""
	}
	return " (" + source + ")"
}

func strength(priority int, mandatory bool) string {
	switch {
	case mandatory && priority != 0:
		return fmt.Sprintf("; mandatory, priority %d", priority)
	case mandatory:
		return "; mandatory"
	case priority != 0:
		return fmt.Sprintf("; priority %d", priority)
	}
	return ""
}
