package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
)

func manCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "print the manual page",
		UsageText: "hlolayout man",
		Description: `Prints the manual page, in roff: what help says of all commands.

Examples:
   hlolayout man | man -l -
   hlolayout man >hlolayout.1`,
		Action: func(_ context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return s.print(manual(c.Root()))
		},
	}
}

// manual is the manual page of all commands. It is not cli's own (ToManWithSection), which leaves out what commands do
// and their examples, and reads patterns such as dumps/**/*.hlo as markdown.
func manual(app *cli.Command) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH HLOLAYOUT 1 \"\" \"%s\" \"User Commands\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s\n.SH "+
		"DESCRIPTION\n", roff(app.Name+" "+app.Version), app.Name, roff(app.Usage), roff(app.UsageText))
	roffText(&b, app.Description)
	b.WriteString(".SH COMMANDS\n")
	for _, c := range app.Commands {
		fmt.Fprintf(&b, ".SS %s\n%s\n.PP\n.B %s\n.PP\n", c.Name, roff(c.Usage), roff(c.UsageText))
		roffText(&b, c.Description)
		for _, f := range c.Flags {
			if f.Names()[0] == "help" {
				continue // cli adds it
			}
			name, usage, _ := strings.Cut(f.String(), "\t")
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
		}
	}
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours, unless \\-\\-color=always requests them " +
		"(no\\-color.org)\n")
	return []byte(b.String())
}

// roffText writes paragraphs filled, and what is indented as it stands.
func roffText(b *strings.Builder, text string) {
	asIs := false
	for line := range strings.SplitSeq(text, "\n") {
		if indented := strings.HasPrefix(line, " "); indented != asIs && line != "" {
			asIs = indented
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[asIs])
		}
		if line == "" && !asIs {
			line = ".PP"
		} else {
			line = roff(line)
		}
		b.WriteString(line + "\n")
	}
	if asIs {
		b.WriteString(".fi\n")
	}
}

// roff escapes a line of text: backslashes, dashes that are to be copied, quotes that are to stay straight, and a dot
// or a quote at the start, which would be a request.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\`", "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
