package report

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"strings"

	"hlolayout/hlo"
)

// The parts of SARIF 2.1.0 (OASIS standard, sections 3.13 on) that are written here.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string       `json:"id"`
		Name          string       `json:"name"`
		Short         sarifText    `json:"shortDescription"`
		Help          *sarifText   `json:"help,omitempty"`
		Configuration sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Descriptor sarifID         `json:"descriptor"`
		Level      string          `json:"level"`
		Message    sarifText       `json:"message"`
		Locations  []sarifLocation `json:"locations,omitempty"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Message  *sarifText     `json:"message,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name      string `json:"name"`
		Qualified string `json:"fullyQualifiedName"`
	}
)

func (r *Results) sarif(int) ([]byte, error) {
	// Columns are counted in bytes; names begin after ASCII, so that these are code points, too.
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: toolName, Version: r.Version, Rules: []sarifRule{}}},
		Results: []sarifResult{}, ColumnKind: "unicodeCodePoints"}
	index := map[string]int{}
	for i, rule := range r.Rules {
		index[rule.ID] = i
		s := sarifRule{ID: rule.ID, Name: rule.Name, Short: sarifText{rule.Doc},
			Configuration: sarifDefault{rule.Severity.String()}}
		if rule.Page != "" {
			s.Help = &sarifText{rule.Page}
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, s)
	}
	invocation := sarifInvocation{ExecutionSuccessful: true, Notifications: []sarifNotification{}}
	for i := range r.Cases {
		c := &r.Cases[i]
		for k := range c.Errors {
			x := &c.Errors[k]
			invocation.ExecutionSuccessful = false
			invocation.Notifications = append(invocation.Notifications, sarifNotification{sarifID{x.Rule}, x.Severity,
				sarifText{x.text()}, x.sarifLocations()})
		}
		for k := range c.Findings {
			x := &c.Findings[k]
			run.Results = append(run.Results, sarifResult{RuleID: x.Rule, RuleIndex: index[x.Rule], Level: x.Severity,
				Message:   sarifText{x.text()},
				Locations: x.sarifLocations(), Related: x.sarifSource(),
				Fingerprints: map[string]string{"hlolayout/v1": x.fingerprint(c.Module)}})
		}
	}
	run.Invocations = []sarifInvocation{invocation}
	return marshal(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func (r *Result) sarifLocations() []sarifLocation {
	var l sarifLocation
	if uri := fileURI(r.File); uri != "" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{uri}}
		if r.Line > 0 {
			l.Physical.Region = &sarifRegion{r.Line, r.Column}
		}
	}
	for _, v := range r.Values[:min(1, len(r.Values))] {
		name := "%" + v.Name + hlo.Index(v.Index).String()
		l.Logical = []sarifLogical{{name, "%" + v.Computation + "/" + name}}
	}
	if l.Physical == nil && l.Logical == nil {
		return nil
	}
	return []sarifLocation{l}
}

// sarifSource is the line of the program that the instruction comes from, nil where it is not known.
func (r *Result) sarifSource() []sarifLocation {
	uri := fileURI(r.SourceFile)
	if uri == "" {
		return nil
	}
	p := &sarifPhysical{Artifact: sarifArtifact{uri}}
	if r.SourceLine > 0 {
		p.Region = &sarifRegion{StartLine: r.SourceLine}
	}
	return []sarifLocation{{Message: &sarifText{"the program's source"}, Physical: p}}
}

// fileURI is a path as a URI, relative where the path is; "" for standard input.
func fileURI(path string) string {
	if path == "" || path == "<stdin>" {
		return ""
	}
	u := url.URL{Path: filepath.ToSlash(strings.ToValidUTF8(path, "\uFFFD"))}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
		return u.String()
	}
	return u.String() // with a ./ before what would be taken for a scheme
}

// fingerprint is the same for a finding whose value was renumbered: it says whether a finding is new.
func (r *Result) fingerprint(module string) string {
	parts := []string{r.Rule, module, r.Shape}
	if len(r.Values) > 0 {
		parts = append(parts, hlo.BaseName(r.Values[0].Name))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
