package literal_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/literal"
	"hlolayout/parser"
)

const hloText = "../../../shared/hlo-text"

// sharedFiles returns the files of ../shared/hlo-text that match, and skips the test where there are none.
func sharedFiles(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(hloText, pattern))
	require.NoError(t, err)
	if len(names) == 0 {
		t.Skipf("no %s next to the repository: the conformance files are not here", filepath.Join(hloText, pattern))
	}
	return names
}

// base is a name without its number: XLA numbers names again where one occurs twice.
func base(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && strings.Trim(name[dot+1:], "0123456789") == "" {
		return name[:dot]
	}
	return name
}

// constants returns the constants of the module in a file by name, but for those that XLA may have renamed: it has
// another of the name (or of the name without its number), or it has none. It returns nil without a file,
// and for those of XLA's prints that cannot be read back.
func constants(t *testing.T, name string) (*hlo.Module, map[string]*hlo.Instruction) {
	t.Helper()
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	require.NoError(t, err)
	m, err := parser.Parse(name, string(text))
	if err != nil && strings.HasSuffix(name, ".out") {
		return nil, nil
	}
	require.NoError(t, err)
	names, unsure := map[string]*hlo.Instruction{}, map[string]bool{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if names[in.Name] != nil || !strings.Contains(m.Source, in.Name+" =") {
				unsure[base(in.Name)] = true
			}
			names[in.Name] = in
		}
	}
	for name, in := range names {
		if in.Opcode != hlo.OpConstant || unsure[base(name)] {
			delete(names, name)
		}
	}
	return m, names
}

// TestAccepted reads each constant of the modules that XLA accepts, and compares its print with XLA's where XLA's is
// known: where an instruction of that name prints a value.
func TestAccepted(t *testing.T) {
	read, compared, elided := 0, 0, 0
	for _, name := range sharedFiles(t, "accept/*.hlo") {
		m, in := constants(t, name)
		base := strings.TrimSuffix(name, ".hlo")
		_, out := constants(t, base+".out")
		_, long := constants(t, base+".long.out")
		for _, c := range m.Computations {
			for _, i := range c.Instructions {
				if i.Opcode != hlo.OpConstant {
					continue
				}
				l, err := literal.Parse(i.Shape, i.Literal())
				if !assert.NoError(t, err, "%s: %s", name, i.Name) {
					continue
				}
				read++
				if l.Elided() {
					elided++
					assert.Contains(t, l.String(), "{...}", name)
					continue
				}
				if in[i.Name] == nil {
					continue
				}
				for _, printed := range []map[string]*hlo.Instruction{out, long} {
					if o := printed[i.Name]; o != nil && o.Literal() != "{...}" {
						compared++
						assert.Equal(t, o.Literal(), l.String(), "%s: %s = %s", name, i.Name, i.Shape)
					}
				}
			}
		}
	}
	t.Logf("%d constants read, %d of them elided; %d prints compared with XLA's", read, elided, compared)
	require.Greater(t, compared, 1000)
}

var negativeZero = regexp.MustCompile(`-0([,) }]|$)`)

// TestPrinted takes texts that XLA has printed, those of this repository among them: their constants print as they are,
// but for negative zeros, which XLA does not read back either.
func TestPrinted(t *testing.T) {
	names, err := filepath.Glob("../../testdata/corpus/*/*/*.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	more, err := filepath.Glob(filepath.Join(hloText, "accept/*.out"))
	require.NoError(t, err)
	count := 0
	for _, name := range append(names, more...) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		m, err := parser.Parse(name, string(text))
		if err != nil {
			continue // see constants
		}
		for _, c := range m.Computations {
			for _, in := range c.Instructions {
				if in.Opcode != hlo.OpConstant || in.Literal() == "{...}" {
					continue
				}
				l, err := literal.Parse(in.Shape, in.Literal())
				if assert.NoError(t, err, "%s: %s", name, in.Name) {
					count++
					assert.Equal(t, negativeZero.ReplaceAllString(in.Literal(), "0$1"), l.String(), "%s: %s", name,
						in.Name)
				}
			}
		}
	}
	t.Logf("%d constants", count)
	require.Greater(t, count, len(names)/2)
}

var (
	firstError   = regexp.MustCompile(`was parsing (\d+):(\d+): error: (.*)`)
	constantLine = regexp.MustCompile(`= (\S+|\(.*\)) constant\((.*)\)`)
)

// TestRefused takes the modules that XLA refuses with a first message inside a constant, and wants the error there.
func TestRefused(t *testing.T) {
	found := 0
	for _, dir := range []string{"reject", "mutated"} {
		for _, name := range sharedFiles(t, dir+"/*.err") {
			said, err := os.ReadFile(name)
			require.NoError(t, err)
			text, err := os.ReadFile(strings.TrimSuffix(name, ".err") + ".hlo")
			require.NoError(t, err)
			at := firstError.FindStringSubmatch(string(said))
			if at == nil {
				continue
			}
			row, _ := strconv.Atoi(at[1])
			col, _ := strconv.Atoi(at[2])
			lines := strings.Split(string(text), "\n")
			if row < 2 || row > len(lines) { // columns of line 1 count from 0; no constant is there
				continue
			}
			line := lines[row-1]
			m := constantLine.FindStringSubmatchIndex(line)
			if m == nil || col-1 < m[4] || col-1 > m[5] {
				continue
			}
			found++
			_, err = literal.Parse(shape(t, line[m[2]:m[3]]), line[m[4]:m[5]])
			var e *literal.Error
			if assert.True(t, errors.As(err, &e), "%s: XLA says %s", name, at[3]) {
				assert.Equal(t, col-1-m[4], e.Offset, "%s: %v", name, e)
				t.Logf("%s: XLA: %s\n  here: %v", name, at[3], e)
			}
		}
	}
	t.Logf("%d of XLA's refusals are in a constant", found)
	require.Greater(t, found, 3)
}
