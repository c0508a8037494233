package grammar

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser/internal/build"
)

// texts returns the parts of the line in the sequence of the text, without the punctuation between them.
func (n *plainLine) texts() []build.Text {
	list := []build.Text{n.name, n.shape, n.opcode}
	if n.constant {
		list = append(list, n.literal)
	}
	for _, o := range n.operands {
		if o.shape.End > 0 {
			list = append(list, o.shape)
		}
		list = append(list, o.text)
		if o.comma.End > 0 {
			list = append(list, o.comma)
		}
	}
	if !n.constant {
		list = append(list, n.end)
	}
	for _, a := range n.attrs {
		list = append(list, a.key, a.value)
	}
	return list
}

// TestPlainLinesLexAsTheGrammar compares the parts of plain lines with the tokens that the tables read, on the lines of
// the corpus and on lines with mistakes.
func TestPlainLinesLexAsTheGrammar(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/corpus/*/*/*.hlo")
	require.NoError(t, err)
	texts := []string{
		"  %a.1 = (f32[2]{0}, /*index=5*/s32[]) while(f32[2,<=3]{1,0:T(8,128)} %b, p_0), condition=%c, body=d\n" +
			"  ROOT c = pred[] constant(true), backend_config={\"a\":\"}\\\"'\",\"b\":{}}, metadata={op_name=\"x\\\"}\"}\n}",
		"  x = f32[?] add(y, z), dim_labels=b01f_01io->b01f, index=3, padding=0_0x1_1, value=nan, k=nanny, e=1e5\n" +
			"  %y = u8[] custom-call(), custom_call_target=\"a\", frontend_attributes={a=\"{\",b={\"'\":1}}\n}",
		"  %x = f32[2]{0} add(%y, %z), sharding={devices=[2]<=[2]}, replica_groups=[2,4]<=[8], channel_id=-1\n}",
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	random := rand.New(rand.NewPCG(1, 2))
	lines, plain := 0, 0
	for _, text := range texts {
		for from := 0; from < len(text); {
			end := strings.IndexByte(text[from:], '\n') + 1
			if end == 0 {
				break
			}
			line := text[from : from+end]
			from += end
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, " = ") {
				continue
			}
			lines++
			if comparePlain(t, line[2:]) {
				plain++
			}
			if lines < 100 {
				for cut := 2; cut < len(line); cut++ { // the text ends there
					comparePlain(t, line[2:cut])
				}
			}
			for range 20 {
				broken := []byte(line[2:])
				const signs = "%=,(){}[]\"'\\/*:#->.x_ \n0aTR"
				at := random.IntN(len(broken))
				switch random.IntN(3) {
				case 0:
					broken[at] = signs[random.IntN(len(signs))]
				case 1:
					broken = append(broken[:at], broken[at+1:]...)
				default:
					broken = append(broken[:at], append([]byte{signs[random.IntN(len(signs))]}, broken[at:]...)...)
				}
				comparePlain(t, string(broken)+"}")
			}
		}
	}
	t.Logf("%d of %d lines are plain", plain, lines)
	assert.Greater(t, plain*100, lines*95)
}

// comparePlain reports whether the line is plain; the tables then read the same parts from it, and the next token where
// it ends.
func comparePlain(t *testing.T, line string) bool {
	var l lexer
	l.reset(line, 0, len(line), modeDEFAULT_MODE)
	var n plainLine
	next, ok := n.scan(&l, 0)
	if !ok {
		return false
	}
	if n.root {
		require.Equal(t, HLOParserROOT, l.token, "%q", line)
	}
	for i, part := range n.texts() {
		for l.cur.Off < part.Off && l.token != tokenEOF && l.token != tokenError {
			l.advance()
		}
		require.Equal(t, part, l.cur, "part %d of %q", i, line)
		require.NotEqual(t, tokenError, l.token, "part %d of %q", i, line)
		if attr := i - (len(n.texts()) - 2*len(n.attrs)); attr > 0 && attr%2 == 1 {
			require.Equal(t, kinds[l.token], n.attrs[attr/2].kind, "%q", line)
		}
	}
	require.Empty(t, l.stack, "%q", line)
	l.advance()
	require.Equal(t, uint32(next), l.cur.Off, "%q", line)
	require.Contains(t, []int{HLOParserNAME, HLOParserROOT, HLOParserRBRACE, tokenEOF, HLOParserSHAPE, HLOParserATTR,
		HLOParserENTRY, HLOParserHLOMODULE}, l.token, "%q", line)
	return true
}
