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
)

// ToolVersion is the version of the ANTLR tool that the checked-in files come from.
const ToolVersion = "4.13.2"

func main() {
	grammars := flag.String("grammars", ".", "folder of the .g4 files")
	out := flag.String("out", ".", "folder to write to")
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

// generate runs the tool in a temporary folder and writes hlo_lexer.go, hlo_parser.go and lexer_tables.go to out.
func generate(grammars, out, jar string) error {
	if _, err := os.Stat(jar); err != nil {
		return fmt.Errorf("no ANTLR tool: %w; get it with `mvn dependency:get -Dartifact=org.antlr:antlr4:%s:jar:complete` or set ANTLR_JAR", err, ToolVersion)
	}
	jar, err := filepath.Abs(jar)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "lexgen")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, g := range []string{"HLOLexer.g4", "HLOParser.g4"} {
		text, err := os.ReadFile(filepath.Join(grammars, g))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(tmp, g), text, 0o644); err != nil {
			return err
		}
		cmd := exec.Command("java", "-jar", jar, "-Dlanguage=Go", "-no-visitor", "-no-listener", "-Werror", "-package", "grammar", g)
		cmd.Dir = tmp
		if message, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", g, err, message)
		}
	}
	interp, err := os.ReadFile(filepath.Join(tmp, "HLOLexer.interp"))
	if err != nil {
		return err
	}
	tables, err := compile(string(interp))
	if err != nil {
		return err
	}
	files := map[string][]byte{"lexer_tables.go": tables}
	for _, name := range []string{"hlo_lexer.go", "hlo_parser.go"} {
		if files[name], err = os.ReadFile(filepath.Join(tmp, name)); err != nil {
			return err
		}
	}
	const ignore = "//lint:file-ignore SA4006 ANTLR's Go target reads a token type before loops that read it again\n\npackage "
	files["hlo_parser.go"] = bytes.Replace(files["hlo_parser.go"], []byte("package "), []byte(ignore), 1)
	for name, text := range files {
		if text, err = format.Source(text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
