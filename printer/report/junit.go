package report

import (
	"encoding/xml"
	"strings"

	"hlolayout/hlo"
)

// JUnit XML as Jenkins reads it (junit-10.xsd of its xUnit plugin), without times and hosts: output depends on the
// input alone.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
		Out      string      `xml:"system-out,omitempty"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		ClassName string        `xml:"classname,attr"`
		Error     *junitProblem `xml:"error"`
		Failure   *junitProblem `xml:"failure"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit makes a suite of each case, and in it a case of each rule, that fails where there are findings; the first one
// says whether the text could be examined.
func (r *Results) junit(int) ([]byte, error) {
	all := junitSuites{Name: toolName + " " + r.Command}
	for i := range r.Cases {
		c := &r.Cases[i]
		title := hlo.Visible(c.title())
		read := junitCase{Name: "readable", ClassName: title, Error: problem(c.Errors)}
		s := junitSuite{Name: title, Cases: []junitCase{read}, Out: strings.Join(visible(c.Notes), "\n")}
		for _, rule := range r.Rules {
			var found []Result
			for _, x := range c.Findings {
				if x.Rule == rule.ID {
					found = append(found, x)
				}
			}
			s.Cases = append(s.Cases, junitCase{Name: rule.ID + " " + rule.Name, ClassName: title,
				Failure: problem(found)})
		}
		for _, t := range s.Cases {
			s.Tests++
			if t.Error != nil {
				s.Errors++
			}
			if t.Failure != nil {
				s.Failures++
			}
		}
		all.Tests, all.Errors, all.Failures = all.Tests+s.Tests, all.Errors+s.Errors, all.Failures+s.Failures
		all.Suites = append(all.Suites, s)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	return append(append([]byte(xml.Header), text...), '\n'), err
}

// problem makes one problem of some results, nil of none.
func problem(list []Result) *junitProblem {
	if len(list) == 0 {
		return nil
	}
	p := &junitProblem{Message: list[0].line(), Type: list[0].Severity}
	if len(list) > 1 {
		p.Message = count(len(list), "finding") + ", the first: " + p.Message
	}
	for i := range list {
		p.Text += where(&list[i]) + ": " + list[i].Severity + ": " + list[i].text() + " [" + list[i].Rule + "]\n"
	}
	return p
}
