package printer

import (
	"io"
	"unsafe"

	"hlolayout/hlo"
)

// Mode says how much of the text a module was read from the print keeps.
type Mode uint8

// Preserving keeps names, order, tables and words, as Append does. Canonical prints what XLA would print after parsing
// the text: names made unique, instructions and computations in XLA's order, every attribute in XLA's form, defaults
// left out.
const (
	Preserving Mode = iota
	Canonical
)

// Format is one of XLA's sets of print options. It matters to the canonical print only.
type Format uint8

// Default is HloModule::ToString: constants of up to ten elements are shown, others are `{...}`. Long also shows the
// shapes of operands and all constants. Short is HloPrintOptions::ShortParsable: all constants, no `%`, signatures,
// metadata, control predecessors or stack-frame tables.
const (
	Default Format = iota
	Long
	Short
)

// Config chooses a print; its zero value is the preserving one.
type Config struct {
	Mode   Mode
	Format Format
}

// Print returns the module as text.
func (c Config) Print(m *hlo.Module) string {
	text := c.Append(make([]byte, 0, len(m.Source)+len(m.Source)/8+256), m)
	return unsafe.String(unsafe.SliceData(text), len(text)) // nothing writes to it any more
}

// Write writes the module's text, piece by piece in the preserving mode, while the next pieces are printed: the whole
// text is never held. Writes come one at a time, in the order of the text, by any goroutine; the first error ends them
// and is returned. The module is not changed.
func (c Config) Write(w io.Writer, m *hlo.Module) error {
	if c.Mode == Canonical {
		_, err := io.WriteString(w, c.Print(m))
		return err
	}
	p := printer{style: m.Style, out: make([]byte, 0, headerRoom(m)), comments: m.Comments}
	p.header(m)
	if err := p.write(w, m); err != nil || m.Comments[m] == nil {
		return err
	}
	p.out = nil
	p.commentLines(m.Comments[m], hlo.CommentBeforeEnd, "")
	_, err := w.Write(p.out)
	return err
}

// Append appends the module's text to dst. The module is not changed. What XLA would not accept, such as unknown
// attributes, prints as it was read.
func (c Config) Append(dst []byte, m *hlo.Module) []byte {
	if c.Mode == Canonical {
		return appendCanonical(dst, m, c.Format)
	}
	return Append(dst, m)
}
