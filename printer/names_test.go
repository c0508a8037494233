package printer

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Names as XLA makes them unique, in the order they are given.
func TestUniquifier(t *testing.T) {
	u := newUniquifier(8)
	for _, c := range []struct{ name, want string }{
		{"x", "x"}, {"x", "x.1"}, {"x.1", "x.2"}, {"x.007", "x.7"}, {"x.7", "x.3"}, {"x.0", "x.4"}, {"y.0", "y.0"},
		{"y", "y.1"}, {"z.12", "z.12"},
		{"w.", "w."}, {".5", ".5"},
	} {
		assert.Equal(t, c.want, u.unique(c.name), c.name)
	}
}
