package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/lint"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

func lintCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "find padding, copies and broken contracts that cost memory or time",
		UsageText: "hlolayout lint [flags] [FILE...]",
		Description: `Checks each module against rules: arrays that are mostly padding, copies that only move an array into
another order, parameters that are copied on every call, donations that are lost, custom calls and host outputs that do
not get what they demand. 'hlolayout explain TPL001' explains a rule. A module that has its layouts is taken as it is;
one without is assigned first. Exit code 0: no findings; 1: findings; 2: trouble.

Examples:
   hlolayout lint --tpu v5e train_step.hlo
   hlolayout lint --max-padding 1GiB --max-relayout-bytes 512MiB compiled.hlo
   hlolayout lint --set TPL001.min_bytes=64MiB --set TPL004=off compiled.hlo
   hlolayout lint --output sarif=lint.sarif --output github=- compiled.hlo
   hlolayout lint --baseline accepted.json --update-baseline compiled.hlo   accept what there is; only new findings fail

A configuration file (--config) says the same in JSON:
   {"rules": {"TPL001": {"severity": "error", "min_bytes": "64MiB", "min_factor": 4}}, "max_padding": "1GiB"}` +
			formatsHelp(),
		Flags: slices.Concat(targetFlags(), folderFlags(), resultFlags("text"), []cli.Flag{
			oneOfFlag(&cli.StringFlag{Name: "severity", Value: "warning", Usage: "report findings of at least this " +
				"`SEVERITY`: note, warning, error"}, "note", "warning", "error"),
			&cli.StringSliceFlag{Name: "set", Usage: "set a rule: `RULE=SEVERITY`, RULE.min_bytes=SIZE or " +
				"RULE.min_factor=NUMBER"},
			&cli.StringFlag{Name: "config", Usage: "read rules and budgets from the JSON `FILE`"},
			&cli.StringFlag{Name: "max-padding", Usage: "the padding of a whole module may be at most `SIZE`"},
			&cli.StringFlag{Name: "max-relayout-bytes", Usage: "the relayouts of one run may move at most `SIZE`"},
			&cli.StringFlag{Name: "baseline", Usage: "leave out the findings that `FILE` accepts"},
			&cli.BoolFlag{Name: "update-baseline",
				Usage: "write the findings to the baseline, to accept them"},
			confidenceFlag("findings about predicted layouts"),
			topFlag(20, "list the first `N` findings of a module; 0: all"),
			strictFlag(),
			shardFlag(),
			resumeFlag(),
		}),
		Action: func(_ context.Context, c *cli.Command) error { return runLint(c, s) },
	}
}

func runLint(c *cli.Command, s streams) error {
	inputs, ts, err := s.analysis(c)
	if err != nil {
		return err
	}
	config, err := lintConfig(c)
	if err != nil {
		return err
	}
	baseline, err := readBaseline(c)
	if err != nil {
		return err
	}
	r, err := s.sinksOf(c, "text")
	if err != nil {
		return err
	}
	r.Rules = slices.DeleteFunc(slices.Clone(config.Rules), func(r lint.Rule) bool { return r.Severity == lint.Off })
	least, _ := lint.ParseSeverity(c.String("severity"))
	options := report.Options{Top: c.Int("top"), Color: colored(c, s.out)}
	updated := &lint.Baseline{SchemaVersion: 1, Accepted: []lint.Accepted{}}
	seen := map[string]bool{} // the modules in it
	err = s.eachTo(r, inputs, func(j *job) error {
		return j.analyse(c, ts, func(d *judged) (err error) {
			m := d.Module
			findings := lint.Run(m, d.target.Target, config)
			if m.Forecast != nil && j.module != nil {
				if findings, err = j.confirmed(c, ts, findings, config); err != nil {
					return err
				}
			}
			all := len(findings)
			findings = slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.Severity < least })
			below := all - len(findings)
			doubt := doubtOf(c, d)
			findings = slices.DeleteFunc(findings, func(f lint.Finding) bool {
				return f.Instruction != nil && doubt.about(f.Instruction, f.Index)
			})
			if c.Bool("update-baseline") {
				updated.Add(m, findings)
				seen[m.Name] = true
				return nil
			}
			l := report.Lint{File: j.name(), Module: m, Target: d.target.Name, Origin: d.origin(),
				Several: j.holds > 1}
			l.Findings, l.Accepted = baseline.Filter(m, findings)
			if len(l.Findings)+l.Accepted == 0 {
				hidden := ""
				if below > 0 {
					hidden = fmt.Sprintf("; %d below --severity %s", below, least)
				}
				j.note("%s: no findings%s", j.label(m), hidden)
			}
			j.found(r, l.Case(), func(string) []byte { return l.AppendText(nil, options) })
			return nil
		})
	})
	if err != nil || !c.Bool("update-baseline") {
		return err
	}
	return s.acceptAll(c.String("baseline"), updated, seen)
}

