// Package mutant breaks HLO texts in small ways, for tests that compare readers or look for crashes. Every operator
// changes one thing, at the level of bytes, tokens, lines, attributes, operands, types or computations. About half of
// the results are still modules.
package mutant

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// Operator changes a text in one way. Apply returns the text as it was where the operator finds nothing to change.
type Operator struct {
	Name  string
	Apply func(r *rand.Rand, text string) string
}

// Of returns the text that an operator makes of one of the texts, never one of them; it is empty where the operator
// changes none of them.
func (o Operator) Of(r *rand.Rand, texts []string) string {
	for range 200 {
		text := pick(r, texts)
		if m := o.Apply(r, text); m != text {
			return m
		}
	}
	return ""
}

// Operators returns all operators. Others are the texts that the operators that cross two modules take their lines
// from.
func Operators(others []string) []Operator {
	all := []Operator{}
	for _, table := range [][]Operator{byteOperators, tokenOperators, attrOperators, lineOperators, treeOperators,
		typeOperators} {
		all = append(all, table...)
	}
	return append(all, Operator{"line of another module", func(r *rand.Rand, text string) string {
		l, foreign := instructions(text), pick(r, others)
		from := instructions(foreign)
		if len(l) == 0 || len(from) == 0 {
			return text
		}
		at, line := pick(r, l), pick(r, from)
		return text[:at.from] + foreign[line.from:line.to] + "\n" + text[at.from:]
	}})
}

// A span is a part of a text.
type span struct{ from, to int }

func (s span) of(text string) string { return text[s.from:s.to] }

func (s span) replaced(text, by string) string { return text[:s.from] + by + text[s.to:] }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// spans returns what a group of a pattern matches in a text.
func spans(p *regexp.Regexp, group int, text string) []span {
	var out []span
	for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
		if m[2*group] >= 0 {
			out = append(out, span{m[2*group], m[2*group+1]})
		}
	}
	return out
}

// replaceOne replaces one of the matches of a pattern's group by what make returns for it.
func replaceOne(p *regexp.Regexp, group int, make func(r *rand.Rand, old string) string) func(*rand.Rand,
	string) string {
	return func(r *rand.Rand, text string) string {
		found := spans(p, group, text)
		if len(found) == 0 {
			return text
		}
		s := pick(r, found)
		return s.replaced(text, make(r, s.of(text)))
	}
}

// oneOf makes one of the words, whatever the old one was.
func oneOf(words []string) func(*rand.Rand, string) string {
	return func(r *rand.Rand, _ string) string { return pick(r, words) }
}

var (
	tokenPattern = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/|%?[A-Za-z_][\w.\-]*|` +
		`-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|->|<=|\s+|(?s:.)`)
	numberPattern      = regexp.MustCompile(`^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$`)
	wordPattern        = regexp.MustCompile(`^%?[A-Za-z_][\w.\-]*$`)
	instructionPattern = regexp.MustCompile(`(?m)^[ \t]*(?:ROOT )?(%?[A-Za-z_][\w.\-]*) = [^\n]*$`)
	attrPattern        = regexp.MustCompile(`, ?([a-z_A-Z\-]+)=(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|` +
		`"(?:[^"\\]|\\.)*"|[^,{}"\s()]+)`)
	shapePattern = regexp.MustCompile(
		`\b(pred|[suf]\d+|bf16|f8e\w+|c64|c128|token|opaque)\[([^\]]*)\](\{[^{}]*\})?`)
	opcodePattern      = regexp.MustCompile(`[\]})] ([a-z][a-z0-9\-]*)\(`)
	operandsPattern    = regexp.MustCompile(`[\]})] [a-z][a-z0-9\-]*\(([^()\n]*)\)`)
	literalPattern     = regexp.MustCompile(`constant\(([^\n]*?)\)(?:,|\n|$)`)
	computationPattern = regexp.MustCompile(`(?ms)^[ \t]*(?:ENTRY )?%?[\w.\-]+[^\n=]*\{\n.*?^[ \t]*\}[^\n]*\n`)
	headPattern        = regexp.MustCompile(`(?m)^[ \t]*(?:ENTRY )?%?[\w.\-]+ ?(\([^\n=]*\) -> [^\n{]*[^\n]*?) ?\{$`)
	calledPattern      = regexp.MustCompile(`(?:calls|to_apply|condition|body|select|scatter|true_computation|` +
		`false_computation)=(%?[\w.\-]+)`)
	parameterPattern = regexp.MustCompile(`parameter\((\d+)\)`)
	namePattern      = regexp.MustCompile(`(?m)^[ \t]*(?:ROOT )?(%?[A-Za-z_][\w.\-]*) = `)
	modulePattern    = regexp.MustCompile(`HloModule[ \t]+([^\s,]+)`)
)

// tokens returns the tokens of a text without blanks and comments.
func tokens(text string) []span {
	var out []span
	for _, s := range spans(tokenPattern, 0, text) {
		if t := s.of(text); strings.TrimSpace(t) != "" && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "/*") {
			out = append(out, s)
		}
	}
	return out
}

// matching returns the tokens that a pattern matches.
func matching(p *regexp.Regexp, text string) []span {
	var out []span
	for _, s := range tokens(text) {
		if p.MatchString(s.of(text)) {
			out = append(out, s)
		}
	}
	return out
}

// instructions returns the lines that define a value.
func instructions(text string) []span { return spans(instructionPattern, 0, text) }
