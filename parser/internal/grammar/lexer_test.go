package grammar

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/antlr4-go/antlr/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser/internal/automaton"
)

// TestTablesLexAsTheGrammar compares the compiled tables, token by token, with ANTLR's interpreter of the same grammar.
func TestTablesLexAsTheGrammar(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/corpus/*/*/*.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	texts := []string{
		"a = f32[2]/*c*/{0} constant({1, /* ) */ 2}), x={ {'}'}, \"}\" } // end\n%b: c:=d",
		"backend_config={\"a\":\"\\\"}\"} frontend_attributes={a=\"}\",b={\"c\":{}}} literal=s32[2]{0} {1,2} " +
			"literal=f32[] -1.5",
		"x=[2,4]<=[8]T(1,0) y=mesh['a'=2], device_ids=([2]) {'a'} z=b01f_01io->b01f w=3x3 v=0_1x-2_3_1",
		"-> ... -inf nan(0x1) 1e5 1. -.5 -1 f32[<=3,?] b(f32[2]) = (f32[], (s32[2]{0})) tuple(",
		"f32[2 unterminated \" and { and /* too",
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	tokens := 0
	parts := map[string]uint8{} // composite tokens and the mode that reads their inside
	for _, text := range texts {
		tokens += compareTokens(t, text, modeDEFAULT_MODE, func(token int, part string) {
			switch token {
			case HLOParserBRACED, HLOParserBRACKETED:
				parts[part] = modeFINE
			case HLOParserSHAPE, HLOParserTUPLE:
				parts[part] = modeLAYOUT
			}
		})
	}
	for _, text := range texts[:5] {
		for _, mode := range []uint8{modeFINE, modeLAYOUT, modeFRONTEND} {
			tokens += compareTokens(t, text, mode, nil)
		}
	}
	for part, mode := range parts {
		tokens += compareTokens(t, part, mode, nil)
	}
	t.Logf("%d tokens compared, %d composite tokens taken apart", tokens, len(parts))
	assert.Greater(t, tokens, 20_000)
	assert.Greater(t, len(parts), 400)
}

// compareTokens reads text with both lexers up to the first error and returns the number of tokens.
func compareTokens(t *testing.T, text string, mode uint8, see func(token int, text string)) (n int) {
	stock := antlr.NewBaseLexer(antlr.NewInputStream(text))
	stock.Interpreter = antlr.NewLexerATNSimulator(stock, lexerATN, lexerDFA, antlr.NewPredictionContextCache())
	errors := &countErrors{}
	stock.RemoveErrorListeners()
	stock.AddErrorListener(errors)
	stock.SetMode(int(mode))
	var ours lexer
	ours.reset(text, 0, len(text), mode)
	for {
		want := stock.NextToken()
		if errors.n > 0 {
			if ours.token != tokenError && ours.token != tokenEOF {
				t.Fatalf("mode %d, token %d: ANTLR's lexer finds no token before %d, the tables read type %d at %v",
					mode, n, want.GetStart(), ours.token, ours.cur)
			}
			return n
		}
		if want.GetTokenType() != ours.token {
			t.Fatalf("mode %d, token %d at %v: ANTLR's lexer reads type %d (%q), the tables %d", mode, n, ours.cur,
				want.GetTokenType(), want.GetText(), ours.token)
		}
		if ours.token == tokenEOF {
			return n
		}
		if got := text[ours.cur.Off:ours.cur.End]; want.GetText() != got {
			t.Fatalf("mode %d, token %d: ANTLR's lexer reads %q, the tables %q", mode, n, want.GetText(), got)
		}
		if see != nil {
			see(ours.token, want.GetText())
		}
		n++
		ours.advance()
	}
}

// lexerATN is the network of states of HLOLexer.g4 as the ANTLR tool writes it, lexerDFA what ANTLR remembers of it.
var lexerATN, lexerDFA = func() (*antlr.ATN, []*antlr.DFA) {
	text, err := os.ReadFile("testdata/HLOLexer.interp")
	if err != nil {
		panic(err)
	}
	in, err := automaton.ReadInterp(string(text))
	if err != nil {
		panic(err)
	}
	atn := antlr.NewATNDeserializer(nil).Deserialize(in.Serialized)
	dfa := make([]*antlr.DFA, len(atn.DecisionToState))
	for i, s := range atn.DecisionToState {
		dfa[i] = antlr.NewDFA(s, i)
	}
	return atn, dfa
}()

type countErrors struct {
	*antlr.DefaultErrorListener
	n int
}

func (c *countErrors) SyntaxError(antlr.Recognizer, interface{}, int, int, string, antlr.RecognitionException) {
	c.n++
}
