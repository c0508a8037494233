package grammar

import (
	"github.com/antlr4-go/antlr/v4"

	"hlolayout/parser/internal/build"
)

// Base is the parser's superclass (option superClass of the grammar). It shadows the methods of antlr.BaseParser that
// the generated code calls at every token, so that they bind statically, make no tokens, keep no contexts and build no
// tree. Every decision of the grammar looks one token ahead, so nothing else of the runtime is ever reached.
type Base struct {
	*antlr.BaseParser
	B      *build.Builder
	stream stream
	line   plainLine
	state  int
}

// stream is the one-token window that the generated code sees as a token stream.
type stream struct {
	lexer
	antlr.TokenStream // never called
}

func (s *stream) LA(int) int { return s.token }
func (s *stream) Consume()   { s.advance() }
func (s *stream) Seek(int)   {}

// syntaxError is what the fast path panics with; Parse recovers it.
type syntaxError struct{}

// strategy ends the parse at the first syntax error.
type strategy struct{ antlr.ErrorStrategy }

func (strategy) Sync(antlr.Parser)                                    {}
func (strategy) ReportMatch(antlr.Parser)                             {}
func (strategy) ReportError(antlr.Parser, antlr.RecognitionException) { panic(syntaxError{}) }
func (strategy) Recover(antlr.Parser, antlr.RecognitionException)     { panic(syntaxError{}) }
func (strategy) RecoverInline(antlr.Parser) antlr.Token               { panic(syntaxError{}) }

// T is the text of the token consumed last, Type its kind, Next the offset of the token to come.
func (p *Base) T() build.Text    { return p.stream.prev }
func (p *Base) Type() build.Kind { return kinds[p.stream.kind] }
func (p *Base) Next() uint32     { return p.stream.cur.Off }

// Match consumes a token of the given type.
func (p *Base) Match(token int) antlr.Token {
	if p.stream.token != token {
		panic(syntaxError{})
	}
	if token != antlr.TokenEOF {
		p.stream.advance()
	}
	return nil
}

// GetCurrentToken is called by the generated code where no alternative fits.
func (p *Base) GetCurrentToken() antlr.Token { panic(syntaxError{}) }

func (p *Base) Consume() antlr.Token                          { p.stream.advance(); return nil }
func (p *Base) GetTokenStream() antlr.TokenStream             { return &p.stream }
func (p *Base) GetErrorHandler() antlr.ErrorStrategy          { return strategy{} }
func (p *Base) EnterRule(antlr.ParserRuleContext, int, int)   {}
func (p *Base) ExitRule()                                     {}
func (p *Base) EnterOuterAlt(antlr.ParserRuleContext, int)    {}
func (p *Base) SetState(state int)                            { p.state = state }
func (p *Base) GetState() int                                 { return 0 }
func (p *Base) GetParserRuleContext() antlr.ParserRuleContext { return nil }
func (p *Base) HasError() bool                                { return false }
func (p *Base) GetError() antlr.RecognitionException          { return nil }
func (p *Base) SetError(antlr.RecognitionException)           {}

// kinds translates token types for the builder.
var kinds = [...]build.Kind{
	HLOParserNAME: build.Name, HLOParserSTRING: build.String, HLOParserINT: build.Int, HLOParserFLOAT: build.Float,
	HLOParserPATTERN: build.Pattern, HLOParserBRACED: build.Braced, HLOParserBRACKETED: build.Bracketed,
	HLOParserJSON: build.JSON, HLOParserSHAPE: build.Shape, HLOParserTUPLE: build.Tuple, HLOParserSCALAR: build.Scalar,
	HLOParserARROW: build.Punct, HLOParserELLIPSIS: build.Punct, HLOParserCOLON: build.Punct,
	HLOParserPUNCT: build.Punct,
}
