package report

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
)

// annotations is how many of one kind GitHub shows of a step ("Workflow commands for GitHub Actions" and the limits of
// check runs: 10 error, 10 warning and 10 notice annotations a step); further ones are in the log only.
const annotations = 10

// kinds are GitHub's words for the severities.
var kinds = map[string]string{"error": "error", "warning": "warning", "note": "notice"}

// github writes workflow commands, the worst first. Where some are left out, a last notice says how many.
func (r *Results) github(int) ([]byte, error) {
	n := map[string]int{}
	room := map[string]int{"error": annotations, "warning": annotations, "note": annotations - 1} // the last notice
	kept, dropped := r.most(func(_ *Case, x *Result) bool {
		n[x.Severity]++
		return n[x.Severity] <= room[x.Severity]
	})
	var dst []byte
	for i := range r.Cases {
		c := &r.Cases[i]
		for _, list := range [][]Result{c.Errors, c.Findings} {
			for k := range list {
				if x := &list[k]; kept[x] {
					dst = x.appendAnnotation(dst)
				}
			}
		}
	}
	if len(dropped) > 0 {
		dst = fmt.Appendf(dst, "::notice title=%s::%s\n", property(toolName+" "+r.Command),
			data(fmt.Sprintf("%s not shown: GitHub shows %d of each kind a step", counts(dropped), annotations)))
	}
	return dst, nil
}

func (r *Result) appendAnnotation(dst []byte) []byte {
	dst = fmt.Appendf(dst, "::%s ", kinds[r.Severity])
	if r.File != "" && r.File != "<stdin>" {
		dst = fmt.Appendf(dst, "file=%s,", property(hlo.Visible(r.File)))
		if r.Line > 0 {
			dst = fmt.Appendf(dst, "line=%d,", r.Line)
		}
		if r.Column > 0 {
			dst = fmt.Appendf(dst, "col=%d,", r.Column)
		}
	}
	return fmt.Appendf(dst, "title=%s::%s\n", property(r.title()), data(r.text()))
}

// Escapes as the runner undoes them (actions/toolkit, packages/core/src/command.ts).
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD")) }
func property(s string) string { return propertyEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD")) }

// where is file:line:column as far as it is known.
func where(r *Result) string {
	text := hlo.Visible(r.File)
	if r.Line > 0 {
		text += fmt.Sprintf(":%d:%d", r.Line, r.Column)
	}
	return text
}
