package hlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
)

func TestBaseName(t *testing.T) {
	for name, want := range map[string]string{
		"add": "add", "add.5": "add", "fusion.3.clone.1": "fusion", "while.body.remat": "while.body", "a.b2": "a.b2",
		"wide.region_0.4.sunk": "wide.region_0.sunk", "constant.8..sunk": "constant..sunk", ".5": "", "x.": "x.",
		"": "",
	} {
		assert.Equal(t, want, hlo.BaseName(name), name)
	}
}
