package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/passes/relayout"
)

// LockHeader says what a lock file was made with.
type LockHeader struct {
	// Tool is the program's version, which is noted but not compared. Target is the TPU generation that the module
	// was assigned for, "compiled" for one that came with its layouts; Options are the flags that matter.
	Tool, Target, Options string
	// Rules is the version of the rules (hlolayout.RulesVersion), and Program the fingerprint of the module before
	// assignment (Fingerprint). They are noted, not compared, to tell why layouts differ; 0 and "" in locks of form 1.
	Rules   int
	Program string
}

// LockVersion is the version of the lock file's form.
const LockVersion = 3

// ReadLockHeader reads the lines above the first empty one of a lock file of any version; what is not there is zero.
func ReadLockHeader(lock []byte) (h LockHeader) {
	for line := range strings.Lines(string(lock)) {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		switch {
		case strings.TrimSpace(line) == "":
			return h
		case !ok:
		case key == "tool":
			h.Tool = value
		case key == "rules":
			h.Rules, _ = strconv.Atoi(value)
		case key == "program":
			h.Program = value
		case key == "target":
			h.Target = value
		case key == "options":
			h.Options = value
		}
	}
	return h
}

// lockNotes are the lines of a lock file, and the words of a golden, that are not compared.
var lockNotes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?:hlolayout lock [0-9]+\ntool: .*\n(?:rules: .*\n)?(?:program: .*\n)?|// hlolayout ` +
		`golden: tool [^,\n]*,(?: rules [^,\n]*,)?)`)
})

// cutLine says where a text ends, with a line and a name that are others in each text.
var cutLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^cut: .*$`) })

// Comparable returns what is compared of a lock or a golden and of what it is now: the versions, the fingerprint and
// the place of a cut are left out, and the arrays and the digests of kernels where the form is one that had none.
func Comparable(was, now []byte) (a, b []byte) {
	if !bytes.Contains(was, []byte(arraysHead)) {
		now, _, _ = bytes.Cut(now, []byte(arraysHead))
	}
	has := func(data []byte) bool { // to search for the word first takes a tenth of the time
		return bytes.Contains(data, []byte("kernel:")) && kernelDigest().Match(data)
	}
	if has(now) && !has(was) {
		now = kernelDigest().ReplaceAll(now, []byte("${1}...${2}"))
	}
	return withoutNotes(was), withoutNotes(now)
}

// kernelDigest is a kernel in a golden module; those of older versions have "..." in its place.
var kernelDigest = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\\?"(?:body|serialized_body|module)\\?"\s*:\s*\\?")kernel:[0-9a-f]{16}(\\?")`)
})

func withoutNotes(data []byte) []byte {
	if notes := lockNotes().FindIndex(data); notes != nil {
		data = data[notes[1]:]
	}
	if !bytes.Contains(data, []byte("\ncut: ")) {
		return data
	}
	return cutLine().ReplaceAll(data, []byte("cut"))
}

// AppendGoldenHeader appends the first line of a golden module.
func AppendGoldenHeader(dst []byte, h LockHeader) []byte {
	return fmt.Appendf(dst, "// hlolayout golden: tool %s, rules %d, target %s\n", h.Tool, h.Rules,
		strings.TrimSpace(h.Target+" "+h.Options))
}

// AppendLock appends a module's layout lock: its entry layouts, what each memory space holds, and its relayouts. It
// is made to be reviewed: equal lines are one, values have no names, so that nothing changes but what costs memory or
// time.
func AppendLock(dst []byte, m *hlo.Module, h LockHeader) []byte {
	dst = fmt.Appendf(dst, "hlolayout lock %d\ntool: %s\nrules: %d\n", LockVersion, h.Tool, h.Rules)
	if h.Program != "" {
		dst = fmt.Appendf(dst, "program: %s\n", h.Program)
	}
	dst = fmt.Appendf(dst, "target: %s\n", h.Target)
	if h.Options != "" {
		dst = fmt.Appendf(dst, "options: %s\n", h.Options)
	}
	dst = fmt.Appendf(dst, "module: %s\n", m.Name)
	if m.Cut != "" {
		dst = fmt.Appendf(dst, "cut: %s\n", m.Cut)
	}
	dst = append(dst, "\nentry:\n"...)
	dst = appendEntry(dst, m)
	dst = append(dst, "\nmemory (values, unpadded and padded bytes):\n"...)
	values := padding.Values(m)
	spaces := padding.Sum(values, func(v *padding.Value) int64 { return v.Space })
	for _, n := range sortedKeys(spaces) {
		t := spaces[n]
		dst = fmt.Appendf(dst, "  %s: %d values, %d, %d\n", SpaceName(n), t.Values, t.Logical, t.Padded)
	}
	return appendArrays(appendMoves(dst, m), m)
}

// arraysHead begins the part of a lock file that forms 1 and 2 do not have.
const arraysHead = "\narrays of each shape and layout:\n"

// appendArrays writes how many arrays have each shape and layout. In a text that is cut the callers of a fusion may be
// missing, so that the arrays inside of it tell where its operands and results are.
func appendArrays(dst []byte, m *hlo.Module) []byte {
	count := map[string]int{}
	if m.Cut == "" {
		padding.Each(m, func(v *padding.Value) { count[v.Shape.String()]++ })
	} else {
		for _, c := range m.Computations {
			for _, in := range c.Instructions {
				in.Shape.Leaves(func(_ hlo.Index, leaf *hlo.Shape) { count[leaf.String()]++ })
			}
		}
	}
	dst = append(dst, arraysHead...)
	for _, shape := range sortedKeys(count) {
		dst = fmt.Appendf(dst, "  %s", shape)
		if n := count[shape]; n > 1 {
			dst = fmt.Appendf(dst, " x%d", n)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendEntry writes parameters and results, neighbours of one shape in a line, and the aliases.
func appendEntry(dst []byte, m *hlo.Module) []byte {
	params, result := boundary(m)
	l := lockLines{dst: dst}
	for i, p := range params {
		p.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
			l.add("parameter", fmt.Sprintf("%d%s", i, index), leaf)
		})
	}
	l.flush()
	if result != nil {
		result.Leaves(func(index hlo.Index, leaf *hlo.Shape) { l.add("result", index.String(), leaf) })
	}
	l.flush()
	aliases := m.Aliases()
	for i := 0; i < len(aliases); {
		j := i + 1
		for j < len(aliases) && follows(aliases[j-1], aliases[j]) {
			j++
		}
		if j-i > 2 {
			l.dst = fmt.Appendf(l.dst, "  alias %s ... %s\n", aliases[i], aliases[j-1])
		} else {
			j = i + 1
			l.dst = fmt.Appendf(l.dst, "  alias %s\n", aliases[i])
		}
		i = j
	}
	return l.dst
}

// follows says whether the alias b is the one after a, with the next output and the next parameter or part of one.
func follows(a, b hlo.Alias) bool {
	next := func(x, y hlo.Index) bool { return len(x) == 1 && len(y) == 1 && y[0] == x[0]+1 }
	if a.Must != b.Must || !next(a.Output, b.Output) {
		return false
	}
	if a.Number == b.Number {
		return next(a.Index, b.Index)
	}
	return b.Number == a.Number+1 && len(a.Index)+len(b.Index) == 0
}

// lockLines joins neighbours of one shape.
type lockLines struct {
	dst               []byte
	kind, first, last string
	shape             *hlo.Shape
	text              string
	count             int
}

func (l *lockLines) add(kind, place string, shape *hlo.Shape) {
	if text := shape.String(); l.count > 0 && l.kind == kind && l.text == text {
		l.last = place
		l.count++
		return
	}
	l.flush()
	l.kind, l.first, l.last, l.shape, l.text, l.count = kind, place, place, shape, shape.String(), 1
}

func (l *lockLines) flush() {
	if l.count == 0 {
		return
	}
	place := l.kind + " " + l.first
	if l.count > 1 {
		place += " ... " + l.last
	}
	l.dst = fmt.Appendf(l.dst, "  %s: %s", strings.TrimSpace(place), l.text)
	if size := padding.SizeOf(l.shape); size.Known {
		l.dst = fmt.Appendf(l.dst, ", %d bytes", size.Padded)
	}
	if l.count > 1 {
		l.dst = fmt.Appendf(l.dst, " x%d", l.count)
	}
	l.dst = append(l.dst, '\n')
	l.count = 0
}

// appendMoves writes the relayouts, equal ones in a line.
func appendMoves(dst []byte, m *hlo.Module) []byte {
	list := relayout.Find(m)
	dst = fmt.Appendf(dst, "\nrelayouts: %d, %d bytes a run\n", len(list), relayout.Sum(list))
	lines := map[string]int{}
	var order []string
	for i := range list {
		r := &list[i]
		text := fmt.Sprintf("%s %s: %s -> %s, %d bytes", r.Instruction.OpName(), bare(r.To), layoutText(r.From.Layout),
			layoutText(r.To.Layout), r.Bytes)
		switch {
		case r.InLoop && r.Exact:
			text += fmt.Sprintf(", %d times", r.Runs)
		case r.InLoop:
			text += ", in a loop"
		}
		if r.Parameter != nil {
			text += ", of a parameter"
		}
		if lines[text] == 0 {
			order = append(order, text)
		}
		lines[text]++
	}
	for _, text := range order {
		dst = fmt.Appendf(dst, "  %s", text)
		if n := lines[text]; n > 1 {
			dst = fmt.Appendf(dst, " x%d", n)
		}
		dst = append(dst, '\n')
	}
	return dst
}
