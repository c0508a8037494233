package parser_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/printer"
)

const cutWhole = `HloModule m, entry_computation_layout={(f32[2]{0})->f32[3]{0}}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

ENTRY %e (p: f32[2]) -> f32[3] {
  %p = f32[2]{0} parameter(0)
  %k = s32[2]{0} constant({1, 2})
  ROOT %q = f32[3]{0} custom-call(%p), custom_call_target="a \" {", metadata={op_name="x"}
}
`

// TestCut reads the module cut after every byte: in part it is a prefix of the whole, and never the whole.
func TestCut(t *testing.T) {
	whole, err := parser.Parse("in.hlo", cutWhole)
	require.NoError(t, err)
	assert.Empty(t, whole.Cut)
	end := strings.LastIndexByte(cutWhole, '}')
	for n := strings.Index(cutWhole, "ROOT"); n < end; n++ {
		text := cutWhole[:n]
		_, err := parser.Parse("in.hlo", text)
		require.Error(t, err, text)
		if !assert.Contains(t, err.Error(), "[HLO006]", text) {
			continue
		}
		m, err := parser.Config{Partial: true}.Parse("in.hlo", text)
		require.NoError(t, err, text)
		assert.NotEmpty(t, m.Cut)
		for _, c := range m.Computations {
			if c.Root == nil {
				assert.Same(t, c, m.Computations[len(m.Computations)-1])
			}
		}
		printed := strings.TrimSpace(printer.Print(m))
		assert.True(t, strings.HasPrefix(cutWhole, printed), "%s\n---\n%s", text, printed)
		again, err := parser.Config{Partial: true}.Parse("again.hlo", printed+"\n")
		require.NoError(t, err)
		assert.Equal(t, printed, strings.TrimSpace(printer.Print(again)))
		printer.Config{Mode: printer.Canonical}.Print(m)
	}
}

func TestCutSaysWhere(t *testing.T) {
	lines := strings.SplitAfter(cutWhole, "\n")
	for _, c := range []struct {
		lines int
		cut   string
		names []string
	}{
		{6, "line 6: the text ends inside computation %add", []string{"add"}},
		{8, "line 7: the text ends without an ENTRY computation", []string{"add"}},
		{9, "line 9: the text ends inside computation %e", []string{"add"}},
		{10, "line 10: the text ends inside computation %e", []string{"add", "e"}},
	} {
		m, err := parser.Config{Partial: true}.Parse("in.hlo", strings.Join(lines[:c.lines], ""))
		require.NoError(t, err)
		assert.Equal(t, c.cut, m.Cut)
		var names []string
		for _, c := range m.Computations {
			names = append(names, c.Name)
		}
		assert.Equal(t, c.names, names)
	}
	_, err := parser.Config{Partial: true}.Parse("in.hlo", strings.Join(lines[:4], "")+
		"  %x = f32[] negate(%nothing)\n"+lines[5])
	require.Error(t, err, "an error in front of the cut stays one")
	assert.Equal(t, 5, err.(hlo.ErrorList)[0].Line)
}

// TestLastComputationIsTheEntry: a text without ENTRY whose last computation has the header's shapes is whole.
func TestLastComputationIsTheEntry(t *testing.T) {
	m, err := parser.Parse("in.hlo", strings.Replace(cutWhole, "ENTRY ", "", 1))
	require.NoError(t, err)
	assert.Equal(t, "e", m.Entry.Name)
	assert.Empty(t, m.Cut)
}

// A text that ends in the stack-frame tables is cut, too: in part it is a module without computations.
func TestCutInTables(t *testing.T) {
	const header = "HloModule m, is_scheduled=true\n\n"
	const tables = header + `FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
`
	for n := len(header) + len("FileNames\n1"); n <= len(tables); n++ {
		text := tables[:n]
		if last := text[strings.LastIndexByte(text, '\n')+1:]; last != "" && !strings.ContainsAny(last, " ") &&
			strings.Count(text, "Names")+strings.Count(text, "Locations")+strings.Count(text, "Frames") < 4 &&
			strings.HasSuffix(text[:len(text)-len(last)], "\n\n") {
			continue // a table's name is cut
		}
		_, err := parser.Parse("in.hlo", text)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), "[HLO006]", text)
		assert.Contains(t, err.Error(), ", before the first computation", text)
		m, err := parser.Config{Partial: true}.Parse("in.hlo", text)
		require.NoError(t, err, text)
		assert.Contains(t, m.Cut, ", before the first computation")
		assert.Empty(t, m.Computations)
	}
}
