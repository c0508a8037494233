package report_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/passes/lint"
	"hlolayout/printer/diff"
	"hlolayout/printer/report"
	"hlolayout/tpu"
)

// hostile has what each form has to escape: ends of lines, colours, directions, quotes, fences, tags, commands, wrong
// UTF-8.
const hostile = "a|b`c``d\n::error::x\r\x1b[31m\u202e%0A,:<b>]]>&\"'\xff\x00</testcase>"

// found makes results of n findings of each severity, all with hostile texts.
func found(n int) *report.Results {
	r := &report.Results{Command: "lint", Version: "v1", Rules: report.Rules("lint")}
	c := report.Case{File: hostile, Module: hostile, Target: "v5e", Notes: []string{hostile, "second"},
		Errors: []report.Result{report.ErrorResult("", &hlo.Error{File: "dir/b c.hlo", Line: 2, Col: 3, Code: "HLO101",
			Msg: hostile})}}
	for i := range n {
		for _, severity := range []string{"note", "warning", "error"} {
			x := report.RuleOf(r.Rules, "padding")
			x.Severity, x.File, x.Line, x.Column = severity, hostile, i+1, 3
			x.Message, x.Details, x.Suggestion, x.Shape = hostile, []string{hostile, "more"}, hostile, "f32[2]{0}"
			x.Values = []report.ValueJSON{{Computation: "main", Name: hostile, Index: []int{1, 0}},
				{Computation: "main", Name: "other"}}
			c.Findings = append(c.Findings, x)
		}
	}
	r.Cases = []report.Case{c, {File: "fine.hlo"}}
	return r
}

func render(t *testing.T, r *report.Results, format string, used int) string {
	t.Helper()
	text, err := report.FormatOf(format).Render(r, used)
	require.NoError(t, err)
	return string(text)
}

// validate checks a document against a schema.
func validate(t *testing.T, schema, document string) {
	t.Helper()
	s, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("urn:schema", s))
	compiled, err := c.Compile("urn:schema")
	require.NoError(t, err)
	d, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(d), document[:min(len(document), 2000)])
}

func schema(t *testing.T, name string) string {
	t.Helper()
	text, ok := report.Schema(name)
	require.True(t, ok, name)
	return string(text)
}

// samples are results with and without findings, of each command.
func samples(t *testing.T) map[string]*report.Results {
	old := parse(t, "old.hlo", read(t, "../../testdata/attention.hlo"))
	new := parse(t, "new.hlo", read(t, "../../testdata/attention.v5e.hlo"))
	d := report.NewDiff(diff.NewReport(old, new, diff.DefaultIgnore), "old.hlo", "new.hlo")
	require.False(t, d.Same())
	target, err := tpu.ByName("v5e")
	require.NoError(t, err)
	config := lint.Default()
	config.MaxPadding = 0
	for i := range config.Rules {
		config.Rules[i].MinBytes, config.Rules[i].MinFactor = 0, 1
	}
	l := report.Lint{File: "new.hlo", Module: new, Target: "v5e", Findings: lint.Run(new, target, config), Accepted: 2}
	require.NotEmpty(t, l.Findings)
	of := func(command string, cases ...report.Case) *report.Results {
		return &report.Results{Command: command, Version: "v1", Rules: report.Rules(command), Cases: cases}
	}
	golden := report.RuleOf(report.Rules("check"), "golden")
	golden.File, golden.Message, golden.Details = "a.lock", "differs", []string{"-a", "+b"}
	return map[string]*report.Results{
		"empty": of("lint"), "hostile": found(20), "lint": of("lint", l.Case()),
		"check": of("check", report.Case{File: "a.hlo", Findings: []report.Result{golden}}),
		"diff": of("diff", d.Case(), report.OnlyCase("gone.hlo", "", "gone"),
			report.OnlyCase("", "/abs/new:1.hlo", "new")),
	}
}

func TestJSON(t *testing.T) {
	for name, r := range samples(t) {
		t.Run(name, func(t *testing.T) { validate(t, schema(t, "results"), render(t, r, "json", 0)) })
	}
	var d report.ResultsJSON
	require.NoError(t, json.Unmarshal([]byte(render(t, found(3), "json", 0)), &d))
	assert.Equal(t, report.CountsBy{Cases: 2, Errors: 4, Warnings: 3, Notes: 3}, d.Counts)
}

func TestDiffJSON(t *testing.T) {
	before := parse(t, "a", read(t, "../../testdata/attention.hlo"))
	after := parse(t, "b", read(t, "../../testdata/attention.v5e.hlo"))
	for _, pair := range [][2]*hlo.Module{{before, after}, {after, before}, {before, before}} {
		j := report.NewDiff(diff.NewReport(pair[0], pair[1], diff.DefaultIgnore), "a", "b").JSON()
		for _, v := range []any{j, []*report.DiffJSON{j, report.OnlyJSON("a", "")}, []*report.DiffJSON{}} {
			text, err := json.Marshal(v)
			require.NoError(t, err)
			validate(t, schema(t, "diff"), string(text))
		}
	}
}

