package grammar

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser/internal/automaton"
	"hlolayout/parser/internal/build"
)

// network is the parser grammar as the ANTLR tool understands it, without decisions: generated code chooses an
// alternative by one token, a walk through the network follows all.
var network = func() *automaton.ATN {
	hloparserParserInit()
	a, err := automaton.Read(HLOParserParserStaticData.serializedATN)
	if err != nil {
		panic(err)
	}
	return a
}()

// place is a state of the network and where to go on at the end of each rule that is open.
type place struct {
	state int
	up    *place // its state follows the open rule
}

// step returns the places after token, from those that can be reached without one.
func step(from []place, token int) (to []place) {
	seen := map[place]bool{}
	inner := map[place]*place{} // one parent for the same place, so that places compare
	for todo := slices.Clone(from); len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		if network.StateKind[at.state] == automaton.RuleStop && at.up != nil {
			todo = append(todo, *at.up)
		}
		for _, t := range network.Edges[at.state] {
			matches := false
			switch t.Kind {
			case automaton.Epsilon, automaton.Action:
				todo = append(todo, place{t.To, at.up})
			case automaton.Rule:
				up := place{t.To, at.up}
				if inner[up] == nil {
					inner[up] = &up
				}
				todo = append(todo, place{t.A, inner[up]})
			case automaton.Atom:
				matches = t.C == 0 && t.A == token || t.C == 1 && token == tokenEOF
			case automaton.RangeOf:
				matches = t.A <= token && token <= t.B
			case automaton.Set:
				matches = slices.ContainsFunc(network.Sets[t.A], func(in automaton.Interval) bool {
					return in.Lo <= token && token <= in.Hi
				})
			default:
				panic("a transition that the grammar did not have")
			}
			if next := (place{t.To, at.up}); matches && !slices.Contains(to, next) {
				to = append(to, next)
			}
		}
	}
	return to
}

// walk reads text by a rule through the network and returns the offset of its first syntax error, passed if there is
// none.
func walk(rule build.Rule, text string) int {
	start := slices.Index(HLOParserParserStaticData.RuleNames, ruleNames[rule])
	at := []place{{network.RuleStart[start], nil}}
	var l lexer
	for l.reset(text, 0, len(text), starts[rule].mode); ; l.advance() {
		if at = step(at, l.token); len(at) == 0 || l.token == tokenError {
			return int(l.cur.Off)
		}
		if l.token == tokenEOF {
			return passed
		}
	}
}

// ruleNames are the entry rules in HLOParser.g4.
var ruleNames = map[build.Rule]string{
	build.ModuleRule: "module", build.HeaderlessRule: "headerless", build.SingleRule: "single", build.BodyRule: "body",
	build.RestRule: "rest", build.FirstRule: "first", build.FurtherRule: "further", build.ShapeRule: "shapeText",
	build.ValueRule: "valueText", build.FrontendRule: "frontendText", build.IntsRule: "intsText",
	build.IntListsRule: "intListsText", build.WordsRule: "wordsText", build.ShapesRule: "shapesText",
	build.EntryLayoutRule: "entryLayoutText", build.SliceRule: "sliceText", build.WindowRule: "windowText",
	build.MetadataRule: "metadataText", build.AliasRule: "aliasText", build.DonorRule: "donorText",
	build.IotaRule: "iotaText", build.MeshRule: "meshText", build.ShardingRule: "shardingText",
}

// compare reads text by a rule of the parser, and each rule that this enters once more through the network: both must
// accept it, or find the first error at the same place. It returns the number of rules compared.
func compare(t testing.TB, rule build.Rule, text string, strict bool) (n int) {
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
		if at != passed {
			at -= int(part.Off)
		}
		if want := walk(rule, r.text); want != at {
			t.Errorf("rule %s: the parser finds an error at %d, the grammar at %d (-1: none) in\n%s", ruleNames[rule],
				at, want, r.text)
		}
	}
	p.Parse(rule, build.Text{Off: 0, End: uint32(len(text))})
	return n
}

