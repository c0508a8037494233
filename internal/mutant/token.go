package mutant

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

var (
	blanks   = []string{"\t", "\v", "\f", "\u00a0", "\x00", "\r", "\r\n", "\n", " ", "\n\n\n", "\x1a"}
	comments = []string{"/**/", "/* x */", "/*\n*/", "/*/", "/* /* */", "/* /* */ */", "//\n", "// x\n", "/*open",
		"// x", "#x\n", "/*index=5*/", ";", "/", "*/"}
	numbers = []string{"0", "1", "2", "3", "7", "16", "2147483647", "2147483648", "4294967296", "9223372036854775807",
		"9223372036854775808",
		"18446744073709551616", "-1", "-0", "+5", "007", "0x1F", "1e5", "1.0", "1.", ".5", "1_0", "nan", "inf", "-inf",
		"--1", "1-", "1f", "1 0"}
	words = []string{"%1", "1a", "a-b", "a:b", "a#0", "a/b", `"a"`, "_", "%", "%%a", "a.", ".a", "-a", "f32", "ROOT",
		"ENTRY", "true", "add", "parameter",
		"HloModule", "nan", "T", "S", "b01f", "0x1", "devices", "maximal", "a.b.c.1", "inf", "s32", "token",
		"replicated",
		"mesh", "b", "é", "unknown", "manual"}
	strs = []string{"", "é中", `\x41`, `\101`, `\q`, `\n\t\"`, `\\`, "\n", "a\tb", "\x01\x7f", `\u0041`, `\xff`, "'",
		`\'`, "/*", "//", `\a\b\f\v\?`, `\0`,
		`\777`, `\x`, `\x123`, "{", "}}", "$", "%"}
	symbols = strings.Fields("{ } ( ) [ ] , : = -> <= * # + ~ ? % ; . ... ->-> ' \" / \\ @ ! & | < >")
)

// byteOperators change a text without a look at its tokens.
var byteOperators = []Operator{
	{"byte replaced", func(r *rand.Rand, text string) string {
		at := r.IntN(len(text))
		return span{at, at + 1}.replaced(text, string(rune(32+r.IntN(95))))
	}},
	{"byte inserted", func(r *rand.Rand, text string) string {
		at := r.IntN(len(text))
		return span{at, at}.replaced(text, string(rune(32+r.IntN(95))))
	}},
	{"byte deleted", func(r *rand.Rand, text string) string {
		at := r.IntN(len(text))
		return span{at, at + 1}.replaced(text, "")
	}},
	{"cut off", func(r *rand.Rand, text string) string { return text[:r.IntN(len(text))] }},
	{"whole text", func(r *rand.Rand, text string) string {
		switch r.IntN(8) {
		case 0:
			return strings.ReplaceAll(text, "\n", "\r\n")
		case 1:
			return "\ufeff" + text
		case 2:
			return text + "\x00"
		case 3:
			return strings.ReplaceAll(text, "\n", " ")
		case 4:
			return text + text
		case 5:
			return "\n\n// c\n" + text + "\n// end"
		case 6:
			return strings.ReplaceAll(text, " = ", "=")
		}
		return strings.ReplaceAll(text, ", ", ",")
	}},
}

// atToken changes a text at one of its tokens.
func atToken(p *regexp.Regexp, change func(r *rand.Rand, old string) string) func(*rand.Rand, string) string {
	return func(r *rand.Rand, text string) string {
		found := matching(p, text)
		if len(found) == 0 {
			return text
		}
		s := pick(r, found)
		return s.replaced(text, change(r, s.of(text)))
	}
}

var anyToken = regexp.MustCompile(``)

// tokenOperators change one token, or what stands between two.
var tokenOperators = []Operator{
	{"tokens swapped", func(r *rand.Rand, text string) string {
		t := tokens(text)
		if len(t) < 3 {
			return text
		}
		i := r.IntN(len(t) - 1)
		j := min(i+1+r.IntN(6), len(t)-1) // near ones are more often of one instruction
		a, b := t[i], t[j]
		return text[:a.from] + b.of(text) + text[a.to:b.from] + a.of(text) + text[b.to:]
	}},
	{"token deleted", atToken(anyToken, func(*rand.Rand, string) string { return "" })},
	{"token doubled", atToken(anyToken, func(_ *rand.Rand, old string) string { return old + " " + old })},
	{"token of elsewhere", func(r *rand.Rand, text string) string {
		t := tokens(text)
		if len(t) == 0 {
			return text
		}
		return pick(r, t).replaced(text, pick(r, t).of(text))
	}},
	{"symbol", atToken(regexp.MustCompile(`^\W`), oneOf(symbols))},
	{"number", atToken(numberPattern, oneOf(numbers))},
	{"word", atToken(wordPattern, oneOf(words))},
	{"string", func(r *rand.Rand, text string) string {
		found := spans(regexp.MustCompile(`"((?:[^"\\\n]|\\.)*)"`), 1, text)
		if len(found) == 0 {
			lines := instructions(text)
			if len(lines) == 0 {
				return text
			}
			end := pick(r, lines).to
			return span{end, end}.replaced(text, `, metadata={op_name="`+pick(r, strs)+`"}`)
		}
		return pick(r, found).replaced(text, pick(r, strs))
	}},
	{"blanks", func(r *rand.Rand, text string) string {
		all := spans(tokenPattern, 0, text)
		s := pick(r, all)
		switch old := s.of(text); {
		case strings.TrimSpace(old) == "" && r.IntN(2) == 0:
			return s.replaced(text, "")
		case strings.TrimSpace(old) == "":
			return s.replaced(text, pick(r, blanks))
		case len(old) > 1 && r.IntN(2) == 0:
			at := s.from + 1 + r.IntN(len(old)-1)
			return span{at, at}.replaced(text, pick(r, blanks))
		}
		return span{s.from, s.from}.replaced(text, pick(r, blanks))
	}},
	{"comment", func(r *rand.Rand, text string) string {
		all := spans(tokenPattern, 0, text)
		if len(all) == 0 {
			return text
		}
		s := pick(r, all)
		at := s.from
		if r.IntN(4) == 0 {
			at += r.IntN(s.to - s.from)
		}
		return span{at, at}.replaced(text, pick(r, comments))
	}},
}
