package hloproto

import (
	"slices"

	"hlolayout/parser/hloproto/internal/hlopb"
)

// stackFrames are the tables of source positions as XLA makes them when it reads a module: only the rows that
// instructions refer to, each once, numbered in the order in which they are met.
type stackFrames struct {
	from      *hlopb.StackFrameIndexProto
	numbers   []int32 // the new number of each frame of from, 0 where it has none, unknown where nobody asked
	files     interner[string]
	functions interner[string]
	locations interner[location]
	frames    interner[frame]
}

const unknown = -1

type location struct{ file, function, line, endLine, column, endColumn int32 }
type frame struct{ location, parent int32 }

// interner numbers distinct rows from 1.
type interner[T comparable] struct {
	rows []T
	of   map[T]int32
}

func (t *interner[T]) number(row T) int32 {
	n, ok := t.of[row]
	if !ok {
		if t.of == nil {
			t.of = map[T]int32{}
		}
		t.rows = append(t.rows, row)
		n = int32(len(t.rows))
		t.of[row] = n
	}
	return n
}

// internFrames numbers the frames of all instructions, in the order of their ids.
func (w *writer) internFrames() {
	t := &w.frames
	if t.from = w.m.StackFrameIndex; t.from == nil {
		return
	}
	t.numbers = slices.Repeat([]int32{unknown}, len(t.from.StackFrames)+1)
	t.numbers[0] = 0
	for _, c := range w.comps {
		for _, in := range c.list {
			t.intern(in.GetMetadata().GetStackFrameId())
		}
	}
}

// number returns the new number of a frame, 0 where there is no such frame.
func (t *stackFrames) number(id int32) int32 {
	if id <= 0 || int(id) >= len(t.numbers) {
		return 0
	}
	return max(t.numbers[id], 0)
}

// intern numbers a frame and the ones it was called from, the oldest first. Where a frame names no row of another
// table, it and those it called have no number; where the parents run in a circle or out of the table, all have none.
func (t *stackFrames) intern(id int32) {
	var chain []int32 // from the frame outwards to the first that has a number
	at := id
	for {
		if at < 0 || int(at) >= len(t.numbers) || len(chain) >= len(t.numbers) {
			for _, f := range chain {
				t.numbers[f] = 0
			}
			return
		}
		if t.numbers[at] != unknown {
			break
		}
		chain = append(chain, at)
		at = t.from.StackFrames[at-1].ParentFrameId
	}
	parent := t.numbers[at]
	broken := at != 0 && parent == 0
	for _, f := range slices.Backward(chain) {
		location := int32(0)
		if !broken {
			location = t.location(t.from.StackFrames[f-1].FileLocationId)
		}
		if location == 0 {
			broken = true
			t.numbers[f] = 0
			continue
		}
		parent = t.frames.number(frame{location, parent})
		t.numbers[f] = parent
	}
}

// location returns the new number of a file location, 0 where it or the names in it are not in the tables.
func (t *stackFrames) location(id int32) int32 {
	if id <= 0 || int(id) > len(t.from.FileLocations) {
		return 0
	}
	l := t.from.FileLocations[id-1]
	if l.FileNameId <= 0 || int(l.FileNameId) > len(t.from.FileNames) || l.FunctionNameId <= 0 ||
		int(l.FunctionNameId) > len(t.from.FunctionNames) {
		return 0
	}
	return t.locations.number(location{
		t.files.number(t.from.FileNames[l.FileNameId-1]), t.functions.number(t.from.FunctionNames[l.FunctionNameId-1]),
		l.Line, l.EndLine, l.Column, l.EndColumn,
	})
}

// print prints the tables. In the text a frame's parent is one more than its number.
func (t *stackFrames) print(w *writer) {
	if len(t.frames.rows) == 0 {
		return
	}
	for _, s := range [...]struct {
		name string
		rows []string
	}{{"FileNames", t.files.rows}, {"FunctionNames", t.functions.rows}} {
		w.text("\n" + s.name + "\n")
		for i, row := range s.rows {
			w.int(int64(i + 1))
			w.text(" ")
			w.quote(row)
			w.text("\n")
		}
	}
	w.text("\nFileLocations\n")
	for i, l := range t.locations.rows {
		w.row(i, "{file_name_id=", l.file, "function_name_id=", l.function, "line=", l.line, "end_line=", l.endLine,
			"column=", l.column, "end_column=", l.endColumn)
	}
	w.text("\nStackFrames\n")
	for i, f := range t.frames.rows {
		w.row(i, "{file_location_id=", f.location, "parent_frame_id=", f.parent+1)
	}
	w.text("\n")
}

// row prints a numbered row of keys and numbers.
func (w *writer) row(i int, fields ...any) {
	w.int(int64(i + 1))
	for _, f := range fields {
		switch f := f.(type) {
		case string:
			w.text(" ")
			w.text(f)
		case int32:
			w.int(int64(f))
		}
	}
	w.text("}\n")
}
