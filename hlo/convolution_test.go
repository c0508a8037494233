package hlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/hlo"
)

func TestDimLabels(t *testing.T) {
	for _, c := range []struct {
		text string
		want hlo.DimLabels
		ok   bool
	}{
		{"b01f_01io->b01f", hlo.DimLabels{Input: "b01f", Kernel: "01io", Output: "b01f"}, true},
		{"bf_io->fb", hlo.DimLabels{Input: "bf", Kernel: "io", Output: "fb"}, true},
		{"b01f_01io", hlo.DimLabels{}, false},
		{"b01f->b01f", hlo.DimLabels{}, false},
	} {
		in := &hlo.Instruction{Attrs: []hlo.Attr{{Key: hlo.InstructionAttr("dim_labels"), Value: hlo.WordOf(c.text)}}}
		l, ok := in.DimLabels()
		assert.Equal(t, c.ok, ok, c.text)
		if ok {
			assert.Equal(t, c.want, l, c.text)
			assert.Equal(t, c.text, l.String())
		}
	}
	_, ok := (&hlo.Instruction{}).DimLabels()
	assert.False(t, ok)
}

// The first numbers of a window's entries count, one for each dimension; what is not there or no number is the default.
func TestWindow(t *testing.T) {
	pair := func(key, text string) hlo.Value {
		return hlo.Value{Kind: hlo.PairValue, Text: key, Elems: []hlo.Value{*hlo.WordOf(text)}}
	}
	w := &hlo.Value{Elems: []hlo.Value{pair("size", "3x5x7"), pair("pad", "1_2xax4_0"), pair("rhs_dilate", "3xa")}}
	assert.Equal(t, []int64{3, 5}, w.WindowInts("size", 2))
	assert.Equal(t, []int64{3, 5, 7, 1}, w.WindowInts("size", 4))
	assert.Equal(t, []int64{3, 1}, w.WindowInts("rhs_dilate", 2))
	assert.Equal(t, []int64{1}, w.WindowInts("stride", 1))
	assert.Equal(t, []int64{1}, (*hlo.Value)(nil).WindowInts("size", 1))

	assert.Equal(t, []hlo.Padding{{Low: 1, High: 2}, {}, {Low: 4}}, w.Get("pad").Paddings())
	assert.Equal(t, []hlo.Padding{{High: -1, Between: 2}}, hlo.WordOf("0_-1_2").Paddings())
	assert.Nil(t, w.Get("stride").Paddings())
}
