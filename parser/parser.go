package parser

//go:generate go run ./internal/lexgen -grammars . -out internal/grammar

import (
	"math"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser/internal/build"
	"hlolayout/parser/internal/grammar"
	"hlolayout/parser/internal/lines"
)

// MaxBytes is the greatest length of a text: offsets are kept in 31 bits.
const MaxBytes = math.MaxInt32

// Codes describes what can be wrong with a text.
func Codes() []hlo.Code { return append(build.Codes, hlo.CheckCodes...) }

// Config says how to read.
type Config struct {
	// Strict refuses what XLA's parser refuses; otherwise unknown opcodes and attributes are kept with a warning.
	Strict bool
	// Warn, when set, is called for every warning.
	Warn func(*hlo.Error)
	// Partial reads a text that is cut: its whole computations, and the whole instructions of the one that it ends in.
	// The module's Cut says where that is. Otherwise such a text is an error.
	Partial bool
	// Origin says where the text is in the file, nil where it is the file's.
	Origin *hlo.Origin
}

// Parse reads one module with the zero Config. File is the name for messages. A non-nil error is an hlo.ErrorList.
//
// The module shares memory with text: names, literals and attribute values are parts of it.
func Parse(file, text string) (*hlo.Module, error) { return Config{}.Parse(file, text) }

// Parse reads one module: a whole one, computations without the HloModule line, or a single instruction.
// ParseAll reads texts of several.
func (c Config) Parse(file, text string) (*hlo.Module, error) {
	return c.parse(file, text, 0, len(text))
}

// parse reads the module in text[from:to].
func (c Config) parse(file, text string, from, to int) (*hlo.Module, error) {
	first, behind := word(text[from:to])
	if second, _ := word(behind); strings.ContainsAny(first, "[(") && second != "=" {
		return c.parseRHS(file, text, from, to)
	}
	if to > MaxBytes {
		return nil, hlo.ErrorList{{File: file, Code: build.CodeTooLarge, Msg: "the text is longer than 2 GiB"}}
	}
	m := c.parsePieces(file, text, from, to)
	var err error
	if m == nil {
		m, err = c.parseSerially(file, text, from, to)
	}
	if t, ok := isCut(err, text, from, to); ok && !c.Strict {
		m, err = c.parsePart(file, text, from, to, t)
	}
	if err == nil && m.Entry == nil && m.Cut == "" {
		m, err = c.cut(m, to, "the text ends without an ENTRY computation")
	}
	if err == nil {
		err = c.readRecovery(m)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// idle are parsers of small texts that have read theirs: the next one is read in their memory.
var idle = sync.Pool{New: func() any { return grammar.New(build.New("", "", build.Options{})) }}

// smallText is a length in bytes: reading a larger text takes little memory compared with its module.
const smallText = 64 << 10

func (c Config) parseSerially(file, text string, from, to int) (*hlo.Module, error) {
	if len(text) > smallText {
		return c.read(grammar.New(build.New(file, text, c.options())), text, from, to)
	}
	p := idle.Get().(*grammar.Parser)
	p.Builder().Begin(file, text, c.options())
	m, err := c.read(p, text, from, to)
	p.Reset()
	idle.Put(p)
	return m, err
}

// read reads text[from:to] with a parser that has read nothing yet.
func (c Config) read(p *grammar.Parser, text string, from, to int) (*hlo.Module, error) {
	b := p.Builder()
	all := build.Text{Off: uint32(from), End: uint32(to)}
	switch rule := c.ruleFor(text[from:to]); rule {
	case build.SingleRule:
		b.SingleInstruction()
		if p.Parse(rule, all) {
			p.Finally(b.SingleEnd)
		}
	case build.HeaderlessRule:
		p.Parse(rule, all)
		b.HeaderlessName()
	default:
		p.Parse(rule, all)
	}
	for { // find the other errors, too
		rest, ok := b.Resume()
		if !ok || p.Parse(build.RestRule, build.Text{Off: rest.Off, End: uint32(to)}) {
			break
		}
	}
	m, errs := b.Finish()
	return m, errs.Err()
}

// ruleFor chooses how to read a text, as XLA does: by its first token, and whether a brace follows it. Where that is
// not strict, the first computation may have a signature.
func (c Config) ruleFor(text string) build.Rule {
	first, rest := word(text)
	if first == "HloModule" || first == "" {
		return build.ModuleRule
	}
	if second, _ := word(rest); first == "ENTRY" || strings.HasPrefix(second, "{") {
		return build.HeaderlessRule
	}
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	if _, ok := lines.Computation(line); ok && !c.Strict {
		return build.HeaderlessRule
	}
	return build.SingleRule
}

// word cuts the first word off a text, skipping blanks and comments in front.
func word(text string) (first, rest string) {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case strings.HasPrefix(text, "//"):
			_, text, _ = strings.Cut(text, "\n")
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text[2:], "*/")
		default:
			end := strings.IndexAny(text, " \t\r\n{(/")
			if end == 0 {
				end = 1
			}
			if end < 0 {
				end = len(text)
			}
			return text[:end], text[end:]
		}
	}
}
