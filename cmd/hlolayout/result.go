package main

import (
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/forms"
	"hlolayout/parser/hloproto"
)

// output says where results go: standard output, one file (-o), or each one's own file (-w).
type output struct {
	path    string
	inPlace bool
}

// outputOf reads the flags -o and -w and checks that they fit the inputs.
func outputOf(c *cli.Command, inputs []input) (output, error) {
	o := output{c.String("o"), c.Bool("w")}
	if err := alone(c, "o", "w"); err != nil {
		return o, err
	}
	if o.path != "-" && len(inputs) > 1 {
		return o, usage(c.Name, "-o takes one input, there are %d: use -w to write each one back", len(inputs))
	}
	if o.inPlace && hasStdin(inputs) {
		return o, usage(c.Name, "-w cannot write back to standard input: use -o FILE")
	}
	return o, nil
}

func hasStdin(inputs []input) bool {
	for _, in := range inputs {
		if in.path == "-" {
			return true
		}
	}
	return false
}

// write writes the job's result.
func (o output) write(j *job, data []byte) error {
	switch {
	case !o.inPlace && o.path == "-":
		j.out = data
		return nil
	case !o.inPlace && isProtoName(o.path):
		if j.form != forms.Proto {
			return j.errorf("%s is the name of a protobuf, and %s is not one: what is written is text, use -o FILE.hlo",
				hlo.Visible(o.path), j.name())
		}
		data, err := j.asProto(data)
		if err != nil {
			return err
		}
		return writeFile(o.path, data, packingOf(o.path))
	case !o.inPlace:
		return writeFile(o.path, data, packingOf(o.path))
	case string(data) == j.text:
		return nil
	}
	if err := j.whole(); err != nil {
		return err
	}
	if j.form != forms.Plain && j.form != forms.Proto {
		return j.errorf("cannot be written back: it is a %s, use -o FILE.hlo", j.form)
	}
	if _, err := os.Lstat(j.path); err != nil {
		return j.errorf("cannot be written back: it is in an archive, use -o FILE.hlo")
	}
	if j.form == forms.Proto {
		var err error
		if data, err = j.asProto(data); err != nil {
			return err
		}
	}
	return writeFile(j.path, data, j.packing)
}

// whole refuses what is about a file as a whole where --module leaves out some of it.
func (j *job) whole() error {
	if len(j.places) < j.holds {
		return j.errorf("--module takes %s of the file's %d: -w, -l and -d are about the whole file",
			plural(len(j.places), "module", "modules"), j.holds)
	}
	return nil
}

// isProtoName reports whether a path is that of a dump as protobuf, packed or not.
func isProtoName(path string) bool {
	for _, ending := range []string{".gz", ".zst"} {
		path = strings.TrimSuffix(path, ending)
	}
	return strings.HasSuffix(path, ".pb")
}

// asProto returns the protobuf that was read with the layouts of a text made of it.
func (j *job) asProto(text []byte) ([]byte, error) {
	m, err := parser.Parse(j.name(), string(text))
	if err != nil {
		return nil, err
	}
	data, err := hloproto.Update([]byte(j.text), m)
	if err != nil {
		return nil, j.errorf("cannot be written back as the protobuf that it is (%v): use -o FILE.hlo", err)
	}
	return data, nil
}
