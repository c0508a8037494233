package verify_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo/verify"
	"hlolayout/internal/testfiles"
	"hlolayout/parser"
)

// further is what the instructions of instructions.txt work on besides the prelude.
const further = `  st = u64[2] parameter(33)
  o9 = f32[9,8] parameter(34)
  cz = c128[4,8] parameter(35)
  at = (s32[], s32[]) parameter(36)
  ats = ((s32[], s32[]), (s32[], s32[])) parameter(37)
  two = (f32[4,8], f32[4,8]) parameter(38)
  root = s32[1] parameter(39)
  dk = f32[3,3,1,6] parameter(40)
  dk7 = f32[3,3,1,7] parameter(41)
  kbig = f32[12,3,3,16] parameter(42)
  sd = f64[3,5,2] parameter(43)
  sl = f32[3,2,5] parameter(44)
  vd = f64[8] parameter(45)
  fh = f32[4,4,2] parameter(46)
  fe = f32[4,2] parameter(47)
  gs2 = s32[4,2] parameter(48)
  big = f32[7,9] parameter(49)
  win = f32[7,8] parameter(50)
`

// TestInstructions holds the finding about each instruction of instructions.txt, which are those of infer_test.go with
// one operand, number, attribute or shape changed, and at the end what shows the checks that such changes do not reach.
func TestInstructions(t *testing.T) {
	path := filepath.Join(testdata, "instructions.txt")
	var got strings.Builder
	for line := range strings.Lines(readText(t, path)) {
		if strings.HasPrefix(line, " ") {
			continue
		}
		m, err := parser.Parse("", prelude+further+"  ROOT r = "+line+"}\n")
		require.NoError(t, err, line)
		says := "no findings"
		for _, e := range verify.Module(m) {
			if e.Code != verify.VER113 { // the prelude has an unbounded parameter
				says = e.Code + " " + e.Msg
				break
			}
		}
		got.WriteString(line + "    " + says + "\n")
	}
	assert.Equal(t, testfiles.Record(t, path, got.String()), got.String(), "run with -update and read the difference")
}
