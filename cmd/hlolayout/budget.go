package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/parser"
	"hlolayout/passes/fit"
	"hlolayout/passes/lint"
	"hlolayout/printer"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

// budget is what a module may take of one memory, in bytes.
type budget struct {
	space string // in small letters
	bytes int64
}

// budgetSpaces are the memories that a budget can name.
var budgetSpaces = []string{"hbm", "vmem", "cmem"}

// budgetsOf reads --budget: hbm=12GiB,vmem=100MiB.
func budgetsOf(c *cli.Command) (list []budget, err error) {
	text := c.String("budget")
	if text == "" {
		return nil, nil
	}
	seen := map[string]bool{}
	for _, one := range strings.Split(text, ",") {
		space, size, _ := strings.Cut(strings.TrimSpace(one), "=")
		space = strings.ToLower(space)
		n, err := lint.ParseSize(size)
		switch {
		case !slices.Contains(budgetSpaces, space):
			return nil, usage("check", "--budget %s: %q is not a memory with a budget: %s", text, space,
				didYouMean(space, budgetSpaces))
		case err != nil || n <= 0:
			return nil, usage("check", "--budget %s: %q is not a size: write bytes, or 12GiB, 100MiB", text, size)
		case seen[space]:
			return nil, usage("check", "--budget %s: %s is there twice", text, space)
		}
		seen[space] = true
		list = append(list, budget{space, n})
	}
	return list, nil
}

// uses is what a module takes of the memories, and why that is not known.
type uses struct {
	hbm, fast *fit.Use
	why       string
}

// usesOf returns what a module takes, by its schedule or foreseen.
func (j *job) usesOf(d *judged) (u uses) {
	if refusal := fitAnswers[d.stage].refusal; refusal != "" {
		return uses{why: refusal}
	}
	p, scheduled, err := j.fitOf(d)
	if err != nil {
		return uses{why: strings.TrimPrefix(err.Error(), j.name()+": ")}
	}
	u.hbm = p.HBM()
	if scheduled != nil {
		u.fast, _ = fit.Fast(scheduled.Report)
	} else {
		u.fast, _ = fit.FastUnknown(p.Target)
	}
	return u
}

// of returns the use of a memory by its name in small letters, nil where nothing is known of it.
func (u *uses) of(space string) *fit.Use {
	for _, x := range []*fit.Use{u.hbm, u.fast} {
		if x != nil && strings.ToLower(x.Space) == space {
			return x
		}
	}
	return nil
}

// budgeted holds a module against the budgets, before anything changes it. For one that exceeds a budget it says what
// the memory holds at its peak, against the golden with that path if there is one.
func (g *goldens) budgeted(j *job, d *judged, path string) (list []report.Budget, err error) {
	if len(g.budgets) == 0 {
		return nil, nil
	}
	now, err := j.usesAsRead(d)
	if err != nil {
		return nil, err
	}
	var was, same *uses // of the golden, and of the module at the golden's stage
	for _, b := range g.budgets {
		u := now.of(b.space)
		if u == nil && now.why == "" {
			return nil, j.errorf("--budget %s: %s places no arrays in such a memory", b.space, d.target.Name)
		}
		x := report.NewBudget(strings.ToUpper(b.space), b.bytes, u, now.why)
		if x.Verdict != "within" && u != nil && len(u.Held) > 0 {
			if same == nil {
				if was, same, err = g.compositions(j, d, &now, path); err != nil {
					return nil, err
				}
			}
			var old []fit.Holding
			if was != nil {
				if v := was.of(b.space); v != nil {
					old = v.Held
				}
			}
			x.Compose(old, cmp.Or(same.of(b.space), u).Held, was != nil)
		}
		list = append(list, x)
	}
	return list, nil
}

// usesAsRead returns what a module takes as it was read: what is foreseen is better before layout assignment.
func (j *job) usesAsRead(d *judged) (uses, error) {
	x := *d
	if d.stage != stage.Scheduled {
		m, err := j.asRead(d)
		if err != nil {
			return uses{}, err
		}
		x.Module = m
	}
	return j.usesOf(&x), nil
}

// compositions returns the uses of the golden, nil without one, and of the module at the golden's stage: with layouts.
func (g *goldens) compositions(j *job, d *judged, now *uses, path string) (was, same *uses, err error) {
	f := golden{path: path}
	if err := f.read(); err != nil || f.missing() {
		return nil, now, err
	}
	of := func(name, text string) (*uses, error) {
		read := parser.Config{Partial: true}
		m, err := read.Parse(name, text)
		if err != nil {
			return nil, err
		}
		u := j.usesOf(&judged{Module: m, stage: stage.Of(m), target: d.target, entry: d.entry})
		if u.why != "" {
			return nil, fmt.Errorf("%s: %s", name, u.why)
		}
		return &u, nil
	}
	if was, err = of(path, string(f.was)); err != nil {
		return nil, nil, err
	}
	if d.stage == stage.Scheduled {
		return was, now, nil
	}
	same, err = of(j.name(), printer.Print(d.Module))
	return was, same, err
}

// weigh holds a module against the budgets, adds to a case what they say, and returns it as text. A budget that is kept
// is a note.
func (g *goldens) weigh(j *job, r *sinks, d *judged, c *report.Case, base string) (text []byte, err error) {
	if c.Budgets, err = g.budgeted(j, d, base+".golden.hlo"); err != nil {
		return nil, err
	}
	for i := range c.Budgets {
		b := &c.Budgets[i]
		x, found := b.Finding(r.Rules, j.name())
		if !found {
			c.Notes = append(c.Notes, b.String())
			j.note("%s: %s", hlo.Visible(j.name()), b)
			continue
		}
		if b.Space == "HBM" {
			x.Suggestion = "hlolayout oom --tpu " + d.target.Name + " " + report.Quoted(j.path) +
				" says why, and what would help"
		}
		c.Findings = append(c.Findings, x)
		text = b.AppendText(text, j.name())
	}
	return text, nil
}
