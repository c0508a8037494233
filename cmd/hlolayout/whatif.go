package main

import (
	"encoding/json"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes"
	"hlolayout/passes/entry"
	"hlolayout/passes/folding"
	"hlolayout/passes/plan"
	"hlolayout/passes/whatif"
	"hlolayout/printer/report"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

// whatIfHelp is the part of assign's help text about --pin and --entry.
const whatIfHelp = `
--pin '%name={0,1}' holds a value in an order, '%name{1}={0,1}' a part of a tuple; --entry 'param 3={1,2,0}',
'result={1,0}' or '%name={1,0}' sets the order of a parameter or of the result, with {1} before the = for a part of a
tuple. Both can be given several times. What they cost against the module without them goes to standard error: padded
bytes, bytes copied, copies added and removed, arrays that have another order. The sums are those of stats, without what
fusions surely take in, and of sweep with --simplify; the lists are of all that is printed. A pin that is not possible
is an error with a code (hlolayout explain PIN105).
Keys of --format json: schema_version, version, file, module, tpu, bound, asked, before and after (padded_bytes,
copied_bytes, copies, interface_bytes), copies_added and copies_removed (name, computation, of, from, to, bytes, runs),
reordered (value, computation, from, to, bytes_before, bytes_after).`

// texts are the values of a flag that can be given several times, commas and all.
type texts []string

// Set adds a value.
func (t *texts) Set(value string) error { *t = append(*t, value); return nil }

// Get returns the values.
func (t *texts) Get() any { return []string(*t) }

// String is the default in help texts: none.
func (t *texts) String() string { return "" }

func pinFlag() cli.Flag {
	return &cli.GenericFlag{Name: "pin", Value: &texts{}, Usage: "hold a value in an order: `'%NAME={0,1}'`, and " +
		"again for more"}
}

func entryFlag() cli.Flag {
	return &cli.GenericFlag{Name: "entry", Value: &texts{}, Usage: "give a parameter or the result an order: `'param " +
		"3={1,2,0}'`, 'result={1,0}', and again for more"}
}

// wishes are the layouts that the flags --pin and --entry request.
type wishes struct {
	pins    []plan.Pin
	entries []whatif.Entry
	texts   []string
}

func wishesOf(c *cli.Command) (w wishes, err error) {
	for _, text := range c.Value("pin").([]string) {
		p, err := whatif.ParsePin(text)
		if err != nil {
			return w, usage(c.Name, "--pin: %v", err)
		}
		w.pins, w.texts = append(w.pins, p), append(w.texts, text)
	}
	for _, text := range c.Value("entry").([]string) {
		e, err := whatif.ParseEntry(text)
		if err != nil {
			return w, usage(c.Name, "--entry: %v", err)
		}
		w.entries, w.texts = append(w.entries, e), append(w.texts, text)
	}
	return w, nil
}

func (w wishes) any() bool { return len(w.texts) > 0 }

// prepare sets the entry layouts of a module that is still without layouts, and makes the passes take them as they are.
func (w wishes) prepare(m *hlo.Module, t *tpu.Target, opt *passes.Options) error {
	if !w.any() {
		return nil
	}
	if due, _ := passes.Select(m); !slices.Contains(due, "layout") {
		return hlo.ErrorList{{File: m.File, Code: "PIN107", Msg: "module " + m.Name + " has its layouts already: " +
			"there is nothing left for a pin or an entry layout to decide"}}
	}
	if len(w.entries) == 0 {
		return nil
	}
	mode := opt.EntryLayouts
	opt.EntryLayouts = entry.AsWritten
	return whatif.SetEntry(m, t, mode, w.entries)
}

// assignAsked runs the pipeline on a job's module number i with what is asked for, and logs what that costs against the
// module without it.
func (j *job) assignAsked(p pipeline, w wishes, i int, d *judged, verbose bool, format string) error {
	m := d.Module
	if !slices.Contains(p.passes, "layout") && !slices.Contains(p.passes, passes.Auto) {
		return usage("assign", "--pin and --entry need the pass layout among --passes")
	}
	j.notePins(m, w.pins)
	after, without := whatif.Snap(m), passes.Options{EntryLayouts: p.options.EntryLayouts}
	if err := w.prepare(m, p.target, &p.options); err != nil {
		return err
	}
	if verbose {
		if err := j.logConstraints(m, p.target, p.options); err != nil {
			return err
		}
	}
	if _, err := p.run(j, m); err != nil {
		return err
	}
	plain, ms, err := j.again()
	if err != nil {
		return err
	}
	if m.Simplified {
		ms[i] = folding.Prepare(ms[i], d.stage, p.target).Module
	}
	before := whatif.Snap(ms[i])
	if _, err := (pipeline{passes: p.passes, target: p.target, options: without}).run(plain, ms[i]); err != nil {
		return err
	}
	if err := whatif.Legal(ms[i], m, p.target); err != nil {
		return err
	}
	difference := whatif.Compare(before, after) // of all that is printed
	folding.Predict(ms[i], d.stage)
	folding.Predict(m, d.stage)
	difference.Before, difference.After = whatif.CostOf(ms[i]), whatif.CostOf(m)
	r := report.WhatIf{Form: report.ThisForm, File: j.name(), Module: m.Name, Origin: d.origin(), Bound: m.Bound(),
		Asked: w.texts, Difference: difference}
	if format == "text" {
		j.log = r.AppendText(j.log)
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	j.log = append(append(j.log, text...), '\n')
	return err
}
