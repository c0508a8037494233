package html

import (
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

// of returns the op_name of an instruction, and the innermost line of its stack frame, such as "model.py:15 (attend)";
// of older dumps source_file and source_line.
func (p *places) of(in *hlo.Instruction) place {
	meta := in.Attr("metadata")
	if meta == nil {
		return place{}
	}
	out := place{name: p.text(meta.Get("op_name"))}
	if id, ok := meta.Get("stack_frame_id").Int(); ok {
		out.line = p.frame(id)
	} else {
		out.line = in.SourceLine().String()
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
	s := p.tables.SourceLine(id)
	line := s.String()
	if line != "" && s.Function != "" {
		line += " (" + s.Function + ")"
	}
	return line
}
