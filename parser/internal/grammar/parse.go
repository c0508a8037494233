package grammar

import (
	"slices"

	"github.com/antlr4-go/antlr/v4"

	"hlolayout/parser/internal/build"
)

// Parser reads texts into one builder. It holds one generated parser for each level of nesting: a module, in it an
// attribute value, in that a shape.
type Parser struct {
	// Trace, when set, is called after each rule: at is the offset of its syntax error, or passed or stopped.
	Trace func(rule build.Rule, text build.Text, at int)

	b      *build.Builder
	levels []*HLOParser
	depth  int
}

// New returns a parser for the builder and makes itself the builder's reader of composite tokens.
func New(b *build.Builder) *Parser {
	p := &Parser{b: b}
	b.Sub = p.Parse
	return p
}

// Reset takes its text from the parser, and from its builder.
func (p *Parser) Reset() {
	for _, q := range p.levels {
		q.stream.lexer = lexer{stack: q.stream.stack, comments: q.stream.comments}
	}
	p.b.Reset()
}

// Builder returns the builder that the parser reads into.
func (p *Parser) Builder() *build.Builder { return p.b }

// start is where a rule of the grammar begins: the lexer mode and the generated method.
var starts = [...]struct {
	mode uint8
	rule func(*HLOParser)
}{
	build.ModuleRule:      {modeDEFAULT_MODE, func(p *HLOParser) { p.Module() }},
	build.HeaderlessRule:  {modeDEFAULT_MODE, func(p *HLOParser) { p.Headerless() }},
	build.SingleRule:      {modeDEFAULT_MODE, func(p *HLOParser) { p.Single() }},
	build.RestRule:        {modeDEFAULT_MODE, func(p *HLOParser) { p.Rest() }},
	build.FirstRule:       {modeDEFAULT_MODE, func(p *HLOParser) { p.First() }},
	build.FurtherRule:     {modeDEFAULT_MODE, func(p *HLOParser) { p.Further() }},
	build.BodyRule:        {modeDEFAULT_MODE, func(p *HLOParser) { p.Body() }},
	build.ShapeRule:       {modeLAYOUT, func(p *HLOParser) { p.ShapeText() }},
	build.ValueRule:       {modeFINE, func(p *HLOParser) { p.ValueText() }},
	build.FrontendRule:    {modeFRONTEND, func(p *HLOParser) { p.FrontendText() }},
	build.IntsRule:        {modeFINE, func(p *HLOParser) { p.IntsText() }},
	build.IntListsRule:    {modeFINE, func(p *HLOParser) { p.IntListsText() }},
	build.WordsRule:       {modeFINE, func(p *HLOParser) { p.WordsText() }},
	build.ShapesRule:      {modeFINE, func(p *HLOParser) { p.ShapesText() }},
	build.EntryLayoutRule: {modeFINE, func(p *HLOParser) { p.EntryLayoutText() }},
	build.SliceRule:       {modeFINE, func(p *HLOParser) { p.SliceText() }},
	build.WindowRule:      {modeFINE, func(p *HLOParser) { p.WindowText() }},
	build.MetadataRule:    {modeFINE, func(p *HLOParser) { p.MetadataText() }},
	build.AliasRule:       {modeFINE, func(p *HLOParser) { p.AliasText() }},
	build.DonorRule:       {modeFINE, func(p *HLOParser) { p.DonorText() }},
	build.IotaRule:        {modeFINE, func(p *HLOParser) { p.IotaText() }},
	build.ShardingRule:    {modeFINE, func(p *HLOParser) { p.ShardingText() }},
	build.MeshRule:        {modeFINE, func(p *HLOParser) { p.MeshText() }},
}

// Parse reads text by the given rule. It returns false at the first syntax error, which it has told the builder.
func (p *Parser) Parse(rule build.Rule, text build.Text) (ok bool) {
	if p.depth == len(p.levels) {
		p.levels = append(p.levels, &HLOParser{Base{B: p.b}})
	}
	q := p.levels[p.depth]
	p.depth++
	defer func() {
		p.depth--
		if r := recover(); r != nil {
			at := stopped
			switch r := r.(type) {
			case syntaxError:
				at = int(q.stream.cur.Off)
				if !p.b.Sectioned() { // an error in a piece is found and told by reading the whole
					p.explain(q)
				}
			case build.Stop:
			default:
				panic(r)
			}
			ok = false
			p.trace(rule, text, at)
		}
	}()
	q.stream.reset(p.b.Source(), int(text.Off), int(text.End), starts[rule].mode)
	starts[rule].rule(q)
	p.b.Comments(text, q.stream.comments)
	p.trace(rule, text, passed)
	return true
}

// ParsePiece reads a piece of a text. It returns false where the piece cannot be read by itself, and where the lexer is
// not in its first mode at the end, so that it would read on in another way than at the start of a piece.
func (p *Parser) ParsePiece(rule build.Rule, text build.Text) bool {
	if !p.Parse(rule, text) || p.b.Stopped() {
		return false
	}
	lexer := &p.levels[0].stream
	return lexer.mode == modeDEFAULT_MODE && len(lexer.stack) == 0
}

