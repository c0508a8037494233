package main

import (
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser"

	"github.com/urfave/cli/v2"
)

func explainCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "explain a code of a message",
		UsageText: "hlolayout explain CODE",
		Description: `Prints what a code means, with a text that causes it. Without a code, lists them all.

Examples:
   hlolayout explain HLO010            an operand that is not there
   hlolayout explain                   every code, a line each`,
		Action: func(c *cli.Context) error {
			codes := slices.Concat(parser.Codes(), verify.Codes)
			switch c.Args().Len() {
			case 0:
				for _, code := range codes {
					fmt.Fprintf(s.out, "%s  %s\n", code.Name, code.Meaning)
				}
				return nil
			case 1:
				return explainCode(s, codes, strings.ToUpper(c.Args().First()))
			}
			return usage("explain", "explain takes one code")
		},
	}
}

func explainCode(s streams, codes []hlo.Code, name string) error {
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = code.Name
		if code.Name != name {
			continue
		}
		fmt.Fprintf(s.out, "%s: %s.\n", code.Name, code.Meaning)
		if code.Example != "" {
			fmt.Fprintf(s.out, "\nExample:\n\n%s\n", indent(strings.TrimSpace(code.Example)))
		}
		return nil
	}
	return usage("explain", "unknown code %s: %s", name, didYouMean(name, names))
}

// indent puts four blanks before each line.
func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }
