package tiled

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
)

var (
	shapeText = regexp.MustCompile(
		`^(\w+)\[([\d,]*)\](?:\{([\d,]*)(?::(?:T((?:\([\d,*-]+\))+))?(?:L\((\d+)\))?(?:E\((\d+)\))?)?\})?$`)
	tileText = regexp.MustCompile(`\(([^)]*)\)`)
)

// read makes an array of HLO text: the few forms the tests use.
func read(t testing.TB, text string) *Array {
	a, err := New(shape(t, text))
	require.NoError(t, err, text)
	return a
}

func shape(t testing.TB, text string) *hlo.Shape {
	m := shapeText.FindStringSubmatch(text)
	require.NotNil(t, m, "not a shape: %s", text)
	dtype, ok := hlo.ParseDType(m[1])
	require.True(t, ok, text)
	dims := ints(t, m[2])
	layout := hlo.DescendingLayout(len(dims))
	if strings.Contains(text, "{") {
		layout.MinorToMajor = nil
		for _, d := range ints(t, m[3]) {
			layout.MinorToMajor = append(layout.MinorToMajor, int(d))
		}
	}
	for _, tile := range tileText.FindAllStringSubmatch(m[4], -1) {
		layout.Tiles = append(layout.Tiles, ints(t, tile[1]))
	}
	for i, to := range []*int64{&layout.TailPadding, &layout.ElementBits} {
		if n := ints(t, m[5+i]); len(n) == 1 {
			*to = n[0]
		}
	}
	return hlo.NewArray(dtype, dims, layout)
}

func ints(t testing.TB, text string) []int64 {
	var out []int64
	for _, s := range strings.Split(text, ",") {
		switch s {
		case "":
			continue
		case "*":
			out = append(out, hlo.Combined)
			continue
		}
		n, err := strconv.ParseInt(s, 10, 64)
		require.NoError(t, err)
		out = append(out, n)
	}
	return out
}
