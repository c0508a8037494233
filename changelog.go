// Package hlolayout holds what belongs to the module as a whole.
package hlolayout

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// changelog is what changed between releases, in Markdown. Its sections "Rules N", the newest first, are the versions
// of the rules.
//
//go:embed CHANGELOG.md
var changelog string

// RulesVersion is the version of the rules that decide layouts and memory spaces: those of passes/layout,
// of tpu and of passes/memory. Lock files and goldens carry it, so that a difference can be distinguished from a change
// of the program. CHANGELOG.md has a section for each version. Those that a release carries stay as they are: rules
// that give something else need a new one (TestRulesVersion in passes). A golden without a version is of version 1.
var RulesVersion = sync.OnceValue(func() int { return numberOf(versions()[0]) })

// Changelog returns the versions after one, the newest first, in Markdown.
func Changelog(after int) string {
	var list []string
	for _, section := range versions() {
		if numberOf(section) > after {
			list = append(list, section)
		}
	}
	return strings.Join(list, "\n")
}

// heading is what the section of a version begins with.
const heading = "## Rules "

// versions returns the sections of the changelog that are versions of the rules, the newest first.
func versions() (list []string) {
	for _, section := range strings.Split(changelog, "\n## ") {
		if section = "## " + section; strings.HasPrefix(section, heading) {
			list = append(list, section)
		}
	}
	return list
}

// numberOf returns the number of a section's version, 0 for one that has none.
func numberOf(section string) int {
	line, _, _ := strings.Cut(section[len(heading):], "\n")
	k, _ := strconv.Atoi(line)
	return k
}
