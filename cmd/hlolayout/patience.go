package main

import (
	"fmt"
	"time"

	"hlolayout/hlo"
	"hlolayout/passes/whatif"
)

// long is how long a sweep takes at least that says so where no bar is drawn.
const long = 20 * time.Second

// patience shows how far the sweeps over a module are, and says once how long they will take at most: their searches
// may end early.
type patience struct {
	s             streams
	alone         bool // no other module is worked on
	name          string
	limit, sweeps int // runs of each sweep at most, and how many sweeps there are
	n             int // runs so far
	began         time.Time
	said          bool
}

// ran counts a run of a sweep that has found so much.
func (p *patience) ran(soFar *whatif.Swept) {
	if p.n++; p.n == 1 {
		p.began = time.Now() // after what is done once
		return
	}
	all := p.sweeps * int(min(int64(p.limit), soFar.Choices))
	if p.alone {
		p.s.bar().reach(p.n, all)
	}
	took := time.Since(p.began)
	left := took / time.Duration(p.n-1) * time.Duration(max(0, all-p.n))
	if text := p.text(all, left); text != "" && p.s.bar() == nil && !p.s.quiet() {
		fmt.Fprintln(p.s.err, text)
	}
}

// text says once how long it takes; "" where that was said, or where it is not long.
func (p *patience) text(all int, left time.Duration) string {
	if p.said || left < long {
		return ""
	}
	p.said = true
	return fmt.Sprintf("%s: at most %d runs of layout assignment, about %s (--runs and --tpu make them fewer, Ctrl-C "+
		"prints what was found)", hlo.Visible(p.name), all, left.Round(time.Second))
}
