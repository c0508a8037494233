// Package hlolayout holds what belongs to the module as a whole.
package hlolayout

import _ "embed"

// Changelog is what changed between releases, in Markdown. Its sections "Rules N", the newest first, are the versions
// of the rules.
//
//go:embed CHANGELOG.md
var Changelog string
