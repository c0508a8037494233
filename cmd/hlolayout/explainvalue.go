package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/passes"
	"hlolayout/passes/folding"
	"hlolayout/passes/plan"
	"hlolayout/passes/reasons"
	"hlolayout/printer/report"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

// valueName is %name or %computation/%name, with the index of a part of a tuple after it.
var valueName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^%?((?:[\w.\-]+/%?)?[\w.\-]+)(?:\{([\d,]*)\})?$`)
})

func explainValue(c *cli.Command, s streams, file, value string) error {
	parts := valueName().FindStringSubmatch(value)
	if parts == nil {
		return usage("explain", "%q is not a value: write %%name, %%name{0} or %%computation/%%name", value)
	}
	return s.explained(c, file, parts[1], func(j *job, x *explained) error {
		in, err := x.findValue(parts[1])
		if err != nil {
			return j.errorf("%v%s", err, j.elsewhere(c, parts[1]))
		}
		j.noteNamed(x.m, parts[1])
		if x.given == nil && x.asWritten() {
			j.note("%s: note: this %%%s is of the module as it is written; %s", hlo.Visible(j.name()), in.Name, namedElsewhere)
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
		if x.alone, err = j.reassign(x); err != nil {
			return err
		}
		part.Leaves(func(more hlo.Index, leaf *hlo.Shape) {
			if leaf.IsArray() {
				x.add(j, in, slices.Concat(index, more), leaf)
			}
		})
		return nil
	})
}

// explained is a module with the reasons for its layouts.
type explained struct {
	*judged
	m      *hlo.Module
	plan   *plan.Plan
	chains *plan.Chains
	file   *reasons.Reasons // of a module that has its layouts
	alone  *reassigned
	others []version // of a module without layouts, where one value is asked about
	json   bool
	given  *hlo.Instruction // the value asked about as the file has it, nil for none
}

// explained reads a module, finds the reasons for its layouts, and calls f. value is the one asked about, if any.
func (s streams) explained(c *cli.Command, file, value string, f func(*job, *explained) error) error {
	ts, err := targetsOf(c)
	if err != nil {
		return err
	}
	asked, err := wishesOf(c)
	if err != nil {
		return err
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
		if c.Bool("simplify") || c.Bool("root-causes") { // whose bytes are those of stats
			m = folding.Prepare(m, d.stage, d.target.Target).Module
		}
		x := &explained{judged: d, m: m, json: c.String("format") == "json"}
		if value != "" {
			x.given, _ = m.Find(value)
		}
		j.notePins(m, asked.pins)
		if err := j.reasons(x, &asked, !c.Bool("all") && !c.Bool("root-causes")); err != nil {
			return err
		}
		x.chains = x.plan.Chains()
		return f(j, x)
	})
}

// add explains one array.
func (x *explained) add(j *job, in *hlo.Instruction, index hlo.Index, leaf *hlo.Shape) {
	chain := x.chains.Of(in, index)
	e := explanationOf(in, index, x.target.Target, chain)
	e.Origin = x.origin()
	if weakest, ok := reasons.Weakest(chain); ok {
		e.Weakest = &weakest
	}
	e.ofFile, e.fused = x.file != nil, x.stage == stage.Scheduled
	if len(chain) > 0 {
		x.alsoBy(e, in, index, &chain[len(chain)-1])
	}
	e.Versions = x.otherVersionsOf(chain, leaf)
	if x.alone != nil {
		e.Alone = x.alone.of(chain, leaf)
	}
	if x.json {
		line, _ := json.Marshal(e) // plain values cannot fail
		j.out = append(append(j.out, line...), '\n')
	} else {
		j.out = e.append(j.out)
	}
}

// alsoBy adds the other causes that demand an array's order in a module that has its layouts.
func (x *explained) alsoBy(e *explanation, in *hlo.Instruction, index hlo.Index, end *plan.Link) {
	if x.file != nil {
		others, more := x.file.Others(in, index, end)
		e.Also, e.AndMore = linksOf(others), more
	}
}

// reasons finds why the arrays of a module have their layouts: a module without layouts gets those that the pass
// assigns. versions says that other versions of the compiler are asked, too.
func (j *job) reasons(x *explained, asked *wishes, versions bool) error {
	m, target := x.m, x.target.Target
	options := passes.Options{Pins: asked.pins, EntryLayouts: x.entry, Checked: true}
	if err := asked.prepare(m, target, &options); err != nil {
		return err
	}
	if x.hasLayouts() && len(options.Pins) == 0 {
		x.file = reasons.Of(m, target, x.mode())
		x.plan = x.file.Plan
		return nil
	}
	if versions {
		x.others = otherVersions(m, x.judged, options)
	}
	result, err := passes.Run(m, target, []string{"layout"}, options, passes.Observer{})
	if err != nil {
		if list := (hlo.ErrorList{}); errors.As(err, &list) {
			return list
		}
		return j.errorf("%v", err)
	}
	x.plan = result.Passes[0].Plan
	return nil
}

// findValue returns the instruction of that name.
func (x *explained) findValue(name string) (*hlo.Instruction, error) {
	in, near := x.m.Find(name)
	switch {
	case in != nil:
		return in, nil
	case x.given != nil && x.given.Opcode == hlo.OpGetTupleElement:
		k, _ := x.given.Attr("index").Int()
		return nil, fmt.Errorf("layout assignment removes %%%s, which is element %d of %%%s: ask about what it is made of",
			name, k, x.given.Operands[0].Name)
	case x.given != nil:
		return nil, fmt.Errorf("layout assignment removes %%%s, a %s", name, x.given.Opcode)
	case near != "":
		near = "; did you mean %" + near + "?"
	}
	if x.asWritten() {
		near += "; " + namedElsewhere
	}
	stage := " after layout assignment"
	if x.hasLayouts() {
		stage = ""
	}
	return nil, fmt.Errorf("no value %%%s%s%s", name, stage, near)
}

// namedElsewhere is said of names in a module asWritten.
const namedElsewhere = "lint, stats, summary and oom name values of the simplified one: see --simplify"

// asWritten reports whether the module is one that the compiler simplifies first, as it is written.
func (x *explained) asWritten() bool {
	return !x.m.Simplified && x.stage.BeforeSimplification()
}

// explanation is what is said about one array.
type explanation struct {
	Value       string  `json:"value"`
	Computation string  `json:"computation"`
	Shape       string  `json:"shape"`
	Bytes       int64   `json:"bytes"`
	CopyOf      *source `json:"copy_of,omitempty"`
	Orders      []order `json:"orders"`
	Chain       []link  `json:"chain"`
	// Also are the other causes that demand the same order; AndMore says that there are further ones.
	Also    []link `json:"also,omitempty"`
	AndMore bool   `json:"and_more,omitempty"`
	// Weakest is the rule of the chain that is right least often.
	Weakest *reasons.Precision `json:"weakest,omitempty"`
	// Alone is what layout assignment alone would give the array, where that is not its order.
	Alone *alternative `json:"layout_assignment_alone,omitempty"`
	// Versions are other versions of the compiler that would give the array another order.
	Versions []otherVersion `json:"other_versions,omitempty"`
	report.Origin
	next string // where the chain goes on that Chain begins, "" for a whole one
	end  *link  // its last link
	// ofFile says that the file has the layouts: the chain is found from them.
	ofFile bool
	// fused says that the module went through fusion, after layout assignment.
	fused bool
}

// alternative is another layout, and why.
type alternative struct {
	Shape string `json:"shape"`
	Bytes int64  `json:"bytes"`
	Chain []link `json:"chain"`
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
	Value     string       `json:"value"`
	Shape     string       `json:"shape"`
	Rule      string       `json:"rule"`
	RuleName  string       `json:"rule_name"`
	ChosenBy  string       `json:"chosen_by,omitempty"`
	Source    string       `json:"source,omitempty"`
	Priority  int          `json:"priority"`
	Mandatory bool         `json:"mandatory"`
	Beat      []overridden `json:"beat,omitempty"`
	Refused   []overridden `json:"refused,omitempty"`
}

type overridden struct {
	MinorToMajor []int  `json:"minor_to_major"`
	Rule         string `json:"rule"`
	Source       string `json:"source,omitempty"`
}

func explanationOf(in *hlo.Instruction, index hlo.Index, t *tpu.Target, chain []plan.Link) *explanation {
	leaf := in.Shape.At(index)
	e := &explanation{Value: hlo.ValueName(in, index), Computation: in.Computation.Name, Shape: leaf.String(),
		CopyOf: copySource(in), Chain: linksOf(chain)}
	e.Bytes, e.Orders = bytesOf(leaf, t)
	return e
}

// copySource returns what a copy copies; nil for any other instruction.
func copySource(in *hlo.Instruction) *source {
	if in.Opcode != hlo.OpCopy {
		return nil
	}
	return &source{hlo.ValueName(in.Operands[0], nil), in.Operands[0].Shape.String()}
}

// bytesOf returns what an array takes, padding included, in its order and in the default orders that it does not have.
func bytesOf(leaf *hlo.Shape, t *tpu.Target) (now int64, orders []order) {
	bytes := func(order []int) int64 {
		n, _ := t.Bytes(leaf.DType, leaf.Dims, order)
		return n
	}
	orders = []order{}
	for _, o := range [][]int{t.BoundaryOrder(leaf.DType, leaf.Dims), hlo.Descending(leaf.Rank())} {
		if !slices.Equal(o, leaf.MinorToMajor()) && !slices.ContainsFunc(orders,
			func(x order) bool { return slices.Equal(x.MinorToMajor, o) }) {
			orders = append(orders, order{o, bytes(o)})
		}
	}
	return bytes(leaf.MinorToMajor()), orders
}

// linksOf returns a chain as it is printed.
func linksOf(chain []plan.Link) []link {
	out := []link{}
	for _, l := range chain {
		step := link{Value: hlo.ValueName(l.Instruction, l.Index), Rule: l.Reason.Rule,
			RuleName: reasons.RuleName(l.Reason.Rule), ChosenBy: reasons.ChosenBy(&l.Reason),
			Priority: int(l.Reason.Priority), Mandatory: l.Reason.Mandatory}
		if s := l.Instruction.Shape.At(l.Index); s != nil {
			step.Shape = s.String()
		}
		if l.Reason.Source != nil {
			step.Source = hlo.ValueName(l.Reason.Source, nil)
		}
		step.Beat, step.Refused = overriddenOf(l.Reason.Beat()), overriddenOf(l.Reason.Refused())
		out = append(out, step)
	}
	return out
}

func overriddenOf(list []plan.Overridden) (out []overridden) {
	for _, b := range list {
		x := overridden{MinorToMajor: b.MinorToMajor, Rule: b.Rule}
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

// alsoText lists what else demands the same order, with a space before each: an instruction that demands it of several
// arrays once, and what ends the chain not again.
func (e *explanation) alsoText() string {
	named := func(l *link) string { return fmt.Sprintf(" %s [%s]", cmp.Or(l.Source, l.Value), l.RuleName) }
	var texts []string
	if n := len(e.Chain); n > 0 {
		end := e.Chain[n-1]
		texts = append(texts, fmt.Sprintf(" %s [%s]", end.Value, end.RuleName), named(&end))
	}
	known := len(texts)
	for i := range e.Also {
		if text := named(&e.Also[i]); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts[known:], ",")
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
	dst = appendChain(dst, e.Chain)
	if e.next != "" {
		goesOn := ""
		if e.next != e.end.Value {
			goesOn = "goes on at " + e.next + " and "
		}
		dst = fmt.Appendf(dst, "    the chain %sends at %s: %s [%s]%s\n", goesOn, e.end.Value, e.end.Rule, e.end.rules(),
			from(e.end.Source, e.end.Value))
	}
	if also := e.alsoText(); also != "" {
		dst = fmt.Appendf(dst, "    the same is demanded by%s", also)
		if e.AndMore {
			dst = append(dst, " and others"...)
		}
		dst = append(dst, '\n')
	}
	if w := e.Weakest; w != nil && w.Seen > 0 && e.ofFile {
		dst = fmt.Appendf(dst, "  the chain is found from the file's layouts; as a prediction, the weakest of its rules, "+
			"%s, is right in %d of %d arrays measured\n", w.Rule, w.Right, w.Seen)
	} else if w != nil && w.Seen > 0 {
		dst = fmt.Appendf(dst, "  the weakest rule of these is %s: right in %d of %d arrays measured\n", w.Rule, w.Right,
			w.Seen)
	} else if w != nil {
		dst = fmt.Appendf(dst, "  the weakest rule of these is %s, which was not measured\n", w.Rule)
	}
	if a := e.Alone; a != nil {
		dst = fmt.Appendf(dst, "  layout assignment alone would choose %s, %d bytes\n", a.Shape, a.Bytes)
		dst = appendChain(dst, a.Chain)
		if e.fused {
			dst = append(dst, aloneIsNoFinding...)
		}
	}
	for i := range e.Versions {
		v := &e.Versions[i]
		dst = fmt.Appendf(dst, "  libtpu %s to %s would choose %s, %d bytes\n", v.First, v.Last, v.Shape, v.Bytes)
		dst = appendChain(dst, v.Chain)
	}
	return dst
}

// appendChain writes a chain, the values from the second link on.
func appendChain(dst []byte, chain []link) []byte {
	for i, l := range chain {
		if i > 0 {
			dst = fmt.Appendf(dst, "  %s: %s\n", l.Value, l.Shape)
		}
		dst = fmt.Appendf(dst, "    because: %s [%s]%s%s\n", l.Rule, l.rules(), from(l.Source, l.Value),
			strength(l.Priority, l.Mandatory))
		for _, b := range l.Beat {
			dst = fmt.Appendf(dst, "    it replaced {%s}: %s%s\n", orderText(b.MinorToMajor), b.Rule, from(b.Source, l.Value))
		}
		for _, b := range l.Refused {
			dst = fmt.Appendf(dst, "    it held against {%s}: %s%s\n", orderText(b.MinorToMajor), b.Rule, from(b.Source,
				l.Value))
		}
	}
	return dst
}

// rules names the rule of a link, and after it the one that chose among the orders that it leaves.
func (l *link) rules() string {
	if l.ChosenBy == "" {
		return l.RuleName
	}
	return l.RuleName + ", " + l.ChosenBy
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
