package mutant

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

var opcodes = strings.Fields(`
		abs negate copy floor sign exponential is-finite not convert bitcast reshape tuple after-all transpose
		real parameter constant add select dot custom-call iota call all-reduce get-tuple-element broadcast
		reduce opt-barrier optimization-barrier domain async-start async-done copy-start copy-done
		partition-id rng sort while while-start add-start add-done negate-update tan erf popcnt
		stochastic-convert topk ragged-dot acos bitcast-convert cholesky infeed outfeed fft
		reduce-precision set-dimension-size get-dimension-size scan clamp map concatenate pad slice
		dynamic-slice dynamic-update-slice gather scatter send recv send-done recv-done all-gather
		all-to-all reduce-scatter collective-permute compare fusion conditional reverse triangular-solve
		reduce-window select-and-scatter convolution batch-norm-training rng-bit-generator replica-id
		add-dependency dynamic-reshape complex top-k`)

// renamed replaces a name wherever the text has it.
func renamed(text, old, by string) string {
	return regexp.MustCompile(`([^\w.\-]|^)`+regexp.QuoteMeta(old)+`([^\w.\-]|$)`).ReplaceAllString(text,
		"${1}"+strings.ReplaceAll(by, "$", "$$")+"${2}")
}

// onOperands changes the list of operands of one instruction.
func onOperands(change func(r *rand.Rand, text string, list []string) []string) func(*rand.Rand, string) string {
	return func(r *rand.Rand, text string) string {
		var found []span
		for _, s := range spans(operandsPattern, 1, text) {
			if !strings.HasSuffix(text[:s.from], "constant(") && !strings.HasSuffix(text[:s.from], "parameter(") {
				found = append(found, s)
			}
		}
		if len(found) == 0 {
			return text
		}
		s := pick(r, found)
		var list []string
		if old := s.of(text); old != "" {
			list = strings.Split(old, ", ")
		}
		return s.replaced(text, strings.Join(change(r, text, list), ", "))
	}
}

func definedNames(text string) []string {
	var out []string
	for _, s := range spans(namePattern, 1, text) {
		out = append(out, s.of(text))
	}
	return append(out, "x")
}

// treeOperators change what is an operand of what, what is called, and what is nested in what.
var treeOperators = []Operator{
	{"operand deleted", onOperands(func(r *rand.Rand, _ string, list []string) []string {
		if len(list) == 0 {
			return list
		}
		i := r.IntN(len(list))
		return append(list[:i], list[i+1:]...)
	})},
	{"operand added", onOperands(func(r *rand.Rand, text string, list []string) []string {
		return append(list, pick(r, definedNames(text)))
	})},
	{"operand replaced", onOperands(func(r *rand.Rand, text string, list []string) []string {
		if len(list) > 0 {
			list[r.IntN(len(list))] = pick(r, definedNames(text))
		}
		return list
	})},
	{"operands' form", onOperands(func(r *rand.Rand, _ string, list []string) []string {
		if len(list) == 0 {
			return list
		}
		i := r.IntN(len(list))
		switch r.IntN(7) {
		case 0:
			list[i] = "f32[3] " + list[i]
		case 1:
			list[i] = ""
		case 2:
			list[i] = "%" + list[i]
		case 3:
			list[i] = strings.TrimPrefix(list[i], "%")
		case 4:
			return []string{strings.Join(list, " ")}
		case 5:
			list[i] = "negate(" + list[i] + ")"
		default:
			list[i] = "f32[2] abs(" + list[i] + ")"
		}
		return list
	})},
	{"opcode", replaceOne(opcodePattern, 1, oneOf(opcodes))},
	{"name everywhere", func(r *rand.Rand, text string) string {
		return renamed(text, strings.TrimPrefix(pick(r, definedNames(text)), "%"), pick(r, words))
	}},
	{"name of the definition", replaceOne(namePattern, 1, oneOf(words))},
	{"parameter number", replaceOne(parameterPattern, 1, oneOf([]string{"0", "1", "2", "5", "-1", "01", "99999999999",
		"", "x"}))},
	{"called computation", func(r *rand.Rand, text string) string {
		found := spans(calledPattern, 1, text)
		if len(found) == 0 {
			return text
		}
		s := pick(r, found)
		if r.IntN(3) == 0 {
			return s.replaced(text, pick(r, []string{"{}", "{a}", "nothing", "{ p = f32[] parameter(0) }",
				"{ ROOT p = f32[] parameter(0)\n q = f32[] parameter(1) }", "1", `"a"`}))
		}
		return s.replaced(text, pick(r, found).of(text))
	}},
	{"computations swapped", func(r *rand.Rand, text string) string {
		found := spans(computationPattern, 0, text)
		if len(found) < 2 {
			return text
		}
		i := r.IntN(len(found) - 1)
		a, b := found[i], found[i+1]
		return text[:a.from] + b.of(text) + text[a.to:b.from] + a.of(text) + text[b.to:]
	}},
	{"computation deleted or doubled", func(r *rand.Rand, text string) string {
		found := spans(computationPattern, 0, text)
		if len(found) == 0 {
			return text
		}
		s := pick(r, found)
		if r.IntN(2) == 0 {
			return s.replaced(text, "")
		}
		return s.replaced(text, s.of(text)+s.of(text))
	}},
	{"nested deeply", func(r *rand.Rand, text string) string {
		n := pick(r, []int{3, 10, 60, 200})
		deep := func(s span, open, close string) string {
			return s.replaced(text, strings.Repeat(open, n)+s.of(text)+strings.Repeat(close, n))
		}
		switch lines := instructions(text); r.IntN(4) {
		case 0:
			if found := spans(shapePattern, 0, text); len(found) > 0 {
				return deep(pick(r, found), "(", ")")
			}
		case 1:
			if found := spans(literalPattern, 1, text); len(found) > 0 {
				return deep(pick(r, found), "{", "}")
			}
		case 2:
			if len(lines) > 0 {
				end := pick(r, lines).to
				return span{end, end}.replaced(text, ", sharding="+strings.Repeat("{", n)+"replicated"+
					strings.Repeat("}",
						n))
			}
		case 3:
			if len(lines) > 0 {
				end := pick(r, lines).to
				return span{end, end}.replaced(text, ", backend_config="+strings.Repeat(`{"a":`, n)+"1"+
					strings.Repeat("}",
						n))
			}
		}
		return text
	}},
	{"signature", replaceOne(headPattern, 1, func(r *rand.Rand, old string) string {
		switch r.IntN(5) {
		case 0:
			return ""
		case 1:
			return "() -> f32[]"
		case 2:
			return strings.Replace(old, "->", "", 1)
		case 3:
			return strings.Replace(old, ":", "", 1)
		}
		s := pick(r, tokens(old))
		return s.replaced(old, "")
	})},
}
