package parser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/internal/oracle"
	"hlolayout/parser"
)

// instructionHead comes before each instruction of testdata/strict.txt, and a closing brace after it.
const instructionHead = "HloModule m\n\nadd {\n" +
	"  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = f32[] add(x, y)\n}\n\n" +
	"ENTRY e {\n  p = f32[4,4] parameter(0)\n  ROOT o = "

// A strictCase is a line of testdata/strict.txt: an instruction with the verdict of XLA's parser and, where it
// refuses it, its positions.
type strictCase struct{ verdict, positions, instruction string }

func (c strictCase) text() string { return instructionHead + c.instruction + "\n}\n" }

func strictCases(t *testing.T) []strictCase {
	t.Helper()
	var cases []strictCase
	for line := range strings.Lines(read(t, "testdata/strict.txt")) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		require.Len(t, parts, 3, line)
		cases = append(cases, strictCase{parts[0], parts[1], parts[2]})
	}
	require.Greater(t, len(cases), 200)
	return cases
}

// elsewhere are the instructions of testdata/strict.txt that are read in another way than by XLA's parser, and why.
var elsewhere = map[string]string{
	"f32[4,4] all-gather(p), dimensions={0}, replica_groups=[2,2]<=[4]T(0)": "" +
		"XLA takes T(0) for the next instruction, and names the place in it",
	"f32[4,4] copy(p), sharding={mesh['x'=2], device_ids=([2]T(0)) [{'x'}]}": "" +
		"the order of the devices of a mesh is not checked",
	"(f32[1024]{0:T(8}) parameter(1)": "" +
		"the parentheses of a tuple shape are counted before what is in them is read",
	"f32[1024]{0:T(} parameter(1)": "XLA reads a tile without sizes",
}

// TestStrictTable: what XLA's parser says of one instruction after another, read strictly.
func TestStrictTable(t *testing.T) {
	for _, c := range strictCases(t) {
		if elsewhere[c.instruction] != "" {
			continue
		}
		_, err := parser.Config{Strict: true}.Parse("", c.text())
		if c.verdict == "accepted" {
			assert.NoError(t, err, c.instruction)
			continue
		}
		if !assert.Error(t, err, c.instruction) || c.positions == "" {
			continue
		}
		found := false
		for _, e := range err.(hlo.ErrorList) {
			found = found || strings.Contains(","+c.positions+",", fmt.Sprintf(",%d:%d,", e.Line, e.Col))
		}
		assert.True(t, found, "%s: not at %s: %v", c.instruction, c.positions, err)
	}
}

// TestStrictTableIsXLAs asks XLA again what testdata/strict.txt says.
func TestStrictTableIsXLAs(t *testing.T) {
	judge := oracle.NewJudge(t, "..")
	for _, c := range strictCases(t) {
		verdict, says, err := judge.Of(c.text())
		require.NoError(t, err)
		assert.Equal(t, c.verdict == "accepted", verdict == oracle.Accepted, "%s: %s", c.instruction, says)
		for at := range strings.SplitSeq(c.positions, ",") {
			assert.Contains(t, says, at, c.instruction)
		}
	}
}
