package main

import (
	"io"
	"io/fs"
	"os"

	"github.com/urfave/cli/v3"
)

// colored says whether what goes to w has colours: --color, else NO_COLOR (no-color.org), else whether w is a terminal.
func colored(c *cli.Command, w any) bool {
	switch c.String("color") {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

// isTerminal reports whether a stream is a terminal. /dev/null counts as one: nothing is to be had from it, and no
// colour is lost in it.
func isTerminal(stream any) bool {
	info := statOf(stream)
	return info != nil && info.Mode()&fs.ModeCharDevice != 0
}

// isNull reports whether a stream is /dev/null, where nothing shows: looking for what would takes half as long as
// printing it.
func isNull(stream any) bool {
	info := statOf(stream)
	null, err := os.Stat(os.DevNull)
	return info != nil && err == nil && os.SameFile(info, null)
}

// statOf returns what is known of a stream that is a file, else nil.
func statOf(stream any) fs.FileInfo {
	if w, ok := stream.(io.Writer); ok {
		stream = bare(w)
	}
	f, ok := stream.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	return info
}
