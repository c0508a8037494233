// Package printer writes modules as HLO text.
package printer

import "hlolayout/hlo"

// Print returns the module as text, in the preserving mode.
func Print(m *hlo.Module) string { return string(Append(nil, m)) }

// Append appends the module's text, in the preserving mode, to dst.
func Append(dst []byte, m *hlo.Module) []byte { return dst }
