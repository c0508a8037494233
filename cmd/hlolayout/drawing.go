package main

import (
	"fmt"

	"hlolayout/hlo/tiled"
	"hlolayout/printer/picture"

	"github.com/urfave/cli/v3"
)

func svgFlag() cli.Flag {
	return &cli.StringFlag{Name: "svg", Usage: "write a drawing to `FILE` (- is standard output) instead of the text " +
		"to standard output"}
}

// writeSVG writes the picture of the one query to the file of --svg.
func (s streams) writeSVG(c *cli.Command, queries []string, draw func(query string) (picture.Picture, error)) error {
	if len(queries) != 1 || queries[0] == "-" {
		return usage(c.Name, "--svg draws one picture: give one argument")
	}
	if c.IsSet("format") {
		return usage(c.Name, "--svg and --format do not go together")
	}
	path := c.String("svg")
	var svg []byte
	a := asker{answer: func(dst []byte, query string) ([]byte, error) {
		p, err := draw(query)
		if err != nil {
			return nil, err
		}
		svg = p.AppendSVG(nil)
		return dst, nil
	}}
	var r answers
	a.one(&r, queries[0], "")
	if r.failed {
		s.err.Write(r.log)
		return exitCode(exitTrouble)
	}
	if path != "-" {
		return writeFile(path, svg, packingOf(path))
	}
	if _, err := s.out.Write(svg); err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	return nil
}

// svgOfShape draws the tiles of an array.
func svgOfShape(query string) (picture.Picture, error) {
	shape, err := readArray(query)
	if err != nil {
		return picture.Picture{}, err
	}
	a, err := tiled.New(shape)
	if err != nil {
		return picture.Picture{}, err
	}
	return picture.Tiles(a, picture.Page)
}
