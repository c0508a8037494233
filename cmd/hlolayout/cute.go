package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"hlolayout/hlo/cute"
	"hlolayout/printer/picture"
	"hlolayout/printer/report"

	"github.com/urfave/cli/v3"
)

func cuteCommand(s streams) *cli.Command {
	return &cli.Command{
		Usage:     "evaluate an expression of the CuTe layout algebra",
		UsageText: "hlolayout cute [flags] EXPR...",
		Description: `A layout (sizes):(steps) takes a coordinate to an index: entry by entry times the step, and added up.
(4,8):(8,1) is four rows of eight, row-major; sizes and steps may nest. An expression is a layout, a swizzled layout
such as 'Sw<3,0,3> o 0 o (8,8):(8,1)', or a function of --functions on such; <4,8> is a tiler, _ leaves a mode alone or
stands for all of a coordinate. hlolayout decode prints the layout of an HLO shape, as formula. Of a layout with one or
two modes, the table of indices is printed as well. With - the expressions are read from standard input, one a line.

JSON, one object an expression:
   query                       the text as given
   type                        int, bool, word, tuple, coord, layout, tiler, swizzle, composed or slice
   result                      in canonical notation
   size, cosize, rank          null for what has no layout; cosize also where a swizzle stands before it
What cannot be answered is {"query":...,"error":...}; then the exit code is 2.

Examples:
   hlolayout cute '(4,8):(8,1)'
   hlolayout cute 'composition((4,8):(8,1),<2,4>)'
   hlolayout cute 'logical_divide((16,256):(256,1),<8,128>)'
   hlolayout cute --svg swizzle.svg 'Sw<3,0,3> o 0 o (8,8):(8,1)'`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "functions", Usage: "list the functions"},
			svgFlag(),
			formatFlag(),
		},
		Action: func(_ context.Context, c *cli.Command) error { return evaluate(c, s) },
	}
}

func evaluate(c *cli.Command, s streams) error {
	exprs := c.Args().Slice()
	switch {
	case c.Bool("functions"):
		if err := noArguments(c); err != nil {
			return err
		}
		return s.listFunctions()
	case len(exprs) == 0:
		return usage("cute", "no expression: give some, or - for those on standard input")
	case c.IsSet("svg"):
		return s.writeSVG(c, exprs, svgOfLayout)
	}
	return s.ask(c, exprs, func(dst []byte, query string) ([]byte, error) {
		v, err := eval(query)
		if err != nil {
			return nil, err
		}
		if c.String("format") == "json" {
			return appendValueJSON(dst, query, v), nil
		}
		return appendValue(dst, v), nil
	})
}

func (s streams) listFunctions() error {
	t := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, f := range cute.Functions() {
		fmt.Fprintf(t, "%s\t%s\n", f.Signature(), f.Doc)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	return nil
}

// eval evaluates an expression; its errors know where in it they belong.
func eval(expr string) (cute.Value, error) {
	v, err := cute.Eval(expr)
	if err != nil && strings.Contains(expr, "[") {
		if _, other := readShape(expr); other == nil {
			return v, &snippet{expr, 1, "column 1: this is HLO's notation of a shape; a layout is (sizes):(steps), such as " +
				"(4,8):(8,1): hlolayout decode " + report.Quoted(expr) + " prints it as formula [argument]"}
		}
	}
	if e := (*cute.Error)(nil); errors.As(err, &e) && e.Pos >= 0 {
		return v, &snippet{expr, e.Pos + 1, e.Error()}
	}
	return v, err
}

// layoutOf returns the layout of a value that has one, and its index map with what comes before and after.
func layoutOf(v cute.Value) (l cute.Layout, at func(cute.IntTuple) (int64, error), ok bool) {
	switch v.Type {
	case cute.TypeLayout:
		return v.Layout, v.Layout.Apply, true
	case cute.TypeComposed:
		if v.Composed.Inner.IsZero() {
			return l, nil, false
		}
		return v.Composed.Inner, v.Composed.Apply, true
	case cute.TypeSlice:
		if v.Layout.IsZero() {
			return l, nil, false
		}
		return v.Layout, func(coord cute.IntTuple) (int64, error) {
			n, err := v.Layout.Apply(coord)
			if sum, ok := cute.Add(n, v.Int); err == nil && ok {
				return sum, nil
			}
			return 0, cute.ErrOverflow
		}, true
	}
	return l, nil, false
}

func appendValue(dst []byte, v cute.Value) []byte {
	dst = append(append(dst, v.String()...), '\n')
	l, at, ok := layoutOf(v)
	if !ok {
		return dst
	}
	if n, err := l.Size(); err == nil {
		dst = fmt.Appendf(dst, "size %d", n)
		if cosize, err := l.Cosize(); err == nil && v.Type == cute.TypeLayout {
			dst = fmt.Appendf(dst, ", cosize %d", cosize)
		}
		dst = append(dst, '\n')
	}
	if table, ok := picture.Table(v.String(), l, at, picture.Terminal); ok {
		dst = table.AppendText(append(dst, '\n'))
	}
	return dst
}

func svgOfLayout(expr string) (picture.Picture, error) {
	v, err := eval(expr)
	if err != nil {
		return picture.Picture{}, err
	}
	if l, at, ok := layoutOf(v); ok {
		if p, ok := picture.Table(v.String(), l, at, picture.Page); ok {
			return p, nil
		}
	}
	return picture.Picture{}, fmt.Errorf("%s is not a layout of one or two modes: no table can be drawn", v)
}

func appendValueJSON(dst []byte, query string, v cute.Value) []byte {
	o := object{b: dst}
	o.begin()
	o.str("query", query)
	o.str("type", string(v.Type))
	o.str("result", v.String())
	l, _, ok := layoutOf(v)
	numOrNull := func(k string, n int64, err error) {
		if !ok || err != nil {
			o.null(k)
		} else {
			o.num(k, n)
		}
	}
	var size, cosize, rank int64
	var err, err2 error
	if ok {
		size, err = l.Size()
		if cosize, err2 = l.Cosize(); v.Type == cute.TypeComposed {
			err2 = cute.ErrArgument // what follows the layout moves its indices
		}
		rank = int64(l.Rank())
	}
	numOrNull("size", size, err)
	numOrNull("cosize", cosize, err2)
	numOrNull("rank", rank, nil)
	return o.end()
}
