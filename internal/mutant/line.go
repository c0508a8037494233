package mutant

import (
	"math/rand/v2"
	"strings"
)

// onLines changes the list of a text's lines; at are those of instructions.
func onLines(change func(r *rand.Rand, lines []string, at []int) []string) func(*rand.Rand, string) string {
	return func(r *rand.Rand, text string) string {
		lines := strings.Split(text, "\n")
		var at []int
		for i, l := range lines {
			if instructionPattern.MatchString(l) {
				at = append(at, i)
			}
		}
		if len(at) < 2 {
			return text
		}
		return strings.Join(change(r, lines, at), "\n")
	}
}

// toggled removes a word in front of a line, or puts it there.
func toggled(line, word string) string {
	inner := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(inner)]
	if rest, ok := strings.CutPrefix(inner, word+" "); ok {
		return indent + rest
	}
	return indent + word + " " + inner
}

// lineOperators move, remove and mark whole instructions.
var lineOperators = []Operator{
	{"lines swapped", onLines(func(r *rand.Rand, lines []string, at []int) []string {
		i, j := pick(r, at), pick(r, at)
		lines[i], lines[j] = lines[j], lines[i]
		return lines
	})},
	{"line deleted", onLines(func(r *rand.Rand, lines []string, at []int) []string {
		i := pick(r, at)
		return append(lines[:i], lines[i+1:]...)
	})},
	{"line doubled", onLines(func(r *rand.Rand, lines []string, at []int) []string {
		i := pick(r, at)
		lines[i] += "\n" + lines[i]
		return lines
	})},
	{"ROOT", onLines(func(r *rand.Rand, lines []string, at []int) []string {
		i := pick(r, at)
		lines[i] = toggled(lines[i], "ROOT")
		return lines
	})},
	{"ENTRY", func(r *rand.Rand, text string) string {
		found := spans(computationPattern, 0, text)
		if len(found) == 0 {
			return text
		}
		s := pick(r, found)
		return s.replaced(text, toggled(s.of(text), "ENTRY"))
	}},
}
