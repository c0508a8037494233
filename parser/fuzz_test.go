package parser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/printer"
)

// seeds are texts to begin with: small dumps, the conformance texts, and the examples of the codes.
func seeds(f *testing.F) {
	for _, pattern := range []string{"../testdata/corpus/*/*/before.hlo", "../../shared/hlo-text/accept/*.hlo",
		"../../shared/hlo-text/reject/*.hlo"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for i, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(f, err)
			if len(text) < 3000 && i%5 == 0 {
				f.Add(string(text), false)
			}
		}
	}
	for _, c := range parser.Codes() {
		f.Add("HloModule m\n"+c.Example, true)
	}
}

// FuzzParse: reading ends with a module or with errors that have places. A module's print reads back, and prints the
// same.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string, strict bool) {
		c := parser.Config{Strict: strict}
		ms, err := c.ParseAll("in.hlo", text)
		if err != nil {
			for _, e := range err.(hlo.ErrorList) {
				if e.Line < 1 || e.Col < 1 {
					t.Fatalf("an error without a place: %v", e)
				}
				e.Snippet()
			}
			return
		}
		if strict {
			return // as XLA does, it reads layouts that are not a permutation, in some places only
		}
		for _, m := range ms {
			once := printer.Print(m)
			again, err := c.Parse("print.hlo", once)
			if err != nil {
				t.Fatalf("the print of a module does not parse: %v\n%s", err, once)
			}
			if twice := printer.Print(again); twice != once && !strings.Contains(once, "//") {
				t.Fatalf("the print of the print differs:\n%s\n%s", once, twice)
			}
		}
	})
}
