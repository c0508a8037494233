package report_test

import (
	"errors"
	"testing"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/printer/report"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stagesOf makes dumps of texts.
func stagesOf(texts ...string) []report.Stage {
	var out []report.Stage
	for i, text := range texts {
		title := string(rune('a' + i))
		out = append(out, report.Stage{Title: title, File: title + ".txt",
			Read:  func() (string, error) { return text, nil },
			Parse: func(text string) (*hlo.Module, error) { return parser.Parse(title+".txt", text) }})
	}
	return out
}

func TestTimeline(t *testing.T) {
	const head = "HloModule m\n\nENTRY main {\n  x = f32[4,8]{1,0} parameter(0)\n"
	before := head + "  add.1 = f32[4,8]{1,0} add(x, x)\n  ROOT t = (f32[4,8]{1,0}, f32[4,8]{1,0}) tuple(add.1, x)\n}\n"
	renamed := head + "  sum = f32[4,8]{1,0} add(x, x)\n  ROOT t = (f32[4,8]{1,0}, f32[4,8]{1,0}) tuple(sum, x)\n}\n"
	tiled := head + "  sum = f32[4,8]{0,1:T(8,128)} add(x, x)\n  ROOT t = (f32[4,8]{0,1:T(8,128)}, f32[4,8]{1,0}) " +
		"tuple(sum, x)\n}\n"
	folded := head + "  ROOT t = (f32[4,8]{1,0}) tuple(x)\n}\n"
	stages := stagesOf(before, before, "no module", renamed, tiled, folded)

	for _, name := range []string{"add.1", "sum"} { // the same line from either end
		line, err := report.NewTimeline("m", name, nil, stages)
		require.NoError(t, err)
		assert.Equal(t, "m: %"+name+` through 6 dumps
  a, up to b
      %add.1 = f32[4,8]{1,0} add in %main
  d
      %sum = f32[4,8]{1,0} add in %main
      renamed: the same operation in the same place
  e
      %sum = f32[4,8]{0,1:T(8,128)} add in %main
      order {1,0} -> {0,1}, tile none -> T(8,128)
  f
      not found: gone, or made in another way
`, string(line.AppendText(nil)))
		require.Len(t, line.Skipped, 1)
		assert.ErrorContains(t, line.Skipped[0], "c.txt")
		assert.Len(t, line.JSON().Points, 4)
	}

	part, err := report.NewTimeline("m", "t", hlo.Index{0}, stages)
	require.NoError(t, err)
	assert.Equal(t, "f32[4,8]{0,1:T(8,128)}", part.Points[1].Shape)
	_, err = report.NewTimeline("m", "t", hlo.Index{2}, stages)
	assert.ErrorContains(t, err, "%t has no part {2}")
	none, err := report.NewTimeline("m", "nothing", nil, stages)
	assert.NoError(t, err)
	assert.Nil(t, none)

	unreadable := stagesOf(before)
	unreadable[0].Read = func() (string, error) { return "", errors.New("gone from the disk") }
	_, err = report.NewTimeline("m", "x", nil, unreadable)
	assert.ErrorContains(t, err, "gone from the disk")
}
