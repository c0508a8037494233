package report

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"hlolayout/passes/whatif"
)

// WhatIf is what layouts that were asked for change in a module. It is its own JSON.
type WhatIf struct {
	Form
	File   string `json:"file"`
	Module string `json:"module"`
	Origin
	Bound string   `json:"bound"` // what the bytes are worth (hlo.Module.Bound)
	Asked []string `json:"asked"` // as they were written
	*whatif.Difference
}

// maxListed is how many lines of one kind the text has; JSON has all.
const maxListed = 20

// AppendText appends the account as text.
func (w *WhatIf) AppendText(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%s: module %s for %s with %s\n", w.File, w.Module, w.TPU, strings.Join(w.Asked, ", "))
	dst = fmt.Appendf(dst, "  padded bytes: %d, without it %d (%+d)\n", w.After.PaddedBytes, w.Before.PaddedBytes,
		w.After.PaddedBytes-w.Before.PaddedBytes)
	dst = fmt.Appendf(dst, "  bytes copied: %d, without it %d (%+d)\n  copies: %d, without it %d (%+d)\n",
		w.After.CopiedBytes, w.Before.CopiedBytes,
		w.After.CopiedBytes-w.Before.CopiedBytes, w.After.Copies, w.Before.Copies, w.After.Copies-w.Before.Copies)
	dst = fmt.Appendf(dst, "  interface bytes: %d, without it %d (%+d)\n", w.After.InterfaceBytes, w.Before.InterfaceBytes,
		w.After.InterfaceBytes-w.Before.InterfaceBytes)
	dst = append(dst, "  (Sums are estimated upper bounds of the module that is printed, without what fusions surely "+
		"take in; of lowered and unoptimized text stats and sweep take the module of --simplify. Lists are of all that is "+
		"printed.)\n"...)
	dst = appendCopies(dst, "copy added", w.Added)
	dst = appendCopies(dst, "copy removed", w.Removed)
	for i, r := range w.Reordered {
		if i == maxListed {
			return appendMore(dst, len(w.Reordered)-i)
		}
		dst = fmt.Appendf(dst, "  other order in %%%s: %s, %s from %s, %d bytes, without it %d\n", r.Computation,
			r.Value, r.To, r.From, r.BytesAfter, r.BytesBefore)
	}
	return dst
}

func appendMore(dst []byte, n int) []byte {
	return fmt.Appendf(dst, "  ... and %d more (--format json lists all)\n", n)
}

func appendCopies(dst []byte, what string, list []whatif.Copy) []byte {
	for i, c := range list {
		if i == maxListed {
			return appendMore(dst, len(list)-i)
		}
		dst = fmt.Appendf(dst, "  %s in %%%s: %s of %s, from %s to %s, %d bytes", what, c.Computation, c.Name, c.Of,
			c.From, c.To, c.Bytes)
		if c.Runs != 1 {
			dst = fmt.Appendf(dst, " x %d", c.Runs)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// Sweep is the outcome of a sweep over one module.
type Sweep struct {
	Form
	File   string     `json:"file"`
	Module string     `json:"module"`
	Tried  []Tried    `json:"tried"`
	Rows   []SweepRow `json:"rows"`
	// Flags are those that every row has besides its own.
	Flags []string `json:"-"`
}

// Tried says how far the search went on one target.
type Tried struct {
	Target  string `json:"tpu"`
	Arrays  int    `json:"arrays"`  // of the interface, with more than one order
	Choices int64  `json:"choices"` // combinations that there are, at most the largest int64
	Runs    int    `json:"runs"`
}

// SweepRow is a row with the flags of hlolayout assign that lead to it, each an argument.
type SweepRow struct {
	whatif.Row
	Flags []string `json:"flags"`
}

// Add adds the outcome for one target, which may be that of another one that whatif.Alike finds the same.
func (s *Sweep) Add(target string, swept *whatif.Swept) {
	s.Tried = append(s.Tried, Tried{target, swept.Arrays, swept.Choices, swept.Runs})
	for _, r := range swept.Rows {
		r.Target = target
		row := SweepRow{r, append([]string{"--tpu=" + target}, s.Flags...)}
		for _, e := range r.Entries {
			row.Flags = append(row.Flags, "--entry="+e.String())
		}
		s.Rows = append(s.Rows, row)
	}
}

// AppendText appends the rows as a table, with the flags quoted for a shell.
func (s *Sweep) AppendText(dst []byte) []byte {
	for _, t := range s.Tried {
		how := fmt.Sprintf("all %d combinations tried", t.Choices)
		switch {
		case t.Choices == 1:
			how = "no other orders to try"
		case t.Choices == math.MaxInt64:
			how = fmt.Sprintf("%d of more than 2^63 combinations tried", t.Runs)
		case int64(t.Runs) < t.Choices:
			how = fmt.Sprintf("%d of %d combinations tried", t.Runs, t.Choices)
		}
		dst = fmt.Appendf(dst, "%s: module %s for %s, %s of the interface, %s\n", s.File, s.Module, t.Target,
			count(t.Arrays, "array"), how)
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "tpu\tpadded bytes\tbytes copied\tcopies\tinterface bytes\t  flags of assign\n")
	for _, r := range s.Rows {
		var flags []string
		for _, f := range r.Flags {
			name, value, valued := strings.Cut(f, "=")
			if strings.ContainsAny(value, " {}'%") {
				value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
			}
			if valued {
				name += " " + value
			}
			flags = append(flags, name)
		}
		note := ""
		switch {
		case r.Given && r.Pareto:
			note = "  (as given)"
		case r.Given:
			note = "  (as given; another row is better)"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t  %s%s\n", r.Target, r.PaddedBytes, r.CopiedBytes, r.Copies, r.InterfaceBytes,
			strings.Join(flags, " "), note)
	}
	w.Flush()
	return append(dst, text.String()...)
}
