//go:build unix

package main

import (
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

// guard is a shell that waits until this process ends, however it ends, and then runs the last line that it was
// sent. It starts with the first file that is replaced, in its own session, so that what kills this
// process spares it. Nil without a shell.
var guard = sync.OnceValue(func() io.Writer {
	c := exec.Command("sh", "-c", `last=:; while IFS= read -r line; do last=$line; done; eval "$last" 2>/dev/null`)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := c.StdinPipe()
	if err != nil {
		return nil
	}
	if err := c.Start(); err != nil {
		return nil
	}
	return in
})

// guarded says what is to be done should this process be killed from here on: put the files of finish in their
// places, and remove the temporary files that are left. Names with a line's end are not guarded.
func guarded(temporary map[string]bool, finish []*temporaryFile) {
	line := ""
	for _, f := range finish {
		line += "mv -f -- " + shellWord(f.name) + " " + shellWord(f.path) + "; "
	}
	if len(temporary) == 0 {
		line += ":"
	} else {
		line += "rm -f --"
		for name := range temporary {
			line += " " + shellWord(name)
		}
	}
	if g := guard(); g != nil && !strings.Contains(line, "\n") {
		io.WriteString(g, line+"\n") // a guard that is gone guards nothing
	}
}

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
