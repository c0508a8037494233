package html

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
)

// places finds out where instructions come from.
type places struct {
	tables *hlo.StackTables
	lines  map[int64]string
	names  map[string]string
}

func newPlaces(m *hlo.Module) *places {
	return &places{m.Tables, map[int64]string{}, map[string]string{}}
}

// of returns the op_name of an instruction, and the innermost line of its stack frame, such as "model.py:15 (attend)"; of older
// dumps source_file and source_line.
func (p *places) of(in *hlo.Instruction) place {
	meta := in.Attr("metadata")
	if meta == nil {
		return place{}
	}
	out := place{name: p.text(meta.Get("op_name"))}
	if id, ok := meta.Get("stack_frame_id").Int(); ok {
		out.line = p.frame(id)
	} else if file := p.text(meta.Get("source_file")); file != "" {
		out.line = file
		if n, ok := meta.Get("source_line").Int(); ok {
			out.line = fmt.Sprintf("%s:%d", base(file), n)
		}
	}
	return out
}

// text unquotes the text of an attribute; each text once.
func (p *places) text(v *hlo.Value) string {
	if v == nil {
		return ""
	}
	s, ok := p.names[v.Text]
	if !ok {
		if s, ok = hlo.Unquote(v.Text); !ok {
			s = v.Text
		}
		p.names[v.Text] = s
	}
	return s
}

func (p *places) frame(id int64) string {
	line, ok := p.lines[id]
	if !ok {
		line = p.look(id)
		p.lines[id] = line
	}
	return line
}

func (p *places) look(id int64) string {
	t := p.tables
	if t == nil || id < 1 || id > int64(len(t.StackFrames)) {
		return ""
	}
	at := int(t.StackFrames[id-1].FileLocationID)
	if at < 1 || at > len(t.FileLocations) {
		return ""
	}
	l := t.FileLocations[at-1]
	row := func(rows []hlo.TableString, n int32) string {
		if n < 1 || int(n) > len(rows) {
			return ""
		}
		if s, ok := hlo.Unquote(rows[n-1].Text); ok {
			return s
		}
		return rows[n-1].Text
	}
	line := fmt.Sprintf("%s:%d", base(row(t.FileNames, l.FileNameID)), l.Line)
	if f := row(t.FunctionNames, l.FunctionNameID); f != "" {
		line += " (" + f + ")"
	}
	return line
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
