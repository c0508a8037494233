package grammar

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/antlr4-go/antlr/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser/internal/build"
	"hlolayout/parser/internal/stock"
)

// stockRules are the entry rules of the parser that the ANTLR runtime drives, generated from the grammar without its actions.
var stockRules = map[build.Rule]func(*stock.HLOParser){
	build.ModuleRule:      func(p *stock.HLOParser) { p.Module() },
	build.HeaderlessRule:  func(p *stock.HLOParser) { p.Headerless() },
	build.SingleRule:      func(p *stock.HLOParser) { p.Single() },
	build.BodyRule:        func(p *stock.HLOParser) { p.Body() },
	build.RestRule:        func(p *stock.HLOParser) { p.Rest() },
	build.FirstRule:       func(p *stock.HLOParser) { p.First() },
	build.FurtherRule:     func(p *stock.HLOParser) { p.Further() },
	build.ShapeRule:       func(p *stock.HLOParser) { p.ShapeText() },
	build.ValueRule:       func(p *stock.HLOParser) { p.ValueText() },
	build.FrontendRule:    func(p *stock.HLOParser) { p.FrontendText() },
	build.IntsRule:        func(p *stock.HLOParser) { p.IntsText() },
	build.IntListsRule:    func(p *stock.HLOParser) { p.IntListsText() },
	build.WordsRule:       func(p *stock.HLOParser) { p.WordsText() },
	build.ShapesRule:      func(p *stock.HLOParser) { p.ShapesText() },
	build.EntryLayoutRule: func(p *stock.HLOParser) { p.EntryLayoutText() },
	build.SliceRule:       func(p *stock.HLOParser) { p.SliceText() },
	build.WindowRule:      func(p *stock.HLOParser) { p.WindowText() },
	build.MetadataRule:    func(p *stock.HLOParser) { p.MetadataText() },
	build.AliasRule:       func(p *stock.HLOParser) { p.AliasText() },
	build.DonorRule:       func(p *stock.HLOParser) { p.DonorText() },
	build.IotaRule:        func(p *stock.HLOParser) { p.IotaText() },
	build.MeshRule:        func(p *stock.HLOParser) { p.MeshText() },
	build.ShardingRule:    func(p *stock.HLOParser) { p.ShardingText() },
}

// firstError listens to the stock lexer and parser, keeps the offset of the first error of either.
type firstError struct {
	*antlr.DefaultErrorListener
	text string
	at   int
	seen int
	// bound says that only the lexer was heard: the parser may find an error in front of at
	bound bool
}

// SyntaxError ends the parse at an error of the parser. One of the lexer may come first and lie behind it, for the runtime
// looks at the token behind a wrong one before it reports that.
func (f *firstError) SyntaxError(_ antlr.Recognizer, symbol any, line, col int, _ string, _ antlr.RecognitionException) {
	token, ofParser := symbol.(antlr.Token)
	at := int(hlo.LineStarts(f.text)[line-1]) + col
	if ofParser {
		at = token.GetStart()
	}
	if f.at == passed || at < f.at {
		f.at = at
	}
	if f.seen++; ofParser || f.seen > 20 { // going on would take the runtime time that is quadratic in the text
		f.bound = !ofParser
		panic(f)
	}
}

// stockParse returns the offset in text of the first syntax error that the ANTLR runtime finds, passed if there is none;
// bound says that there may be one in front of it.
func stockParse(rule build.Rule, text string) (at int, bound bool) {
	first := &firstError{text: text, at: passed}
	defer func() {
		if r := recover(); r != nil && r != any(first) {
			panic(r)
		}
		at, bound = first.at, first.bound
	}()
	lexer := NewHLOLexer(antlr.NewInputStream(text))
	lexer.RemoveErrorListeners()
	lexer.AddErrorListener(first)
	lexer.SetMode(int(starts[rule].mode))
	p := stock.NewHLOParser(antlr.NewCommonTokenStream(lexer, antlr.TokenDefaultChannel))
	p.RemoveErrorListeners()
	p.AddErrorListener(first)
	stockRules[rule](p)
	return first.at, false
}

// compare reads text by the fast parser, and each rule that this takes once more by the ANTLR runtime: both must find it
// right, or wrong at the same place. It returns the number of rules compared.
func compare(t testing.TB, text string, strict bool) (n int) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return 0 // the runtime counts characters, and its input makes one of each wrong byte
	}
	b := build.New("text", text, build.Options{Strict: strict})
	p := New(b)
	type reading struct {
		rule build.Rule
		text string
	}
	seen := map[reading]bool{}
	p.Trace = func(rule build.Rule, part build.Text, at int) {
		r := reading{rule, text[part.Off:part.End]}
		if at == stopped || seen[r] {
			return
		}
		seen[r] = true
		n++
		want, bound := stockParse(rule, r.text)
		if at != passed {
			at -= int(part.Off)
		}
		if want != at && !(bound && at != passed && at < want) {
			t.Errorf("rule %d: the fast parser says %d, ANTLR %d (offsets of the error; -1 is none) of\n%s", rule, at, want, r.text)
		}
	}
	p.Parse(build.ModuleRule, build.Text{Off: 0, End: uint32(len(text))})
	return n
}

func TestFastParserAgreesWithANTLR(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/corpus/*/*/*.hlo")
	require.NoError(t, err)
	for _, pattern := range []string{"reject", "mutated"} {
		more, err := filepath.Glob("../../../../shared/hlo-text/" + pattern + "/*.hlo")
		require.NoError(t, err)
		files = append(files, more...)
	}
	n := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		n += compare(t, string(text), false)
		n += compare(t, string(text), true)
	}
	t.Logf("%d readings of %d files compared", n, len(files))
	assert.Greater(t, n, 1000)
}

func FuzzFastParserAgreesWithANTLR(f *testing.F) {
	files, err := filepath.Glob("../../../testdata/corpus/*/*/before.hlo")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		if len(text) < 4_000 {
			f.Add(string(text), true)
		}
	}
	f.Add("HloModule m\nENTRY e {\n p = (f32[2]{0:T(128)}, s8[]) parameter(0), sharding={{devices=[2]0,1}, {replicated}}\n}", true)
	f.Add("HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\nENTRY e {\n c = f32[2]{0} constant({1, -2.5})\n}", false)
	f.Fuzz(func(t *testing.T, text string, strict bool) {
		if len(text) < 4_000 {
			compare(t, text, strict)
		}
	})
}
