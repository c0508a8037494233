// Command lexgen generates the reader's lexer tables and parser from HLOLexer.g4 and HLOParser.g4.
//
//	lexgen -grammars DIR -out DIR [-jar antlr4-complete.jar]
//
// The ANTLR tool (Java) reads the grammars and writes the Go lexer and parser. The automaton it serialises for the lexer
// is then compiled to a DFA over bytes: the generated Go lexer interprets that automaton rune by rune and is the slowest
// part of an ANTLR parser in Go by far (docs/parser.md); it stays as the measure for a test that compares token streams.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// ToolVersion is the version of the ANTLR tool that the checked-in files come from.
const ToolVersion = "4.13.2"

func main() {
	grammars := flag.String("grammars", ".", "folder of the .g4 files")
	out := flag.String("out", ".", "folder to write grammar/ and stock/ to")
	jar := flag.String("jar", "", "the ANTLR tool; default $ANTLR_JAR, then Maven's local repository")
	flag.Parse()
	if err := generate(*grammars, *out, findJar(*jar)); err != nil {
		fmt.Fprintln(os.Stderr, "lexgen:", err)
		os.Exit(1)
	}
}

// findJar returns the path of the ANTLR tool; it may not exist.
func findJar(flagged string) string {
	if flagged != "" {
		return flagged
	}
	if env := os.Getenv("ANTLR_JAR"); env != "" {
		return env
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".m2", "repository", "org", "antlr", "antlr4", ToolVersion, "antlr4-"+ToolVersion+"-complete.jar")
}

// generate runs the tool in a temporary folder and writes grammar/ and stock/ below out.
func generate(grammars, out, jar string) error {
	if _, err := os.Stat(jar); err != nil {
		return fmt.Errorf("no ANTLR tool: %w; get it with `mvn dependency:get -Dartifact=org.antlr:antlr4:%s:jar:complete` or set ANTLR_JAR", err, ToolVersion)
	}
	jar, err := filepath.Abs(jar)
	if err != nil {
		return err
	}
	lexer, err := os.ReadFile(filepath.Join(grammars, "HLOLexer.g4"))
	if err != nil {
		return err
	}
	parser, err := os.ReadFile(filepath.Join(grammars, "HLOParser.g4"))
	if err != nil {
		return err
	}
	fast, err := run(jar, "grammar", lexer, parser)
	if err != nil {
		return err
	}
	fast["hlo_parser.go"] = newContext.ReplaceAll(fast["hlo_parser.go"], nil)
	stock, err := run(jar, "stock", lexer, withoutActions(parser))
	if err != nil {
		return err
	}
	tables, err := compile(string(fast["HLOLexer.interp"]))
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"grammar/lexer_tables.go": tables,
		"grammar/hlo_lexer.go":    fast["hlo_lexer.go"],
		"grammar/hlo_parser.go":   fast["hlo_parser.go"],
		"stock/hlo_parser.go":     stock["hlo_parser.go"],
	} {
		if strings.HasSuffix(name, "parser.go") {
			text = bytes.Replace(text, []byte("package "), []byte(lintIgnore), 1)
		}
		if text, err = format.Source(text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

const lintIgnore = "//lint:file-ignore SA4006 ANTLR's Go target reads a token type before loops that read it again\n\npackage "

// run runs the tool on both grammars and returns the files it writes.
func run(jar, pkg string, lexer, parser []byte) (map[string][]byte, error) {
	tmp, err := os.MkdirTemp("", "lexgen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	for _, g := range []struct {
		name string
		text []byte
	}{{"HLOLexer.g4", lexer}, {"HLOParser.g4", parser}} {
		if err := os.WriteFile(filepath.Join(tmp, g.name), g.text, 0o644); err != nil {
			return nil, err
		}
		cmd := exec.Command("java", "-jar", jar, "-Dlanguage=Go", "-no-visitor", "-no-listener", "-Werror", "-package", pkg, g.name)
		cmd.Dir = tmp
		if message, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", g.name, err, message)
		}
	}
	files := map[string][]byte{}
	for _, name := range []string{"HLOLexer.interp", "hlo_lexer.go", "hlo_parser.go"} {
		if files[name], err = os.ReadFile(filepath.Join(tmp, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// newContext is what the generated code begins each rule with: it allocates a node of the tree that the fast parser does not
// build. Without it localctx is nil, which the base class passes by (BenchmarkParse: a tenth less time and memory).
var newContext = regexp.MustCompile(`\n\tlocalctx = New\w+Context\(p, p\.GetParserRuleContext\(\), p\.GetState\(\)\)`)

var (
	actions    = regexp.MustCompile(`\{p\.B\.[^}]*\}`)
	superClass = regexp.MustCompile(`superClass = \w+;`)
)

// withoutActions is the same grammar for a parser of the ANTLR runtime alone, the measure of the fast one.
func withoutActions(parser []byte) []byte {
	return superClass.ReplaceAll(actions.ReplaceAll(parser, nil), nil)
}
