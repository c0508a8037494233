// Command hlolayout assigns TPU layouts to XLA HLO text; `hlolayout help` lists its commands.
package main

import "os"

func main() {
	deepen(-1)
	heedLater(os.Stdout, os.Stderr)
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
