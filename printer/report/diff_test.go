package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/printer"
	"hlolayout/printer/diff"
	"hlolayout/printer/report"
)

func parse(t *testing.T, name, text string) *hlo.Module {
	t.Helper()
	m, err := parser.Parse(name, text)
	require.NoError(t, err, name)
	return m
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// renumber gives all numbered names of a text other numbers and other metadata, and moves the first n arrays of the
// entry from VMEM to HBM or the other way.
func renumber(text string, n int) string {
	number := regexp.MustCompile(`(%?[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)\.(\d+)\b`)
	text = number.ReplaceAllStringFunc(text, func(s string) string {
		dot := strings.LastIndexByte(s, '.')
		k, _ := strconv.Atoi(s[dot+1:])
		return s[:dot] + "." + strconv.Itoa((k*7919+13)%100003)
	})
	frame := regexp.MustCompile(`stack_frame_id=(\d+)`)
	text = frame.ReplaceAllString(text, "stack_frame_id=9$1")
	layout := regexp.MustCompile(`^(  %[\w.-]+ = (?:f32|bf16)\[[\d,]+\]\{[\d,]+:T[^{}S]*)(S\(1\))?(\} ` +
		`(?:fusion|copy|convert)\()`)
	lines := strings.Split(text, "\n")
	entry := false
	for i, l := range lines {
		entry = entry || strings.HasPrefix(l, "ENTRY")
		if n > 0 && entry && layout.MatchString(l) {
			space := "S(1)"
			if layout.FindStringSubmatch(l)[2] != "" {
				space = ""
			}
			lines[i] = layout.ReplaceAllString(l, "${1}"+space+"${3}")
			n--
		}
	}
	return strings.Join(lines, "\n")
}

// Two dumps that differ in numbering, metadata and 30 memory spaces: a line diff is the whole text, the report a few
// lines.
func TestRenumberedDumps(t *testing.T) {
	path := "../../../shared/corpus/v5e/llama_train_f32/final.hlo"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no ../shared/corpus next to the repository")
	}
	text := read(t, path)
	same := diff.NewReport(parse(t, "a", text), parse(t, "b", renumber(text, 0)), diff.DefaultIgnore)
	require.True(t, same.Same(), string(report.NewDiff(same, "a", "b").AppendText(nil, report.Options{})))
	require.Greater(t, same.Noise.Renumbered, 1000)

	r := diff.NewReport(parse(t, "a", text), parse(t, "b", renumber(text, 30)), diff.DefaultIgnore)
	assert.Equal(t, 30, diff.Count(r.Values))
	assert.Empty(t, r.Added)
	assert.Empty(t, r.Removed)
	assert.Empty(t, r.Changed)
	out := string(report.NewDiff(r, "a", "b").AppendText(nil, report.Options{}))
	assert.Contains(t, out, "30 layouts changed, in memory space only\n")
	assert.Contains(t, out, "renumbered")
	assert.Less(t, strings.Count(out, "\n"), 30, out)
	t.Log("\n" + out)
}

var (
	instruction = regexp.MustCompile(`^\s+(?:ROOT )?%?([\w.-]+) = `)
	computation = regexp.MustCompile(`^(?:ENTRY )?%?([\w.-]+)\s.*\{\s*$`)
	leaf        = regexp.MustCompile(`([a-z][a-z0-9]*)\[([^\]]*)\](\{[^{}]*\})?`)
)

// leaves reads the result leaves of all instructions from the text alone: (computation, name) -> type and layout.
func leaves(text string) map[string][][]string {
	out := map[string][][]string{}
	in := ""
	for _, line := range strings.Split(text, "\n") {
		if m := instruction.FindStringSubmatch(line); m != nil {
			rest := line[len(instruction.FindString(line)):]
			out[in+"/"+m[1]] = leaf.FindAllStringSubmatch(rest[:shapeEnd(rest)], -1)
		} else if m := computation.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "HloModule") {
			in = m[1]
		}
	}
	return out
}

func shapeEnd(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ' ':
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

func orderOf(layout string) string { return strings.Split(strings.Trim(layout, "{}"), ":")[0] }

// What the compiler made of each program of the corpus: the counts are those that the texts give without our parser,
// the unified diff turns one into the other, and the reverse of a diff is the diff of the reverse.
func TestCorpusPairs(t *testing.T) {
	pairs, err := filepath.Glob("../../../shared/corpus/v*/*/before.hlo")
	require.NoError(t, err)
	if len(pairs) == 0 {
		pairs, err = filepath.Glob("../../testdata/corpus/*/*/before.hlo")
		require.NoError(t, err)
	}
	require.NotEmpty(t, pairs)
	if testing.Short() {
		pairs = pairs[:min(len(pairs), 100)]
	}
	for _, path := range pairs {
		after := filepath.Join(filepath.Dir(path), "after.hlo")
		if _, err := os.Stat(after); err != nil {
			continue
		}
		before, after := read(t, path), read(t, after)
		r := diff.NewReport(parse(t, path, before), parse(t, path, after), diff.DefaultIgnore)
		a, b := leaves(before), leaves(after)
		want := [3]int{}
		for key, list := range b {
			was, both := a[key]
			if !both {
				continue
			}
			for i, l := range list {
				want[0]++
				if i < len(was) && was[i][1] == l[1] && was[i][2] == l[2] && orderOf(was[i][3]) == orderOf(l[3]) {
					want[1]++
					if was[i][3] == l[3] {
						want[2]++
					}
				}
			}
		}
		j := report.NewDiff(r, "before", "after").JSON().Counts
		got := [3]int{j.ByName.Leaves, j.ByName.SameOrder, j.ByName.SameLayout}
		require.Equal(t, want, got, path)
		require.Equal(t, [2]int{len(a), len(b)}, [2]int{j.Instructions + j.Removed, j.Instructions + j.Added}, path)
		back := diff.NewReport(r.New, r.Old, diff.DefaultIgnore)
		require.Equal(t, diff.Count(r.Values), diff.Count(back.Values), path)
		require.Equal(t, len(r.Contract), len(back.Contract), path)
	}
}

// A rewritten module differs from the old one only in what is not noise.
func TestRewrite(t *testing.T) {
	text := read(t, "../../testdata/attention.v5e.hlo")
	m := diff.Match(parse(t, "a", text), parse(t, "b", renumber(text, 0)), diff.DefaultIgnore)
	m.Rewrite()
	assert.Equal(t, text, printer.Print(m.New))
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB",
		-1258291: "-1.2 MiB", 1 << 62: "4 EiB"} {
		assert.Equal(t, want, report.Bytes(n))
	}
	assert.Equal(t, "+0 B", report.Signed(0))
}

func ExampleSpaceName() {
	fmt.Println(report.SpaceName(0), report.SpaceName(1), report.SpaceName(99))
	// Output: HBM VMEM S(99)
}
