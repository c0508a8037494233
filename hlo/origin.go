package hlo

import "sort"

// Origin says where the characters of a text are in the file that the text was taken from, such as a log with a
// prefix on each line or a Python string with escapes. It is for positions in messages, which count the lines of the
// file.
type Origin struct {
	file  string
	runs  []Run
	lines []int32
}

// Run is a stretch of a text that is in the file verbatim: the text from offset Text on is the file from offset
// File on, up to the next run.
type Run struct{ Text, File int32 }

// NewOrigin returns the origin of a text in the content of a file. The runs are in the order of Text, and the first has
// 0.
func NewOrigin(file string, runs []Run) *Origin {
	return &Origin{file, runs, LineStarts(file)}
}

// Offset returns the place of a byte of the text in the file.
func (o *Origin) Offset(text int32) int32 {
	i := sort.Search(len(o.runs), func(i int) bool { return o.runs[i].Text > text }) - 1
	if i < 0 {
		return text
	}
	at := o.runs[i].File + text - o.runs[i].Text
	if i+1 < len(o.runs) { // an escape is longer than what it stands for
		at = min(at, max(o.runs[i].File, o.runs[i+1].File))
	}
	return min(at, int32(len(o.file)))
}

// Position returns the 1-based line and column in the file of a byte of the text, and that line.
func (o *Origin) Position(text int32) (line, col int, source string) {
	line, col = lineCol(o.lines, o.Offset(text))
	from, to := int(o.lines[line-1]), len(o.file)
	if line < len(o.lines) {
		to = int(o.lines[line]) - 1
	}
	return line, col, o.file[from:to]
}