// acceptAll writes a baseline, and says how much it accepts, and which modules the one before had that are not in it
// because this run did not see them.
func (s streams) acceptAll(path string, b *lint.Baseline, seen map[string]bool) error {
	n := 0
	for _, a := range b.Accepted {
		n += a.Count
	}
	said := fmt.Sprintf("%s: %s accepted", hlo.Visible(path), plural(n, "finding", "findings"))
	if old, err := baselineAt(path); err == nil {
		var gone []string
		for _, a := range old.Accepted {
			if !seen[a.Module] && !slices.Contains(gone, a.Module) {
				gone = append(gone, a.Module)
			}
		}
		if len(gone) > 0 {
			said += fmt.Sprintf("; those of %s, not read in this run, are gone: a baseline is of all files of one run",
				hlo.Visible(several(gone, 5)))
		}
	}
	var text bytes.Buffer
	if err := b.Write(&text); err != nil {
		return err
	}
	if err := writeFile(path, text.Bytes(), plain); err != nil {
		return err
	}
	if !s.quiet() {
		s.bar().clear()
		fmt.Fprintln(s.err, said)
	}
	return nil
}

// confirmed holds findings before fusion against those of the module's last dump, where that is another one.
func (j *job) confirmed(c *cli.Command, ts *targeting, findings []lint.Finding, config *lint.Config) ([]lint.Finding,
	error) {
	final := j.module.At("final")
	if final == nil || final.Path == j.path {
		return findings, nil
	}
	later := j.input
	later.path, later.stage = final.Path, final
	last := &job{input: later, settings: j.settings}
	m, err := last.read(c.Bool("strict"))
	if err != nil {
		return nil, err
	}
	d, _, err := last.weigh(c, ts, m)
	if err == nil {
		err = last.costed(d)
	}
	if err != nil {
		return nil, err
	}
	return lint.Confirm(findings, lint.Run(d.Module, d.target.Target, config), last.name()), nil
}

// lintConfig returns the rules as the file and then the flags set them.
func lintConfig(c *cli.Command) (*lint.Config, error) {
	config := lint.Default()
	if path := c.String("config"); path != "" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %v", path, reason(err))
		}
		defer f.Close()
		if err := config.Read(f); err != nil {
			return nil, fmt.Errorf("%s: %v", path, err)
		}
	}
	for _, b := range []struct {
		flag string
		to   *int64
	}{{"max-padding", &config.MaxPadding}, {"max-relayout-bytes", &config.MaxRelayoutBytes}} {
		if !c.IsSet(b.flag) {
			continue
		}
		n, err := lint.ParseSize(c.String(b.flag))
		if err != nil {
			return nil, usage("lint", "--%s: %v", b.flag, err)
		}
		*b.to = n
	}
	for _, text := range c.StringSlice("set") {
		if err := config.Set(text); err != nil {
			return nil, usage("lint", "--set %s: %v", text, err)
		}
	}
	return config, nil
}

func readBaseline(c *cli.Command) (*lint.Baseline, error) {
	path := c.String("baseline")
	if c.Bool("update-baseline") && path == "" {
		return nil, usage("lint", "--update-baseline needs --baseline FILE")
	}
	if path == "" || c.Bool("update-baseline") {
		return &lint.Baseline{}, nil
	}
	b, err := baselineAt(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file; make it with: hlolayout lint --baseline %s --update-baseline %s",
			path, path, strings.Join(c.Args().Slice(), " "))
	} else if err != nil {
		return nil, fmt.Errorf("%s: %v", path, reason(err))
	}
	return b, nil
}

// baselineAt reads a baseline.
func baselineAt(path string) (*lint.Baseline, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return lint.ReadBaseline(f)
}