// What Trace gets for a rule without a syntax error: it passed, or the builder stopped it.
const (
	passed  = -1
	stopped = -2
)

func (p *Parser) trace(rule build.Rule, text build.Text, at int) {
	if p.Trace != nil {
		p.Trace(rule, text, at)
	}
}

// explain tells the builder about the token that the grammar cannot read.
func (p *Parser) explain(q *HLOParser) {
	s := &q.stream
	end := uint32(len(s.src))
	if s.token == tokenError && s.begin == modeCONSTANT_LITERAL &&
		p.b.UnfinishedLiteral(build.Text{Off: s.cur.Off, End: end}) {
		return
	}
	rule, from, ok := q.inside()
	if !ok || p.Parse(rule, build.Text{Off: from, End: end}) {
		p.b.SyntaxError(s.cur, s.token == tokenError, func() []string { return expected(q.state) })
		if s.kind == HLOParserATTR && rule == build.ModuleRule {
			p.b.UnfinishedValue()
		}
	} else if rule != build.ShapeRule {
		p.b.UnfinishedValue()
	}
}

// inside says which rule reads the inside of the composite token that the lexer could not finish, and from where:
// reading it that way finds the place where it goes wrong.
func (p *HLOParser) inside() (rule build.Rule, from uint32, ok bool) {
	s := &p.stream
	at, prev := s.cur.Off, p.B.Source()[s.prev.Off:s.prev.End]
	if int(at) >= len(s.src) {
		return 0, 0, false
	}
	switch s.src[at] {
	case '[', '{':
		if s.kind == HLOParserSHAPE || (s.kind == HLOParserNAME || s.kind == HLOParserOPCODE) &&
			build.IsElementType(prev) {
			return build.ShapeRule, s.prev.Off, true
		}
		if s.token == tokenError && s.begin == modeVALUE {
			return p.B.InsideRule(), at, true
		}
		if s.token == tokenError && s.begin == modeFRONTEND_VALUE {
			return build.FrontendRule, at, true
		}
	case '(':
		if s.token == tokenError && (s.begin == modeRESULT || s.begin == modeVALUE) {
			return build.ShapeRule, at, true
		}
	}
	return 0, 0, false
}

// expected returns the names of the tokens that could have come in a state of the generated parser, sorted.
func expected(state int) []string {
	p := NewHLOParser(nil)
	p.BaseParser.SetState(state)
	set := p.GetExpectedTokens()
	var names []string
	for _, iv := range set.GetIntervals() {
		for t := iv.Start; t < iv.Stop; t++ {
			if t == antlr.TokenEOF {
				names = append(names, "the end of the text")
			} else if n := tokenNames[t]; n != "" {
				names = append(names, n)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// tokenNames are the tokens in words.
var tokenNames = map[int]string{
	HLOParserNAME: "a name", HLOParserSTRING: "a string", HLOParserINT: "a number", HLOParserFLOAT: "a number",
	HLOParserPATTERN: "a pattern such as 3x3", HLOParserBRACED: "`{...}`", HLOParserBRACKETED: "`[...]`",
	HLOParserJSON: "`{...}`", HLOParserSHAPE: "a shape", HLOParserTUPLE: "a tuple shape", HLOParserSCALAR: "a number",
	HLOParserARROW: "`->`", HLOParserELLIPSIS: "`...`", HLOParserCOLON: "`:`", HLOParserCOMMA: "`,`",
	HLOParserEQ:     "`=`",
	HLOParserLBRACE: "`{`", HLOParserRBRACE: "`}`", HLOParserLPAREN: "`(`", HLOParserRPAREN: "`)`",
	HLOParserLBRACK: "`[`", HLOParserRBRACK: "`]`", HLOParserHASH: "`#`", HLOParserATTR: "an attribute (`key=`)",
	HLOParserOPCODE: "an opcode", HLOParserCONSTANT: "an opcode", HLOParserLITERAL: "a literal",
	HLOParserHLOMODULE: "`HloModule`", HLOParserENTRY: "`ENTRY`", HLOParserROOT: "`ROOT`",
	HLOParserFILE_NAMES: "`FileNames`", HLOParserFUNCTION_NAMES: "`FunctionNames`",
	HLOParserFILE_LOCATIONS: "`FileLocations`", HLOParserSTACK_FRAMES: "`StackFrames`",
	HLOParserDIM_TYPES: "`D`", HLOParserTILES: "`T`", HLOParserTAIL: "`L`", HLOParserELEMENT_BITS: "`E`",
	HLOParserMEMORY_SPACE: "`S`", HLOParserSPLITS: "`SC`", HLOParserPHYSICAL: "`P`", HLOParserMETADATA_PREFIX: "`M`",
	HLOParserTYPE: "an element type", HLOParserSTAR: "`*`", HLOParserBOUND: "`<=`", HLOParserUNBOUNDED: "`?`",
}

// Finally runs a closing step of the builder, which may end the reading as the grammar's actions do.
func (p *Parser) Finally(step func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(build.Stop); !ok {
				panic(r)
			}
		}
	}()
	step()
}
