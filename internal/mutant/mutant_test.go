package mutant

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Operators take any text that is not empty, those that other operators left little of, too.
func TestTextsWithNothingInThem(t *testing.T) {
	texts := []string{"\n", " ", "// only a comment\n", "}", "HloModule m", "ENTRY e {\n}\n", "HloModule m\n\nENTRY e {\n",
		"a = f32[] add(b, c), key=//"}
	for _, op := range Operators(texts) {
		for _, text := range texts {
			r := rand.New(rand.NewPCG(1, 2))
			assert.NotPanics(t, func() {
				for range 20 {
					op.Apply(r, text)
				}
			}, "%s of %q", op.Name, text)
		}
	}
}
