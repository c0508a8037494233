// Command lexgen generates the reader's lexer tables and parser from HLOLexer.g4 and HLOParser.g4.
//
//	lexgen -grammars DIR -out DIR [-jar antlr4-complete.jar]
//
// The ANTLR tool (Java) reads the grammars. Of its parser lexgen drops the nodes of the parse tree, which nothing
// reads. Its lexer would interpret the grammar's automaton rune by rune, the slowest part of an ANTLR parser in Go by
// far; lexgen compiles that automaton to a DFA over bytes instead, and keeps it as the measure for a test that compares
// token streams.
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
)

// ToolVersion is the version of the ANTLR tool that the checked-in files come from.
const ToolVersion = "4.13.2"

func main() {
	grammars := flag.String("grammars", ".", "folder of the .g4 files")
	out := flag.String("out", ".", "folder to write the files to")
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
	return filepath.Join(home, ".m2", "repository", "org", "antlr", "antlr4", ToolVersion, "antlr4-"+ToolVersion+
		"-complete.jar")
}

// generate runs the tool in a temporary folder and writes its files below out.
func generate(grammars, out, jar string) error {
	if _, err := os.Stat(jar); err != nil {
		return fmt.Errorf("no ANTLR tool: %w; get it with `mvn dependency:get "+
			"-Dartifact=org.antlr:antlr4:%s:jar:complete`"+
			" or set ANTLR_JAR", err, ToolVersion)
	}
	jar, err := filepath.Abs(jar)
	if err != nil {
		return err
	}
	files, err := run(jar, grammars)
	if err != nil {
		return err
	}
	parser, err := format.Source(shorten(files["hlo_parser.go"]))
	if err != nil {
		return err
	}
	tables, err := compile(string(files["HLOLexer.interp"]))
	if err != nil {
		return err
	}
	if tables, err = format.Source(tables); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"lexer_tables.go":          tables,
		"hlo_parser.go":            parser,
		"testdata/HLOLexer.interp": files["HLOLexer.interp"],
	} {
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

// run runs the tool on both grammars and returns the files it writes.
func run(jar, grammars string) (map[string][]byte, error) {
	tmp, err := os.MkdirTemp("", "lexgen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	for _, name := range []string{"HLOLexer.g4", "HLOParser.g4"} {
		text, err := os.ReadFile(filepath.Join(grammars, name))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(tmp, name), text, 0o644); err != nil {
			return nil, err
		}
		cmd := exec.Command("java", "-jar", jar, "-Dlanguage=Go", "-no-visitor", "-no-listener", "-Werror",
			"-package", "grammar", name)
		cmd.Dir = tmp
		if message, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", name, err, message)
		}
	}
	files := map[string][]byte{}
	for _, name := range []string{"HLOLexer.interp", "hlo_parser.go"} {
		if files[name], err = os.ReadFile(filepath.Join(tmp, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

const lintIgnore = "//lint:file-ignore SA4006 ANTLR's Go target reads a token type before loops that read it " +
	"again\n\npackage "

var (
	contexts   = regexp.MustCompile(`(?s)\n// I\w+Context is an interface .*?\nfunc \(p \*HLOParser\)`)
	newContext = regexp.MustCompile(`\n\tlocalctx = New\w+Context\(p, p\.GetParserRuleContext\(\), p\.GetState\(\)\)`)
	result     = regexp.MustCompile(`\(localctx I\w+Context\)`)
	trick      = regexp.MustCompile(`\n\tgoto errorExit // Trick to prevent compiler error if the label is not used`)
	rule       = regexp.MustCompile(`(?s)\nfunc \(p \*HLOParser\) .*?\n}\n`)
)

// shorten drops the nodes of the parse tree from the generated parser: their types, and their allocation at the start
// of each rule (BenchmarkParse: a tenth less time and memory). localctx is then nil, which Base ignores. It also drops
// the unreachable goto at the end of each rule, which go vet reports, and the label where that goto was its only use.
func shorten(parser []byte) []byte {
	parser = bytes.Replace(parser, []byte("package "), []byte(lintIgnore), 1)
	parser = contexts.ReplaceAll(parser, []byte("\nfunc (p *HLOParser)"))
	parser = newContext.ReplaceAll(parser, nil)
	parser = result.ReplaceAll(parser, []byte("(localctx antlr.ParserRuleContext)"))
	parser = trick.ReplaceAll(parser, nil)
	return rule.ReplaceAllFunc(parser, func(text []byte) []byte {
		if bytes.Contains(text, []byte("goto errorExit")) {
			return text
		}
		return bytes.Replace(text, []byte("\nerrorExit:"), nil, 1)
	})
}
