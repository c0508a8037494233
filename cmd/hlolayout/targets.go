package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"hlolayout/printer/report"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

func targetsCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "list the TPU generations",
		UsageText: "hlolayout targets [flags]",
		Description: `Prints what is known of each TPU generation. As JSON, one generation is what assign --target-file reads.

Examples:
   hlolayout targets
   hlolayout targets --tpu v5e --format json > my.json
   hlolayout assign --target-file my.json attention.hlo`,
		Flags: []cli.Flag{
			oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text or json"},
				"text", "json"),
			&cli.StringFlag{Name: "tpu", Usage: "only the `GENERATION`"},
		},
		Action: func(_ context.Context, c *cli.Command) error { return targets(c, s) },
	}
}

func targets(c *cli.Command, s streams) error {
	if err := noArguments(c); err != nil {
		return err
	}
	names := tpu.Names()
	if c.IsSet("tpu") {
		names = []string{c.String("tpu")}
	}
	var list []*tpu.Target
	for _, name := range names {
		t, err := tpu.ByName(name)
		if err != nil {
			return err
		}
		list = append(list, t)
	}
	var err error
	switch {
	case c.String("format") == "text":
		err = writeTargets(s.out, list)
	case c.IsSet("tpu"):
		err = writeJSON(s.out, list[0])
	default:
		err = writeJSON(s.out, list)
	}
	if err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func writeTargets(w io.Writer, list []*tpu.Target) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "name\tsublanes x lanes\tsmallest tile rows\tsub-byte types\tlarge tiles\tmemory")
	for _, g := range list {
		packed, large := "a byte each", "no"
		if g.PackSubByte {
			packed = "packed"
		}
		if g.LargeTiles {
			large = "yes"
		}
		fmt.Fprintf(t, "%s\t%d x %d\t%d\t%s\t%s\t", g.Name, g.Sublanes, g.Lanes, g.MinRows, packed, large)
		for i, m := range g.MemorySpaces {
			if i > 0 {
				fmt.Fprint(t, ", ")
			}
			fmt.Fprint(t, m.Name)
			if m.CapacityBytes > 0 {
				fmt.Fprint(t, " ", size(m.CapacityBytes))
			}
			if m.PlacementBytes > 0 && m.PlacementBytes < m.CapacityBytes {
				fmt.Fprintf(t, " (%s for arrays)", report.Bytes(m.PlacementBytes))
			}
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// size writes bytes in the largest binary unit that leaves no fraction.
func size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	k := 0
	for n >= 1024 && n%1024 == 0 && k+1 < len(units) {
		n, k = n/1024, k+1
	}
	return fmt.Sprintf("%d %s", n, units[k])
}
