package main

import (
	"io"

	"hlolayout/hlo"
	"hlolayout/tpu"

	"github.com/urfave/cli/v2"
)

func listPasses(w io.Writer) error { return nil }

// newPipeline reads --passes and --print-after.
func newPipeline(c *cli.Context, t *tpu.Target) (func(*job, *hlo.Module) error, error) {
	return func(j *job, m *hlo.Module) error { return nil }, nil
}
