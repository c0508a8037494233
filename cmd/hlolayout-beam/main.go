package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

func main() {
	o := options{}
	flag.StringVar(&o.Input, "input", "", "the `pattern` of the dumps: HLO text or protobuf, .gz too")
	flag.StringVar(&o.Output, "output", "", "the `prefix` of the files to write: PREFIX-00000-of-00004.jsonl and so on")
	flag.StringVar(&o.Work, "work", "lint", "what to do with each dump: `lint` or assign")
	flag.StringVar(&o.Target, "tpu", "v5e", "the TPU `generation` to assign for")
	flag.IntVar(&o.Shards, "shards", 1, "spread the output over `N` files")
	flag.Parse()
	beam.Init() // on a worker this does not return
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "hlolayout-beam:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, o options) error {
	if err := o.check(); err != nil {
		return err
	}
	p := beam.NewPipeline()
	build(p.Root(), o)
	return beamx.Run(ctx, p)
}
