// Package forms reads modules out of whatever people have them in: HLO text, protobuf dumps and profiles, logs, strings
// of a program, notes in Markdown. What holds no HLO, such as StableHLO, it recognizes and says how to get HLO.
//
// A form is a row of a table: how it is recognized, and how it is opened or what is said of it. Text that begins as HLO
// does is parsed immediately; the other forms of text are only looked for where that fails.
package forms

import (
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/hloproto"
)

// Input is what was read.
type Input struct {
	// Form is the name of the form, such as "HLO text" or "log".
	Form string
	// Modules are the modules in the order of the input. Positions in them are positions in the input where that is
	// text.
	Modules []*hlo.Module
	// Left is the number of lines that belong to no module.
	Left int
}

// Plain is the form of HLO text without anything around it.
const Plain = "HLO text"

// Proto is the form of a dump that holds one module as protobuf.
const Proto = "HLO protobuf"

// Parse reads the modules of an input. File is its name for messages. The error is an hlo.ErrorList.
func Parse(c parser.Config, file, data string) (*Input, error) {
	in, err := parse(c, file, data)
	if err != nil && !c.Strict {
		err = damaged(file, data, err)
	}
	return in, err
}

func parse(c parser.Config, file, data string) (*Input, error) {
	head := data[:min(len(data), headBytes)]
	forms := binary
	if strings.HasPrefix(head, "HloModule ") { // what begins so is in none of them
		forms = nil
	}
	for i := range forms {
		if f := &forms[i]; f.is(head, data) {
			if f.refuse != "" {
				return nil, refusal(file, f.name, f.refuse)
			}
			return f.open(c, file, data)
		}
	}
	if _, ok := hloproto.Detect([]byte(head)); ok {
		text, err := hloproto.Text(file, []byte(data))
		if err != nil {
			return nil, err
		}
		ms, err := c.ParseAll(file, text)
		return &Input{Form: Proto, Modules: ms}, err
	}
	plain := beginsAsHLO(head) || c.Strict // XLA reads no log
	var ms []*hlo.Module
	var err error
	var warnings hlo.ErrorList
	if plain {
		first := c
		if c.Warn != nil { // those of a text that turns out to be in another form are of no use
			first.Warn = func(w *hlo.Error) { warnings = append(warnings, w) }
		}
		if ms, err = first.ParseAll(file, data); err == nil || c.Strict {
			warn(c, warnings)
			return &Input{Form: Plain, Modules: ms}, err
		}
	}
	in, marked, other := parseMarked(c, file, data)
	switch {
	case in != nil && other == nil:
		return in, nil
	case marked:
		return nil, other
	case !plain:
		if err := refused(file, data, inside); err != nil {
			return nil, err
		}
		ms, err = c.ParseAll(file, data)
	}
	if start := data[:min(len(data), startBytes)]; err != nil && !resembles(start) {
		if err := refused(file, data, inside); err != nil { // what begins as HLO was not asked yet: Traceback (
			return nil, err
		}
		return nil, refused(file, start, last)
	}
	warn(c, warnings)
	return &Input{Form: Plain, Modules: ms}, err
}

func warn(c parser.Config, warnings hlo.ErrorList) {
	for _, w := range warnings {
		c.Warn(w)
	}
}

// headBytes is as much of an input as is examined to recognize it by its beginning.
const headBytes = 4096

// startBytes is as much of a text that cannot be parsed as is searched for what could be meant as HLO.
const startBytes = 1 << 20

// refusal says what an input is that holds no HLO.
func refusal(file, name, instead string) error {
	return hlo.ErrorList{{File: file, Code: CodeForm, Msg: "this is " + name, Hint: instead}}
}

// CodeForm is the code of the error for an input that holds no HLO.
const CodeForm = "HLO007"

// Codes describes what can be wrong with an input.
var Codes = []hlo.Code{{Name: CodeForm, Meaning: "the input holds no HLO: it is another representation of a program, " +
	"or no program; the hint says how to get HLO"}}

// foreign is a text that holds no HLO, known by what is in it.
type foreign struct {
	name   string
	is     func(data string) bool
	refuse string
}

// refused returns the error for a text that one of the rows knows, nil for another one.
func refused(file, data string, rows []foreign) error {
	for _, f := range rows {
		if f.is(data) {
			return refusal(file, f.name, f.refuse)
		}
	}
	return nil
}

// binaryForm is an input known by its first bytes or words.
type binaryForm struct {
	name   string
	is     func(head, data string) bool
	refuse string // how to get HLO; "" where open reads it
	open   func(c parser.Config, file, data string) (*Input, error)
}
