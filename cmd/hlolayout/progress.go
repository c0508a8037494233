package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress shows on a terminal how many of several inputs are done, and when all will be. A nil one shows nothing. It
// is not a library's: those that draw bars link net/http, whose initialization every run would pay for.
type progress struct {
	w        io.Writer
	shown    bool
	begun    time.Time
	patience time.Duration // how long a command works before it shows its progress
	n, all   int
}

// barWidth is the width of a full bar in columns.
const barWidth = 30

func newProgress(w io.Writer) *progress { return &progress{w: w, patience: time.Second} }

// start begins to count all inputs.
func (p *progress) start(all int) {
	if p != nil {
		p.begun, p.n, p.all = time.Now(), 0, all
	}
}

// done counts one input.
func (p *progress) done() {
	if p != nil {
		p.reach(p.n+1, p.all)
	}
}

// reach says that n of all are done.
func (p *progress) reach(n, all int) {
	if p == nil {
		return
	}
	p.n, p.all = n, all
	worked := time.Since(p.begun)
	if p.n >= p.all {
		p.clear()
	} else if worked >= p.patience {
		p.shown = true
		left := time.Duration(float64(worked) / float64(p.n) * float64(p.all-p.n))
		full := barWidth * p.n / p.all
		fmt.Fprintf(p.w, "\r\x1b[Khlolayout %3d%% |%s%s| (%d/%d) [%s:%s]", 100*p.n/p.all, strings.Repeat("█", full),
			strings.Repeat(" ", barWidth-full), p.n, p.all, worked.Round(time.Second), left.Round(time.Second))
	}
}

// clear takes the bar away, to make room for a line; the next done shows it again.
func (p *progress) clear() {
	if p != nil && p.shown {
		p.shown = false
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
