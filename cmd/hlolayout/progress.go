package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows on a terminal how many of several inputs are done. A nil one shows nothing.
type progress struct {
	w        io.Writer
	bar      *progressbar.ProgressBar // nil until there has been something to wait for
	begun    time.Time
	patience time.Duration // how long a command works before it shows its progress
	n, all   int
}

func newProgress(w io.Writer) *progress { return &progress{w: w, patience: time.Second} }

// start begins to count all inputs.
func (p *progress) start(all int) {
	if p != nil {
		p.begun, p.n, p.all = time.Now(), 0, all
	}
}

// done counts one input.
func (p *progress) done() {
	if p == nil {
		return
	}
	p.n++
	if p.bar == nil && p.n < p.all && time.Since(p.begun) >= p.patience {
		p.bar = progressbar.NewOptions(p.all, progressbar.OptionSetWriter(p.w), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(30),
			progressbar.OptionSetDescription("hlolayout"), progressbar.OptionClearOnFinish())
	}
	if p.bar != nil {
		p.bar.Set(p.n)
	}
}

// clear takes the bar away, to make room for a line; the next done shows it again.
func (p *progress) clear() {
	if p != nil && p.bar != nil {
		p.bar.Clear()
	}
}
