package forms

import (
	"sort"

	"hlolayout/hlo"
)

// excerpt is a text made of parts of a file's text.
type excerpt struct {
	text string
	file string    // the whole file
	runs []hlo.Run // where the text is in it; nil where it is the file's text
}

// origin is what the parser knows of the excerpt.
func (e excerpt) origin() *hlo.Origin {
	if e.runs == nil {
		return nil
	}
	return hlo.NewOrigin(e.file, e.runs)
}

// at returns the place of an offset of the text in the file, and the number of the run that it is in.
func (e excerpt) at(offset int) (file int32, run int) {
	if e.runs == nil {
		return int32(offset), -1
	}
	run = sort.Search(len(e.runs), func(i int) bool { return int(e.runs[i].Text) > offset }) - 1
	return e.runs[run].File + int32(offset) - e.runs[run].Text, run
}

// clip makes an excerpt of parts of another one.
type clip struct {
	of   excerpt
	text []byte
	runs []hlo.Run
}

// add appends text[from:to].
func (c *clip) add(from, to int) {
	if from >= to {
		return
	}
	file, run := c.of.at(from)
	c.mark(file)
	start := len(c.text)
	for run++; c.of.runs != nil && run < len(c.of.runs) && int(c.of.runs[run].Text) < to; run++ {
		r := c.of.runs[run]
		c.runs = append(c.runs, hlo.Run{Text: int32(start+int(r.Text)) - int32(from), File: r.File})
	}
	c.text = append(c.text, c.of.text[from:to]...)
}

// put appends s, which stands for what the text has at an offset.
func (c *clip) put(s string, offset int) {
	file, _ := c.of.at(offset)
	c.mark(file)
	c.text = append(c.text, s...)
}

// mark begins a run, unless what follows continues the last one.
func (c *clip) mark(file int32) {
	at := int32(len(c.text))
	if n := len(c.runs); n > 0 {
		if last := c.runs[n-1]; last.File+at-last.Text == file && last.Text < at {
			return
		}
	}
	c.runs = append(c.runs, hlo.Run{Text: at, File: file})
}

func (c *clip) done() excerpt {
	if len(c.runs) == 0 {
		c.runs = []hlo.Run{{}}
	}
	return excerpt{string(c.text), c.of.file, c.runs}
}