// A schema that takes anything would be none.
func TestSchemasRefuse(t *testing.T) {
	for _, name := range report.SchemaNames() {
		s, err := jsonschema.UnmarshalJSON(strings.NewReader(schema(t, name)))
		require.NoError(t, err)
		c := jsonschema.NewCompiler()
		require.NoError(t, c.AddResource("urn:x", s))
		compiled, err := c.Compile("urn:x")
		require.NoError(t, err)
		assert.Error(t, compiled.Validate(map[string]any{"schema_version": 1}), name)
	}
}

// sarifSchema is the schema of the standard, which go-sarif has as a constant.
func sarifSchema(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	require.NoError(t, err)
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "pkg/report/v210/sarif/schema.go"))
	require.NoError(t, err)
	_, text, ok := strings.Cut(string(source), "const schema = `")
	require.True(t, ok)
	text, _, _ = strings.Cut(text, "`\n")
	require.Contains(t, text, "sarif-schema-2.1.0.json")
	return text
}

func TestSARIF(t *testing.T) {
	s := sarifSchema(t)
	for name, r := range samples(t) {
		t.Run(name, func(t *testing.T) {
			text := render(t, r, "sarif", 0)
			validate(t, s, text)
			log, err := sarif.FromBytes([]byte(text), sarif.WithStrictValidation())
			require.NoError(t, err)
			n, failed := 0, 0
			for _, c := range r.Cases {
				n, failed = n+len(c.Findings), failed+len(c.Errors)
			}
			require.Len(t, log.Runs[0].Results, n)
			assert.Len(t, log.Runs[0].Invocations[0].ToolExecutionNotifications, failed)
			for _, x := range log.Runs[0].Results {
				assert.Equal(t, *x.RuleID, *log.Runs[0].Tool.Driver.Rules[x.RuleIndex].ID)
			}
		})
	}
	text := render(t, samples(t)["diff"], "sarif", 0)
	assert.Contains(t, text, `"uri": "file:///abs/new:1.hlo"`)
	assert.Contains(t, text, `"uri": "gone.hlo"`)
	assert.Contains(t, render(t, found(1), "sarif", 0), `"uri": "dir/b%20c.hlo"`)
}

// A finding is the same one after its value was renumbered.
func TestFingerprint(t *testing.T) {
	of := func(name string) string {
		r := found(1)
		r.Cases[0].Findings = r.Cases[0].Findings[:1]
		r.Cases[0].Findings[0].Values[0].Name = name
		return regexp.MustCompile(`"hlolayout/v1": "(\w+)"`).FindStringSubmatch(render(t, r, "sarif", 0))[1]
	}
	assert.Equal(t, of("copy.1"), of("copy.17"))
	assert.NotEqual(t, of("copy.1"), of("add.1"))
}

// junitElements are the elements of JUnit XML with the attributes that each has and, marked by !, must have, and its
// children; from junit-10.xsd of Jenkins' xUnit plugin.
var junitElements = map[string]struct{ attributes, children string }{
	"testsuites": {"name time tests failures errors", "testsuite"},
	"testsuite": {"name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
		"testsuite properties testcase system-out system-err"},
	"testcase": {"name! time classname group", "skipped error failure rerunFailure rerunError flakyFailure " +
		"flakyError system-out system-err"},
	"failure":    {"type message", ""},
	"error":      {"type message", ""},
	"system-out": {"", ""},
}

func TestJUnit(t *testing.T) {
	for name, r := range samples(t) {
		t.Run(name, func(t *testing.T) {
			d := xml.NewDecoder(strings.NewReader(render(t, r, "junit", 0)))
			type open struct {
				name   string
				counts map[string]int
				stated map[string]string
			}
			stack := []open{{name: ""}}
			for {
				token, err := d.Token()
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				switch e := token.(type) {
				case xml.StartElement:
					row, known := junitElements[e.Name.Local]
					require.True(t, known, e.Name.Local)
					if parent := stack[len(stack)-1].name; parent != "" {
						assert.Contains(t, strings.Fields(junitElements[parent].children), e.Name.Local)
					} else {
						assert.Equal(t, "testsuites", e.Name.Local)
					}
					stated := map[string]string{}
					for _, a := range e.Attr {
						stated[a.Name.Local] = a.Value
					}
					for _, a := range strings.Fields(row.attributes) {
						if name, must := strings.CutSuffix(a, "!"); must {
							assert.Contains(t, stated, name)
						}
					}
					for a := range maps.Keys(stated) {
						assert.Contains(t, strings.Fields(strings.ReplaceAll(row.attributes, "!", "")), a)
					}
					for _, o := range stack {
						if o.counts != nil {
							o.counts[e.Name.Local]++
						}
					}
					stack = append(stack, open{e.Name.Local, map[string]int{}, stated})
				case xml.EndElement:
					o := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					if strings.HasPrefix(o.name, "testsuite") {
						for attribute, element := range map[string]string{"tests": "testcase", "failures": "failure",
							"errors": "error"} {
							assert.Equal(t, strconv.Itoa(o.counts[element]), o.stated[attribute], "%s of %s", attribute,
								o.name)
						}
					}
				}
			}
		})
	}
}

