package main

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/folding"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v2"
)

// explainAll explains every array of the module that is in memory.
func explainAll(c *cli.Context, s streams, file string) error {
	return s.explained(c, file, func(j *job, x *explained) error {
		for _, comp := range x.m.InMemory() {
			for _, in := range comp.Instructions {
				in.Shape.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
					if leaf.IsArray() {
						x.add(j, in, slices.Clone(index), leaf)
					}
				})
			}
		}
		return nil
	})
}

// explainRootCauses lists the causes at the ends of the chains of a module by what they cost.
func explainRootCauses(c *cli.Context, s streams, file string) error {
	return s.explained(c, file, func(j *job, x *explained) error {
		folding.Predict(x.m, x.stage)
		r := report.NewRootCauses(x.m, j.name(), x.plan)
		r.Origin = x.origin()
		if x.json {
			return j.appendJSON(r)
		}
		j.out = r.AppendText(j.out, c.Int("top"))
		return nil
	})
}
