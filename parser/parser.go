// Package parser reads HLO text.
package parser

import "hlolayout/hlo"

// Config says how to read.
type Config struct {
	// Strict refuses what XLA's parser refuses; otherwise unknown opcodes and attributes are kept with a warning.
	Strict bool
	// Warn, when set, is called for every warning.
	Warn func(*hlo.Error)
}

// Parse reads one module with the zero Config. File is the name for messages. A non-nil error is an hlo.ErrorList.
func Parse(file, text string) (*hlo.Module, error) { return Config{}.Parse(file, text) }

// Parse reads one module.
func (c Config) Parse(file, text string) (*hlo.Module, error) { return nil, nil }