// runner reads workflow commands as GitHub's runner does (ActionCommand.TryParseV2).
func runner(t *testing.T, text string) (out []map[string]string) {
	t.Helper()
	unescape := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		require.True(t, strings.HasPrefix(line, "::"), line)
		head, data, ok := strings.Cut(line[2:], "::")
		require.True(t, ok, line)
		kind, properties, _ := strings.Cut(head, " ")
		c := map[string]string{"kind": kind, "message": unescape.Replace(data)}
		for p := range strings.SplitSeq(properties, ",") {
			key, value, ok := strings.Cut(p, "=")
			require.True(t, ok, line)
			c[key] = unescape.Replace(value)
		}
		out = append(out, c)
	}
	return out
}

func TestGitHub(t *testing.T) {
	commands := runner(t, render(t, found(12), "github", 0))
	n := map[string]int{}
	for _, c := range commands {
		n[c["kind"]]++
	}
	assert.Equal(t, map[string]int{"error": 10, "warning": 10, "notice": 10}, n)
	first, last := commands[0], commands[len(commands)-1]
	assert.Equal(t, "dir/b c.hlo", first["file"])
	assert.Equal(t, "2", first["line"])
	assert.Equal(t, hlo.Visible(hostile), commands[5]["file"])
	assert.Equal(t, "TPL001 padding", commands[5]["title"])
	assert.Equal(t, "3 errors, 2 warnings, 3 notes not shown: GitHub shows 10 of each kind a step", last["message"])

	few := runner(t, render(t, found(2), "github", 0))
	assert.Len(t, few, 7)
	assert.Empty(t, render(t, &report.Results{Command: "lint"}, "github", 0))
}

func TestMarkdown(t *testing.T) {
	whole := render(t, found(5), "markdown", 0)
	assert.Equal(t, 16, strings.Count(whole, "\n| error ")+strings.Count(whole, "\n| warning ")+
		strings.Count(whole, "\n| note "))
	assert.NotContains(t, whole, "left out")
	for line := range strings.SplitSeq(whole, "\n") {
		if strings.HasPrefix(line, "| ") {
			bars := len(regexp.MustCompile(`(^|[^\\])\|`).FindAllString(line, -1))
			assert.Equal(t, 5, bars, line)
		}
		assert.False(t, strings.HasPrefix(line, "::"), line)
	}
	many := found(3000)
	for format, limit := range map[string]int{"markdown": 65536, "step-summary": 1 << 20} {
		for _, used := range []int{0, limit / 2, limit - 300, limit} {
			if format == "markdown" && used > 0 {
				continue
			}
			text := render(t, many, format, used)
			assert.LessOrEqual(t, len(text)+used, limit, "%s %d", format, used)
			if used > limit/2 {
				continue
			}
			assert.Greater(t, len(text)+used, limit*9/10, "%s %d", format, used)
			assert.Regexp(t, `^[0-9]+ errors, 3000 warnings, 3000 notes left out: a .* takes .*\.\n$`,
				text[strings.LastIndex(text[:len(text)-1], "\n")+1:])
			assert.False(t, strings.Contains(text, "\n| warning ") || strings.Contains(text, "\n| note "),
				"errors come first")
		}
	}
}

// No form lets a control character of an input through. JSON keeps what is none to it: it is data.
func TestNoControlCharacters(t *testing.T) {
	for _, f := range report.Formats {
		text := render(t, found(2), f.Name, 0)
		for _, c := range []string{"\x1b", "\x00", "\r", "\xff", "\u202e"} {
			if c == "\u202e" && (f.Name == "json" || f.Name == "sarif") {
				continue
			}
			assert.NotContains(t, text, c, f.Name)
		}
	}
}

// Output depends on the input alone.
func TestDeterministic(t *testing.T) {
	for _, f := range report.Formats {
		assert.Equal(t, render(t, found(30), f.Name, 0), render(t, found(30), f.Name, 0), f.Name)
	}
}

func ExampleFormats() {
	for _, f := range report.Formats {
		fmt.Println(f.Name)
	}
	// Output:
	// json
	// sarif
	// junit
	// github
	// step-summary
	// markdown
}
