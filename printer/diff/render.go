package diff

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
)

// Options say how a Diff is rendered.
type Options struct {
	// Old and New are the names of the two sides, for the first two lines; both empty leave these lines out.
	Old, New string
	// Color marks what changed inside a line by ANSI colours; without it by [-old-] and {+new+}.
	Color bool
	// Whole keeps long lines whole; otherwise a line above maxLine bytes is cut, so that what changed is in sight.
	Whole bool
	// Width puts the old and the new line side by side in that many columns; 0 puts them one above the other.
	Width int
}

// maxLine is the length of a line, in bytes, that is shown whole.
const maxLine = 400

// Append appends the difference as text to dst: the two names, then for each computation its name between @@ and its
// changes. The old line (-) stands directly above the new one (+). An instruction is shown by its name, shape, opcode
// and operands, and those of its attributes that differ. Nothing is appended where nothing differs.
func (d *Diff) Append(dst []byte, opts Options) []byte {
	if d.Same() {
		return dst
	}
	r := renderer{dst: dst, Options: opts, diff: d}
	if opts.Old != "" || opts.New != "" {
		r.bold("--- " + opts.Old)
		r.bold("+++ " + opts.New)
	}
	r.module(d)
	for _, c := range d.Computations {
		r.computation(c)
	}
	return r.dst
}

type renderer struct {
	dst []byte
	Options
	diff *Diff
}

// The ANSI sequences: colours of whole lines, and reversed for the changed parts inside of them.
const (
	ansiRed, ansiGreen, ansiCyan, ansiBold, ansiReset = "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[1m", "\x1b[0m"
	ansiReverse, ansiNotReverse                       = "\x1b[7m", "\x1b[27m"
)

func (r *renderer) module(d *Diff) {
	named := d.Old.Name != d.New.Name
	entry := !d.sameEntry()
	if !named && !entry && len(d.Module) == 0 {
		return
	}
	r.heading("HloModule " + d.New.Name)
	if named {
		r.pair("HloModule "+d.Old.Name, "HloModule "+d.New.Name)
	}
	if entry {
		r.pair("ENTRY %"+entryName(d.Old), "ENTRY %"+entryName(d.New))
	}
	for _, a := range d.Module {
		r.pair(attrText(a.Name, a.Old), attrText(a.Name, a.New))
	}
}

func (r *renderer) computation(c Computation) {
	at := c.New
	if at == nil {
		at = c.Old
	}
	r.heading("%" + at.Name)
	for _, change := range c.Changes {
		r.pair(r.diff.line(change.Old, change.Attrs, true), r.diff.line(change.New, change.Attrs, false))
	}
}

// line is an instruction's line, empty for no instruction. Paired instructions have the old name on both sides.
func (d *Diff) line(in *hlo.Instruction, attrs []AttrChange, old bool) string {
	if in == nil {
		return ""
	}
	name := func(in *hlo.Instruction) string {
		if !old && d.matching != nil {
			if o := d.matching.OldOf(in); o != nil {
				return o.Name
			}
		}
		return in.Name
	}
	return string(appendLine(nil, in, attrs, old, name))
}

func attrText(name string, v *hlo.Value) string {
	if v == nil {
		return ""
	}
	return string(appendAttr(nil, name, v))
}

// pair writes the old and the new line; an empty one is left out, and the other then is not marked inside.
func (r *renderer) pair(old, new string) {
	switch {
	case r.Width > 0:
		r.beside(old, new)
	case old == "":
		r.line('+', ansiGreen, []span{{new, false}})
	case new == "":
		r.line('-', ansiRed, []span{{old, false}})
	default:
		o, n := highlight(old, new)
		r.line('-', ansiRed, o)
		r.line('+', ansiGreen, n)
	}
}

func (r *renderer) line(sign byte, color string, spans []span) {
	if !r.Whole {
		spans = shorten(spans, maxLine)
	}
	if r.Color {
		r.dst = append(r.dst, color...)
	}
	r.dst = append(r.dst, sign, ' ')
	r.spans(sign, spans)
	if r.Color {
		r.dst = append(r.dst, ansiReset...)
	}
	r.dst = append(r.dst, '\n')
}

// spans writes a line's parts with the changed ones marked.
func (r *renderer) spans(sign byte, spans []span) {
	open, shut := r.marks(sign)
	for _, s := range spans {
		if s.Changed {
			r.dst = append(append(append(r.dst, open...), s.Text...), shut...)
		} else {
			r.dst = append(r.dst, s.Text...)
		}
	}
}

// marks are what stands around a changed part.
func (r *renderer) marks(sign byte) (open, shut string) {
	switch {
	case r.Color:
		return ansiReverse, ansiNotReverse
	case sign == '+':
		return "{+", "+}"
	}
	return "[-", "-]"
}

func (r *renderer) bold(text string)    { r.colored(ansiBold, text) }
func (r *renderer) heading(text string) { r.colored(ansiCyan, "@@ "+text+" @@") }

func (r *renderer) colored(color, text string) {
	if r.Color {
		text = color + text + ansiReset
	}
	r.dst = append(append(r.dst, text...), '\n')
}

// AppendCopies appends the list of inserted copies to dst, a line each: in which computation, of what, from which
// layout to which, and how many bytes the result takes.
func (d *Diff) AppendCopies(dst []byte) []byte {
	for _, c := range d.Inserted {
		in := c.Instruction
		dst = fmt.Appendf(dst, "copy inserted in %%%s: %%%s of %%%s, ", in.Computation.Name, in.Name,
			in.Operands[0].Name)
		if c.To.IsArray() && c.From.IsArray() {
			dst = c.To.Append(dst, false)
			dst = fmt.Appendf(dst, " from %s to %s", layoutText(c.From), layoutText(c.To))
		} else {
			dst = c.To.Append(dst, true)
		}
		dst = fmt.Appendf(dst, ", %s\n", count(c.Bytes, "byte"))
	}
	return dst
}

func layoutText(s *hlo.Shape) string {
	if s.Layout == nil {
		return "no layout"
	}
	return s.Layout.String()
}

// String returns the summary as one line, such as
// "34 arrays, 20 re-laid out (13 in order, 7 in tiles only), 1 copy inserted (65536 bytes)".
func (s Summary) String() string {
	text := fmt.Sprintf("%s, %d re-laid out", count(int64(s.Arrays), "array"), s.RelaidOut())
	var how []string
	for _, h := range []struct {
		n    int
		what string
	}{{s.Reordered, "in order"}, {s.Moved, "in memory space"}, {s.Retiled, "in tiles only"}} {
		if h.n > 0 {
			how = append(how, fmt.Sprintf("%d %s", h.n, h.what))
		}
	}
	if len(how) > 0 {
		text += " (" + strings.Join(how, ", ") + ")"
	}
	switch s.Copies {
	case 0:
		text += ", no copies inserted"
	case 1:
		text += fmt.Sprintf(", 1 copy inserted (%s)", count(s.CopyBytes, "byte"))
	default:
		text += fmt.Sprintf(", %d copies inserted (%s)", s.Copies, count(s.CopyBytes, "byte"))
	}
	if n := s.Added - s.Copies; n > 0 {
		text += fmt.Sprintf(", %s added", count(int64(n), "other instruction"))
	}
	if s.Removed > 0 {
		text += fmt.Sprintf(", %s removed", count(int64(s.Removed), "instruction"))
	}
	return text
}

func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
