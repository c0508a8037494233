package report

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
)

// What GitHub takes, in bytes here, which are never fewer than characters: 65536 characters of a comment, 1 MiB of the
// summary of a step ("Workflow commands for GitHub Actions": adding a job summary, step isolation and limits).
const (
	commentLimit = 65536
	summaryLimit = 1 << 20
)

func (r *Results) comment(int) ([]byte, error) {
	return r.markdown(commentLimit, "a comment takes 65536 characters"), nil
}

func (r *Results) summary(used int) ([]byte, error) {
	return r.markdown(summaryLimit-used, "a step's summary takes 1 MiB"), nil
}

// dropRoom is kept free for the line that says what was dropped, in bytes.
const dropRoom = 400

// markdown writes a heading, and for each case with results a table. Of what does not fit into limit bytes the mildest
// is left out, and the last line says how much; why says whose limit it is.
func (r *Results) markdown(limit int, why string) []byte {
	with, total := 0, map[string]int{}
	for i := range r.Cases {
		list := r.Cases[i].all()
		if len(list) > 0 {
			with++
		}
		for k := range list {
			total[list[k].Severity]++
		}
	}
	dst := fmt.Appendf(nil, "### hlolayout %s: %s", r.Command, counts(total))
	if with > 0 {
		dst = fmt.Appendf(dst, " in %d of %s", with, count(len(r.Cases), "module"))
	}
	dst = append(dst, '\n')
	room := limit - len(dst) - dropRoom
	open, full := map[*Case]bool{}, false
	take := func(c *Case, x *Result) bool {
		size := len(x.row())
		if !open[c] {
			size += len(c.tableHead()) + len(c.noteLines())
		}
		if full = full || size > room; full { // nothing milder is taken in the place of what had no room
			return false
		}
		open[c] = true
		room -= size
		return true
	}
	kept, dropped := r.most(take)
	for i := range r.Cases {
		c := &r.Cases[i]
		if !open[c] {
			continue
		}
		dst = append(dst, c.tableHead()...)
		for _, list := range [][]Result{c.Errors, c.Findings} {
			for k := range list {
				if kept[&list[k]] {
					dst = append(dst, list[k].row()...)
				}
			}
		}
		dst = append(dst, c.noteLines()...)
	}
	if len(dropped) > 0 {
		dst = fmt.Appendf(dst, "\n%s left out: %s.\n", counts(dropped), why)
	}
	if len(dst) > limit { // not even the heading had room
		return nil
	}
	return dst
}

func (c *Case) tableHead() string {
	return "\n#### " + code(c.title()) + "\n\n| severity | rule | values | finding |\n| --- | --- | --- | --- |\n"
}

func (c *Case) noteLines() string {
	var b strings.Builder
	for i, n := range c.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- " + code(n) + "\n")
	}
	return b.String()
}

// A row shows so many lines of details, and so many bytes of each line.
const (
	rowDetails = 20
	rowLine    = 1000
)

func (r *Result) row() string {
	var b strings.Builder
	values := ""
	if n := len(r.Values); n > 0 {
		values = fmt.Sprint(n)
	}
	lines := append([]string{r.line()}, r.Details...)
	if more := len(lines) - 1 - rowDetails; more > 0 {
		lines = append(lines[:1+rowDetails], fmt.Sprintf("... and %d more lines", more))
	}
	if r.Suggestion != "" {
		lines = append(lines, "suggestion: "+r.Suggestion)
	}
	for i, l := range lines {
		if len(l) > rowLine {
			l = strings.ToValidUTF8(l[:rowLine], "") + " ..."
		}
		if l = strings.TrimSpace(l); l != "" {
			if lines[i] = cell(l); r.Line > 0 && i == 0 {
				lines[i] += fmt.Sprintf(" (line %d)", r.Line)
			}
		} else {
			lines[i] = ""
		}
	}
	fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Severity, cell(r.title()), values, strings.Join(lines, "<br>"))
	return b.String()
}

// code puts text into backticks: HLO is full of signs that markdown reads. A run of backticks inside is shorter than
// the fence.
func code(text string) string {
	text = hlo.Visible(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// cell is code inside of a table, where a | ends the cell even between backticks.
func cell(text string) string { return strings.ReplaceAll(code(text), "|", `\|`) }
