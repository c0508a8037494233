package parser

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
)

func TestParseShape(t *testing.T) {
	for text, want := range map[string]string{
		"f32[]":                                 "f32[]",
		"bf16[20,300]{1,0:T(8,128)(2,1)S(1)}":   "bf16[20,300]{1,0:T(8,128)(2,1)S(1)}",
		" f32[ 3, 5 ] { 1, 0 } ":                "f32[3,5]{1,0}",
		"F32[3,5]{1,0:(2,2)}":                   "f32[3,5]{1,0:T(2,2)}",
		"F32[3,5]{1,0: (2,2)(1,2)S(1)}":         "f32[3,5]{1,0:T(2,2)(1,2)S(1)}",
		"BF16[2,3,5]{2,1,0:T(-1,2)}":            "bf16[2,3,5]{2,1,0:T(*,2)}",
		"pred[<=4,?]":                           "pred[<=4,?]",
		"(f32[2]{0:(2)}, (s32[], token[]))":     "(f32[2]{0:T(2)}, (s32[], token[]))",
		"b(f32[2]{0})":                          "b(f32[2]{0})",
		"f32[4]{0:SC(0:1,2)}":                   "f32[4]{0:SC(0:1,2)}",
		"f32[4]{0:D(D)T(4)L(2)#(u32)*(u8)E(4)}": "f32[4]{0:D(D)T(4)L(2)#(u32)*(u8)E(4)}",
	} {
		s, err := ParseShape(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, s.String(), text)
		}
	}
}

func TestParseShapeRefuses(t *testing.T) {
	for text, want := range map[string]struct {
		col int
		msg string
	}{
		"":                          {1, "the text ends too early"},
		"f33[2]":                    {1, "\"f33\" is not an element type"},
		"f32[2":                     {6, "the text ends too early"},
		"f32[2]{0} f32[3]":          {11, "unexpected \"f32\""},
		"f32[2]{0,0}":               {7, "the layout orders 2 dimensions, the array has 1 dimension"},
		"f32[2,3]{0,0}":             {9, "the layout does not name each dimension once"},
		"f32[2,3]{1,0:T(0,128)}":    {9, "the tile size 0 is not positive"},
		"f32[-2]":                   {5, "the dimension size \"-2\" is negative"},
		"f32[99999999999999999999]": {5, "the number \"99999999999999999999\" does not fit in 64 bits"},
		"\x00":                      {1, "no token of HLO begins with \"\\x00\""},
	} {
		_, err := ParseShape(text)
		var list hlo.ErrorList
		require.True(t, errors.As(err, &list), text)
		assert.Equal(t, want.col, list[0].Col, text)
		assert.Equal(t, want.msg, list[0].Msg, text)
	}
}

func FuzzParseShape(f *testing.F) {
	f.Add("F32[3,5]{1,0:(2,2)}")
	f.Add("(f32[2]{0:T(2)}, b(s32[]), f32[4]{0:P(f32[2]{0})})")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseShape(text)
		if err != nil {
			return
		}
		again, err := ParseShape(s.String())
		require.NoError(t, err)
		assert.Equal(t, s.String(), again.String())
	})
}
