package printer

import "hlolayout/hlo"

// frames are the stack-frame tables of the print: the rows that instructions use, in the order of their first use, each
// once.
type frames struct {
	src       *hlo.StackTables
	files     interned[string]
	functions interned[string]
	locations interned[location]
	rows      interned[frame]
	known     []int64 // the numbers of the text's frames in the print, 0 where they have none
	placed    []int64 // the same of its locations
	pending   []int64 // frames of the text that wait for a number, the innermost first
}

// location is a row of FileLocations, with the numbers of the print.
type location struct {
	file, function, line, endLine, column, endColumn int64
}

// frame is a row of StackFrames; parent is 0 where there is none.
type frame struct{ location, parent int64 }

// interned numbers values from 1 on, in the order in which they come.
type interned[T comparable] struct {
	list []T
	at   map[T]int64
}

func (t *interned[T]) number(v T) int64 {
	n, ok := t.at[v]
	if !ok {
		if t.at == nil {
			t.at = map[T]int64{}
		}
		t.list = append(t.list, v)
		n = int64(len(t.list))
		t.at[v] = n
	}
	return n
}

// internFrames walks all instructions and numbers the frames that their metadata names.
func (p *canonical) internFrames() *frames {
	f := &frames{src: p.m.Tables}
	if f.src == nil {
		return f
	}
	f.known, f.placed = make([]int64, len(f.src.StackFrames)+1), make([]int64, len(f.src.FileLocations)+1)
	key := keys().metadata
	for _, b := range p.bodies {
		for i, in := range b.Instructions {
			v := valueOf(in, key)
			if len(p.given) > 0 || in.Opcode == hlo.OpAsyncStart {
				v = p.attr(in, "metadata")
			}
			if id, ok := intOf(v.Get("stack_frame_id")); ok && id != 0 {
				if b.frames == nil {
					b.frames = make([]int64, len(b.Instructions))
				}
				b.frames[i] = f.intern(id)
			}
		}
	}
	return f
}

// intern numbers a frame of the text and the frames it was called from, the outermost first, and returns the frame's
// number. It is 0 for a chain that leaves the table or comes back to itself, and for one with a frame whose location is
// not in the tables. In the last case XLA forgets to drop the frames inside of that one: they follow on the chain of
// the next instruction. (Found by asking XLA's parser.)
func (f *frames) intern(id int64) int64 {
	parent := int64(0)
	for at, steps := id, 0; at != 0; steps++ {
		if at < 1 || at >= int64(len(f.known)) || steps == len(f.known) {
			f.pending = f.pending[:0]
			return 0
		}
		if n := f.known[at]; n != 0 {
			parent = n
			break
		}
		f.pending = append(f.pending, at)
		at = int64(f.src.StackFrames[at-1].ParentFrameID) - 1 // in text a parent is one more than its row: 1 is none
	}
	for len(f.pending) > 0 {
		last := len(f.pending) - 1
		at := f.pending[last]
		f.pending = f.pending[:last]
		where := f.location(at)
		if where == 0 {
			return 0
		}
		parent = f.rows.number(frame{where, parent})
		f.known[at] = parent
	}
	return parent
}

// location returns the number that a frame's location has in the print, 0 where the tables do not say.
func (f *frames) location(id int64) int64 {
	t := f.src
	at := int(t.StackFrames[id-1].FileLocationID)
	if at < 1 || at > len(t.FileLocations) {
		return 0
	}
	if n := f.placed[at]; n != 0 {
		return n
	}
	l := &t.FileLocations[at-1]
	if l.FileNameID < 1 || int(l.FileNameID) > len(t.FileNames) || l.FunctionNameID < 1 ||
		int(l.FunctionNameID) > len(t.FunctionNames) {
		return 0
	}
	f.placed[at] = f.locations.number(location{
		file:     f.files.number(rowText(t.FileNames, l.FileNameID)),
		function: f.functions.number(rowText(t.FunctionNames, l.FunctionNameID)),
		line:     int64(l.Line), endLine: int64(l.EndLine), column: int64(l.Column), endColumn: int64(l.EndColumn)})
	return f.placed[at]
}

func rowText(rows []hlo.TableString, id int32) string {
	text := rows[id-1].Text
	if s, ok := hlo.Unquote(text); ok {
		return s
	}
	return text
}

// print prints the tables, where there are any.
func (f *frames) print(p *canonical) {
	if len(f.rows.list) == 0 {
		return
	}
	p.text("\n")
	table(p, "FileNames", f.files.list, func(s string) { p.out = hlo.AppendQuoted(p.out, s) })
	table(p, "FunctionNames", f.functions.list, func(s string) { p.out = hlo.AppendQuoted(p.out, s) })
	table(p, "FileLocations", f.locations.list, func(l location) {
		p.field("{file_name_id=", l.file)
		p.field(" function_name_id=", l.function)
		p.field(" line=", l.line)
		p.field(" end_line=", l.endLine)
		p.field(" column=", l.column)
		p.field(" end_column=", l.endColumn)
		p.text("}")
	})
	table(p, "StackFrames", f.rows.list, func(r frame) {
		p.field("{file_location_id=", r.location)
		p.field(" parent_frame_id=", r.parent+1)
		p.text("}")
	})
}

// table prints one of the tables, its rows numbered from 1 on.
func table[T any](p *canonical, title string, rows []T, row func(T)) {
	p.text("\n" + title + "\n")
	for i, r := range rows {
		p.number(int64(i) + 1)
		p.text(" ")
		row(r)
		p.text("\n")
	}
}

func (p *canonical) field(key string, n int64) {
	p.text(key)
	p.number(n)
}
