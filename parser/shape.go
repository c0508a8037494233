package parser

import (
	"regexp"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser/internal/build"
	"hlolayout/parser/internal/grammar"
)

// oldTiles is where tiles begin in the notation that XLA printed before layouts had other properties: {1,0:(2,2)}.
var oldTiles = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`:\s*\(`) })

// ParseShape reads one shape alone, such as bf16[20,300]{1,0:T(8,128)(2,1)} or a tuple of shapes. It takes old notation
// too: upper-case types, tiles without their T, and -1 for `*`. A non-nil error is an hlo.ErrorList without a file
// name; its columns count in the text with the T put in, which is its Source.
func ParseShape(text string) (*hlo.Shape, error) {
	if len(text) > MaxBytes {
		return nil, hlo.ErrorList{{Code: build.CodeTooLarge, Msg: "the text is longer than 2 GiB"}}
	}
	if strings.Contains(text, ":") {
		text = oldTiles().ReplaceAllString(text, ":T(")
	}
	var warned hlo.ErrorList
	b := build.New("", text, build.Options{Warn: func(e *hlo.Error) {
		e.Warning = false // a layout that orders nothing is an error where there is nothing but a layout
		warned = append(warned, e)
	}})
	grammar.New(b).Parse(build.ShapeRule, build.Text{End: uint32(len(text))})
	s, errs := b.FinishShape()
	if err := append(errs, warned...).Err(); err != nil {
		return nil, err
	}
	return s, nil
}
