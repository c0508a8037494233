package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"
	"hlolayout/parser/forms"
	"hlolayout/parser/hloproto"
	"hlolayout/passes/check"
	"hlolayout/passes/folding"
	"hlolayout/passes/layout"
	"hlolayout/passes/lint"
	"hlolayout/passes/reasons"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

func explainCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage: "explain a value's layout, or a code of a message",
		UsageText: "hlolayout explain [flags] FILE VALUE\n       hlolayout explain --all|--root-causes [flags] FILE\n" +
			"       hlolayout explain [CODE | RULE]\n       hlolayout explain --rules",
		Description: `With a file and the name of a value: prints why the value has its layout, back to the entry layout, the
operation or the default that forced it. A module without layouts gets those that the pass assigns, and the chain says
what each replaced on the way. In a module that has its layouts (laid out, scheduled) the chain is what ties the file's
layouts together; fusions, moves between memories and bitcasts say what made them. VALUE is %name, or %name{1,0} for a
part of a tuple. Where several computations have the name, that of the entry is meant first, then those in memory;
%computation/%name is a certain one (so, too, for extract, dump --value and --pin).
With a code: what the code means, with a text that causes it. Without arguments: every code, a line each.
With a rule of the layout pass, as the chain of a value names it in brackets: what it does, and the modules that change
without it. With --rules: every rule, a line each, in the order in which the pass comes to them; last those that
simplify lowered and unoptimized modules before it (assign -v says how often each does).

Keys of --format json: value, computation, shape, bytes (allocated, padding included), copy_of (value and shape of what
a copy copies), orders (minor_to_major and bytes of other orders), chain: a list of value, shape, rule, rule_name,
chosen_by (the rule that chose among the orders that this one leaves), source, priority, mandatory, beat
(minor_to_major, rule, source of what it replaced), refused (the same, of what a pin kept out); also (links: other
causes that demand the same order, in modules that have their layouts), and_more, weakest (the rule_name of the chain
that is right least often, seen, right), layout_assignment_alone (shape, bytes and chain, where the pass by itself would
choose another order than the file's), other_versions (first, last, shape, bytes, chain).
--all prints of each chain the first link, where it goes on, and where it ends.
--all --format json is one document (hlolayout schema explain-all): arrays, of which each has its own link of chains,
and as next the place of the array that the following link is of.

Examples:
   hlolayout explain attention.hlo %copy         why there is a copy
   hlolayout explain --tpu v7x attention.hlo %dot_general.2
   hlolayout explain --pin '%div.7={3,2,1,0}' attention.hlo %div.7
   hlolayout explain dumps %copy.3 --module 3    of a folder of --xla_dump_to
   hlolayout explain HLO010                      an operand that is not there
   hlolayout explain --all --format json compiled.hlo | jq -r '.arrays[] | .value + " " + .cause'
   hlolayout explain --root-causes compiled.hlo  what costs most, by the causes at the ends of the chains
   hlolayout explain dot-votes                   which dimension of a dot is minor`,
		Flags: append(append(targetFlags(), folderFlags()...),
			pinFlag(), entryFlag(),
			&cli.BoolFlag{Name: "simplify", Usage: "explain a value of the module that " +
				"costs are taken from: " +
				"a lowered or unoptimized one as the compiler's simplifications leave it"},
			&cli.BoolFlag{Name: "all", Usage: "explain every array in memory"},
			&cli.BoolFlag{Name: "root-causes",
				Usage: "list the causes that decide most bytes of padding and of relayouts"},
			topFlag(10, "with --root-causes: list the first `N`; 0: all"),
			&cli.BoolFlag{Name: "rules", Usage: "list the rules of the layout pass, and those that simplify what it reads"},
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, json"},
				"text", "json"),
		),
		Action: func(_ context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			for _, whole := range []struct {
				flag string
				run  func(*cli.Command, streams, string) error
			}{{"all", explainAll}, {"root-causes", explainRootCauses}} {
				if c.Bool(whole.flag) {
					if len(args) != 1 {
						return usage("explain", "explain --%s takes a file", whole.flag)
					}
					return whole.run(c, s, args[0])
				}
			}
			switch len(args) {
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

// listRules lists the rules of the layout pass, of modules that have their layouts, and of simplification: name, stage,
// and what the rule does.
func listRules(s streams) error {
	for _, r := range layout.Rules() {
		doc := r.Doc
		if text := versionsOf(&r); text != "" {
			doc += " It holds " + text + "."
		}
		if _, err := fmt.Fprintf(s.out, "%-26s %-10s %s\n", r.Name, r.Stage, doc); err != nil {
			return fmt.Errorf("standard output: %v", reason(err))
		}
	}
	for _, r := range reasons.Rules() {
		if _, err := fmt.Fprintf(s.out, "%-26s %-10s %s\n", r.Name, "file", r.Doc); err != nil {
			return fmt.Errorf("standard output: %v", reason(err))
		}
	}
	for _, r := range folding.Rules() {
		if _, err := fmt.Fprintf(s.out, "%-26s %-10s %s\n", r.Name, simplifies, r.Doc); err != nil {
			return fmt.Errorf("standard output: %v", reason(err))
		}
	}
	return nil
}

// simplifies is in place of the stage of a rule that simplifies a lowered or unoptimized module before layout
// assignment.
const simplifies = "simplify"

// versionsOf says in words for which versions of the compiler a rule holds, "" for all.
func versionsOf(r *layout.Rule) string {
	switch {
	case r.Since != "" && r.Until != "":
		return "from libtpu " + r.Since + " to " + r.Until
	case r.Since != "":
		return "since libtpu " + r.Since
	case r.Until != "":
		return "up to libtpu " + r.Until
	}
	return ""
}

// explainName explains a code, or a rule of the layout pass or of simplification.
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
		if text := versionsOf(&r); text != "" {
			fmt.Fprintf(s.out, "It holds %s.\n", text)
		}
		for _, l := range r.Limits {
			fmt.Fprintf(s.out, "Threshold: %s, %d%s.\n", l.Name, l.Value, l.Range())
		}
		if p := reasons.PrecisionOf(r.Name); p.Seen > 0 {
			fmt.Fprintf(s.out, "Measured on programs that are not its evidence: %d of %d arrays right.\n", p.Right, p.Seen)
		}
		fmt.Fprintf(s.out, "Evidence, in passes/layout/testdata: %s.\n", strings.Join(r.Evidence, ", "))
		fmt.Fprintf(s.out, "Code: %s.\nTests that fail without it, or where it is wrong: %s\n",
			strings.Join(layout.Places(&r), ", "), layout.TestOf(&r))
		return nil
	}
	for _, r := range reasons.Rules() {
		if r.Name == strings.ToLower(name) {
			_, err := fmt.Fprintf(s.out, "%s (in modules that have their layouts): %s\nAs a reason: %s.\n", r.Name,
				r.Doc, r.Text)
			return err
		}
	}
	for _, r := range folding.Rules() {
		if r.Name == strings.ToLower(name) {
			_, err := fmt.Fprintf(s.out, "%s (in the simplification of lowered and unoptimized modules): %s.\n", r.Name,
				r.Doc)
			return err
		}
	}
	return explainCode(s, name)
}

func explainCode(s streams, name string) error {
	if page, ok := lint.Page(strings.ToUpper(name)); ok {
		_, err := fmt.Fprintln(s.out, strings.TrimRight(page, "\n"))
		return err
	}
	var names []string
	for _, code := range codes() {
		names = append(names, code.Name)
		if !strings.EqualFold(code.Name, name) {
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
	for _, r := range folding.Rules() {
		names = append(names, r.Name)
	}
	switch quoted := report.Quoted(name); {
	case strings.HasPrefix(name, "%"):
		return usage("explain", "name the file, too: hlolayout explain FILE %s", quoted)
	case isInput(name):
		return usage("explain", "name a value: hlolayout explain %s %%value, or --root-causes %[1]s for what costs most",
			quoted)
	}
	near := hlo.Nearest(name, names)
	if near != "" {
		near = "did you mean " + near + "? "
	}
	return usage("explain", "unknown code or rule %s: %shlolayout explain lists the codes, with --rules the rules", name,
		near)
}

// indent puts four blanks before each line.
func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }
