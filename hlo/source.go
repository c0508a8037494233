package hlo

import (
	"path"
	"strconv"
)

// SourceLine is a line of the program that a module was made from.
type SourceLine struct {
	// File is its path as the module has it, Function "" where it has none; Line is 1-based, 0 for none.
	File, Function string
	Line           int
}

// String returns the file's name without its folders, and the line: model.py:15; "" for no file.
func (s SourceLine) String() string {
	if s.File == "" {
		return ""
	}
	if s.Line == 0 {
		return path.Base(s.File)
	}
	return path.Base(s.File) + ":" + strconv.Itoa(s.Line)
}

// SourceLine returns the line that an instruction comes from: that of the innermost frame which its metadata's
// stack_frame_id names in the module's tables, or source_file and source_line of older dumps. It is zero where the
// module does not say.
func (in *Instruction) SourceLine() SourceLine {
	meta := in.Attr("metadata")
	if meta == nil {
		return SourceLine{}
	}
	if id, ok := meta.Get("stack_frame_id").Int(); ok && in.Computation != nil && in.Computation.Module != nil {
		if s := in.Computation.Module.Tables.SourceLine(id); s.File != "" {
			return s
		}
	}
	s := SourceLine{File: unquoted(meta.Get("source_file"))}
	if n, ok := meta.Get("source_line").Int(); ok && s.File != "" {
		s.Line = int(n)
	}
	return s
}

// SourceLine returns the line of a row of StackFrames, 1-based; it is zero where the tables do not say.
func (t *StackTables) SourceLine(frame int64) SourceLine {
	if t == nil || frame < 1 || frame > int64(len(t.StackFrames)) {
		return SourceLine{}
	}
	at := int(t.StackFrames[frame-1].FileLocationID)
	if at < 1 || at > len(t.FileLocations) {
		return SourceLine{}
	}
	l := &t.FileLocations[at-1]
	return SourceLine{tableText(t.FileNames, l.FileNameID), tableText(t.FunctionNames, l.FunctionNameID), int(l.Line)}
}

func tableText(rows []TableString, id int32) string {
	if id < 1 || int(id) > len(rows) {
		return ""
	}
	if s, ok := Unquote(rows[id-1].Text); ok {
		return s
	}
	return rows[id-1].Text
}

func unquoted(v *Value) string {
	if v == nil {
		return ""
	}
	if s, ok := Unquote(v.Text); ok {
		return s
	}
	return v.Text
}