// TestParserAgreesWithGrammar compares the parser with the grammar on modules, and on the small ones cut short or
// without one byte, which makes most of them wrong.
func TestParserAgreesWithGrammar(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/corpus/*/*/*.hlo")
	require.NoError(t, err)
	for _, pattern := range []string{"reject", "mutated"} { // the compiler's cases, where they are at hand
		more, err := filepath.Glob("../../../../shared/hlo-text/" + pattern + "/*.hlo")
		require.NoError(t, err)
		files = append(files, more...)
	}
	texts := []string{
		"HloModule m\nENTRY e (p: f32[2], q (s8[], f32[])) -> (f32[2]) {\n a = tuple(, p#1#0, add(b, c) d, {1, 2}, " +
			"(a, b) c)\n}",
		"HloModule m\nENTRY e {\n a = f32[2] add(f32[2] d(e), f32[2] b(c, , 3), \"s\", ..., f32[2] p#1), k={1} {2}, " +
			"l=f32[2]\n}, x=1",
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	n := 0
	for _, text := range texts {
		for _, strict := range []bool{false, true} {
			n += compare(t, build.ModuleRule, text, strict)
		}
		for i := 0; i < len(text) && len(text) < 4_000; i += 61 {
			n += compare(t, build.ModuleRule, text[:i], true)
			n += compare(t, build.ModuleRule, text[:i]+text[i+1:], true)
		}
	}
	t.Logf("%d readings of %d texts compared", n, len(texts))
	assert.Greater(t, n, 1000)
}

// samples are texts of the token types that occur inside values and shapes, in each mode that reads them.
var samples = map[uint8]map[int]string{
	modeFINE: {
		HLOParserATTR: "k=", HLOParserNAME: "a", HLOParserSHAPE: "f32[2]{0}", HLOParserINT: "3", HLOParserFLOAT: "1.5",
		HLOParserPATTERN: "3x3", HLOParserSTRING: `"s"`, HLOParserARROW: "->", HLOParserELLIPSIS: "...",
		HLOParserCOMMA: ",",
		HLOParserCOLON: ":", HLOParserLBRACE: "{", HLOParserRBRACE: "}", HLOParserLPAREN: "(", HLOParserRPAREN: ")",
		HLOParserLBRACK: "[", HLOParserRBRACK: "]", HLOParserPUNCT: "<=",
	},
	modeFRONTEND: {
		HLOParserATTR: "k=", HLOParserSTRING: `"s"`, HLOParserJSON: `{"a":1}`, HLOParserCOMMA: ",",
		HLOParserLBRACE: "{",
		HLOParserRBRACE: "}",
	},
	modeLAYOUT: {
		HLOParserTYPE: "f32", HLOParserINT: "0", HLOParserCOMMA: ",", HLOParserCOLON: ":", HLOParserHASH: "#",
		HLOParserSTAR: "*", HLOParserBOUND: "<=", HLOParserUNBOUNDED: "?", HLOParserMARK: "~", HLOParserLBRACE: "{",
		HLOParserRBRACE: "}", HLOParserLPAREN: "(", HLOParserRPAREN: ")", HLOParserLBRACK: "[", HLOParserRBRACK: "]",
		HLOParserDIM_TYPES: "D", HLOParserTILES: "T", HLOParserTAIL: "L", HLOParserELEMENT_BITS: "E",
		HLOParserMEMORY_SPACE: "S", HLOParserSPLITS: "SC", HLOParserPHYSICAL: "P", HLOParserMETADATA_PREFIX: "M",
	},
}

// TestValuesAgreeWithGrammar compares the rules of attribute values and shapes on sentences that follow the grammar,
// chosen at random, and on the same sentences with one token replaced.
func TestValuesAgreeWithGrammar(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	n, right := 0, 0
	for rule := range starts {
		rule, tokens := build.Rule(rule), samples[starts[rule].mode]
		types := slices.Sorted(maps.Keys(tokens))
		for range 400 {
			var sentence []string
			at := []place{{network.RuleStart[slices.Index(HLOParserParserStaticData.RuleNames, ruleNames[rule])], nil}}
			for len(sentence) < 30 && len(types) > 0 && (len(step(at, tokenEOF)) == 0 || random.IntN(3) > 0) {
				possible := slices.DeleteFunc(slices.Clone(types), func(token int) bool {
					return len(step(at, token)) == 0
				})
				if len(possible) == 0 {
					break
				}
				token := possible[random.IntN(len(possible))]
				sentence, at = append(sentence, tokens[token]), step(at, token)
			}
			if len(sentence) == 0 {
				continue
			}
			text := strings.Join(sentence, " ")
			n += compare(t, rule, text, false)
			if walk(rule, text) == passed {
				right++
			}
			sentence[random.IntN(len(sentence))] = tokens[types[random.IntN(len(types))]]
			n += compare(t, rule, strings.Join(sentence, " "), false)
		}
	}
	t.Logf("%d readings compared, %d sentences of the grammar", n, right)
	assert.Greater(t, right, 2000)
}

func FuzzParserAgreesWithGrammar(f *testing.F) {
	files, err := filepath.Glob("../../../testdata/corpus/*/*/before.hlo")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		if len(text) < 4_000 {
			f.Add(string(text), true)
		}
	}
	f.Add("HloModule m\nENTRY e {\n p = (f32[2]{0:T(128)}, s8[]) parameter(0), sharding={{devices=[2]0,1}, "+
		"{replicated}}\n}", true)
	f.Add("HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\nENTRY e {\n c = f32[2]{0} constant({1, "+
		"-2.5})\n}", false)
	f.Fuzz(func(t *testing.T, text string, strict bool) {
		if len(text) < 4_000 {
			compare(t, build.ModuleRule, text, strict)
		}
	})
}
