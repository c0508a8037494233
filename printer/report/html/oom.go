package html

import (
	"bytes"
	"html/template"
	"sync"

	"hlolayout/hlo"
	"hlolayout/passes/lint"
	"hlolayout/passes/shrink"
	"hlolayout/printer/report"
)

// AppendOOM appends a page about a program that may not fit: what is too much, memory over the schedule, what would
// help, and what fills the memory at the peak. chart is nil where there is no schedule. The page needs nothing else and
// opens offline.
func AppendOOM(dst []byte, o *report.OOM, chart *report.Memory) []byte {
	v := struct {
		*report.OOM
		Chart template.HTML
	}{OOM: o}
	if chart != nil {
		v.Chart = template.HTML(chart.Chart().AppendSVG(nil)) // it escapes what it shows
	}
	var b bytes.Buffer
	if err := oomPage().Execute(&b, v); err != nil {
		panic(err) // the template and its data are ours
	}
	return append(dst, b.Bytes()...)
}

var oomPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("oom").Funcs(template.FuncMap{
		"size": lint.Size, "visible": hlo.Visible, "why": func(s *hlo.Shape) string {
			if s == nil {
				return ""
			}
			return shrink.Why(s)
		},
		"shape": func(s *hlo.Shape) string {
			if s == nil {
				return ""
			}
			return s.String()
		},
	}).Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hlolayout oom: {{visible .File}}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 90em; margin: 2em auto; padding: 0 1em; color-scheme: light
dark; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3em .8em; border-bottom: 1px solid #8884; overflow-wrap:
anywhere; } .n { text-align: right; white-space: nowrap; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>{{visible .File}}</h1>
<p>{{visible .Headline}}</p>
{{- if .Parts}}
<table>
<tbody>
{{- range .Parts}}
<tr><td>{{visible .Name}}</td><td class="n">{{size .Bytes}}</td></tr>
{{- end}}
</tbody>
</table>
{{- end}}
{{- if .Ways}}
<h2>What would help</h2>
<table>
<thead><tr><th>Change</th><th class="n">Less</th><th class="n">Then</th><th>Fits</th><th>How</th></tr></thead>
<tbody>
{{- range .Ways}}
<tr><td>{{.Kind}}</td><td class="n">{{size .Saves}}</td><td class="n">{{size .Peak}}</td><td>{{if .Fits}}yes{{else}}not
alone{{end}}</td><td>{{visible .Text}}</td></tr> {{- end}}
</tbody>
</table>
{{- end}}
{{- if .Chart}}
<h2>Memory over the schedule</h2>
{{.Chart}}
{{- end}}
{{- if .Allocations}}
<h2>Largest allocations at the peak</h2>
<table>
<thead><tr><th class="n">Size</th><th
class="n">Unpadded</th><th>Shape</th><th>Padded</th><th>Value</th><th>Source</th><th>Kind</th><th
>Smaller</th></tr></thead>
<tbody>
{{- range .Allocations}}
<tr><td class="n">{{size .Size}}</td><td class="n">{{if .Unpadded}}{{size .Unpadded}}{{end}}</td><td>{{shape
.Shape}}</td><td>{{why .Shape}}</td> <td>{{visible .Name}}<br>{{visible .Op}}</td><td>{{visible
.Source}}{{with .LineOf}}<br>line of {{visible .}}{{end}}</td><td>{{visible .Type}}</td>
<td>{{range .Ways}}{{visible .Text}}: {{size .Saves}} less<br>{{end}}</td></tr>
{{- end}}
</tbody>
</table>
{{- end}}
</body>
</html>
`))
})
