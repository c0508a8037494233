package main

import (
	"context"
	"strings"

	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

func schemaCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "print the JSON schema of an output",
		UsageText: "hlolayout schema [NAME]",
		Description: `Prints the schema (JSON Schema, draft 2020-12) of a JSON output; without NAME it lists them. results is
that of lint and check with --format json, timing that of --timing json; the others are named as the command whose
--format json they describe. A document says its form's version in schema_version, which grows when a key changes its
meaning or goes away, and hlolayout's in version; lists, answers of one line and targets have neither.

Examples:
   hlolayout schema
   hlolayout schema results >results.schema.json`,
		Action: func(_ context.Context, c *cli.Command) error {
			names := report.SchemaNames()
			text := []byte(strings.Join(names, "\n") + "\n")
			if c.Args().Len() > 1 {
				return usage("schema", "schema takes one name, found %d", c.Args().Len())
			}
			if name := c.Args().First(); name != "" {
				var ok bool
				if text, ok = report.Schema(name); !ok {
					return usage("schema", "unknown schema %q: %s", name, didYouMean(name, names))
				}
			}
			return s.print(text)
		},
	}
}
