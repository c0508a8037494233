package main

import (
	"encoding/json"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
	"hlolayout/passes/plan"
	"hlolayout/passes/reasons"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

// explainAll explains every array of the module that is in memory.
func explainAll(c *cli.Command, s streams, file string) error {
	return s.explained(c, file, "", func(j *job, x *explained) error {
		all := explainedAll{explained: x, ids: map[place]int{}, causes: map[shared]int{}, texts: map[string]string{}}
		for _, comp := range x.m.InMemory() {
			for _, in := range comp.Instructions {
				in.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
					if leaf.IsArray() {
						all.id(in, slices.Clone(index))
					}
				})
			}
		}
		if x.json {
			j.out = all.append(j.out, j.name())
		} else {
			for id := range len(all.arrays) { // following a chain adds those inside of fusions
				j.out = all.explanation(id).append(j.out)
			}
		}
		return nil
	})
}

// explanation is what is said about an array in memory: its own link, and where its chain goes on and ends.
func (a *explainedAll) explanation(id int) *explanation {
	a.follow(id)
	l := a.arrays[id]
	if l.Reason.Rule == "" {
		return explanationOf(l.Instruction, l.Index, a.target.Target, nil)
	}
	e, end := explanationOf(l.Instruction, l.Index, a.target.Target, []plan.Link{l.Link}), a.arrays[l.end]
	if l.next != none {
		next := a.arrays[l.next]
		e.next, e.end = hlo.ValueName(next.Instruction, next.Index), &linksOf([]plan.Link{end.Link})[0]
	}
	if l.weakest.Rule != "" {
		e.Weakest = &l.weakest
	}
	e.ofFile = a.file != nil
	a.alsoBy(e, l.Instruction, l.Index, &end.Link)
	return e
}

// explainedAll are the reasons for all arrays of a module. Chains share their links: each array has its own, and says
// which one the next link is of.
type explainedAll struct {
	*explained
	arrays []chained // by id, those in memory first
	ids    map[place]int
	causes map[shared]int // by what they are, their numbers
	demand []demandRow
	rules  []ruleText
	texts  map[string]string // by the names of rules
}

// chained is an array with its link of chains, which has no rule where the plan says nothing.
type chained struct {
	plan.Link
	asked   bool
	next    int // the array of the next link; none at the end
	end     int // the array of the last link
	weakest reasons.Precision
}

const none = -1

type place struct {
	in    *hlo.Instruction
	index string
}

type shared struct {
	array     int
	rule      string
	by        *hlo.Instruction
	mandatory bool
}

// demandRow is what demands an array's order, besides what the array's row says.
type demandRow struct {
	Array     int    `json:"array"`
	RuleName  string `json:"rule_name"`
	Source    string `json:"source,omitempty"`
	Mandatory bool   `json:"mandatory,omitempty"`
}

// ruleText says a rule in words, and how often it is right.
type ruleText struct {
	reasons.Precision
	Rule string `json:"rule"`
}

// row is what is said about one array.
type row struct {
	Value       string  `json:"value"`
	Computation string  `json:"computation"`
	Shape       string  `json:"shape"`
	Inside      bool    `json:"inside,omitempty"`
	Bytes       int64   `json:"bytes,omitempty"`
	CopyOf      *source `json:"copy_of,omitempty"`
	Orders      []order `json:"orders,omitempty"`
	RuleName    string  `json:"rule_name,omitempty"`
	// Rule is only there where it is not the text of the rule of that name.
	Rule      string       `json:"rule,omitempty"`
	Source    string       `json:"source,omitempty"`
	Priority  int          `json:"priority,omitempty"`
	Mandatory bool         `json:"mandatory,omitempty"`
	Beat      []overridden `json:"beat,omitempty"`
	Refused   []overridden `json:"refused,omitempty"`
	Next      *int         `json:"next,omitempty"`
	Cause     string       `json:"cause,omitempty"`
	Also      []int        `json:"also,omitempty"`
	AndMore   bool         `json:"and_more,omitempty"`
	Weakest   string       `json:"weakest,omitempty"`
}

// id returns the number of an array.
func (a *explainedAll) id(in *hlo.Instruction, index hlo.Index) int {
	p := place{in, index.String()}
	id, seen := a.ids[p]
	if !seen {
		link, ok := a.chains.At(in, index)
		if !ok {
			link = plan.Link{Instruction: in, Index: index}
		}
		id = len(a.arrays)
		a.ids[p], a.arrays = id, append(a.arrays, chained{Link: link})
	}
	return id
}

// follow finds the rest of an array's chain. One that would come back to itself ends before.
func (a *explainedAll) follow(id int) {
	var path []int
	for id != none && !a.arrays[id].asked {
		a.arrays[id].asked, a.arrays[id].next, a.arrays[id].end = true, none, none
		path = append(path, id)
		next, ok := a.chains.Next(a.arrays[id].Link)
		if !ok {
			break
		}
		to := a.id(next.Instruction, next.Index)
		if a.arrays[to].asked && a.arrays[to].end == none {
			break // it is on the path
		}
		a.arrays[id].next = to
		id = to
	}
	for _, id := range slices.Backward(path) {
		x := &a.arrays[id]
		own, ok := reasons.Weakest([]plan.Link{x.Link})
		x.end, x.weakest = id, own
		if x.next != none {
			rest := &a.arrays[x.next]
			x.end = rest.end
			if !ok || rest.weakest.Rule != "" && rest.weakest.Weaker(own) {
				x.weakest = rest.weakest
			}
		}
	}
}

// append writes the module's reasons as JSON, an array a line. Writing a row adds the next array of its chain, which
// may be inside of a fusion.
func (a *explainedAll) append(dst []byte, file string) []byte {
	var rows [][]byte
	for inMemory, k := len(a.arrays), 0; k < len(a.arrays); k++ {
		line, _ := json.Marshal(a.row(k, k >= inMemory)) // plain values cannot fail
		rows = append(rows, line)
	}
	head, _ := json.Marshal(struct {
		report.Form
		Module string `json:"module"`
		File   string `json:"file"`
		report.Origin
		Rules  []ruleText  `json:"rules"`
		Causes []demandRow `json:"causes"`
	}{report.ThisForm, a.m.Name, file, a.origin(), append([]ruleText{}, a.rules...), append([]demandRow{}, a.demand...)})
	dst = append(append(dst, head[:len(head)-1]...), `,"arrays":[`...)
	for k, line := range rows {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '\n'), line...)
	}
	return append(dst, "\n]}\n"...)
}

// row is what is said about the array of that number.
func (a *explainedAll) row(id int, inside bool) *row {
	a.follow(id)
	l := a.arrays[id]
	leaf := l.Instruction.Shape.At(l.Index)
	r := &row{Value: hlo.ValueName(l.Instruction, l.Index), Computation: l.Instruction.Computation.Name,
		Shape: leaf.String(), Inside: inside}
	if !inside {
		r.Bytes, r.Orders = bytesOf(leaf, a.target.Target)
		r.CopyOf = copySource(l.Instruction)
	}
	if l.Reason.Rule == "" {
		return r
	}
	r.RuleName = a.named(l.Reason.Rule)
	if a.texts[r.RuleName] != l.Reason.Rule {
		r.Rule = l.Reason.Rule
	}
	if l.Reason.Source != nil {
		r.Source = hlo.ValueName(l.Reason.Source, nil)
	}
	r.Priority, r.Mandatory = int(l.Reason.Priority), l.Reason.Mandatory
	r.Beat, r.Refused = overriddenOf(l.Reason.Beat()), overriddenOf(l.Reason.Refused())
	if l.next != none {
		r.Next = &l.next
	}
	end := a.arrays[l.end].Link
	r.Cause = a.named(end.Reason.Rule)
	if inside {
		return r
	}
	r.Weakest = l.weakest.Rule
	if a.file == nil {
		return r
	}
	others, more := a.file.Others(l.Instruction, l.Index, &end)
	r.AndMore = more
	for _, o := range others {
		r.Also = append(r.Also, a.shared(o))
	}
	return r
}

// named returns the name of a rule, which is then among those of the output.
func (a *explainedAll) named(text string) string {
	name := reasons.RuleName(text)
	if _, ok := a.texts[name]; !ok {
		a.texts[name], a.rules = text, append(a.rules, ruleText{reasons.PrecisionOf(name), text})
	}
	return name
}

// shared returns the number of a cause.
func (a *explainedAll) shared(l plan.Link) int {
	key := shared{a.id(l.Instruction, l.Index), a.named(l.Reason.Rule), l.Reason.Source, l.Reason.Mandatory}
	n, seen := a.causes[key]
	if !seen {
		c := demandRow{Array: key.array, RuleName: key.rule, Mandatory: key.mandatory}
		if key.by != nil {
			c.Source = hlo.ValueName(key.by, nil)
		}
		n = len(a.demand)
		a.causes[key], a.demand = n, append(a.demand, c)
	}
	return n
}

// explainRootCauses lists the causes at the ends of the chains of a module by what they cost.
func explainRootCauses(c *cli.Command, s streams, file string) error {
	return s.explained(c, file, "", func(j *job, x *explained) error {
		folding.Predict(x.m, x.stage)
		r := report.NewRootCauses(x.m, j.name(), x.chains)
		r.Origin = x.origin()
		if x.json {
			return j.appendJSON(r)
		}
		j.out = r.AppendText(j.out, c.Int("top"))
		return nil
	})
}
