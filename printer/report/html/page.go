// Package html writes a report of one module as one HTML file: what its layouts cost, which values are worst, and why.
// The file needs nothing else: it opens offline, and everything that comes from the module stays text.
//
// What grows with the module is data in script elements of type application/json, one list a column, which the page
// turns into rows as they come into sight.
package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"sync"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
	"hlolayout/printer/report"
	"hlolayout/tpu"
)

// Input is what a report is about.
type Input struct {
	File   string
	Module *hlo.Module
	// Target is the generation that the layouts are for.
	Target *tpu.Target
	// Plan is what the layout pass returned, or passes/reasons found of a module that has its layouts already; nil: there
	// are no reasons.
	Plan *plan.Plan
	// Before returns the shape that an instruction had before, nil for one that is new; Before itself is nil where
	// there is nothing to compare with. Compared says in words what that was, such as "before layout assignment".
	Before   func(*hlo.Instruction) *hlo.Shape
	Compared string
	// Memory is what fills the memories of a scheduled module; nil for others.
	Memory *report.Memory
}

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

// The parts of the script, in the order in which they run.
var (
	//go:embed data.js
	dataScript string
	//go:embed table.js
	tableScript string
	//go:embed view.js
	viewScript string
)

var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// view is what the template shows. Values, Details and Pictures are JSON in which <, > and & are written as \u003c and
// so on.
type view struct {
	*summary
	Style                     template.CSS
	Script                    template.JS
	Policy                    string
	Values, Details, Pictures template.JS
	Chart                     template.HTML
}

// Append appends the report. The same input is the same text, byte for byte.
func Append(dst []byte, in *Input) ([]byte, error) {
	stats := report.NewStats(in.Module, in.File, false)
	d := newData(in)
	d.collect(stats.Relayouts)
	script := "'use strict';\n" + dataScript + tableScript + viewScript
	hash := sha256.Sum256([]byte(script))
	v := view{
		summary: d.summary(stats),
		Style:   template.CSS(styleText),
		Script:  template.JS(script),
		// Nothing is fetched, and no script runs but the page's own.
		Policy: fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'",
			base64.StdEncoding.EncodeToString(hash[:])),
		Values:   template.JS(d.values()),
		Details:  template.JS(d.details()),
		Pictures: template.JS(d.pictures()),
	}
	if in.Memory != nil {
		v.Chart = template.HTML(in.Memory.Chart().AppendSVG(nil)) // it escapes what it shows
	}
	b := bytes.NewBuffer(dst)
	if err := page().Execute(b, v); err != nil {
		return dst, err
	}
	return b.Bytes(), nil
}
