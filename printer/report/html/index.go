package html

import (
	"bytes"
	"html/template"
	"net/url"
	"sync"

	"hlolayout/hlo"
	"hlolayout/printer/report"
)

// Row is a module in an index: its page, as a name relative to the index, and its sums.
type Row struct {
	Page    string
	Summary *report.Summary
}

// AppendIndex appends a page with a table of modules and links to their pages. It needs nothing else and opens offline.
func AppendIndex(dst []byte, title string, rows []Row) []byte {
	var b bytes.Buffer
	err := indexPage().Execute(&b, struct {
		Title string
		Rows  []Row
	}{hlo.Visible(title), rows})
	if err != nil {
		panic(err) // the template and its data are ours
	}
	return append(dst, b.Bytes()...)
}

var indexPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("index").Funcs(template.FuncMap{
		"bytes": report.Bytes, "visible": hlo.Visible, "waste": func(s *report.Summary) string {
			return report.Bytes(s.Padded - s.Logical)
		},
		"link": func(page string) string { return "./" + url.PathEscape(page) },
	}).Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hlolayout: {{.Title}}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em;
  color-scheme: light dark; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .3em .8em; border-bottom: 1px solid #8884; }
th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
<p>{{len .Rows}} modules, those with most bytes of padding and relayouts first.</p>
<table>
<thead><tr><th>Module</th><th>Stage</th><th>TPU</th><th>Instructions</th>
<th>Arrays</th><th>Padding</th><th>Relayouts</th><th>Findings</th></tr></thead>
<tbody>
{{- range .Rows}}{{$page := .Page}}{{with .Summary}}
<tr><td><a href="{{link $page}}" title="{{visible .File}}">{{visible .Module}}</a></td>
<td>{{.Stage}}</td><td>{{.TPU}}</td><td>{{.Instructions}}</td>
<td>{{bytes .Padded}}</td><td>{{waste .}}</td><td>{{bytes .RelayoutBytes}}</td><td>{{.Found}}</td></tr>
{{- end}}{{end}}
</tbody>
</table>
</body>
</html>
`))
})
