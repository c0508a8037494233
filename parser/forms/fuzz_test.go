package forms_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/forms"
	"hlolayout/parser/oom"
)

// FuzzParse: nothing that an input may hold makes reading it panic, and every error and instruction has a place in it.
func FuzzParse(f *testing.F) {
	for _, text := range []string{module, prefixed(module, absl), python(module), pprint(module), "```\n" + module +
		"```\n", "\x1b[1m" + module,
		module[:len(module)-40], "%a = f32[8]{0} fusion(%b, ...(+6)), calls=%c\n", "Used 15.45G of 14.90G hbm.\n  1. " +
			"Size: 4.00G\n     Shape: f32[8]{0}\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in, err := forms.Parse(parser.Config{Partial: true}, "in.txt", text)
		if list, ok := err.(hlo.ErrorList); err != nil && assert.True(t, ok) {
			for _, e := range list {
				assert.GreaterOrEqual(t, e.Line, 0)
				_ = e.Snippet()
			}
		} else if in != nil {
			for _, m := range in.Modules {
				for _, c := range m.Computations {
					for _, x := range c.Instructions {
						if line, col := m.Position(x.Pos); x.Pos >= 0 {
							assert.True(t, line > 0 && col > 0, "%s at %d:%d", x.Name, line, col)
						}
					}
				}
			}
		}
		if forms.HasLines(text) {
			_, _ = forms.ParseLines(parser.Config{}, "in.txt", text)
		}
		_, _ = oom.Parse(forms.Bare(text))
	})
}
